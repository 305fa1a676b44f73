"""Tables that have no rules around their cells, told by how their words stand."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

from chunkviz.loaders.pdf_layout import Line

LEAST_ROWS: Final = 2
_MOST_ROWS = 300
_SAME_HEIGHT = 3.0
"""Points by which the tops of two cells of a row may differ."""
_MOST = 0.6
_HALF = 0.45, 0.62
_WIDEST_INDENT = 50.0
_LABEL = re.compile(
    r"[•‣◦▪▫●○■□◆➢➤✓–—*-]|\(?(?:\d{1,3}|[A-Za-z]|[ivx]{1,5})[.)]|(?:\d{1,3}|[A-Z])(?:\.\d{1,3}){1,5}\.?|§\s?\d+"
)
_VALUE = re.compile(r"[\W\d_]*\d[\W\d_]*[A-Za-z%€$£]{0,3}")
_LABEL_ENDS = (":", "：")


@dataclass(frozen=True, slots=True)
class _Row:
    """Cells side by side, left to right, each with its lines from top to bottom."""

    cells: tuple[tuple[Line, ...], ...]
    alone: bool
    """The whole of its block: there is more room above and below it than between the lines of a text."""

    @property
    def y0(self) -> float:
        return min(line.y0 for cell in self.cells for line in cell)

    @property
    def y1(self) -> float:
        return max(line.y1 for cell in self.cells for line in cell)


def with_grids(lines: Sequence[Line], first_block: int) -> list[Line]:
    """`lines` with each run of rows whose cells stand in the same columns replaced by table rows, in its place.

    A run is a table if it has two rows or more, and either every row has room around it, or there are three columns
    or more, or two of which one holds numbers or labels that end in a colon. Two columns of text, even line beside
    line, are none of these.

    lines       : of one page, block by block in the order of the file
    first_block : the block number of the first table found, below zero; the next has the one below
    """
    found: list[Line] = []
    run: list[_Row] = []
    for _, members in groupby(lines, key=lambda line: line.block):
        block = list(members)
        rows = _rows(block)
        if rows and run and not _goes_on(run, rows[0]):
            found += _table(run, first_block)
            first_block -= 1
            run = []
        if rows:
            run += rows
            continue
        found += _table(run, first_block)
        first_block -= 1
        run = []
        found += block
    return [*found, *_table(run, first_block)]


def is_grid(left: Sequence[Line], right: Sequence[Line], place: float) -> bool:
    """Whether lines on both sides of a gutter are read by rows: a list of options, labels with their values.

    They are where most right lines stand at the height of a left one, and one of these holds: most right ones are
    numbers; most left ones end in a colon; or the file has written them row by row, and either a row has more than two
    pieces, or the right ones do not begin where the second of two columns of text does.

    place : where they begin, 0 at the left edge of the page or column, 1 at its right edge
    """
    heights = sorted((line.y0, line.block) for line in left)
    level = same_block = 0
    for line in right:
        at = bisect_left(heights, (line.y0 - 2, -(10**9)))
        beside = at < len(heights) and heights[at][0] <= line.y0 + 2
        level += beside
        same_block += beside and heights[at][1] == line.block
    if level < _MOST * len(right):
        return False
    if _labelled([line.text for line in left], [line.text for line in right]):
        return True
    pieces = len(right) / len({round(line.y0 / _SAME_HEIGHT) for line in right})
    return same_block >= _MOST * len(right) and (pieces > 1.2 or not _HALF[0] <= place <= _HALF[1])


def with_labels(lines: Sequence[Line]) -> list[Line]:
    """`lines` with each bullet and number that stands alone before a text put together with it: “2.1   Syntax”.

    Only where nothing else stands at the same height of the block: a row of three is a row of a table.
    """
    found: list[Line] = []
    for line in lines:
        last = found[-1] if found else None
        if last is not None and _same_row(last, line) and line.x0 >= last.x1 and line.x0 - last.x1 < _WIDEST_INDENT:
            third = len(found) > 1 and _same_row(found[-2], line)
            if _LABEL.fullmatch(last.text.strip()) and not third:
                found[-1] = replace(
                    line,
                    x0=last.x0,
                    y0=min(last.y0, line.y0),
                    y1=max(last.y1, line.y1),
                    text=f"{last.text} {line.text}",
                )
                continue
        found.append(line)
    return found


def _same_row(one: Line, other: Line) -> bool:
    return (
        one.block == other.block
        and abs(one.y1 - other.y1) <= _SAME_HEIGHT
        and not (one.table or one.sideways or other.sideways)
    )


def _labelled(left: Sequence[str], right: Sequence[str]) -> bool:
    values = sum(_VALUE.fullmatch(text.strip()) is not None for text in right)
    labels = sum(text.rstrip().endswith(_LABEL_ENDS) for text in left)
    return values > 0.5 * len(right) or labels > 0.5 * len(left)


def _rows(block: Sequence[Line]) -> list[_Row]:
    """A block as rows of at least two cells; nothing where it is text."""
    if len(block) < 2 or any(line.table or line.sideways for line in block):
        return []
    cells: list[list[Line]] = []
    right = 0.0
    for line in sorted(block, key=lambda one: one.x0):
        # Sorted by their left edges, lines that overlap sideways are one cell: its words are wrapped.
        if cells and line.x0 < right:
            cells[-1].append(line)
            right = max(right, line.x1)
        else:
            cells.append([line])
            right = line.x1
    if len(cells) < 2:
        return []
    for cell in cells:
        cell.sort(key=lambda one: one.y0)
    tops = [cell[0].y0 for cell in cells]
    if max(tops) - min(tops) > _SAME_HEIGHT:
        return []
    most = max(len(cell) for cell in cells)
    if most > 1 and all(_level(cell, cells[0]) for cell in cells):
        return [_Row(tuple((cell[at],) for cell in cells), False) for at in range(most)]
    return [_Row(tuple(tuple(cell) for cell in cells), True)]


def _level(cell: Sequence[Line], other: Sequence[Line]) -> bool:
    """Whether two cells have as many lines, at the same heights."""
    return len(cell) == len(other) and all(abs(a.y0 - b.y0) <= _SAME_HEIGHT for a, b in zip(cell, other, strict=True))


def _goes_on(run: Sequence[_Row], row: _Row) -> bool:
    """Whether `row` is the next one of the same table: right below, and parted at the same places."""
    height = run[-1].y1 - run[-1].y0
    near = -_SAME_HEIGHT < row.y0 - run[-1].y1 < 1.5 * height
    if not near or len(run) == _MOST_ROWS:
        return False
    columns = _intervals([*run, row])
    return len(columns) >= max(len(one.cells) for one in (*run, row))


def _intervals(rows: Sequence[_Row]) -> list[tuple[float, float]]:
    """The columns: the ranges of x that the cells of all rows cover, merged where they overlap."""
    merged: list[tuple[float, float]] = []
    for x0, x1 in sorted((min(one.x0 for one in cell), max(one.x1 for one in cell)) for r in rows for cell in r.cells):
        if merged and x0 < merged[-1][1]:
            merged[-1] = merged[-1][0], max(x1, merged[-1][1])
        else:
            merged.append((x0, x1))
    return merged


def _table(run: Sequence[_Row], block: int) -> Iterator[Line]:
    """The rows of a run as lines of a table, or the lines as they were where it is none."""
    columns = _intervals(run)
    texts = [_texts(row, columns) for row in run]
    two = len(columns) == 2 and _labelled([t[0] for t in texts], [t[1] for t in texts])
    if len(run) < LEAST_ROWS or not (all(row.alone for row in run) or len(columns) > 2 or two):
        yield from (line for row in run for cell in row.cells for line in cell)
        return
    left, right = columns[0][0], columns[-1][1]
    for row, cells in zip(run, texts, strict=True):
        yield Line(left, row.y0, right, row.y1, " | ".join(cells), 0.0, block, table=True)


def _texts(row: _Row, columns: Sequence[tuple[float, float]]) -> list[str]:
    texts = [""] * len(columns)
    for cell in row.cells:
        at = next(i for i, (x0, x1) in enumerate(columns) if x0 <= cell[0].x0 <= x1)
        texts[at] = " ".join(" ".join(line.text.split()) for line in cell)
    return texts
