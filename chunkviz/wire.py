"""Messages between the app and the processes that parse for it: length-prefixed JSON and raw bytes, never pickles.

    uint32 n | n bytes of JSON | uint32 m | m bytes of data        (big-endian)

A process that was taken over by a hostile file can send wrong text, and nothing that runs: what it says is checked
before anyone uses it.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any, BinaryIO, Final

from chunkviz.document import BLOCK_KINDS, FORMATS, Block, Document, Note, Page
from chunkviz.spans import Span

PNG_MARK: Final = b"\x89PNG\r\n\x1a\n"
MOST_BYTES: Final = 1_000_000_000
"""Bytes that one part of a message may have; whoever announces more is not believed."""


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """A word on the page: its box in points from the top left of the page as shown, and its span in the document."""

    x0: float
    y0: float
    x1: float
    y1: float
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class PageImage:
    """A page as it is shown.

    width, height : points
    words         : those that have a place in the document, in order of their starts
    png           : the picture
    """

    width: float
    height: float
    words: tuple[PlacedWord, ...]
    png: bytes


def send(stream: BinaryIO, message: dict[str, Any], data: bytes = b"") -> None:
    """Write one message and flush. Raises `TypeError` for what JSON cannot hold, before anything is written."""
    head = json.dumps(message, ensure_ascii=True).encode("ascii")
    stream.write(len(head).to_bytes(4, "big") + head + len(data).to_bytes(4, "big"))
    stream.write(data)
    stream.flush()


def receive(stream: BinaryIO) -> tuple[dict[str, Any], bytes]:
    """Read one message. Raises `EOFError` where the other side is gone, `ValueError` where it talks nonsense."""
    head = _part(stream)
    data = _part(stream)
    try:
        message = json.loads(head)
    except RecursionError as error:
        raise ValueError("the message is nested too deep") from error
    if not isinstance(message, dict):
        raise ValueError("the message is no object")
    return message, data


def _part(stream: BinaryIO) -> bytes:
    size = int.from_bytes(_exactly(stream, 4), "big")
    if size > MOST_BYTES:
        raise ValueError("the message is too long")
    return _exactly(stream, size)


def _exactly(stream: BinaryIO, size: int) -> bytes:
    data = stream.read(size)
    if data is None or len(data) < size:
        raise EOFError("the other side is gone")
    return data


def pack_document(document: Document) -> tuple[dict[str, Any], bytes]:
    """A document as a message and its text as UTF-8. Blocks travel as rows: a long document has 100,000 of them."""
    message = {
        "name": document.name,
        "format": document.format,
        "language": document.language,
        "options": dict(document.options),
        "blocks": [[b.kind, b.start, b.end, b.level, b.title, b.language, b.path] for b in document.blocks],
        "pages": [[p.start, p.end, p.number, p.label] for p in document.pages],
        "notes": [[n.topic, n.text, n.count, n.level] for n in document.notes],
    }
    return message, document.text.encode("utf-8")


def unpack_document(message: dict[str, Any], data: bytes) -> Document:
    """What `pack_document` packed. Raises `ValueError` for anything else."""
    try:
        text = data.decode("utf-8")
        document = Document(
            text=text,
            name=_text(message["name"]),
            format=message["format"],
            language=_text(message["language"]),
            options={_text(key): value for key, value in message["options"].items()},
            blocks=tuple(_block(row, len(text)) for row in message["blocks"]),
            pages=tuple(_page(row, len(text)) for row in message["pages"]),
            notes=tuple(_note(row) for row in message["notes"]),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError("the message is no document") from error
    if document.format not in FORMATS:
        raise ValueError("the message is no document")
    return document


def pack_page(page: PageImage) -> tuple[dict[str, Any], bytes]:
    """A page as a message and its picture."""
    words = [[w.x0, w.y0, w.x1, w.y1, w.start, w.end] for w in page.words]
    return {"width": page.width, "height": page.height, "words": words}, page.png


def unpack_page(message: dict[str, Any], data: bytes, span: Span) -> PageImage:
    """What `pack_page` packed, with every word inside `span`, the page's. Raises `ValueError` for anything else."""
    if not data.startswith(PNG_MARK):
        raise ValueError("the picture is none")
    try:
        words = tuple(_word(row, span) for row in message["words"])
        width, height = _measure(message["width"]), _measure(message["height"])
    except (KeyError, TypeError) as error:
        raise ValueError("the message is no page") from error
    if width <= 0 or height <= 0:
        raise ValueError("the page has no size")
    return PageImage(width, height, words, data)


def _measure(value: Any) -> float:
    """A length in points."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError("not a length")
    return float(value)


def _word(row: list[Any], within: Span) -> PlacedWord:
    x0, y0, x1, y1, start, end = row
    if not within.start <= _number(start) < _number(end) <= within.end:
        raise ValueError("a word lies outside its page")
    return PlacedWord(_measure(x0), _measure(y0), _measure(x1), _measure(y1), start, end)


def _block(row: list[Any], length: int) -> Block:
    kind, start, end, level, title, language, path = row
    _check_span(start, end, length)
    if kind not in BLOCK_KINDS:
        raise ValueError("no such kind of block")
    return Block(kind, start, end, _number(level), _text(title), _text(language), tuple(_text(step) for step in path))


def _page(row: list[Any], length: int) -> Page:
    start, end, number, label = row
    _check_span(start, end, length)
    return Page(start, end, _number(number), _text(label))


def _note(row: list[Any]) -> Note:
    topic, text, count, level = row
    return Note(_text(topic), _text(text), _number(count), "warning" if level == "warning" else "info")


def _check_span(start: Any, end: Any, length: int) -> None:
    if not 0 <= _number(start) <= _number(end) <= length:
        raise ValueError("a span lies outside the text")


def _number(value: Any) -> int:
    if type(value) is not int:
        raise ValueError("not a whole number")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("not a text")
    return value
