"""The size at which one strategy's chunks are on average as large as another's: what makes the two comparable."""

from __future__ import annotations

from collections.abc import Callable
from statistics import fmean

from chunkviz.chunking import Chunking


def mean_size(made: Chunking) -> float:
    """Mean size of the chunks in the unit of the recipe. Raises `ValueError` where there is none."""
    if not made.chunks:
        raise ValueError("a cut without chunks has no mean size")
    return fmean(c.tokens for c in made.chunks)


def size_of_mean(wanted: float, cut: Callable[[int], Chunking]) -> int:
    """The `size` at which the chunks of `cut(size)` have a mean size nearest to `wanted`; of two equally near the smaller.

    wanted : more than 0, in the unit that `cut` counts
    cut    : size to chunking, of a strategy whose chunks grow with their size; called about 2 * log2(wanted) times
    Where the document is too short for chunks as large as that, it is the smallest size that leaves it whole.
    """
    low, high = 1, 2
    while (made := cut(high)) and len(made.chunks) > 1 and mean_size(made) < wanted:
        low, high = high, 2 * high
    while low < high:
        middle = (low + high) // 2
        made = cut(middle)
        if len(made.chunks) > 1 and mean_size(made) < wanted:
            low = middle + 1
        else:
            high = middle
    nearest = [size for size in (low - 1, low) if size]
    return min(nearest, key=lambda size: abs(mean_size(cut(size)) - wanted))
