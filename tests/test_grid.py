"""Grids of recipes, what their charts show, what stands behind a cell, and what a run will take."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fake_embedders import Hashed

import chunkviz
from chunkviz import behind, sweeps
from chunkviz.document import Document
from chunkviz.embed import DEFAULT, VectorStore, default_store, embed, using
from chunkviz.embed.store import keys
from chunkviz.errors import ParameterError, Stopped
from chunkviz.evaluate import Step, estimate
from chunkviz.evaluation import Evaluation
from chunkviz.grid import MOST_RECIPES, RERANKERS, Grid, depth_label, joined, label, spelled
from chunkviz.metrics.retrieval import RETRIEVAL
from chunkviz.questions import Gold, Question
from chunkviz.retrieval import RetrievalOptions
from chunkviz.similarity.cutting import sentence_texts
from chunkviz.units import unit
from chunkviz.workload import SLAB, Part, Workload, after, measurable, measured, waiting, workload

TEXT = (
    "# Harbour\n\nThe harbour opens at nine and closes at five. Boats pay four euros a night.\n\n"
    "## Dogs\n\nDogs are welcome on the pier. They must not swim in the basin.\n"
)
DOCS = {"harbour.md": Document.from_text(TEXT, name="harbour.md")}


def asked(text: str, *quotes: str) -> Question:
    return Question(text, tuple(Gold("harbour.md", TEXT.index(q), TEXT.index(q) + len(q)) for q in quotes))


QUESTIONS = (
    asked("What do boats pay?", "Boats pay four euros a night."),
    asked("May dogs swim in the basin?", "They must not swim in the basin."),
    asked("When is it open?", "opens at nine", "closes at five"),
)


def run(grid: Grid, **more: object) -> Evaluation:
    return chunkviz.evaluate(DOCS, QUESTIONS, grid.recipes().recipes, k=2, retrieval={"retriever": "keyword"}, **more)  # type: ignore[arg-type]


# The grid


def test_every_combination_once_in_order() -> None:
    made = Grid(("recursive", "fixed"), (128, 256), (0, 32)).recipes()
    assert [(r["strategy"], r["params"]["size"], r["params"]["overlap"]) for r in made.recipes] == [
        (strategy, size, overlap) for strategy in ("recursive", "fixed") for size in (128, 256) for overlap in (0, 32)
    ]
    assert made.left_out == []
    assert all("retrieval" not in r for r in made.recipes)


def test_an_axis_that_a_strategy_has_not_stands_once() -> None:
    made = Grid(("sentence", "semantic"), (128,), (0, 32)).recipes()
    # The overlap of `sentence` counts sentences, that of the grid tokens.
    assert [r["params"] for r in made.recipes] == [{"size": 128}, {"size": 128}]


def test_impossible_combinations_are_left_out_and_said() -> None:
    made = Grid(("fixed",), (16, 128), (0, 16)).recipes()
    assert [(r["params"]["size"], r["params"]["overlap"]) for r in made.recipes] == [(16, 0), (128, 0), (128, 16)]
    assert "size 16 with overlap 16" in made.left_out[0]
    late = Grid(("fixed",), (128,), (0,), modes=("plain", "late"), searches=("dense", "keyword")).recipes()
    assert len(late.recipes) == 3
    assert "Late chunking" in late.left_out[0]


def test_ways_to_search_are_part_of_the_recipe() -> None:
    made = Grid(("fixed",), (128,), (0,), modes=("plain", "headings"), rerankers=tuple(RERANKERS)[:2]).recipes()
    assert [r.get("retrieval", {}) for r in made.recipes] == [
        {},
        {"reranker": "late_interaction"},
        {"mode": "headings"},
        {"mode": "headings", "reranker": "late_interaction"},
    ]


@pytest.mark.parametrize("grid", [Grid(strategies=()), Grid(sizes=(8,), overlaps=(8,), strategies=("fixed",))])
def test_an_empty_grid_is_refused(grid: Grid) -> None:
    with pytest.raises(ParameterError, match="no recipe"):
        grid.recipes()


def test_a_grid_without_end_is_refused() -> None:
    with pytest.raises(ParameterError, match=f"at most {MOST_RECIPES}"):
        Grid(("fixed",), tuple(range(100, 200)), (0,)).recipes()


def test_every_recipe_of_a_grid_runs() -> None:
    grid = Grid(
        ("recursive", "sentence"), (8, 20), (0, 4), modes=("plain", "headings", "small_to_big", "sentence_window")
    )
    made = run(grid)
    assert len(made.results) == len(grid.recipes().recipes)
    assert len({label(r) for r in made.results}) == len(made.results)


def test_labels_are_words() -> None:
    given = {"strategy": "recursive", "params": {"size": 128, "overlap": 0}, "unit": "cl100k_base"}
    options = RetrievalOptions(mode="headings", retriever="hybrid", reranker="late_interaction")
    assert spelled(given, options) == (
        "Recursive, 128 tokens, overlap 0, heading path in front, by both, reranked token by token"
    )
    turned = {**given, "params": {"overlap": 0, "size": 128}}
    assert spelled(turned, options) == spelled(given, options)
    assert spelled(given, options, ["size", "reranker", "mode"]) == "Recursive, overlap 0, by both"
    assert [depth_label(k) for k in (1, 10, "min", "tokens:500")] == [
        "first 1 passage",
        "first 10 passages",
        "as many as needed",
        "first 500 tokens",
    ]


def test_two_parts_of_a_stopped_run_are_the_whole() -> None:
    grid = Grid(("recursive", "fixed"), (8, 20), (0,))
    recipes = grid.recipes().recipes

    def stop_at_third(step: Step) -> None:
        if step.recipe == 2:
            raise Stopped("enough")

    part = run(grid, progress=stop_at_third)
    assert part.stopped
    assert len(part.results) == 2
    rest = chunkviz.evaluate(DOCS, QUESTIONS, recipes[2:], k=2, retrieval={"retriever": "keyword"})
    whole = joined(part, rest)
    assert not whole.stopped
    assert whole.to_dict(cells=True)["results"] == run(grid).to_dict(cells=True)["results"]
    other = chunkviz.evaluate(DOCS, QUESTIONS[:1], recipes, k=2, retrieval={"retriever": "keyword"})
    with pytest.raises(ParameterError, match="parts of one evaluation"):
        joined(part, other)


# The charts


def test_lines_join_what_differs_in_one_value_only() -> None:
    made = run(Grid(("recursive", "fixed"), (8, 16, 24), (0, 4)))
    lines = sweeps.lines(made.results, "token_recall", "size")
    assert [line.label for line in lines] == [
        "Recursive, overlap 0, by words",
        "Recursive, overlap 4, by words",
        "Fixed size, overlap 0, by words",
        "Fixed size, overlap 4, by words",
    ]
    assert [p.x for p in lines[0].points] == [8, 16, 24]
    for line in lines:
        for point in line.points:
            mean = made.results[point.result].metrics["token_recall"].mean
            assert mean == pytest.approx(point.mean.value)
            assert 0 <= point.mean.low <= point.mean.value <= point.mean.high <= 1
    assert len(sweeps.lines(made.results, "token_recall", "overlap")) == 6
    assert sweeps.lines(made.results[:1], "token_recall", "size") == []
    assert sweeps.lines(made.results, "page_f1", "size") == []  # no question has a value


def test_reranked_recipes_meet_what_they_were_before() -> None:
    recipes = Grid(("sentence",), (8, 64), (0,), rerankers=("none", "late_interaction")).recipes().recipes
    made = chunkviz.evaluate(DOCS, QUESTIONS, recipes, k=1)
    pairs = sweeps.reranked(made.results, "mrr")
    assert [(p.before, p.after, p.label) for p in pairs] == [
        (0, 1, "Sentences, 8 tokens"),
        (2, 3, "Sentences, 64 tokens"),
    ]
    assert pairs[0].difference == made.results[1].against(made.results[0], "mrr")


def test_the_hardest_question_comes_first() -> None:
    made = run(Grid(("fixed",), (6, 12), (0,)))
    order = sweeps.hardest_first(made.results, "token_recall")
    means = [sum(r.values("token_recall")[q] or 0 for r in made.results) for q in order]
    assert means == sorted(means)
    assert sorted(order) == [0, 1, 2]
    assert sweeps.hardest_first(made.results, "page_f1") == [0, 1, 2]


def test_two_runs_meet_by_recipe_and_k() -> None:
    a, b = run(Grid(("fixed",), (6, 12), (0,))), run(Grid(("fixed",), (12, 24), (0,)))
    met = sweeps.met(a.results, b.results, "token_recall")
    assert [(m.a, m.b) for m in met] == [(0, None), (1, 0), (None, 1)]
    assert met[0].difference is None
    both = met[1].difference
    assert both is not None
    assert both.mean == 0


# Behind a cell


def test_the_pieces_are_the_text_and_the_cut_is_where_it_is() -> None:
    made = run(Grid(("fixed",), (6,), (0,))).results[0]
    cut = next(c for c in made.cells if any(c.cut))
    for answer in behind.answers(cut, DOCS, made.chunkings):
        text = "".join(p.text for p in answer.pieces if p.kind != "cut").replace("… ", "").replace(" …", "")
        assert text in TEXT
    parted = [a for a in behind.answers(cut, DOCS, made.chunkings) if not a.whole]
    assert any(p.kind == "cut" for a in parted for p in a.pieces)
    for passage in behind.passages(cut, DOCS):
        r = passage.retrieved
        assert "".join(p.text for p in passage.pieces) == TEXT[r.start : r.end]
        assert any(p.kind in ("whole", "part") for p in passage.pieces) == r.relevant


def test_found_and_missed_add_up_to_the_metric() -> None:
    for result in run(Grid(("fixed", "recursive"), (5, 9), (0, 2))).results:
        for cell in result.cells:
            pieces = [p for a in behind.answers(cell, DOCS, result.chunkings) for p in a.pieces]
            found = sum(len(p.text) for p in pieces if p.kind == "found")
            missed = sum(len(p.text) for p in pieces if p.kind == "missed")
            assert found / (found + missed) == pytest.approx(cell.values["token_recall"].value)


def test_whole_answers_have_no_cut_where_chunks_do_not_overlap() -> None:
    for result in run(Grid(("fixed", "recursive", "sentence"), (6, 20), (0,))).results:
        for cell in result.cells:
            for answer, gold_cut in zip(behind.answers(cell, DOCS, result.chunkings), cell.cut, strict=True):
                assert answer.whole == (not gold_cut)
                if result.given["strategy"] != "sentence":  # whose chunks share a sentence
                    assert any(p.kind == "cut" for p in answer.pieces) == gold_cut


# What it takes


def test_the_workload_is_the_estimate(tmp_path: Path) -> None:
    store = VectorStore(tmp_path / "vectors.sqlite")
    recipes = Grid(("recursive", "fixed"), (8, 16), (0, 4), modes=("plain", "headings")).recipes().recipes
    found = workload(DOCS, QUESTIONS, recipes, store=store)
    each = estimate(DOCS, QUESTIONS, recipes, store=store)
    assert found.chunks == sum(e.chunks for e in each)
    assert found.texts == sum(e.texts for e in each)
    assert found.shares == tuple(e.tokens for e in each)
    assert found.tokens == sum(e.tokens for e in each)
    assert found.unknown == ()
    made = chunkviz.evaluate(DOCS, QUESTIONS, recipes, store=store)
    assert made.embedding.fresh == found.texts
    then = workload(DOCS, QUESTIONS, recipes, store=store)
    assert (then.texts, then.tokens, then.shares, then.parts) == (0, 0, (0,) * len(recipes), ())


def test_the_estimate_is_held_against_a_real_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks and texts to the last one, sentences of a strategy that compares them included."""
    monkeypatch.setenv("CHUNKVIZ_CACHE_DIR", str(tmp_path))
    store = default_store()
    recipes = Grid(("recursive", "fixed", "semantic"), (8, 16), (0, 4)).recipes().recipes
    found = workload(DOCS, QUESTIONS, recipes)
    numbers = [at for at, r in enumerate(recipes) if r["strategy"] == "semantic"]
    assert list(found.unknown) == numbers
    assert store.size()[0] == 0
    made = chunkviz.evaluate(DOCS, QUESTIONS, recipes)
    known = [r for at, r in enumerate(made.results) if at not in numbers]
    assert found.chunks == sum(r.chunks for r in known)
    # What the chunks of the rest add is what could not be known before.
    late = {c.text for at in numbers for k in made.results[at].chunkings.values() for c in k.chunks}
    early = {c.text for r in known for k in r.chunkings.values() for c in k.chunks} | {q.text for q in QUESTIONS}
    assert store.size()[0] == found.texts + len(late - early)
    sentences = {s for d in DOCS.values() for s in sentence_texts(d)}
    assert made.embedding.fresh == found.texts - len(sentences) + len(late - early)
    assert workload(DOCS, QUESTIONS, recipes).texts == 0


