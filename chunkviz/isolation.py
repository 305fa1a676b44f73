"""Files are parsed in processes of their own, with limits: no document stalls or ends anyone else's page.

A worker is `python -m chunkviz.isolation`: it reads jobs from its standard input and answers on its standard output. A
few are kept warm, since importing a PDF library takes a second. A worker that answered is used again; one that ran out
of time, out of memory or crashed is replaced, and so is one that has grown.

The limits, all from `settings`:
    size    max_file_mb, before anything else happens
    time    parse_seconds of wall clock: the worker is killed. Should the app itself be gone by then, the worker's own
            alarm ends it.
    memory  parse_memory_mb of address space, which the operating system refuses to exceed. PyMuPDF alone takes about
            500 MB of it, so a limit below 700 leaves no room for a PDF. macOS has no such limit that holds: there
            the resident size is looked at four times a second. Windows has neither; the limit of time holds.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeVar, cast

from chunkviz import wire
from chunkviz.document import Document
from chunkviz.errors import ChunkvizError, LoadError, ParameterError, Stopped
from chunkviz.settings import settings
from chunkviz.wire import PageImage

T = TypeVar("T")

START_SECONDS: Final = 60
"""Longest time a worker may take until it listens; the time of a job counts from then."""
ALARM_SECONDS: Final = 10
"""How long after the time limit a worker ends itself, if nobody has ended it."""
MEMORY_CHECK_SECONDS: Final = 0.25
STOP_CHECK_SECONDS: Final = 0.1

_KEPT_VARIABLES: Final = frozenset(
    "PATH HOME LANG LC_ALL LC_CTYPE PYTHONPATH PYTHONHOME PYTHONDONTWRITEBYTECODE VIRTUAL_ENV SYSTEMROOT TMPDIR TEMP"
    " TMP".split()
)
_MEMORY_IS_WATCHED = sys.platform == "darwin"
# Without `-P` a file in the current folder would be imported instead of the library of that name.
_COMMAND = (sys.executable, "-P", "-m", "chunkviz.isolation")


def load(
    data: bytes,
    name: str,
    *,
    password: str | None = None,
    options: Mapping[str, Any] | None = None,
    stop: threading.Event | None = None,
) -> Document:
    """`chunkviz.load` for bytes, in a process of its own.

    stop : once it is set, the process is ended and `Stopped` raised
    Raises `LoadError`, naming the limit that was met where it was one, and `ParameterError` for an option that does
    not exist; never anything else, whatever the file does.
    """
    limits = settings()
    shown = _shown(name)
    if len(data) > limits.max_file_mb * 1_000_000:
        raise LoadError(
            f"{shown} has {len(data) / 1e6:,.1f} MB; files up to {limits.max_file_mb} MB are opened "
            "(CHUNKVIZ_MAX_FILE_MB)."
        )
    message = {"kind": "load", "name": name, "password": password, "options": dict(options or {})}
    return _done(message, data, shown, _result, stop)


def page_image(
    data: bytes,
    document: Document,
    number: int,
    *,
    password: str | None = None,
    stop: threading.Event | None = None,
) -> PageImage:
    """`pdf_images.page_image` of a document that `load` made of `data`, in a process of its own. Errors as there."""
    page = next((p for p in document.pages if p.number == number), None)
    if page is None:
        raise LoadError(f"{document.name} has no page {number}.")
    message = {
        "kind": "page",
        "name": document.name,
        "password": password,
        "page": number,
        "start": page.start,
        "text": document.text[page.start : page.end],
    }

    def read(answer: dict[str, Any], png: bytes) -> PageImage | ChunkvizError:
        return _error(answer) or wire.unpack_page(answer, png, page.span)

    return _done(message, data, _shown(document.name), read, stop)


def _done(
    message: dict[str, Any],
    data: bytes,
    shown: str,
    read: Callable[[dict[str, Any], bytes], T | ChunkvizError],
    stop: threading.Event | None,
) -> T:
    """What `read` makes of a worker's answer; every limit that was met as a `LoadError` that names it."""
    limits = settings()
    try:
        result = _the_pool().run(message, data, limits.parse_seconds, read, stop)
    except InterruptedError as error:
        raise Stopped(f"Reading {shown} was stopped.") from error
    except TimeoutError as error:
        raise LoadError(
            f"Reading {shown} took longer than {limits.parse_seconds} seconds and was stopped "
            "(CHUNKVIZ_PARSE_SECONDS). Try a smaller part of it."
        ) from error
    except MemoryError as error:
        raise LoadError(_out_of_memory(shown)) from error
    except EOFError as error:
        raise LoadError(
            f"Reading {shown} ended the process that reads files: the file is damaged, or needs more than "
            f"{limits.parse_memory_mb} MB of memory (CHUNKVIZ_PARSE_MEMORY_MB)."
        ) from error
    except ValueError as error:
        raise LoadError(f"Reading {shown} gave an answer that makes no sense: the file is damaged.") from error
    except OSError as error:
        raise LoadError(
            f"The process that reads files could not be started ({error.strerror or error}). Close other programs, or "
            "check the installation with `python -m chunkviz doctor`."
        ) from error
    if isinstance(result, ChunkvizError):
        raise result
    return result


def warm() -> None:
    """Start `settings().workers` workers now, so that the first file does not wait for one. Returns at once."""
    _the_pool().fill(settings().workers)


def close() -> None:
    """End the idle workers; the next job starts one again."""
    _the_pool().close()


# --- the app's side ---------------------------------------------------------------------------------------------


