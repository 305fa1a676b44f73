"""The strategy `latex`: what should stay whole does; held to a slow scanner that reads one character after the other."""

from __future__ import annotations

import re
from typing import Any

import pytest
from awkward import FIXED, awkward_text
from contract import CHECKS
from hypothesis import example, given
from hypothesis import strategies as st

from benchmarks.corpus import as_latex, mixed_text
from chunkviz import Chunking, Document, engine, samples
from chunkviz.strategies.latex import SPEC
from chunkviz.text.latex_source import read_latex
from chunkviz.units import unit as unit_of

UNITS = ["cl100k_base", "characters", "words", "all-MiniLM-L6-v2"]
FORMATS = [("a.tex", "latex"), ("a.json", "json"), ("a.md", "markdown"), ("a.txt", "text")]


def made(text: str, name: str = "a.tex", unit: str = "characters", **params: Any) -> Chunking:
    chunking = engine.run(Document.from_text(text, name=name), SPEC, params, unit)
    for check in CHECKS:
        check(chunking)
    return chunking


def texts(chunking: Chunking) -> list[str]:
    return [c.text for c in chunking.chunks]


# --- the slow, obvious version -----------------------------------------------------------------------------------

VERBATIM = ("verbatim", "lstlisting", "minted", "comment")
EQUATION = ("equation", "align*")
TABLE = ("tabular",)


def closing_of(text: str, at: int, closing: str) -> int | None:
    """Where the mathematics that begins before `at` ends; None where a blank line comes first."""
    while at < len(text):
        if text.startswith(closing, at):
            return at + len(closing)
        if text[at] == "\n" and text[at + 1 :].lstrip(" \t")[:1] in ("\n", "\r"):
            return None
        if text[at] == "%":
            while at < len(text) and text[at] not in "\r\n":
                at += 1
        elif text[at] == "\\":
            at += 2
        else:
            at += 1
    return None


def slow_wholes(text: str) -> list[tuple[int, int, str]]:
    """Comments, verbatim text, formulas, equations and tables of well-formed text, one character after the other."""
    found: list[tuple[int, int, str]] = []
    open_: list[tuple[str, int]] = []
    at = 0
    while at < len(text):
        begin = re.match(r"\\begin\{([a-z]+\*?)\}", text[at : at + 30])
        end = re.match(r"\\end\{([a-z]+\*?)\}", text[at : at + 30])
        if text[at] == "%":
            stop = at
            while stop < len(text) and text[stop] not in "\r\n":
                stop += 1
            found.append((at, at + len(text[at:stop].rstrip()), "comment"))
        elif begin and begin[1] in VERBATIM:
            stop = text.index(f"\\end{{{begin[1]}}}", at) + len(begin[1]) + 6
            found.append((at, stop, "verbatim"))
        elif begin:
            open_.append((begin[1], at))
            stop = at + begin.end()
        elif end:
            name, start = open_.pop()
            assert name == end[1]
            stop = at + end.end()
            if name in EQUATION + TABLE:
                found.append((start, stop, name))
        elif text.startswith(r"\verb|", at):
            stop = text.index("|", at + 6) + 1
            found.append((at, stop, "verb"))
        else:
            opening = next((o for o in ("$$", "$", r"\[", r"\(") if text.startswith(o, at)), "")
            closing = {"$$": "$$", "$": "$", r"\[": r"\]", r"\(": r"\)"}.get(opening, "")
            stop_at = closing_of(text, at + len(opening), closing) if opening else None
            if stop_at is not None:
                found.append((at, stop_at, "math"))
            stop = stop_at or at + (2 if text[at] == "\\" else 1)
        at = stop
    return found


