"""A document: decoded text with what is known about its structure. Immutable."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Literal, TypeVar

from chunkviz.spans import Span

T = TypeVar("T")

Format = Literal["text", "markdown", "html", "pdf", "docx", "code", "json", "latex"]
FORMATS: Final[tuple[Format, ...]] = ("text", "markdown", "html", "pdf", "docx", "code", "json", "latex")

BlockKind = Literal["heading", "paragraph", "list", "table", "code", "equation", "element"]
BLOCK_KINDS: Final[tuple[BlockKind, ...]] = (
    "heading",
    "paragraph",
    "list",
    "table",
    "code",
    "equation",
    "element",
)


@dataclass(frozen=True, slots=True)
class Block:
    """A span of the document with a kind. Blocks are in order of their starts; only `element`s may nest.

    level    : 1 for the highest heading, 0 for every other kind
    title    : a heading's words without its markup, "" for every other kind
    language : of a code block, lower case, "" where the document does not say
    path     : where an element stands in its tree, outermost first, e.g. ("main", "section[2]", "p")
    """

    kind: BlockKind
    start: int
    end: int
    level: int = 0
    title: str = ""
    language: str = ""
    path: tuple[str, ...] = ()

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)


@dataclass(frozen=True, slots=True)
class Page:
    """One page: its span, its number counted from 1, and the label printed on it ("iv", "12")."""

    start: int
    end: int
    number: int
    label: str

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)


@dataclass(frozen=True, slots=True)
class Note:
    """One line of the extraction report: what the loader found, changed or left out.

    topic : one word to sort by ("encoding", "pages", "hyphens", "ligatures", "columns", "tables", "boilerplate", ...)
    text  : one sentence for a reader who is no engineer
    count : how many times, 0 where counting makes no sense
    level : "info" for what is as it should be, "warning" for what the reader should look at
    """

    topic: str
    text: str
    count: int = 0
    level: Literal["info", "warning"] = "info"


# Identity equality: two documents are the same when their `fingerprint` is; comparing megabytes by accident is not free.
@dataclass(frozen=True, eq=False)
class Document:
    """Decoded text with its format, blocks, pages and extraction notes.

    text     : what every offset in chunkviz points into, in code points; holds no lone surrogate
    name     : for display only, never a path
    language : of source code, lower case ("python"), "" otherwise
    options  : the loader options that made it, part of every recipe; no password is ever in it
    """

    text: str
    name: str = "document"
    format: Format = "text"
    blocks: tuple[Block, ...] = ()
    pages: tuple[Page, ...] = ()
    notes: tuple[Note, ...] = ()
    language: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)

    @staticmethod
    def from_text(text: str, name: str = "document.txt", format: str | None = None) -> Document:
        """A document from text at hand: the text stays as it is, the structure is found in it.

        name   : its ending decides the format where `format` is not given: "notes.md" is Markdown
        format : one of `FORMATS` except "pdf" and "docx", which exist as files only
        Raises `LoadError` for an unknown format, and for what is no text.

        >>> Document.from_text("# Title\\n\\nWords.", name="notes.md").blocks[0].title
        'Title'
        """
        from chunkviz.loaders import from_text  # the loaders know how to read each format; they import this module

        return from_text(text, name, format)

    @cached_property
    def _derived(self) -> dict[Hashable, Any]:
        return {}

    def derive(self, key: Hashable, make: Callable[[], T]) -> T:
        """What `make` returns, worked out once and kept as long as this document lives.

        Facts that cost something (token borders, sentences) belong to the document they are about, not to a module:
        nothing outlives the document, and nothing of one reader's document can reach another's. Two threads may
        both work a fact out; they get equal ones, and the first is kept.
        """
        known = self._derived
        if key not in known:
            known.setdefault(key, make())
        value: T = known[key]
        return value

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over everything a strategy can see, length-prefixed so that no two documents share one; hex."""
        digest = hashlib.sha256()
        blocks = repr(self.blocks)
        pages = repr(self.pages)
        for part in (self.text, self.format, self.language, blocks, pages):
            data = part.encode("utf-8", "surrogatepass")
            digest.update(len(data).to_bytes(8, "big"))
            digest.update(data)
        return digest.hexdigest()

    @cached_property
    def headings(self) -> tuple[Block, ...]:
        """The blocks that are headings, in order."""
        return tuple(b for b in self.blocks if b.kind == "heading")

    @cached_property
    def _heading_paths(self) -> tuple[list[int], list[tuple[str, ...]]]:
        starts: list[int] = []
        paths: list[tuple[str, ...]] = []
        open_: list[Block] = []
        for heading in self.headings:
            while open_ and open_[-1].level >= heading.level:
                open_.pop()
            open_.append(heading)
            starts.append(heading.start)
            paths.append(tuple(h.title for h in open_))
        return starts, paths

    def heading_path(self, position: int) -> tuple[str, ...]:
        """The headings that `position` stands under, outermost first; a heading is under itself."""
        starts, paths = self._heading_paths
        i = bisect_right(starts, position)
        return paths[i - 1] if i else ()

    @cached_property
    def _page_starts(self) -> list[int]:
        return [p.start for p in self.pages]

    def pages_of(self, start: int, end: int) -> tuple[int, ...]:
        """Numbers of the pages that `[start, end)` touches; empty for a document without pages."""
        if not self.pages:
            return ()
        first = max(0, bisect_right(self._page_starts, start) - 1)
        last = max(first, bisect_right(self._page_starts, max(start, end - 1)) - 1)
        return tuple(p.number for p in self.pages[first : last + 1])

    def __repr__(self) -> str:
        return f"Document({self.name!r}, {self.format}, {len(self.text):,} characters)"
