"""HTML: the blocks of a page, packed up to a size; each chunk knows where it stands in the tree of elements."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final, NamedTuple

import numpy as np

from chunkviz.chunking import Dropped
from chunkviz.document import Block, Document
from chunkviz.graphemes import graphemes
from chunkviz.params import UNIT, Flag, Int, Params
from chunkviz.spec import Cut, Piece, Services, Strategy
from chunkviz.text.blocks import filled
from chunkviz.text.html_levels import Levels, leading_end_tags
from chunkviz.text.parts import Packer, Part, whole_characters
from chunkviz.text.recursive import plain_splitter
from chunkviz.text.tables import tables

_BETWEEN: Final = "between two blocks"
_MENUS: Final = {"nav": "navigation", "header": "page header", "footer": "footer", "aside": "side column"}
_CONTENT: Final = frozenset(("main", "article"))
_BREADCRUMB = re.compile(r"<[^<>]*?(?:class|id|aria-label)\s*=\s*[\"']?[^\"'<>]*?\bbreadcrumb", re.IGNORECASE)
_SCRIPT = re.compile(r"<(script|style|template|noscript|head)\b", re.IGNORECASE)


@dataclass(frozen=True)
class HtmlParams(Params):
    owner: ClassVar[str] = "html"

    size: Annotated[
        int,
        Int(
            label="Size",
            unit=UNIT,
            low=1,
            high=1_000_000,
            soft_high=2048,
            help="The most that goes into one chunk. Larger: more blocks share a chunk, fewer tables and lists are cut. "
            "The header row that a piece of a table carries as context does not count.",
        ),
    ] = 512
    headings: Annotated[
        bool,
        Flag(
            label="Cut at headings",
            help="Begins a new chunk at every heading. Off: short sections share a chunk, so that there are fewer.",
        ),
    ] = True
    boilerplate: Annotated[
        bool,
        Flag(
            label="Keep menus and footers",
            help="Off: navigation, page header, footer, side columns, breadcrumbs and scripts that are still in the "
            "document are left out of all chunks and listed as dropped.",
        ),
    ] = True


class _Unit(NamedTuple):
    """A block as it is packed; in source, markup between blocks is parted into what ends and what begins."""

    part: Part
    block: Block
    markup: bool
    """Whether it is source without words."""
    boilerplate: str
    """Why it is left out where boilerplate is; "" for content."""


def cut(document: Document, params: HtmlParams, services: Services) -> Cut:
    """Blocks in their order, packed up to `size` inside each section; a longer one is cut at its rows, items, sentences."""
    units = document.derive("html units", lambda: list(_units(document)))
    notes: list[str] = []
    if document.format != "html":
        notes.append("This document is no web page; it was cut at its paragraphs, lists, tables and code.")
    dropping = not params.boilerplate
    if dropping and units and all(unit.boilerplate for unit in units):
        dropping = False
        notes.append("All words stand in menus, headers or footers, so these were kept.")
    groups = list(_groups(units, params.headings, dropping))
    left_out = [_left_out(group) if dropping else "" for group in groups]
    kept = [group for group, reason in zip(groups, left_out, strict=True) if not reason]
    starts = np.array([group[0].part.start for group in kept], dtype=np.int64)
    ends = np.array([group[-1].part.end for group in kept], dtype=np.int64)
    counts = iter(services.measure.counts(starts, ends).tolist())

    plain = plain_splitter(document, services.measure, params.size)

    def forced(start: int, end: int) -> Sequence[Piece]:
        return [p._replace(reason=f"forced: too long to stay whole; {p.reason}") for p in plain.pieces(start, end)]

    levels = document.derive("html levels", lambda: Levels(document, _is_source(document)))
    packer = Packer(document, services.measure, params.size, levels.joins, forced)
    pieces: list[Piece] = []
    dropped: list[Dropped] = []
    for at, group in enumerate(groups):
        start, end = group[0].part.start, group[-1].part.end
        if left_out[at]:
            dropped.append(Dropped(start, end, left_out[at]))
            continue
        last = _end_reason(groups[at + 1 : at + 2], left_out[at + 1 : at + 2])
        if next(counts) <= params.size:
            pieces.append(Piece(start, end, last))
        else:
            pieces += packer.pieces((unit.part for unit in group), _BETWEEN, last)
    context = _context_of(document, units)
    return Cut([p._replace(context=context(p)) for p in pieces], dropped=dropped, notes=notes)


def _is_source(document: Document) -> bool:
    return document.format == "html" and bool(document.options.get("html_source"))


def _units(document: Document) -> Iterator[_Unit]:
    """The outermost blocks, and a paragraph for whatever is in none, as parts that cover everything but white space."""
    text, source = document.text, _is_source(document)
    levels = document.derive("html levels", lambda: Levels(document, source))
    borders = graphemes(document)
    blocks: list[Block] = []
    for block in filled(text, _outermost(document.blocks)):
        split = leading_end_tags(text, block.start, block.end) if source and block.kind == "element" else block.start
        if block.start < split < block.end:
            blocks += (Block("element", a, b, path=block.path) for a, b in ((block.start, split), (split, block.end)))
        else:
            blocks.append(block)
    begins = [0, *(borders.floor(block.start) for block in blocks[1:]), len(text)]
    for at, block in enumerate(blocks):
        span = whole_characters(text, borders, begins[at], begins[at + 1])
        if not span.length:
            continue
        markup = source and block.kind == "element"
        joins = 0
        if block.kind == "heading":
            joins = 1
        elif markup:
            # What begins before a heading stays out of the chunk that the heading begins: it would hide its path.
            ends = text.startswith("</", block.start) or blocks[at + 1 : at + 2] == []
            joins = -1 if ends or blocks[at + 1].kind == "heading" else 1
        part = Part(*span, levels.of(block.kind), joins, yields=block.kind in ("paragraph", "list"))
        yield _Unit(part, block, markup, _boilerplate(text, block, source))


def _outermost(blocks: Sequence[Block]) -> Iterator[Block]:
    at = 0
    for block in blocks:
        if block.start >= at and block.end > block.start:
            yield block
            at = block.end


def _boilerplate(text: str, block: Block, source: bool) -> str:
    """What kind of boilerplate a block is, by the elements it stands in; "" for content.

    Headers, footers and side columns of an article belong to it.
    """
    for label in block.path:
        name = label.partition("[")[0]
        if name in _CONTENT:
            break
        if name in _MENUS:
            return _MENUS[name]
    if source and _BREADCRUMB.match(text, block.start, block.end):
        return "breadcrumb trail"
    if source and block.kind == "element" and _SCRIPT.search(text, block.start, block.end):
        return "scripts, styles and what else is not shown"
    return ""


def _groups(units: Sequence[_Unit], at_headings: bool, dropping: bool) -> Iterator[list[_Unit]]:
    """Runs of neighbours that may share a chunk: all content or all boilerplate of one kind, and of one section.

    A heading with nothing under it but a deeper heading shares the section of that one.
    """
    group: list[_Unit] = []
    for unit in units:
        new = bool(group) and dropping and unit.boilerplate != group[0].boilerplate
        if group and not new and at_headings and unit.block.kind == "heading":
            levels = [other.block.level for other in group if not other.markup]
            new = not levels or 0 in levels or levels[-1] >= unit.block.level
        if new:
            yield group
            group = []
        group.append(unit)
    if group:
        yield group


def _left_out(group: Sequence[_Unit]) -> str:
    """Why a group is left out where boilerplate is, "" where it is kept."""
    if all(unit.markup for unit in group):
        return group[0].boilerplate or "markup without words"
    return group[0].boilerplate


def _end_reason(following: Sequence[list[_Unit]], left_out: Sequence[str]) -> str:
    if not following:
        return "last block"
    if left_out[0]:
        return f"what follows is left out: {left_out[0]}"
    first = following[0][0].block
    return f"next heading: {first.title}" if first.kind == "heading" else "what follows is content"


def _context_of(document: Document, units: Sequence[_Unit]) -> Callable[[Piece], str]:
    """For a piece, the header row of the table that it goes on with, else the path of the element that holds all of it."""
    known = tables(document)
    starts = [unit.part.start for unit in units]

    def context(piece: Piece) -> str:
        header = known.header_at(piece.start)
        if header:
            return header
        first = bisect_right(starts, piece.start) - 1
        path = units[first].block.path
        for unit in units[first + 1 : bisect_right(starts, piece.end - 1)]:
            other = unit.block.path
            same = next((i for i, (a, b) in enumerate(zip(path, other, strict=False)) if a != b), None)
            path = path[: min(len(path), len(other)) if same is None else same]
        return " > ".join(path)

    return context


SPEC = Strategy(
    id="html",
    title="HTML blocks",
    one_line="A cut between the blocks of a web page: sections, paragraphs, lists, table rows",
    how="Puts neighbouring blocks of a section into one chunk as long as they fit. A list that is too long is cut between "
    "items, a table between rows, with its header row as context of every further piece; then come sentences.",
    good_for="Web pages and help centres, above all with long tables and lists, as words or as source.",
    watch_out="As good as the markup: a page of nested `div`s without headings is one row of paragraphs. In a table whose "
    "cells span rows, a cut between two rows can part a cell from what it stands for.",
    source="Ours; LangChain's HTMLSemanticPreservingSplitter has the same aim, without positions.",
    version=1,
    params_class=HtmlParams,
    cut=cut,
)
