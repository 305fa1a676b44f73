"""The command `evaluate`: which recipe finds the answers.

chunkviz evaluate --docs corpora --questions questions.jsonl --recipes recipes.json --k 5,10,min --json
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from chunkviz import format, json_text
from chunkviz.cli_reading import same_file
from chunkviz.document import Document
from chunkviz.errors import LoadError, ParameterError
from chunkviz.evaluate import Step, evaluate, shared_loader
from chunkviz.evaluation import Evaluation, RecipeResult
from chunkviz.metrics.case import RULES
from chunkviz.metrics.retrieval import RETRIEVAL
from chunkviz.question_files import read_rows
from chunkviz.questions import resolve
from chunkviz.retrieval import RetrievalOptions
from chunkviz.terminal import table

_BASE: Final = "token_recall"
"""The metric of the column that compares with the first recipe."""

_SHORT: Final[Mapping[str, str]] = {
    "token_recall": "recall",
    "token_precision": "precision",
    "token_iou": "IoU",
    "precision_omega": "Ω",
    "hit": "hit",
    "chunk_precision": "P@k",
    "chunk_recall": "R@k",
    "mrr": "MRR",
    "ndcg": "nDCG",
    "document_f1": "doc F1",
    "page_f1": "page F1",
    "answers_cut": "cut",
    "tokens_retrieved": "tokens",
}


def add_options(parser: argparse.ArgumentParser, legal: Callable[[Any], str]) -> None:
    """The options of the command; `legal` says in words what a parameter takes."""
    parser.add_argument(
        "--docs",
        type=Path,
        nargs="+",
        required=True,
        metavar="PATH",
        help="the documents that are searched, or a folder that holds nothing else",
    )
    parser.add_argument(
        "--questions",
        type=Path,
        required=True,
        metavar="FILE",
        help="CSV, JSONL or JSON with question, document and start and end, or quote; or Chroma's questions_df.csv",
    )
    parser.add_argument(
        "--recipes", type=Path, required=True, metavar="FILE.json", help="a recipe, or a list of recipes, as JSON"
    )
    parser.add_argument(
        "--k",
        default="5",
        metavar="K,K",
        help="passages taken for each question; min: as many as meet the answer, at most 20; tokens:N: as many as N "
        "tokens hold (default 5)",
    )
    parser.add_argument(
        "--rules",
        choices=RULES,
        default="exact",
        help="exact: real positions (default). published: with the two quirks of the published code",
    )
    parser.add_argument(
        "--retrieval",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="how chunks are searched, for recipes that do not say so themselves; repeatable. "
        + " ".join(
            f"{p.name}: {legal(p)} (default {p.rule.spell(p.default)}).".replace("%", "%%")
            for p in RetrievalOptions.declared()
        ),
    )
    parser.add_argument(
        "--load-option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="how the documents are read, as in `chunkviz chunk --help`; repeatable",
    )
    parser.add_argument("--no-embedding", action="store_true", help="compute only what needs no embedding model")
    parser.add_argument("--json", action="store_true", help="print JSON, with full precision")


def run(
    args: argparse.Namespace,
    retrieval: Mapping[str, Any],
    load_options: Mapping[str, Any],
    sources: Callable[[Path], Iterable[tuple[Path, Path]]],
    document: Callable[[Path, Mapping[str, Any]], Document],
    read: Callable[[Path], bytes],
    write: Callable[[str], None],
    say: Callable[[str], None],
) -> int:
    """Run the command. Returns 1 where a question had to be left out, else 0.

    retrieval    : values of `RetrievalOptions`
    load_options : how the documents are read, where the recipes do not say so
    sources      : gives the files of a folder, each with its name in it; of a file, itself
    document     : parses a file; `read` gives its bytes
    """
    depths = listed("--k", args.k, "5,10,min")
    recipes = _recipes(read(args.recipes), args.recipes.name)
    rows = read_rows(read(args.questions), args.questions.name)
    options = {**load_options, **shared_loader(recipes)}
    documents: dict[str, Document] = {}
    for where in args.docs:
        if not where.exists():
            raise LoadError(f"{where} is not there. Name the documents, or the folder that holds them.")
        before = len(documents)
        for path, relative in sources(where):
            if same_file(path, args.questions):
                continue
            if relative.as_posix() in documents:
                raise LoadError(f"Two documents are called {relative.as_posix()}. Questions name theirs: rename one.")
            documents[relative.as_posix()] = document(path, options)
        if len(documents) == before:
            raise LoadError(f"{where} holds no file that can be read.")
    asked = resolve(rows, documents)
    for problem in asked.problems:
        say(f"{args.questions.name}, question {problem.row}: {problem.level}: {problem.text}")
    live = sys.stderr is not None and sys.stderr.isatty()
    made = evaluate(
        documents,
        asked,
        recipes,
        depths,
        args.rules,
        retrieval=retrieval,
        embedding=not args.no_embedding,
        progress=_progress if live else None,
    )
    if live:
        sys.stderr.write("\r\x1b[K")
    write(json.dumps(made.to_dict(), ensure_ascii=False, indent=2) + "\n" if args.json else shown(made))
    return 1 if asked.errors else 0


def _recipes(data: bytes, name: str) -> list[Mapping[str, Any]]:
    try:
        found = json_text.read(data.decode("utf-8-sig"))
    except ValueError as error:
        raise ParameterError(f"{name} is not JSON: {error}.") from None
    recipes = [found] if isinstance(found, dict) else found
    if not isinstance(recipes, list) or not recipes:
        raise ParameterError(f'{name} must be a JSON list of recipes, each at least {{"strategy": "<id>"}}.')
    return recipes


def _progress(step: Step) -> None:
    share = f" {step.done:,} of {step.total:,}" if step.total > 1 else ""
    sys.stderr.write(f"\r\x1b[Krecipe {step.recipe + 1} of {step.recipes}: {step.what}{share}")
    sys.stderr.flush()


def shown(made: Evaluation) -> str:
    """The results as a table to read, a line for each recipe and k."""
    metrics = [m for m in RETRIEVAL if m.id in made.results[0].metrics]
    compared = len(made.results) > 1 and all(_BASE in r.metrics for r in made.results)
    header = ["recipe", "k", "chunks", "tokens each", *(_SHORT[m.id] for m in metrics)]
    first: dict[int | str, RecipeResult] = {}
    lines = []
    for r in made.results:
        base = first.setdefault(r.k, r)
        line = [_named(r), str(r.k), f"{r.chunks:,}", format.number(r.mean_tokens)]
        line += [format.number(r.metrics[m.id].mean, m.unit) for m in metrics]
        lines.append([*line, _against(r, base)] if compared else line)
    if compared:
        header.append("recall against the first")
    text = table(header, lines, right=range(1, 4 + len(metrics)))
    asked = format.plural(len(made.questions), "question")
    units = ", ".join(dict.fromkeys(r.recipe.unit for r in made.results if r.recipe)) or "the unit of each recipe"
    counted = "recall, precision, IoU and Ω count characters of the answers."
    return f"{text}\n{asked}, {made.rules} rules, sizes in {units}. {counted}\n"


def _named(result: RecipeResult) -> str:
    values = {**(result.recipe.params if result.recipe else {}), **result.options.changed()}
    words = [f"{name}={value}" for name, value in values.items() if not isinstance(value, tuple)]
    return " ".join([str(result.given.get("strategy", "")), *words])


def _against(result: RecipeResult, base: RecipeResult) -> str:
    better = next(m.better for m in RETRIEVAL if m.id == _BASE)
    if result is base:
        return ""
    found = result.against(base, _BASE)
    if found is None:
        return "—"
    return f"{found.mean:+.1%} [{found.low:+.1%}, {found.high:+.1%}] {found.verdict(better)}"


def listed(option: str, text: str, example: str) -> list[str]:
    """The parts of a list such as "5,10,min", without the blanks around them.

    Raises `ParameterError` where a place between two commas, or before or after one, is empty: something was left out.
    """
    words = [word.strip() for word in text.split(",")]
    if "" in words:
        at = words.index("")
        where = f"after {words[at - 1]!r}" if at else "at its beginning" if len(words) > 1 else ""
        what = f"has an empty place {where}" if where else "names none"
        raise ParameterError(f"{option} {what}; it takes a list such as {example}. Got {text!r}.")
    return words


def spelled_values(words: Sequence[str]) -> dict[str, str]:
    """The values of `--retrieval NAME=VALUE`, as spelled. Raises `ParameterError` for another form."""
    spelled: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise ParameterError(f"--retrieval takes NAME=VALUE, for example mode=late. Got {word!r}.")
        spelled[name] = value
    return spelled
