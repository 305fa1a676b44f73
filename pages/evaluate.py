"""Evaluate: which recipe finds the answers, measured on questions, with intervals and the text behind every figure."""

from __future__ import annotations

from functools import partial
from html import escape

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from chunkviz import advice, format
from chunkviz.errors import ChunkvizError, Stopped
from chunkviz.runs import Scope, default_runs
from chunkviz.ui import (
    answer_text,
    answering,
    cards,
    endpoints,
    estimating,
    evaluating,
    frame,
    models,
    results,
    stored_runs,
)
from chunkviz.ui.answer_job import AnswerJob
from chunkviz.ui.background import was_stopped
from chunkviz.ui.evaluating import Plan
from chunkviz.ui.evaluation_job import Job
from chunkviz.ui.progress import Bar
from chunkviz.ui.shown import Shown
from chunkviz.wait_words import between

JOB, SHOWN, REST = "evaluate.job", "evaluate.shown", "evaluate.rest"
RAN, DONE, FAILED = "evaluate.ran", "evaluate.done", "evaluate.failed"


def planned(shown: frame.Frame) -> tuple[Plan | None, Scope | None]:
    """The controls, and what they say; None, with the reason on the page, where nothing can be run."""
    found = evaluating.choose_documents(shown)
    if not found:
        cards.notice("info", "Choose at least one document.")
        return None, None
    place = st.container()
    grid, depths, rules, shared = evaluating.choose_grid(shown)
    with place:
        asked = evaluating.choose_questions(found)
    evaluating.remember(shown)
    scope = Scope.of(found, asked.questions)
    with st.container():
        if not asked.questions:
            cards.notice(
                "info", "There is no question about these documents yet. Bring a file, or make some on the Ask screen."
            )
            return None, None
        try:
            made = grid.recipes()
        except ChunkvizError as error:
            cards.notice("info", str(error))
            return None, scope
        for words in made.left_out:
            cards.plain(words)
        if missing := evaluating.missing(shared):
            cards.notice("warning", missing)
            return None, scope
        if not depths:
            cards.notice("info", "Choose how many passages are taken (k).")
            return None, scope
    return Plan(found, asked, made.recipes, depths, rules, shared), scope


def estimate(plan: Plan) -> list[int] | None:
    """What the plan takes, in words; the tokens of each recipe, None where it was stopped or cannot be cut."""
    # Bars and words have a place each: what is left of a longer run would stay in sight while a job is watched.
    bars, said = st.container(), st.container()
    # Emptied at once: what was stopped must not be said while it goes on again.
    after_stop = st.empty()
    with bars:
        try:
            work, wait, source, stopped = estimating.wait_for(plan, st.session_state.get(DONE, 0))
        except Stopped as ended:
            cards.notice("info", str(ended))
            return None
        except ChunkvizError as error:
            cards.notice("error", str(error))
            return None
    with said:
        words = (
            f"{format.plural(len(plan.documents), 'document')} × {format.plural(len(plan.asked.questions), 'question')} × "
            f"{format.plural(len(plan.recipes), 'recipe')}: {format.plural(work.chunks, 'chunk')}. "
        )
        if work.texts:
            waiting = "; how long that takes was not measured" if wait is None else f", {between(*wait)}: {source}"
            words += f"{format.plural(work.texts, 'text')} to embed ({work.tokens:,} tokens){waiting}."
        else:
            words += "Every vector is stored already: nothing has to be embedded."
        if work.unknown:
            count = format.plural(len(work.unknown), "recipe")
            words += f" The chunks of {count} are known only {estimating.known_when(plan, work)}."
        st.html(f'<p class="cv-lead" data-testid="estimate">{escape(words)}</p>')
        if work.asking:
            st.html(f'<p class="cv-lead" data-testid="asking">{escape(estimating.asking(work.asking))}</p>')
    if stopped:
        with after_stop.container():
            estimating.after_stop(stopped)
    return list(work.shares)


def start(job: Job | AnswerJob) -> None:
    job.start()
    st.session_state[JOB] = job
    st.session_state.pop(FAILED, None)


def next_key() -> str:
    """Of the next run."""
    st.session_state[RAN] = st.session_state.get(RAN, 0) + 1
    return f"evaluate.run.{st.session_state[RAN]}"


def buttons(plan: Plan | None, scope: Scope | None, shares: list[int] | None) -> None:
    """Run, go on with what was stopped, and what was stored."""
    job, rest, shown = (st.session_state.get(name) for name in (JOB, REST, SHOWN))
    with st.container(horizontal=True, vertical_alignment="center"):
        ready = plan is not None and shares is not None and job is None
        if st.button("Run", type="primary", icon=":material/play_arrow:", disabled=not ready, key="evaluate.run"):
            assert plan is not None  # the button is disabled without
            start(
                Job(
                    next_key(),
                    plan.documents,
                    plan.asked,
                    plan.recipes,
                    plan.depths,
                    plan.rules,
                    plan.shared,
                    shares or [],
                    embedders=dict(endpoints.embedders()),
                    endpoint=endpoints.current(),
                )
            )
            st.rerun()
        if isinstance(rest, Job) and isinstance(shown, Shown):
            left = len(rest.recipes) - len(shown.evaluation.results) // len(rest.depths)
            if st.button(
                f"Resume: {format.plural(left, 'recipe')} left",
                icon=":material/resume:",
                key="evaluate.resume",
                disabled=job is not None,
                help="The recipes that are done stay; what was embedded is stored, and is not embedded again.",
            ):
                start(rest.resumed(next_key(), shown.evaluation))
                st.rerun()
        if plan is not None and scope is not None:
            opened = stored_runs.choose(scope, plan.documents, shown)
            if opened is not None:
                st.session_state[SHOWN], st.session_state[REST] = opened, None


