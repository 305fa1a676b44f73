"""`html`: cuts at the blocks of a page, in its words and in its source, never inside a tag that fits."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from awkward import FIXED, awkward_text
from contract import CHECKS
from hypothesis import given
from hypothesis import strategies as st

from chunkviz import Chunking, Document, chunk, load
from chunkviz.document import Block
from chunkviz.text.html_source import words
from chunkviz.units import unit

SAMPLES = Path(__file__).parent.parent / "sample_docs"
SOURCE = (SAMPLES / "help_page.html").read_text(encoding="utf-8")
UNITS = ["cl100k_base", "characters", "words", "all-MiniLM-L6-v2"]


class _Tags(HTMLParser):
    """Spans of the tags and comments of a source, as the standard library finds them."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=False)
        self._source = source
        self._lines = [0]
        for line in source.split("\n"):
            self._lines.append(self._lines[-1] + len(line) + 1)
        self.spans: list[tuple[int, int]] = []
        self.feed(source)
        self.close()

    def _at(self) -> int:
        line, column = self.getpos()
        return self._lines[line - 1] + column

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.spans.append((self._at(), self._at() + len(self.get_starttag_text() or "")))

    def handle_endtag(self, tag: str) -> None:
        self.spans.append((self._at(), self._source.index(">", self._at()) + 1))

    def handle_comment(self, data: str) -> None:
        self.spans.append((self._at(), self._source.index("-->", self._at()) + 3))


def cut_tags(made: Chunking) -> list[str]:
    """The tags that fit the limit and through which a chunk begins or ends."""
    text, size, count = made.document.text, made.recipe.params["size"], unit(made.unit).count
    edges = {edge for c in made.chunks for edge in (c.start, c.end)}
    return [
        text[start:end]
        for start, end in _Tags(text).spans
        if count(text[start:end]) <= size and any(at in edges for at in range(start + 1, end))
    ]


def source(text: str) -> Document:
    return Document.from_text(text, name="page.html")


# ---- the shared cases -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 3, 5, 500])
def test_inline_tags_never_reorder_text(size: int) -> None:
    """Shared case B24."""
    page = "<main><h1>T</h1><p>a <b>b</b> c</p><h2>S</h2><p>d</p></main>"
    for document in (load(page.encode(), name="p.html"), source(page)):
        made = chunk(document, "html", size=size, unit="words")
        together = words("".join(c.text + " " for c in made.chunks)).replace(" ", "")
        assert together == "TabcSd"
        assert {c.heading_path for c in made.chunks if "d" in c.text} >= {("T", "S")}


