"""From a declared parameter to a widget: the only such map.

Values are kept in a store of our own, because Streamlit forgets a widget that is not drawn in a run: whoever looks at
another strategy and comes back finds the sliders where they were.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from chunkviz.params import Choice, Flag, Float, Int, Param, Texts

_STORE = "settings"


def store() -> dict[str, Any]:
    """Values of this session's controls, by key."""
    known: dict[str, Any] = st.session_state.setdefault(_STORE, {})
    return known


def control(param: Param, key: str, siblings: Mapping[str, Any], unit_word: str) -> Any:
    """Draw one parameter and return its value, which is legal beside its siblings.

    key : of the widget and of the store
    """
    rule = param.rule
    value = store().get(key, param.default)
    unit = param.unit(unit_word)
    label = f"{rule.label} ({unit})" if unit else rule.label
    if isinstance(rule, Int):
        value = _whole_number(rule, label, key, value, siblings)
    elif isinstance(rule, Float):
        _set(key, min(max(float(value), rule.low), rule.high))
        value = st.slider(label, rule.low, rule.high, step=rule.step, key=key, help=rule.help)
    elif isinstance(rule, Choice):
        options = list(rule.options)
        _set(key, value if value in options else param.default)
        value = st.selectbox(label, options, key=key, format_func=lambda o: rule.options[o], help=rule.help)
    elif isinstance(rule, Flag):
        _set(key, bool(value))
        value = st.toggle(label, key=key, help=rule.help)
    elif isinstance(rule, Texts):
        value = _texts(rule, label, key, value)
    else:  # a rule without a widget is a mistake in this map, not in the reader's settings
        raise TypeError(f"no widget for {type(rule).__name__}")
    store()[key] = value
    return value


def _set(key: str, value: Any) -> None:
    """Give a widget its value before it is drawn; Streamlit would reset one outside its range to the default."""
    if st.session_state.get(key) != value:
        st.session_state[key] = value


def _whole_number(rule: Int, label: str, key: str, value: Any, siblings: Mapping[str, Any]) -> int:
    """A slider for the usual range, and a field beside it for any legal number."""
    low, high = rule.legal(siblings)
    current = min(max(int(value), low), high)
    if high == low:
        st.caption(f"{label}: {low}, nothing else is possible beside {rule.below}={siblings.get(rule.below)}.")
        return low
    slider, field = f"{key}.slider", f"{key}.field"
    soft = max(low + 1, min(high, rule.soft_high or high))

    def take(source: str) -> None:
        store()[key] = int(st.session_state[source])

    wide, narrow = st.columns([5, 2], vertical_alignment="bottom", gap="small")
    _set(slider, min(current, soft))
    _set(field, current)
    wide.slider(label, low, soft, step=rule.step, key=slider, help=rule.help, on_change=take, args=(slider,))
    narrow.number_input(
        label, low, high, step=rule.step, key=field, label_visibility="collapsed", on_change=take, args=(field,)
    )
    return current


def _texts(rule: Texts, label: str, key: str, value: Any) -> tuple[str, ...]:
    """One text a line, with \\n and \\t for what cannot be typed; an empty line is the empty text."""
    spelled = "\n".join(t.encode("unicode_escape").decode("ascii") if not t.isprintable() else t for t in value)
    _set(key, spelled)
    given = st.text_area(label, key=key, help=f"{rule.help} One a line; \\n is a line end.", height=100)
    if not given:
        return ()
    return tuple(line.replace("\\n", "\n").replace("\\t", "\t").replace("\\r", "\r") for line in given.split("\n"))
