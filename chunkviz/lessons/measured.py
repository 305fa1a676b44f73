"""The figures of the demo: what a cut does to the answers of real questions, and what a search brings back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from chunkviz import samples
from chunkviz.chunking import Chunking
from chunkviz.document import Document
from chunkviz.errors import ParameterError
from chunkviz.evaluate import Step, evaluate
from chunkviz.evaluation import Evaluation, RecipeResult
from chunkviz.graphemes import graphemes
from chunkviz.question_files import read_file
from chunkviz.questions import Gold, Question, places_of, resolve
from chunkviz.spans import Span

DEPTHS: Final = (1, 5, 1000)
"""Passages that come back: the best one, a handful, and all, to know every rank."""


class Setting(NamedTuple):
    """One way to cut and to search. `params` as pairs, so that a setting can be a key."""

    strategy: str
    params: tuple[tuple[str, Any], ...] = ()
    reranked: bool = False

    @property
    def values(self) -> dict[str, Any]:
        return dict(self.params)

    def recipe(self) -> dict[str, Any]:
        """As a recipe file has it."""
        retrieval = {"reranker": "late_interaction"} if self.reranked else {}
        return {"strategy": self.strategy, "params": self.values, "retrieval": retrieval}


def setting(strategy: str, *, reranked: bool = False, **params: Any) -> Setting:
    """`setting("fixed", size=512, overlap=0)`."""
    return Setting(strategy, tuple(params.items()), reranked)


@dataclass(frozen=True, slots=True)
class Asked:
    """A document and the questions that are asked about it, the one of the story first.

    problem : what was wrong with a reader's own question, in words
    """

    document: Document
    questions: tuple[Question, ...] = ()
    problem: str = ""

    @property
    def gold(self) -> Span | None:
        """Where the answer to the first question stands, without white space at its ends; None without a question."""
        if not self.questions:
            return None
        place = self.questions[0].gold[0]
        return graphemes(self.document).trimmed(place.start, place.end)


def asked_of_sample(sample_id: str, document: Document) -> Asked:
    """A sample's own questions, the one that it was written for at the front."""
    rows = read_file(samples.FOLDER / "questions" / f"{sample_id}.csv")
    found = resolve(rows, {document.name: document}).questions
    first = samples.sample(sample_id).question
    return Asked(document, tuple(sorted(found, key=lambda q: q.text != first)))


def asked_by_reader(document: Document, question: str, answer: str) -> Asked:
    """A reader's own question, with the words of the document that answer it; they must occur once."""
    if not question.strip() or not answer.strip():
        return Asked(document)
    places = places_of(answer, document.text)
    if len(places) != 1:
        times = "do not occur" if not places else f"occur {len(places)} times"
        return Asked(
            document, problem=f"The words of the answer {times} in this document. Copy them so that they occur once."
        )
    gold = Gold(document.name, places[0].start, places[0].end)
    return Asked(document, (Question(question.strip(), (gold,)),))


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
