"""Figures: hand-worked examples, and a slow, obvious version of each on generated text."""

from __future__ import annotations

import re

import numpy as np
import pytest
from awkward import awkward_text
from hypothesis import given
from hypothesis import strategies as st

from chunkviz import Chunk, Chunking, Document, Recipe, chunk, format, report
from chunkviz.document import Block
from chunkviz.metrics import METRICS, places
from chunkviz.metrics.sizes import quantile
from chunkviz.metrics.truncation import model_tokens
from chunkviz.units import EMBEDDING_LIMIT, EMBEDDING_MODEL, unit


def cut_at(document: Document, *spans: tuple[int, int]) -> Chunking:
    chunks = tuple(Chunk(document, s, e, i, e - s, "by hand") for i, (s, e) in enumerate(spans))
    return Chunking(document, chunks, Recipe("manual", {}, "characters"))


TEXT = "One two. Three four.\n\n# Head\n\nFive six."
HEADED = Document(
    TEXT, blocks=(Block("paragraph", 0, 20), Block("heading", 22, 28, 1, "Head"), Block("paragraph", 30, 39))
)


def test_a_worked_example() -> None:
    """Chunks “One two. Th”, “ree four.  # Head”, “Five six.”"""
    found = report(cut_at(HEADED, (0, 11), (11, 28), (30, 39)))
    assert found["chunks"].value == 3
    assert [found[f"tokens.{n}"].value for n in ("min", "median", "p95", "max")] == [9, 11, 17, 17]
    assert (found["covered"].value, found["lost"].value, found["twice"].value, found["overhead"].value) == (
        1.0,
        0,
        0,
        0.0,
    )
    assert (found["cut.words"].value, found["cut.words"].of) == (1, 7)
    assert found["cut.words"].findings[0].text == "Three"
    assert found["cut.sentences"].value == 1
    assert found["cut.headings"].value == 1  # “# Head” and “Five six.” share no chunk
    assert found["cut.tables"].value is None
    assert found["cut.tables"].reason == "no tables"


def test_overlap_mends_what_a_border_cuts() -> None:
    found = report(cut_at(HEADED, (0, 12), (9, 39)))
    assert found["cut.words"].value == 0
    assert found["cut.sentences"].value == 0
    assert found["twice"].value == 3  # “Thr”
    assert found["overhead"].value == pytest.approx(3 / 30)


def test_lost_text_is_counted_and_shown() -> None:
    found = report(cut_at(HEADED, (0, 20), (30, 39)))
    assert found["lost"].value == 5
    assert found["lost"].findings[0].text == "# Head"
    assert found["covered"].value == pytest.approx(25 / 30)


def test_an_empty_document_has_no_figures_but_reasons() -> None:
    found = report(cut_at(Document(" \n ")))
    for figure in found.values():
        assert figure.value == 0 or (figure.value is None and figure.reason), figure.id


@given(awkward_text(25), st.integers(1, 40), st.integers(0, 39))
def test_figures_agree_with_the_obvious_way(text: str, size: int, overlap: int) -> None:
    document = Document.from_text(text, name="x.md")
    made = chunk(document, "recursive", size=size, overlap=min(overlap, size - 1), unit="characters")
    found = report(made)
    seen = [0] * len(text)
    for c in made.chunks:
        for i in range(c.start, c.end):
            seen[i] += 1
    ink = [i for i in range(len(text)) if not text[i].isspace()]
    assert found["lost"].value == sum(seen[i] == 0 for i in ink)
    assert found["twice"].value == sum(seen[i] - 1 for i in ink if seen[i])
    if ink:
        assert found["covered"].value == sum(seen[i] > 0 for i in ink) / len(ink)

    def slow(spans: list[tuple[int, int]]) -> int:
        whole = sum(any(c.start <= s and e <= c.end for c in made.chunks) for s, e in spans)
        untouched = sum(not any(c.start < e and s < c.end for c in made.chunks) for s, e in spans)
        return len(spans) - whole - untouched

    for name, where in (("words", places.words), ("sentences", places.sentences)):
        starts, ends = where(document)
        spans = list(zip(starts.tolist(), ends.tolist(), strict=True))
        assert (found[f"cut.{name}"].value or 0) == slow(spans)


@given(st.lists(st.integers(1, 50), min_size=1), st.floats(0, 1))
def test_quantiles_are_by_nearest_rank(values: list[int], q: float) -> None:
    got = quantile(np.array(values), q)
    assert got in values
    assert sum(v <= got for v in values) >= q * len(values) - 1e-9
    smaller = [v for v in values if v < got]
    assert not smaller or len(smaller) < max(1e-9, q * len(values)) + 1e-9


def test_what_the_model_does_not_read() -> None:
    document = Document("word " * 1000)
    made = chunk(document, "fixed", size=400, overlap=0)
    count = unit(EMBEDDING_MODEL).count
    assert model_tokens(made).tolist() == [count(c.text) for c in made.chunks]
    assert [count(c.text) for c in made.chunks[:2]] == [400, 400]
    assert report(made)["truncated"].value == 2
    unread = 2 * (400 - EMBEDDING_LIMIT)
    assert report(made)["unread"].value == pytest.approx(unread / sum(count(c.text) for c in made.chunks))


def test_what_the_model_reads_is_counted_once_for_a_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    document = Document("a" * 5000)
    made = chunk(document, "fixed", size=100, overlap=0)
    measure = unit(EMBEDDING_MODEL).measure(document)
    real, calls = type(measure).counts, []

    def counted(self, starts, ends):  # type: ignore[no-untyped-def]
        if self is measure:
            calls.append(len(starts))
        return real(self, starts, ends)

    monkeypatch.setattr(type(measure), "counts", counted)
    first, again = report(made), report(made)
    assert calls == [len(made.chunks)]
    assert [f.value for f in first.values()] == [f.value for f in again.values()]
    report(chunk(document, "fixed", size=50, overlap=0))
    assert len(calls) == 2


def test_every_metric_says_what_it_is() -> None:
    assert len({m.id for m in METRICS}) == len(METRICS)
    for metric in METRICS:
        assert metric.help.endswith(".")
        assert metric.formula
        assert metric.source
        value = report(chunk(HEADED, "fixed"))[metric.id].value
        if value is not None:
            assert metric.low is None or value >= metric.low
            assert metric.high is None or value <= metric.high


def test_rounding_never_hides_a_part() -> None:
    assert format.number(0.9999, "share") == "99.9 %"
    assert format.number(0.0001, "share") == "< 0.1 %"
    assert format.number(1.0, "share") == "100 %"
    assert re.fullmatch(r"[\d,]+", format.number(1234567))
