"""The guided demo on the page: one step at a time, each a link, with the real viewer and real figures."""

from __future__ import annotations

from functools import partial
from html import escape
from typing import Final

import streamlit as st

from chunkviz import format, registry, samples
from chunkviz.chunking import Chunking
from chunkviz.errors import ChunkvizError, Stopped
from chunkviz.evaluate import Step as Progress
from chunkviz.evaluation import Evaluation
from chunkviz.graphemes import graphemes
from chunkviz.grid import label, spelled
from chunkviz.lessons.claims import Scene
from chunkviz.lessons.measured import Measured, measure
from chunkviz.lessons.story import STEPS, Step, step_number
from chunkviz.lessons.subject import Asked
from chunkviz.lessons.ways import SHORTEST, Setting, tokens
from chunkviz.metrics.base import Finding
from chunkviz.report import Report
from chunkviz.retrieval.options import RetrievalOptions
from chunkviz.ui import cache, cards, diagrams, frame, learning, presenting, progress, small_charts, state, swapping
from chunkviz.ui.cache_keys import key_of
from chunkviz.ui.controls import store
from chunkviz.ui.viewer import viewer
from chunkviz.units import DEFAULT_UNIT
from chunkviz.view_records import Focus

_STEP: Final = "demo.step"
_VIEWER: Final = "demo.viewer"


def page() -> None:
    st.html(cards.STYLE + diagrams.style(st.context.theme.type) + learning.STYLE + presenting.STYLE)
    shown = frame.shown()
    frame.linked("demo")
    number = step_number(st.query_params.get("step") or store().get(_STEP))
    step = STEPS[number - 1]
    store()[_STEP] = str(number)
    alone = st.query_params.get("notes") == "1"
    link = {"unit": shown.unit, **({"doc": shown.source.id} if shown.source.sample else {})}
    whole_link = {"step": str(number), **link, **({"notes": "1"} if alone else {})}
    if dict(st.query_params) != whole_link:
        st.query_params.from_dict(whole_link)
    steering(number, alone)
    if alone:
        presenting.notes_alone(step, number)
        return
    with st.container():
        presenting.fold(step, number, link)
    heading = st.container()
    document = frame.document(shown, "demo")
    if document is None:
        return
    if not document.text.strip():
        cards.notice(
            "info", "This document has no text to cut. Choose another one on the left, or go back to a sample."
        )
        st.button("Tell it with the API manual", icon=":material/undo:", key="demo.sample", on_click=to_sample)
        return
    if len(document.text) < 8 * SHORTEST and tokens(document) < SHORTEST:
        cards.notice(
            "info",
            f"This text is only {format.plural(tokens(document), 'token')} long (pieces of words): there is nothing to cut. "
            f"Open one of {SHORTEST} or more on the left, or go back to a sample.",
        )
        st.button("Tell it with the API manual", icon=":material/undo:", key="demo.sample", on_click=to_sample)
        return
    sample_id = shown.source.id if shown.source.sample else ""
    asked = swapping.subject(document, sample_id)
    title, story = step.words(asked)
    with heading:
        st.html(f'<h1 class="cv-title" aria-live="polite">{escape(title)}</h1><p class="lv-mine">{escape(story)}</p>')
    told = st.container()
    with told:
        tell(asked, step, partial(swapping.take, asked, document, _VIEWER))
    swapping.form(document, asked, sample_id)


def to_sample() -> None:
    """Back to the document that the story was written for, before the page runs again."""
    st.session_state["document"] = samples.samples()[0].id


def go(number: int) -> None:
    """To another step, before the page runs again."""
    st.query_params["step"] = store()[_STEP] = str(number)


def steering(number: int, alone: bool) -> None:
    """Back, next, and where one is: at the top, so that the buttons never move.

    alone : in the window with the notes
    """
    with st.container(horizontal=True, vertical_alignment="center", key="demo-steering"):
        for title, to, key in (("Back", number - 1, "Left"), ("Next", number + 1, "Right")):
            st.button(
                title,
                icon=f":material/arrow_{'back' if key == 'Left' else 'forward'}:",
                key=f"demo.{title.lower()}",
                disabled=not 1 <= to <= len(STEPS),
                shortcut=key,
                on_click=go,
                args=(to,),
            )
        st.html(f'<p class="cv-lead" data-testid="demo-step">Step {number} of {len(STEPS)}</p>')
        if not alone:
            # A button and not a switch: while a switch has the focus, Streamlit listens to no arrow key.
            st.button(
                "Notes",
                key="demo.notes",
                icon=":material/sticky_note_2:",
                shortcut="N",
                help="What the presenter says at this step. Press it again to put them away.",
                on_click=presenting.toggle,
            )
        presenting.listening(number, "notes" if alone else "stage", go)
        if not alone:
            presenting.keys()


