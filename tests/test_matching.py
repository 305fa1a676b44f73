"""A size whose chunks are as large as another cut's."""

from __future__ import annotations

import pytest

import chunkviz
from chunkviz.chunking import Chunking
from chunkviz.matching import mean_size, size_of_mean

WORDS = " ".join(f"word{i}{'.' if i % 7 == 6 else ''}" for i in range(700))


def cutter(text: str, strategy: str = "recursive") -> tuple[list[int], object]:
    document = chunkviz.Document.from_text(text, name="words.txt")
    asked: list[int] = []

    def cut(size: int) -> Chunking:
        asked.append(size)
        return chunkviz.chunk(document, strategy, size=size, overlap=0, unit="words")

    return asked, cut


@pytest.mark.parametrize("wanted", [1.0, 3.4, 17.0, 40.2, 99.9, 350.0])
def test_no_other_size_comes_nearer(wanted: float) -> None:
    asked, cut = cutter(WORDS)
    found = size_of_mean(wanted, cut)
    assert len(asked) < 40
    # The mean grows with the size: whoever is further away cannot be nearer.
    away = {size: abs(mean_size(cut(size)) - wanted) for size in range(max(1, found - 20), found + 21)}
    assert away[found] == min(away.values())


@pytest.mark.parametrize("size", [2, 7, 30, 100])
def test_the_mean_of_a_size_leads_back_to_a_cut_with_that_mean(size: int) -> None:
    _, cut = cutter(WORDS, "fixed")
    wanted = mean_size(cut(size))
    assert mean_size(cut(size_of_mean(wanted, cut))) == wanted


@pytest.mark.parametrize("text", ["two words", "one two three four five"])
def test_a_document_that_is_shorter_than_what_is_wanted_stays_whole(text: str) -> None:
    _, cut = cutter(text)
    size = size_of_mean(1000.0, cut)
    assert len(cut(size).chunks) == 1
    assert size <= 2 * len(text.split())


def test_nothing_has_no_mean() -> None:
    with pytest.raises(ValueError, match="no mean size"):
        mean_size(chunkviz.chunk(chunkviz.Document.from_text(" "), "recursive"))
