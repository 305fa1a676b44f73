"""What the browser tests of editing by hand share."""

from __future__ import annotations

from urllib.parse import parse_qs, urlencode, urlparse

from playwright.sync_api import Locator, Page, expect

import chunkviz
from chunkviz import isolation, samples
from chunkviz.ui.state import Column

FILES = {s.id: s.file for s in samples.samples()}
TWO = [Column("fixed", {"size": 128, "overlap": 16}), Column("recursive", {"size": 200, "overlap": 20})]


def settled(page: Page) -> None:
    """Wait until the script has run and the viewer has painted."""
    page.wait_for_selector('[data-testid="viewer"] [data-chunk]')
    page.wait_for_timeout(300)
    page.wait_for_function("document.querySelector('[data-testid=stApp]').dataset.testScriptState !== 'running'")
    page.wait_for_timeout(300)


def opened(app: str, page: Page, sample: str, columns: list[Column] = TWO) -> chunkviz.Document:
    page.goto(f"{app}/?" + urlencode([("doc", sample), *(("c", c.spell()) for c in columns)]))
    settled(page)
    return isolation.load(samples.read(sample), FILES[sample])


def column(page: Page, at: int) -> Locator:
    return page.locator(f'[data-testid="viewer"] [data-column="{at}"]')


def starting(page: Page, at: int, chunk: int) -> Locator:
    """The piece that a chunk starts with."""
    return column(page, at).locator(f'.opens[data-chunk="{chunk}"]').first


def count(page: Page, at: int) -> int:
    return int(column(page, at).get_attribute("data-count") or -1)


def by_hand(page: Page, at: int) -> None:
    """Turn a column into one that is edited by hand."""
    page.get_by_role("button", name="Edit by hand").nth(at).click()
    expect(column(page, at)).to_have_attribute("data-strategy", "manual", timeout=30_000)
    settled(page)


def link_boundaries(page: Page, at: int) -> tuple[int, ...]:
    """The boundaries that the link holds, code points."""
    return tuple(Column.parse(parse_qs(urlparse(page.url).query)["c"][at]).params["boundaries"])
