"""Sets sample_docs/policy_handbook.pdf from sample_docs/src/policy_handbook.md: see `render_docs.py`.

The typeface is Charis SIL (SIL Open Font License), which comes with PyMuPDF and of which the PDF carries the letters it
uses.
"""

# PyMuPDF has no types.
# mypy: disable-error-code="no-untyped-call"
from __future__ import annotations

import io
import math
import re
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pymupdf
from markdown_it import MarkdownIt

HANDBOOK_SOURCE: Final = Path(__file__).resolve().parent.parent / "sample_docs" / "src" / "policy_handbook.md"

MARKDOWN: Final = MarkdownIt("commonmark", {"typographer": True}).enable(["table", "smartquotes"])

TITLE: Final = "Working under the sky"
SUBTITLE: Final = "Handbook for the staff of Northmoor Observatory"

# Points. A5, because a page then holds about as much as a chunk of 512 tokens.
PAGE: Final = pymupdf.Rect(0, 0, 420, 595)
BODY: Final = pymupdf.Rect(54, 56, 366, 528)
GUTTER: Final = 18
COVER_AND_CONTENTS: Final = 2

NIGHT: Final = (0.07, 0.11, 0.23)
STAR: Final = (0.98, 0.93, 0.78)
RULE: Final = (0.72, 0.74, 0.80)

STYLE: Final = """
body { font-family: serif; font-size: 9.6pt; line-height: 1.42; color: #1b1d26; margin: 0; }
h1 { font-family: serif; font-size: 21pt; font-weight: normal; color: #12204a; margin: 0 0 15pt 0; line-height: 1.1; }
h2 { font-family: serif; font-size: 12.4pt; color: #12204a; margin: 13pt 0 4pt 0; line-height: 1.2; }
h3 { font-family: serif; font-size: 10.2pt; font-style: italic; font-weight: normal; color: #12204a;
     margin: 9pt 0 3pt 0; }
p { margin: 0 0 6.5pt 0; hyphens: manual; }
ul { margin: 0 0 6pt 0; padding-left: 14pt; }
li { margin: 0 0 3pt 0; hyphens: manual; }
table { width: 100%; border-collapse: collapse; margin: 7pt 0 9pt 0; font-size: 8.6pt; }
th { text-align: left; color: #12204a; background-color: #e9edf6; border: 0.5pt solid #b9bfd0; padding: 3pt 5pt; }
td { border: 0.5pt solid #b9bfd0; padding: 3pt 5pt; }
"""
NARROW: Final = """
body { font-size: 8.6pt; line-height: 1.36; }
h1 { font-size: 17pt; margin: 0 0 9pt 0; }
h2 { font-size: 11pt; margin: 8pt 0 4pt 0; }
p { margin: 0 0 5pt 0; }
"""

# Where words may be broken in narrow columns. A list, because the typesetter's own rules break "on-ce".
BREAKS: Final = """
    ad-di-tion after-wards an-nounced ap-praisal ap-praisals ap-proval as-sistant as-tro-nom-i-cal bal-ances
    before-hand be-longs be-tween bur-den-some cal-en-dar clas-si-fi-ca-tion col-leagues com-mis-sion-ing com-pen-sa-tion
    com-plains con-di-tions con-fer-ence con-fi-den-tial con-flicts con-sul-ta-tion con-sulted con-tact con-tract con-trol
    con-ver-sa-tion coun-cil cup-board de-cem-ber de-cides de-ci-sions de-grees de-ter-mi-na-tion dis-abled eigh-teen
    elected emer-gency em-ploy-ees em-ploy-ment en-gi-neer-ing equip-ment eval-u-ate every-one every-thing ex-ten-sion
    eye-pieces granted grind-ing hori-zon in-cluded in-de-pen-dent in-for-ma-tion in-stru-ment knowl-edge man-ager
    ob-ser-va-tions ob-ser-va-tory ob-servers om-buds-woman open-ing par-ties per-mis-sion per-mits per-son-nel
    pre-pare pro-ba-tion-ary quar-ter re-cep-tions re-cruit-ment re-duced re-frac-tor re-or-gan-i-sa-tion rep-re-sent
    rep-re-sen-ta-tive re-quires re-spon-si-bil-ity ros-ters sen-tences spar-ingly sub-ject sup-ple-ment sur-veil-lance
    tele-scope trav-el-ling twi-light un-der-stood un-favour-able usu-ally weather weld-ing when-ever whether who-ever
    with-out work-ing writ-ing writ-ten
""".split()
SOFT_HYPHEN: Final = "\u00ad"


