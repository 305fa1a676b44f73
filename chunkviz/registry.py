"""Which strategies there are: the built-in list, then entry points of the group `chunkviz.strategies`.

A plug-in that cannot be imported is listed as `Unavailable` with its reason and a remedy. A duplicate id is an error:
two strategies of one name would make recipes mean two things.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType
from typing import Final

from chunkviz.errors import StrategyError
from chunkviz.spec import Strategy, Unavailable
from chunkviz.strategies import BUILT_IN

GROUP: Final = "chunkviz.strategies"


def _plugin(entry: EntryPoint) -> Strategy | Unavailable:
    try:
        found = entry.load()
    except ImportError as error:
        package = entry.dist.name if entry.dist else entry.value.split(":")[0]
        return Unavailable(entry.name, f"{package} could not be imported: {error}.", f"pip install --upgrade {package}")
    if not isinstance(found, Strategy):
        return Unavailable(
            entry.name, f"{entry.value} is not a chunkviz Strategy.", "Point the entry point at its SPEC."
        )
    return found


@cache
def _found() -> tuple[MappingProxyType[str, Strategy], tuple[Unavailable, ...]]:
    ready: dict[str, Strategy] = {}
    missing: list[Unavailable] = []
    plugins = sorted(entry_points(group=GROUP), key=lambda e: e.name)
    for item in [*(import_module(name).SPEC for name in BUILT_IN), *map(_plugin, plugins)]:
        if isinstance(item, Unavailable):
            missing.append(item)
        elif item.id in ready:
            raise StrategyError(f"Two strategies are called {item.id!r}. Rename one of them or uninstall its package.")
        else:
            ready[item.id] = item
    return MappingProxyType(ready), tuple(missing)


def strategies() -> MappingProxyType[str, Strategy]:
    """Id to strategy, in the order they are shown; read-only."""
    return _found()[0]


def unavailable() -> tuple[Unavailable, ...]:
    """Plug-ins that are installed and cannot run, each with its reason and remedy."""
    return _found()[1]


def strategy(strategy_id: str) -> Strategy:
    """The strategy of this id. Raises `StrategyError` with the known ids for any other."""
    known = strategies()
    if strategy_id in known:
        return known[strategy_id]
    for item in unavailable():
        if item.id == strategy_id:
            raise StrategyError(f"`{strategy_id}` cannot run here: {item.reason} {item.fix}")
    raise StrategyError(f"There is no strategy {strategy_id!r}. There are: {', '.join(known)}.")


def refresh() -> None:
    """Look for plug-ins again, after a package was installed into the running process."""
    _found.cache_clear()
