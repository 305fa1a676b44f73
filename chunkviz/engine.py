"""The only door: validate, cut, verify, count, stamp. Every result of every strategy passes here.

Promises checked for each result, whoever wrote the strategy (DESIGN: P1 to P5):

    in range       0 <= start < end <= len(text), and no chunk is only white space
    order          starts never decrease, ends never decrease, and no two chunks are the same span
    nothing lost   every character that is not white space is in a chunk, or in `dropped` with a reason
    size           a chunk counts at most `size`, or is flagged `oversize` with a reason
    characters     no chunk begins or ends inside a grapheme cluster

A result that breaks one is refused with the strategy's name and the place: it is a fault in the strategy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import NoneType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chunkviz import registry
from chunkviz.chunking import NO_FLAGS, Chunk, Chunking
from chunkviz.code_points import code_points_at, is_blank_point
from chunkviz.document import Document
from chunkviz.embed import embed, embedder
from chunkviz.errors import ParameterError, StrategyError
from chunkviz.given import expect
from chunkviz.graphemes import graphemes
from chunkviz.measures import Ints
from chunkviz.params import Params
from chunkviz.recipe import Recipe
from chunkviz.settings import settings
from chunkviz.spans import Spans, is_blank, lost
from chunkviz.spec import Cut, Piece, Resizing, Services, Strategy
from chunkviz.text.sentences import whole_sentences
from chunkviz.units import DEFAULT_UNIT, Unit, unit

END = "end of the document"


def chunk(
    document: Document,
    strategy: str | None = None,
    *,
    unit: str = DEFAULT_UNIT,
    recipe: Recipe | Mapping[str, Any] | None = None,
    **params: Any,
) -> Chunking:
    """Cut a document with a strategy and its parameters, or with a recipe.

    document : what `load` or `Document.from_text` gave
    strategy : an id from `strategies()`, with its parameters as keywords (`size=512, overlap=50`)
    unit     : what sizes count: "cl100k_base", "o200k_base", "all-MiniLM-L6-v2", "characters" or "words"
    recipe   : instead of all these; `chunk(doc, recipe=other.recipe)` gives the same spans as `other`
    Raises `ParameterError` for a value outside its declaration, `StrategyError` for an unknown strategy.

    >>> [c.text for c in chunk(Document.from_text("one two three four"), "fixed", unit="words", size=2, overlap=0).chunks]
    ['one two ', 'three four']
    """
    expect(
        document, Document, "`chunk` needs a document, as `chunkviz.load(...)` or `Document.from_text(...)` gives it."
    )
    expect(
        strategy,
        (str, NoneType),
        'A strategy is named by its id, such as `chunk(doc, "recursive")`; a recipe goes in as `recipe=`.',
    )
    if (strategy is None) == (recipe is None):
        raise ParameterError("`chunk` needs a strategy, or a recipe, and not both.")
    if recipe is not None:
        if params:
            raise ParameterError(f"A recipe has its own parameters; `{next(iter(params))}` cannot be given beside it.")
        made = recipe if isinstance(recipe, Recipe) else Recipe.from_dict(recipe)
        strategy, unit, params = made.strategy, made.unit, dict(made.params)
        known = registry.strategy(strategy).version
        if made.version not in (0, known):
            raise ParameterError(
                f"This recipe was made with version {made.version} of `{strategy}`; version {known} is installed and "
                "may cut elsewhere. Make the recipe again, or install the chunkviz it names."
            )
    spec = registry.strategy(strategy or "")
    return run(document, spec, params, unit)


def run(
    document: Document, strategy: Strategy, params: Params | Mapping[str, Any], unit_id: str = DEFAULT_UNIT
) -> Chunking:
    """`chunk` for a strategy at hand, registered or not."""
    counted = unit(unit_id)
    made = params if isinstance(params, Params) else strategy.params_class.make(params, counted.word)
    services = _services(document, counted)
    measure = services.measure
    _refuse_explosion(document, strategy, made, len(measure.borders) - 1)
    cut = strategy.cut(document, made, services)
    starts = np.array([p.start for p in cut.pieces], dtype=np.int64)
    ends = np.array([p.end for p in cut.pieces], dtype=np.int64)
    _verify(document, strategy, cut, starts, ends)
    tokens = measure.counts(starts, ends).tolist()
    size = made.values().get("size") if strategy.tags.has_size else None
    recipe = Recipe(
        strategy=strategy.id,
        params=made.values(),
        unit=counted.id,
        version=strategy.version,
        loader=document.options,
        versions={**counted.versions, **_model_version(strategy, made)},
    )
    return Chunking(
        document=document,
        chunks=tuple(_stamped(document, strategy, cut.pieces, tokens, size)),
        recipe=recipe,
        dropped=tuple(cut.dropped),
        notes=(*counted.notes, *cut.notes),
        curve=cut.curve,
    )


def resizing(chunking: Chunking) -> Resizing | None:
    """What a browser needs to cut this document again at other values of `size` and `overlap`; None for nothing."""
    strategy = registry.strategies().get(chunking.recipe.strategy)
    if strategy is None or strategy.resizing is None:
        return None
    counted = unit(chunking.unit)
    params = strategy.params_class.make(chunking.recipe.params, counted.word)
    return strategy.resizing(chunking.document, params, _services(chunking.document, counted))


def _services(document: Document, counted: Unit) -> Services:
    return Services(
        counted, counted.measure(document), graphemes(document), lambda: whole_sentences(document), _vectors
    )


def _vectors(model: str, texts: Sequence[str]) -> NDArray[np.float32]:
    return embed(texts, model).vectors


def _model_version(strategy: Strategy, params: Params) -> dict[str, str]:
    """What decided the vectors, for strategies that have some: other weights or another precision may cut elsewhere."""
    if not strategy.tags.needs_embedder:
        return {}
    who = embedder(params.values()["model"])
    return {who.name: f"{who.revision}, {who.settings}"}


def _refuse_explosion(document: Document, strategy: Strategy, params: Params, units: int) -> None:
    """Estimate the number of chunks before any is made, and refuse what no page could show."""
    values = params.values()
    size = values.get("size")
    if not isinstance(size, int) or not strategy.tags.has_size:
        return
    step = size - values.get("overlap", 0)
    estimate = units // max(1, step)
    if estimate > settings().max_chunks:
        raise ParameterError(
            f"`{strategy.id}` with these sizes would make about {estimate:,} chunks of {document.name}; the limit is "
            f"{settings().max_chunks:,} (CHUNKVIZ_MAX_CHUNKS). Take a larger size or a smaller overlap."
        )


def _verify(document: Document, strategy: Strategy, cut: Cut, starts: Ints, ends: Ints) -> None:
    text = document.text

    def broken(promise: str, at: int) -> StrategyError:
        piece = cut.pieces[at]
        return StrategyError(
            f"`{strategy.id}` broke a promise: {promise} (chunk {at}, characters {piece.start} to {piece.end})."
        )

    bad = np.flatnonzero((starts < 0) | (starts >= ends) | (ends > len(text)))
    if len(bad):
        raise broken("a chunk must be a part of the document that is not empty", int(bad[0]))
    back = np.flatnonzero((np.diff(starts) < 0) | (np.diff(ends) < 0) | ((np.diff(starts) == 0) & (np.diff(ends) == 0)))
    for at in back.tolist():
        # Several rewrites may share a span: single facts drawn from one sentence.
        if cut.pieces[at].rewrite is None or cut.pieces[at + 1].rewrite is None:
            raise broken("chunks must be in order, and no two the same span", at + 1)
    for at in np.flatnonzero(is_blank_point(code_points_at(text, starts))).tolist():
        if is_blank(text, int(starts[at]), int(ends[at])):
            raise broken("a chunk must not be only white space", at)
    for dropped in cut.dropped:
        if not (0 <= dropped.start < dropped.end <= len(text)) or not dropped.reason:
            raise StrategyError(
                f"`{strategy.id}` dropped {dropped} without a span of the document or without a reason."
            )
    dropped_at = Spans([d.start for d in cut.dropped], [d.end for d in cut.dropped])
    covered = Spans(np.concatenate((starts, dropped_at.starts)), np.concatenate((ends, dropped_at.ends)))
    for span in lost(text, covered):
        shown = text[span.start : span.start + 40]
        raise StrategyError(
            f"`{strategy.id}` lost text in silence: characters {span.start} to {span.end} ({shown!r}) are in no chunk."
        )
    clusters = graphemes(document)
    for border in (starts, ends):
        split = np.flatnonzero(clusters.ceil_all(border) != border)
        if len(split):
            raise broken("no chunk may begin or end inside a character", int(split[0]))


def _stamped(
    document: Document, strategy: Strategy, pieces: Sequence[Piece], tokens: Sequence[int], size: int | None
) -> list[Chunk]:
    found: list[Chunk] = []
    last = len(pieces) - 1
    for index, (piece, count) in enumerate(zip(pieces, tokens, strict=True)):
        flags = piece.flags
        if size is not None and count > size:
            if not piece.oversize:
                raise StrategyError(
                    f"`{strategy.id}` broke a promise: chunk {index} counts {count:,}, more than size={size:,}, "
                    "and no reason was given."
                )
            flags = {**flags, "oversize": f"counts {count:,}, more than size={size:,}: {piece.oversize}"}
        found.append(
            Chunk(
                document,
                piece.start,
                piece.end,
                index,
                count,
                piece.reason if index < last else END,
                document.heading_path(piece.start),
                document.pages_of(piece.start, piece.end),
                piece.context,
                flags if flags else NO_FLAGS,
                piece.rewrite,
            )
        )
    return found
