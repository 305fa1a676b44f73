"""Markdown: CommonMark's own rules, exact positions whatever the line ends, and the shortcut held to the long way."""

from __future__ import annotations

import pytest
from awkward import PIECES
from hypothesis import given
from hypothesis import strategies as st

from chunkviz import Document
from chunkviz.loaders import markdown
from chunkviz.spans import Span


def read(text: str) -> Document:
    return Document.from_text(text, name="x.md")


def kinds(text: str) -> list[tuple[str, str]]:
    return [(b.kind, text[b.start : b.end]) for b in read(text).blocks]


def headings(text: str) -> list[tuple[int, str]]:
    return [(h.level, h.title) for h in read(text).headings]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# A\n~~~\n# no\n~~~\n\n    # no\n", [(1, "A")]),  # shared case B9
        ("Title\n=====\n\nx\n\nSub\n-\n\ny", [(1, "Title"), (2, "Sub")]),  # shared case B10
        ("## B ##", [(2, "B")]),
        ("## B \\## #", [(2, "B ##")]),
        ("# C#", [(1, "C#")]),
        ("#no\n####### no", []),
        ("#", [(1, "")]),
        ("Two\nlines\n===", [(1, "Two lines")]),
        ('# *a* **b** `c *d*` [l](u "t") ![alt](i) <b>e</b> ~~f~~ &amp; \\*', [(1, "a b c *d* l alt e f & *")]),
        ("- a\n- b\n---\n", []),
        ("a\n\n---\n", []),
        ("> # quoted\n\n- # in an item\n", []),
        ("<!--\n# no\n-->\n# yes", [(1, "yes")]),
        ("```\n# no", []),
        ('<h1 align="center">\n  Hi <b>x</b> &amp; y\n</h1>\n\n# B', [(1, "Hi x & y"), (1, "B")]),
        ("a\u2028# no\x0b# no\x85# no", []),
        ("a\r# yes\rb", [(1, "yes")]),
    ],
)
def test_headings(text: str, expected: list[tuple[int, str]]) -> None:
    assert headings(text) == expected


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_blocks_whatever_the_line_ends(end: str) -> None:
    parts = [
        ("heading", "# T"),
        ("paragraph", "Words\nand more."),
        ("list", "- a\n\n  ```\n  x\n  ```\n- b\n  - c"),
        ("heading", "Sub\n---"),
        ("code", "```py\n# no\n\n```"),
        ("table", "| a | b |\n|---|---|\n| 1 | 2 |"),
        ("paragraph", "> quote"),
        ("code", "    indented\n\n    code"),
        ("element", "<div>\nx\n</div>"),
        ("paragraph", "[a]: /u"),
        ("list", "1. one\n2. two"),
        ("paragraph", "***"),
    ]
    parts = [(kind, part.replace("\n", end)) for kind, part in parts]
    assert kinds((end + end).join(part for _, part in parts)) == parts


@pytest.mark.parametrize(
    ("fence", "language"),
    [
        ("```", ""),
        ("```python", "python"),
        ("```py title='x'", "python"),
        ("~~~ C++", "cpp"),
        ("```{r}", "r"),
        ("```{.js}", "javascript"),
        ("``` Mermaid", "mermaid"),
    ],
)
def test_languages_of_code(fence: str, language: str) -> None:
    assert [b.language for b in read(f"{fence}\nx\n{fence[:3]}\n").blocks] == [language]


@pytest.mark.parametrize(
    ("text", "front"),
    [
        ("---\ntitle: x\n---\n# T", "---\ntitle: x\n---"),
        ("---\r\n\r\n# note\r\ntitle: x\r\n...\r\n# T", "---\r\n\r\n# note\r\ntitle: x\r\n..."),
        ("+++\ntitle = 'x'\n+++\n# T", "+++\ntitle = 'x'\n+++"),
        ("---\ntags:\n  - a\n---", "---\ntags:\n  - a\n---"),
        ("---\n# T\n---\n", ""),
        ("---\nWords\n---\n", ""),
        ("---\ntitle: never closed\n", ""),
        (" ---\ntitle: x\n---\n", ""),
        ("words\n---\ntitle: x\n---\n", ""),
        ("---\ntitle: x\n+++\n", ""),
    ],
)
def test_front_matter(text: str, front: str) -> None:
    first = read(text).blocks[0]
    found = text[first.start : first.end] if first.language in ("yaml", "toml") else ""
    assert found == front
    assert [h.title for h in read(text).headings if h.title == "T"] == ["T"] * text.count("# T")


def test_a_quoted_text_stays_as_it_is() -> None:
    text = "$119.6 and $5 <script>x</script> **b** `c`"
    assert kinds(text) == [("paragraph", text)]


PARTS = [
    *("Plain words here.\n\n", "Two\nlines\n\n", "Words \n \t\n\n", "é\r\n\r\n", "a\rb\n\n", "x\n", "\n", "   ", "\t"),
    *("- item\n\n", "  more\n\n", "1. a\n\n", "* a\n\n  * b\n\n", "    code\n\n", "```\n", "> q\n", "---\n", "# H\n\n"),
    *("<!--\n", "-->\n\n", "a -->\n\n", "<div>\n\n", "<pre>\n", "</pre>\n\n", "a < b\n\n", "| a |\n|---|\n", "[a]:\n"),
]
PROSE = st.lists(st.sampled_from([*PARTS, *PIECES]), max_size=30).map("".join)


@given(PROSE)
def test_cutting_plain_runs_short_changes_no_block(text: str) -> None:
    """`_without_plain_runs` spares the parser most of a long prose; the blocks must be those of the whole text."""
    fast = read(text).blocks
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(markdown, "_without_plain_runs", lambda text, start: iter([Span(start, len(text))]))
        assert read(text).blocks == fast


def test_plain_runs_are_cut_short() -> None:
    text = "Words.\n\n" * 100 + "- list\n\n" + "Words.\n\n" * 100
    pieces = list(markdown._without_plain_runs(text, 0))
    assert sum(piece.end - piece.start for piece in pieces) < 60
    assert len(read(text).blocks) == 201


@pytest.mark.parametrize(
    "text",
    [
        ">" * 5000 + "x",
        "- " * 5000,
        "[" * 20_000,
        "`" * 20_000 + "a",
        "# " + "*a " * 5000,
        "# " + "[" * 5000,
        "<" * 20_000,
    ],
)
def test_nesting_and_open_marks(text: str) -> None:
    document = read(text)
    assert document.blocks[0].start == 0
    assert document.blocks[-1].end == len(text.rstrip())


def test_a_long_paragraph_is_read_in_time_that_grows_with_it() -> None:
    """Counted in steps of the pattern, not in seconds: one try for each paragraph, not for each line."""
    assert [m.start() for m in markdown._PLAIN_RUN.finditer("a\nb\n\nc\n\nd\n\ne\n")] == [0]
    assert markdown._PLAIN_RUN.search("x\n" + "a\n" * 50, 2) is None
    document = Document.from_text("a\r\n" * 100_000, name="a.md")
    assert [b.kind for b in document.blocks] == ["paragraph"]
