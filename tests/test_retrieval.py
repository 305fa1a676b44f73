"""Retrieval: each part against a slow or hand-worked version, and the modes against their definitions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import chunkviz
from chunkviz import Chunking, Document, EmbedderError, ParameterError
from chunkviz.embed import TokenVectors, Vectors, VectorStore
from chunkviz.passages import Passage
from chunkviz.retrieval import Hit, Index, RetrievalOptions, Searched, build, keyword, late, rerank, search
from chunkviz.retrieval.fusion import reciprocal_rank_fusion
from chunkviz.retrieval.models import ExactMiniLM, model
from chunkviz.retrieval.rerank import LateInteraction, max_sim, scored
from chunkviz.units import unit

GUIDE = Document.from_text(
    "# Guide\n\nWelcome to the lighthouse.\n\n## Opening\n\nIt opens at nine. It closes at five. Dogs may come too. "
    "Cats may not.\n\n## Tickets\n\nA ticket costs four euros. Children pay two. The key is key_7Qm2.\n\n"
    "```python\nopen_door(9)\nclose_door(17)\n```\n",
    name="guide.md",
)
OTHER = Document.from_text("The bakery opens at six. It closes at noon. Bread costs three euros.\n", name="other.txt")


def cut(size: int = 1, strategy: str = "sentence") -> dict[str, Chunking]:
    return {d.name: chunkviz.chunk(d, strategy, sentences=size, overlap=0) for d in (GUIDE, OTHER)}


def text_of(index: Index, hit: Hit) -> str:
    return index.text(hit.passage)


class FakeEmbedder:
    """Counts how often some letters occur; the first two dimensions tell words of opening and of prices apart."""

    name = "fake"
    revision = "1"
    settings = "test"
    dimensions = 28
    limit: int | None = None

    def __init__(self, name: str = "fake") -> None:
        self.name = name
        self.asked: list[str] = []

    def __call__(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        rows = np.zeros((len(texts), 28), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[27] = 0.1
            for letter in text.lower():
                if "a" <= letter <= "z":
                    row[ord(letter) - ord("a")] += 1
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows

    def tokens(self, texts: Sequence[str]) -> list[TokenVectors]:
        self.asked += texts
        found = []
        for text in texts:
            spans = [(m, m + 1) for m in range(len(text)) if text[m].isalnum()]
            vectors = self([text[s:e] for s, e in spans]) if spans else np.empty((0, 28), dtype=np.float32)
            places = np.array(spans, dtype=np.int64).reshape(-1, 2)
            found.append(TokenVectors(vectors, places[:, 0], places[:, 1]))
        return found

    def contextual(self, text: str) -> TokenVectors:
        return self.tokens([text])[0]


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> dict[str, FakeEmbedder]:
    made: dict[str, FakeEmbedder] = {}

    def get(name: str, precision: str) -> FakeEmbedder:
        return made.setdefault(name, FakeEmbedder(name))

    monkeypatch.setattr("chunkviz.retrieval.dense.model", get)
    monkeypatch.setattr("chunkviz.retrieval.searching.model", get)
    return made


@pytest.fixture
def store(tmp_path: Path) -> VectorStore:
    return VectorStore(tmp_path / "vectors.sqlite")


# By words


def slow_bm25(texts: list[str], question: str) -> list[float]:
    corpus = [keyword.words(t) for t in texts]
    mean = sum(map(len, corpus)) / len(corpus)
    found = []
    for words in corpus:
        total = 0.0
        for word in keyword.words(question):
            n = sum(word in other for other in corpus)
            tf = words.count(word)
            idf = math.log(1 + (len(corpus) - n + 0.5) / (n + 0.5))
            total += idf * tf / (tf + 1.5 * (0.25 + 0.75 * len(words) / mean)) if tf else 0
        found.append(total)
    return found


words_of = st.lists(st.sampled_from("the opens At nine nine, four-euro key_7Qm2 天气好 é".split()), max_size=8).map(
    " ".join
)


@given(st.lists(words_of, min_size=1, max_size=6), words_of)
def test_bm25_is_the_formula(texts: list[str], question: str) -> None:
    if any(map(keyword.words, texts)):
        assert keyword.scores(texts, [question])[0] == pytest.approx(slow_bm25(texts, question), abs=1e-5)


def test_no_shared_word_is_no_hit() -> None:
    assert not keyword.scores(["", "…"], ["any"]).any()
    index = build(cut(), RetrievalOptions())
    made = search(index, ["zebra", "key_7qm2"], RetrievalOptions(retriever="keyword"))
    assert made.hits(0, k=5) == []
    assert [text_of(index, h) for h in made.hits(1, k=5)] == ["The key is key_7Qm2."]
    assert made.cost.fresh == made.cost.known == 0


# Both


def test_reciprocal_rank_fusion_by_hand() -> None:
    made = reciprocal_rank_fusion([np.array([2, 0]), np.array([0, 1])], 4)
    assert made.tolist() == pytest.approx([1 / 62 + 1 / 61, 1 / 62, 1 / 61, 0])


def test_hybrid_joins_the_two_rankings(fake: dict[str, FakeEmbedder], store: VectorStore) -> None:
    index = build(cut(), RetrievalOptions())
    questions = ["What does bread cost in euros?"]
    rankings = [
        search(index, questions, RetrievalOptions(retriever=r), store=store).orders[0] for r in ("dense", "keyword")
    ]
    made = search(index, questions, RetrievalOptions(retriever="hybrid"), store=store)
    joined = reciprocal_rank_fusion(rankings, len(index.passages))
    assert made.scores[0] == pytest.approx(np.sort(joined[joined > 0])[::-1])
    assert sorted(made.orders[0].tolist()) == np.flatnonzero(joined).tolist()


def test_dense_is_the_exact_cosine_and_equal_scores_keep_their_order(
    fake: dict[str, FakeEmbedder], store: VectorStore
) -> None:
    document = Document.from_text("ab ab\n\ncd cd\n\nab ab\n\nxyz q\n", name="a.txt")
    index = build({"a": chunkviz.chunk(document, "recursive", size=2, overlap=0, unit="words")}, RetrievalOptions())
    made = search(index, ["ab"], RetrievalOptions(), store=store)
    assert made.orders[0].tolist()[:2] == [0, 2]
    one = FakeEmbedder()
    cosines = (one(["ab"]) @ one([e.text for e in index.entries]).T)[0]
    assert made.scores[0] == pytest.approx(np.sort(cosines)[::-1])


# Modes


def test_headings_stand_in_front() -> None:
    index = build(cut(), RetrievalOptions(mode="headings"))
    entry = next(e for e in index.entries if e.chunk.text.startswith("Children"))
    assert entry.text == "Guide > Tickets\nChildren pay two."
    plain = build(cut(), RetrievalOptions())
    assert [e.text for e in plain.entries] == [e.chunk.text for e in plain.entries]
    assert plain.passages == index.passages


def test_small_to_big_returns_the_section_once() -> None:
    index = build(cut(), RetrievalOptions(mode="small_to_big", retriever="keyword"))
    made = search(index, ["dogs cats opens"], RetrievalOptions(mode="small_to_big", retriever="keyword"))
    texts = [text_of(index, h) for h in made.hits(0, k=5)]
    assert texts[0].startswith("## Opening")
    assert texts[0].endswith("Cats may not.")
    assert len(set(texts)) == len(texts) == 2


def test_a_section_that_is_too_long_is_parted_between_chunks() -> None:
    options = RetrievalOptions(mode="small_to_big", parent_size=12)
    index = build(cut(), options)
    count = unit("cl100k_base").count
    for entry in index.entries:
        parent = index.passages[entry.passage]
        assert parent.start <= entry.chunk.start
        assert entry.chunk.end <= parent.end
        assert count(index.text(parent)) <= 12 or parent.length == entry.chunk.end - entry.chunk.start
    assert 1 < len(index.passages) < len(index.entries)


def test_the_sentences_around_come_back() -> None:
    index = build(cut(), RetrievalOptions(mode="sentence_window", window=1))
    entry = next(e for e in index.entries if e.chunk.text.startswith("It closes at five"))
    assert index.text(index.passages[entry.passage]) == "It opens at nine. It closes at five. Dogs may come too."
    first, last = (p for p in index.passages if p.document == "other.txt"), index.passages[-1]
    assert next(first).start == 0
    assert index.text(last) == "It closes at noon. Bread costs three euros."


@pytest.mark.parametrize("mode", ["plain", "headings", "late", "small_to_big", "sentence_window"])
@pytest.mark.parametrize("strategy", ["fixed", "recursive", "structure"])
def test_every_strategy_goes_with_every_mode(mode: str, strategy: str) -> None:
    chunking = chunkviz.chunk(GUIDE, strategy, size=20)
    index = build({"g": chunking}, RetrievalOptions(mode=mode))
    assert [e.chunk for e in index.entries] == list(chunking.chunks)
    for entry in index.entries:
        passage = index.passages[entry.passage]
        assert passage.start <= entry.chunk.start < entry.chunk.end <= passage.end
        assert passage.tokens == unit("cl100k_base").count(index.text(passage))


def test_late_chunking_is_the_mean_of_the_tokens_in_the_document() -> None:
    who = model("all-MiniLM-L6-v2", "float32")
    assert isinstance(who, late.ContextualEmbedder)
    index = build(cut(2), RetrievalOptions(mode="late"))
    made = late.pooled(index.documents, index.entries, who)
    tokens = {name: who.contextual(document.text) for name, document in index.documents.items()}
    for row, entry in zip(made.vectors, index.entries, strict=True):
        of = tokens[entry.document]
        inside = [
            v
            for v, s, e in zip(of.vectors, of.starts, of.ends, strict=True)
            if s < entry.chunk.end and entry.chunk.start < e
        ]
        mean = np.mean(np.array(inside, dtype=np.float64), axis=0)
        assert row == pytest.approx(mean / np.linalg.norm(mean), abs=1e-6)
    plain = who([e.chunk.text for e in index.entries])
    assert (np.einsum("ij,ij->i", plain, made.vectors) < 0.99).all()
    again = late.pooled(index.documents, index.entries, who)
    assert (again.fresh, again.known) == (0, len(index.entries))
    assert (again.vectors == made.vectors).all()


def test_a_span_without_tokens_takes_the_one_before() -> None:
    tokens = TokenVectors(np.eye(3, dtype=np.float32), np.array([1, 5, 9]), np.array([4, 8, 12]))
    made = late.mean_of_tokens(tokens, np.array([0, 8, 3, 13]), np.array([1, 9, 6, 15]))
    half = math.sqrt(0.5)
    assert made == pytest.approx(np.array([[1, 0, 0], [0, 1, 0], [half, half, 0], [0, 0, 1]]))
    with pytest.raises(EmbedderError, match="no word"):
        late.mean_of_tokens(TokenVectors(np.empty((0, 3)), np.array([]), np.array([])), np.array([0]), np.array([1]))


def test_the_exact_model_is_what_it_says_before_it_is_loaded() -> None:
    """Stored vectors are found by these; were they others than the model's own, wrong ones could be."""
    who = ExactMiniLM()
    assert "_model" not in vars(who)
    loaded = model("all-MiniLM-L6-v2", "float32")
    loaded(["a"])
    real = vars(loaded)["_model"]
    for name in ("name", "revision", "settings", "dimensions", "limit"):
        assert getattr(who, name) == getattr(real, name)


