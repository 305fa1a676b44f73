"""Boundaries set by hand, in the columns of a page: where they come from, what the browser says of them, what is kept.

They are kept for each column and document as long as the session lasts. Whoever opens another document and comes back
finds them, and a document that was never edited begins with what the column's last strategy makes of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import streamlit as st

from chunkviz import reference, registry
from chunkviz.chunking import Chunking
from chunkviz.document import Document
from chunkviz.errors import ChunkvizError
from chunkviz.strategies.manual import MOST, boundaries_of, placed
from chunkviz.ui import cache, cards
from chunkviz.ui.controls import store
from chunkviz.ui.state import Column
from chunkviz.utf16 import code_points_of

ID: Final = "manual"
LONGEST_LINK: Final = 1500
"""Characters that the boundaries of one column may take in a link."""
MOST_KEPT: Final = 40


@dataclass
class _Kept:
    """What one session knows.

    boundaries : of each column (its prefix) and document (its fingerprint)
    before     : what each column showed before it was edited by hand
    taken      : name of the last edit of each column that was taken over
    why        : for a column that does not begin with what was before it, the reason
    """

    boundaries: dict[tuple[str, str], tuple[int, ...]] = field(default_factory=dict)
    before: dict[str, Column] = field(default_factory=dict)
    taken: dict[str, str] = field(default_factory=dict)
    why: dict[str, str] = field(default_factory=dict)

    def put(self, prefix: str, document: Document, boundaries: tuple[int, ...]) -> None:
        key = (prefix, document.fingerprint)
        self.boundaries.pop(key, None)
        self.boundaries[key] = boundaries
        self.why.pop(prefix, None)
        while len(self.boundaries) > MOST_KEPT:
            del self.boundaries[next(iter(self.boundaries))]


def _kept() -> _Kept:
    kept = st.session_state.setdefault("manual", _Kept())
    assert isinstance(kept, _Kept)  # for the type checker: nobody else writes this key
    return kept


def start(prefix: str, document: Document, boundaries: tuple[int, ...]) -> None:
    """Show these boundaries in a column, to go on from there. For buttons: called before the page runs again."""
    _kept().put(prefix, document, placed(document, boundaries))
    st.session_state[f"{prefix}.strategy"] = store()[f"{prefix}.strategy"] = ID


def take(key: str, document: Document, prefixes: Iterable[str]) -> None:
    """Take over what was edited in the viewer `key` since the last run."""
    state = st.session_state.get(key) or {}
    said = state.get("edited") if isinstance(state, Mapping) else None
    if not isinstance(said, Mapping) or not isinstance(said.get("columns"), Mapping):
        return
    kept = _kept()
    for at, prefix in enumerate(prefixes):
        edit = said["columns"].get(str(at))
        if not isinstance(edit, Mapping) or not isinstance(edit.get("name"), str):
            continue
        # An edit is said again with every run; and one of another document came too late.
        if kept.taken.get(prefix) == edit["name"]:
            continue
        kept.taken[prefix] = edit["name"]
        boundaries = edited(document, edit.get("starts"))
        if said.get("docId") == document.fingerprint and boundaries is not None:
            kept.put(prefix, document, boundaries)


def edited(document: Document, units: Any) -> tuple[int, ...] | None:
    """The boundaries that the browser says, in UTF-16 units, as places in the document; None for what are none."""
    if not isinstance(units, list) or len(units) > MOST or not all(type(u) is int and 0 <= u < 2**32 for u in units):
        return None
    return placed(document, (at for at in code_points_of(document, units).tolist() if at <= len(document.text)))


def settled(prefix: str, column: Column, document: Document, unit: str, default: Column) -> Column:
    """A column's settings, with the boundaries of this document where it is edited by hand.

    default : what to begin with where nothing was shown in the column before
    """
    kept = _kept()
    if column.strategy != ID:
        kept.before[prefix] = column
        return column
    if (prefix, document.fingerprint) not in kept.boundaries:
        linked: tuple[int, ...] = column.params["boundaries"]
        fresh = not any(known == prefix for known, _ in kept.boundaries)
        begun, why = (placed(document, linked), "") if linked and fresh else _begun(prefix, document, unit, default)
        kept.put(prefix, document, begun)
        if why:
            kept.why[prefix] = why
    boundaries = kept.boundaries[(prefix, document.fingerprint)]
    store()[f"{prefix}.{ID}.boundaries"] = boundaries
    return Column(ID, {"boundaries": boundaries})


def _begun(prefix: str, document: Document, unit: str, default: Column) -> tuple[tuple[int, ...], str]:
    """What the column showed before, on this document; or one piece, and why. Nothing that would have to be paid for."""
    origin = _kept().before.get(prefix, default)
    if registry.strategy(origin.strategy).tags.needs_model:
        origin = default
    try:
        found = boundaries_of(cache.chunking(document, origin.strategy, origin.params, unit))
    except ChunkvizError as error:
        return (), f"Begun with one chunk, because what was here before cannot be made: {error}"
    if len(found) > MOST:
        return (), f"Begun with one chunk, because more than {MOST:,} are too many to edit by hand."
    return found, ""


def in_link(column: Column, sample: bool) -> Column:
    """What a link says of the column: the boundaries only where they are few, and of a sample."""
    if column.strategy == ID and not _fits(column, sample):
        return Column(ID)
    return column


def _fits(column: Column, sample: bool) -> bool:
    return sample and len(column.spell()) <= LONGEST_LINK


def editable(settings: Iterable[Column]) -> dict[int, str]:
    """The columns that are edited by hand, as `viewer` takes them."""
    taken = _kept().taken
    return {at: taken.get(str(at), "") for at, column in enumerate(settings) if column.strategy == ID}


def head(prefix: str, column: Column, made: Chunking, sample: bool) -> None:
    """Below a column's controls: the way into editing, or to save what was edited."""
    if column.strategy != ID:
        many = len(made.chunks) > MOST
        st.button(
            "Edit by hand",
            key=f"{prefix}.edit",
            icon=":material/edit:",
            type="tertiary",
            disabled=many or not made.chunks,
            help=f"More than {MOST:,} chunks are too many to edit by hand."
            if many
            else "Go on from this result: move, merge and split chunks in the text.",
            on_click=_edit,
            args=(prefix, made),
        )
        return
    if prefix in _kept().why:
        cards.notice("info", _kept().why[prefix])
    boundaries: tuple[int, ...] = column.params["boundaries"]
    st.download_button(
        "Save as reference",
        # Made when it is asked for: to quote thousands of boundaries takes longer than to draw them.
        lambda: reference.from_positions(made.document, boundaries).to_json(),
        file_name=f"{made.document.name}.reference.json",
        mime="application/json",
        key=f"{prefix}.save",
        icon=":material/download:",
        type="tertiary",
        on_click="ignore",
        help=f"The {len(boundaries):,} boundaries of this document as a file (JSON), to score strategies against, "
        "or to go on another day.",
    )
    if not _fits(column, sample):
        cards.plain(
            "A link to this page does not hold your boundaries: save them to keep or share them."
            if sample
            else "A link never holds a document of yours, nor its boundaries: save them to keep them."
        )


def _edit(prefix: str, made: Chunking) -> None:
    start(prefix, made.document, boundaries_of(made))
