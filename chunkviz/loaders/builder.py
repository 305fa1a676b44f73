"""The text of a document that is put together from parts, with its blocks."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from chunkviz.document import Block, BlockKind

HIGHEST_LEVEL = 1
LOWEST_LEVEL = 6


@dataclass
class Builder:
    """Grows a text block by block: a blank line between blocks, a line per item of a list.

    counts : what the loader counts on the way, for its notes
    """

    blocks: list[Block] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    length: int = 0
    _parts: list[str] = field(default_factory=list)
    _may_go_on: bool = False

    @property
    def text(self) -> str:
        return "".join(self._parts)

    @property
    def next_start(self) -> int:
        """Where the next block will start."""
        return self.length + 2 if self._parts else 0

    def block(self, kind: BlockKind, text: str, level: int = 0) -> None:
        """Add a block; an item right after another item becomes a line of the same list. Blank text adds nothing.

        level : of a heading; brought into the range from 1 to 6
        """
        if not text.strip():
            return
        if kind == "list" and self._may_go_on:
            self._add("\n" + text)
            self.blocks[-1] = Block("list", self.blocks[-1].start, self.length)
            return
        start = self.next_start
        self._add("\n\n" + text if self._parts else text)
        if kind == "heading":
            level = min(max(level, HIGHEST_LEVEL), LOWEST_LEVEL)
            self.blocks.append(Block(kind, start, self.length, level, " ".join(text.split())))
        else:
            self.blocks.append(Block(kind, start, self.length))
        self._may_go_on = kind == "list"

    def end_list(self) -> None:
        """The next item starts a list of its own: a page or a box ends here."""
        self._may_go_on = False

    def _add(self, text: str) -> None:
        self._parts.append(text)
        self.length += len(text)


def counted(number: int, one: str, many: str) -> str:
    """A number with its noun.

    >>> counted(1, "table", "tables"), counted(1200, "table", "tables")
    ('1 table', '1,200 tables')
    """
    return f"{number:,} {one if number == 1 else many}"
