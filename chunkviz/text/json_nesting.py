"""Which bracket of a JSON text belongs to which, and what stands in which. No recursion: no nesting is too deep."""

from __future__ import annotations

from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from chunkviz.measures import Int32s, Ints
from chunkviz.text.json_tokens import CLOSE_LIST, OPEN_LIST, OPEN_OBJECT, Fault


def nesting(
    starts: Int32s, kinds: NDArray[np.uint8], line_of: Int32s, faults: dict[int, Fault]
) -> tuple[Int32s, Int32s]:
    """The container and the partner of every token; brackets that do not match are noted as faults of their line."""
    is_bracket = (kinds >= OPEN_OBJECT) & (kinds <= CLOSE_LIST)
    brackets = np.flatnonzero(is_bracket)
    inside, partners = _paired(kinds[brackets], line_of[brackets])
    if inside is None:
        return _walked(starts, kinds, line_of, faults)
    partner = np.arange(len(starts), dtype=np.int32)
    partner[brackets] = brackets[partners]
    around = np.concatenate(([-1], np.where(inside < 0, -1, brackets[np.maximum(inside, 0)]))).astype(np.int32)
    return around[np.cumsum(is_bracket, dtype=np.int32) - is_bracket], partner


def _paired(kinds: NDArray[np.uint8], line_of: Int32s) -> tuple[Ints | None, Ints]:
    """For m brackets that all match, in their own lines: after each the bracket that is open, -1 for none; and its partner.

    None where they do not. Brackets of one depth, in order, open and close by turns.
    """
    m = len(kinds)
    opens = (kinds == OPEN_OBJECT) | (kinds == OPEN_LIST)
    depth_after = np.cumsum(np.where(opens, 1, -1).astype(np.int32), dtype=np.int32)
    none = np.empty(0, dtype=np.int64)
    if not m:
        return none, none
    line_ends = np.flatnonzero(np.diff(line_of, append=-1))
    if depth_after.min() < 0 or depth_after[line_ends].any():
        return None, none
    depth = np.where(opens, depth_after, depth_after + 1)  # of what a bracket opens or closes, from 1 on
    order = np.argsort(depth, kind="stable")
    left, right = order[0::2], order[1::2]
    if not np.array_equal(kinds[left] + 1, kinds[right]):
        return None, none
    partners = np.empty(m, dtype=np.int64)
    partners[left], partners[right] = right, left
    # What is open after a bracket is the last one of its depth that opened: for each depth its brackets, in order.
    keys = depth[order].astype(np.int64) * m + order
    last = np.searchsorted(keys, depth_after.astype(np.int64) * m + np.arange(m), side="right") - 1
    inside = np.where(depth_after > 0, order[np.maximum(last, 0)], -1)
    return inside, partners


def _walked(
    starts: Int32s, kinds: NDArray[np.uint8], line_of: Int32s, faults: dict[int, Fault]
) -> tuple[Int32s, Int32s]:
    """`nesting` one by one, for brackets of which some do not match."""
    n = len(starts)
    is_bracket = (kinds >= OPEN_OBJECT) & (kinds <= CLOSE_LIST)
    brackets = np.flatnonzero(is_bracket)
    partner = np.arange(n, dtype=np.int32)
    partner[brackets] = n
    inside: list[int] = []  # what stands after each bracket is in the container that this token opens
    open_: list[int] = []
    awaited: list[int] = []
    current, skipped = 0, -1
    several = len(line_of) > 0 and int(line_of[-1]) > 0
    lines = line_of[brackets].tolist() if several else repeat(0)
    opened: list[int] = []
    closed: list[int] = []
    for t, kind, line in zip(brackets.tolist(), kinds[brackets].tolist(), lines, strict=False):
        if line != current:
            if open_:
                faults.setdefault(current, Fault(int(starts[open_[-1]]), "a bracket that nothing closes"))
                open_.clear()
                awaited.clear()
            current = line
        if line == skipped:
            inside.append(-1)
        elif kind in (OPEN_OBJECT, OPEN_LIST):
            open_.append(t)
            awaited.append(kind + 1)
            inside.append(t)
        elif open_ and awaited[-1] == kind:
            awaited.pop()
            opened.append(open_.pop())
            closed.append(t)
            inside.append(open_[-1] if open_ else -1)
        else:
            at = int(starts[t])
            if line not in faults or at < faults[line].position:
                faults[line] = Fault(at, "a closing bracket that closes nothing")
            skipped = line
            open_.clear()
            awaited.clear()
            inside.append(-1)
    if open_ and several:
        faults.setdefault(current, Fault(int(starts[open_[-1]]), "a bracket that nothing closes"))
    partner[opened] = closed
    partner[closed] = opened
    around = np.array([-1, *inside], dtype=np.int32)
    if several and faults:
        around[1:][np.isin(line_of[brackets], list(faults))] = -1
    return around[np.cumsum(is_bracket) - is_bracket], partner
