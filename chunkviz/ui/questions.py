"""The session's questions: those that come with the samples, and those that a reader made here or loaded.

current_set(document)     the questions of one document that can be asked, with the spans that answer them
question_rows()           every question of this session, for an evaluation over several documents

A set belongs to one text, by its fingerprint: offsets that are right in it are wrong in another. Where the same file is
read with other options, the questions whose words still occur exactly once come along.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import PurePosixPath
from typing import Any, Final

import streamlit as st

from chunkviz import samples
from chunkviz.document import Document
from chunkviz.errors import LoadError
from chunkviz.question_files import read_file, read_rows
from chunkviz.questions import Problem, Question, Reference, Row, resolve
from chunkviz.spans import Span

MOST_QUESTIONS: Final = 2_000
"""In one set: each quote without offsets is looked for in the whole text."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A question of a set.

    id     : stays while the question is edited; of a sample's own question the one in its file
    row    : the question as it was written; its number is that of its line in the file it came from
    origin : name of that file, "" for a question made here
    """

    id: str
    row: Row
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Placed:
    """An entry, what can be asked of it (None where its answer was not found), and what is wrong with it."""

    entry: Entry
    question: Question | None
    problems: tuple[Problem, ...]


def current_set(document: Document) -> list[Question]:
    """The questions about this document that can be asked, with their gold spans; those with errors are left out."""
    return [p.question for p in placed(document) if p.question is not None]


def question_rows() -> list[Row]:
    """Every question of this session, in rows that `questions.resolve(rows, documents)` places.

    In this order: the sets of documents that were shown, as edited; loaded rows about documents that were not shown
    yet; the own sets of samples that were not shown yet. Rows name their document by its file name.
    """
    shown: dict[str, str] = _state("questions.shown", {})
    rows = [e.row for fingerprint in shown.values() for e in _sets()[fingerprint]]
    rows += [e.row for e in _elsewhere()]
    for sample in samples.SAMPLES:
        if sample.file not in shown:
            rows += _sample_rows(sample.id)
    return rows


def placed(document: Document) -> list[Placed]:
    """The set of a document with what became of each question; looked up once after every change."""
    made = entries(document)
    known: dict[str, tuple[tuple[Entry, ...], list[Placed]]] = _state("questions.placed", {})
    if document.fingerprint not in known or known[document.fingerprint][0] is not made:
        known[document.fingerprint] = (made, _placed(made, document))
    return known[document.fingerprint][1]


def entries(document: Document) -> tuple[Entry, ...]:
    """The set of a document; at the first look, what its sample, loaded files and its other readings have for it."""
    sets = _sets()
    if document.fingerprint not in sets:
        sets[document.fingerprint] = _first(document)
    _state("questions.shown", {})[document.name] = document.fingerprint
    waiting = [e for e in _elsewhere() if _about(e.row, document)]
    if waiting:
        st.session_state["questions.elsewhere"] = [e for e in _elsewhere() if e not in waiting]
        _keep(document, (*sets[document.fingerprint], *(_settled(e, document) for e in waiting)))
    return sets[document.fingerprint]


def add(document: Document, text: str, place: Span | str, answer: str = "") -> Placed:
    """Put a question into the set, and say what became of it.

    place : where the answer stands, or its words, which are looked for
    """
    where = reference(document, place) if isinstance(place, Span) else Reference(document.name, quote=place)
    made = _settled(Entry(_new_id(), Row(0, text.strip(), (where,), answer.strip())), document)
    _keep(document, (*entries(document), made))
    return next(p for p in placed(document) if p.entry.id == made.id)


def change(
    document: Document, entry_id: str, *, text: str | None = None, answer: str | None = None, span: Span | None = None
) -> None:
    """Edit a question: what is None stays; a span becomes its only place."""
    changed = []
    for e in entries(document):
        if e.id == entry_id:
            row = replace(
                e.row,
                text=e.row.text if text is None else text.strip(),
                answer=e.row.answer if answer is None else answer.strip(),
                references=e.row.references if span is None else (reference(document, span),),
                fault="" if span is not None else e.row.fault,
            )
            e = replace(e, row=row)
        changed.append(e)
    _keep(document, tuple(changed))


def choose_place(document: Document, entry_id: str, problem: Problem, span: Span) -> None:
    """Say which of the places where a quote occurs is meant."""
    changed = []
    for e in entries(document):
        if e.id == entry_id:
            references = tuple(
                reference(document, span) if (r.document, r.quote) == (problem.document, problem.quote) else r
                for r in e.row.references
            )
            e = replace(e, row=replace(e.row, references=references))
        changed.append(e)
    _keep(document, tuple(changed))


def remove(document: Document, entry_id: str) -> None:
    """Take a question out of the set."""
    _keep(document, tuple(e for e in entries(document) if e.id != entry_id))


def restore(document: Document) -> None:
    """Put the sample's own questions back as they were; those made here stay."""
    own = _of_sample(document)
    ids = {e.id for e in own}
    _keep(document, (*own, *(e for e in entries(document) if e.id not in ids)))


def changed_sample(document: Document) -> bool:
    """Whether questions that came with the sample were edited or removed."""
    return not set(_of_sample(document)) <= set(entries(document))


