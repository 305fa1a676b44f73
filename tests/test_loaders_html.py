"""Web pages: the words as a browser shows them, what is left out, and blocks found on the source."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkviz import Document, load
from chunkviz.spans import Span, Spans, lost


def read(page: str, **options: object) -> Document:
    return load(page.encode(), name="x.html", **options)


def kinds(document: Document) -> list[tuple[str, str]]:
    return [(b.kind, document.text[b.start : b.end]) for b in document.blocks]


def outside_blocks(document: Document) -> list[Span]:
    blocks = document.blocks
    return list(lost(document.text, Spans([b.start for b in blocks], [b.end for b in blocks])))


def notes(document: Document) -> str:
    return "\n".join(note.text for note in document.notes)


# ---- words ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>a <b>b</b> c</p>", "a b c"),
        ("<p>\n  a\t<i> b </i>\n c </p>", "a b c"),
        ("<p>a<b>b</b>c", "abc"),
        ("<p>x<br>y <br/> z</p>", "x\ny\nz"),
        ("a&nbsp;&nbsp;b &amp; c &lt;d&gt;", "a\u00a0\u00a0b & c <d>"),
        ("<div>one<div>two</div>three</div>", "one\n\ntwo\n\nthree"),
        ("<p>one<p>two", "one\n\ntwo"),
        ("<pre>\n  a\n\n    b\t</pre>", "  a\n\n    b"),
        ("<pre>a<br>b</pre>", "a\nb"),
        ("<pre>a <span>b</span>\n<b>c</b></pre>", "a b\nc"),
        ("<button>Save</button><button>Send</button>", "Save\n\nSend"),
        ("a < b & c", "a < b & c"),
        ("<b>x</i>", "x"),
        ("<custom-tag>a</custom-tag> b", "a b"),
        ("<textarea>a</textarea>", "a"),
        ("<frameset><frame></frameset>", ""),
        ("", ""),
    ],
)
def test_words_as_a_browser_shows_them(page: str, text: str) -> None:
    assert read(page).text == text


def test_headings_have_level_title_and_path() -> None:
    page = "<main><h1>T <em>x</em><a class='headerlink' href='#t'>¶</a></h1><section><h2>A<br>B</h2><p>c</p></section></main>"
    document = read(page)
    assert [(h.level, h.title) for h in document.headings] == [(1, "T x"), (2, "A B")]
    assert document.heading_path(len(document.text) - 1) == ("T x", "A B")
    assert [b.path for b in document.blocks] == [
        ("main", "h1"),
        ("main", "section", "h2"),
        ("main", "section", "p"),
    ]


def test_paths_number_siblings_of_a_kind() -> None:
    document = read("<p>a</p><section><p>b</p></section><section><p>c</p><p>d</p></section>")
    assert [b.path for b in document.blocks] == [
        ("p",),
        ("section", "p"),
        ("section[2]", "p"),
        ("section[2]", "p[2]"),
    ]


def test_lists() -> None:
    page = "<ul><li>one<ul><li>in one</ul><li><p>two</p><p>more</p></li></ul>z<ol start=3><li>x<li>y<br>z</ol>"
    assert kinds(read(page)) == [
        ("list", "- one\n  - in one\n- two\n  more"),
        ("paragraph", "z"),
        ("list", "3. x\n4. y\n   z"),
    ]
    assert read("<dl><dt>term<dd>meaning</dl>").text == "term\n  meaning"
    assert kinds(read("<ul><li>a</ul><ul><li>b</ul>")) == [("list", "- a"), ("list", "- b")]


def test_code_and_headings_inside_a_list_are_blocks_of_their_own() -> None:
    page = "<ol><li>Run<pre><code class='language-sh'>make</code></pre></li><li><h3>Next</h3>go</li></ol>"
    document = read(page)
    assert kinds(document) == [("list", "1. Run"), ("code", "make"), ("heading", "Next"), ("list", "2. go")]
    assert document.blocks[1].language == "bash"


def test_tables_are_one_block_with_a_line_for_each_row() -> None:
    page = """<table><caption>Cap</caption><thead><tr><th>A<th>B</thead>
        <tr><td>1<td><p>2</p><p>3</p><ul><li>x</ul></tr><tr><td></td><td>9</td></tr><tr><td></td></tr></table>"""
    assert kinds(read(page)) == [("table", "Cap\nA | B\n1 | 2 3 x\n| 9"), ("element", "A | B")]
    assert read(page).blocks[1].path == ("table", "thead")


def test_a_table_that_lays_out_a_page_is_none() -> None:
    page = "<table><tr><td><h2>T</h2>words<table><tr><td>1<td>2</table></table>"
    assert kinds(read(page)) == [("heading", "T"), ("paragraph", "words"), ("table", "1 | 2")]


@pytest.mark.parametrize(
    ("page", "language"),
    [
        ("<pre>x</pre>", ""),
        ("<pre class='language-py'>x</pre>", "python"),
        ("<pre><code class='hljs language-C++'>x</code></pre>", "cpp"),
        ("<div class='highlight highlight-source-rust'><pre>x</pre></div>", "rust"),
        ("<div class='highlight-python3 notranslate'><div class='highlight'><pre>x</pre></div></div>", "python"),
        ("<pre class='highlight-default'>x</pre>", ""),
    ],
)
def test_languages_of_code(page: str, language: str) -> None:
    assert [(b.kind, b.language) for b in read(page).blocks] == [("code", language)]


def test_formulas_are_kept_once() -> None:
    inline = (
        "<p>if <math alttext='a^2'><mi>a</mi><annotation encoding='application/x-tex'>no</annotation></math> then</p>"
    )
    apart = "<math display='block'><mi>x</mi><annotation encoding='application/x-tex'>x_1</annotation></math>"
    assert kinds(read(inline + apart)) == [("paragraph", "if a^2 then"), ("equation", "x_1")]


# ---- what is left out ----------------------------------------------------------------------------------------------

PAGE = """<!doctype html><title>Page</title><script>one()</script>
<header>Logo <h1>Only title</h1> tagline</header><nav>Menu</nav><div class="breadcrumbs">Home</div>
<main><article><header><h2>In article</h2></header><p>Words.</p><footer>Author</footer></article></main>
<!-- c --><aside>Aside</aside><div role="contentinfo">Imprint</div><p hidden>h1</p><p style="DISPLAY: none">h2</p>
<footer>Foot</footer><img src="x" alt="picture">"""


def test_boilerplate_is_left_out_and_counted() -> None:
    document = read(PAGE)
    assert document.text == "Only title\n\nIn article\n\nWords.\n\nAuthor"
    assert notes(document) == (
        "Left out: 1 navigation, 1 page header, 2 footers, 1 side column, 1 breadcrumb trail, 2 hidden parts, "
        "1 page title, 1 script, 1 comment (48 characters).\n"
        "1 image is left out, with the words that stand for them."
    )


def test_boilerplate_can_be_kept() -> None:
    document = read(PAGE, keep_boilerplate=True)
    assert document.options == {"keep_boilerplate": True}
    for word in ("Logo", "tagline", "Menu", "Home", "Aside", "Imprint", "Foot"):
        assert word in document.text
    for word in ("one()", "h1", "h2", "Page"):
        assert word not in document.text


def test_a_second_h1_leaves_the_header_out() -> None:
    assert read("<header><h1>Site</h1></header><h1>Page</h1>x").text == "Page\n\nx"


def test_a_page_of_boilerplate_alone_is_kept_and_said_so() -> None:
    document = read("<nav>All there is</nav>")
    assert document.text == "All there is"
    assert [n.level for n in document.notes] == ["warning"]


@pytest.mark.parametrize("wrapper", ["nav", "aside", "header", "div class='breadcrumb'", "div role='banner'"])
def test_what_holds_the_content_is_never_left_out(wrapper: str) -> None:
    assert read(f"<{wrapper}><main><p>x</p></main></{wrapper.split()[0]}>").text == "x"


def test_a_page_without_words_says_so() -> None:
    document = read("<script>x</script>")
    assert document.text == ""
    assert "holds no words" in notes(document)


# ---- charset, XHTML ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("declared", "encoding"),
    [
        ("iso-8859-1", "cp1252"),
        ("windows-1250", "cp1250"),
        ("Shift_JIS", "cp932"),
        ("gb2312", "gb18030"),
        ("koi8-r", "koi8-r"),
    ],
)
def test_the_declared_charset_is_taken(declared: str, encoding: str) -> None:
    word = {"cp1252": "“é”", "cp1250": "é", "cp932": "猫", "gb18030": "天", "koi8-r": "мир"}[encoding]
    for meta in (
        f"<meta charset={declared}>",
        f"<meta http-equiv='Content-Type' content='text/html; charset={declared}'>",
    ):
        document = load(f"{meta}<p>{word}".encode(encoding), name="x.html")
        assert document.text == word
        assert f"Read as {encoding}, as the file declares." in notes(document)


@pytest.mark.parametrize("declared", ["utf-16", "utf-7", "unicode_escape", "hex", "idna", "nonsense", "utf-8"])
def test_declared_charsets_that_no_page_is_in(declared: str) -> None:
    assert load(f"<meta charset={declared}><p>é +AGE- \\u0041".encode(), name="x.html").text == "é +AGE- \\u0041"


def test_xhtml_may_close_elements_at_once() -> None:
    page = "<html><head><script src='a'/><title/></head><body><p id='x'/><p>Words</p></body></html>"
    declared = f"<?xml version='1.0' encoding='utf-8'?>{page}"
    assert load(page.encode(), name="x.xhtml").text == load(declared.encode(), name="x.html").text == "Words"


# ---- the source ----------------------------------------------------------------------------------------------------

SOURCE = """<!doctype html><html><head><title>No</title><script>"<p>"</script></head><body>
<H1 class="a>b">T &amp; <b>u</b></H1>
<p>One <b>two</b>
<p>Three<table><tr><td>1</table>
<ul><li>a<ul><li>b</ul></ul><pre class="language-py">
<b>x</b></pre><!-- <h2>no</h2> --><table><tr><td><h2>L</h2>m</table></body></html>"""


def test_source_blocks() -> None:
    document = Document.from_text(SOURCE, name="x.html")
    assert document.text == SOURCE
    assert [(h.level, h.title) for h in document.headings] == [(1, "T & u"), (2, "L")]
    assert [(k, s) for k, s in kinds(document) if k not in ("element", "paragraph")] == [
        ("heading", '<H1 class="a>b">T &amp; <b>u</b></H1>'),
        ("table", "<table><tr><td>1</table>"),
        ("list", "<ul><li>a<ul><li>b</ul></ul>"),
        ("code", '<pre class="language-py">\n<b>x</b></pre>'),
        ("heading", "<h2>L</h2>"),
    ]
    assert [s for k, s in kinds(document) if k == "paragraph"] == ["<p>One <b>two</b>", "<p>Three", "m</table>"]
    assert [b.language for b in document.blocks if b.kind == "code"] == ["python"]
    assert load(SOURCE.encode(), name="x.html", html_source=True).blocks == document.blocks


def test_source_is_marked_as_such() -> None:
    """What separators `recursive` takes depends on it."""
    assert Document.from_text("<p>x", name="x.html").options == {"html_source": True}
    assert load(b"<p>x", name="x.html", html_source=True).options == {"html_source": True}
    assert load(b"<p>x", name="x.html").options == {}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<h1>open", []),
        ("<h1>a<h2>b</h2>", [(2, "b")]),
        ("<h1>a</h2>", [(1, "a")]),
        ("<script><h1>no</h1></script><h1>b</h1>", [(1, "b")]),
        ("<!-- <h1>no</h1> --><h1>b</h1>", [(1, "b")]),
        ("<title><h1>no</h1></title>", []),
        ("<h1>x<br>y &lt;z&gt; ¶</h1>", [(1, "x y <z>")]),
        ("<ul><li><h3>c</h3></ul>", [(3, "c")]),
        ("<header>", []),
    ],
)
def test_headings_on_the_source(source: str, expected: list[tuple[int, str]]) -> None:
    assert [(h.level, h.title) for h in Document.from_text(source, name="x.html").headings] == expected


# ---- any page ------------------------------------------------------------------------------------------------------

TAGS = "p div ul ol li table tr td th caption h1 h2 pre code b a nav header footer main article script math br dl dt dd".split()
PAGES = st.lists(
    st.sampled_from(
        [f"<{t}>" for t in TAGS] + [f"</{t}>" for t in TAGS] + ["w{} ", "w{}", "\n", " ", "&amp;", "<!-- c -->", "<"]
    ),
    max_size=40,
).map(lambda parts: "".join(part.format(i) for i, part in enumerate(parts)))


@given(PAGES)
def test_words_come_in_order_once_and_in_blocks(page: str) -> None:
    """Words are numbered in the page; in the text each appears at most once, and all are inside blocks."""
    document = read(page, keep_boilerplate=True)
    at = 0
    heads = [b for b in document.blocks if b.path[-1:] == ("thead",)]
    whole = [b for b in document.blocks if b not in heads]
    for head in heads:
        assert any(b.kind == "table" and b.start <= head.start < head.end < b.end for b in whole)
    for block in whole:
        assert at <= block.start < block.end
        assert document.text[block.start : block.end].strip()
        at = block.end
    assert outside_blocks(document) == []
    source = Document.from_text(page, name="x.html")
    assert outside_blocks(source) == []
    assert all(a.end <= b.start for a, b in zip(source.blocks, source.blocks[1:], strict=False))


ORDERED = st.lists(
    st.sampled_from("p div ul ol li b i a span h1 h2 pre code section main blockquote".split()).flatmap(
        lambda t: st.sampled_from([f"<{t}>w{{}} ", f"w{{}}</{t}>", "w{}", "w{} "])
    ),
    max_size=40,
).map(lambda parts: "".join(part.format(i) for i, part in enumerate(parts)))


@given(ORDERED)
def test_no_inline_tag_reorders_or_loses_words(page: str) -> None:
    """Shared case B24, for any nesting of elements that a browser does not move."""
    expected = [w for w in page.replace("<", " <").replace(">", "> ").split() if w.startswith("w")]
    text = read(page).text
    positions = [text.find(word) for word in expected]
    assert -1 not in positions
    assert positions == sorted(positions)


@pytest.mark.parametrize(
    "page",
    [
        "<div>" * 5000 + "x",
        "<ul><li>" * 3000 + "x",
        "<ol>" * 3000 + "x</ol>" * 3000,
        "<table><tr><td>" * 2000 + "x",
        "<b>" * 5000 + "x",
        "<h1>" * 5000 + "x",
        "<aside>" * 3000 + "<main>x",
        "<table>" * 3000 + "<h1>x",
        "<p>" * 10_000 + "x",
        "<math>" * 3000 + "x",
    ],
)
def test_deep_nesting(page: str) -> None:
    document = read(page)
    assert set(document.text.split()) - {"-", "1."} == {"x"}
    assert len(document.text) < 100_000
    assert Document.from_text(page, name="x.html").text == page


@pytest.mark.slow
def test_fifty_thousand_levels() -> None:
    assert read("<div>" * 50_000 + "deep" + "</div>" * 50_000).text == "deep"


@pytest.mark.parametrize("unit", ["<a <", "<a \"'", "<!--", "<script>", "<", "<a '", '<p a="', "<!", "</"])
def test_broken_tags_take_no_longer(unit: str) -> None:
    """Quadratic scanning of 100,000 of these would take hours, so a generous limit is enough to catch it."""
    start = time.perf_counter()
    source = unit * 100_000
    assert Document.from_text(source, name="x.html").text == source
    assert time.perf_counter() - start < 20
