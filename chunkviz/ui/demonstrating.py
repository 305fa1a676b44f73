"""The guided demo on the page: one step at a time, each a link, with the real viewer and real figures."""

from __future__ import annotations

from html import escape
from typing import Final

import streamlit as st

from chunkviz import format, registry
from chunkviz.chunking import Chunking
from chunkviz.document import Document
from chunkviz.errors import ChunkvizError, Stopped
from chunkviz.evaluate import Step as Progress
from chunkviz.evaluation import Evaluation
from chunkviz.grid import label
from chunkviz.lessons.measured import Asked, Measured, Setting, asked_by_reader, asked_of_sample, measure
from chunkviz.lessons.story import STEPS, Scene, Step, step_number
from chunkviz.metrics.base import Finding
from chunkviz.report import Report
from chunkviz.segments import Focus
from chunkviz.ui import cache, cards, diagrams, frame, learning, progress, state
from chunkviz.ui.cache_keys import key_of
from chunkviz.ui.controls import store
from chunkviz.ui.viewer import viewer
from chunkviz.units import DEFAULT_UNIT

SAMPLE: Final = "api_manual"
_STEP: Final = "demo.step"


def page() -> None:
    st.html(cards.STYLE + diagrams.style(st.context.theme.type) + learning.STYLE)
    shown = frame.shown()
    frame.linked("demo")
    number = step_number(st.query_params.get("step") or store().get(_STEP))
    step = STEPS[number - 1]
    store()[_STEP] = str(number)
    link = {"step": str(number), "unit": shown.unit, **({"doc": shown.source.id} if shown.source.sample else {})}
    if dict(st.query_params) != link:
        st.query_params.from_dict(link)
    steering(number, step)
    document = frame.document(shown, "demo")
    if document is None:
        return
    if not document.text.strip():
        cards.notice("info", "This document has no text to cut. Choose another one on the left.")
        return
    asked = questions(document, shown.source.id if shown.source.sample else "")
    told = st.container()
    with told:
        tell(asked, step, number)
    own_question(asked)


def go(number: int) -> None:
    """To another step, before the page runs again."""
    st.query_params["step"] = store()[_STEP] = str(number)


def steering(number: int, step: Step) -> None:
    """Back, next, and where one is: at the top, so that the buttons never move."""
    with st.container(horizontal=True, vertical_alignment="center", key="demo-steering"):
        st.button(
            "Back",
            icon=":material/arrow_back:",
            key="demo.back",
            disabled=number == 1,
            shortcut="Left",
            on_click=go,
            args=(number - 1,),
        )
        st.button(
            "Next",
            icon=":material/arrow_forward:",
            key="demo.next",
            disabled=number == len(STEPS),
            shortcut="Right",
            on_click=go,
            args=(number + 1,),
        )
        notes = bool(store().get("demo.notes"))
        # A button and not a switch: while a switch has the focus, Streamlit listens to no arrow key.
        st.button(
            "Hide presenter notes" if notes else "Presenter notes",
            key="demo.notes",
            icon=":material/sticky_note_2:",
            shortcut="S",
            on_click=lambda: store().update({"demo.notes": not notes}),
        )
        st.html(f'<p class="cv-lead" data-testid="demo-step">Step {number} of {len(STEPS)}. Keys: ← and →</p>')
    with st.container():
        if notes:
            cards.notice(
                "info",
                f"{step.notes}\n\nFull screen: F11 (on a Mac: control, command and F). The bar on the left closes with «.",
            )
    st.html(
        f'<h1 class="cv-title" aria-live="polite">{escape(step.title)}</h1><p class="lv-mine">{escape(step.story)}</p>'
    )


def questions(document: Document, sample_id: str) -> Asked:
    """What is asked: a question of the reader's own, else those of the sample."""
    question, answer = store().get("demo.question", ""), store().get("demo.answer", "")
    if question.strip() and answer.strip():
        asked = asked_by_reader(document, question, answer)
        if asked.questions or not sample_id:
            return asked
    if not sample_id:
        return Asked(document)
    return document.derive("lessons.asked", lambda: asked_of_sample(sample_id, document))


