"""The similarity curve, its thresholds and the cuts: against plain definitions, LangChain's, and the embedding library."""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fake_embedders import hashed
from hypothesis import given
from hypothesis import strategies as st
from scipy.signal import find_peaks, peak_prominences
from turns_vectors import FILE, as_json, units

import chunkviz
from chunkviz import Document, Recipe, embed, samples
from chunkviz.embed import minilm
from chunkviz.similarity import KINDS, prominences, regroup, similarities
from chunkviz.similarity.optimal import band, best_cuts, reaches
from chunkviz.similarity.thresholds import separating, spread

THREE = ("semantic", "semantic_structure", "semantic_optimal")


def unit_rows(n: int, d: int = 8, seed: int = 0) -> np.ndarray[Any, np.dtype[np.float32]]:
    rows = np.random.default_rng(seed).normal(size=(n, d)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def slow_similarities(vectors: Any, telling: Any, window: int) -> list[float | None]:
    """The definition, sentence by sentence."""
    at = [i for i in range(len(vectors)) if telling[i]]
    found: list[float | None] = [None] * max(0, len(vectors) - 1)
    for k in range(1, len(at)):
        left = sum(vectors[i].astype(float) for i in at[max(0, k - window) : k])
        right = sum(vectors[i].astype(float) for i in at[k : k + window])
        found[at[k] - 1] = float(left @ right / np.sqrt((left @ left) * (right @ right)))
    return found


@given(st.integers(0, 25), st.integers(1, 5), st.integers(0, 99))
def test_the_curve_is_its_definition(n: int, window: int, seed: int) -> None:
    vectors = unit_rows(n, seed=seed)
    telling = np.random.default_rng(seed).random(n) > 0.3
    values, defined = similarities(vectors, telling, window)
    slow = slow_similarities(vectors, telling, window)
    assert defined.tolist() == [s is not None for s in slow]
    for value, expected in zip(values.tolist(), slow, strict=True):
        assert value == pytest.approx(1.0 if expected is None else expected, abs=1e-9)


def test_blocks_join_without_a_seam() -> None:
    vectors = unit_rows(9000, d=4)
    values, _ = similarities(vectors, np.ones(9000, dtype=bool), 3)
    for gap in (0, 1, 4094, 4095, 4096, 4097, 8998):
        part, _ = similarities(
            vectors[max(0, gap - 2) : gap + 4], np.ones(min(gap, 2) + 1 + min(3, 8999 - gap), dtype=bool), 3
        )
        assert values[gap] == pytest.approx(part[min(gap, 2)], abs=1e-12)


# --- held values ----------------------------------------------------------------------------------------------------

TWELVE = (
    "The harbour opens at six.",
    "Boats may enter the harbour from six o'clock on.",
    "Every key has to be renewed after ninety days.",
    "An old key stops working as soon as the new one is used.",
    "Bread is baked at night.",
    "The oven is lit before midnight, and the first loaves come out at three.",
    "In 2019 the committee met four times.",
    "Nobody objected.",
    "Whales are mammals.",
    "Their young drink milk.",
    "The invoice shows thirty-seven pounds for assembly.",
    "Please take that charge off my invoice.",
    "Thank you for calling.",
)


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_twelve_similarities_are_those_of_sentence_transformers(precision: str) -> None:
    from sentence_transformers import SentenceTransformer

    where = minilm.folder()
    assert where is not None
    theirs = SentenceTransformer(str(where), device="cpu").encode(list(TWELVE), normalize_embeddings=True)
    expected = np.einsum("ij,ij->i", theirs[:-1].astype(float), theirs[1:].astype(float))
    ours = minilm.MiniLM(precision)(list(TWELVE))
    values, defined = similarities(ours, np.ones(len(TWELVE), dtype=bool))
    assert defined.all()
    assert len(values) == 12
    np.testing.assert_allclose(values, expected, atol=1e-5 if precision == "float32" else 6e-3)


# The definitions of langchain-experimental's SemanticChunker, restated.
def langchain_cuts(vectors: Any, kind: str, amount: float) -> list[int]:
    distances = [1 - float(a.astype(float) @ b.astype(float)) for a, b in itertools.pairwise(vectors)]
    if kind == "percentile":
        level, array = np.percentile(distances, amount), distances
    elif kind == "deviations":
        level, array = np.mean(distances) + amount * np.std(distances), distances
    elif kind == "interquartile":
        q1, q3 = np.percentile(distances, [25, 75])
        level, array = np.mean(distances) + amount * (q3 - q1), distances
    else:
        array = np.gradient(distances, range(len(distances)))
        level = np.percentile(array, amount)
    return [i for i, x in enumerate(array) if x > level]


@pytest.mark.parametrize(
    ("kind", "amounts"),
    [
        ("percentile", (0, 33.3, 50, 75, 90, 95, 100)),
        ("deviations", (0, 0.5, 1, 2, 3)),
        ("interquartile", (0, 0.5, 1, 1.5)),
        ("gradient", (10, 50, 90, 95)),
    ],
)
@pytest.mark.parametrize("seed", range(5))
def test_kinds_agree_with_langchain(kind: str, amounts: tuple[float, ...], seed: int) -> None:
    # Rows whose length is 1 to the last bit in float64, since LangChain divides by it and we do, too.
    vectors = (
        np.eye(16, dtype=np.float32)[np.random.default_rng(seed).integers(0, 16, 40)]
        if seed == 0
        else unit_rows(40, seed=seed)
    )
    values, defined = similarities(vectors, np.ones(40, dtype=bool))
    chosen = KINDS[kind]
    drops = chosen.drops(values, defined)
    for amount in amounts:
        level = chosen.level(amount, spread(drops, defined))
        near = np.abs(drops - level) < 1e-6  # where a rounding of the vectors' lengths decides, both are right
        ours = np.flatnonzero((drops > level) & ~near).tolist()
        theirs = [i for i in langchain_cuts(vectors, kind, amount) if not near[i]]
        assert ours == theirs, f"{kind} {amount}"


@pytest.mark.parametrize(
    ("kind", "amount", "cuts"),
    [
        ("absolute", 0.5, [1, 5]),
        ("absolute", 0.2, [1]),  # 0.2 itself is not below 0.2
        ("percentile", 80.0, [1, 5]),
        ("percentile", 90.0, [1]),
        ("percentile", 50.0, [1, 3, 5]),
        ("deviations", 1.0, [1, 5]),
        ("interquartile", 0.5, [1, 5]),
        ("interquartile", 1.0, [1]),
        ("gradient", 70.0, [0, 4]),
        ("minimum", 0.3, [1, 5]),
        ("minimum", 0.65, [1]),
    ],
)
def test_each_kind_by_hand(kind: str, amount: float, cuts: list[int]) -> None:
    values = np.array([0.8, 0.1, 0.9, 0.6, 0.7, 0.2, 0.8])
    defined = np.ones(7, dtype=bool)
    chosen = KINDS[kind]
    drops = chosen.drops(values, defined)
    level = chosen.level(amount, spread(drops, defined))
    assert np.flatnonzero(drops > level).tolist() == cuts


@given(st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.5000001, 0.9]), max_size=40))
def test_prominences_are_those_of_scipy(heights: list[float]) -> None:
    array = np.array(heights)
    peaks, _ = find_peaks(array) if len(array) else ([], {})
    expected = np.zeros(len(array))
    expected[peaks] = peak_prominences(array, peaks)[0] if len(peaks) else 0
    np.testing.assert_allclose(prominences(array), expected)


