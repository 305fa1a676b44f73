"""The command line, as `python -m chunkviz` and, installed, as `chunkviz`.

    chunkviz chunk handbook.pdf --strategy recursive --size 512 --overlap 50 > chunks.jsonl

Results go to standard output in UTF-8, everything else to standard error. Options of a strategy are those it declares.

Exit codes: 0 all is well; 1 something was reported (`apply`: a file could not be cut, `evaluate`: a question was left
out, `doctor`: a problem);
2 the command could not run, with one line that says why; 130 interrupted, 141 nobody reads the output any more.
"""

from __future__ import annotations

import argparse
import getpass
import glob
import io
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import Any, Final

import chunkviz
from chunkviz import doctor, engine, evaluate_cli, export, format, isolation, registry, scale
from chunkviz.arguments import DEFAULT_STRATEGY, chosen, given, load_options, parsed, values_of
from chunkviz.chunking import Chunking
from chunkviz.declarations import card, dashed, declaration
from chunkviz.document import Document
from chunkviz.embed import default_store
from chunkviz.errors import ChunkvizError, LoadError, ParameterError
from chunkviz.loaders import suffixes
from chunkviz.recipe import Recipe
from chunkviz.report import Report, report
from chunkviz.retrieval import RetrievalOptions
from chunkviz.settings import settings
from chunkviz.terminal import plain, table
from chunkviz.units import DEFAULT_UNIT

# Without these, the memory of large uploads stays with the server after their sessions have ended.
_ALLOCATOR: Final = {
    "MALLOC_ARENA_MAX": "2",
    "MALLOC_MMAP_THRESHOLD_": "1048576",
    "MALLOC_TRIM_THRESHOLD_": "1048576",
}

_SLICE: Final = 32_768
"""Characters written at once."""

