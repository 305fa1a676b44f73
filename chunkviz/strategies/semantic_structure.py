"""Semantic inside structure: sections first, topic turns inside them, short sections joined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from chunkviz.document import Document
from chunkviz.similarity.cutting import cut_at_turns
from chunkviz.similarity.params import TurnParams
from chunkviz.spec import Cut, Services, Strategy, Tags
from chunkviz.text.sections import DEEPEST, HeadingLevels, sections


@dataclass(frozen=True)
class SemanticStructureParams(TurnParams):
    owner: ClassVar[str] = "semantic_structure"

    deepest: HeadingLevels = DEEPEST


def cut(document: Document, params: SemanticStructureParams, services: Services) -> Cut:
    """A cut before every heading that counts, and at the turns between them; short sections join a neighbour."""
    return cut_at_turns(document, params, services, sections(document, params.deepest))


SPEC = Strategy(
    id="semantic_structure",
    title="Headings, then topic turns",
    one_line="A cut at every heading, and where the subject changes between headings",
    how="Cuts before each heading, then inside each section where the similarity of neighbouring sentences drops below "
    "a threshold. A section that is too short joins the neighbour that is more like it.",
    good_for="Documents whose sections are long and wander: manuals, handbooks, papers, wiki pages.",
    watch_out="Without headings it is the same as topic turns. Costs an embedding of every sentence.",
    source="Known as semantic Markdown splitting; a combination of `structure` and `semantic`.",
    version=1,
    params_class=SemanticStructureParams,
    cut=cut,
    tags=Tags(needs_embedder=True),
)
