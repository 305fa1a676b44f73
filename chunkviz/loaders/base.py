"""What a loader is: one format, the endings it answers to, and two functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from chunkviz.document import Document, Format
from chunkviz.loaders.options import LoadOptions

Parse: TypeAlias = Callable[[bytes, str, LoadOptions, str | None], Document]
"""`parse(data, name, options, password) -> Document`. Raises `LoadError` for data it cannot read."""

FromText: TypeAlias = Callable[[str, str, str], Document]
"""`from_text(text, name, language) -> Document` whose text is exactly `text`."""


@dataclass(frozen=True, slots=True)
class Loader:
    """How one format is read. A loader's module imports the library that parses inside `parse`, not at its top.

    suffixes  : the endings of file names, lower case with the dot; no two loaders share one
    from_text : None for formats that exist as files only
    languages : ending to the name of the programming language, for source code

    `name` in both functions is for display and has no directories. `parse` need not fill in `Document.options`:
    `loaders.load` does.
    """

    format: Format
    suffixes: tuple[str, ...]
    parse: Parse
    from_text: FromText | None
    languages: Mapping[str, str] = field(default_factory=dict)
