"""HTML: the words as a browser shows them, block by block; or the source itself, with the blocks found on it.

The tree is walked with a stack of our own, so that deep nesting costs memory and not the process.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from typing import Any, Final

from chunkviz.document import Block, BlockKind, Document, Note
from chunkviz.loaders.base import Loader
from chunkviz.loaders.encoding import decode
from chunkviz.loaders.options import LoadOptions
from chunkviz.spans import Span, trimmed
from chunkviz.text.blocks import filled

_HEADINGS: Final = {f"h{n}": n for n in range(1, 7)}
_BLOCKS: Final = frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure footer"
    " form header hgroup hr html legend li main menu nav ol optgroup option p pre search section summary table tbody tfoot"
    " thead tr ul h1 h2 h3 h4 h5 h6".split()
)
_NEVER: Final = frozenset(
    "script style template noscript head title meta link svg math iframe object canvas audio video".split()
)
_BOILERPLATE_TAGS: Final = {"nav": "navigation", "footer": "footer", "aside": "side column", "header": "page header"}
_BOILERPLATE_ROLES: Final = {
    "navigation": "navigation",
    "banner": "page header",
    "contentinfo": "footer",
    "complementary": "side column",
    "search": "search box",
}
_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w-]+)", re.IGNORECASE)
_LANGUAGE = re.compile(r"\b(?:language|lang|highlight-source)-([\w+#-]+)")
_SPACES = re.compile(r"[ \t\r\n\f]+")


@dataclass
class _Page:
    """The text while it grows: finished blocks, and the words of the one that is open."""

    keep_boilerplate: bool
    parts: list[str] = field(default_factory=list)
    length: int = 0
    blocks: list[Block] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    left_out_length: int = 0

    def block(self, kind: BlockKind, text: str, *, level: int = 0, language: str = "") -> None:
        if not text.strip():
            return
        glue = "" if not self.parts else "\n" if kind == "list" and self.blocks[-1].kind == "list" else "\n\n"
        self.parts += [glue, text]
        start = self.length + len(glue)
        self.length = start + len(text)
        if glue == "\n":
            first = self.blocks.pop()
            self.blocks.append(Block("list", first.start, self.length))
        else:
            title = " ".join(text.split()) if kind == "heading" else ""
            self.blocks.append(Block(kind, start, self.length, level, title, language))

    def flush(self, kind: BlockKind = "paragraph", level: int = 0, prefix: str = "") -> None:
        """Close the open block."""
        text = "\n".join(_SPACES.sub(" ", line).strip(" ") for line in "".join(self.open).split("\v")).strip("\n ")
        self.open.clear()
        if text.strip():
            self.block(kind, prefix + text, level=level)


def parse(data: bytes, name: str, options: LoadOptions, password: str | None) -> Document:
    """The page's words in order, without its navigation; or its source, with `html_source`."""
    declared = _CHARSET.search(data[:4096])
    decoded = decode(data, name, options.encoding, declared[1].decode("ascii") if declared else "")
    if options.html_source:
        document = from_text(decoded.text, name, "")
        return replace(document, notes=(*decoded.notes, *document.notes))
    from selectolax.lexbor import LexborHTMLParser

    page = _Page(options.keep_boilerplate)
    root = LexborHTMLParser(decoded.text).root
    if root is not None:
        _walk(root, page)
    text = "".join(page.parts)
    notes = [*decoded.notes, *_notes(page)]
    if not text:
        notes.append(Note("empty", f"{name} shows no text.", 0, "warning"))
    return Document(text, name, "html", tuple(page.blocks), notes=tuple(notes))


def _walk(root: Any, page: _Page) -> None:
    """Depth first, each node once on the way in and, for elements, once on the way out."""
    stack: list[tuple[Any, bool]] = [(root, False)]
    inside: Counter[str] = Counter()
    context: list[tuple[BlockKind, int, str]] = [("paragraph", 0, "")]
    while stack:
        node, leaving = stack.pop()
        tag = node.tag or ""
        if tag == "-text":
            page.open.append(node.text_content or "")
            continue
        if leaving:
            page.flush(*context[-1])
            context.pop()
            inside[tag] -= 1
            continue
        if tag.startswith("-") or tag == "_comment":
            page.left_out["comment"] += tag == "_comment"
            continue
        reason = _left_out(node, tag, inside, page.keep_boilerplate)
        if reason:
            page.left_out[reason] += 1
            page.left_out_length += len(_SPACES.sub(" ", node.text() or "")) if reason != "script" else 0
            if tag in _BLOCKS:
                page.flush(*context[-1])
            continue
        if tag == "br":
            page.open.append("\v")
        elif tag == "img":
            page.left_out["picture"] += 1
        elif tag == "pre":
            page.flush(*context[-1])
            page.block("code", (node.text() or "").strip("\r\n").rstrip(), language=_language(node))
        elif tag == "table" and not node.css_first("table table, table pre, table h1, table h2, table h3"):
            page.flush(*context[-1])
            page.block("table", "\n".join(_rows(node)))
        else:
            if tag in _BLOCKS:
                page.flush(*context[-1])
                context.append(_context(tag, context[-1]))
                inside[tag] += 1
                stack.append((node, True))
            elif tag in ("td", "th"):
                page.open.append(" ")
            child = node.last_child
            while child is not None:
                stack.append((child, False))
                child = child.prev
    page.flush(*context[-1])


