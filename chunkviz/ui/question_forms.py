"""Where questions are made and kept: a question to a stretch of the document, the list of them, and their files.

The callbacks run before the page does, so that the question field above already knows what was done here.
"""

from __future__ import annotations

from functools import partial
from html import escape
from typing import Any, Final, Literal

import streamlit as st

from chunkviz import format
from chunkviz.document import Document
from chunkviz.errors import LoadError
from chunkviz.question_files import to_csv, to_jsonl
from chunkviz.questions import Problem
from chunkviz.settings import settings
from chunkviz.spans import Span
from chunkviz.ui import cards, questions, viewer

FIELD: Final = "ask.question"
"""The question that is asked: a text."""
NEW: Final = "ask.new"
EDIT: Final = "ask.edit"
AROUND: Final = 60
"""Characters shown on both sides of a place to choose."""
MOST_LISTED: Final = 100


def say(level: Literal["error", "warning", "info"], text: str) -> None:
    """Keep a sentence for the next run, which says it once."""
    st.session_state["ask.said"] = (level, text)


def told() -> None:
    """What the last click had to say."""
    with st.container():
        said = st.session_state.pop("ask.said", None)
        if said:
            cards.notice(*said)


def take(document: Document, key: str) -> None:
    """Text was selected in the viewer: its words become the new question's answer."""
    span = viewer.picked(key, document)
    if span is not None:
        st.session_state[f"{NEW}.span"] = (document.fingerprint, span)
        st.session_state[f"{NEW}.quote"] = document.text[span.start : span.end]


def _place(document: Document) -> Span | str:
    """The selected span, where the field still holds its words; else the words in the field."""
    quote: str = st.session_state.get(f"{NEW}.quote") or ""
    fingerprint, span = st.session_state.get(f"{NEW}.span") or ("", Span(0, 0))
    # A text field makes one line end of every kind of them, so that words are compared, not letters.
    if fingerprint == document.fingerprint and document.text[span.start : span.end].split() == quote.split():
        return Span(*span)
    return quote.strip()


def _add(document: Document) -> None:
    text: str = (st.session_state.get(f"{NEW}.text") or "").strip()
    place = _place(document)
    if not text or not place:
        missing = "Type the question" if not text else "Select the words that answer it in the document, or paste them"
        return say("warning", f"{missing}; nothing was kept.")
    made = questions.add(document, text, place, st.session_state.get(f"{NEW}.answer") or "")
    errors = [p for p in made.problems if p.level == "error"]
    if errors and not errors[0].places:
        questions.remove(document, made.entry.id)
        return say("error", errors[0].text)
    for name in ("text", "quote", "answer"):
        st.session_state[f"{NEW}.{name}"] = ""
    st.session_state[FIELD] = text
    if errors:
        return say("warning", f"{errors[0].text} You find it in the question set below.")
    return say("info", "The question was kept, and is asked above.")


def new(document: Document, free: str) -> None:
    """The form for a new question.

    free : what was asked above without being in the set; it is filled in
    """
    # Fields that were not drawn for one run are empty: to Streamlit they are new ones.
    if free and (st.session_state.get(f"{NEW}.for") != free or f"{NEW}.text" not in st.session_state):
        st.session_state[f"{NEW}.for"] = st.session_state[f"{NEW}.text"] = free
    with st.form(NEW):
        st.text_input("Question", key=f"{NEW}.text", placeholder="What would somebody ask?")
        st.text_area(
            "The words that answer it",
            key=f"{NEW}.quote",
            height=100,
            placeholder="Select them in the document above, or paste them here",
            help="The gold span: a search is right when it brings back all of it. As short as it can be and still answer.",
        )
        st.text_input("Answer in your own words (may stay empty)", key=f"{NEW}.answer")
        st.form_submit_button("Keep this question", icon=":material/add:", on_click=partial(_add, document))


def _save(document: Document, entry_id: str) -> None:
    text: str = (st.session_state.get(f"{EDIT}.text") or "").strip()
    if not text:
        return say("warning", "A question needs words; nothing was changed.")
    questions.change(document, entry_id, text=text, answer=st.session_state.get(f"{EDIT}.answer") or "")
    st.session_state[FIELD] = text
    return say("info", "The question was changed.")


def _replace(document: Document, entry_id: str) -> None:
    place = _place(document)
    if not isinstance(place, Span):
        return say("warning", "Select the words that answer it in the document first; nothing was changed.")
    questions.change(document, entry_id, span=place)
    return say("info", "The question has another answer now: the text you selected.")


def _delete(document: Document, entry_id: str) -> None:
    questions.remove(document, entry_id)
    st.session_state[FIELD] = None


