"""Parameters, declared once: validation, widget, `--help`, docs, snippet and generated test values follow from it.

    @dataclass(frozen=True)
    class RecursiveParams(Params):
        owner: ClassVar[str] = "recursive"
        size: Annotated[int, Int("Size", unit=UNIT, low=1, high=100_000, help="...")] = 512
        overlap: Annotated[int, Int("Overlap", unit=UNIT, low=0, high=99_999, below="size", help="...")] = 50

A parameter object refuses wrong values when it is made, is frozen and hashable: it is part of every cache key.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Final, Self, get_args, get_origin, get_type_hints

from chunkviz import json_text
from chunkviz.errors import ParameterError

UNIT: Final = "{unit}"
"""Stands for the unit chosen for the whole recipe: "tokens", "characters" or "words"."""


_SURROGATE = re.compile("[\ud800-\udfff]")  # half of a character: nothing can spell it


def _shown(value: object) -> str:
    """A value as an error message quotes it: short, on one line."""
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What every kind of parameter declares.

    label : what the control is called on screen
    help  : plain words, with direction ("larger: fewer, longer chunks")
    when  : (name of a sibling, values): the control does something only then, and is shown only then
    """

    label: str
    help: str
    when: tuple[str, tuple[object, ...]] | None = None

    def fault(self, value: Any, siblings: Mapping[str, Any], unit: str) -> str | None:
        """What the value must be, if it is not; None if it is fine."""
        raise NotImplementedError  # pragma: no cover  # abstract; each rule below says its own

    def parse(self, text: str) -> Any:
        """The value that a command line or a URL spells as `text`; raises ValueError where it is not one."""
        raise NotImplementedError  # pragma: no cover

    def spell(self, value: Any) -> str:
        """`value` as a command line or a URL spells it; `parse(spell(v)) == v`."""
        return str(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Int(Rule):
    """A whole number from `low` to `high`, both included; below the sibling named in `below`, where there is one.

    soft_high : where the slider ends; a larger number can be typed
    """

    unit: str
    low: int
    high: int
    soft_high: int | None = None
    step: int = 1
    below: str = ""

    def legal(self, siblings: Mapping[str, Any]) -> tuple[int, int]:
        """The range that is legal beside these siblings; `high < low` never happens, the range shrinks to `low`."""
        high = self.high
        if self.below and isinstance(siblings.get(self.below), int):
            high = min(high, siblings[self.below] - 1)
        return self.low, max(self.low, high)

    def fault(self, value: Any, siblings: Mapping[str, Any], unit: str) -> str | None:
        low, high = self.legal(siblings)
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return None
        of = f" of {self.unit.replace(UNIT, unit)}" if self.unit else ""
        reason = f" (below {self.below}={siblings[self.below]})" if self.below and high < self.high else ""
        return f"must be a whole number{of} from {low} to {high}{reason}"

    def parse(self, text: str) -> int:
        return int(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Float(Rule):
    """A finite number from `low` to `high`, both included."""

    unit: str
    low: float
    high: float
    step: float = 0.01

    def fault(self, value: Any, siblings: Mapping[str, Any], unit: str) -> str | None:
        # The comparison is false for NaN, so it is refused like everything else outside the range.
        if isinstance(value, int | float) and not isinstance(value, bool) and self.low <= value <= self.high:
            return None
        of = f" ({self.unit.replace(UNIT, unit)})" if self.unit else ""
        return f"must be a number{of} from {self.low:g} to {self.high:g}"

    def parse(self, text: str) -> float:
        return float(text)

    def spell(self, value: Any) -> str:
        return repr(float(value))


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(Rule):
    """One of a few values, each with the words shown for it."""

    options: Mapping[str, str]

    def __hash__(self) -> int:
        return hash((self.label, tuple(self.options)))

    def fault(self, value: Any, siblings: Mapping[str, Any], unit: str) -> str | None:
        if isinstance(value, str) and value in self.options:
            return None
        return "must be one of " + ", ".join(self.options)

    def parse(self, text: str) -> str:
        return text


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag(Rule):
    """True or False."""

    def fault(self, value: Any, siblings: Mapping[str, Any], unit: str) -> str | None:
        return None if isinstance(value, bool) else "must be True or False"

    def parse(self, text: str) -> bool:
        words = {
            "true": True,
            "yes": True,
            "on": True,
            "1": True,
            "false": False,
            "no": False,
            "off": False,
            "0": False,
        }
        if text.lower() not in words:
            raise ValueError(text)
        return words[text.lower()]

    def spell(self, value: Any) -> str:
        return "true" if value else "false"


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts(Rule):
    """A tuple of texts, spelled as a JSON list; a list is taken as a tuple. At most `most`, each up to `longest` characters."""

    most: int = 50
    longest: int = 200

    def fault(self, value: Any, siblings: Mapping[str, Any], unit: str) -> str | None:
        good = isinstance(value, tuple) and len(value) <= self.most
        if good and all(isinstance(v, str) and len(v) <= self.longest and not _SURROGATE.search(v) for v in value):
            return None
        return f"must be a list of at most {self.most} texts of at most {self.longest} characters each"

    def parse(self, text: str) -> tuple[str, ...]:
        value = json_text.read(text)
        if not isinstance(value, list):
            raise ValueError(text)
        return tuple(value)

    def spell(self, value: Any) -> str:
        return json.dumps(list(value), ensure_ascii=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Positions(Rule):
    """A tuple of places in a document (code points), in order and none twice, spelled as a JSON list; at most `most`."""

    most: int = 10_000

    def fault(self, value: Any, siblings: Mapping[str, Any], unit: str) -> str | None:
        good = (
            isinstance(value, tuple)
            and len(value) <= self.most
            and all(type(v) is int and 0 <= v < 2**31 for v in value)
        )
        if good and all(a < b for a, b in pairwise(value)):
            return None
        return f"must be a list of at most {self.most:,} whole numbers from 0, each larger than the one before"

    def parse(self, text: str) -> tuple[int, ...]:
        value = json_text.read(text)
        if not isinstance(value, list):
            raise ValueError(text)
        return tuple(value)

    def spell(self, value: Any) -> str:
        return json.dumps(list(value), separators=(",", ":"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Text(Rule):
    """A text on one line, from 1 to `longest` characters.

    examples : legal values, for the tests and as suggestions
    names    : what the text names, where that is a thing that can be looked up: "embedder", "llm", or ""
    """

    longest: int = 200
    examples: tuple[str, ...] = ()
    names: str = ""

    def fault(self, value: Any, siblings: Mapping[str, Any], unit: str) -> str | None:
        if isinstance(value, str) and 0 < len(value) <= self.longest and value.isprintable() and value.strip() == value:
            return None
        return f"must be a text on one line of 1 to {self.longest} characters"

    def parse(self, text: str) -> str:
        return text


@dataclass(frozen=True, slots=True)
class Param:
    """One declared parameter: its name, its default and its rule. The rule's own fields can be read from here."""

    name: str
    default: Any
    rule: Rule

    @property
    def label(self) -> str:
        return self.rule.label

    @property
    def help(self) -> str:
        return self.rule.help

    def unit(self, word: str = "tokens") -> str:
        """The unit of the value, "" where it has none; `word` is what the chosen unit counts."""
        return str(getattr(self.rule, "unit", "")).replace(UNIT, word)

    def active(self, siblings: Mapping[str, Any]) -> bool:
        """Whether the parameter does anything beside these siblings."""
        return self.rule.when is None or siblings.get(self.rule.when[0]) in self.rule.when[1]


@dataclass(frozen=True)
class Params:
    """Base of every parameter class. Subclasses are frozen dataclasses whose fields are all `Annotated[type, Rule]`."""

    owner: ClassVar[str] = ""

    def __post_init__(self) -> None:
        for param in self.declared():
            value = getattr(self, param.name)
            if isinstance(value, list):
                object.__setattr__(self, param.name, tuple(value))
        self.check(self.values())

    @classmethod
    @cache
    def declared(cls) -> tuple[Param, ...]:
        """The declarations, in order."""
        hints = get_type_hints(cls, include_extras=True)
        found = []
        for field in dataclasses.fields(cls):
            hint = hints[field.name]
            rules = [a for a in get_args(hint)[1:] if isinstance(a, Rule)] if get_origin(hint) is Annotated else []
            if len(rules) != 1 or field.default is dataclasses.MISSING:
                raise TypeError(f"{cls.__name__}.{field.name} needs exactly one rule and a default")
            found.append(Param(field.name, field.default, rules[0]))
        return tuple(found)

    @classmethod
    def check(cls, values: Mapping[str, Any], unit: str = "tokens") -> None:
        """Raise `ParameterError` for the first value that is unknown or outside its declaration."""
        known = {p.name: p for p in cls.declared()}
        for name in values:
            if name not in known:
                names = ", ".join(known) or "none"
                raise ParameterError(f"`{cls.owner}` has no parameter `{name}`. It has: {names}.")
        full = {p.name: p.default for p in known.values()} | dict(values)
        for name, param in known.items():
            value = tuple(full[name]) if isinstance(full[name], list) else full[name]
            fault = param.rule.fault(value, full, unit)
            if fault:
                raise ParameterError(f"`{cls.owner}.{name}` {fault}. Got {_shown(full[name])}.")

    @classmethod
    def make(cls, values: Mapping[str, Any], unit: str = "tokens") -> Self:
        """Parameters from a mapping; what is missing takes its default, or a quarter of what its siblings allow.

        unit : the word for what sizes count, for the messages
        """
        full = dict(values)
        for param in cls.declared():
            # A default is a suggestion: someone who asks for size=20 has not asked for the overlap of 50.
            if param.name not in full and isinstance(param.rule, Int):
                siblings = {p.name: p.default for p in cls.declared()} | full
                low, high = param.rule.legal(siblings)
                # A quarter of what is legal, not all of it: an overlap of size - 1 repeats nearly everything.
                full[param.name] = param.default if param.default <= high else low + (high - low) // 4
        cls.check(full, unit)
        return cls(**full)

    def values(self) -> dict[str, Any]:
        """Name to value, in the order of declaration."""
        return {p.name: getattr(self, p.name) for p in self.declared()}
