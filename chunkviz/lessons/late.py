"""Late chunking on the Learn screen: it is no cut, but another way to turn the same chunks into numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from chunkviz import embed
from chunkviz.chunking import Chunking
from chunkviz.lessons.terms import Placed, late
from chunkviz.retrieval import RetrievalOptions, build
from chunkviz.retrieval.late import pooled

TITLE: Final = "Late chunking"
ONE_LINE: Final = (
    "No other cut: the same chunks, but the model reads the whole document before each of them becomes numbers"
)
HOW: Final = (
    "The model reads the document as a whole, and gives every token numbers that know what stands around it. The embedding of "
    "a chunk is the mean over its tokens. So a chunk that says only “it” still knows what “it” is."
)
GOOD_FOR: Final = (
    "Text that refers back: “the deposit”, then “it”, “this fee”, “there”. It goes with any strategy, on the screens Ask and "
    "Evaluate."
)
WATCH_OUT: Final = (
    "Chunks of one document become more alike, so the one that answers stands out less. It needs a model that shows the "
    "numbers of single tokens, and a new reading whenever the document changes anywhere."
)
COSTS: Final = (
    "It costs one reading of the whole document, a stretch at a time, with the model that comes with chunkviz. As many rows of "
    "numbers are stored as without it: one for each chunk."
)
SOURCE: Final = (
    "Günther and others, “Late Chunking: Contextual Chunk Embeddings Using Long-Context Embedding Models” (2024), "
    "arXiv 2409.04701."
)


@dataclass(frozen=True, slots=True)
class Blurred:
    """A text whose sentences are the chunks, and a question that finds its answer alone and not in context.

    right, wrong : sentences: the one that answers, and the one that comes first when all were read in context
    """

    text: str
    question: str
    right: str
    wrong: str
    because: str

    def scores(self) -> tuple[Placed, Placed]:
        """The two sentences with their cosines to the question, alone and in context."""
        found = {p.text.strip(): p for p in late(self.question, self.text)}
        return found[self.right], found[self.wrong]


EXAMPLE: Final = Blurred(
    "Bicycles stand on the lower deck. Dogs stay on the upper deck. Cars stay on land.",
    "Where can I leave my bicycle?",
    "Bicycles stand on the lower deck.",
    "Cars stay on land.",
    "Read in context, all three sentences are about what stands where, and the one about cars comes first.",
)


@dataclass(frozen=True, slots=True)
class Moved:
    """How alike the embedding of each chunk read alone and the one read in its document are.

    values : cosines from −1 to 1, in the order of the chunks; not empty
    """

    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        return sum(self.values) / len(self.values)

    @property
    def least(self) -> int:
        """Number, from 0, of the chunk that changed most."""
        return min(range(len(self.values)), key=self.values.__getitem__)


def moved(chunking: Chunking) -> Moved:
    """What reading the whole document changes, worked out once for a chunking. It must have a chunk."""

    def make() -> Moved:
        index = build({"document": chunking}, RetrievalOptions())
        alone = embed.embed([entry.text for entry in index.entries]).vectors.astype(np.float64)
        within = pooled(index.documents, index.entries, embed.embedder()).vectors.astype(np.float64)
        return Moved(tuple(np.clip((alone * within).sum(axis=1), -1.0, 1.0).tolist()))

    return chunking.document.derive(("lessons.late", chunking.recipe.key), make)
