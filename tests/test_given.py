"""Arguments of a wrong kind: one sentence that says what to give, never an error from the middle of the package."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import chunkviz
from chunkviz import Document, LoadError, ParameterError, Recipe, chunk, evaluate, load, report
from chunkviz.given import described
from chunkviz.questions import Gold, Question

DOC = Document.from_text("# A\n\nOne two.", name="a.md")
MADE = chunk(DOC, "fixed")
QUESTIONS = [Question("What?", (Gold("a.md", 0, 3),))]
RECIPES = [{"strategy": "fixed"}]
KEYWORD = {"retriever": "keyword"}


def ask(docs: Any = (DOC,), questions: Any = QUESTIONS, recipes: Any = RECIPES, k: Any = 1, **more: Any) -> Any:
    return evaluate(docs, questions, recipes, k, **{"retrieval": KEYWORD, **more})


WRONG: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "load(5)": (lambda: load(5), LoadError, r"`load` needs a path, or the bytes of a file .* Got 5 \(int\)\.$"),
    "load(None)": (lambda: load(None), LoadError, r"needs a path.* Got None\.$"),
    "load(True)": (lambda: load(True), LoadError, r"needs a path.* Got True\.$"),
    "load([path])": (lambda: load(["a.md"]), LoadError, r"needs a path.* Got a list\.$"),
    "load(open file)": (lambda: load(io.BytesIO(b"x")), LoadError, r"`file\.read\(\)`.* Got a BytesIO\.$"),
    "load(document)": (lambda: load(DOC), LoadError, r"needs a path.* Got a Document\.$"),
    "load(name=5)": (lambda: load(b"x", 5), LoadError, "`name` of a file must be text"),
    "load(name=bytes)": (lambda: load(b"x", b"a.md"), LoadError, r"`name` of a file must be text.* Got 4 bytes\.$"),
    "load(password=5)": (lambda: load(b"x", "a.pdf", password=5), LoadError, "`password` of a file must be text"),
    "from_text(bytes)": (lambda: Document.from_text(b"x"), LoadError, r"text as `str`; for the bytes.* Got 1 byte\.$"),
    "from_text(None)": (lambda: Document.from_text(None), LoadError, r"needs text.* Got None\.$"),
    "from_text(name=5)": (lambda: Document.from_text("x", 5), LoadError, "`name` of a document must be text"),
    "from_text(format=5)": (lambda: Document.from_text("x", format=5), LoadError, "cannot be read as 5"),
    "from_text(format='')": (lambda: Document.from_text("x", format=""), LoadError, "cannot be read as ''"),
    "chunk(text)": (lambda: chunk("text", "fixed"), ParameterError, r"needs a document, as .* Got 'text' \(str\)\.$"),
    "chunk(path)": (lambda: chunk(Path("a.md"), "fixed"), ParameterError, "needs a document"),
    "chunk(None)": (lambda: chunk(None, "fixed"), ParameterError, "needs a document"),
    "chunk(strategy=5)": (lambda: chunk(DOC, 5), ParameterError, "A strategy is named by its id"),
    "chunk(strategy={})": (lambda: chunk(DOC, {"strategy": "fixed"}), ParameterError, "named by its id"),
    "chunk(strategy=recipe)": (lambda: chunk(DOC, MADE.recipe), ParameterError, "goes in as `recipe=`"),
    "chunk(unit=[])": (lambda: chunk(DOC, "fixed", unit=[]), ParameterError, "`unit` must be one of"),
    "chunk(recipe=5)": (lambda: chunk(DOC, recipe=5), ParameterError, "A recipe is a JSON object"),
    "report(document)": (lambda: report(DOC), ParameterError, r"`report` needs .* Got a Document\.$"),
    "Recipe(params=5)": (lambda: Recipe("fixed", 5, "words"), ParameterError, "`params` of a recipe must be a mapping"),
    "from_json(5)": (lambda: Recipe.from_json(5), ParameterError, "read from text in JSON"),
    "evaluate(docs=text)": (lambda: ask("no text is a folder"), LoadError, "is no folder"),
    "evaluate(docs=document)": (lambda: ask(DOC), ParameterError, r"`docs` must be a folder, a list .* Got a Document"),
    "evaluate(docs=5)": (lambda: ask(5), ParameterError, "`docs` must be"),
    "evaluate(docs=[text])": (lambda: ask(["a"]), ParameterError, r"Got a list with 'a' \(str\) in it\.$"),
    "evaluate(docs={id: text})": (lambda: ask({"a": "b"}), ParameterError, "`docs` must be"),
    "evaluate(docs={5: document})": (lambda: ask({5: DOC}), ParameterError, "id of a document must be text"),
    "evaluate(docs=generator)": (lambda: ask(d for d in [DOC]), ParameterError, r"Got a generator\.$"),
    "evaluate(questions=text)": (lambda: ask(questions="What?"), LoadError, "cannot be opened"),
    "evaluate(questions=[text])": (lambda: ask(questions=["What?"]), ParameterError, "a list of `Question`"),
    "evaluate(questions=question)": (lambda: ask(questions=QUESTIONS[0]), ParameterError, "a list of `Question`"),
    "evaluate(questions={})": (lambda: ask(questions={"a": 1}), ParameterError, "a list of `Question`"),
    "evaluate(questions=None)": (lambda: ask(questions=None), ParameterError, "a list of `Question`"),
    "evaluate(recipes=text)": (lambda: ask(recipes="fixed"), ParameterError, "`recipes` must be a list"),
    "evaluate(recipes=recipe)": (lambda: ask(recipes=MADE.recipe), ParameterError, "`recipes` must be a list"),
    "evaluate(recipes={})": (lambda: ask(recipes=RECIPES[0]), ParameterError, "`recipes` must be a list"),
    "evaluate(recipes=[text])": (lambda: ask(recipes=["fixed"]), ParameterError, "Recipe 1: A recipe is a JSON object"),
    "evaluate(k=5.0)": (lambda: ask(k=5.0), ParameterError, r"`k` must be .* Got 5\.0 \(float\)\.$"),
    "evaluate(k=None)": (lambda: ask(k=None), ParameterError, "`k` must be"),
    "evaluate(rules=[])": (lambda: ask(rules=[]), ParameterError, "`rules` must be one of"),
    "evaluate(retrieval=text)": (lambda: ask(retrieval="keyword"), ParameterError, "`retrieval` must be a mapping"),
    "evaluate(retrieval=5)": (lambda: ask(retrieval=5), ParameterError, "`retrieval` must be a mapping"),
    "evaluate(progress=5)": (lambda: ask(progress=5), ParameterError, "`progress` must be a function"),
    "evaluate(stop=True)": (lambda: ask(stop=True), ParameterError, "`stop` must be a function"),
    "evaluate(store=text)": (lambda: ask(store="a"), ParameterError, "`store` must be"),
}


@pytest.mark.parametrize("call", WRONG)
def test_a_wrong_kind_is_one_sentence_about_what_to_give(call: str) -> None:
    make, error, words = WRONG[call]
    with pytest.raises(error, match=words) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_what_is_right_still_is(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("# A\n\nOne two.", encoding="utf-8")
    texts = {load(source).text for source in (file, str(file))} | {load(file.read_bytes(), "a.md").text}
    assert texts == {"# A\n\nOne two."}
    for docs in ([DOC], (DOC,), {"a.md": DOC}, {"a.md": DOC}.values()):
        assert ask(docs).results[0].chunks == 1
    assert [r.k for r in ask(k=(1, "min")).results] == [1, "min"]


def test_a_path_in_bytes_is_a_path(tmp_path: Path) -> None:
    """`os.PathLike` may stand for bytes, too."""

    class Place:
        def __fspath__(self) -> bytes:
            return str(tmp_path / "a.txt").encode()

    (tmp_path / "a.txt").write_text("here")
    place: Any = Place()
    assert load(place).text == "here"


ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.binary(max_size=5),
    st.lists(st.none()),
)


@given(ANYTHING, ANYTHING, ANYTHING)
def test_nothing_but_our_own_errors(first: Any, second: Any, third: Any) -> None:
    calls: list[Callable[[], Any]] = [
        lambda: Document.from_text(first, second, third),
        lambda: chunk(first, second, unit=third),
        lambda: chunk(DOC, second, unit=third),
        lambda: chunk(DOC, recipe=first),
        lambda: report(first),
        lambda: load(b"x", second, password=third),
        lambda: ask(DOC, first, second, third),
        lambda: ask([DOC], QUESTIONS, first, second, retrieval=third),
        lambda: ask([DOC], QUESTIONS, RECIPES, first, rules=second),
    ]
    for call in calls:
        try:
            call()
        except chunkviz.ChunkvizError as error:
            assert "\n" not in str(error)


def test_described_is_short_and_quotes_no_secret() -> None:
    class Secret:
        def __repr__(self) -> str:
            raise AssertionError("asked")

    assert described(Secret()) == "a Secret"
    assert len(described(10**5000)) < 60
    assert len(described("x" * 10_000)) < 60
