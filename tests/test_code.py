"""The `code` strategy: what stays whole, checked by `ast` and by hand; the promises in every language; hostile text."""

from __future__ import annotations

import ast
import random
import re
import subprocess
import sys
import sysconfig
import threading
import time
import tokenize
import tracemalloc
from pathlib import Path
from typing import Any

import hostile_code
import pytest
from awkward import FIXED, awkward_text
from contract import CHECKS
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkviz import Chunking, Document, chunk, engine, isolation
from chunkviz.graphemes import graphemes
from chunkviz.isolation.pool import Pool
from chunkviz.params import Params
from chunkviz.spec import Cut, Services, Strategy
from chunkviz.strategies.code import SPEC
from chunkviz.text import syntax, syntax_parsing
from chunkviz.text.syntax import GRAMMARS, NoTree, SyntaxTree, syntax_tree
from chunkviz.units import unit

ENDINGS = {
    "python": "py", "javascript": "js", "typescript": "ts", "java": "java", "c": "c", "cpp": "cpp", "csharp": "cs",
    "go": "go", "rust": "rs", "ruby": "rb", "php": "php", "bash": "sh", "sql": "sql",
}  # fmt: skip


def source(text: str, language: str = "python") -> Document:
    return Document.from_text(text, name=f"a.{ENDINGS[language]}")


def cut(document: Document, unit: str = "cl100k_base", **params: Any) -> Chunking:
    made = engine.run(document, SPEC, params, unit)
    for check in CHECKS:
        check(made)
    return made


# --- no function is cut that fits, by a judge that knows nothing of tree-sitter -----------------------------------


def definitions(text: str) -> list[tuple[str, int, int]]:
    """(name, start, end) in code points of every function, method and class, from Python's own parser."""
    lines = text.splitlines(keepends=True) if "\f" not in text else text.replace("\f", " ").splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))

    def position(line: int, column_bytes: int) -> int:
        return starts[line - 1] + len(lines[line - 1].encode()[:column_bytes].decode())

    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            assert node.end_lineno is not None
            assert node.end_col_offset is not None
            start = position(node.lineno, node.col_offset)
            found.append((node.name, start, position(node.end_lineno, node.end_col_offset)))
    return found


def cut_although_it_fits(made: Chunking, size: int) -> list[str]:
    measure = unit(made.unit).measure(made.document)
    spans = [(c.start, c.end) for c in made.chunks]
    return [
        name
        for name, start, end in definitions(made.document.text)
        if measure.count(start, end) <= size and not any(s <= start and end <= e for s, e in spans)
    ]


def standard_library(count: int, seed: int) -> list[str]:
    """Modules of Python's standard library with line ends that both parsers count alike."""
    root = Path(sysconfig.get_path("stdlib"))
    paths = sorted(p for folder in ("", "asyncio", "email", "json", "xml/dom") for p in (root / folder).glob("*.py"))
    random.Random(seed).shuffle(paths)
    found = []
    for path in paths:
        with tokenize.open(path) as file:
            text = file.read()
        if len(text) < 80_000 and text.count("\n") + 1 >= len(text.splitlines()):
            found.append(text)
    return found[:count]


def hold(texts: list[str], sizes: tuple[int, ...]) -> int:
    checked = 0
    for text in texts:
        for size in sizes:
            made = engine.run(source(text), SPEC, {"size": size})
            assert not made.notes
            assert cut_although_it_fits(made, size) == []
            checked += len(definitions(text))
    return checked


def test_nothing_that_fits_is_cut_in_the_standard_library() -> None:
    assert hold(standard_library(40, seed=1), (120, 512)) > 1_000


