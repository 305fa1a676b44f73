"""One walk over the tree of a web page, which collects its words as a browser shows them, block by block.

The walk never recurses, so no nesting is too deep. White space is that of the page as shown: runs of it are one blank,
except in `pre`; `br` is a line end; a list item is a line that starts with "- " or its number; a table row is a line
with " | " between its cells.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from chunkviz.document import Block, Note
from chunkviz.loaders.html_blocks import Blocks
from chunkviz.loaders.html_left_out import COMMENT, HEADER, LeftOut, ancestors
from chunkviz.text.html_source import BLOCK_TAGS, HEADINGS, Path, code_language

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_DEEPEST_INDENT: Final = 10
"""Levels of nested lists that are indented: thousands would make a text of nothing but blanks."""

_SPACE = re.compile(r"[ \t\n\r\f]+")
_AROUND_BREAK = re.compile(r" *\n *")
_BLANKS = re.compile(r" {2,}")


class Page:
    """One walk over one page: `read()`, then `text`, `blocks`, `notes()` and `left_out`."""

    def __init__(self, tree: LexborHTMLParser, keep_boilerplate: bool) -> None:
        self.left_out = LeftOut(tree, keep_boilerplate)
        self._root = tree.root
        self._images = 0
        self._path = Path()
        self._written = Blocks(self._path)
        self._inline: list[str] = []  # what the block at hand consists of so far
        self._depth = 0
        self._skip_depth = 0  # depth of the element whose content is left out, 0 outside of one
        self._rescue = False  # the part that is left out may hold the only h1 of the page, which is kept
        self._rescued = (0, 0)  # depth of that h1 while it is read, and of the part that is left out around it
        self._content = 0  # open `main` and `article` elements
        self._heading = ""
        self._pre: LexborNode | None = None
        self._lists: list[int | None] = []  # open lists: the next number, None for bullets
        self._marker = ""  # of the item at hand, until its first words are written
        self._table_depth = 0  # depth of the table that is read row by row, 0 outside of one
        self._row: list[str] = []
        self._row_tags: set[str] = set()
        self._in_thead = False
        self._header: tuple[int, int] | None = None  # the header rows of the table at hand
        self._body_begun = False

        self._only_h1 = len(tree.css("h1")) == 1
        self._layout_tables = ancestors(tree, "h1, h2, h3, h4, h5, h6, pre, table")

    @property
    def text(self) -> str:
        return self._written.text

    @property
    def blocks(self) -> tuple[Block, ...]:
        return tuple(self._written.found)

    def notes(self) -> tuple[Note, ...]:
        notes = self.left_out.notes()
        if self._images:
            images = "1 image is" if self._images == 1 else f"{self._images:,} images are"
            notes += (Note("images", f"{images} left out, with the words that stand for them.", self._images),)
        return notes

    def read(self) -> None:
        """Walk the tree in document order with an explicit way back: entering and leaving every element once."""
        node: LexborNode | None = self._root
        while node is not None:
            self._enter(node)
            if node.first_child is not None:
                node = node.first_child
                self._depth += 1
                continue
            while node is not None:
                self._leave(node)
                following = node.next if self._depth else None
                if following is not None:
                    node = following
                    break
                node = node.parent if self._depth else None
                self._depth -= 1
        self._flush()

    # ---- entering and leaving ----

    def _enter(self, node: LexborNode) -> None:
        tag = node.tag or ""
        if tag == "-text":
            self._words(node.text_content or "")
            return
        if tag == "-comment":
            self.left_out.counts[COMMENT] += not self._skip_depth
            return
        if self._skip_depth:
            if tag != "h1" or not self._rescue:
                return
            self._rescued = (self._depth, self._skip_depth)
            self._skip_depth, self._rescue = 0, False
        else:
            reason = self.left_out.reason(node, tag, in_heading=bool(self._heading), in_content=self._content > 0)
            if reason:
                self.left_out.counts[reason] += 1
                if tag in BLOCK_TAGS:
                    self._flush()
                self._skip_depth = self._depth or 1
                self._rescue = reason is HEADER and self._only_h1
                return
        if tag == "math":
            self._formula(node)
        elif tag == "br":
            self._inline.append("\n" if not self._table_depth else " ")
        elif tag == "img":
            self._images += 1
        elif tag in BLOCK_TAGS:
            self._enter_block(node, tag)

    def _enter_block(self, node: LexborNode, tag: str) -> None:
        self._flush()
        if tag not in ("html", "body", "hr"):
            self._path.enter(tag)
        if self._table_depth:
            if tag in ("td", "th", "caption"):
                self._inline.clear()
            self._in_thead = self._in_thead or tag == "thead"
            return
        if tag in ("main", "article"):
            self._content += 1
        elif tag in HEADINGS:
            self._heading = tag
        elif tag == "pre":
            self._pre = node
        elif tag in ("ul", "ol", "menu", "dir", "dl"):
            if not self._lists:
                self._written.open_run()
            start = (node.attributes.get("start") or "1") if tag == "ol" else ""
            self._lists.append((int(start) if re.fullmatch(r"-?\d{1,9}", start) else 1) if tag == "ol" else None)
        elif tag in ("li", "dt", "dd") and self._lists:
            number = self._lists[-1]
            self._marker = {"dt": "", "dd": "  "}.get(tag, "- " if number is None else f"{number}. ")
            if number is not None:
                self._lists[-1] = number + 1
        elif tag == "table" and node.mem_id not in self._layout_tables:
            self._table_depth = self._depth
            self._written.open_run()
            self._row = []
            self._row_tags.clear()
            self._in_thead = self._body_begun = False
            self._header = None

    def _leave(self, node: LexborNode) -> None:
        tag = node.tag or ""
        if self._skip_depth:
            if self._depth <= self._skip_depth:
                self._skip_depth, self._rescue = 0, False
            return
        if tag not in BLOCK_TAGS:
            return
        if self._table_depth:
            self._leave_in_table(tag)
        else:
            self._flush()
            if tag in ("main", "article"):
                self._content -= 1
            elif tag in HEADINGS:
                self._heading = ""
                if self._depth == self._rescued[0]:
                    self._skip_depth, self._rescued = self._rescued[1], (0, 0)
            elif tag == "pre":
                self._pre = None
            elif tag in ("ul", "ol", "menu", "dir", "dl"):
                self._lists.pop()
            elif tag in ("li", "dt", "dd"):
                self._marker = ""
        self._path.leave(tag)

    def _leave_in_table(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._row.append(" ".join(self._taken().split("\n")))
            self._row_tags.add(tag)
        elif tag == "caption":
            self._written.write("table", self._taken())
        elif tag == "tr":
            self._end_row()
        elif tag == "thead":
            self._in_thead = False
        elif tag == "table" and self._depth == self._table_depth:
            if self._header and self._body_begun:
                self._written.found.append(Block("element", *self._header, path=(*self._written.run_path, "thead")))
            self._table_depth = 0
            self._inline.clear()
        else:
            self._inline.append(" ")

    def _end_row(self) -> None:
        """Write the row at hand, and note whether it heads the table: in `thead`, or nothing but `th` before the body."""
        line = " | ".join(self._row).strip() if any(self._row) else ""
        self._written.write("table", line)
        if line and not self._body_begun:
            if self._in_thead or self._row_tags == {"th"}:
                end = self._written.length
                self._header = (self._header[0] if self._header else end - len(line), end)
            else:
                self._body_begun = True
        self._row = []
        self._row_tags.clear()

    # ---- words ----

    def _words(self, text: str) -> None:
        if self._skip_depth:
            self.left_out.characters += len(_SPACE.sub(" ", text).strip())
        elif self._pre is not None:
            self._inline.append(text)
        else:
            self._inline.append(_SPACE.sub(" ", text))

    def _formula(self, node: LexborNode) -> None:
        """A formula by its TeX, where the page carries it, else by the characters it shows; its parts are not words."""
        source = node.css_first("annotation")
        words = node.attributes.get("alttext") or (source.text() if source else node.text())
        words = _SPACE.sub(" ", words or "").strip()
        apart = node.attributes.get("display") == "block" and not (self._lists or self._table_depth or self._heading)
        if apart:
            self._flush()
            self._written.write("equation", words)
        else:
            self._inline.append(words)
        self._skip_depth = self._depth or 1
        self.left_out.characters -= sum(len(_SPACE.sub(" ", t).strip()) for t in _texts(node))

    def _taken(self) -> str:
        """The words collected since the last block, as a browser would show them; what was collected is empty then."""
        text = "".join(self._inline)
        self._inline.clear()
        return _AROUND_BREAK.sub("\n", _BLANKS.sub(" ", text)).strip(" \n")

    def _flush(self) -> None:
        """End the block at hand, whatever it is. Inside a table a new block is only a gap between words."""
        if self._table_depth:
            self._inline.append(" ")
            return
        if self._pre is not None:
            code = "".join(self._inline)
            self._inline.clear()
            lines = code.replace("\r\n", "\n").replace("\r", "\n").rstrip().split("\n")
            while lines and not lines[0].strip():
                lines.pop(0)
            self._written.write("code", "\n".join(lines), language=_language_of(self._pre))
            return
        if not self._inline:
            return
        text = self._taken()
        if self._heading:
            text = text.replace("\n", " ").rstrip("¶").rstrip()
            self._written.write("heading", text, level=HEADINGS[self._heading], title=text)
        elif self._lists:
            self._list_line(text)
        else:
            self._written.write("paragraph", text)

    def _list_line(self, text: str) -> None:
        if not text:
            return
        indent = "  " * min(len(self._lists) - 1, _DEEPEST_INDENT)
        hanging = indent + ("  " if not self._marker else " " * len(self._marker))
        first = indent + self._marker if self._marker else hanging
        self._marker = "  " if self._marker == "  " else ""
        self._written.write("list", first + text.replace("\n", "\n" + hanging))


def _language_of(pre: LexborNode) -> str:
    """The language of a `pre` by the class of its `code`, of itself, or of the two elements around it."""
    code = pre.css_first("code")
    around = pre.parent
    for node in (code, pre, around, around.parent if around else None):
        language = code_language(node.attributes.get("class") or "") if node is not None else ""
        if language:
            return language
    return ""


def _texts(node: LexborNode) -> list[str]:
    return [inner.text_content or "" for inner in node.traverse(include_text=True) if inner.tag == "-text"]
