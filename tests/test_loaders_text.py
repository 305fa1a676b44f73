"""Text, code, JSON and LaTeX; decoding; and what holds for every format that has a text of its own."""

from __future__ import annotations

import codecs
import os
import subprocess
import sys
from pathlib import Path

import pytest
from awkward import PIECES
from hypothesis import given
from hypothesis import strategies as st

from chunkviz import Block, Document, LoadError, ParameterError, load
from chunkviz.loaders import MODULES, display_name, format_of, from_text, loaders, suffixes
from chunkviz.loaders.encoding import guess
from chunkviz.loaders.options import ENCODINGS
from chunkviz.settings import settings
from chunkviz.spans import Spans, gaps, is_blank, lost
from chunkviz.text.blocks import form_feed_pages, line_starts, paragraphs

FORMATS = [loader.format for loader in loaders() if loader.from_text]

MARKUP = [
    "---\ntitle: x\n---\n",
    "---\n",
    "> # quoted\n",
    "* a\n\n      code\n\n  b\n",
    "<div>\n",
    "</div>",
    "<h2 class='a'>T &amp; u</h2>",
    "<pre>\n  x\n</pre>",
    "<ul><li>a<li>b</ul>",
    "<table><tr><td>1<td>2</table>",
    "<script>if (a<b) {}</script>",
    "<!-- c -->",
    "<p",
    "\\section{A {b} \\% c}",
    "% \\section{no}\n",
    "\\begin{verbatim}\\section{no}\\end{verbatim}",
    "\\begin{table}",
    "\\end{table}",
    "\\[ x \\]",
    "\\begin{equation}a\\end{equation}",
    '{"a": [1, 2]}\n',
]
TEXTS = st.lists(st.sampled_from(PIECES + MARKUP) | st.text(max_size=5), max_size=25).map("".join)


def shown(document: Document, kind: str | None = None) -> list[str]:
    return [document.text[b.start : b.end] for b in document.blocks if kind is None or b.kind == kind]


def headings(document: Document) -> list[tuple[int, str]]:
    return [(h.level, h.title) for h in document.headings]


def notes(document: Document) -> str:
    return "\n".join(note.text for note in document.notes)


def outcome(data: bytes, name: str) -> tuple[Document | None, str]:
    """The document, or why there is none."""
    try:
        return load(data, name=name), ""
    except LoadError as error:
        return None, str(error)


def check_blocks(document: Document) -> None:
    """Blocks are in order, not blank, do not overlap, and hold every character that is not white space."""
    at = 0
    for block in document.blocks:
        assert at <= block.start < block.end <= len(document.text)
        assert not is_blank(document.text, block.start, block.end)
        assert (block.level > 0) == (block.kind == "heading")
        at = block.end
    spans = Spans([b.start for b in document.blocks], [b.end for b in document.blocks])
    assert list(lost(document.text, spans)) == []


# ---- what holds for every format -----------------------------------------------------------------------------------


@pytest.mark.parametrize("format_", FORMATS)
@given(text=TEXTS)
def test_text_stays_and_blocks_hold_all_of_it(format_: str, text: str) -> None:
    text = text.encode("utf-8", "replace").decode()
    document = from_text(text, "x", format_)
    assert document.text == text
    assert document.format == format_
    check_blocks(document)


@pytest.mark.parametrize("suffix", [".txt", ".md", ".html", ".py", ".json", ".jsonl", ".tex"])
@given(text=TEXTS)
def test_any_utf8_file_can_be_loaded(suffix: str, text: str) -> None:
    data = text.encode("utf-8", "replace")
    document = load(b"text first\n" + data, name=f"x{suffix}")
    check_blocks(document)
    assert "\0" not in document.text
    assert load(b"text first\n" + data, name=f"x{suffix}").fingerprint == document.fingerprint


@given(data=st.binary(max_size=200), suffix=st.sampled_from([".txt", ".md", ".html", ".json", "", ".pdf", ".docx"]))
def test_any_bytes_are_read_or_refused_in_a_sentence(data: bytes, suffix: str) -> None:
    document, message = outcome(data, f"x{suffix}")
    if document is None:
        assert message.startswith("x")
        assert message.endswith(".")
    else:
        assert not any("\ud800" <= c <= "\udfff" or c == "\0" for c in document.text)


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("text", ["", "  \n\n ", "\r", "\ufeff", "a", "\x0c"])
def test_texts_with_little_in_them(format_: str, text: str) -> None:
    document = from_text(text, "x", format_)
    assert document.text == text
    check_blocks(document)


