"""Word files (.docx): the body in document order, tables, text boxes, lists and notes in their places."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from chunkviz.document import BlockKind, Document, Note
from chunkviz.errors import LoadError
from chunkviz.loaders.base import Loader
from chunkviz.loaders.builder import Builder, counted
from chunkviz.loaders.docx_package import parts_of
from chunkviz.loaders.docx_styles import Style, W, level_of, list_level_of, styles_of
from chunkviz.loaders.options import LoadOptions
from chunkviz.settings import settings

MOST_NESTING: Final = 40
"""Boxes in boxes and tables in tables that are followed; below that lies nothing a person wrote."""

_NOTE_PARTS: Final = {"word/footnotes.xml": "footnote", "word/endnotes.xml": "endnote"}
_MARGIN: Final = re.compile(r"word/(?:header|footer)\d*\.xml")
_STRICT: Final = "http://purl.oclc.org/ooxml/wordprocessingml/main"
_MATH_TEXT: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
_WRAPPERS: Final = frozenset(f"{W}{name}" for name in ("sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag"))
# What a reader does not see: deleted and moved-away text, the reading aid above a word, a text box for old readers.
_UNSEEN: Final = frozenset(f"{W}{name}" for name in ("del", "moveFrom", "rt", "txbxContent", "instrText", "delText"))
_PICTURES: Final = frozenset(f"{W}{name}" for name in ("drawing", "pict", "object"))


def parse(data: bytes, name: str, options: LoadOptions, password: str | None) -> Document:
    """The document's text; what Word shows besides it (headers, footers, deletions, pictures) is counted in the notes.

    Lists become lines that begin with “- ”, indented by level; Word's numbers are not worked out. Headings are those
    of the styles' outline levels, so their names may be in any language. Raises `LoadError`.
    """
    parts = parts_of(data, name)
    trees = {part: _tree(content, part, name) for part, content in parts.items()}
    body = trees["word/document.xml"].find(f"{W}body")
    if body is None:
        strict = trees["word/document.xml"].tag.startswith("{" + _STRICT)
        kind = "is in the “strict” variant of the format" if strict else "is damaged: it has no body"
        raise LoadError(f"{name} {kind}. Save it again from Word as an ordinary .docx file.")
    styles = styles_of(trees["word/styles.xml"]) if "word/styles.xml" in trees else {}
    grown = Builder()
    for element in _flat(body):
        _add(grown, element, styles, 0)
    for part, kind in _NOTE_PARTS.items():
        for note in trees.get(part, ()):
            # Those with a type are the separators that Word draws above notes.
            if note.get(f"{W}type") is None:
                texts = (_text(p, grown.counts).strip() for p in note.iter(f"{W}p"))
                text = " ".join(t for t in texts if t)
                grown.block("paragraph", text)
                grown.counts[kind] += bool(text)
    for part, tree in trees.items():
        grown.counts["margin"] += bool(_MARGIN.fullmatch(part)) and any(
            (t.text or "").strip() for t in tree.iter(f"{W}t")
        )
    if "word/comments.xml" in trees:
        grown.counts["comments"] = sum(1 for _ in trees["word/comments.xml"].iter(f"{W}comment"))
    return Document(grown.text, name, "docx", tuple(grown.blocks), notes=tuple(_notes(grown)))


def _tree(content: bytes, part: str, name: str) -> Any:
    from lxml import etree

    # No entity is expanded and nothing is fetched; a document type was refused before. Without `huge_tree` the parser
    # refuses elements nested more than 256 deep and texts of more than 10 MB.
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        return etree.fromstring(content, parser)
    except MemoryError:
        raise _too_much(content, name) from None
    except etree.XMLSyntaxError as error:
        if error.code == etree.ErrorTypes.ERR_NO_MEMORY:
            raise _too_much(content, name) from None
        raise LoadError(
            f"{name} is damaged: {part} cannot be read ({error.msg.split(',')[0]}). Save it again from Word."
        ) from error


def _too_much(content: bytes, name: str) -> LoadError:
    return LoadError(
        f"{name} unpacks to {len(content) / 1e6:,.0f} MB of text and markup, too much for the "
        f"{settings().parse_memory_mb} MB of memory that reading a file may take (CHUNKVIZ_PARSE_MEMORY_MB). "
        "Try a part of it."
    )


def _flat(parent: Any) -> Iterator[Any]:
    """Paragraphs and tables in order, also those inside content controls, insertions and alternatives."""
    for element in parent:
        if element.tag in (f"{W}p", f"{W}tbl", f"{W}altChunk"):
            yield element
        elif element.tag in _WRAPPERS or _local(element) in ("AlternateContent", "Choice"):
            yield from _flat(element)


def _add(grown: Builder, element: Any, styles: Mapping[str, Style], depth: int) -> None:
    """Add a paragraph or a table, and after it the text boxes that are anchored in it."""
    if element.tag == f"{W}altChunk":
        grown.counts["imported"] += 1
        return
    if element.tag == f"{W}tbl":
        rows = [row for row in _rows(element, grown.counts) if row.strip(" |")]
        grown.block("table", "\n".join(rows))
        grown.counts["tables"] += bool(rows)
    else:
        text = _text(element, grown.counts)
        kind, level, indent = _kind(element, styles)
        if kind == "list":
            # A line of its own for each item, so that lists look like lists wherever the text is shown.
            grown.block(kind, "  " * indent + "- " + text.strip() if text.strip() else "")
        else:
            grown.block(kind, text.strip(), level)
    for box in _boxes(element):
        if depth == MOST_NESTING:
            grown.counts["too deep"] += 1
            continue
        grown.counts["boxes"] += 1
        grown.end_list()
        for inner in _flat(box):
            _add(grown, inner, styles, depth + 1)
        grown.end_list()


def _kind(paragraph: Any, styles: Mapping[str, Style]) -> tuple[BlockKind, int, int]:
    """(Kind, level of a heading, level of a list item from 0): a paragraph's own properties come before its style's."""
    properties = paragraph.find(f"{W}pPr")
    if properties is None:
        return "paragraph", 0, 0
    style_id = properties.find(f"{W}pStyle")
    style = styles.get(style_id.get(f"{W}val", ""), Style()) if style_id is not None else Style()
    own_level, own_list = level_of(properties), list_level_of(properties)
    if level := own_level if own_level is not None else style.level:
        return "heading", level, 0
    item = own_list if own_list is not None else style.list_level
    return ("list", 0, item) if item >= 0 else ("paragraph", 0, 0)


def _boxes(element: Any) -> Iterator[Any]:
    """The text boxes anchored in an element, outermost only, each once: Word stores a copy for old readers."""
    stack = [element]
    while stack:
        node = stack.pop()
        if node.tag == f"{W}txbxContent":
            yield node
        elif _local(node) != "Fallback" and node.tag not in (f"{W}del", f"{W}moveFrom"):
            stack += reversed(node)


def _rows(table: Any, counts: Counter[str]) -> Iterator[str]:
    """A line per row, cells parted by bars; a table inside a cell is read as the cell's text."""
    for row in _inner(table, f"{W}tr"):
        cells = []
        for cell in _inner(row, f"{W}tc"):
            texts = (" ".join(_text(p, counts).split()) for p in _inner(cell, f"{W}p", into=True))
            cells.append(" ".join(t for t in texts if t))
        yield " | ".join(cells)


