"""Builds sample_docs/quarterly_report.docx from the text in this file: see `render_docs.py`."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import docx
from docx.enum.table import WD_TABLE_ALIGNMENT
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Cm, Pt, RGBColor

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
