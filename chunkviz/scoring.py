"""From rankings to cells: every question of one index at one k, scored by every metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from chunkviz.document import Document
from chunkviz.evaluation import Cell, Depth, Retrieved
from chunkviz.metrics.case import Case, Rules, found_by_text, relevant, touch, whole_in
from chunkviz.metrics.retrieval import RETRIEVAL, RetrievalMetric
from chunkviz.passages import Passage
from chunkviz.questions import Question
from chunkviz.retrieval import Index, Searched
from chunkviz.spans import Span, trimmed


class Answer:
    """A question with its gold spans as passages.

    gold  : with the pages they are on
    cores : without white space at their ends
    """

    def __init__(self, question: Question, documents: Mapping[str, Document]) -> None:
        self.question = question
        self.gold: list[Passage] = []
        self.cores: list[Passage] = []
        for g in question.gold:
            document = documents[g.document]
            self.gold.append(Passage(g.document, g.start, g.end, pages=document.pages_of(g.start, g.end)))
            core = trimmed(document.text, Span(g.start, g.end))
            self.cores.append(Passage(g.document, *core) if core.length else self.gold[-1])


class Scoring:
    """The answers held against one index.

    found : what was searched; None where nothing was, and then only the metrics that need no ranking are `computed`
    """

    def __init__(self, index: Index, found: Searched | None, answers: Sequence[Answer], rules: Rules) -> None:
        self.computed: list[RetrievalMetric] = [m for m in RETRIEVAL if found is not None or m.needs == "index"]
        self._index = index
        self._found = found
        self._answers = answers
        self._rules = rules
        self._at: dict[Passage, Passage] = {}
        self._passages = [self._placed(p) for p in index.passages]
        self._meeting = _meeting(self._passages, answers, rules)

    def cells(self, depth: Depth) -> list[Cell]:
        """One for each answer, in order."""
        return [self._cell(at, depth) for at in range(len(self._answers))]

    def _placed(self, passage: Passage) -> Passage:
        """A passage where the rules believe it to be."""
        if self._rules == "exact":
            return passage
        if passage not in self._at:
            whole = self._index.documents[passage.document].text
            start, end = found_by_text(self._index.text(passage), whole)
            self._at[passage] = replace(passage, start=start, end=end)
        return self._at[passage]

    def _cell(self, at: int, depth: Depth) -> Cell:
        answer, meeting = self._answers[at], self._meeting[at]
        passages, tokens = depth.asked(len(meeting))
        hits = self._found.hits(at, k=passages, tokens=tokens) if self._found is not None else []
        places = [self._placed(hit.passage) for hit in hits]
        # A passage that a token budget cut off may have lost the part that made it relevant.
        members = {n for hit, p in zip(hits, places, strict=True) if relevant(p, answer.gold) for n in hit.members}
        held = [self._passages[n] for n in meeting]
        case = Case(
            gold=answer.gold,
            meeting=held,
            retrieved=places,
            members=sum(relevant(self._passages[n], answer.gold) for n in members.intersection(meeting)),
            k=len(hits) if passages is None else passages,
            cores=answer.cores,
            rules=self._rules,
        )
        entries = self._index.entries
        retrieved = [
            Retrieved.of(hit, entries[hit.entry].chunk.index, good)
            for hit, good in zip(hits, case.relevant, strict=True)
        ]
        values = {m.id: m.compute(case) for m in self.computed}
        return Cell(answer.question, tuple(retrieved), values, tuple(not whole_in(c, held) for c in answer.cores))


def _meeting(passages: Sequence[Passage], answers: Sequence[Answer], rules: Rules) -> list[list[int]]:
    """For each answer the numbers of the passages that meet one of its gold spans, in order."""
    numbers: dict[str, list[int]] = {}
    for number, p in enumerate(passages):
        numbers.setdefault(p.document, []).append(number)
    of = {
        name: (
            np.array(own),
            np.array([passages[n].start for n in own]),
            np.array([passages[n].end for n in own]),
        )
        for name, own in numbers.items()
    }
    found = []
    for answer in answers:
        met: set[int] = set()
        for g in answer.gold:
            if g.document in of:
                own, starts, ends = of[g.document]
                overlap = np.minimum(ends, g.end) - np.maximum(starts, g.start)
                met.update(own[overlap + touch(rules) > 0].tolist())
        found.append(sorted(met))
    return found
