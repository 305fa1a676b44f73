"""The guided demo: one question, and eight steps from "nobody could answer it" to "measure it on yours".

A step says what is shown and what is claimed. Its claims are worked out from the chunkings, their reports and real
searches, so that they are also true of a document that was swapped in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from chunkviz import advice, format
from chunkviz.chunking import Chunking
from chunkviz.evaluation import Evaluation
from chunkviz.lessons.measured import Asked, Measured, Setting, headings_found, holders, setting, touching
from chunkviz.report import Report
from chunkviz.units import EMBEDDING_LIMIT, EMBEDDING_MODEL

BLIND: Final = setting("fixed", size=512, overlap=0)
OVERLAPPING: Final = setting("fixed", size=512, overlap=50)
NATURAL: Final = setting("recursive", size=512, overlap=0)
SMALL: Final = setting("recursive", size=128, overlap=0)
LARGE: Final = setting("recursive", size=1024, overlap=0)
HEADINGS: Final = setting("structure", size=512, overlap=0)
TURNS: Final = setting("semantic")
RERANKED: Final = setting("recursive", reranked=True, size=512, overlap=0)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step.

    story    : what is said, before anything is shown
    columns  : what is shown side by side
    measures : the settings under which the questions are asked for the claims
    claims   : what there is to see, in words with figures; the first stands alone
    look     : what is shown: the text in its columns, and above it a picture; or figures only
    focus    : what the text is scrolled to
    notes    : for the presenter
    """

    id: str
    title: str
    story: str
    columns: tuple[Setting, ...]
    measures: tuple[Setting, ...] = ()
    claims: Callable[[Scene], list[str]]
    look: Literal["text", "sizes", "curve", "ranks", "table"] = "text"
    focus: Literal["start", "answer"] = "answer"
    notes: str


def numbers(found: Sequence[int]) -> str:
    """
    >>> numbers([4, 5]), numbers([7])
    ('chunks 4 and 5', 'chunk 7')
    """
    words = [f"{n:,}" for n in found]
    if len(words) == 1:
        return f"chunk {words[0]}"
    return f"chunks {', '.join(words[:-1])} and {words[-1]}"


def _whole(scene: Scene, at: int) -> str:
    """Whether the answer is whole in a column, with the numbers of its chunks."""
    _, chunking, report = scene.cuts[at]
    gold = scene.asked.gold
    if gold is None:
        cut = report["cut.sentences"]
        return f"{format.number(cut.value)} of {format.plural(cut.of or 0, 'sentence')} are whole in no chunk."
    inside = holders(chunking, gold)
    if inside:
        return f"{numbers(inside).capitalize()} of {len(chunking.chunks):,} holds the whole answer."
    return (
        f"The answer lies across {numbers(touching(chunking, gold))}. None of the {len(chunking.chunks):,} chunks holds it "
        "whole."
    )


def _answers(scene: Scene, one: Setting) -> str:
    found = scene.measured[one]
    return f"{found.cut} of {format.plural(found.asked, 'answer')}"


def _question(scene: Scene) -> list[str]:
    _, chunking, report = scene.cuts[0]
    made = f"The document became {format.plural(len(chunking.chunks), 'chunk')} of {_typical(report)}."
    if not scene.measured:
        return [made, "Type a question of your own below: then the story is about its answer."]
    found = scene.measured[BLIND]
    first, five = found.held(1), found.held(5)
    claims = [f"The best passage that the search brings back holds {format.number(first, 'share')} of the answer."]
    if five is not None and five < 1:
        claims.append(f"Five passages together hold {format.number(five, 'share')}: the rest is not among them at all.")
    else:
        claims.append(f"Five passages together hold {format.number(five, 'share')} of it.")
    return [*claims, made]


def _typical(report: Report) -> str:
    return f"typically {format.number(report['tokens.median'].value)} tokens"


def _cut(scene: Scene) -> list[str]:
    claims = [_whole(scene, 0)]
    if scene.measured:
        claims.append(f"Cut like this: {_answers(scene, BLIND)} to the questions that are asked here.")
    cut = scene.cuts[0][2]["cut.sentences"]
    return [*claims, f"{format.number(cut.value)} of {cut.of or 0:,} sentences are whole in no chunk."]


