"""Pages: one chunk for each page; long pages are cut further."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, ClassVar

from chunkviz.document import Document
from chunkviz.params import UNIT, Int, Params
from chunkviz.spec import Cut, Piece, Services, Strategy
from chunkviz.text.recursive import fitting_splitter
from chunkviz.text.rows import around_tables, with_headers


@dataclass(frozen=True)
class PageParams(Params):
    owner: ClassVar[str] = "page"

    size: Annotated[
        int,
        Int(
            label="Size",
            unit=UNIT,
            low=1,
            high=1_000_000,
            soft_high=4096,
            help="The most that goes into one chunk; a longer page is cut further. Larger: more pages stay whole.",
        ),
    ] = 1024
    overlap: Annotated[
        int,
        Int(
            label="Overlap",
            unit=UNIT,
            low=0,
            high=999_999,
            soft_high=512,
            below="size",
            help="The most that a chunk repeats from the one before, inside a page that had to be cut.",
        ),
    ] = 0


def cut(document: Document, params: PageParams, services: Services) -> Cut:
    """One chunk per page where it fits; a longer one goes through the recursive splitter, its tables by rows."""
    text, measure = document.text, services.measure
    splitter, note = fitting_splitter(document, measure, params.size, params.overlap)
    notes = [note] if note else []
    if not document.pages:
        notes.append("This document has no pages; it was cut like “recursive”.")
    # From the start of a page to the start of the next: what stands between two pages belongs to the first of them.
    starts = [0, *(page.start for page in document.pages[1:]), len(text)]
    labels = [page.label for page in document.pages[1:]]
    pieces: list[Piece] = []
    for at, (start, end) in enumerate(pairwise(starts)):
        span = services.graphemes.trimmed(start, end)
        if not span.length:
            continue
        if measure.count(*span) <= params.size:
            inside = [Piece(*span, "")]
        else:
            inside = around_tables(document, measure, *span, params.size, params.overlap, splitter.pieces)
        reason = f"end of the page; page {labels[at]} follows" if at < len(labels) else "last page"
        pieces += [*inside[:-1], inside[-1]._replace(reason=reason)] if inside else []
    return Cut(list(with_headers(document, pieces)), notes=notes)


SPEC = Strategy(
    id="page",
    title="Pages",
    one_line="One chunk for each page",
    how="Follows the pages of a PDF. A page that is too long is cut again at its paragraphs, a table on it between "
    "rows.",
    good_for="Slides, forms, scanned letters: documents in which a page is a unit, and answers that must name a page.",
    watch_out="Sentences run over the page break and are cut there. Documents without pages fall back to “recursive”.",
    source="Common practice for paginated documents.",
    version=2,
    params_class=PageParams,
    cut=cut,
)
