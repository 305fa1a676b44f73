"""What an evaluation found: what counts, the recommendation, the table with intervals, the charts."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

import streamlit as st

from chunkviz import advice
from chunkviz.evaluation import Evaluation, RecipeResult
from chunkviz.grid import depth_label, label
from chunkviz.metrics.retrieval import RETRIEVAL, RetrievalMetric
from chunkviz.ui import cards, result_table, result_text, result_views
from chunkviz.ui.controls import store
from chunkviz.ui.shown import LEAD, PREFIX, Shown, title_of

STYLE: Final = (
    """<style>
.cv-advice{border:1px solid color-mix(in srgb,#2f7d4f 55%,transparent);border-radius:.5rem;padding:.7rem .9rem;
  background:color-mix(in srgb,#2f7d4f 10%,transparent)}
.cv-advice p{margin:.15rem 0;overflow-wrap:anywhere}.cv-advice p+p{opacity:.8;font-size:.92em}
.cv-sub{font-size:1.15rem;font-weight:650;margin:1.1rem 0 0;padding:0;overflow-wrap:anywhere}
@media (max-width:1100px){
  .st-key-results-pickers [data-testid="stColumn"]{min-width:calc(50% - 1rem)}
  .st-key-results-cell [data-testid="stColumn"],.st-key-answers-cell [data-testid="stColumn"]{min-width:100%}}
</style>"""
    + result_text.STYLE
    + result_table.STYLE
)


def show(shown: Shown) -> tuple[list[RecipeResult], RecipeResult | None]:
    """Everything about one evaluation; its results at the chosen k, and the recommended one of them."""
    made = shown.evaluation
    if not made.results:
        cards.notice("info", "No recipe was finished.")
        return [], None
    metrics = [m for m in RETRIEVAL if any(m.id in r.metrics for r in made.results)]
    with st.container(key="results-pickers"):
        left, middle, right = st.columns([3, 2, 3], gap="medium")
    with left:
        metric = _metric(metrics)
    with middle:
        depth = _depth(made)
    results = [r for r in made.results if r.k == depth]
    with right:
        base = _baseline(results)
    found = _advice(shown, metric, depth)
    advised = made.results[found.number] if found is not None and found.number is not None else None
    result_table.table(shown, results, metrics, metric, base)
    result_views.swept(shown, results, metric)
    number = next((i for i, r in enumerate(results) if r is advised), None)
    result_views.cost(shown, results, metric, number)
    result_views.reranked(shown, results, metric)
    result_views.heat(shown, results, metric)
    return results, advised


def _metric(metrics: Sequence[RetrievalMetric]) -> RetrievalMetric:
    ids = [m.id for m in metrics]
    key = f"{PREFIX}.metric"
    kept = st.session_state.get(key, store().get(key, LEAD))
    st.session_state[key] = kept if kept in ids else ids[0]
    titles = {m.id: title_of(m) for m in metrics}
    chosen: str = st.selectbox(
        "What counts",
        ids,
        key=key,
        format_func=lambda i: titles.get(i, i),
        help="The figures in characters of the answer come first: overlap between chunks has no hold on them.",
    )
    store()[key] = chosen
    return next(m for m in metrics if m.id == chosen)


def _depth(made: Evaluation) -> int | str:
    depths = list(dict.fromkeys(r.k for r in made.results))
    key = f"{PREFIX}.k"
    if st.session_state.get(key) not in depths:
        st.session_state[key] = depths[0]
    chosen: int | str = st.selectbox(
        "What is read (k)", depths, key=key, format_func=depth_label, help="How far down each ranking a reader goes."
    )
    return chosen


def _baseline(results: Sequence[RecipeResult]) -> RecipeResult:
    key = f"{PREFIX}.base"
    names = [label(r) for r in results]
    if st.session_state.get(key) not in names:
        st.session_state[key] = names[0]
    chosen = st.selectbox(
        "Compare with", names, key=key, help="The baseline: every difference in the table is against this recipe."
    )
    return results[names.index(chosen)]


def _advice(shown: Shown, metric: RetrievalMetric, depth: int | str) -> advice.Advice | None:
    """The recommendation, worked out once."""
    key = ("advice", metric.id, depth)
    if key not in shown.memo:
        shown.memo[key] = advice.after(shown.evaluation, metric.id, depth)
    found: advice.Advice | None = shown.memo[key]
    if found is None:
        cards.notice("info", f"“{metric.title}” has no value here: {_reason(shown, metric)}.")
    else:
        lines = "".join(f"<p>{escape(r)}</p>" for r in found.reasons)
        st.html(f'<div class="cv-advice" role="note">{lines}</div>')
    return found


def _reason(shown: Shown, metric: RetrievalMetric) -> str:
    reasons = (r.metrics[metric.id].reason for r in shown.evaluation.results if metric.id in r.metrics)
    return next((reason for reason in reasons if reason), "it was not computed")
