"""A text as numbers: its code points, and which of them are white space."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# The last white space of Unicode is U+3000; the entry after it stands for everything above.
BLANK = np.array([chr(i).isspace() for i in range(0x3002)])
"""bool: white space as `str.isspace` says, for every code point up to the last one that is."""

_DENSE = 8


def code_points(text: str) -> NDArray[np.uint32]:
    """uint32 (n,): the code points of `text`."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def code_points_at(text: str, positions: NDArray[np.int64]) -> NDArray[np.uint32]:
    """uint32 (m,): the code points at some positions, each from 0 to `len(text) - 1`."""
    if not len(positions):
        return np.empty(0, dtype=np.uint32)
    low, high = int(positions.min()), int(positions.max()) + 1
    if high - low < _DENSE * len(positions):
        return code_points(text[low:high])[positions - low]
    # One by one: the whole text as numbers would take four bytes for each of its characters.
    return code_points("".join(map(text.__getitem__, positions.tolist())))


def is_blank_point(points: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """bool (n,): which code points are white space, as `str.isspace` says."""
    found: NDArray[np.bool_] = BLANK[np.minimum(points, len(BLANK) - 1)]
    return found
