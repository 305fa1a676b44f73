"""The question sets of the samples: every quote stands in its document once, and some lie across borders."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

import pytest

import chunkviz
from chunkviz import samples
from chunkviz.document import Document
from chunkviz.question_files import read_file
from chunkviz.questions import resolve

FOLDER = samples.FOLDER / "questions"
Row = dict[str, str]
COLUMNS = ["id", "question", "document", "quote", "answer"]


@cache
def rows_of(sample_id: str) -> list[Row]:
    with (FOLDER / f"{sample_id}.csv").open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        assert reader.fieldnames == COLUMNS
        return list(reader)


@cache
def document_of(sample_id: str) -> Document:
    return chunkviz.load(samples.FOLDER / samples.sample(sample_id).file)


def every_row() -> list[Row]:
    return [row for sample in samples.SAMPLES for row in rows_of(sample.id)]


def check_row(row: Row, document: Document) -> None:
    assert row["document"] == document.name
    assert row["quote"] == row["quote"].strip() != ""
    assert document.text.count(row["quote"]) == 1
    assert row["question"].strip()
    assert row["answer"].strip()


@pytest.mark.parametrize("sample", samples.SAMPLES, ids=lambda s: s.id)
def test_quotes_occur_exactly_once(sample: samples.Sample) -> None:
    rows = rows_of(sample.id)
    assert len(rows) >= 5
    for number, row in enumerate(rows, start=1):
        check_row(row, document_of(sample.id))
        assert row["id"] == f"{sample.id}-{number:02d}"


def test_the_row_check_can_fail() -> None:
    document = Document("Yes and no. Yes and yes.", "a.txt")
    good = {"question": "Yes?", "document": "a.txt", "quote": "Yes and no.", "answer": "No"}
    check_row(good, document)
    for change in ({"quote": "Yes"}, {"quote": "Maybe"}, {"quote": ""}, {"document": "b.txt"}, {"answer": " "}):
        with pytest.raises(AssertionError):
            check_row(good | change, document)


def test_each_sample_has_a_set_and_each_set_a_sample() -> None:
    assert {path.name for path in Path(FOLDER).iterdir()} == {f"{s.id}.csv" for s in samples.SAMPLES}
    rows = every_row()
    assert len(rows) >= 50
    assert len({row["question"] for row in rows}) == len(rows)
    for sample in samples.SAMPLES:
        assert sample.question in {row["question"] for row in rows_of(sample.id)}


def cut(sample_id: str, size: int) -> list[str]:
    """Ids of the questions whose quote no chunk of `size` tokens holds whole."""
    document = document_of(sample_id)
    spans = [c.span for c in chunkviz.chunk(document, "fixed", size=size, overlap=0).chunks]
    found = []
    for row in rows_of(sample_id):
        start = document.text.index(row["quote"])
        if not any(s <= start and start + len(row["quote"]) <= e for s, e in spans):
            found.append(row["id"])
    return found


def test_the_reader_of_question_files_places_all_of_them() -> None:
    for sample in samples.SAMPLES:
        found = resolve(read_file(FOLDER / f"{sample.id}.csv"), {sample.file: document_of(sample.id)})
        assert found.problems == ()
        text = document_of(sample.id).text
        assert [[text[g.start : g.end] for g in q.gold] for q in found.questions] == [
            [r["quote"]] for r in rows_of(sample.id)
        ]


def test_some_answers_lie_across_borders_and_most_do_not() -> None:
    at_512 = [number for sample in samples.SAMPLES for number in cut(sample.id, 512)]
    assert "api_manual-01" in at_512
    assert 10 <= len(at_512) <= len(every_row()) / 2
    for sample in samples.SAMPLES:
        assert cut(sample.id, 128), f"at 128 tokens no border goes through an answer of {sample.id}"
