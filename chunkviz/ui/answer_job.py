"""Asking a language model for answers while the page is used: in a thread, with a bar and a stop button.

As in `evaluation_job`: the script only looks how far it is, and nobody looking for a while means that the page is closed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Final

from chunkviz import llm
from chunkviz.answering import KINDS, Judged, Kind, judge_each, material
from chunkviz.errors import LLMError, Stopped
from chunkviz.evaluation import RecipeResult
from chunkviz.ui.evaluation_job import ALONE_SECONDS, LOOK_SECONDS
from chunkviz.ui.progress import Bar
from chunkviz.ui.shown import Shown

_WORDS: Final[dict[Kind, str]] = {
    "answer": "answers",
    "verdict": "comparing with the expected answers",
    "support": "looking for support in the passages",
}

_threads = ThreadPoolExecutor(max_workers=2, thread_name_prefix="chunkviz-answers")


@dataclass(eq=False)
class AnswerJob:
    """Answers for some recipes of an evaluation.

    shown : the evaluation that the results are of
    found : what is done; complete for its recipes
    """

    key: str
    shown: Shown
    results: Sequence[RecipeResult]
    endpoint: llm.Endpoint
    found: list[Judged] = field(default_factory=list)
    _future: Future[None] | None = None
    _stop: threading.Event = field(default_factory=threading.Event)
    _seen: float = 0.0
    _kind: Kind = "answer"
    _done: tuple[int, int] = (0, 1)

    def start(self) -> None:
        self._seen = time.monotonic()
        self._future = _threads.submit(self._work)

    def _work(self) -> None:
        for result in self.results:
            client = llm.Client(self.endpoint, stop=self._stop, progress=self._tell)
            judgements = judge_each(material(result, self.shown.documents), client, self._next)
            note = " ".join([client.usage.note(client.model, self.endpoint), *client.notes])
            self.found.append(Judged(result, judgements, note))

    def _next(self, kind: Kind) -> None:
        self._kind, self._done = kind, (0, 1)

    def _tell(self, done: int, total: int) -> None:
        self._done = done, total
        if time.monotonic() - self._seen > ALONE_SECONDS:
            self._stop.set()

    def watch(self, bar: Bar) -> None:
        """Wait for the end with the bar; a click anywhere ends the script here and leaves the work alone."""
        assert self._future is not None  # `start` comes first
        while not self._future.done():
            self._seen = time.monotonic()
            at, (done, total) = len(self.found), self._done
            inside = (KINDS.index(self._kind) + done / max(total, 1)) / len(KINDS)
            words = f"recipe {at + 1} of {len(self.results)}, {_WORDS[self._kind]}, {done:,} of {total:,}"
            bar.show((at + inside) / len(self.results), words)
            time.sleep(LOOK_SECONDS)

    def end(self, *, early: bool = False) -> str:
        """Wait for the end, with `early` not for what is not asked yet; what went wrong in words, "" for nothing."""
        if early:
            self._stop.set()
        assert self._future is not None
        try:
            self._future.result()
        except Stopped:
            left = len(self.results) - len(self.found)
            return f"Stopped with {left:,} of {len(self.results):,} recipes left. Answers that came are kept."
        except LLMError as error:
            return str(error)
        return ""
