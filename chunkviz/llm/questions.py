"""What is asked, what came of it, what it took, and what it will take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from chunkviz.llm.endpoint import Endpoint
from chunkviz.units import unit

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Question:
    """One question: what to do, and the part of the document to do it with.

    key      : the one key of the JSON object that the answer has to be
    version  : of the instructions; part of what an answer is stored under
    expected : tokens that the answer will take, roughly; for estimates only
    """

    instructions: str
    text: str
    key: str
    version: str
    expected: int

    @property
    def messages(self) -> list[dict[str, str]]:
        return [{"role": "system", "content": self.instructions}, {"role": "user", "content": self.text}]


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """What became of a question: a value, or the reason why there is none."""

    value: T | None
    problem: str = ""


@dataclass(slots=True)
class Usage:
    """What one run took.

    stored : answers that were in the store
    sent   : requests that were answered
    again  : questions that had to be asked a second time
    tokens_in, tokens_out : as the endpoint counts them; `uncounted` requests came without a count
    """

    stored: int = 0
    sent: int = 0
    again: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    uncounted: int = 0

    def note(self, model: str, endpoint: Endpoint) -> str:
        """One or two sentences for the reader."""
        if not self.sent:
            return f"Every answer of {model} was in the store ({self.stored:,}); nothing was sent."
        parts = [f"{model} at {endpoint.host} was asked {_times(self.sent)}"]
        if self.uncounted < self.sent:
            parts.append(f"{self.tokens_in:,} tokens read and {self.tokens_out:,} written")
        if self.uncounted:
            parts.append(f"{_times(self.uncounted)} without a count of tokens")
        cost = cost_of(endpoint, self.tokens_in, self.tokens_out)
        if cost is not None and not self.uncounted:
            parts.append(f"cost {cost:.4f} by the prices given")
        if self.stored:
            parts.append(f"{self.stored:,} more from the store")
        return "; ".join(parts) + "."


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run will take at most, were no answer in the store and none asked for twice.

    tokens_in, tokens_out : counted as cl100k_base does; other models differ by some 10 to 30 per cent
    cost : in the currency of the endpoint's prices; None where it has none
    """

    questions: int
    tokens_in: int
    tokens_out: int
    cost: float | None


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def cost_of(endpoint: Endpoint, tokens_in: int, tokens_out: int) -> float | None:
    """Money for so many tokens; None where the endpoint has no prices."""
    if endpoint.price_in is None or endpoint.price_out is None:
        return None
    return (tokens_in * endpoint.price_in + tokens_out * endpoint.price_out) / 1_000_000


def estimate(questions: Sequence[Question], endpoint: Endpoint | None = None) -> Estimate:
    """What asking these questions will take, before any is sent. `endpoint` lends its prices."""
    count = unit("cl100k_base").count
    tokens_in = sum(count(q.instructions) + count(q.text) for q in questions)
    tokens_out = sum(q.expected for q in questions)
    cost = cost_of(endpoint, tokens_in, tokens_out) if endpoint else None
    return Estimate(len(questions), tokens_in, tokens_out, cost)
