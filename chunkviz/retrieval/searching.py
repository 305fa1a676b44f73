"""Search: rank all passages of an index for each question, and cut the ranking where a reader stops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from chunkviz.embed import Progress, VectorStore
from chunkviz.passages import Passage
from chunkviz.retrieval import keyword
from chunkviz.retrieval.dense import Cost, similarities
from chunkviz.retrieval.filters import allowed
from chunkviz.retrieval.fusion import reciprocal_rank_fusion
from chunkviz.retrieval.index import Index
from chunkviz.retrieval.models import model
from chunkviz.retrieval.options import RetrievalOptions
from chunkviz.retrieval.rerank import CrossEncoder, LateInteraction, PairScorer, scored
from chunkviz.units import DEFAULT_UNIT, unit

Tell = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done and how much there is; may raise to stop."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One passage that came back.

    passage : what is returned; where near duplicates were merged, all of them
    members : numbers of the index's passages in it, the best first
    entry   : number of the entry that was found
    rank    : 1-based
    score   : cosine, BM25, or sum of reciprocal ranks; after reranking, the reranker's
    before  : rank before reranking; the rank itself where nothing was reranked
    """

    passage: Passage
    members: tuple[int, ...]
    entry: int
    rank: int
    score: float
    before: int


@dataclass(frozen=True, eq=False)
class Searched:
    """The rankings of all questions.

    orders  : for each question int64 (m,), numbers of passages, best first; m may be less than there are
    scores  : for each question float32 (m,), in that order
    entries : for each question int64 (m,), the entry by which each passage was found
    before  : for each question int64 (m,), ranks before reranking
    """

    index: Index
    options: RetrievalOptions
    orders: list[NDArray[np.int64]]
    scores: list[NDArray[np.float32]]
    entries: list[NDArray[np.int64]]
    before: list[NDArray[np.int64]]
    cost: Cost
    label: str = ""

    def hits(self, question: int, *, k: int | None = None, tokens: int | None = None) -> list[Hit]:
        """What comes back for a question: `k` passages, or as many as fit into so many cl100k tokens.

        The last passage of a token budget is cut off where the budget ends, so that every recipe is read equally far.
        """
        found: list[Hit] = []
        spent = 0
        for at, number in enumerate(self.orders[question].tolist()):
            passage = self.index.passages[number]
            twin = _twin(passage, found, self.options.merge)
            if twin is not None:
                old = found[twin]
                joined = self._united(old.passage, passage)
                more = joined.tokens - old.passage.tokens
                if tokens is not None and spent + more > tokens:
                    break
                found[twin] = replace(old, passage=joined, members=(*old.members, number))
                spent += more
                continue
            if len(found) == k:
                break
            if tokens is not None and spent + passage.tokens > tokens:
                passage = self._beginning(passage, tokens - spent)
            if not passage.length:
                break
            spent += passage.tokens
            entry, before = int(self.entries[question][at]), int(self.before[question][at])
            score = float(self.scores[question][at])
            found.append(Hit(passage, (number,), entry, len(found) + 1, score, before))
            if tokens is not None and spent >= tokens:
                break
        return found

    def _united(self, a: Passage, b: Passage) -> Passage:
        return self._passage(a.document, min(a.start, b.start), max(a.end, b.end))

    def _beginning(self, passage: Passage, tokens: int) -> Passage:
        """What of a passage so many tokens hold; empty for none."""
        borders = unit(DEFAULT_UNIT).measure(self.index.documents[passage.document]).borders
        first = int(np.searchsorted(borders, passage.start, side="left"))
        # A token or two more may be counted where the text is cut than in its place: then it is cut earlier.
        for last in range(min(first + tokens, len(borders) - 1), first, -1):
            part = self._passage(passage.document, passage.start, min(int(borders[last]), passage.end))
            if part.tokens <= tokens:
                return part
        return replace(passage, end=passage.start, tokens=0)

    def _passage(self, name: str, start: int, end: int) -> Passage:
        document = self.index.documents[name]
        return Passage(
            name, start, end, unit(DEFAULT_UNIT).measure(document).count(start, end), document.pages_of(start, end)
        )


def _twin(passage: Passage, found: Sequence[Hit], share: float) -> int | None:
    """The first hit that shares at least this part of the shorter of the two; None for none, and where share is 0."""
    if share:
        for i, hit in enumerate(found):
            other = hit.passage
            shared = min(passage.end, other.end) - max(passage.start, other.start)
            if other.document == passage.document and shared >= share * min(passage.length, other.length):
                return i
    return None


