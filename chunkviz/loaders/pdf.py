"""PDF, by PyMuPDF: the only file that imports it (AGPL-3.0, see NOTICE).

Never called on two threads, and in the app and the command line only in a worker of `isolation`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from chunkviz.document import Block, BlockKind, Document, Note, Page
from chunkviz.errors import LoadError
from chunkviz.loaders.base import Loader
from chunkviz.loaders.options import LoadOptions
from chunkviz.loaders.pdf_layout import Line, reading_order
from chunkviz.settings import settings

_LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
_LIGATURE = re.compile("[" + "".join(_LIGATURES) + "]")
_UNREADABLE = re.compile("[\x00-\x08\x0b\x0e-\x1f\ufffd\ue000-\uf8ff]")
_BULLET = re.compile(r"\s*(?:[•‣◦▪●–*-]|\d{1,3}[.)]|[a-z][.)])\s")
_BROKEN_WORD = re.compile(r"[^\W\d_]{2,}-\Z")


@dataclass
class _Text:
    """The document's text while it grows, with what is known about its parts."""

    parts: list[str] = field(default_factory=list)
    length: int = 0
    blocks: list[Block] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, text: str) -> None:
        self.parts.append(text)
        self.length += len(text)

    def block(self, kind: BlockKind, text: str, level: int = 0) -> None:
        if self.parts:
            self.add("\n\n")
        start = self.length
        self.add(text)
        title = " ".join(text.split()) if kind == "heading" else ""
        self.blocks.append(Block(kind, start, self.length, level, title))


def parse(data: bytes, name: str, options: LoadOptions, password: str | None) -> Document:
    """Text in reading order, headings from the outline or from the type size, pages with their labels."""
    if b"%PDF-" not in data[:1024]:
        raise LoadError(f"{name} is not a PDF, whatever its name says. Open it with the ending that fits its content.")
    try:
        import pymupdf as library
    except ImportError:
        raise LoadError(
            "PDF files are read by PyMuPDF, which is not installed: pip install 'pymupdf>=2.0,<3'"
        ) from None
    pymupdf: Any = library  # it has no types
    pymupdf.TOOLS.mupdf_display_errors(False)
    try:
        pdf = pymupdf.open(stream=data, filetype="pdf")
    except Exception as error:  # PyMuPDF raises RuntimeError, ValueError and classes of its own, all for damaged files
        raise LoadError(
            f"{name} is damaged and cannot be opened as a PDF ({type(error).__name__}). Save it again."
        ) from None
    with pdf:
        if pdf.needs_pass and not pdf.authenticate(password or ""):
            problem = "The password is wrong" if password else "It needs a password"
            raise LoadError(f"{name} is locked. {problem} to be opened.", needs_password=True)
        if pdf.page_count > settings().max_pages:
            raise LoadError(
                f"{name} has {pdf.page_count:,} pages; up to {settings().max_pages:,} are read (CHUNKVIZ_MAX_PAGES)."
            )
        return _read(pdf, name, options)


def _read(pdf: Any, name: str, options: LoadOptions) -> Document:
    pages = [_lines(page) for page in pdf]
    repeated = _running(pages, [page.rect.height for page in pdf])
    outline: dict[int, list[tuple[int, str]]] = {}
    for level, title, number, *_ in pdf.get_toc():
        outline.setdefault(number, []).append((min(max(level, 1), 6), " ".join(title.split())))
    sizes = {} if outline else _heading_sizes(pages)
    grown = _Text()
    spans: list[Page] = []
    empty: list[int] = []
    columns: list[int] = []
    for number, (page, lines) in enumerate(zip(pdf, pages, strict=True), 1):
        begin = grown.length + (2 if grown.parts else 0)
        kept = [line for line in lines if _key(line) not in repeated]
        grown.counts["running"] += len(lines) - len(kept)
        ordered, has_columns = reading_order(kept, page.rect.width)
        if has_columns:
            columns.append(number)
        if not kept:
            empty.append(number)
        for kind, level, text in _paragraphs(ordered, outline.get(number, []), sizes, options, grown.counts):
            grown.block(kind, text, level)
        start = min(begin, grown.length)
        spans.append(Page(start, max(start, grown.length), number, page.get_label() or str(number)))
    text = "".join(grown.parts)
    notes = _notes(pdf, text, grown, empty, columns, bool(outline), bool(sizes))
    return Document(text, name, "pdf", tuple(grown.blocks), tuple(spans), tuple(notes))


