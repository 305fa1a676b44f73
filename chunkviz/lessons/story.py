"""The guided demo: eight steps from "nobody could answer it" to "measure it on yours".

A step says what is shown and what is claimed. It was written with a sample, and has other words for a document that was
swapped in. Its claims are worked out from the chunkings, their reports and real searches (`claims`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Final, Literal

from chunkviz.lessons import claims
from chunkviz.lessons.claims import Scene
from chunkviz.lessons.subject import Asked
from chunkviz.lessons.ways import Setting, Ways

WayName = Literal[
    "blind", "overlapping", "smaller", "natural", "larger", "headings", "turns", "reranked"
]  # of a property of `Ways`


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step.

    title, story         : what is said about the sample; {size}, {overlap}, {it} are filled in
    own_title, own_story : the same for any other document, where the words above would promise too much
    shows    : what is shown side by side
    asks     : the ways under which the questions are asked for the claims
    claims   : what there is to see, in words with figures; the first stands alone
    look     : what is shown: the text in its columns, and above it a picture; or figures only
    focus    : what the text is scrolled to
    notes    : for the presenter
    """

    id: str
    title: str
    story: str
    own_title: str = ""
    own_story: str = ""
    shows: tuple[WayName, ...]
    asks: tuple[WayName, ...] = ()
    claims: Callable[[Scene], list[str]]
    look: Literal["text", "sizes", "curve", "ranks", "table"] = "text"
    focus: Literal["start", "answer"] = "answer"
    notes: str

    def words(self, asked: Asked) -> tuple[str, str]:
        """Title and story, with the sizes of this telling."""
        ways = asked.ways
        title, story = self.title, self.story
        if not asked.written:
            title, story = self.own_title or title, self.own_story or story
        return title, story.format(size=f"{ways.size:,}", overlap=f"{ways.overlap:,}", it=asked.it)

    def columns(self, ways: Ways) -> tuple[Setting, ...]:
        """What is shown side by side, in sizes that suit the document."""
        return settings(ways, self.shows)

    def measures(self, ways: Ways) -> tuple[Setting, ...]:
        """The settings under which the questions are asked."""
        return settings(ways, self.asks)


def settings(ways: Ways, names: tuple[WayName, ...]) -> tuple[Setting, ...]:
    """
    >>> settings(Ways(), ("blind",))[0].strategy
    'fixed'
    """
    return tuple(attrgetter(name)(ways) for name in names)


ALL: Final[tuple[WayName, ...]] = ("blind", "overlapping", "smaller", "natural", "larger", "headings", "reranked")
"""What the last step puts into its table."""

STEPS: Final[tuple[Step, ...]] = (
    Step(
        id="question",
        title="A question that nobody could answer",
        story="Somebody asks a question, and the answer stands in the document. A search system does not read the document, "
        "though: it was cut into pieces beforehand (chunks), and only the few pieces that look most like the question come "
        "back. Here it was cut the way many systems do it unasked: after every {size} tokens (pieces of words), wherever "
        "that falls.",
        own_title="A document becomes pieces",
        own_story="A search system does not read a document when somebody asks. It was cut into pieces beforehand (chunks), "
        "and only the few pieces that look most like the question come back. Here it was cut the way many systems do it "
        "unasked: after every {size} tokens (pieces of words), wherever that falls.",
        shows=("blind",),
        asks=("blind",),
        claims=claims.in_pieces,
        focus="start",
        notes="Ask the room first what they would expect. A token is a piece of a word, about four letters of English; "
        "512 of them fill about a page. Every colour is one chunk: all that a search can bring back at once.",
    ),
    Step(
        id="cut",
        title="The cut goes through the answer",
        story="Scroll to the answer, and it is plain why. The pieces were counted off, not read. One ends in the middle of "
        "what the question needs, and the next begins with the rest.",
        own_title="Where do the cuts fall?",
        own_story="The pieces were counted off, not read: one ends when it is full, and the next begins with the rest. "
        "The text below is scrolled to {it}; where the colour changes, a cut was made.",
        shows=("blind",),
        asks=("blind",),
        claims=claims.cut_through,
        notes="The marked words are what should stay whole. Point with the mouse at the place where the colour changes: the "
        "card says why the cut is there. A language model that gets only one half will answer with half, or make up the "
        "rest.",
    ),
    Step(
        id="overlap",
        title="First remedy: overlap",
        story="Each piece repeats the last {overlap} tokens of the one before (overlap), the hatched bands on the right. "
        "What is cut at one border is whole in the next piece, as long as it is short enough.",
        shows=("blind", "overlapping"),
        asks=("blind", "overlapping"),
        claims=claims.overlap,
        notes="An overlap is a plaster: it mends what is shorter than itself, and everything is stored more than once. "
        "All further cuts moved too, which is luck for one question and bad luck for another.",
    ),
    Step(
        id="recursive",
        title="Better: cut where the text has a border",
        story="Instead of counting, cut at the largest border that keeps the pieces small enough: a heading, a blank line, a "
        "line end, a blank (recursive). Same size, no overlap.",
        own_title="Second remedy: cut where the text has a border",
        shows=("blind", "natural"),
        asks=("blind", "natural"),
        claims=claims.natural,
        notes="This is the splitter of LangChain, text for text; Compare has a button that proves it. Press d in the text "
        "to step through the places where the columns differ.",
    ),
    Step(
        id="size",
        title="How large should a piece be?",
        story="Small pieces say exactly one thing, and are found more easily. Large ones bring their surroundings along, but "
        "one summary in numbers (embedding) has to stand for all that is in them. The same cut at three sizes:",
        shows=("smaller", "natural", "larger"),
        asks=("smaller", "natural", "larger"),
        claims=claims.sizes,
        look="sizes",
        notes="On the sample manual the size matters more than the strategy. Do not take 128 home as a truth: its questions "
        "ask for single facts. Questions for an explanation want larger pieces. The last step shows how to find out.",
    ),
    Step(
        id="turns",
        title="Cut where the subject changes",
        story="A model turns each sentence into numbers (an embedding). Neighbours that are about the same thing get similar "
        "ones. Where the similarity drops, the subject changes: a place to cut.",
        shows=("natural", "turns"),
        asks=("natural", "turns"),
        claims=claims.turns,
        look="curve",
        notes="The line can be dragged on the Tune screen, and the text is cut again meanwhile. Topic turns earn their "
        "cost on texts without headings: try the call transcript.",
    ),
    Step(
        id="rerank",
        title="A second look at what was found",
        story="The search compares one summary of each piece with the question. A reranker reads the twenty best again, "
        "word by word, and puts them in a new order. Each line is a question, from its place before to its place after.",
        shows=("natural",),
        asks=("natural", "reranked"),
        claims=claims.second_look,
        look="ranks",
        notes="Only the order changes, never the pieces: what was cut stays cut. Here the reranker is late interaction with "
        "the model that comes along; a cross-encoder of your own can take its place on the Evaluate screen.",
    ),
    Step(
        id="measure",
        title="Measure it on yours",
        story="Which cut is best? That depends on the document and on what people ask. So nobody can tell you, but you can "
        "measure it. The same document, every cut of this story:",
        shows=("natural",),
        asks=ALL,
        claims=claims.measure_yours,
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
