"""JSON read on its source: where every bracket, key and value stands, which no parser of the standard library tells.

The text becomes tokens (`json_tokens`), brackets find their partners (`json_nesting`), and here each token is held
against the one before it, which finds what is no JSON.

Read all the same, though not in the standard: NaN and Infinity, words without quotes inside a list or an object, a comma
before a closing bracket, several values one after another (JSON Lines, or simply concatenated).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from chunkviz.measures import Int32s, Ints
from chunkviz.spans import Span, trimmed
from chunkviz.text.json_nesting import nesting
from chunkviz.text.json_tokens import (
    CLOSE_LIST,
    CLOSE_OBJECT,
    COLON,
    COMMA,
    KEY,
    OPEN_LIST,
    OPEN_OBJECT,
    STRING,
    WORD,
    Fault,
    lines_of,
    signs_of,
    tokens_of,
)

_TOP, _LIST, _OBJECT = range(3)
_FAULT, _READ, _TOLERATED = range(3)
_LITERAL = re.compile(r"true|false|null|-?NaN|-?Infinity")


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
    signs = signs_of(text)
    lines = np.concatenate(([0], np.flatnonzero(signs == 10) + 1)) if by_line else np.zeros(1, dtype=np.int64)
    faults: dict[int, Fault] = {}  # by line; without lines, everything is line 0
    starts, ends, kinds, no_numbers = tokens_of(signs, lines, faults)
    line_of = lines_of(lines, starts)
    containers, partners = nesting(starts, kinds, line_of, faults)
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
