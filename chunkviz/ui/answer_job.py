"""Asking a language model for answers to the questions of an evaluation, in the background."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import ClassVar, Final

from chunkviz import llm
from chunkviz.answering import KINDS, Judged, Kind, judge_each, material
from chunkviz.errors import LLMError, Stopped
from chunkviz.evaluation import RecipeResult
from chunkviz.ui.background import Background
from chunkviz.ui.shown import Shown

_WORDS: Final[dict[Kind, str]] = {
    "answer": "answers",
    "verdict": "comparing with the expected answers",
    "support": "looking for support in the passages",
}


@dataclass(eq=False)
class AnswerJob(Background[str]):
    """Answers for some recipes of an evaluation; its end says in words what went wrong, "" for nothing.

    shown : the evaluation that the results are of
    found : what is done; complete for its recipes
    """

    threads: ClassVar[ThreadPoolExecutor] = ThreadPoolExecutor(max_workers=2, thread_name_prefix="chunkviz-answers")

    shown: Shown
    results: Sequence[RecipeResult]
    endpoint: llm.Endpoint
    found: list[Judged] = field(default_factory=list)
    _kind: Kind = field(default="answer", init=False)
    _done: tuple[int, int] = field(default=(0, 1), init=False)

    def _work(self) -> str:
        try:
            for result in self.results:
                client = llm.Client(self.endpoint, stop=self._stop, progress=self._tell)
                judgements = judge_each(material(result, self.shown.documents), client, self._next)
                note = " ".join([client.usage.note(client.model, self.endpoint), *client.notes])
                self.found.append(Judged(result, judgements, note))
        except Stopped:
            left = len(self.results) - len(self.found)
            return f"Stopped with {left:,} of {len(self.results):,} recipes left. Answers that came are kept."
        except LLMError as error:
            return str(error)
        return ""

    def _next(self, kind: Kind) -> None:
        self._kind, self._done = kind, (0, 1)

    def _tell(self, done: int, total: int) -> None:
        self._done = done, total
        if self._alone:
            self._stop.set()

    def _progress(self) -> tuple[float, str]:
        at, (done, total) = len(self.found), self._done
        inside = (KINDS.index(self._kind) + done / max(total, 1)) / len(KINDS)
        words = f"recipe {at + 1} of {len(self.results)}, {_WORDS[self._kind]}, {done:,} of {total:,}"
        return (at + inside) / len(self.results), words
