"""The whole story about one subject, with no page: for the command line, for tests, and as the way a page goes as well."""

from __future__ import annotations

from collections.abc import Iterator

from chunkviz.engine import chunk
from chunkviz.lessons.claims import Scene
from chunkviz.lessons.measured import measure
from chunkviz.lessons.story import STEPS, Step
from chunkviz.lessons.subject import Asked
from chunkviz.report import report


def scene(asked: Asked, step: Step) -> Scene:
    """What the claims of a step are made of."""
    settings = step.measures(asked.ways)
    evaluation, measured = measure(asked, settings) if asked.questions and settings else (None, {})
    made = [(s, chunk(asked.document, s.strategy, **s.values)) for s in step.columns(asked.ways)]
    return Scene(asked, [(s, c, report(c)) for s, c in made], measured, evaluation)


def told(asked: Asked) -> Iterator[tuple[str, list[str]]]:
    """The title and the claims of every step."""
    for step in STEPS:
        yield step.words(asked)[0], step.claims(scene(asked, step))
