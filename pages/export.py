"""Export: take a cut away, as a recipe, as code that is checked, as files, and as one page that opens anywhere."""

from __future__ import annotations

import shlex

import streamlit as st

from chunkviz import export, export_check
from chunkviz.chunking import Chunking
from chunkviz.document import Document
from chunkviz.errors import ChunkvizError, Stopped
from chunkviz.ui import cache, cards, endpoints, exporting, frame, manual, progress
from chunkviz.ui.controls import store

KEY = "export"
LONG = 30
"""Lines of a recipe that are shown without a click."""
# Streamlit's colours of code are too faint on its background (2.6 to 1); mixed with the text's own they reach 4.5 to 1.
STYLE = """<style>
.cv-small{font-size:.85rem;opacity:.82;margin:0 0 .4rem;line-height:1.4}
.stCode .token.string{color:color-mix(in srgb,#09ab3b 45%,currentColor)!important}
.stCode .token.number{color:color-mix(in srgb,#29b09d 45%,currentColor)!important}
.stCode .token.property{color:color-mix(in srgb,#00a4d4 45%,currentColor)!important}
.stCode .token.keyword,.stCode .token.function,.stCode .token.parameter,.stCode .token.operator,.stCode .token.boolean,
.stCode .token.builtin{color:color-mix(in srgb,#1c83e1 50%,currentColor)!important}
</style>"""


def page() -> None:
    st.html(cards.STYLE + STYLE)
    shown = frame.shown()
    asked = frame.linked(KEY)
    if asked is not None:
        exporting.seed(asked.columns)
    st.html('<h1 class="cv-title">Take it with you</h1>')
    cards.plain(
        "What you saw is what runs elsewhere: the recipe, the code and the command give the same chunks, to the "
        "character. The button below runs them on this document and compares."
    )
    document = frame.document(shown, KEY)
    if document is None:
        return
    if not document.text.strip():
        cards.notice("info", "This document has no text to cut, so there is nothing to export.")
        return
    known = {cut.id: cut for cut in (*exporting.compared(document, shown.unit), *exporting.tuned())}
    if st.session_state.get("export.cut") not in known:
        kept = store().get("export.cut")
        # Whoever comes from Tune wants what was tuned there.
        came = st.session_state.get("cut.screen")
        first = next((i for i, cut in known.items() if cut.screen == came), next(iter(known)))
        st.session_state["export.cut"] = kept if kept in known and known[kept].screen == came else first
    chosen = st.selectbox(
        "Which cut",
        list(known),
        key="export.cut",
        format_func=lambda i: known[i].title,
        help="The columns of Compare and, once you have been there, of Tune, with the settings they have now.",
    )
    store()["export.cut"] = chosen
    beside = [cut for cut in known.values() if cut.screen == known[chosen].screen]
    frame.remember(shown, [manual.in_link(cut.column, shown.source.sample) for cut in beside])
    with st.container():
        made = [cut_or_say(document, cut, shown.unit) for cut in beside]
    own = made[beside.index(known[chosen])]
    if own is None:
        return
    report = cards.audit(cache.report_of(own), shown.word)
    cards.plain(f"{report.headline} of {document.name}, {report.sizes}.")
    check(own, document, shown)
    left, right = st.columns([3, 2], gap="large")
    with left:
        code(own, document, shown)
    with right:
        files(own)
        web_page([c for c in made if c is not None], len(beside), shown)


def cut_or_say(document: Document, cut: exporting.Cut, unit_id: str) -> Chunking | None:
    """One column's chunking, or what is wrong with its settings."""
    try:
        return cache.chunking(document, cut.column.strategy, cut.column.params, unit_id)
    except (Stopped, endpoints.NotYetError) as waiting:
        cards.notice("info", f"{cut.title}: {waiting}")
        return None
    except ChunkvizError as error:
        cards.notice("error", f"{cut.title}: {error}")
        return None


def code(made: Chunking, document: Document, shown: frame.Frame) -> None:
    """The recipe, the code and the command."""
    name = document.name
    st.header("As a recipe", anchor=False)
    cards.plain(
        "Strategy, settings and the versions that decide where cuts fall. Whoever has it can make these chunks again."
    )
    recipe = made.recipe.to_json()
    lines = recipe.count("\n") + 1
    # A recipe made by hand has a line for each boundary.
    with st.expander(f"The recipe, {lines:,} lines") if lines > LONG else st.container():
        st.code(recipe, language="json", wrap_lines=True)
    exporting.download(
        exporting.File("recipe.json", "", "recipe.json", "application/json", recipe.encode), "get.recipe"
    )
    st.header("In Python", anchor=False)
    if shown.source.id == "pasted":
        cards.plain(f"Save the text you pasted as “{name}” first.")
    if shown.source.sample:
        cards.plain(f"Run it where the document is: this sample lies in the folder sample_docs, as {name}.")
    st.code(export.snippet(made.recipe, name), language="python", wrap_lines=True)
    st.header("On the command line", anchor=False)
    cards.plain("For this document, and for a whole folder:")
    folder = ["apply", "recipe.json", "FOLDER", "--out", "chunks", "--format", "parquet"]
    st.code(
        "\n".join(shlex.join(["python", "-m", "chunkviz", *words]) for words in (export.command(name), folder)),
        language="bash",
        wrap_lines=True,
    )


def check(made: Chunking, document: Document, shown: frame.Frame) -> None:
    """The button that runs what is exported, and beside it what came of that."""
    key = exporting.key_of(document, made)
    row = st.container(horizontal=True, vertical_alignment="center")
    asked = row.button(
        "Check it",
        key="export.check",
        icon=":material/verified:",
        help="Runs the Python code and the command below on this document, as you would, and compares chunk by chunk.",
    )
    with row.container():
        # Once stopped it is offered again; without a click nothing runs.
        if asked or st.session_state.get(f"again.check.{key}"):
            try:
                ran = progress.waited(
                    lambda stop: export_check.check(made, shown.source.data, stop),
                    text="Running both",
                    seconds=2 * export_check.seconds(),
                    key=f"check.{key}",
                )
            except Stopped as stopped:
                cards.notice("info", str(stopped))
                return
            exporting.keep(key, ran)
        found = exporting.checked(key)
        if found:
            good = all(result.identical for result in found)
            cards.notice("info" if good else "warning", "\n".join(map(str, found)))
        else:
            # As high as the answer: nothing below moves when it comes.
            cards.notice("info", "Not run yet with these settings.\nIt takes a few seconds.")


def files(made: Chunking) -> None:
    """The chunks as files."""
    st.header("The chunks as a file", anchor=False)
    cards.plain("Each chunk with its text, its place in the document, its size, and why it ends where it ends.")
    for file in exporting.files(made):
        exporting.download(file, f"get.{file.label}")


def web_page(made: list[Chunking], wanted: int, shown: frame.Frame) -> None:
    """The columns as one file for a browser."""
    st.header("The comparison as one page", anchor=False)
    if len(made) < wanted:
        cards.notice("warning", "A column beside it cannot be cut, see above: mend it first.")
        return
    sample = shown.source.id if shown.source.sample else ""
    tuned = st.session_state["export.cut"].startswith(exporting.TUNE)
    live = exporting.live_of(made[0], sample) if tuned else None
    moves = " The threshold can be dragged in it." if live else ""
    cards.plain(
        f"The columns side by side as you see them, in one file: send it to anyone, it opens in any browser and asks "
        f"no server for anything. It holds the whole text of the document.{moves}"
    )
    exporting.download(exporting.page_file(made, shown.word, live, tuned), "get.page")


page()
