"""Kinds of thresholds: how much a similarity must drop for a gap to be a cut.

Every kind turns the curve into one number per gap, its *drop*, and its parameter into a *level*; a gap is a cut where
its drop is greater than the level. Percentile, deviations, interquartile and gradient are those of LangChain's
`SemanticChunker` (langchain-experimental), where the drop is 1 - similarity.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from chunkviz.similarity.curve import Bools, Floats, prominences


@dataclass(frozen=True, slots=True)
class Spread:
    """What a level is made of: facts about the drops of one document.

    ordered : float64 (m,), the drops of all gaps that are defined, ascending
    mean, deviation, quartiles : of these; the distance between the first and the third quartile
    """

    ordered: Floats
    mean: float
    deviation: float
    quartiles: float


def spread(drops: Floats, defined: Bools) -> Spread:
    """The facts about the drops that count."""
    told = np.sort(drops[defined])
    if not len(told):
        return Spread(told, 0.0, 0.0, 0.0)
    first, third = np.percentile(told, [25, 75])
    # The mean of equal numbers can differ from them in the last bit, and then every gap would be a cut, or none.
    mean = min(max(float(np.mean(drops[defined])), float(told[0])), float(told[-1]))
    return Spread(told, mean, float(np.std(drops[defined])), float(third - first))


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of threshold.

    id, title : as recipes spell it, and as the page shows it
    param     : name of the parameter that sets it
    drops     : values and defined gaps -> one drop per gap
    level     : the parameter and the spread of the drops -> what a drop must exceed
    says      : how a reason reads, with `{level}` and, by `axis`, `{similarity}` or `{drop}` for numbers in words
    axis      : what the drops are called on screen
    """

    id: str
    title: str
    param: str
    drops: Callable[[Floats, Bools], Floats]
    level: Callable[[float, Spread], float]
    says: str
    axis: str


def _distance(values: Floats, defined: Bools) -> Floats:
    return 1.0 - values


def _gradient(values: Floats, defined: Bools) -> Floats:
    """numpy's gradient of the distances over the defined gaps; 0 elsewhere."""
    found = np.zeros(len(values))
    told = 1.0 - values[defined]
    if len(told) > 1:
        found[defined] = np.gradient(told)
    return found


def _depth(values: Floats, defined: Bools) -> Floats:
    found = np.zeros(len(values))
    found[defined] = prominences(-values[defined])
    return found


def _share(amount: float, of: Spread) -> float:
    return float(np.percentile(of.ordered, amount)) if len(of.ordered) else np.inf


_SIMILAR = "similarity {similarity} < {level}"

KINDS: Final[Mapping[str, Kind]] = {
    kind.id: kind
    for kind in (
        Kind(
            "percentile",
            "The sharpest turns (percentile)",
            "percentile",
            _distance,
            _share,
            _SIMILAR,
            "similarity",
        ),
        Kind(
            "absolute",
            "A fixed similarity",
            "threshold",
            # Not 1 - value: a fixed threshold is compared as it is written.
            lambda values, defined: -values,
            lambda amount, of: -amount,
            _SIMILAR,
            "similarity",
        ),
        Kind(
            "deviations",
            "Far below the average (standard deviation)",
            "deviations",
            _distance,
            lambda amount, of: of.mean + amount * of.deviation,
            _SIMILAR,
            "similarity",
        ),
        Kind(
            "interquartile",
            "Outliers (interquartile range)",
            "ranges",
            _distance,
            lambda amount, of: of.mean + amount * of.quartiles,
            _SIMILAR,
            "similarity",
        ),
        Kind(
            "gradient",
            "Where similarity falls fastest (gradient)",
            "steepness",
            _gradient,
            _share,
            "similarity falls by {drop} a step, more than {level}",
            "fall per step",
        ),
        Kind(
            "minimum",
            "The deepest dips (local minimum)",
            "depth",
            _depth,
            lambda amount, of: amount,
            "a dip {drop} deep, more than {level}",
            "depth of a dip",
        ),
    )
}
"""In the order they are shown."""


def on_curve(kind: Kind, level: float) -> float | None:
    """The similarity at which the line of this level stands; None for kinds that do not compare similarities.

    >>> on_curve(KINDS["percentile"], 0.25), on_curve(KINDS["absolute"], -0.4), on_curve(KINDS["gradient"], 0.1)
    (0.75, 0.4, None)
    """
    if kind.axis != "similarity":
        return None
    return -level if kind.id == "absolute" else 1.0 - level


def separating(kind: Kind, level: float, values: Floats, cuts: Bools, defined: Bools) -> float | None:
    """`on_curve`, moved by rounding errors only, so that exactly the cuts lie below it: `values < t` are the cuts."""
    line = on_curve(kind, level)
    if line is None or not np.isfinite(line):
        return None
    below, above = values[defined & cuts], values[defined & ~cuts]
    if len(below):
        line = max(line, float(np.nextafter(below.max(), np.inf)))
    return min(line, float(above.min())) if len(above) else line
