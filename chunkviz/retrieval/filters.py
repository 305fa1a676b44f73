"""Metadata filters: which chunks are searched at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from chunkviz.errors import ParameterError
from chunkviz.retrieval.index import Entry, Index

FIELDS: Final[Mapping[str, Callable[[Entry, str], bool]]] = {
    "document": lambda entry, value: entry.document == value,
    "heading": lambda entry, value: value.casefold() in (title.casefold() for title in entry.chunk.heading_path),
    "page": lambda entry, value: value in map(str, entry.chunk.pages),
    "kind": lambda entry, value: entry.code == (value == "code"),
}
"""Name of a property to whether an entry has a value of it."""


def allowed(index: Index, conditions: Sequence[str]) -> NDArray[np.bool_]:
    """bool (entries,): which entries fit the conditions, each spelled "name=value".

    The same name twice means either value, different names mean both. Raises `ParameterError` for a name that does not
    exist, and for a kind other than code and prose.
    """
    wanted: dict[str, list[str]] = {}
    for condition in conditions:
        name, equals, value = condition.partition("=")
        if not equals or name not in FIELDS:
            raise ParameterError(
                f"`retrieval.filter` must hold name=value with a name of {', '.join(FIELDS)}. Got {condition!r}."
            )
        if name == "kind" and value not in ("code", "prose"):
            raise ParameterError(f"`retrieval.filter`: a kind is code or prose. Got {value!r}.")
        wanted.setdefault(name, []).append(value)
    fits = [all(any(FIELDS[n](e, v) for v in values) for n, values in wanted.items()) for e in index.entries]
    return np.array(fits, dtype=np.bool_)
