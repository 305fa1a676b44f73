"""Retrieval metrics: worked examples, a slow and obvious version of each, trec_eval itself, and the intervals."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from chunkviz.metrics import ranking
from chunkviz.metrics.case import Case, Rules, found_by_text, meets
from chunkviz.metrics.intervals import Interval, interval
from chunkviz.metrics.retrieval import EXAMPLE, RETRIEVAL
from chunkviz.passages import Passage

BY_ID = {m.id: m for m in RETRIEVAL}


def value(id: str, case: Case) -> float | None:
    return BY_ID[id].compute(case).value


@pytest.mark.parametrize("metric", RETRIEVAL, ids=lambda m: m.id)
def test_the_worked_example(metric: object) -> None:
    assert metric.compute(EXAMPLE).value == pytest.approx(metric.example[0])  # type: ignore[attr-defined]


def test_every_metric_says_what_it_is() -> None:
    ids = (
        "token_recall token_precision token_iou precision_omega hit chunk_precision chunk_recall mrr ndcg document_f1 "
        "page_f1 answers_cut tokens_retrieved"
    )
    assert list(BY_ID) == ids.split()
    for metric in RETRIEVAL:
        assert metric.help.endswith(".")
        assert metric.formula
        assert metric.source
        assert metric.example[1]


# Slow and obvious

spans = st.builds(
    lambda d, s, n: Passage(d, s, s + n, n), st.sampled_from("de"), st.integers(0, 30), st.integers(1, 12)
)


@st.composite
def cases(draw: st.DrawFn, rules: Rules = "exact") -> Case:
    index = draw(st.lists(spans, min_size=1, max_size=8, unique=True))
    gold = draw(st.lists(spans, min_size=1, max_size=3, unique=True))
    order = draw(st.permutations(index))
    k = draw(st.integers(1, 8))
    meeting = [p for p in index if any(meets(p, g, rules) for g in gold)]
    retrieved = order[:k]
    good = sum(any(meets(p, g, "exact") for g in gold) for p in retrieved)
    return Case(gold=gold, meeting=meeting, retrieved=retrieved, members=good, k=k, rules=rules)


Characters = set[tuple[str, int]]


def characters(passages: Sequence[Passage]) -> Characters:
    return {(p.document, i) for p in passages for i in range(p.start, p.end)}


def slow(case: Case) -> dict[str, float]:
    gold, got, meeting = characters(case.gold), characters(case.retrieved), characters(case.meeting)
    total = sum(p.end - p.start for p in case.retrieved)
    whole = [characters([g]) for g in case.gold]
    documents, wanted = {p.document for p in case.retrieved}, {g.document for g in case.gold}
    both = len(documents & wanted)
    p, r = both / len(documents), both / len(wanted)
    return {
        "token_recall": len(gold & got) / len(gold),
        "token_precision": len(gold & got) / total,
        "token_iou": len(gold & got) / (total + len(gold - got)),
        "precision_omega": len(gold & meeting) / len(gold | meeting),
        "answers_cut": sum(not any(w <= characters([m]) for m in case.meeting) for w in whole) / len(whole),
        "document_f1": 2 * p * r / (p + r) if both else 0.0,
        "tokens_retrieved": sum(p.tokens for p in case.retrieved),
    }


def check_slow(case: Case, compute: Callable[[str, Case], float | None] = value) -> None:
    for id, wanted in slow(case).items():
        assert compute(id, case) == pytest.approx(wanted), id


@given(cases())
def test_exact_rules_agree_with_sets_of_characters(case: Case) -> None:
    check_slow(case)


def test_the_slow_check_can_fail() -> None:
    """Overlap that is counted once where it was retrieved twice: the fault that flatters overlapping chunks."""
    twice = Case(gold=[Passage("d", 0, 4)], meeting=[], retrieved=[Passage("d", 0, 4), Passage("d", 2, 6)], k=2)

    def liar(id: str, case: Case) -> float | None:
        if id == "token_precision":
            return len(characters(case.gold) & characters(case.retrieved)) / len(characters(case.retrieved))
        return value(id, case)

    twice = replace(twice, meeting=twice.retrieved)
    check_slow(twice)
    with pytest.raises(AssertionError, match="token_precision"):
        check_slow(twice, liar)


@given(cases("published"))
def test_published_rules_agree_with_lists_of_characters(case: Case) -> None:
    """References one by one, also where they overlap; what only touches one meets it."""
    listed = Counter((g.document, i) for g in case.gold for i in range(g.start, g.end))
    got, meeting = characters(case.retrieved), characters(case.meeting)
    missed = sum(n for c, n in listed.items() if c not in got)
    total = sum(p.length for p in case.retrieved)
    found = len(set(listed) & got)
    assert value("token_recall", case) == pytest.approx(1 - missed / sum(listed.values()))
    assert value("token_precision", case) == pytest.approx(found / total)
    assert value("token_iou", case) == pytest.approx(found / (total + missed))
    assert value("precision_omega", case) == pytest.approx(len(set(listed) & meeting) / len(set(listed) | meeting))
    touching = [
        p
        for p in case.meeting
        if any(p.document == g.document and p.start <= g.end and g.start <= p.end for g in case.gold)
    ]
    assert touching == list(case.meeting)


def test_what_only_touches_meets_under_the_published_rules_and_is_not_relevant() -> None:
    gold, beside = Passage("d", 10, 20), Passage("d", 20, 30)
    assert meets(beside, gold, "published")
    assert not meets(beside, gold, "exact")
    assert not meets(Passage("d", 21, 30), gold, "published")
    assert not meets(Passage("e", 10, 20), gold, "published")
    case = Case(gold=[gold], meeting=[Passage("d", 0, 20), beside], retrieved=[beside], k=1, rules="published")
    assert value("precision_omega", case) == pytest.approx(10 / 30)
    assert value("hit", case) == 0
    assert value("chunk_recall", case) == 0


def test_positions_found_by_text() -> None:
    assert found_by_text("b.", "a b. c b.") == (2, 3)
    assert found_by_text(" c b", "a b. c b.") == (4, 8)


def test_the_undefined_is_none_with_a_reason() -> None:
    gold = [Passage("d", 0, 5)]
    lost = Case(gold=gold, meeting=[], retrieved=[Passage("e", 0, 5)], k=1)
    empty = Case(gold=gold, meeting=[Passage("d", 0, 9)], retrieved=[], k=0)
    for id, case in (
        ("chunk_recall", lost),
        ("ndcg", lost),
        ("page_f1", lost),
        ("token_precision", empty),
        ("chunk_precision", empty),
        ("page_f1", empty),
    ):
        result = BY_ID[id].compute(case)
        assert result.value is None
        assert result.reason
    assert value("token_recall", lost) == 0
    assert value("token_recall", empty) == 0
    assert value("precision_omega", lost) == 0
    assert value("answers_cut", lost) == 1


def test_white_space_around_a_gold_span_cuts_no_answer() -> None:
    case = Case(gold=[Passage("d", 0, 11)], meeting=[Passage("d", 0, 9)], cores=[Passage("d", 1, 9)])
    assert value("answers_cut", case) == 0
    assert value("answers_cut", replace(case, cores=())) == 1


# trec_eval


@given(st.lists(st.booleans(), min_size=1, max_size=12), st.integers(0, 5), st.integers(1, 12))
def test_rank_metrics_agree_with_trec_eval(relevant: list[bool], missed: int, k: int) -> None:
    total = sum(relevant) + missed
    retrieved = relevant[:k]
    qrel = {f"d{i:02}": int(good) for i, good in enumerate(relevant)} | {f"m{i}": 1 for i in range(missed)}
    run = {f"d{i:02}": 100.0 - i for i in range(len(retrieved))}
    ids = {f"P.{k}", f"recall.{k}", f"ndcg_cut.{k}", "recip_rank", f"success.{k}"}
    theirs = pytrec_eval.RelevanceEvaluator({"q": qrel}, ids).evaluate({"q": run})["q"]
    assert ranking.precision(retrieved, k) == pytest.approx(theirs[f"P_{k}"])
    assert ranking.hit(retrieved) == theirs[f"success_{k}"]
    assert ranking.reciprocal_rank(retrieved) == pytest.approx(theirs["recip_rank"])
    ours = ranking.recall(sum(retrieved), total), ranking.ndcg(retrieved, k, total)
    if total:
        assert ours == (pytest.approx(theirs[f"recall_{k}"]), pytest.approx(theirs[f"ndcg_cut_{k}"]))
    else:
        assert ours == (None, None)  # trec_eval says 0 where nothing can be found


# Intervals


def test_an_interval_is_the_same_every_time() -> None:
    values = np.random.default_rng(3).normal(0.1, 0.3, 60)
    np.random.default_rng(4).normal(size=100)
    assert interval(values) == interval(values)
    assert interval(values) != interval(values, seed=1)


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=40))
def test_an_interval_holds_its_mean(values: list[float]) -> None:
    found = interval(values, repeats=300)
    assert found is not None
    assert found.n == len(values)
    assert found.mean == pytest.approx(sum(values) / len(values))
    # The percentiles of few drawings may miss the mean of a very skewed sample only by their own spread.
    assert found.low <= found.high
    turned = interval([-v for v in values], repeats=300)
    assert turned is not None
    assert turned.mean == pytest.approx(-found.mean)


def test_equal_differences_leave_no_doubt() -> None:
    found = interval([0.1] * 10)
    assert found is not None
    assert (found.mean, found.low, found.high, found.more, found.verdict("higher")) == (0.1, 0.1, 0.1, 0, "better")
    assert [found.verdict(b) for b in ("lower", "neither")] == ["worse", "higher"]
    nothing = interval([0.0] * 10)
    assert nothing is not None
    assert (nothing.decided, nothing.more, nothing.verdict("higher")) == (False, None, "no winner: no difference")


def test_too_few_questions_give_no_interval() -> None:
    assert interval([]) is None
    assert interval([0.5]) is None


def test_how_many_more_questions_would_tell() -> None:
    """Differences of +0.3 and -0.2 in turn: mean 0.05, deviation 0.25; 1.96 · 0.25 / 0.05 squared is 96 questions."""
    found = interval([0.3, -0.2] * 10)
    assert found is not None
    assert not found.decided
    sd = math.sqrt(20 / 19) * 0.25
    assert found.more == math.ceil((1.959964 * sd / 0.05) ** 2) - 20
    assert found.verdict("higher") == f"no winner: {found.more} more questions would be needed"
    enough = interval([0.3, -0.2] * ((20 + found.more) // 2 + 10))
    assert enough is not None
    assert enough.verdict("higher") == "better"
    assert enough.more == 0


def coverage(make: Callable[[list[float], int], Interval | None], n: int, repetitions: int) -> float:
    """Share of intervals that hold the true mean, over samples from a population with a known one."""
    random = np.random.default_rng(11)
    # As differences of recall are: mostly none, now and then a whole answer won or lost, or a part of one.
    values, chances = np.array([-1, -0.5, 0, 0.5, 1]), np.array([0.06, 0.06, 0.66, 0.1, 0.12])
    true = float(values @ chances)
    held = 0
    for at in range(repetitions):
        found = make(random.choice(values, size=n, p=chances).tolist(), at)
        assert found is not None
        held += found.low <= true <= found.high
    return held / repetitions


def seeded(values: list[float], seed: int) -> Interval | None:
    return interval(values, repeats=2000, seed=seed)


@pytest.mark.slow
@pytest.mark.parametrize("n", [40, 132])
def test_intervals_hold_the_true_difference_as_often_as_they_say(n: int) -> None:
    assert 0.93 <= coverage(seeded, n, 1000) <= 0.97


def test_the_coverage_check_can_fail() -> None:
    def liar(values: list[float], seed: int) -> Interval | None:
        found = seeded(values, seed)
        assert found is not None
        return replace(
            found, low=found.mean + (found.low - found.mean) / 2, high=found.mean + (found.high - found.mean) / 2
        )

    assert coverage(liar, 60, 150) < 0.85
    assert coverage(seeded, 60, 150) > 0.9