def own_question(asked: Asked) -> None:
    """Another document and another question can be swapped in."""
    with st.expander("Tell it with a document and a question of your own", icon=":material/swap_horiz:"):
        cards.plain(
            "Open a document on the left. Then type a question, and copy the words of the document that answer it. All "
            "steps are then about your question."
        )
        for name, title in (("question", "Question"), ("answer", "The words that answer it")):
            key = f"demo.{name}"
            if key not in st.session_state:
                st.session_state[key] = store().get(key, "")
            st.text_area(
                title, key=key, height=68, on_change=lambda key=key: store().update({key: st.session_state[key]})
            )
        if asked.problem:
            cards.notice("warning", asked.problem)
        st.button(
            "Back to the sample and its question", key="demo.sample", icon=":material/undo:", on_click=back_to_sample
        )


def back_to_sample() -> None:
    """The story as it was written, before the page runs again."""
    st.session_state["document"] = SAMPLE
    for key in ("demo.question", "demo.answer"):
        st.session_state[key] = store()[key] = ""


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


def tell(asked: Asked, step: Step, number: int) -> None:
    """The question, the claims with their figures, and what they are about."""
    with st.container():
        if asked.questions:
            others = len(asked.questions) - 1
            more = (
                f" and {format.plural(others, 'other question')}" if others and step.look in ("ranks", "table") else ""
            )
            st.html(f'<p class="lv-ask">“{escape(asked.questions[0].text)}”{more}</p>')
    place = st.empty()
    if not learning.seen("demo", step.id, asked.document.fingerprint, repr(asked.questions)):
        place.html('<div class="lv-claims" role="status"><p class="lv-big">Working it out …</p></div>')
    try:
        with st.container():
            found = measured(asked, step.measures)
            cuts = [(s, cache.chunking(asked.document, s.strategy, s.values, DEFAULT_UNIT)) for s in step.columns]
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
        columns_of(scene, step, number)
    further(step)
    shown = [state.Column(s.strategy, s.values) for s in step.columns]
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
        st.html(f'<p class="lv-cap">Questions whose first passage is a right one</p>{diagrams.bars(rows, 1.0)}')
    elif step.look == "ranks" and scene.measured:
        st.html(
            diagrams.ranks(
                scene.measured[step.measures[-1]].ranks(),
                "Place of the right passage before",
                "and after the second look",
                theme,
            )
        )
    elif step.look == "table" and scene.evaluation is not None:
        results_table(scene)


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


HEAD: Final = (
    ("Cut", "Strategy, size, overlap, and whether a reranker looks again"),
    ("Answers cut", "Answers that no chunk holds whole. Fewer is better"),
    ("First", "Questions for which the first passage holds a part of the answer. More is better"),
    ("Among five", "Questions for which one of the first five passages does. More is better"),
    ("Tokens read", "Tokens of five passages, mean over the questions: what an answer costs. Fewer is cheaper"),
)


def results_table(scene: Scene) -> None:
    rows = []
    for m in scene.measured.values():
        counts = (f"{n} of {m.asked}" for n in (m.cut, m.first, m.among_five))
        rows.append((label(m.by_depth[1]), *counts, format.number(round(m.read))))
    st.html(diagrams.table(HEAD, rows))


def columns_of(scene: Scene, step: Step, number: int) -> None:
    """The real viewer, scrolled to the answer."""
    gold = scene.asked.gold
    focus = Focus(0, f"demo {step.id} {scene.asked.document.fingerprint[:12]}", chunk=0)
    if gold is not None and step.focus == "answer":
        nonce = f"demo {step.id} {gold} {scene.asked.document.fingerprint[:12]}"
        focus = Focus(len(scene.cuts) - 1, nonce, start=gold.start, end=gold.end)
    viewer(
        scene.asked.document,
        [made for _, made, _ in scene.cuts],
        key="demo.viewer",
        titles=[registry.strategy(s.strategy).title for s, _, _ in scene.cuts],
        findings=[_places(made, report, scene) for _, made, report in scene.cuts],
        audits=[cards.audit(report, "tokens") for _, _, report in scene.cuts],
        focus=focus,
        height=430,
        blob=cache.blob_of(scene.asked.document),
    )


def _places(made: Chunking, report: Report, scene: Scene) -> dict[str, tuple[Finding, ...]]:
    """What the viewer can jump to: the answer first, then what is behind the figures."""
    gold = scene.asked.gold
    if gold is None:
        return cards.findings(report)
    chunk = next((c.index for c in made.chunks if gold.start < c.end), 0)
    text = made.document.text[gold.start : gold.end]
    return {"The answer": (Finding(gold.start, gold.end, chunk, text[:80]),), **cards.findings(report)}
