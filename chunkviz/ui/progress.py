"""Long work: a bar that tells how far it is, and a button that stops it.

Streamlit runs a page from top to bottom and starts it anew with every click. A click on "Stop" therefore ends the
running script at its next call; what was going on elsewhere has to be told, which is what this module is for.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from contextlib import contextmanager
from typing import Final, TypeVar

import streamlit as st

from chunkviz.errors import Stopped

T = TypeVar("T")

QUIET_SECONDS: Final = 0.4
"""Work that is over sooner shows nothing: a bar that flashes is worse than none."""
LOOK_SECONDS: Final = 0.1

_threads = ThreadPoolExecutor(max_workers=8, thread_name_prefix="chunkviz-work")


def _stopped() -> set[str]:
    keys: set[str] = st.session_state.setdefault("stopped", set())
    return keys


def stopped(key: str) -> bool:
    """Whether this work was stopped, and not started again since."""
    return key in _stopped()


def stops(prefix: str) -> list[str]:
    """Keys of all work that was stopped and whose key begins so, in order."""
    return sorted(key for key in _stopped() if key.startswith(prefix))


def start_again(key: str) -> None:
    """The button that starts stopped work again."""
    st.button("Start again", key=f"again.{key}", icon=":material/replay:", on_click=_stopped().discard, args=(key,))


def refuse_if_stopped(text: str, key: str, then: str = "") -> None:
    """Raise `Stopped` where this work was stopped before, and offer to start it again.

    then : what follows from that, in words
    """
    if stopped(key):
        start_again(key)
        raise Stopped(f"{text} was stopped. {then}".strip())


class Bar:
    """A progress bar with a stop button, drawn once the work has taken `QUIET_SECONDS`."""

    def __init__(self, text: str, key: str) -> None:
        self._text = text
        self._key = key
        self._began = time.monotonic()
        # Made when there is something to show: an element that comes and goes would make the browser build all after it
        # anew.
        self._place: st.delta_generator.DeltaGenerator | None = None
        self._bar: st.delta_generator.DeltaGenerator | None = None

    @property
    def visible(self) -> bool:
        """Whether the work has taken long enough to be shown."""
        return self._bar is not None

    def show(self, share: float, about: str = "") -> None:
        """Draw how far the work is: `share` in [0, 1], `about` in words. Here a click on "Stop" ends the script."""
        if self._bar is None:
            if time.monotonic() - self._began < QUIET_SECONDS:
                return
            self._place = st.empty()
            with self._place.container(horizontal=True, vertical_alignment="center"):
                self._bar = st.progress(0.0)
                st.button("Stop", key=f"stop.{self._key}", on_click=_stopped().add, args=(self._key,))
        self._bar.progress(min(max(share, 0.0), 1.0), f"{self._text} … {about}".strip())

    def clear(self) -> None:
        if self._place is not None:
            self._place.empty()


@contextmanager
def bar(text: str, key: str, then: str = "") -> Iterator[Bar]:
    """A bar for work that tells how far it is. Raises `Stopped` at once where it was stopped before.

    then : what follows from that, in words
    """
    refuse_if_stopped(text, key, then)
    shown = Bar(text, key)
    yield shown
    shown.clear()


def waited(job: Callable[[threading.Event], T], *, text: str, seconds: float, key: str) -> T:
    """The result of a job that cannot say how far it is; the bar shows the time it may take.

    job     : called in a thread; it must return or raise soon after its event is set
    seconds : the most it may take
    key     : names the work; once stopped it is not started again until the reader asks for it
    Raises what the job raises, and `Stopped` where it was stopped before.
    """
    with bar(text, key) as shown:
        stop = threading.Event()
        running = _threads.submit(job, stop)
        began = time.monotonic()
        try:
            while True:
                try:
                    return running.result(timeout=LOOK_SECONDS)
                except NotYet:
                    if running.done():  # a job may raise a TimeoutError of its own
                        return running.result()
                    taken = time.monotonic() - began
                    shown.show(taken / seconds, f"{taken:.0f} of at most {seconds:.0f} seconds")
        finally:
            stop.set()
