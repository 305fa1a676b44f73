"""Asking a model many questions about one document: answers from the store, the rest over HTTP, wrong ones once more."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from chunkviz.errors import LLMError
from chunkviz.json_http import new_client, run, side_by_side
from chunkviz.llm.answers import answer_key, answers
from chunkviz.llm.client import DEFAULT_MODEL, Client
from chunkviz.llm.questions import Answer, Question
from chunkviz.llm.reading import Unusable, json_object, without_halves
from chunkviz.llm.transport import RefusedError, send

if TYPE_CHECKING:  # as in `json_http`
    import httpx

T = TypeVar("T")

_LISTED: Final = 8
_REPEATED_BACK: Final = 2_000


def ask_all(
    client: Client, questions: Sequence[Question], read: Callable[[int, dict[str, Any]], T], model: str
) -> list[Answer[T]]:
    """`Client.ask`, for at least one question."""
    return run(
        _Run(client, read).all(questions, model),
        stop=client.stop,
        stopped="Stopped. Answers that had come are kept; the next run goes on from there.",
    )


class _Run(Generic[T]):
    """One run of a client; `read` makes a value of an answer, as in `Client.ask`."""

    def __init__(self, client: Client, read: Callable[[int, dict[str, Any]], T]) -> None:
        self.client = client
        self.endpoint, self.limits, self.usage = client.endpoint, client.limits, client.usage
        self._read = read
        self._store = answers()
        self._warm = False

    async def all(self, questions: Sequence[Question], model: str) -> list[Answer[T]]:
        """The answers, in order of the questions."""
        async with new_client(self.endpoint.base_url, self.endpoint.key, self.limits) as http:
            self.client.model = await self._model(http, model)

            def tell(done: int) -> None:
                if self.client.progress is not None:
                    self.client.progress(done, len(questions))

            return await side_by_side(
                lambda at: self._answer(http, at, questions[at]), len(questions), self.limits.parallel, tell
            )

    async def _model(self, http: httpx.AsyncClient, wanted: str) -> str:
        """The name of the model to ask. An endpoint that serves one need not be told which."""
        if wanted != DEFAULT_MODEL:
            return wanted
        if self.endpoint.model:
            return self.endpoint.model
        try:
            listed = (await send(http, self.endpoint, self.limits, "models")).get("data")
        except Unusable as problem:
            raise LLMError(f"The list of models of {self.endpoint.host} cannot be used: {problem}.") from None
        rows = listed if isinstance(listed, list) else []
        names = [str(row["id"]) for row in rows if isinstance(row, dict) and isinstance(row.get("id"), str)]
        if len(names) == 1:
            return names[0]
        shown = ", ".join(names[:_LISTED]) + (", …" if len(names) > _LISTED else "")
        offer = f"It has {len(names):,}: {self.endpoint.masked(shown)}" if names else "It lists none"
        raise LLMError(f"Say which model of {self.endpoint.host} to ask, as `model` or OPENAI_MODEL. {offer}.")

    async def _answer(self, http: httpx.AsyncClient, at: int, question: Question) -> Answer[T]:
        """The answer to question `at`, from the store or from the model, who may correct itself once."""
        key = answer_key(self.endpoint, self.client.model, question)
        kept = self._store.get(key)
        if kept is not None:
            with suppress(Unusable, ValueError, RecursionError):
                value = self._read(at, json_object(kept, question.key))
                self.usage.stored += 1
                return Answer(value)
        messages = question.messages
        problem = ""
        for second in (False, True):
            said = ""
            try:
                said = await self._complete(http, messages)
                found = json_object(said, question.key)
                value = self._read(at, found)
            except Unusable as why:
                problem = self.endpoint.masked(str(why))
                if not second:
                    self.usage.again += 1
                    # Some servers refuse a message without text.
                    messages = [
                        *question.messages,
                        {"role": "assistant", "content": said[:_REPEATED_BACK] or "(nothing)"},
                        {
                            "role": "user",
                            "content": f"This answer cannot be used: {why}. Answer once more, with the JSON object only.",
                        },
                    ]
                continue
            trouble = self._store.put(key, json.dumps(found, ensure_ascii=True))
            if trouble and trouble not in self.client.notes:
                self.client.notes.append(trouble)
            return Answer(value)
        return Answer(None, problem)

    async def _complete(self, http: httpx.AsyncClient, messages: list[dict[str, str]]) -> str:
        """The text of one completion."""
        body: dict[str, Any] = {"model": self.client.model, "messages": messages, "stream": False}
        if not self._warm:
            body["temperature"] = 0
        try:
            found = await send(http, self.endpoint, self.limits, "chat/completions", body)
        except RefusedError as refusal:
            if refusal.status != 400 or "temperature" not in refusal.said.lower() or "temperature" not in body:
                raise
            # Reasoning models take no temperature. Without one they may answer otherwise next time, so say it.
            if not self._warm:
                self._warm = True
                self.client.notes.append(
                    f"{self.client.model} does not take temperature 0; another run may cut elsewhere."
                )
            return await self._complete(http, messages)
        self.usage.sent += 1
        self._count(found.get("usage"))
        return _content(found)

    def _count(self, used: Any) -> None:
        counts = used if isinstance(used, dict) else {}
        read, written = counts.get("prompt_tokens"), counts.get("completion_tokens")
        if isinstance(read, int) and isinstance(written, int) and read >= 0 and written >= 0:
            self.usage.tokens_in += read
            self.usage.tokens_out += written
        else:
            self.usage.uncounted += 1


def _content(found: dict[str, Any]) -> str:
    """The text of the first choice. Raises `Unusable`: a model may refuse, or stop before its first word."""
    try:
        content = found["choices"][0]["message"]["content"]
    except (KeyError, IndexError, TypeError):
        raise Unusable("it has not the form of a chat completion") from None
    if isinstance(content, list):  # some servers send parts
        texts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "".join(text for text in texts if isinstance(text, str))
    if not isinstance(content, str):
        raise Unusable("it holds no text")
    return without_halves(content)
