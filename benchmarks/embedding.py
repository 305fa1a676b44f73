"""`python -m benchmarks.embedding`: the first embedding of sentences by chunkviz, beside the bare model.

chunkviz goes the whole way: `embed` with an empty store, so keys, look-up, checks and writing are part of it. The other
side is the fastest faithful way to run the same weights by hand: transformers' own BERT in torch's inference mode, the
same kind of number, texts tokenized once and sorted by length, 64 at a time; and nothing is kept.
Both must give the same vectors, or nothing is compared.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any, Final

import numpy as np

from benchmarks.corpus import mixed_text
from benchmarks.report import machine
from benchmarks.timing import Contender, Run, Series, interleaved
from chunkviz.embed import DEFAULT, Vectors, VectorStore, embed, embedder
from chunkviz.embed.minilm import folder
from chunkviz.text.sentences import sentences

SENTENCES: Final = 2000
LEAST: Final = 0.9
"""Of the bare model's speed: the budget."""

BARE: Final = "the bare model"
OURS: Final = "chunkviz embed, empty store"

_BATCH: Final = 64
_SAME: Final = 0.999  # cosine; bfloat16 rounds


def english(count: int) -> list[str]:
    """So many distinct sentences of English words, of 20 to 300 characters."""
    text = mixed_text(max(600 * count, 60_000))
    found = dict.fromkeys(text[span.start : span.end] for span in sentences(text))
    fitting = (sentence for sentence in found if 20 <= len(sentence) <= 300 and sentence.endswith((".", "?", "!")))
    return list(islice(fitting, count))


def by_hand() -> Callable[[Sequence[str]], Vectors]:
    """The model as one would run it without chunkviz, in the kind of number that chunkviz has chosen here."""
    import torch
    from tokenizers import Tokenizer
    from transformers import BertConfig, BertModel

    where = folder()
    if where is None:
        raise SystemExit(f"The weights of {DEFAULT} are not installed.")
    from safetensors.torch import load_file

    dtype = torch.bfloat16 if "bfloat16" in embedder().settings else torch.float32
    config = BertConfig.from_json_file(where / "config.json")
    config._attn_implementation = "sdpa"
    bert: Any = BertModel(config, add_pooling_layer=False)
    bert.load_state_dict(load_file(where / "model.safetensors"), strict=False)
    bert = bert.to(dtype).eval()
    tokenizer = Tokenizer.from_file(str(where / "tokenizer.json"))
    tokenizer.enable_truncation(256)
    tokenizer.no_padding()

    def run(texts: Sequence[str]) -> Vectors:
        ids = [encoding.ids for encoding in tokenizer.encode_batch_fast(list(texts))]
        order = sorted(range(len(ids)), key=lambda i: len(ids[i]), reverse=True)
        made = np.empty((len(ids), config.hidden_size), dtype=np.float32)
        with torch.inference_mode():
            for begin in range(0, len(order), _BATCH):
                rows = order[begin : begin + _BATCH]
                padded = torch.nn.utils.rnn.pad_sequence([torch.tensor(ids[r]) for r in rows], batch_first=True)
                lengths = torch.tensor([len(ids[r]) for r in rows])
                mask = (torch.arange(padded.shape[1]) < lengths[:, None]).long()
                states = bert(input_ids=padded, attention_mask=mask).last_hidden_state.float()
                pooled = (states * mask[:, :, None]).sum(dim=1) / lengths[:, None]
                made[rows] = torch.nn.functional.normalize(pooled, dim=1).numpy()
        return made

    return run


def measured(count: int, rounds: int, progress: Callable[[str], None] = lambda _: None) -> list[Series]:
    """The times of both for so many sentences, the bare model first.

    Raises `SystemExit` where the two do not give the same vectors.
    """
    progress("loading the model")
    texts = english(count)
    bare = _by_hand()
    agreement = np.einsum("ij,ij->i", bare(texts[:200]), embedder()(texts[:200]))
    if agreement.min() < _SAME:
        raise SystemExit(f"The two do not run the same model: a cosine of {agreement.min():.4f} between their vectors.")

    def prepare_bare(_size: int) -> Run:
        return lambda: len(bare(texts))

    def prepare_ours(_size: int) -> Run:
        folder = tempfile.TemporaryDirectory()

        def run() -> int:
            store = VectorStore(Path(folder.name) / "vectors.sqlite")
            made = embed(texts, store=store)
            store.close()
            folder.cleanup()
            if made.fresh != len(texts) or store.notices:
                raise SystemExit(f"{made.fresh} of {len(texts)} sentences were embedded: {store.notices}")
            return made.fresh

        return run

    contenders = [Contender(BARE, prepare_bare), Contender(OURS, prepare_ours, "embed", BARE)]
    return interleaved(contenders, [count] * rounds, progress)


_by_hand = cache(by_hand)


def ratio(series: Sequence[Series]) -> float:
    """Median over the rounds of how fast chunkviz is, the bare model being 1."""
    bare, ours = series
    return median(ours.times_as_fast_as(bare))


def table(series: Sequence[Series]) -> Iterator[str]:
    """The lines to print."""
    bare, ours = series
    count = bare.samples[0].chunks
    yield f"First embedding of {count:,} sentences by {DEFAULT}, {embedder().settings}, {len(bare.samples)} rounds"
    yield f"{'':<32}{'CPU s':>9}{'wall s':>9}{'/CPU s':>9}{'ratio':>9}"
    for one in series:
        ratios = ours.times_as_fast_as(bare)
        shown = f"{median(ratios):>9.2f}   ({min(ratios):.2f}–{max(ratios):.2f})" if one is ours else f"{'1':>9}"
        yield f"{one.contender.name:<32}{one.cpu_s:>9.2f}{one.wall_s:>9.2f}{count / one.cpu_s:>9.0f}{shown}"
    verdict = "kept" if ratio(series) >= LEAST else "MISSED"
    yield f"first embedding: ≥ {LEAST:g} of the bare model's speed: {verdict}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, print, and return the exit code: 0, or with `--check` 1 where the budget is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.embedding", description=__doc__)
    parser.add_argument("--sentences", type=int, default=SENTENCES, help=f"how many are embedded ({SENTENCES:,})")
    parser.add_argument("--rounds", type=int, default=5, help="how often each is timed (5)")
    parser.add_argument("--check", action="store_true", help="exit with 1 if the budget is missed")
    options = parser.parse_args(arguments)
    if options.rounds < 1 or options.sentences < 1:
        parser.error("--rounds and --sentences must be at least 1")
    print(f"machine   {machine()}")
    series = measured(options.sentences, options.rounds, lambda line: print(f"\r\033[K{line}", end="", file=sys.stderr))
    print("\r\033[K", end="", file=sys.stderr)
    for line in table(series):
        print(line)
    return 1 if options.check and ratio(series) < LEAST else 0


if __name__ == "__main__":
    raise SystemExit(main())
