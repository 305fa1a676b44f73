"""PDF and Word: reading order, headings, tables, locks, damage; and what these formats are used to attack with."""

from __future__ import annotations

import io
import zipfile

import docx
import pymupdf
import pytest

from chunkviz import Document, LoadError, load


def pdf(*pages: list[tuple[float, float, str, float]], toc: list[list[object]] | None = None, **save: object) -> bytes:
    """A PDF of pages with (x, y, text, type size)."""
    made = pymupdf.open()
    for lines in pages:
        page = made.new_page()
        for x, y, text, size in lines:
            page.insert_text((x, y), text, fontsize=size)
    if toc:
        made.set_toc(toc)
    data: bytes = made.tobytes(**save)
    return data


def notes(document: Document) -> str:
    return "\n".join(f"{n.topic}: {n.text}" for n in document.notes)


WIDE = "A line that runs over both of the columns of this page, as titles often do"


def test_two_columns_are_read_one_after_the_other() -> None:
    """Shared case B32."""
    lines = [(72.0, 100 + 14.0 * i, f"L{i + 1}", 11.0) for i in range(3)]
    lines += [(340.0, 100 + 14.0 * i, f"R{i + 1}", 11.0) for i in range(3)]
    document = load(pdf([(72.0, 60.0, WIDE, 11.0), *lines]), name="two.pdf")
    assert document.text.split() == [*WIDE.split(), "L1", "L2", "L3", "R1", "R2", "R3"]
    assert "Two columns on pages 1" in notes(document)


@pytest.mark.parametrize(("join", "expected"), [(True, "a maneuver here"), (False, "a ma- neuver here")])
def test_words_broken_at_line_ends(join: bool, expected: str) -> None:
    data = pdf([(72.0, 100.0, "a ma-", 11.0), (72.0, 114.0, "neuver here", 11.0)])
    assert load(data, name="x.pdf", join_hyphens=join).text == expected


def test_headings_come_from_the_outline() -> None:
    page = [(72.0, 100.0, "Leave", 11.0), (72.0, 140.0, "Everyone has 30 days.", 11.0)]
    document = load(pdf(page, [(72.0, 100.0, "2 Pay", 11.0)], toc=[[1, "Leave", 1], [2, "Pay", 2]]), name="x.pdf")
    assert [(h.level, h.title) for h in document.headings] == [(1, "Leave"), (2, "2 Pay")]


def test_pages_have_labels_and_running_lines_are_left_out() -> None:
    pages = [[(72.0, 100.0, f"Text of page {n}", 11.0), (280.0, 820.0, f"Page {n}", 9.0)] for n in range(1, 6)]
    made = pymupdf.open(stream=pdf(*pages), filetype="pdf")
    made.set_page_labels([{"startpage": 0, "style": "r", "firstpagenum": 1}])
    document = load(made.tobytes(), name="x.pdf")
    assert [p.label for p in document.pages] == ["i", "ii", "iii", "iv", "v"]
    assert "Page 3" not in document.text
    assert document.text[document.pages[2].start : document.pages[2].end] == "Text of page 3"
    assert "5 running headers and footers left out" in notes(document)


def test_a_picture_has_no_text_layer() -> None:
    made = pymupdf.open()
    made.new_page()
    document = load(made.tobytes(), name="scan.pdf")
    assert document.text == ""
    assert "no text layer" in notes(document)


def test_locked_files() -> None:
    """Shared case B33."""
    page = [(72.0, 100.0, "Secret", 11.0)]
    locked = pdf(page, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="u", owner_pw="o")
    with pytest.raises(LoadError, match="needs a password") as error:
        load(locked, name="x.pdf")
    assert error.value.needs_password
    with pytest.raises(LoadError, match=r"is locked\. That password does not open it\."):
        load(locked, name="x.pdf", password="no")
    assert load(locked, name="x.pdf", password="u").text == "Secret"
    assert (
        load(pdf(page, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="", owner_pw="o"), name="x.pdf").text == "Secret"
    )


@pytest.mark.parametrize("data", [b"<html>not a pdf</html>", b"%PDF-1.7\n" + b"\x00\xff" * 50, b""])
def test_what_is_no_pdf_is_refused_in_a_sentence(data: bytes) -> None:
    with pytest.raises(LoadError, match=r"^x\.pdf "):
        load(data, name="x.pdf")


def word(build: object) -> bytes:
    made = docx.Document()
    build(made)  # type: ignore[operator]
    stream = io.BytesIO()
    made.save(stream)
    return stream.getvalue()