def test_comments_under_a_function_do_not_count_as_part_of_it() -> None:
    """To the grammar they belong to the body; `ast` knows nothing of them."""
    body = "".join(f"    value_{i} = {i}\n" for i in range(12))
    function = f"def f():\n{body}    if a:\n        b()  # why"
    text = f"import os\n\n\n{function}\n        # and more about this, in many words\n    # and still more, and more\n\n\nx = 1\n"
    size = unit("cl100k_base").count(function.removesuffix("  # why"))
    made = cut(source(text), size=size)
    assert cut_although_it_fits(made, size) == []
    assert any("def f" in c.text and "b()" in c.text for c in made.chunks)


@pytest.mark.slow
def test_nothing_that_fits_is_cut_in_more_of_the_standard_library() -> None:
    assert hold(standard_library(400, seed=2), (60, 200, 512, 2048)) > 20_000


def test_the_check_sees_a_function_that_is_cut() -> None:
    """The liar: `recursive`, with the same size."""
    made = [chunk(source(text), "recursive", size=120, overlap=0) for text in standard_library(5, seed=1)]
    assert any(cut_although_it_fits(m, 120) for m in made)


# --- where it cuts what does not fit ------------------------------------------------------------------------------

CLASS = '''"""Module."""
import os

# About Foo.
@register
class Foo(Base):
    """What Foo is."""

    limit = 3

    # About one.
    @cached
    def one(self):
        return "one one one one one one one one one one"

    def two(self, x):
        a = x + 1
        b = a * 2  # twice
        if a > b:
            return a
        else:
            return b
'''


def texts(made: Chunking) -> list[str]:
    return [c.text for c in made.chunks]


def test_a_class_too_long_is_cut_between_its_methods_and_they_carry_its_header() -> None:
    made = cut(source(CLASS), size=46)
    assert [t.split("\n")[0] for t in texts(made)] == [
        '"""Module."""',
        "# About Foo.",
        "    # About one.",
        "    def two(self, x):",
    ]
    assert [c.context for c in made.chunks] == ["", "", "class Foo(Base):", "class Foo(Base):"]
    assert [c.reason for c in made.chunks][:3] == [
        "before class Foo (line 5)",
        "before function one (line 12)",
        "before function two (line 16)",
    ]


def test_without_context_nothing_travels() -> None:
    assert {c.context for c in cut(source(CLASS), size=46, context=False).chunks} == {""}


def test_a_function_too_long_is_cut_between_statements() -> None:
    lines = [f"    value_{i} = compute({i}, 'a text')\n" for i in range(60)]
    made = cut(source("def long(x):\n" + "".join(lines)), size=100)
    assert len(made.chunks) > 5
    for c in made.chunks:
        assert c.text.endswith(")")
        assert c.text.startswith(("def long", "    value_"))
    assert made.chunks[1].context == "def long(x):"
    assert made.chunks[0].reason.endswith("inside function long")


def test_a_statement_too_long_is_cut_between_its_parts() -> None:
    rows = ",\n".join(f"    'key {i}': [{i}, {i + 1}]" for i in range(80))
    made = cut(source(f"TABLE = {{\n{rows},\n}}\n"), size=90)
    assert all(t.count("[") == t.count("]") for t in texts(made))
    assert made.chunks[0].text.startswith("TABLE = {\n    'key 0'")
    assert made.chunks[-1].text.endswith("}")


def test_a_string_too_long_is_cut_at_its_lines_with_the_words_around_it() -> None:
    text = "x = '''" + "".join(f"line {i} of a long text\n" for i in range(80)) + "'''\n"
    made = cut(source(text), size=60)
    assert made.chunks[0].text.startswith("x = '''line 0")
    assert "nothing smaller in the syntax tree" in made.chunks[0].reason


def test_small_neighbours_share_a_chunk_unless_told_otherwise() -> None:
    text = "import os\nA = 1\n\n\ndef one():\n    pass\n\n\ndef two():\n    pass\n\n\nB = 2\n"
    assert len(cut(source(text)).chunks) == 1
    apart = cut(source(text), merge=False)
    assert texts(apart) == ["import os\nA = 1", "def one():\n    pass", "def two():\n    pass", "B = 2"]


