"""Work in the background of a page: how it ends, who stops it, and that it does not outlive its page."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
from fake_embedders import Hashed

from chunkviz.errors import LLMError, Stopped
from chunkviz.evaluation import EmbeddingCost, Evaluation
from chunkviz.llm import Endpoint
from chunkviz.questions import QuestionSet
from chunkviz.ui import answer_job, background
from chunkviz.ui.answer_job import AnswerJob
from chunkviz.ui.background import ALONE_SECONDS, Background
from chunkviz.ui.evaluation_job import Job

SOON = 20.0
"""Seconds after which a test that hangs fails."""


@dataclass(eq=False)
class Waiting(Background[str]):
    """Goes on until it is let go, stopped, or alone; its end says which."""

    threads: ClassVar[ThreadPoolExecutor] = ThreadPoolExecutor(max_workers=2)

    released: threading.Event = field(default_factory=threading.Event)
    error: Exception | None = None

    def _work(self) -> str:
        until = time.monotonic() + SOON
        while time.monotonic() < until:
            if self._stop.is_set():
                return "stopped"
            if self._alone:
                return "alone"
            if self.released.wait(0.005):
                if self.error:
                    raise self.error
                return "released"
        return "late"

    def _progress(self) -> tuple[float, str]:
        return 0.5, "halfway"


class Clock:
    """The time that work in the background goes by; it moves when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


class Looks:
    """In the place of a bar: what it is shown, and what happens then."""

    def __init__(self, then: Callable[[], None]) -> None:
        self.shown: list[tuple[float, str]] = []
        self._then = then

    def show(self, share: float, about: str = "") -> None:
        self.shown.append((share, about))
        self._then()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(background, "time", made)
    return made


@pytest.fixture
def waiting() -> Iterator[Waiting]:
    work = Waiting("key")
    yield work
    work.released.set()


def test_the_end_is_what_the_work_returns(waiting: Waiting) -> None:
    waiting.start()
    waiting.released.set()
    assert waiting.end() == "released"


def test_an_early_end_stops_the_work(waiting: Waiting) -> None:
    waiting.start()
    assert waiting.end(early=True) == "stopped"


def test_what_the_work_raises_is_raised_at_its_end(waiting: Waiting) -> None:
    waiting.error = LLMError("The endpoint is silent.")
    waiting.start()
    waiting.released.set()
    with pytest.raises(LLMError, match=r"The endpoint is silent\."):
        waiting.end()


def test_work_that_nobody_looks_at_ends(waiting: Waiting, clock: Clock) -> None:
    waiting.start()
    clock.now += ALONE_SECONDS + 1
    assert waiting.end() == "alone"


def test_looking_keeps_the_work_going(waiting: Waiting, clock: Clock) -> None:
    """Three looks, each nearly too late: together much longer than anybody may be away."""

    def look() -> None:
        clock.now += ALONE_SECONDS - 1
        if len(bar.shown) == 3:
            waiting.released.set()
            assert waiting.end() == "released"

    bar = Looks(look)
    waiting.start()
    waiting.watch(bar)
    assert bar.shown == [(0.5, "halfway")] * 3


def answering(monkeypatch: pytest.MonkeyPatch, outcomes: list[Exception | None]) -> AnswerJob:
    """Answers for as many recipes as there are outcomes; each is judged, or raises."""
    left = iter(outcomes)

    def judge(*_: object) -> list[str]:
        outcome = next(left)
        if outcome:
            raise outcome
        return ["judged"]

    usage = SimpleNamespace(note=lambda model, endpoint: "one question")
    client = SimpleNamespace(usage=usage, model="m", notes=["a note"])
    monkeypatch.setattr(answer_job.llm, "Client", lambda *_, **__: client)
    monkeypatch.setattr(answer_job, "material", lambda result, documents: [])
    monkeypatch.setattr(answer_job, "judge_each", judge)
    results: list[Any] = [f"recipe {n}" for n in range(len(outcomes))]
    shown: Any = SimpleNamespace(documents={})
    endpoint: Any = None
    job = AnswerJob("key", shown, results, endpoint)
    job.start()
    return job


def test_answers_are_kept_with_what_was_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    job = answering(monkeypatch, [None, None])
    assert job.end() == ""
    assert [(j.result, j.note) for j in job.found] == [
        ("recipe 0", "one question a note"),
        ("recipe 1", "one question a note"),
    ]


def test_a_stop_says_how_many_recipes_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    job = answering(monkeypatch, [None, Stopped("stopped"), None])
    assert job.end() == "Stopped with 2 of 3 recipes left. Answers that came are kept."
    assert [j.result for j in job.found] == ["recipe 0"]


def test_what_the_endpoint_refused_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    job = answering(monkeypatch, [None, LLMError("The key is wrong.")])
    assert job.end() == "The key is wrong."
    assert [j.result for j in job.found] == ["recipe 0"]


def test_a_run_that_goes_on_is_new_in_all_but_its_plan() -> None:
    """A run that was stopped has its stop button pressed: the rest of it must not."""
    asked, embedders = QuestionSet(()), {"m": Hashed()}
    done = Evaluation((), (), (), "exact", EmbeddingCost(0, 0, 0.0, ""), stopped=True)
    job = Job(
        "first",
        {},
        asked,
        [{"strategy": "fixed"}],
        (5,),
        "exact",
        {"mode": "dense"},
        [7],
        embedders=embedders,
        endpoint=Endpoint("http://127.0.0.1:1/v1"),
    )
    job._stop.set()
    rest = job.resumed("second", done)
    assert (rest.key, rest.done) == ("second", done)
    for name in ("documents", "asked", "recipes", "depths", "rules", "shared", "shares", "embedders", "endpoint"):
        assert getattr(rest, name) is getattr(job, name)
    assert not rest._stop.is_set()
