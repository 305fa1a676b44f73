"""What of a web page is never part of its words (scripts, hidden parts), and what is left out because it stands around
them on every page of a site: menus, headers, footers."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from chunkviz.document import Note
from chunkviz.text.html_source import BLOCK_TAGS

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

Kind = tuple[str, str]
"""Of what is left out, as the note calls it: one, and many."""

# Never part of the words, by element: what they are called in the note.
_DROPPED: Final[dict[str, Kind]] = {
    "title": ("page title", "page titles"),
    "script": ("script", "scripts"),
    "style": ("style sheet", "style sheets"),
    "template": ("template", "templates"),
    "noscript": ("part for browsers without scripts", "parts for browsers without scripts"),
    "svg": ("drawing", "drawings"),
    **dict.fromkeys(("iframe", "object", "embed", "video", "audio", "canvas"), ("embedded object", "embedded objects")),
}
_NAVIGATION: Final = ("navigation", "navigations")
HEADER: Final = ("page header", "page headers")
_FOOTER: Final = ("footer", "footers")
_ASIDE: Final = ("side column", "side columns")
_BREADCRUMB: Final = ("breadcrumb trail", "breadcrumb trails")
_HIDDEN: Final = ("hidden part", "hidden parts")
COMMENT: Final = ("comment", "comments")
_BOILERPLATE: Final = (_NAVIGATION, HEADER, _FOOTER, _ASIDE, _BREADCRUMB)
_IN_NOTE: Final = tuple(dict.fromkeys((*_BOILERPLATE, _HIDDEN, *_DROPPED.values(), COMMENT)))
"""What is left out, in the order in which the note names it."""

_BY_ROLE: Final = {"navigation": _NAVIGATION, "banner": HEADER, "contentinfo": _FOOTER, "complementary": _ASIDE}
_BY_TAG: Final = {"nav": _NAVIGATION, "header": HEADER, "footer": _FOOTER, "aside": _ASIDE}
_HIDING_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_PERMALINK = re.compile(r"\b(?:headerlink|permalink|hash-link|anchor-link|heading-anchor)\b")


class LeftOut:
    """What one page loses on the way to its words: asked about every element, and counted.

    counts     : how often each kind was left out
    characters : of the words in what was left out
    """

    def __init__(self, tree: LexborHTMLParser, keep_boilerplate: bool) -> None:
        self.counts: Counter[Kind] = Counter()
        self.characters = 0
        self._keep_boilerplate = keep_boilerplate
        self._around_content = ancestors(tree, "main, article")

    @property
    def has_boilerplate(self) -> bool:
        """Whether anything was left out that `keep_boilerplate` would have kept."""
        return bool(self.counts.keys() & set(_BOILERPLATE))

    def reason(self, node: LexborNode, tag: str, *, in_heading: bool, in_content: bool) -> Kind | None:
        """As what an element is left out with all that is in it, None where it is not.

        in_heading : whether it stands in a heading
        in_content : whether it stands in `main` or `article`
        """
        if tag in _DROPPED:
            return _DROPPED[tag]
        if tag in ("html", "head", "body"):
            return None
        attributes = node.attributes
        if attributes and _is_hidden(tag, attributes):
            return _HIDDEN
        if in_heading and tag == "a" and _PERMALINK.search(attributes.get("class") or ""):
            return _HIDDEN
        if self._keep_boilerplate or node.mem_id in self._around_content:
            return None
        role = _BY_ROLE.get((attributes.get("role") or "").strip().lower())
        if role:
            return role
        if tag in ("header", "footer") and in_content:
            return None  # those of an article belong to it: its title, its author
        if _is_breadcrumb(tag, attributes):
            return _BREADCRUMB
        return _BY_TAG.get(tag)

    def notes(self) -> tuple[Note, ...]:
        """One note that names what was left out, none where nothing was."""
        if not self.counts.total():
            return ()
        parts = ", ".join(f"{n:,} {kind[n != 1]}" for kind in _IN_NOTE if (n := self.counts[kind]))
        what = f"Left out: {parts} ({self.characters:,} characters)."
        return (Note("boilerplate", what, self.counts.total()),)


def ancestors(tree: LexborHTMLParser, selector: str) -> set[int]:
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
