"""One run of a parser over one source text, within a budget; and the same in a process of its own first.

A parser can get lost in hostile text: 20 kB of `a=>a=>` as C take it half a minute and gigabytes, 100 kB of `a|` as Bash
end the process with a broken stack. What holds it:

    the text    chains of assignments, type arguments or conditions that never end are not parsed at all, because the
                step that gives them up takes time quadratic in their length and cannot be interrupted
    its steps   far beyond what source that anyone wrote needs, so that the same text gives the same chunks on every machine
    the clock   of the processor, behind the steps: a step can become slower and slower
    a trial     a text of more than `SMALL` bytes is parsed in a process of its own first, with a limit of memory, a
                short stack and a wall clock that kills. A parser does the same with the same text every time: what came
                through there comes through here, on a stack that is no shorter and with no more memory

Of some 2,000 hostile texts (`tests/hostile_code.py`) none that has `SMALL` bytes takes more than a second, 150 MB or a
stack of 1 MB; those that do are longer.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from time import thread_time
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunkviz import isolation
from chunkviz.settings import settings

if TYPE_CHECKING:
    from tree_sitter import Language, Tree


class Grammar(NamedTuple):
    """Where a grammar comes from: the distribution to install, the function in it, and how a reader knows the language."""

    distribution: str
    function: str
    title: str


SMALL: Final = 8_000
"""Bytes up to which a text is parsed without a trial."""
LOST: Final = "gets lost in this text"

# The parser reports every hundred of its steps. Of some 400 source files in nine languages none made it report more than
# 22 times per 1,000 bytes; a list of digits, where every other byte is a token, takes 50, a lost parser 60 and more.
_REPORTS_PER_BYTE: Final = 0.07
_REPORTS_TO_START: Final = 2_000
# Python's standard library takes 0.1 s per megabyte.
_SECONDS_PER_BYTE: Final = 1e-6
_SECONDS_TO_START: Final = 1.0
# Asking the system for the time costs more than all else between two reports.
_REPORTS_PER_LOOK: Final = 64
# Giving up a chain of 1,000 takes half a second, one of ten times as many a hundred times as long.
_LONGEST_CHAIN: Final = 1_000
_BLOCK: Final = 1 << 18
_READ_AT_ONCE: Final = 1 << 16

# A list of digits takes 70 bytes of memory for each of its own, other source 15.
_MEMORY_PER_BYTE: Final = 150
_MEMORY_TO_START: Final = 100_000_000
_STACK: Final = 1 << 20
# How long everything else may have to wait for the parser to report.
_LONGEST_PAUSE_SECONDS: Final = 0.3
_TRIAL_SECONDS_PER_BYTE: Final = 1e-5
_TRIAL_SECONDS: Final = 5.0


@cache
def language_of(grammar: Grammar) -> Language | None:
    """The grammar, None where it is not installed or was built for another tree-sitter."""
    try:
        from tree_sitter import Language

        pointer: Callable[[], object] = getattr(import_module(grammar.distribution.replace("-", "_")), grammar.function)
        return Language(pointer())
    except (ImportError, AttributeError, ValueError):
        return None


def parsed(data: bytes, grammar: Grammar, ends: bytes) -> Tree | str:
    """The tree of a text, or the end of a sentence that begins “The grammar for Python …” and says why there is none.

    ends : the bytes that end a chain in this language
    """
    if longest_chain(data, ends) > _LONGEST_CHAIN:
        return "would get lost in this text"
    language = language_of(grammar)
    if language is None:
        return f"is not installed or does not load (pip install {grammar.distribution})"
    if len(data) > SMALL:
        seconds = min(settings().parse_seconds, _TRIAL_SECONDS + len(data) * _TRIAL_SECONDS_PER_BYTE)
        answer = isolation.trial(data, list(grammar), seconds)
        if answer:
            return answer
    return _within_budget(data, language)[0] or LOST


def tried(data: bytes, grammar: Grammar) -> str:
    """What comes of parsing a text: "" where all is well, else as `parsed`. In the trial's own process only.

    Ends the process where the parser takes more memory or stack than it may; raises `MemoryError` where there is none
    to begin with.
    """
    language = language_of(grammar)
    if language is None:
        raise MemoryError  # the app has loaded it; so there is no room left here
    answers: list[str] = []

    def run() -> None:
        tree, pause = _within_budget(data, language)
        lost = tree is None or pause > _LONGEST_PAUSE_SECONDS
        answers.append(LOST if lost else "")

    usual = threading.stack_size(_STACK)
    try:
        thread = threading.Thread(target=run, name="chunkviz-syntax")
        with _no_more_memory_than(_MEMORY_TO_START + len(data) * _MEMORY_PER_BYTE):
            thread.start()
            thread.join()
    finally:
        threading.stack_size(usual)
    return answers[0] if answers else LOST


@contextmanager
def _no_more_memory_than(size: int) -> Iterator[None]:
    """Hold this process to `size` bytes beyond what it has now, where the system can do that: Linux."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (ImportError, OSError, ValueError):
        yield  # elsewhere the limit of the process as a whole holds; see `isolation`
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = pages * resource.getpagesize() + size
    known = [limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_AS, (min([most, *known]), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _within_budget(data: bytes, language: Language) -> tuple[Tree | None, float]:
    """The tree, None where the parser used up its budget; and the longest time between two looks at the clock."""
    from tree_sitter import Parser

    # The scanner of the Bash grammar takes memory quadratic in a run of NULs. No source has one; a blank is as long.
    shown = data.replace(b"\0", b" ")
    reports = 0
    pause = 0.0
    before = thread_time()
    until = before + _SECONDS_TO_START + len(data) * _SECONDS_PER_BYTE

    def lost(offset: int, _has_error: bool) -> bool:
        nonlocal reports, pause, before
        reports += 1
        if reports > _REPORTS_TO_START + offset * _REPORTS_PER_BYTE:
            return True
        if reports % _REPORTS_PER_LOOK:
            return False
        now = thread_time()
        pause, before = max(pause, now - before), now
        return now > until

    pieces: list[bytes] = []

    def read(at: int, _point: object) -> bytes:
        pieces.append(shown[at : at + _READ_AT_ONCE])
        return pieces[-1]

    try:
        tree = Parser(language).parse(read, progress_callback=lost)
    except ValueError:
        return None, pause
    finally:
        for piece in pieces * _kept(language):
            ctypes.pythonapi.Py_DecRef(ctypes.py_object(piece))
    return tree, max(pause, thread_time() - before)


@cache
def _kept(language: Language) -> int:
    """How many references to each piece that it reads a parser keeps when it, its tree and all else are gone.

    tree-sitter 0.26 keeps one, so that every text would stay in memory for good; given the text as a whole it keeps
    none, but then it neither reports nor lets another thread run. Found out and not assumed: another release may not.
    """
    from tree_sitter import Parser

    piece = bytes(bytearray(b"x\n" * 8))
    before = sys.getrefcount(piece)
    calls = 0

    def read(at: int, _point: object) -> bytes:
        nonlocal calls
        calls += at == 0
        return b"" if at else piece

    Parser(language).parse(read, progress_callback=lambda _offset, _has_error: False)
    kept, rest = divmod(sys.getrefcount(piece) - before, max(calls, 1))
    return 0 if rest else kept


def longest_chain(data: bytes, ends: bytes) -> int:
    """The most `=`, `<` and `?`, those side by side counted once, between two of the bytes that end a chain.

    >>> longest_chain(b"a = b == c; d < e", b";")
    2
    """
    links, stops = _table(b"=<?"), _table(ends)
    longest = running = 0
    last_was_link = False
    for at in range(0, len(data), _BLOCK):  # what a block needs fits where it has just been
        block = np.frombuffer(data, dtype=np.uint8, count=min(_BLOCK, len(data) - at), offset=at)
        is_link = links[block]
        first = is_link.copy()
        first[1:] &= ~is_link[:-1]
        first[0] &= not last_was_link
        last_was_link = bool(is_link[-1])
        found = np.flatnonzero(first)
        before = np.searchsorted(found, np.flatnonzero(stops[block]))
        if not len(before):
            running += len(found)
            continue
        longest = max(longest, running + int(before[0]), int(np.diff(before).max(initial=0)))
        running = len(found) - int(before[-1])
    return max(longest, running)


def _table(wanted: bytes) -> NDArray[np.bool_]:
    table = np.zeros(256, dtype=np.bool_)
    table[list(wanted)] = True
    return table
