"""`recursive` gives LangChain's chunks, text for text, on every separator set, in characters and in tokens.

Exceptions, by name:
    cut inside a character   LangChain's chunk begins or ends inside a grapheme cluster; ours never does. From such a cut
                             on the windows of the same range may be shifted
    only white space         LangChain returns a chunk of nothing but white space; ours returns none
    the same span twice      two windows over a run of blanks trim to the same words; ours returns them once
"""

from __future__ import annotations

import itertools
from typing import Any

import pytest
import regex
from awkward import awkward_text
from hypothesis import given
from hypothesis import strategies as st
from langchain_text_splitters import Language, RecursiveCharacterTextSplitter

from chunkviz import Document, chunk
from chunkviz.encodings import reference_encoding
from chunkviz.text.separators import SETS
from chunkviz.units import unit

PROSE = (
    "The harbour woke slowly. Gulls argued over the nets, and the ferry – late again – blew its horn twice.\n\n"
    "“Three tickets,” said Mara, “and one for the dog.” It cost $12.50; she paid in coins.\r\n\r\n"
    "Nobody spoke for a while.   The water was grey, then green.\nA long line without any stop "
    + "and on "
    * 60
    + "\n\n"
    "Größe, naïve, 今天天气很好。我们去公园。 👩‍👩‍👧‍👦 🇩🇪 done.\n"
)
MARKDOWN = (
    "# Title\n\nIntro text here.\n\n## Part one\n\n- a list item\n- another one\n\n```python\nprint('x')\n```\n\n***\n\n"
    "### Deep\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n---\n\n" + PROSE
)
CODE = (
    "import os\n\nclass Shelf:\n\tdef add(self, x):\n\t\tif x > 3:\n\t\t\treturn x\n\n\tdef drop(self):\n\t\tpass\n\n"
    "def main():\n    for i in range(10):\n        while True:\n            break\n\nfunction f() { const a = 1; let b = 2; }\n"
    '\npublic class A { private int b; }\nfunc g() {}\nvar x = 3\n| Just x -> y\nlibrary(stats)\nsetClass("A")\n'
    "<div><p>One</p><p>Two<br>three</p><ul><li>x</li></ul></div>\n\\section{A}\nText $a+b$ and $$c$$\n\\begin{itemize}\n"
    "IDENTIFICATION DIVISION.\nMOVE A TO B.\nPublic Sub Go()\nIf x Then\nEnd If\nmodule M where\n:: Int\n= {x}\n, y\n"
)
DOCUMENTS = {"prose": PROSE * 3, "markdown": MARKDOWN * 2, "code": CODE * 4}
SIZES = [(40, 0), (100, 20), (300, 299), (7, 3)]


def lengths() -> dict[str, Any]:
    cl100k = reference_encoding("cl100k_base")
    return {"characters": len, "cl100k_base": lambda text: len(cl100k.encode_ordinary(text))}


def langchain(text: str, patterns: tuple[str, ...], size: int, overlap: int, unit_id: str, literal: bool) -> list[str]:
    splitter = RecursiveCharacterTextSplitter(
        separators=list(patterns),
        is_separator_regex=not literal,
        chunk_size=size,
        chunk_overlap=overlap,
        length_function=lengths()[unit_id],
        keep_separator="start",
    )
    return splitter.split_text(text)


def comparable(chunks: list[str]) -> list[str]:
    """Without what the exceptions name: blank chunks, and repetitions one after the other."""
    return [a for a, _ in itertools.groupby(c for c in chunks if c.strip())]


COMBINATIONS = [
    (name, set_name, size, overlap, unit_id)
    for name in DOCUMENTS
    for set_name in SETS
    for size, overlap in SIZES
    for unit_id in ("characters", "cl100k_base")
]


def test_there_are_enough_combinations() -> None:
    assert len(COMBINATIONS) >= 600


def cuts_a_character(text: str) -> bool:
    """Whether a text holds a cluster of several code points that is not a line end: where LangChain may cut inside."""
    return any(len(m[0]) > 1 and m[0] != "\r\n" for m in regex.finditer(r"\X", text))