PROSE = st.lists(
    st.sampled_from(
        [
            "Some words here. ",
            "more ",
            "costs 5\\$ and 6\\$ ",
            "at 100\\% ",
            "\\emph{so} ",
            "a~b ",
            "e\u0301 ",
            "\\\\ ",
            "See it? ",
        ]
    ),
    min_size=1,
    max_size=8,
).map("".join)
INLINE = st.sampled_from(
    [
        "$x + y$",
        "\\(a b\\)",
        "\\verb|$ % \\section{No}|",
        "$$ a = b $$",
        "\\[ c \\\\ d \\]",
        "$5 \\$ % $\n 6$",
        "$a\\%b$",
    ]
)
LINES = st.sampled_from(
    [
        "% a comment with $ and \\section{No}\n",
        "\\begin{equation}\n a = b \\\\\n\n c % $ \n\\end{equation}\n",
        "\\begin{align*} x &= 1 \\\\ y &= \\text{two words} \\end{align*}\n",
        "\\begin{verbatim}\n$ echo % \\begin{equation}\n\nmore\n\\end{verbatim}\n",
        "\\begin{lstlisting}\nif (a % 2) { print('$') }\n\\end{lstlisting}\n",
        "\\begin{comment}\n\\section{No}\n\n\\end{comment}\n",
        "\\begin{tabular}{ll}\na & $b$ \\\\\nc & d \\\\[2pt]\n\\end{tabular}\n",
        "\n\n",
        "\\par ",
        "\\label{sec:one}\n",
    ]
)
HEADS = st.sampled_from(["\\section{One Two}\n", "\\subsection*{Three. Four}\n\n", "\\paragraph{Five} "])
BLOCK = st.lists(st.one_of(PROSE, PROSE, INLINE, LINES), min_size=1, max_size=6).map("".join)
NESTED = st.recursive(
    BLOCK,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=4).map(
            lambda i: "\\begin{itemize}\n" + "\\item ".join(["", *i]) + "\\end{itemize}\n"
        ),
        inner.map(lambda i: f"\\begin{{quote}}\n{i}\n\\end{{quote}}\n\n"),
    ),
    max_leaves=6,
)


@st.composite
def latex_texts(draw: st.DrawFn) -> str:
    parts = draw(st.lists(st.one_of(NESTED, NESTED, HEADS), min_size=1, max_size=8))
    body = "\n".join(parts)
    if draw(st.booleans()):
        return "\\documentclass{article}\n% preamble\n\\begin{document}\n" + body + "\n\\end{document}\n"
    return body


@given(text=latex_texts(), unit=st.sampled_from(UNITS), size=st.integers(1, 120), merge=st.booleans())
@example("Words.\\begin{equation}a\\end{equation}", "characters", 28, True)
@example("$x + y$z", "characters", 7, True)
@example("% one\n% two", "characters", 5, True)
def test_what_fits_stays_whole(text: str, unit: str, size: int, merge: bool) -> None:
    chunking = made(text, unit=unit, size=size, merge=merge)
    count = unit_of(unit).count
    too_long = []
    for start, end, kind in slow_wholes(text):
        if count(text[start:end]) > size:
            too_long.append((start, end))
        else:
            assert any(c.start <= start and end <= c.end for c in chunking.chunks), (kind, text[start:end])
    for c in chunking.chunks:
        cuts = any(s < border < e for s, e in too_long for border in (c.start, c.end))
        assert ("forced" in c.flags) or not cuts, c
        if "forced" in c.flags and "heading" not in c.flags["forced"]:
            assert cuts, c


@given(text=latex_texts())
def test_the_wholes_are_those_of_the_slow_scanner(text: str) -> None:
    source = read_latex(text, Document.from_text(text, name="a.tex").headings)
    found = {(w.start, w.end) for w in source.wholes if w.name != "heading"}
    heads = [w.span for w in source.wholes if w.name == "heading"]
    slow = {(s, e) for s, e, _ in slow_wholes(text) if not any(h.start <= s and e <= h.end for h in heads)}
    assert found == slow


@pytest.mark.parametrize(
    "text", ["% $\n$x$", "\\$ $x$", "\\verb|$| $x$", "\\begin{verbatim}\n$\n\\end{verbatim} $x$", "\\\\[2pt] $x$"]
)
def test_a_scanner_that_knows_only_dollars_fails(text: str) -> None:
    """The liar of the test above."""
    liar = {m.span() for m in re.finditer(r"\$[^$]*\$", text)}
    assert liar != {(s, e) for s, e, kind in slow_wholes(text) if kind == "math"} or "[2pt]" in text
    assert [(w.start, w.end) for w in read_latex(text).wholes] == [(s, e) for s, e, _ in slow_wholes(text)]


@given(text=awkward_text(), data=st.data())
def test_promises_hold_on_awkward_text(text: str, data: st.DataObject) -> None:
    name, format_ = data.draw(st.sampled_from(FORMATS))
    document = Document.from_text(text, name=name, format=format_)
    params = {"size": data.draw(st.integers(1, 60)), "merge": data.draw(st.booleans())}
    chunking = engine.run(document, SPEC, params, data.draw(st.sampled_from(UNITS)))
    for check in CHECKS:
        check(chunking)
    assert any("not LaTeX" in note for note in chunking.notes) or format_ == "latex"


