"""What travels to the browser so that it can cut again by itself while a slider of `size` or `overlap` moves.

It travels once for a document, a strategy and a unit, beside the views (`segments.py`). The server cuts all the same, and
its answer replaces what the browser drew: the same spans, which `tests/vectors/resizing.json` holds both ends to. Where
the browser cannot be sure of them (a word longer than the size, a mark that joins a blank) it waits for that answer.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from chunkviz import engine, registry
from chunkviz.blob import VERSION, pack
from chunkviz.chunking import Chunking
from chunkviz.utf16 import utf16

FOLLOWED: Final = ("size", "overlap")
"""The parameters whose sliders the browser follows."""

MOST_CHARACTERS: Final = 4_000_000
"""Code points. For longer documents the first message would be too heavy; there a slider waits for the server."""


def resizing_key(chunking: Chunking) -> str:
    """Names what `resizing_blob` makes: equal for chunkings that differ in size and overlap alone. "" where it is None."""
    recipe = chunking.recipe
    strategy = registry.strategies().get(recipe.strategy)
    if strategy is None or strategy.resizing is None or len(chunking.document.text) > MOST_CHARACTERS:
        return ""
    rest = {name: value for name, value in recipe.params.items() if name not in FOLLOWED}
    about = [chunking.document.fingerprint, recipe.strategy, strategy.version, recipe.unit, rest]
    spelled = json.dumps(about, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(spelled.encode()).hexdigest()[:32]


def followed(chunking: Chunking) -> Mapping[str, Any]:
    """The values, by name, of the parameters whose sliders are followed."""
    return {name: chunking.recipe.params[name] for name in FOLLOWED if name in chunking.recipe.params}


def resizing_blob(chunking: Chunking) -> bytes | None:
    """A blob as in `blob.py`: positions in UTF-16 units, and numbers; None where the browser cannot follow.

    Arrays travel as differences, one byte each for nearly all of them: see `narrow`.
    """
    key = resizing_key(chunking)
    made = engine.resizing(chunking) if key else None
    if made is None:
        return None
    numbers = {"positions": utf16(chunking.document, made.positions), **made.numbers}
    counts = {name: len(values) for name, values in numbers.items()}
    header = {"kind": "resizing", "version": VERSION, "key": key, "by": made.by, "counts": counts}
    return pack(header, {name: narrow(values) for name, values in numbers.items()})


def narrow(values: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Whole numbers as bytes: the difference to the one before, its sign in the lowest bit, and 255 for "255 and more".

    >>> narrow(np.array([3, 4, 2, 302])).tolist()
    [6, 2, 3, 255, 255, 90]
    """
    steps = np.diff(values, prepend=0)
    signed = np.where(steps < 0, -2 * steps - 1, 2 * steps)
    full, rest = np.divmod(signed, 255)
    bytes_ = np.full(int(full.sum()) + len(values), 255, dtype=np.uint8)
    bytes_[np.cumsum(full + 1) - 1] = rest
    return bytes_
