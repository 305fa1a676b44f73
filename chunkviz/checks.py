"""Checks against other people's code, run on the reader's own document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from chunkviz.chunking import Chunking
from chunkviz.document import Document
from chunkviz.errors import StrategyError
from chunkviz.text.separators import SETS, set_for
from chunkviz.units import unit


@dataclass(frozen=True, slots=True)
class Verification:
    """How many chunks of a chunking are, text for text and in order, those of another library.

    ours, theirs : numbers of chunks
    same         : chunks that both have, in the same order
    differences  : for a few of the others, what each side has
    """

    library: str
    ours: int
    theirs: int
    same: int
    differences: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = ()

    @property
    def identical(self) -> bool:
        return self.same == self.ours == self.theirs

    def __str__(self) -> str:
        if self.identical:
            return f"Identical, {self.same:,} of {self.ours:,} chunks: {self.library} gives the same texts."
        return (
            f"{self.same:,} chunks are the same as those of {self.library}, which makes {self.theirs:,}; "
            f"chunkviz makes {self.ours:,}."
        )


def langchain_texts(document: Document, chunking: Chunking) -> list[str]:
    """What the installed LangChain makes of the document with the recipe of `chunking`."""
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    params = chunking.recipe.params
    name = params["separator_set"] if params["separator_set"] != "auto" else set_for(document)[0]
    own = params["separators"]
    splitter = RecursiveCharacterTextSplitter(
        separators=list(own or SETS[name]),
        is_separator_regex=not own and name != "text",
        keep_separator="start",
        chunk_size=params["size"],
        chunk_overlap=params["overlap"],
        length_function=unit(chunking.unit).count,
    )
    return splitter.split_text(document.text)


def verify_langchain(chunking: Chunking) -> Verification:
    """Run LangChain's own `RecursiveCharacterTextSplitter` on the document and compare, text for text.

    Raises `StrategyError` for any strategy but `recursive`.
    """
    if chunking.recipe.strategy != "recursive":
        raise StrategyError("Only `recursive` is LangChain's splitter; there is nothing to compare the others with.")
    theirs = langchain_texts(chunking.document, chunking)
    return compared("LangChain", [c.text for c in chunking.chunks], theirs)


def compared(library: str, ours: Sequence[str], theirs: Sequence[str]) -> Verification:
    """Two lists of chunk texts, side by side."""
    if list(ours) == list(theirs):
        return Verification(library, len(ours), len(theirs), len(ours))
    matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
    same = sum(block.size for block in matcher.get_matching_blocks())
    different = tuple(
        (tuple(ours[a:b]), tuple(theirs[c:d])) for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal"
    )
    return Verification(library, len(ours), len(theirs), same, different[:20])
