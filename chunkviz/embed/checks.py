"""What every embedder's texts and rows go through, wherever they come from and lead to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from chunkviz.embed.base import Vectors
from chunkviz.errors import EmbedderError

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_UNIT_WITHIN: Final = 1e-4


def encodable(text: str) -> str:
    """The text with U+FFFD for each lone surrogate, which no tokenizer and no JSON takes; its length stays."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def unit_rows(made: Any, texts: Sequence[str], who: str) -> Vectors:
    """float32 (len(texts), d): what an embedder returned, with every row of length 1.

    Raises `EmbedderError` where there are more or fewer rows than texts, or where a row has no direction: it is zero
    or holds something that is not a number. A cosine with such a row would be undefined, or NaN in every average.
    """
    vectors: Vectors = np.asarray(made, dtype=np.float32)
    if len(vectors) != len(texts):
        raise EmbedderError(f"{who} returned {len(vectors):,} vectors for {len(texts):,} texts.")
    if vectors.ndim != 2 or not vectors.shape[1]:
        raise EmbedderError(f"{who} returned an array of shape {vectors.shape}; it must be (texts, dimensions).")
    # In float64: squares of large float32 numbers overflow.
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64))
    wrong = np.flatnonzero(~np.isfinite(lengths) | (lengths == 0))
    if len(wrong):
        what = "a zero vector" if lengths[wrong[0]] == 0 else "a vector with values that are not numbers"
        text = texts[int(wrong[0])]
        shown = text if len(text) <= 40 else text[:40] + "…"
        raise EmbedderError(f"{who} returned {what} for text {int(wrong[0]) + 1:,} of {len(texts):,}, {shown!r}.")
    if np.abs(lengths - 1).max(initial=0.0) <= _UNIT_WITHIN:
        return vectors
    scaled: Vectors = (vectors / lengths[:, None]).astype(np.float32)
    return scaled
