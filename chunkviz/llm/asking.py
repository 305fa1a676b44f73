"""Asking a model many questions about one document: answers from the store, the rest over HTTP, wrong ones once more."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Event
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from chunkviz.errors import LLMError, Stopped
from chunkviz.llm.answers import answers, key_of
from chunkviz.llm.client import DEFAULT_MODEL, Client
from chunkviz.llm.questions import Answer, Question
from chunkviz.llm.reading import Unusable, json_object, without_halves
from chunkviz.llm.transport import RefusedError, new_client, send

if TYPE_CHECKING:  # as in `transport`
    import httpx

T = TypeVar("T")

_LISTED: Final = 8
_REPEATED_BACK: Final = 2_000
_LOOK_SECONDS: Final = 0.05


def ask_all(
    client: Client, questions: Sequence[Question], read: Callable[[int, dict[str, Any]], T], model: str
) -> list[Answer[T]]:
    """`Client.ask`, for at least one question."""
    ended = Event()
    # A loop of its own thread: whoever calls may be inside a running loop (a notebook), where none can be started.
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="chunkviz-llm") as thread:
        future = thread.submit(
            lambda: asyncio.run(_until_stopped(client, ended, _Run(client, read).all(questions, model)))
        )
        try:
            return future.result()
        finally:
            ended.set()  # also after a keyboard interrupt: the thread must not go on asking


async def _until_stopped(client: Client, ended: Event, work: Coroutine[Any, Any, list[Answer[T]]]) -> list[Answer[T]]:
    task = asyncio.ensure_future(work)
    while not task.done():
        if ended.is_set() or (client.stop is not None and client.stop.is_set()):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            raise Stopped("Stopped. Answers that had come are kept; the next run goes on from there.")
        await asyncio.wait({task}, timeout=_LOOK_SECONDS)
    return task.result()


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
        async with new_client(self.endpoint, self.limits) as http:
            self.client.model = await self._model(http, model)
            slots = asyncio.Semaphore(self.limits.parallel)
            done = 0

            async def one(at: int) -> Answer[T]:
                nonlocal done
                async with slots:
                    answer = await self._answer(http, at, questions[at])
                done += 1
                if self.client.progress is not None:
                    self.client.progress(done, len(questions))
                return answer

            tasks = [asyncio.ensure_future(one(at)) for at in range(len(questions))]
            try:
                return list(await asyncio.gather(*tasks))
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

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
        address = self.endpoint.url("chat/completions")
        key = key_of("answer", address, self.client.model, question.version, question.instructions, question.text)
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
