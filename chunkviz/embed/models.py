"""Embedders by name, each loaded once per process."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Final

from chunkviz.embed import minilm
from chunkviz.embed.base import Embedder
from chunkviz.embed.endpoint import PREFIX, Endpoint
from chunkviz.units import EMBEDDING_MODEL

DEFAULT: Final = EMBEDDING_MODEL

_loaded: dict[str, Embedder] = {}
_own: ContextVar[Mapping[str, Embedder]] = ContextVar("chunkviz_embedders", default=MappingProxyType({}))
_loading = threading.Lock()


def embedder(name: str = DEFAULT, *, download: bool = False) -> Embedder:
    """The embedder of this name, loaded at its first use; every later call gives the same one, in any thread.

    name     : `DEFAULT`; the name of a sentence-transformers model, or a folder with one; or "endpoint:MODEL" for a
               model behind the OpenAI-compatible endpoint that OPENAI_BASE_URL and OPENAI_API_KEY name
    download : fetch a model that is not here from the Hugging Face hub; without it nothing is ever fetched

    Raises `EmbedderError` for one that cannot be loaded, with what can.
    """
    own = _own.get().get(name)
    if own is not None:
        return own
    if name.startswith(PREFIX):
        return _behind_endpoint(name)
    found = _loaded.get(name)
    if found is None:
        with _loading:
            found = _loaded.get(name)
            if found is None:
                found = _load(name, download)
                _loaded[name] = found
    return found


@contextmanager
def using(own: Mapping[str, Embedder]) -> Iterator[None]:
    """Inside the `with`, these names mean these embedders, in this thread (or context) only: those of one session, whose
    keys are nobody else's."""
    token = _own.set(own)
    try:
        yield
    finally:
        _own.reset(token)


def _behind_endpoint(name: str) -> Embedder:
    """The one that the environment names now: a notebook may set another address between two calls."""
    made = Endpoint.from_environment(name.removeprefix(PREFIX))
    with _loading:
        known = _loaded.get(name)
        if isinstance(known, Endpoint) and known.asks_as(made):
            return known  # which knows its dimensions already
        _loaded[name] = made
    return made


def _load(name: str, download: bool) -> Embedder:
    if name == DEFAULT:
        return minilm.MiniLM()
    from chunkviz.embed import sentence_transformers

    return sentence_transformers.load(name, download=download, instead=available())


def available() -> tuple[str, ...]:
    """Names that `embedder` can load here and now without a network, the default first."""
    from chunkviz.embed import sentence_transformers

    bundled = (DEFAULT,) if minilm.folder() is not None else ()
    return (*bundled, *sentence_transformers.downloaded())
