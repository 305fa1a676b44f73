"""The command line, as `python -m chunkviz` and, installed, as `chunkviz`.

    chunkviz chunk handbook.pdf --strategy recursive --size 512 --overlap 50 > chunks.jsonl

Results go to standard output in UTF-8, everything else to standard error. Options of a strategy are those it declares.

Exit codes: 0 all is well; 1 something was reported (`apply`: a file could not be cut, `evaluate`: a question was left
out, `doctor`: a problem);
2 the command could not run, with one line that says why; 130 interrupted, 141 nobody reads the output any more.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import chunkviz
from chunkviz import doctor, engine, evaluate_cli, format, registry, scale
from chunkviz.arguments import DEFAULT_STRATEGY, chosen, given, load_options, parsed, values_of
from chunkviz.chunking import Chunking
from chunkviz.cli_reading import is_pattern, read_bytes, read_document, read_recipe, same_file, sources
from chunkviz.cli_writing import (
    WRITERS,
    Part,
    as_given,
    as_json,
    compared,
    forget_output,
    say,
    side_by_side,
    tell,
    terminal_columns,
    used,
    write,
)
from chunkviz.declarations import card, dashed, declaration
from chunkviz.document import Document
from chunkviz.embed import default_store
from chunkviz.errors import ChunkvizError, LoadError, ParameterError
from chunkviz.loaders import suffixes
from chunkviz.report import Report, report
from chunkviz.retrieval import RetrievalOptions
from chunkviz.terminal import plain, table
from chunkviz.units import DEFAULT_UNIT

# Without these, the memory of large uploads stays with the server after their sessions have ended.
_ALLOCATOR: Final = {
    "MALLOC_ARENA_MAX": "2",
    "MALLOC_MMAP_THRESHOLD_": "1048576",
    "MALLOC_TRIM_THRESHOLD_": "1048576",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; `argv` without the program's name, by default the process's own. Returns the exit code.

    Like every argparse program it raises `SystemExit` (code 0) after `--help` and `--version`.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # whatever the locale; and line ends are ours to choose
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="")
    try:
        args = parsed(sys.argv[1:] if argv is None else argv)
        return _COMMANDS[args.command](args)
    except SystemExit:
        forget_output()  # `--help` whose reader has gone
        raise
    except ChunkvizError as error:
        say(str(error))
        return 2
    except BrokenPipeError:
        forget_output()
        return 141
    except (KeyboardInterrupt, EOFError):  # EOFError: the question for a password was closed
        return 130


# The commands


def _app(args: argparse.Namespace) -> int:
    app = _app_file()
    if not app.is_file():
        raise ChunkvizError(f"{app} is missing. The app is started from the repository: clone it and run this there.")
    command = [sys.executable, "-m", "streamlit", "run", str(app)]
    command += ["--server.address", args.host, "--server.port", str(args.port)]
    sys.stdout.flush()
    os.execve(sys.executable, command, {**_ALLOCATOR, **os.environ})  # noqa: S606  # no shell, and our own interpreter


def _app_file() -> Path:
    return Path(chunkviz.__file__).resolve().parent.parent / "app.py"


def _strategies(args: argparse.Namespace) -> int:
    if args.id is not None:
        strategy = registry.strategy(args.id)
        write(as_json(declaration(strategy)) if args.json else card(strategy, terminal_columns()))
        return 0
    known = registry.strategies().values()
    missing = registry.unavailable()
    if args.json:
        write(
            as_json([*map(declaration, known), *({"id": m.id, "unavailable": m.reason, "fix": m.fix} for m in missing)])
        )
        return 0
    lines = [(s.id, s.title, s.one_line) for s in known]
    lines += [(m.id, "cannot run here", f"{m.reason} {m.fix}") for m in missing]
    write(table(("id", "title", "what it does"), lines))
    return 0


def _chunk(args: argparse.Namespace) -> int:
    spelled = given(args)
    recipe = read_recipe(args.recipe) if args.recipe else None
    if recipe and (args.strategy or args.unit or spelled):
        beside = "strategy" if args.strategy else "unit" if args.unit else dashed(next(iter(spelled)))
        raise ParameterError(
            f"A recipe has its own strategy, unit and parameters; --{beside} cannot be given beside it."
        )
    if args.out and any(same_file(args.out, Path(name)) for name in args.files):
        raise ParameterError(f"--out {args.out} would overwrite a document. Choose another name.")
    options = load_options(args.load_option, recipe.loader if recipe else {})
    strategy = registry.strategy(args.strategy or DEFAULT_STRATEGY)
    parts: list[Part] = []
    for name in args.files:
        document = read_document(Path(name), options, ask=True)
        if recipe:
            chunking = engine.chunk(document, recipe=recipe)
        else:
            values = values_of(strategy.params_class, spelled)
            chunking = engine.run(document, strategy, values, args.unit or DEFAULT_UNIT)
        if args.verbose:
            tell(name, chunking)
        parts.append((as_given(name) if len(args.files) > 1 else None, chunking))
    write(WRITERS[args.format](parts), args.out)
    for name, (_, chunking) in zip(args.files, parts, strict=True):
        empty = "" if chunking.document.text.strip() else ", since it has no text"
        say(f"{name}: {format.plural(len(chunking.chunks), 'chunk')} by {used(chunking.recipe)}{empty}")
    return 0


def _compare(args: argparse.Namespace) -> int:
    strategies = chosen(args.strategies)
    spelled = given(args)
    document = read_document(Path(args.file), load_options(args.load_option, {}), ask=True)
    found: list[tuple[Chunking, Report]] = []
    for strategy in strategies:
        own = {p.name: spelled[p.name] for p in strategy.params if p.name in spelled}
        prefix = f"{strategy.id}."
        own |= {name.removeprefix(prefix): text for name, text in spelled.items() if name.startswith(prefix)}
        chunking = engine.run(document, strategy, values_of(strategy.params_class, own), args.unit or DEFAULT_UNIT)
        if args.verbose:
            tell(f"{args.file}, {strategy.id}", chunking)
        found.append((chunking, report(chunking)))
    write(as_json(compared(found)) if args.json else side_by_side(found))
    return 0


def _apply(args: argparse.Namespace) -> int:
    recipe = read_recipe(args.recipe)
    load_options((), recipe.loader)
    # A recipe that cannot run is one error, not one for each file.
    complete = engine.chunk(Document.from_text(""), recipe=recipe).recipe
    if not (args.source.exists() or is_pattern(args.source)):
        raise LoadError(f"{args.source} does not exist. Check the path.")
    if same_file(args.source, args.out):
        raise ParameterError("--out must not be SOURCE itself, where the chunks would lie among the documents.")
    closed: list[OSError] = []
    found = [
        scale.Source(relative.as_posix(), partial(read_bytes, path))
        for path, relative in sources(args.source, args.out, closed.append)
    ]
    if not (found or closed):
        raise LoadError(f"{args.source} holds no file that can be read. Known endings: {', '.join(suffixes())}.")
    workers = args.processes or scale.processes(recipe, len(found))
    cut = failed = before = chunks = 0
    for outcome in scale.apply(found, recipe, args.out, format=args.format, workers=workers):
        if outcome.error:
            say(f"{outcome.name}: {outcome.error}")
            failed += 1
            continue
        cut += 1
        before += outcome.before
        chunks += outcome.chunks
    for error in closed:
        say(f"{error.filename} cannot be opened: {error.strerror}.")
    known = f", {before:,} of them done before" if before else ""
    not_cut = f"; {format.plural(failed, 'file')} could not be cut" if failed else ""
    write(
        f"{format.plural(chunks, 'chunk')} from {format.plural(cut, 'file')}{known} in {plain(str(args.out))}{not_cut}\n"
        f"Cut by {used(complete)}\n"
        f"What became of each file is in {plain(str(args.out / scale.JOURNAL))}\n"
    )
    return 1 if failed or closed else 0


def _evaluate(args: argparse.Namespace) -> int:
    closed: list[OSError] = []
    code = evaluate_cli.run(
        args,
        values_of(RetrievalOptions, evaluate_cli.spelled_values(args.retrieval)),
        load_options(args.load_option, {}),
        lambda where: sources(where, Path(os.devnull), closed.append),
        read_document,
        read_bytes,
        write,
        say,
    )
    for error in closed:
        say(f"{error.filename} cannot be opened: {error.strerror}.")
    return 1 if closed else code


def _cache(args: argparse.Namespace) -> int:
    store = default_store()
    if args.clear:
        write(f"{store.clear():,} vectors deleted from {plain(str(store.path))}\n")
    else:
        rows, taken = store.size()
        most = store.limit_bytes / 1e6
        write(f"{rows:,} vectors, {taken / 1e6:,.1f} MB of at most {most:,.0f} MB, in {plain(str(store.path))}\n")
    for notice in store.notices:
        say(notice)
    return 1 if store.notices else 0


def _doctor(_args: argparse.Namespace) -> int:
    good = True
    for finding in doctor.examine(_app_file()):
        good = good and finding.good
        write(f"{'ok     ' if finding.good else 'PROBLEM'}  {finding.name}: {plain(finding.text)}\n")
    write("\nLimits in force, each with the variable that changes it:\n")
    for variable, value, from_environment in doctor.limits():
        write(f"  {variable}={value}{'  (set in the environment)' if from_environment else ''}\n")
    write("\nAll is well.\n" if good else "\nThere are problems; each line above says what to do.\n")
    return 0 if good else 1


_COMMANDS: Final[dict[str, Callable[[argparse.Namespace], int]]] = {
    "app": _app,
    "strategies": _strategies,
    "chunk": _chunk,
    "compare": _compare,
    "apply": _apply,
    "evaluate": _evaluate,
    "cache": _cache,
    "doctor": _doctor,
}
