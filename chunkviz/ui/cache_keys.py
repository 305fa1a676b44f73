"""Keys of everything the app remembers: one SHA-256 that no two requests share by accident."""

from __future__ import annotations

import hashlib


def key_of(*parts: str | bytes) -> str:
    """SHA-256 over the parts, each with its length in front; hex."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()
