"""Agreement of boundaries: hand-worked values, slow ways plain to see, two published implementations, and liars."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, pairwise, product
from typing import Any

import numpy as np
import pytest
import segeval
from awkward import awkward_text
from hypothesis import given
from hypothesis import strategies as st
from nltk.metrics import segmentation as nltk_windows
from viewer_vectors import chunking_of

import chunkviz
from chunkviz import samples
from chunkviz.chunking import Chunking
from chunkviz.differences import differences
from chunkviz.document import Document
from chunkviz.graphemes import graphemes
from chunkviz.metrics.agreement import (
    Agreement,
    against,
    agreement,
    boundary_f1,
    on_gaps,
    pk,
    shared_boundaries,
    window_diff,
    window_size,
)
from chunkviz.metrics.matching import matched
from chunkviz.reference import from_chunking, from_positions, of_sample
from chunkviz.text.sentences import document_sentences

Match = Callable[[Sequence[int], Sequence[int], int], list[tuple[int, int]]]
Windows = Callable[[Sequence[int], Sequence[int], int], float]


def gaps(most: int = 40) -> st.SearchStrategy[tuple[list[int], list[int]]]:
    """Two sets of boundaries over the same gaps."""
    pair = st.tuples(st.sampled_from((0, 0, 0, 1)), st.sampled_from((0, 0, 0, 1)))
    return st.lists(pair, max_size=most).map(lambda rows: ([a for a, _ in rows], [b for _, b in rows]))


# --- matching -------------------------------------------------------------------------------------------------------


def every_matching(left: Sequence[int], right: Sequence[int], tolerance: int) -> Iterator[list[tuple[int, int]]]:
    """All ways to match one to one, crossing ones too."""
    if not left:
        yield []
        return
    yield from every_matching(left[1:], right, tolerance)
    for b in right:
        if abs(left[0] - b) <= tolerance:
            for rest in every_matching(left[1:], [r for r in right if r != b], tolerance):
                yield [(left[0], b), *rest]


def quality(pairs: list[tuple[int, int]]) -> tuple[int, int]:
    return len(pairs), -sum(abs(a - b) for a, b in pairs)


def check_matching(match: Match) -> None:
    """On all pairs of sets of five neighbouring points."""
    sets = [[p for p in range(5) if bits >> p & 1] for bits in range(32)]
    for left, right, tolerance in product(sets, sets, (0, 1, 2)):
        pairs = match(left, right, tolerance)
        assert all(a in left and b in right and abs(a - b) <= tolerance for a, b in pairs)
        assert len({a for a, _ in pairs}) == len({b for _, b in pairs}) == len(pairs)
        assert quality(pairs) == max(map(quality, every_matching(left, right, tolerance)))


def test_matching_is_the_best_of_all() -> None:
    check_matching(matched)


def first_come(left: Sequence[int], right: Sequence[int], tolerance: int) -> list[tuple[int, int]]:
    """A liar: as many pairs, but it takes a neighbour where the very place is there."""
    pairs, rest = [], list(right)
    for a in left:
        near = [b for b in rest if abs(a - b) <= tolerance]
        if near:
            pairs.append((a, near[0]))
            rest.remove(near[0])
    return pairs


def exact_first(left: Sequence[int], right: Sequence[int], tolerance: int) -> list[tuple[int, int]]:
    """A liar: equal places first, which can cost a pair."""
    same = [(a, a) for a in left if a in right]
    rest = [a for a in left if a not in right], [b for b in right if b not in left]
    return sorted(same + first_come(*rest, tolerance))


def many_to_one(left: Sequence[int], right: Sequence[int], tolerance: int) -> list[tuple[int, int]]:
    """A liar: one boundary serves all its neighbours."""
    return [(a, min(right, key=lambda b: abs(a - b))) for a in left if any(abs(a - b) <= tolerance for b in right)]


@pytest.mark.parametrize("liar", [first_come, exact_first, many_to_one])
def test_the_matching_check_can_fail(liar: Match) -> None:
    with pytest.raises(AssertionError):
        check_matching(liar)


def test_matching_of_many_points() -> None:
    left = list(range(0, 60_000, 2))
    assert matched(left, [a + 1 for a in left], 1) == [(a, a + 1) for a in left]
    assert matched(left, [], 3) == matched([], left, 3) == []


# --- boundary F1 ----------------------------------------------------------------------------------------------------


def test_f1_by_hand() -> None:
    reference, cut = [0, 1, 0, 0, 1, 0, 1], [0, 0, 1, 1, 0, 0, 1]
    exact, near = boundary_f1(reference, cut, 0), boundary_f1(reference, cut, 1)
    assert (exact.precision.value, exact.recall.value, exact.f1.value) == (1 / 3, 1 / 3, 1 / 3)
    assert (exact.pairs, exact.missing, exact.extra) == (((6, 6),), (1, 4), (2, 3))
    assert (near.f1.value, near.pairs, near.missing, near.extra) == (1.0, ((1, 2), (4, 3), (6, 6)), (), ())


def test_two_cuts_beside_one_boundary_find_it_once() -> None:
    score = boundary_f1([0, 0, 1, 0, 0], [0, 1, 0, 1, 0])
    assert (score.precision.value, score.recall.value, score.f1.value) == (0.5, 1.0, 2 / 3)


def test_what_is_undefined_says_why() -> None:
    nothing, something = [0, 0, 0], [0, 1, 0]
    both = boundary_f1(nothing, nothing)
    assert both.precision.value is both.recall.value is both.f1.value is None
    assert both.precision.reason
    assert both.recall.reason
    assert both.f1.reason
    no_cut, no_reference = boundary_f1(something, nothing), boundary_f1(nothing, something)
    assert (no_cut.precision.value, no_cut.recall.value, no_cut.f1.value) == (None, 0.0, 0.0)
    assert (no_reference.precision.value, no_reference.recall.value, no_reference.f1.value) == (0.0, None, 0.0)
    for measure in (pk, window_diff):
        assert measure([0], [1]).value is None
        assert "2" in measure([0], [1]).reason
        assert measure([], []).value is None


@given(gaps(), st.integers(0, 4))
def test_f1_is_the_harmonic_mean_and_swapping_swaps(both: tuple[list[int], list[int]], tolerance: int) -> None:
    there, back = boundary_f1(*both, tolerance), boundary_f1(both[1], both[0], tolerance)
    assert there.f1.value == back.f1.value
    assert (there.precision.value, there.recall.value) == (back.recall.value, back.precision.value)
    p, r = there.precision.value, there.recall.value
    if p and r:
        assert there.f1.value == pytest.approx(2 * p * r / (p + r))
    wider = boundary_f1(*both, tolerance + 1)
    assert (wider.f1.value or 0) >= (there.f1.value or 0)


@given(gaps())
def test_equal_sets_agree(both: tuple[list[int], list[int]]) -> None:
    one = both[0]
    score = boundary_f1(one, one)
    assert score.f1.value == (1.0 if any(one) else None)
    assert (score.missing, score.extra) == ((), ())
    for measure in (pk, window_diff):
        assert measure(one, one).value == (0.0 if len(one) + 1 > window_size(one) else None)


@pytest.mark.parametrize("measure", [boundary_f1, pk, window_diff])
def test_wrong_arguments_are_refused(measure: Any) -> None:
    with pytest.raises(ValueError, match="same text"):
        measure([0, 1], [0, 1, 0])
    with pytest.raises(ValueError, match="one dimension"):
        measure([[0, 1]], [[0, 1]])
    with pytest.raises(ValueError, match="must be"):
        measure([0, 1], [0, 1], -1)


# --- Pk and WindowDiff ----------------------------------------------------------------------------------------------


def labels(boundaries: Sequence[int]) -> list[int]:
    """The number of the segment that each sentence is in."""
    return [sum(boundaries[:i]) for i in range(len(boundaries) + 1)]


def slow_pk(reference: Sequence[int], cut: Sequence[int], k: int) -> float:
    a, b = labels(reference), labels(cut)
    pairs = [(i, i + k) for i in range(len(a)) if i + k < len(a)]
    return sum((a[i] == a[j]) != (b[i] == b[j]) for i, j in pairs) / len(pairs)


def slow_window_diff(reference: Sequence[int], cut: Sequence[int], k: int) -> float:
    windows = [range(i, i + k) for i in range(len(cut) + 1 - k)]
    return sum(sum(reference[g] for g in w) != sum(cut[g] for g in w) for w in windows) / len(windows)


def check_windows(fast_pk: Windows, fast_window_diff: Windows) -> None:
    """On all pairs of sets of boundaries in texts of two to six sentences, with all windows."""
    for n in range(2, 7):
        for reference, cut in product(product((0, 1), repeat=n - 1), repeat=2):
            for k in range(1, n):
                assert fast_pk(reference, cut, k) == slow_pk(reference, cut, k)
                assert fast_window_diff(reference, cut, k) == slow_window_diff(reference, cut, k)


def value_of(measure: Any) -> Windows:
    return lambda reference, cut, k: measure(reference, cut, k).value


def test_windows_are_what_the_definitions_say() -> None:
    check_windows(value_of(pk), value_of(window_diff))


def one_window_more(reference: Sequence[int], cut: Sequence[int], k: int) -> float:
    """A liar: divides by n - k + 1."""
    return slow_pk(reference, cut, k) * (len(cut) + 1 - k) / (len(cut) + 2 - k)


@pytest.mark.parametrize(
    ("first", "second"), [(one_window_more, slow_window_diff), (slow_pk, slow_pk), (slow_window_diff, slow_window_diff)]
)
def test_the_window_check_can_fail(first: Windows, second: Windows) -> None:
    with pytest.raises(AssertionError):
        check_windows(first, second)


def masses(boundaries: Sequence[int]) -> tuple[int, ...]:
    """Lengths of the segments, as segeval takes them."""
    edges = [0, *(i + 1 for i, b in enumerate(boundaries) if b), len(boundaries) + 1]
    return tuple(b - a for a, b in pairwise(edges))


@given(gaps(), st.none() | st.integers(1, 12))
def test_windows_agree_with_segeval(both: tuple[list[int], list[int]], window: int | None) -> None:
    reference, cut = both
    k = segeval.compute_window_size(masses(reference))
    assert window_size(reference) == k
    k = window or k
    for ours, theirs in ((pk, segeval.pk), (window_diff, segeval.window_diff)):
        found = ours(reference, cut, window)
        if len(cut) + 1 <= k:
            assert found.value is None
        else:
            assert found.value == pytest.approx(float(theirs(masses(cut), masses(reference), window_size=k)), abs=1e-12)


@given(gaps(), st.integers(1, 12))
def test_windows_agree_with_nltk_over_the_gaps(both: tuple[list[int], list[int]], k: int) -> None:
    reference, cut = ("".join(map(str, one)) for one in both)
    n = len(cut) + 1
    for ours, theirs in ((pk, nltk_windows.pk), (window_diff, nltk_windows.windowdiff)):
        found = ours(both[0], both[1], k).value
        if found is not None:
            assert found == pytest.approx(theirs(reference, cut, k=k), abs=1e-12)
            # Handed one character for each sentence, the last ending nothing, it slides over one window more.
            padded = theirs(reference + "0", cut + "0", k=k) * (n - k + 1)
            assert round(padded) - round(found * (n - k)) in (0, 1)


@given(gaps(), st.integers(1, 8))
def test_window_diff_is_never_below_pk_and_both_are_symmetric(both: tuple[list[int], list[int]], k: int) -> None:
    a, b = pk(*both, k).value, window_diff(*both, k).value
    if a is not None and b is not None:
        assert 0 <= a <= b <= 1
    assert pk(both[1], both[0], k).value == a
    assert window_diff(both[1], both[0], k).value == b


def test_window_is_half_the_mean_segment() -> None:
    assert window_size([0] * 19) == 10
    assert window_size([0] * 9 + [1] + [0] * 10) == 5  # 21 sentences, two segments: 5.25
    assert window_size([1] * 19) == 2
    assert window_size([0] * 4) == 2  # 2.5, to the even number
    assert window_size([]) == 2


# --- onto the gaps between sentences --------------------------------------------------------------------------------


TEXT = "One two.  Three four. Five six. Seven."
#       0         10          22        32


@pytest.mark.parametrize(
    ("position", "gap", "inside"),
    [
        (0, None, 0),
        (2, 0, 1),  # in the first sentence: a cut is a cut, though the nearer end is the start of the text
        (7, 0, 1),
        (8, 0, 0),  # the white space before a sentence belongs to its start
        (10, 0, 0),
        (12, 0, 1),
        (18, 1, 1),
        (22, 1, 0),
        (26, 1, 1),  # 4 from the start, 5 from the end
        (27, 2, 1),
        (32, 2, 0),
        (37, 2, 1),  # in the last sentence: there is no gap behind it
        (38, None, 0),
    ],
)
def test_positions_on_gaps_by_hand(position: int, gap: int | None, inside: int) -> None:
    found, in_sentences = on_gaps(Document(TEXT), [position])
    assert np.flatnonzero(found).tolist() == ([] if gap is None else [gap])
    assert in_sentences == inside


def test_a_tie_goes_to_the_start() -> None:
    assert np.flatnonzero(on_gaps(Document("Ab. Cdefg. Hi."), [7])[0]).tolist() == [0]


@given(awkward_text(12), st.data())
def test_positions_on_gaps_the_slow_way(text: str, data: st.DataObject) -> None:
    document = Document(text)
    spans = document_sentences(document)
    positions = data.draw(st.lists(st.integers(0, len(text)), max_size=6))
    expected = set()
    for at in positions:
        ink_before = text[:at].strip() != ""
        rest = [i for i, s in enumerate(spans) if s.end > at]
        if not rest:
            continue
        i = rest[0]
        if spans[i].start < at:
            i += spans[i].end - at < at - spans[i].start
            i = min(max(i, 1), len(spans) - 1)
        elif not ink_before:
            continue
        if i > 0:
            expected.add(i - 1)
    found, _ = on_gaps(document, positions)
    assert len(found) == max(0, len(spans) - 1)
    assert set(np.flatnonzero(found).tolist()) == expected


# --- a chunking and a reference -------------------------------------------------------------------------------------


def test_agreement_by_hand() -> None:
    document = Document(TEXT)
    reference = from_positions(document, [10, 32])
    cut = chunking_of(document, [(0, 22), (22, 35), (35, 38)])
    found = agreement(cut, reference, tolerance=0)
    assert (found.sentences, found.inside, found.window) == (4, 1, 2)
    assert (found.pairs, found.missing, found.extra) == (((32, 32),), (10,), (22,))
    assert (found.precision.value, found.recall.value, found.f1.value) == (0.5, 0.5, 0.5)
    # Gaps 1 0 1 and 0 1 1, windows of two: one boundary against one, one against two.
    assert (found.pk.value, found.window_diff.value) == (0.0, 0.5)
    assert [(f.start, f.text) for f in found.recall.findings] == [(10, "Three four.")]
    assert [(f.start, f.chunk) for f in found.precision.findings] == [(22, 1)]
    assert agreement(cut, reference).f1.value == 1.0


def test_the_first_chunk_parts_nothing_and_overlap_counts_from_its_start() -> None:
    document = Document(TEXT)
    cut = chunking_of(document, [(10, 31), (22, 38)])  # the first sentence is left out, the third is in both
    found = agreement(cut, from_positions(document, [22]), tolerance=0)
    assert (found.f1.value, found.pk.value, found.inside) == (1.0, 0.0, 0)


def test_no_chunk_at_all_misses_everything() -> None:
    document = Document(TEXT)
    found = agreement(chunking_of(document, []), from_positions(document, [10, 22]))
    assert (found.precision.value, found.recall.value, found.f1.value) == (None, 0.0, 0.0)
    assert (found.missing, found.recall.findings) == ((10, 22), ())


@pytest.mark.parametrize("text", ["", " \n ", "One sentence only."])
def test_texts_without_a_gap(text: str) -> None:
    document = Document(text)
    cut = chunking_of(document, [(0, len(text))] if text.strip() else [])
    found = agreement(cut, from_positions(document, []))
    assert all(
        r.value is None and r.reason for r in (found.f1, found.precision, found.recall, found.pk, found.window_diff)
    )


@given(awkward_text(12), st.data())
def test_a_chunking_agrees_with_itself(text: str, data: st.DataObject) -> None:
    document = Document(text)
    clusters = graphemes(document)
    starts = {clusters.floor(at) for at in data.draw(st.sets(st.integers(0, len(text)), max_size=6))}
    edges = sorted({0, *starts, len(text)})
    cut = chunking_of(document, list(pairwise(edges)))
    found = agreement(cut, from_chunking(cut))
    assert found.f1.value in (1.0, None)
    assert found.pk.value in (0.0, None)
    assert found.window_diff.value in (0.0, None)
    assert (found.missing, found.extra) == ((), ())


def test_a_reference_of_another_text_is_refused() -> None:
    with pytest.raises(ValueError, match="another document"):
        agreement(chunking_of(Document(TEXT), [(0, 38)]), from_positions(Document(TEXT + " "), []))


@pytest.fixture(scope="module")
def transcript() -> Document:
    return chunkviz.load(samples.FOLDER / "call_transcript.txt")


def test_cuts_by_size_miss_the_topics_of_the_transcript(transcript: Document) -> None:
    """The trap of this sample: nothing in its layout says where a topic ends."""
    reference = of_sample("call_transcript", transcript)
    assert reference is not None
    blind = agreement(chunkviz.chunk(transcript, "fixed", size=256, overlap=0), reference)
    by_hand = agreement(chunking_of(transcript, spans_at(transcript, reference.positions)), reference, tolerance=0)
    assert (blind.f1.value or 0) < 0.3
    assert (blind.pk.value or 0) > 0.3
    assert (by_hand.f1.value, by_hand.pk.value, by_hand.window_diff.value) == (1.0, 0.0, 0.0)


def spans_at(document: Document, positions: Sequence[int]) -> list[tuple[int, int]]:
    return list(zip([0, *positions], [*positions, len(document.text)], strict=True))


def test_declared_metrics_give_the_same_numbers(transcript: Document) -> None:
    reference = of_sample("call_transcript", transcript)
    assert reference is not None
    cut = chunkviz.chunk(transcript, "sentence")
    plain: Agreement = agreement(cut, reference, 2)
    metrics = against(reference, 2)
    assert [m.id for m in metrics] == [
        f"agreement.{name}" for name in ("f1", "precision", "recall", "pk", "window_diff")
    ]
    for metric in metrics:
        assert metric.compute(cut) == getattr(plain, metric.id.removeprefix("agreement."))
        assert (metric.low, metric.high) == (0, 1)
        assert metric.better == ("lower" if metric.id.endswith(("pk", "diff")) else "higher")
    assert "within 2 sentences" in metrics[0].help
    assert "exactly" in against(reference, 0)[0].help


# --- between chunkings ----------------------------------------------------------------------------------------------


def test_shared_boundaries_by_hand() -> None:
    document = Document("aa bb cc dd")
    cuts = [
        chunking_of(document, [(0, 2), (2, 5), (6, 11)]),
        chunking_of(document, [(0, 3), (3, 11)]),
        chunking_of(document, [(0, 2), (3, 8), (9, 11)]),
        chunking_of(document, [(0, 11)]),
    ]
    found = shared_boundaries(cuts)
    assert found.positions.tolist() == [3, 6, 9]
    assert found.has.tolist() == [[True, True, True, False], [True, False, False, False], [False, False, True, False]]
    assert found.everywhere.tolist() == []
    assert [found.alone(i).tolist() for i in range(4)] == [[6], [], [9], []]
    assert found.f1[0].tolist() == pytest.approx([1, 2 / 3, 0.5, 0])
    assert np.isnan(found.f1[3, 3])
    assert found.score.value == pytest.approx((2 / 3 + 0.5 + 0 + 2 / 3 + 0 + 0) / 6)
    three = shared_boundaries(cuts[:3])
    assert three.everywhere.tolist() == [3]


def test_agreement_of_few_columns() -> None:
    document = Document("aa bb")
    whole, parted = chunking_of(document, [(0, 5)]), chunking_of(document, [(0, 2), (3, 5)])
    one = shared_boundaries([parted])
    assert one.score.value is None
    assert one.everywhere.tolist() == [3]
    assert one.alone(0).tolist() == []
    assert shared_boundaries([whole, whole]).score == chunkviz.metrics.Result(None, "no column has a boundary")
    assert shared_boundaries([parted, parted]).score.value == 1.0
    assert shared_boundaries([parted, whole]).score.value == 0.0
    assert shared_boundaries([chunking_of(Document(""), [])] * 2).positions.tolist() == []
    with pytest.raises(ValueError, match="no chunking"):
        shared_boundaries([])
    with pytest.raises(ValueError, match="one document"):
        shared_boundaries([parted, chunking_of(Document("aa bb "), [(0, 6)])])


@given(awkward_text(12), st.data())
def test_what_is_not_shared_is_what_the_viewer_marks(text: str, data: st.DataObject) -> None:
    document = Document(text)
    cuts: list[Chunking] = []
    for _ in range(data.draw(st.integers(2, 4))):
        starts = data.draw(st.sets(st.integers(0, len(text)), max_size=5))
        edges = sorted({0, *starts, len(text)})
        cuts.append(chunking_of(document, list(pairwise(edges))))
    found = shared_boundaries(cuts)
    ink = [i for i, c in enumerate(text) if not c.isspace()]
    # The viewer also marks chunks of white space alone, before the first character and behind the last.
    marked = [at for at in differences(cuts) if ink and ink[0] < at <= ink[-1]]
    assert found.positions[~found.has.all(axis=1)].tolist() == marked
    assert np.array_equal(found.f1, found.f1.T, equal_nan=True)
    for a, b in combinations(range(len(cuts)), 2):
        two = boundary_f1(found.has[:, a], found.has[:, b], 0).f1.value
        assert two == found.f1[a, b] or (two is None and np.isnan(found.f1[a, b]))
