"""The page of a PDF beside the text, in a real Chromium: it follows the keys that go from chunk to chunk."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from browser.hands import TWO, opened, settled
from playwright.sync_api import Page, WebSocket, expect

import chunkviz

pytestmark = pytest.mark.browser


def sent(page: Page) -> Callable[[], int]:
    """How many messages the page has sent to the server since it was opened."""
    seen: list[object] = []
    page.on("websocket", lambda socket: _listen(socket, seen))
    return lambda: len(seen)


def _listen(socket: WebSocket, seen: list[object]) -> None:
    socket.on(
        "framesent", lambda payload: seen.append(payload)
    )  # playwright marks its listeners, which a method cannot bear


def at(page: Page) -> int:
    """Number of the chunk that the columns are at, from 0."""
    where = re.match(r"Chunk ([\d,]+) of", page.locator(".where").text_content() or "")
    assert where
    return int(where[1].replace(",", "")) - 1


def test_the_page_follows_the_keys_and_a_held_key_sends_nothing(app: str, page: Page) -> None:
    count = sent(page)
    document = opened(app, page, "policy_handbook")
    made = [chunkviz.chunk(document, c.strategy, **c.params) for c in TWO]
    page.get_by_text("Show the pages of the PDF").click()
    sheet = page.get_by_test_id("pdf-page")
    sheet.locator("[data-chunk]").first.wait_for()
    settled(page)
    page.locator(".scroller").focus()
    before = count()
    for _ in range(25):  # `down` again and again is what a held key does
        page.keyboard.down("n")
        page.wait_for_timeout(30)
    during = count() - before
    page.keyboard.up("n")
    assert during == 0
    chunk = made[0].chunks[at(page)]
    assert chunk.index >= 24
    assert 1 not in chunk.pages
    expect(sheet).to_have_attribute("data-page", str(chunk.pages[0]), timeout=20_000)
    expect(sheet.locator(".area.current")).to_have_attribute("data-chunk", str(chunk.index))
    settled(page)
    assert count() - before == 1  # one message for all of it
    # One step back: outlined at once where it is on the page, with no wait for the server.
    page.keyboard.press("p")
    if made[0].chunks[chunk.index - 1].pages[-1] == chunk.pages[0]:
        assert sheet.locator(".area.current").get_attribute("data-chunk") == str(chunk.index - 1)
    settled(page)
    expect(sheet.locator(".area.current")).to_have_attribute("data-chunk", str(chunk.index - 1))
    # To the other column, whose chunks the page then shows.
    page.keyboard.press("ArrowRight")
    other = at(page)
    settled(page)
    expect(sheet.locator(".area.current")).to_have_attribute("data-chunk", str(other))
    assert other in [c.index for c in made[1].chunks if int(sheet.get_attribute("data-page") or 0) in c.pages]


def test_a_click_on_the_page_is_one_message_though_the_columns_follow_it(app: str, page: Page) -> None:
    count = sent(page)
    opened(app, page, "policy_handbook")
    page.get_by_text("Show the pages of the PDF").click()
    sheet = page.get_by_test_id("pdf-page")
    sheet.locator("[data-chunk]").first.wait_for()
    settled(page)
    before = count()
    last = sheet.locator("[data-chunk]").last
    number = int(last.get_attribute("data-chunk") or -1)
    last.locator("rect").first.click()
    settled(page)
    page.wait_for_timeout(1000)
    assert at(page) == number
    assert count() - before == 1


def test_nothing_is_sent_for_keys_where_no_page_is_shown(app: str, page: Page) -> None:
    count = sent(page)
    opened(app, page, "policy_handbook")
    page.locator(".scroller").focus()
    before = count()
    for _ in range(5):
        page.keyboard.press("n")
    page.wait_for_timeout(1000)
    assert at(page) >= 4
    assert count() == before
