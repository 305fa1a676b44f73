"""The small cards that explain a word of the field with something to try out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import streamlit as st

from chunkviz import embed, engine, format
from chunkviz.document import Document
from chunkviz.errors import ChunkvizError
from chunkviz.lessons import terms
from chunkviz.lessons.terms import SHORT, TERMS, Term
from chunkviz.spans import Span
from chunkviz.ui import cards, diagrams, small_charts
from chunkviz.ui.controls import store
from chunkviz.ui.diagrams import Shown


def row(unit_id: str, word: str) -> None:
    """All terms in a row; each opens its card, whose example is worked out only while it is open."""
    with st.container(horizontal=True, gap="small", key="learn-terms"):
        for term in TERMS:
            card = st.popover(term.word, key=f"learn.term.{term.id}", on_change="rerun")
            with card:
                if card.open:
                    draw(term, unit_id, word)


def draw(term: Term, unit_id: str, word: str) -> None:
    """One card."""
    cards.plain(term.plain)
    try:
        _PLAY[term.id](term, unit_id, word)
    except ChunkvizError as error:
        cards.notice("error", str(error))
    cards.plain(term.why)


def _text(term: Term, at: int, label: str, lines: int = 1) -> str:
    """A field that keeps what was typed; what is longer than an example is left out, and said to be."""
    key = f"learn.{term.id}.{at}"
    if key not in st.session_state:
        st.session_state[key] = store().get(key, term.texts[at])
    given: str = (
        st.text_input(label, key=key) if lines == 1 else st.text_area(label, key=key, height=28 * lines + 24)
    ) or ""
    store()[key] = given
    if len(given) > SHORT:
        cards.notice("info", f"Only the first {SHORT:,} characters are used here.")
    return given[:SHORT]


def _tokens(term: Term, unit_id: str, word: str) -> None:
    text = _text(term, 0, "Type anything", lines=3)
    pieces, count = terms.tokens_of(text, unit_id)
    st.html(small_charts.tokens(pieces))
    cards.plain(f"{count:,} {word}, {len(text):,} characters.")


def _overlap(term: Term, unit_id: str, word: str) -> None:
    text = _text(term, 0, "Text", lines=3)
    size = st.slider(f"Size ({word})", 8, 40, 20, key="learn.overlap.size", help="How much goes into one chunk.")
    overlap = st.slider(
        f"Overlap ({word})", 0, size - 1, min(6, size - 1), key="learn.overlap.overlap", help=term.plain
    )
    if not text.strip():
        return
    made = engine.chunk(Document.from_text(text), "fixed", size=size, overlap=overlap, unit=unit_id)
    shown = Shown.of(made, word)
    st.html(diagrams.painted(shown) + diagrams.ruler(shown))


def _embedding(term: Term, unit_id: str, word: str) -> None:
    text = _text(term, 0, "Text")
    if text.strip():
        numbers = terms.numbers_of(text)
        st.html(small_charts.stripes(numbers))
        cards.plain(f"{len(numbers)} numbers, made by {embed.DEFAULT}.")


def _cosine(term: Term, unit_id: str, word: str) -> None:
    first, second = _text(term, 0, "One text"), _text(term, 1, "Another")
    if first.strip() and second.strip():
        value = terms.cosine(first, second)
        st.html(small_charts.bars([("Similarity", value, f"{value:.2f}")], 1.0))


def _recall(term: Term, unit_id: str, word: str) -> None:
    text, answer = term.texts
    spans = terms.sentences_of(text)
    chosen = st.pills(
        "Chunks that come back",
        range(1, len(spans) + 1),
        selection_mode="multi",
        default=[2],
        key="learn.recall.chosen",
    )
    start = text.index(answer)
    shown = Shown(text, [(s.start, s.end) for s in spans], ["end of a sentence"] * len(spans))
    st.html(diagrams.painted(shown, [Span(start, start + len(answer))]))
    value = terms.recall(text, answer, [n - 1 for n in chosen])
    st.html(small_charts.bars([("Recall", value, format.number(value, "share"))], 1.0))
    cards.plain("Underlined: the answer.")


def _reranker(term: Term, unit_id: str, word: str) -> None:
    question = _text(term, 0, "Question")
    passages = [line for line in _text(term, 1, "Passages, one a line", lines=6).splitlines() if line.strip()]
    if not question.strip() or not passages:
        return
    placed = terms.reranked(question, passages)
    by_cosine = sorted(placed, key=lambda p: -p.cosine)
    rows = [
        (str(at), str(by_cosine.index(p) + 1), f"{p.cosine:.2f}", f"{p.second:.2f}", p.text)
        for at, p in enumerate(placed, 1)
    ]
    head = (
        ("Now", "Place after the second look"),
        ("Before", "Place by the cosine of the embeddings"),
        ("Cosine", "Of question and passage, from −1 to 1"),
        (
            "Second look",
            "Late interaction: the mean over the question's tokens of the best cosine with any of the passage's",
        ),
        ("Passage", "As typed above"),
    )
    st.html(small_charts.table(head, rows, words=(4,)))


def _late(term: Term, unit_id: str, word: str) -> None:
    question, text = _text(term, 0, "Question"), _text(term, 1, "Document", lines=3)
    if not question.strip() or not text.strip():
        return
    rows = []
    for p in terms.late(question, text):
        rows += [(f"{p.text[:34]}… alone" if len(p.text) > 34 else f"{p.text} alone", p.cosine, f"{p.cosine:.2f}")]
        rows += [("… in its document", p.second, f"{p.second:.2f}")]
    st.html(small_charts.bars(rows, 1.0))
    cards.plain("Cosine similarity of each sentence with the question.")


_PLAY: Final[Mapping[str, Callable[[Term, str, str], None]]] = {
    "token": _tokens,
    "overlap": _overlap,
    "embedding": _embedding,
    "cosine": _cosine,
    "recall": _recall,
    "reranker": _reranker,
    "late": _late,
}
