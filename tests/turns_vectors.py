"""Numbers that Python and the browser must cut alike; `tests/js/turns.test.mjs` reads the file.

python tests/turns_vectors.py      writes the file anew
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from chunkviz.similarity import KINDS, regroup, turns_of
from chunkviz.similarity.thresholds import on_curve, spread
from chunkviz.similarity.turns import Units

FILE = Path(__file__).parent / "vectors" / "turns.json"
AMOUNTS = {
    "percentile": (0.0, 12.5, 50.0, 87.3, 95.0, 100.0),
    "absolute": (-1.0, 0.2, 0.31, 0.5, 1.0),
    "deviations": (0.0, 0.5, 1.0, 2.35),
    "interquartile": (0.0, 0.75, 1.5),
    "gradient": (10.0, 50.0, 90.0),
    "minimum": (0.0, 0.1, 0.35),
}


def units(rng: np.random.Generator, n: int, inside: bool) -> Units:
    """n made-up units with sizes that are not quite the sum of their parts, as tokens are."""
    own = rng.integers(1, 40, n)
    tail = np.cumsum(own) + rng.integers(0, 2, n)
    head = np.concatenate(([0], np.cumsum(own)[:-1])) + rng.integers(0, 2, n)
    sentence = np.cumsum(rng.random(n) > 0.2) if inside else np.arange(n)
    starts = np.arange(n, dtype=np.int64) * 50
    return Units(starts, starts + 48, sentence.astype(np.int64), own, head, tail)


def curve(rng: np.random.Generator, n: int, shape: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    if shape == "equal":
        return np.full(max(n - 1, 0), 0.7)
    if shape == "falling":
        return np.linspace(0.9, 0.1, max(n - 1, 0))
    # Few different values, so that several gaps are equally deep.
    return np.round(rng.random(max(n - 1, 0)), 2 if shape == "ties" else 6)


def cases() -> list[dict[str, Any]]:
    """Inputs and what `similarity` makes of them."""
    rng = np.random.default_rng(7)
    found = []
    for n, shape in (
        (0, "any"),
        (1, "any"),
        (2, "any"),
        (3, "equal"),
        (12, "ties"),
        (60, "any"),
        (40, "falling"),
        (90, "ties"),
    ):
        for inside in (False, True):
            made = units(rng, n, inside)
            values = curve(rng, n, shape)
            defined = rng.random(len(values)) > 0.1 if n > 3 else np.ones(len(values), dtype=np.bool_)
            defined &= np.diff(made.sentence) > 0
            values[~defined] = 1.0
            sections = (rng.random(len(values)) < 0.05) & (np.diff(made.sentence) > 0)
            counted = defined & ~sections
            depths = np.where(defined, 1.0 - values, -np.inf)
            for kind in KINDS.values():
                drops = np.where(counted, kind.drops(values, counted), -np.inf)
                facts = spread(drops, counted)
                cuts = []
                for amount in AMOUNTS[kind.id]:
                    for size, smallest in ((60, 0), (110, 30)):
                        level = kind.level(amount, facts)
                        out = regroup(made, turns_of(drops, level, sections), sections, depths, size, smallest)
                        cuts.append(
                            {
                                "amount": amount,
                                "size": size,
                                "smallest": smallest,
                                "level": None if level == np.inf else level,
                                "line": None if level == np.inf else on_curve(kind, level),
                                "firsts": out.firsts.tolist(),
                                "why": out.why.tolist(),
                                "merged": out.merged,
                            }
                        )
                found.append(
                    {
                        "kind": kind.id,
                        "axis": kind.axis,
                        "mean": facts.mean,
                        "deviation": facts.deviation,
                        "quartiles": facts.quartiles,
                        "sentence": made.sentence.tolist(),
                        "own": made.own.tolist(),
                        "head": made.head.tolist(),
                        "tail": made.tail.tolist(),
                        "values": values.tolist(),
                        "drops": [None if d == -np.inf else d for d in drops.tolist()],
                        "depths": [None if d == -np.inf else d for d in depths.tolist()],
                        "sections": sections.astype(int).tolist(),
                        "cuts": cuts,
                    }
                )
    return found


def as_json() -> str:
    """The file's content: one line per case. Floats are written so that they are read back to the last bit."""
    return "[\n" + ",\n".join(json.dumps(case) for case in cases()) + "\n]\n"


if __name__ == "__main__":
    FILE.write_text(as_json(), encoding="utf-8")
