"""Boundaries that a reader has set: saved beside a document as JSON, and found again in it.

    {"version": 1, "document": "call.txt", "fingerprint": "9f86d0…",
     "boundaries": [{"at": 1234, "begins": "So about the invoice, I see the bench at", "why": "the invoice"}]}

`at` is the code point at which a new part begins, the first visible character of it. `begins` are the words that stand
there, white space as single blanks. They make the file readable, they are checked when it is read, and they find the
place again in a document that has changed: a loader that reads a table better moves everything behind it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from chunkviz import json_text, samples
from chunkviz.chunking import Chunking
from chunkviz.document import Document
from chunkviz.errors import LoadError
from chunkviz.graphemes import graphemes
from chunkviz.text.visible import squeezed, visible

VERSION: Final = 1
QUOTED: Final = 40
"""Visible characters that `begins` holds, at least; more where the same words stand elsewhere too."""

LONGEST_QUOTE: Final = 640
MOST_BOUNDARIES: Final = 10_000
MOST_BYTES: Final = 10_000_000

FOLDER: Final = samples.FOLDER / "reference"


@dataclass(frozen=True, slots=True)
class Boundary:
    """Where a new part begins: code point, the words that stand there, and what is new ("" where nobody said)."""

    at: int
    begins: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Reference:
    """Boundaries of one document, in order.

    document    : its name, for display
    fingerprint : of the document that the positions belong to
    found_again : how many boundaries were looked up by their words because the file was made for another version of
                  the document; 0 where the fingerprints agree
    """

    document: str
    fingerprint: str
    boundaries: tuple[Boundary, ...]
    found_again: int = 0

    @property
    def positions(self) -> tuple[int, ...]:
        """Code points, strictly increasing."""
        return tuple(b.at for b in self.boundaries)

    def to_json(self) -> str:
        """What `read` reads; one boundary on a line, so that two versions can be compared."""
        rows = ",\n".join(
            "    "
            + json.dumps({"at": b.at, "begins": b.begins} | ({"why": b.why} if b.why else {}), ensure_ascii=False)
            for b in self.boundaries
        )
        name = json.dumps(self.document, ensure_ascii=False)
        listed = f"\n{rows}\n  " if rows else ""
        return (
            f'{{\n  "version": {VERSION},\n  "document": {name},\n  "fingerprint": "{self.fingerprint}",\n'
            f'  "boundaries": [{listed}]\n}}\n'
        )


def _shown(text: str) -> str:
    return text if len(text) <= QUOTED else text[: QUOTED - 1] + "…"


def _place(document: Document, at: int) -> int | None:
    """The boundary that `at` means: the first visible character from there, never one inside a grapheme cluster.

    None where that would be the first character of the document, or where none follows: nothing is parted there.
    """
    ink = visible(document).at
    index = int(np.searchsorted(ink, at))
    if index == len(ink):
        return None
    place = graphemes(document).floor(int(ink[index]))
    return place if place > int(ink[0]) else None


def _quotes(document: Document, positions: Sequence[int]) -> dict[int, str]:
    """For each position the words that stand there, as many as it takes to find them again."""
    text = visible(document)
    firsts = np.searchsorted(text.at, np.array(positions, dtype=np.int64)).tolist()
    found: dict[int, str] = {}
    open_ = dict(zip(positions, firsts, strict=True))
    size = QUOTED
    while open_:
        words = {at: text.text[first : first + size] for at, first in open_.items()}
        places = text.places(words.values()) if size < LONGEST_QUOTE else {}
        for at, first in list(open_.items()):
            last = min(first + size, len(text.at)) - 1
            if size >= LONGEST_QUOTE or last == len(text.at) - 1 or len(places[words[at]]) == 1:
                found[at] = " ".join(document.text[at : int(text.at[last]) + 1].split())
                del open_[at]
        size *= 2
    return found


def from_positions(document: Document, positions: Iterable[int], why: Mapping[int, str] | None = None) -> Reference:
    """A reference from code points, in any order.

    why : position to what is new there
    Each position is moved to the first visible character from there. Two that meet become one, and those that part
    nothing (before all text, behind it) are left out.
    Raises `ValueError` for a position outside the document and for more than `MOST_BOUNDARIES`.
    """
    found: dict[int, str] = {}
    for at in sorted(set(positions)):
        if not 0 <= at <= len(document.text):
            raise ValueError(f"position {at} is outside the document, which has {len(document.text)} characters")
        place = _place(document, at)
        if place is not None:
            found[place] = found.get(place) or (why or {}).get(at, "")
    if len(found) > MOST_BOUNDARIES:
        raise ValueError(f"a reference has at most {MOST_BOUNDARIES:,} boundaries, not {len(found):,}")
    quotes = _quotes(document, sorted(found))
    made = tuple(Boundary(at, quotes[at], reason) for at, reason in sorted(found.items()))
    return Reference(document.name, document.fingerprint, made)


def from_chunking(chunking: Chunking) -> Reference:
    """The starts of the chunks but the first, with the reason why the chunk before ended there. Errors as above."""
    pairs = zip(chunking.chunks, chunking.chunks[1:], strict=False)
    reasons = {after.start: before.reason for before, after in pairs}
    return from_positions(chunking.document, reasons, reasons)


def read(data: bytes | str, document: Document) -> Reference:
    """A saved reference, checked against the document it is to be used with.

    Where the fingerprints agree, the words at each position must be those of the file. Where they do not, each
    boundary is looked up by its words, which must stand in the document exactly once, white space aside.
    Raises `LoadError` with what is wrong and where: not such a file, words that do not stand where the file says,
    words that are gone or stand there more than once, an order that has changed.
    """
    name, fingerprint, rows = _parsed(data)
    same = fingerprint == document.fingerprint
    places = {} if same else visible(document).places(squeezed(row.begins) for row in rows)
    found: list[Boundary] = []
    for number, row in enumerate(rows, start=1):
        at = _checked(row, document, number) if same else _looked_up(row, document, number, places)
        place = _place(document, at)
        if place is None:
            raise LoadError(f"Boundary {number} stands before the first words of {document.name}: it parts nothing.")
        if found and place <= found[-1].at:
            raise LoadError(
                f"Boundary {number} (“{_shown(row.begins)}”) does not come after the one before it in {document.name}."
            )
        found.append(Boundary(place, row.begins, row.why))
    return Reference(name, document.fingerprint, tuple(found), 0 if same else len(found))


def _checked(row: Boundary, document: Document, number: int) -> int:
    if not 0 <= row.at < len(document.text):
        raise LoadError(
            f"Boundary {number} is at {row.at}, outside the {len(document.text):,} characters of the document."
        )
    text = visible(document)
    if not text.text.startswith(squeezed(row.begins), int(np.searchsorted(text.at, row.at))):
        there = document.text[row.at : row.at + QUOTED]
        raise LoadError(
            f"Boundary {number} should begin with “{_shown(row.begins)}”, but at {row.at} stands “{' '.join(there.split())}”. "
            "Correct `at` or `begins` in the file."
        )
    return row.at


def _looked_up(row: Boundary, document: Document, number: int, places: Mapping[str, Sequence[int]]) -> int:
    found = places[squeezed(row.begins)]
    if len(found) != 1:
        how = "more than once" if found else "nowhere"
        raise LoadError(
            f"The reference was made for another version of {document.name}, and boundary {number} cannot be found again: "
            f"“{_shown(row.begins)}” stands {how} in it. Set the boundaries on this version and save them again."
        )
    return int(visible(document).at[found[0]])


def _parsed(data: bytes | str) -> tuple[str, str, list[Boundary]]:
    """Document name, fingerprint and boundaries of a file; everything in it is of the type it should be."""
    if len(data) > MOST_BYTES:
        raise LoadError(f"A reference has at most {MOST_BYTES:,} bytes, this file has {len(data):,}.")
    try:
        raw = json_text.read(data)
    except (ValueError, RecursionError) as error:  # ValueError: also bytes that are not UTF-8
        raise LoadError("This is no reference: the file is not JSON.") from error
    if not isinstance(raw, dict) or not isinstance(raw.get("boundaries"), list):
        raise LoadError("This is no reference: it has no list `boundaries`.")
    if raw.get("version", VERSION) != VERSION:
        raise LoadError(f"This reference has version {str(raw['version'])[:20]}; this program reads version {VERSION}.")
    if len(raw["boundaries"]) > MOST_BOUNDARIES:
        raise LoadError(
            f"A reference has at most {MOST_BOUNDARIES:,} boundaries, this one has {len(raw['boundaries']):,}."
        )
    name, fingerprint = _text(raw, "document", "The reference"), _text(raw, "fingerprint", "The reference")
    return name, fingerprint, [_row(row, number) for number, row in enumerate(raw["boundaries"], start=1)]


def _row(row: Any, number: int) -> Boundary:
    where = f"Boundary {number}"
    if not isinstance(row, dict):
        raise LoadError(f"{where} is not an object with `at` and `begins`.")
    at = row.get("at")
    if not isinstance(at, int) or isinstance(at, bool):
        raise LoadError(f"{where} has no whole number `at`.")
    begins = _text(row, "begins", where)
    if not begins.strip():
        raise LoadError(f"{where} has an empty `begins`: nothing says whether it stands in the right place.")
    if len(begins) > 2 * LONGEST_QUOTE:
        raise LoadError(f"{where} has a `begins` of {len(begins):,} characters; {2 * LONGEST_QUOTE:,} are the most.")
    return Boundary(at, begins, _text({"why": "", **row}, "why", where))


def _text(row: Mapping[str, Any], key: str, where: str) -> str:
    value = row.get(key)
    if not isinstance(value, str):
        raise LoadError(f"{where} has no text `{key}`.")
    if any("\ud800" <= c <= "\udfff" for c in value):
        raise LoadError(f"{where} has half a character in `{key}`.")
    return value


def load(path: str | Path, document: Document) -> Reference:
    """`read` from a file. Raises `LoadError`, also where the file cannot be opened."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise LoadError(f"The reference {Path(path).name} cannot be read ({error.strerror}).") from error
    return read(data, document)


def save(reference: Reference, path: str | Path) -> None:
    """Write the JSON that `load` reads. Raises `OSError` where the file cannot be written."""
    Path(path).write_text(reference.to_json(), encoding="utf-8", newline="\n")


def sample_ids() -> tuple[str, ...]:
    """The samples that come with boundaries set by hand, sorted; empty where the sample files are not installed."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.json")))


def of_sample(sample_id: str, document: Document) -> Reference | None:
    """The boundaries that were set by hand for a sample, None for a sample without any. Raises `LoadError`."""
    return load(FOLDER / f"{sample_id}.json", document) if sample_id in sample_ids() else None
