"""What an evaluation will take, worked out before it runs: nothing is embedded, and no model is asked.

work = workload(documents, questions, recipes)
paces = {part.model: measured(part) for part in work.parts}      # embeds a few of the texts, which is part of the work
waiting(work, paces)                                             # seconds, from and to
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, Final, NamedTuple

from chunkviz import engine, llm, registry
from chunkviz.document import Document
from chunkviz.embed import DEFAULT, Embedder, VectorStore, default_store, embed, embedder
from chunkviz.embed.store import keys
from chunkviz.errors import StrategyError
from chunkviz.questions import Question
from chunkviz.recipe import Recipe
from chunkviz.retrieval import RetrievalOptions, build
from chunkviz.retrieval.dense import to_embed
from chunkviz.retrieval.models import model
from chunkviz.similarity.cutting import sentence_texts
from chunkviz.spec import Strategy
from chunkviz.units import DEFAULT_UNIT, unit

SAMPLE: Final = 96
"""Texts that are enough to measure how fast a machine embeds."""
SLAB: Final = 16
"""Texts of one measurement; the first slab is not counted, since a model is slower at its first call."""


@dataclass(frozen=True, slots=True)
class Part:
    """What one embedding model has to do.

    texts  : distinct texts whose vectors are not stored; `tokens` to embed in all, in cl100k
    sample : some of the texts, from all over
    """

    model: str
    by: Embedder
    texts: int
    tokens: int
    sample: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Asking:
    """What is asked of a language model, each question once, however many recipes need its answer.

    strategies : ids of those that ask, in the order of the recipes
    endpoint   : who is asked
    estimate   : of the questions whose answers are not stored
    """

    strategies: tuple[str, ...]
    endpoint: llm.Endpoint
    estimate: llm.Estimate


@dataclass(frozen=True, slots=True)
class Workload:
    """What a grid takes.

    chunks  : of all recipes together, without those of `unknown`
    texts   : distinct texts whose vectors are not stored: chunks, questions and sentences; `tokens` to embed, in cl100k,
              of which those of the chunks of `unknown` are a guess: as many as their documents have
    shares  : tokens to embed for each recipe, those that an earlier one needs too counted there
    parts   : the same by embedding model, of those that have something to do
    unknown : numbers of the recipes whose chunks are known only once sentences are embedded or a model has answered
    asking  : what the strategies that ask a language model will ask it; None where there is none of them
    """

    chunks: int
    texts: int
    tokens: int
    shares: tuple[int, ...]
    parts: tuple[Part, ...]
    unknown: tuple[int, ...]
    asking: Asking | None = None


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast texts are embedded: the slowest and the fastest measurement, in cl100k tokens a second.

    source : where they come from, in words
    """

    slowest: float
    fastest: float
    source: str

    @classmethod
    def of(cls, rates: Iterable[float], source: str) -> Pace | None:
        """None for no measurement."""
        known = list(rates)
        return cls(min(known), max(known), source) if known else None


class Wait(NamedTuple):
    """Seconds, from and to."""

    least: float
    most: float


def workload(
    documents: Mapping[str, Document],
    questions: Sequence[Question],
    recipes: Sequence[Mapping[str, Any]],
    retrieval: Mapping[str, Any] | None = None,
    *,
    store: VectorStore | None = None,
    tell: Callable[[int, int], None] | None = None,
) -> Workload:
    """Cut the documents by every recipe, and count what is not embedded yet.

    recipes   : as `Grid.recipes` makes them
    retrieval : values that all of them share
    tell      : called with the recipes done and their number; may raise to stop
    Raises what loading an embedding model raises; for strategies that ask a language model `LLMError` where there is
    none, or where a document takes more questions than may be asked, and `StrategyError` where one of them does not tell
    beforehand what it asks.
    """
    store = default_store() if store is None else store
    count = unit(DEFAULT_UNIT).count
    asked = [q.text for q in questions]
    whole = sum(count(d.text) for d in documents.values())
    seen: set[bytes] = set()
    shares: list[int] = []
    unknown: list[int] = []
    pending: dict[str, _Waiting] = {}
    asked_of: dict[tuple[str, str], list[llm.Question]] = {}
    chunks = 0

    def wait(name: str, by: Embedder, missing: Mapping[bytes, str], extra: int = 0) -> int:
        """Note what this model has to embed; the tokens that nothing before needed."""
        new = [text for key, text in missing.items() if key not in seen]
        seen.update(missing)
        tokens = extra + sum(map(count, new))
        if tokens or new:
            own = pending.setdefault(name, _Waiting(by))
            own.texts += new
            own.tokens += tokens
        return tokens

    for at, given in enumerate(recipes):
        fields = {name: value for name, value in given.items() if name != "retrieval"}
        options = RetrievalOptions.of({**(retrieval or {}), **given.get("retrieval", {})})
        tags = registry.strategy(fields["strategy"]).tags
        share = 0
        closed = tags.needs_model
        if tags.needs_model:
            who_answers = fields.get("params", {}).get("model", llm.DEFAULT_MODEL)
            if (fields["strategy"], who_answers) not in asked_of:
                asked_of[fields["strategy"], who_answers] = _asked(fields["strategy"], documents.values())
        if tags.needs_embedder:
            name = fields.get("params", {}).get("model", DEFAULT)
            sentences = _sentences(documents, embedder(name), store)
            share += wait(name, embedder(name), sentences)
            closed = closed or bool(sentences)
        if closed:
            unknown.append(at)
            if options.embeds:
                who = model(options.model, options.precision)
                # As many tokens again for the chunks, which together are the documents.
                share += wait(options.model, who, _missing(who, asked, store), extra=whole)
        else:
            recipe = Recipe.from_dict({**fields, "version": registry.strategy(fields["strategy"]).version})
            index = build({name: engine.chunk(d, recipe=recipe) for name, d in documents.items()}, options)
            chunks += len(index.entries)
            missing = to_embed(index, asked, options, store)
            if missing:
                share += wait(options.model, model(options.model, options.precision), missing)
        shares.append(share)
        if tell is not None:
            tell(at + 1, len(recipes))
    parts = tuple(Part(name, w.by, len(w.texts), w.tokens, w.sample()) for name, w in pending.items())
    texts, tokens = sum(p.texts for p in parts), sum(p.tokens for p in parts)
    return Workload(chunks, texts, tokens, tuple(shares), parts, tuple(unknown), _asking(asked_of))


