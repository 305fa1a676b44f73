"""Cutting along a syntax tree: split what is too long, pack what fits (the way of cAST, arXiv:2506.15655).

For the items of a node, in order:

1. Items that are tied to each other form a group, and neighbouring groups are packed into one chunk while they fit.
2. A group that is too long has its too long items taken apart into their children, and the same begins again with
   those, the short items tied to them included: a class header goes with the first method.
3. A leaf that is too long (a string, a comment) goes through the recursive splitter, with the short items around it.
4. What was left beside items that were taken apart shares a chunk with its neighbours of the same kind while they fit:
   a chain of `else if`, or of a hundred texts joined by `+`, is a nest as deep as it is long, with a few words on each level.

Nothing that fits is ever cut. Work lists stand on a stack of their own, so that nesting costs no recursion.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final, NamedTuple

import numpy as np

from chunkviz.graphemes import Graphemes
from chunkviz.measures import Measure
from chunkviz.spans import Span, trimmed
from chunkviz.spec import Piece
from chunkviz.text.recursive import RecursiveSplitter
from chunkviz.text.syntax import SyntaxTree
from chunkviz.text.syntax_items import Item, Scope, called, ends, is_definition, items

# No source that anyone wrote nests so deep; what is deeper is a leaf.
_DEEPEST: Final = 1_000
# Differences between token borders are close to exact counts: this close, and never this many times more.
_CLOSE: Final = 8
_FAR: Final = 64
# The most items that go along with a neighbour that is taken apart: a header has fewer, a table of numbers more.
_COMPANY: Final = 40


class Found(NamedTuple):
    """A chunk: its span, the items it begins with, and why it ends if not before the next one's.

    beside : it stood beside an item that was taken apart
    """

    piece: Piece
    begins: list[Item]
    scopes: tuple[Scope, ...]
    beside: bool = False


class Parts(NamedTuple):
    """Items that must be cut in their turn; `beside` as in `Found`."""

    items: list[Item]
    beside: bool = False


@dataclass(frozen=True)
class SyntaxCutter:
    """Cuts one text along its tree.

    size     : the most that a chunk counts, in units of `measure`
    merge    : whether neighbours share a chunk while they fit; otherwise every definition has one of its own
    splitter : for leaves that are too long
    """

    text: str
    tree: SyntaxTree
    measure: Measure
    graphemes: Graphemes
    splitter: RecursiveSplitter
    size: int
    merge: bool

    def pieces(self, *, context: bool) -> list[Piece]:
        """All chunks of the text, in order. With `context`, each carries the headers of the definitions around it."""
        whole = Item(0, len(self.text), False, self.tree.root, ())
        found: list[Found] = []
        stack: list[Iterator[Found | Parts]] = [self._cut(Parts(items(self.tree, whole) or [whole]), 0)]
        while stack:
            step = next(stack[-1], None)
            if step is None:
                stack.pop()
            elif isinstance(step, Found):
                found.append(step)
            else:
                stack.append(self._cut(step, len(stack)))
        return list(self._finished(list(self._joined(found)), context))

    def _joined(self, found: list[Found]) -> Iterator[Found]:
        """Neighbours that stood beside items taken apart, in one chunk as long as they fit and are in the same scopes."""
        held: Found | None = None
        for this in found:
            alike = held and held.beside and this.beside and held.scopes == this.scopes and this.begins[0].opens is None
            if held and alike and self.measure.count(held.piece.start, this.piece.end) <= self.size:
                held = held._replace(piece=held.piece._replace(end=this.piece.end))
            else:
                if held:
                    yield held
                held = this
        if held:
            yield held

    def _finished(self, found: list[Found], context: bool) -> Iterator[Piece]:
        """Pieces with their reasons: where one ends is where the next begins."""
        for this, following in zip_longest(found, found[1:]):
            piece = this.piece
            if following is None:
                piece = piece._replace(reason="last part of the code")
            elif following.begins:
                piece = piece._replace(reason=f"before {called(self.tree, following.begins)}")
            yield piece._replace(context="\n".join(s.header for s in this.scopes)) if context else piece

    # --- packing ---------------------------------------------------------------------------------------------------

    def _cut(self, parts: Parts, depth: int) -> Iterator[Found | Parts]:
        """Chunks, and items that must be cut in their turn."""
        groups: list[list[Item]] = []
        for part in parts.items:
            if groups and part.tied:
                groups[-1].append(part)
            else:
                groups.append([part])
        if len(groups) == 1:
            yield from self._apart(groups[0], parts.beside, depth)
            return
        spans = [Span(group[0].start, group[-1].end) for group in groups]
        packs = list(self._packed(spans, self._alone(groups)))
        nested = (
            packs[-1][2] is None if packs else False
        )  # the last one, like all after `else`, holds the rest of a chain
        for first, after, chunk in packs:
            if chunk is None:
                yield Parts(groups[first])
            else:
                beside = parts.beside or (nested and after == len(groups) - 1)
                yield Found(Piece(*chunk, ""), groups[first], groups[first][0].scopes, beside)

    def _alone(self, groups: list[list[Item]]) -> list[bool]:
        return [not self.merge and any(is_definition(item.node) for item in group) for group in groups]

    def _packed(self, parts: list[Span], alone: list[bool]) -> Iterator[tuple[int, int, Span | None]]:
        """Greedily, as many neighbouring parts as fit: (first, one past the last, their chunk).

        The chunk is None for a single part that is too long; what is blank is left out.
        """
        starts, ends = self._units_before(parts)
        first = 0
        while first < len(parts):
            after = first + 1
            if not alone[first]:
                most = bisect_right(ends, starts[first] + self.size + _CLOSE, after)
                after = next((i for i in range(after, most) if alone[i]), max(after, most))
            after, chunk = self._most(parts, first, after, [end - starts[first] for end in ends[first:after]])
            if chunk is None or chunk.length:
                yield first, after, chunk
            first = after

    def _most(self, parts: Sequence[Span], first: int, after: int, about: list[int]) -> tuple[int, Span | None]:
        """One past the last part that fits together with `first`, at most `after`; and the chunk, None for one too long.

        about : units from `first` to the end of each of these parts, to within a few
        """
        low, high, tried, back = first, after + 1, after, 1
        found: Span | None = None
        while low + 1 < high:
            made = self._fitting(parts[first].start, parts[tried - 1].end, about[tried - 1 - first])
            if made is None:
                # Mostly the estimate is off by one part; but a token can hold a hundred brackets, and a word a thousand.
                high, tried, back = tried, max(tried - back, low + 1), 2 * back
            else:
                low, tried, found = tried, (tried + high) // 2, made
        return max(low, first + 1), found

    def _units_before(self, parts: Sequence[Span | Item]) -> tuple[list[int], list[int]]:
        """Units that begin before each part's start, and before its end without the white space there."""
        borders = self.measure.borders[:-1]
        starts = np.searchsorted(borders, np.array([p.start for p in parts]), side="left")
        ends = np.searchsorted(borders, np.array([self._ink_end(p) for p in parts]), side="left")
        return starts.tolist(), ends.tolist()

    def _ink_end(self, part: Span | Item) -> int:
        end = part.end
        while end > part.start and self.text[end - 1].isspace():
            end -= 1
        return end

    def _fitting(self, start: int, end: int, about: int) -> Span | None:
        """The chunk for a range if it fits, else None; empty for a blank range.

        about : its units to within a few; to count a megabyte exactly only to learn that it is too long costs too much

        With the first line's indentation if there is room for it, so that lines indented alike look alike.
        """
        if about > 2 * self.size + _FAR:
            return None
        inner = trimmed(self.text, Span(start, end))
        if not inner.length:
            return inner
        bare = Span(self.graphemes.floor(inner.start), self.graphemes.ceil(inner.end))
        line = bare.start
        while line and self.text[line - 1] in " \t":
            line -= 1
        if line < bare.start and (not line or self.text[line - 1] in "\r\n") and self.graphemes.is_border(line):
            indented = Span(line, bare.end)
            if self.measure.count(*indented) <= self.size:
                return indented
        return bare if self.measure.count(*bare) <= self.size else None

    # --- taking apart ----------------------------------------------------------------------------------------------

    def _apart(self, group: list[Item], beside: bool, depth: int) -> Iterator[Found | Parts]:
        """The chunk of a group that fits; of another its items, the long ones replaced by their children."""
        starts, ends = self._units_before(group)
        whole = self._fitting(group[0].start, group[-1].end, ends[-1] - starts[0])
        if whole is not None:
            if whole.length:
                yield Found(Piece(*whole, ""), group, group[0].scopes, beside)
            return
        long = [self._is_long(item, end - start) for item, start, end in zip(group, starts, ends, strict=True)]
        inner = {at: self._children(group[at]) for at in range(len(group)) if long[at] and depth < _DEEPEST}
        begun = 0
        for at in (at for at, children in inner.items() if children):
            lead = at
            while (
                lead > begun
                and at - lead < _COMPANY
                and not long[lead - 1]
                and starts[at] - starts[lead - 1] <= self.size
            ):
                lead -= 1
            if begun < lead:
                yield Parts(group[begun:lead], beside=True)
            begun = after = at + 1
            while after < len(group) and after - at <= _COMPANY and not long[after]:
                after += 1
            # What ends a statement stays with it, if it is only a few words: `} while (x);`
            if after == len(group) and ends[-1] - ends[at] <= self.size // 8:
                begun = after
            yield Parts([*group[lead:at], *inner[at], *group[at + 1 : begun]])
        if not begun:
            yield from self._loose(group, long)
        elif begun < len(group):
            yield Parts(group[begun:], beside=True)

    def _is_long(self, item: Item, about: int) -> bool:
        return about > self.size // 2 and self._fitting(item.start, item.end, about) is None

    def _children(self, item: Item) -> list[Item]:
        """What an item is taken apart into; nothing for a leaf."""
        if item.node is None:
            return []
        start = self.tree.position(item.node.start_byte)
        borders = ends(item.node) if is_definition(item.node) else [item.node.end_byte]
        for end in map(self.tree.position, borders):
            if (start, end) == (item.start, item.end) or start >= end:
                continue
            (before,), (after,) = self._units_before([Span(start, end)])
            if not self._is_long(item._replace(start=start, end=end), after - before):
                # It would fit without the bracket before it or the comments after it: those go, and it stays whole.
                parts = [
                    item._replace(end=start, node=None),
                    item._replace(start=start, end=end, tied=True),
                    item._replace(start=end, node=None, tied=True),
                ]
                return [part for part in parts if part.start < part.end]
        return items(self.tree, item)

    def _loose(self, group: list[Item], long: list[bool]) -> Iterator[Found]:
        """Chunks of tied items, of which no long one can be taken apart."""
        runs: list[tuple[list[Item], bool]] = []
        for item, is_long in zip(group, long, strict=True):
            run = [item]
            # `x = """` goes with the text that follows it, and what is left of the last line with the text before.
            while is_long and runs and len(run) < _COMPANY and self._is_company(runs[-1][0][-1]):
                run = [*runs.pop()[0], *run]
            if runs and runs[-1][1] and not is_long and self._is_company(item):
                runs[-1][0].append(item)
            else:
                runs.append((run, is_long))
        parts = [Span(run[0].start, run[-1].end) for run, _ in runs]
        for first, _, chunk in self._packed(parts, [is_long for _, is_long in runs]):
            begins = runs[first][0]
            if chunk is not None:
                yield Found(Piece(*chunk, ""), begins, begins[0].scopes)
                continue
            for at, piece in enumerate(self.splitter.pieces(*parts[first])):
                inside = begins[-1].scopes if at else begins[0].scopes
                yield Found(
                    piece._replace(reason=f"nothing smaller in the syntax tree; {piece.reason}"),
                    [] if at else begins,
                    inside,
                )

    def _is_company(self, item: Item) -> bool:
        """Whether an item is only words on a line, which may be cut with the leaf beside it."""
        return "\n" not in self.text[item.start : self._ink_end(item)] and not is_definition(item.node)
