"""The decision guide: from a kind of document, its structure, a budget and a kind of question to a strategy and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from chunkviz.document import Document

KINDS: Final[Mapping[str, str]] = {
    "manual": "Manual, handbook, wiki",
    "prose": "Report, article, contract",
    "talk": "Transcript, interview, chat",
    "slides": "Slides, forms, scans (pages)",
    "web": "Web page, help centre",
    "code": "Source code",
    "data": "JSON, API description, log",
    "paper": "LaTeX paper",
}
STRUCTURES: Final[Mapping[str, str]] = {
    "headings": "Headings, short sections",
    "long": "Headings, long sections",
    "paragraphs": "Paragraphs, few headings",
    "none": "Neither of them",
}
BUDGETS: Final[Mapping[str, str]] = {
    "none": "Nothing",
    "embed": "A model for each sentence",
    "model": "A language model",
}
QUESTIONS: Final[Mapping[str, str]] = {
    "fact": "One exact fact",
    "how": "An explanation, a procedure",
    "overview": "An overview of a subject",
}

SIZES: Final[Mapping[str, int]] = {"fact": 200, "how": 400, "overview": 800}
"""Tokens to begin with, by the kind of question. Our own starting numbers, to be measured and moved."""
OVERLAP_SHARE: Final = 10
"""An overlap is a tenth of the size, where there is one."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What the guide suggests.

    params   : where they differ from the strategy's defaults
    reasons  : one sentence each
    evidence : ids of `evidence.EVIDENCE`
    """

    strategy: str
    params: Mapping[str, Any]
    reasons: tuple[str, ...]
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answers:
    """What was answered; each is a key of the mapping above."""

    kind: str = "manual"
    structure: str = "headings"
    budget: Literal["none", "embed", "model"] | str = "none"
    question: str = "fact"


_GRAMMAR: Final[Mapping[str, tuple[str, str]]] = {
    "code": ("code", "A program says itself where things end: cut between functions and classes."),
    "data": (
        "json",
        "Data says itself where things end: cut between objects and items, so that a value keeps its name.",
    ),
    "paper": ("latex", "LaTeX says where things end: cut at sections and paragraphs, and keep equations whole."),
    "web": ("html", "A web page is made of blocks: cut between them, and leave menus out."),
}


def choose(given: Answers) -> Choice:
    """The suggestion for these answers. Raises `KeyError` for an answer that is none of those offered."""
    for value, offered in zip(
        (given.kind, given.structure, given.budget, given.question),
        (KINDS, STRUCTURES, BUDGETS, QUESTIONS),
        strict=True,
    ):
        offered[value]
    size = SIZES[given.question]
    number = {
        "fact": f"Single facts are found best in small chunks: {size} tokens to begin with.",
        "how": f"An explanation needs its surroundings: {size} tokens to begin with.",
        "overview": f"An overview needs whole sections: {size} tokens to begin with. The bundled embedding model reads only "
        "the first 254 of its tokens; take a larger one for this.",
    }[given.question]
    evidence: tuple[str, ...] = (
        ("choice", "size", "uncertainty") if given.question == "fact" else ("choice", "uncertainty")
    )
    if given.kind in _GRAMMAR:
        strategy, why = _GRAMMAR[given.kind]
        return Choice(strategy, {"size": size}, (why, number), evidence)
    strategy, why, overlap = _by_structure(given)
    params: dict[str, Any] = {"size": size}
    reasons = [why, number]
    if overlap:
        params["overlap"] = size // OVERLAP_SHARE
        reasons.append(f"{size // OVERLAP_SHARE} tokens of overlap, for what is parted all the same.")
        evidence += ("overlap",)
    if strategy == "recursive":
        evidence = ("recursive", *evidence)
    return Choice(strategy, params, tuple(reasons), (*evidence, "reranking"))


def _by_structure(given: Answers) -> tuple[str, str, bool]:
    """Strategy, reason, and whether it has an overlap, for text without a grammar of its own."""
    if given.structure == "headings":
        return "structure", "The author has cut it already: at the headings. Each section is about one thing.", False
    if given.structure == "long":
        if given.budget == "none":
            return "structure", "Cut at the headings first, and part long sections at their paragraphs.", True
        return "semantic_structure", "Cut at the headings, and inside long sections where the subject changes.", False
    if given.kind == "slides":
        return "page", "A page is what its author thought of as one thing, and an answer can name it.", True
    if given.structure == "none" or given.kind == "talk":
        if given.budget == "model":
            return "llm", "Nothing marks where a topic ends. A language model reads it and says where.", False
        if given.budget == "embed":
            return (
                "semantic",
                "Nothing marks where a topic ends but the meaning: cut where neighbours are least alike.",
                False,
            )
        # Its overlap counts sentences, and has a default of its own.
        return "sentence", "Nothing marks where a topic ends. Whole sentences at least stay whole.", False
    return "recursive", "Paragraphs are borders that the author drew: cut at the largest one that is near.", True


_BY_FORMAT: Final[Mapping[str, str]] = {"code": "code", "json": "data", "latex": "paper", "html": "web"}


def guess(document: Document) -> Answers:
    """The answers about kind and structure that a document suggests; the rest as they stand."""
    kind = _BY_FORMAT.get(document.format, "")
    headings = len(document.headings)
    per_heading = len(document.text) / headings if headings else float("inf")
    if headings >= 3:
        structure = "headings" if per_heading < 3000 else "long"
    else:
        structure = "paragraphs" if document.text.count("\n\n") >= 5 else "none"
    if not kind:
        if structure in ("headings", "long"):
            kind = "manual"
        elif structure == "none":
            kind = "talk"
        else:
            kind = "slides" if len(document.pages) > 3 and len(document.text) / len(document.pages) < 1500 else "prose"
    return Answers(kind, structure)
