"""PDF, by PyMuPDF: the only file that imports it (AGPL-3.0, see NOTICE).

Never called on two threads, and in the app and the command line only in a worker of `isolation`.
"""

from __future__ import annotations

import contextlib
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from chunkviz.document import Document, Note, Page
from chunkviz.errors import LoadError
from chunkviz.loaders.base import Loader
from chunkviz.loaders.builder import Builder, counted
from chunkviz.loaders.options import LoadOptions
from chunkviz.loaders.pdf_layout import Line, reading_order
from chunkviz.loaders.pdf_structure import Entry, grouped, heading_sizes, outlined, place_of, running_lines
from chunkviz.loaders.pdf_tables import is_grid, with_grids, with_labels
from chunkviz.loaders.pdf_words import cleaned, joined, vocabulary
from chunkviz.settings import settings

MOST_STROKES: Final = 20_000
"""Strokes on a page above which it is a drawing: no table is looked for in it."""
_TITLES_SHOWN: Final = 3
_PIECE: Final = 1 << 20


@dataclass
class _Found:
    """What was met while the pages were read, for the notes. Pages are given by their numbers."""

    pictures_only: list[int] = field(default_factory=list)
    blank: list[int] = field(default_factory=list)
    damaged: list[int] = field(default_factory=list)
    crowded: list[int] = field(default_factory=list)
    columns: dict[int, int] = field(default_factory=dict)
    running: Counter[str] = field(default_factory=Counter)
    pictures: set[int] = field(default_factory=set)
    entries: int = 0
    matched: int = 0
    sizes: bool = False


def parse(data: bytes, name: str, options: LoadOptions, password: str | None) -> Document:
    """Text in reading order, headings from the outline or from the type size, pages with their labels.

    Raises `LoadError` for what is no PDF, damaged, locked (`needs_password`) or too long, and `MemoryError` where the
    process may not have the memory it takes.
    """
    if b"%PDF-" not in data[:1024]:
        raise LoadError(f"{name} is not a PDF, whatever its name says. Open it with the ending that fits its content.")
    pymupdf = _library()
    try:
        pdf = pymupdf.open(stream=data, filetype="pdf")
    except Exception as error:  # RuntimeError, ValueError and classes of its own, all for damaged files
        raise _damaged(name, error) from error
    with pdf:
        if pdf.needs_pass and not pdf.authenticate(password or ""):
            problem = "That password does not open it" if password else "It needs a password to be opened"
            raise LoadError(f"{name} is locked. {problem}.", needs_password=True)
        try:
            pages = pdf.page_count
        except Exception as error:  # as above: the page tree is read here
            raise _damaged(name, error) from error
        if pages > settings().max_pages:
            raise LoadError(
                f"{name} has {pages:,} pages; up to {settings().max_pages:,} are read (CHUNKVIZ_MAX_PAGES)."
            )
        if not pages:
            raise LoadError(f"{name} is damaged: it has no pages. Save it again.")
        return _read(pdf, name, options)


def warm() -> None:
    """Import the library now, which takes a second, where it is installed and there is room for it."""
    with contextlib.suppress(LoadError, MemoryError, OSError):  # whoever opens a PDF is told
        _library()


def _library() -> Any:
    try:
        import pymupdf
    except ModuleNotFoundError as error:
        need = "PDF files are read by PyMuPDF, which is not installed: pip install 'pymupdf>=2.0,<3'"
        raise LoadError(need) from error
    except ImportError as error:
        raise LoadError(
            f"PDF files are read by PyMuPDF, which cannot be loaded here ({error}). It needs about 500 MB of address "
            "space (CHUNKVIZ_PARSE_MEMORY_MB)."
        ) from error
    library: Any = pymupdf  # it has no types
    library.TOOLS.mupdf_display_errors(False)
    library.TOOLS.mupdf_display_warnings(False)
    return library


def _damaged(name: str, error: Exception) -> Exception:
    """The `LoadError` for a file that PyMuPDF gives up on, or `MemoryError` where that was the reason."""
    if isinstance(error, MemoryError) or "alloc" in str(error):
        return MemoryError(str(error))
    return LoadError(f"{name} is damaged and cannot be read as a PDF ({type(error).__name__}). Save it again.")


