"""The recursive splitter: biggest separator first, smaller ones inside what is still too long.

Three steps, for a range of the document:

1. Find the first separator of the list that occurs in the range, and part the range before each occurrence.
2. Parts shorter than `size` are packed into chunks; a part that is not is split again with the smaller separators.
3. Outer white space is trimmed off each chunk.

The chunks are those of LangChain's `RecursiveCharacterTextSplitter` (keep_separator="start"), text for text, with
the positions carried along instead of searched for afterwards. Where LangChain falls back to single characters, the
smallest part here is a grapheme cluster, so that no emoji or accented letter is taken apart: the one difference.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from chunkviz.code_points import code_points
from chunkviz.document import Document
from chunkviz.graphemes import Graphemes, graphemes
from chunkviz.measures import Ints, Measure
from chunkviz.spans import Span, is_blank, trimmed
from chunkviz.spec import Piece
from chunkviz.text.packing import packed
from chunkviz.text.separators import SETS, compiled, set_for

_MOST_REMEMBERED = 100_000
_COUNTED_ALONE = "its parts fit one by one, but the whole counts a little more than their sum"
_ONE_CHARACTER = "one character, which is never cut"
_NO_SEPARATOR = "no separator inside it to cut at"


@dataclass(frozen=True)
class RecursiveSplitter:
    """Splits ranges of one text. `separators` and `patterns` stand side by side; the pattern of "" is None.

    strict : count every chunk as a whole and keep it within `size`. LangChain adds up the lengths of the parts, which can
             be a token or two less; `recursive` does as LangChain does, everybody else is strict
    """

    text: str
    measure: Measure
    graphemes: Graphemes
    separators: Sequence[str]
    patterns: Sequence[re.Pattern[str] | None]
    size: int
    overlap: int
    strict: bool = False
    memo: dict[tuple[int, int, int], tuple[int, Ints, Ints]] = field(default_factory=dict, repr=False)

    def pieces(self, start: int, end: int) -> list[Piece]:
        """The chunks of `text[start:end]`, in order; none is blank, and no two are the same span."""
        found: list[Piece] = []
        for piece in self._split(start, end, 0):
            # Two windows over a run of blanks can trim to the same words; the second would only repeat the first.
            if not found or (piece.start, piece.end) != (found[-1].start, found[-1].end):
                found.append(piece)
        return found

    def _split(self, start: int, end: int, level: int) -> Iterator[Piece]:
        level, borders, lengths = self._parts(start, end, level)
        smaller = level + 1 < len(self.separators) and self.separators[level] != ""
        reason = self._reason(level)
        begin = 0
        for long in [*np.flatnonzero(lengths >= self.size).tolist(), len(lengths)]:
            yield from self._packed(borders[begin : long + 1], lengths[begin:long], reason)
            if long == len(lengths):
                return
            if smaller:
                yield from self._split(int(borders[long]), int(borders[long + 1]), level + 1)
            else:
                yield from self._whole(int(borders[long]), int(borders[long + 1]), reason)
            begin = long + 1

    def _parts(self, start: int, end: int, level: int) -> tuple[int, Ints, Ints]:
        """The level that parts the range, its borders and the lengths of the parts, worked out once for each range.

        Parts do not depend on `size`: whoever moves the slider meets the same ones again.
        """
        key = (start, end, level)
        known = self.memo.get(key)
        if known is None:
            level, borders = self._parted(start, end, level)
            known = (level, borders, self._lengths(borders, characters=self.patterns[level] is None))
            if len(self.memo) < _MOST_REMEMBERED:
                self.memo[key] = known
        return known

    def every_border(self) -> tuple[Ints, Ints]:
        """Every border that some `size` could need, single characters aside, with the level that makes it: what `_split`
        finds where each part is too long. int64 (n + 1,) each; the first and the last are the ends of the text, level 0.
        """
        text, end = self.text, len(self.text)
        borders, levels = np.array([0, end], dtype=np.int64), np.zeros(2, dtype=np.int64)
        for level, pattern in enumerate(self.patterns):
            if pattern is None:
                break
            if len(pattern.pattern) == 1 and pattern.pattern.isspace():
                found = self._occurrences(pattern, 0, end)
            else:
                # Inside each part, as `_split` looks: a match may not reach over a border that is there already.
                parts = zip(borders[:-1].tolist(), borders[1:].tolist(), strict=True)
                found = np.array([m.start() for s, e in parts for m in pattern.finditer(text, s, e)], dtype=np.int64)
            fresh = np.setdiff1d(found, borders)
            order = np.argsort(both := np.concatenate((borders, fresh)), kind="stable")
            borders, levels = both[order], np.concatenate((levels, np.full(len(fresh), level)))[order]
        return borders, levels

    def _lengths(self, borders: Ints, *, characters: bool) -> Ints:
        lengths = self.measure.counts(borders[:-1], borders[1:])
        if characters:
            # LangChain adds up code points one by one: so must we, or the windows behind an emoji would be others.
            for i in np.flatnonzero(np.diff(borders) > 1).tolist():
                points = range(int(borders[i]), int(borders[i + 1]))
                lengths[i] = sum(self.measure.count(at, at + 1) for at in points)
        return lengths

    def _parted(self, start: int, end: int, level: int) -> tuple[int, Ints]:
        """The level of the first separator that occurs in the range, and the borders that it parts the range at."""
        last = len(self.patterns) - 1
        for at in range(level, last + 1):
            pattern = self.patterns[at]
            if pattern is None:
                return at, self._between_characters(start, end)
            found = self._occurrences(pattern, start, end)
            if len(found):
                return at, np.unique(np.concatenate(([start], found, [end]))).astype(np.int64)
        return last, np.array([start, end], dtype=np.int64)

    def _occurrences(self, pattern: re.Pattern[str], start: int, end: int) -> Ints:
        """Where the matches begin. A single character is found by comparing numbers: a page has hundreds of blanks."""
        if len(pattern.pattern) == 1 and pattern.pattern.isspace():
            return np.flatnonzero(code_points(self.text[start:end]) == ord(pattern.pattern)) + start
        return np.array([m.start() for m in pattern.finditer(self.text, start, end)], dtype=np.int64)

    def _between_characters(self, start: int, end: int) -> Ints:
        # A range that begins or ends inside a character begins where the one before ends, and ends as every other does.
        low, high = self.graphemes.end(start), self.graphemes.end(end)
        inside = self.graphemes.ceil_all(np.arange(start, end + 1, dtype=np.int64))
        return np.unique(np.concatenate(([low], inside[(inside > low) & (inside < high)], [high]))).astype(np.int64)

    def _packed(self, borders: Ints, lengths: Ints, reason: str) -> Iterator[Piece]:
        if not len(lengths):
            return
        totals = [0, *np.cumsum(lengths).tolist()]
        at = borders.tolist()

        def fits(first: int, after: int) -> bool:
            start, end = trimmed(self.text, Span(at[first], at[after]))
            return self.measure.count(start, end) <= self.size

        for first, after in packed(totals, self.size, self.overlap, fits if self.strict else None):
            piece = self._piece(at[first], at[after], reason, _COUNTED_ALONE)
            if piece:
                yield piece

    def _piece(self, start: int, end: int, reason: str, oversize: str) -> Piece | None:
        """The range without outer white space and without half characters; None where nothing is left."""
        start, end = self.graphemes.trimmed(start, end)
        return Piece(start, end, reason, oversize) if start < end else None

    def _whole(self, start: int, end: int, reason: str) -> Iterator[Piece]:
        """A part that nothing splits further, with its outer white space, as LangChain leaves it."""
        if is_blank(self.text, start, end):
            return
        start, end = self.graphemes.end(start), self.graphemes.end(end)
        if not is_blank(self.text, start, end):
            yield Piece(start, end, reason, _ONE_CHARACTER if self.separators[-1] == "" else _NO_SEPARATOR)

    def _reason(self, level: int) -> str:
        return f"size reached; cut at {shown(self.separators[level])} (separator {level + 1} of {len(self.separators)})"


_NAMES = {
    "\n\n": "a blank line",
    "\n": "a line end",
    " ": "a blank between words",
    "": "any character",
    "\n#{1,6} ": "a Markdown heading",
    "```\n": "a code fence",
}


def shown(separator: str) -> str:
    """A separator as a reader is shown it."""
    if separator in _NAMES:
        return _NAMES[separator]
    return "“" + separator.replace("\n", "↵").replace("\t", "⇥") + "”"


def fitting_splitter(
    document: Document,
    measure: Measure,
    size: int,
    overlap: int,
    *,
    set_name: str = "",
    own: tuple[str, ...] = (),
    strict: bool = True,
) -> tuple[RecursiveSplitter, str]:
    """A splitter with the separators that fit the document, and a note for the reader, "" where there is none.

    set_name : one of `separators.SETS`; "" takes the one made for the document's format or language
    own      : literal texts that replace the set
    """
    name, note = (set_name, "") if set_name or own else set_for(document)
    separators = own or SETS[name]
    literal = bool(own) or name == "text"
    splitter = RecursiveSplitter(
        text=document.text,
        measure=measure,
        graphemes=graphemes(document),
        separators=separators,
        patterns=compiled(separators, literal=literal),
        size=size,
        overlap=overlap,
        strict=strict,
        memo=document.derive(("parts", measure, tuple(separators), literal), dict),
    )
    return splitter, note


def plain_splitter(document: Document, measure: Measure, size: int) -> RecursiveSplitter:
    """A splitter with the separators of plain text and no overlap, for what is too long inside something else."""
    return fitting_splitter(document, measure, size, 0, set_name="text")[0]
