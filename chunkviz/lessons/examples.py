"""Texts for strategies that need a format of their own, and results made by hand for those that need a language model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from chunkviz.document import Document
from chunkviz.lessons.failures import PAGE_BREAK, Failure

_CODE = '''class Berth:
    """A place for one boat."""

    def __init__(self, length, draught):
        self.length = length
        self.draught = draught

    def fits(self, boat):
        return boat.length < self.length and boat.draught < self.draught


# Tides are told in minutes after midnight.
def minutes(clock):
    hours, rest = clock.split(":")
    return int(hours) * 60 + int(rest)


def is_open(window, clock):
    return window[0] <= minutes(clock) <= window[1]
'''

_HTML = (
    "<main><h1>Gull Point</h1><p>The harbour has 42 berths. Some can be reached only around high water.</p>"
    "<h2>Prices</h2><table><tr><th>Boat</th><th>Night</th></tr><tr><td>up to 8 m</td><td>18 euros</td></tr>"
    "<tr><td>up to 12 m</td><td>27 euros</td></tr></table><h2>On board</h2><ul><li>water</li><li>power, 16 ampere</li>"
    "<li>a stair at berth 17</li></ul></main>"
)

_JSON = """{
  "marinas": [
    {"name": "Port Amber", "berths": 140, "services": ["water", "crane", "wifi"]},
    {"name": "Gull Point", "berths": 42, "services": ["water"]}
  ],
  "currency": "EUR",
  "prices": {"small": 1800, "large": 2700}
}
"""

_LATEX = r"""\section{Tides}
The water stands highest twice a day. Its height after $t$ hours is about
\begin{equation}
  h(t) = h_0 + a \cos\left(\frac{2\pi t}{12.4}\right)
\end{equation}
where $a$ is half the range.

\section{Crossing a sill}
% \section{An older version}
A boat may cross when $h(t)$ exceeds its draught. Add \$0 for safety, and half a metre for the waves.
"""

_PAGES = (
    "Welcome aboard. The ferry leaves at nine from pier two. Be there a quarter of an hour before."
    + PAGE_BREAK
    + "Dogs "
    "travel free of charge and stay on deck. Bicycles cost four euros; tell us the day before." + PAGE_BREAK + "If the "
    "sea is rough, the ferry may stay in port. We write to everybody who left a number, and every ticket stays valid."
)

_SECTIONS = (
    "# Ferry rules\n\n## Tickets\n\nTickets are sold on board. Children under six travel free of charge.\n\n## Luggage\n\n"
    "### Bicycles\n\nBicycles cost four euros. Tell us the day before.\n\n### Dogs\n\nDogs stay on deck, on a lead.\n"
)

EXAMPLES: Final[Mapping[str, tuple[str, str]]] = {
    "structure": ("rules.md", _SECTIONS),
    "page": ("ferry.txt", _PAGES),
    "code": ("berth.py", _CODE),
    "html": ("gull_point.html", _HTML),
    "json": ("marinas.json", _JSON),
    "latex": ("tides.tex", _LATEX),
}
"""Strategy id to the name and the text of a small document of the kind it is made for."""


def example(strategy: str) -> Document | None:
    """A small document of the kind that a strategy is made for; None for one that takes any text."""
    known = EXAMPLES.get(strategy)
    return Failure(*known, {}, "parted", ("", ""), "").document() if known else None


class HandPiece(NamedTuple):
    """A chunk that a person made: the words it begins and ends with, why it ends, and the rewritten text if there is one."""

    begins: str
    ends: str
    reason: str
    rewrite: str = ""


@dataclass(frozen=True, slots=True)
class HandMade:
    """What a model might answer, written by a person: shown, and said to be so, where no model is at hand.

    wrong : what can go wrong, in words, with a piece that shows it
    """

    text: str
    pieces: Sequence[HandPiece]
    wrong: HandPiece
    because: str


_TALK = (
    "The ferry to Gull Point leaves at nine. It takes forty minutes. Tickets are sold on board. By the way, the old "
    "lighthouse is open again. Its stairs have 204 steps, and children under six may not climb them."
)

HAND_MADE: Final[Mapping[str, HandMade]] = {
    "llm": HandMade(
        _TALK,
        (
            HandPiece("The ferry", "on board.", "a new topic begins after sentence 3"),
            HandPiece("By the way", "climb them.", "end of the document"),
        ),
        HandPiece("By the way", "open again.", "a new topic begins after sentence 4"),
        "Another model, or the same one on another day, may also cut after sentence 4: the steps then have no lighthouse.",
    ),
    "proposition": HandMade(
        _TALK,
        (
            HandPiece("The ferry", "at nine.", "sentence 1", "The ferry to Gull Point leaves at nine."),
            HandPiece("It takes", "forty minutes.", "sentence 2", "The ferry to Gull Point takes forty minutes."),
            HandPiece("Tickets", "on board.", "sentence 3", "Tickets for the ferry to Gull Point are sold on board."),
            HandPiece("By the way", "open again.", "sentence 4", "The old lighthouse is open again."),
            HandPiece("Its stairs", "climb them.", "sentence 5", "The stairs of the old lighthouse have 204 steps."),
        ),
        HandPiece("Its stairs", "climb them.", "sentence 5", "The old lighthouse has 240 steps."),
        "A fact in the model's words can be wrong, here by two digits. That is why each keeps the place it came from.",
    ),
}
"""Strategy id to a result made by hand, for strategies that need a language model."""


def spans_of(made: HandMade) -> list[tuple[int, int]]:
    """Where the pieces stand in the text."""
    found = []
    for piece in made.pieces:
        start = made.text.index(piece.begins)
        found.append((start, made.text.index(piece.ends, start) + len(piece.ends)))
    return found
