"""Question sets: places are found or refused, never guessed; files come back as they were written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkviz import Document, LoadError
from chunkviz.question_files import read_file, read_rows, to_csv, to_jsonl
from chunkviz.questions import MOST_PLACES, Gold, Question, QuestionSet, Reference, Row, places_of, resolve
from chunkviz.spans import Span

TEXT = "The lighthouse has 204 steps.\nIt was built in 1871. It was painted in 1999."
DOCS = {
    "a/light.md": Document(TEXT, "light.md"),
    "a/notes.md": Document("Nothing here.", "notes.md"),
    "b/notes.md": Document("Nothing there.", "notes.md"),
}


def one(*references: Reference, text: str = "How many?") -> QuestionSet:
    return resolve([Row(1, text, references)], DOCS)


def fault(*references: Reference) -> str:
    found = one(*references)
    assert not found.questions
    assert [p.level for p in found.problems] == ["error"]
    return found.problems[0].text


def test_a_quote_that_occurs_once_is_a_place() -> None:
    found = one(Reference("a/light.md", quote="has  204\nsteps."))
    assert found.questions[0].gold == (Gold("a/light.md", 15, 29),)
    assert TEXT[15:29] == "has 204 steps."
    assert not found.problems


def test_a_quote_may_run_over_a_line_end() -> None:
    found = one(Reference("a/light.md", quote="steps. It was built"))
    gold = found.questions[0].gold[0]
    assert TEXT[gold.start : gold.end] == "steps.\nIt was built"


def test_a_quote_that_occurs_twice_is_shown_with_its_places_and_not_guessed() -> None:
    found = one(Reference("a/light.md", quote="It was"))
    assert not found.questions
    assert found.problems[0].places == (Span(30, 36), Span(52, 58))
    assert "occurs 2 times" in found.problems[0].text
    assert found.problems[0].question == "How many?"


def test_a_quote_that_occurs_too_often_is_not_listed_without_end() -> None:
    documents = {"x": Document("ab " * 500)}
    found = resolve([Row(1, "?", (Reference("x", quote="ab"),))], documents)
    assert len(found.problems[0].places) == MOST_PLACES
    assert f"more than {MOST_PLACES} times" in found.problems[0].text


def test_overlapping_occurrences_count() -> None:
    assert places_of("aba", "ababa") == [Span(0, 3), Span(2, 5)]
    assert places_of(" ", "a b") == []


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        (Reference("a/light.md", quote="205 steps"), "does not occur"),
        (Reference("a/light.md"), "Neither a quote nor"),
        (Reference("a/light.md", 3, None), "go together"),
        (Reference("a/light.md", 5, 5), "is no part of"),
        (Reference("a/light.md", 70, 7000), "is no part of"),
        (Reference("a/light.md", 29, 30), "only white space"),
        (Reference("lihgt", quote="204"), "did you mean 'light'?"),
        (Reference("", quote="204"), "No document is named"),
        (Reference("notes.md", quote="Nothing"), "may be any of a/notes.md, b/notes.md"),
    ],
)
def test_what_cannot_be_placed_is_said(reference: Reference, words: str) -> None:
    assert words in fault(reference)


@pytest.mark.parametrize("name", ["a/light.md", "a/light", "light.md", "light"])
def test_documents_go_by_their_short_names_where_only_one_fits(name: str) -> None:
    assert one(Reference(name, 0, 3)).questions[0].gold == (Gold("a/light.md", 0, 3),)


def test_offsets_that_do_not_hold_the_quote_are_kept_with_a_warning() -> None:
    found = one(Reference("light", 0, 14, "204 steps"))
    assert found.questions[0].gold == (Gold("a/light.md", 0, 14),)
    assert found.problems[0].level == "warning"
    assert found.problems[0].places == (Span(19, 28),)
    assert not found.errors


def test_half_an_answer_leaves_the_question_out() -> None:
    found = one(Reference("light", quote="204 steps"), Reference("light", quote="It was"))
    assert not found.questions


def test_a_question_may_be_answered_by_several_documents() -> None:
    found = one(Reference("light", 0, 3), Reference("b/notes.md", 0, 7))
    assert found.questions[0].documents == ("a/light.md", "b/notes.md")


def test_repeated_and_empty_questions_are_reported() -> None:
    here = (Reference("light", 0, 3),)
    found = resolve([Row(1, "Who?", here), Row(2, " who? ", here), Row(3, " ", here), Row(4, "What?")], DOCS)
    assert [(p.row, p.level) for p in found.problems] == [(2, "warning"), (3, "error"), (4, "error")]
    assert len(found.questions) == 2


# Files

JSONL = """{"question": "How high?", "document": "light", "quote": "204 steps", "answer": "204"}

