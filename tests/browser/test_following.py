"""The text follows a slider of size or overlap at once, without the server, and the server comes to the same chunks."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from browser.hands import TWO, settled
from browser.hands import opened as opened_on
from playwright.sync_api import Locator, Page, WebSocketRoute, expect

import chunkviz

pytestmark = pytest.mark.browser


@dataclass
class Line:
    """The connection to the server, which can be held: what the server says then waits."""

    held: bool = False
    waiting: list[bytes | str] = field(default_factory=list)
    routes: list[WebSocketRoute] = field(default_factory=list)

    def opened(self, route: WebSocketRoute) -> None:
        server = route.connect_to_server()
        self.routes.append(route)
        server.on_message(lambda said: self.waiting.append(said) if self.held else route.send(said))

    def release(self) -> None:
        self.held = False
        for said in self.waiting:
            self.routes[-1].send(said)
        self.waiting.clear()


@pytest.fixture
def line(page: Page) -> Line:
    made = Line()
    page.route_web_socket("**/_stcore/stream", made.opened)
    return made


def opened(app: str, page: Page) -> chunkviz.Document:
    """The screen with two columns, and with what they need to follow."""
    document = opened_on(app, page, "api_manual")
    page.wait_for_timeout(1500)  # what following needs comes last, after the histogram
    return document


def slider(page: Page, name: str, at: int) -> Locator:
    return page.get_by_role("slider", name=f"{name} (tokens)").nth(at)


def shows(page: Page, column: int, chunking: chunkviz.Chunking) -> None:
    """The column says and shows what Python cuts, as far as it is painted from the top without a gap."""
    expect(page.locator(f'[data-column="{column}"]')).to_have_attribute("data-count", str(len(chunking.chunks)))
    found, painted = page.locator(f'[data-column="{column}"] .group').evaluate_all(
        """groups => {
          const plain = groups.findIndex((group) => !group.querySelector("[data-chunk]"));
          const found = {};
          let painted = 0;
          for (const group of groups.slice(0, plain < 0 ? groups.length : plain)) {
            painted += group.textContent.length;
            for (const e of group.querySelectorAll("[data-chunk]"))
              for (const id of e.dataset.chunk.split(" ")) found[id] = (found[id] ?? "") + e.textContent;
          }
          return [found, painted];
        }"""
    )
    whole = [c for c in chunking.chunks if c.end <= painted]
    assert whole
    assert [found[str(c.index)] for c in whole] == [c.text for c in whole]


@pytest.mark.parametrize("at", [0, 1])
def test_the_text_follows_before_the_server_has_answered(app: str, page: Page, line: Line, at: int) -> None:
    document = opened(app, page)
    column = TWO[at]
    viewer = page.get_by_test_id("viewer")
    line.held = True
    for step, key in enumerate(["PageUp", "ArrowRight", "ArrowRight", "ArrowLeft"]):
        slider(page, "Size", at).press(key)
        expect(viewer).to_have_attribute("data-followed", str(step + 1))
        size = int(slider(page, "Size", at).input_value())
        shows(page, at, chunkviz.chunk(document, column.strategy, **{**column.params, "size": size}))
    expect(page.locator(f'[data-column="{at}"] .subtitle')).to_contain_text(f"size {size} · overlap")
    expect(page.locator(".audit-column.following")).to_have_count(1)
    assert line.waiting, "the server had something to say"
    line.release()
    expect(page.locator(".audit-column.following")).to_have_count(0)
    settled(page)
    shows(page, at, chunkviz.chunk(document, column.strategy, **{**column.params, "size": size}))


def test_an_overlap_is_followed_and_stays_below_the_size(app: str, page: Page, line: Line) -> None:
    document = opened(app, page)
    line.held = True
    slider(page, "Overlap", 0).press("End")
    shows(page, 0, chunkviz.chunk(document, "fixed", size=128, overlap=127))
    slider(page, "Size", 0).press("PageDown")
    size = int(slider(page, "Size", 0).input_value())
    assert size < 128
    shows(page, 0, chunkviz.chunk(document, "fixed", size=size, overlap=size - 1))
    line.release()
    settled(page)
    page.wait_for_timeout(1500)
    shows(page, 0, chunkviz.chunk(document, "fixed", size=size, overlap=size - 1))


def test_back_where_it_was_is_what_the_server_said(app: str, page: Page, line: Line) -> None:
    document = opened(app, page)
    line.held = True
    slider(page, "Size", 0).press("ArrowRight")
    expect(page.locator(".audit-column.following")).to_have_count(1)
    slider(page, "Size", 0).press("ArrowLeft")
    expect(page.locator(".audit-column.following")).to_have_count(0)
    shows(page, 0, chunkviz.chunk(document, "fixed", **TWO[0].params))
    line.release()
    settled(page)
    shows(page, 0, chunkviz.chunk(document, "fixed", **TWO[0].params))


def test_a_slider_that_is_dragged_takes_the_text_with_it(app: str, page: Page, line: Line) -> None:
    document = opened(app, page)
    line.held = True
    thumb = page.locator(".st-key-0-fixed-size [data-testid=stSliderThumbValue]")
    box = thumb.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] + 10
    page.mouse.move(x, y)
    page.mouse.down()
    counts = set()
    for step in range(1, 25):
        page.mouse.move(x + 4 * step, y)
        page.wait_for_timeout(30)
        counts.add(page.locator('[data-column="0"]').get_attribute("data-count"))
    assert len(counts) >= 10, counts
    page.mouse.up()
    line.release()
    settled(page)
    page.wait_for_timeout(1000)
    size = int(slider(page, "Size", 0).input_value())
    assert size > 128
    shows(page, 0, chunkviz.chunk(document, "fixed", **{**TWO[0].params, "size": size}))


def test_nothing_jumps_and_nothing_is_lost_when_the_size_is_let_go(app: str, page: Page) -> None:
    """The slider of the overlap stays the same one, whatever the size: it is there to be dragged at once."""
    opened(app, page)
    overlap = page.locator(".st-key-0-fixed-overlap input")
    overlap.evaluate("e => { window.kept = e; }")
    most = overlap.get_attribute("max")
    slider(page, "Size", 0).press("PageUp")
    slider(page, "Overlap", 0).press("PageUp")
    settled(page)
    page.wait_for_timeout(1000)
    assert page.evaluate(
        "window.kept.isConnected && window.kept === document.querySelector('.st-key-0-fixed-overlap input')"
    )
    assert overlap.get_attribute("max") == most
    assert int(overlap.input_value()) > 16
    expect(page.locator('[data-column="0"] .subtitle')).to_contain_text(f"overlap {overlap.input_value()}")
