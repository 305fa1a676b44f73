"""P11: files are parsed elsewhere, with limits; what goes wrong there is a sentence here, and the next file is read."""

from __future__ import annotations

import contextlib
import io
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from chunkviz import Block, Document, LoadError, Note, Page, ParameterError, Stopped, isolation, settings, wire
from chunkviz.isolation import pool

# A worker as any other, but that its parser does what a file called run.txt says, in Python, and that it answers what
# one called answer.txt says: whatever a hostile file could make it do.
HOSTILE = """
import os, resource, signal, sys, time
from chunkviz import loaders
from chunkviz.isolation import worker
real, answer = loaders.load, worker._answer
def load(data, name, **rest):
    if name == "run.txt":
        exec(data, dict(globals()))
        data = b"done"
    return real(data, name, **rest)
loaders.load = load
worker._answer = lambda message, data: eval(data) if message["name"] == "answer.txt" else answer(message, data)
worker.serve()
"""
ORDINARY = pool._COMMAND


@pytest.fixture(scope="module", autouse=True)
def hostile() -> Iterator[None]:
    """All tests share their workers, as far as they leave them alive."""
    isolation.close()
    pool._COMMAND = (sys.executable, "-P", "-c", HOSTILE)
    yield
    pool._COMMAND = ORDINARY
    isolation.close()


