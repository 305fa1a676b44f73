"""By hand: cuts where a reader set them, in the text itself, from nothing or from what another strategy made."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final

import numpy as np

from chunkviz.chunking import Chunking
from chunkviz.document import Document
from chunkviz.graphemes import graphemes
from chunkviz.params import Params, Positions
from chunkviz.spec import Cut, Piece, Services, Strategy, Tags
from chunkviz.text.visible import visible

REASON: Final = "set by hand"
MOST: Final = 10_000
"""Boundaries that can be set in one document, as many as a saved reference holds."""


@dataclass(frozen=True)
class ManualParams(Params):
    owner: ClassVar[str] = "manual"

    boundaries: Annotated[
        tuple[int, ...],
        Positions(
            label="Boundaries",
            most=MOST,
            help="Where chunks start, the first one aside, counted in characters from the start of the document. "
            "More: smaller chunks.",
        ),
    ] = ()


def placed(document: Document, positions: Iterable[int]) -> tuple[int, ...]:
    """The places in `document` that parting at `positions` means: strictly increasing code points.

    Each moves to the first visible character from there, and to the start of that character where it consists of
    several code points. Those that meet become one; those that part nothing (before all text, behind it) are left out.
    """
    ink = visible(document).at
    if not len(ink):
        return ()
    at = np.unique(np.fromiter(positions, dtype=np.int64))
    index = np.unique(np.searchsorted(ink, at))
    clusters = graphemes(document)
    found = {clusters.floor(place) for place in ink[index[index < len(ink)]].tolist()}
    return tuple(sorted(place for place in found if place > int(ink[0])))


def boundaries_of(chunking: Chunking) -> tuple[int, ...]:
    """Where the chunks of another strategy start, the first aside, as boundaries to go on from.

    Where chunks overlap, the boundary is where the later one starts.
    """
    return placed(chunking.document, sorted({c.start for c in chunking.chunks})[1:])


def cut(document: Document, params: ManualParams, services: Services) -> Cut:
    """From each boundary to the next; the white space before a boundary belongs to no chunk."""
    ink = visible(document).at
    if not len(ink):
        return Cut(())
    places = placed(document, params.boundaries)
    starts = [services.graphemes.floor(int(ink[0])), *places]
    behind = np.searchsorted(ink, [*places, len(document.text)])
    ends = [services.graphemes.ceil(int(ink[i - 1]) + 1) for i in behind.tolist()]
    beyond = sum(at >= len(document.text) for at in params.boundaries)
    some = "1 boundary lies" if beyond == 1 else f"{beyond:,} boundaries lie"
    was = "was" if beyond == 1 else "were"
    notes = (f"{some} behind the end of this document and {was} left out.",) if beyond else ()
    return Cut([Piece(start, end, REASON) for start, end in zip(starts, ends, strict=True)], notes=notes)


SPEC = Strategy(
    id="manual",
    title="By hand",
    one_line="Cuts where you set them, in the text itself",
    how="Starts from the result of another strategy. Drag a boundary, merge two chunks or split one, with the mouse or "
    "with keys; every step can be undone.",
    good_for="Setting the boundaries that the other strategies are scored against, and mending a few bad cuts.",
    watch_out="Belongs to one document: it says nothing about the next one. Overlap and text that the first strategy left "
    "out are not kept.",
    source="Reference segmentation, as people set it in studies of topic segmentation.",
    version=1,
    params_class=ManualParams,
    cut=cut,
    tags=Tags(has_size=False, by_hand=True),
)
