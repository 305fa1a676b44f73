"""The Evaluate screen without a browser: what a click starts, and what it must not start."""

from __future__ import annotations

from html import unescape
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from scripted_server import scripted_server
from streamlit.testing.v1 import AppTest

from chunkviz import llm
from chunkviz.embed import DEFAULT, embed
from chunkviz.errors import Stopped
from chunkviz.retrieval import rerank
from chunkviz.ui import estimating, evaluation_job

ROOT = Path(__file__).parent.parent


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The page with a small grid that needs no model."""
    monkeypatch.setenv("CHUNKVIZ_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    test.query_params["docs"] = ["help_page"]
    test.query_params["strategies"] = ["fixed"]
    test.query_params["sizes"] = ["64"]
    test.query_params["searches"] = ["keyword"]
    return test.switch_page("pages/evaluate.py").run()


def said(page: AppTest, words: str) -> list[str]:
    """What the page says, of all that holds these words, in the order of the page."""
    return [text for h in page.get("html") if words in (text := unescape(h.proto.body))]


def chosen(page: AppTest, key: str) -> Any:
    return next(m for m in page.multiselect if m.key == f"evaluate.{key}")


def run_button(page: AppTest) -> Any:
    return next(b for b in page.button if b.key == "evaluate.run")


def test_a_run_begins_without_counting_again(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was counted already; a second bar would have a stop button that stops no run."""
    started: list[Any] = []
    counted: list[Any] = []
    monkeypatch.setattr(evaluation_job.Job, "start", lambda job: started.append(job))
    monkeypatch.setattr(evaluation_job.Job, "watch", lambda job, bar: st.stop())
    monkeypatch.setattr(estimating, "workload", lambda *args, **more: counted.append(args))
    assert not run_button(page).disabled
    run_button(page).click().run()
    assert not page.exception
    assert len(started) == 1
    assert counted == []


def test_no_run_can_begin_whose_counting_was_stopped(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Any] = []
    monkeypatch.setattr(evaluation_job.Job, "start", lambda job: started.append(job))

    def stopped(*_: Any) -> Any:
        raise Stopped("Counting what it takes was stopped.")

    monkeypatch.setattr(estimating, "wait_for", stopped)
    run_button(page).click().run()
    assert started == []
    assert not page.exception
    assert run_button(page).disabled


def test_stopped_measuring_says_what_is_kept_and_what_starts_again(
    page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before, a button "Start again" stood there by itself, and nothing told what it would start."""
    measuring: list[str] = []

    def measured(part: Any, **_: Any) -> Any:
        measuring.append(part.model)
        # As if the reader pressed "Stop".
        page.session_state["stopped"] = {f"evaluate.measure.{part.model}"}
        st.rerun()

    monkeypatch.setattr(estimating, "measured", measured)
    chosen(page, "sizes").set_value(["16", "24"])
    chosen(page, "searches").set_value(["dense"]).run()
    assert not page.exception
    assert measuring == [DEFAULT]
    (notice,) = said(page, "was stopped")
    assert f"Measuring how fast this machine embeds with {DEFAULT} was stopped" in notice
    assert "The vectors made until then are stored, and are not made again." in notice
    assert "“Start again” measures with the texts that are left." in notice
    # Below the sentence that lacks the time, and not above it.
    order = [h.proto.body for h in page.get("html")]
    estimate = next(at for at, body in enumerate(order) if 'data-testid="estimate"' in body)
    assert "how long that takes was not measured" in order[estimate]
    assert next(at for at, body in enumerate(order) if "was stopped" in body) > estimate
    assert not run_button(page).disabled
    # And it does what it says.
    again = [b for b in page.button if b.label == "Start again"]
    assert len(again) == 1
    again[0].click().run()
    assert measuring == [DEFAULT, DEFAULT]


def test_what_was_embedded_before_a_stop_is_not_counted_as_left(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[int] = []

    def measured(part: Any, **_: Any) -> Any:
        kept.append(part.texts)
        embed(part.sample[:5], part.by)
        page.session_state["stopped"] = {f"evaluate.measure.{part.model}"}
        st.rerun()

    monkeypatch.setattr(estimating, "measured", measured)
    chosen(page, "sizes").set_value(["16", "24"])
    chosen(page, "searches").set_value(["dense"]).run()
    (estimate,) = said(page, 'data-testid="estimate"')
    assert f"{kept[0] - 5:,} texts to embed" in estimate


def test_a_cross_encoder_that_is_not_here_is_said_before_anything_runs(
    page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    marked = [o for o in chosen(page, "rerankers").options if "cross-encoder" in o]
    assert marked == ["reranked by a cross-encoder (not on this computer)"]
    chosen(page, "rerankers").set_value(["none", "cross_encoder"]).run()
    (notice,) = said(page, "There is no cross-encoder")
    assert "hf download" in notice
    assert "“How it is searched, and how far”" in notice
    assert run_button(page).disabled
    monkeypatch.setattr(rerank, "absent", lambda name: "")
    page.run()
    assert not said(page, "There is no cross-encoder")
    assert not run_button(page).disabled


def test_a_strategy_that_asks_a_model_asks_the_one_of_the_session_and_says_so_before(
    page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before, only an endpoint of the environment counted, and a run was as quiet about it as any other."""
    assert "Language model" not in chosen(page, "strategies").options
    with scripted_server() as server:
        page.session_state["llm.endpoint"] = llm.Endpoint(server.base_url, "sk-secret", "scripted-1", 2.0, 8.0)
        page.run()
        assert "Language model" in chosen(page, "strategies").options
        assert not said(page, 'data-testid="asking"')
        chosen(page, "strategies").set_value(["fixed", "llm"]).run()
        assert not page.exception
        (words,) = said(page, 'data-testid="asking"')
        assert "“Language model” asks the language model at 127.0.0.1" in words
        assert "tokens to read" in words
        assert "by its prices" in words
        assert "nothing before" in words
        assert server.requests == []
        (estimate,) = said(page, 'data-testid="estimate"')
        assert "known only when the language model has answered" in estimate
        # What runs asks this endpoint, in another thread.
        run_button(page).click().run()
        assert not page.exception
        assert len(server.requests) >= 1
        assert all(r.headers["authorization"] == "Bearer sk-secret" for r in server.requests)
        (words,) = said(page, 'data-testid="asking"')
        assert "is stored already: nothing is sent to it." in words
        assert "sk-secret" not in str(page.get("html"))
