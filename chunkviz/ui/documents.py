"""The documents of one session: samples, uploads and pasted text. They live in the session's memory only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import streamlit as st

from chunkviz import format, isolation, loaders, samples
from chunkviz.document import Document
from chunkviz.errors import ChunkvizError, LoadError, Stopped
from chunkviz.loaders.options import LoadOptions
from chunkviz.settings import settings
from chunkviz.ui import cards, progress
from chunkviz.ui.cache_keys import key_of
from chunkviz.ui.controls import control

PASTED = "pasted text"


@dataclass(frozen=True)
class Source:
    """Where a document comes from: bytes and a name to show."""

    id: str
    name: str
    data: bytes
    sample: bool = False


@cache
def _sample_source(sample_id: str) -> Source:
    sample = next(s for s in samples.samples() if s.id == sample_id)
    return Source(sample_id, sample.file, samples.read(sample_id), sample=True)


def _opened() -> dict[str, Source]:
    known: dict[str, Source] = st.session_state.setdefault("sources", {})
    return known


def _parsed() -> dict[str, Document]:
    known: dict[str, Document] = st.session_state.setdefault("parsed", {})
    return known


def choose(sample_id: str) -> Source:
    """The sidebar's first part: upload, paste, samples; returns what is to be shown."""
    limit = settings()
    uploads = st.file_uploader(
        "Your documents",
        type=[suffix.lstrip(".") for suffix in loaders.suffixes()],
        accept_multiple_files=True,
        max_upload_size=limit.max_file_mb,
        key="uploads",
        help=f"Up to {limit.max_file_mb} MB each. They stay in this page's memory and are gone when it is closed.",
    )
    with st.popover("Paste text", icon=":material/content_paste:", width="stretch"):
        st.text_area("Text to cut", key="pasted", height=200, placeholder="Paste anything here")
        st.selectbox("Read it as", ["text", "markdown", "html", "json", "latex"], key="pasted.format")
    opened = _opened()
    opened.clear()
    for upload in uploads[: limit.max_documents]:
        data = upload.getvalue()
        opened[f"upload:{key_of(upload.name, data)[:16]}"] = Source("", upload.name, data)
    if len(uploads) > limit.max_documents:
        cards.notice(
            "warning",
            f"Only the first {limit.max_documents} files are open (CHUNKVIZ_MAX_DOCUMENTS). Remove some to open others.",
        )
    if st.session_state.get("pasted"):
        ending = {"text": "txt", "markdown": "md", "html": "html", "json": "json", "latex": "tex"}
        name = f"{PASTED}.{ending[st.session_state['pasted.format']]}"
        opened["pasted"] = Source("pasted", name, st.session_state["pasted"].encode("utf-8", "replace"))
    known = {s.id: s for s in samples.samples()}
    options = [*opened, *known]
    _follow_new(opened, sample_id, options)
    chosen: str = st.selectbox(
        "Document",
        options,
        key="document",
        format_func=lambda i: known[i].title if i in known else opened[i].name if i in opened else i,
        help="Samples come with a trap each; see what it is below the name.",
    )
    if chosen in known:
        cards.plain(known[chosen].one_line)
        return _sample_source(chosen)
    source = opened[chosen]
    cards.plain(f"{source.name}, {format.size(len(source.data))}")
    return Source(chosen, source.name, source.data)


def _follow_new(opened: Mapping[str, Source], sample_id: str, options: list[str]) -> None:
    """Show what was opened last; fall back to the link's sample when the shown document was removed."""
    before: set[str] = st.session_state.get("opened.before", set())
    new = [i for i in opened if i not in before]
    st.session_state["opened.before"] = set(opened)
    if new:
        st.session_state["document"] = new[-1]
    elif st.session_state.get("document") not in options:
        st.session_state["document"] = sample_id


def options_for(source: Source) -> dict[str, Any]:
    """The loader options that are drawn for this document, those that differ from the defaults."""
    format_, _ = loaders.format_of(source.name)
    wanted = {
        "html": ("keep_boilerplate", "html_source", "encoding"),
        "pdf": ("join_hyphens",),
        "docx": (),
    }.get(format_, ("encoding",))
    values: dict[str, Any] = {}
    for param in LoadOptions.declared():
        if param.name in wanted:
            values[param.name] = control(param, f"load.{param.name}", values, "")
    return LoadOptions(**values).changed()


def load(source: Source, options: Mapping[str, Any]) -> Document:
    """Parse a document in a child process, once per session and set of options. Raises `LoadError`."""
    password = st.session_state.get(f"password.{source.id}") or None
    key = key_of("document", source.name, source.data, repr(sorted(options.items())), "with" if password else "")
    parsed = _parsed()
    if key not in parsed:
        parsed[key] = progress.waited(
            lambda stop: isolation.load(source.data, source.name, password=password, options=options, stop=stop),
            text="Reading the document",
            seconds=settings().parse_seconds,
            key=f"read.{key}",
        )
        while len(parsed) > settings().max_documents:
            del parsed[next(iter(parsed))]
    return parsed[key]


def load_or_say(source: Source, options: Mapping[str, Any]) -> Document | None:
    """`load`, with what went wrong said on the page, and a field for a password where one is needed."""
    try:
        return load(source, options)
    except LoadError as error:
        cards.notice("error", str(error))
        if error.needs_password:
            st.text_input(
                "Password of this document",
                type="password",
                key=f"password.{source.id}",
                help="Used to open the file and kept only as long as this page is open.",
            )
    except Stopped as error:
        cards.notice("info", str(error))
    except ChunkvizError as error:
        cards.notice("error", str(error))
    return None
