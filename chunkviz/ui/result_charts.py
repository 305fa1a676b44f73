"""Plotly figures of an evaluation. They draw what `sweeps` worked out, and compute nothing.

No drag or click mode is set anywhere: Streamlit reports clicks only where it chooses the mode itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from chunkviz import format
from chunkviz.evaluation import RecipeResult
from chunkviz.grid import label
from chunkviz.metrics.retrieval import RetrievalMetric
from chunkviz.sweeps import Line, Mean, Reranked

# Okabe and Ito's colours, told apart by colour-blind eyes; the dashes and the marks say it once more.
_SERIES: Final = {
    "light": ("#0072b2", "#b85c00", "#007a5c", "#a84b85", "#5c5c5c", "#7a6a00"),
    "dark": ("#56b4e9", "#f0a030", "#2fc79b", "#e08fc0", "#b0b7c5", "#e5d94a"),
}
_DASHES: Final = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
_MARKS: Final = ("circle", "square", "diamond", "triangle-up", "x", "star")
_SCALE: Final = {
    "light": [[0.0, "#b3402e"], [0.5, "#f1e3c8"], [1.0, "#1f6f8b"]],
    "dark": [[0.0, "#e07a5f"], [0.5, "#3d4250"], [1.0, "#4fb3d3"]],
}


def _theme(colors: dict[str, str]) -> Literal["light", "dark"]:
    return "light" if colors["background"] == "#ffffff" else "dark"


def _laid_out(figure: go.Figure, colors: dict[str, str], height: int, **more: Any) -> go.Figure:
    figure.update_layout(
        height=height,
        margin={"l": 60, "r": 15, "t": 30, "b": 45},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"color": colors["text"]},
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.02, "x": 0, "font": {"size": 11}},
        hoverlabel={"namelength": -1},
        **more,
    )
    figure.update_xaxes(fixedrange=True, gridcolor="rgba(128,128,128,0.15)", zeroline=False)
    figure.update_yaxes(fixedrange=True, gridcolor="rgba(128,128,128,0.2)", zeroline=False)
    return figure


def _axis(metric: RetrievalMetric) -> dict[str, Any]:
    return {"title_text": metric.title, "tickformat": ".0%" if metric.unit == "share" else ",.0f"}


def _style(at: int, series: Sequence[str]) -> tuple[str, str, str]:
    """Colour, dash and mark of a line; no two of the first 36 share all three."""
    turn = at // len(series)
    return series[at % len(series)], _DASHES[(at + turn) % len(_DASHES)], _MARKS[(at + 2 * turn) % len(_MARKS)]


def _faded(color: str, opacity: float) -> str:
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity})"


def said(value: Mean, metric: RetrievalMetric) -> str:
    """A mean with its interval for the eye."""
    middle, low, high = (format.number(v, metric.unit) for v in (value.value, value.low, value.high))
    return f"{middle} (95 % interval {low} to {high})"


def sweep(
    lines: Sequence[Line],
    results: Sequence[RecipeResult],
    metric: RetrievalMetric,
    axis: Literal["size", "overlap"],
    word: str,
    colors: dict[str, str],
) -> go.Figure:
    """A metric along one axis with its 95 % bands; along the overlap, what is stored twice below it."""
    below = axis == "overlap"
    figure = make_subplots(
        rows=2 if below else 1,
        cols=1,
        shared_xaxes=True,
        row_heights=[0.68, 0.32] if below else [1.0],
        vertical_spacing=0.08,
    )
    series = _SERIES[_theme(colors)]
    for at, line in enumerate(lines):
        color, dash, mark = _style(at, series)
        xs = [p.x for p in line.points]
        figure.add_scatter(
            x=[*xs, *xs[::-1]],
            y=[*(p.mean.high for p in line.points), *(p.mean.low for p in line.points[::-1])],
            mode="lines",
            fill="toself",
            fillcolor=_faded(color, 0.12 if len(lines) < 4 else 0.06),
            line={"width": 0},
            hoverinfo="skip",
            showlegend=False,
            legendgroup=line.label,
            row=1,
            col=1,
        )
        figure.add_scatter(
            x=xs,
            y=[p.mean.value for p in line.points],
            mode="lines+markers",
            name=line.label,
            legendgroup=line.label,
            line={"color": color, "dash": dash, "width": 2},
            marker={"symbol": mark, "size": 8, "color": color},
            text=[said(p.mean, metric) for p in line.points],
            hovertemplate="%{x} " + word + ": %{text}",
            row=1,
            col=1,
        )
        if below:
            figure.add_scatter(
                x=xs,
                y=[results[p.result].overhead for p in line.points],
                mode="lines+markers",
                name=line.label,
                legendgroup=line.label,
                showlegend=False,
                line={"color": color, "dash": dash, "width": 2},
                marker={"symbol": mark, "size": 6, "color": color},
                hovertemplate="%{x} " + word + ": %{y:.1%} of the text is stored once more",
                row=2,
                col=1,
            )
    figure.update_yaxes(**_axis(metric), row=1, col=1)
    if below:
        figure.update_yaxes(title_text="stored twice", tickformat=".0%", rangemode="tozero", row=2, col=1)
    ticks = sorted({p.x for line in lines for p in line.points})
    figure.update_xaxes(tickvals=ticks)
    figure.update_xaxes(title_text=f"{axis} ({word})", row=2 if below else 1, col=1)
    # The legend has a line for each recipe, all of them in sight, and the chart itself keeps its height.
    legend = 22 * len(lines)
    made = _laid_out(figure, colors, 330 + legend + (90 if below else 0))
    made.update_layout(
        legend={"orientation": "v", "tracegroupgap": 0, "maxheight": legend + 20}, margin={"t": legend + 10}
    )
    return made


def cost(
    results: Sequence[RecipeResult],
    means: Sequence[Mean | None],
    metric: RetrievalMetric,
    read: Sequence[float | None],
    advised: int | None,
    colors: dict[str, str],
) -> go.Figure:
    """Quality against what a question costs to read; the recommended recipe is ringed. `read` in cl100k tokens."""
    figure = go.Figure()
    series = _SERIES[_theme(colors)]
    names = [label(r, ["size", "overlap"]) for r in results]
    for at, name in enumerate(dict.fromkeys(names)):
        points = [
            (i, m, tokens)
            for i, (own, m, tokens) in enumerate(zip(names, means, read, strict=True))
            if own == name and m is not None and tokens is not None
        ]
        figure.add_scatter(
            x=[tokens for _, _, tokens in points],
            y=[m.value for _, m, _ in points],
            mode="markers",
            name=name,
            marker={"symbol": _style(at, series)[2], "size": 10, "color": _style(at, series)[0]},
            error_y={
                "type": "data",
                "array": [m.high - m.value for _, m, _ in points],
                "arrayminus": [m.value - m.low for _, m, _ in points],
                "thickness": 1,
                "width": 3,
            },
            text=[f"{label(results[i])}<br>{said(m, metric)}" for i, m, _ in points],
            hovertemplate="%{text}<br>%{x:,.0f} tokens read for a question<extra></extra>",
        )
    if advised is not None and means[advised] is not None and read[advised] is not None:
        ringed = means[advised]
        figure.add_scatter(
            x=[read[advised]],
            y=[ringed.value if ringed else None],
            mode="markers",
            name="recommended",
            marker={"symbol": "circle-open", "size": 20, "color": colors["text"], "line": {"width": 2}},
            hoverinfo="skip",
        )
    figure.update_xaxes(title_text="tokens read for each question", rangemode="tozero")
    figure.update_yaxes(**_axis(metric))
    return _laid_out(figure, colors, 360)


def reranking(
    pairs: Sequence[Reranked], means: Sequence[Mean | None], metric: RetrievalMetric, colors: dict[str, str]
) -> go.Figure:
    """Before and after reranking, a line for each recipe."""
    series = _SERIES[_theme(colors)]
    figure = go.Figure()
    names = [f"{pair.label} " for pair in pairs]  # Plotly would take a bare number for one
    for side, at, word in (("before", 4, "as found"), ("after", 0, "reranked")):
        shown = [means[getattr(pair, side)] for pair in pairs]
        figure.add_scatter(
            x=[m.value if m else None for m in shown],
            y=names,
            mode="markers",
            name=word,
            marker={"size": 12, "color": series[at], "symbol": "circle-open" if side == "before" else "circle"},
            text=[said(m, metric) if m else "" for m in shown],
            hovertemplate="%{y}" + word + ": %{text}<extra></extra>",
        )
    for pair, name in zip(pairs, names, strict=True):
        a, b = means[pair.before], means[pair.after]
        if a and b:
            figure.add_shape(
                type="line",
                x0=a.value,
                x1=b.value,
                y0=name,
                y1=name,
                line={"color": series[4], "width": 2},
                layer="below",
            )
    figure.update_xaxes(**_axis(metric))
    figure.update_yaxes(automargin=True)
    return _laid_out(figure, colors, 120 + 34 * len(pairs))


def heat(
    results: Sequence[RecipeResult],
    order: Sequence[int],
    metric: RetrievalMetric,
    questions: Sequence[str],
    chosen: tuple[int, int] | None,
    colors: dict[str, str],
) -> go.Figure:
    """A square for each question and recipe. `customdata` is (number of the result, number of the question).

    order  : the questions from left to right
    chosen : the square whose text is shown below
    """
    values = [r.values(metric.id) for r in results]
    names = [f"{label(r)} " for r in results]
    cells = [(i, q) for i in range(len(results)) for q in order]
    shown = [format.number(values[i][q], metric.unit) for i, q in cells]
    figure = go.Figure(
        go.Heatmap(
            x=list(range(len(order))),
            y=names,
            z=[[values[i][q] for q in order] for i in range(len(results))],
            zmin=metric.low if metric.unit == "share" else None,
            zmax=metric.high if metric.unit == "share" else None,
            colorscale=_SCALE[_theme(colors)],
            reversescale=metric.better == "lower",
            xgap=1,
            ygap=1,
            hoverinfo="skip",
            colorbar={"thickness": 10, "tickformat": ".0%" if metric.unit == "share" else ",.0f"},
        )
    )
    # A heat map reports no clicks; marks over it do.
    figure.add_scatter(
        x=[at for _ in results for at in range(len(order))],
        y=[names[i] for i, _ in cells],
        mode="markers",
        marker={"size": 16, "symbol": "square", "color": "rgba(0,0,0,0)"},
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 1}},
        customdata=[list(cell) for cell in cells],
        text=[f"{escaped(questions[q])}<br>{label(results[i])}: {v}" for (i, q), v in zip(cells, shown, strict=True)],
        hovertemplate="%{text}<extra></extra>",
        showlegend=False,
    )
    if chosen is not None:
        at = order.index(chosen[1])
        figure.add_shape(
            type="rect",
            x0=at - 0.5,
            x1=at + 0.5,
            y0=chosen[0] - 0.5,
            y1=chosen[0] + 0.5,
            line={"color": colors["text"], "width": 2},
        )
    figure.update_xaxes(
        title_text="questions, the hardest first", showticklabels=False, showgrid=False, range=[-0.5, len(order) - 0.5]
    )
    figure.update_yaxes(automargin=True, range=[len(results) - 0.5, -0.5], showgrid=False)
    return _laid_out(figure, colors, 110 + 26 * len(results))


def escaped(text: str) -> str:
    """A reader's text for a hover label: Plotly takes tags in it for its own, and a label has room for a line or two."""
    short = text if len(text) <= 120 else f"{text[:119]}…"
    return short.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
