"""Which endpoint is asked here, and the client that asks it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from threading import Event
from typing import Any, Final, TypeVar

from chunkviz.errors import LLMError
from chunkviz.llm.endpoint import NEEDED, Endpoint, Limits
from chunkviz.llm.questions import Answer, Question, Usage

T = TypeVar("T")

DEFAULT_MODEL: Final = "default"
"""As a parameter: the model that the endpoint was given with, or the one it serves."""


@dataclass(frozen=True, slots=True)
class _Session:
    endpoint: Endpoint
    limits: Limits | None
    stop: Event | None
    progress: Callable[[int, int], None] | None


_session: ContextVar[_Session | None] = ContextVar("chunkviz_llm_session", default=None)


@contextmanager
def using(
    endpoint: Endpoint,
    *,
    limits: Limits | None = None,
    stop: Event | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[None]:
    """Inside the `with`, strategies of this thread (or context) ask this endpoint and no other.

    stop     : set it, from any thread, and a run that is under way ends with `Stopped` within a tenth of a second
    progress : called with (answered, all questions) after each answer, from a thread of its own
    """
    token = _session.set(_Session(endpoint, limits, stop, progress))
    try:
        yield
    finally:
        _session.reset(token)


def available() -> Endpoint | None:
    """The endpoint that strategies would ask here, without asking it anything; None where there is none."""
    session = _session.get()
    return session.endpoint if session else Endpoint.from_environment()


def client() -> Client:
    """The client for the session's endpoint, or for that of the environment. Raises `LLMError` where there is neither."""
    endpoint = available()
    if endpoint is None:
        raise LLMError(NEEDED)
    session = _session.get()
    if session is None:
        return Client(endpoint)
    return Client(endpoint, session.limits or Limits.of_process(), session.stop, session.progress)


def unanswered(questions: Sequence[Question], endpoint: Endpoint, model: str = DEFAULT_MODEL) -> list[Question]:
    """The questions, each once, whose answers are not in the store: those that would be sent.

    All of them where nobody but the endpoint knows which model it serves.
    """
    distinct = list(dict.fromkeys(questions))
    name = endpoint.model if model == DEFAULT_MODEL else model
    if not name:
        return distinct
    from chunkviz.llm.answers import answer_key, answers  # brings sqlite3; most who import chunkviz need none

    store = answers()
    return [question for question in distinct if store.get(answer_key(endpoint, name, question)) is None]


def refuse_too_many(questions: int, limits: Limits) -> None:
    """Raise `LLMError` where one document takes more questions than the limits allow."""
    if questions > limits.questions:
        raise LLMError(
            f"This document would take {questions:,} questions to a language model; the limit is "
            f"{limits.questions:,} (CHUNKVIZ_LLM_QUESTIONS). Take a shorter document."
        )


@dataclass
class Client:
    """Asks one endpoint, for one run. `usage` and `notes` tell afterwards what it took, `model` who answered."""

    endpoint: Endpoint
    limits: Limits = field(default_factory=Limits.of_process)
    stop: Event | None = None
    progress: Callable[[int, int], None] | None = None
    usage: Usage = field(default_factory=Usage)
    notes: list[str] = field(default_factory=list)
    model: str = ""

    def ask(
        self, questions: Sequence[Question], read: Callable[[int, dict[str, Any]], T], model: str = DEFAULT_MODEL
    ) -> list[Answer[T]]:
        """The answers, in order of the questions.

        read : makes a value of question i's JSON object, or raises `Unusable`; then the question is asked once more, with
               the reason. After a second one the answer has no value but a problem
        Raises `LLMError` where the endpoint refuses or is silent past the deadline, `Stopped` where `stop` was set.
        Answers that came before that are in the store: the next run goes on from there.
        """
        refuse_too_many(len(questions), self.limits)
        if not questions:
            return []
        from chunkviz.llm.asking import ask_all  # brings asyncio, ssl and sqlite3; most who import chunkviz need none

        return ask_all(self, questions, read, model)
