"""Questions and the places in the documents that answer them: gold spans.

    rows = read_rows(Path("questions.jsonl").read_bytes(), "questions.jsonl")
    found = resolve(rows, {"handbook.pdf": document})
    found.questions                      # what can be evaluated
    found.problems                       # what could not be placed, and why; a report for whoever wrote the questions

A row names a document and a place in it: `start` and `end`, or a `quote`. A quote must occur exactly once, white space
taken as equal (a PDF breaks its lines where the page wants it); any other number of places is a problem with the places
that come into question, and never a guess.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import PurePosixPath
from typing import Final, Literal

from chunkviz.document import Document
from chunkviz.spans import Span, is_blank

MOST_PLACES: Final = 20
"""Places shown for a quote that occurs more than once."""


@dataclass(frozen=True, slots=True)
class Gold:
    """A part of a document that answers a question: code points, half-open."""

    document: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Question:
    """A question that can be evaluated.

    gold   : what answers it, at least one span
    answer : the answer in words, "" where none was given
    """

    text: str
    gold: tuple[Gold, ...]
    answer: str = ""

    @property
    def documents(self) -> tuple[str, ...]:
        """The documents that hold the answer, each once, in the order of the spans."""
        return tuple(dict.fromkeys(g.document for g in self.gold))


@dataclass(frozen=True, slots=True)
class Reference:
    """A place as somebody wrote it: offsets, a quote, or both (then the quote only checks the offsets)."""

    document: str
    start: int | None = None
    end: int | None = None
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A question as somebody wrote it, before its places are looked up.

    number : of its first line or object in the file, counted from 1
    fault  : why the row cannot be read, "" where it can
    """

    number: int
    text: str = ""
    references: tuple[Reference, ...] = ()
    answer: str = ""
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a row.

    level  : "error": the question is left out; "warning": it is kept, and someone should look
    places : where a quote occurs, at most `MOST_PLACES`, for the choice between them
    """

    row: int
    text: str
    level: Literal["error", "warning"] = "error"
    question: str = ""
    document: str = ""
    quote: str = ""
    places: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions with their gold spans, and what was wrong with the rows they came from."""

    questions: tuple[Question, ...]
    problems: tuple[Problem, ...] = ()

    @property
    def errors(self) -> tuple[Problem, ...]:
        return tuple(p for p in self.problems if p.level == "error")


def resolve(rows: Iterable[Row], documents: Mapping[str, Document]) -> QuestionSet:
    """Look up the places of every row.

    documents : id to document. A row may name a document by its id, or by its file name with or without the ending,
                where only one fits
    A row with one place that cannot be found is left out as a whole: half an answer would be scored as all of it.
    """
    rows = list(rows)
    names = _Names(documents)
    questions: list[Question] = []
    problems: list[Problem] = []
    for row in rows:
        gold: list[Gold] = []
        wrong: list[Problem] = []
        if row.fault:
            wrong.append(Problem(row.number, row.fault, question=row.text))
        elif not row.text.strip():
            wrong.append(Problem(row.number, "The question is empty."))
        elif not row.references:
            wrong.append(Problem(row.number, "No place in a document is given.", question=row.text))
        for reference in row.references if not wrong else ():
            found = _place(row, reference, names, documents)
            wrong += found.problems
            if found.gold is not None and found.gold not in gold:
                gold.append(found.gold)
        problems += wrong
        if not any(p.level == "error" for p in wrong):
            questions.append(Question(row.text, tuple(gold), row.answer))
    problems += _repeated(rows)
    return QuestionSet(tuple(questions), tuple(sorted(problems, key=lambda p: p.row)))


