"""Sentences: N of them per chunk, some repeated, with a size as a cap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar

from chunkviz.document import Document
from chunkviz.params import UNIT, Int, Params
from chunkviz.spec import Cut, Piece, Services, Strategy
from chunkviz.text.recursive import plain_splitter


@dataclass(frozen=True)
class SentenceParams(Params):
    owner: ClassVar[str] = "sentence"

    sentences: Annotated[
        int,
        Int(
            label="Sentences",
            unit="sentences",
            low=1,
            high=10_000,
            soft_high=50,
            help="How many sentences go into one chunk. More: fewer, longer chunks.",
        ),
    ] = 8
    overlap: Annotated[
        int,
        Int(
            label="Overlap",
            unit="sentences",
            low=0,
            high=9_999,
            soft_high=10,
            below="sentences",
            help="How many sentences each chunk repeats from the one before. More: safer at the seams, more to store.",
        ),
    ] = 1
    size: Annotated[
        int,
        Int(
            label="Size limit",
            unit=UNIT,
            low=1,
            high=1_000_000,
            soft_high=2048,
            help="The most that goes into one chunk; fewer sentences are taken where they are long. Smaller: shorter chunks.",
        ),
    ] = 512


def cut(document: Document, params: SentenceParams, services: Services) -> Cut:
    """Groups of whole sentences; a sentence larger than the limit is cut like `recursive` cuts plain text."""
    measure = services.measure
    spans = services.sentences()
    starts, ends = spans.starts.tolist(), spans.ends.tolist()
    splitter = plain_splitter(document, measure, params.size)
    lengths = document.derive(("sentence lengths", measure), lambda: measure.counts(spans.starts, spans.ends))
    too_long = lengths > params.size

    def groups() -> Iterator[Piece]:
        first, n = 0, len(spans)
        while first < n:
            if too_long[first]:
                inside = splitter.pieces(starts[first], ends[first])
                for piece in inside:
                    yield piece._replace(reason=f"one sentence larger than {params.size:,}; {piece.reason}")
                first += 1
                continue
            after = _fitting(first, min(n, first + params.sentences))
            full = after - first == params.sentences
            reason = f"{after - first} sentences" if full else "the next sentence would not fit"
            yield Piece(starts[first], ends[after - 1], reason)
            if after == n:
                return
            # Repeat sentences only as far as the next new one still fits beside them.
            back = max(after - params.overlap, first + 1) if not too_long[after] else after
            while back < after and measure.count(starts[back], ends[after]) > params.size:
                back += 1
            first = back

    def _fitting(first: int, after: int) -> int:
        """How far the group may reach: counted as a whole, since sentences share tokens with the blanks between them."""
        if not too_long[first:after].any() and measure.count(starts[first], ends[after - 1]) <= params.size:
            return after
        for stop in range(first + 1, after):
            if too_long[stop] or measure.count(starts[first], ends[stop]) > params.size:
                return stop
        return after

    return Cut(list(groups()))


SPEC = Strategy(
    id="sentence",
    title="Sentences",
    one_line="A cut after every few sentences, never inside one",
    how="Finds where sentences end and puts a fixed number of them into each chunk, as long as they fit the size limit.",
    good_for="Prose, chats and transcripts, and questions whose answer is a sentence or two.",
    watch_out="Counts sentences, not topics. Lists and tables have no sentences: there it takes items and rows.",
    source="A common baseline, with sentence rules of our own.",
    version=1,
    params_class=SentenceParams,
    cut=cut,
)
