"""Sentences with exact positions: own rules, no look-up afterwards.

Three steps:

1. The text is parted where its layout says so: blank lines, list items, headings, table rows, fenced code, speakers.
2. Inside a part, every run of closing marks (. ! ? … 。 ؟ । and the quotes and brackets behind it) is a candidate.
3. A candidate ends a sentence unless what stands around it says otherwise: an abbreviation, an initial, a number,
   a small letter that follows, a quotation that goes on.

A line end inside a paragraph ends nothing: texts are often wrapped by hand. Spans are trimmed, in order, and together
hold every character that is not white space.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from chunkviz.document import Document
from chunkviz.graphemes import graphemes
from chunkviz.spans import Span, Spans, trimmed
from chunkviz.text.abbreviations import (
    BEFORE_NUMBER,
    GERMAN_AFTER_ORDINAL,
    GERMAN_BEFORE_ORDINAL,
    NEVER,
    SOMETIMES,
    STARTERS,
)

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_FENCE = re.compile(r"[ \t]{0,3}(`{3,}|~{3,})")
_OWN_LINE = re.compile(r"[ \t]{0,3}(?:#{1,6}[ \t]|\|)")
_STARTS_PART = re.compile(
    r"[ \t]*(?:[-*+•–‣][ \t]+|(?:\d{1,3}|[a-zA-Z])[.)][ \t]+|\[?\d\d?:\d\d(?::\d\d)?\]?[ \t]|"
    r"[A-ZÀ-Þ][\w.'’-]*(?: [A-ZÀ-Þ0-9][\w.'’-]*){0,2}:[ \t])"
)
_RULE = re.compile(r"[ \t]{0,3}(?:=+|-{2,}|[*_]{3,})[ \t]*(?:[\r\n]|\Z)")

_END = re.compile(
    r"""(?P<mark>[.!?…‽]+|[。！？｡．]+|[؟۔।॥։።]+)(?P<close>["'”’»)\]}」』】）〉》›]*(?:[ \u00a0\u202f]»(?=\s|\Z))?)"""
)
_WORD_BEFORE = re.compile(r"[\w.§&'’-]*\Z")
_OPENERS = "\"'“‘«([{¿¡„‚‹「『【（《〈—–-*_ \t\r\n\u00a0"
_NEXT_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_INITIALS = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]")
_NUMERAL = re.compile(r"[0-9IVXLC]+\b|[A-Z]\b")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")


def sentences(text: str, start: int = 0, end: int | None = None) -> list[Span]:
    """The sentences of `text[start:end]`, trimmed, in order.

    >>> [s for s in sentences("Dr. Who paid 3.50 euros. Why?")]
    [Span(start=0, end=24), Span(start=25, end=29)]
    """
    return list(_found(text, start, len(text) if end is None else end))


def _found(text: str, start: int, end: int) -> Iterator[Span]:
    for part, prose in _parts(text, start, end):
        for span in _in_prose(text, part) if prose else (part,):
            inner = trimmed(text, span)
            if inner.length:
                yield inner


def document_sentences(document: Document) -> Spans:
    """The sentences of a document, worked out once; none crosses the border of a block.

    A heading is one sentence, a table one for each row, code one for each line; the rest is prose.
    """

    def make() -> Spans:
        starts: list[int] = []
        ends: list[int] = []
        for start, end in _in_blocks(document):
            starts.append(start)
            ends.append(end)
        return Spans(starts, ends)

    return document.derive("sentences", make)


def whole_sentences(document: Document) -> Spans:
    """The same, moved to whole characters: a mark on the blank between two sentences belongs to the blank's character."""
    return document.derive("whole sentences", lambda: graphemes(document).trimmed_all(document_sentences(document)))


def _in_blocks(document: Document) -> Iterator[Span]:
    text = document.text
    at = 0
    for block in document.blocks:
        if block.kind == "element" or block.start < at:
            continue
        yield from _found(text, at, block.start)
        at = block.end
        if block.kind == "heading":
            spans: Iterable[Span] = [trimmed(text, block.span)]
        elif block.kind in ("table", "code", "equation"):
            spans = (trimmed(text, line) for line in _lines(text, block.start, block.end))
        else:
            spans = _found(text, block.start, block.end)
        yield from (span for span in spans if span.length)
    yield from _found(text, at, len(text))


