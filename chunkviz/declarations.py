"""What a strategy declares, as text to read and as data: nothing about a strategy is written down a second time."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from chunkviz.params import Param
from chunkviz.spec import Strategy


def legal(param: Param, *, capital: bool = False) -> str:
    """What the values of a parameter are, in the words of its own refusal: "a whole number of tokens from 1 to 9"."""
    fault = param.rule.fault(object(), {}, "tokens") or "any value"
    text = fault.removeprefix("must be ")
    return text[:1].upper() + text[1:] if capital else text


def dashed(name: str) -> str:
    """A parameter's name as the command line spells it."""
    return name.replace("_", "-")


def declaration(strategy: Strategy) -> dict[str, Any]:
    """A strategy as plain data for JSON, with its parameters and their rules."""
    texts = ("id", "title", "one_line", "how", "good_for", "watch_out", "source", "version")
    return {
        **{name: getattr(strategy, name) for name in texts},
        "params": [
            {
                "name": param.name,
                "label": param.label,
                "unit": param.unit(),
                "range": legal(param),
                "default": param.default,
                "help": param.help,
                "rule": _rule(param),
            }
            for param in strategy.params
        ],
    }


def _rule(param: Param) -> dict[str, Any]:
    """The rule as data: its kind, and every field but those that stand beside it."""
    rule = param.rule
    values = {f.name: getattr(rule, f.name) for f in fields(rule) if f.name not in ("label", "help", "unit")}
    plain_values = {name: dict(value) if isinstance(value, Mapping) else value for name, value in values.items()}
    return {"kind": type(rule).__name__, **plain_values}


def card(strategy: Strategy, columns: int) -> str:
    """A strategy explained in a terminal of so many columns: how, when, where it fails, and every parameter."""

    def paragraph(first: str, text: str, indent: int) -> str:
        """`first`, and beside or below it the text, wrapped at `indent`."""
        begin = f"{first:<{indent}}" if len(first) < indent else f"{first}\n{' ' * indent}"
        body = textwrap.fill(text, max(40, min(columns, 100)) - indent, break_long_words=False, break_on_hyphens=False)
        return begin + body.replace("\n", "\n" + " " * indent) + "\n"

    parts = [f"{strategy.title} ({strategy.id}, version {strategy.version})\n{strategy.one_line}.\n\n"]
    about = {"How": "how", "Good for": "good_for", "Watch out": "watch_out", "Source": "source"}
    parts += [paragraph(word, getattr(strategy, name), 12) for word, name in about.items()]
    parts.append("\nParameters\n")
    for param in strategy.params:
        option = f"  --{dashed(param.name)} {(param.unit() or 'value').upper()}"
        values = f"{legal(param, capital=True)}; default {param.rule.spell(param.default)}."
        parts.append(paragraph(option, f"{param.label}. {param.help} {values}", 24))
    return "".join(parts) if strategy.params else "".join(parts[:-1])
