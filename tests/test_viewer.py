"""The Python side of the viewer: what is mounted in a Streamlit page, and what comes back from it."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from viewer_vectors import chunking_of

from chunkviz.document import Document
from chunkviz.segments import document_blob, view_blob
from chunkviz.ui.viewer import ViewerState, _state


def page() -> None:
    """A page with the viewer and nothing else."""
    import streamlit as st
    from viewer_vectors import chunking_of

    from chunkviz.document import Document
    from chunkviz.ui.viewer import viewer

    document = Document("One two. Three.")
    state = viewer(document, [chunking_of(document, [(0, 8), (9, 15)])], key="viewer", height=300)
    st.text(f"{state.column} {state.chunk}")


def test_the_view_and_the_document_are_mounted_under_one_name() -> None:
    app = AppTest.from_function(page).run()
    assert not app.exception
    view, document = (found.proto for found in app.get("bidi_component"))
    own = Document("One two. Three.")
    assert view.component_name == document.component_name == "chunkviz.viewer"
    assert view.bytes == view_blob([chunking_of(own, [(0, 8), (9, 15)])], height=300)
    assert document.bytes == document_blob(own)
    assert app.text[0].value == "None None"


def test_what_was_clicked_comes_back() -> None:
    app = AppTest.from_function(page).run()
    app.session_state["viewer"] = {"selected": {"column": 0, "chunk": 1}}
    app.run()
    assert not app.exception
    assert app.text[0].value == "0 1"


@pytest.mark.parametrize(
    ("selected", "expected"),
    [
        (None, ViewerState()),
        ({"column": 0, "chunk": 1}, ViewerState(0, 1)),
        ({"column": 0, "chunk": 2}, ViewerState()),
        ({"column": 1, "chunk": 0}, ViewerState()),
        ({"column": -1, "chunk": 0}, ViewerState()),
        ({"column": 0, "chunk": -1}, ViewerState()),
        ({"column": "0", "chunk": 0}, ViewerState()),
        ({"column": 0}, ViewerState()),
        ("nonsense", ViewerState()),
    ],
)
def test_a_click_on_what_is_not_there_is_no_click(selected: Any, expected: ViewerState) -> None:
    document = Document("One two. Three.")
    assert _state(selected, [chunking_of(document, [(0, 8), (9, 15)])]) == expected
