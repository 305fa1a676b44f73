"""What can be taken away: which cuts there are, and what their files are called and hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Final

import streamlit as st

from chunkviz import export, export_html, reference, registry
from chunkviz.chunking import Chunking
from chunkviz.document import Document
from chunkviz.export_check import Check
from chunkviz.params import Float
from chunkviz.ui import cache, cards, charts, columns, manual, pinning, state
from chunkviz.ui.cache_keys import key_of as sha256_of
from chunkviz.ui.controls import store
from chunkviz.view_records import Live

TUNE: Final = "tune"
COMPARE: Final = "compare"
TURNING: Final = ("semantic", "semantic_structure")
"""Strategies with a threshold, which the Tune screen shows."""


@dataclass(frozen=True)
class Cut:
    """One cut that a screen shows: `place` 0 is the first column of `screen`."""

    screen: str
    place: int
    column: state.Column

    @property
    def id(self) -> str:
        return f"{self.screen}.{self.place}"

    @property
    def title(self) -> str:
        """For the eye: "Compare, column 1: Recursive"."""
        pinned = " (pinned)" if self.screen == TUNE and self.place else ""
        return (
            f"{self.screen.title()}, column {self.place + 1}{pinned}: {registry.strategy(self.column.strategy).title}"
        )


def compared(document: Document, unit_id: str) -> list[Cut]:
    """The columns of Compare as they stand there, also where that screen was not opened yet."""
    known = list(registry.strategies())
    defaults = (*state.DEFAULT_COLUMNS, state.Column("sentence"))
    count: int = store().get("columns", len(state.DEFAULT_COLUMNS))
    return [
        Cut(COMPARE, at, manual.settled(str(at), columns.settled(str(at), known, default), document, unit_id, default))
        for at, default in enumerate(defaults[:count])
    ]


def tuned() -> list[Cut]:
    """The cut of Tune and those pinned beside it; none where that screen was not opened yet."""
    if f"{TUNE}.strategy" not in store():
        return []
    pins: Sequence[state.Column] = st.session_state.get("tune.pins", [])
    found = [columns.settled(TUNE, TURNING, state.Column(TURNING[0])), *pins]
    return [Cut(TUNE, at, column) for at, column in enumerate(found)]


def live_of(made: Chunking, sample_id: str) -> Live | None:
    """What the browser has to know to move the threshold itself; None for a cut without one.

    sample_id : of the document, "" for a reader's own: samples have boundaries that someone marked by hand
    """
    turns = made.curve.turns if made.curve else None
    if turns is None:
        return None
    param = next(p for p in registry.strategy(made.recipe.strategy).params if p.name == turns.kind.param)
    if not isinstance(param.rule, Float):
        raise TypeError(f"{param.name} is no number")
    rule, document = param.rule, made.document
    truth = document.derive("reference", lambda: reference.of_sample(sample_id, document)) if sample_id else None
    return Live(
        low=rule.low,
        high=rule.high,
        step=rule.step,
        label=param.label,
        unit=param.unit(),
        reference=tuple(truth.positions) if truth else (),
        limit=charts.model_limit(made),
    )


@dataclass(frozen=True)
class File:
    """A file to download: `make` is called when somebody asks for it."""

    label: str
    about: str
    name: str
    mime: str
    make: Callable[[], bytes]


def files(made: Chunking) -> list[File]:
    """The chunks of one cut, in every format."""
    stem = PurePath(made.document.name).stem
    return [
        File(
            "JSON Lines",
            "One chunk a line, nothing changed: for programs (JSONL).",
            f"{stem}.chunks.jsonl",
            "application/jsonl",
            lambda: export.to_jsonl(made).encode(),
        ),
        File(
            "Parquet",
            "The same with types: for data frames and query engines.",
            f"{stem}.chunks.parquet",
            "application/vnd.apache.parquet",
            lambda: export.to_parquet(made),
        ),
        File(
            "CSV",
            "For spreadsheets. A cell that looks like a formula gets an apostrophe in front, so that it does not run.",
            f"{stem}.chunks.csv",
            "text/csv",
            # The mark by which spreadsheets know UTF-8; without it they take the letters for others.
            lambda: export.to_csv(made).encode("utf-8-sig"),
        ),
        File(
            "Everything (JSON)",
            "Chunks, recipe, what was left out and why, and the document's fingerprint, in one object.",
            f"{stem}.chunks.json",
            "application/json",
            lambda: export.to_json(made).encode(),
        ),
    ]


def page_file(made: Sequence[Chunking], word: str, live: Live | None, pinned: bool = False) -> File:
    """The columns as one HTML file that opens anywhere.

    pinned : whether they are those of Tune, where all but the first are pinned
    """

    def make() -> bytes:
        reports = [cache.report_of(c) for c in made]
        return export_html.to_html(
            made,
            titles=pinning.titles(made) if pinned else [registry.strategy(c.recipe.strategy).title for c in made],
            findings=[cards.findings(r) for r in reports],
            audits=[cards.audit(r, word) for r in reports],
            live=live,
        )

    stem = PurePath(made[0].document.name).stem
    return File("Web page (HTML)", "", f"{stem}.chunks.html", "text/html", make)


def download(file: File, key: str) -> None:
    """The button, and what the file is for."""
    st.download_button(
        file.label,
        file.make,
        file_name=file.name,
        mime=file.mime,
        key=key,
        on_click="ignore",
        icon=":material/download:",
        width="stretch",
        help=file.name.replace("`", "'") if file.about == "" else None,
    )
    if file.about:
        cards.plain(file.about, "cv-small")


def key_of(document: Document, made: Chunking) -> str:
    """What a check is about."""
    return sha256_of("checked", document.fingerprint, document.name, made.recipe.key)


def checked(key: str) -> tuple[Check, ...]:
    """What came of the last check, where it was about `key`."""
    known: Mapping[str, Any] = st.session_state.get("export.checked", {})
    found: tuple[Check, ...] = known.get(key, ())
    return found


def keep(key: str, found: tuple[Check, ...]) -> None:
    """Remember what came of a check, the last one only."""
    st.session_state["export.checked"] = {key: found}


def seed(asked: Sequence[state.Column]) -> None:
    """Set the columns of Compare to what a link asks for."""
    store()["columns"] = len(asked)
    for at, column in enumerate(asked):
        columns.seed(str(at), column)
