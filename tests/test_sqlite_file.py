"""The file that vectors, runs and answers are kept in: whatever happens to it costs time, never an exception."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path

import pytest

from chunkviz import sqlite_file
from chunkviz.sqlite_file import SqliteFile, Words, emptied, rows, transaction, used_bytes

SCHEMA = "CREATE TABLE IF NOT EXISTS things (number INTEGER PRIMARY KEY, data BLOB NOT NULL);"
WORDS = Words("Things cannot be {verb} in {path}: {why} ({kind}).", "{name} was damaged; it is now {aside}.")
ROOT = Path(__file__).parent.parent


def made(path: Path, *, keep_open: bool = False, private: bool = False, format: int = 1) -> SqliteFile:
    return SqliteFile(path, SCHEMA, WORDS, keep_open=keep_open, private=private, format=format)


@pytest.fixture(params=[False, True], ids=["opened for each call", "kept open"])
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SqliteFile]:
    found = made(tmp_path / "deep" / "things.sqlite", keep_open=request.param)
    yield found
    found.close()


def data_of(number: int) -> bytes:
    return random.Random(number).randbytes(500)


def write(connection: sqlite3.Connection, first: int = 0, count: int = 1) -> bool:
    with transaction(connection):
        connection.executemany(
            "INSERT OR REPLACE INTO things VALUES (?, ?)", [(n, data_of(n)) for n in range(first, first + count)]
        )
    return True


def read(connection: sqlite3.Connection) -> dict[int, bytes]:
    return dict(connection.execute("SELECT number, data FROM things"))


def put(file: SqliteFile, first: int = 0, count: int = 1) -> bool | None:
    return file.do(partial(write, first=first, count=count), "written")


def held(file: SqliteFile) -> dict[int, bytes] | None:
    return file.do(read, "read")


def assert_sound(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


@contextmanager
def started(code: str, *words: object) -> Iterator[subprocess.Popen[str]]:
    """A process that runs code with this module's names at hand, and ends with the test whatever the test finds."""
    paths = os.pathsep.join([str(Path(__file__).parent), str(ROOT)])
    with subprocess.Popen(
        [sys.executable, "-c", f"import sys\nfrom test_sqlite_file import *\n{code}", *map(str, words)],
        stdout=subprocess.PIPE,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": paths},
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def said(process: subprocess.Popen[str]) -> str:
    """The next line that it prints."""
    assert process.stdout is not None
    return process.stdout.readline().rstrip("\n")


def tell(process: subprocess.Popen[str]) -> None:
    """Let it go on from its `input()`."""
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


def damage_the_middle(path: Path) -> None:
    """A file whose tables are there and whose rows cannot be read."""
    assert put(made(path), count=2000)
    pages = path.stat().st_size // 4096
    with path.open("r+b") as raw:
        for page in range(pages // 4, 3 * pages // 4):
            raw.seek(4096 * page)
            raw.write(b"\xff" * 64)  # the page's header


def error_of(code: int) -> sqlite3.DatabaseError:
    error = sqlite3.DatabaseError("it was said so")
    error.sqlite_errorcode = code
    return error


# What it is for


def test_what_was_written_is_read_again_also_by_another(file: SqliteFile) -> None:
    assert put(file, count=10)
    assert held(file) == {n: data_of(n) for n in range(10)}
    assert held(made(file.path)) == held(file)
    assert file.notices == []
    assert_sound(file.path)


def test_what_fails_inside_a_transaction_leaves_nothing(file: SqliteFile) -> None:
    def half(connection: sqlite3.Connection) -> None:
        with transaction(connection):
            connection.execute("INSERT INTO things VALUES (1, x'00')")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        file.do(half, "written")
    assert held(file) == {}
    assert put(file)


def test_a_fault_of_the_caller_is_not_hidden(file: SqliteFile) -> None:
    def wrong(connection: sqlite3.Connection) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        file.do(wrong, "read")


def test_a_private_file_is_for_its_owner_with_its_logs(tmp_path: Path) -> None:
    file = made(tmp_path / "own" / "things.sqlite", private=True, keep_open=True)
    assert put(file)
    assert stat.S_IMODE(file.path.parent.stat().st_mode) == 0o700
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in file.path.parent.iterdir()}
    file.close()
    assert modes == dict.fromkeys([f"things.sqlite{ending}" for ending in ("", "-wal", "-shm", ".lock")], 0o600)


def test_tables_of_a_file_without_a_number_stay(tmp_path: Path) -> None:
    """As files of answers were made once: no version, no log."""
    path = tmp_path / "things.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE things (number INTEGER PRIMARY KEY, data BLOB NOT NULL)")
        connection.execute("INSERT INTO things VALUES (7, ?)", (data_of(7),))
    file = made(path)
    assert held(file) == {7: data_of(7)}
    assert put(file, 8)
    assert file.notices == []


