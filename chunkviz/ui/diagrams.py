"""Drawings of small chunkings, as HTML: coloured text, a ruler, levels of cuts, the headings, the curve.

Plain functions from data to text. Whatever comes from a document is escaped here, and nowhere else. Bars, ranks and tables
are in `small_charts`.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np

from chunkviz.chunking import Chunking, Curve
from chunkviz.document import Document
from chunkviz.spans import Span

COLORS: Final = 6
_COMPONENT: Final = Path(__file__).parent / "component" / "viewer.css"
_HEADING = re.compile(r"next heading|before the heading")
_WRAPPED = re.compile(r"(?<=[^\n]{60})\n(?=\w)")
_THIN: Final = 'vector-effect="non-scaling-stroke"'
_LEVEL = re.compile(r"cut at (?:an? |the )?(?P<what>.+) \(separator (?P<level>\d+) of \d+\)")


@dataclass(frozen=True, slots=True)
class Shown:
    """Chunks of a small text, made by a strategy or by hand.

    spans    : code points, in order
    sizes    : in `word`
    rewrites : what a model made of each chunk, "" for nothing
    """

    text: str
    spans: Sequence[tuple[int, int]]
    reasons: Sequence[str]
    sizes: Sequence[int] = ()
    word: str = "tokens"
    rewrites: Sequence[str] = field(default=())

    @classmethod
    def of(cls, made: Chunking, word: str) -> Shown:
        chunks = made.chunks
        rewrites = [c.rewrite or "" for c in chunks]
        return cls(
            made.document.text,
            [(c.start, c.end) for c in chunks],
            [c.reason for c in chunks],
            [c.tokens for c in chunks],
            word,
            rewrites if any(rewrites) else (),
        )

    def title(self, at: int) -> str:
        """What is said about a chunk on hover."""
        size = f", {self.sizes[at]:,} {self.word}" if self.sizes else ""
        return f"Chunk {at + 1} of {len(self.spans)}{size}. It ends here: {self.reasons[at]}."


@cache
def palette() -> Mapping[str, tuple[str, ...]]:
    """The colours of chunks in both themes, as the viewer has them: its style sheet is where they are chosen and tested."""
    found = re.findall(r"--chunk-\d: (#[0-9a-f]{6});", _COMPONENT.read_text(encoding="utf-8"))
    if len(found) != 2 * COLORS:
        raise ValueError(f"the viewer has {len(found)} colours, not two sets of {COLORS}")
    return {"light": tuple(found[:COLORS]), "dark": tuple(found[COLORS:])}


_INKS: Final = {
    "light": {
        "ink": "#1b1f2a", "faint": "#4c5466", "line": "#c3c9d6", "low": "#2454a6", "high": "#a64b00",
        "cut": "#b3261e", "good": "#1b6b3f", "bad": "#a5271d",
    },
    "dark": {
        "ink": "#eceff6", "faint": "#b5bccb", "line": "#454e5f", "low": "#7fb0ff", "high": "#ffb26b",
        "cut": "#ff8a80", "good": "#7fd6a4", "bad": "#ff9d94",
    },
}  # fmt: skip


def inks(theme: str | None) -> Mapping[str, str]:
    """Colours of lines and letters, by what they are for."""
    return _INKS["dark" if theme == "dark" else "light"]


def image(svg: str, words: str, theme: str | None, css: str = "") -> str:
    """A drawing as a picture: Streamlit takes SVG out of HTML, and a picture knows no style sheet but its own.

    words : what it shows, for who cannot see it
    """
    for name, color in inks(theme).items():
        svg = svg.replace(f"var(--lv-{name})", color)
    data = base64.b64encode(svg.encode()).decode()
    return f'<img class="lv-img {css}" alt="{escape(words)}" src="data:image/svg+xml;base64,{data}">'


def style(theme: str | None) -> str:
    """The style sheet of all drawings."""
    chunks = "".join(
        f".lv-c{i}{{--lv-bg:{c}}}" for i, c in enumerate(palette()["dark" if theme == "dark" else "light"])
    )
    variables = ";".join(f"--lv-{name}:{color}" for name, color in inks(theme).items())
    return f"<style>:root{{{variables}}}{chunks}{_CSS}</style>"


_CSS: Final = """
.lv-text{white-space:pre-wrap;overflow-wrap:anywhere;font-size:.86rem;line-height:1.75;margin:.2rem 0 .5rem;
  color:var(--lv-ink);max-height:40rem;overflow:auto;padding:.1rem .2rem;
  unicode-bidi:plaintext;text-align:start}
