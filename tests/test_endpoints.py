"""A language model in the app: nothing is sent before the reader agrees, and the key is nowhere but in memory."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from chunkviz import settings

KEY = "sk-verysecretkey0123456789"


def texts(app: AppTest) -> str:
    return " ".join(str(e.proto) for e in app.get("html"))


def opened(strategy: str) -> AppTest:
    app = AppTest.from_file("../app.py", default_timeout=120)
    app.query_params["doc"] = "call_transcript"
    app.query_params["c"] = strategy
    return app


@pytest.mark.parametrize("strategy", ["llm", "proposition"])
def test_nothing_is_asked_before_the_reader_agrees(strategy: str) -> None:
    app = opened(strategy).run()
    assert not app.exception
    assert "Nothing has been sent yet." in texts(app)
    agree = next(b for b in app.button if b.label.startswith("Ask "))
    agree.click().run()
    assert not app.exception
    assert "Nothing has been sent yet." not in texts(app)
    assert app.get("bidi_component")  # the columns


def test_without_an_endpoint_the_strategy_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "OPENAI_MODEL"):
        monkeypatch.delenv(name, raising=False)
    app = opened("llm").run()
    assert not app.exception
    assert "OPENAI_BASE_URL" in texts(app)


def page() -> None:
    """The panel, and a strategy that asks."""
    import streamlit as st

    from chunkviz import ChunkvizError, Document
    from chunkviz.ui import cache, endpoints

    endpoints.panel()
    try:
        made = cache.chunking(Document.from_text("One whale sings. Two invoices came."), "llm", {}, "cl100k_base")
        st.text(f"{len(made.chunks)} chunks")
    except ChunkvizError as error:
        st.text(str(error))


def test_a_key_typed_in_is_in_nothing_that_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("CHUNKVIZ_LLM_TRIES", "1")
    settings.settings.cache_clear()
    app = AppTest.from_function(page, default_timeout=60).run()
    assert "OPENAI_BASE_URL" in app.text[-1].value
    app.text_input(key="llm.address").input("http://127.0.0.1:9/v1")
    app.text_input(key="llm.key").input(KEY).run()
    app.button(key="llm.use").click().run()
    assert "Nothing has been sent yet." in app.text[-1].value
    next(b for b in app.button if b.label.startswith("Ask ")).click().run()
    assert not app.exception
    assert "127.0.0.1:9" in app.text[-1].value  # nobody listens there
    assert KEY not in " ".join(t.value for t in app.text) + texts(app)
    settings.settings.cache_clear()
