"""Parts packed into chunks: as many neighbours as fit; a part that does not fit is taken apart into smaller ones.

Each part carries the levels at which it may be taken apart, best first: a table its rows, then the cells of a row, then
sentences. What no level takes apart any more is forced apart by a splitter of last resort.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np

from chunkviz.document import Document
from chunkviz.graphemes import Graphemes, graphemes
from chunkviz.measures import Measure
from chunkviz.spans import Span, trimmed
from chunkviz.spec import Piece
from chunkviz.text.packing import packed


class Level(NamedTuple):
    """One way to take a range apart.

    label   : where it cuts, to follow "size reached; cut "
    borders : positions inside a range at which it cuts, in any order; none where it finds no such place
    firm    : whether what it finds is kept whole where it fits, whatever stands alone for it; see `Part.yields`
    """

    label: str
    borders: Callable[[int, int], Iterable[int]]
    firm: bool = True


class Part(NamedTuple):
    """A range that is kept whole where it fits.

    joins  : 1 if it belongs to what follows (a heading, a start tag), -1 to what stands before it (an end tag), else 0
    yields : whether it is taken apart, though it fits, where a part that joins it would be left alone otherwise
    """

    start: int
    end: int
    levels: tuple[Level, ...] = ()
    joins: int = 0
    yields: bool = False


def whole_characters(text: str, borders: Graphemes, start: int, end: int) -> Span:
    """`text[start:end]`, itself between borders, without outer white space but with every character whole.

    Where `Graphemes.trimmed` leaves a character to the next span, here it stays: nobody comes after a part.
    """
    span = trimmed(text, Span(start, end))
    if not span.length:
        return span
    return Span(
        start if span.start == start else borders.floor(span.start), end if span.end == end else borders.ceil(span.end)
    )


class Packer:
    """Packs the parts of one document.

    size   : the most that a piece counts
    joins  : what a range that a level has found joins, as `Part.joins`
    forced : cuts a range that no level takes apart; its pieces keep their reasons
    """

    def __init__(
        self,
        document: Document,
        measure: Measure,
        size: int,
        joins: Callable[[int, int], int],
        forced: Callable[[int, int], Sequence[Piece]],
    ) -> None:
        self._text = document.text
        self._borders = graphemes(document)
        self._measure = measure
        self._size = size
        self._joins = joins
        self._forced = forced

    def pieces(self, parts: Iterable[Part], label: str, last: str) -> list[Piece]:
        """The parts as pieces, in order.

        label : where neighbouring parts meet, as `Level.label`
        last  : the reason of the last piece
        """
        found: list[Piece] = []
        reason = f"size reached; cut {label}"
        parts = self._glued(parts)
        lengths = self._counts(parts)
        run: list[Part] = []
        at = 0
        while at < len(parts):
            part, length = parts[at], lengths[at]
            at += 1
            alone = part.yields and bool(run) and run[-1].joins > 0  # they would be one part if both fitted
            if length <= self._size and not alone:
                run.append(part)
                continue
            inside, inner_label = self._taken_apart(part)
            if not inside:
                found += self._packed(run, reason)
                found += self._forced(part.start, part.end)
                run = []
                continue
            # A heading goes with the first rows of its table, an end tag with the last.
            first = len(run)
            while first and run[first - 1].joins > 0:
                first -= 1
            after = at
            while after < len(parts) and parts[after].joins < 0 and lengths[after] <= self._size:
                after += 1
            found += self._packed(run[:first], reason)
            found += self.pieces([*run[first:], *inside, *parts[at:after]], inner_label, reason)
            run, at = [], after
        found += self._packed(run, reason)
        if found:
            found[-1] = found[-1]._replace(reason=last)
        return found

    def _glued(self, parts: Iterable[Part]) -> list[Part]:
        """The parts, each that joins a neighbour as one with it where both fit together."""
        backwards: list[Part] = []
        for part in reversed(list(parts)):
            if part.joins > 0 and backwards and self._fits(part.start, backwards[-1].end):
                backwards[-1] = backwards[-1]._replace(start=part.start)
            else:
                backwards.append(part)
        found: list[Part] = []
        for part in reversed(backwards):
            if part.joins < 0 and found and self._fits(found[-1].start, part.end):
                found[-1] = found[-1]._replace(end=part.end)
            else:
                found.append(part)
        return found

    def _taken_apart(self, part: Part) -> tuple[list[Part], str]:
        """The parts that the first level which cuts anything makes of a part, and that level's label."""
        for at, level in enumerate(part.levels):
            cuts = {self._borders.floor(cut) for cut in level.borders(part.start, part.end)}
            inner = sorted(cut for cut in cuts if part.start < cut < part.end)
            spans = [
                whole_characters(self._text, self._borders, a, b) for a, b in pairwise([part.start, *inner, part.end])
            ]
            spans = [span for span in spans if span.length]
            if len(spans) > 1:
                rest, yields = part.levels[at + 1 :], part.yields and not level.firm
                return [Part(start, end, rest, self._joins(start, end), yields) for start, end in spans], level.label
        return [], ""

    def _packed(self, run: Sequence[Part], reason: str) -> list[Piece]:
        if not run:
            return []
        # The parts alone count less than with the blanks between them: `packed` tries too many and takes some back.
        totals = [0, *accumulate(self._counts(run))]

        def fits(first: int, after: int) -> bool:
            return self._fits(run[first].start, run[after - 1].end)

        return [Piece(run[a].start, run[b - 1].end, reason) for a, b in packed(totals, self._size, 0, fits)]

    def _counts(self, parts: Sequence[Part]) -> list[int]:
        starts = np.array([part.start for part in parts], dtype=np.int64)
        ends = np.array([part.end for part in parts], dtype=np.int64)
        counts: list[int] = self._measure.counts(starts, ends).tolist()
        return counts

    def _fits(self, start: int, end: int) -> bool:
        return self._measure.count(start, end) <= self._size
