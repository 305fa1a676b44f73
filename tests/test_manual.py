"""Boundaries set by hand: where they come to stand, what the browser says of them, and what a session keeps."""

from __future__ import annotations

from typing import Any

import pytest
from awkward import awkward_text
from boundary_vectors import FILE, as_json
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from chunkviz import Document, ParameterError, chunk, reference
from chunkviz.graphemes import graphemes
from chunkviz.segments import in_words, view_blob
from chunkviz.strategies.manual import boundaries_of, placed
from chunkviz.ui.manual import edited, in_link
from chunkviz.ui.state import Column
from chunkviz.utf16 import utf16_offsets

TEXT = "One two three.\n\nFour five six.\n\n\U0001f98b seven, eight.\n"


def starts(text: str, *boundaries: int) -> list[str]:
    return [c.text for c in chunk(Document(text), "manual", boundaries=boundaries).chunks]


def test_chunks_begin_where_they_were_set() -> None:
    assert starts(TEXT, 4, 16) == ["One", "two three.", "Four five six.\n\n\U0001f98b seven, eight."]
    assert starts(TEXT) == [TEXT.strip()]


def test_a_boundary_in_white_space_is_the_word_behind_it() -> None:
    assert starts(TEXT, 14, 15, 16) == starts(TEXT, 16)


def test_what_parts_nothing_is_no_boundary() -> None:
    assert starts("  One two  ", 0, 2, 9) == ["One two"]


def test_boundaries_behind_the_end_are_told() -> None:
    made = chunk(Document("One two"), "manual", boundaries=[4, 50, 60])
    assert [c.text for c in made.chunks] == ["One", "two"]
    assert made.notes == ("2 boundaries lie behind the end of this document and were left out.",)
    assert made.chunks[0].reason == "set by hand"


def test_no_boundary_stands_inside_a_character() -> None:
    family = "a \U0001f468\u200d\U0001f469\u200d\U0001f467 b"
    assert starts(family, 4) == ["a", family[2:]]
    assert starts("a \u0301b c", 2) == ["a", " \u0301b c"]


def test_boundaries_must_be_in_order() -> None:
    with pytest.raises(ParameterError, match=r"`manual\.boundaries` must be a list of at most 10,000 whole numbers"):
        chunk(Document(TEXT), "manual", boundaries=[16, 4])


@given(awkward_text(), st.sets(st.integers(0, 300), max_size=9))
def test_placing_again_changes_nothing(text: str, positions: set[int]) -> None:
    document = Document(text)
    found = placed(document, positions)
    assert placed(document, found) == found
    assert all(graphemes(document).is_border(at) for at in found)
    made = chunk(document, "manual", boundaries=found)
    assert boundaries_of(made) == found
    assert [c.start for c in made.chunks][1:] == list(found)


@given(awkward_text(), st.sets(st.integers(0, 300), max_size=9))
def test_what_the_browser_says_back_is_what_it_was_told(text: str, positions: set[int]) -> None:
    document = Document(text)
    found = placed(document, positions)
    assert edited(document, utf16_offsets(text, found).tolist()) == found


@given(awkward_text(), st.sets(st.integers(0, 300), max_size=9))
def test_a_saved_reference_has_the_same_places(text: str, positions: set[int]) -> None:
    document = Document(text)
    found = placed(document, positions)
    assert reference.from_positions(document, found).positions == found


@pytest.mark.parametrize(
    "said", [None, "x", [1.5], [True], [-1], [2**32], ["1"], [None], {"0": 1}, list(range(10_001))]
)
def test_nonsense_is_no_edit(said: Any) -> None:
    assert edited(Document(TEXT), said) is None


def test_places_behind_the_text_are_left_out() -> None:
    assert edited(Document(TEXT), [4, 4_000]) == (4,)


def test_an_edit_starts_from_what_any_strategy_made() -> None:
    document = Document(TEXT * 30)
    made = chunk(document, "recursive", size=20, overlap=5)
    again = chunk(document, "manual", boundaries=boundaries_of(made))
    assert [document.text[c.start :].lstrip()[:9] for c in again.chunks] == [
        document.text[c.start :].lstrip()[:9] for c in made.chunks
    ]


def test_the_shared_vectors_are_what_python_makes() -> None:
    assert FILE.read_text(encoding="utf-8") == as_json(), "run: python tests/boundary_vectors.py"


def test_a_link_holds_few_boundaries_of_a_sample_only() -> None:
    few, many = Column("manual", {"boundaries": (4, 16)}), Column("manual", {"boundaries": tuple(range(1, 900, 2))})
    assert Column.parse(in_link(few, sample=True).spell()) == few
    assert in_link(few, sample=False).spell() == "manual"
    assert in_link(many, sample=True).spell() == "manual"
    other = Column("fixed", {"size": 9, "overlap": 0})
    assert in_link(other, sample=False) is other


