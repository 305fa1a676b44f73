"""Export: take a cut away, as a recipe, as code that is checked, as files, and as one page that opens anywhere."""

from __future__ import annotations

import shlex

import streamlit as st

from chunkviz import export, export_check
from chunkviz.chunking import Chunking
from chunkviz.document import Document
from chunkviz.errors import ChunkvizError, Stopped
from chunkviz.ui import cache, cards, exporting, frame, progress
from chunkviz.ui.controls import store

KEY = "export"
STYLE = "<style>.cv-small{font-size:.85rem;opacity:.82;margin:0 0 .4rem;line-height:1.4}</style>"


def page() -> None:
    st.html(cards.STYLE + STYLE)
    shown = frame.shown()
    asked = frame.linked(KEY)
    if asked is not None:
        exporting.seed(asked.columns)
    st.html('<h1 class="cv-title">Take it with you</h1>')
    cards.plain(
        "What you saw is what runs elsewhere: the recipe, the code and the command give the same chunks, to the "
        "character, and the button below proves it on this document."
    )
    document = frame.document(shown, KEY)
    if document is None:
        return
    if not document.text.strip():
        cards.notice("info", "This document has no text to cut, so there is nothing to export.")
        return
    known = {cut.id: cut for cut in (*exporting.compared(), *exporting.tuned())}
    if st.session_state.get("export.cut") not in known:
        kept = store().get("export.cut")
        st.session_state["export.cut"] = kept if kept in known else next(iter(known))
    chosen = st.selectbox(
        "Which cut",
        list(known),
        key="export.cut",
        format_func=lambda i: known[i].title,
        help="The columns of Compare and, once you have been there, of Tune, with the settings they have now.",
    )
    store()["export.cut"] = chosen
    beside = [cut for cut in known.values() if cut.screen == known[chosen].screen]
    frame.remember(shown, [cut.column for cut in beside])
    with st.container():
        made = [cut_or_say(document, cut, shown.unit) for cut in beside]
    own = made[beside.index(known[chosen])]
    if own is None:
        return
    report = cards.audit(cache.report_of(own), shown.word)
    cards.plain(f"{report.headline} of {document.name}, {report.sizes} (smallest, typical, large, largest).")
    left, right = st.columns([3, 2], gap="large")
    with left:
        code(own, document, shown)
    with right:
        files(own)
        web_page([c for c in made if c is not None], len(beside), shown)


def cut_or_say(document: Document, cut: exporting.Cut, unit_id: str) -> Chunking | None:
    """One column's chunking, or what is wrong with its settings."""
    try:
        with st.spinner("Cutting the document …"):
            return cache.chunking(document, cut.column.strategy, cut.column.params, unit_id)
    except ChunkvizError as error:
        cards.notice("error", f"{cut.title}: {error}")
        return None


def code(made: Chunking, document: Document, shown: frame.Frame) -> None:
    """The recipe, the code and the command, and whether they do what is said of them."""
    name = document.name
    st.subheader("As a recipe", anchor=False)
    cards.plain(
        "Strategy, settings and the versions that decide where cuts fall. Whoever has it can make these chunks again."
    )
    recipe = made.recipe.to_json()
    st.code(recipe, language="json", wrap_lines=True)
    exporting.download(
        exporting.File("recipe.json", "", "recipe.json", "application/json", recipe.encode), "get.recipe"
    )
    st.subheader("In Python", anchor=False)
    if shown.source.id == "pasted":
        cards.plain(f"Save the text you pasted as “{name}” first.")
    st.code(export.snippet(made.recipe, name), language="python", wrap_lines=True)
    st.subheader("On the command line", anchor=False)
    cards.plain("For this document, and for a whole folder:")
    folder = ["apply", "recipe.json", "FOLDER", "--out", "chunks", "--format", "parquet"]
    st.code(
        "\n".join(shlex.join(["python", "-m", "chunkviz", *words]) for words in (export.command(name), folder)),
        language="bash",
        wrap_lines=True,
    )
    st.subheader("Is it the same?", anchor=False)
    cards.plain("Runs the code and the command above on this document, as you would, and compares chunk by chunk.")
    check(made, document, shown)


def check(made: Chunking, document: Document, shown: frame.Frame) -> None:
    """The button that runs what is exported, and what came of it."""
    key = exporting.key_of(document, made)
    asked = st.button("Check it", key="export.check", icon=":material/verified:", type="primary")
    with st.container():
        # Once stopped it is offered again; without a click nothing runs.
        if asked or st.session_state.get(f"again.check.{key}"):
            try:
                found = progress.waited(
                    lambda stop: export_check.check(made, shown.source.data, stop),
                    text="Running the code and the command",
                    seconds=2 * export_check.seconds(),
                    key=f"check.{key}",
                )
                exporting.keep(key, found)
            except Stopped as stopped:
                cards.notice("info", str(stopped))
    with st.container():
        for result in exporting.checked(key):
            cards.notice("info" if result.identical else "warning", str(result))


def files(made: Chunking) -> None:
    """The chunks as files."""
    st.subheader("The chunks as a file", anchor=False)
    cards.plain("Each chunk with its text, its place in the document, its size, and why it ends where it ends.")
    for file in exporting.files(made):
        exporting.download(file, f"get.{file.label}")


def web_page(made: list[Chunking], wanted: int, shown: frame.Frame) -> None:
    """The columns as one file for a browser."""
    st.subheader("The comparison as one page", anchor=False)
    if len(made) < wanted:
        cards.notice("warning", "A column beside it cannot be cut, see above: mend it first.")
        return
    sample = shown.source.id if shown.source.sample else ""
    live = exporting.live_of(made[0], sample) if st.session_state["export.cut"].startswith(exporting.TUNE) else None
    moves = " The threshold can be dragged in it." if live else ""
    cards.plain(
        f"The columns side by side as you see them, in one file: send it to anyone, it opens in any browser and asks "
        f"no server for anything. It holds the whole text of the document.{moves}"
    )
    exporting.download(exporting.page_file(made, shown.word, live), "get.page")


page()