def _read(pdf: Any, name: str, options: LoadOptions) -> Document:
    found = _Found()
    pages: list[list[Line]] = []
    sizes: list[tuple[float, float]] = []
    labels: list[str] = []
    last_error: Exception | None = None
    for number in range(1, pdf.page_count + 1):
        try:
            page = pdf[number - 1]
            _check_streams(pdf, page, name)
            lines = _lines(page, number, found)
            sizes.append((page.rect.width, page.rect.height))
            labels.append(page.get_label() or str(number))
        except LoadError:
            raise
        except Exception as error:  # one damaged page is no reason to refuse the others; it is told
            if isinstance(damaged := _damaged(name, error), MemoryError):
                raise damaged from error
            last_error = error
            found.damaged.append(number)
            lines = []
            sizes.append((612.0, 792.0))
            labels.append(str(number))
        pages.append(lines)
    if last_error is not None and len(found.damaged) == len(pages):
        raise _damaged(name, last_error) from last_error
    return _composed(pdf, name, options, found, pages, sizes, labels)


def _check_streams(pdf: Any, page: Any, name: str) -> None:
    """Refuse a page whose drawing commands unpack to more than the limit, before anything runs them."""
    limit = settings().max_inflated_mb
    for xref in page.get_contents():
        if "FlateDecode" in pdf.xref_get_key(xref, "Filter")[1] and _unpacks_beyond(
            pdf.xref_stream_raw(xref), limit * 1_000_000
        ):
            raise LoadError(
                f"{name} holds a page that unpacks to more than {limit} MB, which no ordinary document does; it was not "
                "opened (CHUNKVIZ_MAX_INFLATED_MB)."
            )


def _unpacks_beyond(data: bytes, room: int) -> bool:
    inflating = zlib.decompressobj()
    while data and room >= 0:
        try:
            room -= len(inflating.decompress(data, _PIECE))
        except zlib.error:
            return False  # damaged: how much of it can be used is for PyMuPDF to say
        data = inflating.unconsumed_tail
    return room < 0


def _composed(
    pdf: Any,
    name: str,
    options: LoadOptions,
    found: _Found,
    pages: Sequence[Sequence[Line]],
    sizes: Sequence[tuple[float, float]],
    labels: Sequence[str],
) -> Document:
    running = running_lines(pages, [height for _, height in sizes])
    kept = [[line for line in lines if place_of(line) not in running] for lines in pages]
    found.running.update(place_of(line)[0] for lines in pages for line in lines if place_of(line) in running)
    ordered = []
    for number, (lines, (width, _)) in enumerate(zip(kept, sizes, strict=True), 1):
        in_order, columns = reading_order(lines, width, is_grid)
        ordered.append(in_order)
        if columns > 1:
            found.columns[number] = columns
    outline = _outline(pdf, found)
    matches = [outlined(lines, outline.get(number, [])) for number, lines in enumerate(ordered, 1)]
    found.matched = sum(count for _, count in matches)
    by_size = {} if found.matched else heading_sizes(ordered)
    known = vocabulary(line.text for lines in ordered for line in lines)
    grown = Builder()
    spans: list[Page] = []
    for number, (lines, (headings, _)) in enumerate(zip(ordered, matches, strict=True), 1):
        begin = grown.next_start
        grown.end_list()
        for group in grouped(lines, headings, by_size):
            texts = [cleaned(line.text, grown.counts) for line in group.lines]
            text = (
                "\n".join(texts) if group.kind == "table" else joined(texts, known, options.join_hyphens, grown.counts)
            )
            grown.block(group.kind, text, group.level)
            grown.counts[group.kind] += 1
        start = min(begin, grown.length)
        spans.append(Page(start, max(start, grown.length), number, labels[number - 1]))
    found.sizes = bool(by_size) and bool(grown.counts["heading"])
    return Document(
        grown.text, name, "pdf", tuple(grown.blocks), tuple(spans), tuple(_notes(pdf, grown, found, len(pages)))
    )


def _outline(pdf: Any, found: _Found) -> dict[int, list[Entry]]:
    """The entries of the outline by the number of their page; those without words or without a page are left out."""
    try:
        entries = pdf.get_toc()
    except (
        Exception
    ) as error:  # a damaged outline is no reason to refuse the text; the note says how headings were found
        if isinstance(damaged := _damaged("", error), MemoryError):
            raise damaged from error
        return {}
    pages: dict[int, list[Entry]] = {}
    for level, title, number, *_ in entries:
        if number >= 1 and title.strip():
            pages.setdefault(number, []).append(Entry(level, " ".join(title.split())))
    found.entries = sum(len(entries) for entries in pages.values())
    return pages