@pytest.fixture(autouse=True)
def own_limits(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whoever sets limits gets workers that know them, and takes them along in the end."""
    yield
    during = settings.settings()
    monkeypatch.undo()
    settings.settings.cache_clear()
    if during != settings.settings():
        isolation.close()


def limit(monkeypatch: pytest.MonkeyPatch, name: str, value: int) -> None:
    monkeypatch.setenv(name, str(value))
    settings.settings.cache_clear()
    isolation.close()


def idle_pid() -> int:
    return pool.the_pool()._idle[-1].pid


def gone(pid: int) -> bool:
    """Whether no process has this number any more, waiting two seconds for its end; a zombie counts as there."""
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


# --- the wire ---


def document() -> Document:
    return Document(
        "Größe 👩‍👩‍👧‍👦\r\n",
        "n.md",
        "markdown",
        (Block("element", 0, 3, path=("a", "b")), Block("heading", 3, 5, 2, "t")),
        (Page(0, 5, 1, "i"),),
        (Note("x", "y", 2, "warning"),),
        options={"encoding": "utf-8"},
    )


def test_a_document_survives_the_wire() -> None:
    stream = io.BytesIO()
    wire.send(stream, *wire.pack_document(document()))
    stream.seek(0)
    back = wire.unpack_document(*wire.receive(stream))
    assert back.fingerprint == document().fingerprint
    assert (back.name, back.notes, back.options) == (document().name, document().notes, document().options)


@pytest.mark.parametrize(
    "change",
    [
        {"blocks": [["heading", 0, 999, 1, "", "", []]]},
        {"blocks": [["heading", 3, 1, 1, "", "", []]]},
        {"blocks": [["script", 0, 1, 0, "", "", []]]},
        {"blocks": [["heading", 0, 1, "1", "", "", []]]},
        {"blocks": [["heading", 0, 1]]},
        {"blocks": 7},
        {"pages": [[-1, 2, 1, "i"]]},
        {"pages": [[True, 2, 1, "i"]]},
        {"notes": [["x", {}, 0, "info"]]},
        {"format": "exe"},
        {"format": []},
        {"name": None},
        {"options": []},
    ],
)
def test_what_is_no_document_is_refused(change: dict[str, object]) -> None:
    message, data = wire.pack_document(document())
    assert wire.unpack_document(message, data).text
    with pytest.raises(ValueError):  # noqa: PT011  # any: the message is for no reader
        wire.unpack_document({**message, **change}, data)


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"", EOFError),
        (b"\x00\x00", EOFError),
        (b"\x00\x00\x00\x09{}", EOFError),
        (b"\xff\xff\xff\xff{}", ValueError),
        (b"\x00\x00\x00\x02[]\x00\x00\x00\x00", ValueError),
        (b"\x00\x00\x00\x02{x\x00\x00\x00\x00", ValueError),
        (b"\x00\x01\x00\x00" + b"[" * 65536 + b"\x00\x00\x00\x00", ValueError),
    ],
)
def test_what_is_no_message_is_refused(data: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        wire.receive(io.BytesIO(data))


# --- ordinary use ---


def test_a_worker_is_used_again() -> None:
    assert isolation.load(b"# A", "a.md").headings[0].title == "A"
    used = []
    for n in range(5):
        assert isolation.load(f"text {n}".encode(), "b.txt").text == f"text {n}"
        used.append(idle_pid())
    # One of them may have been replaced on the way, because it had grown; five of five never are.
    assert len(set(used)) <= 2


def test_an_option_that_does_not_exist_is_the_same_error_as_without_a_worker() -> None:
    with pytest.raises(ParameterError, match="has no parameter `nope`"):
        isolation.load(b"x", "x.txt", options={"nope": 1})
    assert isolation.load(b"<p>a", "x.html", options={"html_source": True}).text == "<p>a"


def test_errors_of_the_loader_arrive_as_they_are() -> None:
    with pytest.raises(LoadError, match=r"^x\.pdf "):
        isolation.load(b"<html>", "x.pdf")


def test_more_jobs_than_workers_all_get_their_own_answer() -> None:
    found: list[str] = []
    threads = [
        threading.Thread(target=lambda n=n: found.append(isolation.load(f"text {n}".encode(), "a.txt").text))
        for n in range(5)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [f"text {n}" for n in range(5)]
    assert len(pool.the_pool()._idle) <= settings.settings().workers


def test_warm_returns_at_once_and_the_workers_have_the_pdf_library() -> None:
    isolation.close()
    begin = time.monotonic()
    isolation.warm()
    returned = time.monotonic() - begin
    assert len(pool.the_pool()._idle) == settings.settings().workers
    for worker in pool.the_pool()._idle:  # each says that it listens when it has nothing left to prepare
        assert select.select([worker._process.stdout], [], [], 30)[0]
    assert returned < (time.monotonic() - begin) / 2  # it did not wait for them
    isolation.load(b"assert 'pymupdf' in sys.modules", "run.txt")


def test_a_cold_worker_does_the_job_first() -> None:
    isolation.close()
    isolation.load(b"assert 'pymupdf' not in sys.modules", "run.txt")


# --- limits and accidents ---


def test_size_is_limited_before_anything_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, "CHUNKVIZ_MAX_FILE_MB", 1)
    with pytest.raises(LoadError, match=r"x\.txt has 1\.5 MB; files up to 1 MB are opened \(CHUNKVIZ_MAX_FILE_MB\)"):
        isolation.load(b"x" * 1_500_000, "../../x.txt")


def test_time_is_limited_also_in_foreign_code(monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, "CHUNKVIZ_PARSE_SECONDS", 1)
    isolation.load(b"", "run.txt")
    pid = idle_pid()
    with pytest.raises(LoadError, match=r"longer than 1 seconds and was stopped \(CHUNKVIZ_PARSE_SECONDS\)"):
        # One call into C that would take hours, in which no Python runs.
        isolation.load(b"import re; re.match('(a+)+$', 'a' * 40 + 'b')", "run.txt")
    assert gone(pid)
    assert isolation.load(b"", "run.txt").text == "done"


def test_memory_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, "CHUNKVIZ_PARSE_MEMORY_MB", 300)
    with pytest.raises(LoadError, match=r"more than 300 MB of memory to be read \(CHUNKVIZ_PARSE_MEMORY_MB\)"):
        isolation.load(b"bytearray(400_000_000)", "run.txt")
    assert isolation.load(b"bytearray(1_000_000)", "run.txt").text == "done"


def test_memory_is_watched_where_the_system_sets_no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    if pool._resident_mb(os.getpid()) < 1:
        pytest.skip("this system has no `ps` that tells the memory of a process")
    monkeypatch.setattr(pool, "_MEMORY_IS_WATCHED", True)
    limit(monkeypatch, "CHUNKVIZ_PARSE_MEMORY_MB", 300)
    unlimited = HOSTILE.replace("worker.serve()", "worker._limit_memory = lambda megabytes: None\nworker.serve()")
    monkeypatch.setattr(pool, "_COMMAND", (sys.executable, "-P", "-c", unlimited))
    with pytest.raises(LoadError, match=r"more than 300 MB of memory to be read \(CHUNKVIZ_PARSE_MEMORY_MB\)"):
        isolation.load(b"size = 400_000_000; x = b'x' * size; time.sleep(20)", "run.txt")


@pytest.mark.parametrize("accident", ["SIGSEGV", "SIGABRT", "SIGKILL"])
def test_a_crash_is_a_sentence_and_the_next_file_is_read(accident: str) -> None:
    with pytest.raises(LoadError, match=r"Reading run\.txt ended the process that reads files"):
        isolation.load(f"os.kill(os.getpid(), signal.{accident})".encode(), "run.txt")
    assert isolation.load(b"again", "a.txt").text == "again"


def test_a_fault_in_a_parser_names_its_kind_and_not_the_document() -> None:
    with pytest.raises(LoadError, match="the parser failed \\(ZeroDivisionError\\)") as error:
        isolation.load(b"secret = 1; secret / 0", "run.txt")
    assert "secret" not in str(error.value)
    with pytest.raises(LoadError, match="RecursionError"):
        isolation.load(b"def f(): f()\nf()", "run.txt")


def test_what_libraries_print_does_not_get_between_the_messages() -> None:
    noise = b"print('noise', flush=True); os.write(1, b'noise'); os.write(2, b'noise'); sys.stdin.read(1)"
    assert isolation.load(noise, "run.txt").text == "done"
    assert isolation.load(noise, "run.txt").text == "done"


@pytest.mark.parametrize("answer", [b"({}, b'')", b"({'blocks': 1}, b'\\xff')", b"({'error': 'no'}, b'')"])
def test_nonsense_from_a_worker_is_a_sentence(answer: bytes) -> None:
    with pytest.raises(LoadError):
        isolation.load(answer, "answer.txt")
    assert isolation.load(b"", "run.txt").text == "done"


def test_a_worker_that_has_grown_is_replaced() -> None:
    isolation.load(b"", "run.txt")
    first = idle_pid()
    isolation.load(b"size = 600_000_000; b'x' * size", "run.txt")
    assert gone(first)
    assert isolation.load(b"", "run.txt").text == "done"


def test_a_worker_that_cannot_be_started_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    isolation.close()
    monkeypatch.setattr(pool, "_COMMAND", ("/nowhere/python",))
    with pytest.raises(LoadError, match="could not be started"):
        isolation.load(b"a", "a.txt")
    monkeypatch.undo()
    assert isolation.load(b"a", "a.txt").text == "a"


# --- what a worker sees, and how it ends ---


def test_the_worker_gets_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("HTTPS_PROXY", "http://secret")
    assert not {"OPENAI_API_KEY", "HTTPS_PROXY"} & set(isolation.environment())
    assert "PATH" in isolation.environment()


def test_files_of_the_current_folder_are_not_imported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("json", "chunkviz", "lxml"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(1)")
    isolation.close()
    monkeypatch.setattr(pool, "_COMMAND", ORDINARY)
    monkeypatch.chdir(tmp_path)
    assert isolation.load(b"a", "a.txt").text == "a"


def test_closing_leaves_no_process_behind() -> None:
    isolation.load(b"a", "a.txt")
    pid = idle_pid()
    isolation.close()
    assert gone(pid)


def test_a_worker_ends_with_the_app_that_started_it() -> None:
    code = (
        "import os; from chunkviz import isolation; from chunkviz.isolation import pool; isolation.load(b'a', 'a.txt');"
        "print(pool.the_pool()._idle[-1].pid, flush=True); os._exit(0)"  # nothing is cleaned up, as after a kill
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    pid = int(done.stdout)
    try:
        assert gone(pid)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def test_an_alarm_ends_a_worker_that_nobody_ends() -> None:
    code = "import time; from chunkviz.isolation import worker; worker._set_alarm(1); time.sleep(30)"
    done = subprocess.run([sys.executable, "-c", code], timeout=20, check=False)
    assert done.returncode == -signal.SIGALRM


def test_reading_is_stopped_when_asked() -> None:
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    began = time.monotonic()
    with pytest.raises(Stopped, match=r"^Reading run\.txt was stopped\.$"):
        isolation.load(b"time.sleep(20)", "run.txt", stop=stop)
    assert time.monotonic() - began < 10
    assert isolation.load(b"fine", "fine.txt", stop=threading.Event()).text == "fine"


def test_a_big_app_does_not_make_its_workers_look_big() -> None:
    """What the system says of a process's peak includes that of the process that started it."""
    ballast = b"x" * 600_000_000
    isolation.close()
    used = []
    for n in range(3):
        assert isolation.load(f"text {n}".encode(), "c.txt").text == f"text {n}"
        used.append(idle_pid())
    assert len(set(used)) == 1
    assert len(ballast) > settings.settings().parse_memory_mb * 500_000
