"""What a strategy is: a function and a declaration. One file each, found through `registry`.

    SPEC = Strategy(id="fixed", title="Fixed size", params_class=FixedParams, cut=cut, ...)

`cut(document, params, services)` returns a `Cut`: where the chunks are and why. The engine counts, checks and stamps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunkviz.chunking import NO_FLAGS, Curve, Dropped
from chunkviz.document import Document
from chunkviz.graphemes import Graphemes
from chunkviz.measures import Measure
from chunkviz.params import Param, Params
from chunkviz.spans import Spans
from chunkviz.units import Unit


class Piece(NamedTuple):
    """One chunk as a strategy returns it.

    start, end : code points, half-open
    reason     : why it ends where it ends
    oversize   : the reason if it should count more than `size`. The engine counts: it flags the chunk with this reason
                 where it does, and refuses the whole result where it does and no reason was given
    """

    start: int
    end: int
    reason: str
    oversize: str = ""
    context: str = ""
    flags: Mapping[str, str] = NO_FLAGS
    rewrite: str | None = None


@dataclass(frozen=True, slots=True)
class Cut:
    """What a strategy returns: pieces in order, spans left out with reasons, fallbacks in words, a curve if it has one."""

    pieces: Sequence[Piece]
    dropped: Sequence[Dropped] = ()
    notes: Sequence[str] = ()
    curve: Curve | None = None


@dataclass(frozen=True, slots=True)
class Resizing:
    """What a browser needs to cut again by itself while a slider of `size` or `overlap` moves.

    by        : which of the ways in `ui/component/resizing.js`: "windows" over the positions, or "parts" between them
    positions : int64 (n + 1,), never decreasing; code points on grapheme borders
    numbers   : by name, int64 (any,) each; what they mean is said where they are made
    """

    by: str
    positions: NDArray[np.int64]
    numbers: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Services:
    """What the engine lends a strategy.

    unit      : what `size` and `overlap` count
    measure   : counts in that unit for any span of this document, exact and fast
    graphemes : where characters begin and end; `floor` moves a cut out of the middle of one
    sentences : the document's sentences, whole characters each, worked out once
    embed     : name of an embedding model, texts -> float32 (n, d) unit rows; each text is embedded once, ever
    """

    unit: Unit
    measure: Measure
    graphemes: Graphemes
    sentences: Callable[[], Spans]
    embed: Callable[[str, Sequence[str]], NDArray[np.float32]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tags:
    """Which checks apply, instead of names in tests.

    content_blind   : the same spans for every text of the same shape (checked on twin documents)
    may_overlap     : neighbouring chunks may share text even where no `overlap` is asked for
    has_size        : has a parameter `size` that bounds every chunk not flagged oversize
    needs_embedder, needs_model : cannot run without one
    by_hand         : its parameters are one document's own: nothing to time, to sweep or to try on another
    """

    content_blind: bool = False
    may_overlap: bool = False
    has_size: bool = True
    needs_embedder: bool = False
    needs_model: bool = False
    by_hand: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Strategy:
    """One way to cut, declared.

    one_line  : what it does, in words anyone understands, without a full stop
    how       : how, in one to three sentences
    good_for  : when to use it
    watch_out : where it fails, honestly
    source    : where the idea comes from
    version   : rises when its spans change
    resizing  : what does not depend on `size` and `overlap`, so that a browser can follow their sliders; None where the
                document has it not, or where the strategy has no such thing
    """

    id: str
    title: str
    one_line: str
    how: str
    good_for: str
    watch_out: str
    source: str
    version: int
    params_class: type[Params]
    cut: Callable[[Document, Any, Services], Cut]
    tags: Tags = Tags()
    resizing: Callable[[Document, Any, Services], Resizing | None] | None = None

    @property
    def params(self) -> tuple[Param, ...]:
        """The declared parameters, each with `.name`, `.default`, `.rule`, `.label`, `.help`."""
        return self.params_class.declared()


@dataclass(frozen=True, slots=True)
class Unavailable:
    """A strategy that cannot run here: shown with its reason and its remedy, never hidden."""

    id: str
    reason: str
    fix: str
