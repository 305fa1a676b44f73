"""What a strategy makes of a document, after the engine has checked it: chunks, what was dropped, notes, the recipe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chunkviz.document import Document
from chunkviz.recipe import Recipe
from chunkviz.spans import Span, Spans

NO_FLAGS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """A span of the document; its text is read from the document, never stored beside it.

    start, end   : code points, half-open, into `document.text`
    index        : 0-based place among the chunks
    tokens       : what the recipe's unit counts for `text`, exactly
    reason       : why the chunk ends where it ends
    heading_path : titles of the headings its start stands under, outermost first
    pages        : numbers of the pages it touches; empty for a document without pages
    context      : text to embed with the chunk that is not part of it; "" for none
    flags        : name to reason, for example {"oversize": "one grapheme of 7 tokens, larger than size=4"}
    rewrite      : text that a model made from the span and that is embedded instead of it; None for every other strategy
    """

    document: Document = field(repr=False)
    start: int
    end: int
    index: int
    tokens: int
    reason: str
    heading_path: tuple[str, ...] = ()
    pages: tuple[int, ...] = ()
    context: str = ""
    flags: Mapping[str, str] = field(default_factory=lambda: NO_FLAGS)
    rewrite: str | None = None

    @property
    def text(self) -> str:
        return self.document.text[self.start : self.end]

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)

    def to_dict(self) -> dict[str, Any]:
        """The row of an export: `index start end tokens text reason heading_path pages context flags` and `rewrite`."""
        row: dict[str, Any] = {
            "index": self.index,
            "start": self.start,
            "end": self.end,
            "tokens": self.tokens,
            "text": self.text,
            "reason": self.reason,
            "heading_path": list(self.heading_path),
            "pages": list(self.pages),
            "context": self.context,
            "flags": dict(self.flags),
        }
        if self.rewrite is not None:
            row["rewrite"] = self.rewrite
        return row


@dataclass(frozen=True, slots=True)
class Dropped:
    """A span left out on purpose, and why."""

    start: int
    end: int
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """One value per gap between neighbouring sentences.

    sentences : spans of the n sentences
    positions : int64 (n - 1,), the code point at which the right-hand sentence of each gap starts
    values    : float64 (n - 1,), cosine similarity of the windows left and right of the gap, in [-1, 1]
    threshold : the value below which a gap is a cut; None where the kind of threshold has no single value
    defined   : bool (n - 1,), which values are; the others, next to sentences without a letter, are 1.0
    turns     : what cuts the document again at another threshold, a `similarity.Turns`; None where nothing does
    """

    sentences: Spans
    positions: NDArray[np.int64]
    values: NDArray[np.float64]
    threshold: float | None
    defined: NDArray[np.bool_] | None = None
    turns: Any = None


@dataclass(frozen=True, eq=False)
class Chunking:
    """One document cut by one recipe. Made by `engine.run` only, which checks P1 to P5 before it hands it out.

    dropped : spans left out on purpose, each with a reason
    notes   : fallbacks that were taken, in words
    curve   : for strategies that have one, else None
    unit    : what `tokens` counts, the id of the recipe's unit
    """

    document: Document
    chunks: tuple[Chunk, ...]
    recipe: Recipe
    dropped: tuple[Dropped, ...] = ()
    notes: tuple[str, ...] = ()
    curve: Curve | None = None

    @property
    def unit(self) -> str:
        return self.recipe.unit

    @property
    def spans(self) -> list[Span]:
        return [c.span for c in self.chunks]

    @cached_property
    def bounds(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Starts and ends of the chunks, int64 (n,) each: every measure asks for them."""
        pairs = np.array([(c.start, c.end) for c in self.chunks], dtype=np.int64).reshape(-1, 2)
        return pairs[:, 0].copy(), pairs[:, 1].copy()

    def __repr__(self) -> str:
        return f"Chunking({self.recipe.strategy!r}, {len(self.chunks):,} chunks of {self.document!r})"
