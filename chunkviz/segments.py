"""What travels to the browser: a document once, and every view of it as a small blob beside it.

A blob is a header and arrays, little-endian throughout:

    uint32 n | n bytes of JSON, padded with spaces so that 4 + n is a multiple of 8 | arrays, each padded to 8 bytes

`header["arrays"]` lists them as `[name, "u8", "u32" or "f64", byte offset after the header, number of items]`.

Positions in a blob count UTF-16 units, as JavaScript does; everywhere else in chunkviz they count code points.
`utf16_offsets` is the one place that turns the second into the first, `code_points_of` the one that turns them back.
`ui/component/codec.js` is the other end.
"""

from __future__ import annotations

import hashlib
import json
import re
from bisect import bisect_right
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chunkviz import registry
from chunkviz.chunking import Chunking
from chunkviz.code_points import code_points, is_blank_point
from chunkviz.document import Block, Document
from chunkviz.graphemes import graphemes
from chunkviz.metrics.base import Finding
from chunkviz.similarity.turns import Turns
from chunkviz.spans import is_blank
from chunkviz.text.blocks import line_starts
from chunkviz.units import unit

Ints = NDArray[np.int64]
K = TypeVar("K", bound=Hashable)

VERSION: Final = 2
"""Of the container and the headers; the browser refuses any other, so that a stale page says so instead of misreading."""

MOST_COLUMNS: Final = 4
LONGEST_ROW: Final = 2_000
"""Code points. Longer paragraphs are sent in parts, so that a document of one line can still be painted in parts."""

PLAIN, CODE, TABLE, LIST, EQUATION = 0, 7, 8, 9, 10
"""Kinds of rows; 1 to 6 are headings of that level."""

_STORED: Final = {"u8": "u1", "u32": "<u4", "f64": "<f8"}
_KINDS: Final = {"code": CODE, "table": TABLE, "list": LIST, "equation": EQUATION}
# Atomic and possessive, or the CR and the LF of one CRLF would pass for two line ends with an empty line between.
_BLANK_LINES = re.compile(r"(?>\r\n|\r|\n)(?:[^\S\r\n]*+(?>\r\n|\r|\n))+")


class Chip(NamedTuple):
    """One figure of the audit line.

    title, text : what it is called, and its value
    help        : what it means and how it is made
    bad         : whether it deserves a look
    finding     : title of the findings that are behind it, "" for none
    """

    title: str
    text: str
    help: str
    bad: bool
    finding: str = ""


@dataclass(frozen=True, slots=True)
class Audit:
    """What stands above a column: a headline ("23 chunks"), one line about sizes, and figures."""

    headline: str
    sizes: str
    sizes_help: str
    chips: tuple[Chip, ...] = ()


@dataclass(frozen=True, slots=True)
class Live:
    """A threshold that is dragged in the browser.

    low, high, step : of its parameter
    label, unit     : of its parameter, as the page shows them
    reference       : code points where topics begin in truth, as far as someone marked them; drawn on the curve
    limit           : tokens that the embedding model reads, in the unit of the recipe; None where nobody knows
    """

    low: float
    high: float
    step: float
    label: str
    unit: str
    reference: tuple[int, ...] = ()
    limit: float | None = None


class Following(NamedTuple):
    """A column that the browser cuts again while its sliders move.

    key      : `resizing.resizing_key` of what it needs for that
    controls : CSS class of each slider, by the name of its parameter
    values   : of those parameters in this view
    """

    key: str
    controls: Mapping[str, str]
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Focus:
    """Where the viewer is to scroll: a chunk of a column, or a span of the document shown in it.

    column     : 0-based
    chunk      : index of a chunk, or None for a span
    start, end : code points; used where `chunk` is None. An empty span is scrolled to and not marked
    nonce      : anything that differs from the last one asked for; the same nonce does not scroll again
    """

    column: int
    nonce: str
    chunk: int | None = None
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Highlight:
    """Chunks of one column that are to be marked, for example those behind a bar of the histogram."""

    column: int
    chunks: tuple[int, ...]
    nonce: str
    label: str = ""


def utf16_offsets(text: str, positions: ArrayLike) -> Ints:
    """Code points to UTF-16 units: what JavaScript calls the same places. int64 of the same shape.

    >>> utf16_offsets("a\\N{HAMSTER FACE}b", [0, 1, 2, 3]).tolist()
    [0, 1, 3, 4]
    """
    return _shifted(_astral(text), positions)


def code_points_of(document: Document, units: ArrayLike) -> Ints:
    """UTF-16 units, as the browser says them, to code points: `utf16_offsets` the other way. int64 of the same shape.

    A place between the two units of one character is where that character begins.
    """
    astral = document.derive("segments.astral", lambda: _astral(document.text))
    at = np.asarray(units, dtype=np.int64)
    # The i-th character of two units stands at unit `astral[i] + i`; each that began before a place counts one too many.
    return at - np.searchsorted(astral + np.arange(len(astral)), at)


def _astral(text: str) -> Ints:
    """Where the characters stand that take two UTF-16 units."""
    return np.empty(0, dtype=np.int64) if text.isascii() else np.flatnonzero(code_points(text) > 0xFFFF)


def _shifted(astral: Ints, positions: ArrayLike) -> Ints:
    at = np.asarray(positions, dtype=np.int64)
    return at + np.searchsorted(astral, at)


def utf16(document: Document, positions: ArrayLike) -> Ints:
    """`utf16_offsets` into a document's text, which remembers where its wide characters are."""
    return _shifted(document.derive("segments.astral", lambda: _astral(document.text)), positions)


def pack(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """A blob of a JSON header and arrays. uint8 and float64 arrays stay what they are, all others become uint32.

    Raises `ValueError` for a value outside [0, 2**32): a position that wrapped round would point into other text.
    """
    listed: list[list[Any]] = []
    parts: list[bytes] = []
    offset = 0
    for name, array in arrays.items():
        kind = {"uint8": "u8", "float64": "f64"}.get(array.dtype.name, "u32")
        if kind == "u32" and array.size and not (int(array.min()) >= 0 and int(array.max()) < 2**32):
            raise ValueError(f"array {name!r} does not fit into 32 bits")
        data = array.astype(_STORED[kind]).tobytes()
        listed.append([name, kind, offset, int(array.size)])
        padded = data + b"\0" * (-len(data) % 8)
        parts.append(padded)
        offset += len(padded)
    head = json.dumps({**header, "arrays": listed}, ensure_ascii=False, separators=(",", ":")).encode()
    head += b" " * (-(4 + len(head)) % 8)
    return b"".join((len(head).to_bytes(4, "little"), head, *parts))


# --- the document ---------------------------------------------------------------------------------------------------


def document_blob(document: Document) -> bytes:
    """The document for the viewer: its text, the rows it is shown in, and its pages. The same bytes every time."""
    starts, kinds = rows(document)
    header = {
        "kind": "document",
        "version": VERSION,
        "docId": document.fingerprint,
        "name": document.name,
        "units": int(utf16(document, len(document.text))),
        "pages": [[p.number, p.label] for p in document.pages],
    }
    arrays: dict[str, NDArray[Any]] = {
        "text": np.frombuffer(document.text.encode(), dtype=np.uint8),
        "row.start": utf16(document, starts),
        "row.kind": kinds,
        "page.start": utf16(document, [p.start for p in document.pages]),
    }
    return pack(header, arrays)


def rows(document: Document) -> tuple[Ints, NDArray[np.uint8]]:
    """The rows the text is shown in: where each starts (code points), and its kind (`PLAIN`, 1 to 6, `CODE`, ...).

    Rows follow each other without a gap, from 0 to the end: paragraphs with the blank lines after them, parted where
    a block or a page begins, and where they would be longer than `LONGEST_ROW`. No row begins inside a grapheme
    cluster. A document without text has no rows.
    """
    text = document.text
    if not text:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.uint8)
    lines = line_starts(text)
    blocks = [b for b in document.blocks if b.kind != "element" and b.start < b.end]
    starts = {0, *(m.end() for m in _BLANK_LINES.finditer(text)), *(p.start for p in document.pages)}
    for block in blocks:
        starts.add(lines[bisect_right(lines, block.start) - 1])
        after = bisect_right(lines, block.end - 1)
        # Blank lines after a block stay with it; what comes after them begins a row anyway.
        if after + 1 < len(lines) and not is_blank(text, lines[after], lines[after + 1]):
            starts.add(lines[after])
    starts.discard(len(text))
    clusters = graphemes(document)
    ordered = sorted({clusters.floor(at) for at in starts})
    found: list[int] = []
    for start, end in zip(ordered, [*ordered[1:], len(text)], strict=True):
        found.extend(_parts(document, lines, start, end))
    return np.array(found, dtype=np.int64), np.array(_row_kinds(document, blocks, found), dtype=np.uint8)


