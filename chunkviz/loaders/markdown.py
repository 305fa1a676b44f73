"""Markdown by CommonMark's rules, with tables and front matter. The text is the source; blocks are found in it.

markdown-it says in which lines a block stands. It counts lines as `text.blocks.line_starts` does, so its numbers lead
to exact positions on the text as it came, CRLF included.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

from chunkviz.document import Block, BlockKind, Document
from chunkviz.loaders.base import Loader
from chunkviz.loaders.code import language_name
from chunkviz.loaders.text import parse_with
from chunkviz.spans import Span, trimmed
from chunkviz.text.blocks import filled, form_feed_pages, keeping_indent, line_starts

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

# What becomes of each token of the outermost level. Paragraphs, quotes, rules and link definitions are not here: what
# no block covers becomes paragraphs in `filled`.
_KINDS: Final[dict[str, BlockKind]] = {
    "heading_open": "heading",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "table_open": "table",
    "fence": "code",
    "code_block": "code",
    "html_block": "element",
}
# A fence as the very first line, then blank lines and comments, then a key: a heading between two rules is none.
_FRONT_OPEN = re.compile(
    r"(---|\+\+\+)[ \t]*(?>\r\n|\r|\n)(?:[ \t]*+(?:\#[^\r\n]*+)?(?>\r\n|\r|\n))*+[\w\"'][\w \"'./-]*[:=](?=\s)"
)
_FRONT_CLOSE = re.compile(r"(?<=[\r\n])(---|\+\+\+|\.\.\.)[ \t]*(?:\r\n|\r|\n|\Z)")
_PLAIN = r"(?:[^\W\d_][^<>\r\n]*+\r?\n)++(?:[ \t]*+\r?\n)++"
# Only where a paragraph begins: tried at each of its lines, a long one without an end would be read once for every line.
_PLAIN_RUN = re.compile(rf"(?:(?<=\n\n)|(?<=\n\r\n)|\A)((?:{_PLAIN}){{2}})(?:{_PLAIN})++")
_HTML_HEADING = re.compile(r"\s*<h([1-6])\b[^>]*>(.*?)</h\1\s*>\s*\Z", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<[^>]*>")
_TAG_NAME = re.compile(r"\s*</?([A-Za-z][\w-]*)")


@cache
def _parser() -> MarkdownIt:
    # Imported here: it takes a moment that nobody pays who opens no Markdown.
    from markdown_it import MarkdownIt

    # Blocks are all that is needed of most of the text; the words of a heading are read one by one in `_title`.
    return MarkdownIt("commonmark").enable("table").disable(["inline", "text_join"])


@cache
def _inline_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("strikethrough")


def from_text(text: str, name: str, language: str) -> Document:
    """Markdown: headings with level and title, lists, tables, code with its language, HTML blocks, paragraphs.

    Only what stands at the outermost level is structure: a heading inside a quote or a list item is part of that.
    """
    body = _front_matter_end(text)
    front = trimmed(text, Span(0, body))
    blocks = [Block("code", *front, language="yaml" if text.startswith("-") else "toml")] if body else []
    pieces = tuple(_without_plain_runs(text, body))
    lines = [start for piece in pieces for start in line_starts(text, *piece)[:-1]]
    blocks += _blocks(text, _parser().parse("".join(text[a:b] for a, b in pieces)), [*lines, len(text)])
    return Document(text, name, "markdown", blocks=filled(text, blocks), pages=form_feed_pages(text))


def _blocks(text: str, tokens: Sequence[Token], lines: Sequence[int]) -> Iterator[Block]:
    """Blocks of the outermost tokens; `lines` holds where each of the lines that were parsed starts in `text`."""
    for i, token in enumerate(tokens):
        if token.level or not token.map or token.type not in _KINDS:
            continue
        kind = _KINDS[token.type]
        start, end = lines[token.map[0]], lines[min(token.map[1], len(lines) - 1)]
        if kind == "code":
            words = token.info.split()
            language = language_name(words[0].strip("{.}")) if words else ""
            yield Block(kind, *keeping_indent(text, start, end), language=language)
            continue
        span = trimmed(text, Span(start, end))
        if kind == "heading":
            yield Block(kind, *span, level=int(token.tag[1]), title=_title(tokens[i + 1].content))
        elif kind == "element":
            yield _html_block(text, span)
        else:
            yield Block(kind, *span)


def _html_block(text: str, span: Span) -> Block:
    """A block of HTML: a heading if that is all it is, as at the top of many a README, else an element."""
    source = text[span.start : span.end]
    heading = _HTML_HEADING.match(source)
    if heading:
        return Block("heading", *span, level=int(heading[1]), title=_title(_TAG.sub(" ", heading[2])))
    tag = _TAG_NAME.match(source)
    return Block("element", *span, path=(tag[1].lower(),) if tag else ("html",))


def _title(content: str) -> str:
    """The words of a heading: emphasis, links, code marks and tags removed, entities and escapes resolved."""
    words: list[str] = []
    for token in _inline_parser().parseInline(content):
        for child in token.children or ():
            if child.type in ("softbreak", "hardbreak"):
                words.append(" ")
            elif child.type != "html_inline":
                words.append(child.content)  # of an image, this is what stands for it
    return " ".join("".join(words).split())


def _front_matter_end(text: str) -> int:
    """Where the YAML (---) or TOML (+++) front matter ends, its fences included; 0 where there is none.

    A rule, then words, then a rule is Markdown as well: what stands between must begin with a key.
    """
    opening = _FRONT_OPEN.match(text)
    closing = _FRONT_CLOSE.search(text, opening.end()) if opening else None
    return closing.end() if opening and closing and closing[1] in (opening[1], "...") else 0


def _without_plain_runs(text: str, start: int) -> Iterator[Span]:
    """What of `text[start:]` the parser has to see: runs of plain paragraphs are cut down to their first two.

    A plain paragraph begins each of its lines with a letter, holds no < or >, and has a blank line after it. Whatever
    it stands in (the outermost level, a fence, a comment), a third one in a row changes nothing that the second did not
    change; the second has closed every list. Long prose is read many times faster for it.
    """
    for run in _PLAIN_RUN.finditer(text, start):
        yield Span(start, run.end(1))
        start = run.end()
    yield Span(start, len(text))


LOADER = Loader(
    format="markdown",
    suffixes=(".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd", ".rmd"),
    parse=parse_with(from_text),
    from_text=from_text,
)
