"""Boundaries moved with a mouse, a finger and a slow server, in a real Chromium."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from typing import Any

import pytest
from browser.hands import by_hand, column, count, link_boundaries, opened, settled, starting
from playwright.sync_api import Browser, Locator, Page, expect

pytestmark = pytest.mark.browser


@pytest.fixture
def tablet(chromium: Browser) -> Iterator[Page]:
    """A page that is touched."""
    context = chromium.new_context(has_touch=True, viewport={"width": 1000, "height": 1100})
    page = context.new_page()
    page.set_default_timeout(30_000)
    complaints: list[str] = []
    page.on("pageerror", lambda e: complaints.append(str(e)))
    yield page
    context.close()
    assert complaints == []


def finger(page: Page, *places: tuple[float, float]) -> None:
    """Put a finger down at the first place, move it over the others, lift it."""
    touch = page.context.new_cdp_session(page)

    def say(kind: str, points: list[dict[str, float]]) -> None:
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        page.wait_for_timeout(30)

    say("touchStart", [{"x": places[0][0], "y": places[0][1]}])
    for (x0, y0), (x1, y1) in itertools.pairwise(places):
        for step in range(1, 7):
            say("touchMove", [{"x": x0 + (x1 - x0) * step / 6, "y": y0 + (y1 - y0) * step / 6}])
    say("touchEnd", [])
    touch.detach()


def grip(piece: Locator) -> tuple[float, float]:
    """The middle of the grip of a chunk's start, in the margin."""
    x, y = piece.evaluate(
        "e => { const r = e.getClientRects()[0], row = e.closest('.row').getBoundingClientRect();"
        " return [row.left - 22, r.top + r.height / 2]; }"
    )
    return x, y


def bar(piece: Locator) -> tuple[float, float]:
    """The middle of the bar that a chunk starts with."""
    x, y = piece.evaluate("e => { const r = e.getClientRects()[0]; return [r.left, r.top + r.height / 2]; }")
    return x, y


def scrolled(page: Page) -> float:
    return float(page.locator(".scroller").evaluate("e => e.scrollTop"))


def in_view(page: Page, at: int, chunk: int) -> Locator:
    """The start of a chunk, in the middle of the visible part."""
    piece = starting(page, at, chunk)
    piece.evaluate("e => e.scrollIntoView({ block: 'center' })")
    page.locator(".scroller").evaluate("e => e.scrollIntoView({ block: 'center' })")
    page.wait_for_timeout(400)
    return piece


def moved_by(after: tuple[int, ...], before: tuple[int, ...]) -> int:
    """How far the one boundary that moved went; nothing else may have changed."""
    assert len(after) == len(before)
    (changed,) = [(new, old) for new, old in zip(after, before, strict=True) if new != old]
    return changed[0] - changed[1]


def test_a_finger_drags_a_grip_and_scrolls_nothing(app: str, tablet: Page) -> None:
    opened(app, tablet, "call_transcript")
    by_hand(tablet, 0)
    before = link_boundaries(tablet, 0)
    piece = in_view(tablet, 0, 2)
    size = piece.evaluate(
        "e => { const s = getComputedStyle(e, '::before'); return [s.width, s.height].map(parseFloat); }"
    )
    assert min(size) >= 24
    x, y = grip(piece)
    top = scrolled(tablet)
    finger(tablet, (x, y), (x + 60, y + 75))
    drawn = starting(tablet, 0, 2).text_content()
    assert scrolled(tablet) == top
    settled(tablet)
    assert starting(tablet, 0, 2).text_content() == drawn
    assert moved_by(link_boundaries(tablet, 0), before) > 40

    # The bar itself, beside which a finger lands; and back with the button.
    again = link_boundaries(tablet, 0)
    x, y = bar(in_view(tablet, 0, 3))
    finger(tablet, (x + 9, y), (x + 120, y), (x + 120, y + 25))
    settled(tablet)
    assert moved_by(link_boundaries(tablet, 0), again) > 0
    tablet.get_by_role("button", name="Undo").tap()
    settled(tablet)
    assert link_boundaries(tablet, 0) == again


def test_a_finger_on_the_text_scrolls_and_a_tap_chooses(app: str, tablet: Page) -> None:
    opened(app, tablet, "call_transcript")
    by_hand(tablet, 0)
    before = link_boundaries(tablet, 0)
    x, y = bar(in_view(tablet, 0, 2))
    top = scrolled(tablet)
    finger(tablet, (x + 150, y + 30), (x + 150, y - 150))
    assert scrolled(tablet) > top + 60
    assert link_boundaries(tablet, 0) == before
    x, y = grip(in_view(tablet, 0, 2))
    finger(tablet, (x, y))
    expect(tablet.locator(".where")).to_have_text(f"Chunk 3 of {len(before) + 1}")
    tablet.get_by_role("button", name="Merge with the one before").tap()
    settled(tablet)
    assert link_boundaries(tablet, 0) == before[:1] + before[2:]