def test_a_file_of_another_version_is_left_alone(file: SqliteFile) -> None:
    assert put(file)
    file.close()
    before = file.path.read_bytes()
    newer = made(file.path, format=2)
    assert put(newer) is None
    assert held(newer) is None
    assert file.path.read_bytes() == before
    assert len(newer.notices) == 2
    assert all("made by another version of chunkviz (format 1)" in notice for notice in newer.notices)


# Damage


@pytest.mark.parametrize(
    "garbage",
    [b"no database at all" * 300, b"SQLite format 3\x00" + b"\xff" * 5000, b"\0" * 4096],
    ids=["foreign", "header", "zeros"],
)
def test_a_damaged_header_sets_the_file_aside(file: SqliteFile, garbage: bytes) -> None:
    file.path.parent.mkdir()
    file.path.write_bytes(garbage)
    assert held(file) == {}
    assert put(file, count=3)
    assert held(file) == {n: data_of(n) for n in range(3)}
    (aside,) = file.path.parent.glob("things.broken-*.sqlite")
    assert aside.read_bytes() == garbage
    assert file.notices == [f"things.sqlite was damaged; it is now {aside.name}."]


@pytest.mark.parametrize("keep_open", [False, True])
def test_a_damaged_page_in_the_middle_is_no_exception_and_no_wrong_row(tmp_path: Path, keep_open: bool) -> None:
    path = tmp_path / "things.sqlite"
    damage_the_middle(path)
    file = made(path, keep_open=keep_open)
    assert held(file) == {}  # read once, found damaged, begun anew
    assert len(list(tmp_path.glob("*.broken-*"))) == 1
    assert put(file, count=5)
    assert held(file) == {n: data_of(n) for n in range(5)}
    file.close()
    assert_sound(path)


def test_damage_is_mended_once_and_then_said(file: SqliteFile) -> None:
    """Where the disk damages whatever is written, it must not go round in circles."""
    calls = []

    def always(connection: sqlite3.Connection) -> None:
        calls.append(1)
        raise error_of(sqlite3.SQLITE_CORRUPT)

    assert file.do(always, "read") is None
    assert len(calls) == 2
    assert len(file.notices) == 2
    assert file.notices[1].endswith("said so (DatabaseError).")


def test_a_file_that_another_process_has_begun_anew_is_not_set_aside(file: SqliteFile) -> None:
    """Two meet the same damage; the slower one finds the new file of the faster one under the old name."""
    assert put(file)
    calls = []

    def late(connection: sqlite3.Connection) -> dict[int, bytes]:
        calls.append(1)
        if len(calls) == 1:
            file.path.rename(file.path.with_name("aside"))
            assert put(made(file.path), 5)
            raise error_of(sqlite3.SQLITE_CORRUPT)
        return read(connection)

    assert file.do(late, "read") == {5: data_of(5)}
    assert not list(file.path.parent.glob("*.broken-*"))
    assert file.notices == []


def test_damaged_files_do_not_overwrite_each_other(file: SqliteFile) -> None:
    file.path.parent.mkdir()
    for content in (b"first" * 1000, b"second" * 1000):
        file.close()
        file.path.unlink(missing_ok=True)
        file.path.write_bytes(content)
        assert put(file)
    kept = sorted(path.read_bytes()[:5] for path in file.path.parent.glob("*.broken-*"))
    assert kept == [b"first", b"secon"]


@pytest.mark.parametrize("damaged", ["header", "middle"])
def test_several_processes_that_meet_a_damaged_file_lose_nothing_of_the_new_one(tmp_path: Path, damaged: str) -> None:
    """Without a lock around opening, four in ten rounds of six processes lost rows."""
    code = "file = made(Path(sys.argv[1])); print('here', flush=True); input(); print(put(file, int(sys.argv[2]), 50))"
    for round in range(3):
        path = tmp_path / str(round) / "things.sqlite"
        path.parent.mkdir()
        if damaged == "header":
            path.write_bytes(b"garbage" * 1000)
        else:
            damage_the_middle(path)
        with ExitStack() as stack:
            running = [stack.enter_context(started(code, path, 50 * i)) for i in range(6)]
            for process in running:
                assert said(process) == "here"
            for process in running:
                tell(process)
            results = [process.communicate(timeout=60) for process in running]
        assert [out.strip() for out, _ in results] == ["True"] * 6, results
        found = held(made(path))
        assert found is not None
        assert damaged == "middle" or found.keys() == set(range(300))
        assert all(found[n] == data_of(n) for n in range(300) if n in found)
        assert len(list(path.parent.glob("*.broken-*.sqlite"))) == 1


