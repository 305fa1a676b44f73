"""JSON read on its source: where every bracket, key and value stands, which no parser of the standard library tells.

The text is read as arrays, not character by character (the idea of simdjson: Langdale and Lemire, "Parsing gigabytes of
JSON per second", 2019): strings are what lies between every first and second quote that is not escaped, and what has a
meaning outside them becomes a token. Only brackets are walked through, with a stack of our own, so that no nesting is
too deep. Then each token is held against the one before it, which finds what is no JSON.

Read all the same, though not in the standard: NaN and Infinity, words without quotes inside a list or an object, a comma
before a closing bracket, several values one after another (JSON Lines, or simply concatenated).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import repeat
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunkviz.code_points import code_points, is_blank_point
from chunkviz.measures import BLOCK, Growing, Int32s, Ints
from chunkviz.spans import Span, trimmed

OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST, COMMA, COLON, STRING, WORD, KEY = range(1, 10)
"""Kinds of tokens. A closing bracket is one more than its opening one; WORD is any value that is neither string nor
container: numbers, true, false, null, and what stands in their place."""

_STRUCTURE = np.zeros(128, dtype=np.uint8)
for _kind, _character in enumerate("{}[],:", start=OPEN_OBJECT):
    _STRUCTURE[ord(_character)] = _kind
_TOP, _LIST, _OBJECT = range(3)
_FAULT, _READ, _TOLERATED = range(3)
_LITERAL = re.compile(r"true|false|null|-?NaN|-?Infinity")
_IN_WORD = (_STRUCTURE == 0) & (np.arange(128) != ord('"')) & ~is_blank_point(np.arange(128, dtype=np.uint32))
_NUMERIC = np.isin(np.arange(128), [ord(c) for c in "0123456789+-.eE"])


def _grammar() -> NDArray[np.uint8]:
    """uint8 (3, 10, 10): whether a kind may follow another one inside the top level, a list or an object."""
    table = np.zeros((3, KEY + 1, KEY + 1), dtype=np.uint8)
    values = [OPEN_OBJECT, OPEN_LIST, STRING, WORD]
    ended = [CLOSE_OBJECT, CLOSE_LIST, STRING, WORD]
    table[_TOP][:, values] = _READ
    table[_LIST][OPEN_LIST, [*values, CLOSE_LIST]] = _READ
    table[_LIST][COMMA, values] = _READ
    table[_OBJECT][OPEN_OBJECT, [KEY, CLOSE_OBJECT]] = _READ
    table[_OBJECT][COMMA, KEY] = _READ
    table[_OBJECT][KEY, COLON] = _READ
    table[_OBJECT][COLON, values] = _READ
    for container, close in ((_LIST, CLOSE_LIST), (_OBJECT, CLOSE_OBJECT)):
        table[container][np.ix_(ended, [COMMA, close])] = _READ
        table[container][COMMA, close] = _TOLERATED
    return table


_GRAMMAR: Final = _grammar()
_OPENED: Final = np.full(KEY + 1, _OBJECT, dtype=np.uint8)
_OPENED[OPEN_LIST] = _LIST


class Fault(NamedTuple):
    """Where the text is no JSON, and what was expected there."""

    position: int
    words: str


@dataclass(frozen=True, slots=True)
class JsonSource:
    """Everything that was understood, as n tokens in order, and the stretches that were not.

    starts, ends : int32 (n,), code points, half-open
    kinds        : uint8 (n,)
    containers   : int32 (n,), the token that opens what a token stands in, -1 at the top; an opening bracket stands
                   outside of what it opens, a closing one in what it closes
    partners     : int32 (n,), the closing bracket of an opening one and the other way round, n where none came; each other
                   token is its own
    unread       : stretches that are no JSON, in order; no token is in one
    faults       : why, one for each stretch; also a last one, at the end of the text, for a bracket that nothing closes
    tolerated    : the first thing that is not in the standard but was read, None where all is
    """

    starts: Int32s
    ends: Int32s
    kinds: NDArray[np.uint8]
    containers: Int32s
    partners: Int32s
    unread: tuple[Span, ...]
    faults: tuple[Fault, ...]
    tolerated: Fault | None


def read_json(text: str, *, by_line: bool = False) -> JsonSource:
    """Tokens of a JSON text. Never fails: the first fault ends what is understood.

    by_line : every line is for itself (JSON Lines), so that a fault costs its own line and not the rest of the text

    >>> source = read_json('[1, {"a": 2}]')
    >>> source.starts.tolist(), source.partners.tolist()
    ([0, 1, 2, 4, 5, 8, 10, 11, 12], [8, 1, 2, 7, 4, 5, 6, 3, 0])
    """
    signs = _signs(text)
    lines = np.concatenate(([0], np.flatnonzero(signs == 10) + 1)) if by_line else np.zeros(1, dtype=np.int64)
    faults: dict[int, Fault] = {}  # by line; without lines, everything is line 0
    starts, ends, kinds, no_numbers = _tokens(signs, lines, faults)
    line_of = _lines_of(lines, starts)
    containers, partners = _nesting(starts, kinds, line_of, faults)
    context = _contexts(kinds, containers)
    before = np.concatenate(([0], kinds[:-1])).astype(np.uint8)
    is_key = (kinds == STRING) & (context == _OBJECT) & ((before == OPEN_OBJECT) | (before == COMMA))
    kinds = np.where(is_key, KEY, kinds).astype(np.uint8)
    before = np.concatenate(([0], kinds[:-1])).astype(np.uint8)
    verdict = _verdicts(context, before, kinds)
    strange = _strange_words(text, no_numbers, starts, ends, kinds)
    verdict[strange] = np.where(context[strange] == _TOP, _FAULT, np.minimum(verdict[strange] * 2, _TOLERATED))
    for t in _first_of_each(np.flatnonzero(verdict == _FAULT), line_of):
        line, at = int(line_of[t]), int(starts[t])
        if line not in faults or at < faults[line].position:
            faults[line] = Fault(at, _expected(int(context[t]), int(before[t])))
    keep, unread = _understood(text, starts, line_of, lines, faults, by_line=by_line)
    odd = verdict == _TOLERATED
    if keep is not None:
        place = np.append(np.where(keep, np.cumsum(keep) - 1, keep.sum()), keep.sum()).astype(np.int32)
        containers = np.where(containers[keep] < 0, np.int32(-1), place[containers[keep]])
        starts, ends, kinds, odd, partners = starts[keep], ends[keep], kinds[keep], odd[keep], place[partners[keep]]
    end_missing = () if by_line else _unclosed(text, kinds, partners)
    return JsonSource(
        starts,
        ends,
        kinds,
        containers,
        partners,
        tuple(unread),
        tuple(faults[line] for line in sorted(faults)) or end_missing,
        Fault(int(starts[odd.argmax()]), "a comma before a closing bracket, or a word without quotes")
        if odd.any()
        else None,
    )


def _lines_of(lines: Ints, positions: Int32s) -> Int32s:
    """int32 (n,): the line that each position is in; `lines` are their starts, int64, the first one 0."""
    if len(lines) == 1:
        return np.zeros(len(positions), dtype=np.int32)
    return (np.searchsorted(lines, positions, side="right") - 1).astype(np.int32)


def _signs(text: str) -> NDArray[np.uint8]:
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


def _tokens(
    signs: NDArray[np.uint8], lines: Ints, faults: dict[int, Fault]
) -> tuple[Int32s, Int32s, NDArray[np.uint8], Int32s]:
    """Starts, ends and kinds of the tokens, and the positions in words of what no number holds.

    Strings without an end are noted as faults of their line.
    """
    quotes = _quotes(signs)
    line_of = _lines_of(lines, quotes)
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
    """Starts, ends and kinds of all tokens, given the quotes around strings; and what no number holds, as `_tokens`.

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


