"""Recursive: the biggest separator first, smaller ones inside what is still too long."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from chunkviz.document import Document
from chunkviz.measures import Ints
from chunkviz.params import UNIT, Choice, Int, Params, Texts
from chunkviz.spec import Cut, Resizing, Services, Strategy, Tags
from chunkviz.text.recursive import RecursiveSplitter, fitting_splitter
from chunkviz.text.separators import SETS


@dataclass(frozen=True)
class RecursiveParams(Params):
    owner: ClassVar[str] = "recursive"

    size: Annotated[
        int,
        Int(
            label="Size",
            unit=UNIT,
            low=1,
            high=1_000_000,
            soft_high=2048,
            help="The most that goes into one chunk. Larger: fewer, longer chunks, more of them whole sections.",
        ),
    ] = 512
    overlap: Annotated[
        int,
        Int(
            label="Overlap",
            unit=UNIT,
            low=0,
            high=999_999,
            soft_high=512,
            below="size",
            help="The most that a chunk repeats from the one before, in whole parts. More: safer at the seams, more to store.",
        ),
    ] = 50
    separator_set: Annotated[
        str,
        Choice(
            label="Separators",
            options={"auto": "those of the document's format"} | {name: name for name in SETS},
            help="Which places count as natural borders. “auto” takes those made for the document's format or language.",
        ),
    ] = "auto"
    separators: Annotated[
        tuple[str, ...],
        Texts(
            label="Own separators",
            help="Texts to cut before, the biggest border first; end with an empty text to allow a cut anywhere. "
            "Empty list: the set above.",
        ),
    ] = ()


def _splitter(document: Document, params: RecursiveParams, services: Services) -> tuple[RecursiveSplitter, str]:
    return fitting_splitter(
        document,
        services.measure,
        params.size,
        params.overlap,
        set_name="" if params.separator_set == "auto" else params.separator_set,
        own=params.separators,
        strict=False,
    )


def cut(document: Document, params: RecursiveParams, services: Services) -> Cut:
    """The chunks of LangChain's `RecursiveCharacterTextSplitter`, with their true positions."""
    splitter, note = _splitter(document, params, services)
    return Cut(splitter.pieces(0, len(document.text)), notes=[note] if note else [])


def resizing(document: Document, params: RecursiveParams, services: Services) -> Resizing | None:
    """Every border there can be, the level that makes it, and sizes.

    `tail[j] - head[i]` counts the text from border i to border j, `own[i]` that from border i to the next one. Parts that
    neither counts right, such as a run of empty lines, are listed: from border `odd_from` to border `odd_to`, `odd_own`.
    """
    borders, levels = _splitter(document, params, services)[0].every_border()
    if len(borders) < 3:
        return None
    counts, (heads, tails) = services.measure.counts, services.measure.edges(borders, borders)
    odd: list[Ints] = []
    for level in np.unique(levels).tolist():
        of = np.flatnonzero(levels <= level)
        start, end = of[:-1], of[1:]
        true = counts(borders[start], borders[end])
        wrong = (end - start > 1) & (true != tails[end] - heads[start])
        odd.append(np.stack((start, end, true))[:, wrong])
    start, end, true = np.unique(np.concatenate(odd, axis=1), axis=1)
    own = np.append(counts(borders[:-1], borders[1:]), 0)
    numbers = {"level": levels, "own": own, "head": heads, "tail": tails}
    return Resizing("parts", borders, {**numbers, "odd_from": start, "odd_to": end, "odd_own": true})


SPEC = Strategy(
    id="recursive",
    title="Recursive",
    one_line="A cut at the biggest natural border that keeps chunks small enough",
    how="Tries blank lines first, then line ends, then blanks between words. What is still too long is cut again at "
    "the next smaller border; what is short is packed together.",
    good_for="Most prose and Markdown: a sound first choice.",
    watch_out="Knows borders, not meaning: two topics in one paragraph stay together, and it may cut after a heading.",
    source="LangChain, RecursiveCharacterTextSplitter; the same chunks, text for text.",
    version=1,
    params_class=RecursiveParams,
    cut=cut,
    tags=Tags(content_blind=True),
    resizing=resizing,
)
