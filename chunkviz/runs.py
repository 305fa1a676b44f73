"""Finished evaluations on disk, so that they can be opened again and compared: not lost by a restart or a crash.

    store = default_runs()
    scope = Scope.of(documents, questions)
    run_id = store.save(scope, evaluation)
    store.listed(scope)                # newest first
    store.load(scope, run_id)          # the evaluation, with figures and cells

An SQLite file beside the vectors, a row of JSON for each run. A run belongs to a scope: a SHA-256 over the documents and
the questions. Only who has the same ones at hand finds it, so several people may use one installation; the rows hold
figures and positions, and no word of a document, of its name or of a question: those are what the scope stands for.

The store never stops an evaluation: what is wrong with the file or the disk is told in `notices`.
"""

from __future__ import annotations

import json
import sqlite3
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any, Final, Self

from chunkviz.document import Document
from chunkviz.embed.store import default_folder
from chunkviz.errors import ChunkvizError
from chunkviz.evaluation import Cell, EmbeddingCost, Evaluation, RecipeResult, Retrieved, Summary
from chunkviz.metrics.base import Result
from chunkviz.questions import Question
from chunkviz.recipe import Recipe
from chunkviz.retrieval import RetrievalOptions
from chunkviz.sqlite_file import SqliteFile, Words, transaction