{"question": "When?", "spans": [{"document": "light", "start": 30, "end": 51}, {"document": "light", "quote": "1999"}]}
"""


def test_json_lines() -> None:
    rows = read_rows(JSONL, "q.jsonl")
    assert [r.number for r in rows] == [1, 3]
    found = resolve(rows, DOCS)
    assert not found.problems
    assert found.questions[0].answer == "204"
    assert [TEXT[g.start : g.end] for g in found.questions[1].gold] == ["It was built in 1871.", "1999"]


def test_a_json_list() -> None:
    items = [json.loads(line) for line in JSONL.splitlines() if line]
    assert (
        resolve(read_rows(json.dumps(items), "q.json"), DOCS).questions
        == resolve(read_rows(JSONL, "q.jsonl"), DOCS).questions
    )


def test_csv_with_a_row_for_each_span() -> None:
    lines = [
        "\ufeffquestion,document,start,end,quote,answer",
        "When?,light,30,51,,",
        "When?,light,,,1999,",
        "Who?,light,0,3,,",
    ]
    rows = read_rows("\r\n".join(lines).encode("utf-8"), "q.csv")
    found = resolve(rows, DOCS)
    assert [len(q.gold) for q in found.questions] == [2, 1]
    assert [r.number for r in rows] == [1, 3]


def test_csv_parted_by_semicolons_with_columns_of_others() -> None:
    found = resolve(read_rows("id;question;document;quote\n7;How many, then?;light;204 steps\n", "q.csv"), DOCS)
    assert found.questions[0].text == "How many, then?"


def test_the_public_format() -> None:
    cell = json.dumps([{"content": "204 steps", "start_index": 19, "end_index": 28}]).replace('"', '""')
    found = resolve(read_rows(f'question,references,corpus_id\nHow many?,"{cell}",light\n', "questions_df.csv"), DOCS)
    assert found.questions == (Question("How many?", (Gold("a/light.md", 19, 28),)),)
    assert not found.problems
    # A position that is not where the content stands must not pass unseen.
    off = cell.replace("19", "17")
    found = resolve(read_rows(f'question,references,corpus_id\nHow many?,"{off}",light\n', "questions_df.csv"), DOCS)
    assert [p.level for p in found.problems] == ["warning"]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("q.jsonl", '{"question": "?"', "not JSON"),
        ("q.jsonl", '["?"]', "JSON object"),
        ("q.jsonl", '{"question": 3}', "JSON object"),
        ("q.jsonl", '{"question": "?", "spans": 3}', "`spans`"),
        ("q.jsonl", '{"question": "?", "document": "light", "start": 1.5, "end": 3}', "whole numbers"),
        ("q.jsonl", '{"question": "?", "document": "light", "start": true, "end": 3}', "whole numbers"),
        ("q.jsonl", '{"question": "?", "document": 3, "quote": "a"}', "must be text"),
        ("q.jsonl", '{"question": "?", "document": "light", "quote": "a", "answer": 3}', "`answer`"),
        ("q.csv", "question,document,start,end\n?,light,-1,4\n", "whole number"),
        ("q.csv", "question,document,quote\n?,light\n", "as many cells"),
        ("q.csv", "question,document,quote\n?,light,a,b\n", "as many cells"),
        ("q.csv", 'question,references,corpus_id\n?,"[{}]",light\n', "`references`"),
        ("q.csv", "question,references,corpus_id\n?,no,light\n", "`references`"),
    ],
)
def test_a_row_that_is_not_as_it_should_be_is_a_problem_of_its_own(name: str, text: str, words: str) -> None:
    found = resolve(read_rows(text, name), DOCS)
    assert not found.questions
    assert words in found.problems[0].text
    assert found.problems[0].row == 1


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("q.xlsx", b"", "Known endings: .csv, .jsonl, .json"),
        ("q.csv", b"question,document\n\xff", "not text in UTF-8"),
        ("q.csv", b"question,answer\na,b\n", "needs the columns"),
        ("q.csv", b'question,document\n"a,b\n', "no CSV"),
        ("q.csv", b"question,document\n", "no question"),
        ("q.json", b"{}", "must be a JSON list"),
        ("q.json", b"{", "not JSON"),
        ("q.jsonl", b"\n\n", "no question"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(name: str, data: bytes, words: str) -> None:
    with pytest.raises(LoadError, match=words):
        read_rows(data, name)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match="cannot be opened"):
        read_file(tmp_path / "none.csv")


words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20).filter(str.strip)
golds = st.lists(
    st.builds(lambda s, n: Gold("a/light.md", s, s + n), st.integers(0, 20), st.integers(2, 9)),
    min_size=1,
    max_size=3,
    unique=True,
).map(tuple)
sets = st.lists(
    st.builds(
        Question, words | words.map(lambda w: f"={w}") | words.map(lambda w: f"'+{w}"), golds, words | st.just("")
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda q: q.text.strip().casefold(),
)


@given(sets)
def test_what_is_written_comes_back(questions: list[Question]) -> None:
    for text, name in ((to_jsonl(questions), "q.jsonl"), (to_csv(questions), "q.csv")):
        found = resolve(read_rows(text.encode("utf-8"), name), DOCS)
        assert list(found.questions) == questions, name
        assert not found.problems


@given(sets)
def test_no_cell_runs_as_a_formula(questions: list[Question]) -> None:
    import csv
    import io

    for row in csv.reader(io.StringIO(to_csv(questions), newline="")):
        assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in row)


def test_the_shared_questions_are_read_whole(root: Path, shared_corpora: list[str]) -> None:
    folder = root.parent / "shared" / "data" / "retrieval"
    documents = {p.stem: Document(p.read_text(encoding="utf-8")) for p in (folder / "corpora").glob("*.md")}
    found = resolve(read_file(folder / "questions_df.csv"), documents)
    assert len(found.questions) == 132
    assert not found.problems
