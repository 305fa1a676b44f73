"""Narrow pages: what a select box shows is never only half said, and where a column is beyond the edge, the edge says so."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from urllib.parse import urlencode

import pytest
from browser.hands import settled
from playwright.sync_api import Browser, Page, expect

from chunkviz import registry
from chunkviz.params import Choice
from chunkviz.similarity import KINDS
from chunkviz.ui.state import Column

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parent.parent.parent
NARROW = {"width": 800, "height": 1000}


def longest() -> list[Column]:
    """Every strategy with the longest option of each of its choices; those that ask nobody and need no hand."""
    found = []
    for strategy in registry.strategies().values():
        if strategy.tags.needs_model or strategy.tags.by_hand:
            continue
        values = {
            p.name: max(p.rule.options, key=lambda o, rule=p.rule: len(rule.options[o]))
            for p in strategy.params
            if isinstance(p.rule, Choice)
        }
        found.append(Column(strategy.id, values))
    return found


THREES = [longest()[at : at + 3] for at in range(0, len(longest()), 3)]


@pytest.mark.parametrize("columns", THREES, ids=lambda cs: " ".join(c.strategy for c in cs))
def test_the_longest_choices_of_every_strategy_can_be_read(
    app: str, page: Page, overflow: ModuleType, columns: list[Column]
) -> None:
    page.set_viewport_size(NARROW)
    page.goto(f"{app}/?" + urlencode([("doc", "help_page"), *(("c", c.spell()) for c in columns)]))
    settled(page)
    assert overflow.cut_off(page) == []


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_threshold_fits_on_the_tune_screen(app: str, page: Page, overflow: ModuleType, kind: str) -> None:
    page.set_viewport_size(NARROW)
    page.goto(
        f"{app}/tune?" + urlencode({"doc": "help_page", "c": Column("semantic_structure", {"kind": kind}).spell()})
    )
    settled(page)
    box = page.get_by_role("combobox", name="Cut at")
    expect(box).to_have_value(KINDS[kind].title)
    assert box.evaluate("e => e.scrollWidth - e.clientWidth") <= 1
    expect(page.locator(".cv-fits p:visible")).to_have_count(0)  # nothing is said twice where there is room
    assert overflow.cut_off(page) == []


def test_the_longest_choices_of_a_search_can_be_read(app: str, page: Page, overflow: ModuleType) -> None:
    page.set_viewport_size(NARROW)
    chosen = "retriever=hybrid;mode=small_to_big;reranker=cross_encoder"
    page.goto(f"{app}/ask?" + urlencode({"doc": "help_page", "r": chosen}))
    settled(page)
    told = page.locator(".cv-fits p:visible")
    expect(told.filter(has_text="small to big: the section around a chunk is returned")).to_have_count(1)
    expect(told.filter(has_text="(not on this computer)")).to_have_count(1)
    assert overflow.cut_off(page) == []


def test_a_box_that_says_half_is_found_and_one_with_its_text_beside_it_is_not(
    chromium: Browser, overflow: ModuleType
) -> None:
    page = chromium.new_page()
    box = "<input role=combobox value='The sharpest turns (percentile)' style='width:60px'>"
    shown = "<p>The sharpest turns (percentile)</p>"
    hidden = "<p style='display:none'>The sharpest turns (percentile)</p>"
    block = "<div data-testid=stVerticalBlock id={}>{}</div>"
    page.set_content(block.format("told", box + shown) + block.format("untold", box + hidden))
    lines = overflow.cut_off(page)
    page.close()
    assert len(lines) == 1
    assert "#untold" in lines[0]


def test_an_edge_fades_while_a_column_is_beyond_it(app: str, page: Page) -> None:
    page.set_viewport_size(NARROW)
    page.goto(f"{app}/?doc=help_page&" + urlencode([("c", c.spell()) for c in THREES[0]]))
    settled(page)
    scroller = page.locator('[data-testid="viewer"] .scroller')
    fades = "scroller => getComputedStyle(scroller).maskImage !== 'none'"
    assert scroller.evaluate(fades)
    scroller.evaluate("scroller => { scroller.scrollLeft = scroller.scrollWidth; }")
    page.wait_for_timeout(300)
    assert not scroller.evaluate(fades)
    page.set_viewport_size({"width": 1400, "height": 1000})
    settled(page)
    assert not scroller.evaluate(fades)