def _parts(document: Document, lines: Sequence[int], start: int, end: int) -> Iterable[int]:
    """Starts of the parts of a row: cut after the last line end, else the last space, else the last whole character."""
    text, clusters = document.text, graphemes(document)
    while end - start > LONGEST_ROW:
        yield start
        limit = start + LONGEST_ROW
        cut = lines[bisect_right(lines, limit) - 1]
        if cut <= start:
            cut = clusters.floor(text.rfind(" ", start + LONGEST_ROW // 2, limit) + 1)
        if cut <= start:
            cut = clusters.floor(limit)
        start = cut if cut > start else min(end, clusters.next(start))
    if start < end:
        yield start


def _row_kinds(document: Document, blocks: Sequence[Block], starts: Sequence[int]) -> list[int]:
    """The kind of the block that each row's first visible character stands in."""
    rest = CODE if document.format in ("code", "json") else PLAIN
    ink = _ink(document)
    firsts = ink[np.minimum(np.searchsorted(ink, starts), len(ink) - 1)].tolist() if len(ink) else [0] * len(starts)
    block_starts = [b.start for b in blocks]
    kinds: list[int] = []
    for first in firsts:
        at = bisect_right(block_starts, first) - 1
        block = blocks[at] if at >= 0 and first < blocks[at].end else None
        if block is None:
            kinds.append(rest)
        elif block.kind == "heading":
            kinds.append(min(max(block.level, 1), 6))
        else:
            kinds.append(_KINDS.get(block.kind, rest))
    return kinds


# --- what differs ---------------------------------------------------------------------------------------------------


def _ink(document: Document) -> Ints:
    """Positions of the characters that are not white space."""
    return document.derive("segments.ink", lambda: np.flatnonzero(~is_blank_point(code_points(document.text))))


def differences(chunkings: Sequence[Chunking]) -> list[int]:
    """Where the chunkings of one document do not agree: code points, in order; empty for fewer than two chunkings.

    Two borders are the same if only white space lies between them, so they are compared by how many visible
    characters stand before them. A place differs if a chunk starts there in one chunking and in another none does,
    or the same for ends. Starts and ends are told apart because overlapping chunks have both, at different places.
    So where chunks have different starts and different ends, the list is empty exactly when all chunkings have the
    same chunks, apart from white space at their edges.
    Each place is given as the first visible character after it, the end of the last one where there is none.
    """
    if len(chunkings) < 2:
        return []
    document = chunkings[0].document
    if any(c.document.fingerprint != document.fingerprint for c in chunkings):
        raise ValueError("only chunkings of one document can be compared")
    ink = _ink(document)
    if not len(ink):
        return []
    disputed: list[Ints] = []
    for edges in (
        [[c.start for c in one.chunks] for one in chunkings],
        [[c.end for c in one.chunks] for one in chunkings],
    ):
        each = [np.unique(np.searchsorted(ink, np.array(positions, dtype=np.int64))) for positions in edges]
        places, votes = np.unique(np.concatenate(each), return_counts=True)
        disputed.append(places[votes < len(chunkings)])
    places = np.union1d(*disputed)
    found: list[int] = np.append(ink, ink[-1] + 1)[places].tolist()
    return found


# --- a view ---------------------------------------------------------------------------------------------------------


def view_blob(
    chunkings: Sequence[Chunking],
    *,
    titles: Sequence[str] | None = None,
    subtitles: Sequence[str] | None = None,
    findings: Sequence[Mapping[str, Sequence[Finding]]] | None = None,
    audits: Sequence[Audit] | None = None,
    live: Live | None = None,
    focus: Focus | None = None,
    highlight: Highlight | None = None,
    picking: bool = False,
    editable: Mapping[int, str] | None = None,
    following: Mapping[int, Following] | None = None,
    height: int = 620,
) -> bytes:
    """One to four chunkings of one document as the columns of a view, in order.

    titles    : head of each column; default: the strategy's id
    subtitles : the line under it; default: the parameters
    findings  : per column, title ("Words cut") to places; the viewer offers them as lists to jump through
    audits    : per column, what stands above it; a chip whose `finding` is a title of its findings leads there
    live      : makes the first column's threshold one that is dragged
    picking   : the viewer tells which text the reader selects
    editable  : columns whose boundaries the reader moves, each with the name of the last edit that is in it, "" for none
    following : columns that the browser cuts again while their sliders move, each with how
    height    : of the part that scrolls, in CSS pixels
    Raises `ValueError` for another number of columns, for lists of other lengths and for more than one document.
    """
    if not 1 <= len(chunkings) <= MOST_COLUMNS:
        raise ValueError(f"a view has 1 to {MOST_COLUMNS} columns, not {len(chunkings)}")
    for name, given in (
        ("titles", titles),
        ("subtitles", subtitles),
        ("findings", findings),
        ("audits", audits),
    ):
        if given is not None and len(given) != len(chunkings):
            raise ValueError(f"`{name}` must have one entry per column: {len(chunkings)}, not {len(given)}")
    document = chunkings[0].document
    arrays: dict[str, NDArray[Any]] = {}
    columns = []
    for at, chunking in enumerate(chunkings):
        head = {
            "strategy": chunking.recipe.strategy,
            "title": titles[at] if titles else chunking.recipe.strategy,
            "subtitle": subtitles[at] if subtitles else in_words(_active(chunking)),
            "word": unit(chunking.unit).word,
            "notes": list(chunking.notes),
            "audit": _audit(audits[at], list(findings[at]) if findings else []) if audits else None,
        }
        if editable and at in editable:
            head["edit"] = editable[at]
        if following and at in following:
            head["following"] = following[at]._asdict()
        columns.append(head | _column(document, f"{at}.", chunking, findings[at] if findings else {}, arrays))
    turns = _turns(document, chunkings[0], live, arrays) if live else None
    arrays["differences"] = utf16(document, differences(chunkings))
    header: dict[str, Any] = {
        "kind": "view",
        "version": VERSION,
        "docId": document.fingerprint,
        "height": height,
        "columns": columns,
        "turns": turns,
        "focus": _focus(document, focus),
        "highlight": {
            "column": highlight.column,
            "chunks": list(highlight.chunks),
            "nonce": highlight.nonce,
            "label": highlight.label,
        }
        if highlight
        else None,
    }
    if picking:
        header["picking"] = True
    # Streamlit hands the same blob over again when the theme changes; the stamp tells the viewer that nothing else did.
    stamp = hashlib.blake2b(pack(header, arrays), digest_size=8).hexdigest()
    return pack(header | {"stamp": stamp}, arrays)


def _active(chunking: Chunking) -> Mapping[str, Any]:
    """The parameters that do something; all of them where the strategy is not known here."""
    values = chunking.recipe.params
    known = registry.strategies().get(chunking.recipe.strategy)
    if known is None:
        return values
    return {p.name: values[p.name] for p in known.params if p.name in values and p.active(values)}


def _audit(audit: Audit, titles: Sequence[str]) -> dict[str, Any]:
    chips = [
        [c.title, c.text, c.help, c.bad, titles.index(c.finding) if c.finding in titles else -1] for c in audit.chips
    ]
    return {"headline": audit.headline, "sizes": audit.sizes, "sizesHelp": audit.sizes_help, "chips": chips}


def in_words(params: Mapping[str, Any]) -> str:
    """Parameters for the eye, on one line; those that are empty are left out.

    >>> in_words({"size": 512, "overlap": 50, "separators": ()})
    'size 512 · overlap 50'
    """
    shown = []
    for name, value in params.items():
        if value in ("", (), None, False):
            continue
        if isinstance(value, tuple) and all(isinstance(v, int) for v in value):
            shown.append(f"{len(value):,} {name}")  # places in a document say nothing to the eye
            continue
        text = ", ".join(map(repr, value)) if isinstance(value, tuple) else str(value)
        shown.append(name if value is True else f"{name} {text}")
    return " · ".join(shown).replace("_", " ")


def _numbered(values: Sequence[K]) -> tuple[list[K], Ints]:
    """The different values in order of appearance, and for each value its number: a reason is sent once, not 2,000 times."""
    numbers = {value: number for number, value in enumerate(dict.fromkeys(values))}
    return list(numbers), np.fromiter(map(numbers.__getitem__, values), dtype=np.int64, count=len(values))


def _column(
    document: Document,
    prefix: str,
    chunking: Chunking,
    findings: Mapping[str, Sequence[Finding]],
    arrays: dict[str, NDArray[Any]],
) -> dict[str, Any]:
    """Put the arrays of one column into `arrays`, and return its part of the header."""
    chunks = chunking.chunks
    dropped = sorted(chunking.dropped, key=lambda d: d.start)
    reasons, reason_of = _numbered([c.reason for c in chunks])
    paths, path_of = _numbered([c.heading_path for c in chunks])
    contexts, context_of = _numbered([c.context for c in chunks])

    def spans(name: str, starts: list[int], ends: list[int]) -> None:
        arrays[f"{prefix}{name}start"] = utf16(document, starts)
        arrays[f"{prefix}{name}end"] = utf16(document, ends)

    spans("", [c.start for c in chunks], [c.end for c in chunks])
    arrays[f"{prefix}tokens"] = np.array([c.tokens for c in chunks], dtype=np.int64)
    arrays[f"{prefix}reason"] = reason_of
    arrays[f"{prefix}path"] = path_of
    arrays[f"{prefix}context"] = context_of
    arrays[f"{prefix}page.first"] = np.array([c.pages[0] if c.pages else 0 for c in chunks], dtype=np.int64)
    arrays[f"{prefix}page.last"] = np.array([c.pages[-1] if c.pages else 0 for c in chunks], dtype=np.int64)
    spans("dropped.", [d.start for d in dropped], [d.end for d in dropped])
    for number, places in enumerate(findings.values()):
        ordered = sorted(places, key=lambda f: f.start)
        spans(f"mark{number}.", [f.start for f in ordered], [f.end for f in ordered])
    return {
        "reasons": reasons,
        "paths": paths,
        "contexts": contexts,
        "flags": [[c.index, name, reason] for c in chunks if c.flags for name, reason in c.flags.items()],
        "dropped": [d.reason for d in dropped],
        "limit": chunking.recipe.params.get("size"),
        "marks": list(findings),
    }


def _turns(document: Document, chunking: Chunking, live: Live, arrays: dict[str, NDArray[Any]]) -> dict[str, Any]:
    """What the browser needs to cut the first column again; `ui/component/turns.js` does what `similarity.regroup` does."""
    turns = chunking.curve.turns if chunking.curve else None
    if not isinstance(turns, Turns):
        raise ValueError("only a chunking with a threshold can be dragged")
    units = turns.units
    starts = units.starts.tolist()
    paths, path_of = _numbered([document.heading_path(s) for s in starts])
    arrays["turns.start"] = utf16(document, units.starts)
    arrays["turns.end"] = utf16(document, units.ends)
    arrays["turns.sentence"] = units.sentence
    arrays["turns.path"] = path_of
    pages = [(p[0], p[-1]) if p else (0, 0) for p in map(document.pages_of, starts, units.ends.tolist())]
    arrays["turns.page.first"] = np.array([p[0] for p in pages], dtype=np.int64)
    arrays["turns.page.last"] = np.array([p[1] for p in pages], dtype=np.int64)
    for name in ("own", "head", "tail"):
        arrays[f"turns.{name}"] = getattr(units, name).astype(np.float64)
    arrays["turns.values"] = turns.values
    arrays["turns.drops"] = turns.drops
    arrays["turns.depths"] = turns.depths
    arrays["turns.sections"] = turns.sections.astype(np.uint8)
    arrays["turns.reference"] = utf16(document, sorted(live.reference))
    return {
        "kind": turns.kind.id,
        "axis": turns.kind.axis,
        "param": turns.kind.param,
        "amount": turns.amount,
        "mean": turns.spread.mean,
        "deviation": turns.spread.deviation,
        "quartiles": turns.spread.quartiles,
        "size": turns.size,
        "smallest": turns.smallest,
        "paths": paths,
        "low": live.low,
        "high": live.high,
        "step": live.step,
        "label": live.label,
        "unit": live.unit,
        "limit": live.limit,
    }


def _focus(document: Document, focus: Focus | None) -> dict[str, Any] | None:
    if focus is None:
        return None
    start, end = utf16(document, [focus.start, focus.end]).tolist()
    return {"column": focus.column, "nonce": focus.nonce, "chunk": focus.chunk, "start": start, "end": end}
