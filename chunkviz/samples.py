"""The sample documents: what each shows, a question it answers, and the words that hold the answer.

The files lie in `sample_docs/` beside the package, in a checkout and in an editable installation. An installation from a
wheel has none of them: the list still exists, and reading one says what to do.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from chunkviz.errors import ChunkvizError

FOLDER: Final = Path(__file__).resolve().parent.parent / "sample_docs"


@dataclass(frozen=True, slots=True)
class Sample:
    """One sample document.

    file         : its name in `sample_docs/`; the ending decides how it is read
    one_line     : what you see with it, for a reader who is no engineer
    question     : a question that it answers, "" where it stands for something else
    answer_quote : the words of the document that answer it, "" without a question. They occur once, with white space
                   taken as equal (lines of a PDF end where the page wants it)
    """

    id: str
    title: str
    file: str
    one_line: str
    question: str = ""
    answer_quote: str = ""


SAMPLES: Final[tuple[Sample, ...]] = (
    Sample(
        id="api_manual",
        title="API manual (Markdown)",
        file="api_manual.md",
        one_line="The answer to the question stands in two neighbouring sentences. Fixed chunks of 512 tokens put each "
        "into a chunk of its own; an overlap of 50, or cuts that respect the text, keep them together.",
        question="How do I rotate an API key?",
        answer_quote="To rotate an API key, request a replacement with a key that has the `keys:admin` scope, deploy the "
        "new secret everywhere, and only then let the old one run out: both secrets are accepted during the overlap that "
        'you choose, from 0 to 168 hours. For example, `POST /keys/rotate` with the body `{"key_id": "key_7Qm2", '
        '"overlap_hours": 24}` answers with the new secret, which is shown only this once, and keeps the old secret '
        "alive for another 24 hours.",
    ),
    Sample(
        id="policy_handbook",
        title="Staff handbook (PDF)",
        file="policy_handbook.pdf",
        one_line="Long sections that run over the pages: a rule and its exception are both about leave, but neither names "
        "the other. Two pages have two columns and words broken at line ends.",
        question="Do I lose the holiday I could not take because I was ill?",
        answer_quote="Days that could not be taken because of illness, parental leave or care for a relative do not lapse "
        "on 31 March: they stay open for fifteen months after the end of their year.",
    ),
    Sample(
        id="call_transcript",
        title="Call transcript (text)",
        file="call_transcript.txt",
        one_line="One long call about seven things, with no heading and no empty line. Only the meaning shows where a "
        "topic ends, so sizes cut anywhere and similarity cuts where the topic turns.",
        question="Why did the parasol not arrive?",
        answer_quote="There's a number seven on Mill Lane and a number seven on Mill Bank, and the parcel went out with "
        "the label for the Lane.",
    ),
    Sample(
        id="quarterly_report",
        title="Quarterly report (Word)",
        file="quarterly_report.docx",
        one_line="Two tables between the paragraphs. A cut inside a table leaves rows of figures that nobody can read, "
        "because the names of the columns are in the chunk before.",
        question="How much did repairs cost in the third quarter, and why?",
        answer_quote="Repairs contain € 97 thousand for the gearbox of the Cormorant, which failed on 19 July, three "
        "months after its guarantee had ended.",
    ),
    Sample(
        id="toolkit_readme",
        title="README with code (Markdown)",
        file="toolkit_readme.md",
        one_line="Code in six languages, nested lists and a table. Lines that begin with # are comments in the code, not "
        "headings, and half a code block is of no use to anyone.",
        question="How do I get rid of traffic noise without losing the owls?",
        answer_quote="removes traffic; higher values also remove owls",
    ),
    Sample(
        id="inventory",
        title="Program (Python)",
        file="inventory.py",
        one_line="Classes, decorators and one long function. Cuts by size go through the middle of functions and part a "
        "comment from what it explains.",
        question="Who gets a tool that somebody is waiting for?",
        answer_quote="The first in the queue goes first: somebody else gets `NotAvailableError` even when the tool is on the "
        "shelf.",
    ),
    Sample(
        id="paper",
        title="Paper (LaTeX)",
        file="paper.tex",
        one_line="Equations, a table and a listing that must stay whole, a section that is commented out, and dollar "
        "signs that mean dollars.",
        question="Is a lid for the mug worth its price?",
        answer_quote="for an additional \\$0.40 the drinkable time of the mug rises from 21 to 43 minutes",
    ),
    Sample(
        id="multilingual",
        title="One notice in ten languages (text)",
        file="multilingual.txt",
        one_line="The same notice ten times, at a very different price in tokens. Sentences end in 。 and । and ؟ too, and "
        "no cut may go through an emoji family, a flag or a letter with its accents.",
        question="How many steps does the lighthouse have?",
        answer_quote="the stairs have 1,204 steps",
    ),
    Sample(
        id="product_feed",
        title="Product list (JSON)",
        file="product_feed.json",
        one_line="Products inside lists inside objects. A cut by size leaves brackets without their partners, and a price "
        "without the name of what it buys.",
        question="What does the warranty of the tent not cover?",
        answer_quote='"covers": ["seams", "poles", "zips"], "excludes": ["dogs", "campfires"]',
    ),
    Sample(
        id="help_page",
        title="Help page (HTML)",
        file="help_page.html",
        one_line="A web page whose menu, search box and footer are no content, yet would be found by a search unless they "
        "are left out. The sale in the menu also speaks of 30 days.",
        question="How long do I have to send something back?",
        answer_quote="You may send back anything within 30 days, for any reason or for none.",
    ),
)
"""Every sample, the one that opens first at the front."""


def samples() -> tuple[Sample, ...]:
    """The sample documents, the one that opens first at the front."""
    return SAMPLES


def sample(sample_id: str) -> Sample:
    """The sample of this id. Raises `ChunkvizError` with the ids that exist."""
    for known in SAMPLES:
        if known.id == sample_id:
            return known
    raise ChunkvizError(f"There is no sample {sample_id!r}. Samples: {', '.join(s.id for s in SAMPLES)}.")


def read(sample_id: str) -> bytes:
    """The bytes of a sample file.

    Raises `ChunkvizError` for an id that does not exist, with those that do, and where the files are not installed.
    """
    file = sample(sample_id).file
    try:
        return (FOLDER / file).read_bytes()
    except OSError as error:
        raise ChunkvizError(
            f"The sample {file} is not in this installation ({error.strerror}). The samples come with the source: get it, "
            "run `pip install -e .` in its folder, or open a document of your own."
        ) from error
