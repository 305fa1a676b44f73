"""Runs that were kept: opened again, and two of them side by side."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Final

import streamlit as st

from chunkviz import advice, format, sweeps
from chunkviz.document import Document
from chunkviz.evaluation import RecipeResult
from chunkviz.grid import depth_label
from chunkviz.runs import Kept, Scope, default_runs
from chunkviz.ui import cards
from chunkviz.ui.results import PREFIX, Shown, difference, heading, title_of

CHOSEN: Final = "runs.open"
BESIDE: Final = "runs.beside"


def _words(kept: Kept) -> str:
    when = time.strftime("%d %b %Y, %H:%M:%S", time.localtime(kept.made))
    depths = ", ".join(depth_label(k) for k in kept.k)
    return f"{when}: {format.plural(kept.recipes, 'recipe')}, {depths}, {kept.rules} rules"


def newest(scope: Scope, documents: Mapping[str, Document]) -> Shown | None:
    """The last stored run about these documents and questions."""
    for kept in default_runs().listed(scope):
        found = opened(scope, kept, documents)
        if found is not None:
            return found
    return None


def opened(scope: Scope, kept: Kept, documents: Mapping[str, Document]) -> Shown | None:
    made = default_runs().load(scope, kept.id)
    return None if made is None else Shown(made, documents, scope, kept.made, kept.id)


def choose(scope: Scope, documents: Mapping[str, Document], shown: Shown | None) -> Shown | None:
    """The list of stored runs; the one that the reader asks to see, None where nothing changes."""
    known = {kept.id: kept for kept in default_runs().listed(scope)}
    if not known:
        return None
    with st.popover(f"Stored runs ({len(known)})", icon=":material/history:"):
        cards.plain(
            "Finished runs about exactly these documents and these questions, kept on the machine that runs chunkviz. "
            "Stored are figures and positions, no word of a document or of a question."
        )
        ids = list(known)
        if st.session_state.get(CHOSEN) not in ids:
            st.session_state[CHOSEN] = shown.run_id if shown is not None and shown.run_id in known else ids[0]
        chosen = st.selectbox("Run", ids, key=CHOSEN, format_func=lambda i: _words(known[i]) if i in known else "")
        with st.container(horizontal=True):
            show = st.button("Show it", icon=":material/visibility:", key="runs.show")
            if st.button("Delete it", icon=":material/delete:", key="runs.delete"):
                default_runs().delete(scope, chosen)
                st.rerun()
    return opened(scope, known[chosen], documents) if show else None


def beside(shown: Shown) -> None:
    """Another run about the same documents and questions, recipe by recipe."""
    others = {kept.id: kept for kept in default_runs().listed(shown.scope) if kept.id != shown.run_id}
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
        words, verdict = difference(pair.difference, metric) if all(sides) else ("—", "in one run only")
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
