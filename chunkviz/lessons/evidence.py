"""What is known about cutting, with its source: figures of others marked as theirs, and ours with what reproduces them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

AGAIN: Final = "python -m chunkviz.lessons evidence"
_SAMPLES: Final = "the ten sample documents in one index, and their 84 questions"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One finding.

    whose      : "theirs": published by others; "ours": measured with chunkviz
    source     : where it was published, or the data it was measured on
    reproduce  : the command that gives our figures again, "" for theirs
    """

    text: str
    whose: Literal["theirs", "ours"]
    source: str
    reproduce: str = ""


EVIDENCE: Final[Mapping[str, Evidence]] = {
    "choice": Evidence(
        "The web page of Chroma's report on chunking says: the choice of a strategy can matter, and some of those compared "
        "there find up to 9 % more of the answers (recall) than others.",
        "theirs",
        "Smith and Troynikov, “Evaluating Chunking Strategies for Retrieval”, Chroma 2024, "
        "https://research.trychroma.com/evaluating-chunking (the page, not measured again here)",
    ),
    "recursive": Evidence(
        "At 200 tokens, with one passage read, cutting at borders of the text (recursive) finds 54 % of the "
        "answers' words and cutting by count (fixed) 40 %: +14 points (95 % interval +2 to +26). With five "
        "passages read the two cannot be told apart: −1 points (95 % interval −8 to +6).",
        "ours",
        _SAMPLES,
        AGAIN,
    ),
    "size": Evidence(
        "On the sample manual, the first passage is a right one for 15 of 16 questions at 128 tokens, for 9 of 16 "
        "at 512 and for 5 of 16 at 1,024 (recursive, no overlap).",
        "ours",
        "the sample API manual and its 16 questions",
        AGAIN,
    ),
    "uncertainty": Evidence(
        "Even 84 questions leave a wide margin: with five passages read, the difference between recursive and "
        "fixed lies anywhere from −8 to +6 points (95 % interval). Two ways to cut that differ by less are not "
        "told apart.",
        "ours",
        _SAMPLES,
        AGAIN,
    ),
    "overlap": Evidence(
        "An overlap of 40 at fixed 200 makes more of the five passages right ones: +3 points (95 % interval +1 to "
        "+5). The same words come back twice, though: of the answers' words it does not find more, as far as these "
        "questions can tell: −1 points (95 % interval −8 to +5).",
        "ours",
        _SAMPLES,
        AGAIN,
    ),
    "reranking": Evidence(
        "A second look at the first 20 passages (reranker: late interaction; recursive 200) finds 69 % of the "
        "answers' words with one passage read, instead of 54 %: +15 points (95 % interval +6 to +25). With five: "
        "93 % instead of 82 %.",
        "ours",
        _SAMPLES,
        AGAIN,
    ),
}
"""By id. Figures stand here and nowhere else; `figures` works ours out again, and a test holds the two together."""
