"""An evaluation on the page, and how its figures are named there."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any, Final

import streamlit as st

from chunkviz.chunking import Chunking
from chunkviz.document import Document
from chunkviz.evaluation import Evaluation, RecipeResult
from chunkviz.metrics.intervals import Interval
from chunkviz.metrics.retrieval import RetrievalMetric
from chunkviz.runs import Scope
from chunkviz.sweeps import Mean, mean
from chunkviz.ui import cache, palette

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


@dataclass(eq=False)
class Shown:
    """An evaluation on the page, with what its cells need to be opened. `memo` keeps what was worked out about it."""

    evaluation: Evaluation
    documents: Mapping[str, Document]
    scope: Scope
    made: float = field(default_factory=time.time)
    run_id: str | None = None
    memo: dict[Any, Any] = field(default_factory=dict)

    def mean(self, result: RecipeResult, metric: str) -> Mean | None:
        key = ("mean", id(result), metric)
        if key not in self.memo:
            self.memo[key] = mean(result, metric)
        found: Mean | None = self.memo[key]
        return found

    def against(self, result: RecipeResult, base: RecipeResult, metric: str) -> Interval | None:
        key = ("against", id(result), id(base), metric)
        if key not in self.memo:
            self.memo[key] = result.against(base, metric)
        found: Interval | None = self.memo[key]
        return found

    def chunkings(self, result: RecipeResult) -> Mapping[str, Chunking]:
        """What the recipe cut; of a stored run made again by its recipe. Raises what cutting raises."""
        if result.chunkings or result.recipe is None:
            return result.chunkings
        recipe = result.recipe
        return {
            name: cache.chunking(document, recipe.strategy, recipe.params, recipe.unit)
            for name, document in self.documents.items()
        }


def heading(text: str) -> None:
    """The head of a part of the results."""
    st.html(f'<h3 class="cv-sub">{escape(text)}</h3>')


def title_of(metric: RetrievalMetric) -> str:
    """A metric in plain words, the engineers' one in brackets."""
    return f"{metric.title} ({TERMS[metric.id]})" if metric.id in TERMS else metric.title


def help_of(metric: RetrievalMetric) -> str:
    """What a figure means, how it is worked out and where that comes from."""
    return f"{metric.help} How: {metric.formula}. Source: {metric.source}."


def difference(found: Interval | None, better: Any, unit: str) -> tuple[str, str]:
    """A paired difference with its interval, and the verdict, in words.

    better, unit : of the metric
    """
    if found is None:
        return "—", "too few questions"
    share = unit == "share"
    mean_, low, high = ((v * 100 if share else v) for v in (found.mean, found.low, found.high))
    return f"{mean_:+.1f} [{low:+.1f}, {high:+.1f}]".replace("-", "−"), found.verdict(better)


def colors() -> dict[str, str]:
    """Those of the charts, by the theme of the page."""
    return palette.chart_colors(st.context.theme.type)
