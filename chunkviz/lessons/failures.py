"""Where each strategy fails: a short text, the setting, and two phrases that show it.

A failure is one of two kinds. "parted": the phrases belong together, and no chunk holds both. "mixed": they have nothing
to do with each other, and share a chunk. `fails` finds out which of the two holds for a real chunking, so that the page
shows what happens and a test can say that it does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from chunkviz.chunking import Chunking
from chunkviz.document import Document, Page
from chunkviz.spans import Span

PAGE_BREAK: Final = "\f"
"""Stands between the pages of a text that has some."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A text that makes a strategy fail.

    name    : decides the format ("notes.md" is Markdown)
    text    : with `PAGE_BREAK` between pages
    params  : of the strategy
    kind    : what goes wrong with the two `phrases`, each of which occurs once in the text
    because : one sentence for a reader: what to look at
    """

    name: str
    text: str
    params: Mapping[str, Any]
    kind: Literal["parted", "mixed"]
    phrases: tuple[str, str]
    because: str
    unit: str = field(default="cl100k_base", kw_only=True)

    def document(self) -> Document:
        """The text as a document, with its pages."""
        if PAGE_BREAK not in self.text:
            return Document.from_text(self.text, self.name)
        parts = self.text.split(PAGE_BREAK)
        pages, at = [], 0
        for number, part in enumerate(parts, 1):
            pages.append(Page(at, at + len(part), number, str(number)))
            at += len(part)
        plain = Document.from_text("".join(parts), self.name)
        return Document(plain.text, plain.name, plain.format, plain.blocks, tuple(pages))

    def places(self, document: Document) -> tuple[Span, Span]:
        """Where the two phrases stand."""
        first, second = (document.text.index(phrase) for phrase in self.phrases)
        return Span(first, first + len(self.phrases[0])), Span(second, second + len(self.phrases[1]))


def together(spans: Iterable[tuple[int, int]], places: Iterable[Span]) -> bool:
    """Whether one of the spans holds all of the places.

    >>> together([(0, 5), (5, 9)], [Span(1, 2), Span(6, 7)])
    False
    """
    first, last = min(p.start for p in places), max(p.end for p in places)
    return any(start <= first and last <= end for start, end in spans)


def fails(failure: Failure, chunking: Chunking) -> bool:
    """Whether the chunking does what the failure says."""
    held = together(chunking.spans, failure.places(chunking.document))
    return held if failure.kind == "mixed" else not held


_SOUP: Final = (
    "To make the soup you need these things.\n\n- two onions\n- a litre of stock\n- a bay leaf\n- a wooden spoon\n\n"
    "Cut the onions and let them sweat. Add the stock and the bay leaf. Stir with the wooden spoon for forty minutes.\n"
)
_DEPOSIT: Final = (
    "The deposit is 200 euros. Our lawyers in Geneva drafted the rules. It is returned when the boat is back."
)

FAILURES: Final[Mapping[str, Failure]] = {
    "fixed": Failure(
        "refunds.txt",
        "The pass costs 40 euros. The fee is returned in full only to guests who cancel before noon on the day before they "
        "arrive. Bring the letter with you.",
        {"size": 20, "overlap": 0},
        "parted",
        ("The fee is returned in full", "on the day before they arrive"),
        "Twenty tokens are full in the middle of a sentence: one chunk promises the money, the other knows the condition.",
    ),
    "recursive": Failure(
        "arrival.txt",
        "Parking is free for guests who stay two nights or longer. Ask for the card at the desk. The kitchen closes at nine, "
        "and breakfast begins at seven. On Sundays it begins at eight.",
        {"size": 64, "overlap": 0},
        "mixed",
        ("Parking is free", "breakfast begins at seven"),
        "No blank line, no cut: parking and breakfast are one chunk, and one vector has to stand for both.",
    ),
    "sentence": Failure(
        "pass.txt",
        "The blue pass is valid on all ferries. It costs 40 euros. It can be bought on board. It is not valid in August.",
        {"sentences": 2, "overlap": 0, "size": 64},
        "parted",
        ("The blue pass", "not valid in August"),
        "Every second sentence begins a chunk. The one that says “not in August” no longer says what is not valid.",
    ),
    "structure": Failure(
        "rules.md",
        "**Refunds**\n\nMoney is returned within five days.\n\n**Parking**\n\nCars stay on the upper deck.\n",
        {"size": 64, "overlap": 0},
        "mixed",
        ("Money is returned", "Cars stay on the upper deck"),
        "The headings are only bold words. Nobody told the document that they are headings, so there is nothing to follow.",
    ),
    "page": Failure(
        "letter.txt",
        "A guest who is ill may cancel on the day itself, but only"
        + PAGE_BREAK
        + " if the letter of a doctor arrives within "
        "three days. Later letters do not count.",
        {"size": 64, "overlap": 0},
        "parted",
        ("may cancel on the day itself", "if the letter of a doctor arrives"),
        "The sentence runs over the page. The first chunk allows what the second one restricts.",
    ),
    "semantic": Failure(
        "deposit.txt",
        _DEPOSIT,
        {"size": 64, "smallest": 0, "window": 1},
        "parted",
        ("The deposit is 200 euros", "It is returned when the boat is back"),
        "One remark in between, and the text seems to have changed its subject. “It” is left without its deposit.",
    ),
    "semantic_structure": Failure(
        "deposit.md",
        "## Renting\n\n" + _DEPOSIT,
        {"size": 64, "smallest": 0, "window": 1},
        "parted",
        ("The deposit is 200 euros", "It is returned when the boat is back"),
        "The heading says that it is one subject; the similarity inside the section says otherwise, and cuts.",
    ),
    "semantic_optimal": Failure(
        "soup.md",
        _SOUP,
        {"size": 64},
        "parted",
        ("you need these things", "two onions"),
        "“These things” and onions are not alike for the model, so the list is parted from the line that announces it.",
    ),
    "code": Failure(
        "tools.py",
        "def parse_date(text):\n    return date.fromisoformat(text)\n\n\n"
        "def send_mail(to, body):\n    smtp.send(to, body)\n\n\n"
        "def area(radius):\n    return 3.14159 * radius ** 2\n",
        {"size": 64},
        "mixed",
        ("def parse_date", "def area"),
        "Three small functions fit into one chunk. They have nothing in common but their place in the file.",
    ),
    "manual": Failure(
        "pass_new.txt",
        "Since May, the pass costs 40 euros. The fee is returned before noon.",
        {"boundaries": (25,)},
        "parted",
        ("the pass costs", "40 euros"),
        "The boundary was set before “The fee”, when the text began with “The pass”. Words were added, and it stayed.",
    ),
    "html": Failure(
        "boats.html",
        "<table><tr><th>Port</th><th>Day</th><th>Boat</th></tr><tr><td rowspan=2>Amber</td><td>Monday</td><td>Heron</td></tr>"
        "<tr><td>Friday</td><td>Egret</td></tr></table>",
        {"size": 56},
        "parted",
        ("Amber", "Egret"),
        "“Amber” stands for two rows of the table. The cut between them leaves the second row without its port.",
    ),
    "json": Failure(
        "terms.json",
        '{"title": "Cancelling", "text": "You may cancel until noon. After that the first night is due, unless the harbour is '
        'closed by a storm warning."}',
        {"size": 20},
        "parted",
        ("the first night is due", "closed by a storm warning"),
        "To JSON a text is one value. If it is too long, it is cut at any blank, in the middle of a sentence.",
    ),
    "latex": Failure(
        "rules.tex",
        "\\newcommand{\\topic}[1]{\\section{#1}}\n\n\\topic{Refunds}\nMoney is returned within five days.\n\n\\topic{Parking}\n"
        "Cars stay on the upper deck.\n",
        {"size": 64},
        "mixed",
        ("Money is returned", "Cars stay on the upper deck"),
        "\\topic is a command of the author's own. Macros are not expanded, so these two headings are not seen.",
    ),
}
"""Strategy id to a text that makes it fail. A strategy that is not here is shown with what it says of itself."""