def places_of(quote: str, text: str) -> list[Span]:
    """Where `quote` occurs in `text`, white space taken as equal; at most `MOST_PLACES` + 1, overlapping ones too.

    >>> places_of("two  words", "two words, two\\nwords")
    [Span(start=0, end=9), Span(start=11, end=20)]
    """
    words = quote.split()
    if not words:
        return []
    pattern = re.compile(r"\s+".join(map(re.escape, words)))
    found: list[Span] = []
    at = 0
    while len(found) <= MOST_PLACES and (match := pattern.search(text, at)):
        found.append(Span(*match.span()))
        at = match.start() + 1
    return found


@dataclass(frozen=True, slots=True)
class _Found:
    gold: Gold | None
    problems: tuple[Problem, ...] = ()


def _place(row: Row, reference: Reference, names: _Names, documents: Mapping[str, Document]) -> _Found:
    def problem(text: str, level: Literal["error", "warning"] = "error", places: Sequence[Span] = ()) -> Problem:
        return Problem(row.number, text, level, row.text, reference.document, reference.quote, tuple(places))

    def fault(text: str, places: Sequence[Span] = ()) -> _Found:
        return _Found(None, (problem(text, places=places),))

    name = names.find(reference.document)
    if name is None:
        return fault(names.missing(reference.document))
    text = documents[name].text
    start, end, quote = reference.start, reference.end, reference.quote
    if (start is None) != (end is None):
        return fault("`start` and `end` go together; one of them is missing.")
    if start is None or end is None:
        if not quote.strip():
            return fault("Neither a quote nor `start` and `end` are given.")
        found = places_of(quote, text)
        if len(found) == 1:
            return _Found(Gold(name, *found[0]))
        if not found:
            return fault(f"The quote does not occur in {name}. Copy the words exactly as the document has them.")
        many = f"more than {MOST_PLACES}" if len(found) > MOST_PLACES else str(len(found))
        return fault(f"The quote occurs {many} times in {name}. Choose a place, or quote more.", found[:MOST_PLACES])
    if not 0 <= start < end <= len(text):
        return fault(f"{start} to {end} is no part of {name}, which has {len(text):,} characters.")
    if is_blank(text, start, end):
        return fault(f"Characters {start} to {end} of {name} are only white space.")
    gold = Gold(name, start, end)
    if quote.strip() and quote.split() != text[start:end].split():
        # Offsets decide, as in the public format; but most often the document has changed since they were taken.
        shown = text[start : start + 60]
        words = (
            f"Characters {start} to {end} of {name} are not the quote; they begin {shown!r}. Was the document changed?"
        )
        return _Found(gold, (problem(words, "warning", places_of(quote, text)[:MOST_PLACES]),))
    return _Found(gold)


def _repeated(rows: Sequence[Row]) -> list[Problem]:
    """Questions that stand there more than once: each would be counted, and the intervals come out too narrow."""
    count = Counter(row.text.strip().casefold() for row in rows if row.text.strip())
    seen: set[str] = set()
    found = []
    for row in rows:
        text = row.text.strip().casefold()
        if count[text] > 1 and text in seen:
            found.append(Problem(row.number, "The same question stands there before.", "warning", row.text))
        seen.add(text)
    return found


class _Names:
    """Documents by the names that people give them."""

    def __init__(self, documents: Mapping[str, Document]) -> None:
        self._ids = list(documents)
        self._short: dict[str, list[str]] = {}
        for name in self._ids:
            path = PurePosixPath(name)
            for short in {name, path.name, str(path.with_suffix("")), path.stem}:
                self._short.setdefault(short, []).append(name)

    def find(self, name: str) -> str | None:
        if name in self._ids:
            return name
        fitting = self._short.get(name, [])
        return fitting[0] if len(fitting) == 1 else None

    def missing(self, name: str) -> str:
        fitting = self._short.get(name, [])
        if len(fitting) > 1:
            return f"{name!r} may be any of {', '.join(fitting[:5])}. Give its whole name."
        if not name:
            return "No document is named."
        near = get_close_matches(name, self._short, 1)
        return f"There is no document {name!r}" + (f"; did you mean {near[0]!r}?" if near else ".")
