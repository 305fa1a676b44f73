"""Tables: where rows and headers are found in each format, held to slow and obvious finders; how strategies cut them."""

from __future__ import annotations

import re
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest
from contract import CHECKS
from hypothesis import given
from hypothesis import strategies as st

from chunkviz import Chunking, Document, Page, chunk, load
from chunkviz.document import Block
from chunkviz.text.tables import LONGEST_HEADER, Table, is_table, table_of, tables
from chunkviz.units import unit

SAMPLES = Path(__file__).parent.parent / "sample_docs"
BY_ROWS = ["structure", "page", "html"]
"""The strategies that cut a long table between rows."""


@cache
def sample(name: str) -> Document:
    return load(SAMPLES / name)


def only_table(document: Document) -> Table:
    (block,) = [b for b in document.blocks if is_table(b)]
    return table_of(document, block, next((b.span for b in document.blocks if b.path[-1:] == ("thead",)), None))


def texts(document: Document, table: Table) -> list[str]:
    return [document.text[row.start : row.end] for row in table.rows]


# ---- slow and obvious finders of rows, which know nothing of the code under test ------------------------------


class _Rows(HTMLParser):
    """Spans of the `tr` elements of an HTML source whose every row is closed, and spans of its tags."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=False)
        self._lines = [0, *(m.end() for m in re.finditer("\n", source))]
        self._source = source
        self._open: list[int] = []
        self.rows: list[tuple[int, int]] = []
        self.tags: list[tuple[int, int]] = []
        self.feed(source)
        self.close()

    def _at(self) -> int:
        line, column = self.getpos()
        return self._lines[line - 1] + column

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append((self._at(), self._at() + len(self.get_starttag_text() or "")))
        if tag == "tr":
            self._open.append(self._at())

    def handle_endtag(self, tag: str) -> None:
        end = self._source.index(">", self._at()) + 1
        self.tags.append((self._at(), end))
        if tag == "tr":
            self.rows.append((self._open.pop(), end))


def line_rows(document: Document) -> list[tuple[int, int]]:
    """Each line of each table, character by character."""
    found = []
    for block in document.blocks:
        if block.kind == "table":
            begin = block.start
            for at in range(block.start, block.end + 1):
                if at == block.end or document.text[at] == "\n":
                    found.append((begin, at))
                    begin = at + 1
    return found


def rows_of(document: Document) -> list[tuple[int, int]]:
    if document.options.get("html_source"):
        return _Rows(document.text).rows
    return line_rows(document)


def cut_rows(made: Chunking, rows: list[tuple[int, int]]) -> list[str]:
    """The rows that fit the limit and are whole in no chunk."""
    count, size = unit(made.unit).count, made.recipe.params["size"]
    text = made.document.text
    return [
        text[start:end]
        for start, end in rows
        if count(text[start:end]) <= size and not any(c.start <= start and end <= c.end for c in made.chunks)
    ]


def test_the_finder_of_cut_rows_sees_a_cut_row() -> None:
    """The liar: `fixed` knows nothing of rows."""
    document = Document.from_text("| a | b |\n|---|---|\n" + "| one | two |\n" * 20, name="t.md")
    made = chunk(document, "fixed", size=17, overlap=0, unit="characters")
    assert cut_rows(made, line_rows(document))


# ---- rows and headers, format by format -------------------------------------------------------------------------


def test_markdown() -> None:
    document = Document.from_text("Words.\n\n| A | B |\r\n|:--|--:|\r\n| 1 | 2 |\r\n| 3 |\r\n\nMore.", name="t.md")
    table = only_table(document)
    assert texts(document, table) == ["| A | B |", "|:--|--:|", "| 1 | 2 |", "| 3 |"]
    assert table.heads == ("| A | B |", "")
    assert table.header == "| A | B |"


SOURCE = """<p>x</p><table class="t">
<caption>Prices</caption>
<thead><tr><th>Fish &amp; <b>chips</b></th><th>now<br>later</th></tr><tr><th>kind</th><th>€</th></tr></thead>
<tbody><tr><th>Cod</th><td>1</td></tr><!-- <tr><td>no</td></tr> -->
<tr><td>Eel</td><td><p>2</p><p>3</p></td></tr></tbody><tfoot><tr><td>All<td>6</table>"""


def test_html_source() -> None:
    document = Document.from_text(SOURCE, name="t.html")
    table = only_table(document)
    assert table.heads == ("Fish & chips | now later", "kind | €")
    assert texts(document, table)[2:] == [
        "<tr><th>Cod</th><td>1</td></tr>",
        "<tr><td>Eel</td><td><p>2</p><p>3</p></td></tr>",
        "<tr><td>All<td>6",
    ]


@pytest.mark.parametrize(
    ("rows", "heads"),
    [
        ("<tr><th>A<th>B<tr><td>1<td>2", ("A | B",)),
        ("<tr><td>A<td>B<tr><td>1<td>2", ()),
        ("<tr><th>A<th>B<tr><th>C<th>D", ("A | B",)),  # nothing but header cells: one row heads the other
        ("<tr><th>A<td>1<tr><th>B<td>2", ()),  # heads of rows, not of columns
        ("<td>A<td>B", ()),  # cells without a row
        ("", ()),
    ],
)
def test_headers_in_html_source(rows: str, heads: tuple[str, ...]) -> None:
    document = Document.from_text(f"<p>x</p><table>{rows}</table>", name="t.html")
    assert only_table(document).heads == heads


def test_a_table_in_a_cell_is_part_of_the_row() -> None:
    source = "<table><tr><td>1<table><tr><td>in</td></tr></table></td></tr><tr><td>2</td></tr></table>"
    document = Document(source, format="html", blocks=(Block("table", 0, len(source)),))
    assert [len(row) for row in texts(document, only_table(document))] == [54, 19]


def test_words_of_a_web_page() -> None:
    page = (
        "<p>x<table><caption>Cap</caption><tr><th>Year<th>2024<tr><th>Sum<th>12 m<tr><th>a<td>1<tr><td>b<td>2</table>"
    )
    document = load(page.encode(), name="t.html")
    table = only_table(document)
    assert texts(document, table) == ["Cap", "Year | 2024", "Sum | 12 m", "a | 1", "b | 2"]
    assert table.heads == ("", "Year | 2024", "Sum | 12 m")
    assert table.header_before(table.rows[1].start) == ""
    assert table.header_before(table.rows[2].start) == "Year | 2024"  # the second row is in the chunk itself
    assert table.header_before(table.rows[3].start) == "Year | 2024\nSum | 12 m"
    assert table.header_before(table.rows[-1].end) == ""


@pytest.mark.parametrize(
    ("lines", "heads"),
    [
        ("Name | Size\nCod | 3\nEel | 4", ("Name | Size",)),
        ("Table 1\nName | 2023 | 2024\nCod | 3 | 5", ("", "Name | 2023 | 2024")),
        ("Cod | 3\nEel | 4", ()),
        ("Name: | Cod\nSize: | 3", ()),
        ("Name |  | \nCod | 3 | 4", ()),
        ("Name | Size", ()),
        ("one\ntwo", ()),
    ],
)
def test_the_first_row_of_lines_is_a_header_unless_it_holds_values(lines: str, heads: tuple[str, ...]) -> None:
    document = Document(lines, format="docx", blocks=(Block("table", 0, len(lines)),))
    assert only_table(document).heads == heads


LATEX = r"""Words.

