"""The set of cuts with the greatest total inner similarity under a size limit, by dynamic programming."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chunkviz.measures import Ints

_BLOCK = 2048


def band(vectors: NDArray[np.float32], reach: int) -> NDArray[np.float32]:
    """Similarities of each sentence with the `reach` before it: float32 (n, reach); [i, k] is that of i and i - 1 - k.

    0 where there is none. Memory is n * reach, never n * n.
    """
    n = len(vectors)
    found = np.zeros((n, reach), dtype=np.float32)
    for begin in range(0, n, _BLOCK):
        stop = min(begin + _BLOCK, n)
        for k in range(min(reach, stop - 1)):
            first = max(begin, k + 1)
            if first < stop:
                found[first:stop, k] = np.einsum(
                    "ij,ij->i", vectors[first:stop], vectors[first - 1 - k : stop - 1 - k], optimize=False
                )
    return found


def reaches(own: Ints, head: Ints, tail: Ints, size: int) -> Ints:
    """int64 (n,): the first sentence that may stand in one chunk with sentence i as its last, i itself at the latest.

    Sizes as in `turns`. The total grows with every sentence, so two pointers suffice.
    """
    n = len(own)
    found = np.empty(n, dtype=np.int64)
    heads, tails = head.tolist(), tail.tolist()
    first = 0
    for i in range(n):
        while first < i and tails[i] - heads[first] > size:
            first += 1
        found[i] = first
    return found


def best_cuts(pairs: NDArray[np.float32], reach: Ints, baseline: float) -> Ints:
    """First sentences of the chunks of the best cut; int64 ascending, the first is 0.

    pairs    : as from `band`
    reach    : as from `reaches`
    baseline : what two sentences must be alike to be better together than apart
    A chunk scores the sum over its pairs of (similarity - baseline); the cut with the greatest total wins, of equal ones
    that with the fewest chunks. O(n * longest chunk) time.
    """
    n = len(reach)
    score = np.zeros(n + 1)
    chunks = np.zeros(n + 1, dtype=np.int64)
    came = np.zeros(n, dtype=np.int64)
    # inner[k]: score of the chunk of the k + 1 sentences that end at i; grows by one row a step.
    inner = np.zeros(1)
    for i in range(n):
        most = i - int(reach[i])
        gains = np.cumsum(pairs[i, :most].astype(np.float64) - baseline)
        fresh = np.zeros(most + 1)
        fresh[1:] = inner[:most] + gains
        inner = fresh
        starts = np.arange(i, i - most - 1, -1)
        totals = score[starts] + inner
        best = np.flatnonzero(totals >= totals.max() - 1e-12)
        pick = best[np.argmin(chunks[starts[best]])]
        came[i] = starts[pick]
        score[i + 1] = totals[pick]
        chunks[i + 1] = chunks[starts[pick]] + 1
    firsts = []
    at = n
    while at > 0:
        at = int(came[at - 1])
        firsts.append(at)
    return np.array(firsts[::-1], dtype=np.int64)


def mean_pair(pairs: NDArray[np.float32], reach: Ints) -> float:
    """The mean similarity of all pairs that could stand in one chunk; 0 where there is none."""
    counts = np.arange(len(reach)) - reach
    inside = np.arange(pairs.shape[1])[None, :] < counts[:, None]
    total = int(counts.sum())
    return float(pairs[inside].sum(dtype=np.float64) / total) if total else 0.0
