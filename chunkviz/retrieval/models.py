"""The embedding models of retrieval, by name and precision."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property

from chunkviz.embed import DEFAULT, Embedder, TokenVectors, Vectors, embedder
from chunkviz.embed.minilm import MiniLM


def model(name: str, precision: str) -> Embedder:
    """The embedder of this name; the bundled one in float32, or, for "fast", in what this processor is fastest in.

    A rank near the border of k turns on the third decimal of a cosine, and bfloat16 moves cosines by up to 0.005: with
    float32 an evaluation gives the same figures on every processor.
    Raises `EmbedderError` where it cannot be loaded.
    """
    return _exact() if name == DEFAULT and precision == "float32" else embedder(name)


class ExactMiniLM:
    """The bundled model in float32, loaded when the first text has to be embedded.

    Where every vector is stored, nothing is: an evaluation that is run again starts without the seconds that torch and
    the weights take.
    """

    name: str = MiniLM.name
    revision: str = MiniLM.revision
    settings: str = "torch, float32"
    dimensions: int = MiniLM.dimensions
    limit: int | None = MiniLM.limit

    @cached_property
    def _model(self) -> MiniLM:
        return MiniLM("float32")

    def __call__(self, texts: Sequence[str]) -> Vectors:
        """As `MiniLM`."""
        return self._model(texts)

    def tokens(self, texts: Sequence[str]) -> list[TokenVectors]:
        """As `MiniLM.tokens`."""
        return self._model.tokens(texts)

    def contextual(self, text: str) -> TokenVectors:
        """As `MiniLM.contextual`."""
        return self._model.contextual(text)


@cache
def _exact() -> ExactMiniLM:
    return ExactMiniLM()
