"""The demo before an audience: its keys, full screen, and what the presenter reads, here or in a window of its own."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from html import escape
from typing import Any, Final
from urllib.parse import urlencode

import streamlit as st

from chunkviz.lessons.story import STEPS, Step
from chunkviz.ui import cards
from chunkviz.ui.controls import store

COMPONENT: Final = "chunkviz.presenting"
KEY: Final = "demo.presenting"
OPEN: Final = "demo.said"

STYLE: Final = """<style>
.stSidebar .st-key-sidebar-settings,.stSidebar .cv-lead{display:none}
.st-key-demo-steering{padding-top:.7rem}
.st-key-demo-steering .cv-lead{margin:0;white-space:nowrap}
.cv-full{font:inherit;font-size:.875rem;color:inherit;
  background:transparent;border:1px solid var(--st-border-color,#888);cursor:pointer;
  border-radius:.5rem;padding:.3rem .75rem;min-height:2.5rem;white-space:nowrap}
.cv-full:hover,.cv-full:focus-visible{border-color:var(--st-primary-color);color:var(--st-primary-color)}
.cv-full:focus-visible{outline:2px solid var(--st-primary-color);outline-offset:2px}
.cv-keys{border-collapse:collapse}.cv-keys td{padding:.18rem .9rem .18rem 0;vertical-align:top}
.cv-keys td:first-child{white-space:nowrap}
kbd{font:inherit;font-size:.82em;border:1px solid color-mix(in srgb,currentColor 45%,transparent);border-radius:.25rem;
  padding:.02em .4em}
.cv-said{font-size:1.25rem;line-height:1.6;max-width:46rem;margin:.4rem 0}
:root[data-full] :is(.stSidebar,.stAppHeader,.st-key-demo-swap,.st-key-demo-notes){display:none!important}
:root[data-full] .stMainBlockContainer{padding-top:1rem!important;max-width:none!important}
:root[data-full] .cv-title{font-size:2.1rem!important}:root[data-full] .lv-mine{font-size:1.25rem!important}
:root[data-full] .lv-big{font-size:1.6rem!important}:root[data-full] .lv-claims p:not(.lv-big){font-size:1.15rem}
</style>"""
"""In full screen there is nothing but the story: neither the bars, nor the button that would show the notes to everybody."""

ALONE: Final = "<style>.stSidebar,.stAppHeader{display:none!important}</style>"
"""The window with the notes has nothing else in it."""

KEYS: Final = (
    ("← →", "One step back, one step on"),
    ("N", "Presenter notes: show them, put them away. In full screen they stay away until you press it there"),
    ("F", "Full screen, and back"),
    ("?", "This list"),
    ("Tab", "To the next button, and into the text"),
)
IN_TEXT: Final = (
    ("↑ ↓", "Chunk by chunk; N and P do the same"),
    ("← →", "From column to column (here they change no step; Esc, then Tab, leads out)"),
    ("D", "To the next place where the columns differ; with Shift, back"),
    ("M", "To the next marked place; with Shift, back"),
    ("O", "To the next chunk that is too long; with Shift, back"),
    ("Enter", "Why the chunk ends where it ends"),
    ("Esc", "Close it"),
)
"""Keys while the text has the focus."""


@cache
def _component() -> Any:
    # Only here: a component with files can be declared in a running app, not when this module is imported elsewhere.
    return st.components.v2.component(COMPONENT, js="presenting.js", isolate_styles=False)


def listening(number: int, role: str, go: Callable[[int], None]) -> None:
    """Full screen and keys, and the other window: whichever of them is turned, the other one follows.

    role : "stage" for what the room sees, "notes" for what the presenter reads
    go   : turns this window
    """

    def follow() -> None:
        step = (st.session_state.get(KEY) or {}).get("step")
        # It comes from a browser, so it may be anything.
        if isinstance(step, int) and not isinstance(step, bool) and 1 <= step <= len(STEPS):
            go(step)

    _component()(key=KEY, data={"step": number, "role": role}, on_step_change=follow, width="content", height="content")


def keys() -> None:
    """All keys, in a card that opens with "?"."""
    with st.popover("Keys ?", key="demo-keys"):
        for title, rows in (("Everywhere", KEYS), ("In the text, after a click or Tab into it", IN_TEXT)):
            cells = "".join(
                f"<tr><td>{' '.join(f'<kbd>{escape(k)}</kbd>' for k in key.split())}</td><td>{escape(what)}.</td></tr>"
                for key, what in rows
            )
            st.html(f'<p class="lv-h">{escape(title)}</p><table class="cv-keys" role="presentation">{cells}</table>')


def fold(step: Step, number: int, link: dict[str, str]) -> None:
    """What the presenter says at this step: closed until somebody asks, and again after every change of screen.

    link : the rest of the demo's link
    """
    if not store().get(OPEN):
        return
    with st.container(key="demo-said", border=True):
        cards.plain(step.notes, "lv-mine")
        address = f"demo?{urlencode({**link, 'step': str(number), 'notes': '1'})}"
        st.html(
            f'<a href="{escape(address)}" target="_blank" rel="noopener">Notes in a window of their own</a>, for a second '
            "screen: it goes along from step to step, and turns the steps here as well."
        )


def toggle() -> None:
    """Show the notes or put them away, before the page runs again."""
    store()[OPEN] = not store().get(OPEN)


def notes_alone(step: Step, number: int) -> None:
    """The window with the notes."""
    st.html(ALONE)
    st.html(f'<h1 class="cv-title">{escape(step.title)}</h1>')
    cards.plain(step.notes, "cv-said")
    if number < len(STEPS):
        cards.plain(f"Then: “{STEPS[number].title}”")