# --- languages ----------------------------------------------------------------------------------------------------

# ruff: noqa: E501
BODY = {
    "javascript": ('import a from "a";\n', '/** About Foo. */\nexport class Foo extends Base {\n  // About one.\n  one(x) {\n    return x + 1 + 2 + 3 + 4 + 5;\n  }\n\n  // About two.\n  two(x) {\n    return x * 6 * 7 * 8 * 9;\n  }\n}'),
    "typescript": ('import a from "a";\n', '/** About Foo. */\n@Injectable()\nexport class Foo implements Base {\n  // About one.\n  @Input()\n  one(x: number): number {\n    return x + 1 + 2 + 3 + 4 + 5;\n  }\n\n  // About two.\n  two(x: number): number {\n    return x * 6 * 7 * 8 * 9;\n  }\n}'),
    "java": ("package a;\n", '/** About Foo. */\n@Entity\npublic class Foo extends Base {\n  // About one.\n  @Override\n  public int one(int x) {\n    return x + 1 + 2 + 3 + 4 + 5;\n  }\n\n  // About two.\n  int two(int x) {\n    return x * 6 * 7 * 8 * 9;\n  }\n}'),
    "c": ("#include <a.h>\n", "/* About one. */\nstatic int\none(int x)\n{\n  return x + 1 + 2 + 3 + 4 + 5;\n}"),
    "cpp": ("#include <a>\n", '// About Foo.\ntemplate <class T>\nclass Foo : public Base {\n public:\n  // About one.\n  int one(int x) {\n    return x + 1 + 2 + 3 + 4 + 5;\n  }\n\n  // About two.\n  int two(int x) {\n    return x * 6 * 7 * 8 * 9;\n  }\n};'),
    "csharp": ("using A;\n", '/// About Foo.\n[Serializable]\npublic class Foo : Base {\n  // About one.\n  [Test]\n  public int One(int x) {\n    return x + 1 + 2 + 3 + 4 + 5;\n  }\n\n  // About two.\n  int Two(int x) {\n    return x * 6 * 7 * 8 * 9;\n  }\n}'),
    "go": ("package a\n", "// One is about one.\nfunc (f *Foo) One(x int) int {\n\treturn x + 1 + 2 + 3 + 4 + 5\n}"),
    "rust": ("use a::b;\n", '/// About Foo.\nimpl Foo {\n    /// About one.\n    #[inline]\n    pub fn one(x: u8) -> u8 {\n        x + 1 + 2 + 3 + 4 + 5\n    }\n\n    /// About two.\n    fn two(x: u8) -> u8 {\n        x * 6 * 7 * 8 * 9\n    }\n}'),
    "ruby": ("require 'a'\n", '# About Foo.\nclass Foo < Base\n  # About one.\n  def one(x)\n    x + 1 + 2 + 3 + 4 + 5\n  end\n\n  # About two.\n  def two(x)\n    x * 6 * 7 * 8 * 9\n  end\nend'),
    "php": ("<?php\nuse A;\n", '/** About Foo. */\n#[Entity]\nclass Foo extends Base {\n  // About one.\n  #[Test]\n  public function one($x) {\n    return $x + 1 + 2 + 3 + 4 + 5;\n  }\n\n  // About two.\n  function two($x) {\n    return $x * 6 * 7 * 8 * 9;\n  }\n}'),
    "bash": ("set -e\n", '# About one.\none() {\n  echo "one two three four five"\n  echo "six"\n}'),
    "sql": ("SELECT 1;\n", "-- About one.\nCREATE TABLE one (\n  x int,\n  y text\n);"),
}  # fmt: skip
"""Language to (what comes first, a definition with its comment and decorators)."""
FILLER = {"bash": "echo {0}\n", "sql": "SELECT {0};\n", "go": "var a{0} = {0}\n", "c": "int a{0};\n", "cpp": "int a{0};\n",
          "java": "import a.b{0};\n", "csharp": "using B{0};\n", "rust": "use c::d{0};\n", "php": "use B{0};\n",
          "ruby": "require 'b{0}'\n"}  # fmt: skip


