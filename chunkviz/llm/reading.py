"""Reading what a model answered: one JSON object, possibly with prose around it."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any, Final

_LONGEST: Final = 400_000
_MOST_TRIES: Final = 50
_DECODER: Final = json.JSONDecoder()
_THOUGHTS = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)


class Unusable(Exception):  # noqa: N818  # not an error: the model is asked once more
    """An answer that cannot be used. The text says why, in words for the model and for the reader."""


def json_object(answer: str, key: str) -> dict[str, Any]:
    """The one JSON object in `answer` that has `key`. Raises `Unusable`.

    Small models wrap what they were asked for in a code fence or a sentence; the object is taken out of it. Two objects
    that both have the key are refused: which of them was meant would be a guess.
    """
    text = _THOUGHTS.sub("", answer, count=1)
    if not text.strip():
        raise Unusable("it is empty")
    if len(text) > _LONGEST:
        raise Unusable(f"it is longer than {_LONGEST:,} characters")
    found: list[dict[str, Any]] = []
    at = text.find("{")
    # Each try may read to the end, so their number is bounded: "{{{{..." must not take quadratic time.
    for _ in range(_MOST_TRIES):
        if at < 0:
            break
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            at = text.find("{", at + 1)
            continue
        if isinstance(value, dict) and key in value:
            found.append(value)
        at = text.find("{", end)
    if not found:
        raise Unusable(f"it holds no JSON object with the key “{key}”")
    if len(found) > 1:
        raise Unusable(f"it holds {len(found)} JSON objects with the key “{key}”")
    return found[0]


def sentence_numbers(value: Any, last: int) -> list[int]:
    """`value` as a list of numbers from 1 to `last`, strictly increasing. Raises `Unusable`."""
    if not isinstance(value, list):
        raise Unusable("the sentence numbers are not a list")
    # bool is an int in Python, and 3.0 is no number of a sentence.
    wrong = [n for n in value if type(n) is not int or not 1 <= n <= last]
    if wrong:
        raise Unusable(f"{_shown(wrong[0])} is not the number of a sentence, they go from 1 to {last}")
    for before, after in pairwise(value):
        if after == before:
            raise Unusable(f"the number {after} is given twice")
        if after < before:
            raise Unusable(f"the numbers are not in order: {after} comes after {before}")
    return value


_HALF = re.compile("[\ud800-\udfff]")


def without_halves(text: str) -> str:
    """`text` with U+FFFD for each lone surrogate: JSON can spell one, and nothing that is UTF-8 can hold it."""
    return _HALF.sub("\ufffd", text)


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=True, default=str)
    return text if len(text) <= 40 else text[:39] + "…"
