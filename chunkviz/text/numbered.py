"""Sentences as numbered lines that a language model can point at, in windows that it can take in.

A model sees each sentence on one line behind its number, between two fence lines that occur nowhere in them. It answers
with numbers and nothing else, so what stands in a sentence ("ignore your instructions") can at most move a boundary.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, NamedTuple

from chunkviz.document import Document
from chunkviz.settings import settings
from chunkviz.spans import Span
from chunkviz.text.sentences import whole_sentences

_SMALLEST_WINDOW: Final = 400
_NUMBER_WIDTH: Final = 10
_GAP: Final = " […] "
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")


class Window(NamedTuple):
    """Sentences `first` to `after` (not included), counted from 0; the first `shared` are in the window before too."""

    first: int
    after: int
    shared: int


@dataclass(frozen=True, slots=True)
class NumberedSentences:
    """The sentences of one document, as spans and as lines, and the windows they go in.

    spans     : without outer white space, none empty, in order
    lines     : each on one line, long ones without their middle
    shortened : how many lost their middle
    """

    spans: tuple[Span, ...]
    lines: tuple[str, ...]
    windows: tuple[Window, ...]
    shortened: int

    def listing(self, window: Window) -> str:
        """The sentences of a window as a model is shown them, numbered from 1."""
        body = "\n".join(f"[{at}] {line}" for at, line in enumerate(self.lines[window.first : window.after], 1))
        fence = fence_for(body)
        return f"{fence}\n{body}\n{fence}"

    def characters(self, window: Window) -> int:
        """Characters of the window's lines."""
        return sum(map(len, self.lines[window.first : window.after]))


def numbered_sentences(document: Document) -> NumberedSentences:
    """The document's sentences, numbered; worked out once per document."""
    budget = max(settings().llm_window_characters, _SMALLEST_WINDOW)
    return document.derive(("numbered sentences", budget), lambda: _numbered(document, budget))


def _numbered(document: Document, budget: int) -> NumberedSentences:
    spans = tuple(whole_sentences(document))
    # At most a quarter of a window each, so that every window holds something old and something new.
    longest = budget // 4 - _NUMBER_WIDTH
    full = [" ".join(_CONTROL.sub(" ", document.text[s.start : s.end]).split()) for s in spans]
    lines = tuple(line if len(line) <= longest else _shortened(line, longest) for line in full)
    lengths = [len(line) + _NUMBER_WIDTH for line in lines]
    shortened = sum(len(line) > longest for line in full)
    return NumberedSentences(spans, lines, tuple(windows(lengths, budget, most_shared=12)), shortened)


def _shortened(line: str, longest: int) -> str:
    tail = (longest - len(_GAP)) // 3
    return line[: longest - len(_GAP) - tail] + _GAP + line[len(line) - tail :]


def windows(lengths: Sequence[int], budget: int, most_shared: int) -> list[Window]:
    """Windows of neighbouring sentences, each up to `budget` long, that overlap.

    A window repeats the last sentences of the one before: at least one, so that each gap between two sentences is inside
    some window, at most `most_shared`, and at most a quarter of the budget beyond the first.

    >>> windows([1, 1, 1, 1, 1, 1], budget=4, most_shared=2)
    [Window(first=0, after=4, shared=0), Window(first=3, after=6, shared=1)]
    """
    totals = list(accumulate(lengths, initial=0))
    found: list[Window] = []
    first, shared = 0, 0
    while first + shared < len(lengths):
        after = max(bisect_right(totals, totals[first] + budget) - 1, first + shared + 1)
        found.append(Window(first, after, shared))
        back = max(after - most_shared, bisect_left(totals, totals[after] - budget // 4), first + 1)
        first = min(back, after - 1)
        shared = after - first
    return found


def fence_for(text: str) -> str:
    """A line that does not occur in `text`, the same for the same text."""
    attempt = 0
    while True:
        fence = "==== " + hashlib.sha256(f"{attempt} {text}".encode("utf-8", "surrogatepass")).hexdigest()[:16]
        if fence not in text:
            return fence
        attempt += 1  # pragma: no cover  # whoever writes a text that holds the start of its own hash


def one_or_many(count: int, one: str, many: str = "") -> str:
    """A number with its noun: “1 sentence”, “1,200 sentences”."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
