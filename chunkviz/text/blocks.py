"""Lines, paragraphs and pages of a text as spans; what every loader builds its blocks with.

A line ends at LF, CR or CRLF and nowhere else: U+2028, vertical tab and form feed are characters of their line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from chunkviz.document import Block, Page
from chunkviz.spans import Span, is_blank, trimmed

_LINE_END = re.compile(r"\r\n|\r|\n")
# Atomic and possessive, or the CR and the LF of one CRLF would pass for two line ends with an empty line between.
_BREAK = re.compile(r"\f|(?>\r\n|\r|\n)(?:[^\S\r\n]*+(?>\r\n|\r|\n))+")


def line_starts(text: str, start: int = 0, end: int | None = None) -> list[int]:
    """Where each line of `text[start:end]` starts, and `end` as a last entry.

    >>> line_starts("a\\r\\nb\\rc")
    [0, 3, 5, 6]
    >>> line_starts("a\\n")
    [0, 2]
    """
    end = len(text) if end is None else end
    starts = [start, *(m.end() for m in _LINE_END.finditer(text, start, end))]
    if starts[-1] != end or start == end:
        starts.append(end)
    return starts


def paragraphs(text: str, start: int = 0, end: int | None = None) -> Iterator[Span]:
    """The stretches of `text[start:end]` between blank lines and form feeds, trimmed; blank ones are left out.

    >>> list(paragraphs("A.\\r\\n\\r\\nB.\\r\\nb."))
    [Span(start=0, end=2), Span(start=6, end=12)]
    """
    end = len(text) if end is None else end
    at = start
    for gap in _BREAK.finditer(text, start, end):
        if not is_blank(text, at, gap.start()):
            yield trimmed(text, Span(at, gap.start()))
        at = gap.end()
    if not is_blank(text, at, end):
        yield trimmed(text, Span(at, end))


def keeping_indent(text: str, start: int, end: int) -> Span:
    """`text[start:end]` without blank lines around it, the first line's indentation kept: the span of a code block.

    >>> keeping_indent("\\n  a\\n b\\n", 0, 8)
    Span(start=1, end=7)
    """
    inner = trimmed(text, Span(start, end))
    line = max(text.rfind("\n", start, inner.start), text.rfind("\r", start, inner.start)) + 1
    return Span(max(line, start), inner.end) if inner.start < inner.end else inner


def filled(text: str, blocks: Iterable[Block], start: int = 0) -> tuple[Block, ...]:
    """`blocks` with a paragraph for everything from `start` on that none of them covers and that is not white space.

    The blocks given are in order and do not overlap.
    """
    out: list[Block] = []
    at = start
    for block in blocks:
        out += (Block("paragraph", *span) for span in paragraphs(text, at, block.start))
        out.append(block)
        at = block.end
    out += (Block("paragraph", *span) for span in paragraphs(text, at))
    return tuple(out)


def form_feed_pages(text: str) -> tuple[Page, ...]:
    """The pages of a text that separates them by form feeds; none where it holds no form feed.

    A form feed belongs to the page it ends. What follows the last one is a page only if something is on it.
    """
    ends = [m.end() for m in re.finditer("\f", text)]
    if not ends:
        return ()
    if is_blank(text, ends[-1], len(text)):
        ends[-1] = len(text)
    else:
        ends.append(len(text))
    starts = [0, *ends[:-1]]
    return tuple(Page(s, e, n, str(n)) for n, (s, e) in enumerate(zip(starts, ends, strict=True), start=1))
