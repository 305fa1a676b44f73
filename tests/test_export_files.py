"""Parquet holds every row with its types; and the check that runs what is exported can fail as well as pass."""

from __future__ import annotations

import io
import json
import threading
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from altered import TEXT, altered
from awkward import awkward_text
from hypothesis import given

import chunkviz
from chunkviz import export, export_check
from chunkviz.errors import Stopped
from chunkviz.recipe import Recipe


def cut(text: str, size: int = 7, name: str = "notes.md") -> chunkviz.Chunking:
    return chunkviz.chunk(chunkviz.Document.from_text(text, name), "fixed", unit="characters", size=size, overlap=0)


def read(data: bytes) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(io.BytesIO(data)).to_pylist()
    return [{**row, "flags": dict(row["flags"])} for row in rows]


# Parquet


@given(awkward_text())
def test_parquet_gives_every_row_back(text: str) -> None:
    chunking = cut(text)
    rows = read(export.to_parquet(chunking))
    assert rows == [{"document": "notes.md", **c.to_dict(), "rewrite": None} for c in chunking.chunks]


def test_parquet_says_what_made_it() -> None:
    chunking = cut(TEXT, size=40)
    file = pq.ParquetFile(io.BytesIO(export.to_parquet(chunking, "a/b.md")))
    about = json.loads(file.schema_arrow.metadata[b"chunkviz"])
    assert Recipe.from_dict(about["recipe"]) == chunking.recipe
    assert about["fingerprint"] == chunking.document.fingerprint
    assert set(file.read(["document"])["document"].to_pylist()) == {"a/b.md"}


def test_parquet_is_written_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "ROWS_AT_ONCE", 10)
    chunking = cut("word " * 100, size=9)
    file = pq.ParquetFile(io.BytesIO(export.to_parquet(chunking)))
    assert file.num_row_groups == -(-len(chunking.chunks) // 10) > 1
    assert file.metadata.num_rows == len(chunking.chunks)


def test_parquet_of_no_chunks_has_the_columns() -> None:
    table = pq.read_table(io.BytesIO(export.to_parquet(cut("  "))))
    assert table.num_rows == 0
    assert table.column_names == ["document", *export.COLUMNS, "rewrite"]


def test_half_of_a_pair_and_rewrites_are_stored() -> None:
    row = {
        "text": "a\ud800b",
        "flags": {"oversize": "\udfff"},
        "heading_path": ["\ud800"],
        "pages": [1],
        "rewrite": "fact",
    }
    stored = export._stored(row)
    assert stored["text"] == "a\ufffdb"
    assert stored["flags"] == [("oversize", "\ufffd")]
    assert stored["heading_path"] == ["\ufffd"]
    assert (stored["pages"], stored["rewrite"]) == ([1], "fact")


# The check

NAMES = ["notes.md", "-rf 猫.md", """a'; exit; '"$(touch hacked)`.md"""]


@pytest.mark.parametrize("name", NAMES)
def test_the_check_passes_whatever_the_document_is_called(name: str) -> None:
    chunking = chunkviz.chunk(chunkviz.load(TEXT.encode(), name), "recursive", size=20, overlap=3)
    for result in export_check.check(chunking, TEXT.encode()):
        assert result.identical, str(result)
        n = len(chunking.chunks)
        assert str(result) == f"{result.what} was run: identical, {n} of {n} chunks."


@pytest.mark.parametrize("name", ["chunkviz.py", "json.py", "snippet.py"])
def test_a_document_is_never_taken_for_a_module(name: str) -> None:
    data = b"raise SystemExit('the document was run')\n\ndef f():\n    return 1\n" * 5
    chunking = chunkviz.chunk(chunkviz.load(data, name), "code", size=16)
    assert [str(r) for r in export_check.check(chunking, data) if not r.identical] == []


@pytest.mark.parametrize("id", ["semantic", "structure"])
def test_settings_that_are_not_the_defaults_pass_the_check(id: str) -> None:
    """P7. That the code of every strategy gives its chunks is in `test_export.py`."""
    strategy = chunkviz.strategies()[id]
    chunking = chunkviz.chunk(chunkviz.load(TEXT.encode(), "notes.md"), id, **altered(strategy))
    assert [str(r) for r in export_check.check(chunking, TEXT.encode()) if not r.identical] == []


def test_the_check_can_fail() -> None:
    """Another document than the one on the page: the check must see it."""
    chunking = chunkviz.chunk(chunkviz.load(TEXT.encode(), "notes.md"), "recursive", size=20, overlap=3)
    code, command = export_check.check(chunking, TEXT.encode()[:400] + b" And something else." * 30)
    assert not code.identical
    assert not command.identical
    assert "The text it read is another one." in str(code)
    assert "was run and differs" in str(command)
    same_text = chunkviz.load(TEXT.encode(), "notes.md")
    wrong = chunkviz.Chunking(same_text, chunking.chunks[:-1], chunking.recipe)
    for result in export_check.check(wrong, TEXT.encode()):
        assert (result.same, result.ours, result.theirs) == (
            len(wrong.chunks),
            len(wrong.chunks),
            len(chunking.chunks),
        )
        assert not result.identical


def test_a_run_that_fails_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    chunking = chunkviz.chunk(chunkviz.load(TEXT.encode(), "notes.md"), "recursive", size=20, overlap=3)
    results = export_check.check(chunking, b"PK\x03\x04" + b"\0" * 64)
    assert [r.theirs for r in results] == [None, None]
    assert all("could not be checked" in str(r) and "notes.md" in str(r) for r in results)
    monkeypatch.setattr(export_check, "seconds", lambda: 0)
    assert all("took longer than 0 seconds" in str(r) for r in export_check.check(chunking, TEXT.encode()))


def test_the_check_is_stopped_at_once() -> None:
    chunking = chunkviz.chunk(chunkviz.load(TEXT.encode(), "notes.md"), "recursive", size=20, overlap=3)
    stop = threading.Event()
    stop.set()
    began = time.monotonic()
    with pytest.raises(Stopped):
        export_check.check(chunking, TEXT.encode(), stop)
    assert time.monotonic() - began < 5


def test_a_model_is_not_asked_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_check, "_run", lambda *_: pytest.fail("it was run"))
    document = chunkviz.load(TEXT.encode(), "notes.md")
    chunking = chunkviz.Chunking(document, (), Recipe("llm", {}, "words"))
    assert all("ask the language model" in str(r) for r in export_check.check(chunking, TEXT.encode()))


def test_keys_stay_in_the_app(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HF_TOKEN", "AWS_SECRET_ACCESS_KEY", "HF_HOME"):
        monkeypatch.setenv(name, "secret")
    document = chunkviz.Document.from_text("Words.")
    own = export_check._environment(chunkviz.Chunking(document, (), Recipe("fixed", {}, "words")))
    assert {k for k, v in own.items() if v == "secret"} == {"HF_HOME"}
    remote = chunkviz.Chunking(document, (), Recipe("semantic", {"model": "endpoint:some-model"}, "words"))
    assert {k for k, v in export_check._environment(remote).items() if v == "secret"} == {
        "HF_HOME",
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
    }


def test_the_command_is_the_one_that_is_shown(tmp_path: Path) -> None:
    assert export.command("-a b.md")[:4] == ["chunk", "./-a b.md", "--recipe", "recipe.json"]
