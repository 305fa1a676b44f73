"""Semantic: cuts where the topic turns, as an embedding model sees it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from chunkviz.document import Document
from chunkviz.similarity.cutting import cut_at_turns
from chunkviz.similarity.params import TurnParams
from chunkviz.spec import Cut, Services, Strategy, Tags


@dataclass(frozen=True)
class SemanticParams(TurnParams):
    owner: ClassVar[str] = "semantic"


def cut(document: Document, params: SemanticParams, services: Services) -> Cut:
    """One chunk from turn to turn, within the sizes asked for."""
    return cut_at_turns(document, params, services)


SPEC = Strategy(
    id="semantic",
    title="Topic turns",
    one_line="A cut wherever the text changes its subject",
    how="Compares what stands before and after each gap between sentences with an embedding model, and cuts where the "
    "similarity drops below a threshold. What is too short joins its more similar neighbour, what is too long is cut at "
    "its own sharpest turn.",
    good_for="Text without headings that changes its subject: transcripts, interviews, reports, mails.",
    watch_out="Costs an embedding of every sentence. Lists, tables and code look like many small turns. The threshold "
    "that suits one document need not suit another.",
    source="Kamradt, “5 levels of text splitting” (2023); threshold kinds as in LangChain's SemanticChunker.",
    version=1,
    params_class=SemanticParams,
    cut=cut,
    tags=Tags(needs_embedder=True),
)
