"""An embedding model behind an OpenAI-compatible endpoint.

Source: https://platform.openai.com/docs/api-reference/embeddings; the same form is spoken by Ollama, vLLM,
llama.cpp's server and others.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import numpy as np

from chunkviz.embed.base import Vectors
from chunkviz.embed.checks import encodable, unit_rows
from chunkviz.errors import EmbedderError
from chunkviz.http_terms import Limits
from chunkviz.settings import settings

if TYPE_CHECKING:
    from chunkviz.json_http import Failure

PREFIX: Final = "endpoint:"
OPENAI: Final = "https://api.openai.com/v1"

_BATCH: Final = 64
_BATCH_CHARACTERS: Final = 100_000  # OpenAI refuses requests of more than 300,000 tokens
_LIMITS: Final = {"text-embedding-3-small": 8191, "text-embedding-3-large": 8191, "text-embedding-ada-002": 8191}
_NO_LIST: Final = "answers with JSON that is no list of embeddings"


class Endpoint:
    """The embedder `endpoint:MODEL`.

    base_url : such as "https://api.openai.com/v1"; "/embeddings" is put behind it
    key      : sent as a bearer token; it is in no message, in no `repr` and in no key of the store
    model    : as the endpoint calls it
    seconds, answer_bytes : limits of one request, by default `CHUNKVIZ_ENDPOINT_SECONDS` and `…_ANSWER_MB`
    first_wait : seconds before a busy or failing server is asked again; doubled with each try

    Raises `EmbedderError` for an address that is none.
    """

    def __init__(
        self,
        base_url: str,
        key: str | None,
        model: str,
        *,
        seconds: float | None = None,
        answer_bytes: int | None = None,
        first_wait: float | None = None,
    ) -> None:
        self.name = f"{PREFIX}{model}"
        self.revision = _address(base_url)
        self.settings = "endpoint, float32"
        self.limit = _LIMITS.get(model)
        self._model = model
        self._key = (key or "").strip() or None
        found = settings()
        self._limits = Limits(
            seconds=found.endpoint_seconds if seconds is None else seconds,
            answer_bytes=found.endpoint_answer_mb * 1_000_000 if answer_bytes is None else answer_bytes,
            first_pause=Limits().first_pause if first_wait is None else first_wait,
        )
        self._dimensions: int | None = None
        if self._key and not (self._key.isascii() and self._key.isprintable()):
            raise EmbedderError(f"The key for {self.revision} must be plain printable characters.")

    @classmethod
    def from_environment(cls, model: str) -> Endpoint:
        """The endpoint that OPENAI_BASE_URL names, by default OpenAI's, with the key in OPENAI_API_KEY."""
        base_url = os.environ.get("OPENAI_BASE_URL") or OPENAI
        key = os.environ.get("OPENAI_API_KEY")
        if not key and base_url == OPENAI:
            raise EmbedderError(
                f"The embedding model {PREFIX}{model} needs OPENAI_API_KEY for {OPENAI}, "
                "or OPENAI_BASE_URL of an endpoint that takes no key."
            )
        return cls(base_url, key, model)

    @property
    def dimensions(self) -> int:
        """Known after the first answer; asked for with one short text before."""
        if self._dimensions is None:
            self(["dimensions"])
        return self._dimensions or 0

    @dimensions.setter
    def dimensions(self, value: int) -> None:
        self._dimensions = value

    def __call__(self, texts: Sequence[str]) -> Vectors:
        """float32 (len(texts), d), unit rows. Raises `EmbedderError` for every answer that does not fit the texts."""
        from chunkviz.json_http import Failure, run  # brings asyncio, for those who use an endpoint

        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        sent = [encodable(text) for text in texts]
        self._refuse_too_long(sent)
        batches = _batches(sent)
        bodies = [{"model": self._model, "input": batch, "encoding_format": "float"} for batch in batches]
        try:
            answers = run(self._answers(bodies))
        except Failure as failure:
            raise EmbedderError(f"{self._who} {self._problem(failure)}.") from None  # nor what holds the request
        parts = [self._rows(answer, batch) for answer, batch in zip(answers, batches, strict=True)]
        widths = {part.shape[1] for part in parts}
        if len(widths) > 1:
            raise EmbedderError(f"{self._who} gives vectors of different lengths: {sorted(widths)}.")
        made = np.concatenate(parts)
        self.dimensions = int(made.shape[1])
        return made

    def asks_as(self, other: Endpoint) -> bool:
        """Whether it asks the same model at the same address with the same key."""
        return (self.name, self.revision, self._key) == (other.name, other.revision, other._key)

    def __repr__(self) -> str:
        return f"Endpoint({self.revision!r}, model={self._model!r})"

    @property
    def _who(self) -> str:
        return f"The endpoint {self.revision} ({self._model})"

    async def _answers(self, bodies: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        from chunkviz.json_http import ask, new_client, side_by_side

        key = self._key or ""
        async with new_client(self.revision, key, self._limits) as http:
            url = f"{self.revision}/embeddings"
            return await side_by_side(
                lambda at: ask(http, url, key, self._limits, bodies[at]), len(bodies), self._limits.parallel
            )

    def _problem(self, failure: Failure) -> str:
        """What went wrong, as the rest of a sentence about the endpoint."""
        said = f": {failure.said}" if failure.said else ""
        match failure.kind:
            case "unreachable" | "broken":
                return f"cannot be reached{said}"
            case "address":
                return f"cannot be asked{said}"
            case "slow":
                return self._too_slow
            case "busy" if failure.pause is not None:
                return f"{self._too_slow}; it asks to wait {failure.pause:,.0f} seconds (status {failure.status}{said})"
            case "busy" | "refused":
                return f"answers with status {failure.status}{said}"
            case "redirect":
                where = failure.said or "another address"
                return f"sends on to {where}, which is not followed; name the final address as its base URL"
            case "compressed":
                return "answers in compressed form, which was not asked for"
            case "large":
                limit = self._limits.answer_bytes / 1e6
                return f"answers with more than {limit:g} MB, the limit CHUNKVIZ_ENDPOINT_ANSWER_MB"
            case "no JSON":
                return "answers with something that is not JSON"
            case "no object":
                return _NO_LIST

    @property
    def _too_slow(self) -> str:
        return f"has not answered within {self._limits.seconds:g} seconds"

    def _rows(self, answer: dict[str, Any], batch: Sequence[str]) -> Vectors:
        """The vectors of one batch in the order of its texts, whatever the order of the answer."""
        items = answer.get("data")
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            raise EmbedderError(f"{self._who} {_NO_LIST}.")
        if len(items) != len(batch):
            raise EmbedderError(f"{self._who} returned {len(items):,} vectors for {len(batch):,} texts.")
        by_index = {item.get("index"): item.get("embedding") for item in items if type(item.get("index")) is int}
        if by_index.keys() != set(range(len(batch))):
            raise EmbedderError(f"{self._who} does not say which vector belongs to which text: its indices are wrong.")
        try:
            rows = np.array([by_index[i] for i in range(len(batch))], dtype=np.float32)
        except (TypeError, ValueError, OverflowError):
            raise EmbedderError(
                f"{self._who} answers with vectors that are no equally long lists of numbers."
            ) from None
        return unit_rows(rows, batch, self._who)

    def _refuse_too_long(self, texts: Sequence[str]) -> None:
        """Where the model's limit is known: say which text is over it, before anything is sent."""
        if self.limit is None:
            return
        from chunkviz.units import unit

        for number, text in enumerate(texts, 1):
            # A token has at least one byte, so most texts need no count.
            if len(text.encode()) > self.limit and (tokens := unit("cl100k_base").count(text)) > self.limit:
                raise EmbedderError(
                    f"Text {number:,} of {len(texts):,} has {tokens:,} tokens; {self._model} reads {self.limit:,}. "
                    "Choose a smaller size."
                )


def _batches(texts: Sequence[str]) -> list[list[str]]:
    batches: list[list[str]] = [[]]
    characters = 0
    for text in texts:
        if batches[-1] and (len(batches[-1]) == _BATCH or characters + len(text) > _BATCH_CHARACTERS):
            batches.append([])
            characters = 0
        batches[-1].append(text)
        characters += len(text)
    return batches


def _address(base_url: str) -> str:
    """Scheme, host, port and path, without a name or password in front of the host: it stands in messages."""
    try:
        parts = urlsplit(base_url.strip())
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise EmbedderError(
            "The base URL of an endpoint must be an address such as https://api.openai.com/v1, without `?` or `#`."
        )
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}{'' if port is None else f':{port}'}{parts.path.rstrip('/')}"
