"""Word files in detail, written by hand as XML: what python-docx never writes, and what attackers do.

The ordinary cases are in test_loaders_files.py.
"""

from __future__ import annotations

import io
import random
import struct
import zipfile
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkviz import Document, LoadError, load, settings

NS: Final = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:v="urn:schemas-microsoft-com:vml"'
)


def archive(parts: dict[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for name, content in parts.items():
            target.writestr(name, content)
    return out.getvalue()


def word(body: str, styles: str = "", **parts: str) -> bytes:
    """A Word file: the inside of the body, of the styles, and of further parts by their short names."""
    files: dict[str, str | bytes] = {"word/document.xml": f"<w:document {NS}><w:body>{body}</w:body></w:document>"}
    if styles:
        files["word/styles.xml"] = f"<w:styles {NS}>{styles}</w:styles>"
    for name, content in parts.items():
        files[f"word/{name}.xml"] = f"<w:{name} {NS}>{content}</w:{name}>"
    return archive(files)


def read(body: str, styles: str = "", **parts: str) -> Document:
    document = load(word(body, styles, **parts), name="x.docx")
    at = 0
    for block in document.blocks:  # all ink is in a block, in order
        assert at <= block.start < block.end
        assert not document.text[at : block.start].strip()
        at = block.end
    assert not document.text[at:].strip()
    return document


def run(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def p(text: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{run(text)}</w:p>"


def styled(text: str, style: str) -> str:
    return p(text, f'<w:pStyle w:val="{style}"/>')


def style(id_: str, name: str, properties: str = "", based_on: str = "") -> str:
    parent = f'<w:basedOn w:val="{based_on}"/>' if based_on else ""
    return f'<w:style w:styleId="{id_}"><w:name w:val="{name}"/>{parent}<w:pPr>{properties}</w:pPr></w:style>'


def cell(inside: str) -> str:
    return f"<w:tc>{inside}</w:tc>"


def table(*rows: list[str]) -> str:
    return "<w:tbl>" + "".join(f"<w:tr>{''.join(map(cell, row))}</w:tr>" for row in rows) + "</w:tbl>"


def box(inside: str) -> str:
    return f"<w:r><w:pict><v:textbox><w:txbxContent>{inside}</w:txbxContent></v:textbox></w:pict></w:r>"


def notes(document: Document) -> str:
    return "\n".join(f"{n.topic}: {n.text}" for n in document.notes)


# --- headings and lists ---

STYLES = (
    style("berschrift1", "heading 1")
    + style("berschrift2", "heading 2", based_on="berschrift1")
    + style("Kapitel", "Kapitel", '<w:outlineLvl w:val="2"/>')
    + style("KapitelBlau", "Kapitel blau", based_on="Kapitel")
    + style("Inhaltsverzeichnisberschrift", "TOC Heading", '<w:outlineLvl w:val="9"/>', "berschrift1")
    + style("Titel", "Title")
    + style("Aufzhlungszeichen2", "List Bullet 2")
    + style("Punkte", "Punkte", '<w:numPr><w:ilvl w:val="1"/><w:numId w:val="4"/></w:numPr>')
    + style("Untertitel", "Subtitle", '<w:numPr><w:ilvl w:val="1"/></w:numPr>')
    + style("Listenabsatz", "List Paragraph")
    + style("a", "Ring a", based_on="b")
    + style("b", "Ring b", based_on="a")
)


@pytest.mark.parametrize(
    ("id_", "expected"),
    [
        ("Titel", ("heading", 1)),
        ("berschrift1", ("heading", 1)),
        ("berschrift2", ("heading", 2)),
        ("Kapitel", ("heading", 3)),
        ("KapitelBlau", ("heading", 3)),
        ("Inhaltsverzeichnisberschrift", ("paragraph", 0)),
        ("Aufzhlungszeichen2", ("list", 0)),
        ("Punkte", ("list", 0)),
        ("Untertitel", ("paragraph", 0)),
        ("Listenabsatz", ("paragraph", 0)),
        ("a", ("paragraph", 0)),
        ("unknown", ("paragraph", 0)),
    ],
)
def test_what_a_style_makes_of_a_paragraph(id_: str, expected: tuple[str, int]) -> None:
    block = read(styled("Words", id_), STYLES).blocks[0]
    assert (block.kind, block.level) == expected


def test_a_paragraph_may_overrule_its_style() -> None:
    own = '<w:pStyle w:val="{}"/><w:outlineLvl w:val="{}"/>'
    document = read(p("Up", own.format("unknown", 1)) + p("Down", own.format("berschrift1", 9)), STYLES)
    assert [(b.kind, b.level) for b in document.blocks] == [("heading", 2), ("paragraph", 0)]
    outside = '<w:pStyle w:val="Punkte"/><w:numPr><w:numId w:val="0"/></w:numPr>'
    assert read(p("Not an item", outside), STYLES).blocks[0].kind == "paragraph"


def test_levels_below_the_sixth_are_the_sixth() -> None:
    assert read(p("Deep", '<w:outlineLvl w:val="8"/>')).blocks[0].level == 6


def test_lists_are_one_block_indented_by_level() -> None:
    item = '<w:numPr><w:ilvl w:val="{}"/><w:numId w:val="3"/></w:numPr>'
    body = (
        p("one", item.format(0))
        + p("two", item.format(1))
        + p("three", item.format(0))
        + p("Text")
        + p("new", item.format(0))
    )
    document = read(body)
    assert document.text == "- one\n  - two\n- three\n\nText\n\n- new"
    assert [b.kind for b in document.blocks] == ["list", "paragraph", "list"]


# --- what stands in a paragraph ---


def test_links_fields_and_controls_are_read_as_they_are_shown() -> None:
    body = (
        f"<w:p><w:hyperlink>{run('link')}</w:hyperlink>"
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> PAGEREF _x </w:instrText></w:r>'
        f'{run(" 12")}<w:r><w:fldChar w:fldCharType="end"/></w:r><w:sdt><w:sdtContent>{run(" control")}</w:sdtContent></w:sdt>'
        f"</w:p><w:sdt><w:sdtContent>{p('Block')}{table([p('a'), p('b')])}</w:sdtContent></w:sdt>"
    )
    assert read(body).text == "link 12 control\n\nBlock\n\na | b"


def test_breaks_tabs_and_special_characters() -> None:
    tabs = '<w:pPr><w:tabs><w:tab w:val="left"/></w:tabs></w:pPr>'
    symbols = '<w:sym w:font="Symbol" w:char="00B1"/><w:sym w:font="Wingdings" w:char="F0FC"/><w:sym w:char="no"/>'
    between = ["<w:tab/>", "<w:br/>", '<w:br w:type="page"/>', "<w:noBreakHyphen/>", "<w:softHyphen/>", symbols]
    pieces = (run(letter) + f"<w:r>{what}</w:r>" for letter, what in zip("abcdef", between, strict=True))
    body = f"<w:p>{tabs}{''.join(pieces)}</w:p>"
    document = read(body)
    assert document.text == "a\tb\ncd\u2011ef±\ufffd\ufffd"
    warning = next(n for n in document.notes if n.level == "warning")
    assert (warning.topic, warning.count) == ("unreadable", 2)


def test_equations_readings_and_hidden_text() -> None:
    body = (
        f"<w:p>{run('E = ')}<m:oMath><m:r><m:t>mc²</m:t></m:r></m:oMath>"
        f"<w:r><w:ruby><w:rt>{run('kanji')}</w:rt><w:rubyBase>{run('漢字')}</w:rubyBase></w:ruby></w:r>"
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t> unseen</w:t></w:r></w:p>"
    )
    document = read(body)
    assert document.text == "E = mc²漢字 unseen"
    assert "1 passage formatted as hidden, which Word does not show, kept" in notes(document)


def test_tracked_changes_are_read_as_accepted() -> None:
    body = (
        f"<w:p><w:pPr><w:rPr><w:ins/></w:rPr></w:pPr>{run('kept ')}"
        f"<w:ins>{run('new ')}</w:ins><w:moveTo>{run('here')}</w:moveTo>"
        f"<w:moveFrom>{run('here')}</w:moveFrom><w:del><w:r><w:delText>old</w:delText></w:r></w:del></w:p>"
    )
    document = read(body)
    assert document.text == "kept new here"
    assert "tracked deletions left out (2), insertions kept (2)" in notes(document)


# --- tables and boxes ---


def test_tables_keep_their_order_and_tables_in_cells_are_their_text() -> None:
    inner = table([p("i1"), p("i2")], [p("i3"), p("i4")])
    document = read(p("Before") + table([p("a") + p("a2"), p("b")], [inner + p(""), p("")]) + p("After"))
    assert document.text == "Before\n\na a2 | b\ni1 i2 i3 i4 | \n\nAfter"
    assert [b.kind for b in document.blocks] == ["paragraph", "table", "paragraph"]


def test_an_empty_table_is_nothing() -> None:
    document = read(table([p(""), p("")]) + p("Text"))
    assert document.text == "Text"
    assert "tables" not in notes(document)


def test_a_text_box_is_read_once_after_its_paragraph() -> None:
    both = (
        f"<w:r><mc:AlternateContent><mc:Choice>{box(p('Boxed'))}</mc:Choice>"
        f"<mc:Fallback>{box(p('Boxed'))}</mc:Fallback></mc:AlternateContent></w:r>"
    )
    assert read(f"<w:p>{run('An')}{both}{run('chor')}</w:p>{p('Next')}").text == "Anchor\n\nBoxed\n\nNext"
    in_cell = f"<w:p>{run('cell')}{both}</w:p>"
    document = read(table([in_cell, p("other")], [p("c"), p("d")]))
    assert document.text == "cell | other\nc | d\n\nBoxed"
    assert "1 text box read" in notes(document)


def test_boxes_in_boxes_are_read_once() -> None:
    inner = f"<w:p>{run('middle')}{box(p('innermost'))}</w:p>"
    assert read(f"<w:p>{run('outer')}{box(inner)}</w:p>").text == "outer\n\nmiddle\n\ninnermost"


def test_a_box_may_hold_a_table_and_a_list_does_not_run_into_it() -> None:
    item = '<w:numPr><w:numId w:val="3"/></w:numPr>'
    body = f"<w:p><w:pPr>{item}</w:pPr>{run('one')}{box(table([p('x'), p('y')]) + p('in the box', item))}</w:p>" + p(
        "two", item
    )
    assert read(body).text == "- one\n\nx | y\n\n- in the box\n\n- two"


# --- what stands elsewhere in the file ---


def test_notes_come_at_the_end_and_margins_and_comments_are_left_out() -> None:
    note = '<w:footnote w:type="separator">{0}</w:footnote><w:footnote w:id="2">{1}{2}</w:footnote>'
    document = read(
        p("Text"),
        footnotes=note.format(p("---"), p("First line."), p("Second line.")),
        endnotes=f"<w:endnote>{p('At the very end.')}</w:endnote>",
        header1=p("Confidential"),
        footer1=p(""),
        comments=f"<w:comment>{p('Really?')}</w:comment>",
    )
    assert document.text == "Text\n\nFirst line. Second line.\n\nAt the very end."
    for words in ("1 footnote added", "1 endnote added", "1 page header or footer left out", "1 comment left out"):
        assert words in notes(document)


def test_pictures_and_imported_files_are_told() -> None:
    document = read('<w:p><w:r><w:drawing/></w:r><w:r><w:object/></w:r></w:p><w:altChunk w:id="r1"/>' + p("Text"))
    assert "2 pictures and charts left out" in notes(document)
    assert "1 embedded file whose text Word shows, left out" in next(
        n.text for n in document.notes if n.level == "warning"
    )


def test_a_file_without_text_says_so() -> None:
    document = read("<w:p/>")
    assert (document.text, document.blocks) == ("", ())
    assert "There is no text in this document." in notes(document)


@given(
    st.recursive(
        st.text("ab \t", min_size=1, max_size=5).map(p),
        lambda inner: st.lists(inner, min_size=1, max_size=3).map(
            lambda parts: table(["".join(parts), p("c")]) if len(parts) > 1 else f"<w:p>{box(parts[0])}</w:p>"
        ),
        max_leaves=8,
    )
)
def test_no_letter_is_lost_or_doubled(body: str) -> None:
    """However tables and boxes are put into each other: text runs in the file and letters of the document agree."""
    text = read(body).text
    written = body.replace("</w:t>", "\0").split('xml:space="preserve">')[1:]
    expected = "".join(piece.split("\0")[0] for piece in written)
    for letter in "abc":
        assert text.count(letter) == expected.count(letter)


# --- damage and attacks ---


def refused(data: bytes) -> str:
    with pytest.raises(LoadError) as error:
        load(data, name="x.docx")
    assert str(error.value).startswith("x.docx ")
    return str(error.value)


def test_an_archive_that_lies_about_its_sizes_is_counted_as_it_unpacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHUNKVIZ_MAX_INFLATED_MB", "1")
    settings.settings.cache_clear()
    try:
        data = bytearray(word(p("x" * 3_000_000)))
        at = data.rindex(b"PK\x01\x02")
        data[at + 24 : at + 28] = struct.pack("<I", 10)  # the size in the directory: ten bytes
        assert "(CHUNKVIZ_MAX_INFLATED_MB)" in refused(word(p("x" * 3_000_000)))
        refused(bytes(data))
        two = word(p("x" * 600_000), footnotes=f"<w:footnote>{p('x' * 600_000)}</w:footnote>")
        assert "unpacks to more than 1 MB" in refused(two)
    finally:
        monkeypatch.undo()
        settings.settings.cache_clear()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entities_are_refused_in_every_encoding(encoding: str) -> None:
    evil = f'<?xml version="1.0" encoding="{encoding}"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
    xml = f"{evil}<w:document {NS}><w:body><w:p><w:r><w:t>&e;</w:t></w:r></w:p></w:body></w:document>"
    assert "declares a document type" in refused(archive({"word/document.xml": xml.encode(encoding)}))


def test_a_part_in_utf16_is_read() -> None:
    xml = f'<?xml version="1.0" encoding="utf-16"?><w:document {NS}><w:body>{p("Größe")}</w:body></w:document>'
    assert load(archive({"word/document.xml": xml.encode("utf-16")}), name="x.docx").text == "Größe"


def test_nesting_without_end_is_refused_or_cut_off() -> None:
    assert "is damaged" in refused(word("<w:sdt>" * 5000 + "</w:sdt>" * 5000))
    nested = run("core")
    for _ in range(44):
        nested = box(f"<w:p>{nested}</w:p>")
    document = read(p("Top") + f"<w:p>{nested}</w:p>")
    assert document.text == "Top"
    assert "nested more than 40 deep left out" in notes(document)


def test_many_boxes_take_no_more_than_their_number() -> None:
    assert read("<w:p>" + box(p("b")) * 3000 + "</w:p>").text.count("b") == 3000


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\xd0\xcf\x11\xe0" + b"\0" * 600, "password"),
        (archive({"word/document.xml": "<w:document"}), "is damaged"),
        (archive({"word/document.xml": f"<w:document {NS}/>"}), "no body"),
        (archive({"word/document.xml": '<d xmlns="http://purl.oclc.org/ooxml/wordprocessingml/main"/>'}), "strict"),
        (archive({"word/document.xml": ""}), "is damaged"),
        (archive({"word/document.xml": "<d/>", "word/styles.xml": "<"}), "word/styles.xml"),
        (archive({"mimetype": "x", "content.xml": "x"}), "archive and not a Word file"),
        (archive({"mimetype": "x", "content.xml": "x"})[:40], "its end is missing"),
    ],
)
def test_what_cannot_be_read_is_refused_in_a_sentence(data: bytes, words: str) -> None:
    assert words in refused(data)


def test_a_part_with_a_password_is_refused() -> None:
    data = bytearray(word(p("x")))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + offset] |= 1  # the flag that says it is encrypted
    assert "cannot be unpacked" in refused(bytes(data))


def test_damaged_archives_are_read_or_refused_in_a_sentence() -> None:
    good = word(p("Some words.") * 50 + table([p("a"), p("b")]), STYLES)
    messages = []
    for seed in range(150):
        chance = random.Random(seed)
        broken = bytearray(good)
        for _ in range(chance.randrange(1, 12)):
            broken[chance.randrange(30, len(broken))] = chance.randrange(256)
        try:
            load(bytes(broken), name="x.docx")
        except LoadError as error:
            messages.append(str(error))
    assert messages
    assert all(message.startswith("x.docx ") for message in messages)
