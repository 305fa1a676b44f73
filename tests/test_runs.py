"""Stored runs: what comes back is what was found, whatever happens to the process, the file or the disk."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from fake_embedders import Hashed

import chunkviz
from chunkviz.document import Document
from chunkviz.embed import using
from chunkviz.evaluation import Evaluation
from chunkviz.grid import label
from chunkviz.questions import Gold, Question
from chunkviz.runs import RunStore, Scope, default_runs
from chunkviz.ui import stored_runs

TEXT = "The harbour opens at nine. Boats pay four euros a night. Dogs are welcome on the pier.\n"
DOCS = {"harbour.txt": Document.from_text(TEXT, name="harbour.txt")}


def asked(text: str, quote: str) -> Question:
    at = TEXT.index(quote)
    return Question(text, (Gold("harbour.txt", at, at + len(quote)),))


QUESTIONS = (asked("What do boats pay?", "Boats pay four euros"), asked("May dogs come?", "Dogs are welcome"))
SCOPE = Scope.of(DOCS, QUESTIONS)


def evaluated(questions: Sequence[Question] = QUESTIONS, docs: Mapping[str, Document] = DOCS) -> Evaluation:
    recipes = [
        {"strategy": "sentence", "params": {"sentences": 1, "overlap": 0}},
        {"strategy": "fixed", "params": {"size": 5, "overlap": 1}, "unit": "words", "retrieval": {"merge": 0.5}},
    ]
    return chunkviz.evaluate(docs, questions, recipes, k=(1, "min"), retrieval={"retriever": "keyword"})


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    return RunStore(tmp_path / "deep" / "runs.sqlite")


def test_a_run_comes_back_as_it_was(store: RunStore) -> None:
    made = evaluated()
    run_id = store.save(SCOPE, made)
    assert run_id
    again = RunStore(store.path).load(SCOPE, run_id)
    assert again is not None
    assert again.to_dict(cells=True) == made.to_dict(cells=True)
    assert [[c.values for c in r.cells] for r in again.results] == [[c.values for c in r.cells] for r in made.results]
    assert again.results[2].options == made.results[2].options
    assert again.results[0].recipe == made.results[0].recipe
    assert [list(r.given["params"]) for r in again.results] == [list(r.given["params"]) for r in made.results]
    assert [label(r) for r in again.results] == [label(r) for r in made.results]
    # What stands behind the figures can still be compared.
    assert again.results[2].against(made.results[0], "token_recall") == made.results[2].against(
        made.results[0], "token_recall"
    )
    (kept,) = store.listed(SCOPE)
    assert (kept.id, kept.recipes, kept.k, kept.rules) == (run_id, 2, (1, "min"), "exact")
    assert store.notices == []


def test_no_word_of_documents_names_or_questions_is_in_the_file(store: RunStore) -> None:
    store.save(SCOPE, evaluated())
    data = b"".join(path.read_bytes() for path in store.path.parent.iterdir())
    for word in ("harbour", "Boats", "euros", "Dogs", "welcome"):
        assert word.encode() not in data


def test_only_the_same_documents_and_questions_find_it(store: RunStore) -> None:
    run_id = store.save(SCOPE, evaluated())
    assert run_id
    other_text = {"harbour.txt": Document.from_text(TEXT + "More.", name="harbour.txt")}
    for scope in (
        Scope.of(other_text, QUESTIONS),
        Scope.of({"pier.txt": DOCS["harbour.txt"]}, QUESTIONS),
        Scope.of(DOCS, QUESTIONS[:1]),
        Scope.of(DOCS, QUESTIONS[::-1]),
    ):
        assert store.listed(scope) == []
        assert store.load(scope, run_id) is None
        assert not store.delete(scope, run_id)
    assert len(store.listed(Scope.of(dict(DOCS), list(QUESTIONS)))) == 1
    assert store.delete(SCOPE, run_id)
    assert store.listed(SCOPE) == []
    assert store.notices == []


def test_newest_first_and_the_oldest_go(tmp_path: Path) -> None:
    store = RunStore(tmp_path / "runs.sqlite", most=3)
    ids = [store.save(SCOPE, evaluated()) for _ in range(5)]
    assert [kept.id for kept in store.listed(SCOPE)] == ids[:1:-1]


def test_a_question_with_a_lone_surrogate_is_stored(store: RunStore) -> None:
    odd = (Question("\ud800?", QUESTIONS[0].gold),)
    scope = Scope.of(DOCS, odd)
    run_id = store.save(scope, evaluated(odd))
    assert run_id
    assert store.load(scope, run_id) is not None


@pytest.mark.parametrize("garbage", [b"this is no database" * 400, b"SQLite format 3\x00" + b"\xff" * 5000])
def test_a_damaged_file_is_set_aside_and_said(store: RunStore, garbage: bytes) -> None:
    store.path.parent.mkdir(parents=True)
    store.path.write_bytes(garbage)
    assert store.listed(SCOPE) == []
    assert store.save(SCOPE, evaluated())
    assert len(store.listed(SCOPE)) == 1
    assert len(store.notices) == 1
    assert "was damaged" in store.notices[0]
    assert [p.read_bytes() for p in store.path.parent.glob("runs.broken-*")] == [garbage]


@pytest.mark.parametrize("column", ["body", "checksum", "head"])
def test_a_damaged_run_is_dropped_and_the_others_stay(store: RunStore, column: str) -> None:
    first, second = store.save(SCOPE, evaluated()), store.save(SCOPE, evaluated())
    assert first
    assert second
    with sqlite3.connect(store.path) as connection:
        connection.execute(f"UPDATE runs SET {column} = '[' WHERE id = ?", (first,))  # names of this test
    connection.close()
    assert store.load(SCOPE, first) is None
    assert [kept.id for kept in store.listed(SCOPE)] == [second]
    assert store.load(SCOPE, second) is not None
    assert any("damaged" in notice for notice in store.notices)


def test_a_body_of_another_shape_is_not_an_error(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chunkviz.runs._plain", lambda made, scope: {"results": [{}]})
    run_id = store.save(SCOPE, evaluated())
    assert run_id
    assert store.load(SCOPE, run_id) is None


def test_a_file_of_another_version_is_left_alone(store: RunStore) -> None:
    store.path.parent.mkdir(parents=True)
    with sqlite3.connect(store.path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    before = store.path.read_bytes()
    assert store.save(SCOPE, evaluated()) is None
    assert store.path.read_bytes() == before
    assert "another version" in store.notices[0]


def test_a_folder_that_cannot_be_written_costs_the_run_only(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    store = RunStore(tmp_path / "file" / "runs.sqlite")
    assert store.save(SCOPE, evaluated()) is None
    assert store.listed(SCOPE) == []
    assert len(store.notices) == 2


SAVE = """
import sys
sys.path.insert(0, "tests")
import os
from test_runs import SCOPE, evaluated
from chunkviz.runs import RunStore
from pathlib import Path
store, made = RunStore(Path(sys.argv[1])), evaluated()
for _ in range(int(sys.argv[2])):
    assert store.save(SCOPE, made), store.notices
