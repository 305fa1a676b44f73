"""Reranking: a second look at pairs of question and text. Scores are stored like vectors, so each pair is read once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from chunkviz.embed import DEFAULT, Embedder, TokenEmbedder, TokenVectors, VectorStore, default_store
from chunkviz.errors import EmbedderError

_SLAB: Final = 256
"""Texts whose token vectors are held at once: at most 256 x 254 x 384 numbers, 100 MB."""

Pair = tuple[str, str]
"""A question and a text."""


class PairScorer(Protocol):
    """Says how well each text answers its question.

    label : what it is, in words for a reader
    key   : what decides the scores: kind, model, revision, how it computes
    """

    label: str
    key: str

    def __call__(self, pairs: Sequence[Pair]) -> NDArray[np.float32]:
        """float32 (pairs,), larger is better; comparable for one question only."""


def scored(
    scorer: PairScorer,
    pairs: Sequence[Pair],
    *,
    store: VectorStore | None = None,
    tell: Callable[[int, int], None] | None = None,
) -> NDArray[np.float32]:
    """float32 (pairs,): the scores of all pairs, from the store where it has them.

    tell : called with the pairs done and all pairs; may raise to stop, and what was scored until then stays stored
    """
    store = default_store() if store is None else store
    keys = [_key(scorer, pair) for pair in pairs]
    known = store.get(keys)
    made = np.array([known[key][0] if key in known else np.nan for key in keys], dtype=np.float32)
    texts: dict[str, list[int]] = {}
    for i, key in enumerate(keys):
        if key not in known:
            texts.setdefault(pairs[i][1], []).append(i)
    groups = list(texts.values())
    done = len(pairs) - sum(map(len, groups))
    for begin in range(0, len(groups), _SLAB):
        if tell is not None:
            tell(done, len(pairs))
        numbers = [i for group in groups[begin : begin + _SLAB] for i in group]
        made[numbers] = scorer([pairs[i] for i in numbers])
        store.put([keys[i] for i in numbers], made[numbers][:, None])
        done += len(numbers)
    return made


def _key(scorer: PairScorer, pair: Pair) -> bytes:
    total = hashlib.sha256()
    for part in ("pair", scorer.key, *pair):
        data = part.encode("utf-8", "surrogatepass")
        total.update(b"%d:" % len(data) + data)
    return total.digest()


class LateInteraction:
    """The mean, over the question's tokens, of the best cosine with any token of the text; in [-1, 1].

    Tokens are those of the embedding model's last layer, each of length 1, without its own marks. The model was not
    trained for this, and still puts the better passage in front more often than its own sentence vectors do.
    Source: Khattab and Zaharia 2020, ColBERT (MaxSim), https://arxiv.org/abs/2004.12832; the sum there is a mean here.
    """

    def __init__(self, who: Embedder) -> None:
        if not isinstance(who, TokenEmbedder):
            raise EmbedderError(
                f"Late interaction needs vectors of single tokens, which {who.name} does not give. Use {DEFAULT}."
            )
        self._tokens = who.tokens
        self.label = f"late interaction (MaxSim) over the tokens of {who.name}"
        self.key = repr(("late interaction", who.name, who.revision, who.settings))

    def __call__(self, pairs: Sequence[Pair]) -> NDArray[np.float32]:
        questions = {q: i for i, q in enumerate(dict.fromkeys(q for q, _ in pairs))}
        texts = {t: i for i, t in enumerate(dict.fromkeys(t for _, t in pairs))}
        asked, held = self._tokens(list(questions)), self._tokens(list(texts))
        made = np.zeros(len(pairs), dtype=np.float32)
        of_text: dict[int, list[int]] = {}
        for i, (_, text) in enumerate(pairs):
            of_text.setdefault(texts[text], []).append(i)
        for text_number, numbers in of_text.items():
            made[numbers] = max_sim([asked[questions[pairs[i][0]]] for i in numbers], held[text_number])
        return made


def max_sim(questions: Sequence[TokenVectors], text: TokenVectors) -> NDArray[np.float32]:
    """float32 (questions,): late interaction of each question with one text; 0 where either has no token."""
    lengths = np.array([len(q.vectors) for q in questions])
    made = np.zeros(len(questions), dtype=np.float32)
    some = np.flatnonzero(lengths).tolist()
    if not len(text.vectors) or not len(some):
        return made
    best = (np.concatenate([questions[i].vectors for i in some]) @ text.vectors.T).max(axis=1)
    begins = np.concatenate(([0], np.cumsum(lengths[some])[:-1]))
    made[some] = np.add.reduceat(best, begins) / lengths[some]
    return made


class CrossEncoder:
    """A sentence-transformers CrossEncoder, by folder, or by the name of one that lies in the Hugging Face cache.

    Nothing is downloaded, only safetensors weights are read, and no code that lies beside them runs.
    Raises `EmbedderError` where it cannot be loaded.
    """

    def __init__(self, name: str) -> None:
        self._model, revision = _cross_encoder(name)
        self.label = f"cross-encoder {name}"
        self.key = repr(("cross-encoder", name, revision))

    def __call__(self, pairs: Sequence[Pair]) -> NDArray[np.float32]:
        made = np.asarray(self._model.predict([list(p) for p in pairs], show_progress_bar=False), dtype=np.float32)
        if made.shape != (len(pairs),):
            raise EmbedderError(f"The {self.label} gives {made.shape[1:]} numbers for a pair; a reranker gives one.")
        if not np.isfinite(made).all():
            raise EmbedderError(f"The {self.label} gave a score that is not a number.")
        return made


def absent(name: str) -> str:
    """Why there can be no `CrossEncoder` of this name here, in words; "" where its files are on this computer.

    Quick, so that it can be said before anybody waits: nothing is loaded, and nothing is asked of a network.
    """
    try:
        _weights(name)
    except EmbedderError as error:
        return str(error)
    return ""


def _weights(name: str) -> tuple[Path, list[Path]]:
    """The folder of a cross-encoder, and the files with its weights. Raises `EmbedderError` where it has none."""
    where = _folder(name)
    weights = sorted(where.glob("*.safetensors"))
    if not weights:
        raise EmbedderError(
            f"The cross-encoder {name!r} has no safetensors weights in {where}; other kinds are not read."
        )
    return where, weights


@cache
def _cross_encoder(name: str) -> tuple[Any, str]:
    where, weights = _weights(name)
    revision = hashlib.sha256()
    for file in (*weights, *sorted(where.glob("*.json"))):
        revision.update(hashlib.sha256(file.read_bytes()).digest())
    from sentence_transformers import CrossEncoder as Model  # seconds of import, for those who chose such a model

    try:
        model = Model(
            str(where), local_files_only=True, trust_remote_code=False, model_kwargs={"use_safetensors": True}
        )
    except Exception as error:  # whatever is wrong with a stranger's files comes out in many forms
        first = next(iter(str(error).splitlines()), type(error).__name__)
        raise EmbedderError(f"The cross-encoder {name!r} cannot be loaded: {first[:300]}") from error
    return model, revision.hexdigest()


def _folder(name: str) -> Path:
    where = Path(name).expanduser()
    if where.is_dir():
        return where
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(name, local_files_only=True))
    except (HFValidationError, LocalEntryNotFoundError) as error:
        # A name that the hub could not even know is not one to fetch.
        fetch = f", fetch this one with `hf download {name}`" if isinstance(error, LocalEntryNotFoundError) else ""
        raise EmbedderError(
            f"There is no cross-encoder {name!r} on this computer. Give the folder of one{fetch}, or choose late "
            "interaction, which needs none."
        ) from None