# --- one page ---------------------------------------------------------------------------------------------------


def _lines(page: Any, number: int, found: _Found) -> list[Line]:
    """The page's lines, upright. A table that is drawn with rules becomes a line per row, its cells parted by bars."""
    pymupdf = _library()
    blocks = page.get_text("dict", flags=_flags(pymupdf))["blocks"]
    found.pictures.update(image[0] for image in page.get_images())
    raw = [
        (at, line, text)
        for at, block in enumerate(blocks)
        for line in block.get("lines", ())
        if (text := "".join(span["text"] for span in line["spans"])).strip()
    ]
    strokes = sum(len(drawing["items"]) for drawing in page.get_cdrawings())
    if not raw:
        (found.pictures_only if strokes or page.get_image_info() else found.blank).append(number)
        return []
    turn = _turn(raw)
    if page.rotation != turn:
        page.set_rotation(turn)  # in memory: the page as its text is read, whichever way it is shown
    matrix = page.rotation_matrix
    lines = []
    for at, line, text in raw:
        box = pymupdf.Rect(line["bbox"]) * matrix
        size = max(span["size"] for span in line["spans"] if span["text"].strip())
        sideways = _turn([(at, line, text)]) != turn
        lines.append(Line(box.x0, box.y0, box.x1, box.y1, text.strip(), size, at, sideways=sideways))
    if strokes > MOST_STROKES:
        found.crowded.append(number)
    elif strokes:
        lines = _with_tables(pymupdf, page, lines)
    # The numbers of ruled tables are small; those of the others begin below them.
    return with_grids(with_labels(lines), -1_000_000)


def _turn(raw: Sequence[tuple[int, Any, str]]) -> int:
    """How far clockwise, in degrees, the page has to be turned for most of its letters to stand upright."""
    turns: Counter[int] = Counter()
    for _, line, text in raw:
        across, down = line["dir"]
        upright = 0 if across > 0 else 180
        turns[upright if abs(across) >= abs(down) else 90 if down < 0 else 270] += len(text)
    return turns.most_common(1)[0][0]


