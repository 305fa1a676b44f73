"""The text of a web page as it grows: blocks with a blank line between, a line for each row of a table or item of a list."""

from __future__ import annotations

from dataclasses import replace

from chunkviz.document import Block, BlockKind
from chunkviz.loaders.code import language_name
from chunkviz.text.html_source import Path


class Blocks:
    """What has been written of a page.

    found    : the blocks, in order
    length   : of the text so far, in code points
    run_path : where the list or the table at hand began
    """

    def __init__(self, path: Path) -> None:
        """`path` is where the reader of the page stands, whenever something is written."""
        self.found: list[Block] = []
        self.length = 0
        self.run_path: tuple[str, ...] = ()
        self._path = path
        self._pieces: list[str] = []
        self._run: tuple[str, int] | None = None  # the list or table that the last line belongs to
        self._runs = 0

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    def open_run(self) -> None:
        """The next row or item begins a table or a list of its own."""
        self._runs += 1
        self._run = None
        self.run_path = self._path()

    def write(self, kind: BlockKind, text: str, *, level: int = 0, title: str = "", language: str = "") -> None:
        """Add a block, or to the list or table at hand a line."""
        if not text.strip():
            return
        joins = kind in ("list", "table")
        run = (kind, self._runs) if joins else None
        if joins and run == self._run:
            self._add("\n" + text)
            self.found[-1] = replace(self.found[-1], end=self.length)
            return
        self._run = run
        if kind != "code":
            text = text.lstrip(" ")
        self._add(("\n\n" if self._pieces else "") + text)
        path = self.run_path if joins else self._path()
        self.found.append(
            Block(kind, self.length - len(text), self.length, level, title, language and language_name(language), path)
        )

    def _add(self, text: str) -> None:
        self._pieces.append(text)
        self.length += len(text)
