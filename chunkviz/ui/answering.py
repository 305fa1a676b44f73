"""Answers from a language model on the Evaluate screen: how right and how grounded they are, recipe by recipe."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import streamlit as st

from chunkviz import format
from chunkviz.answering import Judged, estimate, material, summaries
from chunkviz.evaluation import RecipeResult
from chunkviz.grid import label
from chunkviz.llm import Endpoint
from chunkviz.metrics.answers import ANSWERS, AnswerMetric
from chunkviz.sweeps import mean_of
from chunkviz.ui import answer_text, cards, endpoints, result_table
from chunkviz.ui.answer_job import AnswerJob
from chunkviz.ui.shown import Shown, difference, heading

PREFIX: Final = "answers"
TERMS: Final = {"answer_accuracy": "answer accuracy", "groundedness": "groundedness"}


def section(shown: Shown, results: Sequence[RecipeResult], advised: RecipeResult | None, busy: bool) -> bool:
    """The step after a run: what asking takes, what came of it. Whether the reader has just asked for it.

    busy : whether something is running, so that nothing else can be begun
    """
    heading("Answers from a language model")
    cards.plain(
        "The last step of a real system: a language model answers each question from what a recipe brought back. How often "
        "is the answer right (answer accuracy), and how much of it stands in what was brought back (groundedness)? A model "
        "is the judge of both, so the figures depend on it."
    )
    endpoint = endpoints.current()
    if endpoint is None:
        cards.notice("info", answer_text.NEEDED)
        return False
    searched = [r for r in results if any(cell.retrieved for cell in r.cells)]
    if not searched:
        cards.notice("info", "No recipe brought anything back that could be answered from.")
        return False
    named = {label(r): r for r in searched}
    key = f"{PREFIX}.recipes"
    first = [name for name, r in named.items() if r is advised or r is searched[0]]
    kept = [name for name in st.session_state.get(key, first) if name in named]
    if st.session_state.get(key) != kept:
        st.session_state[key] = kept
    chosen = st.multiselect(
        "Recipes to answer with", list(named), key=key, help="The first one is what the others are compared with."
    )
    known = judged_of(shown, endpoint)
    waiting = [named[name] for name in chosen if id(named[name]) not in known]
    started = _ask(shown, waiting, endpoint, busy)
    with st.expander("What the model is told, word for word", icon=":material/chat:"):
        answer_text.instructions()
    if problem := shown.memo.get((PREFIX, "problem")):
        cards.notice("warning", problem)
    done = [known[id(named[name])] for name in chosen if id(named[name]) in known]
    if done:
        _results(shown, done)
    return started


def judged_of(shown: Shown, endpoint: Endpoint) -> dict[int, Judged]:
    """What this endpoint has answered about an evaluation, by the identity of the result."""
    found: dict[int, Judged] = shown.memo.setdefault((PREFIX, endpoint.identity), {})
    return found


def job(shown: Shown, results: Sequence[RecipeResult], key: str) -> AnswerJob | None:
    """The job for the recipes that are chosen and not answered yet."""
    endpoint = endpoints.current()
    if endpoint is None:
        return None
    chosen = st.session_state.get(f"{PREFIX}.recipes", [])
    known = judged_of(shown, endpoint)
    waiting = [r for name in chosen for r in results if label(r) == name and id(r) not in known]
    return AnswerJob(key, shown, waiting, endpoint) if waiting else None


def take(job: AnswerJob, early: bool) -> None:
    """Take over what a job found."""
    problem = job.end(early=early)
    judged_of(job.shown, job.endpoint).update({id(j.result): j for j in job.found})
    job.shown.memo[PREFIX, "problem"] = problem


def _ask(shown: Shown, waiting: Sequence[RecipeResult], endpoint: Endpoint, busy: bool) -> bool:
    if not waiting:
        return False
    key = (PREFIX, "estimate", endpoint.identity, tuple(id(r) for r in waiting))
    if key not in shown.memo:
        asked = [m for r in waiting for m in material(r, shown.documents)]
        shown.memo[key] = estimate(asked, endpoint)
    st.html(
        f'<p class="cv-lead" data-testid="answers-estimate">{format.plural(len(waiting), "recipe")} × '
        f"{format.plural(len(shown.evaluation.questions), 'question')}: {answer_text.cost_of(shown.memo[key])}. Sent are "
        "the questions, their expected answers and the passages that came back. Nothing has been sent yet.</p>"
    )
    return (
        st.button(f"Ask {endpoint.host}", icon=":material/smart_toy:", key=f"{PREFIX}.ask", disabled=busy) and not busy
    )


def _title(metric: AnswerMetric) -> str:
    return f"{metric.title} ({TERMS[metric.id]})"


def _results(shown: Shown, done: Sequence[Judged]) -> None:
    kind = st.column_config
    columns: dict[str, Any] = {
        "Recipe": kind.TextColumn("Recipe", pinned=True, width="medium"),
        "problems": kind.NumberColumn("Problems", help="Answers of the model that could not be used."),
    }
    for m in ANSWERS:
        columns[m.id] = kind.NumberColumn(
            _title(m), format="percent", help=f"{m.help} How: {m.formula}. Source: {m.source}."
        )
        columns[f"{m.id}.interval"] = kind.TextColumn("95 % interval")
        columns[f"{m.id}.n"] = kind.NumberColumn("n", help="Questions that have a value.")
        columns[f"{m.id}.difference"] = kind.TextColumn(
            "Against the first (points)", help="Mean difference, with its 95 % paired bootstrap interval."
        )
        columns[f"{m.id}.verdict"] = kind.TextColumn("Verdict")
    rows = [_row(shown, judged, done[0]) for judged in done]
    cell = result_table.selected(rows, columns, f"{PREFIX}.table")
    for judged in done:
        cards.plain(f"{label(judged.result)}: {judged.note}")
    names = [label(j.result) for j in done]
    at = cell[0] if cell is not None else 0
    if st.session_state.get(f"{PREFIX}.cell") != cell or st.session_state.get(f"{PREFIX}.recipe") not in names:
        st.session_state[f"{PREFIX}.cell"], st.session_state[f"{PREFIX}.recipe"] = cell, names[at]
    with st.container(key="answers-cell"):
        left, right = st.columns([2, 3], gap="medium")
    with left:
        judged = done[names.index(st.selectbox("Recipe", names, key=f"{PREFIX}.recipe"))]
    order = judged.worst_first()
    texts = [q.text for q in shown.evaluation.questions]
    with right:
        number = st.selectbox(
            "Question, the worst answers first",
            order,
            key=f"{PREFIX}.question",
            format_func=lambda q: f"{q + 1}. {texts[q]}",
        )
    _answer(shown, judged, number)


def _row(shown: Shown, judged: Judged, first: Judged) -> dict[str, Any]:
    key = (PREFIX, "row", id(judged), id(first))
    if key in shown.memo:
        found: dict[str, Any] = shown.memo[key]
        return found
    row: dict[str, Any] = {"Recipe": label(judged.result)}
    counted = summaries(judged.judgements)
    for m in ANSWERS:
        mean = mean_of(judged.values(m.id), m.low, m.high)
        row[m.id] = counted[m.id].mean
        row[f"{m.id}.interval"] = "—" if mean is None else " to ".join(format.number(v, m.unit) for v in mean[1:3])
        row[f"{m.id}.n"] = counted[m.id].n
        own = "the first", ""
        if judged is not first:
            own = difference(judged.against(first, m.id), m.better, m.unit)
        row[f"{m.id}.difference"], row[f"{m.id}.verdict"] = own
    row["problems"] = sum(bool(j.problems) for j in judged.judgements)
    shown.memo[key] = row
    return row


def _answer(shown: Shown, judged: Judged, number: int) -> None:
    """One answer: its sentences with their support, what was expected, and what was asked."""
    asked = material(judged.result, shown.documents)[number]
    retrieved = judged.result.cells[number].retrieved
    with st.container(border=True, key=f"{PREFIX}.one"):
        st.html('<p class="cv-head"><b>The question</b></p>')
        st.text(asked.question)
        if asked.expected:
            st.html('<p class="cv-head"><b>The expected answer</b></p>')
            st.text(asked.expected)
        st.html('<p class="cv-head"><b>What the model answers</b></p>')
        names = [f"passage {r.rank} ({r.document}, chunk {r.chunk + 1})" for r in retrieved]
        answer_text.draw(asked, judged.judgements[number], names)
        with st.expander("What was asked about this answer, word for word", icon=":material/chat:"):
            answer_text.prompts(asked, judged.judgements[number])
