"""The words of the command line and what they stand for.

The options of `chunk` and `compare` are those that the strategies named among the words declare; there is no second list.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NoReturn

import chunkviz
from chunkviz import evaluate_cli, registry
from chunkviz.declarations import dashed, legal
from chunkviz.errors import ParameterError, StrategyError
from chunkviz.loaders.options import LoadOptions
from chunkviz.params import Param, Params
from chunkviz.spec import Strategy
from chunkviz.units import DEFAULT_UNIT, UNITS

DEFAULT_STRATEGY: Final = "recursive"
CHUNK_FORMATS: Final = ("jsonl", "csv", "table")

# What argparse says, since it says it in no other form.
_MISSING: Final = re.compile(r"the following arguments are required: (.+)")
_WRONG: Final = re.compile(r"argument (.+?): invalid choice: (.+?) \(choose from (.+)\)")

_PARAMETER: Final = "parameter "
"""Begins the name under which argparse keeps a strategy's parameter, so that none can meet an option of our own."""


def parsed(words: Sequence[str]) -> argparse.Namespace:
    """The arguments; `command` says of which command, `given` gives the strategy parameters among them.

    Raises `ParameterError` for a wrong usage, `StrategyError` for a strategy that does not exist; and like every
    argparse program `SystemExit` after `--help`.
    """
    spelled = _hyphened(words)
    args, unknown = _parser(spelled).parse_known_args(spelled)
    if unknown:
        raise _refusal(args, unknown[0])
    return args


class _Words(argparse.ArgumentParser):
    """A parser whose refusals are one line, like every other error."""

    def error(self, message: str) -> NoReturn:
        command = self.prog.partition(" ")[2]
        more = f"`{self.prog} --help` shows how it is used."
        missing = _MISSING.match(message)
        wrong = _WRONG.match(message)
        if missing and not command:
            text, more = "Name a command.", f"{_there_are(self)} `{self.prog} --help` explains them."
        elif missing:
            names = missing[1].split(", ")
            text = f"`{command}` needs {' and '.join(names)}."
        elif wrong and not command:
            text, more = f"There is no command {wrong[2]}.", _there_are(self)
        elif wrong:
            text, more = f"{wrong[1]} must be one of {wrong[3]}. Got {wrong[2]}.", ""
        else:
            text = message.removeprefix("argument ") + "."
        raise ParameterError(f"{text} {more}".strip())


