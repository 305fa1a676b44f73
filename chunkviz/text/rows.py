"""Long tables inside text that a splitter cuts: at row ends, with the header row as context of what lost it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate, pairwise
from typing import Final

import numpy as np

from chunkviz.document import Document
from chunkviz.graphemes import graphemes
from chunkviz.measures import Measure
from chunkviz.spans import Span
from chunkviz.spec import Piece
from chunkviz.text.packing import packed
from chunkviz.text.parts import whole_characters
from chunkviz.text.tables import tables

ROW_END: Final = "size reached; cut at the end of a table row"
_BEFORE: Final = "size reached; cut before a table"
_AFTER: Final = "size reached; cut after a table"

Splitter = Callable[[int, int], list[Piece]]
"""Cuts a range into pieces, in order; every character that is not white space is in one."""


def around_tables(
    document: Document, measure: Measure, start: int, end: int, size: int, overlap: int, split: Splitter
) -> list[Piece]:
    """The pieces of `[start, end)`: text as `split` cuts it, but no table row is cut unless it is larger than `size`.

    A table that fits stays whole, beside the text around it where there is room. One that does not is cut between
    rows; it shares its first piece with what stands right before it, so that a title is not left alone. A row that is
    too large goes through `split`.

    size, overlap : in the unit of `measure`; a piece repeats whole rows that count at most `overlap` together
    Without a table in the range this is `split(start, end)`.
    """
    cutter = _Rows(document, measure, size, overlap, split)
    borders = graphemes(document)
    at = start
    for table in tables(document).within(start, end):
        first, last = max(at, borders.floor(table.span.start)), min(end, borders.ceil(table.span.end))
        if first < last:
            cutter.text(at, first, _BEFORE)
            cutter.table(first, last, [borders.floor(cut) for cut in table.borders()])
            at = last
    if at == start:
        return split(start, end)
    cutter.text(at, end, _AFTER)
    return cutter.found


def with_headers(document: Document, pieces: Iterable[Piece]) -> Iterator[Piece]:
    """The pieces, each that begins in a table behind its header row with that row as context."""
    known = tables(document)
    for piece in pieces:
        header = known.header_at(piece.start)
        yield piece._replace(context=header) if header else piece


class _Rows:
    """Collects the pieces, in order, in `found`."""

    def __init__(self, document: Document, measure: Measure, size: int, overlap: int, split: Splitter) -> None:
        self.found: list[Piece] = []
        self._text = document.text
        self._borders = graphemes(document)
        self._measure = measure
        self._size = size
        self._overlap = overlap
        self._split = split

    def text(self, start: int, end: int, reason: str) -> None:
        """Add what stands between tables; `reason` is that of a cut right before it, where there is one."""
        span = whole_characters(self._text, self._borders, start, end)
        if span.length:
            # The splitter takes apart what counts exactly `size`, as LangChain's does; here it may stay whole.
            self._join([Piece(*span, "")] if self._fits(*span) else self._split(*span), reason)

    def table(self, start: int, end: int, cuts: list[int]) -> None:
        """Add a table, whole where it fits, else cut at some of `cuts`."""
        span = whole_characters(self._text, self._borders, start, end)
        if span.length and self._fits(*span):
            self._join([Piece(*span, "")], _BEFORE)
            return
        edges = pairwise([start, *(cut for cut in cuts if start < cut < end), end])
        spans = [whole_characters(self._text, self._borders, a, b) for a, b in edges]
        if self.found and self._fits(self.found[-1].start, self.found[-1].end):
            lead = self.found.pop()
            spans.insert(0, Span(lead.start, lead.end))
        self._rows([span for span in spans if span.length])

    def _join(self, following: list[Piece], reason: str) -> None:
        """Add pieces, the first of them as one with the last piece so far where both fit together."""
        if self.found and following:
            last, first = self.found.pop(), following[0]
            if self._fits(last.start, first.end):
                following = [first._replace(start=last.start), *following[1:]]
            else:
                self.found.append(last._replace(reason=reason))
        self.found += following

    def _rows(self, spans: list[Span]) -> None:
        starts = np.array([s for s, _ in spans], dtype=np.int64)
        ends = np.array([e for _, e in spans], dtype=np.int64)
        lengths = self._measure.counts(starts, ends).tolist()
        first = 0
        for long in [*(i for i, n in enumerate(lengths) if n > self._size), len(spans)]:
            self._pack(spans[first:long], lengths[first:long])
            if long < len(spans):
                pieces = self._split(*spans[long])
                self.found += [*pieces[:-1], *(p._replace(reason=ROW_END) for p in pieces[-1:])]
            first = long + 1

    def _pack(self, spans: list[Span], lengths: list[int]) -> None:
        totals = [0, *accumulate(lengths)]

        def fits(first: int, after: int) -> bool:
            return self._fits(spans[first].start, spans[after - 1].end)

        for first, after in packed(totals, self._size, self._overlap, fits) if spans else ():
            # Repeated rows and a new one can count more than their sum; then nothing new came in.
            if not self.found or spans[after - 1].end > self.found[-1].end:
                self.found.append(Piece(spans[first].start, spans[after - 1].end, ROW_END))

    def _fits(self, start: int, end: int) -> bool:
        return self._measure.count(start, end) <= self._size