@dataclass(frozen=True)
class Part:
    """A run of the source that is set in one way. Chapters begin on a page of their own."""

    markdown: str
    columns: int


@dataclass(frozen=True)
class Heading:
    """A heading where it came to stand; `page` counts from 1 after the cover and the contents."""

    level: int
    title: str
    page: int


def parts_of(source: str) -> list[Part]:
    """The chapters of the handbook, each with its number of columns."""
    parts: list[Part] = []
    columns = 1
    for run in re.split(r"^(<!-- (?:one column|two columns) -->)$", source, flags=re.MULTILINE):
        if run.startswith("<!--"):
            columns = 2 if "two" in run else 1
            continue
        chapters = re.split(r"^(?=# )", run, flags=re.MULTILINE)
        parts += [Part(chapter, columns) for chapter in chapters if chapter.strip()]
    return parts


def with_breaks(html: str) -> str:
    """The same page with a soft hyphen wherever a word of the list may be broken."""
    breaks = {word.replace("-", ""): word.split("-") for word in BREAKS}

    def mark(match: re.Match[str]) -> str:
        word, start, pieces = match[0], 0, []
        for piece in breaks.get(word.lower(), [word]):
            pieces.append(word[start : start + len(piece)])
            start += len(piece)
        return SOFT_HYPHEN.join(pieces)

    return re.sub(r"[A-Za-z]+", mark, html)


def titles_of(markdown: str) -> list[str]:
    """The words of every heading, in order."""
    tokens = MARKDOWN.parse(markdown)
    return [words.content for mark, words in pairwise(tokens) if mark.type == "heading_open"]


def set_body(parts: list[Part]) -> tuple[bytes, list[Heading]]:
    """The pages between the contents and the back, and the headings on them."""
    out = io.BytesIO()
    writer = pymupdf.DocumentWriter(out)
    headings: list[Heading] = []
    page = 0

    def note(position: Any) -> None:
        if position.heading and position.open_close & 1:
            headings.append(Heading(position.heading, next(titles), page))

    for part in parts:
        # The typesetter's own word for a heading loses the blank where the heading goes on in a second line.
        titles = iter(titles_of(part.markdown))
        html, style = MARKDOWN.render(part.markdown), STYLE
        if part.columns == 2:
            html, style = with_breaks(html), STYLE + NARROW
        story = pymupdf.Story(f"<body lang='en'>{html}</body>", user_css=style)
        more = 1
        while more:
            page += 1
            device = writer.begin_page(PAGE)
            for frame in _frames(part.columns):
                more, _ = story.place(frame)
                story.element_positions(note)
                story.draw(device)
                if not more:
                    break
            writer.end_page()
    writer.close()
    return out.getvalue(), headings


def _frames(columns: int) -> list[pymupdf.Rect]:
    width = (BODY.width - GUTTER * (columns - 1)) / columns
    lefts = [BODY.x0 + i * (width + GUTTER) for i in range(columns)]
    return [pymupdf.Rect(left, BODY.y0, left + width, BODY.y1) for left in lefts]


def render_handbook(source: str) -> bytes:
    """The handbook as PDF: cover, contents, chapters; with outline, page labels and numbers in the footer."""
    parts = parts_of(source)
    body, headings = set_body(parts)
    with pymupdf.open(stream=body, filetype="pdf") as chapters, pymupdf.open() as book:
        _draw_cover(book.new_page(width=PAGE.width, height=PAGE.height))
        _draw_contents(book.new_page(width=PAGE.width, height=PAGE.height), headings)
        book.insert_pdf(chapters)
        two_columns = _pages_in_two_columns(parts, headings, len(chapters))
        for number in range(1, len(chapters) + 1):
            _draw_footer(book[number - 1 + COVER_AND_CONTENTS], number, number in two_columns)
        book.set_toc(
            [[1, "Cover", 1], [1, "Contents", 2], *([h.level, h.title, h.page + COVER_AND_CONTENTS] for h in headings)]
        )
        book.set_page_labels(
            [
                {"startpage": 0, "prefix": "", "style": "r", "firstpagenum": 1},
                {"startpage": COVER_AND_CONTENTS, "prefix": "", "style": "D", "firstpagenum": 1},
            ]
        )
        book.set_metadata(
            {
                "title": f"{TITLE}. {SUBTITLE}",
                "author": "chunkviz",
                "subject": "A sample document, written for chunkviz",
                "creationDate": "D:20300101000000Z",
                "modDate": "D:20300101000000Z",
            }
        )
        book.subset_fonts()
        return bytes(book.tobytes(garbage=4, deflate=True, deflate_fonts=True, use_objstms=1, no_new_id=1))


