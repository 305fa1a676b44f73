"""The order in which a page is read: columns left to right, between the lines that run over all of them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, TypeAlias


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a page: its box in points from the top left, its text, its largest type size and its block.

    block    : lines of one block stand close together; tables have numbers of their own, below zero
    table    : the line is a row of a table
    sideways : the text runs up or down the page, as a stamp in the margin does
    """

    x0: float
    y0: float
    x1: float
    y1: float
    text: str
    size: float
    block: int
    table: bool = False
    sideways: bool = False


LEAST_LINES: Final = 3
"""Lines that both sides of a gutter must have beside each other before they are columns; two short ones are none."""
LEAST_GUTTER: Final = 6.0
"""Width of the narrowest gutter, in points."""
MOST_COLUMNS_DEEP: Final = 3
"""How often a column is looked at for columns inside it: up to 8 columns on a page."""

IsGrid: TypeAlias = Callable[[Sequence[Line], Sequence[Line], float], bool]
"""Whether the lines left and right of a gutter are read by rows, as labels and values are.

The last argument tells where the right ones begin: 0 at the left edge of the page or column, 1 at its right edge.
"""

_CANDIDATES = 12


def reading_order(lines: Sequence[Line], width: float, is_grid: IsGrid) -> tuple[list[Line], int]:
    """The lines as they are read, and the greatest number of columns found side by side.

    Lines across a gutter part the page into bands; in each band the left column is read before the right one. Text
    that runs sideways comes last.

    width : of the page, in points
    """
    upright = [line for line in lines if not line.sideways]
    ordered, columns = _columns(rows(upright), 0.0, width, MOST_COLUMNS_DEEP, is_grid)
    return [*ordered, *(line for line in lines if line.sideways)], columns


def rows(lines: Sequence[Line]) -> list[Line]:
    """Top to bottom; lines side by side of which one's middle lies at the other's height are a row, left to right."""
    found: list[Line] = []
    row: list[Line] = []
    for line in sorted(lines, key=lambda one: (one.y0 + one.y1) / 2):
        # Some fonts have boxes so high that neighbouring lines overlap: lines above each other are never a row.
        above = any(one.x0 < line.x1 and line.x0 < one.x1 for one in row[-8:])
        if row and (above or (line.y0 + line.y1) / 2 > row[0].y1):
            found += sorted(row, key=lambda one: one.x0)
            row = []
        row.append(line)
    return [*found, *sorted(row, key=lambda one: one.x0)]


def _columns(lines: list[Line], left: float, right: float, depth: int, is_grid: IsGrid) -> tuple[list[Line], int]:
    """Split `lines`, which lie in a column from `left` to `right`, at their best gutter, and what comes out again."""
    at = _gutter(lines, left, right, is_grid) if depth else None
    if at is None:
        return lines, 1
    found: list[Line] = []
    most = 1
    for across, band in _bands(lines, at):
        if across:
            found += band
            continue
        before = [line for line in band if line.x1 <= at]
        after = [line for line in band if line.x1 > at]
        if not _beside(before, after) or is_grid(before, after, _place(after, left, right)):
            found += band
            continue
        early = _early(before, after)
        found += early
        after = [line for line in after if line not in early]
        first, first_columns = _columns(before, left, at, depth - 1, is_grid)
        second, second_columns = _columns(after, at, right, depth - 1, is_grid)
        found += [*first, *second]
        most = max(most, first_columns + second_columns)
    return found, most


def _early(before: Sequence[Line], after: Sequence[Line]) -> list[Line]:
    """Lines on the right that stand above the whole left column in larger type: a title that is not centred."""
    top, size = min(line.y0 for line in before), min(line.size for line in after)
    return [line for line in after if line.y1 <= top and line.size > size * 1.15]


def _gutter(lines: Sequence[Line], left: float, right: float, is_grid: IsGrid) -> float | None:
    """The x of an empty strip between two columns, None where there is none.

    Of the strips that few lines cross, the one is taken that has the most lines beside each other; it does not lie
    in the outer fifths, where labels and numbers of lists stand.
    """
    low, high = left + 0.2 * (right - left), right - 0.2 * (right - left)
    starts, ends = sorted(line.x0 for line in lines), sorted(line.x1 for line in lines)
    edges = sorted({low, high, *(x for x in (*starts, *ends) if low < x < high)})
    strips = []
    for a, b in pairwise(edges):
        middle = (a + b) / 2
        before, after = bisect_right(ends, middle), len(starts) - bisect_left(starts, middle)
        if b - a >= LEAST_GUTTER and min(before, after) >= LEAST_LINES:
            strips.append((len(lines) - before - after, a - b, middle))
    best: tuple[tuple[int, int], float] | None = None
    for _, _, middle in sorted(strips)[:_CANDIDATES]:
        bands = (band for across, band in _bands(lines, middle) if not across)
        scores = [_score(band, middle, (left, right), is_grid) for band in bands]
        score = sum(beside for beside, _ in scores), -sum(above for _, above in scores)
        if score[0] and (best is None or score > best[0]):
            best = score, middle
    return best[1] if best else None


def _score(band: Sequence[Line], at: float, column: tuple[float, float], is_grid: IsGrid) -> tuple[int, int]:
    """(Lines of a band that stand beside each other as columns, lines on the right above all on the left).

    The second are no columns' lines: a heading that happens to end where the right column begins.
    """
    before = [line for line in band if line.x1 <= at]
    after = [line for line in band if line.x1 > at]
    if min(len(before), len(after)) < LEAST_LINES or not _beside(before, after):
        return 0, 0
    if is_grid(before, after, _place(after, *column)):
        return 0, 0
    top = max(min(line.y0 for line in before), min(line.y0 for line in after))
    bottom = min(max(line.y1 for line in before), max(line.y1 for line in after))
    left_top = min(line.y0 for line in before)
    beside = sum(line.y1 > top and line.y0 < bottom for line in band)
    return beside, sum(line.y1 <= left_top for line in after)


def _bands(lines: Sequence[Line], at: float) -> Iterator[tuple[bool, list[Line]]]:
    """Runs of lines that cross `at`, and of lines that do not."""
    run: list[Line] = []
    run_across = False
    for line in lines:
        across = line.x0 < at < line.x1
        if run and across != run_across:
            yield run_across, run
            run = []
        run_across = across
        run.append(line)
    if run:
        yield run_across, run


def _place(after: Sequence[Line], left: float, right: float) -> float:
    return (min(line.x0 for line in after) - left) / (right - left)


def _beside(before: Sequence[Line], after: Sequence[Line]) -> bool:
    if not before or not after:
        return False
    top = max(min(line.y0 for line in before), min(line.y0 for line in after))
    bottom = min(max(line.y1 for line in before), max(line.y1 for line in after))
    return top < bottom
