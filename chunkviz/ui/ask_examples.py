"""What the Ask screen shows in one click: an answer that a cut goes through, and two ways to mend it."""

from __future__ import annotations

from functools import partial
from typing import Final, NamedTuple

import streamlit as st

from chunkviz.retrieval import RetrievalOptions
from chunkviz.ui import cards, columns, searching, state
from chunkviz.ui.controls import store
from chunkviz.units import DEFAULT_UNIT

SEARCH: Final = "ask.search"
DEPTH: Final = "ask.k"
WANTED: Final = "ask.wanted"
"""Where the controls of the screen are kept: of the search, of k, and the id of the question to be asked next."""
USUAL_DEPTH: Final = 5

BREAK: Final = state.Column("fixed", {"size": 512, "overlap": 0})


class Example(NamedTuple):
    """Settings that show something, on a sample."""

    label: str
    help: str
    columns: tuple[state.Column, ...]


EXAMPLE_SAMPLE, EXAMPLE_QUESTION = "api_manual", "api_manual-01"
EXAMPLES: Final = (
    Example("Show the break", "Fixed chunks of 512 tokens: a cut goes through the answer.", (BREAK,)),
    Example(
        "Repair with overlap 50",
        "The same beside chunks that repeat the last 50 tokens of the one before.",
        (BREAK, state.Column("fixed", {"size": 512, "overlap": 50})),
    ),
    Example(
        "Repair with Recursive",
        "The same beside chunks that end where paragraphs and sentences do.",
        (BREAK, state.Column("recursive", {"size": 512, "overlap": 0})),
    ),
)


def show(example: Example) -> None:
    """Set document, unit, question, search and columns to what an example shows."""
    st.session_state["document"], st.session_state["unit"] = EXAMPLE_SAMPLE, DEFAULT_UNIT
    for at, column in enumerate(example.columns):
        columns.seed(str(at), column)
        for name in column.params:  # what a widget shows gives way to the store
            st.session_state.pop(f"{at}.{column.strategy}.{name}", None)
    st.session_state["columns"] = store()["columns"] = len(example.columns)
    searching.seed(SEARCH, {p.name: p.default for p in RetrievalOptions.declared()})
    st.session_state[DEPTH] = store()[DEPTH] = USUAL_DEPTH
    store()[WANTED] = EXAMPLE_QUESTION


def draw() -> None:
    """The buttons."""
    with st.container(horizontal=True, vertical_alignment="center"):
        cards.plain("In one click, on the API manual:")
        for example in EXAMPLES:
            st.button(example.label, help=example.help, on_click=partial(show, example))
