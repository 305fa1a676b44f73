"""Positions as JavaScript counts them, in UTF-16 units, and back: the one place that converts either way.

Everywhere else in chunkviz positions count code points. The two differ only behind characters above U+FFFF, such as
most emoji, which take two units.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chunkviz.code_points import code_points
from chunkviz.document import Document

Ints = NDArray[np.int64]


def utf16_offsets(text: str, positions: ArrayLike) -> Ints:
    """Code points to UTF-16 units: what JavaScript calls the same places. int64 of the same shape.

    >>> utf16_offsets("a\\N{HAMSTER FACE}b", [0, 1, 2, 3]).tolist()
    [0, 1, 3, 4]
    """
    return _shifted(_astral(text), positions)


def code_points_of(document: Document, units: ArrayLike) -> Ints:
    """UTF-16 units, as the browser says them, to code points: `utf16_offsets` the other way. int64 of the same shape.

    A place between the two units of one character is where that character begins.
    """
    astral = document.derive("utf16.astral", lambda: _astral(document.text))
    at = np.asarray(units, dtype=np.int64)
    # The i-th character of two units stands at unit `astral[i] + i`; each that began before a place counts one too many.
    return at - np.searchsorted(astral + np.arange(len(astral)), at)


def _astral(text: str) -> Ints:
    """Where the characters stand that take two UTF-16 units."""
    return np.empty(0, dtype=np.int64) if text.isascii() else np.flatnonzero(code_points(text) > 0xFFFF)


def _shifted(astral: Ints, positions: ArrayLike) -> Ints:
    at = np.asarray(positions, dtype=np.int64)
    return at + np.searchsorted(astral, at)


def utf16(document: Document, positions: ArrayLike) -> Ints:
    """`utf16_offsets` into a document's text, which remembers where its wide characters are."""
    return _shifted(document.derive("utf16.astral", lambda: _astral(document.text)), positions)