class _Characters(HTMLParser):
    """The visible characters of a page in their order, as the standard library reads them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found = ""
        self.feed(page)
        self.close()

    def handle_data(self, data: str) -> None:
        self.found += "".join(data.split())


NUMBERS = st.integers(0, 9999).map(lambda n: f" w{n} ")
INLINE = st.recursive(
    NUMBERS,
    lambda inner: st.builds(
        lambda tag, parts: f"<{tag}>{''.join(parts)}</{tag}>",
        st.sampled_from(["b", "i", "em", "span", "code", "a", "sub"]),
        st.lists(inner, max_size=4),
    ),
    max_leaves=12,
)
PARAGRAPHS = st.builds(
    lambda tag, parts: f"<{tag}>{''.join(parts)}</{tag}>",
    st.sampled_from(["p", "h2", "li", "div", "td", "blockquote"]),
    st.lists(INLINE, min_size=1, max_size=4),
)


@given(
    st.lists(PARAGRAPHS, min_size=1, max_size=5).map("".join),
    st.integers(1, 12),
    st.booleans(),
)
def test_inline_tags_never_reorder_the_text_of_any_page(inner: str, size: int, as_source: bool) -> None:
    page = f"<main>{inner.replace('<td>', '<table><tr><td>').replace('</td>', '</td></tr></table>')}</main>"
    document = source(page) if as_source else load(page.encode(), name="p.html")
    made = chunk(document, "html", size=size, unit="words")
    # A bullet of a list is the loader's; a tag larger than the limit is cut, and its halves are words only together.
    shown = "".join("".join(c.text.split()) for c in made.chunks)
    shown = "".join(_Characters("".join(c.text for c in made.chunks)).found.split()) if as_source else shown
    numbers = re.compile(r"w\d+")
    assert numbers.findall(shown) == numbers.findall(_Characters(page).found)


def test_each_section_is_a_chunk_with_its_path() -> None:
    made = chunk(load(SOURCE.encode(), name="p.html"), "html", size=200)
    assert [c.heading_path[-1] for c in made.chunks] == [
        "Returning a parcel", "How to return something", "Large parcels", "From abroad", "What it costs",
        "When the money comes",
    ]  # fmt: skip
    assert made.chunks[1].context == "main"
    assert made.chunks[0].reason == "next heading: How to return something"


def test_a_chunk_of_one_block_has_the_path_of_that_block() -> None:
    document = load(b"<main><section><p>One is here.</p><p>Two is here.</p></section></main>", name="p.html")
    made = chunk(document, "html", size=5)
    assert [c.context for c in made.chunks] == ["main > section > p", "main > section > p[2]"]
    assert chunk(document, "html", size=50).chunks[0].context == "main > section"


def test_short_sections_share_a_chunk_where_asked_for() -> None:
    document = load(SOURCE.encode(), name="p.html")
    assert len(chunk(document, "html", size=300, headings=False).chunks) == 1
    assert len(chunk(document, "html", size=150, headings=False).chunks) < 4


def test_a_heading_without_text_shares_the_section_below_it() -> None:
    document = load(b"<h1>A</h1><h2>B</h2><p>b</p><h2>C</h2><h2>D</h2><p>d</p>", name="p.html")
    assert [c.text.split() for c in chunk(document, "html").chunks] == [["A", "B", "b"], ["C"], ["D", "d"]]


def test_a_heading_is_not_left_alone_before_a_paragraph_that_fits_alone() -> None:
    words_ = "One two three four. Five six seven eight."
    for document in (
        load(f"<h2>Head</h2><p>{words_}</p>".encode(), name="p.html"),
        source(f"<h2>Head</h2><p>{words_}"),
    ):
        made = chunk(document, "html", size=8, unit="words")
        assert "four." in made.chunks[0].text


# ---- lists, source, boilerplate ---------------------------------------------------------------------------------

LIST = "<ul>" + "".join(f"<li>Item {n} <b>is. Here</b><ul><li>sub {n}</li></ul></li>" for n in range(9)) + "</ul>"


@pytest.mark.parametrize("read", [source, lambda page: load(page.encode(), name="p.html")])
def test_a_long_list_is_cut_between_its_outer_items(read) -> None:  # type: ignore[no-untyped-def]
    made = chunk(read(LIST), "html", size=120, unit="characters")
    assert len(made.chunks) > 2
    for c in made.chunks:
        assert words(c.text).lstrip("- ").startswith("Item")
        assert "sub" in c.text.rsplit("Item", 1)[1]
    assert {c.reason for c in made.chunks[:-1]} == {"size reached; cut between two list items"}


def test_what_is_too_long_at_every_level_is_forced_apart_and_says_so() -> None:
    made = chunk(source("<p>" + "x" * 300 + "</p>"), "html", size=50, unit="characters")
    assert any(c.reason.startswith("forced: ") for c in made.chunks)
    assert max(c.tokens for c in made.chunks) <= 50


def test_a_tag_larger_than_the_limit_is_the_only_one_that_is_cut() -> None:
    page = f'<p>Some words before <a href="/{"path/" * 30}">the link</a> and some after it.</p>'
    made = chunk(source(page), "html", size=40, unit="characters")
    assert cut_tags(made) == []
    assert any("path/path" in c.text and not c.text.endswith(">") for c in made.chunks)


def test_boilerplate_is_left_out_where_asked_for_and_listed() -> None:
    made = chunk(source(SOURCE), "html", boilerplate=False)
    shown = "".join(c.text for c in made.chunks)
    assert "Spring sale" not in shown
    assert "invented shop" not in shown
    assert "dataLayer" not in shown
    assert "Read next" in shown  # a side column of the content belongs to it
    assert {d.reason for d in made.dropped} == {
        "navigation", "page header", "footer", "breadcrumb trail", "markup without words",
        "scripts, styles and what else is not shown",
    }  # fmt: skip
    assert chunk(source(SOURCE), "html").dropped == ()


def test_a_page_of_boilerplate_is_kept_and_says_so() -> None:
    made = chunk(source("<nav><p>Home</p></nav>"), "html", boilerplate=False)
    assert made.chunks
    assert "so these were kept" in made.notes[0]


def test_documents_of_other_formats_are_cut_at_their_blocks_with_a_note() -> None:
    document = Document.from_text("# A\n\nWords.\n\n- one\n- two\n\n```\ncode\n```\n", name="n.md")
    made = chunk(document, "html", size=3)
    assert "no web page" in made.notes[0]
    assert [c.text for c in made.chunks][-1].endswith("```")
    assert chunk(load(SOURCE.encode(), name="p.html"), "html").notes == ()


def test_nested_blocks_and_gaps_between_blocks_lose_nothing() -> None:
    text = "before outer inner after"
    document = Document(text, blocks=(Block("element", 7, 18), Block("element", 13, 18)))
    made = chunk(document, "html", size=1, unit="words")
    assert [c.text for c in made.chunks] == text.split()


# ---- the contract, and no cut inside a tag, on generated pages ---------------------------------------------------

TAGS = "p div ul li table tr td th h1 h3 pre b a br nav section".split()
PAGES = st.lists(
    st.one_of(
        st.sampled_from([f"<{t}>" for t in TAGS] + [f"</{t}>" for t in TAGS]),
        st.sampled_from(['<a href="x. Y z">', "<!-- A. B -->", "<td>One is. Two", "One is. Two ", "\n", "w ", "&amp;"]),
        awkward_text(2),
    ),
    max_size=40,
).map("".join)
PARAMS = st.fixed_dictionaries({"size": st.integers(1, 80), "headings": st.booleans(), "boilerplate": st.booleans()})


@given(page=PAGES, params=PARAMS, unit_=st.sampled_from(UNITS), as_source=st.booleans())
def test_promises_hold_on_pages(page: str, params: dict[str, int], unit_: str, as_source: bool) -> None:
    document = source(page) if as_source else load(page.encode(), name="p.html")
    made = chunk(document, "html", unit=unit_, **params)
    for check in CHECKS:
        check(made)


@pytest.mark.parametrize("name", ["x.html", "x.md", "x.txt", "x.tex", "x.py", "x.json"])
@pytest.mark.parametrize("text", FIXED, ids=lambda t: repr(t[:12]))
def test_promises_hold_on_the_smallest_texts_of_every_format(name: str, text: str) -> None:
    for size in (1, 20):
        for check in CHECKS:
            check(chunk(Document.from_text(text, name=name), "html", size=size))


WELL_FORMED = st.recursive(
    st.sampled_from(["Words here. ", "More of them! ", "a&amp;b ", "é猫 ", "<br>", "<!-- no. Words -->"]),
    lambda inner: st.tuples(
        st.sampled_from(["p", "div", "b", 'a href="/x. Y z"', "ul", "li", "table", "tr", "td", 'td class="a b"', "h2"]),
        st.lists(inner, max_size=5),
    ).map(lambda e: f"<{e[0]}>{''.join(e[1])}</{e[0].split()[0]}>"),
    max_leaves=30,
)


@given(page=WELL_FORMED, size=st.integers(1, 90), unit_=st.sampled_from(["characters", "cl100k_base"]))
def test_no_cut_inside_a_tag_that_fits(page: str, size: int, unit_: str) -> None:
    assert cut_tags(chunk(source(page), "html", size=size, unit=unit_)) == []


@pytest.mark.parametrize("size", [12, 30, 60, 200])
def test_no_tag_of_the_sample_is_cut(size: int) -> None:
    assert cut_tags(chunk(source(SOURCE), "html", size=size)) == []


def test_the_finder_of_cut_tags_sees_a_cut_tag() -> None:
    """The liar: `fixed` knows nothing of tags."""
    assert cut_tags(chunk(source(SOURCE), "fixed", size=12, overlap=0))


@pytest.mark.parametrize(
    "page",
    [
        "<ul><li>" * 3000 + "x",
        "<div>" * 5_000 + "x",
        "<table><tr><td>" * 3000 + "x",
        "<" * 50_000,
        "<p>" + "x. " * 8_000,
    ],
    ids=["lists", "divs", "tables", "brackets", "sentences"],
)
def test_hostile_pages_are_cut_in_time(page: str) -> None:
    for document in (source(page), load(page.encode(), name="p.html")):
        for check in CHECKS:
            check(chunk(document, "html", size=40))
