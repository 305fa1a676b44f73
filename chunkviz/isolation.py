"""Files are parsed in processes of their own, with limits: no document stalls or ends anyone else's page.

A worker is `python -m chunkviz.isolation`: it reads jobs from its standard input and answers on its standard output. A few
are kept warm, since importing a PDF library takes a second. A worker that answered is used again; one that ran out of
time, out of memory or crashed is replaced.

Limits, from `settings`: the size of the file before anything else, wall-clock time (the worker is killed), and memory
(the operating system refuses more address space to the worker; not on macOS, which has no such limit that holds).
"""

from __future__ import annotations

import atexit
import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from typing import Any, BinaryIO, cast

from chunkviz import wire
from chunkviz.document import Document
from chunkviz.errors import ChunkvizError, LoadError
from chunkviz.settings import settings

_KEPT_VARIABLES = ("PATH", "HOME", "LANG", "LC_ALL", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "SYSTEMROOT", "TMPDIR")


class _Worker:
    """One process that parses files, one after the other."""

    def __init__(self) -> None:
        # Neither the environment's secrets nor its proxies are any business of a parser.
        kept = {k: v for k, v in os.environ.items() if k in _KEPT_VARIABLES or k.startswith("CHUNKVIZ_")}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "chunkviz.isolation"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**kept, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            close_fds=True,
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def stop(self) -> None:
        with contextlib.suppress(OSError):
            self._process.kill()
        for stream in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                cast(BinaryIO, stream).close()
        self._process.wait()

    def ask(self, message: dict[str, Any], data: bytes, seconds: float) -> tuple[dict[str, Any], bytes]:
        """One job. Raises `TimeoutError` after `seconds`, `EOFError` if the worker died; both end the worker."""
        late = threading.Event()

        def kill() -> None:
            late.set()
            with contextlib.suppress(OSError):
                self._process.kill()

        timer = threading.Timer(seconds, kill)
        timer.start()
        try:
            wire.send(cast(BinaryIO, self._process.stdin), message, data)
            return wire.receive(cast(BinaryIO, self._process.stdout))
        except (EOFError, OSError, ValueError) as error:
            self.stop()
            if late.is_set():
                raise TimeoutError from None
            raise EOFError(str(error)) from None
        finally:
            timer.cancel()


class _Pool:
    """Idle workers; a job takes one or starts one, and gives it back."""

    def __init__(self) -> None:
        self._idle: list[_Worker] = []
        self._lock = threading.Lock()
        # More jobs at once than this wait for each other: a machine has only so much memory.
        self._free = threading.BoundedSemaphore(max(2, settings().workers))

    def run(self, message: dict[str, Any], data: bytes, seconds: float) -> tuple[dict[str, Any], bytes]:
        with self._free:
            worker = self._take()
            answer = worker.ask(message, data, seconds)
            with self._lock:
                self._idle.append(worker)
            return answer

    def _take(self) -> _Worker:
        with self._lock:
            while self._idle:
                worker = self._idle.pop()
                if worker.alive:
                    return worker
                worker.stop()
        return _Worker()

    def warm(self) -> None:
        with self._lock:
            if not self._idle:
                self._idle.append(_Worker())

    def close(self) -> None:
        with self._lock:
            while self._idle:
                self._idle.pop().stop()


_pool: _Pool | None = None
_pool_lock = threading.Lock()


def _the_pool() -> _Pool:
    global _pool
    with _pool_lock:
        if _pool is None:
            _pool = _Pool()
            atexit.register(_pool.close)
        return _pool


def warm() -> None:
    """Start a worker now, so that the first file does not wait for it."""
    _the_pool().warm()


def close() -> None:
    """End the idle workers; the next job starts one again."""
    _the_pool().close()


def load(data: bytes, name: str, *, password: str | None = None, options: Mapping[str, Any] | None = None) -> Document:
    """`chunkviz.load` for bytes, in a process of its own. Raises `LoadError`, naming the limit that was met."""
    limits = settings()
    if len(data) > limits.max_file_mb * 1_000_000:
        raise LoadError(
            f"{_shown(name)} has {len(data) / 1e6:.1f} MB; files up to {limits.max_file_mb} MB are opened "
            "(CHUNKVIZ_MAX_FILE_MB)."
        )
    message = {"kind": "load", "name": name, "password": password, "options": dict(options or {})}
    try:
        answer, text = _the_pool().run(message, data, limits.parse_seconds)
    except TimeoutError:
        raise LoadError(
            f"Reading {_shown(name)} took longer than {limits.parse_seconds} seconds and was stopped "
            "(CHUNKVIZ_PARSE_SECONDS). Try a smaller part of it."
        ) from None
    except EOFError:
        raise LoadError(
            f"Reading {_shown(name)} ended the process that reads files: the file is damaged, or needs more than "
            f"{limits.parse_memory_mb} MB of memory (CHUNKVIZ_PARSE_MEMORY_MB)."
        ) from None
    if "error" in answer:
        raise LoadError(answer["error"], needs_password=answer["needs_password"])
    return wire.unpack_document(answer, text)


def _shown(name: str) -> str:
    return name.replace("\\", "/").rsplit("/", 1)[-1][:80] or "The file"


# --- the worker's side ------------------------------------------------------------------------------------------


def _limit_memory(megabytes: int) -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limit; the time limit holds
        return
    if sys.platform == "darwin":
        return
    size = megabytes * 1_000_000
    resource.setrlimit(resource.RLIMIT_AS, (size, size))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _answer(message: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
    from chunkviz import loaders

    limits = settings()
    try:
        document = loaders.load(data, message["name"], password=message["password"], **message["options"])
        return wire.pack_document(document)
    except LoadError as error:
        return {"error": str(error), "needs_password": error.needs_password}, b""
    except ChunkvizError as error:
        return {"error": str(error), "needs_password": False}, b""
    except MemoryError:
        text = f"{_shown(message['name'])} needs more than {limits.parse_memory_mb} MB of memory to be read"
        return {"error": f"{text} (CHUNKVIZ_PARSE_MEMORY_MB).", "needs_password": False}, b""
    except Exception as error:  # a fault in a parser must not end the worker in silence: its kind is told, not its data
        text = f"{_shown(message['name'])} could not be read: the parser failed ({type(error).__name__})"
        memory = f"perhaps for want of memory, of which it may have {limits.parse_memory_mb} MB"
        return {"error": f"{text}, {memory} (CHUNKVIZ_PARSE_MEMORY_MB).", "needs_password": False}, b""


def _serve() -> None:
    # Libraries print; what they print must not get between the messages.
    inbox = os.fdopen(os.dup(0), "rb")
    outbox = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    _limit_memory(settings().parse_memory_mb)
    while True:
        try:
            message, data = wire.receive(inbox)
        except EOFError:
            return  # the app is gone
        answer, text = _answer(message, data)
        wire.send(outbox, answer, text)


if __name__ == "__main__":
    _serve()
