"""Colours of the charts, for both themes. Those of the chunks are in `component/viewer.css`."""

from __future__ import annotations

from typing import Final

_CHART: Final = {
    "light": {"bar": "#5a7fc0", "limit": "#b3261e", "text": "#1b1f2a", "background": "#ffffff"},
    "dark": {"bar": "#7fa4e6", "limit": "#ff8a80", "text": "#eceff6", "background": "#12151c"},
}


def chart_colors(theme: str | None) -> dict[str, str]:
    """Bars, limit line, text and background of a chart; `theme` is "light" or "dark", None before it is known."""
    return _CHART["dark" if theme == "dark" else "light"]
