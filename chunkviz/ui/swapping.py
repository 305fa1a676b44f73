"""What the demo is about, as the reader chose it: a question, marked words, a question of the document's set, or nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import streamlit as st

from chunkviz.document import Document
from chunkviz.lessons.subject import (
    SAMPLE,
    Asked,
    asked_at,
    asked_by_reader,
    asked_of,
    asked_of_itself,
    asked_of_sample,
)
from chunkviz.questions import Question
from chunkviz.spans import Span
from chunkviz.ui import cards, questions
from chunkviz.ui.controls import store
from chunkviz.ui.viewer import picked

FIRST: Final = "The one it was written for"
NONE: Final = "None: what the cuts go through by themselves"


def subject(document: Document, sample_id: str) -> Asked:
    """What the story is about.

    sample_id : "" for a document of the reader's own
    """
    question, words = store().get("demo.question", ""), store().get("demo.answer", "")
    base = _of_set(document, sample_id)
    if not words.strip():
        if question.strip():
            hint = "Which words of the document answer the question? Copy them below, or select them in the text."
            return replace(base, problem=hint)
        return base
    fingerprint, span = store().get("demo.place", ("", None))
    if fingerprint == document.fingerprint and _same(document, span, words):
        return asked_at(document, question, span)
    made = document.derive(("demo.asked", question, words), lambda: asked_by_reader(document, question, words))
    return replace(base, problem=made.problem) if made.problem else made


def _same(document: Document, span: Span, words: str) -> bool:
    """Whether the field still holds the selected words: it makes one line end of every kind of them."""
    return document.text[span.start : span.end].split() == words.split()


def _of_set(document: Document, sample_id: str) -> Asked:
    """The chosen question of the document's set, which leads; else the sample's own, else what the document shows."""
    known = questions.current_set(document)
    chosen = store().get("demo.lead", "")
    lead = next((q for q in known if q.text == chosen), None)
    if lead is not None:
        ordered: list[Question] = [lead, *(q for q in known if q is not lead)]
        return document.derive(("demo.lead", tuple(ordered)), lambda: asked_of(document, ordered))
    if chosen == NONE:
        return asked_of_itself(document)
    if sample_id:
        return document.derive("lessons.asked", lambda: asked_of_sample(sample_id, document))
    return document.derive(("demo.set", tuple(known)), lambda: asked_of(document, known))


def form(document: Document, asked: Asked, sample_id: str) -> None:
    """Another document and another question can be swapped in."""
    with (
        st.container(key="demo-swap"),
        st.expander("Tell it with a document and a question of your own", icon=":material/swap_horiz:"),
    ):
        cards.plain(
            "Open a document on the left, by upload, by pasting or from the samples. Then choose or type a question, and "
            "copy the words of the document that answer it. All steps are then about that."
        )
        _lead(document, sample_id)
        for name, title, lines in (("question", "Question", 1), ("answer", "The words that answer it", 3)):
            _field(f"demo.{name}", title, lines)
        st.toggle(
            "Take what I select in the text above",
            key="demo.picking",
            help="Select words in a column with the mouse: they become the words that answer it. Without a question the "
            "story is about whether they stay whole.",
        )
        st.button(
            "Back to the sample and its question", key="demo.sample", icon=":material/undo:", on_click=back_to_sample
        )


def _lead(document: Document, sample_id: str) -> None:
    """The questions that are there already: a sample's own, a loaded set, those made on the screen Ask."""
    known = [q.text for q in questions.current_set(document)]
    if not known:
        return
    first = FIRST if sample_id else known[0]
    options = list(dict.fromkeys([first, *known, NONE]))
    key = "demo.lead"
    if st.session_state.get(key) not in options:
        kept = store().get(key, "")
        st.session_state[key] = kept if kept in options else first
    st.selectbox(
        "Question of the story",
        options,
        key=key,
        on_change=lambda: store().update({key: st.session_state[key]}),
        help="From the document's question set: a sample has one, you can load one on Evaluate, or collect one on Ask.",
    )


def _field(key: str, title: str, lines: int) -> None:
    """A field whose text is kept when the reader goes to another screen."""
    if key not in st.session_state:
        st.session_state[key] = store().get(key, "")

    def keep() -> None:
        store()[key] = st.session_state[key]

    if lines == 1:
        st.text_input(title, key=key, on_change=keep)
    else:
        st.text_area(title, key=key, height=28 * lines, on_change=keep)


def take(asked: Asked, document: Document, viewer_key: str) -> None:
    """Words were selected in the viewer: the story is about them from now on. Before the page runs again."""
    span = picked(viewer_key, asked.document)
    if span is None:
        return
    whole = Span(span.start + asked.start, span.end + asked.start)
    store()["demo.place"] = (document.fingerprint, whole)
    st.session_state["demo.answer"] = store()["demo.answer"] = document.text[whole.start : whole.end]
    st.session_state["demo.picking"] = False


def back_to_sample() -> None:
    """The story as it was written, before the page runs again."""
    st.session_state["document"] = SAMPLE
    for key in ("demo.question", "demo.answer", "demo.lead"):
        st.session_state[key] = store()[key] = ""