def measured(asked: Asked, settings: tuple[Setting, ...]) -> tuple[Evaluation, dict[Setting, Measured]] | None:
    """The questions asked under some settings, with a bar and a stop button where that takes time; None without questions."""
    if not asked.questions or not settings:
        return None
    key = key_of("demo", asked.document.fingerprint, repr(asked.questions), repr(settings))
    with progress.bar("Asking the questions", key) as bar:

        def tell_bar(step: Progress) -> None:
            share = (step.recipe + step.done / max(step.total, 1)) / step.recipes
            bar.show(share, f"{step.what}, {step.recipe + 1} of {step.recipes} ways to cut")

        return measure(asked, settings, progress=tell_bar)


def about(asked: Asked, step: Step) -> None:
    """What the story is about: a question, marked words, or what a cut goes through."""
    if asked.questions:
        others = len(asked.questions) - 1
        more = f" and {format.plural(others, 'other question')}" if others and step.look in ("ranks", "table") else ""
        said = f"“{escape(asked.questions[0].text)}”{more}"
    elif asked.place is not None:
        what = "The words you marked" if asked.word == "passage" else f"A {asked.word} that a cut goes through"
        said = f'<span class="lv-cap">{escape(what)}</span><br>“{escape(shortened(asked))}”'
    else:
        said = f"No cut after every {asked.ways.size:,} tokens goes through a sentence, a table or a code block here."
    part = ""
    if asked.part:
        part = (
            f'<p class="lv-note">It is a long document: the story is told with {len(asked.document.text):,} of its '
            f"{asked.whole:,} characters.</p>"
        )
    problem = f'<p class="lv-note" role="status">{escape(asked.problem)}</p>' if asked.problem else ""
    st.html(f'<p class="lv-ask">{said}</p>{part}{problem}')


