"""Which recipe to take: by what a document looks like, and by what was measured."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import chunkviz
from chunkviz import advice, samples
from chunkviz.document import Document
from chunkviz.errors import ParameterError
from chunkviz.evaluation import Cell, EmbeddingCost, Evaluation, RecipeResult, Summary
from chunkviz.metrics.base import Result
from chunkviz.questions import Gold, Question
from chunkviz.retrieval import RetrievalOptions

WORDS = "The harbour opens at nine in the morning and closes at five in the afternoon, except on Sundays. "
QUESTIONS = tuple(Question(f"Question {n}?", (Gold("d", n, n + 1),)) for n in range(40))


def result(
    size: int, recall: list[float], read: float, stored: int = 1000, k: int | str = 5, metric: str = "token_recall"
) -> RecipeResult:
    """One recipe whose questions got these values."""
    cells = tuple(
        Cell(q, (), {metric: Result(value), "tokens_retrieved": Result(read)}, (False,))
        for q, value in zip(QUESTIONS, recall, strict=False)
    )
    return RecipeResult(
        given={"strategy": "recursive", "params": {"size": size, "overlap": 0}, "unit": "cl100k_base"},
        recipe=None,
        options=RetrievalOptions(),
        k=k,
        chunks=10,
        mean_tokens=float(size),
        overhead=0.0,
        embedded=stored,
        metrics={id: Summary.of([c.values[id] for c in cells]) for id in (metric, "tokens_retrieved")},
        cells=cells,
        chunkings={},
    )


def evaluation(*results: RecipeResult) -> Evaluation:
    asked = tuple(c.question for c in results[0].cells) if results else ()
    return Evaluation(results, asked, (), "exact", EmbeddingCost(0, 0, 0.0, ""))


# Before


@pytest.mark.parametrize("sample", samples.SAMPLES, ids=lambda s: s.id)
def test_every_sample_gets_a_recipe_that_runs_and_a_reason(sample: samples.Sample) -> None:
    document = chunkviz.load(samples.FOLDER / sample.file)
    found = advice.before(document)
    assert found.reasons
    assert all(reason.endswith(".") for reason in found.reasons)
    assert found.title
    if not chunkviz.strategies()[found.strategy].tags.needs_embedder:
        assert chunkviz.chunk(document, found.strategy, unit=found.unit, **found.params).chunks


@pytest.mark.parametrize(
    ("sample_id", "strategy"),
    [
        ("api_manual", "structure"),
        ("policy_handbook", "structure"),
        ("call_transcript", "semantic"),
        ("inventory", "code"),
        ("product_feed", "json"),
        ("paper", "latex"),
        ("help_page", "html"),
        ("multilingual", "recursive"),
    ],
)
def test_type_and_structure_decide(sample_id: str, strategy: str) -> None:
    assert advice.before(chunkviz.load(samples.FOLDER / samples.sample(sample_id).file)).strategy == strategy


@pytest.mark.parametrize("text", ["", " \n\t ", "\u200b"])
def test_without_text_nothing_speaks_for_anything(text: str) -> None:
    found = advice.before(Document.from_text(text, name="a.txt"))
    assert found.strategy == "recursive"


def test_a_short_document_stays_in_one_piece() -> None:
    document = Document.from_text(WORDS * 3, name="a.txt")
    found = advice.before(document)
    assert "one chunk" in found.reasons[0]
    assert len(chunkviz.chunk(document, found.strategy, **found.params).chunks) == 1


def test_long_sections_get_an_overlap_and_short_ones_none() -> None:
    short = "".join(f"# Part {n}\n\n{WORDS * 3}\n\n" for n in range(12))
    long = "".join(f"# Part {n}\n\n{WORDS * 40}\n\n" for n in range(12))
    a, b = (advice.before(Document.from_text(text, name="a.md")) for text in (short, long))
    assert (a.strategy, a.params["overlap"]) == ("structure", 0)
    assert (b.strategy, b.params["overlap"]) == ("structure", advice.OVERLAP)


def test_much_code_asks_for_larger_chunks() -> None:
    code = "```python\n" + "value = compute(1, 2, 3)  # a remark\n" * 25 + "```\n\n"
    text = "".join(f"# Part {n}\n\n{WORDS}\n\n{code}" for n in range(8))
    found = advice.before(Document.from_text(text, name="a.md"))
    assert advice.SIZE < found.params["size"] <= 400
    assert "code or tables" in found.reasons[-1]


def test_structure_counts_what_is_there() -> None:
    found = advice.structure(Document.from_text("# A\n\none two\n\n# B\n\nthree\n\n```\nx = 1\n```\n", name="a.md"))
    assert (found.headings, found.pages, found.page) == (2, 0, None)
    assert 0 < found.code < 1
    assert found.tables == 0
    assert found.section is not None


# After


def test_the_cheapest_that_is_not_worse_than_the_best() -> None:
    best = result(512, [1.0] * 38 + [0.0, 1.0], read=2000)
    cheap = result(128, [1.0] * 38 + [1.0, 0.0], read=500)
    bad = result(64, [0.0] * 20 + [1.0] * 20, read=200)
    found = advice.after(evaluation(best, cheap, bad))
    assert found is not None
    assert (found.number, found.strategy, found.params["size"]) == (1, "recursive", 128)
    first = found.reasons[0]
    assert first.startswith("No winner: 40 questions cannot tell 2 of 3 recipes apart.")
    assert "“Recursive, 128 tokens, overlap 0”, answer found 97.5 %" in first
    assert "The cheapest of them" in first
    assert "500 tokens read" in first


def test_evidence_names_the_difference_and_its_interval() -> None:
    best = result(512, [1.0] * 40, read=2000)
    cheap = result(128, [1.0] * 38 + [1.0, 0.4], read=500)
    found = advice.after(evaluation(best, cheap))
    assert found is not None
    interval = cheap.against(best, "token_recall")
    assert interval is not None
    assert found.number == (0 if interval.decided else 1)
    low, mean, high = (f"{v * 100:+.1f}".replace("-", "−") for v in (interval.low, interval.mean, interval.high))
    assert f"difference {mean} points, 95 % interval {low} points to {high} points" in found.reasons[0]
    assert "(the best: 2,000)" in found.reasons[0]


def test_what_may_still_be_lost_is_said() -> None:
    best = result(512, [1.0] * 40, read=2000)
    wide = result(128, [1.0] * 39 + [0.0], read=500)
    small = [replace(r, cells=r.cells[-3:]) for r in (best, wide)]
    found = advice.after(evaluation(*small))
    assert found is not None
    assert any("may still be lost" in reason for reason in found.reasons)


def test_few_questions_are_said() -> None:
    found = advice.after(evaluation(result(128, [1.0, 0.5], 100)))
    assert found is not None
    assert "2 questions are few" in found.reasons[-1]


def test_a_clear_winner_wins_though_it_costs_more() -> None:
    best = result(512, [1.0] * 40, read=2000)
    found = advice.after(evaluation(result(128, [0.0, 1.0] * 20, read=500), best))
    assert found is not None
    assert found.number == 1
    assert "clearly so" in found.reasons[0]


def test_lower_is_better_where_the_metric_says_so() -> None:
    whole = result(512, [0.0] * 40, read=2000, metric="answers_cut")
    parted = result(128, [1.0] * 40, read=500, metric="answers_cut")
    found = advice.after(evaluation(parted, whole), "answers_cut")
    assert found is not None
    assert found.number == 1


def test_only_one_k_is_compared() -> None:
    few, many = result(128, [0.5] * 40, 500, k=5), result(128, [1.0] * 40, 1000, k=10)
    for k, number in ((None, 0), (10, 1)):
        found = advice.after(evaluation(few, many), k=k)
        assert found is not None
        assert found.number == number


def test_without_a_search_what_is_stored_decides() -> None:
    a, b = (result(size, [1.0] * 40, 0, stored=stored) for size, stored in ((128, 1200), (512, 1000)))
    bare = [replace(r, metrics={"token_recall": r.metrics["token_recall"]}) for r in (a, b)]
    found = advice.after(evaluation(*bare))
    assert found is not None
    assert found.number == 1
    assert "1,000 tokens stored" in found.reasons[0]


def test_nothing_measured_nothing_said() -> None:
    assert advice.after(evaluation()) is None
    with pytest.raises(ParameterError, match="There is no metric"):
        advice.after(evaluation(), "beauty")


def test_one_question_decides_nothing_but_equality() -> None:
    best, equal, worse = result(512, [1.0], 900), result(256, [1.0], 500), result(128, [0.9], 100)
    found = advice.after(evaluation(best, equal, worse))
    assert found is not None
    assert found.number == 1


def test_it_stands_on_a_real_evaluation(tmp_path: Path) -> None:
    document = chunkviz.load(samples.FOLDER / "api_manual.md")
    made = chunkviz.evaluate(
        [document],
        samples.FOLDER / "questions" / "api_manual.csv",
        [{"strategy": "recursive", "params": {"size": size, "overlap": 0}} for size in (128, 256, 512)],
        retrieval={"retriever": "keyword"},
    )
    found = advice.after(made)
    assert found is not None
    assert found.number is not None
    assert made.results[found.number].given["params"] == found.params
    assert found.retrieval == {"retriever": "keyword"}