def _pages_in_two_columns(parts: list[Part], headings: list[Heading], pages: int) -> set[int]:
    starts = [h.page for h in headings if h.level == 1] + [pages + 1]
    return {
        page
        for part, start, end in zip(parts, starts, starts[1:], strict=False)
        if part.columns == 2
        for page in range(start, end)
    }


def _draw_cover(page: Any) -> None:
    page.draw_rect(PAGE, color=None, fill=NIGHT)
    # Stars on a golden-angle spiral: evenly spread, and the same on every run.
    for i in range(1, 150):
        angle, reach = i * 2.399963, 27 * math.sqrt(i)
        at = pymupdf.Point(210 + reach * math.cos(angle), 330 + reach * math.sin(angle))
        if PAGE.contains(at) and at.y < 430 and not pymupdf.Rect(40, 70, 380, 210).contains(at):
            page.draw_circle(at, 0.35 + (i * 7 % 11) / 9, color=None, fill=STAR)
    hill = page.new_shape()
    hill.draw_bezier((0, 520), (110, 420), (300, 420), (420, 505))
    hill.draw_polyline([(420, 505), (420, 595), (0, 595), (0, 520)])
    hill.finish(color=None, fill=(0.03, 0.05, 0.12))
    hill.draw_sector((210, 428), (168, 428), -180)
    hill.finish(color=None, fill=(0.85, 0.87, 0.92))
    hill.draw_rect(pymupdf.Rect(168, 428, 252, 462))
    hill.finish(color=None, fill=(0.70, 0.73, 0.82))
    hill.draw_polyline([(214, 428), (233, 386), (243, 392), (228, 428)])
    hill.finish(color=None, fill=NIGHT)
    hill.commit()
    page.insert_htmlbox(
        pymupdf.Rect(48, 74, 380, 210),
        f"<p style='font-size:30pt;line-height:1.1;margin:0 0 10pt 0;color:#fbf0cc'>{escape(TITLE)}</p>"
        f"<p style='font-size:12.5pt;margin:0;color:#c8d0e6'>{escape(SUBTITLE)}</p>",
        css="p { font-family: serif; }",
    )


def _draw_contents(page: Any, headings: list[Heading]) -> None:
    page.insert_htmlbox(
        pymupdf.Rect(BODY.x0, BODY.y0, BODY.x1, BODY.y0 + 40),
        "<p style='font-size:21pt;margin:0;color:#12204a'>Contents</p>",
        css="p { font-family: serif; }",
    )
    shown = [h for h in headings if h.level <= 2]
    y = BODY.y0 + 40.0
    step = min(15.0, (BODY.y1 - y) / len(shown))
    for heading in shown:
        chapter = heading.level == 1
        size, weight = (9.4, "bold") if chapter else (8.8, "normal")
        line = pymupdf.Rect(BODY.x0 + (0 if chapter else 12), y, BODY.x1, y + step + 3)
        # The number follows its title, as reading does: a column of numbers at the edge is torn from the titles.
        page.insert_htmlbox(
            line,
            f"<p style='font-family:serif;font-size:{size}pt;font-weight:{weight};margin:0;color:#12204a'>"
            f"{escape(heading.title)}<span style='color:#7a819b;font-weight:normal'> \u2002{heading.page}</span></p>",
        )
        y += step


def _draw_footer(page: Any, number: int, two_columns: bool) -> None:
    page.draw_line((BODY.x0, 546), (BODY.x1, 546), color=RULE, width=0.5)
    look = "font-family:serif;font-size:7.6pt;margin:0;color:#5b6072"
    page.insert_htmlbox(pymupdf.Rect(BODY.x0, 550, BODY.x1 - 40, 566), f"<p style='{look}'>{escape(TITLE)}</p>")
    page.insert_htmlbox(
        pymupdf.Rect(BODY.x1 - 40, 550, BODY.x1, 566), f"<p style='{look};text-align:right'>{number}</p>"
    )
    if two_columns:
        middle = (BODY.x0 + BODY.x1) / 2
        page.draw_line((middle, BODY.y0), (middle, BODY.y1), color=RULE, width=0.4)