@pytest.mark.parametrize("suffix", [".txt", ".md", ".html", ".py", ".json", ".tex"])
def test_an_empty_file_is_an_empty_document_with_a_note(suffix: str) -> None:
    document = load(b"", name=f"x{suffix}")
    assert (document.text, document.blocks) == ("", ())
    assert [n.topic for n in document.notes] == ["empty"]


@pytest.mark.parametrize("format_", FORMATS)
def test_lone_surrogates_are_replaced_one_for_one(format_: str) -> None:
    document = from_text("a\ud800b\udfff c", "x", format_)
    assert document.text == "a\ufffdb\ufffd c"
    assert [(n.count, n.level) for n in document.notes if n.topic == "encoding"] == [(2, "warning")]


# ---- which format --------------------------------------------------------------------------------------------------


def test_every_ending_belongs_to_one_loader() -> None:
    assert len(set(suffixes())) == len(suffixes()) == sum(len(loader.suffixes) for loader in loaders())
    assert all(s.startswith(".") and s == s.lower() for s in suffixes())
    assert len(loaders()) == len(MODULES)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.md", ("markdown", "")),
        ("A.MARKDOWN", ("markdown", "")),
        ("a.b.PY", ("code", "python")),
        ("x.tsx", ("code", "typescript")),
        ("x.h", ("code", "c")),
        ("x.cc", ("code", "cpp")),
        ("x.yml", ("code", "yaml")),
        ("page.htm", ("html", "")),
        ("x.ndjson", ("json", "jsonl")),
        ("x.tex", ("latex", "")),
        ("x.pdf", ("pdf", "")),
        ("x.docx", ("docx", "")),
        ("README", ("text", "")),
        ("x.unheard-of", ("text", "")),
        (".md", ("text", "")),
        ("", ("text", "")),
    ],
)
def test_format_of(name: str, expected: tuple[str, str]) -> None:
    assert format_of(name) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("../../x.txt", "x.txt"),
        ("C:\\a\\x.txt", "x.txt"),
        ("a\nb\u202e.txt", "a\ufffdb\ufffd.txt"),
        ("..", "document"),
        ("", "document"),
        ("/", "document"),
        ("x" * 300 + ".md", "x" * 197 + ".md"),
    ],
)
def test_display_name(name: str, expected: str) -> None:
    assert display_name(name) == expected
    assert load(b"a", name=name).name == expected


def test_unknown_endings_are_read_as_text_and_said_so() -> None:
    assert "read as plain text" in notes(load(b"words", name="notes.xyz"))
    page = load(b"\xef\xbb\xbf <!DOCTYPE html><h1>T</h1>", name="page")
    assert (page.format, headings(page)) == ("html", [(1, "T")])
    assert "its content is HTML" in notes(page)


@pytest.mark.parametrize("format_", ["pdf", "docx", "nonsense"])
def test_formats_that_no_text_can_have(format_: str) -> None:
    with pytest.raises(LoadError, match="The formats are"):
        from_text("x", "x", format_)


def test_text_named_like_a_pdf_is_text() -> None:
    assert Document.from_text("x", name="x.pdf").format == "text"


def test_a_text_that_mentions_the_pdf_mark_is_a_text() -> None:
    assert load(b"A PDF starts with %PDF-1.7.", name="x.md").format == "markdown"


