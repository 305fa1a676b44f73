"""Plain text: paragraphs between blank lines, pages between form feeds. Also what most other formats start from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePosixPath

from chunkviz.document import Document, Note
from chunkviz.loaders.base import FromText, Loader, Parse
from chunkviz.loaders.encoding import decode
from chunkviz.loaders.options import LoadOptions
from chunkviz.text.blocks import filled, form_feed_pages


def parse_with(from_text: FromText, languages: dict[str, str] | None = None) -> Parse:
    """A `parse` for a format whose files are text: decode them, then read the text.

    languages : ending to language, for source code
    """

    def parse(data: bytes, name: str, options: LoadOptions, password: str | None) -> Document:
        decoded = decode(data, name, options.encoding)
        language = (languages or {}).get(PurePosixPath(name.lower()).suffix, "")
        document = from_text(decoded.text, name, language)
        notes = decoded.notes if document.text else (*decoded.notes, Note("empty", f"{name} is empty."))
        return replace(document, notes=(*notes, *document.notes))

    return parse


def from_text(text: str, name: str, language: str) -> Document:
    """A plain text document: one block per paragraph, one page per stretch between form feeds."""
    return Document(text, name, "text", blocks=filled(text, ()), pages=form_feed_pages(text))


LOADER = Loader(
    format="text",
    suffixes=(".txt", ".text", ".log", ".asc", ".rst", ".adoc", ".org", ".csv", ".tsv", ".srt", ".vtt"),
    parse=parse_with(from_text),
    from_text=from_text,
)