def in_language(language: str) -> tuple[str, str]:
    """A source text, and the definition in it that must stay whole."""
    head, definition = BODY[language]
    filler = "".join(FILLER.get(language, "let a{0} = {0};\n").format(i) for i in range(30))
    return f"{head}{filler}\n{definition}\n", definition


@pytest.mark.parametrize("language", BODY)
def test_a_definition_stays_whole_with_its_comment_and_its_decorators(language: str) -> None:
    text, definition = in_language(language)
    document = source(text, language)
    tree = syntax_tree(document)
    assert isinstance(tree, SyntaxTree)
    assert not tree.has_fault
    count = unit("cl100k_base").count
    for size in range(count(definition), count(text)):
        made = cut(document, size=size)
        assert not made.notes
        assert any(definition in c.text for c in made.chunks), size


@pytest.mark.parametrize(
    "language", [name for name, (_, body) in BODY.items() if "Foo" in body and "two" in body.lower()]
)
def test_a_class_is_cut_between_its_methods_in_every_language(language: str) -> None:
    text, definition = in_language(language)
    at = definition.lower().index("about two")
    begins = definition.rindex("\n", 0, at) + 1
    size = unit("cl100k_base").count(definition) * 3 // 4
    made = cut(source(text, language), size=size)
    last = made.chunks[-1]
    assert last.text == definition[begins:]
    assert "Foo" in last.context
    assert "two" in made.chunks[-2].reason.lower()


def test_every_grammar_that_is_listed_is_tested_and_loads() -> None:
    assert set(GRAMMARS) == set(ENDINGS) == {"python", *BODY}
    assert all(syntax_parsing.language_of(grammar) for grammars in GRAMMARS.values() for grammar in grammars)


def test_the_second_grammar_is_taken_where_the_first_cannot_read_the_file() -> None:
    for text, name, title in [
        ("const a = <b>x</b>;\n", "a.tsx", "TypeScript with JSX"),
        ("template <class T> class A : public B { T x; };\n", "a.h", "C++"),
        ("int x;\n", "a.h", "C"),
        ("function f() { return 1; }\n", "a.php", "PHP"),
    ]:
        tree = syntax_tree(Document.from_text(text, name=name))
        assert isinstance(tree, SyntaxTree)
        assert (tree.grammar.title, tree.has_fault) == (title, False)


# --- no tree ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("a.md", "not source code"),
        ("a.txt", "not source code"),
        ("a.kt", "no grammar for kotlin"),
        ("a.toml", "no grammar for toml"),
    ],
)
def test_without_a_tree_it_cuts_as_recursive_does_and_says_why(name: str, words: str) -> None:
    document = Document.from_text("# One\n\nA word. Another one.\n\n" * 40, name=name)
    made = cut(document, size=50)
    assert words in made.notes[0]
    recursive = chunk(document, "recursive", size=50, overlap=0).spans
    assert len(made.spans) >= len(recursive)  # strict about sums of parts, where LangChain is not


def test_a_grammar_that_is_not_installed_is_said_and_not_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    missing = syntax_parsing.Grammar("tree-sitter-nothing", "language", "Nothing")
    monkeypatch.setitem(syntax.GRAMMARS, "go", (missing,))
    made = cut(source("package a\n\nfunc f() {}\n", "go"))
    assert "Nothing is not installed" in made.notes[0]
    assert "pip install tree-sitter-nothing" in made.notes[0]


# --- positions ----------------------------------------------------------------------------------------------------


def test_bytes_are_not_code_points() -> None:
    ascii_ = "# aaaaaaa\n" + CLASS
    other = "# é猫👩‍👩‍👧‍👦a\n"
    wide = other.ljust(10) + CLASS if len(other) < 10 else other + CLASS
    shift = len(wide) - len(ascii_)
    plain = cut(source(ascii_), unit="words", size=20).chunks[1:]
    moved = cut(source(wide), unit="words", size=20).chunks[1:]
    assert [(c.start + shift, c.end + shift) for c in plain] == [(c.start, c.end) for c in moved]


