"""An evaluation that goes on while the page is used: in a thread, with a bar, a stop button, and a way to go on later.

Streamlit ends a running script with every click. The work is therefore not done in the script: the script only looks
how far it is, and every run of the page finds it where it is. Nobody looking for a while means that the page is closed,
and then it stops, too.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Final

import streamlit as st

from chunkviz import format
from chunkviz.document import Document
from chunkviz.embed import Embedder, using
from chunkviz.evaluate import Step, evaluate
from chunkviz.evaluation import Evaluation
from chunkviz.grid import joined, spelled
from chunkviz.metrics.case import Rules
from chunkviz.questions import QuestionSet
from chunkviz.retrieval import RetrievalOptions
from chunkviz.ui.progress import Bar

ALONE_SECONDS: Final = 45.0
LOOK_SECONDS: Final = 0.2
_WORDS: Final = {
    "cutting": "cutting the documents",
    "embedding": "turning texts into vectors (embedding)",
    "reranking": "reading passages again (reranking)",
    "done": "counting",
}

_threads = ThreadPoolExecutor(max_workers=2, thread_name_prefix="chunkviz-evaluate")


@dataclass(eq=False)
class Job:
    """One run of a grid.

    shares    : tokens to embed for each recipe, for the bar
    embedders : those of the session, whose thread this is not
    done      : what earlier parts of this run found, where it was stopped and goes on
    """

    key: str
    documents: Mapping[str, Document]
    asked: QuestionSet
    recipes: Sequence[Mapping[str, Any]]
    depths: Sequence[int | str]
    rules: Rules
    shared: Mapping[str, Any]
    shares: Sequence[int]
    done: Evaluation | None = None
    embedders: Mapping[str, Embedder] = field(default_factory=dict)
    _future: Future[Evaluation] | None = None
    _stop: threading.Event = field(default_factory=threading.Event)
    _seen: float = 0.0
    _began: float = 0.0
    _step: Step | None = None

    @property
    def finished(self) -> int:
        """Recipes that were done in earlier parts."""
        return len(self.done.results) // len(self.depths) if self.done else 0

    def start(self) -> None:
        self._seen = self._began = time.monotonic()
        self._future = _threads.submit(self._work)

    def resumed(self, key: str, done: Evaluation) -> Job:
        """The rest of this run, under another key."""
        return Job(
            key,
            self.documents,
            self.asked,
            self.recipes,
            self.depths,
            self.rules,
            self.shared,
            self.shares,
            done,
            self.embedders,
        )

    def _work(self) -> Evaluation:
        with using(self.embedders):
            rest = evaluate(
                self.documents,
                self.asked,
                self.recipes[self.finished :],
                self.depths,
                self.rules,
                retrieval=self.shared,
                progress=self._tell,
                stop=lambda: self._stop.is_set() or time.monotonic() - self._seen > ALONE_SECONDS,
            )
        return joined(self.done, rest) if self.done else rest

    def _tell(self, step: Step) -> None:
        self._step = step

    def end(self, *, early: bool = False) -> Evaluation:
        """What was found, or with `early` what was found until now. Waits; raises what the work raised."""
        if early:
            self._stop.set()
        assert self._future is not None  # `start` comes first
        return self._future.result()

    def watch(self, bar: Bar) -> None:
        """Wait for the end with the bar; a click anywhere ends the script here and leaves the work alone."""
        assert self._future is not None
        while not self._future.done():
            self._seen = time.monotonic()
            share, words = self._progress()
            bar.show(share, words)
            time.sleep(LOOK_SECONDS)

    def _progress(self) -> tuple[float, str]:
        """How far it is, by tokens embedded, and in words."""
        step = self._step
        if step is None:
            return 0.0, "waiting for its turn"
        at = self.finished + step.recipe
        # A recipe costs something even where all its vectors are stored.
        weights = [share + 200 for share in self.shares]
        inside = step.done / step.total if step.what in ("embedding", "reranking") and step.total else 0.0
        own = sum(weights[self.finished :])
        share = (sum(weights[self.finished : at]) + weights[at] * inside) / own if own else 1.0
        taken = time.monotonic() - self._began
        words = f"recipe {at + 1} of {len(self.recipes)}, {_WORDS.get(step.what, step.what)}"
        if step.total > 1:
            words += f", {step.done:,} of {step.total:,}"
        if share > 0.05 and taken > 3:
            words += f", {about(taken / share - taken)} left"
        return (self.finished + share * (len(self.recipes) - self.finished)) / len(self.recipes), words

    def current(self) -> str:
        """The recipe that comes next, in words."""
        given = self.recipes[min(self.finished, len(self.recipes) - 1)]
        return spelled(given, RetrievalOptions.of({**self.shared, **given.get("retrieval", {})}))


def was_stopped(key: str) -> bool:
    """Whether the reader pressed the stop button of this job."""
    return key in st.session_state.get("stopped", set())


def about(seconds: float) -> str:
    """A time to wait, as exact as it can be known.

    >>> about(0.3), about(42), about(200), about(9000)
    ('about a second', 'about 40 seconds', 'about 3 minutes', 'about 2.5 hours')
    """
    if seconds < 1.5:
        return "about a second"
    if seconds < 90:
        rounded = int(seconds) if seconds < 10 else round(seconds / 5) * 5 if seconds < 30 else round(seconds / 10) * 10
        return f"about {format.plural(rounded, 'second')}"
    if seconds < 5400:
        return f"about {format.plural(round(seconds / 60), 'minute')}"
    return f"about {seconds / 3600:.1f} hours"


def between(least: float, most: float) -> str:
    """A time to wait that lies between two.

    >>> between(100, 250), between(2, 2.2), between(20, 130), between(0.2, 0.9)
    ('about 2 to 4 minutes', 'about 2 seconds', 'about 20 seconds to 2 minutes', 'about a second')
    """
    low, high = about(least), about(most)
    if low == high:
        return low
    unit = high.rsplit(" ", 1)[1]
    short = low.removesuffix(f" {unit}") if unit != "second" else low
    return f"{short} to {high.removeprefix('about ')}"