def test_a_view_says_which_columns_are_edited_and_how_far() -> None:
    document = Document(TEXT)
    made = [chunk(document, "fixed", size=9, overlap=0), chunk(document, "manual", boundaries=[4])]
    blob = view_blob(made, editable={1: "e.7"})
    assert blob.count(b'"edit":') == 1
    assert b'"edit":"e.7"' in blob
    assert b'"edit":' not in view_blob(made)


def test_positions_are_counted_for_the_eye() -> None:
    assert in_words({"boundaries": (4, 16, 99)}) == "3 boundaries"


def test_numbers_and_places_keep_their_own_words() -> None:
    assert in_words({"size": 3, "separators": ("a",), "boundaries": ()}) == "size 3 · separators 'a'"


# --- what a session keeps ---------------------------------------------------------------------------------------


def page() -> None:
    """One column that is edited by hand, of the document whose text the test sets."""
    import streamlit as st

    from chunkviz.document import Document
    from chunkviz.ui import manual
    from chunkviz.ui.state import Column

    document = Document(st.session_state["text"])
    manual.take("viewer", document, ["0"])
    default = Column("fixed", {"size": 5, "overlap": 0})
    column = Column(st.session_state["0.strategy"], st.session_state.get("params", {"boundaries": ()}))
    settled = manual.settled("0", column, document, "words", default)
    st.text(str(settled.params.get("boundaries")))
    st.text(str(manual.editable([settled])))


def opened(text: str = "one two three four five six seven eight", strategy: str = "manual", **session: Any) -> AppTest:
    app = AppTest.from_function(page)
    app.session_state["text"] = text
    app.session_state["0.strategy"] = strategy
    for name, value in session.items():
        app.session_state[name] = value
    return app.run()


def shown(app: AppTest) -> list[str]:
    assert not app.exception
    return [t.value for t in app.text]


def edit(app: AppTest, text: str, name: str, units: list[int]) -> AppTest:
    columns = {"0": {"starts": units, "name": name}}
    app.session_state["viewer"] = {"edited": {"docId": Document(text).fingerprint, "columns": columns}}
    return app.run()


def test_it_begins_with_what_was_shown_before() -> None:
    app = opened(strategy="sentence", params={"sentences": 1, "overlap": 0, "size": 3})
    app.session_state["0.strategy"] = "manual"
    app.session_state["params"] = {"boundaries": ()}
    assert shown(app.run())[0] == "(14, 28)"
    assert shown(opened())[0] == "(24,)"  # nothing before: the default of the column


def test_boundaries_of_a_link_are_taken_once() -> None:
    app = opened(params={"boundaries": (4, 8)})
    assert shown(app)[0] == "(4, 8)"
    app.session_state["text"] = "another document, with other words in it"
    assert shown(app.run())[0] != "(4, 8)"


def test_an_edit_is_taken_over_once_and_belongs_to_its_document() -> None:
    text = "one two three four five six seven eight"
    app = edit(opened(text), text, "e.1", [8])
    assert shown(app) == ["(8,)", "{0: 'e.1'}"]
    app.session_state["text"] = "one two three four"
    assert shown(app.run())[0] == "()"
    app.session_state["text"] = text
    assert shown(app.run())[0] == "(8,)"  # kept
    late = edit(app, "some other text", "e.2", [4])
    assert shown(late) == ["(8,)", "{0: 'e.2'}"]  # answered, or the browser would wait for ever; and not taken over


def test_nonsense_from_the_browser_changes_nothing() -> None:
    app = opened()
    before = shown(app)[0]
    for said in (
        "x",
        {"columns": 3},
        {"columns": {"0": "x"}},
        {"columns": {"0": {"name": 3}}},
        {"columns": {"0": {"name": "a"}}},
    ):
        app.session_state["viewer"] = {"edited": said}
        assert shown(app.run())[0] == before


def agreeing_page() -> None:
    """As many columns of the text as the test wants."""
    import streamlit as st

    from chunkviz import Document, chunk
    from chunkviz.ui import agreeing

    document = Document(st.session_state["text"])
    made = [chunk(document, "fixed", unit="words", size=size, overlap=0) for size in st.session_state["sizes"]]
    agreeing.summary(made, ["Fixed size"] * len(made))


@pytest.mark.parametrize(
    ("text", "sizes", "said"),
    [
        ("one two three four", [2], []),
        ("one two three four", [2, 2], ["Both columns cut at 1 of 1 place", "column 1): 0", "column 2): 0", "100 %"]),
        ("one two three four", [2, 2, 1], ["All 3 columns cut at 1 of 3 places", "column 3): 2", "66.7 %"]),
        ("one two three four", [2, 3, 4, 4], ["All 4 columns cut at 0 of 2 places", "column 1): 1", "Agreement 0 %"]),
        ("one", [2, 2], ["No column cuts this document."]),
    ],
)
def test_agreement_is_said_of_any_number_of_columns(text: str, sizes: list[int], said: list[str]) -> None:
    app = AppTest.from_function(agreeing_page)
    app.session_state["text"] = text
    app.session_state["sizes"] = sizes
    app.run()
    assert not app.exception
    shown = "".join(element.proto.body for element in app.get("html"))
    assert bool(shown) == bool(said)
    for words in said:
        assert words in shown
