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
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any, Final, Self, TypeVar

from chunkviz.document import Document
from chunkviz.embed.store import default_folder
from chunkviz.errors import ChunkvizError
from chunkviz.evaluation import Cell, EmbeddingCost, Evaluation, RecipeResult, Retrieved, Summary
from chunkviz.metrics.base import Result
from chunkviz.questions import Question
from chunkviz.recipe import Recipe
from chunkviz.retrieval import RetrievalOptions

FILE_NAME: Final = "runs.sqlite"
MOST_RUNS: Final = 500
"""Runs that are kept, of all scopes together; the oldest go first."""

_FORMAT: Final = 1
_BUSY_SECONDS: Final = 5
_SCHEMA: Final = f"""
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
PRAGMA user_version = {_FORMAT};
"""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Kept:
    """A run as a list shows it.

    made    : seconds since 1970
    k       : the depths, as spelled
    seconds : of embedding; `fresh` texts were embedded, `known` ones were stored already
    """

    id: str
    made: float
    recipes: int
    k: tuple[int | str, ...]
    rules: str
    fresh: int
    known: int
    seconds: float


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
        self.notices: list[str] = []
        self._lock = threading.Lock()

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
            }
        )
        body = _json(_plain(made, scope))
        row = (run_id, scope.key, time.time(), head, body, _checksum(scope.key, head, body))

        def write(connection: sqlite3.Connection) -> bool:
            with connection:
                connection.execute(
                    "INSERT INTO runs (id, scope, made, head, body, checksum) VALUES (?, ?, ?, ?, ?, ?)", row
                )
                connection.execute(
                    "DELETE FROM runs WHERE number NOT IN (SELECT number FROM runs ORDER BY number DESC LIMIT ?)",
                    (self.most,),
                )
            return True

        return run_id if self._do(write, "written") else None

    def listed(self, scope: Scope) -> list[Kept]:
        """The runs of a scope, newest first. Never raises."""
        query = "SELECT id, made, head FROM runs WHERE scope = ? ORDER BY number DESC"
        rows = self._do(lambda c: c.execute(query, (scope.key,)).fetchall(), "read") or []
        found = []
        for run_id, made, head in rows:
            try:
                fields = json.loads(head)
                fields["k"] = tuple(fields["k"])
                found.append(Kept(id=str(run_id), made=float(made), **fields))
            except (ValueError, TypeError, LookupError):
                self._drop(str(run_id))
        return found

    def load(self, scope: Scope, run_id: str) -> Evaluation | None:
        """A run again; None where there is none of this id in this scope, or it is damaged. Never raises.

        What was cut is not stored: `RecipeResult.chunkings` are empty, and the recipe makes them again.
        """
        query = "SELECT head, body, checksum FROM runs WHERE id = ? AND scope = ?"
        row = self._do(lambda c: c.execute(query, (run_id, scope.key)).fetchone(), "read")
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
            with connection:
                return (
                    connection.execute("DELETE FROM runs WHERE id = ? AND scope = ?", (run_id, scope.key)).rowcount > 0
                )

        return bool(self._do(gone, "written"))

    def _drop(self, run_id: str) -> None:
        self._notice(f"A run in {self.path.name} was damaged or made by another version; it was deleted.")

        def gone(connection: sqlite3.Connection) -> bool:
            with connection:
                connection.execute("DELETE FROM runs WHERE id = ?", (run_id,))
            return True

        self._do(gone, "written")

    def _do(self, work: Callable[[sqlite3.Connection], T], verb: str) -> T | None:
        """`work` with the file open, again where others kept it busy; None, and a notice, where it cannot be done.

        The file is opened for each call: calls are rare, and nothing is left open in a process that dies.
        """
        until = time.monotonic() + _BUSY_SECONDS
        mended = False
        with self._lock:
            while True:
                seen: tuple[int, int] | None = None
                try:
                    with closing(self._connected()) as connection:
                        seen = self._identity()
                        _prepare(connection)
                        return work(connection)
                except sqlite3.Error as error:
                    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
                    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) and not mended:
                        mended = True
                        wrong = self._set_aside(seen)
                        if not wrong:
                            continue
                    elif code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) and time.monotonic() < until:
                        time.sleep(0.02)
                        continue
                    else:
                        wrong = str(error)
                except OSError as error:
                    wrong = error.strerror or str(error)
                self._notice(f"Runs cannot be {verb} in {self.path}: {wrong}.")
                return None

    def _connected(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        return sqlite3.connect(self.path, timeout=_BUSY_SECONDS)

    def _identity(self) -> tuple[int, int]:
        stat = self.path.stat()
        return stat.st_dev, stat.st_ino

    def _set_aside(self, seen: tuple[int, int] | None) -> str:
        """Rename the damaged file, so that a new one can be begun; why not, or "" where that is done."""
        try:
            if seen is None or self._identity() != seen:
                return ""  # another process was faster; what lies there now is a new file
            stem = f"{self.path.stem}.broken-{time.strftime('%Y%m%d-%H%M%S')}-{uuid.uuid4().hex[:4]}"
            aside = self.path.with_name(f"{stem}{self.path.suffix}")
            # The log goes first: left behind, it would be taken for that of the new file.
            for ending in ("-wal", "-shm", ""):
                part = Path(f"{self.path}{ending}")
                if part.exists():
                    part.rename(f"{aside}{ending}")
        except FileNotFoundError:
            return ""
        except OSError as error:
            return f"it is damaged and cannot be renamed ({error.strerror or error})"
        self._notice(f"{self.path.name} was damaged; it is now {aside.name}, and a new one was begun.")
        return ""

    def _notice(self, text: str) -> None:
        if text not in self.notices:
            self.notices.append(text)


def default_runs() -> RunStore:
    """The runs of this process, beside the vectors; made once for each folder."""
    return _runs_at(default_folder() / FILE_NAME)


@cache
def _runs_at(path: Path) -> RunStore:
    return RunStore(path)


def _prepare(connection: sqlite3.Connection) -> None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version not in (0, _FORMAT):
        raise sqlite3.OperationalError(f"it was made by another version of chunkviz (format {version})")
    connection.execute("PRAGMA journal_mode = WAL").fetchall()
    # With a write-ahead log this loses nothing when the process ends.
    connection.execute("PRAGMA synchronous = NORMAL")
    if version == 0:
        connection.executescript(f"BEGIN IMMEDIATE;{_SCHEMA}COMMIT;")


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