BROKEN = [
    "\\begin{a}",
    "\\end{a}",
    "\\begin{equation}",
    "\\end{equation}",
    "\\begin{verbatim}",
    "$",
    "$$",
    "\\[",
    "\\]",
]
BROKEN += [
    "\\(",
    "{",
    "}",
    "\\section{",
    "\\section{A}",
    "\\verb|",
    "\\",
    "%",
    "\n",
    "\n\n",
    " x. ",
    "\\item",
    "\u0301",
    "\\\\",
]


@given(parts=st.lists(st.sampled_from(BROKEN), max_size=40), size=st.integers(1, 30), merge=st.booleans())
def test_unbalanced_text_loses_nothing(parts: list[str], size: int, merge: bool) -> None:
    made("".join(parts), size=size, merge=merge)


@pytest.mark.parametrize("text", FIXED, ids=lambda t: repr(t[:12]))
def test_the_smallest_texts(text: str) -> None:
    assert bool(made(text).chunks) == bool(text.strip())


# --- by hand -----------------------------------------------------------------------------------------------------


def test_a_section_in_a_comment_or_in_verbatim_is_no_cut() -> None:
    text = (
        "\\section{One}\nWords of one.\n% \\section{Not this}\n"
        "\\begin{verbatim}\n\\section{Nor this}\n\\end{verbatim}\n\\section{Two}\nWords of two.\n"
    )
    chunking = made(text, size=200, merge=False)
    assert [c.heading_path for c in chunking.chunks] == [("One",), ("Two",)]
    assert chunking.chunks[0].reason == "cut before the heading “Two”"


def test_an_escaped_dollar_is_no_mathematics() -> None:
    text = "It costs 5\\$ or more. Then again it may cost 6\\$ on a Monday."
    assert read_latex(text).wholes == []
    assert texts(made(text, size=40)) == ["It costs 5\\$ or more.", "Then again it may cost 6\\$ on a Monday."]


def test_sections_are_joined_as_long_as_they_fit() -> None:
    text = "\\section{A}\nOne.\n\n\\section{B}\nTwo.\n\n\\section{C}\nThree."
    assert texts(made(text, size=40)) == ["\\section{A}\nOne.\n\n\\section{B}\nTwo.", "\\section{C}\nThree."]
    assert len(made(text, size=1000).chunks) == 1
    assert len(made(text, size=1000, merge=False).chunks) == 3


def test_the_biggest_border_comes_first() -> None:
    text = (
        "\\documentclass{article}\n\n\\begin{document}\n\\section{A}\n\nFirst paragraph. It has two sentences.\n\n"
        "Second paragraph.\n\\begin{itemize}\n\\item one item here\n\\item two items here\n\\end{itemize}\n\\end{document}"
    )
    chunking = made(text, size=70)
    assert [(c.text[:18], c.reason) for c in chunking.chunks] == [
        ("\\documentclass{art", "size reached; cut at the beginning of the body"),
        ("\\begin{document}\n\\", "size reached; cut at a blank line"),
        ("Second paragraph.", "size reached; cut before the environment itemize"),
        ("\\begin{itemize}\n\\i", "size reached; cut before an item"),
        ("\\item two items he", "end of the document"),
    ]


def test_a_heading_stays_with_what_follows_it() -> None:
    text = "Words before it.\n\n\\section{Title}\n\\label{sec:title}\n\n" + "A sentence of it. " * 6
    chunking = made(text, size=60)
    assert chunking.chunks[1].text == "\\section{Title}\n\\label{sec:title}\n\nA sentence of it."


def test_a_heading_right_behind_another_is_no_cut_unless_every_heading_is_one() -> None:
    text = "Words before them.\n\n\\section{Model}\n\n\\subsection{First}\nOne.\n\n\\subsection{Second}\nTwo."
    joined = ["Words before them.", "\\section{Model}\n\n\\subsection{First}\nOne.", "\\subsection{Second}\nTwo."]
    assert texts(made(text, size=45)) == joined
    alone = made(text, size=45, merge=False)
    assert [c.heading_path for c in alone.chunks] == [(), ("Model",), ("Model", "First"), ("Model", "Second")]


@pytest.mark.parametrize("size", [24, 60, 120, 400])
def test_nothing_of_the_sample_that_fits_is_cut(size: int) -> None:
    """Equations, verbatim text and rows of tables, found by what a reader of the source would look for."""
    text = samples.read("paper").decode("utf-8")
    found = list(re.finditer(r"(?s)\\begin\{(equation|align|verbatim|tabular)\}.*?\\end\{\1\}", text))
    table = next(match for match in found if match[1] == "tabular")
    rows = list(re.compile(r"[^\\\s][^\\\n]*&[^\n]+\\\\").finditer(text, table.start(), table.end()))
    assert (len(found), len(rows) > 3) == (5, True)
    chunking = made(text, unit="cl100k_base", size=size)
    count = unit_of("cl100k_base").count
    fitting = [m.span() for m in (*found, *rows) if count(m[0]) <= size]
    assert fitting
    assert [text[a:b] for a, b in fitting if not any(c.start <= a and b <= c.end for c in chunking.chunks)] == []


