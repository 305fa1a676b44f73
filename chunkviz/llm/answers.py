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
from contextlib import closing
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Protocol

from chunkviz.settings import settings

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


class Answers(Protocol):
    """A store of answers. Neither method raises; what cannot be read is a miss."""

    def get(self, key: str) -> str | None:
        """The JSON text kept under `key`."""

    def put(self, key: str, value: str) -> str:
        """Keep `value`; "" or one sentence that says why it could not be kept."""


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


class OnDisk:
    """The answers in one SQLite file, at most `most`; the oldest go first. Opened for each call: calls are rare."""

    def __init__(self, folder: Path, most: int) -> None:
        self._path = folder / FILE
        self._most = most

    def _opened(self) -> sqlite3.Connection:
        # Answers are made of document text: for the owner's eyes only.
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._path.touch(mode=0o600, exist_ok=True)
        connection = sqlite3.connect(self._path, timeout=5)
        try:
            connection.execute("CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, value TEXT NOT NULL)")
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def get(self, key: str) -> str | None:
        try:
            with closing(self._opened()) as connection:
                row = connection.execute("SELECT value FROM answers WHERE key = ?", (key,)).fetchone()
        except (sqlite3.Error, OSError):
            return None
        return row[0] if row and isinstance(row[0], str) else None

    def put(self, key: str, value: str) -> str:
        try:
            with closing(self._opened()) as connection, connection:
                connection.execute("INSERT OR REPLACE INTO answers VALUES (?, ?)", (key, value))
                # Each insert gets the next row id, so the lowest ones are the oldest.
                connection.execute(
                    "DELETE FROM answers WHERE rowid <= (SELECT max(rowid) FROM answers) - ?", (self._most,)
                )
        except (sqlite3.Error, OSError) as error:
            return (
                f"Answers could not be kept in {FILE} of {VARIABLE} ({type(error).__name__}); they will be asked again."
            )
        return ""


@cache
def _in_memory() -> InMemory:
    return InMemory(settings().llm_stored_answers)


def answers() -> Answers:
    """The store of this process."""
    folder = os.environ.get(VARIABLE, "").strip()
    return OnDisk(Path(folder), settings().llm_stored_answers) if folder else _in_memory()
