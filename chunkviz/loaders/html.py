"""Web pages: the words as a browser shows them, in order, without menus and footers. Or the source itself."""

from __future__ import annotations

import re
from dataclasses import replace

from chunkviz.document import Document, Note
from chunkviz.loaders.base import Loader
from chunkviz.loaders.code import language_name
from chunkviz.loaders.encoding import decode
from chunkviz.loaders.html_page import Page
from chunkviz.loaders.options import LoadOptions
from chunkviz.text.html_source import source_blocks

_DECLARED = re.compile(
    rb"<meta[^>]{1,500}?charset\s*=\s*[\"']?\s*([\w.:-]+)|<\?xml[^>]{1,200}?encoding\s*=\s*[\"']([\w.:-]+)",
    re.IGNORECASE,
)
# XHTML may close any element with />, which HTML ignores: the rest of the page would count as the script.
_SELF_CLOSED = re.compile(
    r"<(script|style|title|textarea|iframe|div|span|a|p|td|th|li|i|b|em)(\s[^<>]*)?/>", re.IGNORECASE
)


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
    page = Page(tree, keep_boilerplate)
    page.read()
    if not page.text and not keep_boilerplate and page.left_out.has_boilerplate:
        page = Page(tree, keep_boilerplate=True)
        page.read()
        kept = Note("boilerplate", "All words stand in menus, headers or footers, so these were kept.", 0, "warning")
        return Document(page.text, name, "html", blocks=page.blocks, notes=(kept, *page.notes()))
    return Document(page.text, name, "html", blocks=page.blocks, notes=page.notes())


LOADER = Loader(format="html", suffixes=(".html", ".htm", ".xhtml"), parse=parse, from_text=from_text)
