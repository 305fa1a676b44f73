"""The Evaluate screen without a browser: what a click starts, and what it must not start."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from chunkviz.errors import Stopped
from chunkviz.ui import estimating, evaluation_job

ROOT = Path(__file__).parent.parent


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The page with a small grid that needs no model."""
    monkeypatch.setenv("CHUNKVIZ_CACHE_DIR", str(tmp_path))
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    test.query_params["docs"] = ["help_page"]
    test.query_params["strategies"] = ["fixed"]
    test.query_params["sizes"] = ["64"]
    test.query_params["searches"] = ["keyword"]
    return test.run().switch_page("pages/evaluate.py").run()


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
