"""JSON: objects and list items on the source text, with the path of each."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Final

import numpy as np
import regex

from chunkviz.document import Document
from chunkviz.params import UNIT, Flag, Int, Params
from chunkviz.spec import Cut, Piece, Services, Strategy
from chunkviz.text.joining import joined
from chunkviz.text.json_parts import CLOSE, ITEM, OPEN, Parts, parts
from chunkviz.text.json_source import JsonSource, read_json
from chunkviz.text.recursive import RecursiveSplitter, fitting_splitter, plain_splitter


@dataclass(frozen=True)
class JsonParams(Params):
    owner: ClassVar[str] = "json"

    size: Annotated[
        int,
        Int(
            label="Size",
            unit=UNIT,
            low=1,
            high=1_000_000,
            soft_high=2048,
            help="An object or a list that is at most this long stays whole; a longer one is opened. "
            "Larger: fewer chunks, more of them whole objects.",
        ),
    ] = 512
    merge: Annotated[
        bool,
        Flag(
            label="Join small neighbours",
            help="Puts neighbouring items into one chunk as long as they fit. On: fewer, larger chunks. "
            "Off: every item that fits is a chunk of its own.",
        ),
    ] = True


# Where a long string is cut, the biggest first: paragraphs and lines as JSON writes them, blanks, escapes, characters.
# Never between a backslash and what it escapes, nor inside a pair of escapes that is one character.
_STRING_CUTS: Final = ("\\n\\n", "\\n", " ", "\\u", "")
_ESCAPE = r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\[^u]"
_STRING_PATTERNS: Final = (
    re.compile(r"(?<!\\)(?:\\r)?\\n(?:\\r)?\\n"),
    re.compile(r"(?<!\\)(?:\\r)?\\n"),
    re.compile(" "),
    re.compile(r"(?<!\\)\\u(?![dD][c-fC-F])"),
    regex.compile(rf"{_ESCAPE}|\X"),
)


def cut(document: Document, params: JsonParams, services: Services) -> Cut:
    """Items that fit stay whole; neighbours share a chunk; what does not fit is opened, down to single values."""
    if document.format != "json":
        splitter, note = fitting_splitter(document, services.measure, params.size, 0)
        own = f"This document is {document.format}, not JSON; it was cut like “recursive”."
        return Cut(splitter.pieces(0, len(document.text)), notes=[note, own] if note else [own])
    by_line = any(block.language == "jsonl" for block in document.blocks)
    source = document.derive(("json", by_line), lambda: read_json(document.text, by_line=by_line))
    found = parts(document.text, source, services.measure, services.graphemes, params.size)
    cutter = _Cutter(document, params, services, found)
    return Cut(list(cutter.pieces()), notes=_notes(document.text, source, by_line=by_line))


def _notes(text: str, source: JsonSource, *, by_line: bool) -> list[str]:
    def place(position: int) -> str:
        line = text.count("\n", 0, position) + 1
        return f"line {line:,}, column {position - text.rfind(chr(10), 0, position):,}"

    notes = []
    if source.faults:
        fault = source.faults[0]
        where = f"{place(fault.position)} ({fault.words})"
        if by_line and source.unread:
            notes.append(f"Lines that are not JSON were kept as text: {len(source.faults):,}, the first at {where}.")
        elif source.unread:
            notes.append(f"Not JSON from {where} on; the rest was cut like plain text.")
        else:
            notes.append(f"The document ends too early, at {where}; what is there was read.")
    if source.tolerated:
        notes.append(
            f"Not in the JSON standard, but read: {source.tolerated.words}, {place(source.tolerated.position)}."
        )
    return notes


@dataclass
class _Cutter:
    """Packs parts into chunks.

    Parts come in runs: opening brackets and keys, then items, then closing brackets and commas. A chunk never reaches
    from one run into the next, so that it holds items of one container only.
    """

    document: Document
    params: JsonParams
    services: Services
    parts: Parts
    _strings: RecursiveSplitter = field(init=False)
    _plain: RecursiveSplitter = field(init=False)

    def __post_init__(self) -> None:
        measure, size = self.services.measure, self.params.size
        self._plain = plain_splitter(self.document, measure, size)
        self._strings = RecursiveSplitter(
            text=self.document.text,
            measure=measure,
            graphemes=self.services.graphemes,
            separators=_STRING_CUTS,
            patterns=_STRING_PATTERNS,
            size=size,
            overlap=0,
            strict=True,
            memo=self.document.derive(("json strings", measure), dict),
        )

    def pieces(self) -> Iterator[Piece]:
        roles, n = self.parts.roles, len(self.parts.roles)
        if not n:
            return
        left, right = roles[:-1], roles[1:]
        apart = (left != OPEN) & (right != CLOSE)
        if self.params.merge:
            apart &= (left != ITEM) | (right != ITEM)
        begins = [0, *(np.flatnonzero(apart) + 1).tolist()]
        opens = np.concatenate(([0], np.cumsum(roles == OPEN)))
        closes = np.concatenate(([0], np.cumsum(roles == CLOSE)))
        for begin, end in zip(begins, [*begins[1:], n], strict=True):
            first_item = begin + int(opens[end] - opens[begin])
            yield from self._run(begin, first_item, end - int(closes[end] - closes[begin]), end)

    def _run(self, begin: int, first_item: int, items_end: int, end: int) -> Iterator[Piece]:
        at = begin
        while at < end:
            after = self._furthest(at, at, end, self.params.size)
            if after < end:
                after = self._better(at, after, first_item, items_end, end)
            alone = after < end and after == max(at, first_item) and after < items_end and not self.parts.whole[after]
            if alone and self._furthest(after, after, after + 1, self.params.size) == after:
                # A value that is too long takes its key along, and the brackets around it, where these are short.
                half = self.params.size // 2
                from_ = at if at == after or self._count(at, after) <= half else after
                if from_ == after and at < after:
                    yield self._piece(at, after, first_item, end)
                until = self._furthest(after + 1, after + 1, end, half) if after + 1 >= items_end else after + 1
                yield from self._opened(from_, after, until, end)
                at = until
            elif after == at:
                yield from self._opened(at, at, at + 1, end)
                at += 1
            else:
                piece = self._piece(at, after, first_item, end)
                if piece.start < piece.end:
                    yield piece
                at = after

    def _better(self, at: int, after: int, first_item: int, items_end: int, end: int) -> int:
        """Where to end a chunk that could reach `after`: so that what closes a container is not left alone."""
        last = items_end - 1
        if after >= items_end and last > max(at, first_item) and self._count(last, end) <= self.params.size:
            return last
        return after

    def _span(self, at: int, after: int) -> tuple[int, int]:
        cuts, text = self.parts.cuts, self.document.text
        start, end = cuts[at], cuts[after]
        while start < end and text[end - 1].isspace():
            end -= 1
        # Two ASCII characters have a border between them; only what else stands at an edge needs a closer look.
        if start < end and not text[start].isspace() and _is_plain(text, start) and _is_plain(text, end):
            return start, end
        return self.services.graphemes.trimmed(cuts[at], cuts[after])

    def _count(self, at: int, after: int) -> int:
        return self.services.measure.count(*self._span(at, after))

    def _furthest(self, at: int, low: int, end: int, limit: int) -> int:
        """The last part border up to `end` that a chunk from `at` can reach within `limit`; `low` where it reaches none."""
        units = self.parts.units
        if low >= end:
            return low
        after = max(low, bisect_right(units, units[at] + limit, low, end + 1) - 1)
        step = 1
        while after > low and self._count(at, after) > limit:
            after, step = max(low, after - step), step * 2
        # Borders of the whole text are only close to what a chunk counts alone: look whether more fits.
        while after < end and self._count(at, after + 1) <= limit:
            after += 1
        return after

    def _piece(self, at: int, after: int, first_item: int, end: int) -> Piece:
        start, stop = self._span(at, after)
        return Piece(start, stop, self._reason(after, end), context=self._context(at, after, first_item))

    def _context(self, at: int, after: int, first_item: int) -> str:
        """The path of what a chunk holds: of its items, or of the container that it opens or closes."""
        tokens, paths = self.parts.tokens, self.parts.paths
        items = [i for i in (max(at, first_item), after - 1) if at <= i < after and self.parts.roles[i] == ITEM]
        if not items:
            return paths.of(paths.value(tokens[at])) if tokens[at] >= 0 else ""
        if len(items) == 1:
            items.append(items[0])
            while items[1] + 1 < after and self.parts.roles[items[1] + 1] == ITEM:
                items[1] += 1
        first, last = (tokens[i] for i in items)
        if first < 0 or last < 0:
            return ""
        return paths.of(paths.value(first), paths.value(last))

    def _reason(self, after: int, end: int) -> str:
        """Why a chunk ends before part `after`, the first one of the next chunk; `end` is where its run ends."""
        tokens, roles, paths = self.parts.tokens, self.parts.roles, self.parts.paths
        if after >= len(tokens):
            return "last value"
        if tokens[after] < 0:
            return "next comes text that is not JSON"
        path = paths.of(paths.value(tokens[after]))
        if after < end:
            if roles[after] == CLOSE:
                return f"size reached; cut before the end of {path}"
            if roles[after - 1] == OPEN:
                return f"size reached; cut between {path} and what opens it"
            return f"size reached; cut before {path}"
        if roles[after] == OPEN:
            return f"before {path}, which does not fit into one chunk"
        return f"before {path}"

    def _opened(self, from_: int, part: int, until: int, end: int) -> Iterator[Piece]:
        """A part that is too long for one chunk, with the parts from `from_` to `until` around it."""
        token, paths = self.parts.tokens[part], self.parts.paths
        start, stop = self.parts.cuts[from_], self.parts.cuts[until]
        if token < 0:
            splitter, what, context = self._plain, "text that is not JSON", ""
        else:
            splitter = self._strings
            context = paths.of(paths.value(token))
            what = f"the value of {context}"
        count = self._count(part, part + 1)
        forced = {"forced": f"{what} counts {count:,}, more than size={self.params.size:,}: cut inside it"}
        low, high = self._span(part, part + 1)
        found = list(joined(splitter.pieces(start, stop), self.services.measure, self.params.size))
        for i, piece in enumerate(found):
            reason = self._reason(until, end) if i == len(found) - 1 else f"inside {what}: {piece.reason}"
            touches = piece.start < high and low < piece.end  # or it holds only the key, or only closing brackets
            yield piece._replace(reason=reason, context=context, flags=forced if touches else piece.flags)


def _is_plain(text: str, at: int) -> bool:
    around = text[max(at - 1, 0) : at + 1]
    return around.isascii() and around != "\r\n"


SPEC = Strategy(
    id="json",
    title="JSON",
    one_line="Whole objects and list items, as many neighbours as fit, each with its path",
    how="Reads brackets, keys and values on the text itself. What fits stays whole and shares a chunk with its neighbours; "
    "what does not fit is opened and its members are looked at in the same way. Every chunk carries its path, such as "
    '$.paths["/keys"].post.',
    good_for="API descriptions, exports, logs as JSON Lines, configuration.",
    watch_out="A chunk that holds items of an opened object is no JSON document by itself: the brackets around it are in "
    "other chunks. Long texts inside strings are cut at blanks, not at sentences.",
    source="Ours; LangChain's RecursiveJsonSplitter has the same aim, on parsed data and without positions.",
    version=1,
    params_class=JsonParams,
    cut=cut,
)
