"""`python -m benchmarks`: the speed of every strategy as ratios to other libraries, with the budget beside each figure."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Final

from benchmarks import embedding
from benchmarks.contenders import Material, first_cuts, langchains, other_cuts, peers, tiktoken_encoding
from benchmarks.corpus import mixed_text, parted
from benchmarks.report import Measured, Results, megabytes, tables, to_dict
from benchmarks.timing import Growth, grown, interleaved

SIZE: Final = 512
OTHER_SIZES: Final = (384, 768, 256, 1024, 640)
PARTS: Final = 10


def measured(size_bytes: int, rounds: int, other_rounds: int, progress: Callable[[str], None]) -> Measured:
    """Both tables for a text of so many bytes: `rounds` first cuts, and `other_rounds` others, each at another size."""
    progress("writing the text and reading it as Markdown")
    material = Material(mixed_text(size_bytes))
    cutters = [tiktoken_encoding(material), *first_cuts(material), *peers(material)]
    first = interleaved(cutters, [SIZE] * rounds, progress)
    recutters = [*langchains(material), *other_cuts(material, known=SIZE)]
    other = interleaved(recutters, islice(cycle(OTHER_SIZES), other_rounds), progress)
    return Measured(material.text, first, other)


def results(small_bytes: int, rounds: int, progress: Callable[[str], None] = lambda _: None) -> Results:
    """Measure a text of `small_bytes` and one ten times as long, with half as many first cuts of the latter.

    And the long one beside its own ten parts.
    """
    # Once through everything: tables are read, modules imported and memory is taken before any time is.
    measured(20_000, 1, 1, lambda _: progress("warming up"))

    def on(size_bytes: int) -> Callable[[str], None]:
        return lambda line: progress(f"{megabytes(size_bytes)}, {line}")

    large_bytes = PARTS * small_bytes
    half = (rounds + 1) // 2
    growth = growing(large_bytes, half, on(large_bytes))
    small = measured(small_bytes, rounds, rounds, on(small_bytes))
    return Results(small, measured(large_bytes, half, rounds, on(large_bytes)), growth)


def growing(size_bytes: int, rounds: int, progress: Callable[[str], None]) -> list[Growth]:
    """The first cuts of a text beside those of its parts."""
    progress("writing the text and reading it and its parts as Markdown")
    text = mixed_text(size_bytes)
    whole, *parts = (
        [tiktoken_encoding(material), *first_cuts(material)] for material in map(Material, (text, *parted(text, PARTS)))
    )
    return grown(whole, parts, SIZE, rounds, progress)


def _show_progress(line: str) -> None:
    """On a terminal one line that changes; nothing elsewhere."""
    if sys.stderr.isatty():
        print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, print, and return the exit code: 0, or with `--check` 1 where a budget is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="0.1 MB and 1 MB instead of 1 MB and 10 MB")
    parser.add_argument(
        "--rounds", type=int, default=5, help="how often each is timed (5); first cuts of the larger text half as often"
    )
    parser.add_argument("--embedding", action="store_true", help="also time the first embedding, see embedding.py")
    parser.add_argument("--bytes", type=int, help="size of the smaller text; the other is ten times as large")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a budget is missed")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write every single figure to FILE")
    options = parser.parse_args(arguments)
    small_bytes = options.bytes or (100_000 if options.quick else 1_000_000)
    if options.rounds < 1 or small_bytes < 1:
        parser.error("--rounds and --bytes must be at least 1")

    found = results(small_bytes, options.rounds, _show_progress)
    _show_progress("")
    for line in tables(found):
        print(line)
    if options.json:
        options.json.write_text(json.dumps(to_dict(found), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    missed = any(verdict.kept is False for verdict in found.judged())
    if options.embedding:
        print()
        missed |= embedding.main(["--rounds", str(options.rounds), "--check"]) != 0
    return 1 if options.check and missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
