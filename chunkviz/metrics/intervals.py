"""How sure a difference between two recipes is: paired bootstrap intervals.

Both recipes answered the same questions, so what is drawn again and again is the difference on each question; how hard
a question is drops out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike

REPEATS: Final = 10_000
_AT_ONCE: Final = 2_000_000
"""Numbers drawn at once: 16 MB."""


@dataclass(frozen=True, slots=True)
class Interval:
    """The mean difference and the range it may well lie in.

    mean, low, high : of the differences, low <= high
    n    : questions that both recipes have a value for
    more : about how many more questions would tell the two apart if the difference stays as it is; 0 where these
           do, None where no number would (the difference is 0)
    """

    mean: float
    low: float
    high: float
    n: int
    more: int | None

    @property
    def decided(self) -> bool:
        """Whether the interval leaves 0 out: one of the two is better, as far as these questions can tell."""
        return self.low > 0 or self.high < 0

    def verdict(self, better: Literal["higher", "lower", "neither"]) -> str:
        """The difference in words; `better` is the metric's direction."""
        if self.decided:
            up = self.low > 0
            if better == "neither":
                return "higher" if up else "lower"
            return "better" if up == (better == "higher") else "worse"
        if self.more is None:
            return "no winner: no difference"
        return f"no winner: {self.more:,} more {'question' if self.more == 1 else 'questions'} would be needed"


def interval(differences: ArrayLike, *, level: float = 0.95, repeats: int = REPEATS, seed: int = 0) -> Interval | None:
    """The bootstrap interval of the mean of paired differences; None for fewer than two.

    differences : float (n,), one for each question: value of this recipe less that of the baseline
    level       : share of intervals that hold the true difference, in (0, 1)
    The same input gives the same interval, whatever ran before.

    Percentile method (Efron and Tibshirani 1993, chapter 13) on samples of size n, widened by sqrt(n / (n - 1)): the
    spread of a drawn mean uses the variance with n in the denominator, which is too small for few questions.
    Fewer than about 20 questions make every such interval a little too narrow.
    """
    values = np.asarray(differences, dtype=np.float64)
    n = len(values)
    if n < 2:
        return None
    random = np.random.default_rng(seed)
    mean = float(values.mean())
    drawn = np.empty(repeats)
    step = max(1, _AT_ONCE // n)
    for begin in range(0, repeats, step):
        picked = random.integers(0, n, size=(min(step, repeats - begin), n))
        drawn[begin : begin + len(picked)] = values[picked].mean(axis=1)
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    wider = math.sqrt(n / (n - 1))
    ends = (mean + (float(low) - mean) * wider, mean + (float(high) - mean) * wider)
    # A sum of many equal numbers may differ from them in the last digit; equal differences leave no doubt.
    if values.min() == values.max():
        mean = float(values[0])
        ends = (mean, mean)
    return Interval(mean, *ends, n, _more(values, mean, ends, level))


def _more(
    values: np.ndarray[tuple[int], np.dtype[np.float64]], mean: float, ends: Sequence[float], level: float
) -> int | None:
    """Questions beyond these n at which the half width of a normal interval falls below the difference seen."""
    if ends[0] > 0 or ends[1] < 0:
        return 0
    if abs(mean) < 1e-12:
        return None
    z = NormalDist().inv_cdf((1 + level) / 2)
    needed = math.ceil((z * float(values.std(ddof=1)) / mean) ** 2)
    return max(1, needed - len(values))
