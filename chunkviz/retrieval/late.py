"""Late chunking: a chunk's vector is the mean of its tokens' vectors inside the whole document.

Every token has read what surrounds it, so "it" and "the former" carry what they stand for, also where a cut parts them
from it. Source: Günther and others 2024, Late Chunking, https://arxiv.org/abs/2409.04701
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol, cast, runtime_checkable

import numpy as np

from chunkviz.document import Document
from chunkviz.embed import DEFAULT, Embedder, Progress, TokenVectors, Vectors, VectorStore, embed
from chunkviz.errors import EmbedderError
from chunkviz.retrieval.index import Entry


@runtime_checkable
class ContextualEmbedder(Protocol):
    """An embedder that gives the vectors of all tokens of a text of any length, each in its context."""

    def contextual(self, text: str) -> TokenVectors:
        """The tokens in order; a long text is read in windows."""


class Pooled(NamedTuple):
    """float32 (n, d) unit rows; distinct chunks pooled now and those that were stored; seconds."""

    vectors: Vectors
    fresh: int
    known: int
    seconds: float


def pooled(
    documents: Mapping[str, Document],
    entries: Sequence[Entry],
    who: Embedder,
    *,
    store: VectorStore | None = None,
    progress: Progress | None = None,
) -> Pooled:
    """The vectors of chunks by late chunking, from the store where it has them.

    Raises `EmbedderError` for a model that gives no vectors of tokens.
    """
    began = time.monotonic()
    made: list[Vectors] = []
    fresh = known = 0
    for reader, texts in late_texts(documents, entries, who):
        part = embed([name for name, _ in texts], reader, store=store, progress=progress)
        made.append(part.vectors)
        fresh += part.fresh
        known += part.known
    return Pooled(np.concatenate(made), fresh, known, time.monotonic() - began)


def late_texts(
    documents: Mapping[str, Document], entries: Sequence[Entry], who: Embedder
) -> list[tuple[Embedder, list[tuple[str, str]]]]:
    """For each document the embedder of its spans, and for each chunk its name there and its text.

    Raises `EmbedderError` for a model that gives no vectors of tokens.
    """
    if not isinstance(who, ContextualEmbedder):
        raise EmbedderError(
            f"Late chunking needs vectors of single tokens, which {who.name} does not give. Use {DEFAULT}."
        )
    found: list[tuple[Embedder, list[tuple[str, str]]]] = []
    for name, document in documents.items():
        chunks = [e.chunk for e in entries if e.document == name]
        if chunks:
            texts = [(f"{chunk.start}:{chunk.end}", chunk.text) for chunk in chunks]
            found.append((_InDocument(document, cast(_Both, who)), texts))
    return found


class _Both(Embedder, ContextualEmbedder, Protocol):
    """An embedder that also reads whole documents."""


class _InDocument:
    """An embedder whose texts are spans of one document, "start:end": so the store keeps their vectors like all others."""

    def __init__(self, document: Document, who: _Both) -> None:
        text = hashlib.sha256(document.text.encode("utf-8", "surrogatepass")).hexdigest()
        self.name = f"{who.name}, late chunking"
        self.revision = f"{who.revision}, document {text}"
        self.settings = who.settings
        self.dimensions = who.dimensions
        self.limit: int | None = None
        self._document = document
        self._contextual = who.contextual

    def __call__(self, texts: Sequence[str]) -> Vectors:
        tokens = self._contextual(self._document.text)
        spans = np.array([[int(word) for word in text.split(":")] for text in texts], dtype=np.int64)
        return mean_of_tokens(tokens, spans[:, 0], spans[:, 1])


def mean_of_tokens(
    tokens: TokenVectors,
    starts: np.ndarray[tuple[int], np.dtype[np.int64]],
    ends: np.ndarray[tuple[int], np.dtype[np.int64]],
) -> Vectors:
    """float32 (n, d), unit rows: the mean vector of the tokens that share a character with each span.

    A span without any (the tokenizer passes over control characters) takes the token before it, or the first.
    Raises `EmbedderError` where the text has no token at all.
    """
    if not len(tokens.starts):
        raise EmbedderError("The embedding model finds no word in this document.")
    # Tokens are in order; the running maximum mends ends that a split accent reports out of order.
    first = np.searchsorted(np.maximum.accumulate(tokens.ends), starts, side="right")
    last = np.searchsorted(np.maximum.accumulate(tokens.starts), ends, side="left")
    first = np.minimum(first, len(tokens.starts) - 1)
    empty = last <= first
    first = np.where(empty, np.maximum(last - 1, 0), first)
    last = np.where(empty, first + 1, last)
    means = [tokens.vectors[a:b].mean(axis=0, dtype=np.float64) for a, b in zip(first, last, strict=True)]
    rows = np.array(means)
    unit: Vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit
