"""Sections: what lies between a document's headings, and how small neighbours join."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from chunkviz.document import Document
from chunkviz.graphemes import graphemes
from chunkviz.params import Int
from chunkviz.spans import Span

DEEPEST: Final = 6
"""The deepest level a heading may have."""

HeadingLevels = Annotated[
    int,
    Int(
        label="Heading levels",
        unit="levels",
        low=1,
        high=DEEPEST,
        help="Down to which level a heading begins a new chunk. More: smaller sections, more chunks.",
    ),
]
"""The parameter `deepest` of every strategy that cuts at headings."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with the text under it, up to the next heading of any level that counts.

    level : of the heading, 0 for what stands before the first one
    title : of the heading, "" before the first one
    """

    span: Span
    level: int
    title: str


def sections(document: Document, deepest: int = DEEPEST) -> list[Section]:
    """The document parted before each heading down to level `deepest`; trimmed, in order, nothing left out.

    >>> [s.title for s in sections(Document.from_text("intro\\n\\n# A\\n\\na\\n\\n## B\\n\\nb", name="x.md"))]
    ['', 'A', 'B']
    """
    heads = [h for h in document.headings if h.level <= deepest]
    begins = [(0, 0, "")] + [(h.start, h.level, h.title) for h in heads]
    ends = [h.start for h in heads] + [len(document.text)]
    borders = graphemes(document)
    found = []
    for (start, level, title), end in zip(begins, ends, strict=True):
        span = borders.trimmed(start, end)
        if span.length:
            found.append(Section(span, level, title))
    return found
