"""The promises P1 to P5 as checks, written apart from the engine and more slowly. One function each."""

from __future__ import annotations

from collections.abc import Callable

import regex

from chunkviz import Chunking
from chunkviz.units import unit


def spans_of_the_document(chunking: Chunking) -> None:
    """P1"""
    text = chunking.document.text
    for c in chunking.chunks:
        assert 0 <= c.start < c.end <= len(text)
        assert c.text == text[c.start : c.end]


def nothing_lost(chunking: Chunking) -> None:
    """P2"""
    seen: set[int] = set()
    for part in (*chunking.chunks, *chunking.dropped):
        seen.update(range(part.start, part.end))
    text = chunking.document.text
    assert all(text[i].isspace() for i in range(len(text)) if i not in seen)
    assert all(d.reason for d in chunking.dropped)


def in_order(chunking: Chunking) -> None:
    """P3"""
    for a, b in zip(chunking.chunks, chunking.chunks[1:], strict=False):
        assert a.start <= b.start
        assert a.end <= b.end
        assert (a.start, a.end) != (b.start, b.end) or (a.rewrite and b.rewrite)
    assert [c.index for c in chunking.chunks] == list(range(len(chunking.chunks)))
    assert not any(c.text.isspace() or not c.text for c in chunking.chunks)


def counted(chunking: Chunking) -> None:
    """P4"""
    count = unit(chunking.unit).count
    size = chunking.recipe.params.get("size")
    for c in chunking.chunks:
        assert c.tokens == count(c.text)
        if size is not None:
            assert c.tokens <= size or c.flags["oversize"]


def whole_characters(chunking: Chunking) -> None:
    """P5"""
    text = chunking.document.text
    borders = {0} | {m.end() for m in regex.finditer(r"\X", text)}
    for c in chunking.chunks:
        assert c.start in borders
        assert c.end in borders


def reasons_given(chunking: Chunking) -> None:
    """P6"""
    assert all(c.reason for c in chunking.chunks)


CHECKS: tuple[Callable[[Chunking], None], ...] = (
    spans_of_the_document,
    nothing_lost,
    in_order,
    counted,
    whole_characters,
    reasons_given,
)
