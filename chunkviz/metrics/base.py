"""What a metric is: a declared object with its meaning, its unit and its range, and the function that computes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from chunkviz.chunking import Chunking


@dataclass(frozen=True, slots=True)
class Finding:
    """A place behind a number: the span it is about, the chunk in which a reader sees it, and a few words."""

    start: int
    end: int
    chunk: int
    text: str


@dataclass(frozen=True, slots=True)
class Result:
    """A value, or None with the reason why there is none; never 0 for "unknown".

    of       : the total that the value is a part of ("12 of 340 sentences"), None where there is none
    findings : the places behind the number, at most `MOST_FINDINGS`
    """

    value: float | int | None
    reason: str = ""
    of: int | None = None
    findings: tuple[Finding, ...] = ()


MOST_FINDINGS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One number about a chunking.

    unit      : what the value counts; "share" is a part of one, shown in percent
    low, high : the range of possible values, None for no bound
    better    : which direction is better, or "neither"
    formula   : how it is computed, in words
    source    : where the definition comes from
    tolerated : how far from the best value a figure may be before it deserves a look
    """

    id: str
    title: str
    unit: str
    low: float | None
    high: float | None
    better: Literal["lower", "higher", "neither"]
    help: str
    formula: str
    source: str
    compute: Callable[[Chunking], Result]
    tolerated: float = 0.0
