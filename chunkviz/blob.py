"""The container of everything that travels to the browser: a header and arrays, little-endian throughout.

    uint32 n | n bytes of JSON, padded with spaces so that 4 + n is a multiple of 8 | arrays, each padded to 8 bytes

`header["arrays"]` lists them as `[name, "u8", "u32" or "f64", byte offset after the header, number of items]`.

Positions in a blob count UTF-16 units (`utf16.py`). `ui/component/codec.js` is the other end.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from numpy.typing import NDArray

VERSION: Final = 2
"""Of the container and the headers; the browser refuses any other, so that a stale page says so instead of misreading."""

_STORED: Final = {"u8": "u1", "u32": "<u4", "f64": "<f8"}


def pack(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """A blob of a JSON header and arrays. uint8 and float64 arrays stay what they are, all others become uint32.

    Raises `ValueError` for a value outside [0, 2**32): a position that wrapped round would point into other text.
    """
    listed: list[list[Any]] = []
    parts: list[bytes] = []
    offset = 0
    for name, array in arrays.items():
        kind = {"uint8": "u8", "float64": "f64"}.get(array.dtype.name, "u32")
        if kind == "u32" and array.size and not (int(array.min()) >= 0 and int(array.max()) < 2**32):
            raise ValueError(f"array {name!r} does not fit into 32 bits")
        data = array.astype(_STORED[kind]).tobytes()
        listed.append([name, kind, offset, int(array.size)])
        padded = data + b"\0" * (-len(data) % 8)
        parts.append(padded)
        offset += len(padded)
    head = json.dumps({**header, "arrays": listed}, ensure_ascii=False, separators=(",", ":")).encode()
    head += b" " * (-(4 + len(head)) % 8)
    return b"".join((len(head).to_bytes(4, "little"), head, *parts))
