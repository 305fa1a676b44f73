"""Joining ranked lists whose scores cannot be compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

CONSTANT: Final = 60
"""How little the very first places count more than those behind: the value of the paper."""

DEPTH: Final = 100
"""How far down each list is looked at."""


def reciprocal_rank_fusion(orders: Sequence[NDArray[np.int64]], size: int) -> NDArray[np.float64]:
    """float64 (size,): for each item the sum over the lists of 1 / (60 + rank), 0 where it is in none.

    orders : in each list, the numbers of its items, best first
    size   : how many items there are
    Source: Cormack, Clarke and Buettcher 2009, Reciprocal Rank Fusion outperforms Condorcet.

    >>> reciprocal_rank_fusion([np.array([1, 0])], 3).tolist() == [1 / 62, 1 / 61, 0]
    True
    """
    joined = np.zeros(size)
    for order in orders:
        first = order[:DEPTH]
        joined[first] += 1 / (CONSTANT + 1 + np.arange(len(first)))
    return joined