Part = tuple[str | None, Chunking]
"""A chunking, and the name of its document where there are several."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; `argv` without the program's name, by default the process's own. Returns the exit code.

    Like every argparse program it raises `SystemExit` after `--help` and for a wrong usage (code 2).
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # whatever the locale; and line ends are ours to choose
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="")
    try:
        args = parsed(sys.argv[1:] if argv is None else argv)
        return _COMMANDS[args.command](args)
    except ChunkvizError as error:
        _say(str(error))
        return 2
    except BrokenPipeError:
        _forget_output()
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
        _write(_json(declaration(strategy)) if args.json else card(strategy, _columns()))
        return 0
    known = registry.strategies().values()
    missing = registry.unavailable()
    if args.json:
        _write(
            _json([*map(declaration, known), *({"id": m.id, "unavailable": m.reason, "fix": m.fix} for m in missing)])
        )
        return 0
    lines = [(s.id, s.title, s.one_line) for s in known]
    lines += [(m.id, "cannot run here", f"{m.reason} {m.fix}") for m in missing]
    _write(table(("id", "title", "what it does"), lines))
    return 0


def _chunk(args: argparse.Namespace) -> int:
    spelled = given(args)
    recipe = _recipe(args.recipe) if args.recipe else None
    if recipe and (args.strategy or args.unit or spelled):
        beside = "strategy" if args.strategy else "unit" if args.unit else dashed(next(iter(spelled)))
        raise ParameterError(
            f"A recipe has its own strategy, unit and parameters; --{beside} cannot be given beside it."
        )
    if args.out and any(_same_file(args.out, Path(name)) for name in args.files):
        raise ParameterError(f"--out {args.out} would overwrite a document. Choose another name.")
    options = load_options(args.load_option, recipe.loader if recipe else {})
    strategy = registry.strategy(args.strategy or DEFAULT_STRATEGY)
    parts: list[Part] = []
    for name in args.files:
        document = _document(Path(name), options, ask=True)
        if recipe:
            chunking = engine.chunk(document, recipe=recipe)
        else:
            values = values_of(strategy.params_class, spelled)
            chunking = engine.run(document, strategy, values, args.unit or DEFAULT_UNIT)
        if args.verbose:
            _tell(name, chunking)
        parts.append((_spelled(name) if len(args.files) > 1 else None, chunking))
    _write(_WRITERS[args.format](parts), args.out)
    return 0


def _compare(args: argparse.Namespace) -> int:
    strategies = chosen(args.strategies)
    if not strategies:
        raise ParameterError(f"--strategies names none. There are: {', '.join(registry.strategies())}.")
    spelled = given(args)
    document = _document(Path(args.file), load_options(args.load_option, {}), ask=True)
    found: list[tuple[Chunking, Report]] = []
    for strategy in strategies:
        own = {p.name: spelled[p.name] for p in strategy.params if p.name in spelled}
        prefix = f"{strategy.id}."
        own |= {name.removeprefix(prefix): text for name, text in spelled.items() if name.startswith(prefix)}
        chunking = engine.run(document, strategy, values_of(strategy.params_class, own), args.unit or DEFAULT_UNIT)
        if args.verbose:
            _tell(f"{args.file}, {strategy.id}", chunking)
        found.append((chunking, report(chunking)))
    _write(_json(_compared(found)) if args.json else _side_by_side(found))
    return 0


def _apply(args: argparse.Namespace) -> int:
    recipe = _recipe(args.recipe)
    load_options((), recipe.loader)
    # A recipe that cannot run is one error, not one for each file.
    engine.chunk(Document.from_text(""), recipe=recipe)
    if not (args.source.exists() or _is_pattern(args.source)):
        raise LoadError(f"{args.source} does not exist. Check the path.")
    if _same_file(args.source, args.out):
        raise ParameterError("--out must not be SOURCE itself, where the chunks would lie among the documents.")
    closed: list[OSError] = []
    found = [
        scale.Source(relative.as_posix(), partial(_read, path))
        for path, relative in _sources(args.source, args.out, closed.append)
    ]
    if not (found or closed):
        raise LoadError(f"{args.source} holds no file that can be read. Known endings: {', '.join(suffixes())}.")
    workers = args.processes or scale.processes(recipe, len(found))
    cut = failed = before = chunks = 0
    for outcome in scale.apply(found, recipe, args.out, format=args.format, workers=workers):
        if outcome.error:
            _say(f"{outcome.name}: {outcome.error}")
            failed += 1
            continue
        cut += 1
        before += outcome.before
        chunks += outcome.chunks
    for error in closed:
        _say(f"{error.filename} cannot be opened: {error.strerror}.")
    known = f", {before:,} of them done before" if before else ""
    not_cut = f"; {format.plural(failed, 'file')} could not be cut" if failed else ""
    _write(
        f"{format.plural(chunks, 'chunk')} from {format.plural(cut, 'file')}{known} in {plain(str(args.out))}{not_cut}\n"
        f"What became of each file is in {plain(str(args.out / scale.JOURNAL))}\n"
    )
    return 1 if failed or closed else 0


def _evaluate(args: argparse.Namespace) -> int:
    closed: list[OSError] = []
    code = evaluate_cli.run(
        args,
        values_of(RetrievalOptions, evaluate_cli.spelled_values(args.retrieval)),
        load_options(args.load_option, {}),
        lambda: _sources(args.docs, Path(os.devnull), closed.append),
        _document,
        _read,
        _write,
        _say,
    )
    for error in closed:
        _say(f"{error.filename} cannot be opened: {error.strerror}.")
    return 1 if closed else code


def _cache(args: argparse.Namespace) -> int:
    store = default_store()
    if args.clear:
        _write(f"{store.clear():,} vectors deleted from {plain(str(store.path))}\n")
    else:
        rows, taken = store.size()
        most = store.limit_bytes / 1e6
        _write(f"{rows:,} vectors, {taken / 1e6:,.1f} MB of at most {most:,.0f} MB, in {plain(str(store.path))}\n")
    for notice in store.notices:
        _say(notice)
    return 1 if store.notices else 0


def _doctor(_args: argparse.Namespace) -> int:
    good = True
    for finding in doctor.examine(_app_file()):
        good = good and finding.good
        _write(f"{'ok     ' if finding.good else 'PROBLEM'}  {finding.name}: {plain(finding.text)}\n")
    _write("\nLimits in force, each with the variable that changes it:\n")
    for variable, value, from_environment in doctor.limits():
        _write(f"  {variable}={value}{'  (set in the environment)' if from_environment else ''}\n")
    _write("\nAll is well.\n" if good else "\nThere are problems; each line above says what to do.\n")
    return 0 if good else 1


# Reading


def _document(path: Path, options: Mapping[str, Any], ask: bool = False) -> Document:
    """Parse a file in a child process with limits; where it is locked, `ask` for its password at the terminal."""
    data = _read(path)
    tries = 3 if ask and sys.stdin is not None and sys.stdin.isatty() else 0
    password = None
    while True:
        try:
            return isolation.load(data, path.name, password=password, options=options)
        except LoadError as error:
            if not error.needs_password or not tries:
                raise
        tries -= 1
        password = getpass.getpass(f"Password of {plain(path.name)}: ", stream=sys.stderr)


def _read(path: Path) -> bytes:
    """The bytes of a file; nothing of one that is larger than may be opened, or that is no file."""
    shown, limit = plain(str(path)), settings().max_file_mb
    try:
        if path.is_dir():
            raise LoadError(f"{shown} is a folder. Name a file in it, or use `chunkviz apply`.")
        size = path.stat().st_size
        if not path.is_file():
            raise LoadError(f"{shown} is a device or a pipe. Name a file.")
        if size > limit * 1_000_000:
            raise LoadError(
                f"{shown} has {format.size(size)}; at most {limit} MB are opened. Split it, or set CHUNKVIZ_MAX_FILE_MB."
            )
        return path.read_bytes()
    except OSError as error:
        raise LoadError(f"{shown} cannot be opened: {error.strerror or error}.") from error


def _recipe(path: Path) -> Recipe:
    try:
        return Recipe.from_json(_read(path).decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise ParameterError(f"{plain(str(path))} is no recipe: it is not text in UTF-8.") from None


def _sources(source: Path, out: Path, closed: Callable[[OSError], None]) -> Iterator[tuple[Path, Path]]:
    """The files to cut, each with its name in `source`, in order. What is in `out` is not read again.

    closed : told of each folder that cannot be opened
    """
    if _is_pattern(source):
        fixed = list(takewhile(lambda part: not glob.has_magic(part), source.parts))
        base, own = Path(*fixed), out.resolve()
        for path in sorted(base.glob(str(Path(*source.parts[len(fixed) :])))):
            if path.is_file() and not path.resolve().is_relative_to(own):
                yield path, path.relative_to(base)
        return
    if not source.is_dir():
        yield source, Path(source.name)
        return
    known = suffixes()
    for folder, folders, names in os.walk(source, onerror=closed):
        here = Path(folder)
        folders[:] = sorted(name for name in folders if not _same_file(here / name, out))
        for name in sorted(names):
            if (here / name).suffix.lower() in known:
                yield here / name, (here / name).relative_to(source)


def _is_pattern(source: Path) -> bool:
    """Whether it stands for files by wildcards; a file that is really called so is a file."""
    return not source.exists() and glob.has_magic(str(source))


def _same_file(a: Path, b: Path) -> bool:
    return a.exists() and b.exists() and a.samefile(b)


# Writing


def _write(text: str, out: Path | None = None) -> None:
    """To standard output, or to a file with the folders it needs. Raises `ChunkvizError` where it cannot be written."""
    try:
        if out is None:
            # In slices: an unbuffered stream takes one write that a closed pipe cut short for a whole one.
            for at in range(0, len(text), _SLICE):
                sys.stdout.write(text[at : at + _SLICE])
            sys.stdout.flush()
            return
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text, encoding="utf-8", newline="")
    except BrokenPipeError:
        raise
    except OSError as error:
        if out is None:
            _forget_output()
        where = "The output" if out is None else plain(str(out))
        raise ChunkvizError(f"{where} cannot be written: {error.strerror or error}.") from error


def _forget_output() -> None:
    """Python writes what is left when it ends, and would complain once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _say(text: str) -> None:
    """One line on standard error."""
    print(f"chunkviz: {plain(text)}", file=sys.stderr)


