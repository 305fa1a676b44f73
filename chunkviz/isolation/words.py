"""What both sides of a worker say: the app that waits for it, and the worker itself."""

from __future__ import annotations

from chunkviz.settings import settings


def shown(name: str) -> str:
    """A file name for a message: without folders, and without characters that would break a line or turn it around."""
    return (
        "".join(c if c.isprintable() else "\ufffd" for c in name.replace("\\", "/").rsplit("/", 1)[-1])[:80]
        or "The file"
    )


def out_of_memory(name: str) -> str:
    """What is said of a file that needs more memory than it may have."""
    limit = settings().parse_memory_mb
    return f"{name} needs more than {limit} MB of memory to be read (CHUNKVIZ_PARSE_MEMORY_MB). Try a part of it."