@given(st.integers(2, 30), st.integers(0, 50), st.sampled_from(sorted(KINDS)), st.floats(0, 100))
def test_the_line_parts_cuts_from_the_rest(n: int, seed: int, kind: str, amount: float) -> None:
    values = np.round(np.random.default_rng(seed).random(n), 2)
    defined = np.ones(n, dtype=bool)
    chosen = KINDS[kind]
    drops = chosen.drops(values, defined)
    amount = amount if chosen.param in ("percentile", "steepness") else amount / 50 - 0.5
    level = chosen.level(amount, spread(drops, defined))
    cuts = drops > level
    line = separating(chosen, level, values, cuts, defined)
    if line is None:
        assert chosen.axis != "similarity"
    else:
        assert (values < line).tolist() == cuts.tolist()


# --- sizes ----------------------------------------------------------------------------------------------------------


@given(st.integers(0, 40), st.integers(0, 200), st.integers(30, 200), st.integers(0, 60), st.booleans())
def test_sizes_are_kept(n: int, seed: int, size: int, smallest: int, inside: bool) -> None:
    rng = np.random.default_rng(seed)
    made = units(rng, n, inside)
    depths = np.round(rng.random(max(0, n - 1)), 1)
    cuts = rng.random(max(0, n - 1)) > 0.7
    out = regroup(made, cuts, np.zeros(len(cuts), dtype=bool), depths, size, min(smallest, size - 1))
    firsts = out.firsts.tolist()
    assert firsts == sorted(set(firsts))
    assert (firsts[:1] == [0]) == (n > 0)

    def length(first: int, last: int) -> int:
        return int(made.own[first]) if first == last else int(made.tail[last] - made.head[first])

    parts = list(zip(firsts, [*(f - 1 for f in firsts[1:]), n - 1], strict=False)) if n else []
    for at, (first, last) in enumerate(parts):
        assert length(first, last) <= size or first == last
        if length(first, last) < smallest and smallest < size:
            # A short one stays only where it fits beside neither neighbour.
            assert at == 0 or length(parts[at - 1][0], last) > size
            assert at + 1 == len(parts) or length(first, parts[at + 1][1]) > size
    # No merging asked for: every cut is still one.
    if smallest == 0:
        assert set((np.flatnonzero(cuts) + 1).tolist()) <= set(firsts)


