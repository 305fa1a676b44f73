"""Evaluation: documents x questions x recipes, and what each question got back.

made = chunkviz.evaluate("corpora/", "questions.jsonl", [{"strategy": "recursive", "params": {"size": 200}}], k=(5, 10))
made.results[0].metrics["token_recall"].mean
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import NoneType
from typing import Any, NamedTuple

from chunkviz import engine, registry
from chunkviz.chunking import Chunking
from chunkviz.document import Document
from chunkviz.embed import VectorStore, default_store
from chunkviz.errors import ChunkvizError, LoadError, ParameterError, Stopped
from chunkviz.evaluation import Depth, EmbeddingCost, Evaluation, RecipeResult, Summary
from chunkviz.given import expect, expect_calls, expect_many
from chunkviz.loaders import load, suffixes
from chunkviz.metrics.case import RULES, Rules
from chunkviz.question_files import read_file
from chunkviz.questions import Question, QuestionSet, resolve
from chunkviz.recipe import Recipe
from chunkviz.retrieval import Index, RetrievalOptions, Searched, build, search
from chunkviz.retrieval.dense import Cost, to_embed
from chunkviz.scoring import Answer, Scoring
from chunkviz.spans import union
from chunkviz.units import DEFAULT_UNIT, unit

Documents = str | Path | Mapping[str, Document] | Sequence[Document]
Questions = str | Path | QuestionSet | Sequence[Question]
RecipeLike = Mapping[str, Any] | Recipe


class Estimate(NamedTuple):
    """What a recipe will take, before it runs.

    chunks : it will make
    texts  : distinct texts to embed whose vectors are not stored, questions included; `tokens` of them, in cl100k
    """

    chunks: int
    texts: int
    tokens: int


class Step(NamedTuple):
    """How far an evaluation is: recipes done and to do, and what is being done for the current one."""

    recipe: int
    recipes: int
    what: str
    done: int
    total: int


def evaluate(
    docs: Documents,
    questions: Questions,
    recipes: Sequence[RecipeLike],
    k: int | str | Sequence[int | str] = 5,
    rules: Rules = "exact",
    *,
    retrieval: Mapping[str, Any] | RetrievalOptions | None = None,
    embedding: bool = True,
    progress: Callable[[Step], None] | None = None,
    stop: Callable[[], bool] | None = None,
    store: VectorStore | None = None,
) -> Evaluation:
    """Score every recipe by what the questions get back from it.

    docs      : a folder; documents by id; or documents, whose names are their ids
    questions : a file (see `question_files`), what `questions.resolve` gave, or questions
    recipes   : each a `Recipe`, or a mapping as in a recipe file, which may have a further field "retrieval" with what
                differs from `retrieval` for it
    k         : one or several of: a number of passages, "min", "tokens:N"; see `Depth`
    rules     : "exact" or "published"; see `metrics.case`
    retrieval : a `RetrievalOptions` or its values, for every recipe
    embedding : False computes what no model is needed for: of a search by meaning, only what the cut decides
    progress  : called with a `Step` again and again
    stop      : asked just as often; when it is true, or `progress` raises `Stopped`, the recipes done until then are
                returned. What was embedded stays stored, so the next run goes on from there
    store     : where vectors are kept, by default that of this process

    Raises `ParameterError` and `StrategyError` for a recipe that cannot run, before anything is embedded; `LoadError`
    for files; `EmbedderError` for a model.
    """
    if rules not in RULES:
        raise ParameterError(f"`rules` must be one of {', '.join(RULES)}. Got {rules!r}.")
    depths = _depths(k)
    expect_calls(progress=progress, stop=stop)
    expect(store, (VectorStore, NoneType), "`store` must be a `VectorStore`.")
    tasks = _tasks(recipes, retrieval)
    if not depths or not tasks:
        raise ParameterError("An evaluation needs at least one recipe and one k.")
    documents = _documents(docs, shared_loader(recipes))
    asked = _questions(questions, documents)
    if not asked.questions:
        first = f" The first problem: {asked.problems[0].text}" if asked.problems else ""
        raise ParameterError(f"There is no question that can be evaluated.{first}")
    answers = [Answer(question, documents) for question in asked.questions]

    results: list[RecipeResult] = []
    costs: list[Cost] = []
    cuts: dict[str, dict[str, Chunking]] = {}
    stopped = False
    try:
        for at, task in enumerate(tasks):

            def tell(what: str, done: int, total: int, at: int = at) -> None:
                if stop is not None and stop():
                    raise Stopped("The evaluation was stopped.")
                if progress is not None:
                    progress(Step(at, len(tasks), what, done, total))

            tell("cutting", 0, len(documents))
            chunkings = cuts.get(task.key) or _cut(documents, task, tell)
            cuts[task.key] = chunkings
            index = build(chunkings, task.options)
            found = None
            if embedding or not task.options.embeds:
                found = search(index, [q.text for q in asked.questions], task.options, store=store, tell=tell)
                costs.append(found.cost)
            results += _results(task, chunkings, index, Scoring(index, found, answers, rules), found, depths)
            tell("done", 1, 1)
    except Stopped:
        stopped = True
    cost = EmbeddingCost(
        sum(c.fresh for c in costs),
        sum(c.known for c in costs),
        sum(c.seconds for c in costs),
        next((c.settings for c in costs if c.settings), ""),
    )
    return Evaluation(tuple(results), asked.questions, asked.problems, rules, cost, stopped)


def estimate(
    docs: Documents,
    questions: Questions,
    recipes: Sequence[RecipeLike],
    *,
    retrieval: Mapping[str, Any] | RetrievalOptions | None = None,
    store: VectorStore | None = None,
) -> list[Estimate]:
    """What `evaluate` will take for each recipe, with its arguments. Documents are cut, but nothing is embedded.

    A text that several recipes need is counted for the first. How many seconds a token takes, `Evaluation.embedding` of
    an earlier run tells; late chunking reads each token about twice.
    """
    tasks = _tasks(recipes, retrieval)
    documents = _documents(docs, shared_loader(recipes))
    texts = [q.text for q in _questions(questions, documents).questions]
    count = unit(DEFAULT_UNIT).count
    seen: set[bytes] = set()
    found = []
    for task in tasks:
        chunkings = _cut(documents, task, lambda what, done, total: None)
        index = build(chunkings, task.options)
        missing = to_embed(index, texts, task.options, default_store() if store is None else store)
        new = [text for key, text in missing.items() if key not in seen]
        seen.update(missing)
        found.append(Estimate(len(index.entries), len(new), sum(map(count, new))))
    return found


def shared_loader(recipes: Iterable[RecipeLike]) -> dict[str, Any]:
    """How the recipes read documents. Raises `ParameterError` where they do not agree: gold spans hold for one text only."""
    found: list[dict[str, Any]] = []
    for recipe in recipes:
        loader: Any = recipe.loader if isinstance(recipe, Recipe) else {}
        if isinstance(recipe, Mapping):
            loader = recipe.get("loader", {})
        # What is no mapping is refused with the recipe itself.
        found.append(dict(loader) if isinstance(loader, Mapping) else {})
    if any(options != found[0] for options in found):
        raise ParameterError("The recipes of one evaluation must read documents alike; their loader options differ.")
    return found[0] if found else {}


@dataclass(frozen=True, slots=True)
class _Task:
    given: Mapping[str, Any]
    recipe: Recipe
    options: RetrievalOptions

    @property
    def key(self) -> str:
        return self.recipe.key


def _depths(k: int | str | Sequence[int | str]) -> list[Depth]:
    expect(k, (int, str, Sequence), '`k` must be a number of passages, "min" or "tokens:1000", or a list of these.')
    return [Depth.of(word) for word in ([k] if isinstance(k, int | str) else k)]


def _tasks(recipes: Sequence[RecipeLike], retrieval: Mapping[str, Any] | RetrievalOptions | None) -> list[_Task]:
    expect_many(recipes, '`recipes` must be a list of recipes, such as `[{"strategy": "fixed"}]`.')
    wanted = '`retrieval` must be a mapping such as `{"retriever": "keyword"}`, or `RetrievalOptions`.'
    expect(retrieval, (Mapping, RetrievalOptions, NoneType), wanted)
    return [_task(recipe, retrieval, at) for at, recipe in enumerate(recipes, 1)]


def _task(given: RecipeLike, retrieval: Mapping[str, Any] | RetrievalOptions | None, number: int) -> _Task:
    """A recipe with its retrieval, checked as far as that goes without a document."""
    shared = RetrievalOptions.of(retrieval)
    try:
        fields: Any = given.to_dict() if isinstance(given, Recipe) else given
        own: Any = {}
        if isinstance(fields, Mapping):
            own = fields.get("retrieval", {})
            fields = {name: value for name, value in fields.items() if name != "retrieval"}
            if isinstance(fields.get("strategy"), str):
                # A recipe written by hand names no version, and means the one that is installed.
                fields.setdefault("version", registry.strategy(fields["strategy"]).version)
        if not isinstance(own, Mapping):
            raise ParameterError(f'"retrieval" of a recipe must be a JSON object. Got {own!r}.')
        recipe = Recipe.from_dict(fields)
        engine.chunk(Document.from_text(""), recipe=recipe)
        asked = given.to_dict() if isinstance(given, Recipe) else dict(given)
        return _Task(asked, recipe, RetrievalOptions.of({**shared.values(), **own}))
    except ChunkvizError as error:
        raise type(error)(f"Recipe {number}: {error}") from None


def _documents(docs: Documents, options: Mapping[str, Any]) -> dict[str, Document]:
    if isinstance(docs, str | Path):
        return _folder(Path(docs), options)
    wanted = "`docs` must be a folder, a list of documents, or a mapping from ids to documents."
    if isinstance(docs, Mapping):
        found = dict(docs)
        for name in found:
            expect(name, str, "The id of a document must be text.")
        expect_many(list(found.values()), wanted, Document)
    else:
        expect_many(docs, wanted, Document)
        found = {document.name: document for document in docs}
        if len(found) < len(docs):
            raise ParameterError("Two documents have the same name. Give them as a mapping from id to document.")
    if not found:
        raise ParameterError("There is no document.")
    return found


def _folder(folder: Path, options: Mapping[str, Any]) -> dict[str, Document]:
    if not folder.is_dir():
        raise LoadError(f"{folder} is no folder. Name the one that holds the documents.")
    known = suffixes()
    files = (Path(where) / name for where, _, names in os.walk(folder) for name in names)
    chosen = sorted(file for file in files if file.suffix.lower() in known)
    if not chosen:
        raise LoadError(f"{folder} holds no file that can be read. Known endings: {', '.join(known)}.")
    return {file.relative_to(folder).as_posix(): load(file, **options) for file in chosen}


def _questions(questions: Questions, documents: Mapping[str, Document]) -> QuestionSet:
    if isinstance(questions, str | Path):
        return resolve(read_file(questions), documents)
    if isinstance(questions, QuestionSet):
        made = questions
    else:
        expect_many(questions, "`questions` must be a file of questions, or a list of `Question`.", Question)
        made = QuestionSet(tuple(questions))
    for question in made.questions:
        for g in question.gold:
            if g.document not in documents:
                raise ParameterError(f"The question {question.text[:60]!r} is about {g.document!r}, which is not here.")
            if not 0 <= g.start < g.end <= len(documents[g.document].text):
                raise ParameterError(f"The answer of {question.text[:60]!r} is no part of {g.document!r}.")
        if not question.gold:
            raise ParameterError(f"The question {question.text[:60]!r} has no answer in any document.")
    return made


def _cut(documents: Mapping[str, Document], task: _Task, tell: Callable[[str, int, int], None]) -> dict[str, Chunking]:
    made = {}
    for at, (name, document) in enumerate(documents.items(), 1):
        made[name] = engine.chunk(document, recipe=task.recipe)
        tell("cutting", at, len(documents))
    return made


def _results(
    task: _Task,
    chunkings: Mapping[str, Chunking],
    index: Index,
    scoring: Scoring,
    found: Searched | None,
    depths: Sequence[Depth],
) -> list[RecipeResult]:
    """One for each k."""
    chunks = [c for chunking in chunkings.values() for c in chunking.chunks]
    covered = sum(span.length for chunking in chunkings.values() for span in union(chunking.spans))
    count = unit(DEFAULT_UNIT).count
    embedded = sum(count(entry.text) for entry in index.entries)
    results = []
    for depth in depths:
        cells = tuple(scoring.cells(depth))
        results.append(
            RecipeResult(
                given=task.given,
                recipe=next((c.recipe for c in chunkings.values()), None),
                options=task.options,
                k=depth.spelled,
                chunks=len(chunks),
                mean_tokens=sum(c.tokens for c in chunks) / len(chunks) if chunks else None,
                overhead=sum(c.end - c.start for c in chunks) / covered - 1 if covered else None,
                embedded=embedded,
                metrics={m.id: Summary.of([cell.values[m.id] for cell in cells]) for m in scoring.computed},
                cells=cells,
                chunkings=chunkings,
                reranker=found.label if found is not None else "",
            )
        )
    return results
