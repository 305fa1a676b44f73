"""Small inputs that are known to break other tools, each with the right outcome; the numbers are those of a shared list.

Those of a format or a strategy stand with its own tests; here is the rest. That text is shown and never interpreted (B38),
and that a size of one leaves the page whole (B43), are browser tests.
"""

from __future__ import annotations

import numpy as np
import pytest

import chunkviz
from chunkviz.errors import LoadError, ParameterError
from chunkviz.metrics.case import Case
from chunkviz.metrics.retrieval import RETRIEVAL
from chunkviz.passages import Passage
from chunkviz.segments import document_blob, view_blob
from chunkviz.settings import settings
from chunkviz.ui import charts, palette

CUTTERS = ("fixed", "recursive", "sentence", "structure", "page")


def texts(chunking: chunkviz.Chunking) -> list[str]:
    return [c.text for c in chunking.chunks]


def test_b7_an_overlap_as_large_as_the_size_is_refused_in_a_sentence() -> None:
    document = chunkviz.Document.from_text("a" * 5000, name="a.txt")
    for strategy in ("fixed", "recursive"):
        with pytest.raises(ParameterError, match=r"overlap. must be a whole number of tokens from 0 to 511 .*Got 512"):
            chunkviz.chunk(document, strategy, size=512, overlap=512)


def test_b11_lines_of_windows_part_paragraphs_and_move_nothing() -> None:
    document = chunkviz.Document.from_text("A.\r\n\r\nB.\r\n\r\nC.", name="a.md")
    paragraphs = [b for b in document.blocks if b.kind == "paragraph"]
    assert [document.text[b.start : b.end] for b in paragraphs] == ["A.", "B.", "C."]
    for strategy in CUTTERS:
        made = chunkviz.chunk(document, strategy, **({"size": 3} | ({"overlap": 0} if strategy != "sentence" else {})))
        assert "".join(texts(made)).replace("\r\n", "") == "A.B.C."
        assert all(document.text[c.start : c.end] == c.text for c in made.chunks)


@pytest.mark.parametrize("strategy", CUTTERS)
def test_b23_what_was_cut_before_changes_nothing(strategy: str) -> None:
    first = "# One\n\nSome text. " + "And more of it. " * 40
    second = "Another one.\n\n" + "Words and words. " * 60
    fresh = chunkviz.chunk(chunkviz.Document.from_text(second, name="b.md"), strategy, size=50)
    chunkviz.chunk(chunkviz.Document.from_text(first, name="a.md"), strategy, size=20)
    again = chunkviz.chunk(chunkviz.Document.from_text(second, name="b.md"), strategy, size=50)
    assert [(c.start, c.end, c.reason) for c in fresh.chunks] == [(c.start, c.end, c.reason) for c in again.chunks]


@pytest.mark.parametrize("sign", ["-", "a", "é", "猫"])
@pytest.mark.parametrize("strategy", CUTTERS)
def test_b29_a_long_run_of_one_sign_is_cut_and_kept_within_the_limit(strategy: str, sign: str) -> None:
    """Quadratic work would not end in this test's time; `benchmarks` measures how fast it is."""
    document = chunkviz.Document.from_text(sign * 100_000, name="a.txt")
    made = chunkviz.chunk(document, strategy, **({"size": 512} | ({"overlap": 0} if strategy != "sentence" else {})))
    assert "".join(texts(made)) == document.text
    assert all(c.tokens <= 512 or "oversize" in c.flags for c in made.chunks)


@pytest.mark.parametrize(
    ("data", "encoding"),
    [(b"\xef\xbb\xbf# T", "UTF-8"), ("# T".encode("utf-16"), "UTF-16"), ("# déjà vu\n".encode("latin-1"), "")],
)
def test_b35_marks_of_encodings_are_no_text_and_the_encoding_is_said(data: bytes, encoding: str) -> None:
    document = chunkviz.load(data, name="a.md")
    (heading,) = document.headings
    assert heading.title in ("T", "déjà vu")
    assert "\ufeff" not in document.text
    assert "\x00" not in document.text
    said = " ".join(n.text for n in document.notes)
    assert encoding in said
    assert said, "which encoding was taken is on the page"