def _there_are(parser: argparse.ArgumentParser) -> str:
    commands = next(action.choices for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    return f"There are: {', '.join(commands or ())}."


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """The parser for these words: the options of `chunk` and `compare` depend on the strategies named among them."""
    parser = _Words(
        prog="chunkviz",
        description="Show how documents are cut into chunks for retrieval.",
        epilog="`chunkviz COMMAND --help` explains a command.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"chunkviz {chunkviz.__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", dest="command", required=True)

    def command(name: str, help: str, more: str = "") -> argparse.ArgumentParser:
        return commands.add_parser(name, help=help, description=f"{help} {more}".strip(), allow_abbrev=False)

    app = command("app", "Start the app in the browser.")
    app.add_argument("--port", type=_port, default=8501, metavar="N", help="port to listen on (default 8501)")
    app.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="ADDR",
        help="address to listen on (default 127.0.0.1: this computer only; 0.0.0.0: everyone who can reach it)",
    )

    listed = command("strategies", "List the strategies, or explain one.")
    listed.add_argument("id", nargs="?", metavar="ID", help="the strategy to explain")
    listed.add_argument("--json", action="store_true", help="print JSON")

    chunk = command(
        "chunk",
        "Cut documents and print their chunks.",
        "The strategy's own options are at the end; `--strategy ID --help` shows those of another.",
    )
    chunk.add_argument("files", nargs="+", metavar="FILE", help="documents; with several, rows begin with `document`")
    chunk.add_argument("--strategy", metavar="ID", help=f"how to cut (default {DEFAULT_STRATEGY})")
    chunk.add_argument("--recipe", type=Path, metavar="FILE.json", help="cut by a recipe instead")
    chunk.add_argument(
        "--format",
        choices=CHUNK_FORMATS,
        default="jsonl",
        help="jsonl: an object a line (default). csv: for spreadsheets; a cell that begins with = + - @ tab or a "
        "carriage return gets an apostrophe in front, so that it does not run as a formula. table: to read here",
    )
    chunk.add_argument("--out", type=Path, metavar="FILE", help="write to a file instead of standard output")
    _add_reading(chunk)

    compare = command(
        "compare",
        "Cut one document by several strategies and print their figures side by side.",
        "An option such as --size or --overlap goes to every strategy that has it, --fixed.size to `fixed` only; what is "
        "not given keeps the strategy's own default, and the settings used are printed first.",
    )
    compare.add_argument("file", metavar="FILE", help="the document")
    compare.add_argument(
        "--strategies", required=True, metavar="ID,ID", help="which to compare, for example fixed,recursive"
    )
    compare.add_argument("--json", action="store_true", help="print JSON, with full precision")
    _add_reading(compare)

    apply = command(
        "apply",
        "Cut every file of a folder by a recipe.",
        "A file that cannot be read is reported and the others go on; the exit code is 1 then. What is done already is "
        "not done again; DIR/chunkviz-apply.jsonl tells what became of each file.",
    )
    apply.add_argument("recipe", type=Path, metavar="RECIPE", help="a recipe, as JSON")
    apply.add_argument(
        "source",
        type=Path,
        metavar="SOURCE",
        help="a file, a folder with all that is in it, or a pattern in quotes: 'docs/**/*.md'",
    )
    apply.add_argument("--out", type=Path, required=True, metavar="DIR", help="writes DIR/<name in SOURCE>.<format>")
    apply.add_argument(
        "--format",
        choices=("jsonl", "parquet"),
        default="jsonl",
        help="jsonl: an object a line (default). parquet: the same with types, and a column `document`",
    )
    apply.add_argument(
        "--processes",
        type=_positive,
        metavar="N",
        help="how many cut at the same time (default: one a core; one for few files, and where a model takes all cores)",
    )

    evaluate_cli.add_options(
        command(
            "evaluate",
            "Score recipes by what questions get back from documents.",
            "The exit code is 1 where a question had to be left out.",
        ),
        legal,
    )

    cache = command("cache", "Tell how many vectors are stored, and where.")
    cache.add_argument("--clear", action="store_true", help="delete them all; they are made anew when needed")

    command("doctor", "Check that everything chunkviz needs is here and works, and print the limits.")

    if words[:1] == ["chunk"]:
        strategy = registry.strategy(_value_of(words, "--strategy") or DEFAULT_STRATEGY)
        group = chunk.add_argument_group(f"options of `{strategy.id}`", strategy.one_line + ".")
        for param in strategy.params:
            _add(group, f"--{dashed(param.name)}", param.name, param, strategy.id)
    if words[:1] == ["compare"]:
        named = _value_of(words, "--strategies")
        # Without the option the parser says so itself, or explains it.
        _add_compared(compare, [] if named is None else chosen(named))
    return parser


def _add_reading(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--unit", metavar="UNIT", help=f"what sizes count: {', '.join(UNITS)} (default {DEFAULT_UNIT})")
    parser.add_argument(
        "--load-option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="how files are read; repeatable. "
        + " ".join(
            f"{p.name}: {_escaped(legal(p))} (default {p.rule.spell(p.default)})." for p in LoadOptions.declared()
        ),
    )
    parser.add_argument(
        "--verbose", action="store_true", help="tell what was found and changed while reading and cutting"
    )


def _add_compared(parser: argparse.ArgumentParser, strategies: Sequence[Strategy]) -> None:
    names = dict.fromkeys(param.name for strategy in strategies for param in strategy.params)
    shared = parser.add_argument_group("options for every strategy that has them")
    for name in names:
        having = [strategy.id for strategy in strategies if any(p.name == name for p in strategy.params)]
        _add_option(shared, f"--{dashed(name)}", name, "VALUE", f"for {', '.join(having)}", having[0])
    for strategy in strategies:
        group = parser.add_argument_group(f"options of `{strategy.id}` only")
        for param in strategy.params:
            spelled = f"{strategy.id}.{param.name}"
            _add(group, f"--{dashed(spelled)}", spelled, param, strategy.id)


def _add(group: argparse._ArgumentGroup, option: str, name: str, param: Param, owner: str) -> None:
    help = f"{param.label}. {param.help} {legal(param, capital=True)}; default {param.rule.spell(param.default)}."
    _add_option(group, option, name, (param.unit() or "value").upper(), help, owner)


def _add_option(group: argparse._ArgumentGroup, option: str, name: str, metavar: str, help: str, owner: str) -> None:
    try:
        group.add_argument(
            option, dest=_PARAMETER + name, default=argparse.SUPPRESS, metavar=metavar, help=_escaped(help)
        )
    except argparse.ArgumentError:
        raise StrategyError(
            f"`{owner}.{name}` is called like an option of the command line. Give it in a recipe."
        ) from None


def _escaped(text: str) -> str:
    """argparse formats its help with `%`."""
    return text.replace("%", "%%")


def _hyphened(words: Sequence[str]) -> list[str]:
    """`--separator_set`, as recipes and Python spell it, is taken like `--separator-set`."""
    found = list(words)
    end = found.index("--") if "--" in found else len(found)
    for i, word in enumerate(found[:end]):
        if word.startswith("--"):
            option, equals, value = word.partition("=")
            found[i] = dashed(option) + equals + value
    return found


def _value_of(words: Sequence[str], option: str) -> str | None:
    """The last value that the words give an option; the parser itself cannot be made before it is known."""
    found = None
    for word, following in zip(words, [*words[1:], None], strict=True):
        if word == "--":
            break
        if word == option:
            found = following
        elif word.startswith(f"{option}="):
            found = word.partition("=")[2]
    return found


def _positive(text: str) -> int:
    if text.isascii() and text.isdigit() and int(text) > 0:
        return int(text)
    raise argparse.ArgumentTypeError(f"this is a whole number from 1, not {text!r}")


def _port(text: str) -> int:
    if text.isascii() and text.isdigit() and 0 < int(text) < 65536:
        return int(text)
    raise argparse.ArgumentTypeError(f"a port is a whole number from 1 to 65535, not {text!r}")


def _refusal(args: argparse.Namespace, word: str) -> ParameterError:
    """What to say to a word that no option takes."""
    if not word.startswith("-"):
        return ParameterError(f"{word!r} stands where no word is expected. Name all files before the options.")
    option = word.partition("=")[0]
    if args.command == "chunk":
        owners = [registry.strategy(args.strategy or DEFAULT_STRATEGY)]
    elif args.command == "compare":
        owners = chosen(args.strategies)
    else:
        return ParameterError(f"`{args.command}` has no option {option}; `chunkviz {args.command} --help` lists them.")
    have = "; ".join(f"`{s.id}` has " + (", ".join(f"--{dashed(p.name)}" for p in s.params) or "none") for s in owners)
    return ParameterError(
        f"There is no option {option}. Of the strategy's own, {have}; `chunkviz {args.command} --help` lists the others."
    )


def chosen(ids: str) -> list[Strategy]:
    """The strategies of a list such as "fixed,recursive".

    Raises for one that does not exist or stands there twice, and for a place in the list that is empty.
    """
    names = evaluate_cli.listed("--strategies", ids, "fixed,recursive")
    for name in names:
        if names.count(name) > 1:
            raise ParameterError(f"--strategies names {name!r} twice. Name each once.")
    return [registry.strategy(name) for name in names]


def given(args: argparse.Namespace) -> dict[str, str]:
    """The strategy parameters that were given, as spelled."""
    found = {key: value for key, value in vars(args).items() if key.startswith(_PARAMETER)}
    return {key.removeprefix(_PARAMETER): value for key, value in found.items()}


def values_of(declared: type[Params], spelled: Mapping[str, str]) -> dict[str, Any]:
    """The values that the words of a command line stand for, not yet checked against each other."""
    rules = {param.name: param.rule for param in declared.declared()}
    values: dict[str, Any] = {}
    for name, text in spelled.items():
        try:
            values[name] = rules[name].parse(text) if name in rules else text
        except ValueError:
            values[name] = text  # the declaration refuses it in a moment, and says what it must be
    return values


def load_options(words: Iterable[str], base: Mapping[str, Any]) -> dict[str, Any]:
    """Loader options from words such as "encoding=cp1252", laid over those in `base`; only what is no default.

    Raises `ParameterError` for an option that does not exist or a value it does not take.
    """
    spelled: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise ParameterError(f"--load-option takes NAME=VALUE, for example encoding=cp1252. Got {word!r}.")
        spelled[name] = value
    return LoadOptions.make({**base, **values_of(LoadOptions, spelled)}).changed()
