"""The cards of the Learn screen: each registered strategy on the reader's own text, with its figures and its failure.

Everything that is said about a strategy comes from its declaration, and every number from a report. A strategy that is
registered tomorrow gets its card with no change here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from chunkviz import format, registry
from chunkviz.chunking import Chunking
from chunkviz.document import Document
from chunkviz.errors import ChunkvizError
from chunkviz.lessons import late
from chunkviz.lessons.examples import HAND_MADE, HandMade, example, spans_of
from chunkviz.lessons.excerpt import excerpt, scaled, unsuited
from chunkviz.lessons.failures import FAILURES, Failure
from chunkviz.report import Figure, Report
from chunkviz.similarity.cutting import sentence_texts
from chunkviz.spec import Strategy
from chunkviz.ui import cache, columns, diagrams, endpoints, small_charts, state
from chunkviz.ui.controls import store
from chunkviz.ui.diagrams import Shown

MOST_SENTENCES: Final = 1500
"""Of a document that is embedded without being asked: a minute on a slow machine. For longer ones the card says so."""

STYLE: Final = """<style>
.st-key-learn-cards{display:grid!important;grid-template-columns:repeat(auto-fit,minmax(min(27rem,100%),1fr));
  align-items:start;gap:1rem!important}
.st-key-guide-asked{display:grid!important;grid-template-columns:repeat(auto-fit,minmax(min(15rem,100%),1fr));
  align-items:end}
.lv-h{font-size:1.1rem;font-weight:700;margin:0;line-height:1.3}.lv-one{margin:.1rem 0 .3rem;opacity:.9}
.lv-mine{margin:.45rem 0 .2rem;line-height:1.55}
.lv-note{font-size:.82rem;color:var(--lv-faint);margin:.15rem 0;border-left:3px solid var(--lv-line);padding-left:.5rem}
.lv-more{margin:.35rem 0;border-top:1px solid var(--lv-line);padding-top:.35rem}
.lv-more summary{cursor:pointer;font-weight:600}.lv-more p{margin:.3rem 0}
.lv-big{font-size:1.3rem;font-weight:700;line-height:1.35;margin:.2rem 0}
.lv-ask{font-size:1.1rem;border:1px solid var(--lv-line);border-radius:.6rem;padding:.5rem .9rem;margin:.2rem 0;
  overflow-wrap:anywhere}
.lv-claims{margin:.2rem 0 .2rem;padding:.6rem .9rem;border-radius:.5rem;border-left:4px solid var(--lv-low);min-height:6.6rem;
  background:color-mix(in srgb,var(--lv-low) 9%,transparent)}
