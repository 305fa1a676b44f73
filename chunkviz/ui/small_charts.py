"""Small charts as HTML: bars, an embedding as stripes, a text in its tokens, ranks before and after, a table.

Plain functions from data to text, in the colours of `diagrams`. Whatever they are given is escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from chunkviz.lessons.measured import Ranks
from chunkviz.ui.diagrams import COLORS, image


def bars(rows: Sequence[tuple[str, float, str]], most: float) -> str:
    """Bars: label, value from 0 to `most`, and what stands behind it."""
    cells = "".join(
        f'<span>{escape(label)}</span><div class="lv-bar"><div style="width:{100 * max(0.0, min(1.0, value / most)):.1f}%">'
        f'</div></div><span class="lv-val">{escape(text)}</span>'
        for label, value, text in rows
    )
    return f'<div class="lv-bars">{cells}</div>'


def stripes(values: Sequence[float]) -> str:
    """An embedding: one bar for each number, up and orange above zero, down and blue below."""
    most = max((abs(v) for v in values), default=1.0) or 1.0
    cells = "".join(
        f'<i style="height:{50 * abs(v) / most:.1f}%;background:var(--lv-{"high" if v > 0 else "low"});'
        f'transform:translateY({"-" if v > 0 else ""}50%)"></i>'
        for v in values
    )
    return f'<div class="lv-strip" role="img" aria-label="{len(values)} numbers">{cells}</div>'


def tokens(pieces: Sequence[str]) -> str:
    """A text in its tokens."""
    spans = "".join(
        f'<span class="lv-c{i % COLORS}" title="token {i + 1}">{escape(p)}</span>' for i, p in enumerate(pieces)
    )
    return f'<div class="lv-tokens">{spans}</div>'


def ranks(rows: Sequence[Ranks], before: str, after: str, theme: str | None) -> str:
    """Each question as a line from its rank before to its rank after, first place at the top; below, those that moved."""
    lowest = max((r for row in rows for r in (row.before, row.after) if r is not None), default=1)
    step, wide = 26, 640
    height = step * lowest + 14

    def y(rank: int) -> float:
        return step * (rank - 0.5) + 6

    scale = "".join(
        f'<text x="{x}" y="{y(n) + 4:.0f}" font-size="12" fill="var(--lv-faint)" text-anchor="{anchor}">{n}</text>'
        for n in range(1, lowest + 1)
        for x, anchor in ((52, "end"), (wide - 52, "start"))
    )
    lines = []
    for at, row in enumerate(rows):
        if row.before is None or row.after is None:
            continue
        color = "good" if row.after < row.before else "bad" if row.after > row.before else "faint"
        wide_line = 3 if row.after != row.before else 1.5
        # Questions at the same places would lie on one line: each a little beside the other.
        off = (at - len(rows) / 2) * 0.8
        a, b = y(row.before) + off, y(row.after) + off
        lines.append(
            f'<path d="M64 {a:.1f} C {wide / 2} {a:.1f}, {wide / 2} {b:.1f}, {wide - 64} {b:.1f}" fill="none" '
            f'stroke="var(--lv-{color})" stroke-width="{wide_line}"/>'
        )
    return (
        f'<div class="lv-level" style="grid-template-columns:1fr 1fr"><span>{escape(before)}</span>'
        f'<span style="text-align:right">{escape(after)}</span></div>'
        + image(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {height}" font-family="sans-serif">{scale}'
            f"{''.join(lines)}</svg>",
            f"{len(lines)} questions as lines from their place before to their place after.",
            theme,
            "lv-ranks",
        )
        + moved_words(rows)
    )


def moved_words(rows: Sequence[Ranks]) -> str:
    """The questions whose right passage changed its place, the largest step first."""
    moved = [(r.question, r.before, r.after) for r in rows if r.before and r.after and r.before != r.after]
    items = "".join(
        f"<li>{escape(question)} <b>{before} → {after}</b></li>"
        for question, before, after in sorted(moved, key=lambda m: m[2] - m[1])
    )
    return f'<p class="lv-cap">Those that moved</p><ul class="lv-facts">{items}</ul>' if items else ""


def table(head: Sequence[tuple[str, str]], rows: Sequence[Sequence[str]], words: Sequence[int] = (0,)) -> str:
    """A table; each head with its explanation on hover.

    words : numbers of the columns that hold no numbers
    """
    css = [' class="lv-words"' if at in words else "" for at in range(len(head))]
    top = "".join(
        f'<th scope="col"{css[at]}><abbr title="{escape(why)}">{escape(word)}</abbr></th>'
        for at, (word, why) in enumerate(head)
    )
    body = "".join(
        "<tr>" + "".join(f"<td{css[at]}>{escape(cell)}</td>" for at, cell in enumerate(row)) + "</tr>" for row in rows
    )
    return (
        f'<div class="lv-scroll" tabindex="0" role="group" aria-label="Table"><table class="lv-table">'
        f"<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )
