"""Which recipe to take: before anything was measured by what the document looks like, afterwards by what was found.

chunkviz.advice.before(document).reasons      # what to begin with, and why
chunkviz.advice.after(evaluation).reasons     # the cheapest recipe that is not worse than the best
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any, Final

import numpy as np

from chunkviz import format, registry
from chunkviz.document import Document
from chunkviz.errors import ParameterError
from chunkviz.evaluation import Evaluation, RecipeResult
from chunkviz.grid import label
from chunkviz.metrics.retrieval import RETRIEVAL, RetrievalMetric
from chunkviz.text.sections import sections
from chunkviz.units import DEFAULT_UNIT, EMBEDDING_LIMIT, unit

SIZE: Final = 200
"""Tokens to begin with: the bundled model reads 254 of its own, and what stands beyond them cannot be found."""
OVERLAP: Final = 20
_FEW_HEADINGS: Final = 3
_LARGE_PAGE: Final = 400
_LARGEST: Final = 400
_MANY: Final = 0.2
"""Share of a text from which its code and tables decide the size."""
_FEW_QUESTIONS: Final = 20


@dataclass(frozen=True, slots=True)
class Advice:
    """A recipe and why.

    params    : where they differ from the strategy's defaults; sizes in `unit`
    reasons   : sentences, the first of which stands alone
    retrieval : values of `RetrievalOptions` that differ from the defaults
    number    : of the result in `Evaluation.results`; None before anything was measured
    """

    strategy: str
    params: Mapping[str, Any]
    reasons: tuple[str, ...]
    unit: str = DEFAULT_UNIT
    retrieval: Mapping[str, Any] = field(default_factory=dict)
    number: int | None = None

    @property
    def title(self) -> str:
        """The strategy as people read it."""
        return registry.strategy(self.strategy).title


@dataclass(frozen=True, slots=True)
class Structure:
    """What a document looks like to someone who has to cut it. Lengths in cl100k tokens.

    section, page : median length of the sections under headings and of the pages, None where there are none
    code, tables  : share of the characters in such blocks; `block` is the length that nine of ten of them do not exceed
    paragraphs    : separated by blank lines
    """

    tokens: int
    headings: int
    section: int | None
    pages: int
    page: int | None
    code: float
    tables: float
    block: int
    paragraphs: int


def structure(document: Document) -> Structure:
    """Measure it."""
    text = document.text
    count = unit(DEFAULT_UNIT).measure(document).count
    under = [count(*section.span) for section in sections(document) if section.level]
    pages = [count(p.start, p.end) for p in document.pages]
    blocks = [b for b in document.blocks if b.kind in ("code", "table")]
    sizes = [count(b.start, b.end) for b in blocks]
    share = {
        kind: sum(b.end - b.start for b in blocks if b.kind == kind) / len(text) if text else 0.0
        for kind in ("code", "table")
    }
    return Structure(
        tokens=count(0, len(text)),
        headings=len(document.headings),
        section=int(median(under)) if under else None,
        pages=len(pages),
        page=int(median(pages)) if pages else None,
        code=share["code"],
        tables=share["table"],
        block=int(np.quantile(sizes, 0.9)) if sizes else 0,
        paragraphs=sum(1 for part in text.replace("\r\n", "\n").split("\n\n") if part.strip()),
    )


def before(document: Document) -> Advice:
    """What to begin with, by the document's type and by the structure found in it. Nothing is embedded."""
    s = structure(document)
    if not s.tokens:
        return Advice("recursive", {}, ("There is no text to cut, so nothing speaks for or against any strategy.",))
    if s.tokens <= SIZE:
        reason = f"The whole document is {format.plural(s.tokens, 'token')} long: it fits into one chunk, and should stay one."
        return Advice("recursive", {"size": SIZE, "overlap": 0}, (reason,))
    made = _by_format(document) or _by_structure(s)
    strategy, params, reasons = made
    size = SIZE
    if document.format not in ("code", "json") and s.code + s.tables >= _MANY and s.block > SIZE:
        size = min(_LARGEST, -(-s.block // 50) * 50)
        reasons = (
            *reasons,
            f"{format.number(s.code + s.tables, 'share')} of the text is code or tables, nine of ten such blocks no longer "
            f"than {s.block} tokens: chunks of {size} keep most of them whole.",
        )
    else:
        reasons = (
            *reasons,
            f"{size} tokens to begin with: the bundled embedding model reads no more than {EMBEDDING_LIMIT} of its own, and "
            "small chunks bring less beside the answer. Then measure it with your questions.",
        )
    return Advice(strategy, {"size": size, **params}, reasons)


_Draft = tuple[str, dict[str, Any], tuple[str, ...]]


def _by_format(document: Document) -> _Draft | None:
    """For formats whose own grammar says where things end."""
    if document.format == "code":
        words = f"It is a program{f' ({document.language})' if document.language else ''}"
        return "code", {}, (f"{words}: cut between functions and classes, never through one that fits.",)
    if document.format == "json":
        return "json", {}, ("It is data: cut between objects and list items, so that a value keeps its name.",)
    if document.format == "latex":
        return "latex", {}, ("It is LaTeX: cut at sections and paragraphs, so that equations and listings stay whole.",)
    if document.format == "html":
        return "html", {}, ("It is a web page: cut between its blocks, each with the headings it stands under.",)
    return None


def _by_structure(s: Structure) -> _Draft:
    if s.headings >= _FEW_HEADINGS and s.section is not None:
        found = f"It has {s.headings} headings, and half of the sections are no longer than {format.plural(s.section, 'token')}"
        if s.section <= SIZE:
            words = f"{found}: cut at the headings, and most sections stay whole, each about one thing."
            return "structure", {"overlap": 0}, (words,)
        words = f"{found}: cut at the headings first; longer sections are parted, so a little overlap keeps sentences together."
        return "structure", {"overlap": OVERLAP}, (words,)
    if s.pages > 1 and s.page is not None and s.page <= _LARGE_PAGE:
        words = f"It has {s.pages} pages of about {format.plural(s.page, 'token')} and hardly a heading: a page is the unit."
        return "page", {"overlap": OVERLAP}, (words,)
    if s.headings < _FEW_HEADINGS and s.tokens > 3 * SIZE and s.tokens / max(s.paragraphs, 1) > 3 * SIZE:
        words = (
            "It has neither headings nor blank lines to cut at: only the meaning shows where a topic ends, so cut where "
            "neighbouring sentences are least alike."
        )
        return "semantic", {}, (words,)
    words = (
        f"It has few headings but {format.plural(s.paragraphs, 'paragraph')}: cut at the largest break that is near, "
        "paragraph, line, then sentence, with a little overlap for what is parted."
    )
    return "recursive", {"overlap": OVERLAP}, (words,)


def after(evaluation: Evaluation, metric: str = "token_recall", k: int | str | None = None) -> Advice | None:
    """The cheapest recipe that is not worse than the best: the 95 % interval of the difference holds 0.

    metric : what counts, of those that were computed
    k      : which of the evaluation's, by default its first
    Cheapest is what returns the fewest tokens for a question, then what stores the fewest; without a search, only the
    latter. None where no recipe has a value. Raises `ParameterError` for an unknown metric.
    """
    measured = next((m for m in RETRIEVAL if m.id == metric), None)
    if measured is None:
        raise ParameterError(f"There is no metric {metric!r}. There are: {', '.join(m.id for m in RETRIEVAL)}.")
    depth = k if k is not None else evaluation.results[0].k if evaluation.results else None
    fitting = [
        (at, r)
        for at, r in enumerate(evaluation.results)
        if r.k == depth and metric in r.metrics and r.metrics[metric].mean is not None
    ]
    if not fitting:
        return None
    sign = -1 if measured.better == "lower" else 1
    _, best = max(fitting, key=lambda pair: (sign * (_mean(pair[1], metric) or 0.0), *(-c for c in _cost(pair[1]))))
    good = [(at, r) for at, r in fitting if r is best or _not_worse(r, best, metric)]
    number, chosen = min(good, key=lambda pair: (*_cost(pair[1]), -sign * (_mean(pair[1], metric) or 0.0)))
    return Advice(
        strategy=str(chosen.given.get("strategy", "")),
        params=dict(chosen.given.get("params", {})),
        reasons=tuple(_reasons(chosen, best, good, fitting, measured)),
        unit=str(chosen.given.get("unit", DEFAULT_UNIT)),
        retrieval=chosen.options.changed(),
        number=number,
    )


def _mean(result: RecipeResult, metric: str) -> float | None:
    found = result.metrics.get(metric)
    return found.mean if found else None


def _cost(result: RecipeResult) -> tuple[float, float]:
    return _mean(result, "tokens_retrieved") or 0.0, float(result.embedded)


def _not_worse(result: RecipeResult, best: RecipeResult, metric: str) -> bool:
    found = result.against(best, metric)
    # With one question there is no interval: then only what is equal counts as not worse.
    return _mean(result, metric) == _mean(best, metric) if found is None else not found.decided


def _reasons(
    chosen: RecipeResult,
    best: RecipeResult,
    good: Sequence[tuple[int, RecipeResult]],
    fitting: Sequence[tuple[int, RecipeResult]],
    metric: RetrievalMetric,
) -> list[str]:
    value = format.number(_mean(chosen, metric.id), metric.unit)
    asked = chosen.metrics[metric.id].n
    all_ = "both recipes" if len(fitting) == 2 else f"all {len(fitting):,} recipes"
    some = f"{len(good)} of {format.plural(len(fitting), 'recipe')}"
    of = "the only recipe" if len(fitting) == 1 else all_ if len(good) == len(fitting) else some
    read, stored = _cost(chosen)
    other = f" (the best: {_cost(best)[0 if read else 1]:,.0f})" if chosen is not best else ""
    if read:
        costs = f"{read:,.0f} tokens read for each question{other} and {stored:,.0f} stored"
    else:
        costs = f"{stored:,.0f} tokens stored{other}"
    name = label(chosen)
    found = chosen.against(best, metric.id) if chosen is not best else None
    if found is None:
        if len(good) > 1:
            return [
                f"No winner: {format.plural(asked, 'question')} cannot tell {of} apart. The cheapest of them is also the "
                f"best: “{name}”, {metric.title.lower()} {value}, with {costs}.",
                *_few(asked),
            ]
        if len(fitting) > 1:
            also = f"best of {format.plural(len(fitting), 'recipe')}, and clearly so with {format.plural(asked, 'question')}"
        else:
            also = of
        return [f"Take “{name}”: {metric.title.lower()} {value}, {also}, with {costs}.", *_few(asked)]
    off = _points(found.mean, metric), _points(found.low, metric), _points(found.high, metric)
    best_value = format.number(_mean(best, metric.id), metric.unit)
    lines = [
        f"No winner: {format.plural(asked, 'question')} cannot tell {of} apart. The cheapest of them: “{name}”, "
        f"{metric.title.lower()} {value}; the best, “{label(best)}”, has {best_value} (difference {off[0]}, 95 % interval "
        f"{off[1]} to {off[2]}). It takes {costs}."
    ]
    worst = found.low if metric.better != "lower" else -found.high
    if worst < 0 and metric.unit == "share" and worst < -0.05:
        lines.append(
            f"Not worse means that {format.plural(asked, 'question')} cannot tell the two apart: {abs(worst) * 100:.0f} points "
            "may still be lost. " + (f"About {found.more:,} more questions would tell." if found.more else "")
        )
    return [line.strip() for line in lines] + _few(asked)


def _few(asked: int) -> list[str]:
    if asked >= _FEW_QUESTIONS:
        return []
    return [
        f"{format.plural(asked, 'question')} are few: with fewer than {_FEW_QUESTIONS}, the intervals are too narrow."
    ]


def _points(value: float, metric: RetrievalMetric) -> str:
    shown = f"{value * 100:+.1f} points" if metric.unit == "share" else f"{value:+,.1f}"
    return shown.replace("-", "−")
