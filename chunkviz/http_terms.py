"""What holds for every request to an endpoint: its limits, how a key is shown to it, and to nobody else.

Apart from `json_http`, which asks: that one brings asyncio, and most who import chunkviz never ask an endpoint.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

HIDDEN: Final = "•••"
_LOOKS_LIKE_A_KEY = re.compile(r"\bsk-[\w-]{8,}|(?i:\bbearer\s+)(?=\S*\d)[\w.~+/=-]{8,}")
# Shorter parts of a key appear in plain words by accident.
_SHORTEST_PART: Final = 6
_LONGEST: Final = 200


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request may take.

    seconds      : for one answer, over all its tries and pauses, wall clock
    tries        : how often one request is sent, 1 for no second try
    answer_bytes : most bytes of one answer that are read
    parallel     : requests under way at the same time
    first_pause  : seconds before the second try; doubled before each later one. A server's `Retry-After` goes first
    """

    seconds: float = 120.0
    tries: int = 4
    answer_bytes: int = 1_000_000
    parallel: int = 4
    first_pause: float = 0.5


def is_local(address: str) -> bool:
    """Whether it is this machine: then no proxy is asked, which could not reach it and would see the document."""
    name = urlsplit(address).hostname or ""
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost" or name.endswith(".localhost")


def key_headers(address: str, key: str) -> dict[str, str]:
    """How the key is shown to this address; none for ""."""
    if not key:
        return {}
    # Azure takes its keys in a header of its own, and ignores the other.
    azure = {"api-key": key} if (urlsplit(address).hostname or "").endswith(".azure.com") else {}
    return {"Authorization": f"Bearer {key}", **azure}


def masked(text: str, key: str) -> str:
    """`text` without the key or any longer part of it, on one line, printable, at most 200 characters.

    Servers repeat keys in their error texts, whole or shortened.
    """
    hidden = [False] * len(text)
    width = min(len(key), _SHORTEST_PART)
    for i in range(len(key) - width + 1 if width else 0):
        part = key[i : i + width]
        at = text.find(part)
        while at >= 0:
            hidden[at : at + width] = [True] * width
            at = text.find(part, at + 1)
    shown: list[str] = []
    for character, hide in zip(text, hidden, strict=True):
        if not hide:
            shown.append(character if character.isprintable() else " ")
        elif not shown or shown[-1] != HIDDEN:
            shown.append(HIDDEN)
    line = " ".join(_LOOKS_LIKE_A_KEY.sub(HIDDEN, "".join(shown)).split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
