"""A passage: a part of one of several documents. What an index returns, and what answers a question."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Passage:
    """Code points, half-open, of the document with this id.

    tokens : its length in cl100k tokens, 0 where nobody counts
    pages  : numbers of the pages it touches; empty for a document without pages
    """

    document: str
    start: int
    end: int
    tokens: int = 0
    pages: tuple[int, ...] = ()

    @property
    def length(self) -> int:
        """Code points in it."""
        return self.end - self.start
