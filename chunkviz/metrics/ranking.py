"""Rank metrics over one ranked list, as trec_eval defines them, with relevance yes or no.

`relevant` says of each retrieved passage, best first, whether it is relevant; it holds at most k of them.
`total` counts the relevant passages of the whole index.
"""

from __future__ import annotations

import math
from collections.abc import Sequence


def hit(relevant: Sequence[bool]) -> float:
    """1 where anything relevant was retrieved, else 0 (trec_eval: success).

    >>> hit([False, True])
    1.0
    """
    return float(any(relevant))


def precision(relevant: Sequence[bool], k: int) -> float | None:
    """Relevant among the first k, divided by k, also where fewer than k were retrieved (trec_eval: P). None for k = 0.

    >>> precision([False, True], 4)
    0.25
    """
    return sum(relevant) / k if k else None


def recall(found: int, total: int) -> float | None:
    """Relevant passages retrieved, of all relevant ones (trec_eval: recall). None where nothing is relevant.

    >>> recall(1, 4)
    0.25
    """
    return found / total if total else None


def reciprocal_rank(relevant: Sequence[bool]) -> float:
    """1 / rank of the first relevant passage, 0 where there is none (trec_eval: recip_rank).

    >>> reciprocal_rank([False, True, True])
    0.5
    """
    return 1 / (relevant.index(True) + 1) if True in relevant else 0.0


def ndcg(relevant: Sequence[bool], k: int, total: int) -> float | None:
    """Gains of 1 discounted by log2(1 + rank), of the most that k places and `total` relevant passages allow
    (trec_eval: ndcg_cut). None where nothing is relevant, or for k = 0.

    >>> ndcg([True, False], 2, 1), round(ndcg([False, True], 2, 1), 3)
    (1.0, 0.631)
    """
    best = sum(1 / math.log2(1 + rank) for rank in range(1, min(k, total) + 1))
    gained = sum(1 / math.log2(1 + rank) for rank, good in enumerate(relevant, 1) if good)
    return gained / best if best else None


def f1(found: frozenset[object], wanted: frozenset[object]) -> float | None:
    """Harmonic mean of precision and recall of two sets. None where both are empty.

    >>> f1(frozenset("ab"), frozenset("a")) == 2 / 3
    True
    """
    return 2 * len(found & wanted) / (len(found) + len(wanted)) if found or wanted else None