def test_late_chunking_refuses_a_model_without_tokens(store: VectorStore) -> None:
    class Plain:
        name, revision, settings, dimensions, limit = "plain", "1", "test", 2, None

        def __call__(self, texts: Sequence[str]) -> Vectors:
            return np.ones((len(texts), 2), dtype=np.float32)

    with pytest.raises(EmbedderError, match="Late chunking needs"):
        late.pooled({}, [], Plain(), store=store)  # type: ignore[arg-type]
    with pytest.raises(EmbedderError, match="Late interaction needs"):
        LateInteraction(Plain())  # type: ignore[arg-type]


def test_code_is_ranked_by_its_own_model(fake: dict[str, FakeEmbedder], store: VectorStore) -> None:
    options = RetrievalOptions(code_model="coder", model="writer")
    index = build({"g": chunkviz.chunk(GUIDE, "recursive", size=20, overlap=0)}, options)
    code = [e.text for e in index.entries if e.code]
    assert any("open_door" in text for text in code)
    assert not any("Dogs" in text for text in code)
    made = search(index, ["open door"], options, store=store)
    assert fake["coder"].asked == [*code, "open door"]
    assert not set(code) & set(fake["writer"].asked)
    # The best of each list share the first place.
    assert {index.entries[e].code for e in made.entries[0][:2].tolist()} == {True, False}
    only = search(index, ["open door"], RetrievalOptions(retriever="keyword", filter=("kind=code",)))
    assert all(index.entries[e].code for e in only.entries[0].tolist())


