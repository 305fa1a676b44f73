"""Controls that are not in sight keep what they are set to: boxes behind a button, and forms of another screen."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlencode, urlparse

import pytest
from browser.hands import settled
from playwright.sync_api import Page, expect

from chunkviz.ui.state import Column

pytestmark = pytest.mark.browser

# Nothing here is the lowest value or the first option, which is what a control shows that forgot its own.
COLUMNS = [
    Column("structure", {"size": 512, "deepest": 2, "merge": True}),
    Column("recursive", {"size": 256, "separator_set": "markdown"}),
]


def idle(page: Page) -> None:
    page.wait_for_timeout(400)
    page.wait_for_function("document.querySelector('[data-testid=stApp]').dataset.testScriptState !== 'running'")
    page.wait_for_timeout(400)


def linked(page: Page) -> list[Column]:
    return [Column.parse(one) for one in parse_qs(urlparse(page.url).query)["c"]]


def test_a_box_that_is_opened_late_shows_and_keeps_what_is_set(app: str, page: Page) -> None:
    page.goto(f"{app}/?" + urlencode([("doc", "help_page"), *(("c", c.spell()) for c in COLUMNS)]))
    settled(page)
    size = page.get_by_role("slider", name=re.compile("^Size")).first
    for _ in range(2):
        size.press("ArrowRight")
        idle(page)
    box = page.get_by_test_id("stPopoverBody")
    page.get_by_role("button", name="What “Headings” does").click()
    expect(box.get_by_role("slider", name=re.compile("Heading levels"))).to_have_attribute("aria-valuetext", "2")
    expect(box.get_by_text("Join short sections")).to_be_visible()
    assert box.locator("input[type=checkbox]").is_checked()
    idle(page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="What “Recursive” does").click()
    expect(box.get_by_role("combobox", name=re.compile("Separators"))).to_have_value(
        re.compile("^markdown$", re.IGNORECASE)
    )
    page.keyboard.press("Escape")
    idle(page)
    size.press("ArrowRight")
    idle(page)
    first, second = linked(page)
    assert (first.params["size"], first.params["deepest"], first.params["merge"]) == (515, 2, True)
    assert second.params["separator_set"] == "markdown"


def test_what_is_set_in_a_box_is_there_when_it_is_opened_again(app: str, page: Page) -> None:
    page.goto(f"{app}/?" + urlencode([("doc", "help_page"), ("c", COLUMNS[0].spell())]))
    settled(page)
    box = page.get_by_test_id("stPopoverBody")
    button = page.get_by_role("button", name="What “Headings” does")
    levels = box.get_by_role("slider", name=re.compile("Heading levels"))
    button.click()
    levels.press("ArrowRight")
    idle(page)
    page.keyboard.press("Escape")
    idle(page)
    page.get_by_role("slider", name=re.compile("^Size")).first.press("ArrowRight")
    idle(page)
    button.click()
    expect(levels).to_have_attribute("aria-valuetext", "3")
    assert linked(page)[0].params["deepest"] == 3


def test_the_grid_is_whole_when_its_box_is_opened_after_a_run(app: str, page: Page) -> None:
    query = {
        "docs": "help_page",
        "strategies": "fixed",
        "sizes": "100",
        "overlaps": "0",
        "searches": "keyword",
        "k": "3",
    }
    page.goto(f"{app}/evaluate?{urlencode(query)}")
    page.get_by_test_id("estimate").wait_for(timeout=60_000)
    run = page.get_by_test_id("stMain").get_by_role("button", name="Run", exact=True)
    for _ in range(2):
        expect(run).to_be_enabled(timeout=60_000)
        idle(page)
        run.click()
        idle(page)
        expect(run).to_be_enabled(timeout=60_000)
        box = page.get_by_test_id("stPopoverBody")
        page.get_by_role("button", name="How it is searched, and how far").click()
        expect(box.get_by_text("Choose options")).to_have_count(0)
        expect(box).to_contain_text("by words")
        page.keyboard.press("Escape")
        idle(page)
    assert parse_qs(urlparse(page.url).query)["searches"] == ["keyword"]


def test_the_form_of_a_question_is_filled_whenever_it_is_drawn(app: str, page: Page) -> None:
    page.goto(f"{app}/ask")
    page.wait_for_selector('[data-testid="viewer"] [data-chunk]', timeout=90_000)
    idle(page)
    form = page.get_by_test_id("stForm").last
    question = form.get_by_label("Question")
    before = question.input_value()
    assert before
    page.get_by_role("link", name="Compare").click()
    settled(page)
    page.get_by_role("link", name="Ask").click()
    page.wait_for_selector('[data-testid="viewer"] [data-chunk]', timeout=90_000)
    idle(page)
    expect(question).to_have_value(before)
    # Not drawn while a question is asked that the set does not hold.
    field = page.get_by_role("combobox", name=re.compile("^Question")).first
    field.fill("Which gulls are the loudest?")
    field.press("Enter")
    expect(page.get_by_text("Choose a question of the set above to change it.")).to_be_visible(timeout=60_000)
    idle(page)
    field.fill(before)
    field.press("Enter")
    expect(question).to_have_value(before, timeout=60_000)
