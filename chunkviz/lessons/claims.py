"""What the steps of the demo claim: sentences with figures, worked out from chunkings, their reports and real searches.

Each function takes a `Scene` and returns sentences of which the first stands alone. They hold for any document: where
there is nothing to see, the first sentence says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from chunkviz import advice, format
from chunkviz.chunking import Chunking
from chunkviz.evaluation import Evaluation
from chunkviz.lessons.measured import Measured, headings_found, holders, touching
from chunkviz.lessons.subject import Asked
from chunkviz.lessons.ways import Setting
from chunkviz.report import Report
from chunkviz.units import EMBEDDING_LIMIT, EMBEDDING_MODEL

NO_QUESTION: Final = "This step needs a question. Type one below with the words that answer it, or go on."


@dataclass(frozen=True, slots=True)
class Scene:
    """What the claims of a step are made of.

    cuts      : the chunkings of the step, in order, each with its report
    measured  : what the questions got back, empty without questions
    """

    asked: Asked
    cuts: Sequence[tuple[Setting, Chunking, Report]]
    measured: Mapping[Setting, Measured] = field(default_factory=dict)
    evaluation: Evaluation | None = None

    def cut_answers(self, one: Setting) -> str:
        """How many answers a setting cuts: "5 of 16"."""
        found = self.measured[one]
        return f"{found.cut} of {found.asked}"


def numbers(found: Sequence[int]) -> str:
    """Chunks that stand side by side, in words.

    >>> numbers([4, 5]), numbers([7]), numbers([1, 2, 3, 4, 5])
    ('chunks 4 and 5', 'chunk 7', 'chunks 1 to 5')
    """
    words = [f"{n:,}" for n in found]
    if len(words) > 4:
        return f"chunks {words[0]} to {words[-1]}"
    return f"chunk {words[0]}" if len(words) == 1 else f"chunks {listed(words)}"


def listed(words: Sequence[str]) -> str:
    """
    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)


def whole(scene: Scene, at: int) -> str:
    """Whether what has to stay whole does, in a column, with the numbers of its chunks."""
    _, chunking, _ = scene.cuts[at]
    gold = scene.asked.gold
    total = format.plural(len(chunking.chunks), "chunk")
    if gold is None:
        return f"{_cut_places(scene, at)} The document became {total}."
    it = scene.asked.it
    inside = holders(chunking, gold)
    if inside:
        verb = "holds" if len(inside) == 1 else "hold"
        return f"{numbers(inside).capitalize()} of {len(chunking.chunks):,} {verb} {_all_of(it)}."
    parts = touching(chunking, gold)
    if len(chunking.chunks) == 1:
        return f"{it.capitalize()} is not whole in the only chunk."
    return f"{it.capitalize()} lies across {numbers(parts)}. None of the {total} holds it whole."


def _all_of(it: str) -> str:
    return "the whole answer" if it == "the answer" else f"{it} whole"


def _cut_places(scene: Scene, at: int) -> str:
    cut = scene.cuts[at][2]["cut.sentences"]
    if cut.value is None:
        return "There are no sentences to cut."
    if not cut.value:
        return f"No cut goes through a sentence: all {cut.of or 0:,} are whole in a chunk."
    return f"{format.number(cut.value)} of {format.plural(cut.of or 0, 'sentence')} are whole in no chunk."


def in_pieces(scene: Scene) -> list[str]:
    """What a search brings back when the document was cut without looking."""
    _, chunking, report = scene.cuts[0]
    typical = format.number(report["tokens.median"].value)
    made = f"The document became {format.plural(len(chunking.chunks), 'chunk')} of typically {typical} tokens."
    if not scene.measured:
        return [made, _cut_places(scene, 0)]
    found = scene.measured[scene.cuts[0][0]]
    first, five = found.held(1), found.held(5)
    claims = [f"The best passage that the search brings back holds {format.number(first, 'share')} of the answer."]
    if five is not None and five < 1:
        claims.append(f"Five passages together hold {format.number(five, 'share')}: the rest is not among them at all.")
    else:
        claims.append(f"Five passages together hold {format.number(five, 'share')} of it.")
    return [*claims, made]


def cut_through(scene: Scene) -> list[str]:
    """Where the blind cuts fall."""
    claims = [whole(scene, 0)]
    if scene.measured:
        claims.append(
            f"Cut like this: {scene.cut_answers(scene.cuts[0][0])} answers to the questions that are asked here."
        )
    if scene.asked.gold is None:
        return ["No cut of this step goes through a sentence, a table or a code block: nothing to see here.", *claims]
    return [*claims, _cut_places(scene, 0)]


def overlap(scene: Scene) -> list[str]:
    """What an overlap mends, and what it costs."""
    (blind, _, before), (overlapping, _, after) = scene.cuts
    claims = [whole(scene, 1)]
    if scene.measured:
        claims.append(
            f"Answers cut: {scene.cut_answers(blind)} without the overlap, {scene.cut_answers(overlapping)} with it."
        )
    else:
        claims += _before_after(before, after, (("cut.sentences", "Sentences"),), "without the overlap", "with it")
    price = format.number(after["overhead"].value, "share")
    return [*claims, f"The price: {price} more text to store, to embed and to search."]


