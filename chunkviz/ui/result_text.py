"""The text behind one question of an evaluation: the answer with the cuts through it, and what came back."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

import streamlit as st

from chunkviz import behind, format
from chunkviz.errors import ChunkvizError
from chunkviz.evaluation import RecipeResult
from chunkviz.metrics.retrieval import RetrievalMetric
from chunkviz.ui import cards
from chunkviz.ui.shown import Shown

STYLE: Final = """<style>
.cv-text{white-space:pre-wrap;overflow-wrap:anywhere;max-height:22rem;overflow:auto;padding:.5rem .7rem;
  border:1px solid color-mix(in srgb,currentColor 18%,transparent);border-radius:.4rem;font-size:.93em;line-height:1.5}
.cv-text .plain{opacity:.72}
.cv-found,.cv-whole{background:color-mix(in srgb,#2e9e5b 30%,transparent);border-bottom:2px solid #2e9e5b}
.cv-missed,.cv-part{background:color-mix(in srgb,#d0414f 28%,transparent);border-bottom:2px dashed #d0414f}
.cv-cut{display:inline-block;padding:0 .35rem;margin:0 .15rem;border-radius:.3rem;font-size:.78em;font-weight:600;
  background:#c22f3e;color:#fff;white-space:nowrap}
.cv-head{margin:.6rem 0 .2rem;font-size:.92em;overflow-wrap:anywhere}.cv-head b{font-weight:650}
.cv-yes{color:color-mix(in srgb,#2e9e5b 78%,currentColor);font-weight:650}
</style>"""


def draw(shown: Shown, result: RecipeResult, number: int, metric: RetrievalMetric) -> None:
    """The text behind one question of one recipe."""
    cell = result.cells[number]
    try:
        answers = behind.answers(cell, shown.documents, shown.chunkings(result))
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
            f'<div class="cv-text" data-testid="gold" tabindex="0">{painted(answer.pieces)}</div>'
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
            f'<div class="cv-text" data-testid="retrieved" tabindex="0">{painted(passage.pieces)}</div>'
        )


def painted(pieces: Sequence[behind.Piece]) -> str:
    """Pieces as HTML, every word of a document escaped."""
    return "".join(
        f'<span class="cv-cut">✂ {escape(p.text)}</span>'
        if p.kind == "cut"
        else f'<span class="{"plain" if p.kind == "plain" else f"cv-{p.kind}"}">{escape(p.text)}</span>'
        for p in pieces
    )
