"""What the commands read: documents, recipes, and folders of them."""

from __future__ import annotations

import getpass
import glob
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from itertools import takewhile
from pathlib import Path
from typing import Any

from chunkviz import format, isolation
from chunkviz.document import Document
from chunkviz.errors import LoadError, ParameterError
from chunkviz.loaders import suffixes
from chunkviz.recipe import Recipe
from chunkviz.settings import settings
from chunkviz.terminal import plain


def read_document(path: Path, options: Mapping[str, Any], ask: bool = False) -> Document:
    """Parse a file in a child process with limits; where it is locked, `ask` for its password at the terminal."""
    data = read_bytes(path)
    tries = 3 if ask and sys.stdin is not None and sys.stdin.isatty() else 0
    password = None
    while True:
        try:
            return isolation.load(data, path.name, password=password, options=options)
        except LoadError as error:
            if not error.needs_password or not tries:
                raise
        tries -= 1
        password = getpass.getpass(f"Password of {plain(path.name)}: ", stream=sys.stderr)


def read_bytes(path: Path) -> bytes:
    """The bytes of a file; nothing of one that is larger than may be opened, or that is no file."""
    shown, limit = plain(str(path)), settings().max_file_mb
    try:
        if path.is_dir():
            raise LoadError(f"{shown} is a folder. Name a file in it, or use `chunkviz apply`.")
        size = path.stat().st_size
        if not path.is_file():
            raise LoadError(f"{shown} is a device or a pipe. Name a file.")
        if size > limit * 1_000_000:
            raise LoadError(
                f"{shown} has {format.size(size)}; at most {limit} MB are opened. Split it, or set CHUNKVIZ_MAX_FILE_MB."
            )
        return path.read_bytes()
    except OSError as error:
        raise LoadError(f"{shown} cannot be opened: {error.strerror or error}.") from error


def read_recipe(path: Path) -> Recipe:
    try:
        return Recipe.from_json(read_bytes(path).decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise ParameterError(f"{plain(str(path))} is no recipe: it is not text in UTF-8.") from None


def sources(source: Path, out: Path, closed: Callable[[OSError], None]) -> Iterator[tuple[Path, Path]]:
    """The files to cut, each with its name in `source`, in order. What is in `out` is not read again.

    closed : told of each folder that cannot be opened
    """
    if is_pattern(source):
        fixed = list(takewhile(lambda part: not glob.has_magic(part), source.parts))
        base, own = Path(*fixed), out.resolve()
        for path in sorted(base.glob(str(Path(*source.parts[len(fixed) :])))):
            if path.is_file() and not path.resolve().is_relative_to(own):
                yield path, path.relative_to(base)
        return
    if not source.is_dir():
        yield source, Path(source.name)
        return
    known = suffixes()
    for folder, folders, names in os.walk(source, onerror=closed):
        here = Path(folder)
        folders[:] = sorted(name for name in folders if not same_file(here / name, out))
        for name in sorted(names):
            if (here / name).suffix.lower() in known:
                yield here / name, (here / name).relative_to(source)


def is_pattern(source: Path) -> bool:
    """Whether it stands for files by wildcards; a file that is really called so is a file."""
    return not source.exists() and glob.has_magic(str(source))


def same_file(a: Path, b: Path) -> bool:
    return a.exists() and b.exists() and a.samefile(b)
