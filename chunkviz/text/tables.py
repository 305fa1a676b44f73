r"""Tables of a document: where each row stands, and the header row that gives the cells their meaning.

What a table is written in decides how its rows are found:

    Markdown          a line is a row; the first is the header, and the line of dashes below it belongs to it
    HTML source       `tr` elements of the table itself, not of one nested in it; the header is what stands in `thead`, or
                      the first rows that hold nothing but `th`
    LaTeX             rows end at `\\`; the header is what stands above the first rule that has a row above it
    everything else   a line is a row, cells are parted by " | ": so the loaders write tables of web pages, Word files and
                      PDFs. The header is the `thead` element that the loader of web pages has found. Where there is none,
                      it is the first row, unless that holds numbers or labels that end in a colon; lines without a
                      bar before it are the caption

The header is never text of a chunk that does not span it. It is the chunk's *context*, which does not count toward `size`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from chunkviz.document import Block, Document
from chunkviz.spans import Span, trimmed
from chunkviz.text.blocks import line_starts
from chunkviz.text.html_source import tags, words

LONGEST_HEADER: Final = 1000
"""Characters. A longer first row is no header that anyone would want beside every chunk, and is not repeated."""

_MOST_CAPTION: Final = 50
_BAR: Final = " | "
_NUMBER = re.compile(r"[\W\d_]*\d[\W\d_]*[A-Za-z%€$£]{0,3}")
_YEAR = re.compile(r"(?:19|20)\d\d")
_LABEL_ENDS: Final = (":", "：")


@dataclass(frozen=True, slots=True)
class Table:
    """One table. Positions are code points of the document.

    span  : all of it, markup, caption and rules included
    rows  : each row in order, those of the header first; in markup, what stands between rows is in none of them
    heads : for each of the first rows that comes before the body its words, cells parted by " | "; "" for a caption and
            for the line of dashes in Markdown. Empty where there is no header
    """

    span: Span
    rows: tuple[Span, ...]
    heads: tuple[str, ...] = ()

    @property
    def header(self) -> str:
        """The words of the header rows, a line for each; "" where there is none."""
        return "\n".join(head for head in self.heads if head)

    def header_before(self, position: int) -> str:
        """The header rows that end at or before `position`; "" behind the last row, where nothing is left to head."""
        if not self.heads or position >= self.rows[-1].end:
            return ""
        if position >= self.rows[len(self.heads) - 1].end:
            return self.header
        before = (head for head, row in zip(self.heads, self.rows, strict=False) if row.end <= position)
        return "\n".join(head for head in before if head)

    def borders(self) -> list[int]:
        """Where a cut leaves every row whole: starts and ends of rows inside the table, in order, each once."""
        inside = {at for row in self.rows for at in row}
        return sorted(inside - {self.span.start, self.span.end})


def is_table(block: Block) -> bool:
    """Whether a block is a table; in Markdown, a table written in HTML is an element of that name."""
    return block.kind == "table" or (block.kind == "element" and block.path[-1:] == ("table",))


def table_of(document: Document, block: Block, thead: Span | None = None) -> Table:
    """The rows and the header of one block for which `is_table` holds; linear in its length.

    thead : the header, where the loader has found it

    >>> page = Document.from_text("| a | b |\\n|---|---|\\n| 1 | 2 |", name="notes.md")
    >>> table_of(page, page.blocks[0]).header, len(table_of(page, page.blocks[0]).rows)
    ('| a | b |', 3)
    """
    text = document.text
    if text.startswith("<", block.start):
        rows, head = _html_rows(text, block.start, block.end)
        heads = [_html_words(text, row) for row in rows[:head]]
    elif document.format == "latex":
        rows, head = _latex_rows(text, block.start, block.end)
        heads = [_latex_words(text, row) for row in rows[:head]]
    else:
        rows = _lines(text, block.start, block.end)
        lines = [text[row.start : row.end] for row in rows[:_MOST_CAPTION]]
        if document.format == "markdown":
            heads = [*lines[:1], *("" for _ in lines[1:2])]
        elif thead is not None:
            heads = [
                "" if row.end <= thead.start else text[row.start : row.end] for row in rows if row.end <= thead.end
            ]
        else:
            heads = _likely_heads(lines)
    if sum(map(len, heads)) > LONGEST_HEADER:
        heads = []
    return Table(block.span, tuple(rows), tuple(heads))


class Tables:
    """The tables of one document, each read when it is first asked for."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._blocks: list[Block] = []
        self._theads: dict[int, Span] = {}
        end = 0
        for block in document.blocks:
            if block.start < end and block.path[-1:] == ("thead",):
                self._theads[len(self._blocks) - 1] = block.span
            elif block.start >= end and is_table(block):
                self._blocks.append(block)
                end = block.end
        self._starts = [block.start for block in self._blocks]
        self._read: dict[int, Table] = {}

    def __getitem__(self, at: int) -> Table:
        table = self._read.get(at)
        if table is None:
            table = self._read[at] = table_of(self._document, self._blocks[at], self._theads.get(at))
        return table

    def of(self, position: int) -> Table | None:
        """The table that `position` stands in, None outside of one."""
        at = bisect_right(self._starts, position) - 1
        return self[at] if at >= 0 and position < self._blocks[at].end else None

    def within(self, start: int, end: int) -> Iterator[Table]:
        """The tables that `[start, end)` touches, in order."""
        at = max(0, bisect_right(self._starts, start) - 1)
        while at < len(self._blocks) and self._starts[at] < end:
            if self._blocks[at].end > start:
                yield self[at]
            at += 1

    def header_at(self, position: int) -> str:
        """The header rows that a chunk which starts here has lost; "" outside of tables, and where it begins with them."""
        table = self.of(position)
        return table.header_before(position) if table is not None else ""


