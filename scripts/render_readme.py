"""Write the generated parts of README.md and docs/ from the declarations, or check that they are up to date.

A generated part stands between `<!-- generated: NAME -->` and `<!-- end -->`.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from pathlib import Path

from chunkviz import strategies
from chunkviz.metrics import METRICS
from chunkviz.params import Choice, Float, Int
from chunkviz.units import TITLES, UNITS

ROOT = Path(__file__).parent.parent
FILES = (ROOT / "README.md", ROOT / "docs" / "parameters.md")
_PART = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table; a bar or a line end inside a cell is escaped."""
    clean = [[cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows]
    lines = [" | ".join(row) for row in [head, ["---"] * len(head), *clean]]
    return "".join(f"| {line} |\n" for line in lines)


def strategy_table() -> str:
    rows = [[f"`{s.id}`", s.one_line, s.good_for, s.watch_out] for s in strategies().values()]
    return table(["strategy", "what it does", "good for", "watch out"], rows)


def parameter_table() -> str:
    rows = []
    for strategy in strategies().values():
        for param in strategy.params:
            rule = param.rule
            legal = f"{rule.low:,} to {rule.high:,}" if isinstance(rule, Int | Float) else ""
            if isinstance(rule, Int) and rule.below:
                legal += f", below `{rule.below}`"
            if isinstance(rule, Choice):
                legal = ", ".join(rule.options)
            default = rule.spell(param.default)
            rows.append([f"`{strategy.id}.{param.name}`", legal or "—", f"`{default}`", param.help])
    return table(["parameter", "range", "default", "meaning"], rows)


def unit_table() -> str:
    return table(["unit", "counts"], [[f"`{i}`", TITLES[i]] for i in UNITS])


def metric_table() -> str:
    rows = [[f"`{m.id}`", m.title, m.unit, m.formula] for m in METRICS]
    return table(["figure", "on screen", "unit", "how it is computed"], rows)


PARTS: dict[str, Callable[[], str]] = {
    "strategies": strategy_table,
    "parameters": parameter_table,
    "units": unit_table,
    "metrics": metric_table,
}


def rendered(text: str) -> str:
    """The text with every generated part made anew. Raises `KeyError` for a part that nobody makes."""
    return _PART.sub(lambda m: f"{m[1]}\n{PARTS[m[2]]()}\n{m[3]}", text)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if a file is out of date")
    arguments = parser.parse_args()
    late = 0
    for file in FILES:
        before = file.read_text(encoding="utf-8")
        after = rendered(before)
        if before == after:
            continue
        if arguments.check:
            print(f"{file.relative_to(ROOT)} is out of date: run `make docs`.", file=sys.stderr)
            late += 1
        else:
            file.write_text(after, encoding="utf-8")
    return int(late > 0)


if __name__ == "__main__":
    sys.exit(main())
