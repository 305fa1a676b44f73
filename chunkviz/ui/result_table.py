"""The table of an evaluation, and what each of its cells opens: the questions or the documents behind the figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

import streamlit as st

from chunkviz import behind, embed, format
from chunkviz.errors import ChunkvizError
from chunkviz.evaluation import RecipeResult
from chunkviz.grid import label
from chunkviz.metrics.retrieval import RetrievalMetric
from chunkviz.ui import cards, result_text
from chunkviz.ui.shown import PREFIX, Shown, difference, heading, help_of, title_of
from chunkviz.units import unit

COUNTS: Final = ("chunks", "size", "overhead", "stored")
"""Columns about the cut: what is behind them are documents, behind all others questions."""
COMPARED: Final = ("difference", "verdict")
"""Columns about the baseline."""
MOST_CHUNKS: Final = 500
"""Chunks that are listed."""
# A table hides what is wider than it, and its scroll bar comes only under the mouse. So its edge is shaded with an arrow as
# long as there is more beyond it: an animation that the scrolling itself drives, and that does nothing where all fits.
STYLE: Final = """<style>
@keyframes cv-beyond{0%,97%{opacity:1}100%{opacity:0}}
.stApp [data-testid="stDataFrame"]{position:relative;timeline-scope:--cv-sideways}
.stApp [data-testid="stDataFrame"] .dvn-scroller{scroll-timeline:--cv-sideways inline}
.stApp [data-testid="stDataFrame"]::after{content:"\\203a" / "";position:absolute;inset:1px 1px 1px auto;width:2.6rem;
  display:flex;align-items:center;justify-content:flex-end;padding-right:.45rem;font-size:1.7rem;font-weight:700;
  pointer-events:none;border-radius:0 .5rem .5rem 0;opacity:0;
  background:linear-gradient(to right,transparent,var(--st-background-color,light-dark(#fff,#12151c)) 75%);
  animation:cv-beyond linear both;animation-timeline:--cv-sideways}
</style>"""
_ROWS: Final = 14
"""Rows that are shown without a scroll bar of their own."""


def table(
    shown: Shown,
    results: Sequence[RecipeResult],
    metrics: Sequence[RetrievalMetric],
    metric: RetrievalMetric,
    base: RecipeResult,
) -> None:
    """All recipes at one k; below them what the chosen cell is made of."""
    heading("All recipes")
    ordered = [metric, *(m for m in metrics if m is not metric)]
    columns = _columns(results, ordered)
    cards.plain(
        f"{format.plural(len(columns), 'column')}: where they do not all fit, the others are to the right. Scroll sideways, or "
        "choose a cell and go on with the right arrow key."
    )
    cell = selected(
        [_row(shown, r, ordered, base) for r in results],
        columns,
        f"{PREFIX}.table",
    )
    cards.plain(
        f"{format.plural(len(shown.evaluation.questions), 'question')}, {shown.evaluation.rules} rules. "
        f"{_embedded_by(results)}Overlap makes “Passages that help” (precision@k) look better than it is, because the same "
        "words come back several times: trust the figures in characters of the answer first. Choose any cell, with a click "
        "or with the arrow keys, to see what it is made of."
    )
    with st.container():
        if cell is not None and cell[0] < len(results):
            _opened(shown, results[cell[0]], cell[1], metrics, metric, base)


def selected(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, Any], key: str) -> tuple[int, str] | None:
    """A table whose cells can be chosen by mouse and keyboard: number of the row and name of the column, or None."""
    event = st.dataframe(
        rows,
        column_config=cast(Any, columns),
        hide_index=True,
        on_select="rerun",
        selection_mode="single-cell",
        key=key,
        height="content" if len(rows) <= _ROWS else 493,
    )
    cells = event.get("selection", {}).get("cells", [])
    return (int(cells[0][0]), str(cells[0][1])) if cells and int(cells[0][0]) < len(rows) else None


def _row(shown: Shown, r: RecipeResult, ordered: Sequence[RetrievalMetric], base: RecipeResult) -> dict[str, Any]:
    metric = ordered[0]
    mean = shown.mean(r, metric.id)
    row: dict[str, Any] = {"Recipe": label(r), metric.id: r.metrics[metric.id].mean}
    row["interval"] = "—" if mean is None else " to ".join(format.number(v, metric.unit) for v in mean[1:3])
    own = "the baseline", ""
    if r is not base:
        own = difference(shown.against(r, base, metric.id), metric.better, metric.unit)
    row["difference"], row["verdict"] = own
    row |= {m.id: r.metrics[m.id].mean for m in ordered[1:]}
    return row | {"chunks": r.chunks, "size": r.mean_tokens, "overhead": r.overhead, "stored": r.embedded}


def _columns(results: Sequence[RecipeResult], ordered: Sequence[RetrievalMetric]) -> dict[str, Any]:
    kind = st.column_config
    metric = ordered[0]
    found: dict[str, Any] = {
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
        **_counts(results[0]),
    }
    for m in ordered:
        found[m.id] = kind.NumberColumn(
            title_of(m), help=help_of(m), format="percent" if m.unit == "share" else "localized"
        )
    return found


def _counts(result: RecipeResult) -> dict[str, Any]:
    """The columns about the cut, of recipes and of documents."""
    kind = st.column_config
    word = unit(str(result.given.get("unit", "cl100k_base"))).word
    return {
        "chunks": kind.NumberColumn("Chunks", format="localized", help="Of all documents together."),
        "size": kind.NumberColumn("Mean size", format="%.0f", help=f"{word} in a chunk."),
        "overhead": kind.NumberColumn(
            "Stored twice", format="percent", help="Characters that overlap stores once more."
        ),
        "stored": kind.NumberColumn(
            "Tokens stored", format="localized", help="Of all texts that stand for chunks (cl100k)."
        ),
    }


def _embedded_by(results: Sequence[RecipeResult]) -> str:
    """Which embedding model the vectors are of, where a recipe's name does not say it."""
    named = {r.options.model for r in results if r.options.embeds}
    if not named:
        return ""
    if len(named) > 1 or embed.DEFAULT not in named:
        return f"Recipes that name no embedding model search with {embed.DEFAULT}. "
    return f"Embedding model: {embed.DEFAULT}. "


# --- what a cell is made of ---------------------------------------------------------------------------------------


def _opened(
    shown: Shown,
    result: RecipeResult,
    column: str,
    metrics: Sequence[RetrievalMetric],
    metric: RetrievalMetric,
    base: RecipeResult,
) -> None:
    with st.container(border=True, key=f"{PREFIX}.behind"):
        if column in COUNTS:
            _documents(shown, result)
            return
        chosen = next((m for m in metrics if m.id == column), metric)
        compared = base if column in COMPARED and result is not base else None
        _questions(shown, result, chosen, compared)


def _questions(shown: Shown, result: RecipeResult, metric: RetrievalMetric, base: RecipeResult | None) -> None:
    """The questions whose mean a figure is, worst first, and the text of the chosen one."""
    summary = result.metrics[metric.id]
    heading(f"{metric.title}, question by question: {label(result)}")
    figure = format.number(summary.mean, metric.unit)
    if summary.mean is None:
        words = f"There is no figure: {summary.reason}."
    elif base is None:
        words = f"{figure} is the mean of {format.plural(summary.n, 'question')}. The worst come first."
    else:
        words = f"Against “{label(base)}” on the same questions. Those on which this recipe is worse come first."
    cards.plain(f"{words} Choose one to read its text.")
    found = behind.questions(result, metric.id, base)
    texts = [q.text for q in shown.evaluation.questions]
    rows = []
    for asked in found:
        row: dict[str, Any] = {"Question": texts[asked.question], "value": asked.result.value}
        if base is not None:
            row["base"], row["difference"] = asked.baseline, asked.difference
        row["first"] = asked.first
        row["cut"] = "cut" if asked.cut else "whole in one chunk"
        rows.append(row)
    kind = st.column_config
    shape = "percent" if metric.unit == "share" else "localized"
    columns = {
        "Question": kind.TextColumn("Question", width="large", pinned=True),
        "value": kind.NumberColumn(title_of(metric), help=help_of(metric), format=shape),
        "base": kind.NumberColumn("Baseline", format=shape),
        "difference": kind.NumberColumn("Difference", format=shape, help="This recipe less the baseline."),
        "first": kind.NumberColumn(
            "First helpful passage",
            help="Rank of the first one that holds a part of the answer; empty: none came back.",
        ),
        "cut": kind.TextColumn("Answer", help="Whether one chunk holds all of it."),
    }
    key = f"{PREFIX}.behind.{label(result)}.{metric.id}.{'' if base is None else label(base)}"
    picked = selected(rows, columns, key)
    result_text.draw(shown, result, found[picked[0] if picked else 0].question, metric)


def _documents(shown: Shown, result: RecipeResult) -> None:
    """The documents whose chunks a count is of, and the chunks of the chosen one."""
    heading(f"Chunks, document by document: {label(result)}")
    try:
        chunkings = shown.chunkings(result)
    except ChunkvizError as error:
        cards.notice("warning", f"The cuts of this stored run cannot be made again: {error}")
        return
    cards.plain("What the figures about the cut are made of. Choose a document to read its chunks.")
    key = ("parts", id(result))
    if key not in shown.memo:
        shown.memo[key] = behind.parts(result, chunkings)
    found: list[behind.Part] = shown.memo[key]
    kind = st.column_config
    columns = {
        "Document": kind.TextColumn("Document", width="medium", pinned=True),
        **_counts(result),
        "smallest": kind.NumberColumn("Smallest", format="localized"),
        "largest": kind.NumberColumn("Largest", format="localized"),
    }
    rows = [
        {
            "Document": p.document,
            "chunks": p.chunks,
            "size": p.mean_tokens,
            "smallest": p.smallest,
            "largest": p.largest,
            "overhead": p.overhead,
            "stored": p.embedded,
        }
        for p in found
    ]
    picked = selected(rows, columns, f"{PREFIX}.behind.{label(result)}.documents")
    name = found[picked[0] if picked else 0].document
    chunks = chunkings[name].chunks
    more = f"; the first {MOST_CHUNKS:,} are listed" if len(chunks) > MOST_CHUNKS else ""
    cards.plain(f"{name}: {format.plural(len(chunks), 'chunk')}{more}. A double click shows all of a text.")
    st.dataframe(
        [
            {"Chunk": c.index + 1, "Size": c.tokens, "Text": c.text, "Ends because": c.reason}
            for c in chunks[:MOST_CHUNKS]
        ],
        hide_index=True,
        key=f"{PREFIX}.chunks",
        height=300,
        column_config={"Text": kind.TextColumn(width="large")},
    )