def test_a_second_finger_and_escape_leave_the_boundary_alone(app: str, tablet: Page) -> None:
    opened(app, tablet, "call_transcript")
    by_hand(tablet, 0)
    before = link_boundaries(tablet, 0)
    x, y = grip(in_view(tablet, 0, 2))
    touch = tablet.context.new_cdp_session(tablet)

    def say(kind: str, *points: tuple[float, float]) -> None:
        listed = [{"x": px, "y": py, "id": i} for i, (px, py) in enumerate(points)]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": listed})

    say("touchStart", (x, y))
    say("touchMove", (x, y + 50))
    say("touchStart", (x, y + 50), (x + 200, y + 90))
    say("touchMove", (x, y + 75), (x + 200, y - 90))
    tablet.wait_for_timeout(100)
    held = starting(tablet, 0, 2).text_content()
    assert bar(starting(tablet, 0, 2))[1] == pytest.approx(y + 75, abs=14)
    tablet.keyboard.press("Escape")
    assert starting(tablet, 0, 2).text_content() != held
    say("touchEnd")
    settled(tablet)
    assert link_boundaries(tablet, 0) == before


def test_a_click_on_a_grip_chooses_its_chunk(app: str, page: Page) -> None:
    opened(app, page, "call_transcript")
    by_hand(page, 0)
    before = link_boundaries(page, 0)
    for place in (grip, bar):
        page.locator(".scroller").focus()
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
        x, y = place(in_view(page, 0, 3))
        page.mouse.click(x + 1, y)
        expect(page.locator(".where")).to_have_text(f"Chunk 4 of {len(before) + 1}")
    settled(page)
    assert link_boundaries(page, 0) == before


def test_a_boundary_held_at_the_edge_scrolls_on(app: str, page: Page) -> None:
    opened(app, page, "call_transcript")
    by_hand(page, 0)
    # One boundary is enough: it has the whole document to go through.
    page.locator(".scroller").focus()
    for _ in range(3):
        page.keyboard.press("n")
    while count(page, 0) > 3:
        page.keyboard.press("n")
        page.keyboard.press("Backspace")
    settled(page)
    before = link_boundaries(page, 0)
    x, y = grip(in_view(page, 0, 2))
    top = scrolled(page)
    box = page.locator(".scroller").bounding_box()
    assert box
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y + 40, steps=3)
    page.mouse.move(x + 60, box["y"] + box["height"] - 8, steps=5)
    page.wait_for_timeout(1200)  # the pointer rests, the text goes on
    far = scrolled(page)
    page.mouse.up()
    assert far > top + 200
    settled(page)
    assert moved_by(link_boundaries(page, 0), before) > 800


def slowed(page: Page, app: str, seconds: float) -> None:
    """Let everything that the server says arrive late."""

    def relay(ws: Any) -> None:
        server = ws.connect_to_server()
        ws.on_message(server.send)

        def late(message: str | bytes) -> None:
            time.sleep(seconds)
            ws.send(message)

        server.on_message(late)

    page.route_web_socket("**/_stcore/stream", relay)


def test_a_boundary_that_is_held_stays_in_the_hand_while_answers_come_late(app: str, page: Page) -> None:
    slowed(page, app, 0.05)
    opened(app, page, "call_transcript")
    by_hand(page, 0)
    before = link_boundaries(page, 0)
    x, y = grip(in_view(page, 0, 2))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y + 50, steps=4)
    page.mouse.up()
    x, y = grip(starting(page, 0, 3))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y + 50, steps=4)
    held = starting(page, 0, 3).text_content()
    settled(page)  # the answer to the first edit comes while the second boundary is held
    assert starting(page, 0, 3).text_content() == held
    page.mouse.move(x + 60, y + 51)
    page.mouse.up()
    settled(page)
    after = link_boundaries(page, 0)
    assert [new != old for new, old in zip(after, before, strict=True)] == [at in (1, 2) for at in range(len(before))]
    assert starting(page, 0, 3).text_content() == held


def test_two_columns_edited_in_turn_keep_both_edits(app: str, page: Page) -> None:
    opened(app, page, "call_transcript")
    by_hand(page, 0)
    by_hand(page, 0)  # the other one: the first button is gone
    whole = [link_boundaries(page, at) for at in (0, 1)]
    page.locator(".scroller").focus()
    page.keyboard.press("n")
    for _ in range(3):
        page.keyboard.press("n")
        page.keyboard.press("Backspace")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("n")
        page.keyboard.press("Backspace")
        page.keyboard.press("ArrowLeft")
    settled(page)
    page.wait_for_timeout(500)
    for at in (0, 1):
        assert len(link_boundaries(page, at)) == len(whole[at]) - 3
        assert count(page, at) == len(whole[at]) - 2
    # After a reload they are still there.
    page.reload()
    settled(page)
    assert [count(page, at) for at in (0, 1)] == [len(whole[at]) - 2 for at in (0, 1)]


def test_beginning_anew_can_be_taken_back(app: str, page: Page) -> None:
    opened(app, page, "call_transcript")
    by_hand(page, 0)
    page.locator(".scroller").focus()
    page.keyboard.press("n")
    page.keyboard.press("n")
    page.keyboard.press("Backspace")
    settled(page)
    mine = link_boundaries(page, 0)
    page.get_by_role("combobox", name="Strategy of column 1").click()
    page.keyboard.type("Sentences")
    page.keyboard.press("Enter")
    expect(column(page, 0)).to_have_attribute("data-strategy", "sentence")
    settled(page)
    by_hand(page, 0)
    assert link_boundaries(page, 0) != mine
    page.get_by_role("button", name="Undo").click()
    settled(page)
    assert link_boundaries(page, 0) == mine
