"""JSON to a server that may be slow, wrong or hostile, and JSON back within limits.

The limits are those that clients of such endpoints tend to lack: one deadline over everything (most set a time for
each read, and a server that drips a byte a second keeps them for good), a cap on what is read, no redirect (it would
hand the texts, and the key, to someone else) and errors in which the key cannot be read.
"""

from __future__ import annotations

import asyncio
import json
import random
import threading
from collections.abc import Coroutine, Sequence
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

import httpx

T = TypeVar("T")

_TRIES: Final = 4
_AT_ONCE: Final = 4
_AGAIN: Final = frozenset({408, 429, 500, 502, 503, 504})
_FIRST_WAIT_SECONDS: Final = 0.5
_PART: Final = 8
"""Characters of a key in a row that are masked wherever they turn up."""


class HttpError(Exception):
    """The request failed; the message says how, for the person in front of the screen, and holds nothing secret."""


def post_all(
    url: str,
    bodies: Sequence[Any],
    key: str | None,
    *,
    seconds: float,
    answer_bytes: int,
    first_wait: float | None = None,
) -> list[Any]:
    """The JSON answers to JSON bodies, in order, a few asked for at once.

    key          : sent as a bearer token
    seconds      : for each body all its tries together, wall clock
    answer_bytes : most that one answer may have
    first_wait   : seconds before the second try, doubled with each that follows; a server's `Retry-After` goes first

    Raises `HttpError` with the first failure. Busy and failing servers are asked up to four times.
    """
    wait = _FIRST_WAIT_SECONDS if first_wait is None else first_wait

    async def everything() -> list[Any]:
        gate = asyncio.Semaphore(_AT_ONCE)
        headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        async with httpx.AsyncClient(follow_redirects=False, timeout=seconds, headers=headers) as client:

            async def one(body: Any) -> Any:
                async with gate:
                    try:
                        async with asyncio.timeout(seconds):
                            return await _answer(client, url, body, answer_bytes, wait)
                    except TimeoutError:
                        raise HttpError(f"has not answered within {seconds:g} seconds") from None

            return list(await asyncio.gather(*map(one, bodies)))

    try:
        return _run(everything())
    except HttpError as error:
        raise HttpError(masked(str(error), key)) from None


def masked(text: str, key: str | None) -> str:
    """The text with `***` for every part of the key of eight characters or more, or for a shorter key as a whole."""
    if not key:
        return text
    part = min(_PART, len(key))
    hidden = [False] * len(text)
    for at in range(len(text) - part + 1):
        if text[at : at + part] in key:
            hidden[at : at + part] = [True] * part
    shown = ""
    for at, character in enumerate(text):
        shown += ("" if at and hidden[at - 1] else "***") if hidden[at] else character
    return shown


async def _answer(client: httpx.AsyncClient, url: str, body: Any, answer_bytes: int, wait: float) -> Any:
    for attempt in range(1, _TRIES + 1):
        pause = wait * 2 ** (attempt - 1) * random.uniform(1, 1.25)  # noqa: S311  # spread, not secrecy
        try:
            async with client.stream("POST", url, json=body) as response:
                if response.status_code in _AGAIN and attempt < _TRIES:
                    pause = _asked_wait(response) or pause
                else:
                    return await _content(response, answer_bytes)
        except httpx.TransportError as error:
            if attempt == _TRIES:
                raise HttpError(f"cannot be reached: {_reason(error)}") from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise HttpError(f"cannot be asked: {_reason(error)}") from None
        await asyncio.sleep(pause)
    raise AssertionError("the last try returns or raises")


async def _content(response: httpx.Response, answer_bytes: int) -> Any:
    if response.is_redirect:
        target = urlsplit(response.headers.get("location", ""))
        where = f"{target.scheme}://{target.hostname}" if target.hostname else "another address"
        raise HttpError(f"sends on to {where}, which is not followed; name the final address as its base URL")
    if response.headers.get("content-encoding", "identity") != "identity":
        raise HttpError("answers in compressed form, which was not asked for")
    data = bytearray()
    async for part in response.aiter_raw():
        data += part
        if len(data) > answer_bytes:
            raise HttpError(f"answers with more than {answer_bytes / 1e6:g} MB, the limit CHUNKVIZ_ENDPOINT_ANSWER_MB")
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        content = None
    if response.status_code != 200:
        raise HttpError(f"answers with status {response.status_code}{_told(content)}")
    if content is None:
        raise HttpError("answers with something that is not JSON")
    return content


def _told(content: Any) -> str:
    """What an error answer says of itself; only where it has the form that such servers agree on."""
    error = content.get("error", content.get("message")) if isinstance(content, dict) else None
    message = error.get("message") if isinstance(error, dict) else error
    if not isinstance(message, str) or not message.strip():
        return ""
    line = " ".join(message.split())
    return f": {line if len(line) <= 300 else line[:300] + '…'}"


def _asked_wait(response: httpx.Response) -> float | None:
    """Seconds that the server asks to wait; the form with a date is left alone."""
    try:
        seconds = float(response.headers.get("retry-after", ""))
    except ValueError:
        return None
    return seconds if 0 <= seconds < 86_400 else None


def _reason(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


def _run(work: Coroutine[Any, Any, T]) -> T:
    """Run to its end in a thread of its own: the caller may be inside an event loop, as in a notebook."""
    results: list[T] = []
    errors: list[BaseException] = []

    def target() -> None:
        try:
            results.append(asyncio.run(work))
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=target, name="chunkviz-http", daemon=True)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]
