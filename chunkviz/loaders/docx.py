"""Word files (.docx): the body in document order, tables, text boxes, lists and notes in their places."""

from __future__ import annotations

import io
import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from chunkviz.document import Block, BlockKind, Document, Note
from chunkviz.errors import LoadError
from chunkviz.loaders.base import Loader
from chunkviz.loaders.options import LoadOptions
from chunkviz.settings import settings

_W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)
_NOTE_PARTS: Final = {"word/footnotes.xml": "footnote", "word/endnotes.xml": "endnote"}


@dataclass
class _Text:
    parts: list[str] = field(default_factory=list)
    length: int = 0
    blocks: list[Block] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def block(self, kind: BlockKind, text: str, level: int = 0) -> None:
        if not text.strip():
            return
        glue = "\n" if kind == "list" and self.blocks and self.blocks[-1].kind == "list" else "\n\n"
        if self.parts:
            self.parts.append(glue)
            self.length += len(glue)
        start = self.length
        self.parts.append(text)
        self.length += len(text)
        if glue == "\n" and self.parts[1:]:
            last = self.blocks.pop()
            self.blocks.append(Block("list", last.start, self.length))
            return
        title = " ".join(text.split()) if kind == "heading" else ""
        self.blocks.append(Block(kind, start, self.length, level, title))


def parse(data: bytes, name: str, options: LoadOptions, password: str | None) -> Document:
    """The document's text; what Word shows besides it (headers, footers, deletions, pictures) is counted in the notes."""
    if data[:4] == b"\xd0\xcf\x11\xe0":
        raise LoadError(
            f"{name} is locked with a password, or an old .doc file. Save it as .docx without a password.",
        )
    parts = _unpacked(data, name)
    from lxml import etree

    # No entity is expanded and nothing is fetched; a document type was refused before.
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)

    def tree(part: str) -> Any:
        try:
            return etree.fromstring(parts[part], parser)
        except etree.XMLSyntaxError as error:
            raise LoadError(f"{name} is damaged: {part} is no XML ({error.msg}). Save it again from Word.") from None

    levels = _heading_levels(tree("word/styles.xml")) if "word/styles.xml" in parts else {}
    grown = _Text()
    body = tree("word/document.xml").find(f"{_W}body")
    for element in _flat(body):
        _add(grown, element, levels)
    for part, kind in _NOTE_PARTS.items():
        if part in parts:
            for note in tree(part):
                # The first two are the separators that Word draws above notes.
                if note.get(f"{_W}type") is None:
                    text = " ".join(_text(p, grown.counts) for p in note.iter(f"{_W}p")).strip()
                    grown.block("paragraph", text)
                    grown.counts[kind] += bool(text)
    for part in parts:
        grown.counts["margin"] += bool(re.fullmatch(r"word/(?:header|footer)\d*\.xml", part)) and _has_text(tree(part))
    return Document("".join(grown.parts), name, "docx", tuple(grown.blocks), notes=tuple(_notes(grown)))


def _unpacked(data: bytes, name: str) -> dict[str, bytes]:
    """The XML parts of the archive, counted while they inflate, so that a small file cannot become a huge one."""
    limit = settings().max_inflated_mb * 1_000_000
    wanted = re.compile(r"word/(?:document|styles|footnotes|endnotes|header\d*|footer\d*)\.xml")
    found: dict[str, bytes] = {}
    total = 0
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for info in archive.infolist():
                if not wanted.fullmatch(info.filename):
                    continue
                pieces = []
                with archive.open(info) as stream:
                    while piece := stream.read(1 << 16):
                        total += len(piece)
                        if total > limit:
                            raise LoadError(
                                f"{name} unpacks to more than {settings().max_inflated_mb} MB, which no ordinary document "
                                "does; it was not opened (CHUNKVIZ_MAX_INFLATED_MB)."
                            )
                        pieces.append(piece)
                content = b"".join(pieces)
                # Without NULs a part in UTF-16 reads like one in UTF-8, as far as this question goes.
                plain = content.replace(b"\0", b"")
                if b"<!DOCTYPE" in plain or b"<!ENTITY" in plain:
                    raise LoadError(f"{name} declares a document type, which no Word file does; it was not opened.")
                found[info.filename] = content
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
        raise LoadError(f"{name} is damaged and cannot be unpacked as a Word file ({error}). Save it again.") from None
    if "word/document.xml" not in found:
        raise LoadError(f"{name} is an archive without a Word document in it. Save it as .docx from Word.")
    return found


def _heading_levels(styles: Any) -> dict[str, int]:
    """Style id to heading level, by outline level or by the style's built-in name; ids are localized, these are not."""
    levels: dict[str, int] = {}
    parents: dict[str, str] = {}
    for style in styles.iter(f"{_W}style"):
        style_id = style.get(f"{_W}styleId", "")
        name = style.find(f"{_W}name")
        outline = style.find(f"{_W}pPr/{_W}outlineLvl")
        parent = style.find(f"{_W}basedOn")
        if parent is not None:
            parents[style_id] = parent.get(f"{_W}val", "")
        match = _HEADING.fullmatch(name.get(f"{_W}val", "")) if name is not None else None
        if match:
            levels[style_id] = int(match[1])
        elif outline is not None and outline.get(f"{_W}val", "9").isdigit() and int(outline.get(f"{_W}val", "9")) < 6:
            levels[style_id] = int(outline.get(f"{_W}val")) + 1
        elif name is not None and name.get(f"{_W}val", "").lower() == "title":
            levels[style_id] = 1
    for style_id in parents:
        seen, at = {style_id}, style_id
        while at not in levels and parents.get(at) and parents[at] not in seen:
            at = parents[at]
            seen.add(at)
        if at in levels:
            levels.setdefault(style_id, levels[at])
    return levels


