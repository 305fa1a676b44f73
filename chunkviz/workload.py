"""What an evaluation will take, worked out before it runs: nothing is embedded, and no model is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from chunkviz import engine, registry
from chunkviz.document import Document
from chunkviz.embed import DEFAULT, Embedder, VectorStore, default_store, embedder
from chunkviz.embed.store import keys
from chunkviz.questions import Question
from chunkviz.recipe import Recipe
from chunkviz.retrieval import RetrievalOptions, build
from chunkviz.retrieval.dense import to_embed
from chunkviz.retrieval.models import model
from chunkviz.similarity.cutting import sentence_texts
from chunkviz.units import DEFAULT_UNIT, unit

SAMPLE: Final = 48
"""Texts that are enough to measure how fast a machine embeds."""


@dataclass(frozen=True, slots=True)
class Workload:
    """What a grid takes.

    chunks  : of all recipes together, without those of `unknown`
    texts   : distinct texts whose vectors are not stored: chunks, questions and sentences; `tokens` of them, in cl100k
    shares  : tokens to embed for each recipe, those that an earlier one needs too counted there
    sample  : some of the texts, and by which embedder they are embedded; None where there is none
    unknown : numbers of the recipes whose chunks are known only once sentences are embedded or a model has answered
    """

    chunks: int
    texts: int
    tokens: int
    shares: tuple[int, ...]
    sample: tuple[str, ...]
    by: Embedder | None
    unknown: tuple[int, ...]


def workload(
    documents: Mapping[str, Document],
    questions: Sequence[Question],
    recipes: Sequence[Mapping[str, Any]],
    retrieval: Mapping[str, Any] | None = None,
    *,
    store: VectorStore | None = None,
    tell: Callable[[int, int], None] | None = None,
) -> Workload:
    """Cut the documents by every recipe, and count what is not embedded yet.

    recipes   : as `Grid.recipes` makes them
    retrieval : values that all of them share
    tell      : called with the recipes done and their number; may raise to stop
    """
    store = default_store() if store is None else store
    count = unit(DEFAULT_UNIT).count
    asked = [q.text for q in questions]
    seen: dict[bytes, str] = {}
    shares: list[int] = []
    unknown: list[int] = []
    sample: tuple[str, ...] = ()
    by: Embedder | None = None
    chunks = 0
    for at, given in enumerate(recipes):
        fields = {name: value for name, value in given.items() if name != "retrieval"}
        options = RetrievalOptions.of({**(retrieval or {}), **given.get("retrieval", {})})
        tags = registry.strategy(fields["strategy"]).tags
        new: dict[bytes, str] = {}
        if tags.needs_embedder:
            new = _sentences(documents, store)
            new = {key: text for key, text in new.items() if key not in seen}
        if new or tags.needs_model:
            # As many tokens again for the chunks, which together are the documents.
            extra = sum(count(d.text) for d in documents.values()) if options.embeds else 0
            unknown.append(at)
        else:
            extra = 0
            recipe = Recipe.from_dict({**fields, "version": registry.strategy(fields["strategy"]).version})
            index = build({name: engine.chunk(d, recipe=recipe) for name, d in documents.items()}, options)
            chunks += len(index.entries)
            missing = to_embed(index, asked, options, store)
            new = {key: text for key, text in missing.items() if key not in seen}
        if new and by is None:
            by = embedder(DEFAULT) if at in unknown else model(options.model, options.precision)
            # From all over: questions come first, and are shorter than what has to be embedded.
            texts = list(new.values())
            sample = tuple(texts[:: max(1, len(texts) // SAMPLE)][:SAMPLE])
        seen |= new
        shares.append(extra + sum(map(count, new.values())))
        if tell is not None:
            tell(at + 1, len(recipes))
    return Workload(chunks, len(seen), sum(shares), tuple(shares), sample, by, tuple(unknown))


def _sentences(documents: Mapping[str, Document], store: VectorStore) -> dict[bytes, str]:
    """The sentences whose vectors a strategy that compares them would have to make."""
    texts = list(dict.fromkeys(text for d in documents.values() for text in sentence_texts(d)))
    named = dict(zip(keys(embedder(DEFAULT), texts), texts, strict=True))
    stored = store.get(list(named))
    return {key: text for key, text in named.items() if key not in stored}
