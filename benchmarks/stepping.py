"""One step of a size slider in an open page, and what it took: in the app, and in the naive page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final
from urllib.parse import urlencode

from playwright.sync_api import Browser, FilePayload, Locator, Page

from benchmarks.serving import WAIT_MS, rest
from chunkviz.ui.state import DEFAULT_COLUMNS

# Runs in both pages before anything else: when the largest message since `heaviest` was reset has come in.
LISTEN: Final = """
window.heaviest = { bytes: 0, at: 0 };
window.WebSocket = class extends WebSocket {
  constructor(...given) {
    super(...given);
    this.addEventListener("message", ({ data }) => {
      const bytes = data.byteLength ?? data.size ?? data.length;
      if (bytes > window.heaviest.bytes) window.heaviest = { bytes, at: performance.now() };
    });
  }
};
"""

# `window.step` becomes a promise of the times of the next key press: [ms to paint, ms from message to paint]. `wanted`
# is what must come into the element; without it, a new count on the element itself is what is waited for. In the app
# `window.answer` becomes a promise of the ms until the server's own view is in the page.
WATCH: Final = """(element, wanted) => {
  const viewer = element.closest('[data-testid="viewer"]');
  if (viewer) {
    window.answer = new Promise((resolve) => {
      addEventListener("keydown", () => {
        const pressed = performance.now();
        const observer = new MutationObserver(() => {
          observer.disconnect();
          resolve(performance.now() - pressed);
        });
        observer.observe(viewer, { attributeFilter: ["data-painted"] });
      }, { capture: true, once: true });
    });
  }
  window.step = new Promise((resolve) => {
    addEventListener("keydown", () => {
      const pressed = performance.now();
      window.heaviest = { bytes: 0, at: pressed };
      const observer = new MutationObserver(() => {
        if (wanted && !element.querySelector(wanted)) return;
        observer.disconnect();
        const came = window.heaviest.at;
        requestAnimationFrame(() => requestAnimationFrame(() => {
          const now = performance.now();
          resolve([now - pressed, now - came]);
        }));
      });
      const what = wanted ? { subtree: true, childList: true } : { attributeFilter: ["data-count"] };
      observer.observe(element, what);
    }, { capture: true, once: true });
  });
}"""


@dataclass
class Times:
    """Milliseconds of one page, one figure for each step.

    step    : key press to painted text
    browser : of that, what comes after the largest message of the step, which carries the new text; naive page only
    repaint : what the viewer says about its own work, from the first line of script to the painted frame; app only
    answer  : key press until the server's view is in the page; app only
    """

    step: list[float] = field(default_factory=list)
    browser: list[float] = field(default_factory=list)
    repaint: list[float] = field(default_factory=list)
    answer: list[float] = field(default_factory=list)

    @property
    def server(self) -> list[float]:
        """Of `step`, what comes before that message."""
        return [whole - after for whole, after in zip(self.step, self.browser, strict=True)]


@dataclass(frozen=True)
class Shown:
    """One of the two pages, ready for the next step.

    watched : the element that says when the new text is in the page
    wanted  : what comes into it then, as a selector; "" where its own count changes
    chunks  : how many its column shows
    viewer  : the app's own component; None in the naive page
    """

    page: Page
    slider: Locator
    watched: Locator
    wanted: Callable[[], str]
    chunks: Callable[[], int]
    viewer: Locator | None = None
    times: Times = field(default_factory=Times)

    @property
    def size(self) -> int:
        """In tokens, where the slider stands."""
        return int(self.slider.input_value())

    def step(self) -> None:
        """Press the key once and take the time."""
        self.page.bring_to_front()
        rest(self.page)
        self.watched.evaluate(WATCH, self.wanted())
        self.slider.press("ArrowRight")
        step_ms, browser_ms = self.page.evaluate("window.step")
        self.times.step.append(step_ms)
        if self.viewer is None:
            self.times.browser.append(browser_ms)
        else:
            # Said by the viewer in the frame after the text was painted; the server is not yet there.
            self.times.repaint.append(float(self.viewer.get_attribute("data-repaint-ms") or "nan"))
            self.times.answer.append(self.page.evaluate("window.answer"))
        rest(self.page)


def opened(browser: Browser, address: str) -> Page:
    """A page in a context of its own, so that the two share neither a process nor a cache."""
    page = browser.new_context(viewport={"width": 1600, "height": 1000}).new_page()
    page.set_default_timeout(WAIT_MS)
    page.add_init_script(LISTEN)
    page.goto(address)
    return page


def open_app(browser: Browser, address: str, text: bytes, chunks: Sequence[int]) -> list[Shown]:
    """The Compare screen with the text uploaded, once for each column that is stepped; `chunks` are those that these
    columns must show."""
    query = urlencode({"c": [c.spell() for c in DEFAULT_COLUMNS]}, doseq=True)
    page = opened(browser, f"{address}/?{query}")
    viewer = page.get_by_test_id("viewer")
    viewer.wait_for()
    upload = FilePayload(name="text.md", mimeType="text/markdown", buffer=text)
    page.get_by_test_id("stFileUploader").locator("input[type=file]").set_input_files(upload)
    found = []
    for at, count in enumerate(chunks):
        column = page.locator(f'[data-column="{at}"]')
        page.locator(f'[data-column="{at}"][data-count="{count}"]').wait_for()
        slider = page.get_by_role("slider", name="Size (tokens)").nth(at)
        found.append(Shown(page, slider, column, wanted=lambda: "", chunks=partial(counted, column), viewer=viewer))
    rest(page)
    return found


def counted(column: Locator) -> int:
    """How many chunks a column of the app says it shows."""
    return int(column.get_attribute("data-count") or 0)


def open_naive(browser: Browser, address: str, chunks: int) -> Shown:
    """The naive page; `chunks` are those that its first column must show."""
    page = opened(browser, address)
    first = page.locator("[data-size]").first
    first.locator("span").nth(chunks - 1).wait_for(state="attached")
    rest(page)
    slider = page.get_by_role("slider")
    return Shown(
        page,
        slider,
        page.locator("[data-test-script-state]"),
        wanted=lambda: f'[data-testid="stColumn"]:first-child [data-size]:not([data-size="{slider.input_value()}"])',
        chunks=lambda: first.locator("span").count(),
    )
