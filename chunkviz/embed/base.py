"""What an embedder is: texts in, unit vectors out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
"""float32 (n, d): one row per text, each of length 1."""


class Embedder(Protocol):
    """Turns texts into unit vectors. Equal texts get equal vectors, whatever stands beside them in a call, within the
    rounding that `settings` names.

    name       : as recipes spell it
    revision   : what decides the vectors: a hash of the weights, or what the endpoint says of itself
    settings   : how they were computed ("torch, bfloat16"); with name and revision the key of every stored vector
    dimensions : d
    limit      : tokens of a text that the model reads, its own marks not counted; None where nobody knows
    """

    name: str
    revision: str
    settings: str
    dimensions: int
    limit: int | None

    def __call__(self, texts: Sequence[str]) -> Vectors:
        """float32 (len(texts), d), unit rows, in order. Raises `EmbedderError` where it cannot."""


def identity(who: Embedder) -> tuple[str, str, str]:
    """Name, revision and settings: all that decides the vectors of a text. Part of the key of whatever follows from them,
    since another model may answer to the same name: behind another address, with other weights, in another precision."""
    return who.name, who.revision, who.settings


class TokenVectors(NamedTuple):
    """The last layer's vectors of one text's tokens, without the model's own marks.

    vectors : float32 (t, d), each row of length 1
    starts, ends : int64 (t,), the code points of the text each token stands for
    """

    vectors: Vectors
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]


@runtime_checkable
class TokenEmbedder(Protocol):
    """An embedder that also gives the vectors of single tokens: for late chunking and late interaction."""

    def tokens(self, texts: Sequence[str]) -> list[TokenVectors]:
        """One `TokenVectors` per text; what lies beyond `limit` is cut off."""
