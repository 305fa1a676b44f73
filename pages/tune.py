"""Tune: how alike neighbouring sentences are, and a threshold that is dragged while the text is cut again."""

from __future__ import annotations

from typing import Any, Final

import streamlit as st

from chunkviz import embed, format, reference, registry
from chunkviz.chunking import Chunking
from chunkviz.document import Document
from chunkviz.errors import ChunkvizError, Stopped
from chunkviz.metrics import agreement
from chunkviz.params import Float
from chunkviz.similarity import KINDS
from chunkviz.ui import cache, cards, columns, controls, embedding, exporting, frame, models, pinning, state
from chunkviz.ui.viewer import dragged, viewer

KEY: Final = "tune"
TURNING: Final = ("semantic", "semantic_structure")
DEFAULT: Final = state.Column("semantic")


# Beside each other where there is room for the longest words, else below each other.
STYLE: Final = """<style>
.st-key-tune-choices [data-testid="stHorizontalBlock"],.st-key-tune-sliders [data-testid="stHorizontalBlock"]{
  flex-wrap:wrap;row-gap:.4rem}
.st-key-tune-choices [data-testid="stColumn"]{min-width:min(100%,21rem)}
.st-key-tune-sliders [data-testid="stColumn"]{min-width:min(100%,12.5rem)}
</style>"""


def moved() -> None:
    """The threshold was dragged: its slider, and all that follows from it, is set to where it was let go."""
    said = dragged(KEY)
    chosen = controls.store().get(f"{KEY}.strategy", DEFAULT.strategy)
    names = {kind.param for kind in KINDS.values()}
    if said is None or said[0] not in names:
        return
    rule = next(p.rule for p in registry.strategy(chosen).params if p.name == said[0])
    if isinstance(rule, Float):
        value = min(max(said[1], rule.low), rule.high)
        st.session_state[f"{KEY}.{chosen}.{said[0]}"] = controls.store()[f"{KEY}.{chosen}.{said[0]}"] = value


def settings(word: str) -> None:
    """The controls: which kind of threshold, where it stands, and the sizes to keep."""
    chosen = st.session_state[f"{KEY}.strategy"]
    params = {p.name: p for p in registry.strategy(chosen).params}
    values: dict[str, Any] = {}

    def draw(name: str) -> None:
        values[name] = controls.control(params[name], f"{KEY}.{chosen}.{name}", values, word)

    with st.container(key="tune-choices"):
        left, right = st.columns(2, gap="medium", vertical_alignment="bottom")
    with left:
        columns.choose(KEY, TURNING, "Strategy")
    with right:
        draw("kind")
    with st.container(key="tune-sliders"):
        boxes = st.columns(4, gap="medium", vertical_alignment="bottom")
    for box, name in zip(boxes, (KINDS[values["kind"]].param, "window", "size", "smallest"), strict=True):
        with box:
            draw(name)
    with controls.popover("Model, and what this does", key="tune.more", icon=":material/tune:"):
        for name, param in params.items():
            if name not in values and param.active(values):
                draw(name)
        cards.plain(f"{registry.strategy(chosen).how}")
        cards.plain(f"Watch out: {registry.strategy(chosen).watch_out}")


def reference_of(document: Document) -> reference.Reference | None:
    """The boundaries that someone marked by hand, for samples that have them."""
    source = frame.shown().source
    if not source.sample:
        return None
    return document.derive("reference", lambda: reference.of_sample(source.id, document))


def agreements(made: list[Chunking]) -> None:
    """How well each column agrees with the boundaries marked by hand."""
    truth = reference_of(made[0].document)
    if truth is None:
        return
    st.header("Does it find the topics?", anchor=False)
    cards.plain(
        f"Someone read this sample and marked where {len(truth.positions)} new topics begin: the small triangles above "
        "the curve. A cut counts as right when it is at most one sentence away."
    )
    rows = []
    for at, (title, chunking) in enumerate(zip(pinning.titles(made), made, strict=True)):
        score = agreement.agreement(chunking, truth)
        rows.append(
            {
                "Column": f"{at + 1}: {title}",
                "Found (recall)": format.number(score.recall.value, "share"),
                "Right (precision)": format.number(score.precision.value, "share"),
                "Both (F1)": format.number(score.f1.value, "share"),
                "Pk": format.number(score.pk.value, "share"),
                "WindowDiff": format.number(score.window_diff.value, "share"),
            }
        )
    st.table(rows)
    cards.plain(
        "Pk and WindowDiff are error rates: the share of pairs of sentences, half a mean topic apart, that are wrongly "
        "parted or joined, and for which the number of boundaries between them is wrong (Beeferman et al. 1999; "
        "Pevzner and Hearst 2002). Lower is better."
    )


def page() -> None:
    st.html(cards.STYLE + STYLE)
    shown = frame.shown()
    st.session_state["cut.screen"] = "tune"  # where Export begins
    asked = frame.linked(KEY)
    if asked is not None:
        turning = [c for c in asked.columns if c.strategy in TURNING]
        columns.seed(KEY, turning[0] if turning else DEFAULT)
        pinning.pins().extend(c for c in asked.columns if turning and c is not turning[0])
    st.html('<h1 class="cv-title">Where does the text change its subject?</h1>')
    cards.plain(
        "The curve shows how alike the text is before and after each place between two sentences: each is a turn, and the "
        "lower the curve there, the sharper. Where it dips, the subject changes. Drag the red line: every dip that "
        "reaches its shaded side is a cut."
    )
    document = frame.document(shown, KEY)
    if document is None:
        return
    if not document.text.strip():
        cards.notice("info", "This document has no text to cut.")
        frame.extraction(document)
        return
    column = columns.settled(KEY, TURNING, DEFAULT)
    frame.remember(shown, [column, *pinning.pins()])
    settings(shown.word)
    place = st.container()
    with place:
        tuned(document, column, shown)
    models.panel()
    frame.extraction(document)


def tuned(document: Document, column: state.Column, shown: frame.Frame) -> None:
    """The curve and the columns, and what they say."""
    model = column.params.get("model", embed.DEFAULT)
    try:
        with st.container():
            curve = embedding.GrowingCurve()
            vectors = embedding.embedded(document, model, curve)
            curve.clear()
        made = [cache.chunking(document, c.strategy, c.params, shown.unit) for c in (column, *pinning.pins())]
    except Stopped as stopped:
        cards.notice("info", str(stopped))
        return
    except ChunkvizError as error:
        cards.notice("error", str(error))
        return
    if made[0].curve is None or made[0].curve.turns is None:
        cards.notice("info", "This document has no sentence to compare.")
        return
    reports = [cache.report_of(c) for c in made]
    viewer(
        document,
        made,
        key=KEY,
        titles=pinning.titles(made),
        subtitles=pinning.subtitles(made),
        findings=[cards.findings(r) for r in reports],
        live=exporting.live_of(made[0], shown.source.id if shown.source.sample else ""),
        on_threshold=moved,
        blob=cache.blob_of(document),
    )
    pinning.buttons(made[0], column, shown.unit)
    cards.plain(
        f"When this document was opened, {vectors.fresh:,} sentences were embedded and {vectors.known:,} were known "
        f"already ({model}, {vectors.settings})."
    )
    with st.container():
        for at, chunking in enumerate(made):
            for note in chunking.notes:
                cards.notice("info", f"Column {at + 1}: {note}")
    agreements(made)


page()
