"""A page of a PDF as a picture, and where on it each word of the document stands.

The loader keeps the text of a page and forgets where its words stood. Here the page is read once more, by the same
functions, and its lines are laid beside the text that came out: letter by letter, white space and hyphens at line ends
aside, so a word is either found where it is or not at all. What the loader left out (running headers) finds no place.

Only in a worker of `isolation`, as all that touches PyMuPDF.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from chunkviz.errors import LoadError
from chunkviz.loaders import pdf
from chunkviz.loaders.pdf_layout import Line, reading_order
from chunkviz.loaders.pdf_tables import is_grid
from chunkviz.loaders.pdf_words import SOFT_HYPHEN, cleaned
from chunkviz.wire import PageImage, PlacedWord

WIDTH: Final = 1100
"""Pixels across a page: sharp where it is shown at half of that on a fine screen."""
MOST_PIXELS: Final = 4_000_000
HYPHENS: Final = ("-", "\u2010")
MOST_STATES: Final = 200_000
"""Ways of laying lines beside the text that are tried before a page counts as one that cannot be laid."""


@dataclass(frozen=True, slots=True)
class Box:
    """A word as PyMuPDF gives it: its box on the page as shown, and its letters without white space."""

    x0: float
    y0: float
    x1: float
    y1: float
    ink: str


def page_image(data: bytes, name: str, number: int, text: str, start: int, password: str | None) -> PageImage:
    """Page `number` (from 1) of a PDF that the loader has read.

    text, start : what the document holds of this page, and where in the document that begins
    Raises `LoadError` for what is no PDF, is locked or has no such page, and `MemoryError` as the loader does.
    """
    pymupdf = pdf._library()
    try:
        opened = pymupdf.open(stream=data, filetype="pdf")
    except Exception as error:  # RuntimeError, ValueError and classes of its own, all for damaged files
        raise pdf._damaged(name, error) from error
    with opened:
        if opened.needs_pass and not opened.authenticate(password or ""):
            raise LoadError(f"{name} is locked.", needs_password=True)
        if not 1 <= number <= opened.page_count:
            raise LoadError(f"{name} has no page {number}.")
        try:
            page = opened[number - 1]
            pdf._check_streams(opened, page, name)
            lines = pdf._lines(page, number, pdf._Found())  # turns the page so that its letters stand upright
            boxes = _boxes(pymupdf, page)
            width, height = page.rect.width, page.rect.height
            scale = min(WIDTH / width, (MOST_PIXELS / (width * height)) ** 0.5)
            png = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), alpha=False).tobytes("png")
        except LoadError:
            raise
        except Exception as error:  # a page that PyMuPDF cannot draw: the text columns do not need it
            raise pdf._damaged(name, error) from error
    return PageImage(width, height, tuple(placed_words(lines, boxes, text, start, width)), png)


def _boxes(pymupdf: Any, page: Any) -> list[Box]:
    found = []
    turned = page.rotation_matrix
    for x0, y0, x1, y1, text, *_ in page.get_text("words", flags=pdf._flags(pymupdf)):
        box = pymupdf.Rect(x0, y0, x1, y1) * turned
        ink = _ink(text)
        if ink:
            found.append(Box(box.x0, box.y0, box.x1, box.y1, ink))
    return found


def _ink(text: str) -> str:
    """The visible characters as the document has them: ligatures as letters, no soft hyphens."""
    return "".join(cleaned(text, Counter()).split()).replace(SOFT_HYPHEN, "")


# --- laying lines beside the text -------------------------------------------------------------------------------


def placed_words(lines: Sequence[Line], boxes: Sequence[Box], text: str, start: int, width: float) -> list[PlacedWord]:
    """The words of `boxes` that stand in `text`, in order.

    lines : of the page as the loader sees them
    text  : what the document holds of the page, from `start` on
    """
    at = np.flatnonzero([not c.isspace() for c in text])
    ink = "".join(text[i] for i in at.tolist())
    kept = [line for line in lines if any(form in ink for form in _forms(_ink(line.text)))]
    ordered, _ = reading_order(kept, width, is_grid)
    found: list[PlacedWord] = []
    middles = np.array([((b.x0 + b.x1) / 2, (b.y0 + b.y1) / 2) for b in boxes], dtype=np.float64).reshape(-1, 2)
    free = np.ones(len(boxes), dtype=bool)
    for line, begin, form in laid([_ink(line.text) for line in ordered], ink):
        inside = np.flatnonzero(free & _holds(ordered[line], middles)).tolist()
        for which, offset in _in_line([boxes[i].ink for i in inside], ordered[line], form):
            box = boxes[inside[which]]
            free[inside[which]] = False
            first, last = at[begin + offset], at[begin + offset + min(len(box.ink), len(form) - offset) - 1]
            found.append(PlacedWord(box.x0, box.y0, box.x1, box.y1, start + int(first), start + int(last) + 1))
    return sorted(found, key=lambda word: word.start)


def _forms(ink: str) -> tuple[str, ...]:
    """A line as it may stand in the document: with the hyphen at its end, and without."""
    return (ink, ink[:-1]) if ink.endswith(HYPHENS) and len(ink) > 1 else (ink,)


def laid(lines: Sequence[str], ink: str) -> list[tuple[int, int, str]]:
    """Where lines stand in a text: (line, place, the form it has there), as many letters of them as possible.

    The text is made of the lines in order, of which some were left out. So a line stands where the one before ends, or
    not at all; which it is is not always plain at once (a page number may be what the text goes on with), so both are
    tried where both are possible.
    """
    # The places each line can have, from the front; then, from the back, what is best at each of them.
    places: list[set[int]] = [{0}]
    for line in lines:
        places.append(places[-1] | {end for place in places[-1] for end, _ in _steps(line, ink, place)})
        if sum(map(len, places)) > MOST_STATES:
            return []
    best: dict[int, int] = dict.fromkeys(places[-1], 0)
    chosen: list[dict[int, tuple[int, str]]] = []
    for line, here in zip(reversed(lines), reversed(places[:-1]), strict=True):
        following, best, choice = best, {}, {}
        for place in here:
            best[place] = following[place]
            for end, form in _steps(line, ink, place):
                if len(form) + following[end] > best[place]:
                    best[place] = len(form) + following[end]
                    choice[place] = (end, form)
        chosen.append(choice)
    found = []
    place = 0
    for number, choice in enumerate(reversed(chosen)):
        if place in choice:
            end, form = choice[place]
            found.append((number, place, form))
            place = end
    return found


def _steps(line: str, ink: str, place: int) -> list[tuple[int, str]]:
    """Where a line that stands at `place` ends, and in which form."""
    return [(place + len(form), form) for form in _forms(line) if form and ink.startswith(form, place)]


def _holds(line: Line, middles: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which of the points (n, 2) lie in a line, which has a point more to the left and right."""
    x, y = middles[:, 0], middles[:, 1]
    held: NDArray[np.bool_] = (line.x0 - 1 <= x) & (x <= line.x1 + 1) & (line.y0 <= y) & (y <= line.y1)
    return held


def _in_line(words: Sequence[str], line: Line, form: str) -> list[tuple[int, int]]:
    """Which words of a line stand at which offset in it: each token takes the first free word of the same letters.

    A row of a table has bars between its cells that are on no page as words; they take none.
    """
    free: dict[str, deque[int]] = {}
    for number, word in enumerate(words):
        free.setdefault(word, deque()).append(number)
    found = []
    offset = 0
    for token in (_ink(part) for part in line.text.split()):
        if offset >= len(form):
            break
        if free.get(token):
            found.append((free[token].popleft(), offset))
        offset += len(token)
    return found
