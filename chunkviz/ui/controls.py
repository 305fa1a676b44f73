"""From a declared parameter to a widget: the only such map.

Values are kept in a store of our own, because Streamlit forgets a widget that is not drawn in a run: whoever looks at
another strategy and comes back finds the sliders where they were.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from html import escape
from typing import Any, Final, Literal

import streamlit as st

from chunkviz.params import Choice, Flag, Float, Int, Param, Positions, Text, Texts

_STORE = "settings"
_UNSEEN: ContextVar[bool] = ContextVar("inside a closed popover", default=False)

FITTING: Final = 12
"""Letters that every select box has room for."""
_STEP, _LONGEST = 4, 120
STYLE: Final = (
    "<style>"
    '.stApp [data-testid="stSelectbox"] input{text-overflow:ellipsis}'
    ".cv-fits{container-type:inline-size}"
    ".cv-fits p{display:none;margin:.15rem 0 0;font-size:.85rem;line-height:1.3;overflow-wrap:anywhere}"
    # A letter is about 0.37 rem wide, and the arrow and the edges take 3.2 rem.
    + "".join(
        f"@container (max-width:{0.37 * letters + 3.2:.2f}rem){{.cv-fits .cv-fits-{letters}{{display:block}}}}"
        for letters in range(_STEP, _LONGEST + 1, _STEP)
    )
    + "</style>"
)
"""For the controls of every screen."""


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


def control(
    param: Param, key: str, siblings: Mapping[str, Any], unit_word: str, marks: Mapping[str, str] | None = None
) -> Any:
    """Draw one parameter and return its value, which is legal beside its siblings.

    key   : of the widget and of the store
    marks : what has to be known of single options before they are chosen, in words that are put behind their names
    """
    rule = param.rule
    value = current(param, key, siblings)
    unit = param.unit(unit_word)
    label = f"{rule.label} ({unit})" if unit and unit != rule.label.lower() else rule.label
    if isinstance(rule, Int):
        value = _whole_number(rule, label, key, value, siblings)
    elif isinstance(rule, Float):
        settle(key, value)
        value = st.slider(label, float(rule.low), float(rule.high), step=rule.step, key=key, help=rule.help)
    elif isinstance(rule, Choice):
        settle(key, value)
        words = {o: f"{said} ({marks[o]})" if marks and o in marks else said for o, said in rule.options.items()}
        if max(map(len, words.values())) <= FITTING:
            value = st.selectbox(label, list(words), key=key, format_func=words.__getitem__, help=rule.help)
        else:
            with st.container(gap=None):
                value = st.selectbox(label, list(words), key=key, format_func=words.__getitem__, help=rule.help)
                _whole(words[value])
    elif isinstance(rule, Flag):
        settle(key, value)
        value = st.toggle(label, key=key, help=rule.help)
    elif isinstance(rule, Text):
        settle(key, value)
        options = list(dict.fromkeys([value, param.default, *rule.examples]))
        with st.container(gap=None):
            value = st.selectbox(label, options, key=key, help=rule.help, accept_new_options=True)
            _whole(value)
    elif isinstance(rule, Texts):
        value = _texts(rule, label, key, value)
    elif isinstance(rule, Positions):
        st.caption(f"{label}: {len(value):,}, set by hand in the text.", help=rule.help)
    else:  # a rule without a widget is a mistake in this map, not in the reader's settings
        raise TypeError(f"no widget for {type(rule).__name__}")
    store()[key] = value
    drawn(key)
    return value


def _whole(text: str) -> None:
    """What a select box shows, once more below it where the box is too narrow for it: a box has one line.

    How wide a box is only the browser knows; a style of `STYLE` for texts of about this length decides there.
    """
    fits = min(len(text) + -len(text) % _STEP, _LONGEST)
    st.html(f'<div class="cv-fits" aria-hidden="true"><p class="cv-fits-{fits}">{escape(text)}</p></div>')


def settle(key: str, value: Any) -> None:
    """Give a widget its value before it is drawn; Streamlit would reset one outside its range to the default."""
    if _UNSEEN.get() or st.session_state.get(key) != value:
        st.session_state[key] = value


@contextmanager
def popover(label: str, *, key: str, icon: str, width: Literal["stretch", "content"] = "content") -> Iterator[None]:
    """A button that opens a box with controls, which show what they are set to whenever it is opened.

    The browser makes what is inside only then, from what was sent with the last run. A value that was sent with an earlier
    one is gone by that time: the control would show its lowest value, and send that back. So as long as the box is closed,
    every run sends all values.
    """
    box = st.popover(label, key=key, icon=icon, width=width, on_change="rerun")
    outside = _UNSEEN.set(not box.open)
    try:
        with box:
            yield
    finally:
        _UNSEEN.reset(outside)


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
    settle(key, current)
    return int(st.slider(label, low, soft, step=rule.step, key=key, help=rule.help))


def _texts(rule: Texts, label: str, key: str, value: tuple[str, ...]) -> tuple[str, ...]:
    """One text a line, with \\n and \\t for what cannot be typed; an empty line is the empty text."""
    if _lines(st.session_state.get(key) or "") != value:
        settle(key, _spelled(value))
    return _lines(st.text_area(label, key=key, help=f"{rule.help} One a line; \\n is a line end.", height=100))


def _spelled(value: tuple[str, ...]) -> str:
    return "\n".join(t.replace("\r", "\\r").replace("\n", "\\n").replace("\t", "\\t") for t in value)


def _lines(given: str) -> tuple[str, ...]:
    if not given:
        return ()
    return tuple(line.replace("\\n", "\n").replace("\\t", "\t").replace("\\r", "\r") for line in given.split("\n"))
