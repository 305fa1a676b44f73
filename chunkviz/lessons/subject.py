"""What the demo is about: a question and its answer, a passage that a reader marked, or what a cut goes through by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from chunkviz import samples
from chunkviz.document import Document
from chunkviz.engine import chunk
from chunkviz.graphemes import graphemes
from chunkviz.lessons.excerpt import part
from chunkviz.lessons.ways import Ways, ways_for
from chunkviz.question_files import read_file
from chunkviz.questions import Gold, Question, places_of, resolve
from chunkviz.report import report
from chunkviz.spans import Span

SAMPLE: Final = "api_manual"
"""The sample that the story was written with."""
LONGEST: Final = 60_000
"""Characters of a document with which the story is told: some thirty pages. A longer one is told by a part of it."""
MOST_QUESTIONS: Final = 40
"""Questions that are asked for the claims of a step; of a longer list the first ones."""
_AT_A_GLANCE: Final = 300
"""Characters of a passage that is read at once."""
_SEAMS: Final = (
    ("cut.sentences", "sentence"),
    ("cut.code_blocks", "code block"),
    ("cut.tables", "table"),
    ("cut.headings", "heading with the sentence under it"),
)
"""What a cut can go through, by the figure that lists such places, and what it is called."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the story is about.

    document  : the whole document, or the part of it that the story is told with
    questions : what is asked about it, the one of the story first; may be empty
    problem   : what was wrong with a reader's own question, in words
    place     : what is looked at where there is no question; None with one, and where no cut goes through anything
    word      : what `place` is: "sentence", "table", "passage" …
    whole     : characters of the whole document
    start     : where in it `document` begins
    written   : whether this is the very story that was written, with its sample and its question
    """

    document: Document
    questions: tuple[Question, ...] = ()
    problem: str = ""
    place: Span | None = None
    word: str = ""
    whole: int = 0
    start: int = 0
    written: bool = False

    @property
    def gold(self) -> Span | None:
        """What has to stay whole: the answer to the first question, else the place; without white space at its ends."""
        if not self.questions:
            return self.place
        place = self.questions[0].gold[0]
        return graphemes(self.document).trimmed(place.start, place.end)

    @property
    def it(self) -> str:
        """What has to stay whole, in words: "the answer", "this sentence"."""
        return "the answer" if self.questions else f"this {self.word}" if self.place else "the text"

    @property
    def ways(self) -> Ways:
        """The ways to cut, in sizes that suit the document."""
        return self.document.derive("lessons.ways", lambda: ways_for(self.document))

    @property
    def part(self) -> bool:
        """Whether the story is told with a part of the document."""
        return len(self.document.text) < self.whole


def asked_of_sample(sample_id: str, document: Document) -> Asked:
    """A sample's own questions, the one that it was written for at the front."""
    rows = read_file(samples.FOLDER / "questions" / f"{sample_id}.csv")
    found = resolve(rows, {document.name: document}).questions
    first = samples.sample(sample_id).question
    made = asked_of(document, tuple(sorted(found, key=lambda q: q.text != first)))
    return replace(
        made, written=sample_id == SAMPLE and made.questions[:1] == tuple(q for q in found if q.text == first)
    )


def asked_of(document: Document, questions: Sequence[Question]) -> Asked:
    """Questions about a document, the one of the story first; without any, what a cut goes through."""
    if not questions:
        return asked_of_itself(document)
    first = questions[0].gold[0]
    small, start = told_with(document, Span(first.start, first.end))
    end = start + len(small.text)
    inside = [q for q in questions if all(start <= g.start and g.end <= end for g in q.gold)]
    if not inside or inside[0] is not questions[0]:
        # The places of its answer are too far apart for one part: the first of them is what the story is about.
        inside.insert(0, replace(questions[0], gold=questions[0].gold[:1]))
    moved = [
        replace(
            q, gold=tuple(replace(g, start=g.start - start, end=min(g.end - start, len(small.text))) for g in q.gold)
        )
        for q in inside[:MOST_QUESTIONS]
    ]
    return Asked(small, tuple(moved), whole=len(document.text), start=start)


def asked_by_reader(document: Document, question: str, answer: str) -> Asked:
    """A reader's own question, with the words of the document that answer it; they must occur once.

    Words without a question are a passage to look at.
    """
    if not answer.strip():
        return asked_of_itself(document)
    places = places_of(answer, document.text)
    if len(places) != 1:
        times = "do not occur" if not places else f"occur {len(places)} times"
        return replace(
            asked_of_itself(document),
            problem=f"The words of the answer {times} in this document. Copy them so that they occur once.",
        )
    return asked_at(document, question, Span(places[0].start, places[0].end))


def asked_at(document: Document, question: str, place: Span) -> Asked:
    """A passage of the document, and the question that it answers, if there is one."""
    if question.strip():
        return asked_of(document, [Question(question.strip(), (Gold(document.name, place.start, place.end),))])
    small, start = told_with(document, place)
    inside = graphemes(small).trimmed(place.start - start, place.end - start)
    return Asked(small, place=inside, word="passage", whole=len(document.text), start=start)


def asked_of_itself(document: Document) -> Asked:
    """What the document itself shows: a sentence near its beginning that the blind cut goes through, else a block."""
    small, _ = told_with(document)
    plain = Asked(small, whole=len(document.text))

    def seam() -> tuple[Span, str] | None:
        blind = plain.ways.blind
        found = report(chunk(small, blind.strategy, **blind.values))
        for figure, word in _SEAMS:
            places = [Span(place.start, place.end) for place in found[figure].findings]
            if places:
                # One that a reader takes in at a glance, where there is one.
                return next((p for p in places if p.length <= _AT_A_GLANCE), places[0]), word
        return None

    found = small.derive("lessons.seam", seam)
    return replace(plain, place=found[0], word=found[1]) if found else plain


def told_with(document: Document, around: Span | None = None) -> tuple[Document, int]:
    """The part of a long document that the story is told with, and where it begins; the whole of any other.

    around : what must be in it; without, the part begins where the document does
    """
    text = document.text
    if len(text) <= LONGEST:
        return document, 0
    start = 0
    if around is not None:
        start = _border(document, max(0, min(around.start - LONGEST // 2, len(text) - LONGEST)), around.start)
    end = _last_border(document, max(start + LONGEST // 2, around.end if around else 0), start + LONGEST)
    end = max(end, around.end if around else 0)

    def make() -> tuple[Document, int]:
        small = part(document, start, end)
        return small, text.index(small.text[:1], start) if small.text else start

    return document.derive(("lessons.part", start, end), make)


def _border(document: Document, low: int, high: int) -> int:
    """The first place in a range at which the text has a border: a heading, a blank line, a line; else a character."""
    for heading in document.headings:
        if low <= heading.start <= high:
            return heading.start
    for mark in ("\n\n", "\n", " "):
        at = document.text.find(mark, low, high)
        if at >= 0:
            return at + len(mark)
    return graphemes(document).floor(low)


def _last_border(document: Document, low: int, high: int) -> int:
    """The last such place in a range."""
    if high >= len(document.text):
        return len(document.text)
    for heading in reversed(document.headings):
        if low <= heading.start <= high:
            return heading.start
    for mark in ("\n\n", "\n", " "):
        at = document.text.rfind(mark, low, high)
        if at >= 0:
            return at + len(mark)
    return graphemes(document).floor(high)
