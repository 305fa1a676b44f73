"""An evaluation in the background, and a way to go on with it later."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final

from chunkviz import llm
from chunkviz.document import Document
from chunkviz.embed import Embedder, using
from chunkviz.evaluate import Step, evaluate
from chunkviz.evaluation import Evaluation
from chunkviz.grid import joined
from chunkviz.metrics.case import Rules
from chunkviz.questions import QuestionSet
from chunkviz.ui.background import Background
from chunkviz.wait_words import about

_WORDS: Final = {
    "cutting": "cutting the documents",
    "asking": "asking the language model",
    "embedding": "turning texts into vectors (embedding)",
    "reranking": "reading passages again (reranking)",
    "done": "counting",
}


@dataclass(eq=False)
class Job(Background[Evaluation]):
    """One run of a grid.

    shares    : tokens to embed for each recipe, for the bar
    embedders : those of the session, whose thread this is not
    endpoint  : of the session, for the strategies that ask a language model; None where it has none
    done      : what earlier parts of this run found, where it was stopped and goes on
    """

    threads: ClassVar[ThreadPoolExecutor] = ThreadPoolExecutor(max_workers=2, thread_name_prefix="chunkviz-evaluate")

    documents: Mapping[str, Document]
    asked: QuestionSet
    recipes: Sequence[Mapping[str, Any]]
    depths: Sequence[int | str]
    rules: Rules
    shared: Mapping[str, Any]
    shares: Sequence[int]
    done: Evaluation | None = None
    embedders: Mapping[str, Embedder] = field(default_factory=dict)
    endpoint: llm.Endpoint | None = None
    _began: float = field(default=0.0, init=False)
    _step: Step | None = field(default=None, init=False)

    @property
    def finished(self) -> int:
        """Recipes that were done in earlier parts."""
        return len(self.done.results) // len(self.depths) if self.done else 0

    def start(self) -> None:
        self._began = time.monotonic()
        super().start()

    def resumed(self, key: str, done: Evaluation) -> Job:
        """The rest of this run, under another key."""
        return replace(self, key=key, done=done)

    def _work(self) -> Evaluation:
        asked = llm.using(self.endpoint, stop=self._stop, progress=self._answered) if self.endpoint else nullcontext()
        with using(self.embedders), asked:
            rest = evaluate(
                self.documents,
                self.asked,
                self.recipes[self.finished :],
                self.depths,
                self.rules,
                retrieval=self.shared,
                progress=self._tell,
                stop=lambda: self._stop.is_set() or self._alone,
            )
        return joined(self.done, rest) if self.done else rest

    def _tell(self, step: Step) -> None:
        self._step = step

    def _answered(self, done: int, total: int) -> None:
        """The language model has answered once more; it is not asked on for a page that is closed."""
        if self._alone:
            self._stop.set()
        if self._step is not None:
            self._step = self._step._replace(what="asking", done=done, total=total)

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
