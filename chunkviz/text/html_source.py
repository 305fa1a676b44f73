"""Structure of HTML found on its source: blocks with exact positions, for texts that stay as they are.

A tree parser gives no positions, so this reads tags in one pass and pairs them with stacks. It is linear in the length
of the source whatever that holds, and makes no claim to build the tree a browser would.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from chunkviz.document import Block, BlockKind
from chunkviz.spans import Span, is_blank, trimmed

BLOCK_TAGS: Final = frozenset(
    "address article aside blockquote body button caption center dd details dialog dir div dl dt fieldset figcaption"
    " figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li main menu nav ol optgroup option p pre"
    " search section select summary table tbody td template tfoot th thead tr ul".split()
)
"""Elements that a browser sets apart from what stands before and after; all others are part of a line."""

HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
VOID_TAGS: Final = frozenset("area base br col embed hr img input link meta source track wbr".split())
PATH_DEPTH: Final = 32
"""Levels of an element's path that are kept, outermost first: a page may nest thousands."""

_WHOLE: Final[dict[str, BlockKind]] = {
    **dict.fromkeys(HEADINGS, "heading"),
    "pre": "code",
    "table": "table",
    **dict.fromkeys(("ul", "ol", "dl"), "list"),
}
# Their content is characters, not tags, up to their own end tag.
_RAW: Final = frozenset("script style title textarea xmp iframe noembed noframes".split())
_WORDLESS: Final = _RAW - {"textarea", "xmp"}

# Possessive throughout, and a tag ends before another begins: no input makes this look at a character many times.
_TAG = re.compile(
    r"<!--.*?(?:-->|\Z)"
    r"|<(?P<end>/?)(?P<name>[A-Za-z][^\s/><]*+)(?P<attributes>(?:[^<>\"']++|\"[^\"]*+\"|'[^']*+')*+)>"
    r"|<[!?][^<>]*+>",
    re.DOTALL,
)
_LANGUAGE = re.compile(r"\b(?:language|lang|highlight-source|highlight)-([\w+#]+)")
_NO_LANGUAGE: Final = frozenset(
    ("default", "text", "none", "plain", "plaintext", "notranslate", "source", "nohighlight")
)


class Tag(NamedTuple):
    """One tag of the source; `name` is lower case, "" for a comment, a doctype or an instruction."""

    start: int
    end: int
    name: str
    closes: bool
    attributes: str


def tags(source: str) -> Iterator[Tag]:
    """Every tag and comment, in order; what looks like one inside a script, a style or a title is passed over."""
    at = 0
    unclosed: set[str] = set()
    while match := _TAG.search(source, at):
        at = match.end()
        name = (match["name"] or "").lower()
        tag = Tag(match.start(), at, name, bool(match["end"]), match["attributes"] or "")
        yield tag
        if name in _RAW and not tag.closes and name not in unclosed:
            ending = re.compile(f"</{name}", re.IGNORECASE).search(source, at)
            if ending:
                at = ending.start()
            else:
                unclosed.add(name)


def code_language(classes: str) -> str:
    """The word that a class attribute such as "highlight language-py" gives the language of its code, "" for none."""
    found = _LANGUAGE.search(classes)
    return found[1].lower() if found and found[1].lower() not in _NO_LANGUAGE else ""


class Path:
    """Where a walk through elements stands: tag names from the outermost, the second `p` of its parent as "p[2]"."""

    def __init__(self) -> None:
        self._labels: list[str] = []
        self._names: list[str] = []
        self._seen: list[dict[str, int]] = [{}]
        self._open: dict[str, int] = {}

    def enter(self, name: str) -> None:
        count = self._seen[-1].get(name, 0) + 1
        self._seen[-1][name] = count
        self._labels.append(name if count == 1 else f"{name}[{count}]")
        self._names.append(name)
        self._seen.append({})
        self._open[name] = self._open.get(name, 0) + 1

    def leave(self, name: str) -> None:
        """Leave the innermost `name` and all that is still open inside it; nothing where none is open."""
        while self._open.get(name):
            self._seen.pop()
            self._labels.pop()
            last = self._names.pop()
            self._open[last] -= 1
            if last == name:
                return

    @property
    def innermost(self) -> str:
        return self._names[-1] if self._names else ""

    def __call__(self) -> tuple[str, ...]:
        return tuple(self._labels[:PATH_DEPTH])


