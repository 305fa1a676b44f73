"""Search by meaning: the exact cosine of every entry with every question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chunkviz.embed import Embedder, Progress, Vectors, VectorStore, embed
from chunkviz.embed.store import keys
from chunkviz.retrieval.index import Index
from chunkviz.retrieval.late import late_texts, pooled
from chunkviz.retrieval.models import model
from chunkviz.retrieval.options import SAME, RetrievalOptions


@dataclass(slots=True)
class Cost:
    """What embedding took: distinct texts embedded now, those that were stored, seconds, and how it was computed."""

    fresh: int = 0
    known: int = 0
    seconds: float = 0.0
    settings: str = ""


def similarities(
    index: Index,
    questions: Sequence[str],
    options: RetrievalOptions,
    cost: Cost,
    *,
    store: VectorStore | None = None,
    progress: Progress | None = None,
) -> list[NDArray[np.float32]]:
    """One float32 (questions, entries) of cosines for each model; -inf for the entries that it does not rank.

    cost : is added to
    """
    found = []
    for name, numbers in _by_model(index, options):
        made = np.full((len(questions), len(index.entries)), -np.inf, dtype=np.float32)
        made[:, numbers] = _cosines(
            index, numbers, model(name, options.precision), questions, options, cost, store, progress
        )
        found.append(made)
    return found


def _cosines(
    index: Index,
    numbers: Sequence[int],
    who: Embedder,
    questions: Sequence[str],
    options: RetrievalOptions,
    cost: Cost,
    store: VectorStore | None,
    progress: Progress | None,
) -> NDArray[np.float32]:
    entries = [index.entries[i] for i in numbers]

    def vectors(texts: Sequence[str]) -> Vectors:
        made = embed(texts, who, store=store, progress=progress)
        cost.fresh += made.fresh
        cost.known += made.known
        cost.seconds += made.seconds
        cost.settings = made.settings
        return made.vectors

    if options.mode == "late":
        late, fresh, known, seconds = pooled(index.documents, entries, who, store=store, progress=progress)
        cost.fresh += fresh
        cost.known += known
        cost.seconds += seconds
        of_entries = late
    else:
        of_entries = vectors([e.text for e in entries])
    product: NDArray[np.float32] = vectors(questions) @ of_entries.T
    return product


def _by_model(index: Index, options: RetrievalOptions) -> list[tuple[str, list[int]]]:
    """The name of each model that is needed, and the numbers of the entries it embeds."""
    if options.code_model in (SAME, options.model):
        parts = [(options.model, list(range(len(index.entries))))]
    else:
        parts = [
            (options.model, [i for i, e in enumerate(index.entries) if not e.code]),
            (options.code_model, [i for i, e in enumerate(index.entries) if e.code]),
        ]
    return [(name, numbers) for name, numbers in parts if numbers]


def to_embed(index: Index, questions: Sequence[str], options: RetrievalOptions, store: VectorStore) -> dict[bytes, str]:
    """The texts, of chunks and questions, whose vectors a search would have to make, by the vectors' keys in the store.

    Nothing is embedded.
    """
    missing: dict[bytes, str] = {}
    for name, numbers in _by_model(index, options) if options.embeds and questions else ():
        who = model(name, options.precision)
        entries = [index.entries[i] for i in numbers]
        asked: list[tuple[Embedder, list[tuple[str, str]]]] = [(who, [(q, q) for q in questions])]
        if options.mode == "late":
            asked += late_texts(index.documents, entries, who)
        else:
            asked.append((who, [(e.text, e.text) for e in entries]))
        for embedder, pairs in asked:
            texts = dict(pairs)
            named = dict(zip(keys(embedder, list(texts)), texts.values(), strict=True))
            stored = store.get(list(named))
            missing |= {key: text for key, text in named.items() if key not in stored}
    return missing
