"""The controls of a search: how chunks are found and put in order, and what a link says of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from typing import Any, Final
from urllib.parse import quote, unquote

import streamlit as st

from chunkviz import embed
from chunkviz.chunking import Chunking
from chunkviz.document import Document
from chunkviz.errors import ChunkvizError, Stopped
from chunkviz.params import Param, Text, Texts
from chunkviz.retrieval import RetrievalOptions, Searched, build, rerank, search
from chunkviz.retrieval.index import Index
from chunkviz.retrieval.options import SAME
from chunkviz.retrieval.searching import Tell
from chunkviz.ui import endpoints, models, progress
from chunkviz.ui.cache_keys import key_of
from chunkviz.ui.controls import control, current, popover, store

FIRST: Final = ("retriever", "mode", "reranker")
"""The options that are always in sight; the others are behind a button."""

_threads = ThreadPoolExecutor(max_workers=4, thread_name_prefix="chunkviz-search")


def settled(prefix: str) -> RetrievalOptions:
    """The options as their controls will show them, before they are drawn."""
    values: dict[str, Any] = {}
    for param in RetrievalOptions.declared():
        if param.active(values):
            values[param.name] = current(param, f"{prefix}.{param.name}", values)
    return RetrievalOptions.of(values)


def seed(prefix: str, values: dict[str, Any]) -> None:
    """Set controls, before they are drawn or from a callback: what a widget shows gives way to the store."""
    for name, value in values.items():
        store()[f"{prefix}.{name}"] = value
        st.session_state.pop(f"{prefix}.{name}", None)


def first(prefix: str, name: str) -> None:
    """Draw one of the options that are always in sight."""
    marks = {"cross_encoder": models.ABSENT} if name == "reranker" and _absent(prefix) else {}
    control(_params()[name], f"{prefix}.{name}", {}, "", marks)


def missing(prefix: str) -> str:
    """What the search that is chosen needs and this computer has not, and what can be done; "" where it can begin."""
    absent = _absent(prefix) if settled(prefix).reranker == "cross_encoder" else ""
    return f"{absent} Under “More” you can name another one. Until then nothing is searched." if absent else ""


def _absent(prefix: str) -> str:
    """Why the cross-encoder that is named cannot be used here, "" where it can; also while none is chosen."""
    name: str = current(_params()["cross_encoder"], f"{prefix}.cross_encoder", {})
    return rerank.absent(name)


def rest(prefix: str) -> None:
    """The options that do something beside those in sight, behind a button."""
    values = {name: getattr(settled(prefix), name) for name in FIRST}
    with popover("More", key=f"{prefix}.more", icon=":material/tune:", width="stretch"):
        for name, param in _params().items():
            if name not in FIRST and param.active(values):
                values[name] = control(param, f"{prefix}.{name}", values, "")


def _params() -> dict[str, Param]:
    return {p.name: p for p in RetrievalOptions.declared()}


# --- the link -----------------------------------------------------------------------------------------------------


def spell(options: RetrievalOptions) -> str:
    """What differs from the defaults, as a link holds it. Names of models and filters, which may quote a document, stay out.

    >>> spell(RetrievalOptions(retriever="hybrid", filter=("heading=Secrets",)))
    'retriever=hybrid'
    """
    params = _params()
    pairs = {n: v for n, v in options.changed().items() if not isinstance(params[n].rule, Text | Texts)}
    return ";".join(f"{name}={quote(params[name].rule.spell(value), safe='')}" for name, value in pairs.items())


def parse(text: str) -> dict[str, Any]:
    """What `spell` wrote. Raises `ChunkvizError` for anything that is not legal, or that no link may say.

    >>> parse("retriever=hybrid")
    {'retriever': 'hybrid'}
    """
    params = _params()
    values: dict[str, Any] = {}
    for pair in text.split(";") if text else ():
        name, _, value = pair.partition("=")
        if name not in params or isinstance(params[name].rule, Text | Texts):
            raise ChunkvizError(f"“{name[:40]}” is no option of a search that a link can set.")
        try:
            values[name] = params[name].rule.parse(unquote(value))
        except ValueError:
            values[name] = unquote(value)  # the check below says what it must be
    made = RetrievalOptions.of(values).values()
    return {name: made[name] for name in values}


# --- the search ---------------------------------------------------------------------------------------------------


def searched(document: Document, chunking: Chunking, question: str, options: RetrievalOptions, key: str) -> Searched:
    """Rank the chunks for a question, with a bar and a stop button where it takes time.

    key : of this place in the page, which keeps its last result
    Raises `Stopped` where it was stopped before, and what `search` raises.
    """
    if options.embeds and options.model not in models.allowed():
        raise ChunkvizError(f"The embedding model “{options.model[:80]}” has to be named under “Other models” first.")
    if options.embeds and options.code_model not in (SAME, *models.allowed()):
        raise ChunkvizError(
            f"The embedding model “{options.code_model[:80]}” has to be named under “Other models” first."
        )
    # The session's own models are a context of its own thread, and the search is in another one.
    own = dict(endpoints.embedders())
    named = [embed.identity(own[name]) for name in (options.model, options.code_model) if name in own]
    about = repr((sorted(options.values().items()), named))
    work = key_of(key, document.fingerprint, chunking.recipe.key, about)
    # Whoever selects text, moves k or edits a question does not search again.
    kept: dict[str, tuple[str, Chunking, Searched]] = st.session_state.setdefault("ask.found", {})
    asked = key_of(work, question)
    # The chunking itself is compared too: a language model may cut anew by the same recipe.
    if key in kept and kept[key][0] == asked and kept[key][1] is chunking:
        return kept[key][2]
    index = build({document.name: chunking}, options)
    with progress.bar("Searching", work) as bar:
        found = _shown(lambda tell: _searched(index, question, options, own, tell), bar)
    kept[key] = (asked, chunking, found)
    return found


def _searched(
    index: Index, question: str, options: RetrievalOptions, own: Mapping[str, embed.Embedder], tell: Tell
) -> Searched:
    with embed.using(own):
        return search(index, [question], options, tell=tell)


def _shown(job: Callable[[Tell], Searched], bar: progress.Bar) -> Searched:
    """A search in a thread, so that it can be stopped while a model is loaded or works on a slab of texts.

    A thread that is no longer wanted ends where it tells next; what it embedded until then is stored.
    """
    stop = threading.Event()
    last: list[tuple[str, int, int]] = [("getting ready", 0, 1)]

    def tell(what: str, done: int, total: int) -> None:
        if stop.is_set():
            raise Stopped("The search was stopped.")
        last[0] = what, done, total

    running = _threads.submit(job, tell)
    try:
        while True:
            try:
                return running.result(timeout=progress.LOOK_SECONDS)
            except NotYet:
                if running.done():  # a search may raise a TimeoutError of its own
                    return running.result()
                what, done, total = last[0]
                bar.show(done / max(total, 1), what if total <= 1 else f"{what}, {done:,} of {total:,}")
    finally:
        stop.set()
