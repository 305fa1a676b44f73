"""The app's side: worker processes that are kept warm, watched while they work, and replaced when they fail."""

from __future__ import annotations

import atexit
import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeVar, cast

from chunkviz import wire
from chunkviz.settings import settings

T = TypeVar("T")

START_SECONDS: Final = 60
"""Longest time a worker may take until it listens; the time of a job counts from then."""
MEMORY_CHECK_SECONDS: Final = 0.25
STOP_CHECK_SECONDS: Final = 0.1

_KEPT_VARIABLES: Final = frozenset(
    "PATH HOME LANG LC_ALL LC_CTYPE PYTHONPATH PYTHONHOME PYTHONDONTWRITEBYTECODE VIRTUAL_ENV SYSTEMROOT TMPDIR TEMP"
    " TMP".split()
)
_MEMORY_IS_WATCHED = sys.platform == "darwin"
# Without `-P` a file in the current folder would be imported instead of the library of that name.
_COMMAND = (sys.executable, "-P", "-m", "chunkviz.isolation.worker")


class Worker:
    """One process that does jobs, one after the other."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(  # noqa: S603  # the command is fixed
            _COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment(),
            close_fds=True,
            start_new_session=True,  # Ctrl-C at the terminal is for the app, which ends its workers
        )
        self._listens = False

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def stop(self) -> None:
        """End the process and wait until the system has forgotten it."""
        with contextlib.suppress(OSError):
            self._process.kill()
        for stream in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                cast(BinaryIO, stream).close()
        self._process.wait()

    def ask(
        self, message: dict[str, Any], data: bytes, seconds: float, stop: threading.Event | None = None
    ) -> tuple[dict[str, Any], bytes]:
        """One job.

        Raises `TimeoutError` after `seconds`, `InterruptedError` once `stop` is set, `MemoryError` where it took too
        much, `EOFError` if the worker died and `ValueError` if it talks nonsense. After any of these it must be stopped.
        """
        inbox, outbox = cast(BinaryIO, self._process.stdin), cast(BinaryIO, self._process.stdout)
        if self._listens:
            with _Watch(self._process, seconds, stop):
                wire.send(inbox, message, data)
                return wire.receive(outbox)
        # A worker that finds a job waiting does not warm up first.
        with _Watch(self._process, START_SECONDS, stop):
            wire.send(inbox, message, data)
            wire.receive(outbox)
        self._listens = True
        with _Watch(self._process, seconds, stop):
            return wire.receive(outbox)


class _Watch:
    """Kills a process that takes too long, is to be stopped or, where the system sets no limit, takes too much memory.

    As a context: what goes wrong inside because of the kill comes out as `TimeoutError`, `InterruptedError` or
    `MemoryError`.
    """

    def __init__(self, process: subprocess.Popen[bytes], seconds: float, stop: threading.Event | None = None) -> None:
        self._process = process
        self._stop = stop
        self._end = time.monotonic() + seconds
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._why: type[Exception] | None = None
        self._thread = threading.Thread(target=self._run, name="chunkviz-watch", daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        # Under the lock: a worker whose answer came in time is not killed a moment later.
        with self._lock:
            self._over.set()
        if self._why is not None:
            raise self._why from error
        if isinstance(error, OSError):
            raise EOFError(str(error)) from error  # the pipe broke: the worker is gone

    def _run(self) -> None:
        while True:
            nap = self._end - time.monotonic()
            if _MEMORY_IS_WATCHED:
                nap = min(nap, MEMORY_CHECK_SECONDS)
            if self._stop is not None:
                nap = min(nap, STOP_CHECK_SECONDS)
            if self._over.wait(max(0.0, nap)):
                return None
            if self._stop is not None and self._stop.is_set():
                return self._kill(InterruptedError)
            if time.monotonic() >= self._end:
                return self._kill(TimeoutError)
            if _MEMORY_IS_WATCHED and _resident_mb(self._process.pid) > settings().parse_memory_mb:
                return self._kill(MemoryError)

    def _kill(self, why: type[Exception]) -> None:
        with self._lock:
            if not self._over.is_set():
                self._why = why
                with contextlib.suppress(OSError):
                    self._process.kill()


class Pool:
    """Idle workers; a job takes one or starts one, and gives it back."""

    def __init__(self) -> None:
        self._idle: list[Worker] = []
        self._busy: set[Worker] = set()
        self._lock = threading.Lock()
        # More jobs at once wait for each other: a machine has only so much memory.
        self._free = threading.BoundedSemaphore(settings().workers)

    def run(
        self,
        message: dict[str, Any],
        data: bytes,
        seconds: float,
        read: Callable[[dict[str, Any], bytes], T],
        stop: threading.Event | None = None,
    ) -> T:
        """One job, and what `read` makes of its answer. Raises what `Worker.ask` does, and `OSError` at the start."""
        with self._free:
            worker = self._take()
            good = False
            try:
                answer, text = worker.ask(message, data, seconds, stop)
                result = read(answer, text)
                good = not answer.get("retire")
            finally:
                with self._lock:
                    self._busy.discard(worker)
                    if good:
                        self._idle.append(worker)
                if not good:
                    worker.stop()
                    with contextlib.suppress(OSError):  # whoever needs it next is told
                        self.fill(1)
            return result

    def fill(self, count: int) -> None:
        """Have at least `count` idle workers."""
        with self._lock:
            while len(self._idle) < count:
                self._idle.append(Worker())

    def close(self) -> None:
        """End the idle workers."""
        with self._lock:
            while self._idle:
                self._idle.pop().stop()

    def end(self) -> None:
        """End every worker, also those at work: the app is going."""
        with self._lock:
            for worker in (*self._idle, *self._busy):
                worker.stop()
            self._idle.clear()

    def _take(self) -> Worker:
        with self._lock:
            while self._idle:
                worker = self._idle.pop()
                if worker.alive:
                    break
                worker.stop()
            else:
                worker = Worker()
            self._busy.add(worker)
            return worker


_pool: Pool | None = None
_pool_lock = threading.Lock()


def the_pool() -> Pool:
    """The pool of this process, made at its first use."""
    global _pool
    with _pool_lock:
        if _pool is None:
            _pool = Pool()
            atexit.register(_pool.end)
        return _pool


def environment() -> dict[str, str]:
    """What a process for other people's files may know of the app's: neither secrets nor proxies are its business."""
    kept = {k: v for k, v in os.environ.items() if k in _KEPT_VARIABLES or k.startswith(("CHUNKVIZ_", "MALLOC_"))}
    root = str(Path(__file__).resolve().parent.parent.parent)
    if Path(root).name not in ("site-packages", "dist-packages"):
        # The app runs from a folder of sources: the worker must run the same ones.
        kept["PYTHONPATH"] = os.pathsep.join([root, *filter(None, [kept.get("PYTHONPATH")])])
    # One arena: each further one reserves address space, which is what the limit of memory counts.
    return {"MALLOC_ARENA_MAX": "1", **kept, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def _resident_mb(pid: int) -> float:
    """The memory a process has in use, in 1,000,000 bytes; 0 where the system cannot tell."""
    try:
        done = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=False)  # noqa: S603, S607
    except OSError:
        return 0.0
    return int(done.stdout) * 1024 / 1e6 if done.stdout.strip().isdigit() else 0.0
