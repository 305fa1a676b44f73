"""Numbers that Python and the browser must cut alike, and the words they must say; `tests/js/turns.test.mjs` reads the file.

python tests/turns_vectors.py      writes the file anew
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from chunkviz.similarity import KINDS, regroup, turns_of
from chunkviz.similarity.curve import Bools, Floats
from chunkviz.similarity.cutting import reasons
from chunkviz.similarity.thresholds import Kind, on_curve, spread
from chunkviz.similarity.turns import Turns, Units

FILE = Path(__file__).parent / "vectors" / "turns.json"
AMOUNTS = {
    "percentile": (0.0, 12.5, 50.0, 87.3, 95.0, 100.0),
    "absolute": (-1.0, 0.125, 0.2, 0.31, 0.5, 1.0),
    "deviations": (0.0, 0.5, 1.0, 2.35),
    "interquartile": (0.0, 0.75, 1.5),
    "gradient": (10.0, 50.0, 90.0),
    "minimum": (0.0, 0.1, 0.35),
}
SIZES = ((60, 0), (110, 30))
SHAPES = (
    (0, "any"),
    (1, "any"),
    (2, "any"),
    (3, "equal"),
    (12, "ties"),
    (18, "eighths"),
    (18, "close"),
    (60, "any"),
    (40, "falling"),
    (90, "ties"),
)
SPOKEN = 20
"""Units up to which the reasons stand in the file too: the words do not depend on how many there are."""
# Longer than a reason shows, and cut there between the two halves of what JavaScript takes for two letters.
TITLE = f"A heading that goes on {'and on ' * 4}🦉🦉🦉🦉🦉🦉🦉🦉🦉🦉, which nobody reads to its end"


def units(rng: np.random.Generator, n: int, inside: bool) -> Units:
    """n made-up units with sizes that are not quite the sum of their parts, as tokens are."""
    own = rng.integers(1, 40, n)
    tail = np.cumsum(own) + rng.integers(0, 2, n)
    head = np.concatenate(([0], np.cumsum(own)[:-1])) + rng.integers(0, 2, n)
    # Where reasons are told, some sentences are larger than a chunk may be.
    sentence = np.cumsum(rng.random(n) > (0.6 if n <= SPOKEN else 0.2)) if inside else np.arange(n)
    starts = np.arange(n, dtype=np.int64) * 50
    return Units(starts, starts + 48, sentence.astype(np.int64), own, head, tail)


def curve(rng: np.random.Generator, n: int, shape: str) -> Floats:
    gaps = max(n - 1, 0)
    if shape == "equal":
        return np.full(gaps, 0.7)
    if shape == "falling":
        return np.linspace(0.9, 0.1, gaps)
    if shape == "eighths":
        # Exactly between two numbers of two digits, on both sides of zero.
        return rng.integers(-4, 8, gaps) / 8
    if shape == "close":
        # The same in two digits, some in four; and some that are nothing in two.
        return np.where(rng.random(gaps) > 0.3, 0.31 + rng.normal(0, 2e-4, gaps), rng.normal(0, 2e-3, gaps))
    # Few different values, so that several gaps are equally deep.
    return np.round(rng.random(gaps), 2 if shape == "ties" else 6)


def cases() -> list[dict[str, Any]]:
    """Inputs and what `similarity` makes of them: one entry for each curve, with every kind of threshold on it."""
    rng = np.random.default_rng(7)
    found = []
    for n, shape in SHAPES:
        for inside in (False, True) if n > 1 else (False,):
            made = units(rng, n, inside)
            values = curve(rng, n, shape)
            defined = rng.random(len(values)) > 0.1 if n > 3 else np.ones(len(values), dtype=np.bool_)
            defined &= np.diff(made.sentence) > 0
            values[~defined] = 1.0
            sections = (rng.random(len(values)) < (0.15 if n <= SPOKEN else 0.05)) & (np.diff(made.sentence) > 0)
            depths = np.where(defined, 1.0 - values, -np.inf)
            titles = {int(made.starts[gap + 1]): f"{gap}. {TITLE}" for gap in np.flatnonzero(sections)}
            found.append(
                {
                    "sentence": made.sentence.tolist(),
                    "own": made.own.tolist(),
                    "head": made.head.tolist(),
                    "tail": made.tail.tolist(),
                    "values": values.tolist(),
                    "depths": numbers(depths),
                    "sections": sections.astype(int).tolist(),
                    "titles": [titles.get(start) for start in made.starts.tolist()] if n <= SPOKEN else None,
                    "kinds": [
                        of_kind(kind, made, values, defined, sections, depths, titles if n <= SPOKEN else None)
                        for kind in KINDS.values()
                    ],
                }
            )
    return found


def of_kind(
    kind: Kind,
    made: Units,
    values: Floats,
    defined: Bools,
    sections: Bools,
    depths: Floats,
    titles: dict[int, str] | None,
) -> dict[str, Any]:
    """What one kind of threshold makes of a curve, by all its amounts; where there are titles, half of it with reasons."""
    counted = defined & ~sections
    drops = np.where(counted, kind.drops(values, counted), -np.inf)
    facts = spread(drops, counted)
    cuts = []
    for amount in AMOUNTS[kind.id]:
        for size, smallest in SIZES:
            level = kind.level(amount, facts)
            out = regroup(made, turns_of(drops, level, sections), sections, depths, size, smallest)
            cut = {
                "amount": amount,
                "size": size,
                "smallest": smallest,
                "level": None if level == np.inf else level,
                "line": None if level == np.inf else on_curve(kind, level),
                "firsts": out.firsts.tolist(),
                "why": out.why.tolist(),
                "merged": out.merged,
            }
            if titles is not None and not smallest:
                turns = Turns(made, values, drops, depths, sections, kind, amount, facts, level, size, smallest)
                say = reasons(turns, titles)
                # The chunk before each first unit ends there.
                cut["reasons"] = [
                    say(first - 1, why) for first, why in zip(cut["firsts"][1:], cut["why"][1:], strict=True)
                ]
            cuts.append(cut)
    return {
        "kind": kind.id,
        "axis": kind.axis,
        "mean": facts.mean,
        "deviation": facts.deviation,
        "quartiles": facts.quartiles,
        "drops": numbers(drops),
        "cuts": cuts,
    }


def numbers(values: Floats) -> list[float | None]:
    """For JSON, which has no infinity."""
    return [None if v == -np.inf else v for v in values.tolist()]


def as_json() -> str:
    """The file's content: one line per curve. Floats are written so that they are read back to the last bit."""
    return "[\n" + ",\n".join(json.dumps(case, separators=(",", ":"), ensure_ascii=False) for case in cases()) + "\n]\n"


if __name__ == "__main__":
    FILE.write_text(as_json(), encoding="utf-8")
