"""Places in a document, and whether a chunking leaves them whole."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from chunkviz.chunking import Chunk, Chunking
from chunkviz.document import Document
from chunkviz.metrics.base import MOST_FINDINGS, Finding
from chunkviz.spans import Span, trimmed
from chunkviz.text.sentences import document_sentences

Ints = NDArray[np.int64]
Places = tuple[Ints, Ints]
"""Starts and ends of places, int64 (n,) each, in order of their starts."""

# Scripts that do not put blanks between words are left out: a run of their letters is no word.
_WORD = re.compile(r"(?:(?![\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])\w)+")


def places(spans: Iterable[tuple[int, int]]) -> Places:
    """Spans as two arrays."""
    pairs = np.array([(s, e) for s, e in spans], dtype=np.int64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def words(document: Document) -> Places:
    """Runs of letters and digits, in scripts that separate words by blanks."""
    return document.derive("words", lambda: places(m.span() for m in _WORD.finditer(document.text)))


def sentences(document: Document) -> Places:
    """The document's sentences."""
    spans = document_sentences(document)
    return spans.starts, spans.ends


def blocks(document: Document, kind: str) -> Places:
    """The blocks of one kind, trimmed."""
    found = (trimmed(document.text, b.span) for b in document.blocks if b.kind == kind)
    return document.derive(("block places", kind), lambda: places(s for s in found if s.length))


def headings_with_text(document: Document) -> Places:
    """Each heading with the first sentence under it: what should not be parted. A heading without text stands alone."""

    def make() -> Places:
        starts, ends = sentences(document)
        spans = []
        heads = document.headings
        for at, heading in enumerate(heads):
            limit = heads[at + 1].start if at + 1 < len(heads) else len(document.text)
            span = trimmed(document.text, heading.span)
            i = int(np.searchsorted(starts, heading.end, side="left"))
            end = int(ends[i]) if i < len(starts) and int(starts[i]) < limit else span.end
            spans.append(Span(span.start, max(end, span.end)))
        return places(spans)

    return document.derive("headings with text", make)


def not_whole(chunking: Chunking, where: Places) -> Ints:
    """int64 (m,): numbers of the places that no single chunk holds whole, though some chunk holds a part of them.

    Starts and ends of chunks never decrease, so of all chunks that begin at or before a place, the last one
    reaches furthest: one look-up for each place.
    """
    starts, ends = where
    if not len(starts) or not chunking.chunks:
        return np.empty(0, dtype=np.int64)
    chunk_starts, chunk_ends = bounds(chunking)
    last = np.searchsorted(chunk_starts, starts, side="right") - 1
    whole = (last >= 0) & (chunk_ends[np.maximum(last, 0)] >= ends)
    first_after = np.searchsorted(chunk_ends, starts, side="right")
    touched = (first_after < len(chunk_starts)) & (chunk_starts[np.minimum(first_after, len(chunk_starts) - 1)] < ends)
    return np.flatnonzero(~whole & touched)


def bounds(chunking: Chunking) -> Places:
    """Starts and ends of the chunks."""
    return chunking.bounds


def findings(chunking: Chunking, where: Places, numbers: Sequence[int] | Ints) -> tuple[Finding, ...]:
    """The places with these numbers, each with the first chunk that holds a part of it."""
    chosen = np.asarray(numbers, dtype=np.int64)[:MOST_FINDINGS]
    starts, ends = where[0][chosen], where[1][chosen]
    chunks = np.minimum(np.searchsorted(bounds(chunking)[1], starts, side="right"), len(chunking.chunks) - 1)
    text = chunking.document.text
    rows = zip(starts.tolist(), ends.tolist(), chunks.tolist(), strict=True)
    return tuple(Finding(start, end, chunk, _shown(text, start, end)) for start, end, chunk in rows)


def chunk_findings(chunks: Iterable[Chunk]) -> tuple[Finding, ...]:
    """Whole chunks as findings."""
    return tuple(
        Finding(c.start, c.end, c.index, _shown(c.document.text, c.start, c.end)) for c in islice(chunks, MOST_FINDINGS)
    )


def _shown(text: str, start: int, end: int) -> str:
    shown = " ".join(text[start : min(end, start + 100)].split())
    return shown if end - start <= 100 else shown + " …"
