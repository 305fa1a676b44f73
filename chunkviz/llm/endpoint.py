"""Where a language model is asked, with which key, within which limits. The key is shown to nobody but the endpoint."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import SplitResult, urlsplit, urlunsplit

from chunkviz import http_terms
from chunkviz.errors import LLMError
from chunkviz.settings import settings

NEEDED: Final = (
    "No language model is set. Set OPENAI_BASE_URL, for example http://127.0.0.1:11434/v1 for Ollama, and "
    "OPENAI_API_KEY and OPENAI_MODEL where the endpoint needs them, or enter an endpoint in the app."
)


@dataclass(frozen=True, slots=True)
class Limits(http_terms.Limits):
    """What one run may take. `Limits.of_process()` gives those of `settings`.

    questions : most questions one document may take
    """

    questions: int = 500

    @staticmethod
    def of_process() -> Limits:
        """The limits that `CHUNKVIZ_LLM_...` in the environment can change."""
        found = settings()
        return Limits(
            seconds=float(found.llm_seconds),
            tries=found.llm_tries,
            answer_bytes=found.llm_answer_kb * 1000,
            parallel=found.llm_parallel,
            questions=found.llm_questions,
        )


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An OpenAI-compatible endpoint.

    base_url  : up to and with the version, as the OpenAI client takes it: "https://api.openai.com/v1". A query
                ("?api-version=...", older Azure) is kept
    key       : "" where none is needed; not part of `repr`
    model     : "" to ask the endpoint, which works where it serves one model
    price_in, price_out : money per 1,000,000 tokens read and written; None where nobody said. chunkviz knows no
                prices of its own, they would be out of date
    Raises `LLMError` for an address or a key that cannot be used.
    """

    base_url: str
    key: str = field(default="", repr=False)
    model: str = ""
    price_in: float | None = None
    price_out: float | None = None

    def __post_init__(self) -> None:
        # Messages quote neither the address nor the key: someone may have put one into the other's field.
        parts = self._parts
        if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
            raise LLMError(
                "The address of the language model must begin with http:// or https:// and name a host, "
                "for example http://127.0.0.1:11434/v1 (OPENAI_BASE_URL)."
            )
        if parts.username is not None or parts.password is not None or parts.fragment:
            raise LLMError("The address of the language model must hold no user name, password or # part.")
        if not (self.key.isascii() and self.key.isprintable() and " " not in self.key):
            raise LLMError(
                "The key of the language model must be one word of ASCII characters (OPENAI_API_KEY). "
                "Copy it again, without blanks and line ends."
            )

    @staticmethod
    def from_environment() -> Endpoint | None:
        """What `OPENAI_BASE_URL`, `OPENAI_API_KEY` and `OPENAI_MODEL` say; None without the first.

        `CHUNKVIZ_LLM_PRICES`, two numbers such as "0.15 0.60", are `price_in` and `price_out`.
        """
        base_url = os.environ.get("OPENAI_BASE_URL", "").strip()
        if not base_url:
            return None
        key, model = (os.environ.get(name, "").strip() for name in ("OPENAI_API_KEY", "OPENAI_MODEL"))
        return Endpoint(base_url, key, model, *_prices(os.environ.get("CHUNKVIZ_LLM_PRICES", "")))

    @property
    def _parts(self) -> SplitResult | None:
        try:
            parts = urlsplit(self.base_url)
            _ = parts.port  # raises where it is no number
        except ValueError:
            return None
        return parts if self.base_url.isprintable() and " " not in self.base_url else None

    def url(self, path: str) -> str:
        """The address of `path` ("chat/completions") below the base."""
        parts = urlsplit(self.base_url)
        return urlunsplit(parts._replace(path=f"{parts.path.rstrip('/')}/{path}"))

    @property
    def host(self) -> str:
        """Host and port, for messages."""
        return urlsplit(self.base_url).netloc

    @property
    def is_local(self) -> bool:
        """Whether it is this machine: then no proxy is asked, which could not reach it and would see the document."""
        return http_terms.is_local(self.base_url)

    @property
    def headers(self) -> dict[str, str]:
        """How the key is shown to this endpoint."""
        return http_terms.key_headers(self.base_url, self.key)

    @property
    def identity(self) -> str:
        """SHA-256 over address and model, hex: what a cache of results adds to its key. The key is not in it."""
        return hashlib.sha256(f"{len(self.base_url)} {self.base_url} {self.model}".encode()).hexdigest()

    def masked(self, text: str) -> str:
        """`text` without the key or any longer part of it, on one line, printable, at most 200 characters.

        Servers repeat keys in their error texts, whole or shortened.
        """
        return http_terms.masked(text, self.key)


def _prices(text: str) -> tuple[float, float] | tuple[None, None]:
    if not text.strip():
        return None, None
    try:
        price_in, price_out = map(float, text.split())
    except ValueError:
        price_in = price_out = -1.0
    if not (0 <= price_in < float("inf") and 0 <= price_out < float("inf")):
        raise LLMError(
            "CHUNKVIZ_LLM_PRICES must be two numbers with a blank between them: money per 1,000,000 tokens read, and "
            f"written. Got {text[:40]!r}."
        )
    return price_in, price_out
