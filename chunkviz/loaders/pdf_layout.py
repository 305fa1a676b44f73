"""The order in which a page is read: columns left to right, between the lines that run over the whole width."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a page: its box in points from the top left, its text, its largest type size and its block."""

    x0: float
    y0: float
    x1: float
    y1: float
    text: str
    size: float
    block: int
    table: bool = False


LEAST_LINES = 3
"""Lines that both sides of a gutter must have before they count as columns; two short lines side by side are none."""


def gutter(lines: Sequence[Line], width: float) -> float | None:
    """The x of an empty strip between two columns, None where there is none.

    It lies in the middle half of the page; at most a third of the lines run across it, and both sides have several
    lines. Of all such strips the one that the fewest lines cross is taken, then the widest.
    """
    low, high = width * 0.25, width * 0.75
    edges = sorted({low, high, *(x for line in lines for x in (line.x0, line.x1) if low < x < high)})
    best: tuple[int, float, float] | None = None
    for left, right in pairwise(edges):
        middle = (left + right) / 2
        crossing = sum(line.x0 < middle < line.x1 for line in lines)
        before = sum(line.x1 <= middle for line in lines)
        after = sum(line.x0 >= middle for line in lines)
        if right - left < 6 or min(before, after) < LEAST_LINES or crossing * 3 > len(lines):
            continue
        if best is None or (crossing, left - right) < best[:2]:
            best = (crossing, left - right, middle)
    return best[2] if best else None


def reading_order(lines: Sequence[Line], width: float) -> tuple[list[Line], bool]:
    """The lines as they are read, and whether the page has columns.

    Lines across the gutter part the page into bands; in each band the left column is read before the right one.
    """
    ordered = sorted(lines, key=lambda line: (round(line.y0), line.x0))
    at = gutter(lines, width)
    if at is None:
        return ordered, False
    found: list[Line] = []
    left: list[Line] = []
    right: list[Line] = []
    for line in ordered:
        if line.x0 < at < line.x1:
            found += [*left, *right, line]
            left, right = [], []
        else:
            (left if line.x1 <= at else right).append(line)
    return [*found, *left, *right], True
