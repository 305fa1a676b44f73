"""Exports carry everything, run nothing, and the exported code makes the same chunks."""

from __future__ import annotations

import ast
import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from altered import TEXT, altered
from awkward import awkward_text
from hypothesis import given
from hypothesis import strategies as st

import chunkviz
from chunkviz import export
from chunkviz.errors import ParameterError, StrategyError
from chunkviz.recipe import Recipe

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
STRATEGIES = tuple(chunkviz.strategies().values())
each_strategy = pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda s: s.id)


def cut(text: str, size: int = 7, name: str = "notes.md") -> chunkviz.Chunking:
    return chunkviz.chunk(chunkviz.Document.from_text(text, name), "fixed", unit="characters", size=size, overlap=0)


def read_csv(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


@given(awkward_text())
def test_jsonl_gives_every_row_back(text: str) -> None:
    chunking = cut(text)
    written = export.to_jsonl(chunking)
    assert [json.loads(line) for line in written.splitlines()] == [c.to_dict() for c in chunking.chunks]
    written.encode("utf-8")


def test_jsonl_keys_are_in_the_documented_order() -> None:
    (line,) = export.to_jsonl(cut("one", name="a.txt")).splitlines()
    keys = "index start end tokens text reason heading_path pages context flags"
    assert list(json.loads(line)) == keys.split()


@given(st.lists(st.sampled_from([*FORMULA_STARTS, "'", '"', ",", ";", "\n", "a", " "]), max_size=40).map("".join))
def test_no_cell_of_a_csv_is_a_formula(text: str) -> None:
    chunking = cut(text, size=3, name="a.txt")
    header, *body = read_csv(export.to_csv(chunking))
    assert header == list(export.COLUMNS)
    assert not any(cell.startswith(FORMULA_STARTS) for row in body for cell in row)
    cells = [row[header.index("text")] for row in body]
    assert len(cells) == len(chunking.chunks)
    for cell, chunk in zip(cells, chunking.chunks, strict=True):
        assert cell == (f"'{chunk.text}" if chunk.text.startswith(FORMULA_STARTS) else chunk.text)


def test_csv_writes_lists_as_json() -> None:
    chunking = cut("# A, b\n\n## C\n\nwords", size=100)
    header, row = read_csv(export.to_csv(chunking))
    assert json.loads(row[header.index("heading_path")]) == ["A, b"]
    assert json.loads(row[header.index("pages")]) == []
    assert json.loads(row[header.index("flags")]) == {}


def test_csv_of_several_documents_begins_with_their_names_and_none_is_a_formula() -> None:
    rows = [*export.rows(cut("one"), "=cmd.md"), *export.rows(cut("two"), "b.md")]
    header, *body = read_csv(export.csv_text(rows))
    assert header == ["document", *export.COLUMNS]
    assert [row[0] for row in body] == ["'=cmd.md", "b.md"]


def test_rewrites_are_a_last_column_where_there_are_any() -> None:
    rows = [{**row, "rewrite": "-fact"} for row in export.rows(cut("one"))]
    header, row = read_csv(export.csv_text([*export.rows(cut("zero")), *rows]))[::2]
    assert header[-1] == "rewrite"
    assert row[-1] == "'-fact"


@given(awkward_text())
def test_json_holds_everything(text: str) -> None:
    chunking = cut(text)
    whole = json.loads(export.to_json(chunking))
    assert whole["chunks"] == [c.to_dict() for c in chunking.chunks]
    assert Recipe.from_dict(whole["recipe"]) == chunking.recipe
    assert whole["notes"] == list(chunking.notes)
    assert whole["document"]["fingerprint"] == chunking.document.fingerprint
    assert whole["document"]["characters"] == len(text)


def test_json_tells_what_was_dropped() -> None:
    chunking = cut("one two")
    dropped = chunkviz.Chunking(chunking.document, (), chunking.recipe, (chunkviz.Dropped(0, 7, "a test"),), ("said",))
    whole = json.loads(export.to_json(dropped))
    assert whole["dropped"] == [{"start": 0, "end": 7, "reason": "a test"}]
    assert whole["notes"] == ["said"]


# The snippet


def run_snippet(code: str) -> chunkviz.Chunking:
    names: dict[str, Any] = {}
    exec(compile(code, "snippet", "exec"), names)
    chunking = names["chunking"]
    assert isinstance(chunking, chunkviz.Chunking)
    return chunking


HOSTILE = "a\"); raise SystemExit('ran'); ('''\n{0}%s\\.md"


@each_strategy
@pytest.mark.parametrize("name", ["notes.md", HOSTILE])
def test_the_snippet_makes_the_same_chunks(
    strategy: Any, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P7"""
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(TEXT.encode())
    document = chunkviz.load(name)
    chunking = chunkviz.chunk(document, strategy.id, unit="o200k_base", **altered(strategy))
    again = run_snippet(export.snippet(chunking.recipe, name))
    assert len(chunking.chunks) > 1
    assert again.spans == chunking.spans
    assert again.recipe == chunking.recipe
    assert chunkviz.chunk(document, recipe=chunking.recipe).spans == chunking.spans


def test_the_snippet_reads_the_file_as_it_was_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_bytes("Größe: 5 €. Ende.".encode("cp1252"))
    document = chunkviz.load("a.txt", encoding="mac-roman")
    chunking = chunkviz.chunk(document, "fixed", size=3, overlap=0)
    again = run_snippet(export.snippet(chunking.recipe, "a.txt"))
    assert again.document.text == document.text != chunkviz.load("a.txt").text
    assert again.spans == chunking.spans


@given(name=st.text(max_size=20), separators=st.lists(st.text(max_size=9), max_size=4))
def test_names_and_separators_stay_literals(name: str, separators: list[str]) -> None:
    recipe = Recipe("recursive", {"size": 9, "overlap": 1, "separators": separators}, "characters")
    tree = ast.parse(export.snippet(recipe, name))
    imported, load, chunk = tree.body
    assert ast.unparse(imported) == "import chunkviz"
    assert isinstance(load, ast.Assign)
    assert isinstance(chunk, ast.Assign)
    assert isinstance(load.value, ast.Call)
    assert isinstance(chunk.value, ast.Call)
    assert [ast.literal_eval(argument) for argument in load.value.args] == [name]
    found = {keyword.arg: ast.literal_eval(keyword.value) for keyword in chunk.value.keywords}
    assert found["separators"] == tuple(separators)
    assert found == {**recipe.params, "separator_set": "auto", "unit": "characters"}


@pytest.mark.parametrize(
    ("recipe", "error"),
    [
        (Recipe("recursive", {"size=1); print(1": 1}, "characters"), ParameterError),
        (Recipe("recursive", {"size": "1); print(1"}, "characters"), ParameterError),
        (Recipe("recursive", {}, "words'); print(1"), ParameterError),
        (Recipe("recursive", {}, "words", loader={"x=1); print(1": 1}), ParameterError),
        (Recipe("recursive", {}, "words", loader={"encoding": "'); print(1"}), ParameterError),
        (Recipe("recursive", {}, "words", version=999), ParameterError),
        (Recipe("recursive'); print(1", {}, "words"), StrategyError),
    ],
)
def test_a_recipe_that_could_not_run_makes_no_snippet(recipe: Recipe, error: type[Exception]) -> None:
    with pytest.raises(error):
        export.snippet(recipe, "a.txt")
