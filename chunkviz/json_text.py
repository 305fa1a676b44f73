"""JSON from outside: whatever is wrong with it is a `ValueError`, also where it is nested too deep for Python."""

from __future__ import annotations

import json
from typing import Any


def read(text: str | bytes) -> Any:
    """`json.loads`, for text that someone else wrote.

    >>> try:
    ...     read("[" * 100_000)
    ... except ValueError as error:
    ...     print(error)
    nested too deep
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deep") from None
