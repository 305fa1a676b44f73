"""Makes the sample documents that cannot be written by hand: `python scripts/render_docs.py`.

sample_docs/policy_handbook.pdf    set from sample_docs/src/policy_handbook.md
sample_docs/quarterly_report.docx  built from the text in this file

The same source gives the same text, outline and pages on every machine; the bytes may differ between versions of the
libraries, so the files are committed and the tests compare what can be read in them. The typeface of the handbook is
Charis SIL (SIL Open Font License), which comes with PyMuPDF and of which the PDF carries the letters it uses.
"""

# PyMuPDF has no types.
# mypy: disable-error-code="no-untyped-call"
from __future__ import annotations

import io
import math
import re
import zipfile
from dataclasses import dataclass
from datetime import datetime
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import docx
import pymupdf
from docx.enum.table import WD_TABLE_ALIGNMENT
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Cm, Pt, RGBColor
from markdown_it import MarkdownIt

FOLDER: Final = Path(__file__).resolve().parent.parent / "sample_docs"
HANDBOOK_SOURCE: Final = FOLDER / "src" / "policy_handbook.md"

# ---------------------------------------------------------------------------------------------------------------------
# The handbook
# ---------------------------------------------------------------------------------------------------------------------

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


# ---------------------------------------------------------------------------------------------------------------------
# The quarterly report
# ---------------------------------------------------------------------------------------------------------------------

INK: Final = RGBColor(0x10, 0x3A, 0x4A)
SHADE: Final = "E6F0F2"


@dataclass(frozen=True)
class Table:
    """A table with its caption. The first column is words and the others are figures; the last row is the total."""

    caption: str
    rows: tuple[tuple[str, ...], ...]


PASSENGERS: Final = Table(
    "Table 1. Passengers and revenue by route, July to September",
    (
        ("Route", "Passengers", "Change on year", "Revenue, € thousand", "On time"),
        ("Harbour – Lighthouse Island", "184,200", "+6.1 %", "1,105", "97.2 %"),
        ("Mainland – Gull Point", "96,400", "−3.8 %", "578", "94.0 %"),
        ("Night ferry to Amber Bay", "21,700", "+18.6 %", "1,302", "88.5 %"),
        ("School boat", "12,900", "+0.4 %", "39", "99.1 %"),
        ("All routes", "315,200", "+3.4 %", "3,024", "95.7 %"),
    ),
)
COSTS: Final = Table(
    "Table 2. Costs, € thousand",
    (
        ("Item", "Third quarter", "Plan", "Second quarter"),
        ("Crews", "986", "980", "941"),
        ("Fuel and shore power", "742", "700", "688"),
        ("Repairs", "312", "210", "195"),
        ("Insurance and office", "204", "205", "201"),
        ("Harbour dues", "148", "145", "139"),
        ("All costs", "2,392", "2,240", "2,164"),
    ),
)

Item = tuple[str, str] | Table
REPORT: Final[tuple[Item, ...]] = (
    ("Title", "Saltmarsh Ferries: report on the third quarter"),
    ("Subtitle", "July to September 2031, for the board and the staff"),
    ("Heading 1", "In short"),
    (
        "Normal",
        "The summer was good and the engine of the Cormorant was not. We carried 315,200 passengers, 3.4 % more than a "
        "year ago, and earned € 3.02 million. Costs were € 152 thousand above plan, nearly two thirds of which went into one "
        "gearbox. What remains is a result of € 632 thousand, or 20.9 % of revenue.",
    ),
    (
        "Normal",
        "The night ferry has become our largest source of revenue, in its second season and with the oldest ship. This "
        "is pleasing and should worry us at the same time; the section on risks says why.",
    ),
    ("Heading 1", "Traffic"),
    ("Heading 2", "Passengers"),
    (
        "Normal",
        "Three routes grew and one shrank. The island gained from eleven dry weekends in a row. Gull Point lost "
        "passengers to the new bridge, which opened on 2 August; before that day the route was 1.5 % ahead of last year. "
        "We expect that a third of its passengers will not come back.",
    ),
    PASSENGERS,
    (
        "Normal",
        "A passenger of the night ferry brings € 60, one of the school boat € 3. The average over all routes therefore "
        "says little, and we no longer publish it.",
    ),
    ("Heading 2", "Punctuality"),
    (
        "Normal",
        "A crossing is on time when it ends no more than five minutes late. Of 4,118 crossings, 3,941 were. The night "
        "ferry missed its target of 92 %, and in most cases for the same reason: in Amber Bay there is one ramp for cars, "
        "and the fish lorries have precedence. Since 15 September we arrive twenty minutes before them, and in the last "
        "two weeks of the quarter 95 % of the crossings were on time.",
    ),
    ("Heading 1", "Money"),
    ("Heading 2", "Revenue"),
    (
        "Normal",
        "Revenue rose by 7.9 %, faster than the number of passengers, since cabins on the night ferry sold at summer "
        "prices until the end of September. Tickets bought by telephone or on the web made up 71 % of the total. The "
        "kiosks on board, which are not in Table 1 because they are let, brought € 44 thousand in rent to the parent "
        "company.",
    ),
    ("Heading 2", "Costs"),
    (
        "Normal",
        "The plan was exceeded in four of five items, and in a way that matters in two. Table 2 lists them by size.",
    ),
    COSTS,
    (
        "Normal",
        "Repairs contain € 97 thousand for the gearbox of the Cormorant, which failed on 19 July, three months after its "
        "guarantee had ended. Fuel was 4 % dearer than planned, and the replacement ship burns more of it. Without the "
        "gearbox and the fuel of the replacement ship, costs would have been within 2 % of the plan.",
    ),
    ("Heading 1", "Work in hand"),
    ("List Bullet", "Shore power at Lighthouse Island: cables are laid, the transformer arrives in November."),
    ("List Bullet", "New gangway at Gull Point: stopped, until we know how many people still want to cross there."),
    ("List Bullet", "Tickets for wheelchair users on the web: in use since 1 September, 212 bookings so far."),
    ("List Bullet", "Crew training for ice: 38 of 52 people are done, the others follow before Christmas."),
    (
        "List Bullet",
        "A name for the new electric ferry: 1,460 suggestions from schools, 611 of which are Ferry McBoat.",
    ),
    ("Heading 1", "Risks"),
    (
        "Normal",
        "The night ferry earns 43 % of our revenue with a ship built in 1987. Its certificate must be renewed in May, and "
        "the yard has warned us about the plates below the car deck. If they have to be replaced, the ship is in dock for "
        "nine weeks; each week without it costs € 100 thousand of revenue. The board is asked to decide in November "
        "whether we charter a ship for the time or sail a shorter season.",
    ),
    (
        "Normal",
        "The bridge takes passengers from Gull Point but brings them to the mainland's new car park, four minutes on foot "
        "from our harbour. We have asked the council for a sign.",
    ),
    ("Heading 1", "Outlook"),
    (
        "Normal",
        "For the fourth quarter we plan with 148,000 passengers, revenue of € 1.35 million and a small loss, as in every "
        "winter. The year should close with a result between € 810 thousand and € 880 thousand.",
    ),
)


