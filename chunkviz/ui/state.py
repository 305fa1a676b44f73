"""What a link holds: which sample, which unit, which columns. Never a word of a document, never a key."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, unquote

from chunkviz import registry
from chunkviz.errors import ChunkvizError
from chunkviz.segments import MOST_COLUMNS
from chunkviz.units import DEFAULT_UNIT, UNITS


@dataclass(frozen=True)
class Column:
    """One column of a comparison: a strategy, and its parameters where they differ from the defaults."""

    strategy: str
    params: Mapping[str, Any] = field(default_factory=dict)

    def spell(self) -> str:
        """As a link spells it: `recursive;size=512;overlap=50`."""
        rules = {p.name: p.rule for p in registry.strategy(self.strategy).params}
        pairs = (f"{name}={quote(rules[name].spell(value), safe='')}" for name, value in self.params.items())
        return ";".join((self.strategy, *pairs))

    @classmethod
    def parse(cls, text: str) -> Column:
        """What `spell` wrote. Raises `ChunkvizError` for anything that is not legal."""
        strategy_id, *pairs = text.split(";")
        strategy = registry.strategy(strategy_id)
        rules = {p.name: p.rule for p in strategy.params}
        params: dict[str, Any] = {}
        for pair in pairs:
            name, _, value = pair.partition("=")
            if name not in rules:
                strategy.params_class.check({name: value})
            try:
                params[name] = rules[name].parse(unquote(value))
            except ValueError:
                params[name] = unquote(value)  # the check below says what it must be
        return cls(strategy_id, strategy.params_class.make(params).values())


DEFAULT_COLUMNS = (
    Column("fixed", {"size": 256, "overlap": 0}),
    Column("recursive", {"size": 256, "overlap": 32}),
    Column("structure", {"size": 512, "overlap": 0}),
)


@dataclass(frozen=True)
class View:
    """What a link opens."""

    sample: str
    unit: str
    columns: tuple[Column, ...]
    complaints: tuple[str, ...] = ()


def read(query: Mapping[str, Iterable[str]], samples: Iterable[str]) -> View:
    """The view that a link asks for; what it asks for in vain is replaced by the default, and said in `complaints`."""
    known = tuple(samples)
    complaints = []
    asked = {name: list(values) for name, values in query.items()}
    sample = asked.get("doc", [known[0]])[0]
    if sample not in known:
        complaints.append(f"The link asks for a sample “{sample[:40]}” that is not here.")
        sample = known[0]
    unit = asked.get("unit", [DEFAULT_UNIT])[0]
    if unit not in UNITS:
        complaints.append(f"The link asks for an unknown unit “{unit[:40]}”.")
        unit = DEFAULT_UNIT
    columns = []
    for text in asked.get("c", [])[:MOST_COLUMNS]:
        try:
            columns.append(Column.parse(text))
        except ChunkvizError as error:
            complaints.append(f"The link has a column that cannot be shown: {error}")
    return View(sample, unit, tuple(columns) or DEFAULT_COLUMNS, tuple(complaints))
