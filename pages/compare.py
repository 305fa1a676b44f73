"""Compare: one document, one to four strategies, side by side."""

from __future__ import annotations

import time
from typing import Any

import streamlit as st

from chunkviz import format, isolation, registry, samples
from chunkviz.checks import verify_langchain
from chunkviz.chunking import Chunking
from chunkviz.document import Document
from chunkviz.errors import ChunkvizError
from chunkviz.segments import Highlight
from chunkviz.ui import cache, cards, charts, documents, palette, state
from chunkviz.ui.controls import control, current, store
from chunkviz.ui.viewer import viewer
from chunkviz.units import TITLES, UNITS, unit

REST_SECONDS = 0.15
"""How long the histogram waits for the text to be painted, or for the next step of a slider."""

PRIMARY = 2
"""Parameters drawn at once; the others are behind "More"."""


def opening() -> state.View:
    """What the link asks for, taken over once at the start of the session."""
    if "view" not in st.session_state:
        query = {name: st.query_params.get_all(name) for name in st.query_params}
        view = state.read(query, (s.id for s in samples.samples()))
        st.session_state["view"] = view
        st.session_state["unit"] = view.unit
        st.session_state["columns"] = len(view.columns)
        for at, column in enumerate(view.columns):
            st.session_state[f"strategy.{at}"] = store()[f"strategy.{at}"] = column.strategy
            for name, value in column.params.items():
                store()[f"{at}.{column.strategy}.{name}"] = value
    view = st.session_state["view"]
    return view if isinstance(view, state.View) else state.read({}, (s.id for s in samples.samples()))


def remember(sample: str, unit_id: str, columns: list[state.Column]) -> None:
    """Write the link. A document of the reader's own is never in it."""
    query: dict[str, Any] = {"unit": unit_id, "c": [c.spell() for c in columns]}
    if sample:
        query["doc"] = sample
    if {name: st.query_params.get_all(name) for name in st.query_params} != {
        name: value if isinstance(value, list) else [value] for name, value in query.items()
    }:
        st.query_params.from_dict(query)


def settled(at: int) -> state.Column:
    """The settings of one column as its controls will show them, before they are drawn."""
    known = registry.strategies()
    key = f"strategy.{at}"
    if st.session_state.get(key) not in known:
        defaults = [*state.DEFAULT_COLUMNS, state.Column("sentence")]
        st.session_state[key] = store().get(key, defaults[at].strategy)
    chosen: str = st.session_state[key]
    values: dict[str, Any] = {}
    for param in known[chosen].params:
        if param.active(values):
            values[param.name] = current(param, f"{at}.{chosen}.{param.name}", values)
    return state.Column(chosen, values)


def head(at: int, unit_word: str) -> None:
    """The controls of one column: its strategy and its parameters."""
    known = registry.strategies()
    chosen: str = st.selectbox(
        f"Strategy of column {at + 1}",
        list(known),
        key=f"strategy.{at}",
        format_func=lambda i: known[i].title,
        label_visibility="collapsed",
    )
    store()[f"strategy.{at}"] = chosen
    strategy = known[chosen]
    values: dict[str, Any] = {}
    shown = [p for p in strategy.params if p.active(values)]
    for param in shown[:PRIMARY]:
        values[param.name] = control(param, f"{at}.{chosen}.{param.name}", values, unit_word)
    with st.popover(f"What “{strategy.title}” does", icon=":material/tune:", width="stretch"):
        cards.plain(f"{strategy.one_line}. {strategy.how}")
        for param in strategy.params:
            if param.name not in values and param.active(values):
                values[param.name] = control(param, f"{at}.{chosen}.{param.name}", values, unit_word)
        cards.plain(f"Good for: {strategy.good_for}")
        cards.plain(f"Watch out: {strategy.watch_out}")
        cards.plain(f"Source: {strategy.source}")


def cut(document: Document, column: state.Column, unit_id: str) -> Chunking | None:
    """One column's chunking, or what is wrong with its settings."""
    try:
        return cache.chunking(document, column.strategy, column.params, unit_id)
    except ChunkvizError as error:
        cards.notice("error", str(error))
        return None


def verification(made: list[Chunking]) -> None:
    """The action that runs LangChain itself on the document."""
    ours = [(at, c) for at, c in enumerate(made) if c.recipe.strategy == "recursive"]
    if not ours:
        return
    with st.expander("Is “Recursive” really what LangChain does?", icon=":material/verified:"):
        cards.plain(
            "Runs the installed LangChain on this document, with the same settings, and compares chunk by chunk."
        )
        if not st.button("Verify against LangChain", key="verify"):
            return
        for at, chunking in ours:
            with st.spinner("LangChain is cutting the document …"):
                result = verify_langchain(chunking)
            cards.notice("info" if result.identical else "warning", f"Column {at + 1}: {result}")
            for mine, theirs in result.differences[:5]:
                left, right = st.columns(2)
                left.caption("chunkviz")
                left.code("\n⸻\n".join(mine) or "nothing", language=None, wrap_lines=True)
                right.caption("LangChain")
                right.code("\n⸻\n".join(theirs) or "nothing", language=None, wrap_lines=True)


