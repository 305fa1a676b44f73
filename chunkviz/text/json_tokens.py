"""The tokens of a JSON text, read as arrays and not character by character.

The idea is that of simdjson (Langdale and Lemire, "Parsing gigabytes of JSON per second", 2019): strings are what lies
between every first and second quote that is not escaped, and what has a meaning outside them becomes a token.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunkviz.code_points import code_points, is_blank_point
from chunkviz.measures import BLOCK, Growing, Int32s, Ints

OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST, COMMA, COLON, STRING, WORD, KEY = range(1, 10)
"""Kinds of tokens. A closing bracket is one more than its opening one; WORD is any value that is neither string nor
container: numbers, true, false, null, and what stands in their place."""

_STRUCTURE = np.zeros(128, dtype=np.uint8)
for _kind, _character in enumerate("{}[],:", start=OPEN_OBJECT):
    _STRUCTURE[ord(_character)] = _kind
_IN_WORD = (_STRUCTURE == 0) & (np.arange(128) != ord('"')) & ~is_blank_point(np.arange(128, dtype=np.uint32))
_NUMERIC = np.isin(np.arange(128), [ord(c) for c in "0123456789+-.eE"])


class Fault(NamedTuple):
    """Where the text is no JSON, and what was expected there."""

    position: int
    words: str


def lines_of(lines: Ints, positions: Int32s) -> Int32s:
    """int32 (n,): the line that each position is in; `lines` are their starts, int64, the first one 0."""
    if len(lines) == 1:
        return np.zeros(len(positions), dtype=np.int32)
    return (np.searchsorted(lines, positions, side="right") - 1).astype(np.int32)


def signs_of(text: str) -> NDArray[np.uint8]:
    """uint8 (len(text),): ASCII as it is, other white space as a blank, everything else as 127; a byte each is fast."""
    if text.isascii():
        return np.frombuffer(text.encode("ascii"), dtype=np.uint8)
    signs = np.empty(len(text), dtype=np.uint8)
    for at in range(0, len(text), BLOCK):  # four bytes for every character of a block fit where it has just been
        points = code_points(text[at : at + BLOCK])
        block = signs[at : at + BLOCK]
        block[:] = np.minimum(points, 127)
        high = np.flatnonzero(points > 127)
        block[high[is_blank_point(points[high])]] = ord(" ")
    return signs


def tokens_of(
    signs: NDArray[np.uint8], lines: Ints, faults: dict[int, Fault]
) -> tuple[Int32s, Int32s, NDArray[np.uint8], Int32s]:
    """Starts, ends and kinds of the tokens, and the positions in words of what no number holds.

    signs  : of the text, see `signs_of`
    lines  : int64, where each line begins that is read for itself; the first one 0
    faults : by line; strings without an end are added to it
    """
    quotes = _quotes(signs)
    line_of = lines_of(lines, quotes)
    counts = np.bincount(line_of, minlength=len(lines))
    lasts = np.cumsum(counts) - 1
    for line in np.flatnonzero(counts % 2).tolist():
        faults[line] = Fault(int(quotes[lasts[line]]), "a string that nothing closes")
    # Without its last quote a line has pairs only, and what follows that quote is not looked at.
    quotes = np.delete(quotes, lasts[counts % 2 == 1])
    return _outside(signs, quotes[0::2], quotes[1::2])


def _outside(
    signs: NDArray[np.uint8], opening: Int32s, closing: Int32s
) -> tuple[Int32s, Int32s, NDArray[np.uint8], Int32s]:
    """Starts, ends and kinds of all tokens, given the quotes around strings; and what no number holds, as `tokens_of`.

    Block by block: what a pass needs beside the text then fits where it has just been.
    """
    starts, edges, no_numbers = Growing(np.int32), Growing(np.int32), Growing(np.int32)
    kinds = [np.empty(0, dtype=np.uint8)]
    in_string, in_word = 0, False
    after = closing + 1
    for low in range(0, len(signs), BLOCK):
        block = signs[low : low + BLOCK]
        high = low + len(block)
        begun = opening[slice(*np.searchsorted(opening, (low, high)))] - low
        ended = after[slice(*np.searchsorted(after, (low, high)))] - low
        mark = np.zeros(len(block), dtype=np.int8)
        mark[0] = in_string
        mark[begun] += 1
        mark[ended] -= 1
        inside = np.cumsum(mark, dtype=np.int8)
        outside = inside == 0
        kind_at = _STRUCTURE[block] * outside
        word = outside & _IN_WORD[block]
        no_numbers.add(np.flatnonzero(word & ~_NUMERIC[block]), low)
        # Where words begin and end, by turns.
        edge = np.flatnonzero(word != np.concatenate(([in_word], word[:-1])))
        kind_at[begun] = STRING
        kind_at[edge[word[edge]]] = WORD
        at = np.flatnonzero(kind_at)
        edges.add(edge, low)
        starts.add(at, low)
        kinds.append(kind_at[at])
        in_string, in_word = int(inside[-1]), bool(word[-1])
    edges.add(np.array([len(signs)] if in_word else [], dtype=np.int32), 0)
    kind = np.concatenate(kinds)
    ends = starts.filled + np.int32(1)
    ends[kind == STRING] = after
    ends[kind == WORD] = edges.filled[1::2]
    return starts.filled, ends, kind, no_numbers.filled


def _positions(signs: NDArray[np.uint8], character: str) -> Int32s:
    found = Growing(np.int32)
    for at in range(0, len(signs), BLOCK):
        found.add(np.flatnonzero(signs[at : at + BLOCK] == ord(character)), at)
    return found.filled


def _quotes(signs: NDArray[np.uint8]) -> Int32s:
    """Positions of the quotes that no odd number of backslashes stands before."""
    quotes = _positions(signs, '"')
    behind = np.flatnonzero((quotes > 0) & (signs[np.maximum(quotes - 1, 0)] == ord("\\")))
    if not len(behind):
        return quotes
    slashes = _positions(signs, "\\")
    # Of each backslash, the first one of the run that it stands in.
    runs = np.maximum.accumulate(np.where(np.diff(slashes, prepend=-2) > 1, slashes, -1))
    first = runs[np.searchsorted(slashes, quotes[behind]) - 1]
    escaped = behind[(quotes[behind] - first) % 2 == 1]
    return np.delete(quotes, escaped)