def test_a_file_is_neither_opened_nor_set_aside_while_another_process_does_so(
    file: SqliteFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.path.parent.mkdir()
    file.path.write_bytes(b"garbage" * 1000)
    code = (
        "from filelock import FileLock\nwith FileLock(sys.argv[1] + '.lock'): print('locked', flush=True); input()\n"
        "print('free', flush=True); input()"
    )
    with started(code, file.path) as other:
        assert said(other) == "locked"
        monkeypatch.setattr(sqlite_file, "BUSY_SECONDS", 0.2)
        assert put(file) is None
        assert file.path.read_bytes() == b"garbage" * 1000
        assert len(file.notices) == 1
        monkeypatch.undo()
        release = threading.Timer(0.5, tell, [other])
        began = time.monotonic()
        release.start()
        assert put(file)
        assert time.monotonic() - began > 0.3
    assert held(file) == {0: data_of(0)}


def test_whoever_is_killed_while_opening_holds_nobody_up(file: SqliteFile) -> None:
    file.path.parent.mkdir()
    code = "from filelock import FileLock\nwith FileLock(sys.argv[1] + '.lock'): print('locked', flush=True); input()"
    with started(code, file.path) as other:
        assert said(other) == "locked"
        other.send_signal(signal.SIGKILL)
        other.wait(timeout=60)
    assert put(file)
    assert file.notices == []


def test_work_on_a_file_that_is_replaced_meanwhile_is_done_again_on_the_new_one(file: SqliteFile) -> None:
    """SQLite refuses to write into a file that has moved; what it read there is of no use to anyone either."""
    assert put(file)
    calls = []

    def slow(connection: sqlite3.Connection) -> bool:
        calls.append(1)
        if len(calls) == 1:
            for path in [*file.path.parent.glob("things.sqlite*")]:
                path.rename(path.with_name(f"old-{path.name}"))
            assert put(made(file.path), 5)
        return write(connection, 7)

    assert file.do(slow, "written")
    assert held(made(file.path)) == {5: data_of(5), 7: data_of(7)}
    assert file.notices == []


# Others


def test_a_lock_of_another_process_is_waited_for(file: SqliteFile) -> None:
    assert put(file)
    code = (
        "c = sqlite3.connect(sys.argv[1], isolation_level=None); c.execute('BEGIN IMMEDIATE');"
        "print('locked', flush=True); input(); c.execute('COMMIT')"
    )
    with started(code, file.path) as other:
        assert said(other) == "locked"
        assert held(file) == {0: data_of(0)}  # readers wait for nobody
        release = threading.Timer(0.5, tell, [other])
        began = time.monotonic()
        release.start()
        assert put(file, 1)
        assert time.monotonic() - began > 0.3
    assert file.notices == []


@pytest.mark.parametrize("code", [sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_BUSY_SNAPSHOT])
def test_what_is_busy_without_waiting_is_tried_again(file: SqliteFile, code: int) -> None:
    """SQLite waits for some locks by itself, and gives others up at once."""
    calls = []

    def third(connection: sqlite3.Connection) -> int:
        calls.append(1)
        if len(calls) < 3:
            raise error_of(code)
        return len(calls)

    assert file.do(third, "read") == 3
    assert file.notices == []


def test_a_lock_that_is_never_given_back_is_said(file: SqliteFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_file, "BUSY_SECONDS", 0.2)
    assert put(file)
    file.close()
    with closing(sqlite3.connect(file.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        began = time.monotonic()
        assert put(file, 1) is None
        assert time.monotonic() - began < 3
    assert file.notices == [f"Things cannot be written in {file.path}: database is locked (OperationalError)."]
    assert put(file, 1)


def test_killed_writers_leave_whole_transactions(tmp_path: Path) -> None:
    path = tmp_path / "things.sqlite"
    code = (
        "file = made(Path(sys.argv[1]), keep_open=True)\n"
        "for n in range(int(sys.argv[2]), 10**6, 20): assert put(file, n, 20); print(n, flush=True)"
    )
    chance = random.Random(3)
    for run in range(5):
        with started(code, path, 100_000 * run) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(chance.uniform(0, 0.05))
            process.send_signal(signal.SIGKILL)
            reported = 1 + len(process.stdout.read().split())
        found = held(made(path))
        assert found is not None
        mine = {n: data for n, data in found.items() if n // 100_000 == run}
        assert len(mine) in (20 * reported, 20 * reported + 20)  # the last may have been written and not yet said
        assert all(data == data_of(n) for n, data in mine.items())
    assert_sound(path)
    assert not list(tmp_path.glob("*broken*"))


def test_emptying_while_another_process_has_it_open(file: SqliteFile) -> None:
    assert put(file, count=2000)
    taken = file.do(used_bytes, "read") or 0
    code = (
        "file = made(Path(sys.argv[1]), keep_open=True); print(len(held(file)), flush=True); input();"
        "print(len(held(file)), put(file, 5), len(held(file)), file.notices, flush=True)"
    )
    with started(code, file.path) as other:
        assert said(other) == "2000"
        assert file.do(partial(emptied, table="things"), "written") == 2000
        assert held(file) == {}
        assert (file.do(used_bytes, "read") or 0) < taken / 10
        tell(other)
        assert said(other) == "0 True 1 []"
    assert file.do(partial(rows, table="things"), "read") == 1
    assert file.path.stat().st_size < taken / 10
    assert file.notices == []


@pytest.mark.parametrize("how", ["deleted", "set aside"])
def test_a_file_that_others_took_away_is_begun_anew(file: SqliteFile, how: str) -> None:
    """A connection that is kept open would go on writing into the file that nobody will read."""
    assert put(file)
    for path in [*file.path.parent.iterdir()]:
        if how == "deleted":
            path.unlink()
        else:
            path.rename(path.with_name(f"old-{path.name}"))
    assert held(file) == {}
    assert put(file, 3)
    assert held(made(file.path)) == {3: data_of(3)}


# Disks


def test_a_folder_that_becomes_a_file_while_it_is_worked_on_is_said(file: SqliteFile) -> None:
    assert put(file)

    def cut_off(connection: sqlite3.Connection) -> None:
        folder = file.path.parent
        if folder.is_dir():
            folder.rename(folder.with_name("away"))
            folder.touch()
        raise error_of(sqlite3.SQLITE_IOERR)

    assert file.do(cut_off, "read") is None
    assert len(file.notices) == 1


def test_a_folder_that_cannot_be_made_is_said_once_for_each_verb(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    file = made(tmp_path / "file" / "things.sqlite")
    for _ in range(3):
        assert put(file) is None
        assert held(file) is None
    assert [notice.split(" in ")[0] for notice in file.notices] == ["Things cannot be written", "Things cannot be read"]


@contextmanager
def ordinary_user() -> Iterator[None]:
    """Permissions are no obstacle to root, who runs tests in many containers: inside, nobody in particular does."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65_534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@pytest.mark.skipif(sys.platform == "win32", reason="takes rights away by chmod, which Windows hardly heeds")
@pytest.mark.parametrize("there", [False, True], ids=["no file", "a file"])
def test_a_folder_that_may_only_be_read(there: bool) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "cache")
        folder.mkdir()
        path = folder / "things.sqlite"
        if there:
            assert put(made(path))
        before = path.read_bytes() if there else None
        Path(place).chmod(0o755)
        folder.chmod(0o555)
        file = made(path)
        with ordinary_user():
            assert put(file, 1) is None
        folder.chmod(0o755)
        assert len(file.notices) == 1
        assert file.notices[0].startswith(f"Things cannot be written in {path}: ")
        assert (path.read_bytes() if there else None) == before
        assert put(file, 1)


@pytest.mark.skipif(sys.platform == "win32", reason="limits a file's size by setrlimit, which Windows has not")
def test_a_full_disk_is_said_and_what_was_there_stays(tmp_path: Path) -> None:
    path = tmp_path / "things.sqlite"
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))\n"
        "file = made(Path(sys.argv[1]), keep_open=True)\n"
        "done = [put(file, 100 * n, 100) for n in range(40)]\n"
        "print(sum(map(bool, done)), len(file.notices), file.notices[0].split(' in ')[0])"
    )
    with started(code, path) as process:
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    stored, notices, words = out.strip().split(" ", 2)
    assert 0 < int(stored) < 40
    assert (notices, words) == ("1", "Things cannot be written")
    found = held(made(path))
    assert found is not None
    assert len(found) == 100 * int(stored)
    assert all(data == data_of(n) for n, data in found.items())
    assert_sound(path)
