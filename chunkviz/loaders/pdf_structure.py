"""What the lines of a PDF are: headings, list items, tables and paragraphs."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from chunkviz.document import BlockKind
from chunkviz.loaders.pdf_layout import Line
from chunkviz.loaders.pdf_words import is_broken

HEADING_FACTOR: Final = 1.15
"""A line is a heading by its size from this many times the size that most letters have."""
LONGEST_HEADING: Final = 150
"""Characters; what is longer is text in large type."""
MOST_HEADING_LINES: Final = 4

_BULLET = re.compile(r"\s*[•‣◦▪▫●○■□◆➢➤✓–—*-]\s+\S")
_NUMBERED = re.compile(r"\s*(?:\d{1,3}|[A-Za-z]|[ivx]{1,5})[.)]\s+\S|\s*\((?:\d{1,3}|[a-z]|[ivx]{1,5})\)\s+\S")
_SENTENCE_END = (".", ":", ";", "!", "?", "”", "…", "。", "：", "；", "！", "？")
_NUMBERING = re.compile(
    r"(?:chapter|section|part|appendix|article|annex|kapitel|abschnitt|teil|anhang)?"
    r"(?:\d{1,8}|[ivxlcm]{1,6}|[a-z]\d{0,4})"
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the outline: its level from 1 and its words."""

    level: int
    title: str


@dataclass(frozen=True, slots=True)
class Group:
    """Lines that are one block."""

    kind: BlockKind
    lines: tuple[Line, ...]
    level: int = 0


def body_size(pages: Sequence[Sequence[Line]]) -> float:
    """The type size that most letters have, in points, to half a point; 0 where there are no letters."""
    letters = _letters(pages)
    return letters.most_common(1)[0][0] if letters else 0.0


def heading_sizes(pages: Sequence[Sequence[Line]]) -> dict[float, int]:
    """Sizes that only headings have, with their levels from 1: clearly larger than the text's, and in few lines."""
    body = body_size(pages)
    lines = Counter(_rounded(line.size) for page in pages for line in page if not line.table)
    large = [size for size, count in lines.items() if size >= body * HEADING_FACTOR and count < 0.2 * lines.total()]
    return {size: min(level, 6) for level, size in enumerate(sorted(large, reverse=True), 1)}


def running_lines(pages: Sequence[Sequence[Line]], heights: Sequence[float]) -> set[tuple[str, int]]:
    """The `place_of` lines in the margins that come back on most pages: headers, footers, page numbers.

    Only from four pages on, only where words and place agree on 60 % of them, digits aside; a line in larger type
    than the text is a title that happens to stand high on every page, and a page that has nothing between its margins,
    such as a short slide, says nothing about either.
    """
    if len(pages) < 4:
        return set()
    body = body_size(pages)
    seen: Counter[tuple[str, int]] = Counter()
    for lines, height in zip(pages, heights, strict=True):
        margins = [line for line in lines if line.y1 < height * 0.1 or line.y0 > height * 0.9]
        if len(margins) < len(lines):
            seen.update({place_of(line) for line in margins if not line.table and line.size < body * HEADING_FACTOR})
    return {key for key, count in seen.items() if count >= 0.6 * len(pages)}


def place_of(line: Line) -> tuple[str, int]:
    """What two running lines of different pages share: the words without their digits, and the height on the page."""
    return re.sub(r"\d+", "#", line.text), round(line.y0 / 4)


def outlined(lines: Sequence[Line], entries: Sequence[Entry]) -> tuple[dict[int, tuple[int, int]], int]:
    """Where the outline's entries stand on their page: {index of a line: (level, lines)}, and how many were found.

    An entry is a line, or up to four lines in a row, with the same letters and digits; a number in front, as in
    “3.2 Leave”, may be in the page's line alone. Of several places the one in the largest type is taken.
    """
    keys = [_letters_of(line.text) for line in lines]
    taken: dict[int, tuple[int, int]] = {}
    covered: set[int] = set()
    found = 0
    for entry in entries:
        wanted = _letters_of(entry.title)
        best: tuple[float, int, int] | None = None
        for at, line in enumerate(lines):
            if not wanted or line.table or at in covered or not keys[at]:
                continue
            count = _lines_of(keys, at, wanted)
            if count and not covered & set(range(at, at + count)) and (best is None or line.size > best[0]):
                best = line.size, at, count
        if best:
            found += 1
            taken[best[1]] = entry.level, best[2]
            covered |= set(range(best[1], best[1] + best[2]))
    return taken, found


