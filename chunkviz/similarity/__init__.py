"""How similar neighbouring sentences are, where that drops, and the chunks that follow.

    vectors -> `similarities` -> a `Kind` of threshold says which drops count -> `regroup` keeps chunks within sizes

The last two steps also run in the browser while a threshold is dragged (`ui/component/turns.js`), on the same numbers
and with the same outcome; `tests/vectors/turns.json` holds both to it.
"""

from chunkviz.similarity.curve import prominences, similarities
from chunkviz.similarity.params import TurnParams
from chunkviz.similarity.thresholds import KINDS, Kind, Spread
from chunkviz.similarity.turns import Regrouped, Turns, regroup, turns_of, units_of

__all__ = [
    "KINDS",
    "Kind",
    "Regrouped",
    "Spread",
    "TurnParams",
    "Turns",
    "prominences",
    "regroup",
    "similarities",
    "turns_of",
    "units_of",
]
