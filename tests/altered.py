"""Values that are not the defaults, made from the declarations: what an export must carry over."""

from __future__ import annotations

from typing import Any

from chunkviz.params import Choice, Flag, Float, Int, Positions, Text, Texts
from chunkviz.spec import Strategy


def altered(strategy: Strategy) -> dict[str, Any]:
    """A legal value for every parameter, none of them its default; small, so that a short text is cut often."""
    values: dict[str, Any] = {}
    for param in strategy.params:
        match param.rule:
            case Int() as rule:
                low, high = rule.legal(values)
                small = min(max(low, param.default // 12), high)
                values[param.name] = small if small != param.default else min(high, param.default + 1)
            case Float() as rule:
                values[param.name] = (rule.low + param.default) / 2 if param.default > rule.low else rule.high
            case Flag():
                values[param.name] = not param.default
            case Choice() as rule:
                values[param.name] = next(option for option in reversed(list(rule.options)) if option != param.default)
            case Text() as rule:
                # A model cannot be made up: where only one comes with the package, it stays.
                values[param.name] = next((e for e in rule.examples if e != param.default), param.default)
                continue
            case Positions():
                values[param.name] = (8, 52, 97, 400)
            case Texts():
                values[param.name] = ("\n\n", "'''\\ \"", "{x}", "\r", ". ", " ", "")
            case _:
                raise AssertionError(f"say here how to alter a {type(param.rule).__name__}")
        assert values[param.name] != param.default, param.name
    return values


TEXT = (
    "# Keys\n\nRotate a key every 90 days. =SUM(A1) is no formula here. 猫と犬。👩‍👩‍👧‍👦 went home.\n\n"
    "## How\n\n" + "Send the old key, and wait for the new one to answer. " * 12 + "\n\n"
    "## Why\r\n\r\n- leaked keys\n- lost keys\n\n```python\nkey = rotate(key)  # '''\n```\n\n+49 30 1234\n\n"
    '# Limits\n\nLine one\u2028line two\x85line three. Größe naïve e\u0301. <|endoftext|> {x} \\ "quoted".\n'
)
"""Headings, sentences, several kinds of line ends, formulas and quotes, emoji: something for every strategy."""
