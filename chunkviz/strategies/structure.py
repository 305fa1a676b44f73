"""Structure: the document's own headings; long sections are cut further, short ones may stay together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from chunkviz.document import Document
from chunkviz.params import UNIT, Flag, Int, Params
from chunkviz.spec import Cut, Piece, Services, Strategy
from chunkviz.text.recursive import fitting_splitter
from chunkviz.text.rows import around_tables, with_headers
from chunkviz.text.sections import DEEPEST, HeadingLevels, Section, sections


@dataclass(frozen=True)
class StructureParams(Params):
    owner: ClassVar[str] = "structure"

    size: Annotated[
        int,
        Int(
            label="Size",
            unit=UNIT,
            low=1,
            high=1_000_000,
            soft_high=2048,
            help="The most that goes into one chunk; a longer section is cut further. Larger: more sections stay whole.",
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
            help="The most that a chunk repeats from the one before, inside a section that had to be cut. "
            "More: safer at the seams, more to store.",
        ),
    ] = 0
    deepest: HeadingLevels = DEEPEST
    merge: Annotated[
        bool,
        Flag(
            label="Join short sections",
            help="Puts a section and the subsections that follow it into one chunk as long as they fit. On: fewer chunks.",
        ),
    ] = False


def cut(document: Document, params: StructureParams, services: Services) -> Cut:
    """One chunk per section where it fits; a longer one goes through the recursive splitter, its tables by rows."""
    found = sections(document, params.deepest)
    measure = services.measure
    splitter, note = fitting_splitter(document, measure, params.size, params.overlap)
    notes = [note] if note else []
    if not document.headings:
        notes.append("No headings found in this document; it was cut like “recursive”.")
    pieces: list[Piece] = []
    at = 0
    while at < len(found):
        after = _joined(found, at, services, params) if params.merge else at + 1
        start, end = found[at].span.start, found[after - 1].span.end
        if measure.count(start, end) <= params.size:
            inside = [Piece(start, end, "")]
        else:
            inside = around_tables(document, measure, start, end, params.size, params.overlap, splitter.pieces)
        reason = f"next heading: {found[after].title}" if after < len(found) else "last section"
        pieces += [*inside[:-1], inside[-1]._replace(reason=reason)] if inside else []
        at = after
    return Cut(list(with_headers(document, pieces)), notes=notes)


def _joined(found: list[Section], at: int, services: Services, params: StructureParams) -> int:
    """One past the last section that joins section `at`: deeper or equal ones that follow, while all fit together."""
    after = at + 1
    while (
        after < len(found)
        and found[after].level >= found[at].level > 0
        and services.measure.count(found[at].span.start, found[after].span.end) <= params.size
    ):
        after += 1
    return after


SPEC = Strategy(
    id="structure",
    title="Headings",
    one_line="A cut at every heading, so that each section is a chunk of its own",
    how="Follows the headings of the document. A section that is too long is cut again at its paragraphs, "
    "a table in it between rows; every chunk knows the headings it stands under.",
    good_for="Manuals, handbooks, wikis: anything with real headings.",
    watch_out="Sections differ in length: some chunks are tiny, some are cut. Without headings it is only “recursive”.",
    source="Common practice; LangChain's MarkdownHeaderTextSplitter is the best known, without positions.",
    version=2,
    params_class=StructureParams,
    cut=cut,
)
