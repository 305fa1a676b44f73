"""How many chunks there are, and how large they are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from chunkviz.chunking import Chunking
from chunkviz.metrics.base import Metric, Result
from chunkviz.metrics.places import chunk_findings


def tokens(chunking: Chunking) -> NDArray[np.int64]:
    """int64 (n,): the size of each chunk in the recipe's unit."""
    return np.array([c.tokens for c in chunking.chunks], dtype=np.int64)


def quantile(values: NDArray[np.int64], q: float) -> int | None:
    """The smallest value that at least the share `q` of all values does not exceed (nearest rank); None for none.

    >>> quantile(np.array([1, 2, 3, 100]), 0.5), quantile(np.array([7]), 0.95)
    (2, 7)
    """
    if not len(values):
        return None
    rank = max(1, int(np.ceil(q * len(values))))
    return int(np.sort(values)[rank - 1])


def _at(q: float) -> Callable[[Chunking], Result]:
    def compute(chunking: Chunking) -> Result:
        value = quantile(tokens(chunking), q)
        return Result(value, "" if value is not None else "no chunks")

    return compute


def _oversize(chunking: Chunking) -> Result:
    flagged = [c for c in chunking.chunks if "oversize" in c.flags]
    return Result(len(flagged), of=len(chunking.chunks), findings=chunk_findings(flagged))


def _metric(name: str, title: str, q: float, help_: str) -> Metric:
    return Metric(
        id=f"tokens.{name}",
        title=title,
        unit="tokens",
        low=1,
        high=None,
        better="neither",
        help=help_,
        formula=f"nearest rank at {q:.0%} of the chunks sorted by size" if 0 < q < 1 else f"the {name} over all chunks",
        source="nearest-rank quantile",
        compute=_at(q),
    )


SIZES = (
    Metric(
        id="chunks",
        title="Chunks",
        unit="chunks",
        low=0,
        high=None,
        better="neither",
        help="How many pieces the document is cut into. Each is stored, embedded and searched on its own.",
        formula="number of chunks",
        source="ours",
        compute=lambda chunking: Result(len(chunking.chunks)),
    ),
    _metric("min", "Smallest", 0.0, "The smallest chunk. Very small ones say too little to be found."),
    _metric("median", "Typical", 0.5, "Half of the chunks are no larger than this (median)."),
    _metric("p95", "Large", 0.95, "95 of 100 chunks are no larger than this (95th percentile)."),
    _metric("max", "Largest", 1.0, "The largest chunk."),
    Metric(
        id="oversize",
        title="Over the limit",
        unit="chunks",
        low=0,
        high=None,
        better="lower",
        help="Chunks that are larger than the size you set; each says why.",
        formula="chunks flagged oversize",
        source="ours",
        compute=_oversize,
    ),
)
