"""What callers give to the public functions: of the right kind, or one sentence about what to give instead.

Type hints say the same, but nobody checks them in a notebook, and an `AttributeError` from the middle of the package
helps nobody.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from chunkviz.errors import ChunkvizError, ParameterError

_SHOWN = 40


def expect(
    value: Any, kinds: type | tuple[type, ...], wanted: str, error: type[ChunkvizError] = ParameterError
) -> None:
    """Raise `error` where `value` is none of `kinds`: what is wanted, and what was given.

    >>> expect(5, str, "`name` must be a text.")
    Traceback (most recent call last):
        ...
    chunkviz.errors.ParameterError: `name` must be a text. Got 5 (int).
    """
    if not isinstance(value, kinds):
        raise error(f"{wanted} Got {described(value)}.")


def expect_many(values: Any, wanted: str, kinds: type | tuple[type, ...] = object) -> None:
    """Raise `ParameterError` where `values` is no list or the like, or something in it is none of `kinds`.

    A text and a mapping are none, though one can go through them: nobody means their characters, or their keys.
    """
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Collection):
        raise ParameterError(f"{wanted} Got {described(values)}.")
    for value in values:
        if not isinstance(value, kinds):
            raise ParameterError(f"{wanted} Got {described(values)} with {described(value)} in it.")


def expect_calls(**functions: Any) -> None:
    """Raise `ParameterError` for the first that can not be called; None is no function, and allowed."""
    for name, function in functions.items():
        if function is not None and not callable(function):
            raise ParameterError(f"`{name}` must be a function. Got {described(function)}.")


def described(value: Any) -> str:
    """A value in a few words, whatever it is. Its `repr` is not asked where that might be long, secret or fail.

    >>> described(b"abc"), described("x" * 50), described([1, 2]), described(None)
    ('3 bytes', "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…' (str)", 'a list', 'None')
    """
    kind = type(value).__name__
    if value is None or isinstance(value, bool):
        return str(value)
    if isinstance(value, bytes):
        return f"{len(value):,} byte{'' if len(value) == 1 else 's'}"
    if isinstance(value, str):
        return repr(value if len(value) <= _SHOWN else value[:_SHOWN] + "…") + " (str)"
    if isinstance(value, int | float):
        shown = repr(value) if isinstance(value, float) or abs(value) < 10**_SHOWN else "a very large number"
        return f"{shown} ({kind})"
    article = "an" if kind[:1].lower() in "aeio" else "a"
    return f"{article} {kind}"