def test_the_check_of_wholes_fails_for_a_strategy_that_knows_nothing_of_them() -> None:
    """The liar of `test_what_fits_stays_whole`."""
    text = "Some words here. " * 5 + "\n\\begin{equation}\n a = b + c + d + e\n\\end{equation}\n" + "More words. " * 4
    (equation,) = [(s, e) for s, e, _ in slow_wholes(text)]
    document = Document.from_text(text, name="a.tex")
    for size in range(50, 60):
        blind = engine.chunk(document, "recursive", unit="characters", size=size, overlap=0)
        assert not any(c.start <= equation[0] and equation[1] <= c.end for c in blind.chunks)
        assert any(c.start <= equation[0] and equation[1] <= c.end for c in made(text, size=size).chunks)


def test_what_is_too_long_itself_is_cut_at_rows_and_lines_and_flagged() -> None:
    rows = "".join(f"cell {n} & $x_{n}$ and $y$ \\\\\n" for n in range(8))
    table = f"\\begin{{tabular}}{{ll}}\n{rows}\\end{{tabular}}"
    chunking = made(f"Before it.\n\n{table}\n\nAfter it.", size=90)
    inner = [c for c in chunking.chunks if "forced" in c.flags]
    assert len(inner) >= 3
    assert inner[0].flags["forced"] == f"cut inside a table that counts {len(table)}, more than size=90"
    assert all(c.text.endswith(("\\\\", "\\end{tabular}")) for c in inner)
    assert all(c.text.count("$") % 2 == 0 for c in inner)
    assert inner[0].reason == "size reached; cut at the end of a row"
    assert "forced" not in chunking.chunks[0].flags
    assert "forced" not in chunking.chunks[-1].flags

    code = "\\begin{verbatim}\n" + "".join(f"line {n} of the code\n" for n in range(9)) + "\\end{verbatim}"
    lines = made(code, size=60)
    assert all("verbatim block" in c.flags["forced"] for c in lines.chunks)
    assert all(re.search(r"(code|verbatim\})\Z", c.text) for c in lines.chunks)
    assert lines.chunks[0].reason == "size reached; cut at a line end"


def test_a_missing_end_does_not_count_for_the_rest_of_the_text() -> None:
    text = "\\section{A}\n\\begin{quote}\nOne.\n\n\\section{B}\nTwo.\n\n\\begin{itemize}\n\\item x\n\\end{itemize}"
    source = read_latex(text, Document.from_text(text, name="a.tex").headings)
    whole = read_latex("\\section{B}\nTwo.\n\n\\begin{itemize}\n\\item x\n\\end{itemize}")
    assert source.borders[text.index("\\begin{itemize}")] == max(whole.borders.values())


@pytest.mark.parametrize(
    "text",
    ["\\begin{a}" * 30_000, "\\[ \\( " * 30_000, "\\begin{verbatim}" * 30_000, "\\section{" * 30_000, "$ " * 60_001]
    + ["\\begin{a}" * 30_000 + "\\end{a}" * 30_000, "{" * 100_000, "\\verb|" * 30_000, "\\begin{a}\n\n" * 30_000],
    ids=lambda t: t[:12],
)
def test_hostile_text_is_cut_in_time(text: str) -> None:
    """Each of these takes seconds to minutes where anything is looked at again for every position."""
    chunking = engine.run(Document(text, "a.tex", "latex"), SPEC, {"size": 512}, "characters")
    assert max(c.tokens for c in chunking.chunks) <= 512


def test_another_format_is_cut_like_recursive_and_says_so() -> None:
    chunking = made("Some words.\n\nMore words.", "a.txt", size=12)
    assert texts(chunking) == ["Some words.", "More words."]
    assert "This document is text, not LaTeX; it was cut like “recursive”." in chunking.notes


def test_the_benchmark_measures_latex_with_all_that_is_special_in_it() -> None:
    text = as_latex(mixed_text(60_000))
    assert 59_000 < len(text.encode()) <= 60_000
    document = Document.from_text(text, name="a.tex")
    names = {w.name for w in read_latex(text, document.headings).wholes}
    assert {"heading", "equation", "verbatim block"} <= names
    assert "formula" not in names  # every dollar of the words is escaped
    made(text, unit="cl100k_base", size=300)
