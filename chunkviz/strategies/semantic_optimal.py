"""Semantic, optimal: of all ways to cut under a size limit, the one whose chunks hang together best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from chunkviz.chunking import Curve
from chunkviz.document import Document
from chunkviz.params import UNIT, Float, Int, Params
from chunkviz.similarity.curve import similarities
from chunkviz.similarity.cutting import FORCED, MERGED_COUNT, vectors_of
from chunkviz.similarity.optimal import band, best_cuts, mean_pair, reaches
from chunkviz.similarity.params import SimilarityModel
from chunkviz.similarity.turns import units_of
from chunkviz.spec import Cut, Piece, Services, Strategy, Tags
from chunkviz.units import EMBEDDING_MODEL

MOST_SENTENCES = 400
"""The most sentences in one chunk: it bounds time and memory where sentences are tiny or sizes huge."""


@dataclass(frozen=True)
class SemanticOptimalParams(Params):
    owner: ClassVar[str] = "semantic_optimal"

    size: Annotated[
        int,
        Int(
            label="Largest chunk",
            unit=UNIT,
            low=1,
            high=1_000_000,
            soft_high=2048,
            help="No chunk counts more. Larger: fewer, longer chunks where the text stays with its subject.",
        ),
    ] = 512
    closeness: Annotated[
        float,
        Float(
            label="How alike",
            unit="above the average pair",
            low=-0.5,
            high=0.5,
            step=0.01,
            help="How much more alike than the average pair of near sentences two must be to belong together. "
            "Higher: more, shorter chunks.",
        ),
    ] = 0.0
    model: SimilarityModel = EMBEDDING_MODEL


def cut(document: Document, params: SemanticOptimalParams, services: Services) -> Cut:
    """The cut with the greatest sum, over all pairs of sentences in one chunk, of similarity above the baseline."""
    spans, vectors, telling = vectors_of(document, services, params.model)
    if not spans:
        return Cut([])
    units = units_of(document, services.measure, spans, params.size)
    reach = np.maximum(
        reaches(units.own, units.head, units.tail, params.size), np.arange(len(units.own)) - MOST_SENTENCES
    )
    longest = int((np.arange(len(reach)) - reach).max())
    rows = vectors[units.sentence]
    pairs = band(rows, longest)
    baseline = mean_pair(pairs, reach) + params.closeness
    firsts = best_cuts(pairs, reach, baseline).tolist()
    lasts = [f - 1 for f in firsts[1:]] + [len(units.own) - 1]
    inside = np.diff(units.sentence) == 0
    reason = f"together less alike than {baseline:.2f}, the average of near sentences"
    pieces = []
    for first, last in zip(firsts, lasts, strict=True):
        forced = last < len(inside) and bool(inside[last])
        end = FORCED if forced else reason
        pieces.append(
            Piece(int(units.starts[first]), int(units.ends[last]), end, FORCED if first == last else MERGED_COUNT)
        )
    values, defined = similarities(vectors, telling)
    return Cut(pieces, curve=Curve(spans, spans.starts[1:], values, None, defined))


SPEC = Strategy(
    id="semantic_optimal",
    title="Best-matching groups",
    one_line="Of all ways to cut, the one whose chunks hang together best",
    how="Adds up how similar all pairs of sentences inside a chunk are, less the average, and finds by dynamic "
    "programming the cuts for which the sum over all chunks is greatest, none larger than the limit.",
    good_for="When the size limit matters and every chunk should be about one thing.",
    watch_out="No threshold to move, so it is harder to explain. Costs an embedding of every sentence.",
    source="The idea of the cluster chunker in Chroma's “Evaluating Chunking Strategies for Retrieval” (2024).",
    version=1,
    params_class=SemanticOptimalParams,
    cut=cut,
    tags=Tags(needs_embedder=True),
)
