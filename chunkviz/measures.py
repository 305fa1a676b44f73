"""Counting any span of one text exactly, without tokenizing it again.

A measure holds the text's unit borders as prefix sums and re-counts only the few characters at each end of a span
that a cut can change. Why that is exact:

    Tokenizers first split a text into pieces with a pattern and then work inside each piece. A *seam* is a position
    where every such split has a border, whatever stands before or after: between a visible character and a blank
    that is neither line end nor control character, and between a line end and a visible character other than a
    slash. No piece of the patterns used here crosses a seam, and none looks past one. So for a span [s, e) with
    first seam a and last seam b:

        count(s, e) = count(text[s:a]) + borders between a and b + count(text[b:e])

`tests/test_units.py` holds this to plain counting on generated text, for every unit.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from chunkviz.code_points import BLANK, code_points, is_blank_point

Ints = NDArray[np.int64]
Int32s = NDArray[np.int32]


class Measure(Protocol):
    """Counts in one unit over one text. Positions are code points."""

    @property
    def borders(self) -> Ints:
        """int64 (n + 1,), never decreasing: where each of the text's n units begins, and where the last one ends.

        A token that begins inside a character is given the position after that character.
        """

    def count(self, start: int, end: int) -> int:
        """Units in `text[start:end]` counted alone, exactly."""

    def counts(self, starts: Ints, ends: Ints) -> Ints:
        """`count` for many spans at once; int64 of the same shape."""

    def edges(self, starts: Ints, ends: Ints) -> tuple[Ints, Ints]:
        """Heads and tails, int64 of the same shapes: `tails[j] - heads[i]` is the count of the text from `starts[i]` to
        `ends[j]`, without a look at it. Exact where a seam (see the top of this file) lies between the two; where there
        is none, as in scripts without blanks, it may be off by a few."""


class Characters:
    """Code points."""

    def __init__(self, text: str) -> None:
        self._length = len(text)

    @cached_property
    def borders(self) -> Ints:
        return np.arange(self._length + 1, dtype=np.int64)

    def count(self, start: int, end: int) -> int:
        return end - start

    def counts(self, starts: Ints, ends: Ints) -> Ints:
        return ends - starts

    def edges(self, starts: Ints, ends: Ints) -> tuple[Ints, Ints]:
        return starts, ends


_WORD = re.compile(r"\S+")


class Words:
    """Words are runs of anything but white space. A span that cuts a word counts the part it holds as one."""

    def __init__(self, text: str) -> None:
        spans = np.array([m.span() for m in _WORD.finditer(text)], dtype=np.int64).reshape(-1, 2)
        self._starts, self._ends = spans[:, 0].copy(), spans[:, 1].copy()
        self.borders: Ints = np.append(self._starts, self._ends[-1:] if len(self._ends) else [0]).astype(np.int64)

    def count(self, start: int, end: int) -> int:
        return int(self.counts(np.array([start]), np.array([end]))[0])

    def counts(self, starts: Ints, ends: Ints) -> Ints:
        first = np.searchsorted(self._ends, starts, side="right")
        last = np.searchsorted(self._starts, ends, side="left")
        return np.where(starts < ends, np.maximum(last - first, 0), 0).astype(np.int64)

    def edges(self, starts: Ints, ends: Ints) -> tuple[Ints, Ints]:
        first = np.searchsorted(self._ends, starts, side="right")
        return first.astype(np.int64), np.searchsorted(self._starts, ends, side="left").astype(np.int64)


_PARTS_WORDS = BLANK.copy()
_PARTS_WORDS[[0x0A, 0x0D, 0x0B, 0x0C, 0x1C, 0x1D, 0x1E, 0x1F, 0x85]] = False


def seams(points: NDArray[np.uint32]) -> Ints:
    """Positions where every tokenizer here has a border, whatever surrounds them; see the top of this file."""
    if len(points) < 2:
        return np.empty(0, dtype=np.int64)
    blank = is_blank_point(points)
    line_end = (points == 10) | (points == 13)
    left, right = slice(None, -1), slice(1, None)
    # BERT's tokenizer drops control characters and joins what they parted, also those that Python calls white space.
    parts_words = _PARTS_WORDS[np.minimum(points, len(_PARTS_WORDS) - 1)]
    word_end = ~blank[left] & parts_words[right]
    # The slash: o200k_base takes line ends and slashes that follow punctuation into one piece.
    line_start = line_end[left] & ~blank[right] & (points[right] != ord("/"))
    return (np.flatnonzero(word_end | line_start) + 1).astype(np.int64)


def characters_of_bytes(text: str, positions: Ints) -> tuple[Ints, Ints]:
    """Code point indices of UTF-8 byte positions: the character each one is in, and the first one at or after it.

    The two differ where a position is inside a character. The last position may be the length in bytes.
    """
    if text.isascii():
        return positions, positions
    data = np.frombuffer(text.encode("utf-8"), dtype=np.uint8)
    begun = np.concatenate(([0], np.cumsum((data & 0xC0) != 0x80), [len(text) + 1])).astype(np.int64)
    return begun[positions + 1] - 1, begun[positions]


FAR = 400
"""Code points. A seam further away is not worth counting to: the tokens that the whole text has there are taken."""


BLOCK = 250_000
"""Code points worked on at once: what a pass over a long text needs beside it then fits where it has just been."""


def blocks(text: str) -> Iterator[tuple[int, int, Ints]]:
    """The text parted at seams: start, end, and the seams in it, counted from its start; its end is one but at the last.

    Blocks have about `BLOCK` code points, more where there is no seam for long.
    """
    start, length = 0, BLOCK
    while start < len(text):
        end = min(len(text), start + length)
        found = seams(code_points(text[start:end]))
        if end == len(text):
            yield start, end, found
            return
        if len(found):
            end = start + int(found[-1])
            yield start, end, found
            start, length = end, BLOCK
        else:
            length *= 2


class Growing:
    """An array that is filled block by block in its final place: no second copy of what takes long to fill once."""

    def __init__(self, dtype: type[np.int64] | type[np.int32]) -> None:
        self._array: NDArray[Any] = np.empty(0, dtype=dtype)
        self.size = 0

    def expect(self, times: float) -> None:
        """Make room for so many times what is there; memory that is never written to costs nothing."""
        self._room(int(self.size * times * 1.1) + 16)

    def add(self, values: NDArray[Any], offset: int) -> None:
        """Append `values + offset`."""
        end = self.size + len(values)
        if end > len(self._array):
            self._room(end if not self.size else 2 * end)
        np.add(values, offset, out=self._array[self.size : end], casting="unsafe")
        self.size = end

    def _room(self, capacity: int) -> None:
        if capacity <= len(self._array):
            return
        array = np.empty(capacity, dtype=self._array.dtype)
        array[: self.size] = self.filled
        self._array = array

    @property
    def filled(self) -> NDArray[Any]:
        """What was added so far."""
        return self._array[: self.size]


class Tokens:
    """A measure over a tokenizer: borders from one pass over the text, re-counting at the ends of a span.

    encode : a part of the text -> borders int64 (n + 1,) as in `Measure.borders`, and begins int64 (n,): the character
             in which each token begins, which is a border only where it is that character's start
    count  : tokens of a text counted alone
    """

    def __init__(self, text: str, encode: Callable[[str], tuple[Ints, Ints]], count: Callable[[str], int]) -> None:
        self._text = text
        self._count = count
        borders, seams_, before = Growing(np.int64), Growing(np.int32), Growing(np.int32)
        for start, end, inside in blocks(text):
            at, begins = encode(text[start:end])
            # Tokens that begin before each seam. A seam is a border, so this is the exact count of text[:seam].
            before.add(np.searchsorted(begins, inside, side="left"), borders.size)
            seams_.add(inside, start)
            borders.add(at[:-1], start)
            if not start and end < len(text):
                for growing in (borders, seams_, before):
                    growing.expect(len(text) / end)
        borders.add(np.array([len(text)]), 0)
        self.borders: Ints = borders.filled
        self._seams: Int32s = seams_.filled
        self._before: Int32s = before.filled
        self._short: dict[str, int] = {}

    def _part(self, start: int, end: int) -> int:
        """Tokens of the text at one end of a span; short ones are remembered, since “ the.” comes back all the time."""
        part = self._text[start:end]
        known = self._short.get(part)
        if known is None:
            known = self._count(part)
            if len(part) <= 40 and len(self._short) < 200_000:
                self._short[part] = known
        return known

    @cached_property
    def _views(self) -> tuple[memoryview, memoryview]:
        # A search in an array costs ten times that in a view of it; a list of a million numbers costs more than it saves.
        return self._seams.data, self._before.data

    def count(self, start: int, end: int) -> int:
        seams_, before = self._views
        first, last = bisect_left(seams_, start), bisect_right(seams_, end) - 1
        if last < first:
            return self._part(start, end) if start < end else 0
        a, b = seams_[first], seams_[last]
        total = before[last] - before[first]
        if start < a:
            total += self._part(start, a)
        if b < end:
            total += self._part(b, end)
        return total

    def counts(self, starts: Ints, ends: Ints) -> Ints:
        if len(starts) < 50 or not len(self._seams):
            pairs = zip(starts.tolist(), ends.tolist(), strict=True)
            return np.array([self.count(s, e) for s, e in pairs], dtype=np.int64)
        first = np.searchsorted(self._seams, starts.astype(np.int32), side="left")
        last = np.searchsorted(self._seams, ends.astype(np.int32), side="right") - 1
        joined = last >= first
        first = np.minimum(first, len(self._seams) - 1)
        last = np.maximum(last, 0)
        head_end = np.where(joined, self._seams[first], ends)
        tail_start = np.where(joined, self._seams[last], ends)
        total = np.where(joined, self._before[last] - self._before[first], 0).astype(np.int64)
        for i in np.flatnonzero(starts < head_end).tolist():
            total[i] += self._part(int(starts[i]), int(head_end[i]))
        for i in np.flatnonzero(tail_start < ends).tolist():
            total[i] += self._part(int(tail_start[i]), int(ends[i]))
        return total

    def edges(self, starts: Ints, ends: Ints) -> tuple[Ints, Ints]:
        # The beginning of the text counts as a seam here, and so does its end: no token stands outside.
        where = np.concatenate(([0], self._seams, [len(self._text)]))
        before = np.concatenate(([0], self._before, [len(self.borders) - 1]))
        after = where[np.searchsorted(where, starts, side="left")]
        last = np.searchsorted(where, ends, side="right") - 1
        heads = before[np.searchsorted(where, starts, side="left")].astype(np.int64)
        tails = before[last].astype(np.int64)
        near = after - starts <= FAR
        for i in np.flatnonzero(near & (starts < after)).tolist():
            heads[i] -= self._part(int(starts[i]), int(after[i]))
        heads[~near] = np.searchsorted(self.borders, starts[~near], side="left")
        seam = where[last]
        near = ends - seam <= FAR
        for i in np.flatnonzero(near & (seam < ends)).tolist():
            tails[i] += self._part(int(seam[i]), int(ends[i]))
        tails[~near] = np.searchsorted(self.borders, ends[~near], side="left")
        return heads, tails
