"""Every limit chunkviz sets, in one place, each named in the message of whoever meets it.

An environment variable `CHUNKVIZ_<NAME>` overrides a limit for a whole process, for example
`CHUNKVIZ_MAX_FILE_MB=100 make run`.
"""

from __future__ import annotations

import os
from dataclasses import Field, dataclass, field, fields
from functools import cache
from typing import Any

from chunkviz.errors import ChunkvizError


@dataclass(frozen=True, slots=True)
class Settings:
    """Limits of one process: positive whole numbers with their units in the names, and choices of one word."""

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
    llm_seconds: int = 120
    """Longest time one answer of a language model may take, over all tries and pauses, wall clock."""
    llm_tries: int = 4
    """How often one request to a language model is sent before it has failed."""
    llm_answer_kb: int = 1000
    """Most that is read of one answer of a language model, in 1,000 bytes."""
    llm_parallel: int = 4
    """Requests to a language model that are under way at the same time, for one document."""
    llm_window_characters: int = 8000
    """Most characters of a document in one question. Some local servers cut a question at 4,096 tokens in silence."""
    llm_questions: int = 500
    """Most questions one document may take; counted before the first is sent."""
    llm_stored_answers: int = 20_000
    """Most answers of language models that are kept."""
    vectors_mb: int = 2000
    """Most disk space that stored vectors may take, in 1,000,000 bytes; those unused for longest go first."""
    embed_precision: str = field(default="auto", metadata={"choices": ("auto", "float32", "bfloat16")})
    """What the bundled embedding model computes in. auto: bfloat16 where the processor has instructions for it."""
    endpoint_seconds: int = 120
    """Longest time one request to an embeddings endpoint may take, repeats and waiting included, wall clock."""
    endpoint_answer_mb: int = 50
    """Most bytes of one answer of an embeddings endpoint that are read, in 1,000,000 bytes."""


@cache
def settings() -> Settings:
    """The limits of this process: the defaults, or what `CHUNKVIZ_<NAME>` says in the environment."""
    values: dict[str, Any] = {}
    for declared in fields(Settings):
        variable = f"CHUNKVIZ_{declared.name.upper()}"
        given = os.environ.get(variable)
        if given is not None:
            values[declared.name] = _value(declared, variable, given)
    return Settings(**values)


def _value(declared: Field[Any], variable: str, given: str) -> int | str:
    choices: tuple[str, ...] = declared.metadata.get("choices", ())
    if choices:
        if given not in choices:
            raise ChunkvizError(f"{variable} must be one of {', '.join(choices)}. Got {given!r}.")
        return given
    if not given.isascii() or not given.isdigit() or int(given) < 1:
        raise ChunkvizError(f"{variable} must be a whole number of at least 1. Got {given!r}.")
    return int(given)
