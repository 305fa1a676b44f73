"""What a run will take, before it is begun: counted once, measured once, and learnt from the runs before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import streamlit as st

from chunkviz import format, registry
from chunkviz.evaluation import Evaluation
from chunkviz.ui import cards, endpoints, progress
from chunkviz.ui.cache_keys import key_of
from chunkviz.ui.evaluating import PREFIX, Plan
from chunkviz.workload import Asking, Pace, Part, Wait, Workload, after, measurable, measured, waiting, workload

MEASURING: Final = f"{PREFIX}.measure."
"""Begins the key of measuring with one model."""
RUNS_KEPT: Final = 5
"""The newest runs of a session tell how fast the next one will be."""


def _key(plan: Plan, ran: int) -> str:
    endpoint = endpoints.current()
    who = [endpoint.identity, endpoint.price_in, endpoint.price_out] if endpoint else []
    # What a measuring had embedded when it was stopped is stored, and no longer to be done: count anew.
    return key_of(plan.key, str(ran), *map(str, who), *progress.stops(MEASURING))


def estimated(plan: Plan, ran: int) -> Workload:
    """The workload of a plan, worked out once until something ran. Raises `Stopped`, and what loading a model raises."""
    key = _key(plan, ran)
    known: tuple[str, Workload] | None = st.session_state.get(f"{PREFIX}.workload")
    if known is None or known[0] != key:
        then = "Nothing can be run before it is done; “Start again” counts from the beginning."
        with progress.bar("Counting what it takes", f"{PREFIX}.count.{key}", then) as bar, endpoints.in_use():
            made = workload(
                plan.documents,
                plan.asked.questions,
                plan.recipes,
                plan.shared,
                tell=lambda done, total: bar.show(done / total, f"recipe {done} of {total}"),
            )
        known = st.session_state[f"{PREFIX}.workload"] = (key, made)
    return known[1]


class Awaited(NamedTuple):
    """What is left to do.

    wait    : how long embedding it will take, by a sample, whose embedding is a part of the work and done then, or by
              earlier runs; None where it cannot be told
    source  : how that is known, in words
    stopped : the models whose measuring was stopped
    """

    work: Workload
    wait: Wait | None
    source: str
    stopped: tuple[str, ...] = ()


def wait_for(plan: Plan, ran: int) -> Awaited:
    """What a run will take. Raises `Stopped` where counting was stopped, and what loading a model raises."""
    work = estimated(plan, ran)
    stopped: list[str] = []
    paces: dict[str, Pace | None] = st.session_state.setdefault(f"{PREFIX}.paces", {})
    for part in work.parts:
        if paces.get(part.model) is None and measurable(part):
            if progress.stopped(MEASURING + part.model):
                stopped.append(part.model)
                continue  # who stops the measuring does without it
            paces[part.model] = _measured(part)
            work = after(work, part)
            st.session_state[f"{PREFIX}.workload"] = (_key(plan, ran), work)
    known = [paces.get(part.model) for part in work.parts]
    sources = dict.fromkeys(pace.source for pace in known if pace is not None)
    return Awaited(work, waiting(work, paces), "; ".join(sources), tuple(stopped))


def after_stop(models: Sequence[str]) -> None:
    """What was stopped while measuring with these models, what of it is kept, and the way back."""
    for model in models:
        with st.container(horizontal=True, vertical_alignment="center"):
            cards.notice(
                "info",
                f"Measuring how fast this machine embeds with {model} was stopped, so nobody knows yet how long a run takes; "
                "it can be started all the same. The vectors made until then are stored, and are not made again. “Start "
                "again” measures with the texts that are left.",
            )
            progress.start_again(MEASURING + model)


def _measured(part: Part) -> Pace | None:
    with progress.bar("Measuring how fast this machine embeds", MEASURING + part.model) as bar:
        return measured(part, tell=lambda done, total: bar.show(done / total, part.model))


def known_when(plan: Plan, work: Workload) -> str:
    """When the chunks of the recipes are known that cannot be counted before, in words."""
    models = {registry.strategy(plan.recipes[at]["strategy"]).tags.needs_model for at in work.unknown}
    words = {False: "when their sentences are compared", True: "when the language model has answered"}
    return " or ".join(words[asks] for asks in sorted(models))


def asking(asked: Asking) -> str:
    """What a run asks of a language model, in words."""
    titles = " and ".join(f"“{registry.strategy(i).title}”" for i in asked.strategies)
    left, host = asked.estimate, asked.endpoint.host
    ask = "asks" if len(asked.strategies) == 1 else "ask"
    if not left.questions:
        return f"Every answer that {titles} would {ask.removesuffix('s')} {host} for is stored already: nothing is sent to it."
    cost = f", about {left.cost:.4f} by its prices" if left.cost is not None else "; what that costs is not known here"
    return (
        f"{titles} {ask} the language model at {host}: {format.plural(left.questions, 'question')}, about "
        f"{left.tokens_in:,} tokens to read and {left.tokens_out:,} to write{cost}. The text of the documents is sent to "
        "it when you press Run, and nothing before."
    )


def remember_pace(tokens: int, made: Evaluation, *, complete: bool) -> None:
    """Keep how fast a whole run was: it tells more than a sample. Runs with several models tell nothing of one."""
    cost = made.embedding
    if not (complete and tokens and cost.fresh >= 100 and cost.seconds > 1 and len(made.models) == 1):
        return
    rates: dict[str, list[float]] = st.session_state.setdefault(f"{PREFIX}.rates", {})
    own = rates[made.models[0]] = [*rates.get(made.models[0], []), tokens / cost.seconds][-RUNS_KEPT:]
    paces: dict[str, Pace | None] = st.session_state.setdefault(f"{PREFIX}.paces", {})
    sample = paces.get(made.models[0])
    if len(own) == 1 and sample is not None:
        # One run is no range: what the sample said still counts.
        own = [*own, sample.slowest, sample.fastest]
    words = f"by {format.plural(min(len(rates[made.models[0]]), RUNS_KEPT), 'run')} before this one on this machine"
    paces[made.models[0]] = Pace.of(own, words)
