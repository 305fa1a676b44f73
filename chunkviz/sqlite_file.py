"""An SQLite file that several threads and processes share, and that never stops anyone from working.

    file = SqliteFile(folder / "things.sqlite", "CREATE TABLE IF NOT EXISTS things (name TEXT);", WORDS)
    rows = file.do(lambda connection: connection.execute("SELECT name FROM things").fetchall(), "read")

Whatever is wrong with the file or the disk is told in `notices`, never raised: what is kept here saves time, and can be
made again. A damaged file is renamed, not deleted, and a new one is begun; one that a newer chunkviz made is left alone.
A lock beside the file (`things.sqlite.lock`) lets one process at a time open it or set it aside: SQLite itself does not
stand a file that is renamed between the opening of the file and of its logs.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain, count
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

from filelock import FileLock

BUSY_SECONDS: Final = 5
"""Longest time that is waited for other processes that write."""

_RETRY_SECONDS: Final = 0.02
_LOG_BYTES: Final = 16_000_000
_DAMAGED: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_BUSY: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)

T = TypeVar("T")


class Words(NamedTuple):
    """What is said to the reader; `{path}` and `{name}` stand for the file.

    failed  : where something cannot be done; with `{verb}` ("read", "written"), `{why}` and `{kind}`, the error's class
    damaged : where the file was set aside; with `{aside}`, its name from now on
    """

    failed: str
    damaged: str


class SqliteFile:
    """The file `path`, which is made with its folder where there is none.

    schema    : statements with `IF NOT EXISTS` that make its tables, each ended by a semicolon
    format    : number of the schema, from 1; a file with another number is not touched
    page_size : bytes of a page, for a new file
    keep_open : whether the connection stays open between calls: for files that are read many times a second
    private   : whether only this user may read the file (where the system knows such permissions)
    notices   : what went wrong, each said once, in words
    """

    def __init__(
        self,
        path: Path,
        schema: str,
        words: Words,
        *,
        format: int = 1,
        page_size: int = 4096,
        keep_open: bool = False,
        private: bool = False,
    ) -> None:
        self.path = Path(path)
        self.notices: list[str] = []
        self._schema = schema
        self._words = words
        self._format = format
        self._page_size = page_size
        self._keep_open = keep_open
        self._private = private
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._seen: tuple[int, int] | None = None

    def do(self, work: Callable[[sqlite3.Connection], T], verb: str) -> T | None:
        """`work` with the file open, again where others kept it busy; None, and a notice, where it cannot be done.

        Nothing of `work` is kept unless it is in a `transaction`; it may be called several times.
        """
        until = time.monotonic() + BUSY_SECONDS
        mended = False
        with self._lock:
            while True:
                try:
                    found = work(self._opened())
                    if not self._replaced() or time.monotonic() > until:
                        return found
                    continue  # another process has begun anew while this one worked; the next turn opens that one
                except sqlite3.Error as error:
                    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
                    kind, why = type(error).__name__, str(error)
                    if self._replaced() and time.monotonic() < until:
                        continue
                    if code in _DAMAGED and not mended:
                        mended = True
                        why = self._set_aside()
                        if not why:
                            continue
                    elif code in _BUSY and time.monotonic() < until:
                        time.sleep(_RETRY_SECONDS)
                        continue
                except OSError as error:
                    kind, why = type(error).__name__, error.strerror or str(error)
                finally:
                    if not self._keep_open:
                        self.close()
                self.notice(self._said(self._words.failed, verb=verb, why=why, kind=kind))
                return None

    def notice(self, text: str) -> None:
        """Say it, unless it was said before."""
        if text not in self.notices:
            self.notices.append(text)

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._lock:
            if self._connection is not None:
                with suppress(sqlite3.Error):
                    self._connection.close()
                self._connection = None

    def _opened(self) -> sqlite3.Connection:
        if self._replaced():
            self.close()  # writing on would be for nobody
        if self._connection is None:
            self._connection = self._open()
        return self._connection

    def _open(self) -> sqlite3.Connection:
        self.path.parent.mkdir(mode=0o700 if self._private else 0o777, parents=True, exist_ok=True)
        if self._private:
            self.path.touch(mode=0o600, exist_ok=True)  # SQLite gives its logs the permissions of the file
        with self._alone():
            # Transactions are begun by hand, and the lock keeps threads apart.
            connection = sqlite3.connect(
                self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, cached_statements=32
            )
            try:
                self._seen = self._identity()
                self._prepare(connection)
            except BaseException:
                connection.close()
                raise
        return connection

    def _alone(self) -> FileLock:
        """Keeps other processes from opening the file and from setting it aside; ends with this process, however it ends."""
        mode = 0o600 if self._private else 0o644
        return FileLock(f"{self.path}.lock", timeout=BUSY_SECONDS, poll_interval=_RETRY_SECONDS, mode=mode)

    def _prepare(self, connection: sqlite3.Connection) -> None:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version not in (0, self._format):
            raise sqlite3.OperationalError(f"it was made by another version of chunkviz (format {version})")
        if version == 0:
            # Only heeded before the first table.
            connection.execute(f"PRAGMA page_size = {self._page_size}")
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        connection.execute("PRAGMA journal_mode = WAL").fetchall()
        # With a write-ahead log this loses nothing when the process ends; a power cut may lose what came last.
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(f"PRAGMA journal_size_limit = {_LOG_BYTES}").fetchall()
        if version == 0:
            with transaction(connection):
                for statement in self._schema.split(";"):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {self._format}")

    def _identity(self) -> tuple[int, int] | None:
        """What tells this file from another one under the same name; None where there is none that can be seen."""
        try:
            stat = self.path.stat()
        except OSError:
            return None
        return stat.st_dev, stat.st_ino

    def _replaced(self) -> bool:
        """Whether the file that is open was deleted, or set aside by another process."""
        return self._connection is not None and self._identity() != self._seen

    def _set_aside(self) -> str:
        """Rename the damaged file, so that a new one can be begun; why not, or "" where that is done."""
        self.close()
        try:
            with self._alone():
                if self._identity() != self._seen:
                    return ""  # another process was faster; what lies there now is a new file
                aside = self._free_name()
                # The log goes first: left behind, it would be taken for that of the new file.
                for ending in ("-wal", "-shm", ""):
                    with suppress(FileNotFoundError):
                        Path(f"{self.path}{ending}").rename(f"{aside}{ending}")
        except OSError as error:
            return f"it is damaged and cannot be renamed ({error.strerror or error})"
        self.notice(self._said(self._words.damaged, aside=aside.name))
        return ""

    def _free_name(self) -> Path:
        stem = f"{self.path.stem}.broken-{time.strftime('%Y%m%d-%H%M%S')}"
        endings = chain([""], (f"-{number}" for number in count(2)))
        candidates = (self.path.with_name(f"{stem}{ending}{self.path.suffix}") for ending in endings)
        return next(path for path in candidates if not path.exists())

    def _said(self, words: str, **more: str) -> str:
        return words.format(path=self.path, name=self.path.name, **more)


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All or nothing; the right to write is asked for at the beginning, where waiting for it can be repeated."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def emptied(connection: sqlite3.Connection, table: str) -> int:
    """Delete all rows of a table and give their space back to the disk; returns how many there were."""
    with transaction(connection):
        gone = rows(connection, table)
        connection.execute(f"DELETE FROM {table}")  # noqa: S608  # a name of ours
    shrink(connection)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return gone


def shrink(connection: sqlite3.Connection) -> None:
    """Give free pages back to the disk. `execute` would step this statement once, and each step frees one page."""
    connection.executescript("PRAGMA incremental_vacuum")


def rows(connection: sqlite3.Connection, table: str) -> int:
    """How many rows a table has."""
    return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])  # noqa: S608  # a name of ours


def used_bytes(connection: sqlite3.Connection) -> int:
    """Bytes of the file that are in use, all tables and indices together."""
    pages, free, each = (
        int(connection.execute(f"PRAGMA {name}").fetchone()[0])
        for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * each
