"""How numbers look on screen. The only place that rounds; exports carry full precision."""

from __future__ import annotations

from chunkviz.report import Figure


def number(value: float | int | None, unit: str = "") -> str:
    """A value for the eye: 1,234 · 12.3 % · — for what is undefined.

    >>> number(1234), number(0.1234, "share"), number(None), number(2.5)
    ('1,234', '12.3 %', '—', '2.5')
    """
    if value is None:
        return "—"
    if unit == "share":
        percent = value * 100
        if 99.95 <= percent < 100:
            return "99.9 %"  # what is not everything is never shown as everything
        if 0 < percent < 0.05:
            return "< 0.1 %"
        return f"{percent:.0f} %" if percent in (0, 100) else f"{percent:.1f} %"
    if isinstance(value, int) or float(value).is_integer():
        return f"{int(value):,}"
    return f"{value:,.1f}"


def figure(item: Figure) -> str:
    """A figure's value as text, with "of" where it is a part of a total."""
    shown = number(item.value, item.metric.unit)
    return f"{shown} of {item.of:,}" if item.of is not None and item.metric.unit != "share" and item.value else shown


def plural(count: int, word: str) -> str:
    """A count with its word: 1 chunk, 2 chunks.

    >>> plural(1, "chunk"), plural(1200, "chunk")
    ('1 chunk', '1,200 chunks')
    """
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def size(bytes_: int) -> str:
    """A file size.

    >>> size(20_000_000), size(1500)
    ('20 MB', '1.5 kB')
    """
    for limit, word in ((1_000_000, "MB"), (1_000, "kB")):
        if bytes_ >= limit:
            return f"{bytes_ / limit:.1f}".rstrip("0").rstrip(".") + f" {word}"
    return f"{bytes_} bytes"