\begin{table}
  \caption{Cap}
  \begin{tabular}{l@{ }r}
    \toprule
    Name & R\&D % a \\ in a comment
    \\ \midrule
    Cod & {a \\ b} \\[2pt]
    Eel & 4 \\
    \bottomrule
  \end{tabular}
\end{table}
"""


def test_latex() -> None:
    document = Document.from_text(LATEX, name="t.tex")
    table = only_table(document)
    assert [row.split()[0] for row in texts(document, table)] == ["Name", "Cod", "Eel"]
    assert texts(document, table)[1] == r"Cod & {a \\ b} \\[2pt]"
    assert table.header.startswith(r"Name | R\&D")


def test_latex_without_a_rule_has_no_header() -> None:
    document = Document.from_text("\\begin{tabular}{ll}\na & b \\\\\nc & d \\\\ \\hline\n\\end{tabular}", name="t.tex")
    assert (len(only_table(document).rows), only_table(document).heads) == (2, ())


def test_a_header_as_long_as_a_page_is_not_repeated() -> None:
    head = "| " + "x" * LONGEST_HEADER + " |\n|---|\n"
    document = Document.from_text(head + "| 1 |\n" * 50, name="t.md")
    assert only_table(document).header == ""
    assert {c.context for c in chunk(document, "structure", size=60).chunks} == {""}


def test_the_samples_tables_have_their_headers() -> None:
    found = {}
    for path in sorted(SAMPLES.iterdir()):
        if path.suffix in (".md", ".html", ".docx", ".pdf", ".tex"):
            document = sample(path.name)
            heads = [tables(document).of(b.start) for b in document.blocks if b.kind == "table"]
            found[path.name] = [table.header.split(" | ")[0].strip("| ") for table in heads if table]
    assert found["help_page.html"] == ["Reason"]
    assert found["policy_handbook.pdf"] == ["Shift", "Allowance"]
    assert found["quarterly_report.docx"] == ["Route", "Item"]
    assert found["toolkit_readme.md"] == ["Setting"]
    assert found["paper.tex"] == ["Vessel"]


# ---- cuts -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", BY_ROWS)
@pytest.mark.parametrize(
    "name", ["help_page.html", "policy_handbook.pdf", "quarterly_report.docx", "toolkit_readme.md"]
)
@pytest.mark.parametrize("size", [16, 40, 90])
def test_no_row_of_a_sample_is_cut(strategy: str, name: str, size: int) -> None:
    document = sample(name)
    made = chunk(document, strategy, size=size)
    assert cut_rows(made, rows_of(document)) == []
    for check in CHECKS:
        check(made)


CELLS = st.text(st.sampled_from("ab. é猫😀"), min_size=1, max_size=12).map(lambda text: text.strip() or "x")
TABLES = st.lists(st.lists(CELLS, min_size=2, max_size=4), min_size=2, max_size=25)
AROUND = st.sampled_from(["", "One sentence. Another one.", "# Title", "word " * 30])


def as_markdown(rows: list[list[str]], before: str, after: str) -> Document:
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    dashes = "|" + "---|" * len(rows[0])
    return Document.from_text("\n".join([before, "", lines[0], dashes, *lines[1:], "", after]), name="t.md")


def as_source(rows: list[list[str]], before: str, after: str) -> Document:
    body = "\n".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    first = f"<h2>{before[2:]}</h2>" if before.startswith("#") else f"<p>{before}</p>"
    return Document.from_text(f"<main>{first}<table>{body}</table><p>{after}</p></main>", name="t.html")


def as_word(rows: list[list[str]], before: str, after: str) -> Document:
    table = "\n".join(" | ".join(row) for row in rows)
    parts = [("paragraph", before), ("table", table), ("paragraph", after)]
    text, blocks = "", []
    for kind, part in parts:
        if part:
            text += "\n\n" if text else ""
            blocks.append(Block(kind, len(text), len(text) + len(part)))
            text += part
    return Document(text, format="docx", blocks=tuple(blocks), pages=(Page(0, len(text), 1, "1"),))


@pytest.mark.parametrize("make", [as_markdown, as_source, as_word])
@given(rows=TABLES, before=AROUND, after=AROUND, data=st.data())
def test_no_row_is_cut_unless_it_is_too_large(make, rows, before, after, data) -> None:  # type: ignore[no-untyped-def]
    document = make(rows, before, after)
    strategy = data.draw(st.sampled_from(BY_ROWS))
    size = data.draw(st.integers(1, 80))
    params = {} if strategy == "html" else {"overlap": data.draw(st.integers(0, min(size - 1, 20)))}
    made = chunk(
        document, strategy, size=size, unit=data.draw(st.sampled_from(["characters", "cl100k_base"])), **params
    )
    assert cut_rows(made, rows_of(document)) == []
    for check in CHECKS:
        check(made)


@pytest.mark.parametrize("strategy", BY_ROWS)
@pytest.mark.parametrize("make", [as_markdown, as_source, as_word])
def test_every_further_piece_has_the_header_as_context_and_not_as_text(make, strategy: str) -> None:  # type: ignore[no-untyped-def]
    rows = [["Fish", "Price"], *([f"kind {n}", f"{n} euros"] for n in range(40))]
    document = make(rows, "Title of it.", "The end.")
    if make is as_source:
        text = document.text.replace("<td>Fish</td><td>Price</td>", "<th>Fish</th><th>Price</th>")
        document = Document.from_text(text, name="t.html")
    made = chunk(document, strategy, size=100, unit="characters")
    inside = [c for c in made.chunks if "kind" in c.text and "Fish" not in c.text]
    assert len(inside) > 5
    assert {c.context for c in inside} == {"| Fish | Price |" if make is as_markdown else "Fish | Price"}
    assert all(c.context in ("", "main", "main > table", "main > p") for c in made.chunks if c not in inside)
    assert all(c.tokens <= 100 for c in made.chunks)
    assert any("end of a table row" in c.reason for c in made.chunks)


@pytest.mark.parametrize("strategy", BY_ROWS)
def test_a_table_that_fits_is_whole(strategy: str) -> None:
    document = as_markdown([["a", "b"]] * 10, "Words go here. " * 30, "More words. " * 30)
    made = chunk(document, strategy, size=60)
    (block,) = [b for b in document.blocks if b.kind == "table"]
    assert any(c.start <= block.start and block.end <= c.end for c in made.chunks)


def test_rows_are_repeated_as_far_as_the_overlap_allows() -> None:
    document = as_word([["Name", "Size"], *([f"row{n:02}", "word"] for n in range(30))], "", "")
    made = chunk(document, "structure", size=60, overlap=30, unit="characters")
    lines = [c.text.split("\n") for c in made.chunks]
    assert all(b[0] in a for a, b in pairwise(lines))
    assert all(a[-1] != b[-1] for a, b in pairwise(lines))


def test_text_without_tables_is_cut_as_before() -> None:
    document = Document.from_text("# A\n\n" + "Some words here. " * 200, name="t.md")
    plain = chunk(document, "recursive", size=50, overlap=0)
    assert chunk(document, "structure", size=50).spans == plain.spans


def test_a_table_over_two_pages_keeps_its_header() -> None:
    document = as_word([["Name", "Size"], *([f"row{n:02}", "word"] for n in range(10))], "", "")
    half = document.text.index("row05")
    pages = (Page(0, half, 1, "1"), Page(half, len(document.text), 2, "2"))
    made = chunk(Document(document.text, format="docx", blocks=document.blocks, pages=pages), "page")
    assert [c.context for c in made.chunks] == ["", "Name | Size"]


def test_tables_dropped_by_others_are_all_there() -> None:
    """Shared case B26."""
    table, code = "| a | b |\n|---|---|\n| 1 | 2 |", "```\ncode()\n```"
    text = f"Text.\n\n{table}\n\nMore.\n\n{code}\n\nEnd."
    for strategy in BY_ROWS:
        for size in (3, 10, 500):
            made = chunk(Document.from_text(text, name="t.md"), strategy, size=size)
            for check in CHECKS:
                check(made)
            assert made.dropped == ()