def _overlap(scene: Scene) -> list[str]:
    claims = [_whole(scene, 1)]
    if scene.measured:
        claims.append(
            f"Answers cut: {_answers(scene, BLIND)} without the overlap, {_answers(scene, OVERLAPPING)} with it."
        )
    more = scene.cuts[1][2]["overhead"]
    return [*claims, f"The price: {format.number(more.value, 'share')} more text to store, to embed and to search."]


def _natural(scene: Scene) -> list[str]:
    before, after = scene.cuts[0][2], scene.cuts[1][2]
    claims = [f"{_whole(scene, 1)} Nothing is stored twice."]
    for id_, word in (("cut.sentences", "Sentences"), ("cut.code_blocks", "Code blocks")):
        if after[id_].value is not None and before[id_].value is not None:
            claims.append(
                f"{word} cut: {format.number(before[id_].value)} before, {format.number(after[id_].value)} now."
            )
    return claims


def _size(scene: Scene) -> list[str]:
    claims = []
    words = [f"{one.values['size']:,}" for one, _, _ in scene.cuts]
    if scene.measured:
        asked = scene.measured[scene.cuts[0][0]].asked
        right = [f"{scene.measured[one].first} at {word}" for (one, _, _), word in zip(scene.cuts, words, strict=True)]
        claims.append(
            f"Of {format.plural(asked, 'question')}, the first passage is a right one for {_list(right)} tokens."
        )
    unread = [
        f"{format.number(r['unread'].value, 'share')} at {w}" for (_, _, r), w in zip(scene.cuts, words, strict=True)
    ]
    claims.append(
        f"{EMBEDDING_MODEL} reads {EMBEDDING_LIMIT} of its tokens of each chunk and no more. Never read: {_list(unread)}."
    )
    small = scene.cuts[0][2]["cut.tables"]
    large = scene.cuts[1][2]["cut.tables"]
    if small.value:
        claims.append(
            f"But small has its price: {format.number(small.value)} of {small.of} tables are cut at {words[0]}, "
            f"{format.number(large.value)} at {words[1]}."
        )
    return claims


def _list(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)


def _turns(scene: Scene) -> list[str]:
    _, chunking, _ = scene.cuts[1]
    curve = chunking.curve
    claims = [_whole(scene, 1)]
    if curve is not None and curve.threshold is not None:
        claims.append(
            f"It cuts where neighbouring sentences are less alike than {curve.threshold:.2f} (cosine, from −1 to 1), and keeps "
            "chunks between the smallest and the largest size."
        )
    headings = len(chunking.document.headings)
    if headings:
        claims.append(
            f"A chunk begins at {headings_found(chunking)} of {headings} headings. Nobody told it about headings."
        )
    if scene.measured:
        claims.append(
            f"It is no magic. Answers cut: {_answers(scene, TURNS)}, and {_answers(scene, NATURAL)} with “recursive”."
        )
    return claims


def _rerank(scene: Scene) -> list[str]:
    if not scene.measured:
        return ["Without a question there is nothing to rank. Type one below."]
    before, after = scene.measured[NATURAL], scene.measured[RERANKED]
    claims = [
        f"The first passage is a right one for {before.first} of {before.asked} questions before, for {after.first} after the "
        "second look.",
        f"Among the first five: {before.among_five} before, {after.among_five} after.",
    ]
    moved = [r for r in after.ranks() if r.before is not None and r.after is not None]
    best = max(moved, key=lambda r: (r.before or 0) - (r.after or 0), default=None)
    if best is not None and (best.before or 0) > (best.after or 0):
        claims.append(f"“{best.question}” rose from place {best.before} to place {best.after}.")
    worse = sum((r.after or 0) > (r.before or 0) for r in moved)
    return [*claims, f"{format.plural(worse, 'question')} fell back."]


def _measure(scene: Scene) -> list[str]:
    if scene.evaluation is None:
        return ["Bring ten questions and the words that answer them: the figures follow in a minute."]
    found = advice.after(scene.evaluation, "token_recall", 5)
    return (
        [*found.reasons, "All of this is about this document and these questions. Yours will differ."] if found else []
    )


