"""From a declared parameter to a widget: the only such map.

Values are kept in a store of our own, because Streamlit forgets a widget that is not drawn in a run: whoever looks at
another strategy and comes back finds the sliders where they were.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import streamlit as st

from chunkviz.params import Choice, Flag, Float, Int, Param, Positions, Text, Texts

_STORE = "settings"


def store() -> dict[str, Any]:
    """Values of this session's controls, by key."""
    known: dict[str, Any] = st.session_state.setdefault(_STORE, {})
    return known


DRAWN: Final = "controls.drawn"


def drawn(key: str) -> None:
    """Remember that the control `key` is one of those whose values are kept in the store."""
    store().setdefault(DRAWN, {})[key] = None


def css_class(key: str) -> str:
    """The class by which Streamlit lets a stylesheet, or a component, find the control with this key."""
    return "st-key-" + re.sub(r"[^a-zA-Z0-9_-]", "-", key)


def carry_over() -> None:
    """Give every control the value it had on the screen before.

    To Streamlit a control on another screen is another one, which would begin at its lowest value: so it is told where
    they all stand, before any is drawn.
    """
    for key in store().get(DRAWN, ()):
        value = store()[key]
        if not isinstance(value, tuple):
            st.session_state[key] = value
        elif all(isinstance(v, str) for v in value):
            st.session_state[key] = _spelled(value)


def current(param: Param, key: str, siblings: Mapping[str, Any]) -> Any:
    """The value that `control` will return: what the reader just did, else what was there before, made legal.

    Known before anything is drawn, so a page can show what follows from it first.
    """
    rule = param.rule
    value = st.session_state[key] if key in st.session_state else store().get(key, param.default)
    if isinstance(rule, Int):
        low, high = rule.legal(siblings)
        return min(max(int(value), low), high)
    if isinstance(rule, Float):
        return min(max(float(value), rule.low), rule.high)
    if isinstance(rule, Texts):
        return value if isinstance(value, tuple) else _lines(value)
    if isinstance(rule, Flag):
        return bool(value)
    return value if rule.fault(value, siblings, "") is None else param.default


def control(param: Param, key: str, siblings: Mapping[str, Any], unit_word: str) -> Any:
    """Draw one parameter and return its value, which is legal beside its siblings.

    key : of the widget and of the store
    """
    rule = param.rule
    value = current(param, key, siblings)
    unit = param.unit(unit_word)
    label = f"{rule.label} ({unit})" if unit and unit != rule.label.lower() else rule.label
    if isinstance(rule, Int):
        value = _whole_number(rule, label, key, value, siblings)
    elif isinstance(rule, Float):
        _set(key, value)
        value = st.slider(label, float(rule.low), float(rule.high), step=rule.step, key=key, help=rule.help)
    elif isinstance(rule, Choice):
        _set(key, value)
        value = st.selectbox(label, list(rule.options), key=key, format_func=lambda o: rule.options[o], help=rule.help)
    elif isinstance(rule, Flag):
        _set(key, value)
        value = st.toggle(label, key=key, help=rule.help)
    elif isinstance(rule, Text):
        _set(key, value)
        options = list(dict.fromkeys([value, param.default, *rule.examples]))
        value = st.selectbox(label, options, key=key, help=rule.help, accept_new_options=True)
    elif isinstance(rule, Texts):
        value = _texts(rule, label, key, value)
    elif isinstance(rule, Positions):
        st.caption(f"{label}: {len(value):,}, set by hand in the text.", help=rule.help)
    else:  # a rule without a widget is a mistake in this map, not in the reader's settings
        raise TypeError(f"no widget for {type(rule).__name__}")
    store()[key] = value
    drawn(key)
    return value


def _set(key: str, value: Any) -> None:
    """Give a widget its value before it is drawn; Streamlit would reset one outside its range to the default."""
    if st.session_state.get(key) != value:
        st.session_state[key] = value


def _whole_number(rule: Int, label: str, key: str, current: int, siblings: Mapping[str, Any]) -> int:
    """A slider over the usual range, and beyond it where a link asks for more.

    One widget only: two that mirror each other lose steps, because the browser may send the older value of one together
    with the newer value of the other.
    """
    low, high = rule.legal(siblings)
    if high == low:
        st.caption(f"{label}: {low}, nothing else is possible beside {rule.below}={siblings.get(rule.below)}.")
        return low
    # Not `high`: it may follow a sibling, and with every step of that one this would be a new slider in the reader's hand.
    # Where it is moved further than its sibling allows, it goes back to the nearest legal value.
    soft = max(low + 1, current, min(rule.high, rule.soft_high or rule.high))
    # To Streamlit a slider of another range is another slider, which starts at its lowest value: say again where it is.
    # Only then, since a value set from here overrides what the reader is doing at this moment.
    drawn = f"{key}.range"
    if store().get(drawn) != (low, soft):
        store()[drawn] = (low, soft)
        st.session_state[key] = current
    _set(key, current)
    return int(st.slider(label, low, soft, step=rule.step, key=key, help=rule.help))


def _texts(rule: Texts, label: str, key: str, value: tuple[str, ...]) -> tuple[str, ...]:
    """One text a line, with \\n and \\t for what cannot be typed; an empty line is the empty text."""
    if _lines(st.session_state.get(key) or "") != value:
        _set(key, _spelled(value))
    return _lines(st.text_area(label, key=key, help=f"{rule.help} One a line; \\n is a line end.", height=100))


def _spelled(value: tuple[str, ...]) -> str:
    return "\n".join(t.replace("\r", "\\r").replace("\n", "\\n").replace("\t", "\\t") for t in value)


def _lines(given: str) -> tuple[str, ...]:
    if not given:
        return ()
    return tuple(line.replace("\\n", "\n").replace("\\t", "\t").replace("\\r", "\r") for line in given.split("\n"))
