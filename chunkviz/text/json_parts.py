"""A JSON source as a row of parts that fit a size, and the path of each.

An item (a member of an object with its key, or an element of a list) that fits is one part, comma included. One that
does not is taken apart into its tokens and into the items inside it, for which the same holds.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from chunkviz.graphemes import Graphemes
from chunkviz.measures import Int32s, Ints, Measure
from chunkviz.text.json_source import JsonSource
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
)

OPEN, ITEM, CLOSE = range(3)
"""What a part is: something that belongs to what follows (an opening bracket, a key with its colon), an item or a value,
something that belongs to what stands before (a closing bracket, a comma)."""

_ROLES: Final = np.zeros(KEY + 1, dtype=np.uint8)
_ROLES[[STRING, WORD]] = ITEM
_ROLES[[CLOSE_OBJECT, CLOSE_LIST, COMMA]] = CLOSE

_MOST_STEPS: Final = 24
_LONGEST_KEY: Final = 80
# Token borders of the whole text tell how long an item is to within a few tokens; only near the limit it is counted.
_FAR: Final = 2
_SLACK: Final = 16


@dataclass(frozen=True)
class Parts:
    """n parts in order; each runs to where the next one begins.

    cuts   : n + 1 positions, the last one is the end of the text
    units  : n + 1, how many units of the measure begin before each of these
    roles  : uint8 (n,), OPEN, ITEM or CLOSE
    tokens : n, the first token of each; -1 for a stretch that is no JSON
    whole  : bool (n,), a part that was found to fit, as opposed to a single token of which nobody knows
    paths  : the path of any token
    """

    cuts: list[int]
    units: list[int]
    roles: NDArray[np.uint8]
    tokens: list[int]
    whole: NDArray[np.bool_]
    paths: Paths


def parts(text: str, source: JsonSource, measure: Measure, graphemes: Graphemes, size: int) -> Parts:
    """The parts of a source for a size."""
    n = len(source.starts)
    values = np.flatnonzero(
        (source.kinds == OPEN_OBJECT) | (source.kinds == OPEN_LIST) | (source.kinds == STRING) | (source.kinds == WORD)
    )
    inside = source.containers[values]
    in_object = (inside >= 0) & (source.kinds[np.maximum(inside, 0)] == OPEN_OBJECT)
    closed = source.partners[values] < n
    ends_with = np.minimum(source.partners[values], n - 1)
    firsts = np.where(in_object, values - 2, values)
    lasts = ends_with + np.append(source.kinds == COMMA, False)[ends_with + 1]
    fits = closed & _fits(measure, source.starts[firsts], source.ends[lasts], size)
    # Where only the key or the comma makes an item too long, at least its value stays whole.
    alone = np.flatnonzero(~fits & closed)
    alone = alone[_fits(measure, source.starts[values[alone]], source.ends[ends_with[alone]], size)]
    firsts[alone], lasts[alone] = values[alone], ends_with[alone]
    fits[alone] = True
    # Outermost first: an item inside one that fits is part of it.
    reach = np.maximum.accumulate(np.where(fits, lasts, -1)) if n else lasts
    outermost = fits & (np.concatenate(([-1], reach[:-1])) < firsts)
    change = np.zeros(n + 2, dtype=np.int64)
    change[firsts[outermost] + 1] += 1
    change[lasts[outermost] + 1] -= 1
    shown = np.cumsum(change[:n]) == 0
    roles = _ROLES[source.kinds]
    whole = np.zeros(n, dtype=bool)
    roles[firsts[outermost]] = ITEM
    whole[firsts[outermost]] = True
    tokens = np.flatnonzero(shown)
    starts = source.starts[tokens]
    unread = np.array([span.start for span in source.unread], dtype=np.int64)
    place = np.searchsorted(starts, unread)
    cuts = np.insert(starts, place, unread)
    # A combining mark makes one character with the bracket before it: the cut moves to where that begins.
    # No token begins between the two characters of a line end; other ASCII characters have a border between them.
    for i, cut in enumerate(cuts.tolist()):
        if not text[max(cut - 1, 0) : cut + 1].isascii():
            cuts[i] = graphemes.floor(cut)
    cuts = np.append(cuts, len(text))
    return Parts(
        cuts.tolist(),
        np.searchsorted(measure.borders, cuts).tolist(),
        np.insert(roles[tokens], place, ITEM),
        np.insert(tokens, place, -1).tolist(),
        np.insert(whole[tokens], place, False),
        Paths(text, source, values[shown[firsts]]),
    )


def _fits(measure: Measure, starts: Ints | Int32s, ends: Ints | Int32s, size: int) -> NDArray[np.bool_]:
    """bool (m,): which spans count at most `size`."""
    about = np.searchsorted(measure.borders, ends) - np.searchsorted(measure.borders, starts)
    fits = about <= size
    near = np.flatnonzero((about >= size // _FAR - _SLACK) & (about <= size * _FAR + _SLACK))
    fits[near] = measure.counts(starts[near].astype(np.int64), ends[near].astype(np.int64)) <= size
    return fits


def _decoded(key: str) -> str:
    """A key without its escapes; as it is written where it breaks the rules for strings."""
    try:
        return str(json.loads(f'"{key}"'))
    except ValueError:
        return key


class Paths:
    """JSONPath (RFC 9535) of tokens, made when asked for: `$.paths["/keys"].post`, `$.items[3:8]`.

    values : the values whose place in their list is known: all that no part hides
    """

    def __init__(self, text: str, source: JsonSource, values: Ints) -> None:
        self._text = text
        self._source = source
        inside = source.containers[values]
        order = np.argsort(inside, kind="stable")
        new = np.flatnonzero(np.diff(inside[order], prepend=-2))
        within = np.arange(len(values)) - np.repeat(new, np.diff(new, append=len(values)))
        self._places = np.full(len(source.starts), -1, dtype=np.int64)
        self._places[values[order]] = within
        self._several = int((inside < 0).sum()) > 1
        self._line_ends: list[int] | None = None

    def value(self, token: int) -> int:
        """The value that a token belongs to: its own, that of its key, the container that it closes; -1 at the top."""
        kind = self._source.kinds[token]
        if kind == KEY:
            return token + 2 if token + 2 < len(self._source.kinds) else int(self._source.containers[token])
        if kind == COLON:
            return self.value(token - 1)
        if kind in (CLOSE_OBJECT, CLOSE_LIST, COMMA):
            return int(self._source.containers[token])
        return token

    def of(self, first: int, last: int | None = None) -> str:
        """The path of a value, or of the neighbours `first` to `last` in one container; `first` may be -1."""
        source = self._source
        last = first if last is None else last
        steps: list[str] = []
        at = first
        if last != first:
            at = int(source.containers[first])
            if at >= 0 and source.kinds[at] == OPEN_LIST:
                steps.append(f"[{self._places[first]}:{self._places[last] + 1}]")
        while at >= 0 and len(steps) < _MOST_STEPS:
            around = int(source.containers[at])
            if around >= 0:
                steps.append(self._step(at, around))
            at = around
        lines = self.line(first, last) if self._several and first >= 0 else ""
        return lines + "$" + ("…" if at >= 0 else "") + "".join(reversed(steps))

    def _step(self, value: int, around: int) -> str:
        source = self._source
        if source.kinds[around] == OPEN_LIST:
            return f"[{self._places[value]}]"
        start, end = int(source.starts[value - 2]), int(source.ends[value - 2])
        key = self._text[start + 1 : end - 1]
        if len(key) > _LONGEST_KEY:
            return f'["{key[:_LONGEST_KEY]}…"]'
        return f".{name}" if (name := _decoded(key)).isidentifier() else f'["{key}"]'

    def line(self, first: int, last: int) -> str:
        """ "line 3: " or "lines 3 to 5: ": where values stand that have no path between them."""
        if self._line_ends is None:
            self._line_ends = [match.start() for match in re.finditer("\n", self._text)]
        one, other = (bisect_right(self._line_ends, int(self._source.starts[t]) - 1) + 1 for t in (first, last))
        return f"line {one:,}: " if one == other else f"lines {one:,} to {other:,}: "
