"""One request to a language model: a JSON object, or one sentence about what went wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from chunkviz import json_http
from chunkviz.errors import LLMError
from chunkviz.json_http import Failure
from chunkviz.llm.endpoint import Endpoint, Limits
from chunkviz.llm.reading import Unusable

if TYPE_CHECKING:  # as in `json_http`
    import httpx


class RefusedError(LLMError):
    """The endpoint refused a request with an HTTP status; `said` is its own text, masked."""

    def __init__(self, message: str, status: int, said: str) -> None:
        super().__init__(message)
        self.status = status
        self.said = said


async def send(
    http: httpx.AsyncClient, endpoint: Endpoint, limits: Limits, path: str, body: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """`json_http.ask` for a path of this endpoint.

    Raises `LLMError` with one sentence, `RefusedError` where the endpoint answered with a status, `Unusable` where the
    answer is too large.
    """
    try:
        return await json_http.ask(http, endpoint.url(path), endpoint.key, limits, body)
    except Failure as failure:
        # Not chained: what the failure followed from holds the request, and that the key.
        raise _error(failure, endpoint.host, limits) from None


def _error(failure: Failure, host: str, limits: Limits) -> Exception:
    """What a failure means for the reader."""
    status = failure.status
    quoted = f" It says: {failure.said}" if failure.said else ""
    match failure.kind:
        case "large":
            return Unusable(f"it is larger than {limits.answer_bytes // 1000:,} kB (CHUNKVIZ_LLM_ANSWER_KB)")
        case "address":
            return LLMError("The address of the language model is not a web address (OPENAI_BASE_URL).")
        case "unreachable":
            return LLMError(f"{host} cannot be reached: {failure.said}. Is it running?")
        case "compressed":
            return LLMError(f"{host} answers compressed, though it was asked not to.")
        case "slow":
            before = f" At an earlier try it {_problem(failure.earlier)}." if failure.earlier else ""
            return LLMError(
                f"{host} gave no complete answer within {limits.seconds:g} seconds (CHUNKVIZ_LLM_SECONDS).{before}"
            )
        case "redirect":
            return RefusedError(
                f"{host} wants to send the document on to another address (HTTP {status}), which is not done. "
                "Enter the address it should go to (OPENAI_BASE_URL).",
                status,
                "",
            )
        case "refused" if status in (401, 403):
            said = f"{host} refused the key (HTTP {status}). Check OPENAI_API_KEY.{quoted}"
            return RefusedError(said, status, failure.said)
        case "refused" if status == 404:
            return RefusedError(
                f"{host} does not know this address or this model (HTTP 404). Check OPENAI_BASE_URL, which often ends in "
                f"/v1, and the model.{quoted}",
                status,
                failure.said,
            )
        case "refused":
            return RefusedError(f"{host} refused the request (HTTP {status}).{quoted}", status, failure.said)
        case _ if failure.pause is not None:
            return LLMError(
                f"{host} {_problem(failure)} and wants a pause of {failure.pause:,.0f} seconds, which is past the limit "
                f"of {limits.seconds:g} (CHUNKVIZ_LLM_SECONDS). Try again later."
            )
        case _:
            tries = f", also when asked {failure.tries} times" if failure.tries > 1 else ""
            return LLMError(f"{host} {_problem(failure)}{tries}. Try again later.")


def _problem(failure: Failure) -> str:
    """What happened at a try that another one followed, as the rest of a sentence about the endpoint."""
    match failure.kind:
        case "busy":
            what = "takes no more requests for now" if failure.status == 429 else "failed"
            return f"{what} (HTTP {failure.status}{f': {failure.said}' if failure.said else ''})"
        case "no JSON":
            return "answered with something that is not JSON"
        case "no object":
            return "answered with JSON that is not an object"
        case _:
            return "broke the connection off in the middle"