def _lines(page: Any) -> list[Line]:
    """The page's lines. A table that is drawn with rules becomes one line per row, its cells parted by bars."""
    tables: list[Any] = []
    words: list[Any] = []
    if any(True for _ in page.get_cdrawings()):
        # With its layout model the search takes a second a page and more memory than a worker has; ruled tables need none.
        tables = [t for t in page.find_tables(use_layout=False).tables if t.row_count > 1 and t.col_count > 1]
        words = page.get_text("words") if tables else []
    found: list[Line] = []
    for number, block in enumerate(page.get_text("dict", flags=_flags())["blocks"]):
        for line in block.get("lines", ()):
            text = "".join(span["text"] for span in line["spans"])
            if not text.strip():
                continue
            x0, y0, x1, y1 = line["bbox"]
            middle = ((x0 + x1) / 2, (y0 + y1) / 2)
            if any(_inside(middle, t.bbox) for t in tables):
                continue
            size = max(span["size"] for span in line["spans"] if span["text"].strip())
            found.append(Line(x0, y0, x1, y1, text.strip(), size, number))
    for number, table in enumerate(tables):
        x0, y0, x1, y1 = table.bbox
        rows = [[_words_in(cell, words) for cell in row.cells] for row in table.rows]
        height = (y1 - y0) / max(1, len(rows))
        for at, cells in enumerate(rows):
            text = " | ".join(cells)
            if text.strip(" |"):
                top = y0 + at * height
                found.append(Line(x0, top, x1, top + height, text, 0.0, -1 - number, table=True))
    return found


def _words_in(box: Sequence[float] | None, words: Sequence[Any]) -> str:
    """The words whose middle lies in a cell, as the page itself parts them; None is a cell that a merged one covers."""
    if box is None:
        return ""
    return " ".join(w[4] for w in words if _inside(((w[0] + w[2]) / 2, (w[1] + w[3]) / 2), box))


def _flags() -> int:
    import pymupdf

    return int(pymupdf.TEXT_PRESERVE_LIGATURES | pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP)


def _inside(point: tuple[float, float], box: Sequence[float]) -> bool:
    return bool(box[0] <= point[0] <= box[2] and box[1] <= point[1] <= box[3])


def _key(line: Line) -> tuple[str, int]:
    """What makes two lines of different pages the same running line: words with digits left out, and the place."""
    return re.sub(r"\d+", "#", line.text), round(line.y0 / 4)


def _running(pages: Sequence[Sequence[Line]], heights: Sequence[float]) -> set[tuple[str, int]]:
    """Lines in the margins that come back on most pages: headers, footers, page numbers."""
    if len(pages) < 4:
        return set()
    letters: Counter[float] = Counter()
    for line in (line for lines in pages for line in lines):
        letters[line.size] += len(line.text)
    body = letters.most_common(1)[0][0] if letters else 0.0
    seen: Counter[tuple[str, int]] = Counter()
    for lines, height in zip(pages, heights, strict=True):
        margins = (line for line in lines if line.y1 < height * 0.1 or line.y0 > height * 0.9)
        # What is larger than the text is a title that happens to stand high on every page.
        seen.update({_key(line) for line in margins if line.size < body * 1.15})
    return {key for key, count in seen.items() if count >= 0.6 * len(pages)}


def _heading_sizes(pages: Sequence[Sequence[Line]]) -> dict[float, int]:
    """Type sizes that only headings have, with their levels: clearly larger than the size most letters have."""
    letters: Counter[float] = Counter()
    for line in (line for lines in pages for line in lines if not line.table):
        letters[round(line.size * 2) / 2] += len(line.text)
    if not letters:
        return {}
    body, total = letters.most_common(1)[0][0], sum(letters.values())
    large = sorted((s for s in letters if s >= body * 1.15 and letters[s] < 0.2 * total), reverse=True)
    return {size: level for level, size in enumerate(large[:6], 1)}


_NUMBER = re.compile(r"(?:chapter|section|part|appendix|§)?\s*[\divxlc]+(?:\.[\divxlc]+)*[.):]?")


def _levels(lines: Sequence[Line], outline: Sequence[tuple[int, str]], sizes: dict[float, int]) -> list[int]:
    """The heading level of each line, 0 for none. A title of the outline may be set in two or three lines."""
    levels = [0 if line.table or len(line.text) >= 150 else sizes.get(round(line.size * 2) / 2, 0) for line in lines]
    for at, line in enumerate(lines):
        for count in (1, 2, 3):
            group = lines[at : at + count]
            if line.table or levels[at] or any(other.block != line.block for other in group):
                break
            level = _outline_level(" ".join(other.text for other in group), outline)
            if level:
                levels[at : at + count] = [level] * len(group)
    return levels


def _outline_level(text: str, outline: Sequence[tuple[int, str]]) -> int:
    """The level of the bookmark that names this text; a number in front of it may be missing in the bookmark."""
    shown = " ".join(text.split()).casefold()
    for level, title in outline:
        wanted = title.casefold()
        if shown == wanted or (shown.endswith(" " + wanted) and _NUMBER.fullmatch(shown[: -len(wanted)].strip())):
            return level
    return 0


