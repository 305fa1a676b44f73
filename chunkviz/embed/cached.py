"""Many texts embedded at once: each distinct one only once, and only if its vector is not stored yet."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from chunkviz.embed.base import Embedder, Vectors
from chunkviz.embed.checks import unit_rows
from chunkviz.embed.models import DEFAULT, embedder
from chunkviz.embed.store import VectorStore, default_store, keys
from chunkviz.errors import EmbedderError

_SLAB: Final = 512
"""Texts embedded between two looks at the clock: enough for a sort by length to pay, few enough to be stopped soon."""


class Embedded(NamedTuple):
    """Vectors, and what they cost.

    vectors  : float32 (n, d), unit rows, one per text in order
    fresh    : distinct texts that were embedded now
    known    : distinct texts whose vectors were stored
    seconds  : wall clock, all in all
    settings : how the embedder computes, for example "torch, bfloat16"
    """

    vectors: Vectors
    fresh: int
    known: int
    seconds: float
    settings: str


class Progress(Protocol):
    """Called while texts are embedded; may raise to stop, and what was embedded until then stays stored."""

    def __call__(self, done: int, total: int, vectors: Vectors) -> None:
        """The first `done` of `total` texts have their vectors: float32 (done, d), read-only, in order."""


def embed(
    texts: Sequence[str],
    name: str | Embedder = DEFAULT,
    *,
    progress: Progress | None = None,
    store: VectorStore | None = None,
) -> Embedded:
    """The unit vectors of `texts`, from the store where it has them.

    name     : of an embedder, or one that is at hand
    progress : called after every slab of new texts, and at least once
    store    : by default that of this process

    Texts are taken as they are; equal ones share a vector. Raises `EmbedderError` where the embedder cannot be loaded
    or answers wrongly; never because of the store, whose `notices` say what is wrong with it.
    """
    began = time.monotonic()
    who = embedder(name) if isinstance(name, str) else name
    store = default_store() if store is None else store
    places: dict[str, int] = {}
    ids = np.array([places.setdefault(text, len(places)) for text in texts], dtype=np.int64)
    distinct = list(places)
    names = keys(who, distinct)
    stored = store.get(names)
    waiting = np.array([key not in stored for key in names], dtype=np.bool_)

    slabs = _slabs(who, distinct, names, np.flatnonzero(waiting), store)
    first = next(slabs, None)
    # Asked of the embedder only where no vector tells: an endpoint would have to be asked over the network.
    dimensions = len(next(iter(stored.values()))) if stored else first[1].shape[1] if first else who.dimensions
    rows = np.empty((len(distinct), dimensions), dtype=np.float32)
    for i, key in enumerate(names):
        if key in stored:
            rows[i] = _fitting(stored[key], dimensions, who)
    vectors = rows if len(distinct) == len(texts) else rows[ids]

    for slab, made in chain([first] if first else [], slabs):
        rows[slab] = _fitting(made, dimensions, who)
        waiting[slab] = False
        if vectors is not rows:
            new = np.zeros(len(distinct), dtype=np.bool_)
            new[slab] = True
            vectors[new[ids]] = rows[ids[new[ids]]]
        _tell(progress, waiting[ids], vectors)
    if first is None:
        _tell(progress, waiting[ids], vectors)
    fresh = len(distinct) - len(stored)
    return Embedded(vectors, fresh, len(stored), time.monotonic() - began, who.settings)


def _slabs(
    who: Embedder, texts: Sequence[str], names: Sequence[bytes], missing: NDArray[np.int64], store: VectorStore
) -> Iterator[tuple[NDArray[np.int64], Vectors]]:
    """Embed what is missing, slab by slab in the order of the texts, and store each: which texts, and their rows."""
    for begin in range(0, len(missing), _SLAB):
        slab = missing[begin : begin + _SLAB]
        asked = [texts[i] for i in slab.tolist()]
        made = unit_rows(who(asked), asked, who.name)
        store.put([names[i] for i in slab.tolist()], made)
        yield slab, made


def _tell(progress: Progress | None, waiting: NDArray[np.bool_], vectors: Vectors) -> None:
    if progress is None:
        return
    done = int(np.argmax(waiting)) if waiting.any() else len(waiting)
    view = vectors[:done]
    view.flags.writeable = False
    progress(done, len(waiting), view)


def _fitting(made: Vectors, dimensions: int, who: Embedder) -> Vectors:
    if made.shape[-1] != dimensions:
        raise EmbedderError(
            f"{who.name} now gives {made.shape[-1]} numbers for a text where it gave {dimensions} before: it is another "
            "model under the same name. Delete the stored vectors with `chunkviz cache --clear`."
        )
    return made