# Filters


@pytest.mark.parametrize(
    ("conditions", "documents", "some"),
    [
        (("document=other.txt",), {"other.txt"}, "bakery"),
        (("heading=opening",), {"guide.md"}, "Dogs"),
        (("document=other.txt", "document=guide.md"), {"other.txt", "guide.md"}, "Dogs"),
        (("document=other.txt", "heading=Opening"), set(), ""),
        (("page=1",), set(), ""),
        (("kind=prose",), {"other.txt", "guide.md"}, "bakery"),
    ],
)
def test_filters(
    conditions: tuple[str, ...], documents: set[str], some: str, fake: dict[str, FakeEmbedder], store: VectorStore
) -> None:
    options = RetrievalOptions(filter=conditions)
    index = build(cut(), options)
    hits = search(index, ["what"], options, store=store).hits(0, k=100)
    assert {h.passage.document for h in hits} == documents
    assert any(some in text_of(index, h) for h in hits) == bool(some)


@pytest.mark.parametrize("condition", ["colour=red", "document", "kind=poem"])
def test_a_filter_that_means_nothing_is_refused(condition: str) -> None:
    options = RetrievalOptions(retriever="keyword", filter=(condition,))
    with pytest.raises(ParameterError, match=r"retrieval\.filter"):
        search(build(cut(), options), ["what"], options)


