"""The text behind one cell of an evaluation: the answer with the cuts through it, and what was retrieved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from chunkviz.chunking import Chunking
from chunkviz.document import Document
from chunkviz.evaluation import Cell, Retrieved
from chunkviz.spans import Span, is_blank, trimmed, union

AROUND: Final = 160
"""Characters shown before and after an answer."""

Kind = Literal["plain", "found", "missed", "whole", "part", "cut"]


class Piece(NamedTuple):
    """A run of text of one kind.

    plain         : no part of the answer
    found, missed : of the answer, whether any retrieved passage holds it
    whole, part   : of the answer inside a passage: whether that passage holds all of it
    cut           : no text of the document, but a border between chunks, in words
    """

    kind: Kind
    text: str


class Answer(NamedTuple):
    """A gold span in its surroundings.

    whole : whether one chunk holds all of it
    """

    document: str
    pieces: list[Piece]
    whole: bool


class Passage(NamedTuple):
    """What came back, painted."""

    retrieved: Retrieved
    path: tuple[str, ...]
    pieces: list[Piece]


def answers(cell: Cell, documents: Mapping[str, Document], chunkings: Mapping[str, Chunking]) -> list[Answer]:
    """Each gold span of the question: what of it was retrieved, and where a chunk ends or begins inside it."""
    made = []
    for gold, cut in zip(cell.question.gold, cell.cut, strict=True):
        document = documents[gold.document]
        held = [
            Span(max(r.start, gold.start), min(r.end, gold.end))
            for r in cell.retrieved
            if r.document == gold.document and r.start < gold.end and gold.start < r.end
        ]
        borders = _borders(document.text, chunkings[gold.document], gold.start, gold.end)
        begin, end = max(0, gold.start - AROUND), min(len(document.text), gold.end + AROUND)
        pieces = [Piece("plain", ("… " if begin else "") + document.text[begin : gold.start])]
        found = list(union(held))
        marks = sorted({gold.start, gold.end, *(p for span in found for p in span), *borders})
        for a, b in pairwise(marks):
            if a in borders:
                pieces.append(Piece("cut", borders[a]))
            inside = any(span.start <= a and b <= span.end for span in found)
            pieces.append(Piece("found" if inside else "missed", document.text[a:b]))
        pieces.append(Piece("plain", document.text[gold.end : end] + (" …" if end < len(document.text) else "")))
        made.append(Answer(gold.document, pieces, not cut))
    return made


def _borders(text: str, chunking: Chunking, start: int, end: int) -> dict[int, str]:
    """Where chunks end and begin inside a span, in words; the end of one and the beginning of the next are one border."""
    core = trimmed(text, Span(start, end))
    found: dict[int, str] = {}
    chunks = [c for c in chunking.chunks if c.start < core.end and core.start < c.end]
    for c in chunks:
        if core.start < c.end < core.end:
            found[c.end] = f"chunk {c.index + 1} ends"
    for c in chunks:
        if core.start < c.start < core.end:
            before = next((e for e in found if e <= c.start and is_blank(text, e, c.start)), None)
            if before is None:
                found[c.start] = f"chunk {c.index + 1} begins"
            else:
                found[before] = f"{found[before]}, {c.index + 1} begins"
    return found


def passages(cell: Cell, documents: Mapping[str, Document]) -> list[Passage]:
    """What was retrieved, best first, with the parts of the answer in it."""
    return [
        Passage(r, documents[r.document].heading_path(r.start), _painted(r, cell, documents[r.document].text))
        for r in cell.retrieved
    ]


def _painted(r: Retrieved, cell: Cell, text: str) -> list[Piece]:
    gold = [g for g in cell.question.gold if g.document == r.document and g.start < r.end and r.start < g.end]
    spans: list[tuple[int, int, Kind]] = []
    for g in gold:
        core = trimmed(text, Span(g.start, g.end))
        whole = r.start <= core.start and core.end <= r.end
        spans.append((max(g.start, r.start), min(g.end, r.end), "whole" if whole else "part"))
    return _parted(text, r.start, r.end, spans)


def _parted(text: str, start: int, end: int, spans: Sequence[tuple[int, int, Kind]]) -> list[Piece]:
    """The text in runs of one kind; where spans overlap, what is held whole goes before what is not."""
    marks = sorted({start, end, *(p for a, b, _ in spans for p in (a, b))})
    pieces: list[Piece] = []
    for a, b in pairwise(marks):
        kinds = {kind for low, high, kind in spans if low <= a and b <= high}
        kind: Kind = "whole" if "whole" in kinds else "part" if "part" in kinds else "plain"
        if pieces and pieces[-1].kind == kind:
            pieces[-1] = Piece(kind, pieces[-1].text + text[a:b])
        else:
            pieces.append(Piece(kind, text[a:b]))
    return pieces
