"""The settings of one column: read before anything is drawn, and the controls that show them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from chunkviz import registry
from chunkviz.chunking import Chunking
from chunkviz.resizing import followed, resizing_key
from chunkviz.ui import cards, state
from chunkviz.ui.controls import control, css_class, current, drawn, popover, store
from chunkviz.view_records import Following


def seed(prefix: str, column: state.Column) -> None:
    """Set a column's controls to what a link asks for, before they are drawn for the first time."""
    st.session_state[f"{prefix}.strategy"] = store()[f"{prefix}.strategy"] = column.strategy
    for name, value in column.params.items():
        store()[f"{prefix}.{column.strategy}.{name}"] = value


def settled(prefix: str, known: Sequence[str], default: state.Column) -> state.Column:
    """The settings of one column as its controls will show them, before they are drawn.

    known   : ids of the strategies to choose from
    default : where nobody has chosen yet
    """
    key = f"{prefix}.strategy"
    if st.session_state.get(key) not in known:
        if key not in store():
            seed(prefix, default)
        st.session_state[key] = store()[key] if store()[key] in known else default.strategy
    chosen: str = st.session_state[key]
    values: dict[str, Any] = {}
    for param in registry.strategy(chosen).params:
        if param.active(values):
            values[param.name] = current(param, f"{prefix}.{chosen}.{param.name}", values)
    return state.Column(chosen, values)


def following(prefix: str, made: Chunking) -> Following | None:
    """How the browser follows this column's sliders; None where it cannot."""
    key = resizing_key(made)
    values = followed(made)
    if not key or not values:
        return None
    names = {name: css_class(f"{prefix}.{made.recipe.strategy}.{name}") for name in values}
    return Following(key, names, values)


def choose(prefix: str, known: Sequence[str], label: str) -> str:
    """The choice of a strategy; `settled` comes before it."""
    chosen: str = st.selectbox(
        label,
        list(known),
        key=f"{prefix}.strategy",
        format_func=lambda i: registry.strategy(i).title,
        label_visibility="collapsed",
    )
    store()[f"{prefix}.strategy"] = chosen
    drawn(f"{prefix}.strategy")
    return chosen


def head(prefix: str, known: Sequence[str], label: str, unit_word: str, primary: int = 2) -> None:
    """The controls of one column: its strategy, its first parameters, and the rest behind a button."""
    chosen = choose(prefix, known, label)
    strategy = registry.strategy(chosen)
    values: dict[str, Any] = {}
    for param in [p for p in strategy.params if p.active(values)][:primary]:
        values[param.name] = control(param, f"{prefix}.{chosen}.{param.name}", values, unit_word)
    with popover(f"What “{strategy.title}” does", key=f"{prefix}.more", icon=":material/tune:", width="stretch"):
        cards.plain(f"{strategy.one_line}. {strategy.how}")
        for param in strategy.params:
            if param.name not in values and param.active(values):
                values[param.name] = control(param, f"{prefix}.{chosen}.{param.name}", values, unit_word)
        cards.plain(f"Good for: {strategy.good_for}")
        cards.plain(f"Watch out: {strategy.watch_out}")
        cards.plain(f"Source: {strategy.source}")
