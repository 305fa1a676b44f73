"""From drops to chunks: cuts where a drop exceeds its level, then sizes are kept.

Three steps, each simple enough to exist twice, here and in `ui/component/turns.js`:

1. A gap is a cut where its drop is greater than the level, and where a section begins.
2. A stretch longer than `size` is cut at its own deepest gap, again and again; of gaps equally deep the one nearest to
   the middle.
3. From left to right, a stretch shorter than `smallest` joins the neighbour that is more like it, where both fit.

Sizes are exact in the unit of the recipe: of the units i ... j it is own[i] where i = j, tail[j] - head[i] otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from chunkviz.document import Document
from chunkviz.measures import Ints, Measure
from chunkviz.similarity.curve import Bools, Floats
from chunkviz.similarity.thresholds import Kind, Spread
from chunkviz.spans import Spans
from chunkviz.text.recursive import plain_splitter

DROP, SECTION, DEEPEST, INSIDE = 1, 2, 3, 4
"""Why a gap is a cut."""


class Units(NamedTuple):
    """What is never cut: sentences, and pieces of sentences that are larger than `size` themselves.

    starts, ends : int64 (n,), code points
    sentence     : int64 (n,), the sentence each belongs to
    own, head, tail : int64 (n,), see the top of this file
    """

    starts: Ints
    ends: Ints
    sentence: Ints
    own: Ints
    head: Ints
    tail: Ints


def units_of(document: Document, measure: Measure, sentences: Spans, size: int) -> Units:
    """The units of a document's sentences; none counts more than `size`, as far as characters can be parted."""
    starts, ends = sentences.starts, sentences.ends
    numbers = np.arange(len(sentences), dtype=np.int64)
    own = document.derive(("sentence lengths", measure), lambda: measure.counts(starts, ends))
    if not (own > size).any():
        # The usual case: the same for every size, so it is kept once and not for each step of a slider.
        head, tail = document.derive(("sentence edges", measure), lambda: measure.edges(starts, ends))
        return Units(starts, ends, numbers, own, head, tail)
    splitter = plain_splitter(document, measure, size)
    parts: list[tuple[int, int, int]] = []
    for i, (start, end, length) in enumerate(zip(starts.tolist(), ends.tolist(), own.tolist(), strict=True)):
        inside = [(p.start, p.end) for p in splitter.pieces(start, end)] if length > size else [(start, end)]
        parts.extend((s, e, i) for s, e in inside)
    table = np.array(parts, dtype=np.int64)
    starts, ends, numbers = table[:, 0].copy(), table[:, 1].copy(), table[:, 2].copy()
    own = measure.counts(starts, ends)
    head, tail = measure.edges(starts, ends)
    return Units(starts, ends, numbers, own, head, tail)


@dataclass(frozen=True, slots=True, eq=False)
class Turns:
    """All that is needed to cut one document again at another level: what the browser is sent.

    units   : n of them
    values  : float64 (n - 1,), similarities; 1.0 where undefined
    drops   : float64 (n - 1,), -inf where a gap is never a turn
    depths  : float64 (n - 1,), 1 - similarity, -inf where undefined: where long stretches are cut, and which way
              short ones join
    sections : bool (n - 1,), gaps before a section
    kind, amount, spread, level : the threshold
    size, smallest : in the unit of the recipe
    """

    units: Units
    values: Floats
    drops: Floats
    depths: Floats
    sections: Bools
    kind: Kind
    amount: float
    spread: Spread
    level: float
    size: int
    smallest: int


class Regrouped(NamedTuple):
    """Chunks as ranges of units.

    firsts : int64 (m,), the first unit of each chunk, ascending from 0
    why    : int64 (m,), why each one starts there: `DROP`, `SECTION`, `DEEPEST` or `INSIDE`; 0 for the first
    merged : how many stretches shorter than `smallest` joined a neighbour
    """

    firsts: Ints
    why: Ints
    merged: int


def turns_of(drops: Floats, level: float, sections: Bools) -> Bools:
    """bool (n - 1,): the gaps that are cuts before sizes are looked at."""
    return (drops > level) | sections


def regroup(units: Units, cuts: Bools, sections: Bools, depths: Floats, size: int, smallest: int) -> Regrouped:
    """Steps 2 and 3 of the top of this file. O(n log n) for curves as they come, no recursion."""
    n = len(units.starts)
    if not n:
        none = np.empty(0, dtype=np.int64)
        return Regrouped(none, none, 0)
    own, head, tail = units.own.tolist(), units.head.tolist(), units.tail.tolist()
    inside = np.diff(units.sentence) == 0
    why: dict[int, int] = {}  # gap -> reason
    for gap in np.flatnonzero(cuts).tolist():
        why[gap] = SECTION if sections[gap] else DROP

    def length(first: int, last: int) -> int:
        return int(own[first]) if first == last else int(tail[last] - head[first])

    parts: list[tuple[int, int]] = []
    edges = [0, *(gap + 1 for gap in sorted(why)), n]
    # The last one on the stack is the leftmost.
    waiting = [(a, b - 1) for a, b in pairwise(edges)][::-1]
    while waiting:
        first, last = waiting.pop()
        if first == last or length(first, last) <= size:
            parts.append((first, last))
            continue
        gap = _deepest(depths, first, last - 1)
        why[gap] = INSIDE if inside[gap] else DEEPEST
        waiting.append((gap + 1, last))
        waiting.append((first, gap))

    depth = depths.tolist()
    kept: list[tuple[int, int]] = []
    merged = 0
    at = 0
    while at < len(parts):
        first, last = parts[at]
        while length(first, last) < smallest:
            left = bool(kept) and length(kept[-1][0], last) <= size
            right = at + 1 < len(parts) and length(first, parts[at + 1][1]) <= size
            if not left and not right:
                break
            if left and (not right or depth[first - 1] <= depth[last]):
                first = kept.pop()[0]
            else:
                at += 1
                last = parts[at][1]
            merged += 1
        kept.append((first, last))
        at += 1
    firsts = np.array([first for first, _ in kept], dtype=np.int64)
    return Regrouped(firsts, np.array([0, *(why[f - 1] for f, _ in kept[1:])], dtype=np.int64), merged)


def _deepest(depths: Floats, low: int, high: int) -> int:
    """The deepest gap of low ... high, both included; of several the one nearest to the middle, then the first."""
    part = depths[low : high + 1]
    best = np.flatnonzero(part == part.max())
    return low + int(best[np.argmin(np.abs(2 * best - (high - low)))])