def _lines(text: str, start: int, end: int) -> Iterator[Span]:
    while start < end:
        match = _LINE.match(text, start, end)
        after = match.end() if match and match.end() > start else end
        yield Span(start, after)
        start = after


def _parts(text: str, start: int, end: int) -> Iterator[tuple[Span, bool]]:
    """Parts that no sentence crosses, each with whether it is prose to be split further."""
    begin = start
    fence = ""
    for line in _lines(text, start, end):
        opening = _FENCE.match(text, line.start, line.end)
        if fence or opening:
            if begin < line.start:
                yield Span(begin, line.start), True
            begin = line.end
            yield line, False
            if fence and opening and opening[1].startswith(fence) and not text[opening.end() : line.end].strip():
                fence = ""
            elif opening and not fence:
                fence = opening[1]
            continue
        blank = text[line.start : line.end].isspace()
        own = _OWN_LINE.match(text, line.start, line.end) or _RULE.match(text, line.start, line.end)
        if blank or own or _STARTS_PART.match(text, line.start, line.end):
            if begin < line.start:
                yield Span(begin, line.start), True
            begin = line.start
            if own or blank:
                if own:
                    yield line, False
                begin = line.end
    if begin < end:
        yield Span(begin, end), True


def _in_prose(text: str, part: Span) -> Iterator[Span]:
    start = part.start
    while start < part.end and text[start].isspace():
        start += 1
    for match in _END.finditer(text, start, part.end):
        if match.start() >= start and _ends_sentence(text, match, start, part.end):
            yield Span(start, match.end())
            start = match.end()
    if start < part.end:
        yield Span(start, part.end)


def _ends_sentence(text: str, match: re.Match[str], start: int, end: int) -> bool:
    mark, after = match["mark"], match.end()
    if after >= end:
        return True
    following = text[after]
    if mark[0] in "。！？｡．":
        # 「行きます。」と言った: a quotation that the sentence goes on after.
        return not (match["close"] and _CJK.match(following))
    if not following.isspace():
        if mark[0] in ".…" or following.isalnum() or following in "/@#&=_%":
            return False
        # A mark that touches a letter of a script without small letters, or an opening quote.
        return following in "“‘«¿¡「『（([" or mark[0] in "؟۔।॥"
    rest = after
    while rest < end and text[rest] in _OPENERS:
        rest += 1
    if rest >= end:
        return True
    first = text[rest]
    if first.islower():
        return False
    word = _NEXT_WORD.match(text, rest, end)
    next_word = word[0].lower() if word else ""
    if mark == "." and not match["close"]:
        return not _stop_belongs_to_word(text, match.start(), start, rest, end, next_word)
    if mark[0] == "…" or (len(mark) > 1 and set(mark) == {"."}):
        # “Well... I think so.” hesitates; “He left... Then it rained.” ends.
        said = text[start : match.start()].split(None, 2)
        return len(said) > 1 and next_word.split("'")[0].split("’")[0] != "i"
    return True


def _stop_belongs_to_word(text: str, stop: int, start: int, rest: int, end: int, next_word: str) -> bool:
    """Whether the full stop at `stop` is part of the word before it rather than the end of the sentence."""
    found = _WORD_BEFORE.search(text, max(start, stop - 40), stop)
    word = found[0].lstrip(".'’-").lower() if found else ""
    if not word:
        return False
    begin = stop - len(word)
    if word.isdigit():
        if begin <= start or not text[start:begin].strip("([*_ \t\r\n"):
            return True  # “1. Open the door.”: a number that opens a sentence does not end it
        before = text[max(start, begin - 20) : begin].split()
        return len(word) <= 2 and (
            next_word in GERMAN_AFTER_ORDINAL or (bool(before) and before[-1].lower() in GERMAN_BEFORE_ORDINAL)
        )
    if word in NEVER:
        return True
    if word in BEFORE_NUMBER and _NUMERAL.match(text, rest, end):
        return True
    if word in SOMETIMES:
        return next_word not in STARTERS
    if _INITIALS.fullmatch(word):
        if len(word) == 1 and not text[begin].isupper():
            return False
        return next_word not in STARTERS
    return False
