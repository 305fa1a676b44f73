"""What became of the document's characters: covered, lost, shown twice; white space is not counted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chunkviz.chunking import Chunking
from chunkviz.code_points import code_points, is_blank_point
from chunkviz.document import Document
from chunkviz.metrics.base import Finding, Metric, Result
from chunkviz.metrics.places import bounds
from chunkviz.spans import Spans, lost, union


def _ink(document: Document) -> NDArray[np.int64]:
    """int64 (len + 1,): how many characters before each position are not white space."""
    return document.derive(
        "ink", lambda: np.concatenate(([0], np.cumsum(~is_blank_point(code_points(document.text))))).astype(np.int64)
    )


def _covered(chunking: Chunking) -> tuple[int, int, int]:
    """Characters in at least one chunk, in all chunks counted one by one, and in the document."""
    before = _ink(chunking.document)
    starts, ends = bounds(chunking)
    once = sum(int(before[s.end] - before[s.start]) for s in union(zip(starts.tolist(), ends.tolist(), strict=True)))
    return once, int((before[ends] - before[starts]).sum()), int(before[-1])


def _share_covered(chunking: Chunking) -> Result:
    once, _, total = _covered(chunking)
    if not total:
        return Result(None, "the document has no text")
    return Result(once / total, of=total)


def _lost(chunking: Chunking) -> Result:
    once, _, total = _covered(chunking)
    text = chunking.document.text
    places = lost(text, Spans(*chunking.bounds))
    reasons = {(d.start, d.end): d.reason for d in chunking.dropped}
    found = tuple(
        Finding(s.start, s.end, 0, reasons.get((s.start, s.end), text[s.start : s.end][:80]))
        for s in list(places)[:500]
    )
    return Result(total - once, of=total, findings=found)


def _twice(chunking: Chunking) -> Result:
    once, all_, total = _covered(chunking)
    return Result(all_ - once, of=total)


def _overhead(chunking: Chunking) -> Result:
    once, all_, _ = _covered(chunking)
    return Result(all_ / once - 1, "") if once else Result(None, "no chunks")


COVERAGE = (
    Metric(
        id="covered",
        title="Text covered",
        unit="share",
        low=0,
        high=1,
        better="higher",
        help="How much of the document is in at least one chunk. Less than 100 % means that some text can never be found.",
        formula="visible characters in at least one chunk / visible characters of the document",
        source="ours",
        compute=_share_covered,
    ),
    Metric(
        id="lost",
        title="Lost",
        unit="characters",
        low=0,
        high=None,
        better="lower",
        help="Visible characters that are in no chunk.",
        formula="visible characters of the document - those in at least one chunk",
        source="ours",
        compute=_lost,
    ),
    Metric(
        id="twice",
        title="Shown twice",
        unit="characters",
        low=0,
        high=None,
        better="neither",
        help="Visible characters that are repeated because chunks overlap.",
        formula="visible characters of all chunks added up - those in at least one chunk",
        source="ours",
        compute=_twice,
    ),
    Metric(
        id="overhead",
        title="Extra storage",
        unit="share",
        low=0,
        high=None,
        better="lower",
        help="How much more text is stored and embedded than the document has, because chunks overlap.",
        formula="visible characters of all chunks added up / those in at least one chunk - 1",
        source="ours",
        compute=_overhead,
        tolerated=0.25,  # an overlap is stored on purpose; a quarter more is more than most of them add
    ),
)
