"""What the strategies that cut at turns of topic have in common: from a document to its curve and its chunks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chunkviz.chunking import Curve
from chunkviz.document import Document
from chunkviz.embed import embedder, identity
from chunkviz.similarity.curve import Bools, Floats, similarities
from chunkviz.similarity.params import TurnParams
from chunkviz.similarity.thresholds import KINDS, on_curve, separating, spread
from chunkviz.similarity.turns import DEEPEST, DROP, SECTION, Regrouped, Turns, Units, regroup, turns_of, units_of
from chunkviz.spans import Spans
from chunkviz.spec import Cut, Piece, Services
from chunkviz.text.sections import Section
from chunkviz.text.sentences import whole_sentences

FORCED = "one sentence larger than the largest chunk, cut inside"
MERGED_COUNT = "counts a little more as a whole than its sentences do one by one"
LONGEST_TITLE = 60
MOST_DIGITS = 6


def sentence_texts(document: Document) -> list[str]:
    """The sentences that are embedded, in order: what a page may embed beforehand, to show how far that is."""
    texts = (document.text[s.start : s.end] for s in whole_sentences(document))
    return [t for t in texts if tells(t)]


def tells(text: str) -> bool:
    """Whether a sentence says anything: it has a letter or a digit."""
    return any(c.isalnum() for c in text)


def vectors_of(document: Document, services: Services, model: str) -> tuple[Spans, NDArray[np.float32], Bools]:
    """The sentences, their vectors, and which of them say anything. The others are not embedded: their rows are 0.

    They are kept with the document, by all that decides them: another model may come to answer to the same name.
    """
    spans = whole_sentences(document)
    texts = [document.text[s.start : s.end] for s in spans]
    telling = np.array([tells(t) for t in texts], dtype=np.bool_)
    asked = [t for t, tell in zip(texts, telling, strict=True) if tell]

    def make() -> NDArray[np.float32]:
        made = services.embed(model, asked) if asked else np.empty((0, 1), dtype=np.float32)
        vectors = np.zeros((len(texts), made.shape[1]), dtype=np.float32)
        vectors[telling] = made
        return vectors

    return spans, document.derive(("vectors", *identity(embedder(model))), make), telling


def cut_at_turns(document: Document, params: TurnParams, services: Services, parts: Sequence[Section] = ()) -> Cut:
    """Cut where similarity drops, and before every one of `parts` that begins at a sentence."""
    spans, vectors, telling = vectors_of(document, services, params.model)
    if not spans:
        return Cut([])
    values, defined = document.derive(
        ("similarities", *identity(embedder(params.model)), params.window),
        lambda: similarities(vectors, telling, params.window),
    )
    units = units_of(document, services.measure, spans, params.size)
    turns = _turns(params, spans, units, values, defined, parts)
    cuts = turns_of(turns.drops, turns.level, turns.sections)
    made = regroup(units, cuts, turns.sections, turns.depths, params.size, params.smallest)
    curve = Curve(
        sentences=spans,
        positions=spans.starts[1:],
        values=values,
        threshold=separating(turns.kind, turns.level, values, cuts[_gap_ends(units)], defined),
        defined=defined,
        turns=turns,
    )
    titles = {p.span.start: p.title for p in parts}
    return Cut(_pieces(units, made, reasons(turns, titles)), curve=curve)


def _gap_ends(units: Units) -> Bools:
    """bool: which gaps between units are gaps between sentences, in their order."""
    return np.diff(units.sentence) > 0


def _turns(
    params: TurnParams,
    spans: Spans,
    units: Units,
    values: Floats,
    defined: Bools,
    parts: Sequence[Section],
) -> Turns:
    kind = KINDS[params.kind]
    section = np.isin(spans.starts[1:], [p.span.start for p in parts])
    # A gap before a section is a cut anyway: it has no say in what counts as a sharp turn.
    counted = defined & ~section
    drops = np.where(counted, kind.drops(values, counted), -np.inf)
    facts = spread(drops, counted)
    between = _gap_ends(units)
    return Turns(
        units=units,
        values=_widened(between, values, 1.0),
        drops=_widened(between, drops, -np.inf),
        depths=_widened(between, np.where(defined, 1.0 - values, -np.inf), -np.inf),
        sections=_widened(between, section, False),
        kind=kind,
        amount=params.amount,
        spread=facts,
        level=kind.level(params.amount, facts),
        size=params.size,
        smallest=params.smallest,
    )


def _widened(between: Bools, values: NDArray[Any], fill: object) -> NDArray[Any]:
    """One value per gap between units, from one per gap between sentences."""
    made = np.full(len(between), fill, dtype=values.dtype)
    made[between] = values
    return made


def reasons(turns: Turns, titles: Mapping[int, str]) -> Callable[[int, int], str]:
    """(gap, why) -> why a chunk ends there, in words; `ending` of `ui/component/turns.js` says the same, to the letter.

    titles : of the sections, by the code point each begins at
    """
    line = on_curve(turns.kind, turns.level)

    def reason(gap: int, why: int) -> str:
        similarity = float(turns.values[gap])
        if why == DROP:
            if line is None:
                drop, level = told_apart(float(turns.drops[gap]), turns.level)
                return turns.kind.says.format(drop=drop, level=level)
            alike, level = told_apart(similarity, line)
            return turns.kind.says.format(similarity=alike, level=level)
        if why == SECTION:
            return f"before the heading “{titles[int(turns.units.starts[gap + 1])][:LONGEST_TITLE]}”"
        if why == DEEPEST:
            alike = f"similarity {similarity:z.2f}" if turns.depths[gap] > -np.inf else "no letters beside it"
            return f"largest size reached; cut at the sharpest turn inside ({alike})"
        return FORCED

    return reason


def told_apart(a: float, b: float) -> tuple[str, str]:
    """Two different numbers with two digits, or as many more as it takes until they do not look equal.

    >>> told_apart(0.25, 0.4), told_apart(0.3012, 0.3049)
    (('0.25', '0.40'), ('0.301', '0.305'))
    """
    for digits in range(2, MOST_DIGITS):
        texts = f"{a:z.{digits}f}", f"{b:z.{digits}f}"
        if texts[0] != texts[1]:
            return texts
    return f"{a:z.{MOST_DIGITS}f}", f"{b:z.{MOST_DIGITS}f}"


def _pieces(units: Units, made: Regrouped, reason: Callable[[int, int], str]) -> list[Piece]:
    firsts = made.firsts.tolist()
    lasts = [f - 1 for f in firsts[1:]] + [len(units.starts) - 1]
    why = [*made.why[1:].tolist(), 0]
    return [
        Piece(
            int(units.starts[first]),
            int(units.ends[last]),
            reason(last, because) if because else "end of the document",
            FORCED if first == last else MERGED_COUNT,
        )
        for first, last, because in zip(firsts, lasts, why, strict=True)
    ]