def _inner(element: Any, tag: str, into: bool = False) -> Iterator[Any]:
    """The nearest descendants with a tag, in order, those of a text box or an old copy left out.

    into : look also inside tables that are nested in the element
    """
    stack = list(reversed(element))
    while stack:
        node = stack.pop()
        if node.tag == tag:
            yield node
        elif (into or node.tag != f"{W}tbl") and node.tag not in _UNSEEN and _local(node) != "Fallback":
            stack += reversed(node)


def _text(paragraph: Any, counts: Counter[str]) -> str:
    """The visible text of a paragraph: links, fields' results and insertions included, deletions and boxes left out."""
    parts: list[str] = []
    stack = list(reversed(paragraph))
    while stack:
        node = stack.pop()
        tag = node.tag
        if tag in (f"{W}t", _MATH_TEXT):
            parts.append(node.text or "")
            counts["equations"] += tag == _MATH_TEXT
        elif tag in (f"{W}tab", f"{W}ptab"):
            parts.append("\t")
        elif tag in (f"{W}br", f"{W}cr"):
            parts.append("" if node.get(f"{W}type") in ("page", "column") else "\n")
        elif tag == f"{W}noBreakHyphen":
            parts.append("\u2011")
        elif tag == f"{W}sym":
            parts.append(_symbol(node.get(f"{W}char", ""), counts))
        elif tag in _UNSEEN:
            counts["deleted"] += tag in (f"{W}del", f"{W}moveFrom")
        elif tag in (f"{W}pPr", f"{W}rPr"):
            counts["hidden"] += tag == f"{W}rPr" and node.find(f"{W}vanish") is not None
        elif _local(node) != "Fallback":
            counts["inserted"] += tag in (f"{W}ins", f"{W}moveTo")
            if tag in _PICTURES:
                counts["pictures"] += next(node.iter(f"{W}txbxContent"), None) is None
            stack += reversed(node)
    return "".join(parts)


