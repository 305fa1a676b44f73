"""The curve: one similarity per gap between neighbouring sentences."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_BLOCK = 4096
"""Gaps worked on at once: rows of float64 for 60,000 sentences would take 180 MB."""


def similarities(vectors: NDArray[np.float32], telling: Bools, window: int = 1) -> tuple[Floats, Bools]:
    """Cosine similarity of the sentences before and after each gap, computed in float64.

    vectors : float32 (n, d), one row per sentence
    telling : bool (n,), which sentences say anything: those without a letter or digit are passed over, as if they
              were not there, and no gap in front of one is a place to cut
    window  : how many sentences on each side; their vectors are added up
    Returns values (n - 1,) in [-1, 1], and which of them are defined; the others are 1.0, never NaN.

    >>> similarities(np.eye(3, dtype=np.float32)[[0, 0, 1]], np.ones(3, dtype=bool))[0].tolist()
    [1.0, 0.0]
    """
    gaps = max(len(vectors) - 1, 0)
    values, defined = np.ones(gaps), np.zeros(gaps, dtype=np.bool_)
    at = np.flatnonzero(telling)
    if len(at) < 2:
        return values, defined
    gap_of = at[1:] - 1  # the gap right before each telling sentence but the first
    told = np.empty(len(at) - 1)
    for begin in range(0, len(told), _BLOCK):
        stop = min(begin + _BLOCK, len(told))
        # Sentences begin - window + 1 ... stop + window - 1 are seen from these gaps.
        low, high = max(0, begin - window + 1), min(len(at), stop + window)
        rows = vectors[at[low:high]].astype(np.float64)
        left, right = np.zeros((stop - begin, rows.shape[1])), np.zeros((stop - begin, rows.shape[1]))
        gap = np.arange(begin, stop)
        for step in range(window):
            before, after = gap - step, gap + 1 + step
            inside = before >= 0
            left[inside] += rows[before[inside] - low]
            inside = after < len(at)
            right[inside] += rows[after[inside] - low]
        norms = np.sqrt(np.einsum("ij,ij->i", left, left) * np.einsum("ij,ij->i", right, right))
        dots = np.einsum("ij,ij->i", left, right)
        # Vectors that cancel each other out point nowhere: as much alike as anything.
        told[begin:stop] = np.divide(dots, norms, out=np.ones_like(dots), where=norms > 1e-12)
    values[gap_of] = np.clip(told, -1.0, 1.0)
    defined[gap_of] = True
    return values, defined


def prominences(heights: Floats) -> Floats:
    """How far each peak stands out: its height above the higher of the two valleys that part it from higher ground.

    0 for what is no peak; the first and the last value never are. A flat peak counts once, in its middle.
    The definition is that of `scipy.signal.peak_prominences`, in one pass with a stack for each side.

    >>> prominences(np.array([0.0, 3.0, 1.0, 2.0, 0.0])).tolist()
    [0.0, 3.0, 0.0, 1.0, 0.0]
    """
    n = len(heights)
    found = np.zeros(n)
    if n < 3:
        return found
    values = heights.tolist()
    left = _valleys(values)
    right = _valleys(values[::-1])[::-1]
    i = 1
    while i < n - 1:
        if values[i - 1] < values[i]:
            j = i
            while j + 1 < n and values[j + 1] == values[i]:
                j += 1
            if j + 1 < n and values[j + 1] < values[i]:
                middle = (i + j) // 2
                found[middle] = values[i] - max(left[i], right[j])
            i = j + 1
        else:
            i += 1
    return found


def _valleys(values: list[float]) -> list[float]:
    """For each value the lowest one on the way left to a higher one, or to the beginning."""
    lowest: list[float] = []
    stack: list[tuple[float, float]] = []  # heights that fall, each with the lowest value since the one before
    for value in values:
        low = value
        while stack and stack[-1][0] <= value:
            low = min(low, stack.pop()[1])
        lowest.append(low)
        stack.append((value, low))
    return lowest
