"""What each strategy promises beyond the contract, on small worked examples, and the shared cases."""

from __future__ import annotations

import pytest

from chunkviz import Document, Page, chunk
from chunkviz.units import unit

MANUAL = "Intro.\n\n# Keys\n\nA key opens.\n\n## Rotate\n\nTurn it.\n\n# Doors\n\n" + "A door shuts. " * 30


def test_fixed_takes_tiktokens_windows() -> None:
    text = "The quick brown fox jumps over the lazy dog. " * 10
    borders = unit("cl100k_base").measure(Document(text)).borders.tolist()
    made = chunk(Document(text), "fixed", size=7, overlap=2)
    starts = range(0, len(borders) - 1, 5)
    assert [c.start for c in made.chunks] == [borders[i] for i in starts][: len(made.chunks)]
    assert all(c.end == borders[min(i + 7, len(borders) - 1)] for c, i in zip(made.chunks, starts, strict=False))
    assert made.chunks[-1].end == len(text)


def test_a_token_border_inside_a_character_moves_to_its_end() -> None:
    """Shared case B1."""
    made = chunk(Document("Größe 猫😀 ok"), "fixed", size=2, overlap=0)
    assert "".join(c.text for c in made.chunks) == "Größe 猫😀 ok"
    assert not any("\ufffd" in c.text for c in made.chunks)
    assert all(c.tokens <= 2 or c.flags["oversize"] for c in made.chunks)


@pytest.mark.parametrize("strategy", ["fixed", "recursive", "sentence", "structure", "page"])
def test_the_limit_holds_without_punctuation(strategy: str) -> None:
    """Shared case B19."""
    for text in ("word " * 3000, "x" * 5000):
        made = chunk(Document(text), strategy, size=100, overlap=0)
        assert max(c.tokens for c in made.chunks) <= 100


@pytest.mark.parametrize("strategy", ["fixed", "recursive", "sentence", "structure", "page"])
@pytest.mark.parametrize("text", ["", "  \n\n "])
def test_nothing_gives_nothing(strategy: str, text: str) -> None:
    """Shared case B17."""
    assert chunk(Document(text), strategy).chunks == ()


def test_windows_that_begin_in_one_character_lose_nothing() -> None:
    """A first character of several tokens: two windows begin at the same place, and the second reaches further."""
    text = "ྀ𑝀Größe naïve ﬁn "
    made = chunk(Document(text), "fixed", size=12, overlap=11)
    assert made.chunks[-1].end >= len(text.rstrip())


@pytest.mark.parametrize("text", ["\u200b", "\u200bword", "\u200b\u200b two words"])
def test_characters_that_a_tokenizer_passes_over_are_not_lost(text: str) -> None:
    assert chunk(Document(text), "fixed", unit="all-MiniLM-L6-v2").chunks[0].start == 0


def test_sentences_come_in_groups_with_their_overlap() -> None:
    document = Document("One is. Two is. Three is. Four is. Five is.")
    made = chunk(document, "sentence", sentences=2, overlap=1)
    assert [c.text for c in made.chunks] == [
        "One is. Two is.",
        "Two is. Three is.",
        "Three is. Four is.",
        "Four is. Five is.",
    ]
    assert made.chunks[0].reason == "2 sentences"


def test_a_sentence_larger_than_the_limit_is_cut_with_its_reason() -> None:
    made = chunk(Document("Short one. " + "long " * 50 + "end. After it."), "sentence", sentences=3, overlap=0, size=20)
    assert max(c.tokens for c in made.chunks) <= 20
    assert any(c.reason.startswith("one sentence larger than 20") for c in made.chunks)


def test_sections_are_chunks_with_their_headings() -> None:
    document = Document.from_text(MANUAL, name="manual.md")
    made = chunk(document, "structure", size=60)
    assert made.chunks[0].text == "Intro."
    assert made.chunks[0].reason == "next heading: Keys"
    assert made.chunks[2].heading_path == ("Keys", "Rotate")
    assert [c.heading_path for c in made.chunks if c.text.startswith("# Doors")] == [("Doors",)]
    assert max(c.tokens for c in made.chunks) <= 60


def test_levels_and_joining() -> None:
    document = Document.from_text(MANUAL, name="manual.md")
    assert len(chunk(document, "structure", size=500, deepest=1).chunks) == 3
    joined = chunk(document, "structure", size=500, merge=True).chunks
    assert joined[1].text.startswith("# Keys")
    assert "## Rotate" in joined[1].text


def test_a_document_without_headings_or_pages_says_so() -> None:
    assert "No headings" in chunk(Document("a b"), "structure").notes[0]
    assert "no pages" in chunk(Document("a b"), "page").notes[0]


def test_pages_are_chunks() -> None:
    text = "Page one.\n\nMore.\n\nPage two."
    document = Document(text, pages=(Page(0, 16, 1, "i"), Page(18, 27, 2, "ii")))
    made = chunk(document, "page")
    assert [c.text for c in made.chunks] == ["Page one.\n\nMore.", "Page two."]
    assert [c.pages for c in made.chunks] == [(1,), (2,)]
    assert made.chunks[0].reason == "end of the page; page ii follows"


def test_recursive_takes_the_separators_of_the_language() -> None:
    text = "import os\n\nclass A:\n    x = 1\n\ndef f():\n    return 2\n"
    made = chunk(Document(text, format="code", language="python"), "recursive", size=25, overlap=0, unit="characters")
    assert [c.text.split()[0] for c in made.chunks] == ["import", "class", "def"]
    assert (
        "Markdown heading"
        in chunk(Document.from_text("# a\n# b\n", name="x.md"), "recursive", size=3, overlap=0).chunks[0].reason
    )
    other = chunk(Document(text, format="code", language="bash"), "recursive")
    assert other.notes == ("LangChain has no separators for bash; those of plain text are used.",)


def test_own_separators() -> None:
    made = chunk(Document("a;b;c"), "recursive", size=2, overlap=0, separators=[";"], unit="characters")
    assert [c.text for c in made.chunks] == ["a", ";b", ";c"]