STEPS: Final[tuple[Step, ...]] = (
    Step(
        id="question",
        title="A question that nobody could answer",
        story="Somebody asks a question, and the answer stands in the document. A search system does not read the document, "
        "though: it was cut into pieces beforehand (chunks), and only the few pieces that look most like the question come "
        "back. Here it was cut the way many systems do it unasked: after every 512 tokens, wherever that falls.",
        columns=(BLIND,),
        measures=(BLIND,),
        claims=_question,
        focus="start",
        notes="Ask the room first what they would expect. A token is a piece of a word, about four letters of English; "
        "512 of them fill about a page. Every colour is one chunk: all that a search can bring back at once.",
    ),
    Step(
        id="cut",
        title="The cut goes through the answer",
        story="Scroll to the answer, and it is plain why. The pieces were counted off, not read. One ends in the middle of "
        "what the question needs, and the next begins with the rest.",
        columns=(BLIND,),
        measures=(BLIND,),
        claims=_cut,
        notes="The marked words are the answer. Point with the mouse at the place where the colour changes: the card "
        "says why the cut is there. A language model that gets only one half will answer with half, or make up the rest.",
    ),
    Step(
        id="overlap",
        title="First remedy: overlap",
        story="Each piece repeats the last 50 tokens of the one before (overlap), the hatched bands on the right. "
        "What is cut at one border is whole in the next piece, as long as it is short enough.",
        columns=(BLIND, OVERLAPPING),
        measures=(BLIND, OVERLAPPING),
        claims=_overlap,
        notes="An overlap is a plaster: it mends what is shorter than itself, and everything is stored more than once. "
        "All further cuts moved too, which is luck for one question and bad luck for another.",
    ),
    Step(
        id="recursive",
        title="Better: cut where the text has a border",
        story="Instead of counting, cut at the largest border that keeps the pieces small enough: a heading, a blank line, a "
        "line end, a blank (recursive). Same size, no overlap.",
        columns=(BLIND, NATURAL),
        measures=(BLIND, NATURAL),
        claims=_natural,
        notes="This is the splitter of LangChain, text for text; Compare has a button that proves it. Press d in the text "
        "to step through the places where the columns differ.",
    ),
    Step(
        id="size",
        title="How large should a piece be?",
        story="Small pieces say exactly one thing, and are found more easily. Large ones bring their surroundings along, but "
        "one summary (embedding) has to stand for all that is in them. The same cut at three sizes:",
        columns=(SMALL, NATURAL, LARGE),
        measures=(SMALL, NATURAL, LARGE),
        claims=_size,
        look="sizes",
        notes="The size matters more than the strategy here. Do not take 128 home as a truth: the questions ask for single "
        "facts. Questions for an explanation want larger pieces. The last step shows how to find out.",
    ),
    Step(
        id="turns",
        title="Cut where the subject changes",
        story="A model turns each sentence into numbers (an embedding). Neighbours that are about the same thing get similar "
        "ones. Where the similarity drops, the subject changes: a place to cut.",
        columns=(NATURAL, TURNS),
        measures=(NATURAL, TURNS),
        claims=_turns,
        look="curve",
        notes="The line can be dragged on the Tune screen, and the text is cut again meanwhile. Topic turns earn their "
        "cost on texts without headings: try the call transcript.",
    ),
    Step(
        id="rerank",
        title="A second look at what was found",
        story="The search compares one summary of each piece with the question. A reranker reads the twenty best again, "
        "word by word, and puts them in a new order. Each line is a question, from its place before to its place after.",
        columns=(NATURAL,),
        measures=(NATURAL, RERANKED),
        claims=_rerank,
        look="ranks",
        notes="Only the order changes, never the pieces: what was cut stays cut. Here the reranker is late interaction with "
        "the model that comes along; a cross-encoder of your own can take its place on the Evaluate screen.",
    ),
    Step(
        id="measure",
        title="Measure it on yours",
        story="Which cut is best? That depends on the document and on what people ask. So nobody can tell you, but you can "
        "measure it. The same questions, every cut of this story:",
        columns=(NATURAL,),
        measures=(BLIND, OVERLAPPING, SMALL, NATURAL, LARGE, HEADINGS, RERANKED),
        claims=_measure,
        look="table",
        notes="Swap in a document of the room: open it on the left, and type a question with the words that answer "
        "it. Then go through the steps again. Ten to fifty questions on the Evaluate screen give figures to decide by.",
    ),
)


def step_number(given: str | None) -> int:
    """The step that a link asks for, from 1; what is no step becomes the nearest.

    >>> step_number("3"), step_number("99"), step_number("x"), step_number(None)
    (3, 8, 1, 1)
    """
    number = int(given) if given and given.isascii() and given.isdigit() and len(given) < 5 else 1
    return min(max(number, 1), len(STEPS))
