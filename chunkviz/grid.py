"""A grid of recipes: every combination of a few strategies, sizes, overlaps and ways to search that makes sense.

    made = Grid(strategies=("recursive", "fixed"), sizes=(128, 256), overlaps=(0, 32)).recipes()
    chunkviz.evaluate(documents, questions, made.recipes)

And what such recipes are called where people read them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Final, NamedTuple

from chunkviz import format, registry
from chunkviz.embed import DEFAULT
from chunkviz.errors import ParameterError
from chunkviz.evaluation import EmbeddingCost, Evaluation, RecipeResult
from chunkviz.params import UNIT, Int
from chunkviz.retrieval import RetrievalOptions
from chunkviz.units import DEFAULT_UNIT, unit

MOST_RECIPES: Final = 60
"""Recipes of one grid: more than anyone can compare, and days of embedding where documents are large."""

MODES: Final[Mapping[str, str]] = {
    "plain": "the chunk alone",
    "headings": "heading path in front",
    "late": "late chunking",
    "small_to_big": "section around it",
    "sentence_window": "sentences around it",
}
SEARCHES: Final[Mapping[str, str]] = {"dense": "by meaning", "keyword": "by words", "hybrid": "by both"}
RERANKERS: Final[Mapping[str, str]] = {
    "none": "not reranked",
    "late_interaction": "reranked token by token",
    "cross_encoder": "reranked by a cross-encoder",
}


class Made(NamedTuple):
    """The recipes of a grid, and in words what was left out of it."""

    recipes: list[dict[str, Any]]
    left_out: list[str]


@dataclass(frozen=True, slots=True)
class Grid:
    """The axes. A strategy without a size or an overlap in `unit` stands in the grid once for all of them.

    models : embedding models that search; a search by words needs none, and stands in the grid once for all of them.
             Strategies that compare sentences cut by their own model whichever searches
    """

    strategies: Sequence[str] = ("recursive", "fixed")
    sizes: Sequence[int] = (128, 256, 512)
    overlaps: Sequence[int] = (0, 32)
    modes: Sequence[str] = ("plain",)
    searches: Sequence[str] = ("dense",)
    rerankers: Sequence[str] = ("none",)
    models: Sequence[str] = (DEFAULT,)
    unit: str = DEFAULT_UNIT

    def recipes(self) -> Made:
        """The combinations, each once, in order. Raises `ParameterError` where there is none, or more than `MOST_RECIPES`."""
        found: dict[str, dict[str, Any]] = {}
        impossible: set[tuple[int, int]] = set()
        senseless = tokenless = False
        for strategy, size, overlap in product(self.strategies, self.sizes, self.overlaps):
            params = self._params(strategy, size, overlap)
            if "overlap" in params and params["overlap"] >= params.get("size", overlap + 1):
                impossible.add((size, overlap))
                continue
            for mode, search, model, reranker in product(self.modes, self.searches, self.models, self.rerankers):
                if mode == "late" and search == "keyword":
                    senseless = True
                    continue
                by_tokens = mode == "late" or reranker == "late_interaction"
                if by_tokens and search != "keyword" and model != DEFAULT:
                    tokenless = True
                    continue
                recipe: dict[str, Any] = {"strategy": strategy, "params": params, "unit": self.unit}
                options = RetrievalOptions(mode=mode, retriever=search, model=model, reranker=reranker)
                retrieval = options.changed()
                if retrieval:
                    recipe["retrieval"] = retrieval
                found.setdefault(json.dumps(recipe, sort_keys=True), recipe)
        left_out = []
        if impossible:
            pairs = ", ".join(f"size {size} with overlap {overlap}" for size, overlap in sorted(impossible))
            left_out.append(f"An overlap must be smaller than the size, so {pairs} is left out.")
        if senseless:
            left_out.append("Late chunking changes vectors only, so it is left out of the search by words.")
        if tokenless:
            left_out.append(
                "Late chunking and reranking token by token need vectors of single tokens, which only "
                f"{DEFAULT} gives; they are left out of the other models."
            )
        if not found:
            raise ParameterError(" ".join(["The grid holds no recipe.", *left_out]))
        if len(found) > MOST_RECIPES:
            raise ParameterError(f"The grid holds {len(found)} recipes; at most {MOST_RECIPES} are run at once.")
        return Made(list(found.values()), left_out)

    def _params(self, strategy: str, size: int, overlap: int) -> dict[str, Any]:
        """The two values where the strategy has them in the grid's unit, made legal."""
        params: dict[str, Any] = {}
        for name, value in (("size", size), ("overlap", overlap)):
            for param in registry.strategy(strategy).params:
                if param.name == name and isinstance(param.rule, Int) and param.rule.unit == UNIT:
                    params[name] = min(max(value, param.rule.low), param.rule.high)
        return params


def label(result: RecipeResult, without: Iterable[str] = ()) -> str:
    """A recipe in words: its strategy, what it was told, and how it is searched.

    without : names of values that are left out, "size" for example, where they stand elsewhere
    """
    return spelled(result.given, result.options, without)


def spelled(given: Mapping[str, Any], options: RetrievalOptions, without: Iterable[str] = ()) -> str:
    """`label` of a recipe that did not run yet."""
    left_out = set(without)
    strategy = str(given.get("strategy", ""))
    known = registry.strategies().get(strategy)
    parts = [known.title if known else strategy]
    word = unit(str(given.get("unit", DEFAULT_UNIT))).word
    params = dict(given.get("params", {}))
    # In the order of the declaration, so that a recipe is called the same whoever wrote it.
    names = [p.name for p in known.params if p.name in params] if known else []
    for name in [*names, *(n for n in params if n not in names)]:
        value = params[name]
        if name in left_out or value in ("", (), [], None):
            continue
        if name == "size":
            parts.append(f"{value} {word}")
        else:
            parts.append(f"{name.replace('_', ' ')} {value}")
    changed = {name: value for name, value in options.changed().items() if name not in left_out}
    for words, name in ((MODES, "mode"), (SEARCHES, "retriever"), (RERANKERS, "reranker")):
        if name in changed:
            value = changed.pop(name)
            parts.append(words.get(value, str(value)))
    parts += [f"{name.replace('_', ' ')} {value}" for name, value in changed.items()]
    return ", ".join(parts)


def depth_label(k: int | str) -> str:
    """A k in words.

    >>> depth_label(5), depth_label("min"), depth_label("tokens:1000")
    ('first 5 passages', 'as many as needed', 'first 1,000 tokens')
    """
    if isinstance(k, int):
        return f"first {format.plural(k, 'passage')}"
    return "as many as needed" if k == "min" else f"first {int(k.removeprefix('tokens:')):,} tokens"


def joined(first: Evaluation, rest: Evaluation) -> Evaluation:
    """An evaluation that was stopped, and what was done after it: one with the results of both.

    Raises `ParameterError` where they were not asked the same questions under the same rules.
    """
    if first.questions != rest.questions or first.rules != rest.rules:
        raise ParameterError("Only two parts of one evaluation can be joined: the same questions, the same rules.")
    a, b = first.embedding, rest.embedding
    cost = EmbeddingCost(a.fresh + b.fresh, a.known + b.known, a.seconds + b.seconds, b.settings or a.settings)
    return replace(rest, results=(*first.results, *rest.results), embedding=cost)
