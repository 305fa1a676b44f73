"""The language model of a session: where it is, what asking it will take, and asking it with a stop button.

Address and key are typed by the reader and live in the session's memory only: no link, cache, log, export or message
holds them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Any

import streamlit as st

from chunkviz import embed, llm, registry
from chunkviz.document import Document
from chunkviz.errors import LLMError
from chunkviz.ui import cards, progress
from chunkviz.ui.cache_keys import key_of
from chunkviz.workload import questions_of

NONE = "Without one, the strategies that ask a model say what they need."


class NotYetError(LLMError):
    """A model was not asked, because that costs something and nobody has agreed to it yet."""


def current() -> llm.Endpoint | None:
    """The endpoint of this session, else that of the environment."""
    own = st.session_state.get("llm.endpoint")
    return own if isinstance(own, llm.Endpoint) else llm.Endpoint.from_environment()


@contextmanager
def in_use() -> Iterator[None]:
    """Inside the `with`, strategies ask the endpoint of this session, and embed with its own embedders."""
    endpoint = current()
    with llm.using(endpoint) if endpoint else nullcontext(), embed.using(embedders()):
        yield


def embedders() -> Mapping[str, embed.Embedder]:
    """Embedding models behind the endpoint whose address and key this session's reader has typed."""
    found: dict[str, embed.Embedder] = st.session_state.setdefault("embedders", {})
    return found


def panel() -> None:
    """Where the reader says which model to ask."""
    with st.popover("Language model", icon=":material/smart_toy:", width="stretch"):
        cards.plain(
            "Any OpenAI-compatible endpoint: a hosted one, or Ollama, vLLM, LM Studio, llama.cpp on this machine."
        )
        address = st.text_input("Address", key="llm.address", placeholder="http://127.0.0.1:11434/v1")
        key = st.text_input("Key", key="llm.key", type="password", help="Kept in the memory of this page only.")
        model = st.text_input(
            "Model", key="llm.model", help="As the endpoint calls it; empty where it serves only one."
        )
        if st.button("Use it", disabled=not address.strip(), key="llm.use"):
            try:
                st.session_state["llm.endpoint"] = llm.Endpoint(address.strip(), key.strip(), model.strip())
            except LLMError as error:
                cards.notice("error", str(error))
        found = current()
        cards.plain(f"In use: {found.host}, {found.model or 'its only model'}." if found else f"None yet. {NONE}")


def ask(document: Document, strategy: str, run: Callable[[], Any]) -> None:
    """Have the session's model asked all that `run` needs, after the reader has agreed, with a bar and a stop button.

    The answers are stored by content, so that a later run asks nothing. Raises `NotYetError` before the reader agreed,
    `LLMError` where the endpoint refuses, `Stopped` where the reader stopped it.
    """
    endpoint = current()
    if endpoint is None:
        return  # the strategy itself says what it needs
    key = key_of("llm", document.fingerprint, strategy, endpoint.identity)
    agreed: set[str] = st.session_state.setdefault("llm.agreed", set())
    title = registry.strategy(strategy).title
    if key not in agreed:
        estimate = llm.estimate(questions_of(registry.strategy(strategy), document), endpoint)
        cost = f", about {estimate.cost:.4f} by its prices" if estimate.cost is not None else ""
        st.button(
            f"Ask {endpoint.host} for “{title}”",
            key=f"agree.{key}",
            icon=":material/smart_toy:",
            on_click=agreed.add,
            args=(key,),
        )
        raise NotYetError(
            f"“{title}” would send this document to {endpoint.host} in {estimate.questions:,} "
            f"question{'' if estimate.questions == 1 else 's'}: about {estimate.tokens_in:,} tokens to read and "
            f"{estimate.tokens_out:,} to write{cost}. Nothing has been sent yet."
        )
    done: set[str] = st.session_state.setdefault("llm.done", set())
    if key in done:
        return

    def job(stop: threading.Event) -> None:
        # The session's endpoint is a context of its own thread, and this is another one.
        with llm.using(endpoint, stop=stop):
            run()

    progress.waited(job, text=f"Asking {endpoint.host}", seconds=llm.Limits.of_process().seconds * 10, key=key)
    done.add(key)