.lv-claims p{margin:.15rem 0}
</style>"""


def open_in_compare(label: str, key: str, settings: Sequence[state.Column], unit_id: str = "") -> None:
    """A button that opens the Compare screen with these columns, on the document that is shown now.

    unit_id : in which their sizes count, "" for the one that the sidebar says
    """
    if st.button(label, key=key, icon=":material/view_column:", on_click=_set, args=(settings, unit_id)):
        st.switch_page("pages/compare.py")


def _set(settings: Sequence[state.Column], unit_id: str) -> None:
    """Set the controls of the columns, before the page runs again and draws the sidebar."""
    for at, column in enumerate(settings):
        values = registry.strategy(column.strategy).params_class.make(column.params).values()
        columns.seed(str(at), state.Column(column.strategy, values))
    st.session_state["columns"] = store()["columns"] = len(settings)
    if unit_id:
        st.session_state["unit"] = unit_id


def seen(*parts: str) -> bool:
    """Whether something was drawn in this session; what was may be drawn at once, and nothing has to stand in for it."""
    known: set[tuple[str, ...]] = st.session_state.setdefault("learn.seen", set())
    if parts in known:
        return True
    known.add(parts)
    return False


def cards_of(document: Document, unit_id: str, word: str) -> None:
    """All cards: those that need no model are drawn at once, then the others."""
    small = excerpt(document)
    later: list[tuple[Strategy, DeltaGenerator]] = []
    with st.container(key="learn-cards"):
        for strategy in registry.strategies().values():
            with st.container(border=True, key=f"learn-card-{strategy.id}"):
                # In the same place as the one that stood in for it, so that nothing jumps and what was unfolded stays so.
                if seen(strategy.id, document.fingerprint, unit_id):
                    st.html(card(strategy, document, small, unit_id, word))
                else:
                    place = st.empty()
                    place.html(head(strategy) + '<p class="lv-note" role="status">Cutting …</p>')
                    later.append((strategy, place))
                open_in_compare(
                    "Open it on the whole document", f"learn.open.{strategy.id}", [state.Column(strategy.id)]
                )
        for one in registry.unavailable():
            with st.container(border=True):
                st.html(
                    f'<h3 class="lv-h">{escape(one.id)}</h3><p>Not available here: {escape(one.reason)}. '
                    f"{escape(one.fix)}</p>"
                )
        with st.container(border=True, key="learn-card-late"):
            place_of_late = st.empty()
            if not seen("late", document.fingerprint, unit_id):
                place_of_late.html(
                    head_of(late.TITLE, late.ONE_LINE) + '<p class="lv-note" role="status">Reading …</p>'
                )
    for strategy, place in sorted(later, key=lambda pair: pair[0].tags.needs_embedder):
        place.html(card(strategy, document, small, unit_id, word))
    try:
        place_of_late.html(late_card(small, unit_id, word))
    except ChunkvizError as error:
        place_of_late.html(
            head_of(late.TITLE, late.ONE_LINE) + f'<p class="lv-note" role="alert">{escape(str(error))}</p>'
        )


def head(strategy: Strategy) -> str:
    return head_of(strategy.title, strategy.one_line)


def head_of(title: str, one_line: str) -> str:
    return f'<h3 class="lv-h">{escape(title)}</h3><p class="lv-one">{escape(one_line)}.</p>'


def late_card(small: Document, unit_id: str, word: str) -> str:
    """Late chunking on the excerpt in the chunks of “recursive”, as HTML: it belongs to no strategy, and goes with each."""
    cut = registry.strategy("recursive")
    made = cache.chunking(small, cut.id, scaled(cut, small, unit_id), unit_id)
    changed = late.moved(made)
    rows = [(f"chunk {n}", value, f"{value:.2f}") for n, value in enumerate(changed.values, 1)]
    mine = (
        f"In the part of your document above, cut into {format.plural(len(rows), 'chunk')}, the numbers of a chunk read alone "
        f"and read in context are alike to {changed.mean:.2f} on average (cosine similarity, 1 is the same). Chunk "
        f"{changed.least + 1} changes most: {changed.values[changed.least]:.2f}."
    )
    right, wrong = late.EXAMPLE.scores()
    places = [
        (t, *s) for t, s in ((right.text, (right.cosine, right.second)), (wrong.text, (wrong.cosine, wrong.second)))
    ]
    fails = small_charts.bars(
        [
            row
            for text, alone, within in places
            for row in ((f"{text.strip()} Alone:", alone, f"{alone:.2f}"), ("In context:", within, f"{within:.2f}"))
        ],
        1.0,
    )
    return (
        head_of(late.TITLE, late.ONE_LINE)
        + diagrams.painted(Shown.of(made, word), prose=True)
        + '<p class="lv-cap">How much of a chunk\'s numbers stays when the whole text is read first</p>'
        + small_charts.bars(rows, 1.0)
        + f'<p class="lv-mine">{escape(mine)}</p>'
        + folds(
            late.HOW,
            late.WATCH_OUT,
            f"<p>“{escape(late.EXAMPLE.text)}” {escape(late.EXAMPLE.question)}</p>{fails}<p>{escape(late.EXAMPLE.because)}</p>",
            late.GOOD_FOR,
            late.COSTS,
            late.SOURCE,
        )
    )


def card(strategy: Strategy, document: Document, small: Document, unit_id: str, word: str) -> str:
    """One strategy, as HTML."""
    hand = HAND_MADE.get(strategy.id)
    try:
        if strategy.tags.needs_model:
            shown = hand_made(hand) if hand else '<p class="lv-note">It needs a language model to show anything.</p>'
            mine = f'<p class="lv-mine">{escape(model_words(strategy))}</p>'
        else:
            shown = drawing(strategy, small, unit_id, word)
            mine = own_figures(strategy, document, unit_id, word)
        fails = failing(strategy, hand)
    except ChunkvizError as error:
        return head(strategy) + f'<p class="lv-note" role="alert">{escape(str(error))}</p>'
    more = folds(strategy.how, strategy.watch_out, fails, strategy.good_for, costs(strategy, document), strategy.source)
    return head(strategy) + shown + mine + more


def folds(how: str, watch_out: str, fails: str, good_for: str, costs_: str, source: str) -> str:
    """What every card has below its drawing and its figures; `fails` is HTML, all else is text."""
    parts = (
        ("How it works", f"<p>{escape(how)}</p>"),
        ("Where it fails", f"<p>{escape(watch_out)}</p>{fails}"),
        (
            "When to use it, and what it costs",
            f"<p>{escape(good_for)}</p><p>{escape(costs_)}</p><p>Source: {escape(source)}</p>",
        ),
    )
    return "".join(f'<details class="lv-more"><summary>{title}</summary>{body}</details>' for title, body in parts)


def drawing(strategy: Strategy, small: Document, unit_id: str, word: str) -> str:
    """The excerpt cut by the strategy, or an example made for it where the excerpt has nothing that it looks for."""
    made = cache.chunking(small, strategy.id, scaled(strategy, small, unit_id), unit_id)
    note = "".join(f'<p class="lv-note">{escape(n)}</p>' for n in made.notes)
    other = example(strategy.id) if unsuited(made) else None
    if other is not None:
        made = cache.chunking(other, strategy.id, scaled(strategy, other, unit_id, pieces=2), unit_id)
        note = '<p class="lv-note">This document has nothing of the kind, so here is an example of ours.</p>'
    shown = Shown.of(made, word)
    prose = made.document.format not in ("code", "json", "latex")
    return note + diagrams.painted(shown, prose=prose) + diagrams.pictures(shown, made, st.context.theme.type)


def hand_made(made: HandMade) -> str:
    shown = Shown(made.text, spans_of(made), [p.reason for p in made.pieces], rewrites=[p.rewrite for p in made.pieces])
    label = '<p class="lv-note">Made by hand, to show what a model does; no model was asked.</p>'
    if not any(shown.rewrites):
        marks = "".join(
            f'<li><span class="lv-chip lv-c{i % diagrams.COLORS}">{i + 1}</span> {escape(p.reason)}</li>'
            for i, p in enumerate(made.pieces)
        )
        return label + diagrams.painted(shown) + f'<ul class="lv-tree">{marks}</ul>'
    return label + diagrams.painted(shown) + diagrams.facts(shown)


def by_hand(strategy_id: str) -> None:
    """What a person made in a model's place, folded up, where no model is at hand; nothing for a strategy without one."""
    hand = HAND_MADE.get(strategy_id)
    if hand is None or endpoints.current() is not None:
        return
    title = registry.strategy(strategy_id).title
    with st.expander(f"“{title}” on a small text: made by hand, no model was asked", icon=":material/front_hand:"):
        st.html(diagrams.style(st.context.theme.type) + STYLE + hand_made(hand))
        st.page_link("pages/learn.py", label="More about it on Learn", icon=":material/school:")