@pytest.mark.parametrize(
    "text", [CLASS.replace("\n", "\r\n"), CLASS.replace("    ", "\t"), CLASS.rstrip(), "\ufeff" + CLASS]
)
def test_line_ends_tabs_and_a_missing_last_line_end_change_nothing(text: str) -> None:
    made = cut(source(text), unit="words", size=18)
    assert [c.reason for c in made.chunks] == [c.reason for c in cut(source(CLASS), unit="words", size=18).chunks]


def test_a_fault_is_noted_with_its_line_and_the_rest_is_cut_well() -> None:
    text = CLASS + "\ndef broken(:\n    pass ]\n\n" + CLASS
    made = cut(source(text), size=60)
    assert "could not read everything, first in line 2" in made.notes[0]
    assert any(t.startswith("def two") or t.lstrip().startswith("def two") for t in texts(made))


@pytest.mark.parametrize("language", ENDINGS)
@settings(max_examples=15)
@given(text=awkward_text(), data=st.data())
def test_the_promises_hold_in_every_language(language: str, text: str, data: st.DataObject) -> None:
    unit = data.draw(st.sampled_from(["cl100k_base", "characters", "words"]))
    size = data.draw(st.integers(1, 40))
    cut(source(text, language), unit=unit, size=size, merge=data.draw(st.booleans()))


@settings(max_examples=40)
@given(data=st.data())
def test_the_promises_hold_on_code_with_holes(data: st.DataObject) -> None:
    """Real code with pieces of awkward text put in anywhere."""
    language = data.draw(st.sampled_from(sorted(BODY)))
    text, _ = in_language(language)
    for _ in range(data.draw(st.integers(0, 3))):
        at = data.draw(st.integers(0, len(text)))
        text = text[:at] + data.draw(awkward_text(max_pieces=3)) + text[at:]
    cut(source(text, language), size=data.draw(st.integers(1, 80)))


@pytest.mark.parametrize("text", FIXED, ids=lambda t: repr(t[:12]))
def test_the_smallest_texts(text: str) -> None:
    assert bool(cut(source(text)).chunks) == bool(text.strip())


# --- hostile and long ---------------------------------------------------------------------------------------------