def _with_tables(pymupdf: Any, page: Any, lines: list[Line]) -> list[Line]:
    """`lines` with those inside a ruled table replaced by its rows.

    A grid whose cells do not hold the same characters as the lines in it is none: nothing may be lost or come twice.
    """
    # The layout model that PyMuPDF would ask first takes a second per page; the rules alone take milliseconds.
    tables = page.find_tables(use_layout=False).tables
    words = []
    if tables:
        for x0, y0, x1, y1, text, *_ in page.get_text("words", flags=_flags(pymupdf)):
            box = pymupdf.Rect(x0, y0, x1, y1) * page.rotation_matrix
            words.append(((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2, text))
    for at, table in enumerate(tables, 1):
        if table.row_count < 2 or table.col_count < 2:
            continue
        inside = [one for one in lines if _holds(table.bbox, (one.x0 + one.x1) / 2, (one.y0 + one.y1) / 2)]
        x0, _, x1, _ = table.bbox
        rows = []
        ink: Counter[str] = Counter()
        for row in table.rows:
            # A cell that a merged one covers has no box.
            cells = [" ".join(text for x, y, text in words if box and _holds(box, x, y)) for box in row.cells]
            if any(cells):
                rows.append(Line(x0, row.bbox[1], x1, row.bbox[3], " | ".join(cells), 0.0, -at, table=True))
                ink += _ink("".join(cells))
        same = ink == _ink("".join(one.text for one in inside))
        if len(rows) > 1 and same and not any(one.table for one in inside):
            gone = {id(one) for one in inside}
            lines = [*(one for one in lines if id(one) not in gone), *rows]
    return lines


def _flags(pymupdf: Any) -> int:
    return int(pymupdf.TEXT_PRESERVE_LIGATURES | pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP)


def _holds(box: Sequence[float], x: float, y: float) -> bool:
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def _ink(text: str) -> Counter[str]:
    """The characters that are not white space, ligatures as letters."""
    return Counter("".join(cleaned(text, Counter()).split()))


# --- the extraction report --------------------------------------------------------------------------------------


def _notes(pdf: Any, grown: Builder, found: _Found, pages: int) -> Iterator[Note]:
    counts = grown.counts
    yield Note("pages", f"{counted(pages, 'page', 'pages')} read.", pages)
    if pdf.is_repaired:
        text = "The file is damaged and was repaired while it was read: parts of it may be missing."
        yield Note("damage", text, 0, "warning")
    if found.damaged:
        text = f"Nothing could be read of {_on_pages(found.damaged)}: the file is damaged there."
        yield Note("pages", text, len(found.damaged), "warning")
    yield from _text_layer(grown, found)
    for number in sorted(set(found.columns.values())):
        which = [page for page, columns in found.columns.items() if columns == number]
        words = {2: "Two", 3: "Three", 4: "Four"}.get(number, str(number))
        text = f"{words} columns on {_on_pages(which)}: each is read to its end before the next one to the right."
        yield Note("columns", text, len(which))
    yield from _headings(found)
    tables = counts["table"]
    if tables:
        yield Note("tables", f"{counted(tables, 'table', 'tables')} kept in place, one line per row.", tables)
    if found.crowded:
        text = f"No tables were looked for on {_on_pages(found.crowded)}: drawings with too many strokes."
        yield Note("tables", text, len(found.crowded))
    if n := counts["hyphens"]:
        text = f"{counted(n, 'word that was', 'words that were')} broken at a line end made whole."
        yield Note("hyphens", text, n)
    if n := counts["ligatures"]:
        yield Note("ligatures", f"{counted(n, 'ligature', 'ligatures')} such as ﬁ resolved into letters.", n)
    if n := found.running.total():
        shown = ", ".join(f"“{text}”" for text, _ in found.running.most_common(_TITLES_SHOWN))
        more = " and others" if len(found.running) > _TITLES_SHOWN else ""
        lines = counted(n, "running header or footer", "running headers and footers")
        yield Note("left out", f"{lines} left out: {shown}{more} (# stands for a number).", n)
    if n := len(found.pictures):
        yield Note("left out", f"{counted(n, 'picture', 'pictures')} left out; words in them are not read.", n)
    if n := pdf.embfile_count():
        yield Note("left out", f"{counted(n, 'attached file', 'attached files')} left out.", n)
    if n := counts["unreadable"]:
        many = "character has no meaning in the file's fonts", "characters have no meaning in the file's fonts"
        text = f"{counted(n, *many)}: shown as found. A search does not find words that hold them."
        yield Note("unreadable", text, n, "warning")


def _text_layer(grown: Builder, found: _Found) -> Iterator[Note]:
    pictures = found.pictures_only
    advice = "these pages are pictures. Run them through text recognition first."
    if not grown.blocks and pictures:
        text = f"The whole document has no text layer ({_on_pages(sorted([*pictures, *found.blank]))}): {advice}"
        yield Note("text layer", text, len(pictures), "warning")
    elif not grown.blocks and found.blank:
        text = f"There is no text layer and no picture on {_on_pages(found.blank)}: the document is blank."
        yield Note("text layer", text, len(found.blank), "warning")
    elif pictures:
        yield Note("text layer", f"No text layer on {_on_pages(pictures)}: {advice}", len(pictures), "warning")
    if grown.blocks and found.blank:
        yield Note("pages", f"There is nothing on {_on_pages(found.blank)}.", len(found.blank))


def _headings(found: _Found) -> Iterator[Note]:
    n, missing = found.matched, found.entries - found.matched
    if n:
        text = f"{counted(n, 'heading is', 'headings are')} taken from the document's outline (its bookmarks)."
        if missing:
            text += f" {counted(missing, 'entry', 'entries')} of it could not be found on the page named there."
        yield Note("headings", text, n)
    elif found.entries:
        text = "The entries of the outline (the bookmarks) could not be found on their pages; it was not used"
        yield Note("headings", text + (", and larger type was." if found.sizes else "."), found.entries, "warning")
    elif found.sizes:
        yield Note("headings", "The document has no outline; headings were recognized by their larger type.")


def _on_pages(numbers: Sequence[int]) -> str:
    """1, 2, 3, 7 as “pages 1–3, 7”."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return "pages " + ", ".join(f"{p[0]}–{p[-1]}" if len(p) > 1 else str(p[0]) for p in parts)


LOADER = Loader(format="pdf", suffixes=(".pdf",), parse=parse, from_text=None)
