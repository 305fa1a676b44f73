"""The first look at a document's sentences: embedded with a bar, a stop button and the curve so far."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from chunkviz import embed
from chunkviz.document import Document
from chunkviz.errors import EmbedderError
from chunkviz.similarity.cutting import sentence_texts
from chunkviz.ui import charts, endpoints, models, progress


def embedded(
    document: Document, model: str, curve: Callable[[NDArray[np.float32], int], None] | None = None
) -> embed.Embedded:
    """The vectors of all sentences that say anything; at once where this document has been here before.

    curve : called with the vectors so far and the number of sentences, each time more of them are there
    Raises `EmbedderError` for a model that this session may not use or that cannot be loaded, `Stopped` where the
    reader stopped it.
    """
    if model not in models.allowed():
        raise EmbedderError(
            f"The link asks for the embedding model “{model[:80]}”. To use it, name it on the Tune screen, "
            "under “Other models”."
        )
    with embed.using(endpoints.embedders()):
        # Several seconds the first time in a process, then at once. The other thread does not know this session's own.
        own = endpoints.embedders().get(model)
        progress.waited(
            lambda stop: own or embed.embedder(model),
            text="Loading the embedding model",
            seconds=60,
            key=f"load.{model}",
        )
        return document.derive(
            ("embedded", *embed.identity(embed.embedder(model))), lambda: _embed(document, model, curve)
        )


def _embed(document: Document, model: str, curve: Callable[[NDArray[np.float32], int], None] | None) -> embed.Embedded:
    texts = sentence_texts(document)
    with progress.bar("Comparing the sentences", f"embed.{document.fingerprint}.{model}") as bar:
        began = time.monotonic()

        def tell(done: int, total: int, vectors: NDArray[np.float32]) -> None:
            rate = done / max(time.monotonic() - began, 1e-3)
            left = (total - done) / rate if rate else 0.0
            bar.show(
                done / max(total, 1),
                f"{done:,} of {total:,}, {rate:,.0f} a second, about {left:,.0f} seconds left",
            )
            if curve and bar.visible and done > 1:
                curve(vectors, total)

        return embed.embed(texts, model, progress=tell)


class GrowingCurve:
    """Draws the similarity curve as far as it is known, and goes when all of it is."""

    def __init__(self) -> None:
        self._place = st.empty()
        self._drawn = 0

    def __call__(self, vectors: NDArray[np.float32], total: int) -> None:
        self._drawn += 1
        self._place.plotly_chart(charts.growing(vectors, total), key=f"growing.{self._drawn}")

    def clear(self) -> None:
        self._place.empty()
