"""The layers of a BERT encoder in plain torch: token ids in, the last layer's vectors out.

Written out here because it is short and saves importing transformers. The three projections of the attention are one
matrix product instead of three, and where all texts of a batch are equally long there is no mask to look at; both
leave the values as they are. `tests/test_embed.py` holds it to sentence-transformers on the same weights.

Source: Devlin et al. 2019, BERT, https://arxiv.org/abs/1810.04805; names of the weights as in transformers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import torch
from torch import Tensor
from torch.nn.functional import embedding, gelu, layer_norm, linear, scaled_dot_product_attention

_EPSILON: Final = 1e-12


class Bert:
    """An encoder with the exact GELU and learned positions, for inference on the CPU.

    weights : float32 tensors under the names that transformers' `BertModel` gives them; computed in `dtype`
    heads   : attention heads of each layer
    """

    def __init__(self, weights: Mapping[str, Tensor], heads: int, dtype: torch.dtype) -> None:
        def part(name: str) -> Tensor:
            return weights[name].to(dtype).contiguous()

        def affine(name: str) -> tuple[Tensor, Tensor]:
            return part(f"{name}.weight"), part(f"{name}.bias")

        self.heads = heads
        self._words = part("embeddings.word_embeddings.weight")
        # Every text is one segment, so its vector belongs to the position.
        positions = (
            weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
        )
        self._positions = positions.to(dtype).contiguous()
        self._norm = affine("embeddings.LayerNorm")
        self._layers: list[tuple[tuple[Tensor, Tensor], ...]] = []
        while f"encoder.layer.{len(self._layers)}.output.dense.weight" in weights:
            layer = f"encoder.layer.{len(self._layers)}"
            three = [affine(f"{layer}.attention.self.{which}") for which in ("query", "key", "value")]
            self._layers.append(
                (
                    (torch.cat([w for w, _ in three]), torch.cat([b for _, b in three])),
                    affine(f"{layer}.attention.output.dense"),
                    affine(f"{layer}.attention.output.LayerNorm"),
                    affine(f"{layer}.intermediate.dense"),
                    affine(f"{layer}.output.dense"),
                    affine(f"{layer}.output.LayerNorm"),
                )
            )

    def __call__(self, ids: Tensor, mask: Tensor | None) -> Tensor:
        """The last layer, (batch, length, d) in the dtype of the weights.

        ids  : int64 (batch, length)
        mask : bool (batch, length), True where there is a token; None where there is one everywhere
        """
        batch, length = ids.shape
        d = self._words.shape[1]
        attended = None if mask is None else mask[:, None, None, :]
        states = layer_norm(embedding(ids, self._words) + self._positions[:length], (d,), *self._norm, _EPSILON)
        for projection, joined, first_norm, wider, narrower, second_norm in self._layers:
            query, key, value = (
                linear(states, *projection).view(batch, length, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
            )
            seen = scaled_dot_product_attention(query, key, value, attn_mask=attended)
            seen = linear(seen.transpose(1, 2).reshape(batch, length, d), *joined)
            states = layer_norm(seen + states, (d,), *first_norm, _EPSILON)
            inner = linear(gelu(linear(states, *wider)), *narrower)
            states = layer_norm(inner + states, (d,), *second_norm, _EPSILON)
        return states
