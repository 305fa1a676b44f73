"""Runs that were kept: opened again, and two of them side by side.

A run is found by who has the same documents and the same questions, whoever made it. It holds no word of either; the
names of models are the only words in it that somebody typed, so a run that names one which this session does not know
is not shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

from chunkviz import advice, format, sweeps
from chunkviz.document import Document
from chunkviz.evaluation import Evaluation, RecipeResult
from chunkviz.grid import depth_label
from chunkviz.llm.client import DEFAULT_MODEL
from chunkviz.retrieval import RetrievalOptions
from chunkviz.runs import Kept, Scope, default_runs
from chunkviz.ui import cards, models
from chunkviz.ui.controls import popover, settle
from chunkviz.ui.evaluating import CROSS_ENCODER
from chunkviz.ui.shown import PREFIX, Shown, difference, heading, title_of

CHOSEN: Final = "runs.open"
BESIDE: Final = "runs.beside"
OWN: Final = "runs.own"


def when(made: float) -> str:
    """A time (seconds since 1970) as the reader's clock shows it, or the server's where the browser does not say."""
    zone = None
    with suppress(ZoneInfoNotFoundError, ValueError):
        zone = ZoneInfo(st.context.timezone) if st.context.timezone else None
    return datetime.fromtimestamp(made, zone).strftime("%d %b %Y, %H:%M:%S")


def save(scope: Scope, made: Evaluation) -> str | None:
    """Keep a finished run, and that this session made it."""
    run_id = default_runs().save(scope, made)
    if run_id is not None:
        st.session_state.setdefault(OWN, set()).add(run_id)
    return run_id


def listed(scope: Scope) -> list[Kept]:
    """The stored runs about these documents and questions that this session may see, newest first."""
    known = {*models.allowed(), RetrievalOptions().cross_encoder, DEFAULT_MODEL, st.session_state.get(CROSS_ENCODER)}
    return [kept for kept in default_runs().listed(scope) if known.issuperset(kept.models)]


def _maker(run_id: str) -> str:
    own: set[str] = st.session_state.get(OWN, set())
    return "from this session" if run_id in own else "from another session"


def _words(kept: Kept) -> str:
    depths = ", ".join(depth_label(k) for k in kept.k)
    return (
        f"{when(kept.made)}, {_maker(kept.id)}: {format.plural(kept.recipes, 'recipe')}, {depths}, {kept.rules} rules"
    )


def about(shown: Shown) -> str:
    """When and on what the shown run was made, and by whom as far as that is known."""
    names = ", ".join(shown.scope.documents)
    asked = format.plural(len(shown.scope.questions), "question")
    words = f"{when(shown.made)}, about {names}, with {asked}"
    if shown.run_id is None:
        return f"Run of {words}; not stored."
    if shown.run_id in st.session_state.get(OWN, set()):
        return f"Run of {words}; stored on the machine that runs chunkviz."
    return (
        f"Stored run of {words}. It was made in another session, perhaps by somebody else, who had exactly these documents "
        "and questions too."
    )


def newest(scope: Scope, documents: Mapping[str, Document]) -> Shown | None:
    """The last stored run about these documents and questions."""
    for kept in listed(scope):
        found = opened(scope, kept, documents)
        if found is not None:
            return found
    return None


def opened(scope: Scope, kept: Kept, documents: Mapping[str, Document]) -> Shown | None:
    made = default_runs().load(scope, kept.id)
    return None if made is None else Shown(made, documents, scope, kept.made, kept.id)


def _these(scope: Scope) -> str:
    return f"{', '.join(scope.documents)} and these {format.plural(len(scope.questions), 'question')}"


def choose(scope: Scope, documents: Mapping[str, Document], shown: Shown | None) -> Shown | None:
    """The list of stored runs; the one that the reader asks to see, None where nothing changes."""
    known = {kept.id: kept for kept in listed(scope)}
    if not known:
        return None
    with popover(f"Stored runs ({len(known)})", key="runs.stored", icon=":material/history:"):
        cards.plain(
            f"Finished runs about exactly {_these(scope)}, kept on the machine that runs chunkviz, whoever made them. Stored "
            "are figures and positions, no word of a document or of a question: only who has the same ones finds them."
        )
        ids = list(known)
        first = shown.run_id if shown is not None and shown.run_id in known else ids[0]
        now = st.session_state.get(CHOSEN)
        settle(CHOSEN, now if now in ids else first)
        chosen = st.selectbox("Run", ids, key=CHOSEN, format_func=lambda i: _words(known[i]) if i in known else "")
        with st.container(horizontal=True):
            show = st.button("Show it", icon=":material/visibility:", key="runs.show")
            if st.button("Delete it", icon=":material/delete:", key="runs.delete"):
                default_runs().delete(scope, chosen)
                st.rerun()
    return opened(scope, known[chosen], documents) if show else None


def beside(shown: Shown) -> None:
    """Another run about the same documents and questions, recipe by recipe."""
    others = {kept.id: kept for kept in listed(shown.scope) if kept.id != shown.run_id}
    if not others:
        return
    heading("Beside another run")
    cards.plain(
        "Two runs about the same documents and questions, recipe by recipe. Differences are of the same questions."
    )
    ids = ["", *others]
    if st.session_state.get(BESIDE) not in ids:
        st.session_state[BESIDE] = ""
    chosen = st.selectbox(
        "Run to compare with", ids, key=BESIDE, format_func=lambda i: _words(others[i]) if i in others else "none"
    )
    if not chosen:
        return
    key = ("beside", chosen)
    if key not in shown.memo:
        shown.memo[key] = opened(shown.scope, others[chosen], shown.documents)
    other: Shown | None = shown.memo[key]
    if other is None:
        cards.notice("warning", "This run cannot be opened.")
        return
    metric = sweeps.metric_of(st.session_state.get(f"{PREFIX}.metric", "token_recall"))
    one, two = shown.evaluation.results, other.evaluation.results
    met_key = ("met", chosen, metric.id)
    if met_key not in shown.memo:
        shown.memo[met_key] = sweeps.met(two, one, metric.id)
    rows: list[dict[str, Any]] = []
    for pair in shown.memo[met_key]:
        sides = (two[pair.a] if pair.a is not None else None, one[pair.b] if pair.b is not None else None)
        words, verdict = (
            difference(pair.difference, metric.better, metric.unit) if all(sides) else ("—", "in one run only")
        )
        rows.append(
            {
                "Recipe": pair.label,
                "k": depth_label(next(side.k for side in sides if side is not None)),
                "Other run": _mean(sides[0], metric.id, metric.unit),
                "This run": _mean(sides[1], metric.id, metric.unit),
                "Difference" + (" (points)" if metric.unit == "share" else ""): words,
                "Verdict": verdict,
            }
        )
    cards.plain(f"{title_of(metric)}:")
    st.dataframe(
        rows, hide_index=True, key="runs.table", column_config={"Recipe": st.column_config.TextColumn(pinned=True)}
    )
    for words, run in (("Other run", other), ("This run", shown)):
        found = advice.after(run.evaluation, metric.id)
        if found is not None:
            cards.plain(f"{words}: {found.reasons[0]}")


def _mean(result: RecipeResult | None, metric: str, unit: str) -> str:
    if result is None or metric not in result.metrics:
        return "—"
    return format.number(result.metrics[metric].mean, unit)
