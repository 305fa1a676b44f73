"""Agreement of two sets of boundaries over the same sentences: boundary F1, Pk, WindowDiff.

A set of boundaries is an array bool (n - 1,) over the n - 1 gaps between n neighbouring sentences. Any other unit will
do as well: nothing here knows what a sentence is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chunkviz.metrics.base import Result
from chunkviz.metrics.matching import matched

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

TOLERANCE: Final = 1
"""Sentences by which a boundary may miss and still count as found, where nothing else is asked for."""

SMALLEST_WINDOW: Final = 2


@dataclass(frozen=True, slots=True)
class BoundaryScore:
    """How many boundaries of the reference the cut has, at most `tolerance` gaps away.

    precision : matched share of the cut's boundaries, in [0, 1]
    recall    : matched share of the reference's, in [0, 1]
    f1        : 2 x matched / (boundaries of the cut + boundaries of the reference), in [0, 1]
    pairs     : (gap in the reference, gap in the cut), in order
    missing   : gaps of the reference without a partner
    extra     : gaps of the cut without a partner
    """

    precision: Result
    recall: Result
    f1: Result
    pairs: tuple[tuple[int, int], ...]
    missing: tuple[int, ...]
    extra: tuple[int, ...]


def boundary_f1(reference: ArrayLike, cut: ArrayLike, tolerance: int = TOLERANCE) -> BoundaryScore:
    """Precision, recall and F1 of boundaries, matched one to one.

    reference, cut : bool (n - 1,)
    tolerance      : gaps, 0 for exact
    Of all ways to match each boundary with at most one of the other side, those with the most pairs count, and among
    them one with the smallest sum of distances: two cuts beside one reference boundary find it once. Swapping the two
    sides swaps precision and recall. Takes time in proportion to boundaries x (2 x tolerance + 1).
    Undefined, and None with the reason: precision where the cut has no boundary, recall where the reference has none,
    F1 where neither has. Where only one side has any, F1 is 0.
    Raises `ValueError` for arrays of different lengths and a negative tolerance.

    >>> score = boundary_f1([0, 1, 0, 0, 1, 0], [0, 0, 1, 0, 0, 0])
    >>> score.precision.value, score.recall.value, score.pairs, score.missing
    (1.0, 0.5, ((1, 2),), (4,))
    """
    left, right = _two(reference, cut)
    if tolerance < 0:
        raise ValueError(f"tolerance must be 0 or more, not {tolerance}")
    wanted, made = np.flatnonzero(left).tolist(), np.flatnonzero(right).tolist()
    pairs = matched(wanted, made, tolerance)
    hits = len(pairs)
    hit_left, hit_right = {a for a, _ in pairs}, {b for _, b in pairs}
    total = len(wanted) + len(made)
    return BoundaryScore(
        precision=Result(hits / len(made), of=len(made)) if made else Result(None, "the cut has no boundary"),
        recall=Result(hits / len(wanted), of=len(wanted)) if wanted else Result(None, "the reference has no boundary"),
        f1=Result(2 * hits / total, of=total) if total else Result(None, "neither side has a boundary"),
        pairs=tuple(pairs),
        missing=tuple(a for a in wanted if a not in hit_left),
        extra=tuple(b for b in made if b not in hit_right),
    )


def window_size(reference: ArrayLike) -> int:
    """The window of `pk` and `window_diff` where none is given: half the mean length of a segment of the reference.

    In sentences; rounded, halves to the even number, and at least 2, as segeval has it. A reference without
    boundaries is one segment.

    >>> window_size([0, 0, 1, 0, 0, 0, 1, 0, 0])
    2
    """
    gaps = _gaps(reference)
    return max(SMALLEST_WINDOW, round((len(gaps) + 1) / (2 * (int(gaps.sum()) + 1))))


def pk(reference: ArrayLike, cut: ArrayLike, window: int | None = None) -> Result:
    """Share of places where two sentences that far apart are parted by one side only: an error, 0 is best, in [0, 1].

    reference, cut : bool (n - 1,)
    window         : k, the distance of the two sentences; default `window_size(reference)`
    For each of the n - k pairs of sentences (i, i + k): does a boundary lie between them in the reference, does one in
    the cut? Pk is the share of pairs where the answers differ. A second boundary inside the window goes unseen, and a
    near miss costs less than a far one. This is the convention of segeval. nltk's `pk` gives the same for the string
    of the n - 1 gaps; on its usual string of n sentences it counts one window more.
    With a window given, swapping the two sides changes nothing. None where no pair is that far apart.
    Raises `ValueError` for arrays of different lengths and a window below 1.
    Source: D. Beeferman, A. Berger, J. Lafferty, Statistical Models for Text Segmentation, Machine Learning 34, 1999.

    >>> pk([0, 1, 0, 0, 0], [0, 0, 1, 0, 0], window=2).value
    0.5
    """
    return _windows(reference, cut, window, lambda a, b: (a > 0) != (b > 0))


def window_diff(reference: ArrayLike, cut: ArrayLike, window: int | None = None) -> Result:
    """Share of windows with another number of boundaries than the reference: an error, 0 is best, in [0, 1].

    Parameters, number of windows, errors and undefined cases as for `pk`, which it never falls below: it counts the
    boundaries between sentences i and i + k where `pk` asks whether there is one. nltk's `windowdiff` gives the same
    for the string of the n - 1 gaps.
    Source: L. Pevzner, M. Hearst, A Critique and Improvement of an Evaluation Metric for Text Segmentation,
    Computational Linguistics 28(1), 2002.

    >>> window_diff([0, 1, 0, 0, 0], [1, 1, 0, 0, 0], window=2).value
    0.25
    """
    return _windows(reference, cut, window, lambda a, b: a != b)


def _windows(reference: ArrayLike, cut: ArrayLike, window: int | None, differ: Callable[[Ints, Ints], Bools]) -> Result:
    left, right = _two(reference, cut)
    k = window_size(left) if window is None else window
    if k < 1:
        raise ValueError(f"window must be 1 or more, not {k}")
    windows = len(left) + 1 - k
    if windows < 1:
        return Result(None, f"a window of {k} needs more than {k} sentences")
    inside = []
    for gaps in (left, right):
        before = np.concatenate(([0], np.cumsum(gaps, dtype=np.int64)))
        inside.append(before[k:] - before[:-k])
    return Result(int(differ(inside[0], inside[1]).sum()) / windows, of=windows)


def _gaps(values: ArrayLike) -> Bools:
    gaps = np.asarray(values, dtype=bool)
    if gaps.ndim != 1:
        raise ValueError(f"boundaries must be an array of one dimension, not {gaps.ndim}")
    return gaps


def _two(reference: ArrayLike, cut: ArrayLike) -> tuple[Bools, Bools]:
    left, right = _gaps(reference), _gaps(cut)
    if len(left) != len(right):
        raise ValueError(f"the two sides must be of the same text: {len(left)} gaps are not {len(right)}")
    return left, right
