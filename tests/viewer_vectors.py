"""What the viewer's two ends must agree on, as data: `tests/vectors/viewer.json`, read by pytest and by `node --test`.

    python tests/viewer_vectors.py      writes the file anew

The expected pieces come from a slow way that is plain to see: look at every character, one after the other.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

from chunkviz.chunking import NO_FLAGS, Chunk, Chunking, Dropped
from chunkviz.document import Block, Document, Page
from chunkviz.document_rows import rows
from chunkviz.metrics.base import Finding
from chunkviz.recipe import Recipe
from chunkviz.segments import document_blob, view_blob
from chunkviz.view_records import Audit, Chip, Focus, Highlight

FILE = Path(__file__).parent / "vectors" / "viewer.json"


def chunking_of(
    document: Document,
    spans: list[tuple[int, int]],
    dropped: list[tuple[int, int, str]] | None = None,
    flags: dict[int, dict[str, str]] | None = None,
) -> Chunking:
    """A chunking with these spans, as if a strategy had made it."""
    chunks = tuple(
        Chunk(
            document,
            start,
            end,
            index,
            end - start,
            f"reason {index % 3}",
            document.heading_path(start),
            document.pages_of(start, end),
            "Above" if index == 1 else "",
            (flags or {}).get(index, NO_FLAGS),
        )
        for index, (start, end) in enumerate(spans)
    )
    recipe = Recipe("fixed", {"size": 9, "overlap": 2}, "characters")
    return Chunking(document, chunks, recipe, tuple(Dropped(*d) for d in dropped or []))


def utf16(text: str, position: int) -> int:
    """The slow way: encode what stands before and count."""
    return len(text[:position].encode("utf-16-le")) // 2


def slow_pieces(chunking: Chunking) -> list[list[Any]]:
    """`[start, end, chunks, opens, dropped]` of every piece of the whole text, positions in UTF-16 units."""
    text = chunking.document.text
    edges = {edge for c in chunking.chunks for edge in (c.start, c.end)}
    edges |= {edge for d in chunking.dropped for edge in (d.start, d.end)}
    found: list[list[Any]] = []
    for i in range(len(text)):
        if i == 0 or i in edges:
            ids = [c.index for c in chunking.chunks if c.start <= i < c.end]
            out = [k for k, d in enumerate(chunking.dropped) if d.start <= i < d.end]
            opens = any(c.start == i for c in chunking.chunks)
            found.append([utf16(text, i), 0, ids, opens, -1 if ids or not out else out[0]])
        found[-1][1] = utf16(text, i + 1)
    return found


def documents() -> list[tuple[Document, list[Chunking]]]:
    """Small documents with a trap each, and chunkings of them."""
    plain = Document("One two. Three four.\n\nFive six.", name="plain.txt")
    twice = Document("aaaa aaaa aaaa aaaa", name="twice.txt")
    wide = Document(
        "\ufeffa\U0001f98b\U0001f468\u200d\U0001f469\u200d\U0001f467 b\r\n\r\n"
        "\u0645\u0631\u062d\u0628\u0627 \u4eca\u5929\r\nend",
        name="wide.txt",
    )
    styled = Document(
        "# A\n\nText.\n\n```\nx = 1\n```\n\n- one\n- two\n\n| a |\n|---|\n",
        name="styled.md",
        format="markdown",
        blocks=(
            Block("heading", 0, 3, level=1, title="A"),
            Block("paragraph", 5, 10),
            Block("code", 12, 25),
            Block("list", 27, 38),
            Block("table", 40, 51),
        ),
        pages=(Page(0, 12, 1, "i"), Page(12, 52, 2, "ii")),
    )
    hostile = Document('<b>x</b> "</script>" \x00 \\u0041 & $5', name="<img src=x>.txt")
    return [
        (plain, [chunking_of(plain, [(0, 20), (22, 31)]), chunking_of(plain, [(0, 9), (9, 31)])]),
        (twice, [chunking_of(twice, [(0, 9), (5, 14), (10, 19)]), chunking_of(twice, [(0, 19)])]),
        (
            wide,
            [
                chunking_of(wide, [(0, 2), (2, 3), (3, 12), (12, len(wide.text))]),
                chunking_of(wide, [(0, 8), (3, 18), (14, len(wide.text))]),
            ],
        ),
        (
            styled,
            [
                chunking_of(styled, [(5, 25), (27, 51)], [(0, 3, "a heading alone")]),
                chunking_of(styled, [(0, 10), (12, 52)], flags={1: {"oversize": "a block of code"}}),
            ],
        ),
        (hostile, [chunking_of(hostile, [(0, 8), (9, len(hostile.text))])]),
        (Document("", name="empty.txt"), [chunking_of(Document("", name="empty.txt"), [])]),
    ]


def vectors() -> list[dict[str, Any]]:
    """One entry per document."""
    entries = []
    for document, chunkings in documents():
        last = len(chunkings) - 1
        view = view_blob(
            chunkings,
            findings=[{"Words cut": [Finding(c.start, c.end, c.index, "") for c in one.chunks]} for one in chunkings],
            audits=[Audit("n chunks", "1 / 2", "sizes", (Chip("Words cut", "2 of 3", "help", True, "Words cut"),))]
            * len(chunkings),
            focus=Focus(last, "f1", start=0, end=len(document.text)),
            highlight=Highlight(0, (0,), "h1", "one chunk") if chunkings[0].chunks else None,
        )
        starts, kinds = rows(document)
        entries.append(
            {
                "name": document.name,
                "text": document.text,
                "utf16": [utf16(document.text, i) for i in range(len(document.text) + 1)],
                "rowStarts": [utf16(document.text, i) for i in starts.tolist()],
                "rowKinds": kinds.tolist(),
                "pieces": [slow_pieces(c) for c in chunkings],
                "document": base64.b64encode(document_blob(document)).decode(),
                "view": base64.b64encode(view).decode(),
            }
        )
    return entries


def as_json() -> str:
    """The file's content: one line per document."""
    return "[\n" + ",\n".join(json.dumps(entry) for entry in vectors()) + "\n]\n"


if __name__ == "__main__":
    FILE.write_text(as_json(), encoding="utf-8")
