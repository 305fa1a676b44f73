"""The only place that caches for the app.

Shared caches are keyed by one SHA-256 over everything that decides the result, length-prefixed, so that no two requests
share an entry by accident; documents and results travel in arguments that Streamlit does not hash. What is cached is
a function of the key alone, so it makes no difference who asked first.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import streamlit as st

from chunkviz import embed, llm, registry
from chunkviz.chunking import Chunking
from chunkviz.document import Document
from chunkviz.engine import run
from chunkviz.report import Report, report
from chunkviz.resizing import resizing_blob
from chunkviz.segments import document_blob
from chunkviz.ui import embedding, endpoints
from chunkviz.ui.cache_keys import key_of

HOUR = 3600


@st.cache_resource(max_entries=200, ttl=HOUR, show_spinner=False)
def _chunking(key: str, _document: Document, _strategy: str, _params: Mapping[str, Any], _unit: str) -> Chunking:
    return run(_document, registry.strategy(_strategy), _params, _unit)


def chunking(document: Document, strategy: str, params: Mapping[str, Any], unit: str) -> Chunking:
    """`chunkviz.chunk`, remembered. Raises what it raises; errors are not remembered.

    What takes long the first time, embedding and asking a model, is done before with a bar and a stop button.
    """
    tags = registry.strategy(strategy).tags
    if tags.needs_embedder:
        embedding.embedded(document, params.get("model", embed.DEFAULT))
    if tags.needs_model:
        endpoints.ask(document, strategy, lambda: run(document, registry.strategy(strategy), params, unit))
    version = str(registry.strategy(strategy).version)
    spelled = json.dumps(dict(params), sort_keys=True, ensure_ascii=True)
    # The name and the notes are no part of the fingerprint, and a result leads back to its document.
    about = json.dumps([document.name, [n.text for n in document.notes], dict(document.options)], ensure_ascii=True)
    with endpoints.in_use():
        models = _models(strategy, params)
        key = key_of("chunking", document.fingerprint, about, strategy, version, spelled, unit, models)
        return _chunking(key, document, strategy, params, unit)


def _models(strategy: str, params: Mapping[str, Any]) -> str:
    """What decides the answers of the models a strategy asks: the same name may mean another one in another session."""
    tags = registry.strategy(strategy).tags
    known: list[str] = []
    if tags.needs_embedder:
        known += embed.identity(embed.embedder(params.get("model", embed.DEFAULT)))
    if tags.needs_model:
        endpoint = llm.available()
        known.append(endpoint.identity if endpoint else "")
    return json.dumps(known)


@st.cache_resource(max_entries=200, ttl=HOUR, show_spinner=False)
def _report(key: str, _chunking: Chunking) -> Report:
    return report(_chunking)


def report_of(made: Chunking) -> Report:
    """`chunkviz.report`, remembered."""
    return _report(key_of("report", made.document.fingerprint, made.recipe.key), made)


@st.cache_resource(max_entries=20, ttl=HOUR, show_spinner=False)
def _blob(key: str, _document: Document) -> bytes:
    return document_blob(_document)


def blob_of(document: Document) -> bytes:
    """The document as the viewer takes it, made once."""
    return _blob(key_of("blob", document.fingerprint, document.name), document)


@st.cache_resource(max_entries=20, ttl=HOUR, show_spinner=False)
def _resizing(key: str, _made: Chunking) -> bytes | None:
    return resizing_blob(_made)


def resizing_of(made: Chunking, key: str) -> bytes | None:
    """What the browser needs to follow the sliders of a column, made once for all their values; None for nothing.

    key : `resizing.resizing_key` of it, not empty
    """
    return _resizing(key_of("resizing", key), made)