def _context(tag: str, outer: tuple[BlockKind, int, str]) -> tuple[BlockKind, int, str]:
    if tag in _HEADINGS:
        return "heading", _HEADINGS[tag], ""
    if tag in ("li", "dt", "dd"):
        return "list", 0, "- "
    if outer[0] == "list" and tag in ("p", "div", "span"):
        return outer
    return "paragraph", 0, ""


def _left_out(node: Any, tag: str, inside: Counter[str], keep: bool) -> str:
    """What an element is called in the notes if it is left out, "" if it stays."""
    if tag in _NEVER:
        return {"script": "script", "style": "style sheet"}.get(tag, tag)
    attributes = node.attributes
    if (
        "hidden" in attributes
        or attributes.get("aria-hidden") == "true"
        or "display:none" in ((attributes.get("style") or "").replace(" ", "").lower())
    ):
        return "hidden element"
    if keep:
        return ""
    # The header or footer of an article is part of it; that of the page is not.
    in_content = inside["main"] + inside["article"] + inside["section"] > 0
    if tag in _BOILERPLATE_TAGS and not (tag in ("header", "footer") and in_content):
        return _BOILERPLATE_TAGS[tag]
    role = (attributes.get("role") or "").lower()
    if role in _BOILERPLATE_ROLES:
        return _BOILERPLATE_ROLES[role]
    named = f"{attributes.get('class') or ''} {attributes.get('id') or ''} {attributes.get('aria-label') or ''}".lower()
    return "breadcrumb trail" if re.search(r"\bbread-?crumbs?\b", named) else ""


def _rows(table: Any) -> Iterator[str]:
    for row in table.css("tr"):
        cells = [_SPACES.sub(" ", cell.text() or "").strip() for cell in row.css("td, th")]
        if any(cells):
            yield " | ".join(cells)


def _language(node: Any) -> str:
    inner = node.css_first("code")
    named = f"{node.attributes.get('class') or ''} {(inner.attributes.get('class') if inner else '') or ''}"
    match = _LANGUAGE.search(named)
    return match[1].lower() if match else ""


def _notes(page: _Page) -> Iterator[Note]:
    shown = (
        "navigation",
        "page header",
        "footer",
        "side column",
        "breadcrumb trail",
        "search box",
        "script",
        "style sheet",
    )
    rest = [name for name in page.left_out if name not in (*shown, "head", "title", "meta", "link")]
    names = [name for name in (*shown, *sorted(rest)) if page.left_out[name]]
    if names:
        parts = ", ".join(f"{page.left_out[n]} {n}" for n in names)
        total = sum(page.left_out[n] for n in names)
        yield Note("boilerplate", f"Left out: {parts} ({page.left_out_length:,} characters of text).", total)
    if page.keep_boilerplate:
        yield Note("boilerplate", "Navigation, page headers and footers are kept, as you chose.")


# --- the source itself ------------------------------------------------------------------------------------------


class _Places(HTMLParser):
    """Where headings and code blocks stand in the source. Positions come from the parser's own line and column."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self._text = text
        # html.parser counts lines at LF only.
        self._lines = [0, *(m.end() for m in re.finditer("\n", text))]
        self._open: tuple[str, int, list[str]] | None = None
        self.blocks: list[Block] = []

    def _at(self) -> int:
        line, column = self.getpos()
        return self._lines[line - 1] + column

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._open is None and (tag in _HEADINGS or tag == "pre" or tag == "table"):
            self._open = (tag, self._at(), [])

    def handle_data(self, data: str) -> None:
        if self._open:
            self._open[2].append(data)

    def handle_endtag(self, tag: str) -> None:
        if self._open is None or tag != self._open[0]:
            return
        start = self._open[1]
        close = self._text.find(">", self._at())
        end = close + 1 if close >= 0 else len(self._text)
        title = " ".join("".join(self._open[2]).split())
        if tag in _HEADINGS:
            self.blocks.append(Block("heading", start, end, _HEADINGS[tag], title))
        else:
            self.blocks.append(Block("code" if tag == "pre" else "table", start, end))
        self._open = None


def from_text(text: str, name: str, language: str) -> Document:
    """The source as it is, with headings, code and tables found on it."""
    places = _Places(text)
    places.feed(text)
    places.close()
    found = []
    at = 0
    for block in places.blocks:
        span = trimmed(text, Span(block.start, block.end))
        if span.start >= at and span.length:
            found.append(replace(block, start=span.start, end=span.end))
            at = span.end
    return Document(text, name, "html", filled(text, found), options={"html_source": True})


LOADER = Loader(format="html", suffixes=(".html", ".htm", ".xhtml"), parse=parse, from_text=from_text)
