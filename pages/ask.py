"""Ask: one question, and what each way of cutting would bring back for it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

import streamlit as st

from chunkviz import holding, registry
from chunkviz.chunking import Chunking
from chunkviz.document import Document
from chunkviz.errors import ChunkvizError, Stopped
from chunkviz.retrieval import RetrievalOptions
from chunkviz.ui import (
    answer_text,
    ask_answers,
    ask_examples,
    asking,
    cache,
    cards,
    columns,
    flow,
    frame,
    manual,
    models,
    question_forms,
    questions,
    searching,
    state,
)
from chunkviz.ui.ask_examples import DEPTH, SEARCH, USUAL_DEPTH, WANTED
from chunkviz.ui.cache_keys import key_of
from chunkviz.ui.controls import drawn, store
from chunkviz.ui.question_forms import FIELD
from chunkviz.ui.viewer import viewer
from chunkviz.view_records import Focus

PAGE: Final = "ask"
VIEWER: Final = "ask.viewer"
DEFAULTS: Final = (*state.DEFAULT_COLUMNS, state.Column("sentence"))
FEWEST, MOST = 1, 20


def from_link() -> list[str]:
    """Take over what the link that opened this page says; returns what it asks for in vain."""
    asked = frame.linked(PAGE)
    if asked is None:
        return []
    st.session_state["columns"] = store()["columns"] = len(asked.columns)
    for at, column in enumerate(asked.columns):
        columns.seed(str(at), column)
    wrong = []
    try:
        searching.seed(SEARCH, searching.parse(st.query_params.get("r", "")))
    except ChunkvizError as error:
        wrong.append(f"The link asks for a search that cannot be done: {error}")
    k = st.query_params.get("k", "")
    if k.isascii() and k.isdigit() and len(k) < 5 and FEWEST <= int(k) <= MOST:
        store()[DEPTH] = int(k)
    elif k:
        wrong.append(f"The link asks for “{k[:20]}” chunks; {FEWEST} to {MOST} can be shown.")
    if "q" in st.query_params:
        store()[WANTED] = st.query_params["q"]
    return wrong


def question_field(document: Document, wrong: list[str]) -> tuple[str, questions.Placed | None]:
    """The question, and the entry of the set it is, None for one that is in no set."""
    made = questions.placed(document)
    wanted = store().pop(WANTED, None)
    if wanted and not any(p.entry.id == wanted for p in made) and questions.changed_sample(document):
        questions.restore(document)  # it was deleted, and now an example asks for it
        made = questions.placed(document)
    of_text = {p.entry.row.text: p for p in reversed(made) if p.question is not None}
    texts = list(dict.fromkeys(p.entry.row.text for p in made if p.question is not None))
    by_id = {p.entry.id: p.entry.row.text for p in made if p.question is not None}
    if wanted and wanted not in by_id:
        wrong.append(f"The link asks for a question “{wanted[:40]}” that this document does not have.")
    memory: dict[str, str | None] = store().setdefault("ask.last", {})
    text: str | None = st.session_state[FIELD] if FIELD in st.session_state else store().get(FIELD)
    if wanted in by_id:
        text = by_id[wanted]
    elif store().get("ask.of") != document.fingerprint:
        # A question of the last document's set means nothing here; one that was typed comes along.
        typed = text if text and text not in store().get("ask.texts", ()) else None
        text = memory.get(document.fingerprint) or typed or (texts[0] if texts else None)
    store()["ask.of"], store()["ask.texts"] = document.fingerprint, texts
    st.session_state[FIELD] = text
    chosen: str | None = st.selectbox(
        "Question",
        [*texts, text] if text and text not in of_text else texts,
        key=FIELD,
        accept_new_options=True,
        placeholder="Type a question, or choose one of the set",
        help="Type any question and press Enter. Those in the list come with the words that answer them (gold spans).",
    )
    store()[FIELD] = memory[document.fingerprint] = chosen
    return (chosen or "").strip(), of_text.get(chosen or "")


def depth() -> int:
    st.session_state.setdefault(DEPTH, store().get(DEPTH, USUAL_DEPTH))
    k: int = st.slider(
        "Chunks brought back (k)",
        FEWEST,
        MOST,
        key=DEPTH,
        help="How many chunks the search returns. More: better chances that the answer is among them, more to read.",
    )
    store()[DEPTH] = k
    return k


def page() -> None:
    st.html(cards.STYLE)
    st.html(asking.STYLE + answer_text.STYLE)
    shown = frame.shown()
    wrong = from_link()
    st.session_state.setdefault("columns", store().get("columns", len(state.DEFAULT_COLUMNS)))
    with shown.own:
        count = st.segmented_control("Columns", [1, 2, 3, 4], key="columns", required=True) or 1
        store()["columns"] = count
        drawn("columns")
    st.html('<h1 class="cv-title">What would a search bring back?</h1>')
    cards.plain(
        "A question is answered from the few chunks that a search brings back. If a cut goes through the answer, no chunk "
        "has all of it, and whoever reads them, a person or a language model, gets half."
    )
    ask_examples.draw()
    document = frame.document(shown, PAGE)
    if document is None:
        return
    if not document.text.strip():
        cards.notice("info", "This document has no text to search.")
        frame.extraction(document)
        return
    left, right = st.columns([3, 1], gap="medium", vertical_alignment="bottom")
    with left:
        text, entry = question_field(document, wrong)
    with right:
        k = depth()
    options = search_controls()
    missing = searching.missing(SEARCH)
    with st.container():
        for complaint in wrong:
            cards.notice("warning", complaint)
        if missing:
            cards.notice("warning", missing)
    known = list(registry.strategies())
    settings = [
        manual.settled(str(at), columns.settled(str(at), known, default), document, shown.unit, default)
        for at, default in enumerate(DEFAULTS[:count])
    ]
    link = {"k": str(k), "r": searching.spell(options), "q": questions.own_id(document, entry.entry) if entry else ""}
    linked = [manual.in_link(column, shown.source.sample) for column in settings]
    frame.remember(shown, linked, {name: value for name, value in link.items() if value})
    for at, box in enumerate(st.columns(count, gap="medium")):
        with box, st.container(gap="xsmall"):
            columns.head(str(at), known, f"Strategy of column {at + 1}", shown.word)
    made = results(document, settings, shown.unit, text, entry, None if missing else options, k)
    model_answers(document, settings, text, entry, made)
    rank_flow(made, settings, options)
    in_the_document(document, [chunking for chunking, _ in made.values()], settings, made, entry, text)
    making(document, entry, text)
    models.panel()
    frame.extraction(document)


def search_controls() -> RetrievalOptions:
    """How the search works, one choice beside the other."""
    with st.container(key="ask-search"):  # two beside each other where the page is narrow
        *boxes, last = st.columns(len(searching.FIRST) + 1, gap="medium", vertical_alignment="bottom")
    for box, name in zip(boxes, searching.FIRST, strict=True):
        with box:
            searching.first(SEARCH, name)
    with last:
        searching.rest(SEARCH)
    return searching.settled(SEARCH)


Results = dict[int, tuple[Chunking, asking.Asked | None]]
"""By column; a column that cannot be cut has none, and without a question nothing was asked of it."""


def results(
    document: Document,
    settings: Sequence[state.Column],
    unit_id: str,
    text: str,
    entry: questions.Placed | None,
    options: RetrievalOptions | None,
    k: int,
) -> Results:
    """What every column brings back: a sentence above, the chunks below.

    options : None where the search cannot begin, which is said already
    """
    everywhere = st.container()
    wrong: dict[str, list[int]] = {}
    above = st.columns(len(settings), gap="medium")
    below = st.columns(len(settings), gap="medium")
    made: Results = {}
    for at, column in enumerate(settings):
        with above[at], st.container():
            try:
                chunking = cache.chunking(document, column.strategy, column.params, unit_id)
            except Stopped as stopped:
                cards.notice("info", str(stopped))
                continue
            except ChunkvizError as error:
                cards.notice("error", str(error))
                continue
            made[at] = chunking, None
            if not text:
                asking.draw_verdict("open", "No question yet.", "Type one above, or choose one of the set.")
                continue
            if options is None:
                continue
            try:
                found = searching.searched(document, chunking, text, options, f"{SEARCH}.{at}")
            except Stopped as stopped:
                cards.notice("info", str(stopped))
                continue
            except ChunkvizError as error:
                wrong.setdefault(str(error), []).append(at)
                continue
            result = asking.asked(document, found, entry.question if entry else None, k)
            made[at] = chunking, result
            asking.draw_verdict(*asking.verdict(result, k))
        with below[at], st.container():
            asking.draw_hits(result)
    for words, where in wrong.items():
        # What is wrong with the search is wrong in every column: said once.
        numbers = "" if len(where) in (1, len(settings)) else f"Columns {', '.join(str(at + 1) for at in where)}: "
        with everywhere if len(where) > 1 else above[where[0]]:
            cards.notice("error", numbers + words)
    return made


def title_of(column: state.Column) -> str:
    return registry.strategy(column.strategy).title


def model_answers(
    document: Document, settings: Sequence[state.Column], text: str, entry: questions.Placed | None, made: Results
) -> None:
    """What a language model makes of each column's chunks."""
    question = entry.question if entry else None
    ask_answers.section(
        [
            ask_answers.Column.of(f"{at + 1}: {title_of(settings[at])}", document, text, question, result)
            for at, (_, result) in made.items()
            if result is not None
        ]
    )


