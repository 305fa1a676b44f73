"""PDF on its own pages: every word of the document has its box, in any layout, and pages are drawn elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pymupdf
import pytest

from chunkviz import Document, LoadError, isolation, load, samples, wire
from chunkviz.loaders.pdf_images import Box, laid, page_image, placed_words
from chunkviz.loaders.pdf_layout import Line
from chunkviz.spans import Span

FILE = "policy_handbook.pdf"


@pytest.fixture(scope="module", autouse=True)
def workers() -> Iterator[None]:
    yield
    isolation.close()


def pages_of(data: bytes, document: Document) -> list[wire.PageImage]:
    return [
        page_image(data, document.name, p.number, document.text[p.start : p.end], p.start, None) for p in document.pages
    ]


def share_found(document: Document, pages: list[wire.PageImage]) -> float:
    """The share of the document's words that have a box; the bars of tables, which are on no page, aside."""
    covered = {i for page in pages for word in page.words for i in range(word.start, word.end)}
    words = [w for w in _words(document.text) if document.text[w.start : w.end] != "|"]
    return sum(all(i in covered for i in range(w.start, w.end)) for w in words) / max(1, len(words))


def _words(text: str) -> list[Span]:
    found, at = [], 0
    for word in text.split():
        at = text.index(word, at)
        found.append(Span(at, at + len(word)))
        at += len(word)
    return found


def made(*pages: list[tuple[float, float, str]], rotation: int = 0) -> bytes:
    pdf = pymupdf.open()
    for lines in pages:
        page = pdf.new_page()
        for x, y, text in lines:
            page.insert_text((x, y), text, fontsize=11)
        page.set_rotation(rotation)
    data: bytes = pdf.tobytes()
    return data


def column(x: float, y: float, *texts: str) -> list[tuple[float, float, str]]:
    return [(x, y + 14 * i, text) for i, text in enumerate(texts)]


def check(data: bytes, least: float = 1.0) -> tuple[Document, list[wire.PageImage]]:
    """Every word is found, where the page itself has it."""
    document = load(data, name="x.pdf")
    pages = pages_of(data, document)
    assert share_found(document, pages) >= least
    for page in pages:
        assert [w.start for w in page.words] == sorted(w.start for w in page.words)
        for word in page.words:
            assert -1 <= word.x0 < word.x1 <= page.width + 1
            assert -1 <= word.y0 < word.y1 <= page.height + 1
    return document, pages


def test_every_word_of_the_sample_has_its_box() -> None:
    data = samples.read("policy_handbook")
    document = load(data, name=FILE)
    pages = pages_of(data, document)
    assert share_found(document, pages) >= 0.99
    for page, image in zip(document.pages, pages, strict=True):
        assert all(page.start <= w.start < w.end <= page.end for w in image.words)
        assert image.png.startswith(wire.PNG_MARK)


def test_the_boxes_are_where_the_words_are_printed() -> None:
    document, (page,) = check(made([(72, 100, "alpha"), (300, 100, "beta"), (72, 400, "alpha")]))
    boxes = {document.text[w.start : w.end] + str(w.start): w for w in page.words}
    places = sorted((round(w.x0), round(w.y1 / 100)) for w in boxes.values())
    assert places == [(72, 1), (72, 4), (300, 1)]
    first, second = (w for w in page.words if document.text[w.start : w.end] == "alpha")
    assert first.y0 < second.y0


def test_columns_are_followed_as_they_are_read() -> None:
    left = column(60, 100, *(f"left number {i} goes on here" for i in range(9)))
    right = column(330, 100, *(f"right number {i} goes on here" for i in range(9)))
    document, (page,) = check(made([row for pair in zip(left, right, strict=True) for row in pair]))
    assert document.text.index("left number 8") < document.text.index("right number 0")
    at = {w.start: w for w in page.words}
    assert at[document.text.index("right number 0")].x0 > 300