def test_b37_text_from_right_to_left_is_cut_at_its_own_marks() -> None:
    text = "مرحبا بالعالم. كيف حالك؟ Hello there. أهلا"
    made = chunkviz.chunk(chunkviz.Document.from_text(text, name="a.txt"), "sentence", sentences=1, overlap=0)
    assert [t.strip() for t in texts(made)] == ["مرحبا بالعالم.", "كيف حالك؟", "Hello there.", "أهلا"]
    for strategy in ("recursive", "sentence"):
        cut = chunkviz.chunk(chunkviz.Document.from_text(text * 20, name="a.txt"), strategy, size=20)
        for chunk in cut.chunks:
            before, after = cut.document.text[: chunk.start][-1:], chunk.text[:1]
            assert not (before.isalpha() and after.isalpha()), "no cut inside a word"


def test_b39_a_file_over_the_limit_is_refused_with_the_limit_in_the_sentence() -> None:
    limit = settings().max_file_mb
    with pytest.raises(LoadError, match=f"{limit} MB"):
        chunkviz.load(b"a" * (limit * 1_000_000 + 1_000_000), name="large.txt")


def test_b40_twelve_thousand_chunks_are_a_few_dozen_bars() -> None:
    document = chunkviz.Document.from_text("word " * 12_000, name="a.txt")
    made = chunkviz.chunk(document, "fixed", unit="words", size=1, overlap=0)
    assert len(made.chunks) == 12_000
    figure = charts.histogram([made, made], ["a", "b"], palette.chart_colors("light"))
    bars = [t for t in figure.data if t.type == "bar"]
    assert len(bars) == 2
    assert all(len(bar.x) <= charts.MOST_BARS for bar in bars)
    assert not any(bar.text for bar in bars)
    assert all("gl" not in t.type for t in figure.data), "every chart with WebGL takes one of a page's few contexts"
    assert sum(int(np.sum(bar.y)) for bar in bars) == 24_000


@pytest.mark.parametrize(("words", "on_axis"), [(3, False), (150, True), (2_000, True)])
def test_bars_are_seen_beside_a_limit_that_is_far_away(words: int, on_axis: bool) -> None:
    made = chunkviz.chunk(chunkviz.Document.from_text("word " * words, name="a.txt"), "fixed", size=512, overlap=0)
    figure = charts.histogram([made], ["a"], palette.chart_colors("light"))
    (bars,) = (t for t in figure.data if t.type == "bar")
    shown = figure.layout.xaxis.range[1]
    assert max(bars.x) + bars.width / 2 >= shown / (charts.FAR * 1.1)
    assert bool(figure.layout.shapes) == on_axis
    (legend,) = (t.name for t in figure.data if t.type == "scatter")
    assert ("beyond the right edge" in legend) == (not on_axis)


def test_b41_what_is_sent_to_the_page_is_the_document_once() -> None:
    text = "The quick brown fox jumps over the dog."
    assert len(text) == 39
    document = chunkviz.Document.from_text(text, name="a.txt")
    made = chunkviz.chunk(document, "fixed", unit="characters", size=15, overlap=5)
    assert [(c.start, c.end) for c in made.chunks] == [(0, 15), (10, 25), (20, 35), (30, 39)]
    assert document_blob(document).count(text.encode()) == 1
    assert text.encode() not in view_blob([made])


def test_b46_an_overlap_is_counted_once_and_a_repeated_text_at_its_own_place() -> None:
    """Two equal chunks, half of each repeated; the answer stands in the second alone."""
    by_id = {m.id: m for m in RETRIEVAL}
    first, second = Passage("d", 0, 20, 5), Passage("d", 10, 30, 5)
    case = Case(
        gold=[Passage("d", 20, 30, 2)], meeting=[second], retrieved=[first, second], members=1, k=2, rules="exact"
    )
    assert by_id["token_recall"].compute(case).value == 1
    assert by_id["token_precision"].compute(case).value == 10 / 40
    assert by_id["token_iou"].compute(case).value == 10 / 40
    assert by_id["precision_omega"].compute(case).value == 10 / 20
    text = "same words here. " * 2
    document = chunkviz.Document.from_text(text, name="d.txt")
    chunks = chunkviz.chunk(document, "fixed", unit="characters", size=17, overlap=0).chunks
    assert [(c.start, c.end) for c in chunks] == [(0, 17), (17, 34)]
    assert chunks[0].text == chunks[1].text
