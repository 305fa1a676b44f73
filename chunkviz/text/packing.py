"""Packing: how many neighbouring parts fit into one chunk, and how many of them the next chunk repeats."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence


def packed(
    totals: Sequence[int], size: int, overlap: int, fits: Callable[[int, int], bool] | None = None
) -> Iterator[tuple[int, int]]:
    """Pack n parts greedily: half-open ranges of part numbers, in order.

    totals  : n + 1 prefix sums of the parts' lengths, `totals[0] == 0`; a part may be longer than `size`,
              then it stands alone
    size    : the parts of one range add up to at most this
    overlap : a range begins with the last parts of the one before that add up to at most this, as long as
              there is room for the next new part
    fits    : whether a range really fits, where the sum of its parts is only close to its length; a range that does
              not gives up parts from its end

    The rule is that of LangChain's `_merge_splits`, which removes parts from the front one by one. On prefix sums
    each of its loops is a search for one number, so the work is per chunk and not per part.

    >>> list(packed([0, 2, 4, 6, 8], size=4, overlap=2))
    [(0, 2), (1, 3), (2, 4)]
    """
    n = len(totals) - 1
    first = 0
    while first < n:
        # The last part that still fits; a part that is too long alone is taken alone.
        after = max(bisect_right(totals, totals[first] + size) - 1, first + 1)
        while fits and after - first > 1 and not fits(first, after):
            after -= 1
        yield first, after
        if after >= n:
            return
        keep = bisect_left(totals, totals[after] - overlap)
        room = bisect_left(totals, totals[after + 1] - size)
        # Parts of length 0 (a blank line, counted in words) leave nothing to remove: stop where nothing is left.
        empty = bisect_left(totals, totals[after])
        first = (
            max(first, keep, min(room, empty)) if fits is None else min(max(first + 1, keep, min(room, empty)), after)
        )