def load(document: Document, data: bytes, name: str) -> tuple[int, int]:
    """Add the questions of a file: how many are about this document, and how many about others.

    Those wait until their document is shown. Rows that name no document at all, and rows that cannot be read, are kept
    with this one, where the report says what is wrong. Raises `LoadError` for a file that cannot be read, and for more
    than `MOST_QUESTIONS`.
    """
    rows = read_rows(data, name)
    here = [r for r in rows if _about(r, document) or not any(ref.document for ref in r.references)]
    before = entries(document)
    if len(before) + len(here) > MOST_QUESTIONS or len(_elsewhere()) + len(rows) - len(here) > MOST_QUESTIONS:
        raise LoadError(
            f"{PurePosixPath(name).name} holds {len(rows):,} questions; a set may hold {MOST_QUESTIONS:,}. "
            "Split the file, or evaluate it with the command line."
        )
    made = [Entry(_new_id(), row, PurePosixPath(name).name) for row in rows]
    mine = {id(row) for row in here}
    _keep(document, (*before, *(_settled(e, document) for e in made if id(e.row) in mine)))
    _elsewhere().extend(e for e in made if id(e.row) not in mine)
    return len(here), len(rows) - len(here)


def reference(document: Document, span: Span) -> Reference:
    """A place of a document, with its words: they tell when the text is another one."""
    return Reference(document.name, span.start, span.end, document.text[span.start : span.end])


def own_id(document: Document, entry: Entry) -> str:
    """The id of a sample's own question, for a link; "" for any other and for one that was edited."""
    return entry.id if entry in _of_sample(document) else ""


# --- what the session holds ---------------------------------------------------------------------------------------


def _state(key: str, empty: Any) -> Any:
    return st.session_state.setdefault(key, empty)


def _sets() -> dict[str, tuple[Entry, ...]]:
    """By fingerprint. Tuples: a set that is changed is another one, which is how `placed` notices."""
    sets: dict[str, tuple[Entry, ...]] = _state("questions", {})
    return sets


def _elsewhere() -> list[Entry]:
    """Loaded questions about documents that were not shown yet."""
    waiting: list[Entry] = _state("questions.elsewhere", [])
    return waiting


def _keep(document: Document, made: tuple[Entry, ...]) -> None:
    _sets()[document.fingerprint] = made


def _new_id() -> str:
    st.session_state["questions.made"] = number = _state("questions.made", 0) + 1
    return f"own-{number}"


def _first(document: Document) -> tuple[Entry, ...]:
    """A new text's questions: from the same file read otherwise, else from its sample."""
    before = _state("questions.shown", {}).get(document.name)
    if before is not None:
        came = [_settled(_by_words(e), document) for e in _sets()[before]]
        return tuple(e for e, p in zip(came, _placed(came, document), strict=True) if p.question is not None)
    return _of_sample(document)


def _of_sample(document: Document) -> tuple[Entry, ...]:
    """The questions that come with a sample; none for a file of that name in which none of them has its answer."""
    sample = next((s for s in samples.SAMPLES if s.file == document.name), None)
    if sample is None:
        return ()

    def made() -> tuple[Entry, ...]:
        own = [
            _settled(Entry(f"{sample.id}-{row.number:02d}", row, f"{sample.id}.csv"), document)
            for row in _sample_rows(sample.id)
        ]
        return tuple(own) if any(p.question for p in _placed(own, document)) else ()

    return document.derive("questions.sample", made)


@cache
def _sample_rows(sample_id: str) -> tuple[Row, ...]:
    """What stands in a sample's question file; nothing where the samples are not installed."""
    file = samples.FOLDER / "questions" / f"{sample_id}.csv"
    return tuple(read_file(file)) if file.is_file() else ()


def _about(row: Row, document: Document) -> bool:
    """Whether a row has a place in this document, named as people name it: with or without folder and ending."""
    path = PurePosixPath(document.name)
    return any(r.document in {document.name, path.name, str(path.with_suffix("")), path.stem} for r in row.references)


def _settled(entry: Entry, document: Document) -> Entry:
    """The entry with offsets instead of quotes to look for, where all its places are found without a doubt."""
    found = resolve([entry.row], {document.name: document})
    if found.problems or not found.questions:
        return entry
    places = tuple(reference(document, Span(g.start, g.end)) for g in found.questions[0].gold)
    return replace(entry, row=replace(entry.row, references=places))


def _by_words(entry: Entry) -> Entry:
    """The entry with its quotes only: offsets of another text mean nothing."""
    quotes = tuple(Reference(r.document, quote=r.quote) for r in entry.row.references)
    return replace(entry, row=replace(entry.row, references=quotes))


def _placed(made: Sequence[Entry], document: Document) -> list[Placed]:
    # Numbered by place in the set: the numbers of several files would meet.
    rows = [replace(e.row, number=at) for at, e in enumerate(made)]
    found = resolve(rows, {document.name: document})
    wrong: dict[int, list[Problem]] = {}
    for problem in found.problems:
        wrong.setdefault(problem.row, []).append(problem)
    questions = iter(found.questions)
    result = []
    for at, e in enumerate(made):
        problems = tuple(wrong.get(at, ()))
        bad = any(p.level == "error" for p in problems)
        result.append(Placed(e, None if bad else next(questions), problems))
    return result
