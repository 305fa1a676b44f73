"""Parameters: declared and real ones are the same set; wrong values are refused in one form of sentence."""

from __future__ import annotations

from typing import Any

import pytest

from chunkviz import ParameterError, strategies
from chunkviz.params import Choice, Flag, Float, Int, Param, Params, Positions, Text, Texts
from chunkviz.spec import Strategy

ALL = [(s, p) for s in strategies().values() for p in s.params]
IDS = [f"{s.id}.{p.name}" for s, p in ALL]


def wrong_values(param: Param) -> list[Any]:
    rule = param.rule
    if isinstance(rule, Int):
        return [rule.low - 1, rule.high + 1, 1.5, "5", None, True]
    if isinstance(rule, Float):
        return [rule.low - 1, rule.high + 1, float("nan"), "x", None]
    if isinstance(rule, Choice):
        return ["no such choice", 1, None]
    if isinstance(rule, Flag):
        return ["yes", 1, None]
    if isinstance(rule, Text):
        return ["", " padded ", "two\nlines", "x" * (rule.longest + 1), 1, None]
    if isinstance(rule, Positions):
        return ["1", (-1,), (3, 3), (4, 2), (1.5,), (True,), None, tuple(range(rule.most + 1))]
    assert isinstance(rule, Texts)
    return ["text", (1,), None, ("x" * (rule.longest + 1),)]


@pytest.mark.parametrize(("strategy", "param"), ALL, ids=IDS)
def test_wrong_values_are_refused_by_name(strategy: Strategy, param: Param) -> None:
    for value in wrong_values(param):
        with pytest.raises(ParameterError, match=rf"^`{strategy.id}\.{param.name}` must be .*\. Got "):
            strategy.params_class(**{param.name: value})


@pytest.mark.parametrize(("strategy", "param"), ALL, ids=IDS)
def test_defaults_are_legal_and_every_word_is_there(strategy: Strategy, param: Param) -> None:
    assert getattr(strategy.params_class(), param.name) == param.default
    assert param.label
    assert param.help.endswith(".")
    assert param.rule.parse(param.rule.spell(param.default)) in (
        param.default,
        list(param.default or ()) if isinstance(param.default, tuple) else param.default,
    )


def test_the_sentence_of_a_sibling_rule() -> None:
    with pytest.raises(ParameterError) as error:
        strategies()["recursive"].params_class(size=512, overlap=600)
    assert str(error.value) == (
        "`recursive.overlap` must be a whole number of tokens from 0 to 511 (below size=512). Got 600."
    )


def test_the_unit_is_named_in_the_sentence() -> None:
    with pytest.raises(ParameterError, match="whole number of characters from 0 to 9"):
        strategies()["fixed"].params_class.make({"size": 10, "overlap": 10}, "characters")


def test_a_default_gives_way_to_a_small_size() -> None:
    made = strategies()["recursive"].params_class.make({"size": 20})
    assert made.values()["overlap"] == 4
    assert strategies()["recursive"].params_class.make({"size": 1}).values()["overlap"] == 0


def test_unknown_names_are_refused_with_the_known_ones() -> None:
    with pytest.raises(ParameterError, match=r"`fixed` has no parameter `sise`\. It has: size, overlap\."):
        strategies()["fixed"].params_class.make({"sise": 3})


@pytest.mark.parametrize("strategy", list(strategies().values()), ids=lambda s: s.id)
def test_parameters_are_frozen_and_hashable(strategy: Strategy) -> None:
    a, b = strategy.params_class(), strategy.params_class()
    assert a == b
    assert hash(a) == hash(b)
    with pytest.raises(AttributeError):
        a.size = 3  # type: ignore[attr-defined]


def test_a_class_with_an_undeclared_field_is_refused() -> None:
    from dataclasses import dataclass

    @dataclass(frozen=True)
    class Sloppy(Params):
        size: int = 3

    with pytest.raises(TypeError, match=r"Sloppy\.size needs exactly one rule"):
        Sloppy()
