"""What an evaluation found: per recipe and k the figures, and behind each figure the cells, one for each question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np

from chunkviz.chunking import Chunking
from chunkviz.errors import ParameterError
from chunkviz.metrics.base import Result
from chunkviz.metrics.case import MOST_MIN, Rules
from chunkviz.metrics.intervals import Interval, interval
from chunkviz.questions import Problem, Question
from chunkviz.recipe import Recipe
from chunkviz.retrieval import Hit, RetrievalOptions
from chunkviz.retrieval.options import SAME


@dataclass(frozen=True, slots=True)
class Depth:
    """How far down a ranking is read, spelled 5, "min" or "tokens:1000".

    A number takes so many passages. "min" takes as many as meet the answer, at most 20: what a perfect search would
    need. "tokens:N" takes passages until N cl100k tokens are read, so that recipes with long and with short chunks
    cost the same.
    """

    passages: int | None = None
    tokens: int | None = None

    @classmethod
    def of(cls, word: int | str | Depth) -> Self | Depth:
        """Raises `ParameterError` for what is none of the three."""
        if isinstance(word, Depth):
            return word
        text = str(word).strip().lower()
        if text == "min":
            return cls()
        budget = text.removeprefix("tokens:")
        if not isinstance(word, bool) and budget.isascii() and budget.isdigit() and 0 < int(budget) <= 1_000_000_000:
            return cls(tokens=int(budget)) if text != budget else cls(passages=int(budget))
        raise ParameterError(
            f'k must be a whole number from 1, "min", or "tokens:N", for example tokens:1000. Got {word!r}.'
        )

    @property
    def spelled(self) -> int | str:
        if self.passages is not None:
            return self.passages
        return "min" if self.tokens is None else f"tokens:{self.tokens}"

    def asked(self, meeting: int) -> tuple[int | None, int | None]:
        """The passages and the tokens to take for a question that so many passages meet; one of the two is None."""
        if self.passages is None and self.tokens is None:
            return min(meeting, MOST_MIN), None
        return self.passages, self.tokens


@dataclass(frozen=True, slots=True)
class Retrieved:
    """A passage that came back.

    document, start, end : where it stands; code points, half-open
    chunk    : index of the chunk that was found, in its document's chunking
    tokens   : its length in cl100k tokens
    rank     : 1-based; `before` is the rank before reranking
    relevant : whether it holds a part of the answer
    """

    document: str
    start: int
    end: int
    chunk: int
    tokens: int
    score: float
    rank: int
    before: int
    relevant: bool

    @classmethod
    def of(cls, hit: Hit, chunk: int, relevant: bool) -> Self:
        p = hit.passage
        return cls(p.document, p.start, p.end, chunk, p.tokens, hit.score, hit.rank, hit.before, relevant)


@dataclass(frozen=True, slots=True)
class Cell:
    """One question in one recipe at one k.

    retrieved : what came back, best first; empty where nothing was searched
    values    : metric id to its result
    cut       : for each gold span of the question, whether no passage of the index holds it whole
    """

    question: Question
    retrieved: tuple[Retrieved, ...]
    values: Mapping[str, Result]
    cut: tuple[bool, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; a value that is undefined is None."""
        return {
            "question": self.question.text,
            "gold": [asdict(g) for g in self.question.gold],
            "retrieved": [asdict(r) for r in self.retrieved],
            "values": {id: result.value for id, result in self.values.items()},
            "cut": list(self.cut),
        }


@dataclass(frozen=True, slots=True)
class Summary:
    """A metric over all questions.

    mean, std : of the questions that have a value; population standard deviation. None where none has, with the reason
    n         : questions that have one
    """

    mean: float | None
    std: float | None
    n: int
    reason: str = ""

    @classmethod
    def of(cls, results: Sequence[Result]) -> Self:
        values = np.array([r.value for r in results if r.value is not None], dtype=np.float64)
        if not len(values):
            return cls(None, None, 0, next((r.reason for r in results if r.reason), "there is no question"))
        return cls(float(values.mean()), float(values.std()), len(values))


