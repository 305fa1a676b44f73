"""The worker's side: `python -m chunkviz.isolation.worker` reads jobs from its input and answers on its output."""

from __future__ import annotations

import os
import select
import signal
import sys
from pathlib import Path
from typing import Any, BinaryIO, Final

from chunkviz import wire
from chunkviz.errors import ChunkvizError
from chunkviz.isolation.words import out_of_memory, shown
from chunkviz.settings import settings

ALARM_SECONDS: Final = 10
"""How long after the time limit a worker ends itself, if nobody has ended it."""


def serve() -> None:
    """Do jobs until the app is gone."""
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
        wire.send(outbox, {**answer, "retire": "retire" in answer or _has_grown()}, text)
        _set_alarm(0)


def _answer(message: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
    """Do one job: read a document ("load"), show a page of one ("page"), or try a grammar on source code ("syntax")."""
    from chunkviz import loaders

    file = shown(message["name"])
    try:
        if message["kind"] == "page":
            from chunkviz.loaders import pdf_images

            return wire.pack_page(
                pdf_images.page_image(
                    data, file, message["page"], message["text"], message["start"], message["password"]
                )
            )
        if message["kind"] == "syntax":
            from chunkviz.text.syntax_parsing import Grammar, tried

            return {"verdict": tried(data, Grammar(*message["grammar"]))}, b""
        document = loaders.load(data, message["name"], password=message["password"], **message["options"])
        return wire.pack_document(document)
    except ChunkvizError as error:
        return {
            "error": str(error),
            "kind": type(error).__name__,
            "needs_password": getattr(error, "needs_password", False),
        }, b""
    except MemoryError:
        return {"error": out_of_memory(file), "retire": True}, b""
    except Exception as error:  # a fault in a parser must not end the worker in silence: its kind is told, not its data
        text = f"{file} could not be read: the parser failed ({type(error).__name__}), perhaps for want of memory"
        return {
            "error": f"{text}, of which it may have {settings().parse_memory_mb} MB (CHUNKVIZ_PARSE_MEMORY_MB)."
        }, b""


def _limit_memory(megabytes: int) -> None:
    try:
        import resource
    except ImportError:  # Windows; see `isolation`
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform != "darwin":
        resource.setrlimit(resource.RLIMIT_AS, (megabytes * 1_000_000, megabytes * 1_000_000))


def _has_grown() -> bool:
    """Whether the process has once taken half of what it may, or has three quarters of its address space in use.

    Memory comes back in pieces; a new process is whole, and has room for the next file.
    """
    try:
        # What `getrusage` calls the peak of a process may be that of the app which started it, and the app may be big.
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
        peak, space = (int(status.split(f"{name}:")[1].split()[0]) for name in ("VmHWM", "VmSize"))
        return peak > settings().parse_memory_mb * 500 or space > settings().parse_memory_mb * 750
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
    serve()