def rank_flow(made: Results, settings: Sequence[state.Column], options: RetrievalOptions) -> None:
    """How a second look changed the order."""
    st.header("Does a second look help?", anchor=False)
    results = {at: result for at, (_, result) in made.items() if result is not None}
    with st.container():
        if options.reranker == "none" or not results:
            cards.plain(
                "A reranker reads the first chunks again, slower and more closely, and puts them in a new order (rank flow)."
            )
            st.button(
                "Rerank by late interaction",
                icon=":material/swap_vert:",
                help="Compares question and chunk token by token, with the model that is here already (MaxSim).",
                on_click=searching.seed,
                args=(SEARCH, {"reranker": "late_interaction"}),
                disabled=options.reranker == "late_interaction",
            )
            return
        label = next(r.found.label for r in results.values())
        cards.plain(
            f"Each line is a chunk: left its rank after the first search, right after {label}. Green holds the whole "
            "answer, red and dotted a part of it."
        )
        figure = flow.figure(
            [holding.moves(r.found, r.cores, flow.MOST) for r in results.values()],
            [f"{at + 1}: {title_of(settings[at])}" for at in results],
            [r.names for r in results.values()],
            {"dense": "by meaning", "keyword": "by words", "hybrid": "by both"}[options.retriever],
            st.context.theme.type,
        )
        st.plotly_chart(figure, key="ask.flow", config={"displayModeBar": False})


