"""Embedders for tests: quick, and with vectors that anyone can work out from the text."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import shake_128

import numpy as np

from chunkviz.embed import Vectors


def hashed(text: str, dimensions: int = 16) -> Vectors:
    """float32 (dimensions,): a unit vector that is a function of the text."""
    digest = shake_128(text.encode("utf-8", "surrogatepass")).digest(dimensions)
    vector = np.frombuffer(digest, dtype=np.uint8).astype(np.float32) - 127.25
    return (vector / np.linalg.norm(vector)).astype(np.float32)


class Hashed:
    """`hashed` for every text; `asked` keeps what each call was asked for."""

    name = "hashed"
    revision = "1"
    settings = "SHAKE-128"
    limit: int | None = None

    def __init__(self, dimensions: int = 16) -> None:
        self.dimensions = dimensions
        self.asked: list[list[str]] = []

    def __call__(self, texts: Sequence[str]) -> Vectors:
        self.asked.append(list(texts))
        rows = [hashed(text, self.dimensions) for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(rows), self.dimensions)