# Where a reader stops


def ranked(document: Document, spans: list[tuple[int, int]], merge: float = 0.0) -> Searched:
    count = unit("cl100k_base").measure(document).count
    passages = tuple(Passage("d", s, e, count(s, e)) for s, e in spans)
    order = np.arange(len(spans))
    scores = np.linspace(1, 0.5, len(spans)).astype(np.float32)
    index = Index({"d": document}, (), passages)
    options = RetrievalOptions(merge=merge)
    return Searched(index, options, [order], [scores], [order], [order + 1], search(index, [], options).cost)


def test_near_duplicates_become_one_passage() -> None:
    document = Document("word " * 40)
    made = ranked(document, [(0, 50), (100, 150), (40, 90), (120, 170), (25, 75)], merge=0.5)
    hits = made.hits(0, k=3)
    assert [(h.passage.start, h.passage.end, h.members, h.rank) for h in hits] == [
        (0, 75, (0, 4), 1),
        (100, 170, (1, 3), 2),
        (40, 90, (2,), 3),
    ]
    assert [h.passage.start for h in ranked(document, [(0, 50), (10, 60)]).hits(0, k=2)] == [0, 10]


@given(st.integers(1, 60), st.sampled_from([0.0, 0.5]))
def test_a_token_budget_is_used_up_and_never_exceeded(budget: int, merge: float) -> None:
    document = Document("word " * 40)
    hits = ranked(document, [(0, 50), (100, 150), (40, 90), (150, 200)], merge).hits(0, tokens=budget)
    spent = sum(h.passage.tokens for h in hits)
    assert spent <= budget
    if not merge:
        assert spent >= min(budget, 40) - 1


def test_k_is_how_many_come_back() -> None:
    made = ranked(Document("word " * 40), [(0, 50), (100, 150)])
    assert [len(made.hits(0, k=k)) for k in (0, 1, 2, 9)] == [0, 1, 2, 2]


# Reranking


def test_max_sim_is_the_mean_of_the_best_cosines() -> None:
    random = np.random.default_rng(5)

    def tokens(n: int) -> TokenVectors:
        v = random.normal(size=(n, 4)).astype(np.float32)
        return TokenVectors(v / np.linalg.norm(v, axis=1, keepdims=True), np.arange(n), np.arange(n) + 1)

    questions, text = [tokens(3), tokens(0), tokens(1)], tokens(5)
    slow = [
        np.mean([max(float(q @ t) for t in text.vectors) for q in one.vectors]) if len(one.vectors) else 0
        for one in questions
    ]
    assert max_sim(questions, text) == pytest.approx(slow, abs=1e-6)
    assert max_sim(questions, tokens(0)).tolist() == [0, 0, 0]


