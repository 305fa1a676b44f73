"""Answers that are kept: in memory, or in `$CHUNKVIZ_CACHE_DIR/answers.sqlite3` where that variable is set.

A key is a SHA-256 over everything that decides an answer: address, model, version of the prompt, the whole prompt with
its part of the document. So whoever meets an entry would have got the same from the same endpoint. The API key is no
part of it. Values are JSON text; nothing is unpickled.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections import OrderedDict
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Final, Protocol

from chunkviz.llm.endpoint import Endpoint
from chunkviz.llm.questions import Question
from chunkviz.settings import settings
from chunkviz.sqlite_file import SqliteFile, Words, transaction

VARIABLE = "CHUNKVIZ_CACHE_DIR"
FILE = "answers.sqlite3"


def key_of(*parts: str) -> str:
    """SHA-256 over the parts, each with its length in front; hex."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()


def answer_key(endpoint: Endpoint, model: str, question: Question) -> str:
    """What the answer of this model of the endpoint is kept under."""
    address = endpoint.url("chat/completions")
    return key_of("answer", address, model, question.version, question.instructions, question.text)


class Answers(Protocol):
    """A store of answers. Neither method raises; what cannot be read is a miss."""

    def get(self, key: str) -> str | None:
        """The JSON text kept under `key`."""

    def put(self, key: str, value: str) -> str:
        """Keep `value`; "" or one sentence, each said once, about what went wrong since the last call."""


class InMemory:
    """The answers of this process, at most `most`; those not asked for the longest go first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[str, str] = OrderedDict()
        self._lock = Lock()

    def get(self, key: str) -> str | None:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def put(self, key: str, value: str) -> str:
        with self._lock:
            self._kept[key] = value
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return ""


_SCHEMA: Final = "CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, value TEXT NOT NULL);"
_WORDS: Final = Words(
    # Reading and keeping fail with the same words: they are told once.
    failed=f"Answers could not be kept in {FILE} of {VARIABLE} ({{kind}}); they will be asked again.",
    damaged=f"{FILE} of {VARIABLE} was damaged, and what it held could not be kept; it is now {{aside}}, and a new one was "
    "begun.",
)


class OnDisk:
    """The answers in one SQLite file, at most `most`; the oldest go first. Made of document text: for the owner only."""

    def __init__(self, folder: Path, most: int) -> None:
        self._file = SqliteFile(folder / FILE, _SCHEMA, _WORDS, private=True)
        self._most = most
        self._told = 0

    def get(self, key: str) -> str | None:
        query = "SELECT value FROM answers WHERE key = ?"
        row = self._file.do(lambda c: c.execute(query, (key,)).fetchone(), "read")
        return row[0] if row and isinstance(row[0], str) else None

    def put(self, key: str, value: str) -> str:
        def write(connection: sqlite3.Connection) -> None:
            with transaction(connection):
                connection.execute("INSERT OR REPLACE INTO answers VALUES (?, ?)", (key, value))
                # Each insert gets the next row id, so the lowest ones are the oldest.
                connection.execute(
                    "DELETE FROM answers WHERE rowid <= (SELECT max(rowid) FROM answers) - ?", (self._most,)
                )

        self._file.do(write, "written")
        told, self._told = self._told, len(self._file.notices)
        return " ".join(self._file.notices[told:])


@cache
def _in_memory() -> InMemory:
    return InMemory(settings().llm_stored_answers)


def answers() -> Answers:
    """The store of this process."""
    folder = os.environ.get(VARIABLE, "").strip()
    return OnDisk(Path(folder), settings().llm_stored_answers) if folder else _in_memory()
