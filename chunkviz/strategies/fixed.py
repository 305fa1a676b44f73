"""Fixed size: every N units, with M of them repeated, no regard for content. The baseline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from chunkviz.document import Document
from chunkviz.params import UNIT, Int, Params
from chunkviz.spans import is_blank
from chunkviz.spec import Cut, Piece, Resizing, Services, Strategy, Tags


@dataclass(frozen=True)
class FixedParams(Params):
    owner: ClassVar[str] = "fixed"

    size: Annotated[
        int,
        Int(
            label="Size",
            unit=UNIT,
            low=1,
            high=1_000_000,
            soft_high=2048,
            help="How much goes into one chunk. Larger: fewer, longer chunks; each holds more, and says less exactly what.",
        ),
    ] = 512
    overlap: Annotated[
        int,
        Int(
            label="Overlap",
            unit=UNIT,
            low=0,
            high=999_999,
            soft_high=512,
            below="size",
            help="How much each chunk repeats from the one before. More: safer at the seams, more to store and to search.",
        ),
    ] = 50


def cut(document: Document, params: FixedParams, services: Services) -> Cut:
    """Windows over the document's own units, as LangChain's `TokenTextSplitter` takes them.

    A border that falls inside a character moves to the end of that character. A window may then count a token or
    two more alone than in its place; it is flagged, not shifted, since shifting one would move all that follow.
    """
    borders = services.measure.borders
    n = len(borders) - 1
    starts = np.arange(0, max(n, 1), params.size - params.overlap, dtype=np.int64)
    # The window that reaches the end is the last: what would follow it is only repetition.
    starts = starts[: np.searchsorted(starts, n - params.size, side="left") + 1]
    ends = np.minimum(starts + params.size, n)
    at = services.graphemes
    begin, after = at.ceil_all(borders[starts]).copy(), at.ceil_all(borders[ends])
    if not is_blank(document.text, 0, int(begin[0])):
        # Some tokenizers pass over characters such as the zero-width space; before the first token they need a home too.
        begin[0] = 0
    reason = f"size reached: {params.size:,} {services.unit.word}"
    pieces: list[Piece] = []
    for start, end in zip(begin.tolist(), after.tolist(), strict=True):
        if is_blank(document.text, start, end) or (pieces and end <= pieces[-1].end):
            continue
        pieces.append(Piece(start, end, reason, _COUNTED_ALONE))
    return Cut(pieces)


def resizing(document: Document, params: FixedParams, services: Services) -> Resizing | None:
    """The borders that `cut` takes its windows from."""
    borders = services.graphemes.ceil_all(services.measure.borders).copy()
    if len(borders) < 2:
        return None
    if not is_blank(document.text, 0, int(borders[0])):
        borders[0] = 0
    return Resizing("windows", borders)


_COUNTED_ALONE = "the window holds the right number of tokens in its place, and counts more when it stands alone"

SPEC = Strategy(
    id="fixed",
    title="Fixed size",
    one_line="A cut every so many tokens, wherever that falls",
    how="Counts off equal windows from the first word to the last. Each may repeat the end of the one before.",
    good_for="A baseline to compare with, and text without any structure.",
    watch_out="Cuts through sentences, tables and code; an answer that lies on a border is in no chunk whole.",
    source="The oldest cut there is; token windows as in LangChain's TokenTextSplitter.",
    version=1,
    params_class=FixedParams,
    cut=cut,
    tags=Tags(content_blind=True),
    resizing=resizing,
)
