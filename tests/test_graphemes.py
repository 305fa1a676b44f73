"""P5: grapheme borders, held to the plain definition: split the whole text with \\X."""

from __future__ import annotations

import numpy as np
import pytest
import regex
from awkward import awkward_text
from hypothesis import given
from hypothesis import strategies as st

import chunkviz
from chunkviz import Document
from chunkviz.code_points import code_points_at
from chunkviz.graphemes import Graphemes
from chunkviz.spans import Span, Spans


def slow_borders(text: str) -> set[int]:
    return {0} | {m.end() for m in regex.finditer(r"\X", text)}


def check(text: str) -> None:
    borders = slow_borders(text)
    fast = Graphemes(text)
    for i in range(len(text) + 1):
        assert fast.is_border(i) == (i in borders), (text, i)
        assert fast.floor(i) == max(b for b in borders if b <= i)
        assert fast.ceil(i) == min(b for b in borders if b >= i)
    positions = np.arange(len(text) + 1, dtype=np.int64)
    assert Graphemes(text).ceil_all(positions).tolist() == [fast.ceil(i) for i in positions.tolist()]


@given(awkward_text(12))
def test_borders_are_those_of_the_whole_text(text: str) -> None:
    check(text)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_borders_of_any_text(text: str) -> None:
    check(text)


def test_every_pair_of_plain_characters_has_a_border_between() -> None:
    """The table of plain ranges must hold no character that joins its neighbour."""
    from chunkviz.graphemes import _PLAIN_RANGES

    plain = [chr(c) for low, high in _PLAIN_RANGES for c in range(low, high)]
    text = "a".join(plain).replace("\r", "")
    assert slow_borders(text) == set(range(len(text) + 1))


def test_long_runs_are_split_once() -> None:
    text = "🇩🇪" * 20_000
    fast = Graphemes(text)
    assert [fast.ceil(i) for i in range(1, 40_000, 397)] == [i + i % 2 for i in range(1, 40_000, 397)]
    assert len(fast._runs) == 1


@pytest.mark.parametrize("text", ["\u0600 ", "a \u0600 ", "\u0600\n\nb", "a\u0600 \u0600 b", "\u0600 \u0301x"])
def test_a_mark_that_joins_the_blank_after_it_is_not_lost(text: str) -> None:
    for strategy in ("fixed", "recursive", "sentence", "structure", "page", "html", "semantic"):
        made = chunkviz.chunk(Document.from_text(text, name="a.md"), strategy)
        assert "".join(c.text for c in made.chunks).count("\u0600") == text.count("\u0600")


@pytest.mark.parametrize("text", ["\u0600```\n", "a\n\u0600```\n", "\u0600  - b\n```\n"])
@pytest.mark.parametrize("strategy", ["recursive", "latex", "json", "code", "structure", "page"])
def test_a_mark_before_a_fence_is_not_lost(text: str, strategy: str) -> None:
    for unit, size in (("characters", 2), ("characters", 3), ("all-MiniLM-L6-v2", 1), ("words", 1)):
        chunkviz.chunk(Document.from_text(text, name="a.md"), strategy, unit=unit, size=size)


def test_a_run_of_flags_is_split_as_a_whole_one_is() -> None:
    text = "\U0001f1e9\U0001f1ea" * 700 + "a" + "\U0001f1e9" * 601 + "e" + "\u0301" * 600 + "\u200d" * 3
    ends = [m.end() for m in regex.finditer(r"\X", text)]
    found = Graphemes(text)
    assert [i for i in range(1, len(text) + 1) if found.is_border(i)] == ends


@given(awkward_text(12), st.data())
def test_many_spans_are_trimmed_as_each_one_is(text: str, data: st.DataObject) -> None:
    pairs = data.draw(st.lists(st.tuples(st.integers(0, len(text)), st.integers(0, len(text))), max_size=8))
    spans = [Span(min(p), max(p)) for p in pairs if p[0] != p[1]]
    found = Graphemes(text).trimmed_all(Spans([s.start for s in spans], [s.end for s in spans]))
    each = (Graphemes(text).trimmed(*span) for span in spans)
    assert list(found) == [span for span in each if span.length]


@given(awkward_text(12), st.data())
def test_many_positions_are_moved_as_each_one_is(text: str, data: st.DataObject) -> None:
    positions = data.draw(st.lists(st.integers(0, len(text)), max_size=8))
    found = Graphemes(text).ceil_all(np.array(positions, dtype=np.int64))
    assert found.tolist() == [Graphemes(text).ceil(i) for i in positions]


@pytest.mark.parametrize("apart", [1, 3, 50])
def test_code_points_at_positions_near_and_far_apart(apart: int) -> None:
    text = "a\u0301 \U0001f600\ud800\u3000" * 40
    positions = np.arange(0, len(text), apart, dtype=np.int64)[::-1]
    assert code_points_at(text, positions).tolist() == [ord(text[i]) for i in positions]
