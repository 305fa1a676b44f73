"""What `size` and `overlap` count, and the one place in chunkviz that counts it.

A `Unit` counts a text. Its `Measure` of a document counts any span of it, exactly what the unit counts for that
span's own text; see `measures`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from typing import Final

import numpy as np

from chunkviz.document import Document
from chunkviz.encodings import byte_pair_encoder, word_piece_tokenizer
from chunkviz.errors import ParameterError
from chunkviz.measures import Characters, Ints, Measure, Tokens, Words, characters_of_bytes

DEFAULT_UNIT: Final = "cl100k_base"
EMBEDDING_MODEL: Final = "all-MiniLM-L6-v2"
EMBEDDING_LIMIT: Final = 254
"""Word pieces of a text that all-MiniLM-L6-v2 reads: its 256 less [CLS] and [SEP]; what comes after is cut silently."""


@dataclass(frozen=True, slots=True)
class Unit:
    """What sizes count.

    id       : as recipes spell it
    title    : as the page shows it
    word     : "tokens", "characters" or "words"
    count    : units of a text counted alone
    packages : the packages whose versions decide the counts
    notes    : fallbacks that were taken, in words
    """

    id: str
    title: str
    word: str
    count: Callable[[str], int]
    make_measure: Callable[[str], Measure]
    packages: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def measure(self, document: Document) -> Measure:
        """The measure of a document in this unit, made once for each document."""
        return document.derive(("measure", self.id), lambda: self.make_measure(document.text))

    @property
    def versions(self) -> dict[str, str]:
        return {name: _version(name) for name in self.packages}


@cache
def _version(package: str) -> str:
    return version(package)  # reads the disk, and every chunking asks


def _byte_pair_unit(name: str) -> Unit:
    encoder = byte_pair_encoder(name)

    def encode(text: str) -> tuple[Ints, Ints]:
        ids = np.array(encoder.encode(text), dtype=np.int64)
        at_byte = np.concatenate(([0], np.cumsum(encoder.lengths[ids])))
        begins, borders = characters_of_bytes(text, at_byte)
        return borders, begins[:-1]

    def make_measure(text: str) -> Measure:
        return Tokens(text, encode, encoder.count)

    return Unit(name, TITLES[name], "tokens", encoder.count, make_measure, encoder.packages, encoder.notes)


def _word_piece_unit() -> Unit:
    """Word pieces without [CLS] and [SEP]."""
    tokenizer = word_piece_tokenizer()

    def count(text: str) -> int:
        return len(tokenizer.encode(text, add_special_tokens=False).ids)

    def encode(text: str) -> tuple[Ints, Ints]:
        starts = [start for start, _ in tokenizer.encode(text, add_special_tokens=False).offsets]
        # Accents that the normalizer splits off can report a start out of order; a border never goes back.
        borders = np.maximum.accumulate(np.array([*starts, len(text)], dtype=np.int64))
        return borders, borders[:-1]

    def make_measure(text: str) -> Measure:
        return Tokens(text, encode, count)

    return Unit(EMBEDDING_MODEL, TITLES[EMBEDDING_MODEL], "tokens", count, make_measure, ("tokenizers",))


def _words_in(text: str) -> int:
    return len(text.split())


TITLES: Final = {
    "cl100k_base": "Tokens of GPT-4 (cl100k)",
    "o200k_base": "Tokens of GPT-4o (o200k)",
    EMBEDDING_MODEL: "Tokens of all-MiniLM-L6-v2",
    "characters": "Characters",
    "words": "Words",
}
"""Id to title. Apart from the makers: a list of titles must not load every tokenizer."""

UNITS: Final[dict[str, Callable[[], Unit]]] = {
    "cl100k_base": lambda: _byte_pair_unit("cl100k_base"),
    "o200k_base": lambda: _byte_pair_unit("o200k_base"),
    EMBEDDING_MODEL: _word_piece_unit,
    "characters": lambda: Unit("characters", TITLES["characters"], "characters", len, Characters),
    "words": lambda: Unit("words", TITLES["words"], "words", _words_in, Words),
}
"""Id to maker, in the order they are shown."""


def unit(unit_id: str = DEFAULT_UNIT) -> Unit:
    """The unit of this id; made at its first use. Raises `ParameterError` with the legal ids for any other."""
    if not isinstance(unit_id, str) or unit_id not in UNITS:
        raise ParameterError(f"`unit` must be one of {', '.join(UNITS)}. Got {unit_id!r}.")
    return _made(unit_id)


@cache
def _made(unit_id: str) -> Unit:
    return UNITS[unit_id]()
