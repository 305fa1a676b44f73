"""Work that goes on while the page is used: in a thread, with a bar and a stop button.

Streamlit ends a running script with every click. The work is therefore not done in the script: the script only looks
how far it is, and every run of the page finds it where it is. Nobody looking for a while means that the page is closed,
and then it stops, too.
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import ClassVar, Final, Generic, TypeVar

import streamlit as st

from chunkviz.ui.progress import Bar

T = TypeVar("T")

ALONE_SECONDS: Final = 45.0
LOOK_SECONDS: Final = 0.2


@dataclass(eq=False)
class Background(ABC, Generic[T]):
    """A piece of work of one session, begun once.

    key     : names it, for its stop button
    threads : where it waits for its turn; each class has its own, so that one kind of work never waits for another
    """

    threads: ClassVar[ThreadPoolExecutor]

    key: str
    _future: Future[T] | None = field(default=None, init=False)
    _stop: threading.Event = field(default_factory=threading.Event, init=False)
    _seen: float = field(default=0.0, init=False)

    @abstractmethod
    def _work(self) -> T:
        """The work, in a thread. It ends soon after `_stop` is set or `_alone` has become true."""

    @abstractmethod
    def _progress(self) -> tuple[float, str]:
        """How far it is: a share in [0, 1], and words."""

    @property
    def _alone(self) -> bool:
        """Whether nobody has looked for so long that the page must be closed."""
        return time.monotonic() - self._seen > ALONE_SECONDS

    def start(self) -> None:
        self._seen = time.monotonic()
        self._future = self.threads.submit(self._work)

    def watch(self, bar: Bar) -> None:
        """Wait for the end with the bar; a click anywhere ends the script here and leaves the work alone."""
        assert self._future is not None  # `start` comes first
        while not self._future.done():
            self._seen = time.monotonic()
            bar.show(*self._progress())
            time.sleep(LOOK_SECONDS)

    def end(self, *, early: bool = False) -> T:
        """What was found, or with `early` what was found until now. Waits; raises what the work raised."""
        if early:
            self._stop.set()
        assert self._future is not None
        return self._future.result()


def was_stopped(key: str) -> bool:
    """Whether the reader pressed the stop button of this work."""
    return key in st.session_state.get("stopped", set())
