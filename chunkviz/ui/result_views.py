"""The charts of an evaluation with the words around them, and the heat map whose squares open the text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

import streamlit as st

from chunkviz import sweeps
from chunkviz.evaluation import RecipeResult
from chunkviz.grid import label
from chunkviz.metrics.retrieval import RetrievalMetric
from chunkviz.ui import cards, result_charts, result_text
from chunkviz.ui.shown import PLOT, PREFIX, Shown, colors, difference, heading
from chunkviz.units import unit

SWEEP_WIDTH: Final = 468
"""Pixels: two of them fit beside each other on a wide page, and one beside the sidebar on a narrow one."""


def swept(shown: Shown, results: Sequence[RecipeResult], metric: RetrievalMetric) -> None:
    """The metric along sizes and overlaps, where the grid has more than one."""
    drawn = []
    axes: tuple[Literal["size", "overlap"], ...] = ("size", "overlap")
    for axis in axes:
        key = ("lines", metric.id, results[0].k, axis)
        if key not in shown.memo:
            shown.memo[key] = sweeps.lines(results, metric.id, axis)
        if shown.memo[key]:
            drawn.append((axis, shown.memo[key]))
    if not drawn:
        return
    heading("Size and overlap")
    cards.plain(
        "Each line is a way to cut, its band the 95 % interval of the mean. Where bands lie over one another, the questions "
        "do not tell the recipes apart. Below the overlap: how much of the text it stores once more."
    )
    word = unit(str(results[0].given["unit"])).word
    with st.container(horizontal=True):  # one below the other where the page is narrow
        for axis, lines in drawn:
            figure = result_charts.sweep(lines, results, metric, axis, word, colors())
            st.plotly_chart(figure, key=f"{PREFIX}.sweep.{axis}", config=PLOT, width=SWEEP_WIDTH)


def cost(shown: Shown, results: Sequence[RecipeResult], metric: RetrievalMetric, advised: int | None) -> None:
    """Quality against what a question costs to read.

    advised : number of the recommended recipe among the results
    """
    read = [r.metrics["tokens_retrieved"].mean if "tokens_retrieved" in r.metrics else None for r in results]
    if all(value is None for value in read) or metric.id == "tokens_retrieved":
        return
    heading("Quality and cost")
    cards.plain(
        "To the left is cheap: what a language model has to read for every question. Upwards is good. Ringed: the "
        "recommended recipe."
    )
    means = [shown.mean(r, metric.id) for r in results]
    figure = result_charts.cost(results, means, metric, read, advised, colors())
    st.plotly_chart(figure, key=f"{PREFIX}.cost", config=PLOT)


def reranked(shown: Shown, results: Sequence[RecipeResult], metric: RetrievalMetric) -> None:
    """What a second look changed, where the grid has recipes with and without one."""
    key = ("reranked", metric.id, results[0].k)
    if key not in shown.memo:
        shown.memo[key] = sweeps.reranked(results, metric.id)
    pairs: list[sweeps.Reranked] = shown.memo[key]
    if not pairs:
        return
    heading("Before and after reranking")
    cards.plain("A second, slower look at what was found first. Whether it helps is measured here, not promised.")
    means = [shown.mean(r, metric.id) for r in results]
    st.plotly_chart(result_charts.reranking(pairs, means, metric, colors()), key=f"{PREFIX}.rerank", config=PLOT)
    points = " (points)" if metric.unit == "share" else ""
    rows = []
    for pair in pairs:
        words, verdict = difference(pair.difference, metric.better, metric.unit)
        rows.append({"Recipe": pair.label, f"After less before{points}": words, "Verdict": verdict})
    st.dataframe(rows, hide_index=True, key=f"{PREFIX}.rerank.table", height="content" if len(rows) <= 14 else 493)


def heat(shown: Shown, results: Sequence[RecipeResult], metric: RetrievalMetric) -> None:
    """A square for each recipe and question, and the text behind the chosen one."""
    heading("Question by question")
    cards.plain("A row for each recipe, a square for each question. Click a square to read the text behind it.")
    order = sweeps.hardest_first(results, metric.id)
    names = [label(r) for r in results]
    recipe_key, question_key = f"{PREFIX}.cell.recipe", f"{PREFIX}.cell.question"
    if st.session_state.get(recipe_key) not in names:
        st.session_state[recipe_key] = names[0]
    if st.session_state.get(question_key) not in order:
        st.session_state[question_key] = order[0]

    def clicked() -> None:
        points = (st.session_state.get(f"{PREFIX}.heat") or {}).get("selection", {}).get("points", [])
        if points and "customdata" in points[0]:
            at, question = (int(n) for n in points[0]["customdata"])
            if at < len(names) and question in order:
                st.session_state[recipe_key], st.session_state[question_key] = names[at], question

    chosen = names.index(st.session_state[recipe_key]), int(st.session_state[question_key])
    texts = [q.text for q in shown.evaluation.questions]
    st.plotly_chart(
        result_charts.heat(results, order, metric, texts, chosen, colors()),
        key=f"{PREFIX}.heat",
        on_select=clicked,
        selection_mode="points",
        config=PLOT,
    )
    with st.container(key="results-cell"):
        left, right = st.columns([2, 3], gap="medium")
    with left:
        name = st.selectbox("Recipe", names, key=recipe_key)
    with right:
        question = st.selectbox("Question", order, key=question_key, format_func=lambda q: f"{q + 1}. {texts[q]}")
    with st.container():
        result_text.draw(shown, results[names.index(name)], question, metric)
