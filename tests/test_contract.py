"""P1 to P6 and determinism, for every strategy, on awkward text; and a liar for every check."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar

import pytest
from awkward import FIXED, awkward_text
from contract import CHECKS, whole_characters
from hypothesis import given
from hypothesis import strategies as st

from chunkviz import Chunk, Chunking, Document, ParameterError, Recipe, StrategyError, chunk, engine, strategies
from chunkviz.chunking import Dropped
from chunkviz.params import Choice, Flag, Float, Int, Param, Params, Positions, Text, Texts
from chunkviz.spec import Cut, Piece, Strategy

ALL = list(strategies().values())
NAMES = [
    ("notes.md", "markdown"),
    ("notes.txt", "text"),
    ("a.py", "code"),
    ("p.tex", "latex"),
    ("p.html", "html"),
    ("a.json", "json"),
    ("a.jsonl", "json"),
]


def value_of(param: Param) -> st.SearchStrategy[Any]:
    """Legal values of one parameter, made from its declaration."""
    rule = param.rule
    if isinstance(rule, Int):
        return st.integers(rule.low, min(rule.high, rule.low + 60))
    if isinstance(rule, Float):
        return st.floats(rule.low, rule.high)
    if isinstance(rule, Choice):
        return st.sampled_from(list(rule.options))
    if isinstance(rule, Flag):
        return st.booleans()
    if isinstance(rule, Text):
        return st.sampled_from([param.default, *rule.examples])
    if isinstance(rule, Positions):
        return st.sets(st.integers(0, 120), max_size=12).map(lambda found: tuple(sorted(found)))
    assert isinstance(rule, Texts)
    return st.one_of(
        st.just(()),
        st.lists(st.sampled_from(["\n\n", "\n", ". ", " ", "a", "\u200d", "\r", ""]), max_size=4).map(tuple),
    )


def params_of(strategy: Strategy) -> st.SearchStrategy[dict[str, Any]]:
    """Legal sets of parameters; siblings that must stay below another are brought below it."""

    def below(values: dict[str, Any]) -> dict[str, Any]:
        for param in strategy.params:
            if isinstance(param.rule, Int) and param.rule.below:
                values[param.name] = min(values[param.name], max(values[param.rule.below] - 1, param.rule.low))
        return values

    return st.fixed_dictionaries({p.name: value_of(p) for p in strategy.params}).map(below)


@pytest.mark.parametrize("strategy", ALL, ids=lambda s: s.id)
@given(text=awkward_text(), data=st.data())
def test_promises_hold(strategy: Strategy, text: str, data: st.DataObject) -> None:
    name, format_ = data.draw(st.sampled_from(NAMES))
    unit = data.draw(st.sampled_from(["cl100k_base", "characters", "words", "o200k_base", "all-MiniLM-L6-v2"]))
    params = data.draw(params_of(strategy))
    document = Document.from_text(text, name=name, format=format_)
    assert document.text == text
    made = chunk(document, strategy.id, unit=unit, **params)
    for check in CHECKS:
        check(made)
    again = chunk(Document.from_text(text, name=name, format=format_), recipe=Recipe.from_json(made.recipe.to_json()))
    assert again.spans == made.spans
    assert again.recipe == made.recipe


@pytest.mark.parametrize("strategy", ALL, ids=lambda s: s.id)
@pytest.mark.parametrize("text", FIXED, ids=lambda t: repr(t[:12]))
def test_promises_hold_on_the_smallest_texts(strategy: Strategy, text: str) -> None:
    made = chunk(Document.from_text(text), strategy.id)
    for check in CHECKS:
        check(made)
    assert bool(made.chunks) == bool(text.strip())


TWIN_WORDS = 400


def twins() -> tuple[str, str]:
    """Two texts of one shape: in the second every word is unique, in the first they repeat."""
    ends = [". ", " ", ", ", ".\n\n", " ", "\n", " "]
    repeated = "".join(f"word{i % 3:04d}{ends[i % len(ends)]}" for i in range(TWIN_WORDS))
    unique = "".join(f"word{i:04d}{ends[i % len(ends)]}" for i in range(TWIN_WORDS))
    return repeated, unique


@pytest.mark.parametrize("unit", ["characters", "words"])
@pytest.mark.parametrize("strategy", [s for s in ALL if s.tags.content_blind], ids=lambda s: s.id)
def test_twins_are_cut_alike(strategy: Strategy, unit: str) -> None:
    repeated, unique = (Document.from_text(t) for t in twins())
    for size in (7, 40, 100):
        params = {"size": size, "overlap": size // 3}
        assert (
            chunk(repeated, strategy.id, unit=unit, **params).spans
            == chunk(unique, strategy.id, unit=unit, **params).spans
        )


def test_a_position_looked_up_afterwards_fails_the_twin_test() -> None:
    """The liar of the twin test: right words at the wrong place."""
    repeated, unique = twins()

    def looked_up(text: str) -> list[int]:
        return [text.find(text[i : i + 8]) for i in range(0, len(text), 50)]

    assert looked_up(repeated) != looked_up(unique)


# --- liars: for each promise, a strategy that breaks it and must be refused ------------------------------------


@dataclass(frozen=True)
class LiarParams(Params):
    owner: ClassVar[str] = "liar"
    size: Annotated[int, Int(label="Size", unit="", low=1, high=9999, help="Size.")] = 9999


def liar(*pieces: Piece, dropped: tuple[Dropped, ...] = ()) -> Strategy:
    return replace(
        strategies()["fixed"],
        id="liar",
        params_class=LiarParams,
        cut=lambda document, params, services: Cut(pieces, dropped=dropped),
    )


TEXT = "one two three four 👩‍👩‍👧‍👦 end"
WHOLE = Piece(0, len(TEXT), "whole")
LIARS = {
    "out of range": ((Piece(0, len(TEXT) + 1, "x"),), {}, "part of the document"),
    "negative": ((Piece(-3, 5, "x"), WHOLE), {}, "part of the document"),
    "empty": ((WHOLE, Piece(len(TEXT), len(TEXT), "x")), {}, "part of the document"),
    "blank": ((Piece(0, 3, "x"), Piece(3, 4, "x"), Piece(4, len(TEXT), "x")), {}, "white space"),
    "backwards": ((Piece(4, len(TEXT), "x"), Piece(0, len(TEXT), "x")), {}, "in order"),
    "shrinking": ((Piece(0, len(TEXT), "x"), Piece(4, 7, "x")), {}, "in order"),
    "twice": ((WHOLE, WHOLE), {}, "in order"),
    "lost": ((Piece(0, 7, "x"), Piece(14, len(TEXT), "x")), {}, "lost text in silence"),
    "half a character": ((Piece(0, 22, "x"), Piece(22, len(TEXT), "x")), {}, "inside a character"),
    "too large": ((WHOLE,), {"size": 3}, "no reason was given"),
}


@pytest.mark.parametrize("name", LIARS)
def test_liars_are_refused(name: str) -> None:
    pieces, params, words = LIARS[name]
    with pytest.raises(StrategyError, match=rf"`liar` .*{words}"):
        engine.run(Document(TEXT), liar(*pieces), params)


def test_dropping_without_a_reason_is_refused() -> None:
    with pytest.raises(StrategyError, match="without a span of the document or without a reason"):
        engine.run(Document(TEXT), liar(Piece(0, 7, "x"), dropped=(Dropped(8, len(TEXT), ""),)), {})


def test_an_honest_liar_passes() -> None:
    made = engine.run(
        Document(TEXT), liar(Piece(0, 7, "x", "because"), dropped=(Dropped(8, len(TEXT), "menu"),)), {"size": 1}
    )
    assert made.chunks[0].flags["oversize"].endswith("because")
    for check in CHECKS:
        check(made)


def hand_made(
    *spans: tuple[int, int], tokens: int | None = None, reason: str = "x", dropped: tuple[Dropped, ...] = ()
) -> Chunking:
    document = Document(TEXT)
    chunks = tuple(
        Chunk(document, s, e, i, tokens if tokens is not None else e - s, reason) for i, (s, e) in enumerate(spans)
    )
    return Chunking(document, chunks, Recipe("liar", {"size": 9999}, "characters"), dropped)


END = len(TEXT)
CHECK_LIARS = {
    "spans_of_the_document": hand_made((0, END + 4)),
    "nothing_lost": hand_made((0, 3), (14, END)),
    "in_order": hand_made((4, END), (0, END)),
    "counted": hand_made((0, END), tokens=3),
    "whole_characters": hand_made((0, 21), (21, END)),
    "reasons_given": hand_made((0, END), reason=""),
}


@pytest.mark.parametrize("check", CHECKS, ids=lambda c: c.__name__)
def test_every_check_has_a_liar(check: Any) -> None:
    with pytest.raises((AssertionError, KeyError)):
        check(CHECK_LIARS[check.__name__])


def test_a_cut_inside_a_flag_is_seen() -> None:
    document = Document("🇩🇪🇫🇷")
    chunks = (Chunk(document, 0, 1, 0, 1, "x"), Chunk(document, 1, 4, 1, 3, "x"))
    with pytest.raises(AssertionError):
        whole_characters(Chunking(document, chunks, Recipe("liar", {}, "characters")))


# --- refusals --------------------------------------------------------------------------------------------------


def test_an_explosion_is_refused_before_it_happens() -> None:
    with pytest.raises(ParameterError, match=r"about [\d,]+ chunks .* the limit is 200,000 \(CHUNKVIZ_MAX_CHUNKS\)"):
        chunk(Document("x" * 300_000), "fixed", unit="characters", size=2, overlap=1)


def test_a_recipe_of_another_version_is_refused() -> None:
    recipe = replace(chunk(Document("a b"), "fixed").recipe, version=99)
    with pytest.raises(ParameterError, match="version 99 of `fixed`"):
        chunk(Document("a b"), recipe=recipe)


def test_unknown_strategies_are_refused_with_the_known_ones() -> None:
    with pytest.raises(StrategyError, match=r"There is no strategy 'fancy'. There are: fixed, recursive"):
        chunk(Document("a"), "fancy")


def test_recipe_and_strategy_together_are_refused() -> None:
    with pytest.raises(ParameterError, match="not both"):
        chunk(Document("a"), "fixed", recipe=Recipe("fixed", {}, "words"))


def test_nothing_leaks_from_one_call_to_the_next() -> None:
    a, b = Document("First text. " * 50), Document("Second one, longer. " * 70)
    fresh = chunk(Document(b.text), "recursive", size=20, overlap=5).spans
    chunk(a, "recursive", size=33, overlap=9, unit="characters")
    assert chunk(b, "recursive", size=20, overlap=5).spans == fresh