HOSTILE = {
    "brackets": ("python", "(" * 50_000),
    "nested": ("python", "(" * 20_000 + "1" + ")" * 20_000),
    "one line": ("python", "x = f(1, 'abc'); " * 3_000),
    "numbers": ("python", "x = [" + "1," * 20_000 + "]"),
    "arrows": ("c", "a=>" * 7_000),
    "arrows on lines": ("c", "a=>\n" * 7_000),
    "less than": ("java", "a<" * 100_000),
    "templates": ("cpp", "a<" * 20_000),
    "nul": ("bash", "\0" * 50_000),
    "if": ("bash", "if(x)" * 5_000),
    "calls": ("go", "f(" * 20_000),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_ends(name: str) -> None:
    language, text = HOSTILE[name]
    before = time.thread_time()
    made = engine.run(source(text, language), SPEC, {"size": 512})
    assert made.chunks
    # Without limits “arrows” alone takes half a minute; with them a second per grammar, and what the separators take.
    assert time.thread_time() - before < 10


@pytest.mark.parametrize(("language", "unit_"), [("typescript", "a<b,"), ("bash", "a|"), ("typescript", "a{")])
def test_a_parser_that_would_end_the_process_does_not(language: str, unit_: str) -> None:
    """The first two take more stack than there is, in C; the third takes memory and time."""
    made = engine.run(source(unit_ * (100_000 // len(unit_)), language), SPEC, {"size": 512})
    assert made.chunks
    assert any(words in made.notes[0] for words in ("ends its process", "gets lost", "was stopped"))
    assert "cut at separators" in made.notes[0]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("cpp", "a=" * 999 + "b;\n"),
        ("javascript", "x = " + " + ".join(f"'word {i}'" for i in range(600)) + ";\n"),
        ("python", "x = (" + " + ".join(f"'word {i}'" for i in range(600)) + ")\n"),
        ("javascript", "x = " + "".join(f"a == {i} ? 'word {i}' : " for i in range(400)) + "0;\n"),
        ("python", "x = " + "".join(f"'word {i}' if a == {i} else " for i in range(400)) + "0\n"),
        ("c", "void f(int a) {\n" + "else ".join(f"if (a == {i}) {{ g({i}); }} " for i in range(200)) + "}\n"),
        ("javascript", "f()" + "".join(f".then(x => x + {i})" for i in range(400)) + ";\n"),
    ],
    ids=["assignments", "plus", "plus in Python", "conditions", "conditions in Python", "else if", "calls"],
)
@pytest.mark.parametrize("size", [128, 512])
def test_a_chain_is_not_cut_at_every_link(language: str, text: str, size: int) -> None:
    """In the syntax tree a chain is a nest as deep as it is long; each level holds a few words."""
    made = cut(source(text, language), size=size)
    assert len(made.chunks) <= 1.5 * sum(c.tokens for c in made.chunks) / size + 2


def test_what_is_joined_again_stays_inside_its_definition() -> None:
    """The last statement of one method and the header of the next both stand beside something that was taken apart."""
    method = "    def m{n}(self):\n        a = 1\n" + "        if a:\n" + "            b = 'word word word'\n" * 40
    text = "class A:\n" + "".join(method.replace("{n}", str(n)) for n in range(3))
    made = cut(source(text), size=128)
    for n in (1, 2):
        header = text.index(f"def m{n}")
        assert any(c.start <= header and text[c.start : header].strip() == "" for c in made.chunks)


def test_others_go_on_while_a_parser_is_lost() -> None:
    document = source("a|" * 100_000, "bash")
    waited, done = [], threading.Event()

    def tick() -> None:
        before = time.monotonic()
        while not done.wait(0.01):
            waited.append(time.monotonic() - before)
            before = time.monotonic()

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        assert isinstance(syntax_tree(document), NoTree)
    finally:
        done.set()
        thread.join()
    assert max(waited) < 2  # a shared machine may sleep that long; the parser alone stops everyone until it crashes


def test_a_trial_that_takes_too_long_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syntax_parsing, "_TRIAL_SECONDS", 0.0)
    monkeypatch.setattr(syntax_parsing, "_TRIAL_SECONDS_PER_BYTE", 1e-9)
    document = source(CLASS * 500)
    assert isolation.trial(b"x = 1\n", list(GRAMMARS["python"][0]), 30) == ""  # now a worker listens
    assert "was stopped" in cut(document).notes[0]


def test_a_process_that_cannot_be_started_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any) -> str:
        raise OSError(11, "no more processes")

    monkeypatch.setattr(Pool, "run", refused)
    assert "no more processes" in cut(source(CLASS * 100)).notes[0]


def test_a_text_that_was_parsed_does_not_stay_in_memory() -> None:
    language = syntax_parsing.language_of(GRAMMARS["python"][0])
    assert language is not None
    data = CLASS.encode() * 300
    syntax_parsing._within_budget(data, language)
    tracemalloc.start()
    try:
        for _ in range(5):
            assert syntax_parsing._within_budget(data, language)[0] is not None
        assert tracemalloc.get_traced_memory()[0] < len(data)
    finally:
        tracemalloc.stop()


