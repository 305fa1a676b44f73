"""What travels to the browser: a document once, and every view of it as a small blob beside it.

The container is described in `blob.py`. Positions in it count UTF-16 units, as JavaScript does; everywhere else in
chunkviz they count code points. `utf16.py` is the one place that turns the one into the other.
`ui/component/codec.js` is the other end.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from chunkviz import registry
from chunkviz.blob import VERSION, pack
from chunkviz.chunking import Chunking
from chunkviz.differences import differences
from chunkviz.document import Document
from chunkviz.document_rows import rows
from chunkviz.metrics.base import Finding
from chunkviz.similarity.turns import Turns
from chunkviz.units import unit
from chunkviz.utf16 import utf16
from chunkviz.view_records import Audit, Focus, Following, Highlight, Live

K = TypeVar("K", bound=Hashable)

MOST_COLUMNS: Final = 4


def document_blob(document: Document) -> bytes:
    """The document for the viewer: its text, the rows it is shown in, and its pages. The same bytes every time."""
    starts, kinds = rows(document)
    header = {
        "kind": "document",
        "version": VERSION,
        "docId": document.fingerprint,
        "name": document.name,
        "units": int(utf16(document, len(document.text))),
        "pages": [[p.number, p.label] for p in document.pages],
    }
    arrays: dict[str, NDArray[Any]] = {
        "text": np.frombuffer(document.text.encode(), dtype=np.uint8),
        "row.start": utf16(document, starts),
        "row.kind": kinds,
        "page.start": utf16(document, [p.start for p in document.pages]),
    }
    return pack(header, arrays)


def view_blob(
    chunkings: Sequence[Chunking],
    *,
    titles: Sequence[str] | None = None,
    subtitles: Sequence[str] | None = None,
    findings: Sequence[Mapping[str, Sequence[Finding]]] | None = None,
    audits: Sequence[Audit] | None = None,
    live: Live | None = None,
    focus: Focus | None = None,
    highlight: Highlight | None = None,
    picking: bool = False,
    editable: Mapping[int, str] | None = None,
    following: Mapping[int, Following] | None = None,
    height: int = 620,
) -> bytes:
    """One to four chunkings of one document as the columns of a view, in order.

    titles    : head of each column; default: the strategy's id
    subtitles : the line under it; default: the parameters
    findings  : per column, title ("Words cut") to places; the viewer offers them as lists to jump through
    audits    : per column, what stands above it; a chip whose `finding` is a title of its findings leads there
    live      : makes the first column's threshold one that is dragged
    picking   : the viewer tells which text the reader selects
    editable  : columns whose boundaries the reader moves, each with the name of the last edit that is in it, "" for none
    following : columns that the browser cuts again while their sliders move, each with how
    height    : of the part that scrolls, in CSS pixels
    Raises `ValueError` for another number of columns, for lists of other lengths and for more than one document.
    """
    if not 1 <= len(chunkings) <= MOST_COLUMNS:
        raise ValueError(f"a view has 1 to {MOST_COLUMNS} columns, not {len(chunkings)}")
    for name, given in (
        ("titles", titles),
        ("subtitles", subtitles),
        ("findings", findings),
        ("audits", audits),
    ):
        if given is not None and len(given) != len(chunkings):
            raise ValueError(f"`{name}` must have one entry per column: {len(chunkings)}, not {len(given)}")
    document = chunkings[0].document
    arrays: dict[str, NDArray[Any]] = {}
    columns = []
    for at, chunking in enumerate(chunkings):
        head = {
            "strategy": chunking.recipe.strategy,
            "title": titles[at] if titles else chunking.recipe.strategy,
            "subtitle": subtitles[at] if subtitles else in_words(_active(chunking)),
            "word": unit(chunking.unit).word,
            "notes": list(chunking.notes),
            "audit": _audit(audits[at], list(findings[at]) if findings else []) if audits else None,
        }
        if editable and at in editable:
            head["edit"] = editable[at]
        if following and at in following:
            head["following"] = following[at]._asdict()
        columns.append(head | _column(document, f"{at}.", chunking, findings[at] if findings else {}, arrays))
    turns = _turns(document, chunkings[0], live, arrays) if live else None
    arrays["differences"] = utf16(document, differences(chunkings))
    header: dict[str, Any] = {
        "kind": "view",
        "version": VERSION,
        "docId": document.fingerprint,
        "height": height,
        "columns": columns,
        "turns": turns,
        "focus": _focus(document, focus),
        "highlight": {
            "column": highlight.column,
            "chunks": list(highlight.chunks),
            "nonce": highlight.nonce,
            "label": highlight.label,
        }
        if highlight
        else None,
    }
    if picking:
        header["picking"] = True
    # Streamlit hands the same blob over again when the theme changes; the stamp tells the viewer that nothing else did.
    stamp = hashlib.blake2b(pack(header, arrays), digest_size=8).hexdigest()
    return pack(header | {"stamp": stamp}, arrays)


def _active(chunking: Chunking) -> Mapping[str, Any]:
    """The parameters that do something; all of them where the strategy is not known here."""
    values = chunking.recipe.params
    known = registry.strategies().get(chunking.recipe.strategy)
    if known is None:
        return values
    return {p.name: values[p.name] for p in known.params if p.name in values and p.active(values)}


def _audit(audit: Audit, titles: Sequence[str]) -> dict[str, Any]:
    chips = [
        [c.title, c.text, c.help, c.bad, titles.index(c.finding) if c.finding in titles else -1] for c in audit.chips
    ]
    return {"headline": audit.headline, "sizes": audit.sizes, "sizesHelp": audit.sizes_help, "chips": chips}


def in_words(params: Mapping[str, Any]) -> str:
    """Parameters for the eye, on one line; those that are empty are left out.

    >>> in_words({"size": 512, "overlap": 50, "separators": ()})
    'size 512 · overlap 50'
    """
    shown = []
    for name, value in params.items():
        if value in ("", (), None, False):
            continue
        if isinstance(value, tuple) and all(isinstance(v, int) for v in value):
            shown.append(f"{len(value):,} {name}")  # places in a document say nothing to the eye
            continue
        text = ", ".join(map(repr, value)) if isinstance(value, tuple) else str(value)
        shown.append(name if value is True else f"{name} {text}")
    return " · ".join(shown).replace("_", " ")


def _numbered(values: Sequence[K]) -> tuple[list[K], NDArray[np.int64]]:
    """The different values in order of appearance, and for each value its number: a reason is sent once, not 2,000 times."""
    numbers = {value: number for number, value in enumerate(dict.fromkeys(values))}
    return list(numbers), np.fromiter(map(numbers.__getitem__, values), dtype=np.int64, count=len(values))


def _column(
    document: Document,
    prefix: str,
    chunking: Chunking,
    findings: Mapping[str, Sequence[Finding]],
    arrays: dict[str, NDArray[Any]],
) -> dict[str, Any]:
    """Put the arrays of one column into `arrays`, and return its part of the header."""
    chunks = chunking.chunks
    dropped = sorted(chunking.dropped, key=lambda d: d.start)
    reasons, reason_of = _numbered([c.reason for c in chunks])
    paths, path_of = _numbered([c.heading_path for c in chunks])
    contexts, context_of = _numbered([c.context for c in chunks])

    def spans(name: str, starts: list[int], ends: list[int]) -> None:
        arrays[f"{prefix}{name}start"] = utf16(document, starts)
        arrays[f"{prefix}{name}end"] = utf16(document, ends)

    spans("", [c.start for c in chunks], [c.end for c in chunks])
    arrays[f"{prefix}tokens"] = np.array([c.tokens for c in chunks], dtype=np.int64)
    arrays[f"{prefix}reason"] = reason_of
    arrays[f"{prefix}path"] = path_of
    arrays[f"{prefix}context"] = context_of
    arrays[f"{prefix}page.first"] = np.array([c.pages[0] if c.pages else 0 for c in chunks], dtype=np.int64)
    arrays[f"{prefix}page.last"] = np.array([c.pages[-1] if c.pages else 0 for c in chunks], dtype=np.int64)
    spans("dropped.", [d.start for d in dropped], [d.end for d in dropped])
    for number, places in enumerate(findings.values()):
        ordered = sorted(places, key=lambda f: f.start)
        spans(f"mark{number}.", [f.start for f in ordered], [f.end for f in ordered])
    return {
        "reasons": reasons,
        "paths": paths,
        "contexts": contexts,
        "flags": [[c.index, name, reason] for c in chunks if c.flags for name, reason in c.flags.items()],
        "dropped": [d.reason for d in dropped],
        "limit": chunking.recipe.params.get("size"),
        "marks": list(findings),
    }


def _turns(document: Document, chunking: Chunking, live: Live, arrays: dict[str, NDArray[Any]]) -> dict[str, Any]:
    """What the browser needs to cut the first column again; `ui/component/turns.js` does what `similarity.regroup` does."""
    turns = chunking.curve.turns if chunking.curve else None
    if not isinstance(turns, Turns):
        raise ValueError("only a chunking with a threshold can be dragged")
    units = turns.units
    starts = units.starts.tolist()
    paths, path_of = _numbered([document.heading_path(s) for s in starts])
    arrays["turns.start"] = utf16(document, units.starts)
    arrays["turns.end"] = utf16(document, units.ends)
    arrays["turns.sentence"] = units.sentence
    arrays["turns.path"] = path_of
    pages = [(p[0], p[-1]) if p else (0, 0) for p in map(document.pages_of, starts, units.ends.tolist())]
    arrays["turns.page.first"] = np.array([p[0] for p in pages], dtype=np.int64)
    arrays["turns.page.last"] = np.array([p[1] for p in pages], dtype=np.int64)
    for name in ("own", "head", "tail"):
        arrays[f"turns.{name}"] = getattr(units, name).astype(np.float64)
    arrays["turns.values"] = turns.values
    arrays["turns.drops"] = turns.drops
    arrays["turns.depths"] = turns.depths
    arrays["turns.sections"] = turns.sections.astype(np.uint8)
    arrays["turns.reference"] = utf16(document, sorted(live.reference))
    return {
        "kind": turns.kind.id,
        "axis": turns.kind.axis,
        "param": turns.kind.param,
        "amount": turns.amount,
        "mean": turns.spread.mean,
        "deviation": turns.spread.deviation,
        "quartiles": turns.spread.quartiles,
        "size": turns.size,
        "smallest": turns.smallest,
        "paths": paths,
        "low": live.low,
        "high": live.high,
        "step": live.step,
        "label": live.label,
        "unit": live.unit,
        "limit": live.limit,
    }


def _focus(document: Document, focus: Focus | None) -> dict[str, Any] | None:
    if focus is None:
        return None
    start, end = utf16(document, [focus.start, focus.end]).tolist()
    return {"column": focus.column, "nonce": focus.nonce, "chunk": focus.chunk, "start": start, "end": end}
