"""Spans: half-open ranges of Python code points into `Document.text`, which never changes after loading.

This is the only definition of a position in chunkviz. Nothing here, or above, looks a text up again to find out
where it was: a position is carried from the first line that knows it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import starmap
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

_BLANK = re.compile(r"\s*")
_INK = re.compile(r"\S+")


class Span(NamedTuple):
    """`text[start:end]`; `start <= end`, both in code points."""

    start: int
    end: int

    @property
    def length(self) -> int:
        """Code points in it."""
        return self.end - self.start


class Spans(Sequence[Span]):
    """Many spans as two arrays, int64 (n,) each: a long document has too many sentences for an object each.

    >>> Spans([0, 4], [3, 9])[1]
    Span(start=4, end=9)
    """

    __slots__ = ("ends", "starts")

    def __init__(self, starts: Sequence[int] | NDArray[np.int64], ends: Sequence[int] | NDArray[np.int64]) -> None:
        self.starts = np.asarray(starts, dtype=np.int64)
        self.ends = np.asarray(ends, dtype=np.int64)

    def __len__(self) -> int:
        return len(self.starts)

    @overload
    def __getitem__(self, index: int) -> Span: ...
    @overload
    def __getitem__(self, index: slice) -> Spans: ...
    def __getitem__(self, index: int | slice) -> Span | Spans:
        if isinstance(index, slice):
            return Spans(self.starts[index], self.ends[index])
        return Span(int(self.starts[index]), int(self.ends[index]))

    def __iter__(self) -> Iterator[Span]:
        return starmap(Span, zip(self.starts.tolist(), self.ends.tolist(), strict=True))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Spans):
            return NotImplemented
        return np.array_equal(self.starts, other.starts) and np.array_equal(self.ends, other.ends)

    __hash__ = None  # type: ignore[assignment]  # it holds arrays, which can change

    def __repr__(self) -> str:
        return f"Spans({self.starts.tolist()}, {self.ends.tolist()})"


def trimmed(text: str, span: Span) -> Span:
    """Shrink `span` past outer white space; an all-blank span becomes empty at its start.

    White space is what `str.isspace` says, as in LangChain's `strip()`.

    >>> trimmed("  a b ", Span(0, 6))
    Span(start=2, end=5)
    """
    start, end = span
    while start < end and text[start].isspace():
        start += 1
    if start == end:
        return Span(span.start, span.start)
    while text[end - 1].isspace():
        end -= 1
    return Span(start, end)


def is_blank(text: str, start: int, end: int) -> bool:
    """Whether `text[start:end]` holds nothing but white space; true for an empty range."""
    match = _BLANK.match(text, start, end)
    return match is None or match.end() == end


def union(spans: Iterable[tuple[int, int]]) -> Iterator[Span]:
    """Merge ranges that touch or overlap, in order of their starts. The input may be in any order.

    >>> list(union([(4, 6), (0, 2), (1, 3), (6, 7)]))
    [Span(start=0, end=3), Span(start=4, end=7)]
    """
    current: list[int] | None = None
    for start, end in sorted(spans):
        if start >= end:
            continue
        if current is None:
            current = [start, end]
        elif start <= current[1]:
            current[1] = max(current[1], end)
        else:
            yield Span(*current)
            current = [start, end]
    if current is not None:
        yield Span(*current)


def gaps(spans: Iterable[tuple[int, int]], length: int) -> Iterator[Span]:
    """What of `[0, length)` no span covers.

    >>> list(gaps([(1, 3)], 5))
    [Span(start=0, end=1), Span(start=3, end=5)]
    """
    at = 0
    for start, end in union(spans):
        if at < start:
            yield Span(at, start)
        at = end
    if at < length:
        yield Span(at, length)


def lost(text: str, spans: Spans) -> Iterator[Span]:
    """The ranges of text outside `spans`, in any order, that hold something other than white space, trimmed.

    >>> list(lost("ab cd ef", Spans([0, 6], [2, 8])))
    [Span(start=3, end=5)]
    """
    order = np.argsort(spans.starts, kind="stable")
    reached = np.maximum.accumulate(np.concatenate(([0], spans.ends[order])))
    following = np.append(spans.starts[order], len(text))
    open_ = reached < following
    for start, end in zip(reached[open_].tolist(), following[open_].tolist(), strict=True):
        if not is_blank(text, start, end):
            yield trimmed(text, Span(start, end))


def ink(text: str, start: int, end: int) -> int:
    """How many characters of `text[start:end]` are not white space."""
    return sum(m.end() - m.start() for m in _INK.finditer(text, start, end))
