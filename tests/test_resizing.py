"""What lets the browser cut again while a slider moves: `tests/js/resizing.test.mjs` holds its cuts to Python's."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import resizing_vectors
from awkward import awkward_text
from hypothesis import given
from hypothesis import strategies as st

from chunkviz import registry
from chunkviz.document import Document
from chunkviz.engine import chunk, resizing
from chunkviz.resizing import MOST_CHARACTERS, followed, narrow, resizing_blob, resizing_key
from chunkviz.text.recursive import fitting_splitter
from chunkviz.units import unit

TEXT = "One two three.\n\nFour five, six seven.\nEight.\n\n\n\nNine ten eleven twelve."


def widened(data: Sequence[int]) -> list[int]:
    """`narrow` the other way, byte by byte."""
    found, value, step = [], 0, 0
    for byte in data:
        step += byte
        if byte < 255:
            value += -(step + 1) // 2 if step % 2 else step // 2
            found.append(value)
            step = 0
    return found


def test_the_vectors_are_what_python_makes_today() -> None:
    assert resizing_vectors.FILE.read_text(encoding="utf-8") == resizing_vectors.as_json()


@given(st.lists(st.integers(0, 2**31 - 1) | st.integers(0, 300)))
def test_numbers_survive_being_made_narrow(values: list[int]) -> None:
    assert widened(narrow(np.array(values, dtype=np.int64)).tolist()) == values


@given(awkward_text().filter(bool))
def test_every_cut_of_recursive_is_one_of_the_borders(text: str) -> None:
    """At any size at which no part is cut between characters, that is with a limit above the longest part."""
    document = Document.from_text(text, name="a.md")
    measure = unit("characters").measure(document)
    splitter, _ = fitting_splitter(document, measure, 10, 0, strict=False)
    borders, levels = splitter.every_border()
    assert borders.tolist() == sorted(set(borders.tolist()))
    assert {0, len(text)} == {int(borders[0]), int(borders[-1])}
    assert levels.max(initial=0) < len(splitter.separators)
    longest = int(np.diff(borders).max(initial=0))
    for size in (longest + 1, longest + 7):
        sized, _ = fitting_splitter(document, measure, size, 0, strict=False)
        sized.pieces(0, len(text))
        used = {border for _, found, _ in sized.memo.values() for border in found.tolist()}
        # With no separator at all the text is parted between characters at once.
        assert len(borders) == 2 or used <= set(borders.tolist())


def test_a_key_names_what_size_and_overlap_do_not_change() -> None:
    document = Document.from_text(TEXT, name="a.md")
    one = chunk(document, "recursive", size=20, overlap=5)
    assert resizing_key(one) == resizing_key(chunk(document, "recursive", size=7, overlap=0))
    others = [
        chunk(document, "recursive", size=20, overlap=5, unit="words"),
        chunk(document, "recursive", size=20, overlap=5, separators=("\n", "")),
        chunk(document, "fixed", size=20, overlap=5),
        chunk(Document.from_text(TEXT + "!", name="a.md"), "recursive", size=20, overlap=5),
    ]
    assert len({resizing_key(c) for c in (one, *others)}) == 5
    assert followed(one) == {"size": 20, "overlap": 5}


def test_the_message_does_not_depend_on_where_the_slider_stands() -> None:
    document = Document.from_text(TEXT, name="a.md")
    for strategy in ("fixed", "recursive"):
        made = [resizing_blob(chunk(document, strategy, size=size, overlap=0)) for size in (3, 40)]
        assert made[0] is not None
        assert made[0] == made[1]


@pytest.mark.parametrize("strategy", sorted(set(registry.strategies()) - {"fixed", "recursive"}))
def test_a_strategy_that_declares_nothing_waits_for_the_server(strategy: str) -> None:
    tags = registry.strategy(strategy).tags
    if tags.needs_model or tags.needs_embedder:
        assert registry.strategy(strategy).resizing is None
        return
    made = chunk(Document.from_text(TEXT, name="a.md"), strategy)
    assert resizing_key(made) == ""
    assert resizing_blob(made) is None
    assert resizing(made) is None


def test_what_cannot_be_followed_is_not_sent() -> None:
    for text in ("", "word"):
        made = chunk(Document.from_text(text, name="a.txt"), "recursive", size=5, overlap=0)
        assert resizing_blob(made) is None
    long = chunk(Document.from_text("a b " * (MOST_CHARACTERS // 4 + 1), name="a.txt"), "fixed", size=5_000, overlap=0)
    assert resizing_key(long) == ""
    assert resizing_blob(long) is None
