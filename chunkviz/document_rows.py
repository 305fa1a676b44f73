"""The rows that a document is shown in, so that the browser can paint a long one in parts."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from chunkviz.document import Block, Document
from chunkviz.graphemes import graphemes
from chunkviz.spans import is_blank
from chunkviz.text.blocks import line_starts
from chunkviz.text.visible import visible_at

LONGEST_ROW: Final = 2_000
"""Code points. Longer paragraphs are sent in parts, so that a document of one line can still be painted in parts."""

PLAIN, CODE, TABLE, LIST, EQUATION = 0, 7, 8, 9, 10
"""Kinds of rows; 1 to 6 are headings of that level."""

_KINDS: Final = {"code": CODE, "table": TABLE, "list": LIST, "equation": EQUATION}
# Atomic and possessive, or the CR and the LF of one CRLF would pass for two line ends with an empty line between.
_BLANK_LINES = re.compile(r"(?>\r\n|\r|\n)(?:[^\S\r\n]*+(?>\r\n|\r|\n))+")


def rows(document: Document) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """The rows the text is shown in: where each starts (code points), and its kind (`PLAIN`, 1 to 6, `CODE`, ...).

    Rows follow each other without a gap, from 0 to the end: paragraphs with the blank lines after them, parted where
    a block or a page begins, and where they would be longer than `LONGEST_ROW`. No row begins inside a grapheme
    cluster. A document without text has no rows.
    """
    text = document.text
    if not text:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.uint8)
    lines = line_starts(text)
    blocks = [b for b in document.blocks if b.kind != "element" and b.start < b.end]
    starts = {0, *(m.end() for m in _BLANK_LINES.finditer(text)), *(p.start for p in document.pages)}
    for block in blocks:
        starts.add(lines[bisect_right(lines, block.start) - 1])
        after = bisect_right(lines, block.end - 1)
        # Blank lines after a block stay with it; what comes after them begins a row anyway.
        if after + 1 < len(lines) and not is_blank(text, lines[after], lines[after + 1]):
            starts.add(lines[after])
    starts.discard(len(text))
    clusters = graphemes(document)
    ordered = sorted({clusters.floor(at) for at in starts})
    found: list[int] = []
    for start, end in zip(ordered, [*ordered[1:], len(text)], strict=True):
        found.extend(_parts(document, lines, start, end))
    return np.array(found, dtype=np.int64), np.array(_row_kinds(document, blocks, found), dtype=np.uint8)


def _parts(document: Document, lines: Sequence[int], start: int, end: int) -> Iterable[int]:
    """Starts of the parts of a row: cut after the last line end, else the last space, else the last whole character."""
    text, clusters = document.text, graphemes(document)
    while end - start > LONGEST_ROW:
        yield start
        limit = start + LONGEST_ROW
        cut = lines[bisect_right(lines, limit) - 1]
        if cut <= start:
            cut = clusters.floor(text.rfind(" ", start + LONGEST_ROW // 2, limit) + 1)
        if cut <= start:
            cut = clusters.floor(limit)
        start = cut if cut > start else min(end, clusters.next(start))
    if start < end:
        yield start


def _row_kinds(document: Document, blocks: Sequence[Block], starts: Sequence[int]) -> list[int]:
    """The kind of the block that each row's first visible character stands in."""
    rest = CODE if document.format in ("code", "json") else PLAIN
    seen = visible_at(document)
    firsts = seen[np.minimum(np.searchsorted(seen, starts), len(seen) - 1)].tolist() if len(seen) else [0] * len(starts)
    block_starts = [b.start for b in blocks]
    kinds: list[int] = []
    for first in firsts:
        at = bisect_right(block_starts, first) - 1
        block = blocks[at] if at >= 0 and first < blocks[at].end else None
        if block is None:
            kinds.append(rest)
        elif block.kind == "heading":
            kinds.append(min(max(block.level, 1), 6))
        else:
            kinds.append(_KINDS.get(block.kind, rest))
    return kinds
