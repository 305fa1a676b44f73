"""What an evaluation will ask of a language model, told before it is asked: held against what is really sent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import scripted_server as scripted
from scripted_server import ScriptedServer

import chunkviz
from chunkviz import Document, LLMError, StrategyError, llm, registry, workload
from chunkviz.grid import Grid
from chunkviz.llm import Endpoint, Limits
from chunkviz.questions import Gold, Question
from chunkviz.settings import Settings
from chunkviz.text import numbered

TEXT = " ".join(f"Boat number {n} pays {n + 7} euros a night and leaves at noon." for n in range(60))
DOCS = {"one.txt": Document.from_text(TEXT, "one.txt"), "two.txt": Document.from_text(TEXT[::-1], "two.txt")}
QUESTIONS = [Question("What does boat number 3 pay?", (Gold("one.txt", 0, 30),))]
BY_WORDS = {"retriever": "keyword"}


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    monkeypatch.setenv("CHUNKVIZ_CACHE_DIR", str(tmp_path / "store"))
    monkeypatch.setattr(numbered, "settings", lambda: Settings(llm_window_characters=900))
    with scripted.scripted_server() as made:
        yield made


def test_what_is_told_is_what_is_sent_and_nothing_is_sent_to_tell_it(server: ScriptedServer) -> None:
    recipes = (
        Grid(("llm", "proposition", "fixed"), (20, 60), (0,), searches=("keyword",), unit="words").recipes().recipes
    )
    with llm.using(Endpoint(server.base_url, "", "m", 2.0, 8.0)):
        told = workload.workload(DOCS, QUESTIONS, recipes, BY_WORDS)
        assert server.requests == []
        assert told.asking is not None
        assert told.asking.strategies == ("llm", "proposition")
        left = told.asking.estimate
        assert left.questions > 4
        assert left.cost == pytest.approx((left.tokens_in * 2 + left.tokens_out * 8) / 1e6)
        chunkviz.evaluate(DOCS, QUESTIONS, recipes, retrieval=BY_WORDS)
        # Sizes share their answers: four recipes, and each question is sent once.
        assert len(server.requests) == left.questions
        sent = [tuple(m["content"] for m in r.body["messages"]) for r in server.requests]
        assert len(set(sent)) == len(sent)
        count = chunkviz.units.unit("cl100k_base").count
        assert sum(count(text) for messages in sent for text in messages) == left.tokens_in
        then = workload.workload(DOCS, QUESTIONS, recipes, BY_WORDS)
        assert then.asking is not None
        assert then.asking.estimate == llm.Estimate(0, 0, 0, 0.0)


def test_answers_of_another_model_are_not_counted_as_known(server: ScriptedServer) -> None:
    recipes = [{"strategy": "llm"}]
    with llm.using(Endpoint(server.base_url, "", "m")):
        chunkviz.evaluate(DOCS, QUESTIONS, recipes, retrieval=BY_WORDS)
    told = []
    for name in ("m", "other", ""):  # "": which one it serves, only the endpoint can say
        with llm.using(Endpoint(server.base_url, "", name)):
            found = workload.workload(DOCS, QUESTIONS, recipes, BY_WORDS).asking
            assert found is not None
            assert found.estimate.cost is None
            told.append(found.estimate.questions)
    assert told[0] == 0
    assert told[1] == told[2] == len(server.requests)


def test_a_grid_without_such_strategies_asks_nothing() -> None:
    recipes = Grid(("fixed",), (20,), (0,), searches=("keyword",)).recipes().recipes
    assert workload.workload(DOCS, QUESTIONS, recipes).asking is None


def test_what_would_be_refused_later_is_refused_before(server: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    recipes = [{"strategy": "llm"}]
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(LLMError, match="No language model is set"):
        workload.workload(DOCS, QUESTIONS, recipes, BY_WORDS)
    with (
        llm.using(Endpoint(server.base_url, "", "m"), limits=Limits(questions=2)),
        pytest.raises(LLMError, match=r"would take \d+ questions .* the limit is 2 \(CHUNKVIZ_LLM_QUESTIONS\)"),
    ):
        workload.workload(DOCS, QUESTIONS, recipes, BY_WORDS)
    assert server.requests == []


def test_a_strategy_that_does_not_tell_what_it_asks_is_refused(server: ScriptedServer) -> None:
    silent = replace(registry.strategy("llm"), cut=registry.strategy("fixed").cut)
    with pytest.raises(StrategyError, match="nobody can know what it would cost"):
        workload.questions_of(silent, DOCS["one.txt"])