def _symbol(code: str, counts: Counter[str]) -> str:
    """A character of a symbol font. Most mean something in that font alone: U+FFFD, counted."""
    number = int(code, 16) if re.fullmatch(r"[0-9A-Fa-f]{1,6}", code) else 0
    if 0x20 <= number < 0xD800 or 0xF900 <= number < 0xFFFE:
        return chr(number)
    counts["symbols"] += 1
    return "\ufffd"


def _local(node: Any) -> str:
    """An element's name without its namespace, "" for comments and processing instructions."""
    return node.tag.rpartition("}")[2] if isinstance(node.tag, str) else ""


# What was counted: the topic, one, many, and what became of it.
_COUNTED: Final[Mapping[str, tuple[str, str, str, str]]] = {
    "tables": ("tables", "table", "tables", "kept in place, one line per row"),
    "boxes": ("text boxes", "text box", "text boxes", "read after the paragraph of their anchor"),
    "footnote": ("notes", "footnote", "footnotes", "added at the end"),
    "endnote": ("notes", "endnote", "endnotes", "added at the end"),
    "equations": ("equations", "part of an equation", "parts of equations", "read as plain characters"),
    "pictures": ("left out", "picture or chart", "pictures and charts", "left out; words in them are not read"),
    "margin": ("left out", "page header or footer", "page headers and footers", "left out"),
    "comments": ("left out", "comment", "comments", "left out"),
}
_WARNED: Final[Mapping[str, tuple[str, str, str, str]]] = {
    "hidden": ("hidden", "passage", "passages", "formatted as hidden, which Word does not show, kept"),
    "symbols": ("unreadable", "symbol", "symbols", "of a picture font have no character: shown as \ufffd"),
    "imported": (
        "left out",
        "embedded file",
        "embedded files",
        "whose text Word shows, left out. Save it again from Word",
    ),
    "too deep": ("left out", "text box", "text boxes", f"nested more than {MOST_NESTING} deep left out"),
}


def _notes(grown: Builder) -> Iterator[Note]:
    counts = grown.counts
    if not grown.blocks:
        yield Note("empty", "There is no text in this document.", 0, "warning")
    for key, (topic, one, many, what) in _COUNTED.items():
        if n := counts[key]:
            yield Note(topic, f"{counted(n, one, many)} {what}.", n)
    if n := counts["deleted"] + counts["inserted"]:
        what = f"tracked deletions left out ({counts['deleted']:,}), insertions kept ({counts['inserted']:,})"
        yield Note("changes", f"Read as if all changes were accepted: {what}.", n)
    for key, (topic, one, many, what) in _WARNED.items():
        if n := counts[key]:
            yield Note(topic, f"{counted(n, one, many)} {what}.", n, "warning")


LOADER = Loader(format="docx", suffixes=(".docx", ".docm"), parse=parse, from_text=None)
