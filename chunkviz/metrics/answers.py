"""The metrics of answers that a language model gave from what was retrieved, as a language model judges them.

They say what a reader would get in the end, and depend on both models: the same recipes with another model give other
figures. So they stand beside the metrics of retrieval, never in their place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from chunkviz.metrics.base import Result

Verdict = Literal["correct", "partly", "wrong"]
WORTH: Final[Mapping[Verdict, float]] = {"correct": 1.0, "partly": 0.5, "wrong": 0.0}


@dataclass(frozen=True, slots=True)
class Support:
    """A sentence of an answer, and the ranks of the passages that say the same; none where it is made up."""

    sentence: str
    passages: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What became of one question.

    answer   : what the model said, "" where it found nothing in the passages; None where there is no usable answer
    expected : the answer that was given with the question, "" for none
    verdict  : how the two compare; None where they were not compared
    support  : of each sentence of the answer; None where it was not checked
    problems : why something is missing, in words
    """

    answer: str | None
    expected: str = ""
    verdict: Verdict | None = None
    support: tuple[Support, ...] | None = None
    problems: tuple[str, ...] = ()


def _accuracy(judged: Judgement) -> Result:
    if not judged.expected:
        return Result(None, "no answer was given with the question")
    if judged.answer == "":
        return Result(0.0)
    if judged.verdict is None:
        return Result(None, next(iter(judged.problems), "the answer was not judged"))
    return Result(WORTH[judged.verdict])


def _groundedness(judged: Judgement) -> Result:
    if judged.answer == "":
        return Result(None, "the model found no answer in the passages")
    if judged.support is None:
        return Result(None, next(iter(judged.problems), "the answer was not checked"))
    if not judged.support:
        return Result(None, "the answer has no sentence")
    return Result(sum(bool(s.passages) for s in judged.support) / len(judged.support), of=len(judged.support))


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerMetric:
    """One number about one answer; the fields are those of `RetrievalMetric`."""

    id: str
    title: str
    unit: str
    low: float
    high: float
    better: Literal["higher"]
    help: str
    formula: str
    source: str
    example: tuple[float, str]
    compute: Callable[[Judgement], Result]


EXAMPLE: Final = Judgement(
    answer="Boats pay four euros. Crews eat for nothing.",
    expected="Four euros a night",
    verdict="partly",
    support=(Support("Boats pay four euros.", (1, 3)), Support("Crews eat for nothing.", ())),
)

ANSWERS: Final = (
    AnswerMetric(
        id="answer_accuracy",
        title="Right answers",
        unit="share",
        low=0,
        high=1,
        better="higher",
        help="How often the model gives the right answer from what was retrieved. A language model compares it with the "
        "answer that was given with the question.",
        formula="1 for correct, 1/2 for partly, 0 for wrong and for no answer",
        source="ours; a model as the judge as in Zheng and others 2023, https://arxiv.org/abs/2306.05685",
        example=(0.5, "the answer is partly right"),
        compute=_accuracy,
    ),
    AnswerMetric(
        id="groundedness",
        title="Grounded answers",
        unit="share",
        low=0,
        high=1,
        better="higher",
        help="How much of the answer is in the retrieved passages; the rest the model made up or knew before. A grounded "
        "answer may still be wrong.",
        formula="sentences of the answer that at least one retrieved passage supports / sentences of the answer",
        source="Es and others 2023, RAGAS (faithfulness), https://arxiv.org/abs/2309.15217; sentences instead of claims",
        example=(0.5, "one of two sentences has support"),
        compute=_groundedness,
    ),
)
