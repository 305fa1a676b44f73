"""Retrieval: from chunks to what a question gets back. `search` puts the parts together."""

from chunkviz.retrieval.index import Entry, Index, build
from chunkviz.retrieval.options import RetrievalOptions
from chunkviz.retrieval.searching import Hit, Searched, search

__all__ = ["Entry", "Hit", "Index", "RetrievalOptions", "Searched", "build", "search"]