@pytest.mark.parametrize(
    ("data", "name", "message"),
    [
        (b"<html>no</html>", "x.pdf", "called a PDF, but holds none"),
        (b"words", "x.docx", "called a Word file, but holds none"),
        (b"", "x.pdf", "is empty"),
        (b"", "x.docx", "is empty"),
        (b"PK\x03\x04 sheet PK\x05\x06", "x.docx", "is an archive"),
        (b"PK\x03\x04 sheet", "x.docx", "is damaged: its end is missing"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "x.doc", "is an old Office file"),
        (b"\x89PNG\r\n\x1a\n", "x.txt", "is a picture"),
        (b"{\\rtf1 x}", "x.rtf", "is an RTF file"),
        (b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\xff\xfe\x03", "x.txt", "holds binary data"),
        (bytes(range(32)) * 20, "x.txt", "holds binary data"),
    ],
)
def test_what_cannot_be_read_is_refused_in_a_sentence(data: bytes, name: str, message: str) -> None:
    with pytest.raises(LoadError, match=message) as caught:
        load(data, name=name)
    assert str(caught.value).startswith(name)


def test_paths(tmp_path: Path) -> None:
    file = tmp_path / "notes.md"
    file.write_bytes(b"# T\n")
    assert load(file).name == load(str(file)).name == "notes.md"
    assert load(file, name="other.txt").format == "text"
    for source, message in [
        (tmp_path, "is a folder"),
        (tmp_path / "none.txt", "does not exist"),
        ("a\0b", "cannot be opened"),
        ("x" * 5000, "cannot be opened"),
        (os.devnull, "is a device or a pipe"),
    ]:
        with pytest.raises(LoadError, match=message):
            load(source)


def test_large_files_are_refused_before_they_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "big.txt"
    file.write_bytes(b"a" * 1_000_001)
    monkeypatch.setenv("CHUNKVIZ_MAX_FILE_MB", "1")
    settings.cache_clear()
    try:
        for source in (file, file.read_bytes()):
            with pytest.raises(LoadError, match=r"at most 1 MB .* CHUNKVIZ_MAX_FILE_MB"):
                load(source)
        assert len(load(b"a" * 1_000_000).text) == 1_000_000
    finally:
        settings.cache_clear()


def test_options_are_checked_and_kept() -> None:
    assert load(b"x", name="x.txt").options == {}
    assert load(b"x", name="x.txt", encoding="cp1252", join_hyphens=True).options == {"encoding": "cp1252"}
    with pytest.raises(ParameterError, match="encoding"):
        load(b"x", name="x.txt", encoding="klingon")
    with pytest.raises(ParameterError, match="no parameter"):
        load(b"x", name="x.txt", colour="red")


def test_importing_and_listing_loads_no_parser() -> None:
    program = "import sys, chunkviz.loaders as l; l.suffixes(); print([m for m in sys.argv[1:] if m in sys.modules])"
    heavy = ["pymupdf", "docx", "selectolax", "markdown_it", "charset_normalizer"]
    done = subprocess.run([sys.executable, "-c", program, *heavy], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# ---- decoding ------------------------------------------------------------------------------------------------------

SAMPLES = {
    "cp1252": [
        "déjà",
        "Où est passé l’été ? « Ça va », répondit-il. Le cœur à côté.",
        "Größe und Straße, für Äpfel und Öl — schön.",
        "¿Qué pasó? El niño comió. Mañana, señor.",
        "São Paulo é bom; não há razões, você põe mães.",
        "Perché no? Così è più facile, però già là.",
        "Smørrebrød på Ærø, blå åer",
        "“Only quotes” — here…",
        "10 m³ and 5 µm, 20 °C ± 2",
        "naïve café, Ågren, Øre",
        "l’hôtel Zürich, 3º andar",
    ],
    "cp1250": [
        "Zażółć gęślą jaźń. Święto, książka, łódź.",
        "Příliš žluťoučký kůň úpěl ďábelské ódy.",
        "Vyhláška o ochraně",
        "Čeština je těžká řeč a učíme se ji.",
        "Árvíztűrő tükörfúrógép. Nagyon jó idő.",
    ],
    "cp1251": ["Привет, мир! Это простой русский текст.", "ДОГОВОР № 5 от 3 мая", "Їжак їсть ґрунт і є щасливий"],
    "koi8-r": ["Россия большая страна, Москва столица."],
    "iso8859-2": ["Zażółć gęślą jaźń. Święto, książka."],
    "cp1253": ["Καλημέρα κόσμε, τι κάνεις;"],
    "cp1254": ["Güneş doğdu, ışık şehre yayıldı. İstanbul çok güzel."],
    "cp1256": ["مرحبا بالعالم. كيف حالك؟ هذا نص عربي."],
    "cp1257": ["Lietuvių kalba yra graži ir sudėtinga, ąžuolas žydi."],
    "shift_jis": ["吾輩は猫である。名前はまだ無い。", "価格はABC-123です"],
    "euc_jp": ["吾輩は猫である。名前はまだ無い。"],
    "gb18030": ["今天天气很好。我们去公园。你来吗？好的！", "中华人民共和国宪法 第一章"],
    "big5": ["今天天氣很好。我們去公園。你來嗎？好的！"],
    "euc_kr": ["안녕하세요. 오늘은 날씨가 좋습니다."],
    "mac-roman": ["Où est passé l’été ? Ça va, répondit-il."],
}


@pytest.mark.parametrize(("encoding", "text"), [(e, t) for e, texts in SAMPLES.items() for t in texts])
def test_the_guess_is_right_and_named(encoding: str, text: str) -> None:
    data = text.encode(encoding)
    document = load(data, name="x.txt")
    assert document.text == text
    assert [(n.topic, n.level) for n in document.notes] == [("encoding", "warning")]
    assert f"Read as {guess(data)}, a guess: if letters look wrong, choose the encoding." == document.notes[0].text
    assert load(data, name="x.txt", encoding=encoding).text == text


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1"])
def test_shared_case_b35(encoding: str) -> None:
    assert load("déjà".encode(encoding), name="x.txt").text == "déjà"
    assert headings(load(b"\xef\xbb\xbf# T", name="x.md")) == [(1, "T")]
    assert headings(load("# T".encode("utf-16"), name="x.md")) == [(1, "T")]


@pytest.mark.parametrize(
    ("data", "label"),
    [
        (codecs.BOM_UTF8 + "é 猫".encode(), "UTF-8"),
        (codecs.BOM_UTF16_LE + "é 猫".encode("utf-16-le"), "UTF-16"),
        (codecs.BOM_UTF16_BE + "é 猫".encode("utf-16-be"), "UTF-16"),
        (codecs.BOM_UTF32_LE + "é 猫".encode("utf-32-le"), "UTF-32"),
        (codecs.BOM_UTF32_BE + "é 猫".encode("utf-32-be"), "UTF-32"),
    ],
)
def test_byte_order_marks(data: bytes, label: str) -> None:
    document = load(data, name="x.txt")
    assert document.text == "é 猫"
    assert notes(document) == f"Read as {label}; the byte order mark at the start is not part of the text."


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark(codec: str) -> None:
    document = load("Plain words, 猫.\r\n".encode(codec), name="x.txt")
    assert document.text == "Plain words, 猫.\r\n"
    assert "no byte order mark" in notes(document)


@pytest.mark.parametrize("encoding", [e for e in ENCODINGS if e != "auto"])
def test_every_encoding_that_can_be_chosen_reads_its_own(encoding: str) -> None:
    assert load("plain words\r\n".encode(encoding), name="x.txt", encoding=encoding).text == "plain words\r\n"


def test_a_choice_is_obeyed_and_what_does_not_fit_is_counted() -> None:
    document = load("é猫".encode(), name="x.txt", encoding="cp1251")
    assert "\ufffd" not in document.text
    assert document.text.startswith("Г©")
    damaged = load(b"a\xffb\xff", name="x.txt", encoding="utf-8")
    assert damaged.text == "a\ufffdb\ufffd"
    assert [n.count for n in damaged.notes if n.level == "warning"] == [2]


def test_one_damaged_byte_does_not_change_the_encoding() -> None:
    document = load(("Größe " * 20).encode() + b"\xff", name="x.txt")
    assert document.text == "Größe " * 20 + "\ufffd"
    assert notes(document) == "1 place is not valid UTF-8 and shown as �."


def test_line_ends_stay_and_nuls_are_replaced() -> None:
    document = load(b"a\r\nb\rc\n\0" + b"words " * 40, name="x.txt")
    assert document.text.startswith("a\r\nb\rc\n\ufffdwords")
    assert "NUL" in notes(document)


# ---- lines, paragraphs, pages --------------------------------------------------------------------------------------


@given(TEXTS)
def test_lines_end_at_cr_lf_and_crlf_only(text: str) -> None:
    starts = line_starts(text)
    slow = [0] + [i + 1 for i, c in enumerate(text) if c == "\n" or (c == "\r" and text[i + 1 : i + 2] != "\n")]
    assert starts[-1] == len(text)
    assert starts[:-1] == [s for s in slow if s < len(text)] or (not text and starts == [0, 0])


def test_paragraphs_of_shared_case_b11() -> None:
    assert shown(Document.from_text("A.\r\n\r\nB.\r\n\r\nC.", name="x.txt")) == ["A.", "B.", "C."]
    assert shown(Document.from_text("A.\r\nB.\r \t\rC.", name="x.txt")) == ["A.\r\nB.", "C."]


@given(TEXTS)
def test_a_paragraph_holds_no_blank_line(text: str) -> None:
    for span in paragraphs(text):
        lines = text[span.start : span.end].replace("\r\n", "\n").replace("\r", "\n").split("\n")
        assert all(line.strip() for line in lines)


@given(TEXTS)
def test_form_feeds_make_pages(text: str) -> None:
    pages = form_feed_pages(text)
    assert bool(pages) == ("\f" in text)
    if pages:
        assert list(gaps([p.span for p in pages], len(text))) == []
        assert [p.number for p in pages] == list(range(1, len(pages) + 1))
        assert all(text[p.start : p.end - 1].count("\f") == 0 for p in pages[:-1])


def test_pages_of_a_document() -> None:
    document = Document.from_text("one\ftwo\f\n", name="x.txt")
    assert [(p.start, p.end, p.label) for p in document.pages] == [(0, 4, "1"), (4, 9, "2")]
    assert shown(document) == ["one", "two"]


# ---- code, JSON ----------------------------------------------------------------------------------------------------


def test_code_is_one_block_with_its_language() -> None:
    document = Document.from_text("\n  def f():\n    pass\n\n", name="x.py")
    assert (document.format, document.language) == ("code", "python")
    assert document.blocks == (Block("code", 1, 20, language="python"),)
    assert load(b"fn main() {}", name="a.rs").language == "rust"


def test_json_is_its_source() -> None:
    source = ' {"a": {}, "b": 1}\n'
    document = Document.from_text(source, name="x.json")
    assert document.text == source
    assert document.blocks == (Block("code", 1, 18, language="json"),)
    assert document.notes == ()


def test_json_lines_end_at_line_feeds_only() -> None:
    source = '{"a": "x\u2028y"}\n{"a": "\x85"}\n'
    assert Document.from_text(source, name="x.jsonl").notes == ()
    assert Document.from_text(source, name="x.jsonl").blocks[0].language == "jsonl"
    assert Document.from_text(source, name="x.json").blocks[0].language == "jsonl"


@pytest.mark.parametrize(
    ("name", "source", "place"),
    [
        ("x.json", '{"a": 1,\n "b" 2}', "line 2, column 6"),
        ("x.jsonl", '{"a": 1}\n\n{"a" 1}', "line 3, column 6"),
        ("x.json", "[" * 100_000, "nested too deeply"),
    ],
)
def test_faults_in_json_are_named(name: str, source: str, place: str) -> None:
    document = Document.from_text(source, name=name)
    assert [n.level for n in document.notes] == ["warning"]
    assert place in notes(document)
    assert document.text == source


def test_long_numbers_are_no_fault() -> None:
    assert Document.from_text("[" + "9" * 5000 + "]", name="x.json").notes == ()


# ---- LaTeX ---------------------------------------------------------------------------------------------------------

LATEX = r"""\documentclass{article}
\begin{document}
\section*[Short]{A \emph{big {nested}} title\label{x} \& 5\% more} % \section{no}
% \section{commented}
50\% of \subsection{Real} text \verb|\section{no}| end.

\begin{verbatim}
\section{no} % x
\end{verbatim}
\[ a = b \] and $$x^2$$ inline $y$.
\begin{align*}
a &= b \\
\end{align*}
\begin{table}\begin{tabular}{l}1\end{tabular}\end{table}
\begin{itemize}\item a \begin{itemize}\item b\end{itemize}\end{itemize}
\begin{minted}[linenos]{py}
print("\end{x}")
\end{minted}
\begin{lstlisting}[language=C++]
int x;
\end{lstlisting}
\begin{comment}\section{no}\end{comment}
\let\section=\undefined \sectionmark{no}
\end{document}
"""


def test_latex_structure() -> None:
    document = Document.from_text(LATEX, name="x.tex")
    assert headings(document) == [(3, "A big nested title & 5% more"), (4, "Real")]
    assert shown(document, "equation") == [r"\[ a = b \]", "$$x^2$$", "\\begin{align*}\na &= b \\\\\n\\end{align*}"]
    assert [b.language for b in document.blocks if b.kind == "code"] == ["", "python", "cpp"]
    assert len(shown(document, "table")) == len(shown(document, "list")) == 1


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("\\%\\section{A}", [(3, "A")]),
        ("\\\\%\\section{A}", []),
        ("%\r\\section{A}", [(3, "A")]),
        ("\\part{P}\\chapter {C}\\paragraph{x}", [(1, "P"), (2, "C"), (6, "x")]),
        ("\\section%\n  {A}", [(3, "A")]),
        ("\\section{never closed", []),
        ("\\section{a}\\section{b", [(3, "a")]),
        ("\\begin{table}\\section{in an open environment}", [(3, "in an open environment")]),
        ("\\begin{verbatim}\\section{A}", [(3, "A")]),
        ("\\section{Größe~2\\footnote{no}\\\\b}", [(3, "Größe 2 b")]),
    ],
)
def test_latex_headings(source: str, expected: list[tuple[int, str]]) -> None:
    assert headings(Document.from_text(source, name="x.tex")) == expected


@pytest.mark.parametrize(
    "unit",
    ["\\[", "$$ ", "\\begin{table}", "\\section{", "\\section[", "\\verb|", "{", "\\begin{verbatim}", "\\end{table}"],
)
def test_latex_that_is_never_closed_takes_no_longer(unit: str) -> None:
    """Each of these was, or could be, quadratic: 20,000 of them would take minutes."""
    document = Document.from_text(unit * 20_001, name="x.tex")
    check_blocks(document)
