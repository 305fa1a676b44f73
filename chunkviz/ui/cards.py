"""Small pieces of the page. Whatever comes from a document is shown as it is: escaped, never interpreted."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Literal

import streamlit as st

from chunkviz import format
from chunkviz.document import Note
from chunkviz.metrics import Finding
from chunkviz.report import Figure, Report
from chunkviz.view_records import Audit, Chip

STYLE = """<style>
.cv-notice{border-left:4px solid var(--cv-c,#888);padding:.45rem .8rem;margin:.1rem 0;border-radius:.3rem;
  background:color-mix(in srgb,var(--cv-c,#888) 11%,transparent);white-space:pre-wrap;overflow-wrap:anywhere}
.cv-error{--cv-c:#c62f3d}.cv-warning{--cv-c:#b26a00}.cv-info{--cv-c:#2f6fc4}
.cv-title{font-size:1.55rem;font-weight:700;margin:0;padding:0;line-height:1.25}
.stMainBlockContainer{padding-top:3.6rem!important;padding-bottom:3rem!important}
.cv-list{margin:.2rem 0;padding-left:1.1rem}.cv-list li{margin:.12rem 0;overflow-wrap:anywhere}
.cv-lead{opacity:.82;margin:0 0 .3rem}
.stApp [data-testid^="stBaseButton-primary"]:enabled,.stApp [data-testid^="stBaseButton-primary"]:enabled *,
.stApp [data-testid="stMultiSelect"] [data-tag],.stApp [data-testid="stMultiSelect"] [data-tag] *{
  color:light-dark(#fff,#12151c)!important}
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


def audit(report: Report, word: str) -> Audit:
    """What stands above one column: how many chunks, how large, and what became of the text."""
    smallest, median, most, largest = (format.number(report[i].value) for i in SIZES)
    spread = f"of {smallest} to {largest} {word} · half up to {median} · 95 % up to {most}"
    return Audit(
        headline=format.plural(int(report["chunks"].value or 0), "chunk"),
        sizes=spread if smallest != largest else f"of {largest} {word}",
        sizes_help="The smallest and the largest chunk; the size that half of all chunks do not exceed (median), and the "
        "one that 95 of 100 do not exceed (95th percentile).",
        chips=tuple(_chip(report[i]) for i in SHOWN if report[i].value is not None),
    )


def _chip(figure: Figure) -> Chip:
    metric = figure.metric
    value = figure.value or 0.0
    bad = value > metric.tolerated if metric.better == "lower" else metric.better == "higher" and value != 1
    return Chip(
        metric.title,
        format.figure(figure),
        f"{metric.help} How: {metric.formula}.",
        bad,
        metric.title if figure.findings else "",
    )


def findings(report: Report) -> dict[str, tuple[Finding, ...]]:
    """What the viewer lists for jumping through: the places behind the figures, by title."""
    return {f.metric.title: f.findings for f in report.values() if f.findings}
