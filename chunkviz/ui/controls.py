"""From a declared parameter to a widget: the only such map.

Values are kept in a store of our own, because Streamlit forgets a widget that is not drawn in a run: whoever looks at
another strategy and comes back finds the sliders where they were.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from chunkviz.params import Choice, Flag, Float, Int, Param, Text, Texts

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
    # What the reader just did comes first; the store only knows what was there before.
    value = st.session_state[key] if key in st.session_state else store().get(key, param.default)
    unit = param.unit(unit_word)
    label = f"{rule.label} ({unit})" if unit and unit != rule.label.lower() else rule.label
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
    elif isinstance(rule, Text):
        value = _text(rule, label, key, value, param.default)
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
    """A slider over the usual range, and beyond it where a link asks for more.

    One widget only: two that mirror each other lose steps, because the browser may send the older value of one together
    with the newer value of the other.
    """
    low, high = rule.legal(siblings)
    current = min(max(int(value), low), high)
    if high == low:
        st.caption(f"{label}: {low}, nothing else is possible beside {rule.below}={siblings.get(rule.below)}.")
        return low
    soft = max(low + 1, current, min(high, rule.soft_high or high))
    # To Streamlit a slider of another range is another slider, which starts at its lowest value: say again where it is.
    # Only then, since a value set from here overrides what the reader is doing at this moment.
    drawn = f"{key}.range"
    if store().get(drawn) != (low, soft):
        store()[drawn] = (low, soft)
        st.session_state[key] = current
    _set(key, current)
    return int(st.slider(label, low, soft, step=rule.step, key=key, help=rule.help))


def _text(rule: Text, label: str, key: str, value: Any, default: str) -> str:
    """A choice among the suggestions, and anything else typed."""
    legal = rule.fault(value, {}, "") is None
    _set(key, value if legal else default)
    options = list(dict.fromkeys([st.session_state[key], *rule.examples]))
    given = st.selectbox(label, options, key=key, help=rule.help, accept_new_options=True)
    return given if rule.fault(given, {}, "") is None else default


def _texts(rule: Texts, label: str, key: str, value: Any) -> tuple[str, ...]:
    """One text a line, with \\n and \\t for what cannot be typed; an empty line is the empty text."""
    if isinstance(value, tuple):
        _set(key, "\n".join(t.replace("\r", "\\r").replace("\n", "\\n").replace("\t", "\\t") for t in value))
    given = st.text_area(label, key=key, help=f"{rule.help} One a line; \\n is a line end.", height=100)
    if not given:
        return ()
    return tuple(line.replace("\\n", "\n").replace("\\t", "\t").replace("\\r", "\r") for line in given.split("\n"))