@dataclass(frozen=True, eq=False)
class RecipeResult:
    """One recipe at one k.

    given       : the recipe as it was asked for
    recipe      : the recipe in full, with the versions that ran; None where there is no document
    options     : how chunks were searched
    k           : 5, "min" or "tokens:1000"
    chunks      : of all documents together; `mean_tokens` their mean length in the recipe's unit, None for no chunk
    overhead    : characters of all chunks / characters covered - 1: what overlap stores twice
    embedded    : cl100k tokens of all texts that stand for chunks: what embedding them once costs
    metrics     : metric id to its summary; only what was computed
    chunkings   : document id to what was cut, the same for every k
    reranker    : what put the hits in order, in words; "" for nothing
    """

    given: Mapping[str, Any]
    recipe: Recipe | None
    options: RetrievalOptions
    k: int | str
    chunks: int
    mean_tokens: float | None
    overhead: float | None
    embedded: int
    metrics: Mapping[str, Summary]
    cells: tuple[Cell, ...]
    chunkings: Mapping[str, Chunking]
    reranker: str = ""

    def values(self, metric: str) -> list[float | None]:
        """The metric of every question, in the order of the questions. Raises `ParameterError` for one not computed."""
        if metric not in self.metrics:
            raise ParameterError(f"There is no metric {metric!r} here. Computed were: {', '.join(self.metrics)}.")
        return [cell.values[metric].value for cell in self.cells]

    def against(self, baseline: RecipeResult, metric: str) -> Interval | None:
        """How much better or worse than the baseline, with a 95 % paired bootstrap interval.

        Over the questions for which both have a value; None for fewer than two. Raises `ParameterError` where the two
        were not asked the same questions.
        """
        if [c.question for c in self.cells] != [c.question for c in baseline.cells]:
            raise ParameterError("Two recipes can be compared over the same questions only.")
        pairs = zip(self.values(metric), baseline.values(metric), strict=True)
        return interval([a - b for a, b in pairs if a is not None and b is not None])

    def to_dict(self, cells: bool = False) -> dict[str, Any]:
        """Plain data for JSON: the recipe as given, k, chunks and `{"mean", "std", "n"}` of every metric.

        cells : also what is behind the figures, question by question
        """
        found: dict[str, Any] = {"recipe": dict(self.given), "k": self.k, "chunks": self.chunks}
        found |= {"mean_tokens": self.mean_tokens, "overhead": self.overhead, "embedded": self.embedded}
        found["retrieval"] = self.options.changed()
        if self.reranker:
            found["reranker"] = self.reranker
        found["full_recipe"] = self.recipe.to_dict() if self.recipe else None
        found["metrics"] = {
            id: {"mean": s.mean, "std": s.std, "n": s.n} | ({"reason": s.reason} if s.reason else {})
            for id, s in self.metrics.items()
        }
        if cells:
            found["cells"] = [cell.to_dict() for cell in self.cells]
        return found


@dataclass(frozen=True, slots=True)
class EmbeddingCost:
    """Distinct texts embedded now, those whose vectors were stored, seconds, and how it was computed."""

    fresh: int
    known: int
    seconds: float
    settings: str


@dataclass(frozen=True, eq=False)
class Evaluation:
    """All results, in the order of the recipes and, for each, of k.

    questions : those that were asked
    problems  : what was wrong with others; see `questions.Problem`
    stopped   : whether it was stopped before every recipe was done; what is here is complete for its recipes
    """

    results: tuple[RecipeResult, ...]
    questions: tuple[Question, ...]
    problems: tuple[Problem, ...]
    rules: Rules
    embedding: EmbeddingCost
    stopped: bool = False

    @property
    def models(self) -> tuple[str, ...]:
        """Names of all models that its recipes cut and search with, sorted."""
        found: set[str] = set()
        for result in self.results:
            options = result.options
            found |= {options.model, options.code_model} - {SAME} if options.embeds else set()
            found |= {options.cross_encoder} if options.reranker == "cross_encoder" else set()
            cut_by = dict(result.given.get("params", {})).get("model")
            found |= {cut_by} if isinstance(cut_by, str) else set()
        return tuple(sorted(found))

    def __repr__(self) -> str:
        return f"Evaluation({len(self.results)} results, {len(self.questions)} questions, {self.rules} rules)"

    def to_dict(self, cells: bool = False) -> dict[str, Any]:
        """Plain data for JSON: what the command line prints; with `cells`, all that intervals and details need."""
        return {
            "results": [r.to_dict(cells) for r in self.results],
            "rules": self.rules,
            "questions": len(self.questions),
            "problems": [
                {"row": p.row, "level": p.level, "question": p.question, "document": p.document, "text": p.text}
                for p in self.problems
            ],
            "embedding": {
                "fresh": self.embedding.fresh,
                "known": self.embedding.known,
                "seconds": round(self.embedding.seconds, 3),
                "settings": self.embedding.settings,
            },
            "stopped": self.stopped,
        }
