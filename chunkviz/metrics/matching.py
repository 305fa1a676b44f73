"""Points on a line matched one to one: as many pairs as possible, and as close as possible."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence


def matched(left: Sequence[int], right: Sequence[int], tolerance: int) -> list[tuple[int, int]]:
    """Pairs (a, b) with |a - b| <= `tolerance`, each point in at most one; in order.

    left, right : strictly increasing
    Of all matchings with the most pairs, one with the smallest sum of distances. Two pairs never need to cross: if
    they do, swapping their partners keeps both within the tolerance and makes the sum no larger. So the best result for
    the first i points of `left` and the first j of `right` follows from those for fewer, and only the j that lie
    around i matter: len(left) x (2 x tolerance + 1) steps.

    >>> matched([5, 9], [4, 5, 6], 1)
    [(5, 5)]
    >>> matched([5, 6], [4, 5], 1)
    [(5, 4), (6, 5)]
    """
    pair = tolerance * min(len(left), len(right)) + 1  # what a pair is worth: more than all distances together
    rows = [_Row(0, [0])]
    for a in left:
        low, above = bisect_left(right, a - tolerance), rows[-1]
        values = [above[low]]
        for j in range(low + 1, bisect_right(right, a + tolerance) + 1):
            values.append(max(above[j], values[-1], above[j - 1] + pair - abs(a - right[j - 1])))
        rows.append(_Row(low, values))

    found = []
    i, j = len(left), len(right)
    while i > 0:
        row, above = rows[i], rows[i - 1]
        j = min(j, row.last)
        if row[j] == above[j]:
            i -= 1
        elif row[j] == row[j - 1]:
            j -= 1
        else:
            i, j = i - 1, j - 1
            found.append((left[i], right[j]))
    return found[::-1]


class _Row:
    """Best values for the first points of `left`, by the number of points of `right`; the same from `last` on."""

    __slots__ = ("first", "last", "values")

    def __init__(self, first: int, values: list[int]) -> None:
        self.first, self.last, self.values = first, first + len(values) - 1, values

    def __getitem__(self, j: int) -> int:
        return self.values[min(j, self.last) - self.first]