class _Worker:
    """One process that does jobs, one after the other."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(  # noqa: S603  # the command is fixed
            _COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
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


class _Pool:
    """Idle workers; a job takes one or starts one, and gives it back."""

    def __init__(self) -> None:
        self._idle: list[_Worker] = []
        self._busy: set[_Worker] = set()
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
        """One job, and what `read` makes of its answer. Raises what `_Worker.ask` does, and `OSError` at the start."""
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
                self._idle.append(_Worker())

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

    def _take(self) -> _Worker:
        with self._lock:
            while self._idle:
                worker = self._idle.pop()
                if worker.alive:
                    break
                worker.stop()
            else:
                worker = _Worker()
            self._busy.add(worker)
            return worker


_pool: _Pool | None = None
_pool_lock = threading.Lock()


def _the_pool() -> _Pool:
    global _pool
    with _pool_lock:
        if _pool is None:
            _pool = _Pool()
            atexit.register(_pool.end)
        return _pool


def _environment() -> dict[str, str]:
    """What a worker may know of the app's environment: neither its secrets nor its proxies are a parser's business."""
    kept = {k: v for k, v in os.environ.items() if k in _KEPT_VARIABLES or k.startswith(("CHUNKVIZ_", "MALLOC_"))}
    root = str(Path(__file__).resolve().parent.parent)
    if Path(root).name not in ("site-packages", "dist-packages"):
        # The app runs from a folder of sources: the worker must run the same ones.
        kept["PYTHONPATH"] = os.pathsep.join([root, *filter(None, [kept.get("PYTHONPATH")])])
    return {**kept, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def _result(answer: dict[str, Any], text: bytes) -> Document | ChunkvizError:
    """The document of an answer, or the error it tells of. Raises `ValueError` for nonsense."""
    return _error(answer) or wire.unpack_document(answer, text)


def _error(answer: dict[str, Any]) -> ChunkvizError | None:
    """The error that an answer tells of, if it does."""
    if "error" not in answer:
        return None
    words = str(answer["error"])
    if answer.get("kind") == "ParameterError":
        return ParameterError(words)
    return LoadError(words, needs_password=answer.get("needs_password") is True)


def _resident_mb(pid: int) -> float:
    """The memory a process has in use, in 1,000,000 bytes; 0 where the system cannot tell."""
    try:
        done = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=False)  # noqa: S603, S607
    except OSError:
        return 0.0
    return int(done.stdout) * 1024 / 1e6 if done.stdout.strip().isdigit() else 0.0


def _shown(name: str) -> str:
    return (
        "".join(c if c.isprintable() else "\ufffd" for c in name.replace("\\", "/").rsplit("/", 1)[-1])[:80]
        or "The file"
    )


def _out_of_memory(shown: str) -> str:
    limit = settings().parse_memory_mb
    return f"{shown} needs more than {limit} MB of memory to be read (CHUNKVIZ_PARSE_MEMORY_MB). Try a part of it."


# --- the worker's side ------------------------------------------------------------------------------------------


def _serve() -> None:
    # Libraries print; what they print must not get between the messages.
    inbox = os.fdopen(os.dup(0), "rb")
    outbox = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    _limit_memory(settings().parse_memory_mb)
    from chunkviz import loaders
    from chunkviz.loaders import pdf

    loaders.loaders()
    if not _is_asked(inbox):
        pdf.warm()
    wire.send(outbox, {"listens": True})
    while True:
        try:
            message, data = wire.receive(inbox)
        except EOFError:
            return  # the app is gone
        _set_alarm(settings().parse_seconds + ALARM_SECONDS)
        answer, text = _answer(message, data)
        del data
        wire.send(outbox, {**answer, "retire": _has_grown()}, text)
        _set_alarm(0)


def _answer(message: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
    """Do one job: read a document ("load"), or show a page of one ("page")."""
    from chunkviz import loaders

    shown = _shown(message["name"])
    try:
        if message["kind"] == "page":
            from chunkviz.loaders import pdf_images

            return wire.pack_page(
                pdf_images.page_image(
                    data, shown, message["page"], message["text"], message["start"], message["password"]
                )
            )
        document = loaders.load(data, message["name"], password=message["password"], **message["options"])
        return wire.pack_document(document)
    except ChunkvizError as error:
        return {
            "error": str(error),
            "kind": type(error).__name__,
            "needs_password": getattr(error, "needs_password", False),
        }, b""
    except MemoryError:
        return {"error": _out_of_memory(shown)}, b""
    except Exception as error:  # a fault in a parser must not end the worker in silence: its kind is told, not its data
        text = f"{shown} could not be read: the parser failed ({type(error).__name__}), perhaps for want of memory"
        return {
            "error": f"{text}, of which it may have {settings().parse_memory_mb} MB (CHUNKVIZ_PARSE_MEMORY_MB)."
        }, b""


def _limit_memory(megabytes: int) -> None:
    try:
        import resource
    except ImportError:  # Windows; see the top of this file
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform != "darwin":
        resource.setrlimit(resource.RLIMIT_AS, (megabytes * 1_000_000, megabytes * 1_000_000))


def _has_grown() -> bool:
    """Whether the process has once taken half of what it may: memory comes back in pieces, a new process is whole."""
    try:
        # What `getrusage` calls the peak of a process may be that of the app which started it, and the app may be big.
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
        return int(status.split("VmHWM:")[1].split()[0]) > settings().parse_memory_mb * 500
    except (OSError, IndexError, ValueError):
        pass
    try:
        import resource
    except ImportError:
        return False
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit > settings().parse_memory_mb * 500_000


def _set_alarm(seconds: int) -> None:
    """End this process after `seconds`, also in the middle of foreign code; 0 takes it back."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _is_asked(inbox: BinaryIO) -> bool:
    """Whether a job waits already: then there is no time to warm up."""
    try:
        return bool(select.select([inbox], [], [], 0)[0])
    except (OSError, ValueError):  # Windows can only look at sockets
        return True


if __name__ == "__main__":
    _serve()