def report_file() -> bytes:
    def build(made: object) -> None:
        made.add_heading("Report", 1)  # type: ignore[attr-defined]
        made.add_paragraph("Before.")  # type: ignore[attr-defined]
        table = made.add_table(2, 2)  # type: ignore[attr-defined]
        for i, text in enumerate(("a", "b", "c", "d")):
            table.cell(i // 2, i % 2).text = text
        made.add_paragraph("After.")  # type: ignore[attr-defined]
        made.add_paragraph("one", style="List Bullet")  # type: ignore[attr-defined]
        made.add_paragraph("two", style="List Bullet")  # type: ignore[attr-defined]
        made.add_heading("Details", 2)  # type: ignore[attr-defined]

    return word(build)


def test_word_keeps_the_order_of_the_body() -> None:
    document = load(report_file(), name="report.docx")
    assert document.text == "Report\n\nBefore.\n\na | b\nc | d\n\nAfter.\n\n- one\n- two\n\nDetails"
    assert [b.kind for b in document.blocks] == ["heading", "paragraph", "table", "paragraph", "list", "heading"]
    assert [(h.level, h.title) for h in document.headings] == [(1, "Report"), (2, "Details")]


def changed(data: bytes, change: bytes, by: bytes) -> bytes:
    """A Word file with its main part edited."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for info in source.infolist():
            content = source.read(info)
            if info.filename == "word/document.xml":
                assert change in content
                content = content.replace(change, by, 1)
            target.writestr(info.filename, content)
    return out.getvalue()


def test_tracked_changes_and_text_boxes() -> None:
    box = (
        b'<w:p><w:r><w:pict><v:textbox xmlns:v="urn:schemas-microsoft-com:vml"><w:txbxContent><w:p><w:r><w:t>Boxed</w:t>'
        b"</w:r></w:p></w:txbxContent></v:textbox></w:pict></w:r>"
        b"<w:ins><w:r><w:t>new </w:t></w:r></w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del>"
        b"<w:r><w:t>words</w:t></w:r></w:p><w:tbl>"
    )
    document = load(changed(report_file(), b"<w:tbl>", box), name="x.docx")
    assert "new words\n\nBoxed\n\na | b" in document.text
    assert "old" not in document.text
    assert "tracked deletions left out" in notes(document)


def test_a_bomb_is_refused_before_it_unpacks(monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = changed(report_file(), b"<w:tbl>", b"<w:p>" + b" " * 230_000_000 + b"</w:p><w:tbl>")
    assert len(bomb) < 1_000_000
    with pytest.raises(LoadError, match="unpacks to more than 200 MB"):
        load(bomb, name="x.docx")


def test_a_document_type_is_refused() -> None:
    evil = changed(report_file(), b"<w:document", b'<!DOCTYPE x [<!ENTITY e "x">]><w:document')
    with pytest.raises(LoadError, match="declares a document type"):
        load(evil, name="x.docx")


@pytest.mark.parametrize("data", [b"PK\x03\x04 broken word/document.xml", b"\xd0\xcf\x11\xe0" + b"\0" * 600])
def test_what_is_no_word_file_is_refused_in_a_sentence(data: bytes) -> None:
    with pytest.raises(LoadError, match=r"^x\.docx "):
        load(data, name="x.docx")


HTML = "<main><h1>T</h1><p>a <b>b</b> c</p><h2>S</h2><p>d</p></main>"


def test_html_keeps_the_order_of_its_words() -> None:
    """Shared case B24."""
    document = load(HTML.encode(), name="x.html")
    assert document.text == "T\n\na b c\n\nS\n\nd"
    assert document.heading_path(len(document.text) - 1) == ("T", "S")
    source = Document.from_text(HTML, name="x.html")
    assert source.text == HTML
    assert [(h.level, h.title) for h in source.headings] == [(1, "T"), (2, "S")]
    assert all(HTML[h.start : h.end].startswith("<h") for h in source.headings)


def test_html_leaves_out_what_is_no_content_and_says_so() -> None:
    page = f"<nav>Menu</nav><script>x()</script><ol class='breadcrumb'><li>Home</li></ol>{HTML}<footer>Imprint</footer>"
    document = load(page.encode(), name="x.html")
    assert "Menu" not in document.text
    assert all(f"1 {what}" in notes(document) for what in ("navigation", "footer", "breadcrumb trail", "script"))
    assert "Menu" in load(page.encode(), name="x.html", keep_boilerplate=True).text


def test_html_tables_code_and_lists() -> None:
    table = "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>"
    page = f"{table}<pre class='language-py'>x\n y</pre><ul><li>i</li></ul>"
    document = load(page.encode(), name="x.html")
    assert document.text == "a | b\n1 | 2\n\nx\n y\n\n- i"
    shown = [(b.kind, b.language) for b in document.blocks if b.kind != "element"]
    assert shown == [("table", ""), ("code", "python"), ("list", "")]


def test_deep_nesting_is_read() -> None:
    assert load(b"<div>" * 50_000 + b"deep" + b"</div>" * 50_000, name="x.html").text == "deep"


@pytest.mark.parametrize("html", ["a < b & c", "<p>one<p>two", "&amp;&lt;b&gt;", "<b>x</i>", "<h1>open", "<!-- c -->t"])
def test_sloppy_html_is_read(html: str) -> None:
    assert load(html.encode(), name="x.html").text
    assert Document.from_text(html, name="x.html").text == html
