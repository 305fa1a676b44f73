"""Sentences: a table of hard cases, with `|` where one ends, and properties on awkward text."""

from __future__ import annotations

import pytest
from awkward import awkward_text
from hypothesis import given

from chunkviz import Document
from chunkviz.text.sentences import document_sentences, sentences

CASES = """
# abbreviations
Dr. Smith paid. |He left.
Mr. and Mrs. Hill met Prof. Stone at St. Mary. |All laughed.
We need tools, e.g. a saw. |Then we start.
Compare i.e. the first one. |It fits.
He works at Acme Inc. |The firm is old.
She lives in Washington D.C. with her cat.
U.S. Government policy changed. |It is a U.S. policy.
We met at 5 p.m. |The end.
Bring pens, paper, etc. |We start at nine.
See Fig. 3 and p. 12 for more. |Next.
Add approx. 5 ml of water. |Stir.
It is vol. 2, no. 7 of the series. |Buy it.
Jones vs. Miller was a draw. |Nobody won.
# numbers
It costs 3.14 euros. |Version v1.2.3 is out.
The year was 1984. |Nothing happened.
It is 5. |Ten came.
1. Open the door. |2. Close it.
Pay $3.50 now. |Or later.
# initials
J. R. R. Tolkien wrote it. |So did C. S. Lewis.
George W. Bush spoke. |They listened.
# addresses and files
See https://a.b/c.d?e=f. |Then go.
Write to me@site.org. |Thanks.
Open app.py. |Then run it.
Use node.js for this. |It is fast.
The .env file is hidden. |Look again.
# quotes and brackets
"Stop!" he said. |"Go."
He said "I am done." |Then he left.
“Who is it?” she asked. |“Me.”
(This is one.) |(And two.)
It works (see below). |Try it.
'Yes.' |'No.'
# other marks
Is it? |Yes! |No!! |What?! |Ok.
Yahoo! is a company. |Yes.
Well... I think so.
He left... |Then it rained.
Wait… what? |Nothing.
# German
Das ist z. B. gut. |Am 3. Oktober kam er.
Er wohnt im 2. Stock. |Dort ist es hell.
Das gilt bzw. galt so. |Dr. Meier weiß es.
Er kam usw. |Das war alles.
# French, Spanish, Russian
M. Dupont arrive. |Il dit « Bonjour. » |Puis il part.
¿Cómo estás? |¡Muy bien! |Gracias.
Это т. е. пример. |Он ушёл.
# other scripts
今天天气很好。|我们去公园。|你来吗？|好的！
彼は「行きます。」と言った。|そして帰った。
مرحبا بالعالم. |كيف حالك؟ |بخير.
नमस्ते। |आप कैसे हैं?
"""


def rows() -> list[str]:
    return [line for line in CASES.splitlines() if line and not line.startswith("#")]


@pytest.mark.parametrize("row", rows())
def test_hard_cases(row: str) -> None:
    text = row.replace("|", "")
    assert [text[s:e] for s, e in sentences(text)] == [part.strip() for part in row.split("|")]


LAYOUT = {
    "paragraphs": ("One\n\nTwo", ["One", "Two"]),
    "carriage returns": ("A.\r\n\r\nB.\r\n\r\nC.", ["A.", "B.", "C."]),
    "wrapped by hand": ("This line goes\non here. Done.", ["This line goes\non here.", "Done."]),
    "list": ("- one\n- two\n* three", ["- one", "- two", "* three"]),
    "code": ("Text.\n```\na = 1.\nb\n```\nMore.", ["Text.", "```", "a = 1.", "b", "```", "More."]),
    "table": ("| a | b |\n| c. | d |", ["| a | b |", "| c. | d |"]),
    "speakers": ("Agent: Hello there\nCaller: Hi", ["Agent: Hello there", "Caller: Hi"]),
    "white space between": ("One.\n\nTwo.  Three.", ["One.", "Two.", "Three."]),
}


@pytest.mark.parametrize("name", LAYOUT)
def test_layout_ends_sentences(name: str) -> None:
    text, expected = LAYOUT[name]
    assert [text[s:e] for s, e in sentences(text)] == expected


@given(awkward_text())
def test_sentences_are_in_order_trimmed_and_complete(text: str) -> None:
    for found in (sentences(text), document_sentences(Document.from_text(text, name="x.md"))):
        at = 0
        for start, end in found:
            assert at <= start < end
            assert not text[at:start].strip()
            assert text[start:end] == text[start:end].strip()
            at = end
        assert not text[at:].strip()


def test_sentences_keep_to_blocks() -> None:
    document = Document.from_text("# A heading\nText goes on\n\n| a | b |\n|---|---|\n| 1 | 2 |\n", name="x.md")
    text = document.text
    assert [text[s:e] for s, e in document_sentences(document)] == [
        "# A heading",
        "Text goes on",
        "| a | b |",
        "|---|---|",
        "| 1 | 2 |",
    ]


@pytest.mark.parametrize("piece", ["-", "a", ".", '"', "(", " ", "\n", "\r\n", "! ", "?a", "1. ", ". A"])
def test_long_runs_end(piece: str) -> None:
    text = piece * 50_000
    covered = sum(e - s for s, e in sentences(text))
    assert covered >= len("".join(text.split()))
