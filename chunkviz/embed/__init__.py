"""Texts to unit vectors: embedders by name, and a store on disk so that nothing is embedded twice.

from chunkviz.embed import embed
vectors = embed(["One sentence.", "Another one."]).vectors    # float32 (2, 384)
"""

from chunkviz.embed.base import Embedder, TokenEmbedder, TokenVectors, Vectors, identity
from chunkviz.embed.cached import Embedded, Progress, embed
from chunkviz.embed.endpoint import Endpoint
from chunkviz.embed.models import DEFAULT, available, embedder, using
from chunkviz.embed.store import VectorStore, default_store

__all__ = [
    "DEFAULT",
    "Embedded",
    "Embedder",
    "Endpoint",
    "Progress",
    "TokenEmbedder",
    "TokenVectors",
    "VectorStore",
    "Vectors",
    "available",
    "default_store",
    "embed",
    "embedder",
    "identity",
    "using",
]
