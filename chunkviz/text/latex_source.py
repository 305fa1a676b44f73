r"""LaTeX read on its source: where a cut is natural, and what should not be cut. Nothing is expanded.

Comments, verbatim text, `\verb` and mathematics are understood: a `\section` in a comment is none, `\$` begins no
mathematics, a blank line inside `verbatim` ends no paragraph. Text that is not well-formed is read as far as it goes:
what is never closed is no environment and no equation, just text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from chunkviz.document import Block
from chunkviz.spans import Span

DEEPEST: Final = 7
"""Nesting of environments is told apart down to this depth; what is deeper counts as this deep."""

BODY, PART, SUBPARAGRAPH = 0, 1, 7
ITEM, PARAGRAPH, EDGE = range(3)
"""Ranks of borders, the biggest first: the body begins; sections from `\\part` (1) to `\\subparagraph` (7); then for each
depth of environments its items, its paragraphs, and the edges of environments in it; last the ends of rows."""


def rank(depth: int, kind: int) -> int:
    """The rank of an ITEM, a PARAGRAPH or an EDGE inside so many environments."""
    return SUBPARAGRAPH + 1 + 3 * min(depth, DEEPEST) + kind


ROW: Final = rank(DEEPEST, EDGE) + 1
RANKS: Final = ROW + 1

_VERBATIM: Final = frozenset("verbatim Verbatim BVerbatim lstlisting minted alltt comment filecontents".split())
_EQUATIONS: Final = frozenset(
    "equation align alignat flalign gather multline eqnarray displaymath math dmath subequations".split()
)
_TABLES: Final = frozenset("tabular tabularx tabulary tabu longtable array".split())

# Prose, passed over in one go: a search would try every alternative below at every character.
_PROSE = re.compile(r"(?:[^%$\\\r\n]++|(?>\r\n|[\r\n])(?![ \t]*[\r\n]))*+")
# One alternative for each thing that matters. An escape such as \% or \\ is one so that what follows is not misread.
_TOKEN = re.compile(
    r"(?P<comment>%[^\r\n]*)"
    r"|(?P<math>\$\$?|\\[(\[])"
    r"|(?P<blank>(?>\r\n|[\r\n])(?:[ \t]*(?>\r\n|[\r\n]))+)"
    r"|\\(?:"
    r"begin[ \t]*\{(?P<begin>[^{}\\\r\n]{1,50})\}"
    r"|end[ \t]*\{(?P<end>[^{}\\\r\n]{1,50})\}"
    r"|(?P<item>(?:item|bibitem)(?![A-Za-z@]))"
    r"|(?P<par>par(?![A-Za-z@]))"
    r"|(?:verb\*?|lstinline)(?![A-Za-z@])(?P<mark>[^\sA-Za-z*{\[])[^\r\n]{0,1000}?(?P=mark)"
    r"|(?P<row>\\\*?(?:[ \t]*\[[^\[\]\r\n]{0,30}\])?|tabularnewline(?![A-Za-z@]))"
    r"|[A-Za-z@]+"
    r"|.)",
    re.DOTALL,
)
# What can stand between an opening $ and its partner: no blank line, as TeX demands.
_CLOSING: Final = {
    "$": "$",
    "$$": "$$",
    r"\(": r"\)",
    r"\[": r"\]",
}
_IN_MATH = re.compile(r"%[^\r\n]*|\\.|\$\$?|(?P<blank>(?>\r\n|[\r\n])[ \t]*[\r\n])", re.DOTALL)
# After a heading or the beginning of an environment: arguments, labels and comments, which belong to it.
_BELONGS = re.compile(r"(?:\s++|%[^\r\n]*+|\\label[ \t]*\{[^{}]{0,200}\}|\[[^\[\]]{0,200}\]|\{[^{}]{0,200}\})*+")
_NOT_BLANK = re.compile(r"\S")


@dataclass(frozen=True, slots=True)
class Whole:
    """A stretch that stays in one chunk if it fits: an equation, a verbatim block, a table, a heading, a comment."""

    start: int
    end: int
    name: str

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)


@dataclass(slots=True)
class LatexSource:
    """Borders and wholes of a LaTeX text.

    borders : position to rank; the smaller the rank, the more natural a cut
    wholes  : in order of their starts; they may be inside each other
    """

    borders: dict[int, int] = field(default_factory=dict)
    wholes: list[Whole] = field(default_factory=list)

    def mark(self, position: int, rank_: int) -> None:
        """A border; where there is one already, the bigger one stays."""
        if rank_ < self.borders.get(position, RANKS):
            self.borders[position] = rank_


def read_latex(text: str, headings: Iterable[Block] = ()) -> LatexSource:
    r"""The borders and wholes of a text; `headings` are those that the loader found.

    >>> source = read_latex("One $a$.\n\nTwo.")
    >>> source.borders, [w.span for w in source.wholes]
    ({10: 9}, [Span(start=4, end=7)])
    """
    return _Reader(text, {h.start: h for h in headings}).read()


class _Reader:
    """One pass over the tokens of a text, with a stack of open environments."""

    def __init__(self, text: str, headings: dict[int, Block]) -> None:
        self._text = text
        self._headings = headings
        self._found = LatexSource()
        self._open: list[tuple[str, int]] = []
        self._names: Counter[str] = Counter()
        self._never_closed: set[str] = set()
        # A border right behind the opening of an environment, or behind a heading, would leave that alone.
        self._belongs_until = 0

    def read(self) -> LatexSource:
        at = 0
        while token := _TOKEN.match(self._text, _end_of(_PROSE, self._text, at)):
            at = token.end()
            match token.lastgroup:
                case "comment":
                    self._whole(token.start(), token.start() + len(token[0].rstrip()), "comment")
                case "math":
                    at = self._math(token)
                case "blank":
                    self._paragraph(at)
                case "begin":
                    at = self._begin(token)
                case "end":
                    self._end(token)
                case "item":
                    self._border(token.start(), ITEM)
                case "par":
                    self._border(token.start(), PARAGRAPH)
                case "mark":
                    self._whole(token.start(), at, "verbatim text")
                case "row":
                    self._found.mark(at, ROW)
                case _:
                    at = self._heading(token)
        self._found.wholes.sort(key=lambda whole: (whole.start, -whole.end))
        return self._found

    def _whole(self, start: int, end: int, name: str) -> None:
        self._found.wholes.append(Whole(start, end, name))

    def _border(self, position: int, kind: int) -> None:
        if position >= self._belongs_until:
            self._found.mark(position, rank(len(self._open), kind))

    def _paragraph(self, at: int) -> None:
        start = _NOT_BLANK.search(self._text, at)
        if start and not self._text.startswith(r"\end", start.start()):
            self._border(start.start(), PARAGRAPH)

    def _math(self, token: re.Match[str]) -> int:
        opening = token["math"]
        closing = _CLOSING[opening]
        for found in _IN_MATH.finditer(self._text, token.end()):
            if found["blank"] is not None or found[0] == opening != closing:
                break
            # In $a$$b$ the two in the middle are not one sign: what closes is as long as what opens.
            if found[0] == closing or (closing == "$" and found[0] == "$$"):
                end = found.start() + len(closing)
                inline = opening in ("$", r"\(")
                self._whole(token.start(), end, "formula" if inline else "equation")
                if not inline:
                    self._around(token.start(), end)
                    self._rows(token.end(), found.start())
                return end
        return token.end()

    def _rows(self, start: int, end: int) -> None:
        for row in re.finditer(r"\\\\(?:\[[^\[\]\r\n]{0,30}\])?", self._text[start:end]):
            self._found.mark(start + row.end(), ROW)

    def _around(self, start: int, end: int) -> None:
        """Borders before and behind something that stands for itself."""
        self._border(start, EDGE)
        behind = _NOT_BLANK.search(self._text, end)
        if behind and not self._text.startswith(r"\end", behind.start()):
            self._border(behind.start(), EDGE)

    def _begin(self, token: re.Match[str]) -> int:
        name, start, at = token["begin"].strip(), token.start(), token.end()
        plain = name.rstrip("*")
        if name == "document":
            self._found.mark(start, BODY)
            self._behind_opening(at)
            return at
        if plain in _VERBATIM:
            ending = f"\\end{{{name}}}"
            end = -1 if name in self._never_closed else self._text.find(ending, at)
            if end < 0:
                self._never_closed.add(name)  # nor later: one look to the end of the text is enough
                return at
            end += len(ending)
            self._whole(start, end, "comment" if plain == "comment" else f"{name} block")
            self._around(start, end)
            return end
        self._border(start, EDGE)
        self._open.append((name, start))
        self._names[name] += 1
        self._behind_opening(at)
        return at

    def _end(self, token: re.Match[str]) -> None:
        name, end = token["end"].strip(), token.end()
        if not self._names[name]:
            return
        while True:
            opened, start = self._open.pop()
            self._names[opened] -= 1
            if opened == name:
                break
        plain = name.rstrip("*")
        if plain in _EQUATIONS:
            self._whole(start, end, "equation")
        elif plain in _TABLES:
            self._whole(start, end, "table")
        behind = _NOT_BLANK.search(self._text, end)
        if behind and not self._text.startswith(r"\end", behind.start()):
            self._border(behind.start(), EDGE)

    def _heading(self, token: re.Match[str]) -> int:
        heading = self._headings.get(token.start())
        if heading is None:
            return token.end()
        if heading.start >= self._belongs_until:  # or \section and \subsection stand one behind the other
            self._found.mark(heading.start, heading.level)
        self._whole(heading.start, heading.end, "heading")
        # A section ends what was left open: one \end that is missing must not count for the rest of the text.
        self._open.clear()
        self._names.clear()
        self._behind_opening(heading.end)
        return heading.end

    def _behind_opening(self, at: int) -> None:
        self._belongs_until = max(self._belongs_until, _end_of(_BELONGS, self._text, at) + 1)


def _end_of(pattern: re.Pattern[str], text: str, at: int) -> int:
    """Where a match at `at` ends; `at` where there is none."""
    match = pattern.match(text, at)
    return match.end() if match else at
