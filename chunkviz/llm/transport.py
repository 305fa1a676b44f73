"""One request to an endpoint, and what becomes of it: JSON, or one sentence about what went wrong.

Clients for such endpoints commonly follow redirects and post the document again elsewhere, limit each read but not the
whole, read answers of any size, and pass on error texts that repeat the key. Here: no redirects, one deadline over
connecting, sending, waiting, reading and every retry, a limit on bytes while they arrive, masked texts.

    tried again  : 408, 409, 429, 5xx, a connection that breaks, an answer that is cut off or is no JSON
    not again    : every other status, a redirect, an address that nobody listens at, a deadline that has passed
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Final

from chunkviz.errors import LLMError
from chunkviz.llm.endpoint import Endpoint, Limits
from chunkviz.llm.reading import Unusable

if TYPE_CHECKING:  # importing httpx costs more than importing chunkviz; whoever never asks a model never pays
    import httpx

_AGAIN: Final = frozenset((408, 409, 429))
_ERROR_BYTES: Final = 20_000


class RefusedError(LLMError):
    """The endpoint refused a request with an HTTP status; `said` is its own text, masked."""

    def __init__(self, message: str, status: int, said: str) -> None:
        super().__init__(message)
        self.status = status
        self.said = said


class _Again(Exception):  # noqa: N818  # never leaves this file
    """Worth another try. `pause` in seconds where the endpoint named one."""

    def __init__(self, problem: str, pause: float | None = None) -> None:
        super().__init__(problem)
        self.pause = pause


def new_client(endpoint: Endpoint, limits: Limits) -> httpx.AsyncClient:
    """A client for one run. Proxies of the environment are used for other machines only."""
    import httpx

    # Compressed answers are not asked for: a few bytes of them could unpack to any size before a limit is looked at.
    headers = {"Accept": "application/json", "Accept-Encoding": "identity", **endpoint.headers}
    return httpx.AsyncClient(
        headers=headers,
        follow_redirects=False,
        timeout=limits.seconds,  # of each step; `send` has a deadline over all of them
        trust_env=not endpoint.is_local,
    )


async def send(
    http: httpx.AsyncClient, endpoint: Endpoint, limits: Limits, path: str, body: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """POST `body` as JSON, or GET where there is none; the JSON object that came back.

    Raises `LLMError` with one sentence, `RefusedError` where the endpoint answered with a status, `Unusable` where the answer
    is too large.
    """
    deadline = time.monotonic() + limits.seconds
    problem = ""
    try:
        async with asyncio.timeout(limits.seconds):
            for attempt in range(1, limits.tries + 1):
                try:
                    return await _once(http, endpoint, limits, path, body)
                except _Again as again:
                    problem = str(again)
                    pause = limits.first_pause * 2 ** (attempt - 1) if again.pause is None else again.pause
                if attempt == limits.tries:
                    break
                if time.monotonic() + pause >= deadline:
                    raise LLMError(
                        f"{endpoint.host} {problem} and wants a pause of {pause:,.0f} seconds, which is past the limit of "
                        f"{limits.seconds:g} (CHUNKVIZ_LLM_SECONDS). Try again later."
                    )
                await asyncio.sleep(pause)
    except TimeoutError:
        before = f" At an earlier try it {problem}." if problem else ""
        raise LLMError(
            f"{endpoint.host} gave no complete answer within {limits.seconds:g} seconds (CHUNKVIZ_LLM_SECONDS).{before}"
        ) from None
    raise LLMError(f"{endpoint.host} {problem}, also when asked {limits.tries} times. Try again later.")


async def _once(
    http: httpx.AsyncClient, endpoint: Endpoint, limits: Limits, path: str, body: Mapping[str, Any] | None
) -> dict[str, Any]:
    import httpx

    method = "GET" if body is None else "POST"
    # Errors of the client are not chained: their requests carry the key.
    try:
        async with http.stream(method, endpoint.url(path), json=body) as response:
            if response.status_code != 200:
                raise _refusal(endpoint, response, await _error_text(response))
            encoding = response.headers.get("content-encoding", "identity")
            if encoding.lower() != "identity":
                raise LLMError(f"{endpoint.host} answers compressed, though it was asked not to.")
            data = bytearray()
            async for part in response.aiter_raw():
                data += part
                if len(data) > limits.answer_bytes:
                    raise Unusable(f"it is larger than {limits.answer_bytes // 1000:,} kB (CHUNKVIZ_LLM_ANSWER_KB)")
    except httpx.ConnectError as error:
        raise LLMError(f"{endpoint.host} cannot be reached: {endpoint.masked(str(error))}. Is it running?") from None
    except httpx.TimeoutException:
        raise TimeoutError from None  # both clocks run to the same second; `send` says it in words
    except (httpx.HTTPError, httpx.StreamError):
        raise _Again("broke the connection off in the middle") from None
    except httpx.InvalidURL:
        raise LLMError("The address of the language model is not a web address (OPENAI_BASE_URL).") from None
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        raise _Again("answered with something that is not JSON") from None
    if not isinstance(found, dict):
        raise _Again("answered with JSON that is not an object")
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


def _refusal(endpoint: Endpoint, response: httpx.Response, text: str) -> Exception:
    """What a status other than 200 means for the reader."""
    status, host = response.status_code, endpoint.host
    said = endpoint.masked(text)
    quoted = f" It says: {said}" if said else ""
    if status in _AGAIN or status >= 500:
        what = "takes no more requests for now" if status == 429 else "failed"
        return _Again(
            f"{what} (HTTP {status}{f': {said}' if said else ''})", _pause(response.headers.get("retry-after"))
        )
    if 300 <= status < 400:
        return RefusedError(
            f"{host} wants to send the document on to another address (HTTP {status}), which is not done. "
            "Enter the address it should go to (OPENAI_BASE_URL).",
            status,
            said,
        )
    if status in (401, 403):
        return RefusedError(f"{host} refused the key (HTTP {status}). Check OPENAI_API_KEY.{quoted}", status, said)
    if status == 404:
        return RefusedError(
            f"{host} does not know this address or this model (HTTP 404). Check OPENAI_BASE_URL, which often ends in /v1, "
            f"and the model.{quoted}",
            status,
            said,
        )
    return RefusedError(f"{host} refused the request (HTTP {status}).{quoted}", status, said)


def _pause(header: str | None) -> float | None:
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