def _paragraphs(
    lines: Sequence[Line],
    outline: Sequence[tuple[int, str]],
    sizes: dict[float, int],
    options: LoadOptions,
    counts: Counter[str],
) -> Iterator[tuple[BlockKind, int, str]]:
    """Lines put together: one block per heading, paragraph, list item and table."""
    group: list[Line] = []
    kind: BlockKind = "paragraph"
    level = 0
    for line, own_level in zip(lines, _levels(lines, outline, sizes), strict=True):
        bullet = bool(_BULLET.match(line.text)) and not own_level and not line.table
        own: BlockKind = "table" if line.table else "heading" if own_level else "list" if bullet else "paragraph"
        goes_on = bool(group) and line.block == group[-1].block and own_level == level and not bullet
        if goes_on and kind == "list" and own == "paragraph":
            own = "list"
        if group and not (goes_on and own == kind):
            yield kind, level, _joined(group, kind, options, counts)
            group = []
        if not group:
            kind, level = own, own_level
        group.append(line)
    if group:
        yield kind, level, _joined(group, kind, options, counts)


def _joined(lines: Sequence[Line], kind: BlockKind, options: LoadOptions, counts: Counter[str]) -> str:
    """The text of one block. A word broken at a line end is made whole where the next line goes on in small letters.

    A hyphen that belongs to the word (“well-⏎known”) cannot be told from one that the break put in; it is kept only
    where what stands before it is itself hyphenated or holds a digit or a capital after the first letter.
    """
    text = ""
    for line in lines:
        piece = _clean(line.text, counts)
        if not text:
            text = piece
        elif kind == "table":
            text += "\n" + piece
        elif text.endswith("\u00ad") or (options.join_hyphens and _BROKEN_WORD.search(text) and piece[:1].islower()):
            word = re.split(r"\s", text)[-1][:-1]
            if not text.endswith("\u00ad") and ("-" in word or word[1:] != word[1:].lower()):
                text += piece
                continue
            counts["hyphens"] += 1
            text = text[:-1] + piece
        else:
            text += " " + piece
    return text.replace("\u00ad", "")


def _clean(text: str, counts: Counter[str]) -> str:
    counts["ligatures"] += len(_LIGATURE.findall(text))
    text = _LIGATURE.sub(lambda m: _LIGATURES[m[0]], text)
    counts["unreadable"] += len(_UNREADABLE.findall(text))
    text = text.replace("\x00", "\ufffd")
    return " ".join(text.replace("\u00a0", " ").split())


def _notes(
    pdf: Any, text: str, grown: _Text, empty: list[int], columns: list[int], outline: bool, sizes: bool
) -> Iterator[Note]:
    counts = grown.counts
    yield Note("pages", f"{pdf.page_count:,} pages read.", pdf.page_count)
    if empty:
        which = _ranges(empty)
        what = "The whole document has no text layer" if not text else f"No text layer on pages {which}"
        advice = "these pages are pictures. Run them through text recognition first."
        yield Note("text layer", f"{what}: {advice}", len(empty), "warning")
    if columns:
        text_ = f"Two columns on pages {_ranges(columns)}: the left one is read before the right one."
        yield Note("columns", text_, len(columns))
    if outline:
        yield Note("headings", "Headings are taken from the document's outline (its bookmarks).")
    elif sizes:
        yield Note("headings", "The document has no outline; headings were recognized by their larger type.")
    tables = sum(b.kind == "table" for b in grown.blocks)
    if tables:
        yield Note("tables", f"{tables} tables kept in their place, one line per row.", tables)
    if counts["hyphens"]:
        text_ = f"{counts['hyphens']} words that were broken at a line end are whole again."
        yield Note("hyphens", text_, counts["hyphens"])
    if counts["ligatures"]:
        yield Note(
            "ligatures", f"{counts['ligatures']} ligatures such as ﬁ resolved into letters.", counts["ligatures"]
        )
    if counts["running"]:
        yield Note("left out", f"{counts['running']} running headers and footers left out.", counts["running"])
    if counts["unreadable"]:
        yield Note(
            "unreadable",
            f"{counts['unreadable']} characters have no meaning in this file's fonts and are shown as they are.",
            counts["unreadable"],
            "warning",
        )


def _ranges(numbers: Sequence[int]) -> str:
    """1, 2, 3, 7 as “1–3, 7”."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ", ".join(f"{p[0]}–{p[-1]}" if len(p) > 1 else str(p[0]) for p in parts)


LOADER = Loader(format="pdf", suffixes=(".pdf",), parse=parse, from_text=None)
