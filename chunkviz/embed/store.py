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
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from hashlib import blake2b, sha256
from itertools import chain, count
from pathlib import Path
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from chunkviz.embed.base import Embedder, Vectors
from chunkviz.settings import settings

FILE_NAME: Final = "vectors.sqlite"

_FORMAT: Final = 1
_BUSY_SECONDS: Final = 5
_KEYS_AT_ONCE: Final = 500  # below the number of `?` that every SQLite takes
_TOUCHED_AFTER: Final = 86_400  # seconds; "last used" is true to a day, so that reading writes next to nothing
_SCHEMA: Final = f"""
CREATE TABLE IF NOT EXISTS vectors (
    key BLOB PRIMARY KEY,       -- SHA-256, see `keys`
    dims INTEGER NOT NULL,      -- length of the vector
    vector BLOB NOT NULL,       -- its numbers as little-endian float32
    checksum BLOB NOT NULL,     -- BLAKE2b-64 of key and vector
    used INTEGER NOT NULL       -- seconds since 1970
);
CREATE INDEX IF NOT EXISTS used ON vectors (used);
PRAGMA user_version = {_FORMAT};
"""

T = TypeVar("T")


def keys(embedder: Embedder, texts: Sequence[str]) -> list[bytes]:
    """The key of each text's vector by this embedder; SHA-256 over parts that each follow their length."""
    base = sha256()
    for part in (embedder.name, embedder.revision, embedder.settings):
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
        self.notices: list[str] = []
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._identity: tuple[int, int] | None = None

    def get(self, keys: Sequence[bytes]) -> dict[bytes, NDArray[np.float32]]:
        """The vectors of those keys that are stored and whole, float32 (d,), read-only. Never raises."""
        found: dict[bytes, NDArray[np.float32]] = {}
        for begin in range(0, len(keys), _KEYS_AT_ONCE):
            some = list(keys[begin : begin + _KEYS_AT_ONCE])
            rows = self._do(partial(_select, some=some), "read")
            if rows is None:
                return found
            now = int(time.time())
            damaged, stale = [], []
            for key, dims, vector, checksum, used in rows:
                if not _whole(key, dims, vector, checksum):
                    damaged.append(key)
                    continue
                found[key] = np.frombuffer(vector, dtype="<f4").astype(np.float32, copy=False)
                if now - used > _TOUCHED_AFTER:
                    stale.append(key)
            if damaged:
                self._notice(f"Some vectors in {self.path} were damaged; they were deleted and are made anew.")
                self._do(partial(_delete, some=damaged), "written")
            if stale:
                self._do(partial(_touch, some=stale, now=now), "written")
        return found

    def put(self, keys: Sequence[bytes], vectors: Vectors) -> bool:
        """Store one vector for each key in one transaction. False where that was not possible. Never raises."""
        now = int(time.time())
        dims = int(vectors.shape[1])
        blobs = [row.tobytes() for row in np.ascontiguousarray(vectors, dtype="<f4")]
        rows = [(key, dims, blob, _checksum(key, blob), now) for key, blob in zip(keys, blobs, strict=True)]
        done = self._do(partial(_insert, rows=rows), "written")
        if done:
            self._do(self._evict, "written")
        return bool(done)

    def clear(self) -> int:
        """Delete all vectors and give their space back to the disk; returns how many there were."""
        gone = self._do(_delete_all, "written")
        return gone or 0

    def size(self) -> tuple[int, int]:
        """How many vectors are stored, and how many bytes of the disk they take, with all that belongs to them."""
        return self._do(_size, "read") or (0, 0)

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _evict(self, connection: sqlite3.Connection) -> bool:
        """Delete the vectors unused for longest until the rest is within the limit, some thousand at a time."""
        while (taken := _bytes(connection)) > self.limit_bytes and (stored := _count(connection)):
            # A tenth more than needed, so that not every slab that follows deletes again.
            excess = (taken - 0.9 * self.limit_bytes) / taken
            some = min(max(int(stored * excess), 1), 5_000)
            with _transaction(connection):
                connection.execute(
                    "DELETE FROM vectors WHERE key IN (SELECT key FROM vectors ORDER BY used, rowid LIMIT ?)", (some,)
                )
            _shrink(connection)
        return True

    def _do(self, work: Callable[[sqlite3.Connection], T], verb: str) -> T | None:
        """`work` with the open file, again where others kept it busy; None, and a notice, where it cannot be done."""
        until = time.monotonic() + _BUSY_SECONDS
        broken = 0
        with self._lock:
            while True:
                try:
                    return work(self._connection or self._open())
                except sqlite3.Error as error:
                    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
                    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) and not broken:
                        broken += 1
                        wrong = self._set_aside()
                        if wrong is None:
                            continue
                    elif code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) and time.monotonic() < until:
                        time.sleep(0.02)
                        continue
                    else:
                        wrong = str(error)
                except OSError as error:
                    wrong = error.strerror or str(error)
                self._notice(f"Stored vectors cannot be {verb} in {self.path}: {wrong}.")
                return None

    def _open(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # Transactions are begun by hand; and the lock above keeps threads apart.
        connection = sqlite3.connect(
            self.path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False, cached_statements=32
        )
        try:
            stat = self.path.stat()
            self._identity = (stat.st_dev, stat.st_ino)
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if version not in (0, _FORMAT):
                raise sqlite3.OperationalError(f"it was made by another version of chunkviz (format {version})")
            if version == 0:
                # Only heeded before the first table. Five vectors of 384 numbers fill a page of this size.
                connection.execute("PRAGMA page_size = 8192")
                connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
            connection.execute("PRAGMA journal_mode = WAL").fetchall()
            # With a write-ahead log this loses nothing when the process ends; a power cut may lose the last slabs.
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA journal_size_limit = 16000000").fetchall()
            if version == 0:
                with _transaction(connection):
                    for statement in _SCHEMA.split(";"):
                        connection.execute(statement)
        except BaseException:
            connection.close()
            raise
        self._connection = connection
        return connection

    def _set_aside(self) -> str | None:
        """Rename the damaged file, so that a new one can be begun; returns why not, where it cannot be renamed."""
        self.close()
        try:
            stat = self.path.stat()
            if (stat.st_dev, stat.st_ino) != self._identity:
                return None  # another process was faster; what lies there now is a new file
            aside = self._free_name()
            # The log goes first: left behind, it would be taken for that of the new file.
            for ending in ("-wal", "-shm", ""):
                part = Path(f"{self.path}{ending}")
                if part.exists():
                    part.rename(f"{aside}{ending}")
        except FileNotFoundError:
            return None
        except OSError as error:
            return f"it is damaged and cannot be renamed ({error.strerror or error})"
        self._notice(f"{self.path} was damaged; it is now {aside.name}, and vectors are made anew.")
        return None

    def _free_name(self) -> Path:
        stem = f"{self.path.stem}.broken-{time.strftime('%Y%m%d-%H%M%S')}"
        endings = chain([""], (f"-{number}" for number in count(2)))
        candidates = (self.path.with_name(f"{stem}{ending}{self.path.suffix}") for ending in endings)
        return next(path for path in candidates if not path.exists())

    def _notice(self, text: str) -> None:
        if text not in self.notices:
            self.notices.append(text)


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


def _insert(connection: sqlite3.Connection, rows: Sequence[tuple[bytes, int, bytes, bytes, int]]) -> bool:
    with _transaction(connection):
        connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?, ?)", rows)
    return True


