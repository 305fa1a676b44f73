"""What is promised about speed, as ratios within one run, and whether it was kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

FIRST_CUT: Final = "first cut"
OTHER_CUT: Final = "another cut"
GROWTH: Final = "growth"


@dataclass(frozen=True, slots=True)
class Budget:
    """A limit on one kind of figure.

    words      : what the figure is, to follow the limit in a sentence
    from_bytes : the shortest text it is promised for; on shorter ones what every call costs outweighs the cutting
    strategies : those it is promised for; empty for all
    """

    kind: str
    limit: float
    at_least: bool
    words: str
    from_bytes: int
    strategies: tuple[str, ...] = ()

    def concerns(self, kind: str, size_bytes: int, strategy: str) -> bool:
        """Whether it limits this figure. `strategy` is "" for other libraries, which promise nothing here."""
        promised = bool(strategy) and (not self.strategies or strategy in self.strategies)
        return promised and kind == self.kind and size_bytes >= self.from_bytes

    def kept(self, value: float) -> bool:
        return value >= self.limit if self.at_least else value <= self.limit

    @property
    def shown(self) -> str:
        return f"{'≥' if self.at_least else '≤'} {self.limit:g}"


_MB: Final = 1_000_000
_CUTTERS: Final = ("fixed", "recursive")
_OWN_FORMAT: Final = ("html", "json", "latex")

BUDGETS: Final = (
    Budget(FIRST_CUT, 0.6, True, "of the speed at which tiktoken encodes the text once", _MB, _CUTTERS),
    Budget(FIRST_CUT, 0.4, True, "of the speed at which tiktoken encodes the text once", _MB, _OWN_FORMAT),
    Budget(FIRST_CUT, 0.3, True, "of the speed at which tiktoken encodes the text once", _MB, ("code",)),
    Budget(OTHER_CUT, 20, True, "times as fast as LangChain's recursive splitter at the same size", _MB, _CUTTERS),
    Budget(GROWTH, 11, False, "times as long as the average tenth of the text", 10 * _MB),
)


@dataclass(frozen=True, slots=True)
class Judged:
    """A figure with its budget; `budget` is None where nothing is promised."""

    kind: str
    size_bytes: int
    name: str
    value: float
    budget: Budget | None

    @property
    def kept(self) -> bool | None:
        return None if self.budget is None else self.budget.kept(self.value)


def judged(kind: str, size_bytes: int, name: str, strategy: str, value: float) -> Judged:
    """The figure with the budget that concerns it."""
    budget = next((b for b in BUDGETS if b.concerns(kind, size_bytes, strategy)), None)
    return Judged(kind, size_bytes, name, value, budget)
