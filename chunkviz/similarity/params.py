"""The parameters of every strategy that cuts where similarity drops."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from chunkviz.params import UNIT, Choice, Float, Int, Params, Text
from chunkviz.similarity.thresholds import KINDS
from chunkviz.units import EMBEDDING_MODEL

SimilarityModel = Annotated[
    str,
    Text(
        label="Embedding model",
        help="Tells how similar two texts are: the one that comes with chunkviz, or another by name or folder.",
        examples=(EMBEDDING_MODEL,),
        names="embedder",
    ),
]
"""The parameter `model` of every strategy that compares sentences."""


@dataclass(frozen=True)
class TurnParams(Params):
    """Kind of threshold, one parameter for each kind, window, sizes and the model that tells how similar texts are."""

    kind: Annotated[
        str,
        Choice(
            label="Cut at",
            help="What counts as a turn of topic. Relative kinds adapt to the document, a fixed similarity does not.",
            options={kind.id: kind.title for kind in KINDS.values()},
        ),
    ] = "percentile"
    percentile: Annotated[
        float,
        Float(
            label="Sharper than",
            unit="% of all turns",
            low=0.0,
            high=100.0,
            step=0.5,
            help="At 95 the sharpest 5 in 100 turns are cuts. Higher: fewer, longer chunks.",
            when=("kind", ("percentile",)),
        ),
    ] = 90.0
    threshold: Annotated[
        float,
        Float(
            label="Similarity below",
            unit="",
            low=-1.0,
            high=1.0,
            step=0.01,
            help="A gap is a cut where its two sides are less alike than this; 1 is the same, 0 has nothing in common. "
            "Higher: more, shorter chunks.",
            when=("kind", ("absolute",)),
        ),
    ] = 0.3
    deviations: Annotated[
        float,
        Float(
            label="Below the average by",
            unit="standard deviations",
            low=0.0,
            high=5.0,
            step=0.05,
            help="How unusual a drop has to be, in standard deviations. Higher: fewer, longer chunks.",
            when=("kind", ("deviations",)),
        ),
    ] = 1.0
    ranges: Annotated[
        float,
        Float(
            label="Below the average by",
            unit="interquartile ranges",
            low=0.0,
            high=5.0,
            step=0.05,
            help="How unusual a drop has to be, in widths of the middle half of all drops. Higher: fewer, longer chunks.",
            when=("kind", ("interquartile",)),
        ),
    ] = 1.0
    steepness: Annotated[
        float,
        Float(
            label="Steeper than",
            unit="% of all steps",
            low=0.0,
            high=100.0,
            step=0.5,
            help="At 95 the steepest 5 in 100 falls of the curve are cuts. Higher: fewer, longer chunks.",
            when=("kind", ("gradient",)),
        ),
    ] = 90.0
    depth: Annotated[
        float,
        Float(
            label="Dips deeper than",
            unit="",
            low=0.0,
            high=1.0,
            step=0.01,
            help="How far a dip must lie below the curve on both sides of it. Higher: fewer, longer chunks.",
            when=("kind", ("minimum",)),
        ),
    ] = 0.2
    size: Annotated[
        int,
        Int(
            label="Largest chunk",
            unit=UNIT,
            low=1,
            high=1_000_000,
            soft_high=2048,
            help="A longer stretch is cut again, at its own sharpest turn. Larger: fewer such cuts.",
        ),
    ] = 512
    smallest: Annotated[
        int,
        Int(
            label="Smallest chunk",
            unit=UNIT,
            low=0,
            high=999_999,
            soft_high=512,
            below="size",
            help="A shorter one joins the neighbour that is more like it, if both fit. Larger: fewer, longer chunks.",
        ),
    ] = 40
    window: Annotated[
        int,
        Int(
            label="Sentences compared",
            unit="on each side",
            low=1,
            high=5,
            help="How many sentences on each side of a gap are compared. More: a smoother curve, turns less exact.",
        ),
    ] = 2
    model: SimilarityModel = EMBEDDING_MODEL

    @property
    def amount(self) -> float:
        """The parameter that the chosen kind reads."""
        value: Any = getattr(self, KINDS[self.kind].param)
        return float(value)