def grouped(
    lines: Sequence[Line], headings: Mapping[int, tuple[int, int]], sizes: Mapping[float, int]
) -> Iterator[Group]:
    """Lines put together: one group per heading, paragraph, list item and table.

    headings : of the outline, as `outlined` gives them
    sizes    : type size to level, empty where the outline says what a heading is
    """
    group: list[Line] = []
    kind: BlockKind = "paragraph"
    level = 0
    heading_ends = 0
    for at, line in enumerate(lines):
        if at in headings:
            own: BlockKind = "heading"
            own_level, count = headings[at]
            heading_ends = at + count
            starts = True
        elif at < heading_ends:
            own, own_level, starts = "heading", level, False
        else:
            own, own_level, starts = _kind(line, group, kind, sizes)
        same = own == kind and own_level == level and bool(group) and not starts
        if same and (at < heading_ends or _goes_on(group[-1], line, kind)):
            group.append(line)
            continue
        if group:
            yield Group(kind, tuple(group), level)
        group, kind, level = [line], own, own_level
    if group:
        yield Group(kind, tuple(group), level)


def _letters(pages: Sequence[Sequence[Line]]) -> Counter[float]:
    letters: Counter[float] = Counter()
    for lines in pages:
        for line in lines:
            if not line.table:
                letters[_rounded(line.size)] += len(line.text)
    return letters


def _rounded(size: float) -> float:
    return round(size * 2) / 2


def _letters_of(text: str) -> str:
    """Letters and digits in small letters, ligatures taken apart: what two spellings of a title share."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


def _lines_of(keys: Sequence[str], at: int, wanted: str) -> int:
    """How many lines from `at` on spell `wanted`, 0 where they do not."""
    spelled = ""
    for count, key in enumerate(keys[at : at + MOST_HEADING_LINES], 1):
        spelled += key
        if spelled == wanted:
            return count
        if len(wanted) > 1 and spelled.endswith(wanted) and _NUMBERING.fullmatch(spelled[: -len(wanted)]):
            return count
        if len(spelled) > len(wanted) + 24:
            return 0
    return 0


def _kind(
    line: Line, group: Sequence[Line], kind: BlockKind, sizes: Mapping[float, int]
) -> tuple[BlockKind, int, bool]:
    """What a line is, its level, and whether it starts something of its own."""
    if line.table:
        return "table", 0, False
    if len(line.text) < LONGEST_HEADING and (level := sizes.get(_rounded(line.size), 0)):
        return "heading", level, False
    if _BULLET.match(line.text):
        return "list", 0, True
    if _NUMBERED.match(line.text):
        # In the middle of a paragraph “12. ” is a number at a line's start, unless a sentence has just ended.
        middle = bool(group) and kind == "paragraph" and line.block == group[-1].block
        if not middle or group[-1].text.rstrip().endswith(_SENTENCE_END):
            return "list", 0, True
    if (
        kind == "list"
        and group
        and line.block == group[-1].block
        and line.x0 > group[0].x0 - 1
        and _below(group[-1], line)
    ):
        return "list", 0, False
    return "paragraph", 0, False


def _goes_on(last: Line, line: Line, kind: BlockKind) -> bool:
    """Whether `line` belongs to the block that `last` is in; both are of the same kind and level."""
    if kind == "heading":
        return _rounded(last.size) == _rounded(line.size) and -1 < line.y0 - last.y1 < 0.7 * line.size
    if line.block == last.block and (kind == "table" or _below(last, line)):
        return True
    # The next column, or a picture between: a broken word tells that the paragraph is not over.
    return kind == "paragraph" and is_broken(last.text) and line.text[:1].islower() and abs(last.size - line.size) < 1


def _below(last: Line, line: Line) -> bool:
    """Whether `line` stands under `last` or beside it, not at the top of the next column."""
    return line.y1 > last.y0
