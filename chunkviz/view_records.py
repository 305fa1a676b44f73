"""What a view may carry beside its chunkings: figures above a column, what can be dragged, where to scroll."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple


class Chip(NamedTuple):
    """One figure of the audit line.

    title, text : what it is called, and its value
    help        : what it means and how it is made
    bad         : whether it deserves a look
    finding     : title of the findings that are behind it, "" for none
    """

    title: str
    text: str
    help: str
    bad: bool
    finding: str = ""


@dataclass(frozen=True, slots=True)
class Audit:
    """What stands above a column: a headline ("23 chunks"), one line about sizes, and figures."""

    headline: str
    sizes: str
    sizes_help: str
    chips: tuple[Chip, ...] = ()


@dataclass(frozen=True, slots=True)
class Live:
    """A threshold that is dragged in the browser.

    low, high, step : of its parameter
    label, unit     : of its parameter, as the page shows them
    reference       : code points where topics begin in truth, as far as someone marked them; drawn on the curve
    limit           : tokens that the embedding model reads, in the unit of the recipe; None where nobody knows
    """

    low: float
    high: float
    step: float
    label: str
    unit: str
    reference: tuple[int, ...] = ()
    limit: float | None = None


class Following(NamedTuple):
    """A column that the browser cuts again while its sliders move.

    key      : `resizing.resizing_key` of what it needs for that
    controls : CSS class of each slider, by the name of its parameter
    values   : of those parameters in this view
    """

    key: str
    controls: Mapping[str, str]
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Focus:
    """Where the viewer is to scroll: a chunk of a column, or a span of the document shown in it.

    column     : 0-based
    chunk      : index of a chunk, or None for a span
    start, end : code points; used where `chunk` is None. An empty span is scrolled to and not marked
    nonce      : anything that differs from the last one asked for; the same nonce does not scroll again
    """

    column: int
    nonce: str
    chunk: int | None = None
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Highlight:
    """Chunks of one column that are to be marked, for example those behind a bar of the histogram."""

    column: int
    chunks: tuple[int, ...]
    nonce: str
    label: str = ""
