"""What the Ask screen shows of one question: sentences, cards of what came back, and the answer painted in them.

Everything here turns results into words and escaped HTML; what the results are, `holding` and `retrieval` say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final, Literal

import streamlit as st

from chunkviz import format, holding
from chunkviz.document import Document
from chunkviz.passages import Passage
from chunkviz.questions import Question
from chunkviz.retrieval import Hit, RetrievalOptions, Searched
from chunkviz.scoring import Answer

Level = Literal["good", "bad", "missed", "open"]
"""Whole and returned; parted by cuts; whole somewhere but not returned; no answer known."""

NEAR: Final = 260
"""Characters shown before and after an answer; the rest opens with a click."""
SLACK: Final = 120
"""What is left out is at least so long: a fold that hides three words is a nuisance."""
HEAD: Final = 220
"""Characters shown of a passage that holds nothing of the answer, and at most so many lines."""
LINES: Final = 6

_CUT_BEFORE: Final = '<span class="cv-scissors" title="The answer begins in another chunk">✂ cut here</span> '
_CUT_AFTER: Final = ' <span class="cv-scissors" title="The answer goes on in another chunk">✂ cut here</span>'

STYLE: Final = """<style>
.cv-verdict{border-left:4px solid var(--cv-c);background:color-mix(in srgb,var(--cv-c) 12%,transparent);
  padding:.5rem .8rem;border-radius:.3rem;overflow-wrap:anywhere;min-height:3.6rem;margin:0}