def test_a_short_part_joins_the_side_that_is_more_like_it() -> None:
    made = units(np.random.default_rng(1), 3, inside=False)._replace(
        own=np.array([50, 5, 50]), head=np.array([0, 50, 55]), tail=np.array([50, 55, 105])
    )
    both = np.ones(2, dtype=bool)
    none = np.zeros(2, dtype=bool)
    for depths, firsts in (([0.1, 0.9], [0, 2]), ([0.9, 0.1], [0, 1])):
        out = regroup(made, both, none, np.array(depths), 100, 10)
        assert (out.firsts.tolist(), out.merged) == (firsts, 1)
    # Neither side has room: it stays what it is.
    assert regroup(made, both, none, np.array([0.5, 0.5]), 52, 10).firsts.tolist() == [0, 1, 2]


def test_a_long_part_is_cut_where_it_is_deepest_and_in_the_middle_among_equals() -> None:
    made = units(np.random.default_rng(1), 8, inside=False)._replace(
        own=np.full(8, 10), head=np.arange(8) * 10, tail=np.arange(1, 9) * 10
    )
    none = np.zeros(7, dtype=bool)
    deep = np.array([0.1, 0.8, 0.1, 0.1, 0.1, 0.7, 0.1])
    assert regroup(made, none, none, deep, 60, 0).firsts.tolist() == [0, 2]
    assert regroup(made, none, none, np.full(7, 0.3), 40, 0).firsts.tolist() == [0, 4]


def test_the_shared_vectors_are_what_python_makes() -> None:
    assert FILE.read_text(encoding="utf-8") == as_json(), "run: python tests/turns_vectors.py"


# --- the best cut ---------------------------------------------------------------------------------------------------


@given(st.integers(1, 9), st.integers(0, 300), st.integers(1, 9))
def test_the_best_cut_is_the_best_of_all(n: int, seed: int, longest: int) -> None:
    vectors = unit_rows(n, d=3, seed=seed)
    own = np.ones(n, dtype=np.int64)
    reach = reaches(own, np.arange(n), np.arange(1, n + 1), longest)
    pairs = band(vectors, n)

    def score(firsts: tuple[int, ...]) -> float:
        total = 0.0
        for first, after in zip(firsts, (*firsts[1:], n), strict=True):
            if after - first > longest:
                return -np.inf
            for a in range(first, after):
                for b in range(first, a):
                    total += float(vectors[a] @ vectors[b]) - 0.1
        return total

    every = [(0, *(i for i in range(1, n) if bits >> (i - 1) & 1)) for bits in range(2 ** (n - 1))]
    best = max(map(score, every))
    made = tuple(best_cuts(pairs, reach, 0.1).tolist())
    assert score(made) == pytest.approx(best, abs=1e-6)