def model_words(strategy: Strategy) -> str:
    """What stands in the way of showing a strategy that asks a language model on the reader's document."""
    if endpoints.current() is None:
        return (
            "On your document: nothing yet. It needs a language model, on this machine or hosted by somebody (an "
            "OpenAI-compatible endpoint); name one under “Language model” on the left."
        )
    return "On your document: open it below. It is never asked without you, since the text is sent to the endpoint."


SAID: Final = ("tokens.median", "tokens.max", "cut.sentences", "overhead")


def own_figures(strategy: Strategy, document: Document, unit_id: str, word: str) -> str:
    """Two sentences with the figures of the reader's whole document, at the strategy's defaults."""
    if strategy.tags.needs_embedder and len(sentence_texts(document)) > MOST_SENTENCES:
        count = len(sentence_texts(document))
        return (
            f'<p class="lv-mine">Your document has {count:,} sentences. Embedding them takes a while, so it waits until you '
            "open it.</p>"
        )
    defaults: Mapping[str, Any] = strategy.params_class.make({}).values()
    made = cache.chunking(document, strategy.id, defaults, unit_id)
    notes = "".join(f'<p class="lv-note">{escape(note)}</p>' for note in made.notes)
    return f'<p class="lv-mine">{sentence_of(cache.report_of(made), defaults, word)}</p>{notes}'


