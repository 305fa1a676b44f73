"""Vectors on disk, so that no text is embedded twice: not in another session, not after a restart, not after a crash.

An SQLite file with a row for each vector. Its key is a SHA-256 over what decided the vector: the embedder's name,
revision and settings, and the text. The text itself is not stored. A row carries a checksum over key and vector; one
that fails it counts as never stored. Several threads and processes may use one file at once.

The store never stops anyone from embedding. Whatever is wrong with the file or the disk costs time only, and is told
in `notices`: vectors are then made anew, or made and not kept.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Sequence
from functools import cache, partial
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from chunkviz.embed.base import Embedder, Vectors, identity
from chunkviz.settings import settings
from chunkviz.sqlite_file import SqliteFile, Words, emptied, rows, shrink, transaction, used_bytes

FILE_NAME: Final = "vectors.sqlite"

_KEYS_AT_ONCE: Final = 500  # below the number of `?` that every SQLite takes
_TOUCHED_AFTER: Final = 86_400  # seconds; "last used" is true to a day, so that reading writes next to nothing
_TABLE: Final = "vectors"
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS vectors (
    key BLOB PRIMARY KEY,       -- SHA-256, see `keys`
    dims INTEGER NOT NULL,      -- length of the vector
    vector BLOB NOT NULL,       -- its numbers as little-endian float32
    checksum BLOB NOT NULL,     -- BLAKE2b-64 of key and vector
    used INTEGER NOT NULL       -- seconds since 1970
);
CREATE INDEX IF NOT EXISTS used ON vectors (used);
"""
_WORDS: Final = Words(
    failed="Stored vectors cannot be {verb} in {path}: {why}.",
    damaged="{path} was damaged; it is now {aside}, and vectors are made anew.",
)
_PAGE_SIZE: Final = 8192  # five vectors of 384 numbers fill one


def keys(embedder: Embedder, texts: Sequence[str]) -> list[bytes]:
    """The key of each text's vector by this embedder; SHA-256 over parts that each follow their length."""
    base = sha256()
    for part in identity(embedder):
        data = part.encode("utf-8", "surrogatepass")
        base.update(b"%d:" % len(data) + data)
    made = []
    for text in texts:
        one = base.copy()
        one.update(text.encode("utf-8", "surrogatepass"))
        made.append(one.digest())
    return made


