"""The decision guide: four questions, a suggestion with reasons and evidence, and a way to see it on one's document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Final

import streamlit as st

from chunkviz import advice, registry
from chunkviz.document import Document
from chunkviz.lessons import guide
from chunkviz.lessons.evidence import EVIDENCE, Evidence
from chunkviz.segments import in_words
from chunkviz.ui import cards, state
from chunkviz.ui.controls import store
from chunkviz.ui.learning import open_in_compare
from chunkviz.units import DEFAULT_UNIT

ASKED: Final[Mapping[str, tuple[str, Mapping[str, str], str]]] = {
    "kind": ("What kind of document?", guide.KINDS, "Decides whether the document's own grammar can be followed."),
    "structure": (
        "What structure does it have?",
        guide.STRUCTURES,
        "What a cut can hold on to. Short: most sections are a page or less.",
    ),
    "budget": (
        "What may cutting cost?",
        guide.BUDGETS,
        "Topic turns need numbers from a model for every sentence (embeddings); the model comes with chunkviz and costs time "
        "only. A language model reads the whole text, and may cost money.",
    ),
    "question": ("What do people ask?", guide.QUESTIONS, "Decides the size to begin with."),
}


def draw(document: Document, query: Mapping[str, str]) -> dict[str, str]:
    """The guide; returns what a link has to hold to bring it back.

    query : what the link asks for
    """
    own(document)
    st.header("Or answer four questions", anchor=False)
    guessed = guide.guess(document)
    answers: dict[str, str] = {}
    with st.container(key="guide-asked"):
        for name, (label, options, help_) in ASKED.items():
            key = f"guide.{name}"
            if st.session_state.get(key) not in options:
                kept = store().get(key, query.get(name))
                st.session_state[key] = kept if kept in options else getattr(guessed, name)
            answers[name] = st.selectbox(label, list(options), key=key, format_func=options.__getitem__, help=help_)
            store()[key] = answers[name]
    chosen = guide.choose(guide.Answers(**answers))
    with st.container(border=True, key="guide-choice"):
        suggestion(chosen.strategy, chosen.params, chosen.reasons)
        open_in_compare(
            "Open this on my document", "guide.open", [state.Column(chosen.strategy, chosen.params)], DEFAULT_UNIT
        )
    st.header("What is known", anchor=False)
    cards.plain(
        "Recall: how much of the answer comes back. An interval: where the figure would lie with other questions like these."
    )
    for name in chosen.evidence:
        evidence(EVIDENCE[name])
    cards.plain(
        "Sizes are starting numbers of ours, not the truth about your documents. Measure them with questions of your own."
    )
    return answers


def own(document: Document) -> None:
    """What this very document suggests."""
    found = advice.before(document)
    with st.container(border=True, key="guide-own"):
        cards.plain(f"For “{document.name}”")
        suggestion(found.strategy, found.params, found.reasons)
        open_in_compare("Open this setting", "guide.own.open", [state.Column(found.strategy, found.params)], found.unit)


def suggestion(strategy: str, params: Mapping[str, object], reasons: Sequence[str]) -> None:
    words = in_words(params)
    why = "".join(f"<li>{escape(r)}</li>" for r in reasons)
    st.html(
        f'<p class="lv-big">{escape(registry.strategy(strategy).title)}{escape(f" · {words}" if words else "")}</p>'
        f'<ul class="cv-list">{why}</ul>'
    )


def evidence(found: Evidence) -> None:
    whose = "Their figure, published by" if found.whose == "theirs" else "Our figure, measured with chunkviz on"
    again = f" To measure it again: <code>{escape(found.reproduce)}</code>" if found.reproduce else ""
    st.html(f'<p class="lv-mine">{escape(found.text)}</p><p class="lv-note">{whose} {escape(found.source)}.{again}</p>')
