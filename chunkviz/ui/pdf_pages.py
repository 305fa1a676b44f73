"""The pages of a PDF as they are printed, beside the columns: each chunk's area in its colour.

A click on a chunk in the columns, or a key that goes to one, turns to its page and outlines it there; a click on an area
of the page scrolls the columns to that chunk. Keys that are held down are followed when they have come to rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from chunkviz import isolation
from chunkviz.blob import VERSION, pack
from chunkviz.chunking import Chunking
from chunkviz.document import Document
from chunkviz.errors import ChunkvizError
from chunkviz.settings import settings
from chunkviz.ui import cards, documents, progress
from chunkviz.ui.cache_keys import key_of
from chunkviz.ui.controls import store
from chunkviz.ui.viewer import ViewerState
from chunkviz.utf16 import utf16_offsets
from chunkviz.view_records import Focus
from chunkviz.wire import PageImage

KEY: Final = "pages"
COMPONENT: Final = "chunkviz.page"
SHARES: Final = {1: (1, 1), 2: (3, 2), 3: (2, 1), 4: (5, 2)}
"""How the width is shared between so many columns of text and the page."""
LEAST_REM: Final = 12.5
"""Width of a column of text, in units of the letter size, below which the page stands below the text."""
LEAST_PAGE_REM: Final = 19
"""And of the page: narrower, nobody could read it."""
MOST_KEPT: Final = 6
"""Pictures kept in a session."""


def switch(document: Document) -> bool:
    """Whether the pages are shown; asked only for documents that have any to show."""
    if document.format != "pdf" or not document.pages:
        return False
    st.session_state.setdefault(f"{KEY}.on", store().get(f"{KEY}.on", False))
    store()[f"{KEY}.on"] = on = st.toggle(
        "Show the pages of the PDF",
        key=f"{KEY}.on",
        help="The pages as they are printed, beside the text, with each chunk in its colour.",
    )
    return on


def places(columns: int) -> tuple[DeltaGenerator, DeltaGenerator]:
    """Where so many columns of text stand, and the page: beside them, or below them on a narrow screen."""
    row = f'.st-key-{KEY}-places > div > [data-testid="stHorizontalBlock"]'
    least = f"{LEAST_REM * columns}rem"
    with st.container(key=f"{KEY}-places"):
        st.html(
            f"<style>{row}{{flex-wrap:wrap}}"
            f'{row} > [data-testid="stColumn"]{{min-width:min(100%,{least})}}'
            f'{row} > [data-testid="stColumn"]:last-child{{min-width:min(100%,{LEAST_PAGE_REM}rem)}}</style>'
        )
        text, page = st.columns(SHARES[columns], gap="medium")
    return text, page


def focus(made: Sequence[Chunking]) -> Focus | None:
    """The chunk that was clicked last on a page, for the viewer to scroll to."""
    return _told("chosen", made)


def _told(name: str, made: Sequence[Chunking]) -> Focus | None:
    """What the page in the browser told last under this name: a chunk, if it exists."""
    state = st.session_state.get(KEY) or {}
    said = state.get(name) if isinstance(state, Mapping) else None
    if not isinstance(said, Mapping) or not isinstance(said.get("nonce"), str):
        return None
    column, chunk = said.get("column"), said.get("chunk")
    if type(column) is not int or type(chunk) is not int or not 0 <= column < len(made):
        return None
    return Focus(column, said["nonce"], chunk) if 0 <= chunk < len(made[column].chunks) else None


def draw(
    document: Document, source: documents.Source, made: Sequence[Chunking], titles: Sequence[str], clicked: ViewerState
) -> None:
    """One page with the chunks of one column, and the way to the others."""
    column, chunk = _follow(document, made, clicked)
    number = st.session_state[f"{KEY}.number"]
    labels = {p.number: p.label for p in document.pages}
    last = len(document.pages)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.button("Page before", key=f"{KEY}.back", disabled=number <= 1, on_click=_turn, args=(-1,))
        st.button("Next page", key=f"{KEY}.next", disabled=number >= last, on_click=_turn, args=(1,))
        shown = f"Page {number} of {last}"
        cards.plain(shown if labels[number] == str(number) else f"{shown}, printed “{labels[number]}”", "cv-page")
    if len(made) > 1:
        st.selectbox("Chunks of", range(len(made)), format_func=lambda i: f"{i + 1}: {titles[i]}", key=f"{KEY}.column")
    with st.container():
        try:
            page = _image(document, source, number)
        except ChunkvizError as error:
            cards.notice("error", str(error))
            return
    said = _said(document, made[column], number, page)
    _mount(document, made[column], page, number, column, chunk, titles[column], said)


def _follow(document: Document, made: Sequence[Chunking], clicked: ViewerState) -> tuple[int, int | None]:
    """The column and the chunk to outline; turns to the chunk's page where another one was clicked since the last run."""
    session = st.session_state
    chosen, moved = focus(made), _told("moved", made)
    events = {
        "viewer": ((clicked.column, clicked.chunk), clicked.column, clicked.chunk),
        "moved": (moved.nonce, moved.column, moved.chunk) if moved else None,
        "page": (chosen.nonce, chosen.column, chosen.chunk) if chosen else None,
    }
    for name, event in events.items():
        if event is None or session.get(f"{KEY}.seen.{name}") == event:
            continue
        session[f"{KEY}.seen.{name}"] = event
        _, at, index = event
        if at is None or index is None:
            continue
        session[f"{KEY}.place"] = (at, index)
        if name == "page":
            continue  # it is in sight already
        session[f"{KEY}.column"] = at
        pages = made[at].chunks[index].pages
        if session.get(f"{KEY}.number") not in pages:
            session[f"{KEY}.number"] = pages[0]
    session[f"{KEY}.number"] = min(max(session.get(f"{KEY}.number", 1), 1), len(document.pages))
    column = session.setdefault(f"{KEY}.column", 0)
    if column >= len(made):
        column = session[f"{KEY}.column"] = 0
    place = session.get(f"{KEY}.place")
    if place is None or place[0] != column or place[1] >= len(made[column].chunks):
        return column, None
    return column, place[1]