def test_words_broken_at_a_line_end_have_both_boxes() -> None:
    lines = column(
        72, 100, "The harbour master wrote a long docu-", "ment about the tides and a well-", "known fact of them."
    )
    document, (page,) = check(made(lines))
    assert "document" in document.text
    start = document.text.index("document")
    halves = [w for w in page.words if start <= w.start < start + 8]
    assert [(w.start - start, w.end - start) for w in halves] == [(0, 4), (4, 8)]
    assert halves[1].y0 > halves[0].y0


def test_running_heads_and_page_numbers_have_no_place() -> None:
    pages = [
        [(72, 40, "The same head on all pages"), *column(72, 120, f"{n} things are told here", "and some more of them"),
         (300, 800, str(n))]
        for n in range(1, 7)
    ]  # fmt: skip
    document, images = check(made(*pages))
    assert "same head" not in document.text
    for n, image in enumerate(images, 1):
        said = [document.text[w.start : w.end] for w in image.words]
        assert said[:2] == [str(n), "things"]
        assert image.words[0].y0 < 200  # the number in the text, not the one below it


def test_a_ruled_table_keeps_its_cells() -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    page.insert_text((72, 80), "A table of tides follows.", fontsize=11)
    for row in range(4):
        page.draw_line((72, 100 + 20 * row), (372, 100 + 20 * row))
    for edge in range(4):
        page.draw_line((72 + 100 * edge, 100), (72 + 100 * edge, 160))
    for row, cells in enumerate((("Day", "High", "Low"), ("Mon", "4.1 m", "0.9 m"), ("Tue", "4.1 m", "1.2 m"))):
        for at, cell in enumerate(cells):
            page.insert_text((76 + 100 * at, 114 + 20 * row), cell, fontsize=10)
    document, (image,) = check(pdf.tobytes())
    assert "Mon | 4.1 m | 0.9 m" in document.text
    tuesday = document.text.index("4.1", document.text.index("Tue"))
    word = next(w for w in image.words if w.start == tuesday)
    assert 172 < word.x0 < 200
    assert 140 < word.y0 < 160


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_a_turned_page_is_shown_as_it_is_read(rotation: int) -> None:
    _, (page,) = check(made(column(72, 100, "This page was turned", "and is read all the same"), rotation=rotation))
    assert page.width < page.height


def test_ligatures_and_odd_spaces_are_found() -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    page.insert_htmlbox((72, 72, 500, 300), "<p>The e\ufb03cient o\ufb03ce \u00e9t\u00e9 \u4eca\u5929 ﬁnds.</p>")
    check(pdf.tobytes(), 0.99)


def test_a_page_without_text_is_a_picture() -> None:
    pdf = pymupdf.open()
    pdf.new_page().draw_rect((50, 50, 200, 200), fill=(0, 0, 1))
    pdf.new_page().insert_text((72, 72), "words")
    data = pdf.tobytes()
    document = load(data, name="x.pdf")
    first, second = pages_of(data, document)
    assert not first.words
    assert len(second.words) == 1


@pytest.mark.parametrize("spell", [lambda n: f"w{n}", lambda n: "the" if n % 3 else "of"])
def test_a_page_of_ten_thousand_words_is_laid_word_by_word(spell: Callable[[int], str]) -> None:
    rows = [" ".join(spell(20 * row + i) for i in range(20)) for row in range(500)]
    text = "\n".join(rows)
    lines = [Line(20.0, 10.0 * n, 420.0, 10.0 * n + 8, row, 8.0, 0) for n, row in enumerate(rows)]
    boxes = [
        Box(20.0 + 20 * i, 10.0 * n, 38.0 + 20 * i, 10.0 * n + 8, word)
        for n, row in enumerate(rows)
        for i, word in enumerate(row.split())
    ]
    words = placed_words(lines, boxes, text, 0, 440.0)
    assert [(w.start, w.end) for w in words] == [(s.start, s.end) for s in _words(text)]
    assert [(w.x0, w.y0) for w in words] == [(b.x0, b.y0) for b in boxes]


