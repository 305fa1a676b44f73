"""Files are parsed in processes of their own, with limits: no document stalls or ends anyone else's page.

A worker is `python -m chunkviz.isolation.worker`: it reads jobs from its standard input and answers on its standard
output (`worker.py`). A few are kept warm, since importing a PDF library takes a second (`pool.py`). A worker that
answered is used again; one that ran out of time, out of memory or crashed is replaced, and so is one that has grown.

The limits, all from `settings`:
    size    max_file_mb, before anything else happens
    time    parse_seconds of wall clock: the worker is killed. Should the app itself be gone by then, the worker's own
            alarm ends it.
    memory  parse_memory_mb of address space, which the operating system refuses to exceed. PyMuPDF alone takes about
            500 MB of it, so a limit below 700 leaves no room for a PDF. macOS has no such limit that holds: there
            the resident size is looked at four times a second. Windows has neither; the limit of time holds.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from chunkviz import wire
from chunkviz.document import Document
from chunkviz.errors import ChunkvizError, LoadError, ParameterError, Stopped
from chunkviz.isolation.pool import START_SECONDS, environment, the_pool
from chunkviz.isolation.words import out_of_memory, shown
from chunkviz.settings import settings
from chunkviz.wire import PageImage

__all__ = ["START_SECONDS", "close", "environment", "load", "page_image", "trial", "warm"]

T = TypeVar("T")


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
    file = shown(name)
    if len(data) > limits.max_file_mb * 1_000_000:
        raise LoadError(
            f"{file} has {len(data) / 1e6:,.1f} MB; files up to {limits.max_file_mb} MB are opened "
            "(CHUNKVIZ_MAX_FILE_MB)."
        )
    message = {"kind": "load", "name": name, "password": password, "options": dict(options or {})}
    return _done(message, data, file, _result, stop)


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

    return _done(message, data, shown(document.name), read, stop)


def trial(data: bytes, grammar: list[str], seconds: float) -> str:
    """What comes of parsing source code with a grammar of tree-sitter, in a process of its own.

    grammar : the fields of `text.syntax_parsing.Grammar`
    seconds : wall clock
    Returns "" where the parser came through; else, to follow “The grammar for …”, why not. Never raises for a text.
    """
    try:
        return the_pool().run({"kind": "syntax", "name": "", "grammar": grammar}, data, seconds, _verdict)
    except TimeoutError:
        return f"needed more than {seconds:,.0f} seconds for this text and was stopped"
    except (EOFError, MemoryError):
        return "ends its process on this text, with a crash or for want of memory"
    except ValueError:
        return "gave an answer that makes no sense"
    except OSError as error:
        return f"could not be tried out in a process of its own ({error.strerror or error})"


def _verdict(answer: dict[str, Any], _data: bytes) -> str:
    return str(answer.get("error", answer.get("verdict", "gave no answer")))


def _done(
    message: dict[str, Any],
    data: bytes,
    file: str,
    read: Callable[[dict[str, Any], bytes], T | ChunkvizError],
    stop: threading.Event | None,
) -> T:
    """What `read` makes of a worker's answer; every limit that was met as a `LoadError` that names it."""
    limits = settings()
    try:
        result = the_pool().run(message, data, limits.parse_seconds, read, stop)
    except InterruptedError as error:
        raise Stopped(f"Reading {file} was stopped.") from error
    except TimeoutError as error:
        raise LoadError(
            f"Reading {file} took longer than {limits.parse_seconds} seconds and was stopped "
            "(CHUNKVIZ_PARSE_SECONDS). Try a smaller part of it."
        ) from error
    except MemoryError as error:
        raise LoadError(out_of_memory(file)) from error
    except EOFError as error:
        raise LoadError(
            f"Reading {file} ended the process that reads files: the file is damaged, or needs more than "
            f"{limits.parse_memory_mb} MB of memory (CHUNKVIZ_PARSE_MEMORY_MB)."
        ) from error
    except ValueError as error:
        raise LoadError(f"Reading {file} gave an answer that makes no sense: the file is damaged.") from error
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
    the_pool().fill(settings().workers)


def close() -> None:
    """End the idle workers; the next job starts one again."""
    the_pool().close()


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