assert not store.notices, store.notices
print("saved", flush=True)
os._exit(9)  # no clean end, as after a crash
"""


def test_several_processes_and_threads_write_and_a_crash_loses_nothing(store: RunStore, root: Path) -> None:
    running = [
        subprocess.Popen(
            [sys.executable, "-c", SAVE, str(store.path), "5"], cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for _ in range(2)
    ]
    made = evaluated()
    threads = [threading.Thread(target=lambda: [store.save(SCOPE, made) for _ in range(5)]) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for process in running:
        out, err = process.communicate(timeout=60)
        assert (process.returncode, out.strip()) == (9, b"saved"), err
    assert len(store.listed(SCOPE)) == 20
    assert store.notices == []
    with sqlite3.connect(store.path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


def test_a_write_that_is_torn_off_leaves_no_half_run(store: RunStore, root: Path) -> None:
    """The process dies between writing the row and the end of the transaction."""
    store.save(SCOPE, evaluated())
    torn = (
        "import os, sqlite3, sys\n"
        "c = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "c.execute('BEGIN IMMEDIATE')\n"
        "c.execute('INSERT INTO runs (id, scope, made, head, body, checksum) SELECT 1, scope, made, head, body, checksum"
        " FROM runs')\n"
        "os._exit(9)\n"
    )
    done = subprocess.run([sys.executable, "-c", torn, str(store.path)], cwd=root, check=False)
    assert done.returncode == 9
    assert len(store.listed(SCOPE)) == 1
    assert store.save(SCOPE, evaluated())
    assert store.notices == []


def test_rows_are_json_that_others_can_read(store: RunStore) -> None:
    store.save(SCOPE, evaluated())
    with sqlite3.connect(store.path) as connection:
        (body,) = connection.execute("SELECT body FROM runs").fetchone()
    connection.close()
    data: dict[str, Any] = json.loads(body)
    assert [r["k"] for r in data["results"]] == [1, "min", 1, "min"]


def test_the_default_lies_beside_the_vectors() -> None:
    assert default_runs().path.parent == chunkviz.embed.default_store().path.parent
    assert default_runs() is default_runs()
    assert os.environ["CHUNKVIZ_CACHE_DIR"] in str(default_runs().path)


def test_a_list_says_which_models_a_run_names(store: RunStore) -> None:
    """A name of a model is the only word in a run that somebody typed, and may be a folder: a list can be held against it."""
    recipe = {"strategy": "sentence", "params": {"sentences": 1, "overlap": 0}}
    both = [recipe, {**recipe, "retrieval": {"retriever": "dense", "model": "hashed"}}]
    with using({"hashed": Hashed()}):
        made = chunkviz.evaluate(DOCS, QUESTIONS, both, retrieval={"retriever": "keyword"})
    assert made.models == ("hashed",)
    store.save(SCOPE, made)
    store.save(SCOPE, evaluated())
    assert [kept.models for kept in store.listed(SCOPE)] == [(), ("hashed",)]


def test_a_session_sees_no_run_that_names_a_model_it_does_not_know(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHUNKVIZ_CACHE_DIR", str(tmp_path))
    session: dict[str, Any] = {}
    monkeypatch.setattr(stored_runs.st, "session_state", session)
    recipe = {"strategy": "sentence", "retrieval": {"retriever": "dense", "model": "/home/someone/secret"}}
    with using({"/home/someone/secret": Hashed()}):
        made = chunkviz.evaluate(DOCS, QUESTIONS, [recipe])
    stored_runs.save(SCOPE, made)
    plain = stored_runs.save(SCOPE, evaluated())
    assert [kept.id for kept in stored_runs.listed(SCOPE)] == [plain]
    session["models"] = ["/home/someone/secret"]
    assert len(stored_runs.listed(SCOPE)) == 2


def test_the_page_says_when_and_on_what_a_run_was_made_and_whether_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHUNKVIZ_CACHE_DIR", str(tmp_path))
    session: dict[str, Any] = {}
    monkeypatch.setattr(stored_runs.st, "session_state", session)
    run_id = stored_runs.save(SCOPE, evaluated())
    shown = stored_runs.newest(SCOPE, DOCS)
    assert shown is not None
    assert shown.run_id == run_id
    words = stored_runs.about(shown)
    assert stored_runs.when(shown.made) in words
    assert "harbour.txt, with 2 questions" in words
    assert "another session" not in words
    session.clear()
    assert "in another session, perhaps by somebody else" in stored_runs.about(shown)