.lv-p{background:var(--lv-bg);padding:.14em 0;-webkit-box-decoration-break:clone;box-decoration-break:clone}
.lv-start{border-inline-start:2px solid var(--lv-ink);-webkit-box-decoration-break:slice;box-decoration-break:slice}
.lv-over{background-image:repeating-linear-gradient(45deg,transparent 0 4px,
  color-mix(in srgb,var(--lv-ink) 26%,transparent) 4px 5px)}
.lv-hit{font-weight:700;text-decoration:underline 2px;text-underline-offset:3px}
.lv-ruler{position:relative;height:1.5rem;margin:.15rem 0 .2rem}.lv-ruler.lv-two{height:2.6rem}
.lv-ruler>span{position:absolute;height:1.2rem;border-radius:.2rem;background-color:var(--lv-bg);color:var(--lv-ink);
  border:1px solid var(--lv-line);font-size:.7rem;line-height:1.15rem;text-align:center;overflow:hidden;
  font-variant-numeric:tabular-nums;box-sizing:border-box}
.lv-ruler>span.lv-low{top:1.3rem}
.lv-cap{font-size:.78rem;color:var(--lv-faint);margin:.25rem 0 .1rem}
.lv-level{display:grid;grid-template-columns:minmax(5.5rem,24%) 1fr;gap:.5rem;align-items:center;font-size:.76rem;
  color:var(--lv-faint);margin:.16rem 0}
.lv-level>div{position:relative;height:.95rem;border-radius:.2rem;background:color-mix(in srgb,var(--lv-ink) 13%,transparent)}
.lv-level i{position:absolute;top:-.1rem;bottom:-.1rem;width:3px;margin-left:-1px;background:var(--lv-cut);border-radius:2px}
.lv-level i.lv-old{background:var(--lv-line)}
.lv-tree{list-style:none;margin:.2rem 0;padding:0;font-size:.8rem;color:var(--lv-ink)}
.lv-tree li{display:flex;gap:.35rem;align-items:center;flex-wrap:wrap;margin:.14rem 0;overflow-wrap:anywhere}
.lv-chip{background:var(--lv-bg);border:1px solid var(--lv-line);color:var(--lv-ink);border-radius:.25rem;padding:0 .4rem;
  font-size:.74rem;font-variant-numeric:tabular-nums}
.lv-img{display:block;width:100%}.lv-wide{height:110px}.lv-ranks{max-width:640px;margin:.2rem auto}
.lv-facts{font-size:.8rem;margin:.2rem 0;padding-left:1.1rem;color:var(--lv-ink)}
.lv-bars{display:grid;grid-template-columns:minmax(7rem,max-content) 1fr max-content;gap:.3rem .7rem;align-items:center;
  font-size:.9rem;color:var(--lv-ink);margin:.3rem 0}
