"""Cuts that stand still beside the one that is tuned: kept for the session, and named for what they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import streamlit as st

from chunkviz import registry
from chunkviz.chunking import Chunking
from chunkviz.document import Document
from chunkviz.matching import mean_size, size_of_mean
from chunkviz.params import Choice, Param
from chunkviz.ui import cache, state
from chunkviz.units import unit

MOST: Final = 3
SAME: Final = "Pinned: the same as column 1"


def pins() -> list[state.Column]:
    """The pinned cuts, in the order of their columns."""
    kept: list[state.Column] = st.session_state.setdefault("tune.pins", [])
    return kept


def titles(made: Sequence[Chunking]) -> list[str]:
    """Heads of the columns: the first is tuned, the others are pinned."""
    live = made[0]
    heads = [_title(live)]
    return heads + [SAME if _same(live, pin) else f"Pinned: {_title(pin)}" for pin in made[1:]]


def subtitles(made: Sequence[Chunking]) -> list[str]:
    """What stands under each head: of a pin of the same strategy, in what its settings differ from the tuned ones."""
    live = made[0]
    found = [_settings(live)]
    for pin in made[1:]:
        differing = pin.recipe.strategy == live.recipe.strategy and not _same(live, pin)
        found.append(_difference(live, pin) if differing else _settings(pin))
    return found


def buttons(made: Chunking, column: state.Column, unit_id: str) -> None:
    """Put cuts beside the one that is tuned, and take them away.

    Before the page runs again, not where the button is drawn: a run that the next click breaks off would lose the first.
    """
    full = len(pins()) >= MOST or not made.chunks
    with st.container(horizontal=True):
        st.button(
            "Pin this cut beside it",
            icon=":material/keep:",
            disabled=full,
            on_click=_pin,
            args=(column,),
        )
        st.button(
            "Compare with “Recursive” at the same mean size",
            icon=":material/compare:",
            disabled=full,
            on_click=_pin_as_large,
            args=(made, unit_id),
        )
        for at in range(len(pins())):
            st.button(
                f"Remove pinned column {at + 2}",
                key=f"unpin.{at}",
                icon=":material/close:",
                on_click=_unpin,
                args=(at,),
            )


def _pin(column: state.Column) -> None:
    pins().append(column)


def _unpin(at: int) -> None:
    del pins()[at]


def _pin_as_large(made: Chunking, unit_id: str) -> None:
    """Pin `recursive` at the size whose chunks are on average as large as these."""
    document: Document = made.document
    size = size_of_mean(
        mean_size(made), lambda size: cache.chunking(document, "recursive", {"size": size, "overlap": 0}, unit_id)
    )
    _pin(state.Column("recursive", {"size": size, "overlap": 0}))


def _same(live: Chunking, pin: Chunking) -> bool:
    return live.recipe.strategy == pin.recipe.strategy and _active(live) == _active(pin)


def _title(made: Chunking) -> str:
    return registry.strategy(made.recipe.strategy).title


def _params(made: Chunking) -> list[Param]:
    values = made.recipe.params
    return [p for p in registry.strategy(made.recipe.strategy).params if p.active(values)]


def _active(made: Chunking) -> dict[str, Any]:
    return {p.name: made.recipe.params[p.name] for p in _params(made)}


def _settings(made: Chunking) -> str:
    """The settings that do something, in the words of their controls."""
    return " · ".join(_spoken(p, made, p.label) for p in _params(made) if made.recipe.params[p.name] not in ("", ()))


def _difference(live: Chunking, pin: Chunking) -> str:
    """For example "Sharper than 95 % of all turns (column 1: 90 % of all turns)"."""
    now = _active(live)
    parts = []
    # Figures first: they tell pins apart, also where the line is cut off.
    for param in sorted(_params(pin), key=lambda p: isinstance(p.rule, Choice)):
        if param.name not in now:
            parts.append(_spoken(param, pin, param.label))
        elif now[param.name] != pin.recipe.params[param.name]:
            parts.append(f"{_spoken(param, pin, param.label)} (column 1: {_spoken(param, live)})")
    return " · ".join(parts)


def _spoken(param: Param, made: Chunking, label: str = "") -> str:
    value = made.recipe.params[param.name]
    if isinstance(param.rule, Choice):
        text = param.rule.options[value]
    elif isinstance(value, float):
        text = f"{value:g}"
    elif isinstance(value, bool):
        text = "on" if value else "off"
    else:
        text = f"{value:,}" if isinstance(value, int) else str(value)
    named = f"{text} {param.unit(unit(made.unit).word)}".strip()
    return f"{label}: {named}" if label else named