def take(job: Job, early: bool) -> None:
    """Take over what a job found: shown, and stored where it is complete."""
    del st.session_state[JOB]
    # Counted anew after a run, not when it begins: a second "Counting" then had a stop button that stopped no run.
    st.session_state[DONE] = st.session_state.get(DONE, 0) + 1
    try:
        made = job.end(early=early)
    except ChunkvizError as error:
        st.session_state[FAILED] = str(error)
        return
    estimating.remember_pace(sum(job.shares[job.finished :]), made, complete=not made.stopped)
    scope = Scope.of(job.documents, job.asked.questions)
    run_id = None if made.stopped else stored_runs.save(scope, made)
    st.session_state[SHOWN] = Shown(made, job.documents, scope, run_id=run_id)
    st.session_state[REST] = job if made.stopped else None


def go_on(place: DeltaGenerator) -> None:
    """Look after the job that is running, at the end of the page: all else is drawn and can be used."""
    job = st.session_state.get(JOB)
    if not isinstance(job, Job | AnswerJob):
        return
    early = was_stopped(job.key)
    with place:
        if early:
            with st.spinner("Stopping after what is under way …"):
                finish(job, early=True)
        else:
            bar = Bar("Evaluating" if isinstance(job, Job) else f"Asking {job.endpoint.host}", job.key)
            job.watch(bar)
            bar.clear()
            finish(job, early=False)
    st.rerun()


def finish(job: Job | AnswerJob, early: bool) -> None:
    if isinstance(job, Job):
        take(job, early)
    else:
        del st.session_state[JOB]
        answering.take(job, early)


def beginnings(plan: Plan) -> None:
    """What to begin with, by what each document looks like."""
    with st.expander("Where to begin, by what the documents look like", icon=":material/lightbulb:"):
        for name, document in plan.documents.items():
            found = document.derive("advice.before", partial(advice.before, document))
            params = ", ".join(f"{key} {value}" for key, value in found.params.items())
            cards.plain(f"{name}: {found.title}{f', {params}' if params else ''}. {' '.join(found.reasons)}")


def outcome(scope: Scope | None, plan: Plan | None) -> None:
    """The last run, or the newest stored one about the same documents and questions."""
    shown = st.session_state.get(SHOWN)
    if shown is None and plan is not None and scope is not None and JOB not in st.session_state:
        shown = st.session_state[SHOWN] = stored_runs.newest(scope, plan.documents)
    with st.container():
        if FAILED in st.session_state:
            cards.notice("error", st.session_state[FAILED])
        for notice in default_runs().notices:
            cards.notice("warning", notice)
    if not isinstance(shown, Shown):
        return
    st.html('<h2 class="cv-title">What was found</h2>')
    done = shown.evaluation
    with st.container():
        if done.stopped:
            cards.notice(
                "info",
                f"Stopped: {format.plural(len(done.results), 'result')} so far. What is said below is about those alone.",
            )
    cost = done.embedding
    st.html(
        f'<p class="cv-lead" data-testid="cost">{format.plural(cost.fresh, "text")} embedded, {cost.known:,} known already, '
        f"in {format.number(round(cost.seconds, 1))} seconds.</p>"
    )
    words = escape(stored_runs.about(shown))
    st.html(f'<p class="cv-lead" data-testid="run" data-made="{shown.made}">{words}</p>')
    found, advised = results.show(shown)
    if found and answering.section(shown, found, advised, busy=JOB in st.session_state):
        job = answering.job(shown, found, next_key())
        if job is not None:
            start(job)
            st.rerun()
    stored_runs.beside(shown)


def page() -> None:
    st.html(cards.STYLE + results.STYLE + answer_text.STYLE)
    shown = frame.shown()
    complaints = evaluating.follow_link()
    st.html('<h1 class="cv-title">Which cut finds the answers?</h1>')
    cards.plain(
        "Questions whose answers are known are asked of every recipe: a way to cut, with its sizes, and a way to search. "
        "What comes back is held against the words that answer. Change the grid, then run it."
    )
    with st.container():
        for complaint in complaints:
            cards.notice("warning", complaint)
    plan, scope = planned(shown)
    shares = estimate(plan) if plan is not None else None
    buttons(plan, scope, shares)
    place = st.container()
    if plan is not None:
        beginnings(plan)
    outcome(scope, plan)
    models.panel()
    go_on(place)


page()
