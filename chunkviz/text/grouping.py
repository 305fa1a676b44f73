"""Whole sentences packed into chunks up to a size, for what no better rule has cut."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from chunkviz.document import Document
from chunkviz.measures import Measure
from chunkviz.spans import Span
from chunkviz.spec import Piece
from chunkviz.text.packing import packed
from chunkviz.text.recursive import plain_splitter


def grouped(document: Document, measure: Measure, spans: Sequence[Span], size: int, reason: str) -> Iterator[Piece]:
    """As many neighbouring spans per piece as fit, counted as a whole; a span larger than `size` is cut inside.

    spans  : in order, trimmed, none blank
    reason : why a piece ends where it ends
    """
    starts = np.array([s.start for s in spans], dtype=np.int64)
    ends = np.array([s.end for s in spans], dtype=np.int64)
    lengths = measure.counts(starts, ends)
    # A tokenizer that drops control characters counts 0 for a sentence of them; packing needs each to take room.
    totals = [0, *np.cumsum(np.maximum(lengths, 1)).tolist()]

    def fits(first: int, after: int) -> bool:
        return measure.count(spans[first].start, spans[after - 1].end) <= size

    for first, after in packed(totals, size, 0, fits):
        start, end = spans[first].start, spans[after - 1].end
        if after - first > 1 or lengths[first] <= size:
            yield Piece(start, end, reason)
            continue
        for piece in plain_splitter(document, measure, size).pieces(start, end):
            yield piece._replace(reason=f"one sentence larger than {size:,}; {piece.reason}")