def sentence_of(report: Report, params: Mapping[str, Any], word: str) -> str:
    """What a cut did to a document, each figure with its meaning on hover. HTML."""
    size = f" (limit {params['size']:,} {word})" if isinstance(params.get("size"), int) else ""
    middle, most, cut, more = (report[i] for i in SAID)
    first = (
        f"Your whole document becomes {hover(report['chunks'], 'chunk')}{escape(size)}: typically {hover(middle)} "
        f"{escape(word)}, the largest {hover(most)}."
    )
    second = f"Sentences cut: {hover(cut)}" if cut.value is not None else "It has no sentences to cut"
    if more.value:
        return f"{first} {second}; {hover(more)} is stored twice."
    return f"{first} {second}; nothing is stored twice."


def hover(figure: Figure, plural: str = "") -> str:
    """A figure with its explanation on hover."""
    text = format.plural(int(figure.value or 0), plural) if plural else format.figure(figure)
    why = f"{figure.metric.title}: {figure.metric.help} How: {figure.metric.formula}."
    return f'<abbr title="{escape(why)}">{escape(text)}</abbr>'


def failing(strategy: Strategy, hand: HandMade | None) -> str:
    """A text that makes the strategy fail, cut here and now; its phrases are underlined."""
    failure = FAILURES.get(strategy.id)
    if failure is not None:
        made: Chunking = cache.chunking(failure.document(), strategy.id, failure.params, failure.unit)
        shown = Shown.of(made, "tokens")
        hits = failure.places(made.document)
        return f"{diagrams.painted(shown, hits)}<p>{escape(failure.because)}</p><p class='lv-note'>{kind_words(failure)}</p>"
    if hand is not None:
        said = hand.wrong.rewrite or f"{hand.wrong.begins} … {hand.wrong.ends}"
        return f'<p class="lv-note">Made by hand: “{escape(said)}”</p><p>{escape(hand.because)}</p>'
    return ""


def kind_words(failure: Failure) -> str:
    if failure.kind == "parted":
        return "The underlined words belong together, and no chunk holds both."
    return "The underlined words have nothing to do with each other, and share a chunk."


def costs(strategy: Strategy, document: Document) -> str:
    """What running it takes, by what it declares to need."""
    if strategy.tags.needs_model:
        return (
            "It costs what a language model takes to read the whole text, in time and in money; the text is sent to the "
            "endpoint that you name."
        )
    if strategy.tags.needs_embedder:
        count = len(sentence_texts(document))
        return (
            f"It costs one embedding for each of the {format.plural(count, 'sentence')} here, once; the model comes with "
            "chunkviz, and another setting costs nothing more."
        )
    return "It costs nothing but a moment: no model is asked."
