"""Messages between the app and the processes that parse for it: length-prefixed JSON and raw bytes, never pickles.

    uint32 n | n bytes of JSON | uint32 m | m bytes of data

A process that was taken over by a hostile file can send wrong text, and nothing that runs.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any, BinaryIO

from chunkviz.document import Block, Document, Note, Page


def send(stream: BinaryIO, message: dict[str, Any], data: bytes = b"") -> None:
    """Write one message and flush."""
    head = json.dumps(message, ensure_ascii=True).encode("ascii")
    stream.write(len(head).to_bytes(4, "big") + head + len(data).to_bytes(4, "big"))
    stream.write(data)
    stream.flush()


def receive(stream: BinaryIO) -> tuple[dict[str, Any], bytes]:
    """Read one message. Raises `EOFError` where the other side is gone."""
    message = json.loads(_exactly(stream, _length(stream)))
    return message, _exactly(stream, _length(stream))


def _length(stream: BinaryIO) -> int:
    return int.from_bytes(_exactly(stream, 4), "big")


def _exactly(stream: BinaryIO, size: int) -> bytes:
    data = stream.read(size)
    if data is None or len(data) < size:
        raise EOFError("the other side is gone")
    return data


def pack_document(document: Document) -> tuple[dict[str, Any], bytes]:
    """A document as a message and its text as UTF-8."""
    message = {
        "name": document.name,
        "format": document.format,
        "language": document.language,
        "options": dict(document.options),
        "blocks": [asdict(b) for b in document.blocks],
        "pages": [asdict(p) for p in document.pages],
        "notes": [asdict(n) for n in document.notes],
    }
    return message, document.text.encode("utf-8")


def unpack_document(message: dict[str, Any], data: bytes) -> Document:
    """What `pack_document` packed."""
    return Document(
        text=data.decode("utf-8"),
        name=message["name"],
        format=message["format"],
        language=message["language"],
        options=message["options"],
        blocks=tuple(Block(**{**b, "path": tuple(b["path"])}) for b in message["blocks"]),
        pages=tuple(Page(**p) for p in message["pages"]),
        notes=tuple(Note(**n) for n in message["notes"]),
    )
