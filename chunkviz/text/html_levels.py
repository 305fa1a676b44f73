"""Where the blocks of a page may be taken apart, best places first, in its words or in its source.

In source no level cuts inside a tag or a comment: the positions that sentences, lines and blanks give are kept only where
they stand outside of one.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Final

from chunkviz.document import BlockKind, Document
from chunkviz.text.html_source import BLOCK_TAGS, tags
from chunkviz.text.parts import Level
from chunkviz.text.sentences import sentences
from chunkviz.text.tables import tables

NESTED_LISTS: Final = 8
"""Levels of nested lists that are taken apart item by item; what nests deeper is cut at its elements or lines."""

_ITEM = re.compile(r"(?<=[\r\n])([ \t]*)(?:[-*+•–‣]|\(?(?:\d{1,9}|[A-Za-z])[.)])[ \t]+")
_LINE = re.compile(r"(?<=[\r\n])(?=[^\r\n])")
_GAP = re.compile(r"(?<=[\r\n])(?=[^\S\r\n]*(?:\r\n|\r|\n))")
_BLANKS = re.compile(r"\s+")
_CELL = re.compile(r"\s\|\s")
_ITEM_TAGS: Final = frozenset(("li", "dt", "dd"))
_LIST_TAGS: Final = frozenset(("ul", "ol", "dl", "menu", "dir"))
_END_TAGS = re.compile(r"(?:\s*</[^<>]*>)+")
_ONLY_TAGS = re.compile(r"(?:\s*<[^<>]*>)+")


def leading_end_tags(text: str, start: int, end: int) -> int:
    """Where the end tags with which `text[start:end]` begins stop; `start` where it begins with something else."""
    match = _END_TAGS.match(text, start, end)
    return match.end() if match else start


class Levels:
    """The levels of one document, by the kind of block.

    source : whether its text is the source of a page
    """

    def __init__(self, document: Document, source: bool) -> None:
        self._text = document.text
        self._source = source
        self._tables = tables(document)
        rows = Level("at the end of a table row", self._rows)
        gaps = Level("at a blank line", self._gaps)
        lines = Level("at a line end", self._lines)
        said = Level("at the end of a sentence", self._sentences)
        small: tuple[Level, ...] = (Level("at a blank between words", self._words),)
        if source:
            items = Level("between two list items", self._items)
            cells = Level("between two table cells", self._cells)
            small = (*small, Level("at a tag", self._tags))
            prose: tuple[Level, ...] = (Level("between two elements", self._elements, firm=False), said, *small)
        else:
            items = Level("between two list items", self._item_lines)
            cells = Level("between two table cells", self._bars)
            prose = (said, *small)
        self._of: dict[BlockKind, tuple[Level, ...]] = {
            "heading": prose,
            "paragraph": prose,
            "table": (rows, cells, *prose),
            "list": (*[items] * NESTED_LISTS, *(() if source else (lines,)), *prose),
            "code": (gaps, lines, *small),
            "equation": (lines, *small),
            # Start tags, end tags, scripts: here a tag is a better place than a blank.
            "element": (lines, *reversed(small)) if source else (lines, *prose),
        }

    def of(self, kind: BlockKind) -> tuple[Level, ...]:
        return self._of[kind]

    def joins(self, start: int, end: int) -> int:
        """What a range that is nothing but tags belongs to: end tags to what is before, others to what follows."""
        if not self._source or self._text[start] != "<" or self._text[end - 1] != ">":
            return 0
        if _END_TAGS.fullmatch(self._text, start, end):
            return -1
        return int(_ONLY_TAGS.fullmatch(self._text, start, end) is not None)

    # ---- both ----

    def _rows(self, start: int, end: int) -> Iterable[int]:
        for table in self._tables.within(start, end):
            yield from table.borders()

    def _sentences(self, start: int, end: int) -> Iterable[int]:
        return self._outside_tags(start, end, [s.start for s in sentences(self._text, start, end)])

    def _gaps(self, start: int, end: int) -> Iterable[int]:
        return self._outside_tags(start, end, [m.start() for m in _GAP.finditer(self._text, start, end)])

    def _lines(self, start: int, end: int) -> Iterable[int]:
        return self._outside_tags(start, end, [m.start() for m in _LINE.finditer(self._text, start, end)])

    def _outside_tags(self, start: int, end: int, cuts: Sequence[int]) -> Sequence[int]:
        if not self._source or not cuts:
            return cuts
        spans = [(start + tag.start, start + tag.end) for tag in tags(self._text[start:end])]
        starts = [s for s, _ in spans]

        def outside(cut: int) -> bool:
            at = bisect_right(starts, cut) - 1
            return at < 0 or cut == starts[at] or cut >= spans[at][1]

        return [cut for cut in cuts if outside(cut)]

    # ---- words of a page ----

    def _item_lines(self, start: int, end: int) -> Iterable[int]:
        """The items that are indented least, the one at the start not among them."""
        found = [(len(m[1]), m.end(1)) for m in _ITEM.finditer(self._text, start, end) if m.end(1) > start]
        least = min((indent for indent, _ in found), default=0)
        return [at for indent, at in found if indent == least]

    def _bars(self, start: int, end: int) -> Iterable[int]:
        return [m.end() for m in _CELL.finditer(self._text, start, end)]

    # ---- source ----

    def _items(self, start: int, end: int) -> Iterable[int]:
        """The outermost items, the one at the start not among them."""
        found: list[tuple[int, int]] = []
        depth = 0
        for tag in tags(self._text[start:end]):
            if tag.name in _LIST_TAGS:
                depth += -1 if tag.closes else 1
            elif tag.name in _ITEM_TAGS and not tag.closes and tag.start:
                found.append((depth, start + tag.start))
        least = min((deep for deep, _ in found), default=0)
        return [at for deep, at in found if deep == least]

    def _cells(self, start: int, end: int) -> Iterable[int]:
        return [start + t.start for t in tags(self._text[start:end]) if t.name in ("td", "th") and not t.closes]

    def _elements(self, start: int, end: int) -> Iterable[int]:
        for tag in tags(self._text[start:end]):
            if tag.name == "br" or (tag.name in BLOCK_TAGS and tag.closes):
                yield start + tag.end
            elif tag.name in BLOCK_TAGS:
                yield start + tag.start

    def _words(self, start: int, end: int) -> Iterable[int]:
        return self._outside_tags(start, end, [m.end() for m in _BLANKS.finditer(self._text, start, end)])

    def _tags(self, start: int, end: int) -> Iterable[int]:
        for tag in tags(self._text[start:end]):
            yield start + tag.start
            yield start + tag.end
