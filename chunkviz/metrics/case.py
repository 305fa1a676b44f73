"""What one question got back from one index, held against the spans that answer it, under two sets of rules.

"exact": a passage meets a span with which it shares a character, at its true position. "published" repeats two quirks
of the published code: a passage that only touches a span meets it too, which counts for Ω and for k = "min", and a
passage stands where its text occurs first (`found_by_text`). References that overlap one another are counted once under
exact rules, each for itself under the published ones. The rank metrics, which that code does not have, call a passage
relevant where it shares a character with a span, under either.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal

from chunkviz.passages import Passage
from chunkviz.spans import gaps, union

Rules = Literal["exact", "published"]
RULES: Final[tuple[Rules, ...]] = ("exact", "published")

MOST_MIN: Final = 20
"""The most that k = "min" retrieves."""


def touch(rules: Rules) -> int:
    """What is added to a shared length before it is asked whether two spans meet: 1 lets those meet that only touch."""
    return 1 if rules == "published" else 0


def meets(passage: Passage, gold: Passage, rules: Rules) -> bool:
    """Whether a passage holds a part of a gold span; under the published rules, also where it only touches it."""
    overlap = min(passage.end, gold.end) - max(passage.start, gold.start)
    return passage.document == gold.document and overlap + touch(rules) > 0


def relevant(passage: Passage, gold: Iterable[Passage]) -> bool:
    """Whether a passage shares a character with one of the gold spans."""
    return any(meets(passage, g, "exact") for g in gold)


def found_by_text(text: str, whole: str) -> tuple[int, int]:
    """Where the published code believes a chunk to be: a final full stop dropped, the first occurrence.

    >>> found_by_text("b.", "a b. c b.")
    (2, 3)
    """
    target = text.removesuffix(".")
    start = whole.find(target)
    return start, start + len(target)


@dataclass(frozen=True, kw_only=True)
class Case:
    """One question in one index at one k.

    gold      : what answers it
    meeting   : every passage of the index that meets a gold span, by the rules
    retrieved : what was returned, best first; where near duplicates were merged, the merged passages
    members   : how many relevant passages of the index are in `retrieved`; more than its relevant ones only after a merge
    k         : how many were asked for; `retrieved` may be shorter where the index is small
    cores     : the gold spans without white space at their ends, for the question whether a passage holds them whole
    """

    gold: Sequence[Passage]
    meeting: Sequence[Passage]
    retrieved: Sequence[Passage] = ()
    members: int = 0
    k: int = 0
    cores: Sequence[Passage] = ()
    rules: Rules = "exact"

    @cached_property
    def relevant(self) -> list[bool]:
        """Of each retrieved passage, whether it shares a character with a gold span."""
        return [relevant(p, self.gold) for p in self.retrieved]

    @cached_property
    def total(self) -> int:
        """Relevant passages of the index."""
        return sum(relevant(p, self.gold) for p in self.meeting)

    @cached_property
    def references(self) -> list[Passage]:
        """The gold spans as the rules count them."""
        if self.rules == "published":
            return list(self.gold)
        return [Passage(name, *span) for name, spans in spans_by_document(self.gold).items() for span in union(spans)]

    @cached_property
    def asked(self) -> int:
        """Characters of all references."""
        return sum(r.length for r in self.references)

    @cached_property
    def found(self) -> Found:
        return found(self.references, self.retrieved)

    @cached_property
    def returned(self) -> int:
        """Characters of all retrieved passages; what they share counts as often as it is retrieved."""
        return sum(p.length for p in self.retrieved)


@dataclass(frozen=True, slots=True)
class Found:
    """What some passages hold of some references.

    covered : characters of references in at least one passage, each once
    missed  : the parts of references in no passage
    """

    covered: int
    missed: tuple[Passage, ...] = field(default=())

    @property
    def lacking(self) -> int:
        return sum(m.length for m in self.missed)


def found(references: Iterable[Passage], passages: Iterable[Passage]) -> Found:
    """Hold passages against references."""
    held = {name: list(union(spans)) for name, spans in spans_by_document(passages).items()}
    covered: dict[str, list[tuple[int, int]]] = {}
    missed: list[Passage] = []
    for r in references:
        shared = [(max(s, r.start), min(e, r.end)) for s, e in held.get(r.document, ()) if s < r.end and r.start < e]
        covered.setdefault(r.document, []).extend(shared)
        inside = [(s - r.start, e - r.start) for s, e in shared]
        missed += [Passage(r.document, r.start + s, r.start + e) for s, e in gaps(inside, r.length)]
    return Found(sum(span.length for spans in covered.values() for span in union(spans)), tuple(missed))


def spans_by_document(passages: Iterable[Passage]) -> dict[str, list[tuple[int, int]]]:
    spans: dict[str, list[tuple[int, int]]] = {}
    for p in passages:
        spans.setdefault(p.document, []).append((p.start, p.end))
    return spans


def whole_in(core: Passage, passages: Iterable[Passage]) -> bool:
    """Whether one passage holds all of a gold span."""
    return any(p.document == core.document and p.start <= core.start and core.end <= p.end for p in passages)