def _delete(connection: sqlite3.Connection, some: list[bytes]) -> bool:
    with _transaction(connection):
        connection.execute(f"DELETE FROM vectors WHERE key IN ({_marks(some)})", some)  # noqa: S608  # marks only
    return True


def _touch(connection: sqlite3.Connection, some: list[bytes], now: int) -> bool:
    with _transaction(connection):
        connection.execute(f"UPDATE vectors SET used = ? WHERE key IN ({_marks(some)})", (now, *some))  # noqa: S608
    return True


def _delete_all(connection: sqlite3.Connection) -> int:
    with _transaction(connection):
        gone = _count(connection)
        connection.execute("DELETE FROM vectors")
    _shrink(connection)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return gone


def _shrink(connection: sqlite3.Connection) -> None:
    """Give free pages back to the disk. `execute` would step this statement once, and each step frees one page."""
    connection.executescript("PRAGMA incremental_vacuum")


def _size(connection: sqlite3.Connection) -> tuple[int, int]:
    return _count(connection), _bytes(connection)


def _count(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT count(*) FROM vectors").fetchone()[0])


def _bytes(connection: sqlite3.Connection) -> int:
    pages, free, each = (
        int(connection.execute(f"PRAGMA {name}").fetchone()[0])
        for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * each


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All or nothing; the right to write is asked for at the beginning, where waiting for it can be repeated."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