def test_a_huge_page_is_no_huge_picture() -> None:
    pdf = pymupdf.open()
    pdf.new_page(width=300, height=14_000).insert_text((72, 72), "tall")
    (page,) = check(pdf.tobytes())[1]
    pixels = pymupdf.Pixmap(page.png)
    assert pixels.width * pixels.height <= 4_100_000


# --- laying lines beside the text ---


def test_lines_are_laid_as_whole_as_possible() -> None:
    assert laid(["ab", "cd"], "abcd") == [(0, 0, "ab"), (1, 2, "cd")]
    # A page number that is also what the text begins with.
    assert laid(["1", "1thing", "more"], "1thingmore") == [(1, 0, "1thing"), (2, 6, "more")]
    # A hyphen that the loader took out, and one that it left.
    assert laid(["docu-", "ment", "well-", "known"], "documentwell-known") == [
        (0, 0, "docu"), (1, 4, "ment"), (2, 8, "well-"), (3, 13, "known")
    ]  # fmt: skip
    assert laid([], "abc") == []
    assert laid(["x"], "") == []
    assert laid(["-", "a"], "a") == [(1, 0, "a")]


def test_a_page_with_too_many_ways_to_lay_it_is_given_up_in_time() -> None:
    assert len(laid(["aa"] * 400, "aa" * 390)) == 390
    assert laid(["a"] * 3000, "a" * 3000) == []


# --- in a process of its own ---


def test_a_page_comes_from_a_worker() -> None:
    data = samples.read("policy_handbook")
    document = isolation.load(data, FILE)
    page = isolation.page_image(data, document, 4)
    assert len(page.words) > 100
    assert page == page_image(data, FILE, 4, *_part(document, 4), None)
    with pytest.raises(LoadError, match="has no page 99"):
        isolation.page_image(data, document, 99)


def _part(document: Document, number: int) -> tuple[str, int]:
    page = document.pages[number - 1]
    return document.text[page.start : page.end], page.start


def test_what_cannot_be_drawn_is_a_sentence() -> None:
    document = load(made([(72, 72, "words")]), name="x.pdf")
    with pytest.raises(LoadError, match="damaged"):
        isolation.page_image(b"%PDF-1.7 nothing more", document, 1)
    locked: bytes = pymupdf.open(stream=made([(72, 72, "words")])).tobytes(
        encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="sesame", owner_pw="owner"
    )
    with pytest.raises(LoadError, match="locked") as error:
        isolation.page_image(locked, document, 1)
    assert error.value.needs_password
    assert isolation.page_image(locked, document, 1, password="sesame").words


PAGE = wire.PageImage(100.0, 200.0, (wire.PlacedWord(1.0, 2.0, 3.0, 4.0, 5, 7),), wire.PNG_MARK + b"...")


def test_a_page_travels_whole() -> None:
    message, png = wire.pack_page(PAGE)
    assert wire.unpack_page(message, png, Span(5, 7)) == PAGE


@pytest.mark.parametrize(
    "change",
    [
        {"width": 0},
        {"width": "x"},
        {"height": float("inf")},
        {"words": 3},
        {"words": [[1, 2, 3, 4, 5]]},
        {"words": [[1, 2, 3, 4, 4, 7]]},
        {"words": [[1, 2, 3, 4, 5, 8]]},
        {"words": [[1, 2, 3, 4, 6, 6]]},
        {"words": [[1, 2, 3, True, 5, 7]]},
        {"words": [[1, 2, 3, float("nan"), 5, 7]]},
        {"words": ["abcdef"]},
    ],
)
def test_a_page_that_makes_no_sense_is_refused(change: dict[str, Any]) -> None:
    message, png = wire.pack_page(PAGE)
    with pytest.raises(ValueError, match=r"\w"):
        wire.unpack_page(message | change, png, Span(5, 7))
    with pytest.raises(ValueError, match="picture"):
        wire.unpack_page(message, b"GIF89a", Span(5, 7))
    assert replace(PAGE, width=1.0) != PAGE
