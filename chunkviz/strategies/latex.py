"""LaTeX: sections, environments, paragraphs, sentences; equations, verbatim blocks and tables stay whole where they fit."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunkviz.document import Document
from chunkviz.measures import Ints
from chunkviz.params import UNIT, Flag, Int, Params
from chunkviz.spec import Cut, Piece, Services, Strategy
from chunkviz.text.joining import joined
from chunkviz.text.latex_source import BODY, RANKS, ROW, SUBPARAGRAPH, LatexSource, Whole, read_latex
from chunkviz.text.packing import packed
from chunkviz.text.recursive import fitting_splitter, plain_splitter
from chunkviz.text.sentences import sentences


@dataclass(frozen=True)
class LatexParams(Params):
    owner: ClassVar[str] = "latex"

    size: Annotated[
        int,
        Int(
            label="Size",
            unit=UNIT,
            low=1,
            high=1_000_000,
            soft_high=2048,
            help="A section, an environment, an equation that is at most this long stays whole. "
            "Larger: fewer chunks, more of them whole sections.",
        ),
    ] = 512
    merge: Annotated[
        bool,
        Flag(
            label="Join short sections",
            help="Puts neighbouring sections into one chunk as long as they fit. On: fewer, larger chunks. "
            "Off: every heading begins a new chunk.",
        ),
    ] = True


# Levels of borders: those of `latex_source` up to rows, with the edges of what is too long to stay whole before them.
TOO_LONG_EDGE: Final = ROW
ROW_END: Final = ROW + 1
LINE, SENTENCE, BLANK, WHOLE_EDGE = range(RANKS + 1, RANKS + 5)
_WORDS: Final = {
    BODY: "at the beginning of the body",
    TOO_LONG_EDGE: "beside something that is too long itself",
    ROW_END: "at the end of a row",
    LINE: "at a line end",
    SENTENCE: "at the end of a sentence",
    BLANK: "at a blank between words",
    WHOLE_EDGE: "beside a formula or another thing that stays whole",
}
_BEGIN = re.compile(r"\\begin[ \t]*\{([^{}]{1,50})\}")
_BLANK = re.compile(r"\s+")


class Range(NamedTuple):
    """A stretch still to be cut, with borders of this level and smaller ones, and why it ends where it ends."""

    start: int
    end: int
    level: int
    reason: str


def cut(document: Document, params: LatexParams, services: Services) -> Cut:
    """The biggest borders first; parts that fit are packed together, longer ones are cut at the next smaller borders."""
    if document.format != "latex":
        splitter, note = fitting_splitter(document, services.measure, params.size, 0)
        own = f"This document is {document.format}, not LaTeX; it was cut like “recursive”."
        return Cut(splitter.pieces(0, len(document.text)), notes=[note, own] if note else [own])
    source = document.derive("latex source", lambda: read_latex(document.text, document.headings))
    return Cut(list(_Cutter(document, params, services, source).pieces()))


@dataclass
class _Cutter:
    document: Document
    params: LatexParams
    services: Services
    source: LatexSource
    _fitting: tuple[Ints, Ints] = field(init=False)
    _too_long: list[tuple[Whole, int]] = field(init=False)
    _levels: dict[int, list[int]] = field(init=False)

    def __post_init__(self) -> None:
        wholes = self.source.wholes
        starts = np.array([w.start for w in wholes], dtype=np.int64)
        ends = np.array([w.end for w in wholes], dtype=np.int64)
        counts = self.services.measure.counts(starts, ends)
        fits = counts <= self.params.size
        self._fitting = _outermost(starts[fits], ends[fits])
        self._too_long = []
        for i in np.flatnonzero(~fits).tolist():
            if not self._too_long or wholes[i].start >= self._too_long[-1][0].end:
                self._too_long.append((wholes[i], int(counts[i])))
        self._levels = self._precise_levels()

    def _precise_levels(self) -> dict[int, list[int]]:
        """Level to positions in order: what is known before any range is looked at."""
        by_level: dict[int, list[int]] = {}
        for position, rank in self.source.borders.items():
            by_level.setdefault(ROW_END if rank == ROW else rank, []).append(position)
        text = self.document.text
        for whole, _ in self._too_long:
            by_level.setdefault(TOO_LONG_EDGE, []).extend(whole.span)
            lines = re.finditer(r"\r\n|\r|\n", text[whole.start : whole.end])
            by_level.setdefault(LINE, []).extend(whole.start + line.end() for line in lines)
        return {level: self._allowed(positions).tolist() for level, positions in sorted(by_level.items())}

    def _allowed(self, positions: Sequence[int]) -> Ints:
        """Positions where a cut goes neither through a character nor through anything that stays whole; in order."""
        found = np.array(positions, dtype=np.int64)
        graphemes = self.services.graphemes
        for i in np.flatnonzero(graphemes.ceil_all(found) != found).tolist():
            found[i] = graphemes.floor(int(found[i]))
        starts, ends = self._fitting
        if len(starts):
            before = np.searchsorted(starts, found) - 1
            found = found[(before < 0) | (found >= ends[np.maximum(before, 0)])]
        return np.unique(found)

    def pieces(self) -> Iterator[Piece]:
        ahead = [Range(0, len(self.document.text), 0, "end of the text")]
        if not self.params.merge:
            heads = self._allowed([*self._levels.get(BODY, ()), *(h.start for h in self.document.headings)]).tolist()
            ahead = self._grouped(0, len(self.document.text), heads, SUBPARAGRAPH, "end of the text", join=False)
        ahead.reverse()
        while ahead:
            start, end, level, reason = ahead.pop()
            first, last = self.services.graphemes.trimmed(start, end)
            if first == last:
                continue
            if self.services.measure.count(first, last) <= self.params.size:
                yield Piece(first, last, reason, flags=self._flags(first, last))
                continue
            level, borders = self._inside(start, end, level)
            if borders:
                ahead += reversed(self._grouped(start, end, borders, level, reason, join=True))
            else:
                yield from self._forced(first, last, reason)

    def _inside(self, start: int, end: int, level: int) -> tuple[int, list[int]]:
        """The first level from `level` on that has borders inside a range, and these borders."""
        for at in range(level, WHOLE_EDGE + 1):
            found = self._borders(at, start, end)
            if found:
                return at, found
        return WHOLE_EDGE, []

    def _borders(self, level: int, start: int, end: int) -> list[int]:
        """Borders of one level strictly inside a range, in order."""
        if level in (SENTENCE, BLANK, WHOLE_EDGE):
            text = self.document.text
            if level == SENTENCE:
                made = [s.start for s in sentences(text, start, end) if not self._in_too_long(s.start)]
            elif level == BLANK:
                made = [blank.end() for blank in _BLANK.finditer(text, start, end)]
            else:
                lows, highs = self._fitting
                first, after = np.searchsorted(highs, start, side="right"), np.searchsorted(lows, end)
                made = [*lows[first:after].tolist(), *highs[first:after].tolist()]
            found: list[int] = self._allowed(made).tolist()
        else:
            found = self._levels.get(level, [])
        return found[bisect_right(found, start) : bisect_left(found, end)]

    def _in_too_long(self, position: int) -> bool:
        at = bisect_right(self._too_long, position, key=lambda w: w[0].start) - 1
        return at >= 0 and position < self._too_long[at][0].end

    def _grouped(
        self, start: int, end: int, inner: Sequence[int], level: int, reason: str, *, join: bool
    ) -> list[Range]:
        """A range parted at its inner borders; neighbours that fit together are joined again."""
        borders = [start, *inner, end]
        groups: list[tuple[int, int]] = []
        if join:
            lengths = self.services.measure.counts(np.array(borders[:-1]), np.array(borders[1:]))
            begin = 0
            for long in [*np.flatnonzero(lengths > self.params.size).tolist(), len(lengths)]:
                groups += self._packed(borders, lengths, begin, long)
                if long < len(lengths):
                    groups.append((long, long + 1))
                begin = long + 1
        else:
            groups = [(i, i + 1) for i in range(len(borders) - 1)]
        *others, (first, _) = groups
        made = [Range(borders[a], borders[b], level + 1, self._why(borders[b], level, reached=join)) for a, b in others]
        return [*made, Range(borders[first], end, level + 1, reason)]

    def _packed(self, borders: list[int], lengths: Ints, begin: int, end: int) -> Iterator[tuple[int, int]]:
        if begin == end:
            return
        trimmed, count = self.services.graphemes.trimmed, self.services.measure.count

        def fits(first: int, after: int) -> bool:
            return count(*trimmed(borders[begin + first], borders[begin + after])) <= self.params.size

        totals = [0, *np.cumsum(lengths[begin:end]).tolist()]
        for first, after in packed(totals, self.params.size, 0, fits):
            yield begin + first, begin + after

    def _why(self, position: int, level: int, *, reached: bool) -> str:
        """Why there is a cut at a border of this level."""
        words = "size reached; cut " if reached else "cut "
        begin = _BEGIN.match(self.document.text, position)
        if level <= SUBPARAGRAPH and not (begin and begin[1].strip() == "document"):
            # One further: the cut is a character earlier where a sign joins the heading's backslash.
            return f"{words}before the heading “{''.join(self.document.heading_path(position + 1)[-1:])}”"
        if level <= SUBPARAGRAPH:
            return words + _WORDS[BODY]
        if level in _WORDS:
            return words + _WORDS[level]
        if begin:
            return f"{words}before the environment {begin[1]}"
        if self.document.text.startswith((r"\item", r"\bibitem"), position):
            return f"{words}before an item"
        return (
            words
            + ("at a blank line", "beside an environment or equation", "before an item")[(level - SUBPARAGRAPH - 2) % 3]
        )

    def _flags(self, start: int, end: int) -> dict[str, str]:
        """What a chunk cuts though it should be whole: it is longer than a chunk may be."""
        for position in (start, end):
            at = bisect_left(self._too_long, position, key=lambda w: w[0].start) - 1
            if at >= 0 and position < self._too_long[at][0].end:
                whole, count = self._too_long[at]
                article = "an" if whole.name[0] in "aeiou" else "a"
                return {
                    "forced": f"cut inside {article} {whole.name} that counts {count:,}, more than size={self.params.size:,}"
                }
        return {}

    def _forced(self, start: int, end: int, reason: str) -> Iterator[Piece]:
        """A word or a formula with no border inside, which is longer than a chunk may be."""
        measure, size = self.services.measure, self.params.size
        found = list(joined(plain_splitter(self.document, measure, size).pieces(start, end), measure, size))
        for i, piece in enumerate(found):
            why = reason if i == len(found) - 1 else piece.reason
            yield piece._replace(reason=why, flags=self._flags(piece.start, piece.end))


def _outermost(starts: Ints, ends: Ints) -> tuple[Ints, NDArray[np.int64]]:
    """Those spans, given in order, that are in no other one."""
    if not len(starts):
        return starts, ends
    reach = np.maximum.accumulate(ends)
    outer = np.concatenate(([True], starts[1:] >= reach[:-1]))
    return starts[outer], ends[outer]


SPEC = Strategy(
    id="latex",
    title="LaTeX",
    one_line="Sections, environments and paragraphs, with equations and verbatim text in one piece",
    how="Cuts before headings first, then around environments and at blank lines, then between sentences, and packs "
    "neighbours as long as they fit. An equation, a verbatim block, a table or a comment is cut only if it is too long "
    "itself. Comments and \\verb are understood.",
    good_for="Papers, theses, lecture notes as LaTeX source.",
    watch_out="Macros are not expanded: a heading or an environment behind a command of your own is not seen, and a section "
    "that stands in another file is not read.",
    source="Ours; LangChain's LatexTextSplitter cuts before the same commands, also in comments and verbatim text.",
    version=1,
    params_class=LatexParams,
    cut=cut,
)
