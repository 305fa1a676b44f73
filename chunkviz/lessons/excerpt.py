"""The part of a document on which all strategies are shown side by side: small enough to see, large enough to be cut."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Final

from chunkviz.chunking import Chunking
from chunkviz.document import Document, Page
from chunkviz.graphemes import graphemes
from chunkviz.params import UNIT, Int
from chunkviz.spec import Strategy
from chunkviz.text.sentences import document_sentences
from chunkviz.units import DEFAULT_UNIT, unit

SHORTEST: Final = 500
LONGEST: Final = 1400
"""Characters of the excerpt: about 120 to 350 tokens of English."""
PIECES: Final = 4
"""The excerpt is cut into about this many chunks."""
_STOPS = re.compile(r"[.!?。।؟](?=\s|$)")
DEFAULT_SIZE: Final = 512
"""The size that is scaled down to a quarter of the excerpt; other sizes and overlaps shrink with it."""


def excerpt(document: Document) -> Document:
    """The first part of the document that is mostly prose, with two headings or more where it has some.

    It is a document of its own with the blocks and pages that stand in it, worked out once for each document.
    """
    return document.derive("lessons.excerpt", lambda: part(document, *_span(document)))


def _span(document: Document) -> tuple[int, int]:
    text = document.text
    starts = [h.start for h in document.headings] or [b.start for b in document.blocks if b.kind == "paragraph"]
    starts = starts or [0]
    best: tuple[float, int, int] | None = None
    for at, start in enumerate(starts[:400]):
        ends = [e for e in (*starts[at + 1 :][:40], len(text)) if e - start <= LONGEST]
        end = ends[-1] if ends else _sentence_end(document, start)
        inside = [b for b in document.blocks if start <= b.start < end]
        prose = sum(b.end - b.start for b in inside if b.kind == "paragraph") if inside else end - start
        headings = sum(b.kind == "heading" for b in inside)
        length = len(text[start:end].strip())
        # A table of contents is made of paragraphs too, but nobody ends a line of it with a full stop.
        stops = len(_STOPS.findall(text, start, end))
        score = (
            prose / max(length, 1)
            + min(length / SHORTEST, 1)
            + min(headings, 2) / 2
            + min(150 * stops / max(length, 1), 1)
        )
        # The first good one: a reader finds it again near the top of the document.
        if best is None or score > best[0] + 0.15:
            best = score, start, end
    if best is None:
        raise ValueError("a document without text has no excerpt")
    return best[1], best[2]


def _sentence_end(document: Document, start: int) -> int:
    """The last end of a sentence that fits; where that leaves too little to be cut, of a word; else of a character."""
    limit = min(len(document.text), start + LONGEST)
    if limit == len(document.text):
        return limit
    ends = [s.end for s in document_sentences(document) if start < s.end <= limit]
    if ends and ends[-1] - start >= SHORTEST:
        return ends[-1]
    blank = document.text.rfind(" ", start + SHORTEST, limit)
    return graphemes(document).floor(limit if blank < 0 else blank)


def part(document: Document, start: int, end: int) -> Document:
    """A part of a document as a document of its own; blocks that stand in it whole, and its pages, keep their places."""
    while start < end and document.text[start].isspace():
        start += 1
    blocks = tuple(
        replace(b, start=b.start - start, end=b.end - start)
        for b in document.blocks
        if start <= b.start and b.end <= end and b.start < b.end
    )
    pages = tuple(
        Page(max(p.start, start) - start, min(p.end, end) - start, p.number, p.label)
        for p in document.pages
        if p.start < end and start < p.end
    )
    text = document.text[start:end].rstrip()
    blocks = tuple(b for b in blocks if b.end <= len(text))
    pages = tuple(replace(p, end=min(p.end, len(text))) for p in pages if p.start < len(text))
    return Document(text, document.name, document.format, blocks, pages, language=document.language)


def scaled(strategy: Strategy, document: Document, unit_id: str = DEFAULT_UNIT, pieces: int = PIECES) -> dict[str, Any]:
    """The strategy's defaults, made small: its sizes are to the excerpt what they are to a page or two.

    pieces : into about how many chunks of the largest size the document fits
    Follows from the declarations: every whole number that counts units shrinks by the same factor.
    """
    total = len(unit(unit_id).measure(document).borders) - 1
    size = max(8, total // pieces)
    values: dict[str, Any] = {}
    for param in strategy.params:
        if not isinstance(param.rule, Int) or param.rule.unit != UNIT or not param.default:
            continue
        low, high = param.rule.legal(values)
        values[param.name] = min(max(round(param.default * size / DEFAULT_SIZE), low), high)
    return values


def unsuited(chunking: Chunking) -> bool:
    """Whether the strategy found nothing of what it looks for, and did what another one does: it says so in its notes."""
    return bool(chunking.notes)