def source_blocks(source: str, language_name: Callable[[str], str] = str) -> Iterator[Block]:
    """Blocks of HTML source, in order and without overlap; they cover everything that is not white space.

    Headings, `pre`, tables and lists are whole, tags included; a table or list that holds a heading or code is not one
    block, but what it holds is. Between them a paragraph runs from one block-level tag to the next, and stretches of
    markup without words are `element`s. Every block has its path.
    """
    found = list(tags(source))
    at, tag_index = 0, 0
    path = Path()
    for whole in _wholes(source, found):
        until = tag_index
        while until < len(found) and found[until].start < whole.start:
            until += 1
        yield from _between(source, found[tag_index:until], Span(at, whole.start), path)
        _close_implied(path, found[until].name)
        path.enter(found[until].name)
        kind = _WHOLE[found[until].name]
        text = source[whole.start : whole.end]
        if kind == "heading":
            level = HEADINGS[found[until].name]
            yield Block(kind, *whole, level=level, title=_title(text), path=path())
        elif kind == "code":
            yield Block(kind, *whole, language=language_name(code_language(text[:500])), path=path())
        else:
            yield Block(kind, *whole, path=path())
        path.leave(found[until].name)
        while until < len(found) and found[until].start < whole.end:
            until += 1
        at, tag_index = whole.end, until
    yield from _between(source, found[tag_index:], Span(at, len(source)), path)


def _wholes(source: str, found: Sequence[Tag]) -> Iterator[Span]:
    """The elements that are one block each, in order and without overlap."""
    pairs = sorted(_pairs(found), key=lambda p: (p[0], -p[1]))
    fixed = [start for start, _, name in pairs if name in HEADINGS or name == "pre"]
    tables = [start for start, _, name in pairs if name == "table"]
    at = 0
    for start, end, name in pairs:
        if start < at:
            continue
        if name not in HEADINGS and name != "pre" and (_any(fixed, start, end) or _any(tables, start + 1, end)):
            continue
        yield Span(start, end)
        at = end


def _any(positions: Sequence[int], start: int, end: int) -> bool:
    i = bisect_left(positions, start)
    return i < len(positions) and positions[i] < end


def _pairs(found: Sequence[Tag]) -> Iterator[tuple[int, int, str]]:
    """Start and end of each element in `_WHOLE` that is closed; any end tag of a heading closes a heading."""
    open_: dict[str, list[Tag]] = {}
    for tag in found:
        if tag.name not in _WHOLE:
            continue
        stack = open_.setdefault("h" if tag.name in HEADINGS else tag.name, [])
        if not tag.closes:
            if tag.name in HEADINGS:
                stack.clear()  # headings do not nest: one that is still open was never closed
            stack.append(tag)
        elif stack:
            opening = stack.pop()
            yield opening.start, tag.end, opening.name


def _between(source: str, found: Sequence[Tag], span: Span, path: Path) -> Iterator[Block]:
    """Paragraphs and elements of a stretch that holds no whole element."""
    start = text_at = span.start
    has_words = False
    held: Block | None = None  # markup without words, which grows until words come
    here = path()

    def region(end: int) -> Iterator[Block]:
        nonlocal held
        inner = trimmed(source, Span(start, end))
        if inner.start == inner.end:
            return
        if has_words:
            if held:
                yield held
            held = None
            yield Block("paragraph", *inner, path=here)
        else:
            held = Block("element", held.start if held else inner.start, inner.end, path=held.path if held else here)

    wordless = ""
    for tag in found:
        if not wordless and not is_blank(source, text_at, tag.start):
            has_words = True
        wordless = tag.name if tag.name in _WORDLESS and not tag.closes else ""
        text_at = tag.end
        if tag.name not in BLOCK_TAGS:
            continue
        cut = tag.end if tag.closes else tag.start
        yield from region(cut)
        start, has_words = cut, False
        if tag.closes:
            path.leave(tag.name)
        else:
            _close_implied(path, tag.name)
            if tag.name not in VOID_TAGS and tag.name not in ("html", "body"):
                path.enter(tag.name)
        here = path()
    if not is_blank(source, text_at, span.end) and not wordless:
        has_words = True
    yield from region(span.end)
    if held:
        yield held


def _close_implied(path: Path, name: str) -> None:
    """Close what a start tag closes without an end tag: any block ends a paragraph, an item ends the item before it."""
    if path.innermost == "p":
        path.leave("p")
    if name in ("li", "dd", "dt", "tr", "td", "th", "option") and path.innermost == name:
        path.leave(name)


def _title(source: str) -> str:
    words = html.unescape(_TAG.sub(lambda m: " " if (m["name"] or "").lower() == "br" else "", source))
    return " ".join(words.split()).rstrip("¶").rstrip()


def words(source: str) -> str:
    """The words of a piece of source on one line: tags gone, those of blocks as gaps, references such as &amp; resolved.

    >>> words("<td>Fish &amp; <b>chips</b><br>large</td>")
    'Fish & chips large'
    """
    apart = BLOCK_TAGS | {"br"}
    shown = _TAG.sub(lambda m: " " if (m["name"] or "").lower() in apart else "", source)
    return " ".join(html.unescape(shown).split())