def selected_bar(event: Any, made: list[Chunking]) -> Highlight | None:
    """The chunks behind the bar that was clicked."""
    points = event.get("selection", {}).get("points", []) if event else []
    if not points:
        return None
    column, low, high = points[0]["customdata"]
    if int(column) >= len(made):
        return None
    numbers = charts.chunks_between(made[int(column)], low, high)
    label = f"{format.plural(len(numbers), 'chunk')} of {low:.0f} to {high:.0f}"
    return Highlight(int(column), numbers, f"{column}:{low}", label) if numbers else None


def page() -> None:
    st.html(cards.STYLE)
    view = opening()
    with st.sidebar:
        source = documents.choose(view.sample)
        unit_id: str = st.selectbox(
            "Sizes count",
            list(UNITS),
            key="unit",
            format_func=TITLES.__getitem__,
            help="What “size” and “overlap” mean in every column. Models read tokens: pieces of words, about four letters.",
        )
        count = st.segmented_control("Columns", [1, 2, 3, 4], key="columns", required=True) or 1
        options = documents.options_for(source)
    st.html('<h1 class="cv-title">How is this document cut?</h1>')
    cards.plain(
        "Before a search system can answer questions about a document, the document is cut into chunks. "
        "Each colour below is one chunk: all that a search can find and show at once."
    )
    # What comes and goes has a place of its own: one element more would make the browser build all after it anew.
    with st.container():
        for complaint in view.complaints:
            cards.notice("warning", complaint)
        document = documents.load_or_say(source, options)
    if document is None:
        return
    word = unit(unit_id).word
    columns = [settled(at) for at in range(count)]
    remember(source.id if source.sample else "", unit_id, columns)
    heads = st.container()
    place = st.container()
    # What a reader waits for comes first: the columns are cut and on their way before their controls are drawn above.
    with place:
        made = show(document, columns, unit_id, word)
    with heads:
        for at, box in enumerate(st.columns(count, gap="medium")):
            with box, st.container(gap="xsmall"):
                head(at, word)
    charts_place = st.container()
    extraction(document)
    if made:
        verification(made)
        # A chart that arrives together with the text is drawn before it, and a slider on its way needs none.
        time.sleep(REST_SECONDS)
        with charts_place:
            histogram(made, columns)
    # Everything is on the page: now a reader for the next file may take its second to start.
    isolation.warm()


def show(document: Document, columns: list[state.Column], unit_id: str, word: str) -> list[Chunking]:
    """The document in its columns; nothing, and why, where a column cannot be cut."""
    if not document.text.strip():
        cards.notice("info", "This document has no text to cut. The report below says what was found in it.")
        return []
    cuts = [cut(document, column, unit_id) for column in columns]
    made = [chunking for chunking in cuts if chunking is not None]
    if len(made) < len(columns):
        return []
    with st.container():
        for at, chunking in enumerate(made):
            for note in chunking.notes:
                cards.notice("info", f"Column {at + 1}: {note}")
    reports = [cache.report_of(c) for c in made]
    viewer(
        document,
        made,
        key="viewer",
        titles=[registry.strategy(c.strategy).title for c in columns],
        findings=[cards.findings(r) for r in reports],
        audits=[cards.audit(r, word) for r in reports],
        highlight=selected_bar(st.session_state.get("histogram"), made),
        blob=cache.blob_of(document),
    )
    return made


def histogram(made: list[Chunking], columns: list[state.Column]) -> None:
    """How large the chunks of each column are; a click on a bar marks its chunks in the viewer."""
    st.subheader("How large are the chunks?", anchor=False)
    cards.plain("Click a bar to mark its chunks in the text.")
    st.plotly_chart(
        charts.histogram(
            made, [registry.strategy(c.strategy).title for c in columns], palette.chart_colors(st.context.theme.type)
        ),
        key="histogram",
        on_select="rerun",
        selection_mode="points",
        config={"displayModeBar": False},
    )


def extraction(document: Document) -> None:
    """What the loader found, changed and left out."""
    warnings = sum(n.level == "warning" for n in document.notes)
    title = "What was read from the file"
    with st.expander(
        title + (f" ({format.plural(warnings, 'warning')})" if warnings else ""), icon=":material/fact_check:"
    ):
        cards.plain(
            f"{document.name}: {len(document.text):,} characters, {format.plural(len(document.headings), 'heading')}."
        )
        cards.notes(document.notes)


page()
