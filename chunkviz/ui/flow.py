"""The rank flow: where each chunk stood after the first search, and where a reranker puts it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from chunkviz.holding import Holds, Move
from chunkviz.ui.palette import chart_colors

MOST: Final = 10
"""Ranks shown; what comes from further behind, or goes there, ends at a line of its own."""

_HOLDS: Final = {
    "light": {"whole": "#1b8a4f", "part": "#cf3341", "nothing": "#9aa3b2"},
    "dark": {"whole": "#4cc98a", "part": "#ff7b86", "nothing": "#6f7a8c"},
}
_WIDTH: Final[Mapping[Holds, float]] = {"nothing": 1.2, "part": 3, "whole": 4}
_DASH: Final[Mapping[Holds, str]] = {"nothing": "solid", "part": "dot", "whole": "solid"}
_SAID: Final[Mapping[Holds, str]] = {
    "nothing": "nothing of the answer",
    "part": "a part of the answer",
    "whole": "the whole answer",
}


def figure(
    columns: Sequence[Sequence[Move]],
    titles: Sequence[str],
    names: Sequence[Mapping[int, str]],
    first: str,
    theme: str | None,
) -> go.Figure:
    """One slope chart for each column, ranks downwards.

    names : of each column's passages
    first : what the search before the reranker is called
    """
    colors, lines = chart_colors(theme), _HOLDS["dark" if theme == "dark" else "light"]
    made = make_subplots(rows=1, cols=len(columns), shared_yaxes=True, subplot_titles=list(titles))
    for at, moves in enumerate(columns):
        for move in sorted(moves, key=lambda m: _WIDTH[m.holds]):  # the answer on top of the others
            name = names[at][move.passage]
            made.add_scatter(
                x=[0, 1],
                y=[min(move.before, MOST + 1), min(move.after, MOST + 1)],
                mode="lines+markers",
                line={"color": lines[move.holds], "width": _WIDTH[move.holds], "dash": _DASH[move.holds]},
                marker={"size": 7},
                hovertemplate=f"{name}: rank {move.before:,} → {move.after:,}<br>holds {_SAID[move.holds]}<extra></extra>",
                showlegend=False,
                row=1,
                col=at + 1,
            )
    made.update_xaxes(
        tickvals=[0, 1], ticktext=[first, "reranked"], range=[-0.12, 1.12], fixedrange=True, showgrid=False
    )
    made.update_yaxes(
        range=[MOST + 1.5, 0.5],
        tickvals=list(range(1, MOST + 2)),
        ticktext=[*map(str, range(1, MOST + 1)), "later"],
        fixedrange=True,
        zeroline=False,
    )
    made.update_yaxes(title_text="rank", col=1)
    made.update_layout(
        height=330,
        margin={"l": 60, "r": 10, "t": 30, "b": 30},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"color": colors["text"]},
        hovermode="closest",
    )
    return made
