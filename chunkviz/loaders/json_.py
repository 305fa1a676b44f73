"""JSON and JSON Lines: the text is the source, one code block; objects and items are found by the strategy."""

from __future__ import annotations

import json
from typing import Final

from chunkviz.document import Block, Document, Note
from chunkviz.loaders.base import Loader
from chunkviz.loaders.text import parse_with
from chunkviz.spans import Span, trimmed

LANGUAGES: Final = {".json": "json", ".ipynb": "json", ".geojson": "json", ".jsonl": "jsonl", ".ndjson": "jsonl"}


def from_text(text: str, name: str, language: str) -> Document:
    """JSON as one code block of language "json", or "jsonl" where every line is a value of its own.

    Text that is not valid is kept as it is, with a warning that names the place.
    """
    span = trimmed(text, Span(0, len(text)))
    if span.start == span.end:
        return Document(text, name, "json")
    language = language or "json"
    fault = _lines_fault(text) if language == "jsonl" else _fault(text)
    if fault and language == "json" and "\n" in text[span.start : span.end] and not _lines_fault(text):
        fault, language = "", "jsonl"  # one value per line, in a file that is only called .json
    notes = (Note("json", f"This is not valid JSON: {fault}.", 0, "warning"),) if fault else ()
    return Document(text, name, "json", blocks=(Block("code", *span, language=language),), notes=notes)


def _fault(text: str, line: int = 1) -> str:
    """What is wrong with one JSON value and where, "" for nothing. `line` is the number of its first line."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return f"{error.msg}, line {line + error.lineno - 1:,}, column {error.colno:,}"
    except RecursionError:
        return "it is nested too deeply to be checked"
    except ValueError:  # Python refuses to convert numbers of more than 4,300 digits; JSON itself allows them
        return ""
    return ""


def _lines_fault(text: str) -> str:
    """The first fault in JSON Lines, "" for none. Lines end at LF alone: U+2028 is legal inside a string."""
    lines = enumerate(text.split("\n"), start=1)
    return next((fault for number, line in lines if line.strip() and (fault := _fault(line, number))), "")


LOADER = Loader(
    format="json",
    suffixes=tuple(LANGUAGES),
    parse=parse_with(from_text, LANGUAGES),
    from_text=from_text,
    languages=LANGUAGES,
)
