"""Every limit chunkviz sets, in one place, each named in the message of whoever meets it.

An environment variable `CHUNKVIZ_<NAME>` overrides a limit for a whole process, for example
`CHUNKVIZ_MAX_FILE_MB=100 make run`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, fields
from functools import cache

from chunkviz.errors import ChunkvizError


@dataclass(frozen=True, slots=True)
class Settings:
    """Limits of one process. All are positive whole numbers; units are in the names."""

    max_file_mb: int = 20
    """Largest file that is opened, in 1,000,000 bytes."""
    parse_seconds: int = 30
    """Longest time one file may take to be parsed, wall clock."""
    parse_memory_mb: int = 1000
    """Most memory the parsing process may take for one file, in 1,000,000 bytes."""
    max_inflated_mb: int = 200
    """Most bytes an archive (a Word file) or a compressed stream may unpack to, in 1,000,000 bytes."""
    max_pages: int = 5000
    """Most pages of a document that are read."""
    max_chunks: int = 200_000
    """Most chunks one strategy may make of one document; estimated before it runs."""
    max_documents: int = 50
    """Most documents one browser session may keep open."""
    regex_seconds: int = 5
    """Longest time a regular expression that a user wrote may run on one document."""
    workers: int = 2
    """Processes kept ready to parse files."""


@cache
def settings() -> Settings:
    """The limits of this process: the defaults, or what `CHUNKVIZ_<NAME>` says in the environment."""
    values: dict[str, int] = {}
    for field in fields(Settings):
        variable = f"CHUNKVIZ_{field.name.upper()}"
        given = os.environ.get(variable)
        if given is None:
            continue
        if not given.isascii() or not given.isdigit() or int(given) < 1:
            raise ChunkvizError(f"{variable} must be a whole number of at least 1. Got {given!r}.")
        values[field.name] = int(given)
    return Settings(**values)
