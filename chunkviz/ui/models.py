"""Which embedding models a session may use: those that are here, and those that its reader has named.

A link names models too, and nobody asked for those: a link must not make the server read a folder or fetch a file.
"""

from __future__ import annotations

from typing import Final

import streamlit as st

from chunkviz import embed
from chunkviz.errors import EmbedderError
from chunkviz.ui import cards, endpoints

ABSENT: Final = "not on this computer"
"""Put behind the name of what has to be brought here first."""


def allowed() -> tuple[str, ...]:
    """Names of models that this session may use, the one that comes with chunkviz first."""
    named: list[str] = st.session_state.get("models", [])
    return tuple(dict.fromkeys([embed.DEFAULT, *embed.available(), *named]))


def panel() -> None:
    """A place to name another model, and what is stored of all of them."""
    with st.popover("Other models, stored vectors", icon=":material/database:", width="stretch"):
        name = st.text_input(
            "A sentence-transformers model, a folder with one, or endpoint:MODEL",
            key="models.name",
            help="endpoint:MODEL asks the endpoint set under “Language model”, else the one that OPENAI_BASE_URL and "
            "OPENAI_API_KEY name.",
        ).strip()
        download = st.toggle(
            "It may be downloaded", key="models.download", help="Off: nothing is ever fetched from the network."
        )
        if st.button("Use it", disabled=not name):
            try:
                with st.spinner("Loading the model …"):
                    loaded = _loaded(name, download)
            except EmbedderError as error:
                cards.notice("error", str(error))
            else:
                st.session_state["models"] = [*st.session_state.get("models", []), name]
                cards.notice("info", f"{name} is here: {loaded.settings}.")
        store = embed.default_store()
        rows, size = store.size()
        cards.plain(
            f"{rows:,} vectors are stored on this machine ({size / 1e6:,.1f} MB), so that no text is embedded twice."
        )
        if st.button("Delete the stored vectors", disabled=not rows):
            cards.plain(f"{store.clear():,} vectors were deleted.")
        for notice in store.notices:
            cards.notice("warning", notice)


def _loaded(name: str, download: bool) -> embed.Embedder:
    """The embedder of this name; one behind an endpoint with the address and the key of this session, if it has some."""
    endpoint = endpoints.current()
    prefix, _, model = name.partition(":")
    if prefix != "endpoint" or endpoint is None or not st.session_state.get("llm.endpoint"):
        return embed.embedder(name, download=download)
    own = embed.Endpoint(endpoint.base_url, endpoint.key, model)
    own(["One text, to see whether the endpoint answers."])
    st.session_state["embedders"] = {**endpoints.embedders(), name: own}
    return own
