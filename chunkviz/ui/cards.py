"""Small pieces of the page. Whatever comes from a document is shown as it is: escaped, never interpreted."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Literal

import streamlit as st

from chunkviz import format
from chunkviz.document import Note
from chunkviz.report import Figure, Report

STYLE = """<style>
.cv-notice{border-left:4px solid var(--cv-c,#888);padding:.45rem .8rem;margin:.1rem 0;border-radius:.3rem;
  background:color-mix(in srgb,var(--cv-c,#888) 11%,transparent);white-space:pre-wrap;overflow-wrap:anywhere}
.cv-error{--cv-c:#c62f3d}.cv-warning{--cv-c:#b26a00}.cv-info{--cv-c:#2f6fc4}
.cv-audit{font-size:.86rem;line-height:1.5;margin:0}
.cv-audit .cv-big{font-size:1.5rem;font-weight:650;line-height:1.2}
.cv-audit dl{display:grid;grid-template-columns:1fr auto;gap:.05rem .7rem;margin:.3rem 0 0}
.cv-audit dt{opacity:.78;cursor:help}.cv-audit dd{margin:0;text-align:right;font-variant-numeric:tabular-nums}
.cv-audit .cv-good{color:inherit}
.cv-audit .cv-bad{font-weight:650}
.cv-audit .cv-bad::before{content:"▲ ";font-size:.7em;vertical-align:.15em;color:#c62f3d}
.cv-list{margin:.2rem 0;padding-left:1.1rem}.cv-list li{margin:.12rem 0;overflow-wrap:anywhere}
.cv-lead{opacity:.82;margin:0 0 .3rem}
</style>"""


def notice(level: Literal["error", "warning", "info"], text: str) -> None:
    """A message that may hold words of a document or of a file's name."""
    role = "alert" if level == "error" else "status"
    st.html(f'<div class="cv-notice cv-{level}" role="{role}">{escape(text)}</div>')


def plain(text: str, css: str = "cv-lead") -> None:
    """A line of text, escaped."""
    st.html(f'<p class="{css}">{escape(text)}</p>')


def notes(found: Iterable[Note]) -> None:
    """The extraction report, warnings first."""
    ordered = sorted(found, key=lambda note: note.level != "warning")
    rows = "".join(f"<li>{'▲ ' if n.level == 'warning' else ''}{escape(n.text)}</li>" for n in ordered)
    st.html(f'<ul class="cv-list">{rows}</ul>')


SIZES = ("tokens.min", "tokens.median", "tokens.p95", "tokens.max")
SHOWN = (
    "covered",
    "lost",
    "twice",
    "overhead",
    "cut.words",
    "cut.sentences",
    "cut.headings",
    "cut.code_blocks",
    "cut.tables",
    "truncated",
    "unread",
    "oversize",
)
"""Figures of the audit line, in order."""


def audit(report: Report, word: str) -> None:
    """The audit line of one column: how many chunks, how large, and what became of the text."""
    sizes = " / ".join(format.number(report[i].value) for i in SIZES)
    chunks = report["chunks"]
    rows = "".join(_row(report[i]) for i in SHOWN)
    about = "Smallest, typical (median), large (95 of 100 are no larger) and largest chunk"
    st.html(
        f'<div class="cv-audit"><span class="cv-big">{escape(format.plural(int(chunks.value or 0), "chunk"))}</span>'
        f'<dl><dt title="{escape(about)}">smallest / typical / large / largest</dt><dd>{sizes} {escape(word)}</dd>{rows}</dl></div>'
    )


def _row(figure: Figure) -> str:
    metric = figure.metric
    bad = metric.better == "lower" and figure.value or metric.better == "higher" and figure.value != 1
    help_ = f"{metric.help} How: {metric.formula}." + (f" Not defined: {figure.reason}." if figure.reason else "")
    shown = format.figure(figure) if figure.value is not None else f"— ({figure.reason})"
    return (
        f'<dt title="{escape(help_)}">{escape(metric.title)}</dt>'
        f'<dd class="{"cv-bad" if bad and figure.value is not None else "cv-good"}">{escape(shown)}</dd>'
    )


def findings(report: Report) -> dict[str, tuple[object, ...]]:
    """What the viewer lists for jumping through: the places behind the figures, by title."""
    return {f.metric.title: f.findings for f in report.values() if f.findings}
