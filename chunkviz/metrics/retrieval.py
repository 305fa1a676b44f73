"""The metrics of retrieval, for one question in one index; a recipe's figure is the mean over the questions.

The token-level ones and Ω follow the definitions of Chroma's "Evaluating Chunking Strategies for Retrieval" (Smith and
Troynikov 2024), whose unit is the character; the rank metrics follow trec_eval.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from chunkviz.metrics import ranking
from chunkviz.metrics.base import Result
from chunkviz.metrics.case import Case, found, spans_by_document, whole_in
from chunkviz.passages import Passage
from chunkviz.spans import union


def _token_recall(case: Case) -> Result:
    return Result(1 - case.found.lacking / case.asked, of=case.asked)


def _token_precision(case: Case) -> Result:
    if not case.returned:
        return Result(None, _NOTHING)
    return Result(case.found.covered / case.returned, of=case.returned)


def _token_iou(case: Case) -> Result:
    whole = case.returned + case.found.lacking
    return Result(case.found.covered / whole, of=whole)


def _precision_omega(case: Case) -> Result:
    best = found(case.references, case.meeting)
    united = spans_by_document([*case.meeting, *best.missed])
    whole = sum(span.length for spans in united.values() for span in union(spans))
    return Result(best.covered / whole, of=whole)


def _maybe(value: float | None, reason: str) -> Result:
    return Result(value, "" if value is not None else reason)


def _f1_of_documents(case: Case) -> Result:
    return _maybe(
        ranking.f1(frozenset(p.document for p in case.retrieved), frozenset(p.document for p in case.gold)), _NOTHING
    )


def _f1_of_pages(case: Case) -> Result:
    if not all(p.pages for p in case.gold):
        return Result(None, "the documents that answer have no pages")
    # A document without pages that was retrieved is one wrong page, not none.
    got, wanted = (
        frozenset((p.document, page) for p in side for page in p.pages or (0,)) for side in (case.retrieved, case.gold)
    )
    return _maybe(ranking.f1(got, wanted), _NOTHING)


def _answers_cut(case: Case) -> Result:
    cores = case.cores or case.gold
    return Result(sum(not whole_in(core, case.meeting) for core in cores) / len(cores), of=len(cores))


_NOTHING: Final = "nothing was retrieved"
_LOST: Final = "no passage of the index holds any of the answer"
_GOT: Final = "characters of the gold spans that were retrieved, each once"
_F1: Final = "2 · {0} both retrieved and answering / ({0} retrieved + {0} answering)"
_CHROMA: Final = "Smith and Troynikov, Evaluating Chunking Strategies for Retrieval, Chroma 2024"
_TREC: Final = "trec_eval"
_RIJSBERGEN: Final = "harmonic mean of precision and recall, van Rijsbergen 1979"


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalMetric:
    """One number about one question in one index; a recipe's number is the mean over the questions that have one.

    unit      : what the value counts; "share" is a part of one, and most are that
    low, high : the range of possible values, None for no bound
    needs     : "index": the cut alone decides it; "ranking": something must have been retrieved
    example   : its value for `EXAMPLE`, and how that comes about
    """

    id: str
    title: str
    compute: Callable[[Case], Result]
    help: str
    formula: str
    source: str
    example: tuple[float, str]
    unit: str = "share"
    low: float = 0
    high: float | None = 1
    better: Literal["lower", "higher", "neither"] = "higher"
    needs: Literal["index", "ranking"] = "ranking"


_A, _B = Passage("d", 0, 15, 4, (1,)), Passage("d", 15, 30, 5, (1,))
_C, _D = Passage("d", 30, 45, 4, (2,)), Passage("d", 45, 60, 6, (2,))
_E = Passage("e", 0, 15, 3, (1,))
EXAMPLE: Final = Case(
    gold=(Passage("d", 10, 20, pages=(1,)), Passage("d", 40, 50, pages=(2,))),
    meeting=(_A, _B, _C, _D),
    retrieved=(_B, _E, _C),
    members=2,
    k=3,
)
"""Document d, cut every 15 characters into A, B, C, D (two a page); document e with the one chunk E.
Characters 10 to 20 and 40 to 50 of d answer the question; B, E and C came back, in this order."""

RETRIEVAL: Final[tuple[RetrievalMetric, ...]] = (
    RetrievalMetric(
        id="token_recall",
        title="Answer found",
        compute=_token_recall,
        help="How much of the answer is in what was retrieved. Less than 100 %: a part of the answer cannot be given.",
        formula=f"{_GOT} / characters of the gold spans",
        source=_CHROMA,
        example=(0.5, "B holds 15-20 and C 40-45: 10 of 20"),
    ),
    RetrievalMetric(
        id="token_precision",
        title="Answer in what was read",
        compute=_token_precision,
        help="How much of what was retrieved is answer; the rest is paid for and distracts. Text retrieved twice counts "
        "twice, text of other documents counts.",
        formula=f"{_GOT} / characters of all retrieved passages",
        source=_CHROMA,
        example=(10 / 45, "10 of three times 15"),
    ),
    RetrievalMetric(
        id="token_iou",
        title="Overlap with the answer",
        compute=_token_iou,
        help="Both at once: high only where all of the answer and little else is retrieved.",
        formula=f"{_GOT} / (characters of all retrieved passages + characters of the gold spans that were missed)",
        source=_CHROMA,
        example=(10 / 55, "10 of 45 retrieved and 10 missed"),
    ),
    RetrievalMetric(
        id="precision_omega",
        title="Best possible precision",
        compute=_precision_omega,
        needs="index",
        help="The precision if retrieval were perfect: all passages that hold a part of the answer, and no other. The cut "
        "alone decides it.",
        formula="characters of the gold spans in any passage, each once / characters of the passages that meet one, each "
        "once, and of the gold spans in none",
        source=_CHROMA,
        example=(20 / 60, "A to D meet the answer: 20 of 60"),
    ),
    RetrievalMetric(
        id="hit",
        title="Hit",
        compute=lambda c: Result(ranking.hit(c.relevant)),
        help="Whether anything that was retrieved holds a part of the answer.",
        formula="1 where one of the first k passages shares a character with a gold span, else 0",
        source=f"{_TREC}: success",
        example=(1.0, "B meets the answer"),
    ),
    RetrievalMetric(
        id="chunk_precision",
        title="Passages that help",
        compute=lambda c: _maybe(ranking.precision(c.relevant, c.k), "no passage was asked for"),
        help="How many of the k passages hold a part of the answer. Overlap raises it, since the same words come back "
        "several times: look at the precision in characters first.",
        formula="relevant passages (sharing a character with a gold span) among the first k / k",
        source=f"{_TREC}: P",
        example=(2 / 3, "B and C of three"),
    ),
    RetrievalMetric(
        id="chunk_recall",
        title="Helpful passages found",
        compute=lambda c: _maybe(ranking.recall(c.members, c.total), _LOST),
        help="How many of the passages that hold a part of the answer were retrieved. Overlap lowers it, since there are "
        "more of them to find: look at the answer found first.",
        formula="relevant passages among the first k / relevant passages of the index",
        source=f"{_TREC}: recall",
        example=(0.5, "B and C of A to D"),
    ),
    RetrievalMetric(
        id="mrr",
        title="How early",
        compute=lambda c: Result(ranking.reciprocal_rank(c.relevant)),
        help="How far in front the first helpful passage is: 1 for the first place, a half for the second.",
        formula="1 / rank of the first relevant passage, 0 where none of the first k is",
        source=f"{_TREC}: recip_rank",
        example=(1.0, "B is first"),
    ),
    RetrievalMetric(
        id="ndcg",
        title="Order",
        compute=lambda c: _maybe(ranking.ndcg(c.relevant, c.k, c.total), _LOST),
        help="How near the order is to the best one, in which every helpful passage stands in front.",
        formula="sum of 1 / log2(1 + rank) over the relevant passages among the first k / the most possible with k places",
        source=f"{_TREC}: ndcg_cut",
        example=(0.7039180890341347, "(1 + 1/2) / (1 + 0.6309 + 1/2)"),
    ),
    RetrievalMetric(
        id="document_f1",
        title="Right documents",
        compute=_f1_of_documents,
        help="Whether the passages come from the documents that answer, and from all of them.",
        formula=_F1.format("documents"),
        source=_RIJSBERGEN,
        example=(2 / 3, "d answers, d and e came back: 2 · 1 / (2 + 1)"),
    ),
    RetrievalMetric(
        id="page_f1",
        title="Right pages",
        compute=_f1_of_pages,
        help="Whether the passages come from the pages that answer, and from all of them.",
        formula=_F1.format("pages"),
        source=_RIJSBERGEN,
        example=(0.8, "pages 1 and 2 of d answer, those and page 1 of e came back: 2 · 2 / (3 + 2)"),
    ),
    RetrievalMetric(
        id="answers_cut",
        title="Answers cut",
        compute=_answers_cut,
        needs="index",
        better="lower",
        help="How many of the gold spans no single passage holds whole. Whatever is retrieved, it comes back in parts.",
        formula="gold spans that are whole in no passage of the index / gold spans",
        source="ours",
        example=(1.0, "10-20 lies across A and B, 40-50 across C and D"),
    ),
    RetrievalMetric(
        id="tokens_retrieved",
        title="Tokens retrieved",
        unit="tokens",
        high=None,
        better="lower",
        help="What a language model would have to read for each question, in cl100k tokens: what an answer costs.",
        formula="tokens of all retrieved passages added up",
        source="ours",
        example=(12.0, "5 + 3 + 4"),
        compute=lambda c: Result(float(sum(p.tokens for p in c.retrieved))),
    ),
)
"""Every metric of retrieval, in the order they are shown: those on which overlap has no hold come first."""