FILE_NAME: Final = "runs.sqlite"
MOST_RUNS: Final = 500
"""Runs that are kept, of all scopes together; the oldest go first."""

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS runs (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    scope TEXT NOT NULL,        -- key of a `Scope`
    made REAL NOT NULL,         -- seconds since 1970
    head TEXT NOT NULL,         -- what a list shows, JSON
    body TEXT NOT NULL,         -- the whole run, JSON
    checksum BLOB NOT NULL      -- BLAKE2b-64 of scope, head and body
);
CREATE INDEX IF NOT EXISTS runs_of ON runs (scope, number);
"""
_WORDS: Final = Words(
    failed="Runs cannot be {verb} in {path}: {why}.",
    damaged="{name} was damaged; it is now {aside}, and a new one was begun.",
)


@dataclass(frozen=True, slots=True)
class Kept:
    """A run as a list shows it.

    made    : seconds since 1970
    k       : the depths, as spelled
    seconds : of embedding; `fresh` texts were embedded, `known` ones were stored already
    models  : names of the models that its recipes name: the only words in a run that somebody typed
    """

    id: str
    made: float
    recipes: int
    k: tuple[int | str, ...]
    rules: str
    fresh: int
    known: int
    seconds: float
    models: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scope:
    """What an evaluation was about.

    key       : SHA-256 over texts, ids, questions and gold spans; hex
    documents : their ids, sorted
    """

    key: str
    documents: tuple[str, ...]
    questions: tuple[Question, ...]

    @classmethod
    def of(cls, documents: Mapping[str, Document], questions: Sequence[Question]) -> Self:
        names = tuple(sorted(documents))
        about = [
            [[name, documents[name].fingerprint] for name in names],
            [[q.text, q.answer, [[g.document, g.start, g.end] for g in q.gold]] for q in questions],
        ]
        return cls(sha256(_json(about).encode()).hexdigest(), names, tuple(questions))


class RunStore:
    """Runs in the SQLite file `path`, which is made where there is none. Threads and processes may share it.

    notices : what went wrong, each said once, in words
    """

    def __init__(self, path: Path, most: int = MOST_RUNS) -> None:
        self.path = Path(path)
        self.most = most
        self._file = SqliteFile(self.path, _SCHEMA, _WORDS)
        self.notices = self._file.notices

    def save(self, scope: Scope, made: Evaluation) -> str | None:
        """Keep a finished evaluation; its id, or None where it cannot be kept. Never raises for the disk."""
        run_id = uuid.uuid4().hex
        cost = made.embedding
        head = _json(
            {
                "recipes": len({(_json(r.given), _json(r.options.changed())) for r in made.results}),
                "k": list(dict.fromkeys(r.k for r in made.results)),
                "rules": made.rules,
                "fresh": cost.fresh,
                "known": cost.known,
                "seconds": round(cost.seconds, 3),
                "models": made.models,
            }
        )
        body = _json(_plain(made, scope))
        row = (run_id, scope.key, time.time(), head, body, _checksum(scope.key, head, body))

        def write(connection: sqlite3.Connection) -> bool:
            with transaction(connection):
                connection.execute(
                    "INSERT INTO runs (id, scope, made, head, body, checksum) VALUES (?, ?, ?, ?, ?, ?)", row
                )
                connection.execute(
                    "DELETE FROM runs WHERE number NOT IN (SELECT number FROM runs ORDER BY number DESC LIMIT ?)",
                    (self.most,),
                )
            return True

        return run_id if self._file.do(write, "written") else None

    def listed(self, scope: Scope) -> list[Kept]:
        """The runs of a scope, newest first. Never raises."""
        query = "SELECT id, made, head FROM runs WHERE scope = ? ORDER BY number DESC"
        rows = self._file.do(lambda c: c.execute(query, (scope.key,)).fetchall(), "read") or []
        found = []
        for run_id, made, head in rows:
            try:
                fields = json.loads(head)
                fields["k"], fields["models"] = tuple(fields["k"]), tuple(fields["models"])
                found.append(Kept(id=str(run_id), made=float(made), **fields))
            except (ValueError, TypeError, LookupError):
                self._drop(str(run_id))
        return found

    def load(self, scope: Scope, run_id: str) -> Evaluation | None:
        """A run again; None where there is none of this id in this scope, or it is damaged. Never raises.

        What was cut is not stored: `RecipeResult.chunkings` are empty, and the recipe makes them again.
        """
        query = "SELECT head, body, checksum FROM runs WHERE id = ? AND scope = ?"
        row = self._file.do(lambda c: c.execute(query, (run_id, scope.key)).fetchone(), "read")
        if row is None:
            return None
        head, body, checksum = row
        try:
            if checksum != _checksum(scope.key, head, body):
                raise ValueError("checksum")
            return _evaluation(json.loads(body), scope)
        except (ValueError, TypeError, LookupError, AttributeError, ChunkvizError):
            self._drop(run_id)
            return None

    def delete(self, scope: Scope, run_id: str) -> bool:
        """Forget a run; whether there was one."""

        def gone(connection: sqlite3.Connection) -> bool:
            with transaction(connection):
                return (
                    connection.execute("DELETE FROM runs WHERE id = ? AND scope = ?", (run_id, scope.key)).rowcount > 0
                )

        return bool(self._file.do(gone, "written"))

    def _drop(self, run_id: str) -> None:
        self._file.notice(f"A run in {self.path.name} was damaged or made by another version; it was deleted.")

        def gone(connection: sqlite3.Connection) -> bool:
            with transaction(connection):
                connection.execute("DELETE FROM runs WHERE id = ?", (run_id,))
            return True

        self._file.do(gone, "written")


def default_runs() -> RunStore:
    """The runs of this process, beside the vectors; made once for each folder."""
    return _runs_at(default_folder() / FILE_NAME)


@cache
def _runs_at(path: Path) -> RunStore:
    return RunStore(path)


def _json(value: Any) -> str:
    # ASCII: a lone surrogate cannot be stored otherwise.
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"), default=dict)


def _checksum(scope: str, head: str, body: str) -> bytes:
    digest = blake2b(digest_size=8)
    for part in (scope, head, body):
        data = part.encode()
        digest.update(b"%d:" % len(data) + data)
    return digest.digest()


def _plain(made: Evaluation, scope: Scope) -> dict[str, Any]:
    numbers = {name: at for at, name in enumerate(scope.documents)}
    return {
        "rules": made.rules,
        "embedding": asdict(made.embedding),
        "results": [_plain_result(r, numbers) for r in made.results],
    }


def _plain_result(r: RecipeResult, numbers: Mapping[str, int]) -> dict[str, Any]:
    return {
        "given": r.given,
        "recipe": r.recipe.to_dict() if r.recipe else None,
        "options": r.options.changed(),
        "k": r.k,
        "chunks": r.chunks,
        "mean_tokens": r.mean_tokens,
        "overhead": r.overhead,
        "embedded": r.embedded,
        "reranker": r.reranker,
        "metrics": {id: asdict(summary) for id, summary in r.metrics.items()},
        "cells": [_plain_cell(cell, numbers) for cell in r.cells],
    }


def _plain_cell(cell: Cell, numbers: Mapping[str, int]) -> dict[str, Any]:
    return {
        "cut": cell.cut,
        "values": {id: [v.value, v.of, v.reason] for id, v in cell.values.items()},
        "retrieved": [
            [numbers[r.document], r.start, r.end, r.chunk, r.tokens, float(r.score), r.rank, r.before, r.relevant]
            for r in cell.retrieved
        ],
    }


def _evaluation(data: Mapping[str, Any], scope: Scope) -> Evaluation:
    return Evaluation(
        results=tuple(_result(r, scope) for r in data["results"]),
        questions=scope.questions,
        problems=(),
        rules=data["rules"],
        embedding=EmbeddingCost(**data["embedding"]),
    )


def _result(data: Mapping[str, Any], scope: Scope) -> RecipeResult:
    return RecipeResult(
        given=data["given"],
        recipe=Recipe.from_dict(data["recipe"]) if data["recipe"] else None,
        options=RetrievalOptions.of(data["options"]),
        k=data["k"],
        chunks=data["chunks"],
        mean_tokens=data["mean_tokens"],
        overhead=data["overhead"],
        embedded=data["embedded"],
        metrics={id: Summary(**summary) for id, summary in data["metrics"].items()},
        cells=tuple(_cell(cell, q, scope) for cell, q in zip(data["cells"], scope.questions, strict=True)),
        chunkings={},
        reranker=data["reranker"],
    )


def _cell(data: Mapping[str, Any], question: Question, scope: Scope) -> Cell:
    return Cell(
        question=question,
        retrieved=tuple(Retrieved(scope.documents[r[0]], *r[1:]) for r in data["retrieved"]),
        values={id: Result(value, reason, of) for id, (value, of, reason) in data["values"].items()},
        cut=tuple(data["cut"]),
    )
