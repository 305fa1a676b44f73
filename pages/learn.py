"""Learn: every way to cut on the reader's own text, the words of the field, and which one to begin with."""

from __future__ import annotations

import streamlit as st

from chunkviz.lessons.excerpt import excerpt
from chunkviz.ui import cards, diagrams, frame, guiding, learning, term_cards
from chunkviz.ui.controls import store

VIEWS = {"cuts": "How a text is cut", "guide": "Which one to begin with"}


def page() -> None:
    st.html(cards.STYLE + diagrams.style(st.context.theme.type) + learning.STYLE)
    shown = frame.shown()
    frame.linked("learn")
    asked = {name: st.query_params[name] for name in st.query_params}
    st.html('<h1 class="cv-title">What is a chunk, and who cuts it?</h1>')
    cards.plain(
        "A search system cannot hand a whole book to whoever asks. It cuts every document into pieces beforehand (chunks), and "
        "brings back the few that look most like the question. What a cut tears apart, nobody gets whole."
    )
    st.page_link("pages/demo.py", label="See it happen: the demo, eight steps", icon=":material/slideshow:")
    cards.plain("Words that everybody uses and nobody explains; each opens a card to play with:")
    term_cards.row(shown.unit, shown.word)
    if st.session_state.get("learn.show") not in VIEWS:
        kept = store().get("learn.show", asked.get("show"))
        st.session_state["learn.show"] = kept if kept in VIEWS else "cuts"
    view = st.segmented_control(
        "Show",
        list(VIEWS),
        key="learn.show",
        format_func=VIEWS.__getitem__,
        required=True,
        label_visibility="collapsed",
    )
    store()["learn.show"] = view
    document = frame.document(shown, "learn")
    if document is None:
        return
    if not document.text.strip():
        cards.notice("info", "This document has no text to cut. The report below says what was found in it.")
        frame.extraction(document)
        return
    link = {"show": str(view), "unit": shown.unit}
    if shown.source.sample:
        link["doc"] = shown.source.id
    if view == "guide":
        link |= guiding.draw(document, asked)
    else:
        st.header("The same text, cut in every way there is", anchor=False)
        cards.plain(
            f"A part of “{document.name}”, {len(excerpt(document).text):,} characters long. Each colour is one chunk, a dark "
            "line is a cut; point at a chunk to see why it ends there. Sizes are small here, so that there is something to see."
        )
        learning.cards_of(document, shown.unit, shown.word)
    if dict(st.query_params) != link:
        st.query_params.from_dict(link)


page()
