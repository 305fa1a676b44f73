"""What follows from vectors is kept by all that decided them: a name alone may come to mean another model."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from hashlib import shake_128
from typing import Any

import numpy as np
import pytest
import scripted_server as scripted
from streamlit.testing.v1 import AppTest

import chunkviz
from chunkviz import embed
from chunkviz.chunking import Chunking
from chunkviz.document import Document
from chunkviz.embed import Embedder, Endpoint, embedder, identity

NAME = "endpoint:m"
TEXT = "One whale sings. Two invoices came. Three boats left. Four keys were lost. Five doors are open."
SEMANTIC = ("semantic", "semantic_structure", "semantic_optimal")


def vector(text: str, salt: str) -> list[float]:
    """8 numbers that follow from the text and from who is asked."""
    return [byte - 127.25 for byte in shake_128(f"{salt} {text}".encode()).digest(8)]


class Salted:
    """An embedder whose vectors follow from its revision and settings."""

    name, dimensions, limit = NAME, 8, None

    def __init__(self, revision: str = "1", settings: str = "float32") -> None:
        self.revision, self.settings = revision, settings
        self.asked = 0

    def __call__(self, texts: Sequence[str]) -> Any:
        self.asked += len(texts)
        rows = np.array([vector(t, self.revision + self.settings) for t in texts], dtype=np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def curve(made: Chunking) -> list[float]:
    assert made.curve is not None
    return made.curve.values.tolist()


def cut(document: Document, strategy: str, who: Embedder) -> Chunking:
    with embed.using({NAME: who}):
        return chunkviz.chunk(document, strategy, model=NAME)


@pytest.mark.parametrize("strategy", SEMANTIC)
@pytest.mark.parametrize("change", [{"revision": "2"}, {"settings": "bfloat16"}], ids=["revision", "settings"])
def test_another_model_under_the_same_name_gives_another_curve(strategy: str, change: dict[str, str]) -> None:
    document = Document.from_text(TEXT)
    before, after = Salted(), Salted(**change)
    first = curve(cut(document, strategy, before))
    second = curve(cut(document, strategy, after))
    assert second != first
    assert second == curve(cut(Document.from_text(TEXT), strategy, Salted(**change)))
    assert curve(cut(document, strategy, Salted())) == first  # and back again


def test_the_same_model_is_asked_once() -> None:
    document = Document.from_text(TEXT + " Six.")
    who = Salted("once")
    for strategy in SEMANTIC:
        cut(document, strategy, who)
    assert who.asked == 6


def embeddings(salt: str) -> scripted.Step:
    def step(handler: scripted.Handler, request: scripted.Request) -> None:
        data = [{"index": i, "embedding": vector(t, salt)} for i, t in enumerate(request.body["input"])]
        handler.reply(200, json.dumps({"data": data}).encode())

    return step


@pytest.fixture
def two_endpoints() -> Iterator[tuple[str, str]]:
    """Addresses of two endpoints that embed differently."""
    with ExitStack() as stack:
        servers = [stack.enter_context(scripted.scripted_server()) for _ in range(2)]
        for server, salt in zip(servers, ("this", "that"), strict=True):
            server.default = embeddings(salt)
        yield servers[0].base_url, servers[1].base_url


def test_the_environment_names_another_endpoint_in_mid_session(
    two_endpoints: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    document = Document.from_text(TEXT)
    found = []
    for address in (*two_endpoints, two_endpoints[0]):
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        assert embedder(NAME).revision == address
        assert embedder(NAME) is embedder(NAME)
        made = chunkviz.chunk(document, "semantic", model=NAME)
        assert made.recipe.versions[NAME].startswith(address)
        found.append(curve(made))
    assert found[0] != found[1]
    assert found[0] == found[2]


def test_another_key_is_another_endpoint_but_gives_the_same_vectors(
    two_endpoints: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", two_endpoints[0])
    monkeypatch.setenv("OPENAI_API_KEY", "sk-first-12345678")
    first = embedder(NAME)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-second-12345678")
    second = embedder(NAME)
    assert first is not second
    assert identity(first) == identity(second)
    assert "12345678" not in repr((identity(second), second, vars(second)["revision"]))


# In the app


def embedding_page() -> None:
    import streamlit as st

    from chunkviz.ui import embedding

    document = st.session_state["document"]
    st.text(repr(embedding.embedded(document, "endpoint:m").vectors.tolist()))


def ask_page() -> None:
    import streamlit as st

    from chunkviz import chunk
    from chunkviz.retrieval import RetrievalOptions
    from chunkviz.ui import searching

    document = st.session_state["document"]
    if "chunking" not in st.session_state:
        st.session_state["chunking"] = chunk(document, "sentence", sentences=1, overlap=0)
    options = RetrievalOptions.of({"model": "endpoint:m"})
    found = searching.searched(document, st.session_state["chunking"], "Who sings?", options, "one place")
    st.text(repr([scores.tolist() for scores in found.scores]))


@pytest.mark.parametrize("page", [embedding_page, ask_page])
def test_a_session_that_changes_its_endpoint_sees_other_vectors(
    page: Callable[[], None], two_endpoints: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")  # nobody: only the session's own can answer
    app = AppTest.from_function(page, default_timeout=60)
    app.session_state["document"] = Document.from_text(TEXT)
    app.session_state["models"] = [NAME]
    shown = []
    for address in (*two_endpoints, two_endpoints[0]):
        app.session_state["embedders"] = {NAME: Endpoint(address, None, "m", first_wait=0.01)}
        app.run()
        assert not app.exception, app.exception
        shown.append(app.text[-1].value)
    assert shown[0] != shown[1]
    assert shown[0] == shown[2]