class Backwards:
    """Prefers short texts."""

    label, key = "the shorter the better", "backwards"

    def __init__(self) -> None:
        self.read: list[rerank.Pair] = []

    def __call__(self, pairs: Sequence[rerank.Pair]) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
        self.read += pairs
        return np.array([-len(text) for _, text in pairs], dtype=np.float32)


def test_only_the_first_are_reranked_and_each_remembers_its_place(
    fake: dict[str, FakeEmbedder], store: VectorStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = Backwards()
    monkeypatch.setattr("chunkviz.retrieval.searching.LateInteraction", lambda who: judge)
    index = build(cut(), RetrievalOptions())
    questions = ["When does it open?", "What does it cost?"]
    before = search(index, questions, RetrievalOptions(), store=store)
    made = search(index, questions, RetrievalOptions(reranker="late_interaction", candidates=4), store=store)
    assert made.label == judge.label
    for q in range(2):
        first = before.orders[q][:4].tolist()
        lengths = [len(index.text(index.passages[n])) for n in made.orders[q][:4].tolist()]
        assert sorted(made.orders[q][:4].tolist()) == sorted(first)
        assert lengths == sorted(lengths)
        assert made.orders[q][4:].tolist() == before.orders[q][4:].tolist()
        assert [before.orders[q][b - 1] for b in made.before[q].tolist()] == made.orders[q].tolist()
    assert len(judge.read) == 8


def test_each_pair_is_read_once(store: VectorStore) -> None:
    judge = Backwards()
    pairs = [("a?", "one"), ("b?", "one"), ("a?", "three")]
    assert scored(judge, pairs, store=store).tolist() == [-3, -3, -5]
    assert scored(judge, [*pairs, ("c?", "one")], store=store).tolist() == [-3, -3, -5, -3]
    assert judge.read == [*pairs, ("c?", "one")]


def test_late_interaction_with_an_embedder(store: VectorStore) -> None:
    made = scored(LateInteraction(FakeEmbedder()), [("ab", "b a c"), ("ab", "xyz"), ("ab", "…")], store=store)
    assert made[0] == pytest.approx(1, abs=0.02)
    assert made[1] < 0.05
    assert made[2] == 0


@pytest.mark.slow
def test_a_cross_encoder_made_here(tmp_path: Path, store: VectorStore) -> None:
    """Tiny and random: what is tested is that its own scores decide the order, and that they are stored."""
    import torch
    from sentence_transformers import CrossEncoder
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    from chunkviz.embed import minilm

    torch.manual_seed(1)
    tokenizer = BertTokenizerFast.from_pretrained(str(minilm.folder()))
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        num_labels=1,
    )
    folder = tmp_path / "tiny"
    BertForSequenceClassification(config).save_pretrained(folder, safe_serialization=True)
    tokenizer.save_pretrained(folder)
    options = RetrievalOptions(retriever="keyword", reranker="cross_encoder", cross_encoder=str(folder), candidates=3)
    index = build(cut(), options)
    made = search(index, ["it opens closes euros"], options, store=store)
    assert "cross-encoder" in made.label
    texts = [index.entries[e].text for e in made.entries[0][:3].tolist()]
    own = CrossEncoder(str(folder)).predict([["it opens closes euros", t] for t in texts], show_progress_bar=False)
    assert made.scores[0][:3] == pytest.approx(own, abs=1e-5)
    assert list(own) == sorted(own, reverse=True)
    again = search(index, ["it opens closes euros"], options, store=store)
    assert again.scores[0].tolist() == made.scores[0].tolist()


def test_a_cross_encoder_that_is_not_here_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EmbedderError, match="There is no cross-encoder"):
        rerank.CrossEncoder("nobody/nothing-of-this-name")
    with pytest.raises(EmbedderError, match="no safetensors weights"):
        rerank.CrossEncoder(str(tmp_path))


def test_nothing_to_search_in_and_nothing_asked(fake: dict[str, FakeEmbedder], store: VectorStore) -> None:
    empty = build({"e": chunkviz.chunk(Document(" "), "fixed")}, RetrievalOptions())
    assert search(empty, ["a"], RetrievalOptions(retriever="hybrid"), store=store).hits(0, k=5) == []
    assert search(build(cut(), RetrievalOptions()), [], RetrievalOptions(), store=store).orders == []