# --- documents ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", THREE)
@pytest.mark.parametrize(
    ("text", "chunks"),
    [
        ("", 0),
        ("Only one.", 1),
        ("first sentence. second sentence", None),
        ("Same. " * 10, 1),
        ("?! … —", 1),
        ("!!! ??? ...\n\n— — —", 1),
        ("今天天气很好。我们去公园。你来吗？好的！", None),
        ("مرحبا بالعالم. كيف حالك؟", None),
    ],
)
def test_edge_texts(strategy: str, text: str, chunks: int | None) -> None:
    """Shared cases B13, B15, B17, B18."""
    made = chunkviz.chunk(Document.from_text(text), strategy)
    if chunks is not None:
        assert len(made.chunks) == chunks
    if made.curve is not None:
        assert np.isfinite(made.curve.values).all()
        assert len(made.curve.values) == max(0, len(made.curve.sentences) - 1)
        assert (np.abs(made.curve.values) <= 1).all()


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_equal_sentences_are_never_parted(kind: str) -> None:
    made = chunkviz.chunk(Document.from_text("Same. " * 60), "semantic", kind=kind, window=1)
    assert len(made.chunks) == 1


def test_sentences_keep_their_white_space() -> None:
    """Shared case B5."""
    document = Document.from_text("One whale sings.\n\nTwo invoices came.  Three loaves baked.")
    made = chunkviz.chunk(document, "semantic", kind="absolute", threshold=1.0, smallest=0)
    assert [c.text for c in made.chunks] == ["One whale sings.", "Two invoices came.", "Three loaves baked."]


def test_the_curve_says_what_was_cut() -> None:
    document = chunkviz.load(samples.read("call_transcript"), name="call_transcript.txt")
    made = chunkviz.chunk(document, "semantic", smallest=0, size=5000)
    assert made.curve is not None
    assert made.curve.threshold is not None
    below = made.curve.positions[made.curve.values < made.curve.threshold]
    assert [c.start for c in made.chunks[1:]] == below.tolist()
    assert all(c.reason.startswith("similarity ") for c in made.chunks[:-1])
    again = chunkviz.chunk(document, recipe=Recipe.from_json(made.recipe.to_json()))
    assert again.spans == made.spans
    assert made.recipe.versions[embed.DEFAULT]


def test_sections_are_cut_and_short_ones_joined() -> None:
    text = "# Boats\n\nBoats enter the harbour. Boats leave it at noon.\n\n# Keys\n\nRenew a key. Old keys stop.\n"
    document = Document.from_text(text, name="x.md")
    parted = chunkviz.chunk(document, "semantic_structure", smallest=0, percentile=100.0)
    assert [c.text.split()[1] for c in parted.chunks] == ["Boats", "Keys"]
    assert parted.chunks[0].reason == "before the heading “Keys”"
    assert len(chunkviz.chunk(document, "semantic_structure", smallest=100, percentile=100.0).chunks) == 1


class Counting:
    """An embedder that is quick and counts what it is asked."""

    name, revision, settings, dimensions, limit = "counting", "1", "made up", 16, None

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, texts: Any) -> Any:
        self.asked += len(texts)
        return np.stack([hashed(t) for t in texts]) if texts else np.empty((0, 16), dtype=np.float32)


def test_sixty_thousand_sentences_and_a_changed_paragraph(monkeypatch: pytest.MonkeyPatch) -> None:
    words = [f"word{i}" for i in range(500)]
    rng = random.Random(3)
    lines = [" ".join(rng.choices(words, k=6)).capitalize() + f" {i}." for i in range(60_000)]
    fake = Counting()
    monkeypatch.setattr("chunkviz.embed.models._loaded", {embed.DEFAULT: fake})
    first = Document.from_text("\n".join(lines))
    for strategy in THREE:
        made = chunkviz.chunk(first, strategy)
        assert len(made.chunks) > 100
    assert fake.asked == 60_000
    lines[30_000:30_003] = ["Quite another sentence.", "And one more."]
    chunkviz.chunk(Document.from_text("\n".join(lines)), "semantic", percentile=50.0)
    assert fake.asked == 60_002


def test_numbers_of_vectors_and_sentences_must_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shared case B16."""

    class Dropping(Counting):
        def __call__(self, texts: Any) -> Any:
            return super().__call__(texts)[1:]

    monkeypatch.setattr("chunkviz.embed.models._loaded", {embed.DEFAULT: Dropping()})
    with pytest.raises(chunkviz.EmbedderError, match=r"\b2\b.*\b3\b|\b3\b.*\b2\b"):
        chunkviz.chunk(Document.from_text("One whale. Two keys. Three boats."), "semantic")


def test_no_model_is_loaded_before_it_is_needed() -> None:
    import subprocess
    import sys

    code = "import sys, chunkviz; chunkviz.strategies(); sys.exit('torch' in sys.modules or 'streamlit' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parent.parent, check=False).returncode == 0
