"""Plotly figures."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.subplots import make_subplots

from chunkviz.chunking import Chunking
from chunkviz.metrics.sizes import tokens
from chunkviz.similarity import similarities
from chunkviz.units import EMBEDDING_LIMIT, EMBEDDING_MODEL, unit

MOST_BARS = 40
FAR = 4
"""So many times the largest chunk may the axis be long, for the model's limit to be on it."""
THIN = 150
"""Bars narrower than this part of the axis have no outline, which would leave nothing of them."""


def bins(sizes: Sequence[NDArray[np.int64]]) -> NDArray[np.float64]:
    """Edges of the bars, the same for all columns: at most `MOST_BARS` of them, of a round width."""
    top = max((int(s.max()) for s in sizes if len(s)), default=1)
    width = next(w for w in _widths() if top / w <= MOST_BARS)
    return np.arange(0, top + width + 1, width, dtype=np.float64)


def _widths() -> Sequence[int]:
    return [m * 10**e for e in range(9) for m in (1, 2, 5)]


def model_limit(chunking: Chunking) -> float | None:
    """The embedding model's limit in the unit of the chunking: exact in its own unit, else scaled by this document."""
    if chunking.unit == EMBEDDING_MODEL:
        return float(EMBEDDING_LIMIT)
    own = len(unit(EMBEDDING_MODEL).measure(chunking.document).borders) - 1
    here = len(unit(chunking.unit).measure(chunking.document).borders) - 1
    return EMBEDDING_LIMIT * here / own if own else None


def histogram(chunkings: Sequence[Chunking], titles: Sequence[str], colors: dict[str, str]) -> go.Figure:
    """Sizes of the chunks, one row for each column, on one axis, with the embedding model's limit drawn in.

    Each bar carries its column and its range of sizes in `customdata`; `chunks_between` says which chunks those are.
    """
    sizes = [tokens(c) for c in chunkings]
    edges = bins(sizes)
    word = unit(chunkings[0].unit).word
    figure = make_subplots(rows=1, cols=len(chunkings), shared_yaxes=True, subplot_titles=list(titles))
    limit = model_limit(chunkings[0])
    # A limit far beyond all chunks is only named: an axis that reaches it would leave the bars no width.
    seen = limit is not None and limit <= FAR * float(edges[-1])
    right = max(float(edges[-1]), (limit or 0) * 1.05 if seen else 0)
    outline = 1 if edges[1] - edges[0] > right / THIN else 0
    for at, values in enumerate(sizes):
        counts, _ = np.histogram(values, edges)
        figure.add_bar(
            x=(edges[:-1] + edges[1:]) / 2,
            y=counts,
            width=edges[1] - edges[0],
            customdata=[[at, lo, hi] for lo, hi in pairwise(edges.tolist())],
            hovertemplate="%{y} chunks of %{customdata[1]:.0f} to %{customdata[2]:.0f} " + word + "<extra></extra>",
            marker={"color": colors["bar"], "line": {"width": outline, "color": colors["background"]}},
            showlegend=False,
            row=1,
            col=at + 1,
        )
        if seen:
            figure.add_vline(x=limit, line={"color": colors["limit"], "width": 2, "dash": "dash"}, row=1, col=at + 1)
    if limit is not None:
        # Below the charts, where no bar and no neighbour is in its way.
        beyond = "" if seen else ", beyond the right edge"
        figure.add_scatter(
            x=[None],
            y=[None],
            mode="lines",
            line={"color": colors["limit"], "width": 2, "dash": "dash"},
            name=f"{EMBEDDING_MODEL} reads no further ({limit:,.0f} {word}{beyond})",
            row=1,
            col=1,
        )
    # No drag mode here: Streamlit reports clicks on bars only where it chooses the mode itself.
    figure.update_xaxes(title_text=f"chunk size ({word})", range=[0, right], fixedrange=True)
    figure.update_yaxes(fixedrange=True)
    figure.update_yaxes(title_text="chunks", col=1)
    figure.update_layout(
        height=270,
        margin={"l": 50, "r": 10, "t": 30, "b": 45},
        legend={"orientation": "h", "x": 0, "xanchor": "left", "y": -0.32, "yanchor": "top", "font": {"size": 12}},
        legend_itemclick=False,
        legend_itemdoubleclick=False,
        bargap=0,
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"color": colors["text"]},
    )
    return figure


def growing(vectors: NDArray[np.float32], total: int) -> go.Figure:
    """The similarity curve as far as its sentences are embedded."""
    values, _ = similarities(vectors, np.ones(len(vectors), dtype=np.bool_))
    step = max(1, len(values) // 2000)
    figure = go.Figure(go.Scatter(x=np.arange(0, len(values), step), y=values[::step], mode="lines", line={"width": 1}))
    figure.update_xaxes(title_text="sentence", range=[0, total], fixedrange=True)
    figure.update_yaxes(title_text="similarity", range=[-0.2, 1], fixedrange=True)
    figure.update_layout(height=220, margin={"l": 50, "r": 10, "t": 10, "b": 45}, paper_bgcolor="rgba(0,0,0,0)")
    return figure


def chunks_between(chunking: Chunking, low: float, high: float) -> tuple[int, ...]:
    """Numbers of the chunks whose size is in `[low, high)`: those of one bar."""
    sizes = tokens(chunking)
    return tuple(np.flatnonzero((sizes >= low) & (sizes < high)).tolist())
