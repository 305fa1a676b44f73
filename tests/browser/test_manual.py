"""Editing by hand, agreement, and the pages of a PDF, in a real Chromium."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from browser.hands import FILES, TWO, by_hand, column, count, link_boundaries, opened, settled, starting
from playwright.sync_api import Locator, Page, expect

import chunkviz
from chunkviz import isolation, reference, samples
from chunkviz.metrics.agreement import agreement, shared_boundaries
from chunkviz.strategies.manual import boundaries_of
from chunkviz.ui.state import Column
from chunkviz.utf16 import code_points_of

pytestmark = pytest.mark.browser


def drag(page: Page, piece: Locator, right: float, down: float) -> None:
    piece.scroll_into_view_if_needed()
    box = piece.bounding_box()
    assert box
    page.mouse.move(box["x"], box["y"] + 8)
    page.mouse.down()
    page.mouse.move(box["x"] + right / 2, box["y"] + 8 + down / 2, steps=4)
    page.mouse.move(box["x"] + right, box["y"] + 8 + down, steps=4)
    page.mouse.up()


def test_editing_begins_with_the_columns_result_and_every_step_comes_back_as_drawn(app: str, page: Page) -> None:
    document = opened(app, page, "call_transcript")
    start = boundaries_of(chunkviz.chunk(document, "recursive", **TWO[1].params))
    by_hand(page, 1)
    assert link_boundaries(page, 1) == start
    editing = page.get_by_test_id("editing")

    # Split, by a click on a word and the button.
    page.locator('[data-column="1"] [data-chunk="1"]').first.scroll_into_view_if_needed()
    box = starting(page, 1, 1).bounding_box()
    assert box
    page.mouse.click(box["x"] + 150, box["y"] + 8)
    page.keyboard.press("Escape")
    editing.get_by_role("button", name="Split here").click()
    assert count(page, 1) == len(start) + 2  # at once, before Python has answered
    drawn = starting(page, 1, 2).text_content()
    settled(page)
    assert starting(page, 1, 2).text_content() == drawn
    split = link_boundaries(page, 1)
    assert len(split) == len(start) + 1
    assert set(start) < set(split)

    # Drag that boundary to another word of the line.
    drag(page, starting(page, 1, 2), 90, 0)
    drawn = starting(page, 1, 2).text_content()
    settled(page)
    assert starting(page, 1, 2).text_content() == drawn
    moved = link_boundaries(page, 1)
    assert len(moved) == len(split)
    assert sorted(set(moved) - set(split)) > sorted(set(split) - set(moved))
    assert document.text[next(iter(set(moved) - set(split))) - 1].isspace()  # at the start of a word

    # And by keys: undo twice, do one again, merge, move a start.
    page.locator(".scroller").focus()
    for key, want in (("Control+z", split), ("Control+z", start), ("Control+Shift+Z", split), ("Control+y", moved)):
        page.keyboard.press(key)
        settled(page)
        assert link_boundaries(page, 1) == want, key
    page.keyboard.press("Backspace")
    settled(page)
    assert len(link_boundaries(page, 1)) == len(moved) - 1
    editing.get_by_role("button", name="Undo").click()
    settled(page)
    assert link_boundaries(page, 1) == moved
    # What the browser shows are the spans that Python makes of these boundaries.
    made = chunkviz.chunk(document, "manual", boundaries=moved)
    assert count(page, 1) == len(made.chunks)
    shown = "".join(column(page, 1).locator('[data-chunk="1"]').all_text_contents())
    assert shown == made.chunks[1].text


def test_keys_alone_are_enough(app: str, page: Page) -> None:
    document = opened(app, page, "call_transcript")
    by_hand(page, 0)
    before = link_boundaries(page, 0)
    page.locator(".scroller").focus()
    page.keyboard.press("n")
    page.keyboard.press("n")
    for key in (".", ".", "s"):
        page.keyboard.press(key)
    settled(page)
    after = link_boundaries(page, 0)
    (new,) = set(after) - set(before)
    assert document.text[new - 1].isspace()
    page.keyboard.press("]")
    settled(page)
    (nudged,) = set(link_boundaries(page, 0)) - set(before)
    assert new < nudged < new + 40
    page.keyboard.press("[")
    settled(page)
    assert link_boundaries(page, 0) == after


def test_quick_edits_are_not_lost(app: str, page: Page) -> None:
    opened(app, page, "call_transcript")
    by_hand(page, 1)
    before = link_boundaries(page, 1)
    page.locator(".scroller").focus()
    page.keyboard.press("n")
    page.keyboard.press("ArrowRight")
    for _ in range(5):
        page.keyboard.press("n")
    for _ in range(4):
        page.keyboard.press("Backspace")
    drawn = count(page, 1)
    assert drawn == len(before) + 1 - 4
    settled(page)
    page.wait_for_timeout(1000)
    assert count(page, 1) == drawn
    assert len(link_boundaries(page, 1)) == drawn - 1


def test_boundaries_are_saved_loaded_and_scored(app: str, page: Page, tmp_path: Path) -> None:
    document = opened(app, page, "policy_handbook")
    by_hand(page, 0)
    page.locator(".scroller").focus()
    page.keyboard.press("n")
    page.keyboard.press("n")
    page.keyboard.press("Backspace")
    settled(page)
    with page.expect_download() as saving:
        page.get_by_role("button", name="Save as reference").click()
    saved = tmp_path / "saved.json"
    saving.value.save_as(saved)
    kept = reference.load(saved, document)
    whole = boundaries_of(chunkviz.chunk(document, "fixed", **TWO[0].params))
    assert len(kept.boundaries) == len(whole) - 1
    assert set(kept.positions) < set(whole)
    assert json.loads(saved.read_text())["document"] == FILES["policy_handbook"]

    opened(app, page, "policy_handbook")  # another session knows nothing of it
    page.get_by_text("Score the columns against").click()
    page.locator('[data-testid="stExpander"] input[type="file"]').first.set_input_files(str(saved))
    table = page.get_by_test_id("scores")
    expect(table).to_be_visible()
    for at, settings in enumerate(TWO):
        made = chunkviz.chunk(document, settings.strategy, **settings.params)
        want = agreement(made, kept)
        row = [cell.strip() for cell in table.locator("tbody tr").nth(at).locator("td").all_text_contents()]
        shown = [
            f"{v.value:.1%}".replace("%", " %") for v in (want.f1, want.pk, want.window_diff) if v.value is not None
        ]
        assert [row[0], row[3], row[4]] == [re.sub(r"^(0|100)\.0 ", r"\1 ", text) for text in shown]
        assert row[5:] == [str(len(want.missing)), str(len(want.extra))]
    page.get_by_role("button", name="Edit these in column 2").click()
    settled(page)
    assert link_boundaries(page, 1) == kept.positions


def test_a_file_that_is_no_reference_is_a_sentence(app: str, page: Page) -> None:
    opened(app, page, "call_transcript")
    page.get_by_text("Score the columns against").click()
    page.locator('[data-testid="stExpander"] input[type="file"]').first.set_input_files(
        {"name": "wrong.json", "mimeType": "application/json", "buffer": b'{"boundaries": 3}'}
    )
    expect(page.get_by_role("alert").filter(has_text="This is no reference")).to_be_visible()


def test_who_agrees_is_said_where_the_columns_differ(app: str, page: Page) -> None:
    columns = [*TWO, Column("structure", {"size": 200, "overlap": 0})]
    document = opened(app, page, "api_manual", columns)
    made = [chunkviz.chunk(document, c.strategy, **c.params) for c in columns]
    found = shared_boundaries(made)
    line = page.get_by_test_id("agreement")
    expect(line).to_contain_text(f"All 3 columns cut at {len(found.everywhere)} of {len(found.positions)} places")
    for at, title in enumerate(("Fixed size", "Recursive", "Headings")):
        expect(line).to_contain_text(f"Only {title}: {len(found.alone(at))}")
    assert found.score.value
    expect(line).to_contain_text(f"Agreement {100 * found.score.value:.1f} %")
    # The marks at the chunks' starts, as far as they are painted, say the same.
    counts = dict(zip(found.positions.tolist(), found.has.sum(axis=1).tolist(), strict=True))
    marks = page.locator("[data-column] .opens[data-agree]").evaluate_all(
        "all => all.map(e => [+e.closest('[data-column]').dataset.column, +e.dataset.chunk.split(' ').pop(), e.dataset.agree])"
    )
    assert len(marks) > 6
    for at, chunk, kind in marks:
        start = made[at].chunks[chunk].start
        place = start + len(document.text[start:]) - len(document.text[start:].lstrip())
        assert kind == {1: "one", 2: "some", 3: "all"}[counts[place]]
    page.locator(".scroller").focus()
    page.keyboard.press("d")
    expect(page.locator(".where")).to_have_text(
        re.compile(r"Difference 1 of \d+: (only |.+ cut here|a chunk ends here)")
    )


def selected_on_page(page: Page) -> dict[str, Any]:
    sheet = page.get_by_test_id("pdf-page")
    return {
        "page": int(sheet.get_attribute("data-page") or 0),
        "current": sheet.locator(".area.current").evaluate_all("all => all.map(e => +e.dataset.chunk)"),
        "all": sheet.locator("[data-chunk]").evaluate_all("all => all.map(e => +e.dataset.chunk)"),
    }


def test_the_page_shows_the_chunk_that_the_text_shows(app: str, page: Page) -> None:
    document = opened(app, page, "policy_handbook")
    made = chunkviz.chunk(document, "recursive", **TWO[1].params)
    page.get_by_text("Show the pages of the PDF").click()
    sheet = page.get_by_test_id("pdf-page")
    sheet.locator("[data-chunk]").first.wait_for()
    settled(page)
    page.locator(".scroller").focus()
    page.keyboard.press("ArrowRight")
    for _ in range(8):
        page.keyboard.press("n")
    page.keyboard.press("Enter")  # pins the card, and says which chunk it is
    settled(page)
    where = re.match(r"Chunk (\d+) of", page.locator(".where").text_content() or "")
    assert where
    chosen = made.chunks[int(where[1]) - 1]
    expect(sheet.locator(".area.current")).to_have_count(1)
    found = selected_on_page(page)
    assert found["current"] == [chosen.index]
    assert found["page"] in chosen.pages
    assert found["all"] == [
        c.index for c in made.chunks if found["page"] in c.pages and _on(document, c, found["page"])
    ]
    # The same colour on the page as in the text.
    text = column(page, 1).locator(f'[data-chunk="{chosen.index}"]').first
    color = re.search(r"\bc\d\b", sheet.locator(".area.current").get_attribute("class") or "")
    assert color
    assert color[0] in (text.get_attribute("class") or "").split()
    # Its area lies where its words are printed.
    image = isolation.page_image(samples.read("policy_handbook"), document, found["page"])
    words = [w for w in image.words if chosen.start <= w.start < chosen.end]
    box = sheet.locator(".area.current").evaluate(
        "e => { const b = e.getBBox(); return [b.x, b.y, b.x + b.width, b.y + b.height]; }"
    )
    want = [
        min(w.x0 for w in words) - 1,
        min(w.y0 for w in words),
        max(w.x1 for w in words) + 1,
        max(w.y1 for w in words),
    ]
    assert box == pytest.approx(want, abs=0.1)

    # To the next page, and a click on an area there leads back to the text.
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Next page").click()
    page.wait_for_function(
        "n => [...document.querySelectorAll('*')].some(e => e.shadowRoot?.querySelector"
        "('[data-testid=pdf-page]')?.dataset.page == n)",
        arg=found["page"] + 1,
    )
    settled(page)
    last = sheet.locator("[data-chunk]").last
    number = int(last.get_attribute("data-chunk") or -1)
    last.locator("rect").first.click()
    expect(page.locator(".where")).to_have_text(f"Chunk {number + 1} of {len(made.chunks)}")
    expect(sheet.locator(".area.current")).to_have_attribute("data-chunk", str(number))
    inside = starting(page, 1, number).evaluate(
        "e => { const a = e.getBoundingClientRect(), b = e.closest('.scroller').getBoundingClientRect();"
        " return a.top >= b.top && a.top < b.bottom; }"
    )
    assert inside


@pytest.mark.parametrize(("width", "beside"), [(1400, True), (800, False)])
def test_the_page_stands_below_the_text_where_both_do_not_fit(app: str, page: Page, width: int, beside: bool) -> None:
    page.set_viewport_size({"width": width, "height": 1200})
    opened(app, page, "policy_handbook")
    page.get_by_text("Show the pages of the PDF").click()
    sheet = page.get_by_test_id("pdf-page")
    sheet.locator("[data-chunk]").first.wait_for()
    settled(page)
    text, paper = page.locator(".scroller").bounding_box(), sheet.bounding_box()
    second = column(page, 1).bounding_box()
    assert text
    assert paper
    assert second
    assert paper["width"] > 280
    assert second["x"] + second["width"] <= text["x"] + text["width"] + 1  # no column is cut off
    assert (paper["y"] < text["y"] + text["height"]) == beside


def _on(document: chunkviz.Document, chunk: chunkviz.Chunk, number: int) -> bool:
    """Whether a chunk has more than white space on a page."""
    page = next(p for p in document.pages if p.number == number)
    return bool(document.text[max(chunk.start, page.start) : min(chunk.end, page.end)].strip())


def test_an_ugly_text_is_edited_to_the_character(app: str, page: Page) -> None:
    page.goto(f"{app}/?" + urlencode([("doc", "call_transcript"), ("c", TWO[0].spell())]))
    settled(page)
    ugly = "\ufeff🦋 one\x1c two 👩‍👩‍👧‍👦 three\r\n\r\nمرحبا بالعالم <b>four</b> 今天天气很好 end " * 3
    page.locator('input[type="file"]').first.set_input_files(
        {"name": "ugly.txt", "mimeType": "text/plain", "buffer": ugly.encode()}
    )
    expect(page.get_by_text("ugly.txt").first).to_be_visible()
    settled(page)
    document = isolation.load(ugly.encode(), "ugly.txt")
    by_hand(page, 0)
    page.locator(".scroller").focus()
    page.keyboard.press("n")
    for _ in range(5):
        page.keyboard.press(".")
        page.keyboard.press("s")
        page.wait_for_timeout(50)
    page.wait_for_timeout(300)  # an earlier answer may be on its way, and what was edited since is drawn again over it
    column(page, 0).locator("[data-chunk]").first.wait_for()
    drawn = (
        column(page, 0).locator("[data-chunk]").evaluate_all("all => all.map(e => [e.dataset.chunk, e.textContent])")
    )
    settled(page)
    shown = (
        column(page, 0).locator("[data-chunk]").evaluate_all("all => all.map(e => [e.dataset.chunk, e.textContent])")
    )
    assert shown == drawn
    texts: dict[str, str] = {}
    for chunk, text in shown:
        texts[chunk] = texts.get(chunk, "") + text
    assert len(texts) >= 4
    rest = document.text
    for text in texts.values():  # each is a part of the document, in order
        assert text in rest
        rest = rest[rest.index(text) + len(text) :]
    assert not rest.strip()
    assert code_points_of(document, [3]).tolist() == [2]
    expect(page.get_by_text("A link never holds a document of yours")).to_be_visible()
