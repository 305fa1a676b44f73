"""Every number shown about one chunking, with its unit, range, direction and source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from chunkviz.chunking import Chunking
from chunkviz.given import expect
from chunkviz.metrics import METRICS, Finding, Metric


@dataclass(frozen=True, slots=True)
class Figure:
    """One number: what it means and what it is. `value` is None where it is undefined, and `reason` says why."""

    metric: Metric
    value: float | int | None
    reason: str
    of: int | None
    findings: tuple[Finding, ...]

    @property
    def id(self) -> str:
        return self.metric.id


class Report(Mapping[str, Figure]):
    """Figures by id, in the order they are shown: `report["tokens.median"].value`."""

    def __init__(self, figures: Mapping[str, Figure]) -> None:
        self._figures = dict(figures)

    def __getitem__(self, id: str) -> Figure:
        return self._figures[id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._figures)

    def __len__(self) -> int:
        return len(self._figures)

    def __repr__(self) -> str:
        return "Report(" + ", ".join(f"{f.id}={f.value!r}" for f in self.values()) + ")"


def report(chunking: Chunking) -> Report:
    """Compute every metric of `metrics.METRICS` for one chunking. Raises `ParameterError` for what is none."""
    expect(chunking, Chunking, "`report` needs what `chunkviz.chunk(...)` gave.")
    figures = {}
    for metric in METRICS:
        result = metric.compute(chunking)
        figures[metric.id] = Figure(metric, result.value, result.reason, result.of, result.findings)
    return Report(figures)