def render_report() -> bytes:
    """The report as a Word file, with tables where they belong between the paragraphs."""
    document = docx.Document()
    _set_styles(document)
    for item in REPORT:
        if isinstance(item, Table):
            _add_table(document, item)
        else:
            style, text = item
            document.add_paragraph(text, style=style)
    document.sections[0].footer.paragraphs[0].text = "Saltmarsh Ferries is an invented company."
    properties = document.core_properties
    properties.author = properties.last_modified_by = "chunkviz"
    properties.title = REPORT[0][1] if not isinstance(REPORT[0], Table) else ""
    properties.comments = "A sample document, written for chunkviz"
    # Word wants a time without a zone.
    properties.created = properties.modified = datetime(2030, 1, 1)
    out = io.BytesIO()
    document.save(out)
    return _with_fixed_dates(out.getvalue())


def _set_styles(document: Any) -> None:
    section = document.sections[0]
    section.page_width, section.page_height = Cm(21.0), Cm(29.7)
    section.left_margin = section.right_margin = Cm(2.6)
    sizes = {"Normal": 10.5, "Title": 24, "Subtitle": 12, "Heading 1": 15, "Heading 2": 12, "Caption": 9.5}
    for name, size in sizes.items():
        style = document.styles[name]
        style.font.size = Pt(size)
        style.font.name = "Calibri"
        # The template names theme fonts for headings, which win over `name` as long as they are there.
        fonts = style.element.get_or_add_rPr().get_or_add_rFonts()
        for theme in ("asciiTheme", "hAnsiTheme", "eastAsiaTheme", "cstheme"):
            fonts.attrib.pop(qn(f"w:{theme}"), None)
        if name != "Normal":
            style.font.color.rgb = INK
    normal = document.styles["Normal"].paragraph_format
    normal.space_after, normal.line_spacing = Pt(7), 1.15


def _add_table(document: Any, table: Table) -> None:
    caption = document.add_paragraph(table.caption, style="Caption")
    caption.paragraph_format.keep_with_next = True
    caption.paragraph_format.space_before = Pt(6)
    grid = document.add_table(len(table.rows), len(table.rows[0]), style="Table Grid")
    grid.alignment = WD_TABLE_ALIGNMENT.CENTER
    for i, row in enumerate(table.rows):
        for j, text in enumerate(row):
            cell = grid.cell(i, j)
            paragraph = cell.paragraphs[0]
            run = paragraph.add_run(text)
            run.font.size = Pt(9.5)
            run.bold = i in (0, len(table.rows) - 1)
            paragraph.paragraph_format.space_after = Pt(2)
            if j:
                paragraph.alignment = WD_ALIGN_PARAGRAPH.RIGHT
            if i == 0:
                _shade(cell)
    document.add_paragraph().paragraph_format.space_after = Pt(0)


def _shade(cell: Any) -> None:
    shading = OxmlElement("w:shd")
    shading.set(qn("w:val"), "clear")
    shading.set(qn("w:fill"), SHADE)
    cell._tc.get_or_add_tcPr().append(shading)


def _with_fixed_dates(data: bytes) -> bytes:
    """The same archive with one date for every part, so that two runs differ in nothing."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            part = zipfile.ZipInfo(name, (2030, 1, 1, 0, 0, 0))
            part.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(part, old.read(name))
    return out.getvalue()


def main() -> None:
    made = {
        "policy_handbook.pdf": render_handbook(HANDBOOK_SOURCE.read_text(encoding="utf-8")),
        "quarterly_report.docx": render_report(),
    }
    for name, data in made.items():
        (FOLDER / name).write_bytes(data)
        print(f"sample_docs/{name}: {len(data) / 1000:,.0f} kB")


if __name__ == "__main__":
    main()
