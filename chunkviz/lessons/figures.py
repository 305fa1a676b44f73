"""The figures of the decision guide that are ours: all samples in one index, all their questions, four recipes.

`python -m chunkviz.lessons evidence` works them out again and prints the sentences as the guide has them.
"""

from __future__ import annotations

from typing import Final

from chunkviz import isolation, samples
from chunkviz.errors import ParameterError
from chunkviz.evaluate import evaluate
from chunkviz.evaluation import Evaluation, RecipeResult
from chunkviz.lessons.measured import measure
from chunkviz.lessons.subject import SAMPLE, asked_of_sample
from chunkviz.lessons.ways import WRITTEN, Setting, setting
from chunkviz.metrics.intervals import Interval
from chunkviz.question_files import read_file
from chunkviz.questions import resolve

ONE: Final = 1
FIVE: Final = 5
_FIXED: Final = setting("fixed", size=200, overlap=0)
_FIXED_OVERLAP: Final = setting("fixed", size=200, overlap=40)
_RECURSIVE: Final = setting("recursive", size=200, overlap=0)
_RERANKED: Final = setting("recursive", reranked=True, size=200, overlap=0)
_ALL: Final = (_FIXED, _FIXED_OVERLAP, _RECURSIVE, _RERANKED)


def sentences() -> dict[str, str]:
    """The sentences of the guide by the id of their evidence, with figures worked out here and now."""
    found = _evaluated()
    at = {(s, k): found.results[2 * n + i] for n, s in enumerate(_ALL) for i, k in enumerate((ONE, FIVE))}
    asked = len(found.questions)

    def percent(one: Setting, k: int, metric: str) -> str:
        mean = at[one, k].metrics[metric].mean
        return f"{100 * (mean or 0):.0f} %"

    first = _difference(at[_RECURSIVE, ONE], at[_FIXED, ONE], "token_recall")
    five = _difference(at[_RECURSIVE, FIVE], at[_FIXED, FIVE], "token_recall")
    right = _difference(at[_FIXED_OVERLAP, FIVE], at[_FIXED, FIVE], "chunk_precision")
    overlap = _difference(at[_FIXED_OVERLAP, FIVE], at[_FIXED, FIVE], "token_recall")
    second = _difference(at[_RERANKED, ONE], at[_RECURSIVE, ONE], "token_recall")
    return {
        "recursive": f"At 200 tokens, with one passage read, cutting at borders of the text (recursive) finds "
        f"{percent(_RECURSIVE, ONE, 'token_recall')} of the answers' words and cutting by count (fixed) "
        f"{percent(_FIXED, ONE, 'token_recall')}: {_points(first)}. With five passages read the two cannot be told apart: "
        f"{_points(five)}.",
        "size": _sizes(),
        "uncertainty": f"Even {asked} questions leave a wide margin: with five passages read, the difference between "
        f"recursive and fixed lies anywhere from {_signed(five.low)} to {_signed(five.high)} points (95 % interval). Two "
        "ways to cut that differ by less are not told apart.",
        "overlap": f"An overlap of 40 at fixed 200 makes more of the five passages right ones: {_points(right)}. The same "
        f"words come back twice, though: of the answers' words it does not find more, as far as these questions can tell: "
        f"{_points(overlap)}.",
        "reranking": f"A second look at the first 20 passages (reranker: late interaction; recursive 200) finds "
        f"{percent(_RERANKED, ONE, 'token_recall')} of the answers' words with one passage read, instead of "
        f"{percent(_RECURSIVE, ONE, 'token_recall')}: {_points(second)}. With five: "
        f"{percent(_RERANKED, FIVE, 'token_recall')} instead of {percent(_RECURSIVE, FIVE, 'token_recall')}.",
    }


def _evaluated() -> Evaluation:
    documents = {s.file: isolation.load(samples.read(s.id), s.file) for s in samples.samples()}
    rows = [row for s in samples.samples() for row in read_file(samples.FOLDER / "questions" / f"{s.id}.csv")]
    return evaluate(documents, resolve(rows, documents), [s.recipe() for s in _ALL], k=(ONE, FIVE))


def _sizes() -> str:
    document = isolation.load(samples.read(SAMPLE), samples.sample(SAMPLE).file)
    ways = (WRITTEN.smaller, WRITTEN.natural, WRITTEN.larger)
    found = measure(asked_of_sample(SAMPLE, document), ways)[1]
    small, middle, large = (f"{found[w].first} of {found[w].asked}" for w in ways)
    return (
        f"On the sample manual, the first passage is a right one for {small} questions at {WRITTEN.small} tokens, for "
        f"{middle} at {WRITTEN.size} and for {large} at {WRITTEN.large:,} (recursive, no overlap)."
    )


def _difference(one: RecipeResult, base: RecipeResult, metric: str) -> Interval:
    found = one.against(base, metric)
    if found is None:
        raise ParameterError(f"There are too few questions to compare {metric}.")
    return found


def _points(found: Interval) -> str:
    return f"{_signed(found.mean)} points (95 % interval {_signed(found.low)} to {_signed(found.high)})"


def _signed(share: float) -> str:
    return f"{100 * share:+.0f}".replace("-", "−").replace("+0", "0").replace("−0", "0")
