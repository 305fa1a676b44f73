"""An answer of a language model on the page: each sentence with the passages that support it, and what was asked."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

import streamlit as st

from chunkviz import llm
from chunkviz.answering import INSTRUCTIONS, Kind, Material, prompts_of
from chunkviz.metrics.answers import Judgement, Verdict
from chunkviz.ui import cards

NEEDED: Final = (
    "This needs a language model: any OpenAI-compatible endpoint, a hosted one or one on this machine (Ollama, vLLM, LM "
    "Studio, llama.cpp). Set it in the sidebar under “Language model”. Without one nothing is asked and nothing is sent."
)
TITLES: Final[dict[Kind, str]] = {
    "answer": "For an answer",
    "verdict": "To compare it with the expected answer",
    "support": "To look for the support of each sentence",
}
_VERDICTS: Final[dict[Verdict, str]] = {"correct": "right", "partly": "partly right", "wrong": "wrong"}

STYLE: Final = """<style>
ul.cv-said{list-style:none;margin:.2rem 0!important;padding:0!important;display:flex;flex-direction:column;gap:.35rem}
.cv-said li{border-left:4px solid var(--cv-c);padding:.25rem .6rem;margin:0!important;border-radius:.25rem;
  overflow-wrap:anywhere;background:color-mix(in srgb,var(--cv-c) 11%,transparent)}
.cv-said .cv-backed{--cv-c:#1b8a4f}.cv-said .cv-alone{--cv-c:#cf3341}.cv-said .cv-unknown{--cv-c:#6b7686}
.cv-said small{display:block;font-size:.82rem;font-weight:600;color:color-mix(in srgb,var(--cv-c) 70%,currentColor)}
.cv-said details{font-size:.85rem}.cv-said summary{cursor:pointer;opacity:.85}
.cv-said .cv-source{white-space:pre-wrap;margin:.2rem 0;max-height:14rem;overflow:auto;opacity:.9}
.cv-prompt{white-space:pre-wrap;overflow-wrap:anywhere;max-height:20rem;overflow:auto;padding:.5rem .7rem;font-size:.85rem;
  border:1px solid color-mix(in srgb,currentColor 18%,transparent);border-radius:.4rem;margin:.2rem 0 .6rem}
</style>"""


def verdict(judged: Judgement) -> str:
    """What became of an answer, in a sentence."""
    if judged.answer is None:
        return "There is no usable answer."
    if not judged.answer:
        return "The model found no answer in the passages."
    if judged.verdict is None:
        return "No expected answer is known to compare with." if not judged.expected else "The answer was not judged."
    return f"Judged {_VERDICTS[judged.verdict]}, compared with the expected answer."


def draw(asked: Material, judged: Judgement, names: Sequence[str]) -> None:
    """One answer, sentence by sentence.

    names : what a reader calls each passage, best first
    """
    cards.plain(verdict(judged))
    if judged.answer:
        st.html(f'<ul class="cv-said" data-testid="answer">{sentences(asked, judged, names)}</ul>')
    for problem in judged.problems:
        cards.notice("warning", problem)


def sentences(asked: Material, judged: Judgement, names: Sequence[str]) -> str:
    """The sentences of an answer as list items, every word escaped."""
    if judged.support is None:
        return (
            f'<li class="cv-unknown" dir="auto">{escape(judged.answer or "")}'
            "<small>Whether the passages support it is not known.</small></li>"
        )
    made = []
    for s in judged.support:
        if not s.passages:
            made.append(
                f'<li class="cv-alone" data-supported="no" dir="auto">{escape(s.sentence)}'
                "<small>✗ No passage says this.</small></li>"
            )
            continue
        said = ", ".join(names[rank - 1] for rank in s.passages)
        texts = "".join(
            f'<p class="cv-source" dir="auto"><b>{escape(names[rank - 1])}</b>: {escape(asked.passages[rank - 1])}</p>'
            for rank in s.passages
        )
        made.append(
            f'<li class="cv-backed" data-supported="yes" dir="auto">{escape(s.sentence)}'
            f"<small>✓ Supported by {escape(said)}</small><details><summary>Read it</summary>{texts}</details></li>"
        )
    return "".join(made)


def instructions() -> None:
    """What the model is told, whatever it is asked about."""
    for kind, text in INSTRUCTIONS.items():
        _prompt(TITLES[kind], text)


def prompts(asked: Material, judged: Judgement) -> None:
    """Every question that was asked about one answer, word for word."""
    for kind, question in prompts_of(asked, judged).items():
        _prompt(TITLES[kind], f"{question.instructions}\n\n{question.text}")


def _prompt(title: str, text: str) -> None:
    st.html(
        f'<p class="cv-head"><b>{escape(title)}</b></p>'
        f'<div class="cv-prompt" data-testid="prompt" tabindex="0" dir="auto">{escape(text)}</div>'
    )


def cost_of(estimate: llm.Estimate) -> str:
    """What asking will take, in words."""
    price = f", {estimate.cost:.4f} by its prices" if estimate.cost is not None else ""
    return (
        f"at most {estimate.questions:,} requests, about {estimate.tokens_in:,} tokens to read and "
        f"{estimate.tokens_out:,} to write{price}"
    )
