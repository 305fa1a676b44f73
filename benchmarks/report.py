"""The figures of one run, as tables to read and as JSON to keep."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import budgets
from benchmarks.budgets import FIRST_CUT, GROWTH, OTHER_CUT, Judged, judged
from benchmarks.contenders import ENCODING, OVERLAP, missing_peers, versions
from benchmarks.timing import Growth, Sample, Series


@dataclass(frozen=True)
class Measured:
    """All about one text.

    first : a first cut by everyone, tiktoken among them, which the others are compared with
    other : another cut by ours, and LangChain's, which they are compared with
    """

    text: str
    first: Sequence[Series]
    other: Sequence[Series]

    @property
    def size_bytes(self) -> int:
        return len(self.text.encode())


@dataclass(frozen=True)
class Results:
    """One run of the benchmark: a text, one ten times as long, and the latter beside its ten parts."""

    small: Measured
    large: Measured
    growth: Sequence[Growth]

    def judged(self) -> list[Judged]:
        """Every figure with its budget, in the order of the tables."""
        found: list[Judged] = []
        for measured in (self.small, self.large):
            for kind, all_series in ((FIRST_CUT, measured.first), (OTHER_CUT, measured.other)):
                for series in all_series:
                    who = series.contender
                    if who.against:
                        value = median(series.times_as_fast_as(_reference(series, all_series)))
                        found.append(judged(kind, measured.size_bytes, who.name, who.strategy, value))
        for growth in self.growth:
            who = growth.contender
            found.append(judged(GROWTH, self.large.size_bytes, who.name, who.strategy, median(growth.times)))
        return found


def _reference(series: Series, all_series: Sequence[Series]) -> Series:
    return next(s for s in all_series if s.contender.name == series.contender.against)


def machine() -> str:
    """One line on what this ran on."""
    cores = os.cpu_count() or 1
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = (
            line.partition(":")[2].strip() for line in info.read_text().splitlines() if line.startswith("model name")
        )
        model = next(names, model)
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{model}, {cores} cores{load}; {platform.system()} {platform.machine()}; {python}"


def tables(results: Results) -> Iterator[str]:
    """The lines to print."""
    yield f"machine   {machine()}"
    yield f"packages  {', '.join(f'{name} {number}' for name, number in versions().items())}"
    for name in missing_peers():
        yield f'          {name} is not installed: not measured (pip install -e ".[bench]")'
    for measured in (results.small, results.large):
        yield f"text      {megabytes(measured.size_bytes)}, SHA-256 {_sha256(measured.text)[:16]}…"
    yield f"unit      {ENCODING}, overlap {OVERLAP} where a library has one"
    yield "figures   CPU seconds, median (least–most) over the rounds; ratios are taken within each round"
    verdicts = results.judged()
    for measured in (results.small, results.large):
        yield from _cuts(FIRST_CUT, "× tiktoken", measured, measured.first, verdicts)
        yield from _cuts(OTHER_CUT, "× LangChain", measured, measured.other, verdicts)
    yield from _growth(results, verdicts)
    yield from _summary(verdicts)


def _cuts(
    kind: str, ratio: str, measured: Measured, all_series: Sequence[Series], verdicts: Sequence[Judged]
) -> Iterator[str]:
    sizes = list(dict.fromkeys(s.size for s in all_series[0].samples))
    rounds = len(all_series[0].samples)
    yield ""
    yield f"{kind.capitalize()} of {megabytes(measured.size_bytes)} into {', '.join(map(str, sizes))} tokens, {rounds} rounds"
    # One count for the first of the sizes, so that two who should agree can be seen to.
    yield _row("", "chunks", "CPU s", "", "wall s", "MB/s", ratio, "", "budget", "")
    known = {v.name: v for v in verdicts if v.kind == kind and v.size_bytes == measured.size_bytes}
    for series in all_series:
        name = series.contender.name
        cpu = [s.cpu_s for s in series.samples]
        speed = f"{measured.size_bytes / 1e6 / series.cpu_s:.1f}"
        figures = (_chunks(series.samples), f"{series.cpu_s:.3f}", _range(cpu, 3), f"{series.wall_s:.3f}", speed)
        if name in known:
            ratios = series.times_as_fast_as(_reference(series, all_series))
            yield _row(name, *figures, f"{known[name].value:.2f}", _range(ratios, 2), *_verdict(known[name]))
        else:
            yield _row(name, *figures, "1", "", "", "")


def _growth(results: Results, verdicts: Sequence[Judged]) -> Iterator[str]:
    rounds = len(results.growth[0].whole)
    parts = len(results.growth[0].parts[0])
    yield ""
    yield (
        f"Growth: the first cut of {megabytes(results.large.size_bytes)} takes so many times as long as that of each of its "
        f"{parts} parts, {rounds} rounds"
    )
    for growth, verdict in zip(results.growth, (v for v in verdicts if v.kind == GROWTH), strict=True):
        budget, mark = _verdict(verdict)
        yield f"{verdict.name:<32}{verdict.value:>8.2f}{_range(growth.times, 2):>15}   {budget:<6} {mark}".rstrip()


def _summary(verdicts: Sequence[Judged]) -> Iterator[str]:
    yield ""
    for budget in budgets.BUDGETS:
        held = [v for v in verdicts if v.budget is budget]
        missed = [v for v in held if not v.kept]
        who = f" for {' and '.join(budget.strategies)}" if budget.strategies else ""
        result = f"{len(held) - len(missed)} of {len(held)} kept" if held else f"from {megabytes(budget.from_bytes)} on"
        yield f"{budget.kind}: {budget.shown} {budget.words}{who}: {result}"
        for v in missed:
            yield f"  MISSED  {v.name}, {megabytes(v.size_bytes)}: {v.value:.2f}"


def megabytes(size_bytes: int) -> str:
    """A number of bytes in words; a megabyte is 1,000,000 bytes."""
    return f"{size_bytes / 1e6:.3g} MB"


def _verdict(verdict: Judged) -> tuple[str, str]:
    if verdict.budget is None:
        return "", ""
    return verdict.budget.shown, "kept" if verdict.kept else "MISSED"


def _row(name: str, *cells: str) -> str:
    widths = (7, 8, 15, 8, 8, 12, 13, 8, 7)
    return (f"{name:<32}" + "".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))).rstrip()


def _chunks(samples: Sequence[Sample]) -> str:
    """How many chunks, at the first of the sizes; "–" for tiktoken, which makes none."""
    return f"{samples[0].chunks:,}" if samples[0].chunks else "–"


def _range(values: Sequence[float], digits: int) -> str:
    return f"{min(values):.{digits}f}–{max(values):.{digits}f}"


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def to_dict(results: Results) -> dict[str, Any]:
    """Everything that was measured, for `--json`: every single sample and every judged figure."""
    return {
        "machine": machine(),
        "packages": versions(),
        "not_installed": missing_peers(),
        "encoding": ENCODING,
        "overlap": OVERLAP,
        "texts": [
            {
                "bytes": measured.size_bytes,
                "sha256": _sha256(measured.text),
                FIRST_CUT: _raw(measured.first),
                OTHER_CUT: _raw(measured.other),
            }
            for measured in (results.small, results.large)
        ],
        GROWTH: [{"name": g.contender.name, "parts_s": g.parts, "whole_s": g.whole} for g in results.growth],
        "figures": [
            {
                "kind": v.kind,
                "bytes": v.size_bytes,
                "name": v.name,
                "value": v.value,
                "budget": v.budget.shown if v.budget else None,
                "kept": v.kept,
            }
            for v in results.judged()
        ],
    }


def _raw(all_series: Sequence[Series]) -> list[dict[str, Any]]:
    return [{"name": s.contender.name, "samples": [asdict(sample) for sample in s.samples]} for s in all_series]
