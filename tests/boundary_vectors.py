"""What Python and the browser must agree on about boundaries, as data: `tests/vectors/boundaries.json`.

    python tests/boundary_vectors.py      writes the file anew

The browser offers only borders of characters as places, so only those are tried; and it knows no characters that begin
with a blank (a blank that carries an accent): Python moves the boundary before it, when it answers.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from chunkviz import Document, chunk
from chunkviz.graphemes import graphemes
from chunkviz.metrics.agreement import shared_boundaries
from chunkviz.strategies.manual import placed
from chunkviz.utf16 import code_points_of, utf16_offsets

FILE = Path(__file__).parent / "vectors" / "boundaries.json"

TEXTS = {
    "plain": "One two. Three four.\n\nFive six.  Seven\n",
    "leading": "  \n\t Begins late, and ends\nearly. \r\n\r\n  ",
    "separators": "a\x1cb\x85c\u2028d\u3000e\u00a0f\ufeffg\u200bh\u180ei",
    "wide": "\ufeff\U0001f98b one "
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 two\r\n\r\n\u4eca\u5929 \u6211\u4eec\U0001f1e9\U0001f1ea end",
    "right to left": "\u0645\u0631\u062d\u0628\u0627 \u0628\u0627\u0644\u0639\u0627\u0644\u0645. one \u05e9\u05dc\u05d5\u05dd",
    "one": "x",
    "blank": " \n\t ",
    "empty": "",
}
TWELFTHS = tuple(i / 12 for i in range(13))
SPLITS: tuple[tuple[float, ...], ...] = ((), (0.0, 1.0), (0.5,), (0.2, 0.25, 0.3, 0.31, 0.9), TWELFTHS)


def vectors() -> list[dict[str, Any]]:
    """One entry per text: positions as the browser would say them, and the places and chunks they stand for."""
    entries = []
    for name, text in TEXTS.items():
        document = Document(text, name=name)
        units = len(text.encode("utf-16-le")) // 2
        clusters = graphemes(document)
        cases, made = [], []
        for shares in SPLITS:
            positions = [round(share * units) for share in shares]
            given = sorted({clusters.ceil(at) for at in code_points_of(document, positions).tolist()})
            boundaries = placed(document, given)
            result = chunk(document, "manual", boundaries=boundaries)
            made.append(result)
            cases.append(
                {
                    "positions": utf16_offsets(text, given).tolist(),
                    "placed": utf16_offsets(text, boundaries).tolist(),
                    "starts": utf16_offsets(text, [c.start for c in result.chunks]).tolist(),
                    "ends": utf16_offsets(text, [c.end for c in result.chunks]).tolist(),
                }
            )
        shared = shared_boundaries(made)
        masks = [sum(1 << at for at, has in enumerate(row) if has) for row in shared.has.tolist()]
        places = utf16_offsets(text, shared.positions).tolist()
        entries.append({"name": name, "text": text, "cases": cases, "shared": list(zip(places, masks, strict=True))})
    return entries


def as_json() -> str:
    """The file's content: one line per text."""
    return "[\n" + ",\n".join(json.dumps(entry) for entry in vectors()) + "\n]\n"


if __name__ == "__main__":
    FILE.write_text(as_json(), encoding="utf-8")