def _turn(by: int) -> None:
    st.session_state[f"{KEY}.number"] += by


def _image(document: Document, source: documents.Source, number: int) -> PageImage:
    """The page, drawn in a process of its own and kept for a while. Raises `LoadError`, and `Stopped`."""
    kept: dict[str, PageImage] = st.session_state.setdefault(f"{KEY}.images", {})
    key = key_of("page", source.data, document.fingerprint, str(number))
    if key not in kept:
        password = st.session_state.get(f"password.{source.id}") or None
        kept[key] = progress.waited(
            lambda stop: isolation.page_image(source.data, document, number, password=password, stop=stop),
            text=f"Drawing page {number}",
            seconds=settings().parse_seconds,
            key=f"page.{key}",
        )
        while len(kept) > MOST_KEPT:
            del kept[next(iter(kept))]
    return kept[key]


def _said(document: Document, chunking: Chunking, number: int, page: PageImage) -> str:
    """What is on the page, in words."""
    if not page.words:
        return "No word of the document was found on this page."
    here = [c.index for c in chunking.chunks if number in c.pages]
    if not here:
        return "No chunk has a word on this page."
    words = f"chunk {here[0] + 1:,}" if len(here) == 1 else f"chunks {here[0] + 1:,} to {here[-1] + 1:,}"
    return f"This page holds {words}. Click an area to find it in the text."


@cache
def _component() -> Any:
    return st.components.v2.component(COMPONENT, js="page.js", css="viewer.css", isolate_styles=True)


def _mount(
    document: Document,
    chunking: Chunking,
    page: PageImage,
    number: int,
    column: int,
    chunk: int | None,
    title: str,
    said: str,
) -> None:
    text = document.text
    picture = key_of(page.png)
    starts, ends = chunking.bounds
    header = {
        "kind": "areas",
        "version": VERSION,
        "image": picture,
        "page": number,
        "column": column,
        "chunk": chunk,
        "title": title,
        "label": said,
        "width": page.width,
        "height": page.height,
    }
    arrays = {
        "start": utf16_offsets(text, starts),
        "end": utf16_offsets(text, ends),
        "word.start": utf16_offsets(text, [w.start for w in page.words]),
        "word.end": utf16_offsets(text, [w.end for w in page.words]),
        "box": np.array([[w.x0, w.y0, w.x1, w.y1] for w in page.words], dtype=np.float64).reshape(-1),
    }
    mount = _component()
    mount(
        key=KEY,
        data=pack(header, arrays),
        default={"chosen": None, "moved": None},
        on_chosen_change=_nothing,
        on_moved_change=_nothing,
        width="stretch",
        height="content",
    )
    png = np.frombuffer(page.png, dtype=np.uint8)
    head = {"kind": "picture", "version": VERSION, "image": picture}
    mount(key=f"{KEY}.picture", data=pack(head, {"png": png}), height="content")


def _nothing() -> None:
    """Streamlit wants a callback for a state that has a default; the new state is read when the page runs again."""