class VectorStore:
    """Vectors in the SQLite file `path`, which is made where there is none.

    path         : the file; its folder is made, too
    limit_bytes  : most bytes the file's content may take, by default `CHUNKVIZ_VECTORS_MB`; when it is reached, the
                   vectors unused for longest are deleted
    notices      : what went wrong, each said once, in words
    """

    def __init__(self, path: Path, limit_bytes: int | None = None) -> None:
        self.path = Path(path)
        self.limit_bytes = settings().vectors_mb * 1_000_000 if limit_bytes is None else limit_bytes
        self._file = SqliteFile(self.path, _SCHEMA, _WORDS, page_size=_PAGE_SIZE, keep_open=True)
        self.notices = self._file.notices

    def get(self, keys: Sequence[bytes]) -> dict[bytes, NDArray[np.float32]]:
        """The vectors of those keys that are stored and whole, float32 (d,), read-only. Never raises."""
        found: dict[bytes, NDArray[np.float32]] = {}
        for begin in range(0, len(keys), _KEYS_AT_ONCE):
            some = list(keys[begin : begin + _KEYS_AT_ONCE])
            stored = self._file.do(partial(_select, some=some), "read")
            if stored is None:
                return found
            now = int(time.time())
            damaged, stale = [], []
            for key, dims, vector, checksum, used in stored:
                if not _whole(key, dims, vector, checksum):
                    damaged.append(key)
                    continue
                found[key] = np.frombuffer(vector, dtype="<f4").astype(np.float32, copy=False)
                if now - used > _TOUCHED_AFTER:
                    stale.append(key)
            if damaged:
                self._file.notice(f"Some vectors in {self.path} were damaged; they were deleted and are made anew.")
                self._file.do(partial(_delete, some=damaged), "written")
            if stale:
                self._file.do(partial(_touch, some=stale, now=now), "written")
        return found

    def put(self, keys: Sequence[bytes], vectors: Vectors) -> bool:
        """Store one vector for each key in one transaction. False where that was not possible. Never raises."""
        now = int(time.time())
        dims = int(vectors.shape[1])
        blobs = [row.tobytes() for row in np.ascontiguousarray(vectors, dtype="<f4")]
        made = [(key, dims, blob, _checksum(key, blob), now) for key, blob in zip(keys, blobs, strict=True)]
        done = self._file.do(partial(_insert, made=made), "written")
        if done:
            self._file.do(self._evict, "written")
        return bool(done)

    def clear(self) -> int:
        """Delete all vectors and give their space back to the disk; returns how many there were."""
        gone = self._file.do(partial(emptied, table=_TABLE), "written")
        return gone or 0

    def size(self) -> tuple[int, int]:
        """How many vectors are stored, and how many bytes of the disk they take, with all that belongs to them."""
        return self._file.do(_size, "read") or (0, 0)

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self._file.close()

    def _evict(self, connection: sqlite3.Connection) -> bool:
        """Delete the vectors unused for longest until the rest is within the limit, some thousand at a time."""
        while (taken := used_bytes(connection)) > self.limit_bytes and (stored := rows(connection, _TABLE)):
            # A tenth more than needed, so that not every slab that follows deletes again.
            excess = (taken - 0.9 * self.limit_bytes) / taken
            some = min(max(int(stored * excess), 1), 5_000)
            with transaction(connection):
                connection.execute(
                    "DELETE FROM vectors WHERE key IN (SELECT key FROM vectors ORDER BY used, rowid LIMIT ?)", (some,)
                )
            shrink(connection)
        return True


def default_folder() -> Path:
    """`$CHUNKVIZ_CACHE_DIR`, or `chunkviz` in `$XDG_CACHE_HOME`, or `~/.cache/chunkviz`."""
    own = os.environ.get("CHUNKVIZ_CACHE_DIR")
    if own:
        return Path(own)
    shared = os.environ.get("XDG_CACHE_HOME")
    return (Path(shared) if shared else Path.home() / ".cache") / "chunkviz"


def default_store() -> VectorStore:
    """The store of this process, in `default_folder()`; made once for each folder."""
    return _store_at(default_folder() / FILE_NAME)


@cache
def _store_at(path: Path) -> VectorStore:
    return VectorStore(path)


def _checksum(key: bytes, vector: bytes) -> bytes:
    return blake2b(key + vector, digest_size=8).digest()


def _whole(key: bytes, dims: int, vector: bytes, checksum: bytes) -> bool:
    return isinstance(vector, bytes) and len(vector) == 4 * dims > 0 and checksum == _checksum(key, vector)


def _marks(some: Sequence[bytes]) -> str:
    return ",".join("?" * len(some))


def _select(connection: sqlite3.Connection, some: list[bytes]) -> list[tuple[bytes, int, bytes, bytes, int]]:
    query = f"SELECT key, dims, vector, checksum, used FROM vectors WHERE key IN ({_marks(some)})"  # noqa: S608  # marks
    return connection.execute(query, some).fetchall()


def _insert(connection: sqlite3.Connection, made: Sequence[tuple[bytes, int, bytes, bytes, int]]) -> bool:
    with transaction(connection):
        connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?, ?)", made)
    return True


def _delete(connection: sqlite3.Connection, some: list[bytes]) -> bool:
    with transaction(connection):
        connection.execute(f"DELETE FROM vectors WHERE key IN ({_marks(some)})", some)  # noqa: S608  # marks only
    return True


def _touch(connection: sqlite3.Connection, some: list[bytes], now: int) -> bool:
    with transaction(connection):
        connection.execute(f"UPDATE vectors SET used = ? WHERE key IN ({_marks(some)})", (now, *some))  # noqa: S608
    return True


def _size(connection: sqlite3.Connection) -> tuple[int, int]:
    return rows(connection, _TABLE), used_bytes(connection)
