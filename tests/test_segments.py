"""The blobs for the browser: offsets, rows, differences, and that what is packed is what comes out."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
import pytest
from awkward import FIXED, awkward_text
from hypothesis import given
from hypothesis import strategies as st
from viewer_vectors import FILE, as_json, chunking_of, utf16

from chunkviz.blob import pack
from chunkviz.chunking import Chunking
from chunkviz.differences import differences
from chunkviz.document import Block, Document
from chunkviz.document_rows import CODE, LONGEST_ROW, PLAIN, rows
from chunkviz.graphemes import graphemes
from chunkviz.metrics.base import Finding
from chunkviz.segments import document_blob, in_words, view_blob
from chunkviz.utf16 import utf16_offsets
from chunkviz.view_records import Audit, Chip, Focus, Highlight


def unpack(blob: bytes) -> tuple[dict[str, Any], dict[str, list[int]]]:
    """The other end, written apart from the first from the description at the top of `blob.py`."""
    (length,) = struct.unpack_from("<I", blob)
    assert (4 + length) % 8 == 0
    header = json.loads(blob[4 : 4 + length])
    arrays = {}
    for name, kind, offset, count in header["arrays"]:
        at = 4 + length + offset
        assert at % 8 == 0
        arrays[name] = list(struct.unpack_from(f"<{count}{'B' if kind == 'u8' else 'I'}", blob, at))
    return header, arrays


@st.composite
def cut_documents(draw: st.DrawFn, columns: int = 2) -> list[Chunking]:
    """Chunkings of one awkward document: borders anywhere, sometimes overlapping, sometimes with text left out."""
    document = Document(draw(awkward_text(12)))
    n = len(document.text)
    made = []
    for _ in range(columns):
        starts = sorted(draw(st.sets(st.integers(0, max(0, n - 1)), max_size=6))) if n else []
        reach = draw(st.integers(-1, 4))
        spans: list[tuple[int, int]] = []
        for start, following in zip(starts, [*starts, n][1:], strict=True):
            end = max(spans[-1][1] if spans else 0, start + 1, min(n, following + reach))
            spans.append((start, end))
        made.append(chunking_of(document, spans))
    return made


@given(awkward_text())
def test_offsets_are_what_utf16_says(text: str) -> None:
    assert utf16_offsets(text, np.arange(len(text) + 1)).tolist() == [utf16(text, i) for i in range(len(text) + 1)]


@pytest.mark.parametrize("text", FIXED)
@pytest.mark.parametrize("format_", ["text", "code"])
def test_rows_of_fixed_texts_cover_the_text(text: str, format_: Any) -> None:
    check_rows(Document(text, format=format_))


@given(awkward_text())
def test_rows_cover_the_text(text: str) -> None:
    check_rows(Document(text))
    check_rows(Document(text * 30))


def check_rows(document: Document) -> None:
    """Without a gap, from the beginning to the end, no character split and none too long."""
    starts, kinds = rows(document)
    assert len(starts) == len(kinds)
    assert starts.tolist() == sorted(set(starts.tolist()))
    assert starts.tolist()[:1] == ([0] if document.text else [])
    clusters = graphemes(document)
    assert all(clusters.is_border(s) for s in starts.tolist())
    for start, end in zip(starts.tolist(), [*starts.tolist()[1:], len(document.text)], strict=False):
        assert start < end
        assert end - start <= LONGEST_ROW or clusters.next(start) == end


@given(
    st.lists(st.sampled_from(["# H\n", "text\n", "\n", "x = 1\n", "  indented\n"]), min_size=1, max_size=12), st.data()
)
def test_a_row_begins_where_a_block_begins(lines: list[str], data: st.DataObject) -> None:
    text = "".join(lines)
    starts = [sum(map(len, lines[:i])) for i in range(len(lines) + 1)]
    first, last = sorted(data.draw(st.tuples(st.integers(0, len(lines)), st.integers(0, len(lines)))))
    if not text[starts[first] : starts[last]].strip():
        return
    block = Block("code", starts[first], starts[last])
    found, kinds = rows(Document(text, blocks=(block,)))
    assert block.start in found.tolist()
    for start, end, kind in zip(found.tolist(), [*found.tolist()[1:], len(text)], kinds.tolist(), strict=True):
        if text[start:end].strip():
            assert kind == (CODE if block.start <= start < block.end else PLAIN)


def test_a_paragraph_that_is_too_long_is_parted_at_a_space() -> None:
    document = Document("word " * 1000)
    starts, _ = rows(document)
    assert len(starts) == 3
    assert all(document.text[s - 1] == " " and document.text[s] == "w" for s in starts.tolist()[1:])


def test_a_heading_has_its_level_and_deep_ones_are_all_alike() -> None:
    text = "A\n\nb\n\nC\n"
    blocks = (Block("heading", 0, 1, level=2, title="A"), Block("heading", 6, 7, level=9, title="C"))
    assert rows(Document(text, blocks=blocks))[1].tolist() == [2, PLAIN, 6]


@given(st.dictionaries(st.text(min_size=1, max_size=5), st.lists(st.integers(0, 2**32 - 1), max_size=5), max_size=4))
def test_what_is_packed_comes_out(given_arrays: dict[str, list[int]]) -> None:
    header, arrays = unpack(
        pack({"a": "ä</script>"}, {k: np.array(v, dtype=np.int64) for k, v in given_arrays.items()})
    )
    assert header["a"] == "ä</script>"
    assert arrays == given_arrays


@pytest.mark.parametrize("value", [-1, 2**32])
def test_a_position_that_does_not_fit_is_refused(value: int) -> None:
    with pytest.raises(ValueError, match="'start' does not fit into 32 bits"):
        pack({}, {"start": np.array([value])})


@given(awkward_text())
def test_the_document_arrives_whole(text: str) -> None:
    document = Document(text, name="näme")
    header, arrays = unpack(document_blob(document))
    assert bytes(arrays["text"]).decode() == text
    assert header["units"] == len(text.encode("utf-16-le")) // 2
    assert (header["docId"], header["name"]) == (document.fingerprint, "näme")
    assert document_blob(document) == document_blob(document)


@given(cut_documents())
def test_a_chunk_in_utf16_is_the_chunk(made: list[Chunking]) -> None:
    _, arrays = unpack(view_blob(made))
    wide = made[0].document.text.encode("utf-16-le")
    for at, chunking in enumerate(made):
        for chunk, start, end in zip(chunking.chunks, arrays[f"{at}.start"], arrays[f"{at}.end"], strict=True):
            assert wide[2 * start : 2 * end].decode("utf-16-le") == chunk.text


def sides(chunking: Chunking) -> tuple[set[int], set[int]]:
    """Where chunks start and where they end, as numbers of visible characters before: the slow way."""
    text = chunking.document.text
    before = [0]
    for character in text:
        before.append(before[-1] + (not character.isspace()))
    return {before[c.start] for c in chunking.chunks}, {before[c.end] for c in chunking.chunks}


@given(cut_documents())
def test_no_differences_exactly_where_all_starts_and_ends_agree(made: list[Chunking]) -> None:
    disputed = {place for one, other in zip(*map(sides, made), strict=True) for place in one ^ other}
    visible = [i for i, character in enumerate(made[0].document.text) if not character.isspace()]
    after = [*visible, visible[-1] + 1] if visible else []
    assert differences(made) == [after[place] for place in sorted(disputed) if after]
    assert differences(made) == differences(made[::-1])
    assert differences([made[0], made[0]]) == []


@given(cut_documents(columns=3))
def test_three_columns_differ_where_any_two_do(made: list[Chunking]) -> None:
    a, b, c = made
    assert set(differences(made)) == {*differences([a, b]), *differences([b, c]), *differences([a, c])}


def test_white_space_between_borders_is_no_difference() -> None:
    document = Document("one.\n\ntwo.")
    assert differences([chunking_of(document, [(0, 4), (6, 10)]), chunking_of(document, [(0, 6), (6, 10)])]) == []


def test_a_difference_is_the_first_visible_character_after_it() -> None:
    document = Document("one. two. three.")
    made = [chunking_of(document, [(0, 5), (5, 16)]), chunking_of(document, [(0, 9), (9, 16)])]
    assert [document.text[d:][:3] for d in differences(made)] == ["two", "thr"]


def test_overlap_is_a_difference_where_the_next_chunk_starts() -> None:
    document = Document("aa bb cc")
    apart, overlapping = chunking_of(document, [(0, 6), (6, 8)]), chunking_of(document, [(0, 6), (3, 8)])
    assert differences([apart, overlapping]) == [3, 6]


def test_one_column_differs_from_nothing() -> None:
    document = Document("a b")
    assert differences([]) == differences([chunking_of(document, [(0, 3)])]) == []


def test_only_one_document_can_be_compared() -> None:
    made = [chunking_of(Document(text), [(0, 1)]) for text in ("a", "b")]
    with pytest.raises(ValueError, match="one document"):
        differences(made)


def test_a_view_says_everything_about_its_chunks() -> None:
    document = Document("# A\U0001f98b\n\nx y", blocks=(Block("heading", 0, 4, level=1, title="A\U0001f98b"),))
    made = chunking_of(document, [(0, 4), (6, 9)], [(6, 7, "no reason")], flags={1: {"oversize": "too big"}})
    header, arrays = unpack(
        view_blob(
            [made],
            titles=["T"],
            findings=[{"Words cut": [Finding(8, 9, 1, ""), Finding(6, 7, 1, "")]}],
            focus=Focus(0, "n", start=6, end=7),
            highlight=Highlight(0, (1,), "h", "label"),
            height=400,
        )
    )
    (column,) = header["columns"]
    assert (column["title"], column["subtitle"], column["word"]) == ("T", "size 9 · overlap 2", "characters")
    assert column["flags"] == [[1, "oversize", "too big"]]
    assert [column["paths"][i] for i in arrays["0.path"]] == [["A\U0001f98b"], ["A\U0001f98b"]]
    assert [column["reasons"][i] for i in arrays["0.reason"]] == ["reason 0", "reason 1"]
    assert [column["contexts"][i] for i in arrays["0.context"]] == ["", "Above"]
    assert (arrays["0.dropped.start"], arrays["0.dropped.end"], column["dropped"]) == ([7], [8], ["no reason"])
    assert (column["marks"], arrays["0.mark0.start"], arrays["0.mark0.end"]) == (["Words cut"], [7, 9], [8, 10])
    assert header["focus"] == {"column": 0, "nonce": "n", "chunk": None, "start": 7, "end": 8}
    assert header["highlight"] == {"column": 0, "chunks": [1], "nonce": "h", "label": "label"}
    assert (header["docId"], header["height"]) == (document.fingerprint, 400)


def test_what_stands_above_a_column_leads_to_its_findings() -> None:
    document = Document("One two. Three.")
    audit = Audit(
        "2 chunks",
        "1 / 2 tokens",
        "About sizes.",
        (Chip("Words cut", "1", "Help.", True, "Words cut"), Chip("Lost", "0", "", False)),
    )
    finding = [{"Other": [Finding(0, 3, 0, "")], "Words cut": [Finding(4, 7, 0, "")]}]
    header, _ = unpack(view_blob([chunking_of(document, [(0, 15)])], findings=finding, audits=[audit]))
    assert header["columns"][0]["audit"] == {
        "headline": "2 chunks",
        "sizes": "1 / 2 tokens",
        "sizesHelp": "About sizes.",
        "chips": [["Words cut", "1", "Help.", True, 1], ["Lost", "0", "", False, -1]],
    }
    assert unpack(view_blob([chunking_of(document, [(0, 15)])]))[0]["columns"][0]["audit"] is None


def test_the_stamp_is_equal_exactly_for_equal_views() -> None:
    document = Document("a b c")
    one, other = chunking_of(document, [(0, 5)]), chunking_of(document, [(0, 3), (3, 5)])
    stamps = [unpack(view_blob(v))[0]["stamp"] for v in ([one], [one], [other], [one, other], [other, one])]
    assert stamps[0] == stamps[1]
    assert len(set(stamps)) == 4


@pytest.mark.parametrize("count", [0, 5])
def test_a_view_has_one_to_four_columns(count: int) -> None:
    document = Document("a")
    with pytest.raises(ValueError, match=f"1 to 4 columns, not {count}"):
        view_blob([chunking_of(document, [(0, 1)])] * count)


@pytest.mark.parametrize("name", ["titles", "subtitles", "findings", "audits"])
def test_a_list_of_another_length_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"`{name}` must have one entry per column: 1, not 2"):
        view_blob([chunking_of(Document("a"), [(0, 1)])], **{name: ["", ""]})


def test_parameters_in_words() -> None:
    assert in_words({"keep": True, "off": False, "separators": ("\n", " "), "set": "auto"}) == (
        "keep · separators '\\n', ' ' · set auto"
    )


def test_the_shared_vectors_are_what_python_makes() -> None:
    assert FILE.read_text(encoding="utf-8") == as_json(), "run: python tests/viewer_vectors.py"
