"""What the embedding model does not read: it stops at its limit without saying so."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chunkviz.chunking import Chunking
from chunkviz.metrics.base import Metric, Result
from chunkviz.metrics.places import bounds, chunk_findings
from chunkviz.units import EMBEDDING_LIMIT, EMBEDDING_MODEL, unit

_MOST_KEPT = 8
"""Cuts of one document whose counts are kept: four columns, and where the sliders of each come from."""


def model_tokens(chunking: Chunking) -> NDArray[np.int64]:
    """int64 (n,): the size of each chunk as the embedding model counts it, without its two special tokens.

    Counted once for a cut, however many measures ask: where a text has no blanks, every chunk is read as a whole.
    """
    starts, ends = bounds(chunking)
    kept: dict[bytes, NDArray[np.int64]] = chunking.document.derive("model tokens", dict)
    key = starts.tobytes() + ends.tobytes()
    counts = kept.get(key)
    if counts is None:
        counts = unit(EMBEDDING_MODEL).measure(chunking.document).counts(starts, ends)
        counts.setflags(write=False)
        if len(kept) >= _MOST_KEPT:
            kept.clear()
        kept[key] = counts
    return counts


def unread(chunking: Chunking) -> NDArray[np.float64]:
    """float64 (n,): the share of each chunk that the embedding model cuts off, in [0, 1)."""
    counts = model_tokens(chunking)
    return np.maximum(counts - EMBEDDING_LIMIT, 0) / np.maximum(counts, 1)


def _chunks(chunking: Chunking) -> Result:
    over = np.flatnonzero(unread(chunking) > 0).tolist()
    found = chunk_findings(chunking.chunks[i] for i in over)
    return Result(len(over), of=len(chunking.chunks), findings=found)


def _share(chunking: Chunking) -> Result:
    counts = model_tokens(chunking)
    if not counts.sum():
        return Result(None, "no chunks")
    return Result(float(np.maximum(counts - EMBEDDING_LIMIT, 0).sum() / counts.sum()))


TRUNCATION = (
    Metric(
        id="truncated",
        title="Chunks cut short by the model",
        unit="chunks",
        low=0,
        high=None,
        better="lower",
        help=f"Chunks longer than the {EMBEDDING_LIMIT} word pieces that {EMBEDDING_MODEL} reads. It ignores the rest.",
        formula=f"chunks of more than {EMBEDDING_LIMIT} word pieces",
        source=f"max_seq_length 256 of {EMBEDDING_MODEL}, less [CLS] and [SEP]",
        compute=_chunks,
    ),
    Metric(
        id="unread",
        title="Text the model never reads",
        unit="share",
        low=0,
        high=1,
        better="lower",
        help=f"The part of all chunks that lies beyond the limit of {EMBEDDING_MODEL}, and so can never be found by meaning.",
        formula=f"word pieces beyond the first {EMBEDDING_LIMIT} of each chunk / word pieces of all chunks",
        source=f"max_seq_length 256 of {EMBEDDING_MODEL}, less [CLS] and [SEP]",
        compute=_share,
    ),
)
