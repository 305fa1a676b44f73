"""What Python and the browser must agree on while a slider moves, as data: `tests/vectors/resizing.json`.

    python tests/resizing_vectors.py      writes the file anew

Each entry is a document with a strategy and a unit: the blob that travels, and what Python cuts at several sizes and
overlaps, in UTF-16 units.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from random import Random
from typing import Any

from awkward import PIECES

from chunkviz import samples
from chunkviz.document import Document
from chunkviz.engine import chunk
from chunkviz.loaders import load
from chunkviz.resizing import resizing_blob
from chunkviz.utf16 import utf16

FILE = Path(__file__).parent / "vectors" / "resizing.json"
FIGURES = [(1, 0), (2, 1), (7, 3), (20, 0), (33, 32), (64, 8), (200, 50), (5_000, 0)]
WORDS = "the key is rotated with care, 3.14 times; see below (or ask) before it ends.".split()


def documents() -> list[tuple[str, Document]]:
    """Prose and awkward texts; "plain" in a name says that the browser must be sure of everything but the smallest sizes."""
    pick = Random(11)
    manual = load(samples.read("api_manual"), name="manual.md")
    found = [
        ("plain sample", Document.from_text(manual.text[:2_500], name="manual.md")),
        ("plain prose", Document.from_text(prose(pick, 200), name="prose.txt")),
        ("plain code", Document.from_text(code(pick), name="code.py")),
        ("plain blank", Document.from_text(" \n\n one  \n\n\n\n two \n", name="blank.md")),
    ]
    for number in range(10):
        text = "".join(pick.choice(PIECES) for _ in range(pick.randrange(4, 60)))
        name = f"awkward{number}.{'md' if number % 2 else 'txt'}"
        found.append((name, Document.from_text(text, name=name)))
    return found


def prose(pick: Random, words: int) -> str:
    ends = [" ", " ", " ", " ", " ", "  ", "\n", "\n\n", "\r\n"]
    return "".join(pick.choice(WORDS) + pick.choice(ends) for _ in range(words))


def code(pick: Random) -> str:
    lines = ["class A:", "    def f(self):", "\tdef g():", "        return 1", "", "def h(x):", "x = h(2)  # done"]
    return "\n".join(pick.choice(lines) for _ in range(60))


def cases() -> list[dict[str, Any]]:
    found = []
    for name, document in documents():
        for strategy in ("fixed", "recursive"):
            for unit in ("cl100k_base", "characters", "words"):
                blob = resizing_blob(chunk(document, strategy, unit=unit, size=5, overlap=0))
                if blob is None:
                    continue
                cuts = []
                for size, overlap in FIGURES:
                    chunks = chunk(document, strategy, unit=unit, size=size, overlap=overlap).chunks
                    starts, ends = (
                        utf16(document, [getattr(c, edge) for c in chunks]).tolist() for edge in ("start", "end")
                    )
                    cuts.append({"size": size, "overlap": overlap, "starts": starts, "ends": ends})
                packed = base64.b64encode(blob).decode()
                about = {"name": name, "strategy": strategy, "unit": unit, "text": document.text}
                found.append({**about, "blob": packed, "cuts": cuts})
    return found


def as_json() -> str:
    """The file's content: one line a case."""
    return "[\n" + ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases()) + "\n]\n"


if __name__ == "__main__":
    FILE.write_text(as_json(), encoding="utf-8")