def edit(document: Document, asked: questions.Placed | None) -> None:
    """The form for the question that is asked, where it is one of the set."""
    if asked is None:
        cards.plain("Choose a question of the set above to change it.")
        return
    row = asked.entry.row
    if st.session_state.get(f"{EDIT}.for") != (asked.entry.id, row) or f"{EDIT}.text" not in st.session_state:
        st.session_state[f"{EDIT}.for"] = (asked.entry.id, row)
        st.session_state[f"{EDIT}.text"], st.session_state[f"{EDIT}.answer"] = row.text, row.answer
    with st.form(EDIT):
        st.text_input("Question", key=f"{EDIT}.text")
        st.text_input("Answer in your own words", key=f"{EDIT}.answer")
        quote = " … ".join(r.quote for r in row.references)
        st.caption("The words that answer it")
        st.html(f'<div class="cv-text" dir="auto">{escape(_short(quote, 300))}</div>')
        act = {"document": document, "entry_id": asked.entry.id}
        with st.container(horizontal=True):
            st.form_submit_button("Save", icon=":material/check:", on_click=_save, kwargs=act)
            st.form_submit_button("Take the selected text instead", on_click=_replace, kwargs=act)
            st.form_submit_button("Delete", icon=":material/delete:", on_click=_delete, kwargs=act)


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


# --- the set ------------------------------------------------------------------------------------------------------


def report(document: Document) -> None:
    """What is wrong with questions of the set, and what can be done about each."""
    wrong = [(p.entry, problem) for p in questions.placed(document) for problem in p.problems]
    with st.container():
        if wrong:
            st.markdown(f"**{format.plural(len({e.id for e, _ in wrong}), 'question')} to look at**")
        for at, (entry, problem) in enumerate(wrong[:MOST_LISTED]):
            _report(document, entry, problem, at)
        if len(wrong) > MOST_LISTED:
            cards.plain(f"{len(wrong) - MOST_LISTED:,} more are listed when these are mended.")


def whole_set(document: Document) -> None:
    """The list of all questions, and their files."""
    made = questions.placed(document)
    files(document, [p.question for p in made if p.question is not None])
    rows = "".join(
        f"<tr><td>{at:,}</td><td>{escape(p.entry.row.text)}</td>"
        f'<td dir="auto">{escape(_short(" … ".join(r.quote for r in p.entry.row.references), 160))}</td>'
        f"<td>{escape(p.entry.row.answer)}</td></tr>"
        for at, p in enumerate(made[:MOST_LISTED], 1)
    )
    head = "<tr><th>#</th><th>Question</th><th>Words that answer it (gold span)</th><th>Answer</th></tr>"
    st.html(f'<table class="cv-sheet"><thead>{head}</thead><tbody>{rows}</tbody></table>')
    if len(made) > MOST_LISTED:
        cards.plain(f"The first {MOST_LISTED} of {len(made):,} are listed; the files hold all of them.")


def _load(document: Document) -> None:
    file = st.session_state.get("ask.file")
    if file is None:  # it was taken out of the field; its questions stay
        return None
    try:
        here, elsewhere = questions.load(document, file.getvalue(), file.name)
    except LoadError as error:
        return say("error", str(error))
    later = f" {elsewhere:,} more are about other documents, and are kept until those are shown." if elsewhere else ""
    return say("info", f"{format.plural(here, 'question')} of {file.name} were added.{later}")


def files(document: Document, good: list[Any]) -> None:
    """Save, load and restore."""
    left, right = st.columns(2, gap="medium")
    with left:
        st.file_uploader(
            "Load questions",
            type=["csv", "jsonl", "json"],
            max_upload_size=settings().max_file_mb,
            key="ask.file",
            on_change=_load,
            args=(document,),
            help="Columns question, document, and start and end, or quote; answer may be given. JSON Lines has the same "
            "names. The public questions_df.csv (question, references, corpus_id) is read too.",
        )
    with right:
        nothing = not good
        st.caption(f"Save {format.plural(len(good), 'question')}")
        with st.container(horizontal=True):
            st.download_button(
                "CSV", to_csv(good), "questions.csv", "text/csv", on_click="ignore", disabled=nothing, key="ask.csv"
            )
            st.download_button(
                "JSON Lines",
                to_jsonl(good),
                "questions.jsonl",
                "application/jsonl",
                on_click="ignore",
                disabled=nothing,
                key="ask.jsonl",
            )
            if questions.changed_sample(document):
                st.button(
                    "Restore the sample's questions", on_click=questions.restore, args=(document,), key="ask.restore"
                )


def _report(document: Document, entry: questions.Entry, problem: Problem, at: int) -> None:
    """One thing that is wrong, and what can be done about it."""
    where = f"{entry.origin}, row {entry.row.number}: " if entry.origin else ""
    asked = f"“{_short(entry.row.text, 120)}”: " if entry.row.text else ""
    cards.notice("error" if problem.level == "error" else "warning", f"{where}{asked}{problem.text}")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if problem.places:
            place = st.selectbox(
                "Which place is meant?",
                list(problem.places),
                format_func=lambda span: _in_context(document, span),
                key=f"ask.place.{entry.id}.{at}",
            )
            st.button(
                "This one",
                key=f"ask.this.{entry.id}.{at}",
                on_click=questions.choose_place,
                args=(document, entry.id, problem, place),
            )
        st.button("Remove", key=f"ask.drop.{entry.id}.{at}", on_click=questions.remove, args=(document, entry.id))


def _in_context(document: Document, span: Span) -> str:
    """A place with the words around it, on one line."""
    text = document.text
    before = text[max(0, span.start - AROUND) : span.start]
    after = text[span.end : span.end + AROUND]
    return " ".join(f"{span.start:,}: …{before}【{_short(text[span.start : span.end], AROUND)}】{after}…".split())
