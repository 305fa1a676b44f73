"""Borders of grapheme clusters: what a reader takes for one character (an emoji family, a flag, a letter with accents).

No chunk may begin or end inside one (P5). Most texts have a border nearly everywhere, so only the neighbourhood of a
position is looked at: between two *plain* characters there is always a border, and a run of others is split once,
by the `\\X` of the `regex` package, which follows the current Unicode.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

import numpy as np
import regex
from numpy.typing import NDArray

from chunkviz.code_points import code_points_at, is_blank_point
from chunkviz.document import Document
from chunkviz.spans import Span, Spans, is_blank, trimmed

_CLUSTER = regex.compile(r"\X")
PART: Final = 256
"""Code points in which clusters are looked for at once."""

# Characters that never join each other: two of these side by side always have a border between them, but for CR LF.
# Left out on purpose: combining marks, joiners, variation selectors, regional indicators, jamo, prepended signs, emoji.
_PLAIN_RANGES: Final = (
    (0x0000, 0x0300),  # Latin
    (0x0370, 0x0483),  # Greek, Cyrillic
    (0x048A, 0x0591),  # Cyrillic, Armenian
    (0x05D0, 0x05EB),  # Hebrew letters
    (0x0620, 0x064B),  # Arabic letters
    (0x0904, 0x093A),  # Devanagari letters
    (0x1E00, 0x200B),  # Latin with marks, Greek with marks, spaces
    (0x2010, 0x2028),  # dashes, quotes
    (0x3001, 0x302A),  # CJK punctuation
    (0x3041, 0x3097),  # Hiragana
    (0x30A1, 0x30FB),  # Katakana
    (0x3400, 0xA000),  # ideographs
    (0xAC00, 0xD7A4),  # Hangul syllables; a final jamo that could follow one is not in this list
    (0xFF01, 0xFF9E),  # full-width forms
)
_PLAIN = np.zeros(0x10000, dtype=bool)
for _low, _high in _PLAIN_RANGES:
    _PLAIN[_low:_high] = True


def _plain(code: int) -> bool:
    return code < 0x10000 and bool(_PLAIN[code])


class Graphemes:
    """Grapheme borders of one text. Positions are code points; 0 and `len(text)` are borders."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._simple = text.isascii() and "\r\n" not in text
        self._run_starts: list[int] = []
        self._runs: list[tuple[int, int, list[int]]] = []

    def _certain(self, i: int) -> bool:
        """Whether the characters left and right of `i` alone show a border there."""
        text = self._text
        if i <= 0 or i >= len(text):
            return True
        left, right = text[i - 1], text[i]
        return _plain(ord(left)) and _plain(ord(right)) and not (left == "\r" and right == "\n")

    def _run(self, i: int) -> tuple[int, int, list[int]]:
        """The stretch around `i` between two certain borders, with all borders in it; split once and remembered."""
        at = bisect_right(self._run_starts, i) - 1
        if at >= 0 and i < self._runs[at][1]:
            return self._runs[at]
        start = end = i
        while not self._certain(start):
            start -= 1
        while not self._certain(end):
            end += 1
        borders = [start, *_cluster_ends(self._text, start, end)]
        run = (start, end, borders)
        self._run_starts.insert(at + 1, start)
        self._runs.insert(at + 1, run)
        return run

    def is_border(self, i: int) -> bool:
        """Whether a cut at `i` splits no cluster."""
        return self.floor(i) == i

    def floor(self, i: int) -> int:
        """The last border at or before `i`."""
        if self._simple or self._certain(i):
            return i
        borders = self._run(i)[2]
        return borders[bisect_right(borders, i) - 1]

    def ceil(self, i: int) -> int:
        """The first border at or after `i`."""
        at = self.floor(i)
        if at == i:
            return i
        borders = self._run(i)[2]
        return borders[bisect_right(borders, i)]

    def ceil_all(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """`ceil` of each position; int64 of the same shape."""
        if self._simple:
            return positions
        moved = positions.copy()
        for i in np.flatnonzero(~self._certain_all(positions)).tolist():
            moved[i] = self.ceil(int(positions[i]))
        return moved

    def _certain_all(self, positions: NDArray[np.int64]) -> NDArray[np.bool_]:
        """`_certain` of each position."""
        last = len(self._text) - 1
        if last < 1:
            return np.ones(len(positions), dtype=np.bool_)
        inner = np.clip(positions, 1, last)
        left, right = code_points_at(self._text, inner - 1), code_points_at(self._text, inner)
        plain = _PLAIN[np.minimum(left, 0xFFFF)] & _PLAIN[np.minimum(right, 0xFFFF)] & ((left != 13) | (right != 10))
        found: NDArray[np.bool_] = plain | (positions <= 0) | (positions > last)
        return found

    def trimmed(self, start: int, end: int) -> Span:
        """`[start, end)` without outer white space, both ends on borders; empty where nothing is left.

        A blank that carries a combining mark is part of a character, and so is a line feed after a carriage return: both
        ends move back to the border before, so that the next span begins with what this one left. Where nothing but
        blanks is left, as behind a mark that joins the blank after it, nobody would: the end moves on instead.
        """
        span = trimmed(self._text, Span(start, end))
        return Span(self.floor(span.start), self.end(span.end) if span.length else self.floor(span.end))

    def trimmed_all(self, spans: Spans) -> Spans:
        """`trimmed` of each, without those of which nothing is left. None of `spans` is empty."""
        starts, ends = spans.starts.copy(), spans.ends.copy()
        firsts, lasts = code_points_at(self._text, starts), code_points_at(self._text, ends - 1)
        rough = is_blank_point(firsts) | is_blank_point(lasts)
        if not self._simple:
            rough |= ~(self._certain_all(starts) & self._certain_all(ends))
        for i in np.flatnonzero(rough).tolist():
            starts[i], ends[i] = self.trimmed(int(starts[i]), int(ends[i]))
        kept = starts < ends
        return Spans(starts[kept], ends[kept])

    def end(self, i: int) -> int:
        """Where a span that reaches to `i` ends: the border before, the one after where only blanks are between."""
        before = self.floor(i)
        if before == i:
            return i
        after = self.ceil(i)
        return after if is_blank(self._text, i, after) else before

    def next(self, i: int) -> int:
        """The first border after `i`; `len(text)` at the end."""
        return self.ceil(i + 1) if i < len(self._text) else i


def _cluster_ends(text: str, start: int, end: int) -> Iterator[int]:
    """Where the clusters of `text[start:end]` end, `start` being a border.

    In parts: among flags the pattern counts back to the first one for each, which is quadratic on a run of them.
    """
    while start < end:
        size = PART
        while True:
            part = text[start : min(end, start + size)]
            ends = [m.end() for m in _CLUSTER.finditer(part)]
            if start + len(part) >= end:
                yield from (start + e for e in ends)
                return
            if len(ends) > 1:  # the last one may go on behind the part
                yield from (start + e for e in ends[:-1])
                start += ends[-2]
                break
            size *= 2


def graphemes(document: Document) -> Graphemes:
    """The grapheme borders of a document, kept with it."""
    return document.derive("graphemes", lambda: Graphemes(document.text))
