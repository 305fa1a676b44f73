"""P11: files are parsed elsewhere, with limits; what goes wrong there is a sentence here, and the next file is read."""

from __future__ import annotations

import io
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from chunkviz import Block, Document, LoadError, Note, Page, isolation, settings, wire


@pytest.fixture(autouse=True)
def fresh_pool(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    yield
    monkeypatch.undo()
    settings.settings.cache_clear()
    isolation.close()


def limit(monkeypatch: pytest.MonkeyPatch, name: str, value: int) -> None:
    monkeypatch.setenv(name, str(value))
    settings.settings.cache_clear()
    isolation.close()


def test_a_document_survives_the_wire() -> None:
    document = Document(
        "Größe 👩‍👩‍👧‍👦\r\n",
        "n.md",
        "markdown",
        (Block("element", 0, 3, path=("a", "b")), Block("heading", 3, 5, 2, "t")),
        (Page(0, 5, 1, "i"),),
        (Note("x", "y", 2, "warning"),),
        options={"encoding": "utf-8"},
    )
    stream = io.BytesIO()
    wire.send(stream, *wire.pack_document(document))
    stream.seek(0)
    back = wire.unpack_document(*wire.receive(stream))
    assert back.fingerprint == document.fingerprint
    assert (back.name, back.notes, back.options) == (document.name, document.notes, document.options)


def test_a_worker_is_used_again() -> None:
    assert isolation.load(b"# A", "a.md").headings[0].title == "A"
    pool = isolation._the_pool()
    before = {worker.pid for worker in pool._idle}
    assert isolation.load(b"b", "b.txt").text == "b"
    assert before & {worker.pid for worker in pool._idle}


def test_a_killed_worker_is_a_sentence_and_is_replaced() -> None:
    isolation.load(b"a", "a.txt")
    worker = isolation._the_pool()._idle[-1]
    os.kill(worker.pid, signal.SIGSTOP)
    threading.Timer(0.3, os.kill, (worker.pid, signal.SIGKILL)).start()
    with pytest.raises(LoadError, match=r"Reading a\.txt ended the process"):
        isolation.load(b"a", "a.txt")
    assert isolation.load(b"again", "a.txt").text == "again"


def test_time_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, "CHUNKVIZ_PARSE_SECONDS", 1)
    isolation.load(b"a", "a.txt")
    os.kill(isolation._the_pool()._idle[-1].pid, signal.SIGSTOP)  # a parser that never comes back
    with pytest.raises(LoadError, match=r"longer than 1 seconds and was stopped \(CHUNKVIZ_PARSE_SECONDS\)"):
        isolation.load(b"a", "a.txt")


def test_memory_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, "CHUNKVIZ_PARSE_MEMORY_MB", 200)
    with pytest.raises(LoadError, match="CHUNKVIZ_PARSE_MEMORY_MB"):
        isolation.load(b"<p>x" * 4_000_000, "big.html")
    limit(monkeypatch, "CHUNKVIZ_PARSE_MEMORY_MB", 1000)
    assert isolation.load(b"ok", "a.txt").text == "ok"


def test_size_is_limited_before_anything_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, "CHUNKVIZ_MAX_FILE_MB", 1)
    with pytest.raises(LoadError, match=r"x\.txt has 1\.5 MB; files up to 1 MB are opened \(CHUNKVIZ_MAX_FILE_MB\)"):
        isolation.load(b"x" * 1_500_000, "../../x.txt")


def test_errors_of_the_loader_arrive_as_they_are() -> None:
    with pytest.raises(LoadError, match=r"^x\.pdf "):
        isolation.load(b"<html>", "x.pdf")


def test_four_at_once() -> None:
    found: list[str] = []
    threads = [
        threading.Thread(target=lambda n=n: found.append(isolation.load(f"text {n}".encode(), "a.txt").text))
        for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [f"text {n}" for n in range(4)]


def test_the_worker_gets_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    isolation.close()
    isolation.load(b"a", "a.txt")
    pid = isolation._the_pool()._idle[-1].pid
    try:
        environment = Path(f"/proc/{pid}/environ").read_bytes()
    except FileNotFoundError:
        pytest.skip("this system does not show a process's environment")
    assert b"sk-secret" not in environment
