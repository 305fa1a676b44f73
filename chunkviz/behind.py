"""What is behind a figure of an evaluation.

Behind a recipe's figure: its questions, or its documents. Behind one question: the answer with the cuts through it, and
what was retrieved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from chunkviz.chunking import Chunking
from chunkviz.document import Document
from chunkviz.evaluation import Cell, RecipeResult, Retrieved
from chunkviz.metrics.base import Result
from chunkviz.metrics.retrieval import RETRIEVAL
from chunkviz.retrieval import build
from chunkviz.spans import Span, is_blank, trimmed, union
from chunkviz.units import DEFAULT_UNIT, unit

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


class Asked(NamedTuple):
    """One question behind a recipe's figure.

    question   : its number
    result     : what it counts, or None with the reason
    baseline   : its value in the recipe that is compared with; `difference` is this less that, None where one is missing
    first      : rank of the first passage that holds a part of the answer, None where none came back
    cut        : whether a cut goes through one of its answers
    """

    question: int
    result: Result
    baseline: float | None
    difference: float | None
    first: int | None
    cut: bool


class Part(NamedTuple):
    """One document behind a recipe's figure: what `RecipeResult` says of all of them together, for this one."""

    document: str
    chunks: int
    mean_tokens: float | None
    smallest: int | None
    largest: int | None
    overhead: float | None
    embedded: int


def questions(result: RecipeResult, metric_id: str, base: RecipeResult | None = None) -> list[Asked]:
    """The questions whose mean a figure is, the worst first; those without a value last.

    base : sorts by the difference to it instead, those for which the recipe is worse than it first
    Raises `ParameterError` for a metric that was not computed.
    """
    sign = -1 if next(m.better for m in RETRIEVAL if m.id == metric_id) == "lower" else 1
    values = result.values(metric_id)
    others = base.values(metric_id) if base is not None else [None] * len(values)
    made = []
    for number, (cell, value, other) in enumerate(zip(result.cells, values, others, strict=True)):
        difference = value - other if value is not None and other is not None else None
        first = next((r.rank for r in cell.retrieved if r.relevant), None)
        made.append(Asked(number, cell.values[metric_id], other, difference, first, any(cell.cut)))

    def rank(asked: Asked) -> tuple[float, int]:
        by = asked.result.value if base is None else asked.difference
        return (float("inf") if by is None else sign * by), asked.question

    return sorted(made, key=rank)


def parts(result: RecipeResult, chunkings: Mapping[str, Chunking]) -> list[Part]:
    """The documents whose chunks a recipe's counts are of, in their order."""
    count = unit(DEFAULT_UNIT).count
    made = []
    for name, chunking in chunkings.items():
        sizes = [c.tokens for c in chunking.chunks]
        covered = sum(span.length for span in union(chunking.spans))
        made.append(
            Part(
                document=name,
                chunks=len(sizes),
                mean_tokens=sum(sizes) / len(sizes) if sizes else None,
                smallest=min(sizes, default=None),
                largest=max(sizes, default=None),
                overhead=sum(c.end - c.start for c in chunking.chunks) / covered - 1 if covered else None,
                embedded=sum(count(e.text) for e in build({name: chunking}, result.options).entries),
            )
        )
    return made


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
