"""PDF in detail: the order of reading, tables, headings, words broken by lines, and what is left out or damaged.

The ordinary cases are in test_loaders_files.py. Files are made here, by the library that reads them.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkviz import Document, LoadError, load, settings
from chunkviz.loaders import pdf as loader
from chunkviz.loaders.pdf_layout import Line, reading_order
from chunkviz.loaders.pdf_structure import Entry, grouped, outlined
from chunkviz.loaders.pdf_tables import is_grid, with_grids
from chunkviz.loaders.pdf_words import cleaned, glue, joined, vocabulary

Words = tuple[float, float, str]


def made(*pages: list[Words], size: float = 11) -> Any:
    """A PDF of pages with (x, y, text); a text that begins with `#` is in large type, without it."""
    pdf = pymupdf.open()
    for lines in pages:
        page = pdf.new_page()
        for x, y, text in lines:
            page.insert_text((x, y), text.removeprefix("#"), fontsize=size * 1.8 if text.startswith("#") else size)
    return pdf


def read(pdf: Any, **options: Any) -> Document:
    return load(pdf.tobytes(), name="x.pdf", **options)


def column(x: float, y: float, *texts: str) -> list[Words]:
    return [(x, y + 14 * i, text) for i, text in enumerate(texts)]


def notes(document: Document) -> str:
    return "\n".join(f"{n.topic}: {n.text}" for n in document.notes)


def check(document: Document) -> None:
    """Blocks hold all ink, in order and without overlap; pages follow each other and hold the whole text."""
    at = 0
    for block in document.blocks:
        assert at <= block.start < block.end <= len(document.text)
        assert not document.text[at : block.start].strip()
        at = block.end
    assert not document.text[at:].strip()
    ends = [0, *(page.end for page in document.pages)]
    for before, page in zip(ends, document.pages, strict=False):
        assert not document.text[before : page.start].strip()
    assert not document.text[ends[-1] :].strip()
    assert [page.number for page in document.pages] == list(range(1, len(document.pages) + 1))


# --- the order of reading ---


def lines_of(draw: Any) -> list[Line]:
    boxes = draw(
        st.lists(
            st.tuples(st.integers(0, 500), st.integers(0, 780), st.integers(4, 300), st.integers(0, 4), st.booleans()),
            max_size=40,
        )
    )
    return [
        Line(x, y, x + width, y + 12, f"word{i}", 11.0, block, sideways=sideways and i % 7 == 0)
        for i, (x, y, width, block, sideways) in enumerate(boxes)
    ]


LINES = st.composite(lines_of)()


@given(LINES)
def test_reading_order_loses_and_doubles_nothing(lines: list[Line]) -> None:
    ordered, columns = reading_order(lines, 595.0, is_grid)
    assert Counter(ordered) == Counter(lines)
    assert columns >= 1


@given(LINES)
def test_tables_without_rules_lose_and_double_nothing(lines: list[Line]) -> None:
    lines.sort(key=lambda line: line.block)
    found = with_grids(lines, -1)
    ink = Counter("".join(line.text for line in found).replace(" | ", "").replace(" ", ""))
    assert ink == Counter("".join(line.text for line in lines))


@given(LINES, st.lists(st.sampled_from(["word0", "word1", "word2 word3", "word9"]), max_size=3))
def test_grouping_keeps_every_line_in_order(lines: list[Line], titles: list[str]) -> None:
    headings, found = outlined(lines, [Entry(1, title) for title in titles])
    groups = list(grouped(lines, headings, {}))
    assert [line for group in groups for line in group.lines] == lines
    assert sum(group.kind == "heading" for group in groups) <= found


def test_columns_between_lines_over_the_whole_width() -> None:
    wide = "A line that runs over both of the columns of this page, as the titles of parts often do"
    page = [
        (72.0, 60.0, wide),
        *column(72, 90, "L1", "L2", "L3"),
        *column(340, 90, "R1", "R2", "R3"),
        (72.0, 160.0, wide),
        *column(72, 190, "L4", "L5", "L6"),
        *column(340, 190, "R4", "R5", "R6"),
    ]
    expected = [*wide.split(), "L1", "L2", "L3", "R1", "R2", "R3", *wide.split(), "L4", "L5", "L6", "R4", "R5", "R6"]
    # However the file is written: column by column, line by line across, or in any order.
    shuffled = random.Random(1).sample(page, len(page))
    for lines in (page, sorted(page, key=lambda line: line[1]), shuffled):
        document = read(made(lines))
        assert document.text.split() == expected
        assert "Two columns on pages 1" in notes(document)
        check(document)


def test_three_columns_and_a_title_that_ends_above_one_of_them() -> None:
    page = [
        (250.0, 50.0, "#Title"),
        *column(60, 90, "a1 of it", "a2 of it", "a3 of it"),
        *column(240, 90, "b1 of it", "b2 of it", "b3 of it"),
        *column(420, 90, "c1 of it", "c2 of it", "c3 of it"),
    ]
    document = read(made(page))
    assert [
        word for word in document.text.split() if word not in ("of", "it")
    ] == "Title a1 a2 a3 b1 b2 b3 c1 c2 c3".split()
    assert document.headings[0].title == "Title"
    assert "Three columns on pages 1" in notes(document)


@pytest.mark.parametrize("by_column", [True, False])
def test_labels_and_values_are_read_by_rows(by_column: bool) -> None:
    rows = [("Nights:", "three"), ("Guests:", "two"), ("Breakfast:", "yes"), ("Arrival:", "late")]
    page = [(72.0, 100 + 14.0 * i, label) for i, (label, _) in enumerate(rows)]
    page += [(340.0, 100 + 14.0 * i, value) for i, (_, value) in enumerate(rows)]
    document = read(made(page if by_column else sorted(page, key=lambda line: line[1])))
    assert document.text.replace("|", "").split() == [word for row in rows for word in row]
    assert "columns" not in notes(document)


def test_options_and_their_meanings_are_read_by_rows() -> None:
    """As a manual has them: written row by row, the gutter left of the middle, one option wider than the others."""
    rows = [
        ("-c, --check", "checks the syntax"),
        ("-o, --output=SOME FILE", "the file"),
        ("-n NAME", "a name"),
        ("-h", "help"),
    ]
    page = [
        (x, 100 + 13.0 * i, text) for i, row in enumerate(rows) for x, text in zip((100.0, 230.0), row, strict=True)
    ]
    document = read(made(page))
    assert document.text.replace("|", "").split() == " ".join(" ".join(row) for row in rows).split()


def test_a_number_or_bullet_that_stands_alone_belongs_to_the_text_beside_it() -> None:
    page = [
        *[(x, 100.0, text) for x, text in ((90.0, "2.1"), (130.0, "Syntax"))],
        *[(x, 113.0, text) for x, text in ((90.0, "2.2"), (130.0, "Naming"))],
        *[(x, 160.0, text) for x, text in ((90.0, "-"), (110.0, "an item"))],
        *[(x, 173.0, text) for x, text in ((90.0, "-"), (110.0, "another"))],
    ]
    document = read(made(page))
    assert document.text == "2.1 Syntax 2.2 Naming\n\n- an item\n- another"


def test_a_paragraph_goes_on_in_the_next_column_where_a_word_is_broken() -> None:
    left = column(72, 100, "The first column", "goes on and ends", "with a word that is bro-")
    right = column(340, 100, "ken by the column, and", "this one ends with", "a full stop.")
    assert "a word that is broken by the column, and this one ends" in read(made([*left, *right])).text


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_a_turned_page_is_read_as_its_text_stands(turn: int) -> None:
    pdf = made([*column(72, 100, "L1", "L2", "L3"), *column(340, 100, "R1", "R2", "R3")])
    pdf[0].set_rotation(turn)
    assert read(pdf).text.split() == ["L1", "L2", "L3", "R1", "R2", "R3"]


def test_text_that_runs_up_the_page_comes_last() -> None:
    pdf = made(column(72, 100, "One line of the text", "and the next one", "and the last one."))
    pdf[0].insert_text((30, 200), "Stamp", rotate=90)
    document = read(pdf)
    assert document.text == "One line of the text and the next one and the last one.\n\nStamp"
    check(document)


# --- tables ---


def ruled(rows: int, columns: int, words: list[Words]) -> Any:
    pdf = made([(72.0, 60.0, "Before."), *words, (72.0, 400.0, "After.")])
    for i in range(rows):
        for j in range(columns):
            pdf[0].draw_rect((72 + 120 * j, 100 + 20 * i, 192 + 120 * j, 120 + 20 * i))
    return pdf


def test_a_ruled_table_is_one_block_in_its_place() -> None:
    words = [(76.0 + 120 * j, 114.0 + 20 * i, f"r{i} c{j}") for i in range(3) for j in range(2)]
    for pdf in (ruled(3, 2, words), ruled(3, 2, random.Random(2).sample(words, len(words)))):
        document = read(pdf)
        assert document.text == "Before.\n\nr0 c0 | r0 c1\nr1 c0 | r1 c1\nr2 c0 | r2 c1\n\nAfter."
        assert [b.kind for b in document.blocks] == ["paragraph", "table", "paragraph"]
        assert "1 table kept in place" in notes(document)


def test_a_grid_that_does_not_hold_its_words_is_no_table() -> None:
    """A text that runs over a border belongs to no cell for sure: nothing of it may be lost."""
    words = [(76.0, 114.0, "a"), (150.0, 134.0, "a line that runs across both of the cells of it"), (196.0, 154.0, "d")]
    document = read(ruled(3, 2, words))
    expected = " ".join(["Before.", "After.", *(text for _, _, text in words)])
    assert sorted(document.text.replace("|", "").split()) == sorted(expected.split())
    check(document)


def test_a_table_without_rules_is_told_by_how_it_stands() -> None:
    rows = [("Shift", "From", "To"), ("Early", "06:30", "14:30"), ("Late", "13:30", "")]
    words = [(72.0 + 90 * j, 100 + 24.0 * i, cell) for i, row in enumerate(rows) for j, cell in enumerate(row) if cell]
    document = read(made([(72.0, 60.0, "Before."), *words, (72.0, 200.0, "After.")]))
    assert document.text == "Before.\n\nShift | From | To\nEarly | 06:30 | 14:30\nLate | 13:30 |\n\nAfter."
    assert document.blocks[1].kind == "table"
    check(document)


def test_a_drawing_is_not_searched_for_tables() -> None:
    pdf = made([(72.0, 60.0, "Map.")])
    shape = pdf[0].new_shape()
    for i in range(loader.MOST_STROKES + 1):
        shape.draw_line((i % 500, i % 700), (i % 500 + 9, i % 700))
    shape.finish()
    shape.commit()
    assert "No tables were looked for on pages 1" in notes(read(pdf))


# --- headings and lists ---


def test_an_entry_of_the_outline_may_run_over_lines_and_stand_in_several_places() -> None:
    page = [
        (72.0, 60.0, "Leave and other"),  # in the running text first: the larger type is the heading
        (72.0, 74.0, "days are explained below; take your leave."),
        (72.0, 110.0, "#3.2 Leave and"),
        (72.0, 132.0, "#other days"),
        (72.0, 170.0, "Everyone has thirty."),
    ]
    pdf = made(page)
    pdf.set_toc([[1, "Leave and other days", 1], [2, "Leave", 1], [2, "Gone", 1]])
    document = read(pdf)
    assert [(h.level, h.title) for h in document.headings] == [(1, "3.2 Leave and other days")]
    assert "1 heading is taken from the document's outline" in notes(document)
    assert "2 entries of it could not be found" in notes(document)
    check(document)


def test_an_outline_of_which_nothing_is_found_gives_way_to_the_type() -> None:
    pdf = made([(72.0, 60.0, "#Title"), *column(72, 100, *["A line of ordinary text."] * 6)])
    pdf.set_toc([[1, "scan0001.tif", 1]])
    document = read(pdf)
    assert [h.title for h in document.headings] == ["Title"]
    assert "larger type was" in next(n.text for n in document.notes if n.level == "warning")


def test_levels_follow_the_size_of_the_type() -> None:
    pdf = made(column(72, 200, *["A line of ordinary text, long enough."] * 12))
    pdf[0].insert_text((72, 80), "Highest", fontsize=24)
    pdf[0].insert_text((72, 120), "Middle", fontsize=18)
    pdf[0].insert_text((72, 150), "Low", fontsize=14)
    assert [(h.level, h.title) for h in read(pdf).headings] == [(1, "Highest"), (2, "Middle"), (3, "Low")]


def test_lists_are_one_block_and_a_number_at_a_line_start_is_no_item() -> None:
    document = read(
        made(
            [
                *column(72, 100, "We met on the evening of the", "12. There were many of us."),
                *column(72, 160, "- one item", "  that goes on", "- two", "- three"),
                *column(72, 260, "1. first", "2. second"),
            ]
        )
    )
    assert [(b.kind, document.text[b.start : b.end]) for b in document.blocks] == [
        ("paragraph", "We met on the evening of the 12. There were many of us."),
        ("list", "- one item that goes on\n- two\n- three\n1. first\n2. second"),
    ]


# --- words ---


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("ma-", "neuver", "maneuver"),
        ("(ma-", "neuver)", "(maneuver)"),
        ("ma\u2010", "neuver", "maneuver"),
        ("soft\u00ad", "Ware", "softWare"),
        ("a well-", "known man", "a well-known man"),
        ("self-", "made", "self-made"),
        ("long-", "itude", "longitude"),  # written as one word elsewhere
        ("data-", "base", "data-base"),  # written with its hyphen elsewhere
        ("state-of-", "the-art", "state-of-the-art"),
        ("Anglo-", "Saxon", "Anglo-Saxon"),
        ("COVID-19-", "related", "COVID-19-related"),
        ("2019-", "2020", "2019-2020"),
        ("iPhone-", "like", "iPhone-like"),
        ("Vor-", "und Nachteile", "Vor- und Nachteile"),
        ("pre-", "and post-war", "pre- and post-war"),
        ("a dash -", "and more", "a dash - and more"),
        ("no", "hyphen", "no hyphen"),
        ("今天天气", "很好。", "今天天气很好。"),
        ("今天", "good", "今天 good"),
        ("한국", "어", "한국 어"),
    ],
)
def test_how_lines_are_joined(before: str, after: str, expected: str) -> None:
    known = vocabulary(["its longitude", "a data-base of it"])
    assert joined([before, after], known, True, Counter()) == expected


def test_hyphens_stay_where_the_reader_wants_them_and_soft_ones_never() -> None:
    assert joined(["ma-", "neuver"], vocabulary([]), False, Counter()) == "ma- neuver"
    assert joined(["ma\u00ad", "neu\u00adver"], vocabulary([]), False, Counter()) == "maneuver"


@given(st.lists(st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1), min_size=1, max_size=4))
def test_joining_loses_nothing_but_hyphens_and_counts_them(lines: list[str]) -> None:
    counts: Counter[str] = Counter()
    text = joined(lines, vocabulary(lines), True, counts)
    ink = "".join(lines)
    assert len(ink) - len(text.replace(" ", "")) == counts["hyphens"]


def test_one_joint_tells_what_it_did() -> None:
    assert glue("ma-", "neuver", vocabulary([])) == ("ma", "", True)


def test_ligatures_shapes_and_characters_without_a_meaning() -> None:
    counts: Counter[str] = Counter()
    assert (
        cleaned("oﬃce ﬁne \ufee3\ufeae a\x00\ud800\ue123  b", counts)
        == "office fine \u0645\u0631 a\ufffd\ufffd\ue123 b"
    )
    assert (counts["ligatures"], counts["unreadable"]) == (4, 3)


def test_ligatures_of_a_file_become_letters() -> None:
    """Shared case B31."""
    pdf = pymupdf.open()
    pdf.new_page().insert_htmlbox((72, 72, 300, 300), "<p>Of&#xFB01;ce &#xFB01;elds &#xE123;</p>")
    document = read(pdf)
    assert document.text.startswith("Office fields")
    assert "2 ligatures such as ﬁ resolved into letters" in notes(document)
    warning = next(n for n in document.notes if n.topic == "unreadable")
    assert (warning.count, warning.level) == (1, "warning")


# --- pages, and what is left out ---


def test_running_lines_stay_unless_they_are_on_most_of_several_pages() -> None:
    def pages(count: int) -> list[list[Words]]:
        return [[(72.0, 40.0, f"Handbook {n}"), (72.0, 300.0, f"Text {'abcdefgh'[n]}.")] for n in range(count)]

    assert "Handbook" in read(made(*pages(3))).text
    document = read(made(*pages(4)))
    assert "Handbook" not in document.text
    assert "4 running headers and footers left out: “Handbook #”" in notes(document)
    other = [[(72.0, 40.0, f"About {word}"), (72.0, 300.0, f"Text {word}.")] for word in ("a", "b", "c", "d", "e")]
    assert read(made(*other)).text.count("About") == 5


def test_slides_keep_what_stands_high_on_each_of_them() -> None:
    document = read(made(*[[(72.0, 40.0, f"Slide {n}")] for n in range(6)]))
    assert document.text.count("Slide") == 6


def test_pages_without_text_are_told_apart() -> None:
    """Shared case B33."""
    pdf = made([(72.0, 72.0, "First.")], [], [], [(72.0, 72.0, "Last.")], [])
    picture = pymupdf.Pixmap(pymupdf.csRGB, (0, 0, 8, 8))
    for number in (1, 2):
        pdf[number].insert_image((72, 100, 100, 130), pixmap=picture)
    document = read(pdf)
    warning = next(n for n in document.notes if n.level == "warning")
    assert warning.text.startswith("No text layer on pages 2–3: these pages are pictures.")
    assert "There is nothing on pages 5." in notes(document)
    assert document.pages_of(0, len(document.text)) == (1, 2, 3, 4)
    check(document)


def test_a_scan_is_an_empty_document_with_a_warning() -> None:
    pdf = made([], [])
    for page in pdf:
        page.insert_image((72, 100, 100, 130), pixmap=pymupdf.Pixmap(pymupdf.csRGB, (0, 0, 8, 8)))
    document = read(pdf)
    assert (document.text, document.blocks) == ("", ())
    assert "The whole document has no text layer (pages 1–2)" in notes(document)


def test_attachments_and_pictures_are_told() -> None:
    pdf = made([(72.0, 72.0, "Body.")])
    pdf.embfile_add("data.txt", b"x")
    pdf[0].insert_image((72, 100, 100, 130), pixmap=pymupdf.Pixmap(pymupdf.csRGB, (0, 0, 8, 8)))
    assert "1 attached file left out" in notes(read(pdf))
    assert "1 picture left out" in notes(read(pdf))


def test_values_in_forms_are_read() -> None:
    pdf = made([(72.0, 72.0, "Name")])
    field = pymupdf.Widget()
    field.field_type, field.field_name, field.field_value = pymupdf.PDF_WIDGET_TYPE_TEXT, "name", "Written by hand"
    field.rect = pymupdf.Rect(72, 100, 300, 120)
    pdf[0].add_widget(field)
    assert "Written by hand" in read(pdf).text


# --- damage and limits ---


def test_too_many_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHUNKVIZ_MAX_PAGES", "2")
    settings.settings.cache_clear()
    try:
        with pytest.raises(LoadError, match=r"x\.pdf has 3 pages; up to 2 are read \(CHUNKVIZ_MAX_PAGES\)"):
            read(made([], [], []))
    finally:
        monkeypatch.undo()
        settings.settings.cache_clear()


def test_a_page_that_unpacks_to_too_much_is_refused_before_it_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    pdf = made([(72.0, 72.0, "Small.")])
    stream = pdf.get_new_xref()
    pdf.update_object(stream, "<<>>")
    pdf.update_stream(stream, b"q Q " * 500_000, compress=True)
    pdf.xref_set_key(pdf[0].xref, "Contents", f"{stream} 0 R")
    monkeypatch.setenv("CHUNKVIZ_MAX_INFLATED_MB", "1")
    settings.settings.cache_clear()
    try:
        with pytest.raises(LoadError, match=r"unpacks to more than 1 MB.*\(CHUNKVIZ_MAX_INFLATED_MB\)"):
            read(pdf)
    finally:
        monkeypatch.undo()
        settings.settings.cache_clear()
    assert read(pdf).text == ""


def test_damaged_files_are_read_with_a_warning_or_refused_in_a_sentence() -> None:
    pages = [[(72.0, 300.0, f"Page {'abcd'[n]}")] for n in range(4)]
    data = made(*pages).tobytes()
    outcomes: Counter[str] = Counter()
    messages = []
    for seed in range(80):
        chance = random.Random(seed)
        broken = bytearray(data)
        for _ in range(chance.randrange(1, 30)):
            broken[chance.randrange(len(broken))] = chance.randrange(256)
        if seed % 3 == 0:
            del broken[chance.randrange(len(broken)) :]
        try:
            document = load(bytes(broken), name="x.pdf")
        except LoadError as error:
            messages.append(str(error))
        else:
            check(document)
            outcomes["warned"] += any(n.level == "warning" for n in document.notes)
    assert min(len(messages), outcomes["warned"]) > 0
    assert all(message.startswith("x.pdf ") for message in messages)


def test_one_damaged_page_is_no_reason_to_refuse_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    real = loader._lines

    def lines(page: Any, number: int, found: Any) -> Any:
        if number == 2:
            raise RuntimeError("broken")
        return real(page, number, found)

    monkeypatch.setattr(loader, "_lines", lines)
    document = read(made([(72.0, 300.0, "One.")], [(72.0, 300.0, "Two.")], [(72.0, 300.0, "Three.")]))
    assert document.text == "One.\n\nThree."
    assert "Nothing could be read of pages 2" in next(n.text for n in document.notes if n.level == "warning")


@pytest.mark.parametrize(("words", "error"), [("broken", LoadError), ("malloc (9 bytes) failed", MemoryError)])
def test_where_every_page_fails_the_reason_decides(
    monkeypatch: pytest.MonkeyPatch, words: str, error: type[Exception]
) -> None:
    def lines(page: Any, number: int, found: Any) -> Any:
        raise RuntimeError(words)

    monkeypatch.setattr(loader, "_lines", lines)
    with pytest.raises(error):
        read(made([(72.0, 300.0, "One.")], [(72.0, 300.0, "Two.")]))


def test_the_sample_is_read_as_its_source_says(root: Path) -> None:
    document = load(root / "sample_docs" / "policy_handbook.pdf")
    check(document)
    assert len(document.headings) > 30
    assert "Shift | From | To | Break | Supplement\nEarly | 06:30 | 14:30 | 30 min | none" in document.text
    assert "ﬁ" not in document.text