.cv-verdict b{color:color-mix(in srgb,var(--cv-c) 72%,currentColor)}
.cv-good{--cv-c:#1b8a4f}.cv-bad{--cv-c:#cf3341}.cv-missed{--cv-c:#b26a00}.cv-open{--cv-c:#6b7686}
.cv-hits{display:flex;flex-direction:column;gap:.6rem}
.cv-hit{border:1px solid color-mix(in srgb,currentColor 20%,transparent);border-radius:.5rem;padding:.55rem .75rem;
  margin:0}
.cv-hit.cv-holds-whole{border-color:#1b8a4f;box-shadow:inset 3px 0 #1b8a4f}
.cv-hit.cv-holds-part{border-color:#cf3341;box-shadow:inset 3px 0 #cf3341}
.cv-hit header{display:flex;flex-wrap:wrap;gap:.15rem .7rem;align-items:baseline;font-size:.86rem}
.cv-hit header span{opacity:.85}.cv-hit header [title]{cursor:help}
.cv-tag{border-radius:.6rem;padding:0 .5rem;font-weight:600;opacity:1!important;
  color:color-mix(in srgb,var(--cv-c) 72%,currentColor);background:color-mix(in srgb,var(--cv-c) 16%,transparent)}
.cv-path{font-size:.8rem;opacity:.75;margin:.15rem 0 0;overflow-wrap:anywhere}
.cv-text{white-space:pre-wrap;overflow-wrap:anywhere;font-size:.88rem;line-height:1.5;margin:.35rem 0 0}
.cv-text mark{color:inherit;border-radius:.15rem;padding:.05rem 0}
.cv-text mark.cv-whole{background:color-mix(in srgb,#1b8a4f 30%,transparent);
  box-shadow:0 2px 0 #1b8a4f}
.cv-text mark.cv-cut{background:repeating-linear-gradient(135deg,color-mix(in srgb,#cf3341 34%,transparent) 0 7px,
  color-mix(in srgb,#cf3341 13%,transparent) 7px 14px);box-shadow:0 2px 0 #cf3341}
.cv-scissors{color:color-mix(in srgb,#cf3341 72%,currentColor);font-weight:600;font-size:.8rem;white-space:nowrap;
  cursor:help}
.cv-text details{display:inline}.cv-text summary{display:inline;cursor:pointer;opacity:.75;font-size:.8rem;
  text-decoration:underline dotted;list-style:none}
.cv-text summary::-webkit-details-marker{display:none}
.cv-sheet{width:100%;border-collapse:collapse;font-size:.86rem}
.cv-sheet th{text-align:left;font-weight:600}.cv-sheet td,.cv-sheet th{padding:.25rem .6rem .25rem 0;vertical-align:top;
  border-bottom:1px solid color-mix(in srgb,currentColor 14%,transparent);overflow-wrap:anywhere}
@media (max-width:1100px){.st-key-ask-search [data-testid="stColumn"]{min-width:calc(50% - 1rem)}}
</style>"""


@dataclass(frozen=True)
class Asked:
    """One column's answer to the question.

    hits      : what came back, best first
    cores     : the gold spans without white space at their ends; empty where no answer is known
    standings : what became of each of them
    """

    found: Searched
    hits: list[Hit]
    cores: tuple[Passage, ...]
    standings: list[holding.Standing]
    names: Mapping[int, str]


def asked(document: Document, found: Searched, question: Question | None, k: int) -> Asked:
    """What a search means for a question whose answer may be known."""
    cores = tuple(Answer(question, {document.name: document}).cores) if question else ()
    hits = found.hits(0, k=k)
    return Asked(found, hits, cores, holding.standings(found, hits, cores), names(found))


def names(found: Searched) -> dict[int, str]:
    """What a reader calls each passage: "chunk 4", or, where a mode returns more than the chunk, what was made of it."""
    entries = found.index.entries
    chunks = holding.chunks_of(found.index)
    own = {e.passage for e in entries if (e.chunk.start, e.chunk.end) == _edges(found.index.passages[e.passage])}
    made = {}
    for number, of in chunks.items():
        alone = len(of) == 1
        many = f"chunk {of[0] + 1:,}" if alone else f"chunks {of[0] + 1:,} to {of[-1] + 1:,}"
        made[number] = many if number in own and alone else f"passage around {many}"
    return made


def _edges(passage: Passage) -> tuple[int, int]:
    return passage.start, passage.end


# --- the sentence above a column ----------------------------------------------------------------------------------


def verdict(result: Asked, k: int) -> tuple[Level, str, str]:
    """What became of the answer in one column: how good that is, in two or three words, and in a sentence."""
    if not result.cores:
        return "open", "No answer marked.", "Select the answer in the document below to see whether cuts go through it."
    told = [_standing(s, result, k) for s in result.standings]
    if len(told) == 1:
        return told[0]
    whole = sum(level == "good" for level, _, _ in told)
    worst: Level = next(level for level in ("bad", "missed", "good") if any(t[0] == level for t in told))
    lines = " ".join(f"Place {at}: {lead} {text}" for at, (_, lead, text) in enumerate(told, 1))
    return worst, f"{whole} of {len(told)} places whole.", lines


def _standing(s: holding.Standing, result: Asked, k: int) -> tuple[Level, str, str]:
    if s.rank is not None:
        name = _named(result.hits[s.rank - 1], result)
        return "good", f"Whole in rank {s.rank}.", f"{_upper(name)} holds all of the answer."
    if s.whole:
        lead = f"Not among the first {k:,}."
        if s.later is None:
            return "missed", lead, "A chunk holds all of the answer, but this search does not find it at all."
        return "missed", lead, f"All of the answer is in one chunk, which comes in rank {s.later:,}."
    if not s.meeting:
        return "bad", "Left out.", "No chunk holds any of the answer: this strategy leaves its text out."
    spread = _list([result.names[n] for n in s.meeting])
    lead = "Cut."
    if len(s.meeting) == 1:
        text = f"Only a part of the answer is in {spread}; no chunk holds all of it."
    else:
        text = f"The answer is spread over {spread}; no chunk holds all of it."
    if not s.parts:
        return "bad", lead, f"{text} None of them is among the first {k:,}."
    ranks = ("rank " if len(s.parts) == 1 else "ranks ") + _list([f"{r:,}" for r in s.parts])
    some = "" if len(s.parts) == len(s.meeting) else ", the rest did not come back"
    return "bad", lead, f"{text} In {ranks} there is a part of it{some}."


def _list(words: Sequence[str]) -> str:
    """`chunks 4 and 5` of "chunk 4" and "chunk 5"; at most six are named."""
    if len(words) > 1 and all(w.startswith("chunk ") for w in words):
        words = [w.removeprefix("chunk ") for w in words]
        prefix = "chunks "
    else:
        prefix = ""
    if len(words) > 6:
        words = [*words[:5], f"{len(words) - 5:,} more"]
    return prefix + (words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1])


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def draw_verdict(level: Level, lead: str, text: str) -> None:
    """The sentence above a column."""
    st.html(f'<p class="cv-verdict cv-{level}" role="status"><b>{escape(lead)}</b> {escape(text)}</p>')


# --- the cards ----------------------------------------------------------------------------------------------------


def score_help(options: RetrievalOptions, reranked: str) -> str:
    """What a score means."""
    if reranked:
        return f"Score of the second look: {reranked}. Larger is better; compare it within one column only."
    return {
        "dense": "Cosine of the two vectors (cosine similarity): 1 means the same direction, 0 nothing in common.",
        "keyword": "BM25: how many of the question's words are there, rare words counting more. No upper end.",
        "hybrid": "Sum of 1/(60 + rank) over both searches (reciprocal rank fusion). Only the order means something.",
    }[options.retriever]


def draw_hits(result: Asked) -> None:
    """The cards of one column."""
    if not result.hits:
        st.html(
            '<p class="cv-lead">Nothing was found: no chunk shares a word with the question, or the filter lets none pass.</p>'
        )
        return
    st.html(f'<div class="cv-hits">{"".join(card(hit, result) for hit in result.hits)}</div>')


def card(hit: Hit, result: Asked) -> str:
    """One passage that came back, as HTML; all text of the document in it is escaped."""
    found, options = result.found, result.found.options
    document = found.index.documents[hit.passage.document]
    entry = found.index.entries[hit.entry]
    reranked = found.label if found.label and hit.before <= options.candidates else ""
    holds = holding.holds(hit.passage, result.cores)
    tag = {
        "whole": '<span class="cv-tag cv-good">whole answer</span>',
        "part": '<span class="cv-tag cv-bad">part of the answer</span>',
        "nothing": "",
    }[holds]
    facts = [
        f"<b>Rank {hit.rank}</b>",
        f"<span>{escape(_upper(_named(hit, result)))}</span>",
        f'<span title="{escape(score_help(options, reranked))}">score {hit.score:.3f}</span>',
        f'<span title="What a language model would read of it, in tokens (cl100k_base)">'
        f"{format.plural(hit.passage.tokens, 'token')}</span>",
    ]
    if found.label:
        facts.append(_moved(hit))
    if len(hit.members) > 1:
        facts.append(
            f'<span title="Near duplicates, joined because of “merge”">joined from {len(hit.members)} chunks</span>'
        )
    path = " › ".join(entry.chunk.heading_path)
    under = f'<p class="cv-path" dir="auto" title="Headings it stands under">{escape(path)}</p>' if path else ""
    text = painted(document.text[hit.passage.start : hit.passage.end], hit.passage, result.cores)
    return (
        f'<article class="cv-hit cv-holds-{holds}" data-rank="{hit.rank}" data-passage="{escape(_named(hit, result))}">'
        f"<header>{''.join(facts)}{tag}</header>{under}"
        f'<div class="cv-text" dir="auto">{text}</div></article>'
    )


def _named(hit: Hit, result: Asked) -> str:
    return result.names[hit.members[0]]


def _moved(hit: Hit) -> str:
    way = "▲" if hit.rank < hit.before else "▼" if hit.rank > hit.before else "="
    return f'<span title="Rank before reranking">{way} was {hit.before:,}</span>'


def painted(text: str, passage: Passage, cores: Sequence[Passage]) -> str:
    """A passage's text as HTML: the answer green where it is whole here, red stripes where a cut goes through it."""
    pieces = holding.parts(passage, cores)
    if not pieces:
        return _fold_after(text, min(HEAD, _line(text, LINES)))
    made: list[str] = []
    at = 0
    for piece in pieces:
        start, end = max(piece.start - passage.start, at), piece.end - passage.start
        if start >= end:
            continue  # inside an answer that is painted already
        between = text[at:start]
        made.append(_fold_before(between, NEAR) if at == 0 else _fold_middle(between))
        css, said = ("cv-whole", "The whole answer") if piece.whole else ("cv-cut", "Only a part: the answer is cut")
        made += [
            "" if piece.begins else _CUT_BEFORE,
            f'<mark class="{css}" title="{said}">{escape(text[start:end])}</mark>',
        ]
        made.append("" if piece.ends else _CUT_AFTER)
        at = end
    made.append(_fold_after(text[at:], NEAR))
    return "".join(made)


def _fold(text: str) -> str:
    return f"<details><summary> … {len(text):,} more characters … </summary>{escape(text)}</details>"


def _fold_before(text: str, shown: int) -> str:
    """The end of a text; its beginning opens with a click."""
    cut = len(text) - shown
    if cut < SLACK:
        return escape(text)
    cut = _word(text, cut)
    return _fold(text[:cut]) + escape(text[cut:])


def _fold_after(text: str, shown: int) -> str:
    """The beginning of a text; its end opens with a click."""
    if len(text) - shown < SLACK and text.count("\n", shown) < LINES:
        return escape(text)
    cut = _word(text, shown)
    return escape(text[:cut]) + _fold(text[cut:])


def _fold_middle(text: str) -> str:
    """Both ends of a text."""
    if len(text) - 2 * NEAR < SLACK:
        return escape(text)
    start, end = _word(text, NEAR), _word(text, len(text) - NEAR)
    return escape(text[:start]) + _fold(text[start:end]) + escape(text[end:])


def _line(text: str, most: int) -> int:
    """Where so many lines end."""
    at = -1
    for _ in range(most):
        at = text.find("\n", at + 1)
        if at < 0:
            return len(text)
    return at


def _word(text: str, at: int) -> int:
    """The next white space from `at`, so that no letter is parted from its accents; `at` where there is none near."""
    return next((i for i in range(at, min(len(text), at + SLACK // 2)) if text[i].isspace()), at)
