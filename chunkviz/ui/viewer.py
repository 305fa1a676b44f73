"""The document in synchronized columns: mounts the browser component in a Streamlit page.

The component is mounted twice. The document travels once, by a mount whose bytes do not change; what changes with
every slider travels by the other, and is small.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import streamlit as st

from chunkviz.chunking import Chunking
from chunkviz.document import Document
from chunkviz.metrics.base import Finding
from chunkviz.segments import document_blob, view_blob
from chunkviz.spans import Span, trimmed
from chunkviz.utf16 import code_points_of
from chunkviz.view_records import Audit, Focus, Following, Highlight, Live

SEND_SECONDS: Final = 0.01
COMPONENT: Final = "chunkviz.viewer"


@dataclass(frozen=True, slots=True)
class ViewerState:
    """What the reader did in the viewer.

    column, chunk : the chunk clicked last (0-based), both None before the first click and when it is gone
    """

    column: int | None = None
    chunk: int | None = None


@cache
def _component() -> Any:
    # Only here: a component with files can be declared in a running app, not when this module is imported elsewhere.
    return st.components.v2.component(COMPONENT, js="viewer.js", css="viewer.css", isolate_styles=True)


def viewer(
    document: Document,
    chunkings: Sequence[Chunking],
    *,
    key: str,
    titles: Sequence[str] | None = None,
    subtitles: Sequence[str] | None = None,
    findings: Sequence[Mapping[str, Sequence[Finding]]] | None = None,
    audits: Sequence[Audit] | None = None,
    live: Live | None = None,
    on_threshold: Callable[[], None] | None = None,
    focus: Focus | None = None,
    highlight: Highlight | None = None,
    on_picked: Callable[[], None] | None = None,
    editable: Mapping[int, str] | None = None,
    following: Mapping[int, Following] | None = None,
    height: int = 620,
    blob: bytes | None = None,
) -> ViewerState:
    """Show one to four chunkings of a document side by side.

    key       : of this place in the app; one viewer each
    blob      : `segments.document_blob(document)`, where the page keeps it; made anew on every run otherwise
    focus     : where to scroll; a nonce that was seen before does not scroll again
    highlight : chunks to mark
    on_threshold : called before the page runs again after the threshold of `live` was dragged; `dragged` says where to
    on_picked : makes the viewer tell which text is selected, and is called before the page runs again; `picked` says it
    height    : of the part that scrolls, in CSS pixels
    The other arguments are those of `segments.view_blob`, and so are the errors.
    """
    data = view_blob(
        chunkings,
        titles=titles,
        subtitles=subtitles,
        findings=findings,
        audits=audits,
        live=live,
        focus=focus,
        highlight=highlight,
        picking=on_picked is not None,
        editable=editable,
        following=following,
        height=height,
    )
    mount = _component()
    result = mount(
        key=key,
        data=data,
        default={"selected": None, "threshold": None, "picked": None, "edited": None},
        on_selected_change=_nothing,
        on_threshold_change=on_threshold or _nothing,
        on_picked_change=on_picked or _nothing,
        on_edited_change=_nothing,
        width="stretch",
        height="content",
    )
    # The view goes out before the interpreter is busy with the rest of the page, of which the document is the largest.
    time.sleep(SEND_SECONDS)
    mount(key=f"{key}.document", data=document_blob(document) if blob is None else blob, height="content")
    return _state(result.selected, chunkings)


def send_resizing(blob: bytes, *, key: str) -> None:
    """Give the browser what `view_records.Following` speaks of: a blob of `resizing.resizing_blob`."""
    _component()(key=key, data=blob, height="content")


def dragged(key: str) -> tuple[str, float] | None:
    """Name and value of the parameter whose threshold was dragged last in the viewer `key`; None for nothing legal."""
    state = st.session_state.get(key) or {}
    said = state.get("threshold") if isinstance(state, Mapping) else None
    if not isinstance(said, Mapping):
        return None
    name, amount = said.get("param"), said.get("amount")
    if not isinstance(name, str) or isinstance(amount, bool) or not isinstance(amount, int | float):
        return None
    return name, float(amount)


def picked(key: str, document: Document) -> Span | None:
    """The text that was selected last in the viewer `key`, without white space at its ends; None for none of `document`."""
    state = st.session_state.get(key) or {}
    said = state.get("picked") if isinstance(state, Mapping) else None
    if not isinstance(said, Mapping) or said.get("docId") != document.fingerprint:
        return None
    units = [u for u in (said.get("start"), said.get("end")) if isinstance(u, int) and not isinstance(u, bool)]
    # Bounded first: what comes from a browser may be any number.
    if len(units) != 2 or not 0 <= units[0] < units[1] <= 2 * len(document.text):
        return None
    start, end = code_points_of(document, units).tolist()
    if not 0 <= start < end <= len(document.text):
        return None
    span = trimmed(document.text, Span(start, end))
    return span if span.length else None


def _nothing() -> None:
    """Streamlit wants a callback for a state that has a default; the new state is read when the page runs again."""


def _state(selected: Any, chunkings: Sequence[Chunking]) -> ViewerState:
    """What the browser says was selected, if it exists: a click may be older than the columns it is about."""
    if not isinstance(selected, Mapping):
        return ViewerState()
    column, chunk = selected.get("column"), selected.get("chunk")
    if not isinstance(column, int) or not isinstance(chunk, int) or not 0 <= column < len(chunkings):
        return ViewerState()
    return ViewerState(column, chunk) if 0 <= chunk < len(chunkings[column].chunks) else ViewerState()
