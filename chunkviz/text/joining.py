"""Joining pieces again that a splitter made smaller than they had to be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from chunkviz.measures import Measure
from chunkviz.spec import Piece


def joined(pieces: Iterable[Piece], measure: Measure, size: int) -> Iterator[Piece]:
    """Neighbours made one piece as long as the whole counts at most `size`; the reason is that of the last one.

    A splitter that works with characters adds up what they count one by one, which is up to four times what a word
    counts as a whole: a long word without any border comes back in pieces of a quarter of the size.
    """
    held: Piece | None = None
    for piece in pieces:
        if held and measure.count(held.start, piece.end) <= size:
            held = held._replace(end=piece.end, reason=piece.reason, oversize=piece.oversize)
        else:
            if held:
                yield held
            held = piece
    if held:
        yield held
