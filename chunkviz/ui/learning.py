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

from chunkviz import format, llm, registry
from chunkviz.chunking import Chunking
from chunkviz.document import Document
from chunkviz.errors import ChunkvizError
from chunkviz.lessons.examples import HAND_MADE, HandMade, example, spans_of
from chunkviz.lessons.excerpt import excerpt, scaled, unsuited
from chunkviz.lessons.failures import FAILURES, Failure
from chunkviz.report import Figure, Report
from chunkviz.similarity.cutting import sentence_texts
from chunkviz.spec import Strategy
from chunkviz.ui import cache, columns, diagrams, state
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
.st-key-demo-steering{padding-top:.7rem}
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
    for strategy, place in sorted(later, key=lambda pair: pair[0].tags.needs_embedder):
        place.html(card(strategy, document, small, unit_id, word))


def head(strategy: Strategy) -> str:
    return f'<h3 class="lv-h">{escape(strategy.title)}</h3><p class="lv-one">{escape(strategy.one_line)}.</p>'


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
    return "".join(
        (
            head(strategy),
            shown,
            mine,
            f'<details class="lv-more"><summary>How it works</summary><p>{escape(strategy.how)}</p></details>',
            f'<details class="lv-more"><summary>Where it fails</summary><p>{escape(strategy.watch_out)}</p>{fails}</details>',
            f'<details class="lv-more"><summary>When to use it, and what it costs</summary><p>{escape(strategy.good_for)}</p>'
            f"<p>{escape(costs(strategy, document))}</p><p>Source: {escape(strategy.source)}</p></details>",
        )
    )


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


def model_words(strategy: Strategy) -> str:
    """What stands in the way of showing a strategy that asks a language model on the reader's document."""
    endpoint = llm.available()
    if endpoint is None:
        return (
            "On your document: nothing yet. It needs a language model behind an OpenAI-compatible endpoint; name one under "
            "“Language model” on the left."
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
    report = cache.report_of(cache.chunking(document, strategy.id, defaults, unit_id))
    return f'<p class="lv-mine">{sentence_of(report, defaults, word)}</p>'


def sentence_of(report: Report, params: Mapping[str, Any], word: str) -> str:
    """What a cut did to a document, each figure with its meaning on hover. HTML."""
    size = f" (at most {params['size']:,} {word} each)" if isinstance(params.get("size"), int) else ""
    middle, most, cut, more = (report[i] for i in SAID)
    first = (
        f"Your whole document becomes {hover(report['chunks'], 'chunk')}{escape(size)}: typically {hover(middle)} "
        f"{escape(word)}, at most {hover(most)}."
    )
    second = f"{hover(cut)} sentences are whole in no chunk" if cut.value is not None else "No sentence can be cut"
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