def _nesting(
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
    """`_nesting` one by one, for brackets of which some do not match."""
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


def _contexts(kinds: NDArray[np.uint8], containers: Int32s) -> NDArray[np.uint8]:
    """_TOP, _LIST or _OBJECT for every token; a closing bracket belongs to what it closes."""
    if not len(kinds):
        return np.empty(0, dtype=np.uint8)
    found = _OPENED[kinds[np.maximum(containers, 0)]]
    found[containers < 0] = _TOP
    return found


def _verdicts(contexts: NDArray[np.uint8], before: NDArray[np.uint8], kinds: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """What the grammar says of every token, given what it stands in and what stands before it."""
    _, rows, columns = _GRAMMAR.shape
    found: NDArray[np.uint8] = _GRAMMAR.ravel()[(contexts * np.uint16(rows) + before) * np.uint16(columns) + kinds]
    return found


def _strange_words(text: str, no_numbers: Int32s, starts: Int32s, ends: Int32s, kinds: NDArray[np.uint8]) -> Ints:
    """Tokens in the place of a value that are neither a number nor one of JSON's words."""
    words = np.flatnonzero(kinds == WORD)
    # Most words are numbers, and need no pattern.
    words = words[np.searchsorted(no_numbers, starts[words]) < np.searchsorted(no_numbers, ends[words])]
    spans = zip(starts[words].tolist(), ends[words].tolist(), strict=True)
    strange = [not _LITERAL.fullmatch(text, start, end) for start, end in spans]
    found: Ints = words[np.array(strange, dtype=bool)]
    return found


def _first_of_each(tokens: Ints, line_of: Int32s) -> list[int]:
    return tokens[np.unique(line_of[tokens], return_index=True)[1]].tolist() if len(tokens) else []


def _expected(context: int, before: int) -> str:
    if context == _TOP:
        return "neither a list nor an object nor any other value"
    if before == KEY:
        return "a colon is missing"
    if before == COLON or (context == _LIST and before in (OPEN_LIST, COMMA)):
        return "a value is missing"
    if before in (OPEN_OBJECT, COMMA):
        return "a key in double quotes is missing"
    return "a comma or a closing bracket is missing"


def _understood(
    text: str, starts: Int32s, line_of: Int32s, lines: Ints, faults: dict[int, Fault], *, by_line: bool
) -> tuple[NDArray[np.bool_] | None, list[Span]]:
    """Which tokens stay, None for all of them, and the stretches of text that were not understood."""
    if not faults:
        return None, []
    if not by_line:
        span = trimmed(text, Span(faults[0].position, len(text)))
        return starts < span.start, [span]
    borders = [*lines.tolist(), len(text)]
    found = [trimmed(text, Span(borders[line], borders[line + 1])) for line in sorted(faults)]
    return ~np.isin(line_of, list(faults)), found


def _unclosed(text: str, kinds: NDArray[np.uint8], partners: Int32s) -> tuple[Fault, ...]:
    opening = (kinds == OPEN_OBJECT) | (kinds == OPEN_LIST)
    count = int((opening & (partners == len(kinds))).sum())
    return (Fault(len(text), f"{count:,} brackets that nothing closes"),) if count else ()