def natural(scene: Scene) -> list[str]:
    """What cutting at borders of the text keeps whole."""
    before, after = scene.cuts[0][2], scene.cuts[1][2]
    twice = after["twice"].value
    stored = "Nothing is stored twice." if not twice else f"{format.number(twice)} characters are stored twice."
    kinds = (("cut.sentences", "Sentences"), ("cut.code_blocks", "Code blocks"))
    return [f"{whole(scene, 1)} {stored}", *_before_after(before, after, kinds, "before", "now")]


def _before_after(
    before: Report, after: Report, kinds: Sequence[tuple[str, str]], first: str, second: str
) -> list[str]:
    """Places cut in two reports, one sentence for each kind of place that the document has."""
    return [
        f"{word} cut: {format.number(before[id_].value)} {first}, {format.number(after[id_].value)} {second}."
        for id_, word in kinds
        if before[id_].value is not None and after[id_].value is not None
    ]


def sizes(scene: Scene) -> list[str]:
    """What changes with the size."""
    words = [f"{one.values['size']:,}" for one, _, _ in scene.cuts]
    claims = []
    if scene.measured:
        asked = scene.measured[scene.cuts[0][0]].asked
        right = [f"{scene.measured[one].first} at {word}" for (one, _, _), word in zip(scene.cuts, words, strict=True)]
        claims.append(
            f"Of {format.plural(asked, 'question')}, the first passage is a right one for {listed(right)} tokens."
        )
    else:
        made = [f"{len(c.chunks):,} at {w}" for (_, c, _), w in zip(scene.cuts, words, strict=True)]
        claims.append(f"Chunks: {listed(made)} tokens.")
    unread = [r["unread"].value for _, _, r in scene.cuts]
    if any(unread):
        shares = [f"{format.number(u, 'share')} at {w}" for u, w in zip(unread, words, strict=True)]
        claims.append(
            f"The model of the search ({EMBEDDING_MODEL}) reads the first {EMBEDDING_LIMIT} tokens of a chunk, as it counts "
            f"them, and no more. Of the text it never reads {listed(shares)} tokens."
        )
    else:
        claims.append(
            f"All of it is read: no chunk is longer than the {EMBEDDING_LIMIT} tokens that the model of the search "
            f"({EMBEDDING_MODEL}) takes in."
        )
    small, large = scene.cuts[0][2]["cut.tables"], scene.cuts[1][2]["cut.tables"]
    if small.value:
        claims.append(
            f"But small has its price: {format.number(small.value)} of {small.of} tables are cut at {words[0]} tokens, "
            f"{format.number(large.value)} at {words[1]}."
        )
    return claims


def turns(scene: Scene) -> list[str]:
    """Where the subject changes."""
    (natural_, _, _), (topic, chunking, _) = scene.cuts
    curve = chunking.curve
    if curve is None or not len(curve.values):
        return ["There are no two sentences to compare: nothing to see at this step. Go on.", whole(scene, 1)]
    claims = [whole(scene, 1)]
    if curve.threshold is not None:
        claims.append(
            f"It cuts where neighbouring sentences are less alike than {curve.threshold:.2f} (cosine similarity, 1 is the "
            "same), and keeps chunks between the smallest and the largest size."
        )
    headings = len(chunking.document.headings)
    if headings:
        claims.append(
            f"A chunk begins at {headings_found(chunking)} of {headings} headings. Nobody told it about headings."
        )
    if scene.measured:
        mine, other = scene.measured[topic].cut, scene.measured[natural_].cut
        said = "It is no magic. " if mine > other else ""
        claims.append(
            f"{said}Answers cut: {scene.cut_answers(topic)}, and {scene.cut_answers(natural_)} with “recursive”."
        )
    return claims


def second_look(scene: Scene) -> list[str]:
    """What a reranker moves."""
    if not scene.measured:
        return [NO_QUESTION]
    before, after = scene.measured[scene.asked.ways.natural], scene.measured[scene.asked.ways.reranked]
    claims = [
        f"The first passage is a right one for {before.first} of {format.plural(before.asked, 'question')} before the second "
        f"look, for {after.first} after it.",
        f"Among the first five: {before.among_five} before, {after.among_five} after.",
    ]
    moved = [(r.question, r.before, r.after) for r in after.ranks() if r.before is not None and r.after is not None]
    best = max(moved, key=lambda r: r[1] - r[2], default=None)
    if best is not None and best[1] > best[2]:
        claims.append(f"“{best[0]}” rose from place {best[1]} to place {best[2]}.")
    back = sum(b > a for _, a, b in moved)
    return [*claims, f"{format.plural(back, 'question')} fell back." if back else "None fell back."]


def measure_yours(scene: Scene) -> list[str]:
    """Which of the cuts the questions can tell apart."""
    if scene.evaluation is None:
        return [
            "Without questions nobody can say which cut is best. This much can be counted without any:",
            "Ten questions with the words that answer them are a beginning: the figures follow in a minute.",
        ]
    found = advice.after(scene.evaluation, "token_recall", 5)
    about = "All of this is about this document and these questions. Yours will differ."
    return [*found.reasons, about] if found else ["No question got anything back, so there is nothing to compare."]
