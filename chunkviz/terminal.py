"""Text for a terminal: one line, no control characters, columns that line up.

What comes from a document or a file name could move the cursor, change colours or turn a line around. Everything
that is shown passes `plain` first.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from typing import Final

import regex

ELLIPSIS: Final = "…"
_JOINER: Final = "\u200d"
_BLANKS = re.compile(r"\s+")
_CLUSTER = regex.compile(r"\X")


def plain(text: str) -> str:
    """`text` on one line: runs of white space become a blank, what a terminal might obey becomes U+FFFD.

    >>> plain("two\\n lines"), plain("\\x1b[31mred")
    ('two lines', '\\ufffd[31mred')
    """
    line = _BLANKS.sub(" ", text).strip()
    # The joiner only holds emoji together; every other character that is not printable is replaced.
    return "".join(c if c.isprintable() or c == _JOINER else "\ufffd" for c in line)


def _cells(cluster: str) -> int:
    return 2 if any(unicodedata.east_asian_width(c) in "WF" for c in cluster) else 1


def width(text: str) -> int:
    """Columns that `text` takes on a terminal: two for an ideograph or an emoji, one for any other character.

    >>> width("ab"), width("猫😀"), width("e\\u0301")
    (2, 4, 1)
    """
    return len(text) if text.isascii() else sum(_cells(c) for c in _CLUSTER.findall(text))


def clipped(text: str, columns: int) -> str:
    """`text`, cut between two characters and marked with “…” where it takes more than `columns` (at least 1).

    >>> clipped("words", 5), clipped("words", 4)
    ('words', 'wor…')
    """
    if width(text) <= columns:
        return text
    kept, used = [], 0
    for cluster in _CLUSTER.findall(text):
        used += _cells(cluster)
        if used > columns - 1:
            break
        kept.append(cluster)
    return "".join(kept) + ELLIPSIS


def table(
    header: Sequence[str], rows: Sequence[Sequence[str]], *, right: Collection[int] = (), columns: int | None = None
) -> str:
    """Rows under a header, a line each; "" at the end of no line.

    right   : the columns that are set flush right, by number
    columns : the width to fit into; the last column gives way first, no other takes more than a third. None: all of it
    """
    lines = [[plain(cell) for cell in row] for row in (header, *rows)]
    widths = [max(width(line[i]) for line in lines) for i in range(len(header))]
    if columns is not None:
        widths = [min(w, max(5, columns // 3)) for w in widths[:-1]] + widths[-1:]
        widths[-1] = min(widths[-1], max(10, columns - sum(widths[:-1]) - 2 * (len(widths) - 1)))
    return "".join(_line(line, widths, right) + "\n" for line in lines)


def _line(cells: Sequence[str], widths: Sequence[int], right: Collection[int]) -> str:
    shown = []
    for i, (cell, columns) in enumerate(zip(cells, widths, strict=True)):
        text = clipped(cell, columns)
        blanks = " " * (columns - width(text))
        shown.append(blanks + text if i in right else text + blanks)
    return "  ".join(shown).rstrip()
