"""The Ask screen without a browser: what it says of a search that cannot begin, or that goes wrong in every column."""

from __future__ import annotations

from html import unescape
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from chunkviz.errors import EmbedderError
from chunkviz.retrieval import rerank
from chunkviz.ui import searching

ROOT = Path(__file__).parent.parent


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The page with three columns and a search that needs no model."""
    monkeypatch.setenv("CHUNKVIZ_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    test.query_params["doc"] = "help_page"
    test.query_params["r"] = "retriever=keyword"
    test.query_params["c"] = ["fixed", "recursive", "sentence"]
    return test.switch_page("pages/ask.py").run()


def notices(page: AppTest) -> list[str]:
    return [unescape(h.proto.body) for h in page.get("html") if 'class="cv-notice' in h.proto.body]


def reranking(page: AppTest) -> Any:
    return next(s for s in page.selectbox if s.label == "Reranking")


def test_a_cross_encoder_that_is_not_here_is_marked_before_it_is_chosen(ask: AppTest) -> None:
    (marked,) = [o for o in reranking(ask).options if o.startswith("cross-encoder")]
    assert marked.endswith("(not on this computer)")
    assert not any("not on this computer" in o for o in reranking(ask).options if o != marked)


def test_and_said_once_when_it_is_chosen_with_what_can_be_done(ask: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(searching, "search", lambda *args, **more: asked.append(args))
    reranking(ask).set_value("cross_encoder").run()
    assert not ask.exception
    (said,) = [n for n in notices(ask) if "cross-encoder" in n]
    assert "There is no cross-encoder 'cross-encoder/ms-marco-MiniLM-L6-v2' on this computer." in said
    assert "fetch this one with `hf download cross-encoder/ms-marco-MiniLM-L6-v2`" in said
    assert "Under “More” you can name another one." in said
    assert asked == []  # nobody waits for a search that cannot end well
    # The way out is one click away.
    button = next(b for b in ask.button if b.label == "Rerank by late interaction")
    assert not button.disabled
    monkeypatch.undo()
    button.click().run()
    assert reranking(ask).value == "late_interaction"
    assert not [n for n in notices(ask) if "cross-encoder" in n]


def test_one_that_is_here_is_not_marked(ask: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rerank, "absent", lambda name: "")
    ask.run()
    assert not any("not on this computer" in o for o in reranking(ask).options)


def test_what_is_wrong_with_the_search_is_said_once_and_not_by_every_column(
    ask: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(*_: Any, **__: Any) -> Any:
        raise EmbedderError("The weights are damaged.")

    monkeypatch.setattr(searching, "searched", wrong)
    ask.run()
    assert notices(ask).count('<div class="cv-notice cv-error" role="alert">The weights are damaged.</div>') == 1
    assert not ask.exception


def test_what_can_be_told_without_loading_is_what_loading_says(tmp_path: Path) -> None:
    for name in ("nobody/nothing-of-this-name", str(tmp_path), "no name at all", ""):
        said = rerank.absent(name)
        with pytest.raises(EmbedderError) as caught:
            rerank.CrossEncoder(name)
        assert said == str(caught.value)
        assert ("hf download" in said) == (name == "nobody/nothing-of-this-name")
    (tmp_path / "model.safetensors").write_bytes(b"")
    assert rerank.absent(str(tmp_path)) == ""