def _asking(asked_of: Mapping[tuple[str, str], Sequence[llm.Question]]) -> Asking | None:
    """What is left to ask, of questions by strategy and model."""
    if not asked_of:
        return None
    endpoint = llm.client().endpoint
    left = [q for (_, name), found in asked_of.items() for q in llm.unanswered(found, endpoint, name)]
    return Asking(tuple(dict.fromkeys(strategy for strategy, _ in asked_of)), endpoint, llm.estimate(left, endpoint))


def _asked(strategy: str, documents: Iterable[Document]) -> list[llm.Question]:
    """What a strategy asks about all documents, checked as it will be when they are cut."""
    limits = llm.client().limits
    found: list[llm.Question] = []
    for document in documents:
        own = questions_of(registry.strategy(strategy), document)
        llm.refuse_too_many(len(own), limits)
        found += own
    return found


def questions_of(strategy: Strategy, document: Document) -> Sequence[llm.Question]:
    """What a strategy that asks a language model will ask about a document: its module says so, as `questions`.

    Raises `StrategyError` where it does not.
    """
    told = getattr(import_module(strategy.cut.__module__), "questions", None)
    if told is None:
        raise StrategyError(
            f"“{strategy.title}” asks a language model and does not tell beforehand what (its module has no function "
            "`questions`), so nobody can know what it would cost. Leave it out here; `chunkviz chunk` and `chunkviz "
            "evaluate` run it."
        )
    found: Sequence[llm.Question] = told(document)
    return found


@dataclass(slots=True)
class _Waiting:
    by: Embedder
    texts: list[str] = field(default_factory=list)
    tokens: int = 0

    def sample(self) -> tuple[str, ...]:
        # From all over: questions come first, and are shorter than what has to be embedded.
        return tuple(self.texts[:: max(1, len(self.texts) // SAMPLE)][:SAMPLE])


def _sentences(documents: Mapping[str, Document], who: Embedder, store: VectorStore) -> dict[bytes, str]:
    """The sentences whose vectors a strategy that compares them would have to make."""
    return _missing(who, [text for d in documents.values() for text in sentence_texts(d)], store)


def _missing(who: Embedder, texts: Sequence[str], store: VectorStore) -> dict[bytes, str]:
    distinct = list(dict.fromkeys(texts))
    named = dict(zip(keys(who, distinct), distinct, strict=True))
    stored = store.get(list(named))
    return {key: text for key, text in named.items() if key not in stored}


def measurable(part: Part) -> bool:
    """Whether there are enough texts to measure by."""
    return len(part.sample) >= 2 * SLAB


def measured(
    part: Part, *, store: VectorStore | None = None, tell: Callable[[int, int], None] | None = None
) -> Pace | None:
    """How fast this machine embeds, by embedding a sample; its vectors are stored, so they are not made again.

    tell : called with the texts done and their number; may raise to stop
    None where the sample is too small (see `measurable`), or somebody else embedded it in the meantime.
    Raises `EmbedderError` where the model cannot be loaded or asked.
    """
    count = unit(DEFAULT_UNIT).count
    rates: list[float] = []
    timed = 0
    for begin in range(0, len(part.sample), SLAB):
        slab = part.sample[begin : begin + SLAB]
        if tell is not None:
            tell(begin, len(part.sample))
        began = time.monotonic()
        made = embed(slab, part.by, store=store)
        taken = time.monotonic() - began
        # What was stored tells nothing about the time, nor does a slab that is hardly one.
        if begin and made.fresh == len(slab) == SLAB:
            rates.append(sum(map(count, slab)) / max(taken, 1e-6))
            timed += len(slab)
    return Pace.of(rates, f"measured on {timed:,} of these texts on this machine")


def after(work: Workload, part: Part) -> Workload:
    """What is left of the work when the sample of one part is embedded. The tokens are taken off the first recipes."""
    gone = sum(map(unit(DEFAULT_UNIT).count, part.sample))
    left = tuple(
        replace(p, texts=p.texts - len(p.sample), tokens=p.tokens - gone, sample=()) if p is part else p
        for p in work.parts
    )
    shares = []
    for share in work.shares:
        taken = min(share, gone)
        gone -= taken
        shares.append(share - taken)
    return replace(
        work,
        texts=sum(p.texts for p in left),
        tokens=sum(p.tokens for p in left),
        shares=tuple(shares),
        parts=tuple(p for p in left if p.tokens),
    )


def waiting(work: Workload, paces: Mapping[str, Pace | None]) -> Wait | None:
    """How long embedding will take, by the pace of each model; None where that of one is not known.

    >>> work = Workload(0, 2, 600, (600,), (Part("m", None, 2, 600, ()),), ())
    >>> waiting(work, {"m": Pace(10.0, 30.0, "measured")})
    Wait(least=20.0, most=60.0)
    """
    known = [(part.tokens, paces.get(part.model)) for part in work.parts]
    if any(pace is None for _, pace in known):
        return None
    return Wait(
        sum(tokens / pace.fastest for tokens, pace in known if pace),
        sum(tokens / pace.slowest for tokens, pace in known if pace),
    )