def tables(document: Document) -> Tables:
    """The tables of a document, kept with it."""
    return document.derive("tables", lambda: Tables(document))


# ---- a line for each row ------------------------------------------------------------------------------------------


def _lines(text: str, start: int, end: int) -> list[Span]:
    spans = (trimmed(text, Span(a, b)) for a, b in pairwise(line_starts(text, start, end)))
    return [span for span in spans if span.length]


def _likely_heads(rows: list[str]) -> list[str]:
    """The first row with two cells, after "" for each line before it, which are the caption; [] where it is no header."""
    first = next((at for at, row in enumerate(rows) if _BAR in row), None)
    if first is None or first + 1 >= len(rows):
        return []
    cells = [cell.strip() for cell in rows[first].split("|")]  # an empty last cell has lost its blank
    values = any(_NUMBER.fullmatch(cell) and not _YEAR.fullmatch(cell) for cell in cells)
    labels = any(cell.endswith(_LABEL_ENDS) for cell in cells)
    if values or labels or sum(map(bool, cells)) * 2 < len(cells):
        return []
    return [*("" for _ in rows[:first]), rows[first]]


# ---- HTML source --------------------------------------------------------------------------------------------------


def _html_rows(text: str, start: int, end: int) -> tuple[list[Span], int]:
    rows: list[Span] = []
    heads: list[bool] = []  # for each row, whether it can be a header
    depth, in_head = 0, False
    begin = -1  # of the row at hand, -1 between rows
    cells: set[str] = set()

    def close(at: int) -> None:
        nonlocal begin
        if begin >= 0:
            rows.append(trimmed(text, Span(begin, start + at)))
            heads.append(in_head or cells == {"th"})
        begin = -1
        cells.clear()

    for tag in tags(text[start:end]):
        if tag.name == "table":
            if tag.closes and depth == 1:
                close(tag.start)
            depth += -1 if tag.closes else 1
        elif depth != 1:
            continue
        elif tag.name in ("thead", "tbody", "tfoot"):
            close(tag.start)
            in_head = tag.name == "thead" and not tag.closes
        elif tag.name == "tr":
            close(tag.end if tag.closes else tag.start)
            if not tag.closes:
                begin = start + tag.start
        elif tag.name in ("td", "th") and not tag.closes:
            if begin < 0:  # a browser puts a row around cells that have none
                begin = start + tag.start
            cells.add(tag.name)
    close(end - start)
    head = next((at for at, could in enumerate(heads) if not could), len(heads))
    # Nothing but header cells: the first row heads the others.
    return rows, min(head, 1) if head == len(rows) else head


def _html_words(text: str, row: Span) -> str:
    source = text[row.start : row.end]
    starts = [tag.start for tag in tags(source) if tag.name in ("td", "th") and not tag.closes]
    return _BAR.join(words(source[a:b]) for a, b in pairwise([*starts, len(source)]))


# ---- LaTeX --------------------------------------------------------------------------------------------------------

_TABULAR: Final = r"(?:tabular[xy]?|longtable|array|supertabular)\*?"
_LATEX = re.compile(
    r"%[^\r\n]*"
    rf"|(?P<begin>\\begin[ \t]*\{{{_TABULAR}\}}(?:\[[^\]\r\n]*\])?(?:\{{(?:[^{{}}]|\{{[^{{}}]*\}}){{0,500}}\}}){{1,2}})"
    rf"|(?P<end>\\end[ \t]*\{{{_TABULAR}\}})"
    r"|(?P<row>\\\\\*?(?:\[[^\]\r\n]{0,40}\])?|\\tabularnewline(?![A-Za-z]))"
    r"|(?P<rule>\\(?:hline|toprule|midrule|bottomrule|cmidrule|cline|specialrule|addlinespace|end(?:first)?head|endfoot)"
    r"(?![A-Za-z])(?:\([a-z]*\)|\[[^\]\r\n]{0,40}\]|\{[^{}\r\n]{0,40}\})*)"
    r"|\\.|(?P<brace>[{}])",
    re.DOTALL,
)
_CELL_BORDER = re.compile(r"\s*(?<!\\)&\s*")


def _latex_rows(text: str, start: int, end: int) -> tuple[list[Span], int]:
    rows: list[Span] = []
    head = depth = braces = 0
    begin = start

    def close(at: int) -> None:
        nonlocal begin
        span = trimmed(text, Span(begin, at))
        if span.length:
            rows.append(span)
        begin = at

    for token in _LATEX.finditer(text, start, end):
        if token["begin"]:
            depth += 1
            if depth == 1:
                begin, braces = token.end(), 0
        elif token["end"] and depth:
            if depth == 1:
                close(token.start())
            depth -= 1
        elif depth != 1:
            continue
        elif token["brace"]:
            braces = max(0, braces + (1 if token["brace"] == "{" else -1))
        elif token["row"] and not braces:
            close(token.end())
        elif token["rule"] and not braces and not text[begin : token.start()].strip():
            begin = token.end()
            head = head or len(rows)
    return rows, head if head < len(rows) else 0


def _latex_words(text: str, row: Span) -> str:
    source = re.sub(r"(?:\\\\\*?(?:\[[^\]]*\])?|\\tabularnewline)\s*\Z", "", text[row.start : row.end])
    return _BAR.join(" ".join(cell.split()) for cell in _CELL_BORDER.split(source))
