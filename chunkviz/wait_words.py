"""Times to wait, in words, as exact as they can be known."""

from __future__ import annotations

from chunkviz import format


def about(seconds: float) -> str:
    """A time to wait, as exact as it can be known.

    >>> about(0.3), about(42), about(200), about(9000)
    ('about a second', 'about 40 seconds', 'about 3 minutes', 'about 2.5 hours')
    """
    if seconds < 1.5:
        return "about a second"
    if seconds < 90:
        rounded = int(seconds) if seconds < 10 else round(seconds / 5) * 5 if seconds < 30 else round(seconds / 10) * 10
        return f"about {format.plural(rounded, 'second')}"
    if seconds < 5400:
        return f"about {format.plural(round(seconds / 60), 'minute')}"
    return f"about {seconds / 3600:.1f} hours"


def between(least: float, most: float) -> str:
    """A time to wait that lies between two.

    >>> between(100, 250), between(2, 2.2), between(20, 130), between(0.2, 0.9)
    ('about 2 to 4 minutes', 'about 2 seconds', 'about 20 seconds to 2 minutes', 'about a second')
    """
    low, high = about(least), about(most)
    if low == high:
        return low
    unit = high.rsplit(" ", 1)[1]
    short = low.removesuffix(f" {unit}") if unit != "second" else low
    return f"{short} to {high.removeprefix('about ')}"
