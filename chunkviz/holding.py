"""What passages hold of an answer: whole, a part, or nothing. What one question's ranking means to whoever asked.

found = search(index, [question.text], options)
hits = found.hits(0, k=5)
standings(found, hits, cores)      # for each gold span: the rank that holds it whole, or where the cuts have parted it
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from chunkviz.metrics.case import meets, relevant, whole_in
from chunkviz.passages import Passage
from chunkviz.retrieval import Hit, Index, Searched

Holds = Literal["whole", "part", "nothing"]


@dataclass(frozen=True, slots=True)
class Part:
    """What a passage holds of one gold span: code points of the document, and whether it begins and ends there too."""

    start: int
    end: int
    begins: bool
    ends: bool

    @property
    def whole(self) -> bool:
        """Whether the passage holds all of the gold span."""
        return self.begins and self.ends


@dataclass(frozen=True, slots=True)
class Standing:
    """What became of one gold span.

    rank    : of the first returned passage that holds it whole; None where none does
    later   : rank of the first passage that holds it whole, in the ranking of all; None where none that was found does
    whole   : whether any passage of the index holds it whole
    meeting : numbers of the index's passages that hold a part of it, in the order of the document
    parts   : ranks of returned passages that hold a part of it but not all
    """

    rank: int | None
    later: int | None
    whole: bool
    meeting: tuple[int, ...]
    parts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Move:
    """Where a passage stood after the first search, where it stands after reranking, and what it holds."""

    passage: int
    before: int
    after: int
    holds: Holds


def parts(passage: Passage, cores: Sequence[Passage]) -> list[Part]:
    """The stretches of gold spans in a passage, in order.

    cores : gold spans without white space at their ends, see `scoring.Answer`
    """
    found = [
        Part(
            max(passage.start, c.start),
            min(passage.end, c.end),
            begins=passage.start <= c.start,
            ends=c.end <= passage.end,
        )
        for c in cores
        if meets(passage, c, "exact")
    ]
    return sorted(found, key=lambda p: (p.start, p.end))


def holds(passage: Passage, cores: Sequence[Passage]) -> Holds:
    """Whether a passage holds at least one gold span whole, or else a part of one."""
    if any(whole_in(c, [passage]) for c in cores):
        return "whole"
    return "part" if relevant(passage, cores) else "nothing"


def standings(found: Searched, hits: Sequence[Hit], cores: Sequence[Passage], question: int = 0) -> list[Standing]:
    """What became of each gold span, in their order.

    hits : what was returned, `found.hits(question, …)`
    """
    passages = found.index.passages
    order = found.orders[question].tolist()
    made = []
    for core in cores:
        meeting = sorted(
            (n for n, p in enumerate(passages) if meets(p, core, "exact")), key=lambda n: passages[n].start
        )
        holding = {n for n in meeting if whole_in(core, [passages[n]])}
        returned = [h for h in hits if meets(h.passage, core, "exact")]
        wholes = [h.rank for h in returned if whole_in(core, [h.passage])]
        made.append(
            Standing(
                rank=wholes[0] if wholes else None,
                later=next((rank for rank, n in enumerate(order, 1) if n in holding), None),
                whole=bool(holding),
                meeting=tuple(meeting),
                parts=tuple(h.rank for h in returned if h.rank not in wholes),
            )
        )
    return made


def moves(found: Searched, cores: Sequence[Passage], most: int, question: int = 0) -> list[Move]:
    """The passages among the first `most` before or after reranking, in the order after it. Near duplicates stay apart."""
    order, before = found.orders[question].tolist(), found.before[question].tolist()
    return [
        Move(number, was, rank, holds(found.index.passages[number], cores))
        for rank, (number, was) in enumerate(zip(order, before, strict=True), 1)
        if min(was, rank) <= most
    ]


def chunks_of(index: Index) -> Mapping[int, tuple[int, ...]]:
    """Of each passage the indices of the chunks that lead to it, in order."""
    found: dict[int, list[int]] = {}
    for entry in index.entries:
        found.setdefault(entry.passage, []).append(entry.chunk.index)
    return {number: tuple(sorted(set(chunks))) for number, chunks in found.items()}
