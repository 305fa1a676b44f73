"""What a run will take, before it is begun: counted once, measured once, and learnt from the runs before."""

from __future__ import annotations

from typing import Final

import streamlit as st

from chunkviz import format
from chunkviz.errors import Stopped
from chunkviz.evaluation import Evaluation
from chunkviz.ui import endpoints, progress
from chunkviz.ui.evaluating import PREFIX, Plan
from chunkviz.workload import Pace, Part, Wait, Workload, after, measurable, measured, waiting, workload

RUNS_KEPT: Final = 5
"""The newest runs of a session tell how fast the next one will be."""


def _key(plan: Plan, ran: int) -> str:
    return f"{plan.key}.{ran}"


def estimated(plan: Plan, ran: int) -> Workload:
    """The workload of a plan, worked out once until something ran. Raises `Stopped`, and what loading a model raises."""
    key = _key(plan, ran)
    known: tuple[str, Workload] | None = st.session_state.get(f"{PREFIX}.workload")
    if known is None or known[0] != key:
        with progress.bar("Counting what it takes", f"{PREFIX}.count.{key}") as bar, endpoints.in_use():
            made = workload(
                plan.documents,
                plan.asked.questions,
                plan.recipes,
                plan.shared,
                tell=lambda done, total: bar.show(done / total, f"recipe {done} of {total}"),
            )
        known = st.session_state[f"{PREFIX}.workload"] = (key, made)
    return known[1]


def wait_for(plan: Plan, ran: int) -> tuple[Workload, Wait | None, str]:
    """What is left to do, how long embedding it will take, and in words how that is known.

    By a sample, whose embedding is a part of the work and done then, or by earlier runs. None where it cannot be told.
    Raises `Stopped` where counting was stopped, and what loading a model raises.
    """
    work = estimated(plan, ran)
    paces: dict[str, Pace | None] = st.session_state.setdefault(f"{PREFIX}.paces", {})
    for part in work.parts:
        if paces.get(part.model) is None and measurable(part):
            try:
                paces[part.model] = _measured(part)
            except Stopped:
                continue  # who stops the measuring does without it
            work = after(work, part)
            st.session_state[f"{PREFIX}.workload"] = (_key(plan, ran), work)
    known = [paces.get(part.model) for part in work.parts]
    sources = dict.fromkeys(pace.source for pace in known if pace is not None)
    return work, waiting(work, paces), "; ".join(sources)


def _measured(part: Part) -> Pace | None:
    with progress.bar("Measuring how fast this machine embeds", f"{PREFIX}.measure.{part.model}") as bar:
        return measured(part, tell=lambda done, total: bar.show(done / total, part.model))


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