def _spelled(name: str) -> str:
    """A file name as it was given; bytes that are no text become U+FFFD."""
    return os.fsencode(name).decode("utf-8", "replace")


def _tell(name: str, chunking: Chunking) -> None:
    for note in chunking.document.notes:
        _say(f"{name}: {note.level}: {note.text}")
    for words in chunking.notes:
        _say(f"{name}: note: {words}")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _columns() -> int:
    return shutil.get_terminal_size().columns


def _rows(parts: Iterable[Part]) -> Iterator[dict[str, Any]]:
    for name, chunking in parts:
        yield from export.rows(chunking, name)


def _tables(parts: Iterable[Part]) -> str:
    header = ("index", "tokens", "reason", "text")
    shown = []
    for name, chunking in parts:
        # A screen is never wider than the start of a text; `plain` need not read the rest.
        lines = [(str(c.index), f"{c.tokens:,}", c.reason, c.text[:1000]) for c in chunking.chunks]
        title = f"{plain(name)}\n" if name is not None else ""
        shown.append(title + table(header, lines, right=(0, 1), columns=_columns()))
    return "\n".join(shown)


_WRITERS: Final[dict[str, Callable[[list[Part]], str]]] = {
    "jsonl": lambda parts: export.jsonl(_rows(parts)),
    "csv": lambda parts: export.csv_text(_rows(parts)),
    "table": _tables,
}


def _side_by_side(found: Sequence[tuple[Chunking, Report]]) -> str:
    def shown(made: Report, id: str) -> str:
        item = made[id]
        return format.figure(item) + (f" ({item.reason})" if item.value is None and item.reason else "")

    first = found[0][1]
    lines = [(first[id].metric.title, *(shown(made, id) for _, made in found)) for id in first]
    header = ("", *(chunking.recipe.strategy for chunking, _ in found))
    return table(header, lines, right=range(1, len(header)))


def _compared(found: Sequence[tuple[Chunking, Report]]) -> list[dict[str, Any]]:
    return [
        {
            "recipe": chunking.recipe.to_dict(),
            "notes": list(chunking.notes),
            "report": {
                item.id: {
                    "title": item.metric.title,
                    "unit": item.metric.unit,
                    "better": item.metric.better,
                    "value": item.value,
                    "of": item.of,
                    "reason": item.reason,
                }
                for item in made.values()
            },
        }
        for chunking, made in found
    ]


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
