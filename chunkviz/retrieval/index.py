"""What is searched and what comes back: entries and passages, made from chunkings by the retrieval mode.

An entry is one chunk with the text that is embedded for it. A passage is what is returned when one of its entries is
found. In most modes each entry has a passage of its own; in small-to-big all chunks of a section share one.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Final

import numpy as np
from numpy.typing import NDArray

from chunkviz.chunking import Chunk, Chunking
from chunkviz.document import Document
from chunkviz.passages import Passage
from chunkviz.retrieval.options import RetrievalOptions
from chunkviz.spans import Span
from chunkviz.text.sections import sections
from chunkviz.text.sentences import document_sentences
from chunkviz.units import DEFAULT_UNIT, unit


@dataclass(frozen=True, slots=True)
class Entry:
    """A chunk in an index.

    document : id of its document
    text     : what is embedded, and what a reranker reads
    passage  : number of the passage that is returned for it
    code     : whether at least half of it is code
    """

    document: str
    chunk: Chunk
    text: str
    passage: int
    code: bool


@dataclass(frozen=True, eq=False)
class Index:
    """Entries and passages of all documents together, in the order of the documents and of the chunks."""

    documents: Mapping[str, Document]
    entries: tuple[Entry, ...]
    passages: tuple[Passage, ...]

    @cached_property
    def passage_of(self) -> NDArray[np.int64]:
        """int64 (entries,): number of each entry's passage."""
        return np.array([e.passage for e in self.entries], dtype=np.int64)

    def text(self, passage: Passage) -> str:
        return self.documents[passage.document].text[passage.start : passage.end]


def build(chunkings: Mapping[str, Chunking], options: RetrievalOptions) -> Index:
    """The index of several documents, each cut by the same recipe.

    chunkings : id of a document to its chunking
    """
    entries: list[Entry] = []
    passages: dict[Passage, int] = {}
    for name, chunking in chunkings.items():
        document = chunking.document
        returned = _RETURNED[options.mode](chunking, options)
        starts, ends = (np.array([s[i] for s in returned], dtype=np.int64) for i in (0, 1))
        tokens = unit(DEFAULT_UNIT).measure(document).counts(starts, ends).tolist() if returned else []
        code = _code(document, chunking.chunks)
        for chunk, span, count, is_code in zip(chunking.chunks, returned, tokens, code, strict=True):
            passage = Passage(name, span.start, span.end, count, document.pages_of(span.start, span.end))
            number = passages.setdefault(passage, len(passages))
            entries.append(Entry(name, chunk, _text(chunk, options), number, is_code))
    documents = {name: chunking.document for name, chunking in chunkings.items()}
    return Index(documents, tuple(entries), tuple(passages))


def _text(chunk: Chunk, options: RetrievalOptions) -> str:
    parts = [chunk.context, chunk.text if chunk.rewrite is None else chunk.rewrite]
    if options.mode == "headings":
        parts.insert(0, " > ".join(chunk.heading_path))
    return "\n".join(part for part in parts if part)


def _code(document: Document, chunks: Sequence[Chunk]) -> list[bool]:
    """Of each chunk, whether code makes up at least half of it."""
    if document.format == "code":
        return [True] * len(chunks)
    blocks = [b.span for b in document.blocks if b.kind == "code"]
    ends = [b.end for b in blocks]
    found = []
    for chunk in chunks:
        shared = 0
        for block in blocks[bisect_right(ends, chunk.start) :]:
            if block.start >= chunk.end:
                break
            shared += min(block.end, chunk.end) - max(block.start, chunk.start)
        found.append(2 * shared >= chunk.end - chunk.start)
    return found


# What each mode returns for the chunks of a document


def _themselves(chunking: Chunking, options: RetrievalOptions) -> list[Span]:
    return [c.span for c in chunking.chunks]


def _sections(chunking: Chunking, options: RetrievalOptions) -> list[Span]:
    """The section in which each chunk begins, or a part of it where it is too long; a part ends where a chunk does.

    A chunk that goes on into the next section takes its own end with it.
    """
    document = chunking.document
    parts = sections(document)
    begins = [part.span.start for part in parts]
    count = unit(DEFAULT_UNIT).measure(document).count

    def number(chunk: Chunk) -> int:
        return max(0, bisect_right(begins, chunk.start) - 1)

    found: list[Span] = []
    for at, chunks in groupby(chunking.chunks, number):
        members = list(chunks)
        section = parts[at].span
        whole = Span(min(section.start, members[0].start), max(section.end, members[-1].end))
        if count(*whole) <= options.parent_size:
            found += [whole] * len(members)
            continue
        for group in _packed(members, lambda a, b: count(a, b) <= options.parent_size):
            found += [Span(group[0].start, group[-1].end)] * len(group)
    return found


def _packed(chunks: Sequence[Chunk], fits: Callable[[int, int], bool]) -> Iterator[list[Chunk]]:
    """Neighbours together as long as the span over them fits; at least one in each group."""
    group: list[Chunk] = []
    for chunk in chunks:
        if group and not fits(group[0].start, chunk.end):
            yield group
            group = []
        group.append(chunk)
    if group:
        yield group


def _sentences_around(chunking: Chunking, options: RetrievalOptions) -> list[Span]:
    document = chunking.document
    sentences = document_sentences(document)
    starts, ends = sentences.starts.tolist(), sentences.ends.tolist()
    found = []
    for chunk in chunking.chunks:
        first = bisect_right(ends, chunk.start) - options.window
        last = bisect_left(starts, chunk.end) - 1 + options.window
        # Sentences leave out white space between them; a chunk that holds some keeps it.
        start = min(chunk.start, starts[max(first, 0)]) if starts else chunk.start
        end = max(chunk.end, ends[min(last, len(ends) - 1)]) if ends else chunk.end
        found.append(Span(start, end))
    return found


_RETURNED: Final[Mapping[str, Callable[[Chunking, RetrievalOptions], list[Span]]]] = {
    "plain": _themselves,
    "headings": _themselves,
    "late": _themselves,
    "small_to_big": _sections,
    "sentence_window": _sentences_around,
}
