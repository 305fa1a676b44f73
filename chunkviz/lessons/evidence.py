"""What is known about cutting, with its source: figures of others marked as theirs, and ours with what reproduces them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

CHROMA: Final = "Smith and Troynikov, “Evaluating Chunking Strategies for Retrieval”, Chroma 2024"
_OURS: Final = (
    "python -m chunkviz evaluate --docs CORPORA --questions questions_df.csv --recipes recipes.json --k 1,5  "
    "(the recipes: recursive, size 200, overlap 0, without and with late_interaction)"
)


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
    "recursive": Evidence(
        "At 200 tokens, recursive against fixed: precision +2.4 points (95 % interval 2.0 to 2.8), recall −0.9 points "
        "(−4.8 to +3.0), which is no difference that 472 questions can show.",
        "ours",
        f"the 472 questions and five corpora of: {CHROMA}",
        "python -m chunkviz evaluate --docs CORPORA --questions questions_df.csv --recipes recipes.json --k 5",
    ),
    "choice": Evidence(
        "The choice of a strategy can matter: some of those they compared outperform others by up to 9 % in recall.",
        "theirs",
        f"{CHROMA}, https://research.trychroma.com/evaluating-chunking",
    ),
    "size": Evidence(
        "On the sample manual, the first passage is a right one for 15 of 16 questions at 128 tokens, for 9 of 16 at 512 and "
        "for 5 of 16 at 1,024 (recursive, no overlap).",
        "ours",
        "the sample API manual and its questions",
        "python -m chunkviz.lessons",
    ),
    "uncertainty": Evidence(
        "With 472 questions the standard error of recall is 1.9 points: two recipes that differ by less are not told apart.",
        "ours",
        f"the questions of: {CHROMA}",
        "python -m chunkviz evaluate --docs CORPORA --questions questions_df.csv --recipes recipes.json --k 5",
    ),
    "overlap": Evidence(
        "Overlap raises the precision that counts chunks and lowers their recall, while the recall of tokens rises: compare "
        "recipes with different overlaps by tokens.",
        "ours",
        f"the questions of: {CHROMA}",
        "python -m chunkviz evaluate --docs CORPORA --questions questions_df.csv --recipes recipes.json --k 5",
    ),
    "reranking": Evidence(
        "A second look at the first 20 (late interaction, recursive 200/0): recall with one passage from 66.9 % to 79.8 %, "
        "with five from 95.9 % to 98.7 %.",
        "ours",
        f"two of the corpora, 132 questions, of: {CHROMA}",
        _OURS,
    ),
}
"""By id. Figures stand here and nowhere else."""
