"""What all screens share: the sidebar with the document and the unit, and the link.

Widgets of a page are forgotten when the reader goes to another one; those drawn here, by the entry script, stay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.navigation.page import Page

from chunkviz import samples
from chunkviz.document import Document
from chunkviz.ui import cards, controls, documents, endpoints, state
from chunkviz.units import TITLES, UNITS, unit

NAVIGATION: Final = """<style>
.stApp [data-testid="stTopNav"]{flex:1 1 0;min-width:0}
@media (max-width:63rem){.stApp [data-testid="stTopNavLink"]>span:first-child{display:none}
.stApp [data-testid="stTopNav"]+div{min-width:3rem}}
</style>"""
"""Beside the sidebar on a narrow page there is room for the names of all screens, but not for their icons as well."""


@dataclass(frozen=True)
class Frame:
    """What the sidebar says.

    own     : the place in the sidebar for what the screen itself asks
    options : of the loader
    """

    source: documents.Source
    unit: str
    own: DeltaGenerator
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def word(self) -> str:
        """What the unit counts: "tokens", "characters" or "words"."""
        return unit(self.unit).word


def opening(page: str) -> None:
    """Take over what the link asks for, once, at the start of the session; its columns are for the page it opens.

    On every other screen the controls begin where they stood on the one before.
    """
    if st.session_state.get("screen") != page:
        st.session_state["screen"] = page
        controls.carry_over()
    if "link" in st.session_state:
        return
    query = {name: st.query_params.get_all(name) for name in st.query_params}
    view = state.read(query, (s.id for s in samples.samples()))
    st.session_state["link"] = view
    st.session_state["link.page"] = page
    st.session_state["unit"] = view.unit


def linked(page: str) -> state.View | None:
    """What the link asks of this page, at the first call only; None for a page that it did not open."""
    if st.session_state.get("link.page") != page or st.session_state.get("link.taken"):
        return None
    st.session_state["link.taken"] = True
    view = st.session_state["link"]
    return view if isinstance(view, state.View) else None


def sidebar() -> None:
    """Draw the part of the sidebar that all screens share, and remember what it says."""
    view: state.View = st.session_state["link"]
    st.html(NAVIGATION + controls.STYLE)
    with st.sidebar:
        source = documents.choose(view.sample)
        own = st.container(key="sidebar-own")
        with st.container(key="sidebar-settings"):  # a screen before an audience shows none of it
            unit_id: str = st.selectbox(
                "Sizes count",
                list(UNITS),
                key="unit",
                format_func=TITLES.__getitem__,
                help="What sizes mean on every screen. Models read tokens: pieces of words, about four letters. The "
                "embedding models text-embedding-3 count as GPT-4 does (cl100k), models later than GPT-4o as that one "
                "(o200k).",
            )
            options = documents.options_for(source)
            endpoints.panel()
    st.session_state["frame"] = Frame(source, unit_id, own, options)


def navigation() -> Page:
    """The screens, and the one that is asked for."""
    return st.navigation(
        [
            st.Page("pages/compare.py", title="Compare", icon=":material/view_column:", default=True),
            st.Page("pages/tune.py", title="Tune", icon=":material/show_chart:"),
            st.Page("pages/ask.py", title="Ask", icon=":material/search:"),
            st.Page("pages/evaluate.py", title="Evaluate", icon=":material/analytics:"),
            st.Page("pages/export.py", title="Export", icon=":material/ios_share:"),
            st.Page("pages/learn.py", title="Learn", icon=":material/school:"),
            st.Page("pages/demo.py", title="Demo", icon=":material/slideshow:"),
        ],
        position="top",
    )


def shown() -> Frame:
    """What the sidebar says in this run."""
    if "frame" not in st.session_state:
        # Until `st.navigation` was called once in a process, Streamlit takes a folder named `pages` for the list of
        # screens, and runs the one asked for without the script that draws the sidebar.
        navigation()
        st.rerun()
    frame = st.session_state["frame"]
    if not isinstance(frame, Frame):
        raise TypeError("the sidebar has not been drawn")
    return frame


def document(frame: Frame, page: str) -> Document | None:
    """The document, or what is wrong with it, said on the page; and what was wrong with the link."""
    view: state.View = st.session_state["link"]
    # What comes and goes has a place of its own: one element more would make the browser build all after it anew.
    with st.container():
        if st.session_state.get("link.page") == page:
            for complaint in view.complaints:
                cards.notice("warning", complaint)
        return documents.load_or_say(frame.source, frame.options)


def remember(frame: Frame, columns: Sequence[state.Column], more: Mapping[str, str] | None = None) -> None:
    """Write the link. A document of the reader's own is never in it.

    more : what else the page has to say in it
    """
    query: dict[str, Any] = {"unit": frame.unit, "c": [c.spell() for c in columns], **(more or {})}
    if frame.source.sample:
        query["doc"] = frame.source.id
    if {name: st.query_params.get_all(name) for name in st.query_params} != {
        name: value if isinstance(value, list) else [value] for name, value in query.items()
    }:
        st.query_params.from_dict(query)


def extraction(shown: Document) -> None:
    """What the loader found, changed and left out."""
    from chunkviz import format

    warnings = sum(n.level == "warning" for n in shown.notes)
    title = "What was read from the file"
    with st.expander(
        title + (f" ({format.plural(warnings, 'warning')})" if warnings else ""), icon=":material/fact_check:"
    ):
        cards.plain(f"{shown.name}: {len(shown.text):,} characters, {format.plural(len(shown.headings), 'heading')}.")
        cards.notes(shown.notes)
