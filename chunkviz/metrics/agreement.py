"""How well chunks agree: with boundaries that a reader set, and with the chunks of other strategies.

Against a reference, boundaries are taken to the gaps between the document's sentences, the gaps of `Curve.positions`,
and measured by `metrics.boundaries`. Between chunkings there is no tolerance: two boundaries are the same if only white
space lies between them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chunkviz.chunking import Chunking
from chunkviz.document import Document
from chunkviz.metrics import places
from chunkviz.metrics.base import Finding, Metric, Result
from chunkviz.metrics.boundaries import TOLERANCE, Bools, Ints, boundary_f1, pk, window_diff, window_size
from chunkviz.reference import Reference
from chunkviz.text.visible import visible

__all__ = [
    "TOLERANCE",
    "Agreement",
    "SharedBoundaries",
    "against",
    "agreement",
    "boundary_f1",
    "on_gaps",
    "pk",
    "shared_boundaries",
    "window_diff",
    "window_size",
]


# --- of a chunking with a reference ---------------------------------------------------------------------------------


def on_gaps(document: Document, positions: ArrayLike) -> tuple[Bools, int]:
    """Code points as boundaries over the document's sentence gaps, and how many stood inside a sentence.

    Returns bool (n - 1,), empty for fewer than two sentences. A position inside a sentence counts as the nearer end of
    it (the start, where both are equally near), but never as the start or the end of the document. Positions before
    all text and behind it are no boundaries.
    """
    starts, ends = places.sentences(document)
    n = len(starts)
    gaps = np.zeros(max(0, n - 1), dtype=bool)
    at = np.unique(np.asarray(positions, dtype=np.int64))
    if n == 0:
        return gaps, 0
    sentence = np.searchsorted(ends, at, side="right")
    at, sentence = at[sentence < n], sentence[sentence < n]
    inside = at > starts[sentence]
    nearer_end = inside & (ends[sentence] - at < at - starts[sentence])
    number = sentence + nearer_end  # of the sentence that the boundary stands before
    number = np.where(inside, np.clip(number, 1, max(1, n - 1)), number)
    gaps[number[(number > 0) & (number < n)] - 1] = True
    return gaps, int(inside.sum())


@dataclass(frozen=True, slots=True)
class Agreement:
    """One chunking against a reference.

    f1, precision, recall, pk, window_diff : see the functions of these names; None with a reason where undefined
    tolerance      : sentences
    window         : sentences, of `pk` and `window_diff`
    sentences      : how many the document has
    pairs          : (where the reference has a boundary, where the chunking has it), code points
    missing, extra : boundaries of the reference that the chunking lacks, and the other way round: code points at which
                     the sentence behind the boundary starts
    inside         : chunk starts in the middle of a sentence; each was taken for the nearer end of the sentence
    """

    f1: Result
    precision: Result
    recall: Result
    pk: Result
    window_diff: Result
    tolerance: int
    window: int
    sentences: int
    pairs: tuple[tuple[int, int], ...]
    missing: tuple[int, ...]
    extra: tuple[int, ...]
    inside: int


def agreement(
    chunking: Chunking, reference: Reference, tolerance: int = TOLERANCE, window: int | None = None
) -> Agreement:
    """Compare where chunks start, the first chunk aside, with the boundaries of a reference.

    Both are taken to the gaps between the document's sentences, see `on_gaps`. Where chunks overlap, a boundary is
    where the later chunk starts, that is, before the text that both hold.
    Findings of `recall` are the missing boundaries, those of `precision` the extra ones.
    Raises `ValueError` for a reference of another document, a negative tolerance and a window below 1.
    """
    document = chunking.document
    if reference.fingerprint != document.fingerprint:
        raise ValueError("the reference belongs to another document")
    spans = places.sentences(document)
    wanted, _ = on_gaps(document, reference.positions)
    made, inside = on_gaps(document, _later_starts(chunking))
    score = boundary_f1(wanted, made, tolerance)
    size = window_size(wanted) if window is None else window

    def at(gaps: Sequence[int]) -> tuple[int, ...]:
        return tuple(spans[0][np.array(gaps, dtype=np.int64) + 1].tolist())

    def found(gaps: Sequence[int]) -> tuple[Finding, ...]:
        return places.findings(chunking, spans, [gap + 1 for gap in gaps]) if chunking.chunks else ()

    return Agreement(
        f1=score.f1,
        precision=Result(score.precision.value, score.precision.reason, score.precision.of, found(score.extra)),
        recall=Result(score.recall.value, score.recall.reason, score.recall.of, found(score.missing)),
        pk=pk(wanted, made, size),
        window_diff=window_diff(wanted, made, size),
        tolerance=tolerance,
        window=size,
        sentences=len(spans[0]),
        pairs=tuple(zip(at([a for a, _ in score.pairs]), at([b for _, b in score.pairs]), strict=True)),
        missing=at(score.missing),
        extra=at(score.extra),
        inside=inside,
    )


def _later_starts(chunking: Chunking) -> Ints:
    """Where chunks start, each place once, without the first of them: there nothing is parted."""
    return np.unique(np.array([c.start for c in chunking.chunks], dtype=np.int64))[1:]


def against(reference: Reference, tolerance: int = TOLERANCE, window: int | None = None) -> tuple[Metric, ...]:
    """The measures above as declared metrics of a chunking, for tables that show metrics of any kind."""

    @lru_cache(maxsize=8)  # five metrics of a column share one comparison
    def of(chunking: Chunking) -> Agreement:
        return agreement(chunking, reference, tolerance, window)

    within = "exactly" if tolerance == 0 else f"within {tolerance} sentence{'s' if tolerance > 1 else ''}"

    def metric(
        id_: str, title: str, better: Literal["lower", "higher"], help_: str, formula: str, source: str,
        compute: Callable[[Chunking], Result],
    ) -> Metric:  # fmt: skip
        return Metric(
            id=f"agreement.{id_}", title=title, unit="share", low=0, high=1, better=better,
            help=help_, formula=formula, source=source, compute=compute,
        )  # fmt: skip

    return (
        metric(
            "f1", "Boundary F1", "higher", f"How well cuts and the reference's boundaries match, {within}.",
            "2 x matched / (cuts + boundaries of the reference), matched one to one", "ours",
            lambda c: of(c).f1,
        ),
        metric(
            "precision", "Boundary precision", "higher", f"Cuts that stand at a boundary of the reference, {within}.",
            "matched / cuts", "ours", lambda c: of(c).precision,
        ),
        metric(
            "recall", "Boundary recall", "higher", f"Boundaries of the reference that have a cut, {within}.",
            "matched / boundaries of the reference", "ours", lambda c: of(c).recall,
        ),
        metric(
            "pk", "Pk", "lower", "Pairs of sentences that are together here and apart in the reference, or the reverse.",
            "of the sentences i and i + k, share of pairs parted by one side only; k = half the reference's mean segment",
            "Beeferman, Berger, Lafferty 1999", lambda c: of(c).pk,
        ),
        metric(
            "window_diff", "WindowDiff", "lower", "Windows that hold more or fewer cuts than the reference has boundaries.",
            "of the windows from sentence i to i + k, share with another number of boundaries; k as for Pk",
            "Pevzner, Hearst 2002", lambda c: of(c).window_diff,
        ),
    )  # fmt: skip


# --- between chunkings ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class SharedBoundaries:
    """Every place where at least one of several chunkings starts a chunk, and which of them do.

    positions : int64 (m,), code points in order: the first visible character behind the boundary
    has       : bool (m, columns), whether the column starts a chunk there
    f1        : float64 (columns, columns), exact boundary F1 of each pair; NaN where neither has a boundary
    """

    positions: Ints
    has: Bools
    f1: NDArray[np.float64]

    @property
    def everywhere(self) -> Ints:
        """int64, the boundaries that all columns have."""
        found: Ints = self.positions[self.has.all(axis=1)]
        return found

    def alone(self, column: int) -> Ints:
        """int64, the boundaries that only this column has; none where it is the only column."""
        lonely = self.has[:, column] & (self.has.sum(axis=1) == 1)
        found: Ints = self.positions[lonely & (self.has.shape[1] > 1)]
        return found

    @property
    def score(self) -> Result:
        """Agreement of all: the mean of `f1` over the pairs of columns that have a boundary, in [0, 1]."""
        values = [float(self.f1[a, b]) for a, b in combinations(range(self.has.shape[1]), 2)]
        known = [v for v in values if not np.isnan(v)]
        if known:
            return Result(sum(known) / len(known), of=len(known))
        return Result(None, "no column has a boundary" if values else "one column has nothing to agree with")


def shared_boundaries(chunkings: Sequence[Chunking]) -> SharedBoundaries:
    """Which chunkings of one document have which boundaries: where chunks start, the first chunk of each aside.

    Boundaries are compared by how many visible characters stand before them, as the viewer's differences are.
    Raises `ValueError` for no chunking at all and for chunkings of more than one document.
    """
    if not chunkings:
        raise ValueError("there is no chunking to compare")
    document = chunkings[0].document
    if any(c.document.fingerprint != document.fingerprint for c in chunkings):
        raise ValueError("only chunkings of one document can be compared")
    ink = visible(document).at
    each: list[Ints] = []
    for chunking in chunkings:
        first = chunking.chunks[0].start if chunking.chunks else 0
        before = np.unique(np.searchsorted(ink, _later_starts(chunking)))
        # Chunks without a visible character make no boundary: nothing stands before it, or nothing behind.
        each.append(before[(before > np.searchsorted(ink, first)) & (before < len(ink))])
    every = np.unique(np.concatenate(each))
    has = np.column_stack([np.isin(every, one) for one in each])
    counts = has.sum(axis=0)
    both = has.T.astype(np.int64) @ has.astype(np.int64)
    total = counts[:, None] + counts[None, :]
    f1 = np.divide(2 * both, total, out=np.full(total.shape, np.nan), where=total > 0)
    return SharedBoundaries(ink[every], has, f1)
