"""What the commands write: results to standard output in UTF-8, and all that is said beside them to standard error."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from chunkviz import export, format, registry
from chunkviz.chunking import Chunking
from chunkviz.declarations import dashed
from chunkviz.errors import ChunkvizError
from chunkviz.params import Positions
from chunkviz.recipe import Recipe
from chunkviz.report import Report
from chunkviz.terminal import plain, table

_SLICE: Final = 32_768
"""Characters written at once."""

Part = tuple[str | None, Chunking]
"""A chunking, and the name of its document where there are several."""


def write(text: str, out: Path | None = None) -> None:
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
            forget_output()
        where = "The output" if out is None else plain(str(out))
        raise ChunkvizError(f"{where} cannot be written: {error.strerror or error}.") from error


def forget_output() -> None:
    """Nobody reads any more: Python writes what is left when it ends, and would complain once more."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(nowhere, stream.fileno())


def say(text: str) -> None:
    """One line on standard error."""
    sys.stderr.write(f"chunkviz: {plain(text)}\n")


def as_given(name: str) -> str:
    """A file name as it was given; bytes that are no text become U+FFFD."""
    return os.fsencode(name).decode("utf-8", "replace")


def tell(name: str, chunking: Chunking) -> None:
    for note in chunking.document.notes:
        say(f"{name}: {note.level}: {note.text}")
    for words in chunking.notes:
        say(f"{name}: note: {words}")


def used(recipe: Recipe) -> str:
    """The strategy and its settings as the command line spells them: what has to be typed to get the same again.

    Settings that do nothing, and those that are empty, are left out; of places set by hand it says how many there are.
    """
    words = [recipe.strategy]
    values = recipe.params
    for param in registry.strategy(recipe.strategy).params:
        value = values[param.name]
        if not param.active(values) or value in ("", ()):
            continue
        if isinstance(param.rule, Positions):
            words.append(
                f"({format.plural(len(value), 'boundary') if len(value) == 1 else f'{len(value):,} boundaries'})"
            )
        else:
            words += [f"--{dashed(param.name)}", shlex.quote(_short(param.rule.spell(value)))]
    return " ".join([*words, "--unit", recipe.unit])


def _short(text: str) -> str:
    return text.removesuffix(".0") if text.replace(".", "", 1).lstrip("-").isdigit() else text


def as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def terminal_columns() -> int:
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
        shown.append(title + table(header, lines, right=(0, 1), columns=terminal_columns()))
    return "\n".join(shown)


WRITERS: Final[dict[str, Callable[[list[Part]], str]]] = {
    "jsonl": lambda parts: export.jsonl(_rows(parts)),
    "csv": lambda parts: export.csv_text(_rows(parts)),
    "table": _tables,
}


def side_by_side(found: Sequence[tuple[Chunking, Report]]) -> str:
    """The settings of each strategy, a line each, and below them its figures, a column each."""

    def shown(made: Report, id: str) -> str:
        item = made[id]
        return format.figure(item) + (f" ({item.reason})" if item.value is None and item.reason else "")

    settings = [used(chunking.recipe).partition(" ") for chunking, _ in found]
    first = found[0][1]
    lines = [(first[id].metric.title, *(shown(made, id) for _, made in found)) for id in first]
    header = ("", *(chunking.recipe.strategy for chunking, _ in found))
    return (
        table(("strategy", "settings"), [(strategy, rest) for strategy, _, rest in settings])
        + "\n"
        + table(header, lines, right=range(1, len(header)))
    )


def compared(found: Sequence[tuple[Chunking, Report]]) -> list[dict[str, Any]]:
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