.lv-bars .lv-bar{height:.95rem;border-radius:.2rem;background:color-mix(in srgb,var(--lv-ink) 11%,transparent)}
.lv-bars .lv-bar>div{height:100%;border-radius:.2rem;background:var(--lv-low)}
.lv-bars .lv-val{font-variant-numeric:tabular-nums;text-align:right}
.lv-strip{display:flex;height:3.2rem;align-items:center;margin:.3rem 0}
.lv-strip>i{flex:1 1 0;min-width:0}
.lv-tokens{line-height:2.1;font-size:.95rem;overflow-wrap:anywhere;white-space:pre-wrap;color:var(--lv-ink)}
.lv-tokens>span{background:var(--lv-bg);border-radius:.2rem;padding:.12em 0}
.lv-scroll{overflow-x:auto}
.lv-table{border-collapse:collapse;font-size:.9rem;width:100%;color:var(--lv-ink);font-variant-numeric:tabular-nums}
.lv-table th{text-align:right;font-weight:600;color:var(--lv-faint);font-size:.8rem;vertical-align:bottom}
.lv-table td{text-align:right}
.lv-table th,.lv-table td{padding:.3rem .55rem;border-bottom:1px solid var(--lv-line)}
.lv-table .lv-words{text-align:left}
abbr[title]{text-decoration:underline dotted;text-underline-offset:3px;cursor:help;white-space:nowrap}
"""


def painted(shown: Shown, hits: Iterable[Span] = (), *, prose: bool = False) -> str:
    """The text in the colours of its chunks; what two chunks share is hatched, and `hits` are underlined.

    prose : lines that are only wrapped are joined on the page
    """
    marked = list(hits)
    borders = {0, len(shown.text)} | {p for span in shown.spans for p in span} | {p for h in marked for p in h}
    places = sorted(borders)
    # Lines that were only broken because they were full would be ragged here; one sign for another keeps all positions.
    text = _WRAPPED.sub(" ", shown.text) if prose else shown.text
    starts = {start for start, _ in shown.spans}
    pieces = []
    for a, b in pairwise(places):
        over = [i for i, (start, end) in enumerate(shown.spans) if start <= a and b <= end]
        hit = any(h.start <= a and b <= h.end for h in marked)
        css = ["lv-hit"] if hit else []
        if over:
            css += ["lv-p", f"lv-c{over[-1] % COLORS}", *(["lv-over"] if len(over) > 1 else [])]
            css += ["lv-start"] if a in starts else []
            titles = " ".join(shown.title(i) for i in over)
            pieces.append(f'<span class="{" ".join(css)}" title="{escape(titles)}">{escape(text[a:b])}</span>')
        elif hit:
            pieces.append(f'<span class="lv-hit">{escape(text[a:b])}</span>')
        else:
            pieces.append(escape(text[a:b]))
    about = 'dir="auto" tabindex="0" role="group" aria-label="The text in its chunks"'
    return f'<div class="lv-text" {about}>{"".join(pieces)}</div>'


def ruler(shown: Shown) -> str:
    """How long the chunks are, one after the other; where they overlap, in two rows with the shared part hatched."""
    total = len(shown.text) or 1
    two = any(b[0] < a[1] for a, b in pairwise(shown.spans))
    parts = []
    for i, (start, end) in enumerate(shown.spans):
        left, width = 100 * start / total, 100 * (end - start) / total
        label = f"{shown.sizes[i]:,}" if shown.sizes and width > 5 else ""
        low = " lv-low" if two and i % 2 else ""
        parts.append(
            f'<span class="lv-c{i % COLORS}{low}" style="left:{left:.2f}%;width:{width:.2f}%" '
            f'title="{escape(shown.title(i))}">{label}</span>'
        )
    for (_, end), (start, _) in pairwise(shown.spans):
        if start < end:
            parts.append(
                f'<span class="lv-over" style="left:{100 * start / total:.2f}%;width:{100 * (end - start) / total:.2f}%;'
                f'height:2.5rem;border-style:dashed" title="In both chunks: the overlap"></span>'
            )
    note = f"Length of each chunk ({escape(shown.word)})" + ("; hatched: in two chunks" if two else "")
    return f'<p class="lv-cap">{note}</p><div class="lv-ruler{" lv-two" if two else ""}">{"".join(parts)}</div>'


def levels(shown: Shown) -> str:
    """Cuts by the size of the border they were made at, the largest first; "" where a strategy has no such levels."""
    found: dict[int, tuple[str, list[int]]] = {}
    for (_, end), reason in zip(shown.spans, shown.reasons, strict=True):
        match = _LEVEL.search(reason)
        if match:
            found.setdefault(int(match["level"]), (match["what"], []))[1].append(end)
    if not found:
        return ""
    total = len(shown.text) or 1
    rows, old = [], list[int]()
    for _, (what, places) in sorted(found.items()):
        ticks = [f'<i class="lv-old" style="left:{100 * p / total:.2f}%"></i>' for p in old]
        ticks += [f'<i style="left:{100 * p / total:.2f}%" title="cut at {escape(what)}"></i>' for p in places]
        rows.append(f'<div class="lv-level"><span>at {escape(what)}</span><div>{"".join(ticks)}</div></div>')
        old += places
    return '<p class="lv-cap">The largest border first; what is still too long is cut at the next</p>' + "".join(rows)


def tree(shown: Shown, document: Document) -> str:
    """The headings, each with the chunks that begin under it; "" where the cuts do not follow them."""
    if not document.headings or not any(_HEADING.match(r) for r in shown.reasons):
        return ""
    rows = []
    ends = [h.start for h in document.headings[1:]] + [len(document.text)]
    for heading, end in zip(document.headings, ends, strict=True):
        own = [i for i, (start, _) in enumerate(shown.spans) if heading.start <= start < end]
        chips = "".join(
            f'<span class="lv-chip lv-c{i % COLORS}" title="{escape(shown.title(i))}">{i + 1}</span>' for i in own
        )
        rows.append(f'<li style="padding-left:{0.9 * (heading.level - 1):.1f}rem">{escape(heading.title)} {chips}</li>')
    return f'<p class="lv-cap">Chunks under their headings</p><ul class="lv-tree">{"".join(rows)}</ul>'


def curve(made: Curve, starts: Iterable[int], length: int, theme: str | None, height: int = 110) -> str:
    """The similarity of neighbouring sentences over the text, with a line where each chunk begins."""
    if not len(made.values):
        return ""
    total = length or 1
    # Beside a sentence without a letter there is nothing to compare, and nothing to draw.
    told = made.defined if made.defined is not None else np.ones(len(made.values), dtype=np.bool_)
    positions, values = made.positions[told], made.values[told]
    if not len(values):
        return ""
    low, high = min(0.0, float(values.min())), 1.0

    def y(value: float) -> float:
        return height * (high - value) / (high - low)

    points = " ".join(
        f"{1000 * p / total:.1f},{y(v):.1f}" for p, v in zip(positions.tolist(), values.tolist(), strict=True)
    )
    cuts = "".join(
        f'<line x1="{1000 * s / total:.1f}" x2="{1000 * s / total:.1f}" y1="0" y2="{height}" stroke="var(--lv-cut)" '
        f'{_THIN} stroke-width="1.5" opacity=".75"/>'
        for s in starts
        if s
    )
    line = ""
    words = ""
    if made.threshold is not None:
        at = y(max(low, min(high, made.threshold)))
        line = (
            f'<line x1="0" x2="1000" y1="{at:.1f}" y2="{at:.1f}" stroke="var(--lv-faint)" {_THIN} stroke-width="1.5" '
            'stroke-dasharray="6 4"/>'
        )
        words = f"; dashed: the threshold, {made.threshold:.2f}"
    return (
        f'<p class="lv-cap">How alike neighbouring sentences are (cosine similarity, 1 at the top); red: a cut{words}</p>'
        + image(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 {height}" preserveAspectRatio="none">{cuts}{line}'
            f'<polyline points="{points}" fill="none" stroke="var(--lv-low)" {_THIN} stroke-width="2"/></svg>',
            f"Similarity of neighbouring sentences over the text, and the {cuts.count('<line')} places where it was cut.",
            theme,
            "lv-wide",
        )
    )


def facts(shown: Shown) -> str:
    """What a model made of each chunk, beside the number of the chunk it came from; "" where it made nothing."""
    if not shown.rewrites:
        return ""
    rows = "".join(
        f'<li><span class="lv-chip lv-c{i % COLORS}" title="{escape(shown.title(i))}">{i + 1}</span> {escape(fact)}</li>'
        for i, fact in enumerate(shown.rewrites)
        if fact
    )
    return f'<p class="lv-cap">What is embedded instead of the text</p><ul class="lv-facts">{rows}</ul>'


def pictures(shown: Shown, made: Chunking | None, theme: str | None) -> str:
    """All drawings that fit a chunking, by what it says of itself."""
    parts = [ruler(shown)]
    if made is not None and made.curve is not None:
        parts.append(curve(made.curve, [start for start, _ in shown.spans], len(shown.text), theme))
    else:
        parts.append((tree(shown, made.document) if made is not None else "") or levels(shown))
    return "".join([*parts, facts(shown)])
