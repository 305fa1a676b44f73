"""What was done to each document, as it is done: one JSON object a line, so that a run which ended early can go on.

    {"document": "sub/a.md", "sha256": "…", "recipe": "…", "file": "sub/a.md.parquet", "chunks": 12}
    {"document": "bad.pdf", "sha256": "…", "recipe": "…", "error": "bad.pdf is no PDF: …"}

`sha256` is that of the file that was read, `recipe` the key of the recipe with the versions installed here. Of several
lines about one document the last one holds; a line that was cut off by a crash says nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, TextIO

NAME: Final = "chunkviz-apply.jsonl"

Entry = dict[str, Any]


def entries(path: Path) -> Iterator[Entry]:
    """The lines of a journal that can be read, in order; none where there is no journal."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    except FileNotFoundError:
        return
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict) and isinstance(entry.get("document"), str):
            yield entry


class Journal:
    """The journal of one folder, open for writing. As a context."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / NAME
        self._known = {entry["document"]: entry for entry in entries(self._path)}
        self._file: TextIO | None = None

    def __enter__(self) -> Self:
        self._folder.mkdir(parents=True, exist_ok=True)
        # Written anew: one line for each document, and none that was cut off.
        fresh = self._path.with_name(f"{NAME}.new")
        fresh.write_text("".join(map(_line, self._known.values())), encoding="utf-8", newline="\n")
        fresh.replace(self._path)
        self._file = self._path.open("a", encoding="utf-8", newline="\n")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    def done(self, document: str, sha256: str, recipe: str, file: str) -> int | None:
        """How many chunks were made of this very content by this recipe, if the file is still there; else None."""
        entry = self._known.get(document, {})
        if (entry.get("sha256"), entry.get("recipe"), entry.get("file")) != (sha256, recipe, file):
            return None
        chunks = entry.get("chunks")
        return chunks if isinstance(chunks, int) and (self._folder / file).is_file() else None

    def write(self, entry: Entry) -> None:
        """Add a line; it is in the file when this returns."""
        if self._file is None:
            raise ValueError("the journal is not open")
        self._file.write(_line(entry))
        self._file.flush()


def _line(entry: Entry) -> str:
    return json.dumps(entry, ensure_ascii=True) + "\n"
