"""The ways to cut that the demo compares, and their sizes: as it was written, or small enough for a short text."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from chunkviz.document import Document
from chunkviz.units import DEFAULT_UNIT, unit

SHORTEST: Final = 64
"""Tokens that a text needs to be cut into a few pieces."""


class Setting(NamedTuple):
    """One way to cut and to search. `params` as pairs, so that a setting can be a key."""

    strategy: str
    params: tuple[tuple[str, Any], ...] = ()
    reranked: bool = False

    @property
    def values(self) -> dict[str, Any]:
        return dict(self.params)

    def recipe(self) -> dict[str, Any]:
        """As a recipe file has it."""
        retrieval = {"reranker": "late_interaction"} if self.reranked else {}
        return {"strategy": self.strategy, "params": self.values, "retrieval": retrieval}


def setting(strategy: str, *, reranked: bool = False, **params: Any) -> Setting:
    """`setting("fixed", size=512, overlap=0)`."""
    return Setting(strategy, tuple(params.items()), reranked)


class Ways(NamedTuple):
    """The sizes of one telling, in cl100k tokens, and the settings made of them."""

    size: int = 512
    overlap: int = 50
    small: int = 128
    large: int = 1024

    @property
    def blind(self) -> Setting:
        return setting("fixed", size=self.size, overlap=0)

    @property
    def overlapping(self) -> Setting:
        return setting("fixed", size=self.size, overlap=self.overlap)

    @property
    def smaller(self) -> Setting:
        return setting("recursive", size=self.small, overlap=0)

    @property
    def natural(self) -> Setting:
        return setting("recursive", size=self.size, overlap=0)

    @property
    def larger(self) -> Setting:
        return setting("recursive", size=self.large, overlap=0)

    @property
    def headings(self) -> Setting:
        return setting("structure", size=self.size, overlap=0)

    @property
    def turns(self) -> Setting:
        if self.size == WRITTEN.size:
            return setting("semantic")
        return setting("semantic", size=self.size, smallest=max(1, self.size // 12))

    @property
    def reranked(self) -> Setting:
        return setting("recursive", reranked=True, size=self.size, overlap=0)


WRITTEN: Final = Ways()
"""The sizes that the story was written with."""


def tokens(document: Document) -> int:
    """How long a document is."""
    return unit(DEFAULT_UNIT).measure(document).count(0, len(document.text))


def ways_for(document: Document) -> Ways:
    """The written sizes; for a text of less than two such chunks all of them smaller by the same factor.

    About four chunks of the middle size are left then, so that there are cuts to see.

    >>> ways_for(Document.from_text("One word more. " * 100))
    Ways(size=100, overlap=9, small=25, large=200)
    """
    total = tokens(document)
    if total >= 2 * WRITTEN.size:
        return WRITTEN
    size = max(SHORTEST // 4, total // 4)
    return Ways(size, max(1, size * WRITTEN.overlap // WRITTEN.size), max(8, size // 4), 2 * size)
