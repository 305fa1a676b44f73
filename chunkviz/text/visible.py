"""A document without its white space: where words stand, however its lines are broken."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from chunkviz.code_points import code_points, is_blank_point
from chunkviz.document import Document

_BASE: Final = np.uint64(0x9E3779B97F4A7C15)
"""Odd, so that its powers never become 0 modulo 2**64."""


class Visible:
    """The visible characters of a text.

    text : the characters that are not white space
    at   : int64 (len(text),), where each stands in the document
    """

    def __init__(self, text: str) -> None:
        points = code_points(text)
        self.at: NDArray[np.int64] = np.flatnonzero(~is_blank_point(points))
        self.text: str = points[self.at].astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")

    def places(self, words: Iterable[str]) -> dict[str, list[int]]:
        """The first two places of each of many texts, as indices into `at`; two are enough to know that it is not one.

        words : without white space, see `squeezed`
        All texts of one length are looked for together: their hashes are compared with those of all windows of the
        document, and what has the same hash is compared letter by letter. Time grows with the length of the document
        times the number of different lengths, not with the number of texts.
        """
        found: dict[str, list[int]] = {word: [] for word in words}
        by_length: dict[int, list[str]] = defaultdict(list)
        for word in found:
            if 0 < len(word) <= len(self.text):
                by_length[len(word)].append(word)
        if not by_length:
            return found
        points = code_points(self.text).astype(np.uint64)
        powers = np.cumprod(np.full(2 * len(points) + 1, _BASE))  # modulo 2**64, as all that follows
        before = np.concatenate((np.zeros(1, np.uint64), np.cumsum(points * powers[: len(points)])))
        for length, group in by_length.items():
            # The factor takes every window to where the last one stands, so that equal windows have equal hashes.
            windows = (before[length:] - before[:-length]) * powers[len(points) : length - 1 : -1]
            wanted: dict[int, list[str]] = defaultdict(list)
            letters = code_points("".join(group)).astype(np.uint64).reshape(len(group), length)
            hashes = (letters * powers[:length]).sum(axis=1, dtype=np.uint64) * powers[len(points) : len(points) + 1]
            for word, value in zip(group, hashes.tolist(), strict=True):
                wanted[value].append(word)
            keys = np.unique(hashes)
            same = keys[np.minimum(np.searchsorted(keys, windows), len(keys) - 1)] == windows
            for start in np.flatnonzero(same).tolist():
                for word in wanted[int(windows[start])]:
                    if len(found[word]) < 2 and self.text.startswith(word, start):
                        found[word].append(start)
        return found


def visible(document: Document) -> Visible:
    """The visible characters of a document, worked out once."""
    return document.derive("visible", lambda: Visible(document.text))


def visible_at(document: Document) -> NDArray[np.int64]:
    """int64 (n,): where the characters stand that are not white space: `Visible.at`, for those who need no text."""
    return document.derive("visible.at", lambda: np.flatnonzero(~is_blank_point(code_points(document.text))))


def squeezed(text: str) -> str:
    """`text` without its white space.

    >>> squeezed(" two\\n words")
    'twowords'
    """
    return "".join(text.split())