def shortened(asked: Asked, most: int = 240) -> str:
    """The words the story is about, on one line, without the middle where they are many."""
    if asked.place is None:
        return ""
    text, (start, end) = asked.document.text, asked.place
    if end - start > most:
        whole = graphemes(asked.document)
        parts = [text[start : whole.floor(start + most // 2)], text[whole.ceil(end - most // 2) : end]]
    else:
        parts = [text[start:end]]
    return " … ".join(" ".join(part.split()) for part in parts)


def tell(asked: Asked, step: Step, on_picked: partial[None]) -> None:
    """The question, the claims with their figures, and what they are about."""
    with st.container():
        about(asked, step)
    place = st.empty()
    if not learning.seen("demo", step.id, asked.document.fingerprint, repr(asked.questions)):
        place.html('<div class="lv-claims" role="status"><p class="lv-big">Working it out …</p></div>')
    wanted = step.columns(asked.ways)
    if step.look == "table" and not asked.questions:
        wanted = tuple(s for s in step.measures(asked.ways) if not s.reranked)
    try:
        with st.container():
            found = measured(asked, step.measures(asked.ways))
            cuts = [(s, cache.chunking(asked.document, s.strategy, s.values, DEFAULT_UNIT)) for s in wanted]
    except Stopped as stopped:
        cards.notice("info", str(stopped))
        return
    except ChunkvizError as error:
        cards.notice("error", str(error))
        return
    evaluation, by_setting = found if found else (None, {})
    scene = Scene(asked, [(s, made, cache.report_of(made)) for s, made in cuts], by_setting, evaluation)
    claims = step.claims(scene)
    rest = "".join(f"<p>{escape(c)}</p>" for c in claims[1:])
    place.html(
        f'<div class="lv-claims" role="status" data-testid="claims"><p class="lv-big">{escape(claims[0])}</p>{rest}</div>'
    )
    with st.container():
        picture(step, scene)
    if step.look in ("text", "sizes", "curve"):
        columns_of(scene, step, on_picked)
    further(step)
    shown = [state.Column(s.strategy, s.values) for s in step.columns(asked.ways)]
    learning.open_in_compare("Open these columns in Compare", "demo.compare", shown, DEFAULT_UNIT)


def picture(step: Step, scene: Scene) -> None:
    """What stands between the claims and the text."""
    theme = st.context.theme.type
    if step.look == "curve":
        made = scene.cuts[-1][1]
        if made.curve is not None:
            st.html(diagrams.curve(made.curve, [c.start for c in made.chunks], len(made.document.text), theme))
    elif step.look == "sizes" and scene.measured:
        rows = []
        for one, _, _ in scene.cuts:
            m = scene.measured[one]
            rows.append((f"{one.values['size']:,} tokens", m.first / m.asked, f"{m.first} of {m.asked}"))
        st.html(f'<p class="lv-cap">Questions whose first passage is a right one</p>{small_charts.bars(rows, 1.0)}')
    elif step.look == "ranks" and scene.measured:
        found = scene.measured[scene.asked.ways.reranked].ranks()
        st.html(small_charts.ranks(found, "Place of the right passage before", "and after the second look", theme))
    elif step.look == "table":
        st.html(measured_table(scene) if scene.measured else counted_table(scene))


def further(step: Step) -> None:
    """The screen on which the step goes on."""
    with st.container():
        if step.look == "curve":
            st.page_link(
                "pages/tune.py", label="Drag the line yourself on the Tune screen", icon=":material/show_chart:"
            )
        elif step.look == "ranks":
            st.page_link("pages/ask.py", label="Ask your own question on the Ask screen", icon=":material/search:")
        elif step.look == "table":
            st.page_link(
                "pages/evaluate.py", label="Measure it on yours on the Evaluate screen", icon=":material/analytics:"
            )


CUT: Final = ("Cut", "How it was cut: strategy, size, overlap, and whether a reranker looks again")
HEAD: Final = (
    CUT,
    ("Answers cut", "Answers that no chunk holds whole. Fewer is better"),
    ("First", "Questions for which the first passage holds a part of the answer. More is better"),
    ("Among five", "Questions for which one of the first five passages does. More is better"),
    ("Tokens read", "Tokens of five passages, mean over the questions: what an answer costs. Fewer is cheaper"),
)
COUNTED: Final = ("chunks", "cut.sentences", "cut.tables", "overhead", "unread")
"""Figures of the table that needs no question, as the report calls them."""


def measured_table(scene: Scene) -> str:
    """What the questions got back under every setting, as HTML."""
    rows = []
    for m in scene.measured.values():
        counts = (f"{n} of {m.asked}" for n in (m.cut, m.first, m.among_five))
        rows.append((label(m.by_depth[1]), *counts, format.number(round(m.read))))
    return small_charts.table(HEAD, rows)


def counted_table(scene: Scene) -> str:
    """What can be counted without a question, as HTML."""
    rows = []
    for one, _, report in scene.cuts:
        rows.append((spelled(one.recipe(), RetrievalOptions()), *(format.figure(report[i]) for i in COUNTED)))
    metrics = [scene.cuts[0][2][i].metric for i in COUNTED]
    return small_charts.table([CUT, *((m.title, m.help) for m in metrics)], rows)


def columns_of(scene: Scene, step: Step, on_picked: partial[None]) -> None:
    """The real viewer, scrolled to the answer."""
    gold = scene.asked.gold
    told = f"demo {step.id} {gold} {scene.asked.document.fingerprint[:12]}"
    focus = Focus(0, told)
    if gold is not None and step.focus == "answer":
        focus = Focus(len(scene.cuts) - 1, told, start=gold.start, end=gold.end)
    viewer(
        scene.asked.document,
        [made for _, made, _ in scene.cuts],
        key=_VIEWER,
        titles=[registry.strategy(s.strategy).title for s, _, _ in scene.cuts],
        findings=[_places(made, report, scene.asked) for _, made, report in scene.cuts],
        focus=focus,
        on_picked=on_picked if st.session_state.get("demo.picking") else None,
        height=430,
        blob=cache.blob_of(scene.asked.document),
    )


def _places(made: Chunking, report: Report, asked: Asked) -> dict[str, tuple[Finding, ...]]:
    """What the viewer can jump to: what has to stay whole first, then what is behind the figures."""
    gold = asked.gold
    if gold is None:
        return cards.findings(report)
    chunk = next((c.index for c in made.chunks if gold.start < c.end), 0)
    place = Finding(gold.start, gold.end, chunk, made.document.text[gold.start : gold.end][:80])
    return {asked.it.capitalize(): (place,), **cards.findings(report)}
