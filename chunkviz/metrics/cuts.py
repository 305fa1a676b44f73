"""What the cuts went through: words, sentences, code blocks, tables, headings.

A place counts as cut when no single chunk holds it whole. Where chunks overlap, a sentence that one of them cuts and
the next one holds whole is not cut: it can be found and read.
"""

from __future__ import annotations

from collections.abc import Callable

from chunkviz.chunking import Chunking
from chunkviz.document import Document
from chunkviz.metrics import places
from chunkviz.metrics.base import Metric, Result
from chunkviz.metrics.places import Places


def _cut(where: Callable[[Document], Places], nothing: str) -> Callable[[Chunking], Result]:
    def compute(chunking: Chunking) -> Result:
        spans = where(chunking.document)
        if not len(spans[0]):
            return Result(None, nothing)
        numbers = places.not_whole(chunking, spans)
        return Result(len(numbers), of=len(spans[0]), findings=places.findings(chunking, spans, numbers.tolist()))

    return compute


def _metric(kind: str, title: str, where: Callable[[Document], Places], nothing: str, help_: str) -> Metric:
    return Metric(
        id=f"cut.{kind}",
        title=title,
        unit=kind.replace("_", " "),
        low=0,
        high=None,
        better="lower",
        help=help_,
        formula=f"{kind.replace('_', ' ')} that are whole in no chunk",
        source="ours",
        compute=_cut(where, nothing),
    )


CUTS = (
    _metric("words", "Words cut", places.words, "no words", "Words that are whole in no chunk."),
    _metric(
        "sentences",
        "Sentences cut",
        places.sentences,
        "no sentences",
        "Sentences that are whole in no chunk: an answer that is one of them comes back broken.",
    ),
    _metric(
        "code_blocks",
        "Code blocks cut",
        lambda d: places.blocks(d, "code"),
        "no code blocks",
        "Code examples that are whole in no chunk.",
    ),
    _metric(
        "tables",
        "Tables cut",
        lambda d: places.blocks(d, "table"),
        "no tables",
        "Tables that are whole in no chunk: rows lose their column heads.",
    ),
    _metric(
        "headings",
        "Headings cut off",
        places.headings_with_text,
        "no headings",
        "Headings that no chunk holds together with the first sentence under them.",
    ),
)
