"""Compare: one document, one to four strategies, side by side."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import streamlit as st

from chunkviz import format, isolation, registry
from chunkviz.checks import verify_langchain
from chunkviz.chunking import Chunking
from chunkviz.document import Document
from chunkviz.errors import ChunkvizError, Stopped
from chunkviz.ui import (
    agreeing,
    cache,
    cards,
    charts,
    columns,
    endpoints,
    frame,
    learning,
    manual,
    palette,
    pdf_pages,
    state,
)
from chunkviz.ui.controls import drawn, store
from chunkviz.ui.viewer import send_resizing as send
from chunkviz.ui.viewer import viewer
from chunkviz.view_records import Following, Highlight

REST_SECONDS = 0.15
"""How long the histogram waits for the text to be painted, or for the next step of a slider."""

DEFAULTS = (*state.DEFAULT_COLUMNS, state.Column("sentence"))


def cut(document: Document, column: state.Column, unit_id: str) -> Chunking | None:
    """One column's chunking, or what is wrong with its settings."""
    try:
        return cache.chunking(document, column.strategy, column.params, unit_id)
    except (Stopped, endpoints.NotYetError) as waiting:
        cards.notice("info", str(waiting))
        return None
    except ChunkvizError as error:
        cards.notice("error", str(error))
        learning.by_hand(column.strategy)
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
    shown = frame.shown()
    st.session_state["cut.screen"] = "compare"  # where Export begins
    asked = frame.linked("")
    if asked is not None:
        st.session_state["columns"] = store()["columns"] = len(asked.columns)
        for at, column in enumerate(asked.columns):
            columns.seed(str(at), column)
    st.session_state.setdefault("columns", store().get("columns", len(state.DEFAULT_COLUMNS)))
    with shown.own:
        count = st.segmented_control("Columns", [1, 2, 3, 4], key="columns", required=True) or 1
        store()["columns"] = count
        drawn("columns")
    st.html('<h1 class="cv-title">How is this document cut?</h1>')
    cards.plain(
        "Before a search system can answer questions about a document, the document is cut into chunks. "
        "Each colour below is one chunk: all that a search can find and show at once."
    )
    document = frame.document(shown, "")
    if document is None:
        return
    known = list(registry.strategies())
    manual.take("viewer", document, map(str, range(count)))
    settings = [
        manual.settled(str(at), columns.settled(str(at), known, default), document, shown.unit, default)
        for at, default in enumerate(DEFAULTS[:count])
    ]
    frame.remember(shown, [manual.in_link(column, shown.source.sample) for column in settings])
    heads = st.container()
    place = st.container()
    # What a reader waits for comes first: the columns are cut and on their way before their controls are drawn above.
    with place:
        made, followed = show(document, settings, shown)
    with heads:
        for at, box in enumerate(st.columns(count, gap="medium")):
            with box, st.container(gap="xsmall"):
                columns.head(str(at), known, f"Strategy of column {at + 1}", shown.word)
                if made:
                    manual.head(str(at), settings[at], made[at], shown.source.sample)
    scores_place = st.container()
    charts_place = st.container()
    frame.extraction(document)
    if made:
        titles = [registry.strategy(c.strategy).title for c in settings]
        with scores_place:
            agreeing.panel(document, made, settings, titles, shown.source.id if shown.source.sample else "")
        verification(made)
        # A chart that arrives together with the text is drawn before it, and a slider on its way needs none.
        time.sleep(REST_SECONDS)
        with charts_place:
            histogram(made, settings)
        send_resizing(made, followed)
    # Everything is on the page: now a reader for the next file may take its second to start.
    isolation.warm()


Followed = Mapping[int, Following]
"""By column: how the text follows its sliders in the browser, for those where it does."""


def show(document: Document, settings: list[state.Column], shown: frame.Frame) -> tuple[list[Chunking], Followed]:
    """The document in its columns, without those that cannot be cut, which say why; the cuts, if all could be made."""
    if not document.text.strip():
        cards.notice("info", "This document has no text to cut. The report below says what was found in it.")
        return [], {}
    cuts = [cut(document, column, shown.unit) for column in settings]
    complete = all(chunking is not None for chunking in cuts)
    settings = [column for column, chunking in zip(settings, cuts, strict=True) if chunking is not None]
    made = [chunking for chunking in cuts if chunking is not None]
    if not made:
        return [], {}
    followed = follow(made) if complete else {}
    with st.container():
        for at, chunking in enumerate(made):
            for note in chunking.notes:
                cards.notice("info", f"Column {at + 1}: {note}")
    reports = [cache.report_of(c) for c in made]
    titles = [registry.strategy(c.strategy).title for c in settings]
    with st.container():
        paged = pdf_pages.switch(document)
    text, page = pdf_pages.places(len(made)) if paged else (st.container(), None)
    with text:
        clicked = viewer(
            document,
            made,
            key="viewer",
            titles=titles,
            findings=[cards.findings(r) for r in reports],
            audits=[cards.audit(r, shown.word) for r in reports],
            highlight=selected_bar(st.session_state.get("histogram"), made),
            editable=manual.editable(settings) if complete else None,
            following=followed,
            focus=pdf_pages.focus(made) if paged else None,
            blob=cache.blob_of(document),
        )
        agreeing.summary(made, titles)
    if page is not None:
        with page:
            pdf_pages.draw(document, shown.source, made, titles, clicked)
    return (made, followed) if complete else ([], {})


def follow(made: list[Chunking]) -> Followed:
    """The columns whose sliders the text follows in the browser."""
    found = {at: columns.following(str(at), chunking) for at, chunking in enumerate(made)}
    return {at: following for at, following in found.items() if following}


def send_resizing(made: list[Chunking], followed: Followed) -> None:
    """What the browser needs for that: large, and wanted only when a slider moves, so it comes last."""
    by_key = {following.key: made[at] for at, following in followed.items()}
    for number, (key, chunking) in enumerate(by_key.items()):
        blob = cache.resizing_of(chunking, key)
        if blob is not None:
            send(blob, key=f"viewer.resizing.{number}")


def histogram(made: list[Chunking], settings: list[state.Column]) -> None:
    """How large the chunks of each column are; a click on a bar marks its chunks in the viewer."""
    st.header("How large are the chunks?", anchor=False)
    cards.plain("Click a bar to mark its chunks in the text.")
    st.plotly_chart(
        charts.histogram(
            made, [registry.strategy(c.strategy).title for c in settings], palette.chart_colors(st.context.theme.type)
        ),
        key="histogram",
        on_select="rerun",
        selection_mode="points",
        config={"displayModeBar": False},
    )


page()