def search(
    index: Index,
    questions: Sequence[str],
    options: RetrievalOptions,
    *,
    store: VectorStore | None = None,
    tell: Tell | None = None,
) -> Searched:
    """Rank the passages of an index for every question.

    store : where vectors and scores are kept, by default that of this process
    Raises `EmbedderError` where a model cannot be loaded, `ParameterError` for a filter that means nothing.
    """
    cost = Cost()
    lists: list[NDArray[np.float32]] = []
    if index.entries and questions:
        if options.embeds:
            lists += similarities(index, questions, options, cost, store=store, progress=_progress(tell))
        if options.retriever in ("keyword", "hybrid"):
            by_words = keyword.scores([e.text for e in index.entries], questions)
            lists.append(np.where(by_words > 0, by_words, -np.inf).astype(np.float32))
        closed = ~allowed(index, options.filter)
        for matrix in lists:
            matrix[:, closed] = -np.inf
    found = [_ranked(index, [matrix[q] for matrix in lists]) for q in range(len(questions))]
    before = [np.arange(1, len(order) + 1) for order, _, _ in found]
    made = Searched(index, options, [f[0] for f in found], [f[1] for f in found], [f[2] for f in found], before, cost)
    scorer = _scorer(options)
    return made if scorer is None else _reranked(made, questions, scorer, store, tell)


def _progress(tell: Tell | None) -> Progress | None:
    if tell is None:
        return None
    return lambda done, total, vectors: tell("embedding", done, total)


def _ranked(
    index: Index, lists: Sequence[NDArray[np.float32]]
) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.int64]]:
    """Passages best first, their scores, and the entry each was found by. Equal scores: the earlier passage first."""
    size = len(index.passages)
    orders, values, by = [], [], np.full(size, -1, dtype=np.int64)
    for row in lists:
        best, entry = _of_passages(index, row)
        by = np.where(by < 0, entry, by)
        order = np.argsort(-best, kind="stable")
        orders.append(order[: int(np.isfinite(best).sum())])
        values.append(best)
    if not orders:
        return np.empty(0, np.int64), np.empty(0, np.float32), np.empty(0, np.int64)
    if len(orders) == 1:
        return orders[0], values[0][orders[0]], by[orders[0]]
    joined = reciprocal_rank_fusion(orders, size)
    order = np.argsort(-joined, kind="stable")
    order = order[: int((joined > 0).sum())]
    return order, joined[order].astype(np.float32), by[order]


def _of_passages(index: Index, row: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """The best score of each passage's entries, and the first entry that has it; -inf and -1 for none."""
    best = np.full(len(index.passages), -np.inf, dtype=np.float32)
    np.maximum.at(best, index.passage_of, row)
    entry = np.full(len(best), -1, dtype=np.int64)
    winning = np.flatnonzero((row == best[index.passage_of]) & np.isfinite(row))[::-1]
    entry[index.passage_of[winning]] = winning  # from the back, so that the first is what stays
    return best, entry


def _scorer(options: RetrievalOptions) -> PairScorer | None:
    if options.reranker == "late_interaction":
        return LateInteraction(model(options.model, options.precision))
    return CrossEncoder(options.cross_encoder) if options.reranker == "cross_encoder" else None


def _reranked(
    made: Searched, questions: Sequence[str], scorer: PairScorer, store: VectorStore | None, tell: Tell | None
) -> Searched:
    """The first of each ranking in the order of the reranker's scores; the rest stays behind them as it was."""
    top = made.options.candidates
    pairs = [
        (question, made.index.entries[entry].text)
        for question, entries in zip(questions, made.entries, strict=True)
        for entry in entries[:top].tolist()
    ]
    told = None if tell is None else (lambda done, total: tell("reranking", done, total))
    values = scored(scorer, pairs, store=store, tell=told)
    at = 0
    rows = []
    for order, scores, entries, before in zip(made.orders, made.scores, made.entries, made.before, strict=True):
        own = values[at : at + min(top, len(order))]
        at += len(own)
        sort = np.argsort(-own, kind="stable")
        moved = np.concatenate((sort, np.arange(len(own), len(order))))
        # Behind the reranked ones the first search's scores go on; the two kinds are not comparable.
        rows.append((order[moved], np.concatenate((own[sort], scores[len(own) :])), entries[moved], before[moved]))
    return replace(
        made,
        orders=[row[0] for row in rows],
        scores=[row[1] for row in rows],
        entries=[row[2] for row in rows],
        before=[row[3] for row in rows],
        label=scorer.label,
    )