SMALL_TEXTS = """
import sys, threading, time
sys.path.insert(0, sys.argv[1])
import hostile_code
from chunkviz.text import syntax, syntax_parsing as parsing

def held(name):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(name))

def run():
    for name, make in hostile_code.of(sys.argv[2]).items():
        data = make(parsing.SMALL).encode()[: parsing.SMALL]
        for grammar in syntax.GRAMMARS[sys.argv[2]]:
            open("/proc/self/clear_refs", "w").write("5")
            before, began = held("VmRSS"), time.thread_time()
            parsing.parsed(data, grammar, b";,(){}[]")
            print(round(time.thread_time() - began, 2), (held("VmHWM") - before) // 1000, ascii(name), grammar.title, sep="\\t")

threading.stack_size(1 << 20)
thread = threading.Thread(target=run)
thread.start()
thread.join()
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="peaks of memory are read from Linux's /proc")
@pytest.mark.parametrize("language", GRAMMARS)
def test_what_is_parsed_without_a_trial_is_bounded(language: str) -> None:
    """All that is hostile, as long as it may be: less than two seconds and 200 MB each, on a stack of 1 MB."""
    command = [sys.executable, "-c", SMALL_TEXTS, str(Path(__file__).parent), language]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parent.parent)
    assert done.returncode == 0, done.stdout[-300:] + done.stderr[-300:]
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert len(rows) >= len(hostile_code.of(language))
    assert [row for row in rows if float(row[0]) > 2 or int(row[1]) > 200] == []


@given(st.lists(st.sampled_from(["a", "=", "==", "<", "?", ";", "\n", "é"])).map("".join), st.integers(1, 9))
def test_the_longest_chain_is_that_of_a_slow_count(text: str, block: int) -> None:
    data = text.encode()
    slow = max(len(re.findall(rb"[=<?]+", part)) for part in data.split(b";"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(syntax_parsing, "_BLOCK", block)
        assert syntax_parsing.longest_chain(data, b";") == slow


@given(awkward_text(), st.sampled_from(["", "é" * 10, "x" * 3_000]))
def test_a_position_is_the_border_at_or_before_a_byte(text: str, start: str) -> None:
    document = source(f"{start}{text}")
    tree = syntax_tree(document)
    assert isinstance(tree, SyntaxTree)
    byte = 0
    for at, character in enumerate([*document.text, ""]):
        assert tree.position(byte) == graphemes(document).floor(at)
        byte += len(character.encode())


def test_a_parser_that_gets_lost_is_noted() -> None:
    language, text = HOSTILE["arrows"]
    assert "get lost" in engine.run(source(text, language), SPEC, {"size": 512}).notes[0]


def test_a_parser_is_stopped_by_its_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    document = source(CLASS * 50)
    monkeypatch.setattr(syntax_parsing, "_REPORTS_TO_START", 1)
    monkeypatch.setattr(syntax_parsing, "_REPORTS_PER_BYTE", 0.0)
    assert "gets lost" in cut(document).notes[0]


def test_a_parser_is_stopped_by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    document = source(CLASS * 50)
    monkeypatch.setattr(syntax_parsing, "_SECONDS_TO_START", 0.0)
    monkeypatch.setattr(syntax_parsing, "_SECONDS_PER_BYTE", 0.0)
    assert "gets lost" in cut(document).notes[0]


def test_nesting_costs_no_recursion() -> None:
    text = "".join("  " * i + "if x:\n" for i in range(300)) + "  " * 300 + "pass\n"
    cut(source(text), unit="words", size=20)


def test_a_liar_that_cuts_by_bytes_is_refused() -> None:
    """Positions of the parser taken as they are: beyond the end of a text that is not ASCII."""

    def wrong(document: Document, params: Params, services: Services) -> Cut:
        found = SPEC.cut(document, params, services)
        length = len(document.text.encode())
        return Cut([*found.pieces[:-1], found.pieces[-1]._replace(end=length)])

    liar = Strategy(**{name: getattr(SPEC, name) for name in SPEC.__slots__} | {"cut": wrong})
    with pytest.raises(Exception, match="part of the document"):
        engine.run(source("# é\nx = 1\n"), liar, {})