def test_every_model_has_its_own_part(tmp_path: Path) -> None:
    store = VectorStore(tmp_path / "vectors.sqlite")
    other = Hashed()
    recipes = Grid(("fixed",), (8,), (0,), models=(DEFAULT, other.name)).recipes().recipes
    with using({other.name: other}):
        found = workload(DOCS, QUESTIONS, recipes, store=store)
        assert [(p.model, p.texts) for p in found.parts] == [
            (DEFAULT, found.texts // 2),
            (other.name, found.texts // 2),
        ]
        assert sum(p.tokens for p in found.parts) == found.tokens == sum(found.shares)
        made = chunkviz.evaluate(DOCS, QUESTIONS, recipes, store=store)
        assert made.embedding.fresh == found.texts
    assert made.models == tuple(sorted((DEFAULT, other.name)))
    assert [label(r) for r in made.results] == [
        "Fixed size, 8 tokens, overlap 0",
        f"Fixed size, 8 tokens, overlap 0, model {other.name}",
    ]
    one, two = made.results
    assert [c.retrieved for c in one.cells] != [c.retrieved for c in two.cells]


def test_models_are_an_axis_of_what_needs_them() -> None:
    made = Grid(
        ("fixed",),
        (64,),
        (0,),
        modes=("plain", "late"),
        searches=("dense", "keyword"),
        rerankers=("none", "late_interaction"),
        models=(DEFAULT, "other"),
    ).recipes()
    named = [r["retrieval"]["model"] for r in made.recipes if "model" in r.get("retrieval", {})]
    assert named == ["other"]  # plain and dense; the rest needs vectors of tokens, or no model at all
    assert sum("keyword" in str(r) for r in made.recipes) == 2
    assert any("single tokens" in words for words in made.left_out)


class Slow:
    """An embedder that takes its time, by a clock of its own."""

    name, revision, settings, dimensions, limit = "slow", "1", "test", 2, None
    now = 0.0

    def __init__(self, seconds: Sequence[float]) -> None:
        self.seconds = list(seconds)

    def __call__(self, texts: Sequence[str]) -> Any:
        self.now += self.seconds.pop(0)
        return np.tile(np.array([1.0, 0.0], dtype=np.float32), (len(texts), 1))


def test_the_time_is_a_range_from_the_slowest_to_the_fastest_slab(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = Slow([100.0, 2.0, 4.0])
    monkeypatch.setattr("chunkviz.workload.time.monotonic", lambda: slow.now)
    texts = tuple(f"word {at:03}" for at in range(3 * SLAB))
    each = unit("cl100k_base").count(texts[0]) * SLAB
    part = Part("slow", slow, len(texts), 3 * each, texts)
    store = VectorStore(tmp_path / "vectors.sqlite")
    pace = measured(part, store=store)
    assert pace is not None  # the first slab, in which a model warms up, does not count
    assert (pace.slowest, pace.fastest) == pytest.approx((each / 4, each / 2))
    assert "measured on 32 of these texts" in pace.source
    work = Workload(1, len(texts), 3 * each, (each, 2 * each), (part,), ())
    assert waiting(work, {"slow": pace}) == pytest.approx((6.0, 12.0))
    assert waiting(work, {}) is None
    left = after(work, part)
    assert (left.texts, left.tokens, left.shares, left.parts) == (0, 0, (0, 0), ())
    assert measured(part, store=store) is None  # all of it is stored by now
    assert not measurable(Part("slow", slow, 1, 1, texts[: 2 * SLAB - 1]))


def test_the_sample_is_embedded_once_and_counts(tmp_path: Path) -> None:
    """Measuring is a part of the work: with the same model and precision, so that the run need not do it again."""
    store = VectorStore(tmp_path / "vectors.sqlite")
    recipes = Grid(("fixed",), (8,), (0,)).recipes().recipes
    before = workload(DOCS, QUESTIONS, recipes, store=store)
    (part,) = before.parts
    embed(part.sample, part.by, store=store)
    now = workload(DOCS, QUESTIONS, recipes, store=store)
    left = after(before, part)
    assert (now.texts, now.tokens) == (left.texts, left.tokens)


def test_strategies_that_compare_sentences_are_not_run_for_a_count(tmp_path: Path) -> None:
    store = VectorStore(tmp_path / "vectors.sqlite")
    recipes = Grid(("semantic", "fixed"), (64,), (0,)).recipes().recipes
    told: list[tuple[int, int]] = []
    found = workload(DOCS, QUESTIONS, recipes, store=store, tell=lambda done, total: told.append((done, total)))
    assert found.unknown == (0,)
    assert store.size()[0] == 0  # nothing was embedded
    assert told == [(1, 2), (2, 2)]
    (part,) = found.parts
    assert not store.get(keys(part.by, part.sample))


def test_a_second_strategy_that_compares_the_same_sentences_is_not_run_for_a_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHUNKVIZ_CACHE_DIR", str(tmp_path))
    store = default_store()
    one = workload(DOCS, QUESTIONS, Grid(("semantic",), (64,), (0,)).recipes().recipes, store=store)
    two = workload(DOCS, QUESTIONS, Grid(("semantic",), (64, 32), (0,)).recipes().recipes, store=store)
    assert two.unknown == (0, 1)
    assert two.texts == one.texts
    assert store.size()[0] == 0


# What is behind a figure


def test_the_questions_behind_a_figure_are_all_of_them_and_give_its_mean() -> None:
    made = run(Grid(("fixed", "recursive"), (8, 16), (0,)))
    base = made.results[0]
    for result in made.results:
        for metric in RETRIEVAL:
            found = behind.questions(result, metric.id)
            assert sorted(a.question for a in found) == list(range(len(QUESTIONS)))
            values = [a.result.value for a in found if a.result.value is not None]
            mean = result.metrics[metric.id].mean
            assert values == sorted(values, reverse=metric.better == "lower")
            assert mean is None if not values else mean == pytest.approx(sum(values) / len(values))
            against = behind.questions(result, metric.id, base)
            differences = [a.difference for a in against if a.difference is not None]
            assert differences == sorted(differences, reverse=metric.better == "lower")
            whole = result.against(base, metric.id)
            if whole is not None:
                assert sum(differences) / len(differences) == pytest.approx(whole.mean)
        for asked in behind.questions(result, "hit"):
            cell = result.cells[asked.question]
            assert (asked.first is None) == (cell.values["hit"].value == 0)
            assert asked.cut == any(cell.cut)


def test_the_documents_behind_a_count_add_up_to_it() -> None:
    for result in run(Grid(("fixed", "sentence"), (8, 16), (0, 4), modes=("plain", "headings"))).results:
        parts = behind.parts(result, result.chunkings)
        assert [p.document for p in parts] == list(DOCS)
        assert sum(p.chunks for p in parts) == result.chunks
        assert sum(p.embedded for p in parts) == result.embedded
        sizes = sum((p.mean_tokens or 0) * p.chunks for p in parts)
        assert sizes / result.chunks == pytest.approx(result.mean_tokens)
