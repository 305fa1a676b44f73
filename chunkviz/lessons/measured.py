"""The figures of the demo: what a cut does to the answers of real questions, and what a search brings back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from chunkviz.chunking import Chunking
from chunkviz.errors import ParameterError
from chunkviz.evaluate import Step, evaluate
from chunkviz.evaluation import Evaluation, RecipeResult
from chunkviz.lessons.subject import Asked
from chunkviz.lessons.ways import Setting
from chunkviz.spans import Span

DEPTHS: Final = (1, 5, 1000)
"""Passages that come back: the best one, a handful, and all, to know every rank."""


def holders(chunking: Chunking, gold: Span) -> list[int]:
    """Numbers, from 1, of the chunks that hold a span whole."""
    return [c.index + 1 for c in chunking.chunks if c.start <= gold.start and gold.end <= c.end]


def touching(chunking: Chunking, gold: Span) -> list[int]:
    """Numbers, from 1, of the chunks that hold a part of a span."""
    return [c.index + 1 for c in chunking.chunks if c.start < gold.end and gold.start < c.end]


def headings_found(chunking: Chunking) -> int:
    """At how many of the document's headings a chunk begins."""
    starts = {h.start for h in chunking.document.headings}
    return sum(c.start in starts for c in chunking.chunks)


class Ranks(NamedTuple):
    """At which place the first passage that holds a part of the answer stood, before and after reranking; None: nowhere."""

    question: str
    before: int | None
    after: int | None


@dataclass(frozen=True, eq=False)
class Measured:
    """What one setting gave for all questions.

    by_depth : the results for each of `DEPTHS`
    """

    by_depth: Mapping[int, RecipeResult] = field(repr=False)

    @property
    def asked(self) -> int:
        """Questions."""
        return len(self.by_depth[1].cells)

    @property
    def first(self) -> int:
        """Questions for which the best passage holds a part of the answer."""
        return _count(self.by_depth[1].values("hit"))

    @property
    def among_five(self) -> int:
        """Questions for which one of the five best does."""
        return _count(self.by_depth[5].values("hit"))

    @property
    def cut(self) -> int:
        """Answers that no chunk holds whole."""
        return sum(any(cell.cut) for cell in self.by_depth[1].cells)

    @property
    def read(self) -> float:
        """Tokens of five passages, mean over the questions."""
        return self.by_depth[5].metrics["tokens_retrieved"].mean or 0.0

    def held(self, depth: int) -> float | None:
        """Which share of the first question's answer came back in so many passages."""
        return self.by_depth[depth].cells[0].values["token_recall"].value

    def ranks(self) -> list[Ranks]:
        """For every question the place of the first right passage, before and after."""
        found = []
        for cell in self.by_depth[DEPTHS[-1]].cells:
            right = [r for r in cell.retrieved if r.relevant]
            after = min((r.rank for r in right), default=None)
            before = min((r.before for r in right), default=None)
            found.append(Ranks(cell.question.text, before, after))
        return found


def _count(values: Iterable[float | None]) -> int:
    return sum(bool(v) for v in values)


def measure(
    asked: Asked,
    settings: Sequence[Setting],
    progress: Callable[[Step], None] | None = None,
) -> tuple[Evaluation, dict[Setting, Measured]]:
    """Ask all questions under all settings. Worked out once for each document, set of questions and setting.

    progress : as for `evaluate`; what it raises ends the work
    Raises `ParameterError` where there is no question.
    """
    if not asked.questions:
        raise ParameterError("There is no question to measure with.")

    def make() -> tuple[Evaluation, dict[Setting, Measured]]:
        made = evaluate(
            {asked.document.name: asked.document},
            asked.questions,
            [s.recipe() for s in settings],
            k=DEPTHS,
            progress=progress,
        )
        found = {}
        for at, one in enumerate(settings):
            own = made.results[at * len(DEPTHS) : (at + 1) * len(DEPTHS)]
            found[one] = Measured(dict(zip(DEPTHS, own, strict=True)))
        return made, found

    return asked.document.derive(("lessons.measured", asked.questions, tuple(settings)), make)