def _flat(body: Any) -> Iterator[Any]:
    """Paragraphs and tables of the body in order, also those inside content controls and insertions."""
    for element in body if body is not None else ():
        if element.tag in (f"{_W}sdt", f"{_W}sdtContent", f"{_W}ins", f"{_W}customXml", f"{_W}smartTag"):
            yield from _flat(element)
        elif element.tag in (f"{_W}p", f"{_W}tbl"):
            yield element


def _add(grown: _Text, element: Any, levels: dict[str, int]) -> None:
    if element.tag == f"{_W}tbl":
        grown.block("table", "\n".join(_rows(element, grown.counts)))
        grown.counts["tables"] += 1
        return
    text = _text(element, grown.counts)
    properties = element.find(f"{_W}pPr")
    style = properties.find(f"{_W}pStyle") if properties is not None else None
    own = properties.find(f"{_W}outlineLvl") if properties is not None else None
    level = levels.get(style.get(f"{_W}val", ""), 0) if style is not None else 0
    if own is not None and own.get(f"{_W}val", "9").isdigit() and int(own.get(f"{_W}val", "9")) < 6:
        level = int(own.get(f"{_W}val")) + 1
    listed = properties is not None and properties.find(f"{_W}numPr") is not None
    listed = listed or (style is not None and style.get(f"{_W}val", "").lower().startswith("list"))
    if level and text.strip():
        grown.block("heading", text.strip(), min(level, 6))
    elif listed and text.strip():
        grown.block("list", f"- {text.strip()}")
    else:
        grown.block("paragraph", text.strip())
    for box in element.iter(f"{_W}txbxContent"):
        # Word stores each box twice, once for old readers inside a fallback.
        if any(a.tag.endswith("}Fallback") for a in box.iterancestors()):
            continue
        grown.counts["boxes"] += 1
        for inner in _flat(box):
            _add(grown, inner, levels)


def _rows(table: Any, counts: Counter[str]) -> Iterator[str]:
    """A line per row, cells parted by bars; a table inside a cell is read as the cell's text."""
    for row in table.iter(f"{_W}tr"):
        if next(a for a in row.iterancestors() if a.tag == f"{_W}tbl") is not table:
            continue
        cells = []
        for cell in row.iter(f"{_W}tc"):
            if next(a for a in cell.iterancestors() if a.tag == f"{_W}tr") is row:
                texts = (" ".join(_text(p, counts).split()) for p in cell.iter(f"{_W}p"))
                cells.append(" ".join(t for t in texts if t))
        yield " | ".join(cells)


def _text(paragraph: Any, counts: Counter[str]) -> str:
    """The visible text of a paragraph: links and insertions included, deletions and text boxes left out."""
    parts: list[str] = []
    skip: list[Any] = []
    for node in paragraph.iter():
        if skip and any(a is s for s in skip for a in node.iterancestors()):
            continue
        if node.tag == f"{_W}txbxContent" or (isinstance(node.tag, str) and node.tag.endswith("}Fallback")):
            skip.append(node)
        elif node.tag == f"{_W}t":
            parts.append(node.text or "")
        elif node.tag == f"{_W}tab" and node.getparent().tag == f"{_W}r":
            parts.append("\t")
        elif node.tag in (f"{_W}br", f"{_W}cr"):
            parts.append("\n" if node.get(f"{_W}type") != "page" else "")
        elif node.tag == f"{_W}noBreakHyphen":
            parts.append("\u2011")
        elif node.tag == f"{_W}delText":
            counts["deleted"] += 1
        elif node.tag == f"{_W}ins":
            counts["inserted"] += 1
        elif isinstance(node.tag, str) and node.tag.endswith("}pic"):
            counts["pictures"] += 1
    return "".join(parts)


def _has_text(tree: Any) -> bool:
    return any((node.text or "").strip() for node in tree.iter(f"{_W}t"))


def _notes(grown: _Text) -> Iterator[Note]:
    counts = grown.counts
    if not grown.blocks:
        yield Note("empty", "There is no text in this document.", 0, "warning")
    for key, topic, text in (
        ("tables", "tables", "tables kept in their place, one line per row."),
        ("boxes", "text boxes", "text boxes read after the paragraph they are anchored to."),
        ("footnote", "notes", "footnotes added at the end."),
        ("endnote", "notes", "endnotes added at the end."),
        ("inserted", "changes", "tracked insertions kept."),
        ("deleted", "changes", "tracked deletions left out."),
        ("pictures", "left out", "pictures left out."),
        ("margin", "left out", "page headers and footers left out."),
    ):
        if counts[key]:
            yield Note(topic, f"{counts[key]} {text}", counts[key])


LOADER = Loader(format="docx", suffixes=(".docx", ".docm"), parse=parse, from_text=None)
