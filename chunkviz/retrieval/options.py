"""What can be chosen about retrieval. The same declaration as for strategies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final

from chunkviz.params import Choice, Float, Int, Params, Text, Texts
from chunkviz.units import EMBEDDING_MODEL

SAME: Final = "same"
"""The `code_model` that stands for the model of everything else."""


@dataclass(frozen=True)
class RetrievalOptions(Params):
    """How chunks are embedded, found, put in order and returned. Refused at construction like every parameter."""

    owner: ClassVar[str] = "retrieval"

    mode: Annotated[
        str,
        Choice(
            label="Mode",
            options={
                "plain": "each chunk by its own text",
                "headings": "heading path in front",
                "late": "late chunking",
                "small_to_big": "small to big: the section around a chunk is returned",
                "sentence_window": "sentence window: the sentences around a chunk are returned",
            },
            help="What is embedded for a chunk, and what comes back when it is found.",
        ),
    ] = "plain"
    window: Annotated[
        int,
        Int(
            label="Sentences around",
            unit="sentences",
            low=1,
            high=20,
            help="Sentences returned before and after the chunk. More: fewer answers cut off, more to read.",
            when=("mode", ("sentence_window",)),
        ),
    ] = 2
    parent_size: Annotated[
        int,
        Int(
            label="Largest section",
            unit="tokens",
            low=1,
            high=1_000_000,
            soft_high=4000,
            help="A section longer than this, in cl100k tokens, is parted between chunks. Larger: more whole sections, "
            "more to read.",
            when=("mode", ("small_to_big",)),
        ),
    ] = 1000
    retriever: Annotated[
        str,
        Choice(
            label="Search",
            options={
                "dense": "by meaning: cosine",
                "keyword": "by words: BM25",
                "hybrid": "both, joined by their ranks",
            },
            help="How chunks are found. By words finds names and codes that no model knows; by meaning finds what is "
            "said in other words: the vectors of all chunks are compared, none is passed over.",
        ),
    ] = "dense"
    model: Annotated[
        str,
        Text(
            label="Embedding model",
            help="Turns texts into vectors. A larger one finds more and takes longer.",
            examples=(EMBEDDING_MODEL,),
            names="embedder",
            when=("retriever", ("dense", "hybrid")),
        ),
    ] = EMBEDDING_MODEL
    precision: Annotated[
        str,
        Choice(
            label="Precision",
            options={"float32": "the same figures everywhere", "fast": "what this processor is fastest in"},
            help="How the bundled model computes. Fast may take half the time and can swap neighbours in a ranking.",
            when=("retriever", ("dense", "hybrid")),
        ),
    ] = "float32"
    code_model: Annotated[
        str,
        Text(
            label="Embedding model for code",
            help=f"Embeds the chunks that are mostly code; “{SAME}” takes the model above. Each model ranks its own chunks, "
            "and the two lists are joined by rank, since cosines of two models cannot be compared.",
            examples=(SAME,),
            names="embedder",
            when=("retriever", ("dense", "hybrid")),
        ),
    ] = SAME
    reranker: Annotated[
        str,
        Choice(
            label="Reranking",
            options={
                "none": "none",
                "late_interaction": "late interaction: token by token, with the embedding model",
                "cross_encoder": "cross-encoder: a model that reads question and passage together",
            },
            help="A second, slower look at what was found first. Whether it helps is measured, not promised.",
        ),
    ] = "none"
    cross_encoder: Annotated[
        str,
        Text(
            label="Cross-encoder",
            help="Name or folder of a sentence-transformers CrossEncoder. None comes with chunkviz.",
            examples=("cross-encoder/ms-marco-MiniLM-L6-v2",),
            when=("reranker", ("cross_encoder",)),
        ),
    ] = "cross-encoder/ms-marco-MiniLM-L6-v2"
    candidates: Annotated[
        int,
        Int(
            label="Reranked",
            unit="passages",
            low=1,
            high=1000,
            soft_high=100,
            help="How many of the first are put in a new order. More: better chances for what stood far behind, slower.",
            when=("reranker", ("late_interaction", "cross_encoder")),
        ),
    ] = 20
    merge: Annotated[
        float,
        Float(
            label="Merge near duplicates from",
            unit="share of the shorter",
            low=0,
            high=1,
            step=0.05,
            help="Passages of one document that share at least this part of the shorter one come back as one. Smaller: "
            "more is merged. 0: nothing is.",
        ),
    ] = 0.0
    filter: Annotated[
        tuple[str, ...],
        Texts(
            label="Only where",
            help="Search only in chunks with these properties, each as name=value: document=handbook.pdf, heading=Leave, "
            "page=3, kind=code, kind=prose. The same name twice: either; different names: both.",
        ),
    ] = ()

    @property
    def embeds(self) -> bool:
        """Whether a model is needed to search."""
        return self.retriever != "keyword"

    def changed(self) -> dict[str, Any]:
        """What differs from the defaults and does something: all that a recipe file has to say."""
        values = self.values()
        return {p.name: values[p.name] for p in self.declared() if values[p.name] != p.default and p.active(values)}

    @classmethod
    def of(cls, values: Mapping[str, Any] | RetrievalOptions | None) -> RetrievalOptions:
        """Options from a mapping, from options at hand, or the defaults. Raises `ParameterError`."""
        return values if isinstance(values, RetrievalOptions) else cls.make(values or {})
