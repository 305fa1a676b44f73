"""What the charts of an evaluation show: how a metric moves with size and overlap, what reranking did, which questions fail."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from chunkviz.errors import ParameterError
from chunkviz.evaluation import RecipeResult
from chunkviz.grid import label
from chunkviz.metrics.intervals import Interval, interval
from chunkviz.metrics.retrieval import RETRIEVAL, RetrievalMetric


class Mean(NamedTuple):
    """The mean of a metric over the questions, and its 95 % bootstrap interval within the metric's range.

    low, high : equal to `value` where fewer than two questions have a value
    """

    value: float
    low: float
    high: float
    n: int


class Point(NamedTuple):
    """One recipe on a line: `x` is its size or overlap, `result` its number among the results."""

    result: int
    x: int
    mean: Mean


class Line(NamedTuple):
    """Recipes that differ in nothing but one value, in its order; at least two."""

    label: str
    points: list[Point]


class Reranked(NamedTuple):
    """Two recipes that differ in nothing but the reranker, and the paired difference after less before."""

    label: str
    reranker: str
    before: int
    after: int
    difference: Interval | None


class Met(NamedTuple):
    """A recipe in two runs: its numbers among the results of each (None where it is in one only), and b less a."""

    label: str
    a: int | None
    b: int | None
    difference: Interval | None


def metric_of(metric_id: str) -> RetrievalMetric:
    """The declared metric. Raises `ParameterError` for an unknown one."""
    for metric in RETRIEVAL:
        if metric.id == metric_id:
            return metric
    raise ParameterError(f"There is no metric {metric_id!r}. There are: {', '.join(m.id for m in RETRIEVAL)}.")


def mean(result: RecipeResult, metric_id: str) -> Mean | None:
    """None where no question has a value."""
    metric = metric_of(metric_id)
    return mean_of(result.values(metric_id), metric.low, metric.high)


def mean_of(values: Sequence[float | None], low: float, high: float | None) -> Mean | None:
    """The mean of those values that there are, its interval kept within the range; None where there is none."""
    known = [v for v in values if v is not None]
    if not known:
        return None
    centre = sum(known) / len(known)
    found = interval(known)
    if found is None:
        return Mean(centre, centre, centre, len(known))
    return Mean(centre, max(found.low, low), found.high if high is None else min(found.high, high), len(known))


def lines(results: Sequence[RecipeResult], metric_id: str, axis: Literal["size", "overlap"]) -> list[Line]:
    """The recipes along one axis, of results with one k. Those without a neighbour on it are not there."""
    found: dict[str, list[Point]] = {}
    for at, result in enumerate(results):
        x = dict(result.given.get("params", {})).get(axis)
        value = mean(result, metric_id)
        if isinstance(x, int) and value is not None:
            found.setdefault(label(result, [axis]), []).append(Point(at, x, value))
    return [
        Line(name, sorted(points, key=lambda p: p.x))
        for name, points in found.items()
        if len({p.x for p in points}) > 1
    ]


def reranked(results: Sequence[RecipeResult], metric_id: str) -> list[Reranked]:
    """Every recipe that was searched with a reranker and without one, of results with one k."""
    named = [label(r, ["reranker", "candidates", "cross_encoder"]) for r in results]
    plain = {name: at for at, name in enumerate(named) if results[at].options.reranker == "none"}
    return [
        Reranked(name, r.reranker, plain[name], at, r.against(results[plain[name]], metric_id))
        for at, (name, r) in enumerate(zip(named, results, strict=True))
        if r.options.reranker != "none" and name in plain
    ]


def hardest_first(results: Sequence[RecipeResult], metric_id: str) -> list[int]:
    """The numbers of the questions, those with the worst mean over all recipes first; those without a value last."""
    sign = -1 if metric_of(metric_id).better == "lower" else 1
    columns = [r.values(metric_id) for r in results]

    def rank(question: int) -> tuple[float, int]:
        values = [v for v in (column[question] for column in columns) if v is not None]
        return (sign * sum(values) / len(values) if values else float("inf")), question

    return sorted(range(len(columns[0]) if columns else 0), key=rank)


def met(a: Sequence[RecipeResult], b: Sequence[RecipeResult], metric_id: str) -> list[Met]:
    """The recipes of two runs over the same questions beside each other, by name and k."""
    first = {(label(r), r.k): at for at, r in enumerate(a)}
    second = {(label(r), r.k): at for at, r in enumerate(b)}
    found = []
    for key in dict.fromkeys([*first, *second]):
        x, y = first.get(key), second.get(key)
        both = x is not None and y is not None and metric_id in a[x].metrics and metric_id in b[y].metrics
        difference = b[y].against(a[x], metric_id) if both and x is not None and y is not None else None
        found.append(Met(key[0], x, y, difference))
    return found
