"""JSON to a server that may be slow, wrong or hostile, and a JSON object back, within limits.

Clients for such endpoints commonly follow redirects and post the document again elsewhere, limit each read but not the
whole, read answers of any size, and pass on error texts that repeat the key. Here: no redirects, one deadline over
connecting, sending, waiting, reading and every retry, a limit on bytes while they arrive, masked texts.

    tried again  : 408, 409, 429, 5xx, a connection that breaks, an answer that is cut off, is no JSON or no object
    not again    : every other status, a redirect, an address that nobody listens at, a deadline that has passed

What went wrong is a `Failure`; whoever asked says it in words of their own.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from threading import Event
from typing import TYPE_CHECKING, Any, Final, Literal, NoReturn, TypeVar
from urllib.parse import urlsplit

from chunkviz.errors import Stopped
from chunkviz.http_terms import Limits, is_local, key_headers, masked

if TYPE_CHECKING:  # importing httpx costs more than importing chunkviz; whoever never asks an endpoint never pays
    import httpx

T = TypeVar("T")

Kind = Literal[
    "address",
    "unreachable",
    "broken",
    "slow",
    "redirect",
    "refused",
    "busy",
    "compressed",
    "large",
    "no JSON",
    "no object",
]

_BUSY: Final = frozenset((408, 409, 429))
_NEVER: Final = frozenset((501, 505))
"""Statuses above 500 that say: I cannot do this at all."""
_ERROR_BYTES: Final = 20_000
_LOOK_SECONDS: Final = 0.05


@dataclass(eq=False)
class Failure(Exception):  # noqa: N818  # never reaches the reader: whoever asked makes a sentence of it
    """A request that came to nothing. It holds nothing secret.

    kind    : "busy" is a status worth another try, "refused" every other one that is neither 200 nor a redirect
    status  : of the answer, 0 where there was none
    said    : what the server or the connection says of it, masked and on one line; of a redirect, where it leads
    tries   : how often the request was sent
    pause   : seconds that the server asks to wait, where that is past the deadline
    earlier : where the deadline passed, what an earlier try failed of
    """

    kind: Kind
    status: int = 0
    said: str = ""
    tries: int = 1
    pause: float | None = None
    earlier: Failure | None = None


class _Again(Exception):  # noqa: N818  # never leaves this file
    """Worth another try, after the pause that the server named."""

    def __init__(self, failure: Failure, pause: float | None = None) -> None:
        super().__init__(failure)
        self.failure = failure
        self.pause = pause


def new_client(address: str, key: str, limits: Limits) -> httpx.AsyncClient:
    """A client for one run of requests to this address. Proxies of the environment are used for other machines only."""
    import httpx

    # Compressed answers are not asked for: a few bytes of them could unpack to any size before a limit is looked at.
    headers = {"Accept": "application/json", "Accept-Encoding": "identity", **key_headers(address, key)}
    return httpx.AsyncClient(
        headers=headers,
        follow_redirects=False,
        timeout=limits.seconds,  # of each step; `ask` has a deadline over all of them
        trust_env=not is_local(address),
    )


async def ask(
    http: httpx.AsyncClient, url: str, key: str, limits: Limits, body: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """POST `body` as JSON, or GET where there is none; the JSON object that came back. Raises `Failure`."""
    deadline = time.monotonic() + limits.seconds
    last: Failure | None = None
    try:
        async with asyncio.timeout(limits.seconds):
            for attempt in range(1, limits.tries + 1):
                try:
                    return await _once(http, url, key, limits, body)
                except _Again as again:
                    last = again.failure
                    last.tries = attempt
                    spread = random.uniform(1, 1.25)  # noqa: S311  # so that not all come back at once; no secret
                    pause = limits.first_pause * 2 ** (attempt - 1) * spread if again.pause is None else again.pause
                    asked = again.pause
                if attempt == limits.tries:
                    break
                if time.monotonic() + pause >= deadline:
                    last.pause = asked
                    break
                await asyncio.sleep(pause)
    except TimeoutError:
        raise Failure("slow", earlier=last) from None
    raise last or AssertionError("no try was made")


async def _once(
    http: httpx.AsyncClient, url: str, key: str, limits: Limits, body: Mapping[str, Any] | None
) -> dict[str, Any]:
    import httpx

    # Errors of the client are not chained: their requests carry the key.
    try:
        async with http.stream("GET" if body is None else "POST", url, json=body) as response:
            if response.status_code != 200:
                _refuse(response, masked(await _error_text(response), key), key)
            if response.headers.get("content-encoding", "identity").lower() != "identity":
                raise Failure("compressed")
            data = bytearray()
            async for part in response.aiter_raw():
                data += part
                if len(data) > limits.answer_bytes:
                    raise Failure("large")
    except httpx.ConnectError as error:
        raise Failure("unreachable", said=_reason(error, key)) from None
    except httpx.TimeoutException:
        raise TimeoutError from None  # both clocks run to the same second; `ask` says it
    except (httpx.HTTPError, httpx.StreamError) as error:
        raise _Again(Failure("broken", said=_reason(error, key))) from None
    except httpx.InvalidURL as error:
        raise Failure("address", said=_reason(error, key)) from None
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        raise _Again(Failure("no JSON")) from None
    if not isinstance(found, dict):
        raise _Again(Failure("no object"))
    return found


async def _error_text(response: httpx.Response) -> str:
    """What the body of a refusal says, as far as it is short: the message of its JSON, or nothing."""
    data = bytearray()
    async for part in response.aiter_raw():
        data += part
        if len(data) > _ERROR_BYTES:
            return ""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return ""  # an HTML page helps nobody
    said = found.get("error", found.get("message", found.get("detail"))) if isinstance(found, dict) else None
    if isinstance(said, dict):
        said = said.get("message")
    return said if isinstance(said, str) else ""


def _refuse(response: httpx.Response, said: str, key: str) -> NoReturn:
    """Raise what a status other than 200 means."""
    status = response.status_code
    if status in _BUSY or (status >= 500 and status not in _NEVER):
        raise _Again(Failure("busy", status, said), asked_pause(response.headers.get("retry-after")))
    if 300 <= status < 400:
        raise Failure("redirect", status, masked(_host(response.headers.get("location", "")), key))
    raise Failure("refused", status, said)


def _host(location: str) -> str:
    """Scheme and host of an address, without what may be secret in it; "" where it names none."""
    try:
        target = urlsplit(location)
        return f"{target.scheme}://{target.hostname}" if target.hostname else ""
    except ValueError:
        return ""


def asked_pause(header: str | None) -> float | None:
    """Seconds that a Retry-After header asks for, as a number or as a date; None where it says nothing usable."""
    if not header:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(header).timestamp() - time.time()
        except (ValueError, OverflowError):
            return None
    # The comparison is false for NaN.
    return max(seconds, 0.0) if seconds < float("inf") else None


def _reason(error: Exception, key: str) -> str:
    return masked(str(error), key) or type(error).__name__


async def side_by_side(
    work: Callable[[int], Awaitable[T]], count: int, parallel: int, done: Callable[[int], None] | None = None
) -> list[T]:
    """What `work` gives for 0 … count - 1, in this order, `parallel` of them at a time.

    done : called after each with how many have come
    The first that raises ends all.
    """
    slots = asyncio.Semaphore(parallel)
    came = 0

    async def one(at: int) -> T:
        nonlocal came
        async with slots:
            made = await work(at)
        came += 1
        if done is not None:
            done(came)
        return made

    tasks = [asyncio.ensure_future(one(at)) for at in range(count)]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def run(work: Coroutine[Any, Any, T], *, stop: Event | None = None, stopped: str = "Stopped.") -> T:
    """Run to its end, in a thread of its own: whoever calls may be inside a running loop (a notebook).

    stop    : once it is set, from any thread, the work ends within a tenth of a second with `Stopped`
    stopped : the message of that
    """
    ended = Event()
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="chunkviz-http") as thread:
        future = thread.submit(lambda: asyncio.run(_until_stopped(work, (ended, stop) if stop else (ended,), stopped)))
        try:
            return future.result()
        finally:
            ended.set()  # also after a keyboard interrupt: the thread must not go on asking


async def _until_stopped(work: Coroutine[Any, Any, T], stops: tuple[Event, ...], stopped: str) -> T:
    task = asyncio.ensure_future(work)
    while not task.done():
        if any(stop.is_set() for stop in stops):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            raise Stopped(stopped)
        await asyncio.wait({task}, timeout=_LOOK_SECONDS)
    return task.result()
