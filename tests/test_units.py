"""P4: counts are what the tokenizer counts, for any span, in every unit."""

from __future__ import annotations

import re
from unittest.mock import patch

import numpy as np
import pytest
from awkward import awkward_text
from hypothesis import given
from hypothesis import strategies as st

from chunkviz import Document, ParameterError, measures
from chunkviz.code_points import code_points
from chunkviz.encodings import reference_encoding
from chunkviz.measures import Tokens, seams
from chunkviz.units import UNITS, unit

BYTE_PAIR = ["cl100k_base", "o200k_base"]


def spans_of(text: str, data: st.DataObject) -> list[tuple[int, int]]:
    ends = data.draw(st.lists(st.tuples(st.integers(0, len(text)), st.integers(0, len(text))), min_size=1, max_size=80))
    return [(min(p), max(p)) for p in ends]


@pytest.mark.parametrize("unit_id", list(UNITS))
@given(text=awkward_text(), data=st.data())
def test_a_span_counts_what_its_text_counts_alone(unit_id: str, text: str, data: st.DataObject) -> None:
    counted = unit(unit_id)
    measure = counted.measure(Document(text))
    spans = spans_of(text, data)
    expected = [counted.count(text[s:e]) for s, e in spans]
    assert [measure.count(s, e) for s, e in spans] == expected
    starts, ends = (np.array(side, dtype=np.int64) for side in zip(*(spans * 60), strict=True))
    assert measure.counts(starts, ends).tolist() == expected * 60


@pytest.mark.parametrize("name", BYTE_PAIR)
@given(text=awkward_text())
def test_byte_pair_units_agree_with_tiktoken(name: str, text: str) -> None:
    ids = reference_encoding(name).encode_ordinary(text)
    assert unit(name).count(text) == len(ids)
    assert len(unit(name).measure(Document(text)).borders) == len(ids) + 1


@pytest.mark.parametrize("name", BYTE_PAIR)
def test_token_borders_are_the_positions_of_tiktokens_tokens(name: str) -> None:
    text = "Größe 猫😀 ok <|endoftext|> naïve\r\n" * 3
    encoding = reference_encoding(name)
    borders, data = [0], b""
    for token in encoding.encode_ordinary(text):
        data += encoding.decode_single_token_bytes(token)
        # the first character border at or after the byte position
        borders.append(next(i for i in range(len(text) + 1) if len(text[:i].encode()) >= len(data)))
    assert unit(name).measure(Document(text)).borders.tolist() == borders


def test_special_token_text_counts_as_plain_text() -> None:
    assert unit("cl100k_base").count("hi <|endoftext|> there") == 8  # shared case B28 said so


def test_no_unit_fell_back_to_something_slower() -> None:
    assert [unit(name).notes for name in UNITS] == [()] * len(UNITS)


def test_an_unknown_unit_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ParameterError, match=r"`unit` must be one of cl100k_base, .*words\. Got 'bytes'"):
        unit("bytes")


def test_a_wrong_seam_is_found_by_the_counting_test() -> None:
    """The liar: with a seam inside a word the counts differ, so the property above can fail."""
    text = "tokenization tokenization"
    counted = unit("cl100k_base")
    measure = counted.measure(Document(text))
    assert isinstance(measure, Tokens)
    liar = Tokens(text, lambda part: (measure.borders, measure.borders[:-1]), counted.count)
    liar._seams = np.array([4], dtype=np.int64)
    liar._before = np.array([1], dtype=np.int64)
    assert liar.count(2, len(text)) != counted.count(text[2:])


def test_seams_stand_between_words_and_before_lines() -> None:
    assert seams(code_points("ab cd\n\nef/\n/g ")).tolist() == [2, 7, 13]


@pytest.mark.parametrize("text", ["-" * 100_000, "a" * 100_000, " " * 100_000, "\n" * 100_000])
def test_long_runs_are_counted(text: str) -> None:
    assert unit("cl100k_base").measure(Document(text)).count(1, 99_999) == unit("cl100k_base").count(text[1:99_999])


@given(awkward_text(), st.sampled_from(["cl100k_base", "o200k_base", "all-MiniLM-L6-v2"]), st.integers(1, 40))
def test_a_text_counted_in_blocks_is_the_text_counted_whole(text: str, name: str, block: int) -> None:
    made = unit(name)
    whole = made.make_measure(text)
    with patch.object(measures, "BLOCK", block):
        parts = made.make_measure(text)
        assert [b[1] for b in measures.blocks(text)][-1:] == ([len(text)] if text else [])
    assert parts.borders.tolist() == whole.borders.tolist()
    starts = np.arange(len(text) + 1, dtype=np.int64).repeat(len(text) + 1)
    ends = np.tile(np.arange(len(text) + 1, dtype=np.int64), len(text) + 1)
    kept = starts <= ends
    if kept.sum() < 3000:
        assert parts.counts(starts[kept], ends[kept]).tolist() == whole.counts(starts[kept], ends[kept]).tolist()


@given(awkward_text(), st.sampled_from(["cl100k_base", "all-MiniLM-L6-v2", "characters", "words"]))
def test_edges_add_up_where_a_seam_lies_between(text: str, name: str) -> None:
    """What lets the browser know the size of any stretch of sentences: a head for each start, a tail for each end."""
    measure = unit(name).measure(Document(text))
    words = [m.span() for m in re.finditer(r"\S+", text)]
    starts = np.array([s for s, _ in words], dtype=np.int64)
    ends = np.array([e for _, e in words], dtype=np.int64)
    heads, tails = measure.edges(starts, ends)
    between = seams(code_points(text))
    for i in range(len(words)):
        for j in range(i, min(i + 4, len(words))):
            if name in ("characters", "words") or ((between >= starts[i]) & (between <= ends[j])).any():
                assert tails[j] - heads[i] == measure.count(int(starts[i]), int(ends[j]))
