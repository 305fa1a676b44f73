"""Web pages: the words as a browser shows them, in order, without menus and footers. Or the source itself.

Text is collected in one walk over the tree that never recurses, so no nesting is too deep. White space is that of the
page as shown: runs of it are one blank, except in `pre`; `br` is a line end; a list item is a line that starts with
"- " or its number; a table row is a line with " | " between its cells.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from chunkviz.document import Block, BlockKind, Document, Note
from chunkviz.loaders.base import Loader
from chunkviz.loaders.code import language_name
from chunkviz.loaders.encoding import decode
from chunkviz.loaders.options import LoadOptions
from chunkviz.text.html_source import BLOCK_TAGS, HEADINGS, Path, code_language, source_blocks

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_DECLARED = re.compile(
    rb"<meta[^>]{1,500}?charset\s*=\s*[\"']?\s*([\w.:-]+)|<\?xml[^>]{1,200}?encoding\s*=\s*[\"']([\w.:-]+)",
    re.IGNORECASE,
)
# XHTML may close any element with />, which HTML ignores: the rest of the page would count as the script.
_SELF_CLOSED = re.compile(
    r"<(script|style|title|textarea|iframe|div|span|a|p|td|th|li|i|b|em)(\s[^<>]*)?/>", re.IGNORECASE
)

_DEEPEST_INDENT: Final = 10
"""Levels of nested lists that are indented: thousands would make a text of nothing but blanks."""

_SPACE = re.compile(r"[ \t\n\r\f]+")
_AROUND_BREAK = re.compile(r" *\n *")
_BLANKS = re.compile(r" {2,}")

# Never part of the words, by element: what they are called in the note, one and many.
_DROPPED: Final = {
    "title": ("page title", "page titles"),
    "script": ("script", "scripts"),
    "style": ("style sheet", "style sheets"),
    "template": ("template", "templates"),
    "noscript": ("part for browsers without scripts", "parts for browsers without scripts"),
    "svg": ("drawing", "drawings"),
    **dict.fromkeys(("iframe", "object", "embed", "video", "audio", "canvas"), ("embedded object", "embedded objects")),
}
_NAVIGATION: Final = ("navigation", "navigations")
_HEADER: Final = ("page header", "page headers")
_FOOTER: Final = ("footer", "footers")
_ASIDE: Final = ("side column", "side columns")
_BREADCRUMB: Final = ("breadcrumb trail", "breadcrumb trails")
_HIDDEN: Final = ("hidden part", "hidden parts")
_COMMENT: Final = ("comment", "comments")
_BOILERPLATE: Final = (_NAVIGATION, _HEADER, _FOOTER, _ASIDE, _BREADCRUMB)
_IN_NOTE: Final = tuple(dict.fromkeys((*_BOILERPLATE, _HIDDEN, *_DROPPED.values(), _COMMENT)))
"""What is left out, in the order in which the note names it."""

_BY_ROLE: Final = {"navigation": _NAVIGATION, "banner": _HEADER, "contentinfo": _FOOTER, "complementary": _ASIDE}
_BY_TAG: Final = {"nav": _NAVIGATION, "header": _HEADER, "footer": _FOOTER, "aside": _ASIDE}
_HIDING_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_PERMALINK = re.compile(r"\b(?:headerlink|permalink|hash-link|anchor-link|heading-anchor)\b")


def parse(data: bytes, name: str, options: LoadOptions, password: str | None) -> Document:
    """Decode a page, its own declaration respected, and take the words out of it, or its source where asked for."""
    declared = _DECLARED.search(data[:4096])
    charset = (declared[1] or declared[2]).decode("ascii", "replace") if declared else None
    decoded = decode(data, name, options.encoding, charset)
    if options.html_source:
        document = from_text(decoded.text, name, "")
    else:
        document = _extracted(decoded.text, name, options.keep_boilerplate)
    empty = () if document.text else (Note("empty", f"{name} holds no words.", 0, "warning" if data else "info"),)
    return replace(document, notes=(*decoded.notes, *empty, *document.notes))


def from_text(text: str, name: str, language: str) -> Document:
    """HTML whose text is its source, tags and all; blocks are found in it."""
    # The option is true of this text however it came, and tells `recursive` that there are tags to cut at.
    blocks = tuple(source_blocks(text, language_name))
    return Document(text, name, "html", blocks=blocks, options={"html_source": True})


def _extracted(source: str, name: str, keep_boilerplate: bool) -> Document:
    # Imported here: nobody pays for it who opens no page.
    from selectolax.lexbor import LexborHTMLParser

    if source.lstrip().startswith("<?xml") or name.lower().endswith(".xhtml"):
        source = _SELF_CLOSED.sub(r"<\1\2></\1>", source)
    tree = LexborHTMLParser(source)
    page = _Page(tree, keep_boilerplate)
    page.read()
    if not page.text and not keep_boilerplate and page.left_out.keys() & set(_BOILERPLATE):
        page = _Page(tree, keep_boilerplate=True)
        page.read()
        kept = Note("boilerplate", "All words stand in menus, headers or footers, so these were kept.", 0, "warning")
        return Document(page.text, name, "html", blocks=tuple(page.blocks), notes=(kept, *page.notes()))
    return Document(page.text, name, "html", blocks=tuple(page.blocks), notes=page.notes())


class _Page:
    """One walk over one page: `read()`, then `text`, `blocks` and `notes()`."""

    def __init__(self, tree: LexborHTMLParser, keep_boilerplate: bool) -> None:
        self._root = tree.root
        self._keep_boilerplate = keep_boilerplate
        self.left_out: Counter[tuple[str, str]] = Counter()
        self.blocks: list[Block] = []
        self._pieces: list[str] = []
        self._length = 0
        self._left_out_characters = 0
        self._images = 0

        self._path = Path()
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
        self._run: tuple[str, int] | None = None  # the list or table that the last line belongs to
        self._runs = 0
        self._run_path: tuple[str, ...] = ()

        self._only_h1 = len(tree.css("h1")) == 1
        self._layout_tables = _ancestors(tree, "h1, h2, h3, h4, h5, h6, pre, table")
        self._around_content = _ancestors(tree, "main, article")

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    def notes(self) -> tuple[Note, ...]:
        notes = []
        if self.left_out.total():
            parts = ", ".join(f"{n:,} {kind[n != 1]}" for kind in _IN_NOTE if (n := self.left_out[kind]))
            what = f"Left out: {parts} ({self._left_out_characters:,} characters)."
            notes.append(Note("boilerplate", what, self.left_out.total()))
        if self._images:
            images = "1 image is" if self._images == 1 else f"{self._images:,} images are"
            notes.append(Note("images", f"{images} left out, with the words that stand for them.", self._images))
        return tuple(notes)

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
            self.left_out[_COMMENT] += not self._skip_depth
            return
        if self._skip_depth:
            if tag != "h1" or not self._rescue:
                return
            self._rescued = (self._depth, self._skip_depth)
            self._skip_depth, self._rescue = 0, False
        else:
            reason = self._reason_to_skip(node, tag)
            if reason:
                self.left_out[reason] += 1
                if tag in BLOCK_TAGS:
                    self._flush()
                self._skip_depth = self._depth or 1
                self._rescue = reason is _HEADER and self._only_h1
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
                self._open_run("list")
            start = (node.attributes.get("start") or "1") if tag == "ol" else ""
            self._lists.append((int(start) if re.fullmatch(r"-?\d{1,9}", start) else 1) if tag == "ol" else None)
        elif tag in ("li", "dt", "dd") and self._lists:
            number = self._lists[-1]
            self._marker = {"dt": "", "dd": "  "}.get(tag, "- " if number is None else f"{number}. ")
            if number is not None:
                self._lists[-1] = number + 1
        elif tag == "table" and node.mem_id not in self._layout_tables:
            self._table_depth = self._depth
            self._open_run("table")
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
            self._write("table", self._taken())
        elif tag == "tr":
            self._end_row()
        elif tag == "thead":
            self._in_thead = False
        elif tag == "table" and self._depth == self._table_depth:
            if self._header and self._body_begun:
                self.blocks.append(Block("element", *self._header, path=(*self._run_path, "thead")))
            self._table_depth = 0
            self._inline.clear()
        else:
            self._inline.append(" ")

    def _end_row(self) -> None:
        """Write the row at hand, and note whether it heads the table: in `thead`, or nothing but `th` before the body."""
        line = " | ".join(self._row).strip() if any(self._row) else ""
        self._write("table", line)
        if line and not self._body_begun:
            if self._in_thead or self._row_tags == {"th"}:
                self._header = (self._header[0] if self._header else self._length - len(line), self._length)
            else:
                self._body_begun = True
        self._row = []
        self._row_tags.clear()

    # ---- what is left out ----

    def _reason_to_skip(self, node: LexborNode, tag: str) -> tuple[str, str] | None:
        if tag in _DROPPED:
            return _DROPPED[tag]
        if tag in ("html", "head", "body"):
            return None
        attributes = node.attributes
        if attributes and _is_hidden(tag, attributes):
            return _HIDDEN
        if self._heading and tag == "a" and _PERMALINK.search(attributes.get("class") or ""):
            return _HIDDEN
        if self._keep_boilerplate or node.mem_id in self._around_content:
            return None
        role = _BY_ROLE.get((attributes.get("role") or "").strip().lower())
        if role:
            return role
        if tag in ("header", "footer") and self._content:
            return None  # those of an article belong to it: its title, its author
        if _is_breadcrumb(tag, attributes):
            return _BREADCRUMB
        return _BY_TAG.get(tag)

    # ---- words ----

    def _words(self, text: str) -> None:
        if self._skip_depth:
            self._left_out_characters += len(_SPACE.sub(" ", text).strip())
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
            self._write("equation", words)
        else:
            self._inline.append(words)
        self._skip_depth = self._depth or 1
        self._left_out_characters -= sum(len(_SPACE.sub(" ", t).strip()) for t in _texts(node))

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
            self._write("code", "\n".join(lines), language=_language_of(self._pre))
            return
        if not self._inline:
            return
        text = self._taken()
        if self._heading:
            text = text.replace("\n", " ").rstrip("¶").rstrip()
            self._write("heading", text, level=HEADINGS[self._heading], title=text)
        elif self._lists:
            self._list_line(text)
        else:
            self._write("paragraph", text)

    def _list_line(self, text: str) -> None:
        if not text:
            return
        indent = "  " * min(len(self._lists) - 1, _DEEPEST_INDENT)
        hanging = indent + ("  " if not self._marker else " " * len(self._marker))
        first = indent + self._marker if self._marker else hanging
        self._marker = "  " if self._marker == "  " else ""
        self._write("list", first + text.replace("\n", "\n" + hanging))

    def _open_run(self, kind: str) -> None:
        self._runs += 1
        self._run = None
        self._run_path = self._path()

    def _write(self, kind: BlockKind, text: str, *, level: int = 0, title: str = "", language: str = "") -> None:
        """Add a block, or to the list or table at hand a line."""
        if not text.strip():
            return
        joins = kind in ("list", "table")
        run = (kind, self._runs) if joins else None
        if joins and run == self._run:
            self._add("\n" + text)
            self.blocks[-1] = replace(self.blocks[-1], end=self._length)
            return
        self._run = run
        if kind != "code":
            text = text.lstrip(" ")
        self._add(("\n\n" if self._pieces else "") + text)
        path = self._run_path if joins else self._path()
        self.blocks.append(
            Block(
                kind, self._length - len(text), self._length, level, title, language and language_name(language), path
            )
        )

    def _add(self, text: str) -> None:
        self._pieces.append(text)
        self._length += len(text)


def _ancestors(tree: LexborHTMLParser, selector: str) -> set[int]:
    """Ids of every element that has one of those selected inside; each is visited once, however deep the page nests."""
    seen: set[int] = set()
    for node in tree.css(selector):
        above = node.parent
        while above is not None and above.mem_id not in seen:
            seen.add(above.mem_id)
            above = above.parent
    return seen


def _is_hidden(tag: str, attributes: dict[str, Any]) -> bool:
    if "hidden" in attributes or (tag == "dialog" and "open" not in attributes):
        return True
    if _HIDING_STYLE.search(attributes.get("style") or ""):
        return True
    # On blocks this attribute is often left over from a dialog that was open when the page was saved.
    return tag not in BLOCK_TAGS and (attributes.get("aria-hidden") or "").lower() == "true"


def _is_breadcrumb(tag: str, attributes: dict[str, Any]) -> bool:
    if tag not in ("nav", "ol", "ul", "div", "p", "span", "section"):
        return False
    if "breadcrumb" in (attributes.get("aria-label") or "").lower():
        return True
    named = f"{attributes.get('class') or ''} {attributes.get('id') or ''}".lower()
    return any(word.startswith("breadcrumb") for word in named.split())


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


LOADER = Loader(format="html", suffixes=(".html", ".htm", ".xhtml"), parse=parse, from_text=from_text)
