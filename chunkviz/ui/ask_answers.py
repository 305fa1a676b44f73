"""Answers from a language model on the Ask screen: one question, answered from what each column brought back."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

import streamlit as st

from chunkviz import llm
from chunkviz.answering import Material, estimate, judge_each
from chunkviz.document import Document
from chunkviz.errors import LLMError, Stopped
from chunkviz.metrics.answers import Judgement
from chunkviz.questions import Question
from chunkviz.ui import answer_text, asking, cards, endpoints, progress
from chunkviz.ui.cache_keys import key_of

PREFIX: Final = "ask.answers"
_REQUESTS: Final = 3
"""Asked one after the other about each answer."""


@dataclass(frozen=True)
class Column:
    """One column: its title, what its answer is made of, and what a reader calls each passage."""

    title: str
    asked: Material
    names: tuple[str, ...]

    @classmethod
    def of(cls, title: str, document: Document, text: str, question: Question | None, result: asking.Asked) -> Column:
        passages = tuple(document.text[h.passage.start : h.passage.end] for h in result.hits)
        names = tuple(f"{result.names[h.members[0]]} (rank {h.rank})" for h in result.hits)
        return cls(title, Material(text, question.answer if question else "", passages), names)


def section(columns: Sequence[Column]) -> None:
    """Ask for the answers of all columns, and show them."""
    st.header("What would a model answer?", anchor=False)
    cards.plain(
        "A language model answers the question from each column's chunks, and from nothing else. Every sentence is then "
        "held against those chunks: green where one of them says the same (grounded), red where none does."
    )
    with st.container():
        endpoint = endpoints.current()
        if endpoint is None:
            cards.notice("info", answer_text.NEEDED)
        elif columns:
            _asked(columns, endpoint)
        with st.expander("What the model is told, word for word", icon=":material/chat:"):
            answer_text.instructions()


def _asked(columns: Sequence[Column], endpoint: llm.Endpoint) -> None:
    parts = [part for c in columns for part in (c.asked.question, c.asked.expected, *c.asked.passages, "")]
    key = key_of("answers", endpoint.identity, *parts)
    known: Mapping[str, tuple[tuple[Judgement, ...], str]] = st.session_state.setdefault(f"{PREFIX}.found", {})
    if key not in known and st.session_state.get(f"{PREFIX}.agreed") != key:
        cost = answer_text.cost_of(estimate([c.asked for c in columns], endpoint))
        st.button(
            "Let the model answer from each column's chunks",
            icon=":material/smart_toy:",
            key=f"{PREFIX}.ask",
            on_click=_agree,
            args=(key,),
        )
        cards.plain(f"That sends the question and these chunks to {endpoint.host}: {cost}. Nothing has been sent yet.")
        if problem := st.session_state.get(f"{PREFIX}.problem"):
            cards.notice("warning", problem)
        return
    if key not in known:
        try:
            found = _answers([c.asked for c in columns], endpoint, key)
        except Stopped as stopped:
            cards.notice("info", str(stopped))
            return
        except LLMError as error:
            st.session_state[f"{PREFIX}.problem"] = str(error)
            del st.session_state[f"{PREFIX}.agreed"]
            st.rerun()
        # The last question only: what was asked before is in the store of answers, and costs nothing.
        st.session_state[f"{PREFIX}.found"] = known = {key: found}
    judged, note = known[key]
    for box, column, own in zip(st.columns(len(columns), gap="medium"), columns, judged, strict=True):
        with box, st.container():
            st.html(f'<p class="cv-head"><b>{escape(column.title)}</b></p>')
            answer_text.draw(column.asked, own, column.names)
            with st.expander("What was asked", icon=":material/chat:"):
                answer_text.prompts(column.asked, own)
    cards.plain(note)


def _agree(key: str) -> None:
    st.session_state[f"{PREFIX}.agreed"] = key
    st.session_state.pop(f"{PREFIX}.problem", None)


def _answers(asked: Sequence[Material], endpoint: llm.Endpoint, key: str) -> tuple[tuple[Judgement, ...], str]:
    """The judged answers, and in words what asking took. Raises `LLMError`, and `Stopped` where it was stopped before."""

    def job(stop: threading.Event) -> tuple[tuple[Judgement, ...], str]:
        client = llm.Client(endpoint, stop=stop)
        judged = judge_each(asked, client)
        return judged, " ".join([client.usage.note(client.model, endpoint), *client.notes])

    seconds = llm.Limits.of_process().seconds * _REQUESTS
    return progress.waited(job, text=f"Asking {endpoint.host}", seconds=seconds, key=key)