@pytest.mark.parametrize("set_name", list(SETS))
@pytest.mark.parametrize("name", list(DOCUMENTS))
def test_the_same_chunks(name: str, set_name: str) -> None:
    text = DOCUMENTS[name]
    different = []
    for size, overlap in SIZES:
        for unit_id in ("characters", "cl100k_base"):
            literal = set_name == "text"
            theirs = comparable(langchain(text, SETS[set_name], size, overlap, unit_id, literal))
            made = chunk(Document(text), "recursive", size=size, overlap=overlap, separator_set=set_name, unit=unit_id)
            ours = comparable([c.text for c in made.chunks])
            if ours != theirs:
                borders = {0} | {m.end() for m in regex.finditer(r"\X", text)}
                assert not all_whole(text, theirs, borders), (size, overlap, unit_id)
                different.append((size, overlap, unit_id))
    # Small sizes, or a set without blanks and line ends on a text without its tags, leave LangChain only code points.
    assert all(size < 50 for size, _, _ in different) or "\n" not in SETS[set_name], different


def all_whole(text: str, chunks: list[str], borders: set[int]) -> bool:
    """Whether every chunk can be placed in the text, in order, with both ends on character borders."""
    at = 0
    for piece in chunks:
        found = text.find(piece, at)
        while found >= 0 and not {found, found + len(piece)} <= borders:
            found = text.find(piece, found + 1)
        if found < 0:
            return False
        at = found
    return True


@pytest.mark.parametrize("language", [lang for lang in Language if lang.value in SETS], ids=lambda lang: lang.value)
def test_sets_are_those_of_the_installed_library(language: Language) -> None:
    assert SETS[language.value] == tuple(RecursiveCharacterTextSplitter.get_separators_for_language(language))


def test_no_set_of_the_library_is_missing() -> None:
    missing = []
    for language in Language:
        try:
            RecursiveCharacterTextSplitter.get_separators_for_language(language)
        except ValueError:
            continue  # the library names the language and has no set for it
        if language.value not in SETS:
            missing.append(language.value)
    assert missing == []


@given(
    text=awkward_text(25).filter(lambda t: not cuts_a_character(t) and "\r\n" not in t),
    size=st.integers(1, 60),
    overlap=st.integers(0, 59),
    unit_id=st.sampled_from(["characters", "cl100k_base"]),
    separators=st.sampled_from([("\n\n", "\n", " ", ""), (". ", " "), ("\n", ""), ("x",), ("\n\n",), ("", "a")]),
)
def test_the_same_chunks_on_awkward_text(
    text: str, size: int, overlap: int, unit_id: str, separators: tuple[str, ...]
) -> None:
    overlap = min(overlap, size - 1)
    theirs = comparable(langchain(text, separators, size, overlap, unit_id, literal=True))
    made = chunk(Document(text), "recursive", size=size, overlap=overlap, separators=separators, unit=unit_id)
    assert comparable([c.text for c in made.chunks]) == theirs


def test_a_chunk_inside_the_next_keeps_its_true_place() -> None:
    """Shared case B2, with the largest overlap that is below the size."""
    made = chunk(Document("chunk chunk"), "recursive", size=5, overlap=4, separators=(" ", ""), unit="characters")
    assert [c.start for c in made.chunks] == [0, 6, 6]
    assert [c.text for c in made.chunks] == ["chunk", "chun", "chunk"]


def test_overlap_in_tokens_keeps_true_places() -> None:
    """Shared case B3."""
    sentence = "the cat sat on the mat and then " * 5 + ". "
    document = Document(sentence * 3)
    chunks = chunk(document, "recursive", size=20, overlap=10).chunks
    assert all(a.start < b.start for a, b in itertools.pairwise(chunks))
    assert all(document.text[c.start : c.end] == c.text and unit("cl100k_base").count(c.text) <= 20 for c in chunks)