def in_the_document(
    document: Document,
    chunkings: list[Chunking],
    settings: Sequence[state.Column],
    made: Results,
    entry: questions.Placed | None,
    text: str,
) -> None:
    """The document with its cuts, opened at the answer; what is selected here becomes an answer."""
    st.header("Where is the answer in the document?", anchor=False)
    cards.plain("Select words in the text to make them the answer to a question of your own.")
    if not chunkings:
        return
    focus = None
    if entry is not None and entry.question is not None:
        gold = entry.question.gold[0]
        # Another cut is another view; the answer is brought into sight in each.
        nonce = " ".join([text, str(gold.start), str(gold.end), *(c.recipe.key for c in chunkings)])
        focus = Focus(0, key_of(nonce), start=gold.start, end=gold.end)
    viewer(
        document,
        chunkings,
        key=VIEWER,
        titles=[title_of(settings[at]) for at in made],
        focus=focus,
        on_picked=partial(question_forms.take, document, VIEWER),
        height=420,
        blob=cache.blob_of(document),
    )


def making(document: Document, entry: questions.Placed | None, text: str) -> None:
    """Questions of one's own: made, changed, kept in files."""
    question_forms.told()
    left, right = st.columns(2, gap="medium")
    with left:
        st.header("A new question", anchor=False)
        question_forms.new(document, "" if entry else text)
    with right:
        st.header("The question asked above", anchor=False)
        question_forms.edit(document, entry)
    # Not inside the list, which may be closed: what is wrong is in sight.
    question_forms.report(document)
    title = f"All questions about this document ({len(questions.entries(document)):,})"
    with st.expander(title, icon=":material/list:", key="ask.set"):
        question_forms.whole_set(document)


page()
