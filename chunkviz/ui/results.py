"""What an evaluation found: the recommendation, the table with intervals, the charts, and the text behind each cell."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, Final, Literal

import streamlit as st

from chunkviz import advice, behind, format, sweeps
from chunkviz.chunking import Chunking
from chunkviz.document import Document
from chunkviz.errors import ChunkvizError
from chunkviz.evaluation import Evaluation, RecipeResult
from chunkviz.grid import depth_label, label
from chunkviz.metrics.intervals import Interval
from chunkviz.metrics.retrieval import RETRIEVAL, RetrievalMetric
from chunkviz.runs import Scope
from chunkviz.ui import cache, cards, palette, result_charts
from chunkviz.ui.controls import store
from chunkviz.units import unit

PREFIX: Final = "results"
LEAD: Final = "token_recall"
TERMS: Final[Mapping[str, str]] = {
    "token_recall": "token recall",
    "token_precision": "token precision",
    "token_iou": "token IoU",
    "precision_omega": "precision Ω",
    "hit": "hit@k",
    "chunk_precision": "precision@k",
    "chunk_recall": "recall@k",
    "mrr": "MRR",
    "ndcg": "nDCG",
    "document_f1": "document F1",
    "page_f1": "page F1",
}
"""What engineers call the metrics."""
PLOT: Final = {"displayModeBar": False}
SWEEP_WIDTH: Final = 468
"""Pixels: two of them fit beside each other on a wide page, and one beside the sidebar on a narrow one."""

STYLE: Final = """<style>
.cv-advice{border:1px solid color-mix(in srgb,#2f7d4f 55%,transparent);border-radius:.5rem;padding:.7rem .9rem;
  background:color-mix(in srgb,#2f7d4f 10%,transparent)}
.cv-advice p{margin:.15rem 0;overflow-wrap:anywhere}.cv-advice p+p{opacity:.8;font-size:.92em}
.cv-sub{font-size:1.15rem;font-weight:650;margin:1.1rem 0 0;padding:0}
.cv-text{white-space:pre-wrap;overflow-wrap:anywhere;max-height:22rem;overflow:auto;padding:.5rem .7rem;
  border:1px solid color-mix(in srgb,currentColor 18%,transparent);border-radius:.4rem;font-size:.93em;line-height:1.5}
.cv-text .plain{opacity:.72}
.cv-found,.cv-whole{background:color-mix(in srgb,#2e9e5b 30%,transparent);border-bottom:2px solid #2e9e5b}
.cv-missed,.cv-part{background:color-mix(in srgb,#d0414f 28%,transparent);border-bottom:2px dashed #d0414f}
.cv-cut{display:inline-block;padding:0 .35rem;margin:0 .15rem;border-radius:.3rem;font-size:.78em;font-weight:600;
  background:#d0414f;color:#fff;white-space:nowrap}
.cv-head{margin:.6rem 0 .2rem;font-size:.92em}.cv-head b{font-weight:650}.cv-yes{color:#2e9e5b;font-weight:650}
</style>"""


@dataclass(eq=False)
class Shown:
    """An evaluation on the page, with what its cells need to be opened. `memo` keeps what was worked out about it."""

    evaluation: Evaluation
    documents: Mapping[str, Document]
    scope: Scope
    made: float = field(default_factory=time.time)
    run_id: str | None = None
    memo: dict[Any, Any] = field(default_factory=dict)

    def mean(self, result: RecipeResult, metric: str) -> sweeps.Mean | None:
        key = ("mean", id(result), metric)
        if key not in self.memo:
            self.memo[key] = sweeps.mean(result, metric)
        found: sweeps.Mean | None = self.memo[key]
        return found

    def against(self, result: RecipeResult, base: RecipeResult, metric: str) -> Interval | None:
        key = ("against", id(result), id(base), metric)
        if key not in self.memo:
            self.memo[key] = result.against(base, metric)
        found: Interval | None = self.memo[key]
        return found


def heading(text: str) -> None:
    """The head of a part of the results."""
    st.html(f'<h3 class="cv-sub">{escape(text)}</h3>')


def title_of(metric: RetrievalMetric) -> str:
    """A metric in plain words, the engineers' one in brackets."""
    return f"{metric.title} ({TERMS[metric.id]})" if metric.id in TERMS else metric.title


def help_of(metric: RetrievalMetric) -> str:
    """What a figure means, how it is worked out and where that comes from."""
    return f"{metric.help} How: {metric.formula}. Source: {metric.source}."


def show(shown: Shown) -> None:
    """Everything about one evaluation."""
    made = shown.evaluation
    if not made.results:
        cards.notice("info", "No recipe was finished.")
        return
    metrics = [m for m in RETRIEVAL if any(m.id in r.metrics for r in made.results)]
    left, middle, right = st.columns([3, 2, 3], gap="medium")
    with left:
        metric = _metric(metrics)
    with middle:
        depth = _depth(made)
    results = [r for r in made.results if r.k == depth]
    with right:
        base = _baseline(results)
    _advice(shown, metric, depth)
    _table(shown, results, metrics, metric, base)
    _sweeps(shown, results, metric)
    _cost(shown, results, metric, depth)
    _reranked(shown, results, metric)
    _heat(shown, results, metric)


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


def _advice(shown: Shown, metric: RetrievalMetric, depth: int | str) -> None:
    found = advised(shown, metric.id, depth)
    if found is None:
        cards.notice("info", f"“{metric.title}” has no value here: {_reason(shown, metric)}.")
        return
    st.html('<div class="cv-advice" role="note">' + "".join(f"<p>{escape(r)}</p>" for r in found.reasons) + "</div>")


def advised(shown: Shown, metric: str, depth: int | str) -> advice.Advice | None:
    """The recommendation, worked out once."""
    key = ("advice", metric, depth)
    if key not in shown.memo:
        shown.memo[key] = advice.after(shown.evaluation, metric, depth)
    found: advice.Advice | None = shown.memo[key]
    return found


def _reason(shown: Shown, metric: RetrievalMetric) -> str:
    reasons = (r.metrics[metric.id].reason for r in shown.evaluation.results if metric.id in r.metrics)
    return next((reason for reason in reasons if reason), "it was not computed")


# --- the table ----------------------------------------------------------------------------------------------------------


def difference(found: Interval | None, metric: RetrievalMetric) -> tuple[str, str]:
    """A paired difference with its interval, and the verdict, in words."""
    if found is None:
        return "—", "too few questions"
    share = metric.unit == "share"
    mean, low, high = ((v * 100 if share else v) for v in (found.mean, found.low, found.high))
    return f"{mean:+.1f} [{low:+.1f}, {high:+.1f}]".replace("-", "−"), found.verdict(metric.better)


def _table(
    shown: Shown,
    results: Sequence[RecipeResult],
    metrics: Sequence[RetrievalMetric],
    metric: RetrievalMetric,
    base: RecipeResult,
) -> None:
    heading("All recipes")
    ordered = [metric, *(m for m in metrics if m is not metric)]
    rows = []
    for r in results:
        own = ("the baseline", "") if r is base else difference(shown.against(r, base, metric.id), metric)
        row: dict[str, Any] = {"Recipe": label(r)}
        mean = shown.mean(r, metric.id)
        row[metric.id] = r.metrics[metric.id].mean
        row["interval"] = "—" if mean is None else " to ".join(format.number(v, metric.unit) for v in mean[1:3])
        row["difference"], row["verdict"] = own
        row |= {m.id: r.metrics[m.id].mean for m in ordered[1:]}
        row |= {"chunks": r.chunks, "size": r.mean_tokens, "overhead": r.overhead, "stored": r.embedded}
        rows.append(row)
    kind = st.column_config
    columns: dict[str, Any] = {
        "Recipe": kind.TextColumn("Recipe", pinned=True, width="medium"),
        "interval": kind.TextColumn(
            "95 % interval", help="Where the mean would lie with other questions of this kind."
        ),
        "difference": kind.TextColumn(
            "Against the baseline" + (" (points)" if metric.unit == "share" else ""),
            help=f"{metric.title}: mean difference over the same questions, with its 95 % paired bootstrap interval.",
        ),
        "verdict": kind.TextColumn(
            "Verdict",
            width=310,
            help="“No winner” where the interval holds 0: these questions cannot tell the two apart. The number of further "
            "questions is what it would take if the difference stayed as it is.",
        ),
        "chunks": kind.NumberColumn("Chunks", format="localized", help="Of all documents together."),
        "size": kind.NumberColumn(
            "Mean size", format="%.0f", help=f"{unit(str(results[0].given['unit'])).word} in a chunk."
        ),
        "overhead": kind.NumberColumn(
            "Stored twice", format="percent", help="Characters that overlap stores once more."
        ),
        "stored": kind.NumberColumn(
            "Tokens stored", format="localized", help="Of all texts that stand for chunks (cl100k)."
        ),
    }
    for m in ordered:
        columns[m.id] = kind.NumberColumn(
            title_of(m), help=help_of(m), format="percent" if m.unit == "share" else "localized"
        )
    event = st.dataframe(
        rows,
        column_config=columns,
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        key=f"{PREFIX}.table",
        height="content" if len(rows) <= 14 else 493,
    )
    picked = event.get("selection", {}).get("rows", [])
    if picked != st.session_state.get(f"{PREFIX}.picked"):
        st.session_state[f"{PREFIX}.picked"] = picked
        if picked and picked[0] < len(results):
            st.session_state[f"{PREFIX}.cell.recipe"] = label(results[picked[0]])
    cards.plain(
        f"{format.plural(len(shown.evaluation.questions), 'question')}, {shown.evaluation.rules} rules. Overlap makes "
        "“Passages that help” (precision@k) look better than it is, because the same words come back several times: trust "
        "the figures in characters of the answer first. Select a row to see its text below."
    )


# --- the charts ---------------------------------------------------------------------------------------------------------


def _colors() -> dict[str, str]:
    return palette.chart_colors(st.context.theme.type)


def _sweeps(shown: Shown, results: Sequence[RecipeResult], metric: RetrievalMetric) -> None:
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
            figure = result_charts.sweep(lines, results, metric, axis, word, _colors())
            st.plotly_chart(figure, key=f"{PREFIX}.sweep.{axis}", config=PLOT, width=SWEEP_WIDTH)


def _cost(shown: Shown, results: Sequence[RecipeResult], metric: RetrievalMetric, depth: int | str) -> None:
    read = [r.metrics["tokens_retrieved"].mean if "tokens_retrieved" in r.metrics else None for r in results]
    if all(value is None for value in read) or metric.id == "tokens_retrieved":
        return
    found = advised(shown, metric.id, depth)
    number = None
    if found is not None and found.number is not None:
        number = next(i for i, r in enumerate(results) if r is shown.evaluation.results[found.number])
    heading("Quality and cost")
    cards.plain(
        "To the left is cheap: what a language model has to read for every question. Upwards is good. Ringed: the "
        "recommended recipe."
    )
    means = [shown.mean(r, metric.id) for r in results]
    figure = result_charts.cost(results, means, metric, read, number, _colors())
    st.plotly_chart(figure, key=f"{PREFIX}.cost", config=PLOT)


def _reranked(shown: Shown, results: Sequence[RecipeResult], metric: RetrievalMetric) -> None:
    key = ("reranked", metric.id, results[0].k)
    if key not in shown.memo:
        shown.memo[key] = sweeps.reranked(results, metric.id)
    pairs: list[sweeps.Reranked] = shown.memo[key]
    if not pairs:
        return
    heading("Before and after reranking")
    cards.plain("A second, slower look at what was found first. Whether it helps is measured here, not promised.")
    means = [shown.mean(r, metric.id) for r in results]
    st.plotly_chart(result_charts.reranking(pairs, means, metric, _colors()), key=f"{PREFIX}.rerank", config=PLOT)
    for pair in pairs:
        words, verdict = difference(pair.difference, metric)
        cards.plain(f"{pair.label}: {words}{' points' if metric.unit == 'share' else ''}, {verdict}.")


# --- the cells ----------------------------------------------------------------------------------------------------------


def _heat(shown: Shown, results: Sequence[RecipeResult], metric: RetrievalMetric) -> None:
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
        result_charts.heat(results, order, metric, texts, chosen, _colors()),
        key=f"{PREFIX}.heat",
        on_select=clicked,
        selection_mode="points",
        config=PLOT,
    )
    left, right = st.columns([2, 3], gap="medium")
    with left:
        name = st.selectbox("Recipe", names, key=recipe_key)
    with right:
        question = st.selectbox("Question", order, key=question_key, format_func=lambda q: f"{q + 1}. {texts[q]}")
    with st.container():
        _cell(shown, results[names.index(name)], question, metric)


def _cell(shown: Shown, result: RecipeResult, number: int, metric: RetrievalMetric) -> None:
    """The text behind one square."""
    cell = result.cells[number]
    try:
        chunkings = result.chunkings or _chunkings(shown, result)
        answers = behind.answers(cell, shown.documents, chunkings)
    except ChunkvizError as error:
        cards.notice("warning", f"The cuts of this stored run cannot be made again: {error}")
        return
    value = cell.values[metric.id]
    figure = format.number(value.value, metric.unit) + (f" ({value.reason})" if value.reason else "")
    cards.plain(
        f"{metric.title}: {figure}. Green: what of the answer came back; in a passage, where that holds all of it. Red and "
        "dashed: what did not come back; in a passage, where it holds a part only."
    )
    st.html('<p class="cv-head"><b>The question</b></p>')
    st.text(cell.question.text)
    if cell.question.answer:
        st.html('<p class="cv-head"><b>The answer in words</b></p>')
        st.text(cell.question.answer)
    for answer in answers:
        state = "whole in one chunk" if answer.whole else "no chunk holds all of it"
        st.html(
            f'<p class="cv-head"><b>Where it stands</b>: {escape(answer.document)}, {state}</p>'
            f'<div class="cv-text" data-testid="gold">{_painted(answer.pieces)}</div>'
        )
    found = behind.passages(cell, shown.documents)
    if not found:
        cards.notice("info", "Nothing was retrieved.")
        return
    st.html('<p class="cv-head"><b>What came back</b>, best first</p>')
    for passage in found:
        r = passage.retrieved
        moved = f", before reranking {r.before}" if result.reranker else ""
        path = f" · {' › '.join(passage.path)}" if passage.path else ""
        helps = '<span class="cv-yes">holds a part of the answer</span>' if r.relevant else "no part of the answer"
        head = f"{r.document}, chunk {r.chunk + 1}{path}"
        st.html(
            f'<p class="cv-head"><b>{r.rank}.</b> {escape(head)} · score {r.score:.3f}{moved} · '
            f"{format.plural(r.tokens, 'token')} · {helps}</p>"
            f'<div class="cv-text" data-testid="retrieved">{_painted(passage.pieces)}</div>'
        )


def _chunkings(shown: Shown, result: RecipeResult) -> dict[str, Chunking]:
    """What a stored run cut, made again by its recipe."""
    if result.recipe is None:
        return {}
    recipe = result.recipe
    return {
        name: cache.chunking(document, recipe.strategy, recipe.params, recipe.unit)
        for name, document in shown.documents.items()
    }


def _painted(pieces: Sequence[behind.Piece]) -> str:
    """Pieces as HTML, every word of a document escaped."""
    return "".join(
        f'<span class="cv-cut">✂ {escape(p.text)}</span>'
        if p.kind == "cut"
        else f'<span class="{"plain" if p.kind == "plain" else f"cv-{p.kind}"}">{escape(p.text)}</span>'
        for p in pieces
    )
