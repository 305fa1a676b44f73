"""The words of the field, each with something to try out, and the figures behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from chunkviz import embed, engine
from chunkviz.document import Document
from chunkviz.metrics.case import Case
from chunkviz.metrics.retrieval import RETRIEVAL
from chunkviz.passages import Passage
from chunkviz.retrieval import RetrievalOptions, build, search
from chunkviz.retrieval.rerank import LateInteraction, scored
from chunkviz.spans import Span
from chunkviz.text.sentences import document_sentences
from chunkviz.units import DEFAULT_UNIT, unit

SHORT: Final = 2000
"""Characters of a text that a reader tries something out with; what comes after is left out, and said to be."""


@dataclass(frozen=True, slots=True)
class Term:
    """A word of the field.

    plain  : what it means, for someone who has never heard it
    why    : why it matters here
    texts  : what the card begins with
    """

    id: str
    word: str
    plain: str
    why: str
    texts: tuple[str, ...]


TERMS: Final[tuple[Term, ...]] = (
    Term(
        "token",
        "Token",
        "A piece of a word, the unit in which language models read. Common words are one token, rare ones are several; "
        "about four letters each in English, fewer in other languages.",
        "Sizes, limits and prices count tokens.",
        ("The harbourmaster’s lighthouse costs 4,250 euros. Der Leuchtturmwärter schläft.",),
    ),
    Term(
        "overlap",
        "Overlap",
        "The end of one chunk, repeated at the beginning of the next. The hatched part is in both.",
        "What a cut parts is whole again in the next chunk, if it is shorter than the overlap. All of it is stored twice.",
        (
            "The fee is returned to guests who cancel before noon. Later, the first night is due. In a storm nobody pays, "
            "whatever the clock says.",
        ),
    ),
    Term(
        "embedding",
        "Embedding",
        "A text as a row of numbers, made by a model so that texts about the same thing get similar rows. One bar below is "
        "one number: blue below zero, orange above.",
        "A search compares rows of numbers, not words. However long a chunk is, it gets one row.",
        ("How do I cancel my booking?",),
    ),
    Term(
        "cosine",
        "Cosine similarity",
        "How alike two embeddings are: 1 for the same direction, about 0 for texts that have nothing to do with each other, "
        "at least −1.",
        "It ranks chunks for a question, and its drops between sentences show where the subject changes.",
        ("How do I cancel my booking?", "Guests may call off their stay until noon."),
    ),
    Term(
        "recall",
        "Recall",
        "How much of the answer came back: the part of its characters that is in at least one of the chunks returned.",
        "If it is not 100 %, nobody, however clever, can answer in full. Choose which chunks come back:",
        (
            "Cancelling is free until noon of the day before. After that the first night is due. Dogs stay on deck. A marina "
            "may waive the fee in a storm.",
            "After that the first night is due. Dogs stay on deck. A marina may waive the fee",
        ),
    ),
    Term(
        "reranker",
        "Reranker",
        "A second, slower look at the passages that a search found: it reads question and passage word by word, and puts "
        "them in a new order.",
        "Only the first few passages reach the reader. A right one at place six is as good as none.",
        (
            "When are test bookings deleted?",
            "Bookings that fall into a closure are not cancelled: they are moved to the nearest free berth, and the skipper is "
            "told.\nNew projects start in test mode. They see three invented marinas, whose tides are real and whose berths "
            "are not. Bookings made there are deleted every Sunday at 03:00 UTC.\nA booking can be cancelled until noon. "
            "Cancelled bookings stay listed for a year.\nTest keys keep working when a project goes live.",
        ),
    ),
    Term(
        "late",
        "Late chunking",
        "The model reads the whole document first, and the embedding of a chunk is averaged from that reading. So a chunk "
        "that says “it” knows what “it” is.",
        "It is no other cut: the chunks are the same, only their numbers are made later, with the rest of the text in mind.",
        (
            "How many steps does the lighthouse have?",
            "The old lighthouse stands at the harbour mouth. It was built by the fishermen. Its stairs have 204 steps.",
        ),
    ),
)
"""Every term, in the order in which they build on each other."""


def tokens_of(text: str, unit_id: str = DEFAULT_UNIT) -> tuple[list[str], int]:
    """The pieces that a tokenizer reads, and how many tokens they are: a piece that cannot be shown alone stands for some."""
    document = Document.from_text(text)
    measure = unit(unit_id).measure(document)
    borders = sorted({0, len(text), *measure.borders.tolist()})
    return [text[a:b] for a, b in pairwise(borders)], measure.count(0, len(text))


def numbers_of(text: str) -> list[float]:
    """The embedding of a text."""
    found: list[float] = embed.embed([text]).vectors[0].astype(np.float64).tolist()
    return found


def cosine(first: str, second: str) -> float:
    """The cosine similarity of two texts, from −1 to 1."""
    vectors = embed.embed([first, second]).vectors.astype(np.float64)
    return float(np.clip(vectors[0] @ vectors[1], -1.0, 1.0))


def sentences_of(text: str) -> list[Span]:
    """The sentences of a text: the chunks of the example for recall."""
    return [s for s in document_sentences(Document.from_text(text)) if s.length]


def recall(text: str, answer: str, returned: Sequence[int]) -> float:
    """Token recall: the part of the answer's characters in the sentences with these numbers, from 0.

    >>> recall("One. Two.", "One.", [0])
    1.0
    """
    start = text.index(answer)
    gold = Passage("example", start, start + len(answer))
    spans = [sentences_of(text)[i] for i in returned]
    case = Case(gold=[gold], meeting=[], retrieved=[Passage("example", s.start, s.end) for s in spans], k=len(spans))
    metric = next(m for m in RETRIEVAL if m.id == "token_recall")
    return float(metric.compute(case).value or 0.0)


class Placed(NamedTuple):
    """A passage with two scores: by cosine, and by the second look."""

    text: str
    cosine: float
    second: float


def reranked(question: str, passages: Sequence[str]) -> list[Placed]:
    """The passages with the cosine of their embeddings and the score of late interaction, best by the latter first."""
    vectors = embed.embed([question, *passages]).vectors.astype(np.float64)
    looks = scored(LateInteraction(embed.embedder()), [(question, p) for p in passages])
    found = [Placed(p, float(vectors[0] @ v), float(s)) for p, v, s in zip(passages, vectors[1:], looks, strict=True)]
    return sorted(found, key=lambda p: -p.second)


def late(question: str, text: str) -> list[Placed]:
    """Each sentence of a text as a chunk: its cosine with the question, read alone and read in its document."""
    document = Document.from_text(text)
    chunking = engine.chunk(document, "sentence", sentences=1, overlap=0)
    scores: list[dict[int, float]] = []
    for mode in ("plain", "late"):
        options = RetrievalOptions.make({"mode": mode})
        hits = search(build({"example": chunking}, options), [question], options).hits(0)
        scores.append({hit.entry: hit.score for hit in hits})
    return [Placed(c.text, scores[0][c.index], scores[1][c.index]) for c in chunking.chunks]
