"""`python -m benchmarks.drag`: frame times while the threshold of the Tune screen is dragged.

5,000 sentences in three columns, in headless Chromium without a GPU. The line is moved by real mouse events for some
seconds; the page's own animation frames are timed, and every message on its websocket is counted: while the line moves
there must be none.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Sequence
from importlib.metadata import version
from itertools import pairwise
from statistics import median, quantiles
from typing import Final

from playwright.sync_api import FilePayload, Page, sync_playwright

from benchmarks.report import machine
from benchmarks.serving import BROWSERS, ROOT, WAIT_MS, rest, served

SENTENCES: Final = 5000
MEDIAN_MS: Final = 17.0
P95_MS: Final = 34.0
SUBJECTS: Final = (
    ("boat", "harbour", "berth", "tide", "anchor"),
    ("invoice", "payment", "refund", "account", "charge"),
    ("oven", "bread", "flour", "yeast", "crust"),
    ("key", "password", "token", "login", "secret"),
)

# Frames from now on, until `stopFrames` is called.
WATCH: Final = """() => {
  window.frames_ = [];
  let running = true;
  const frame = (now) => { window.frames_.push(now); if (running) requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
  window.stopFrames = () => { running = false; return window.frames_; };
}"""


def text(sentences: int) -> str:
    """Sentences that change their subject every seven."""
    lines = []
    for i in range(sentences):
        words = SUBJECTS[(i // 7) % len(SUBJECTS)]
        lines.append(
            f"The {words[i % 5]} of case {i} needs a {words[(i * 3 + 1) % 5]} and one more {words[(i + 2) % 5]}."
        )
    return "\n".join(lines)


def opened(page: Page, address: str) -> list[int]:
    """The Tune screen with the text and two more columns; returns a list that grows with every message."""
    said: list[int] = []

    def listen(socket: object) -> None:
        for event in ("framesent", "framereceived"):
            socket.on(event, lambda _: said.append(1))  # type: ignore[attr-defined]

    page.on("websocket", listen)
    page.goto(f"{address}/tune")
    page.get_by_test_id("viewer").wait_for()
    upload = FilePayload(name="long.txt", mimeType="text/plain", buffer=text(SENTENCES).encode())
    page.get_by_test_id("stFileUploader").locator("input[type=file]").set_input_files(upload)
    page.get_by_text(f"sharpest of {SENTENCES - 1:,} turns").wait_for(timeout=600_000)
    for column in (1, 2):
        page.get_by_role("button", name="same mean size").click()
        page.locator(f'[data-column="{column}"]').wait_for()
        rest(page)
    page.wait_for_timeout(1000)
    return said


def dragged(page: Page, seconds: float) -> tuple[list[float], int]:
    """Times between frames in ms, and how many different chunk counts were on screen."""
    line = page.get_by_role("slider", name="Similarity threshold")
    line.scroll_into_view_if_needed()
    box = line.bounding_box()
    if box is None:
        raise RuntimeError("the line is not on screen")
    x, y = box["x"] + 150, box["y"] + box["height"] / 2
    column = page.locator('[data-column="0"]')
    counts = set()
    page.mouse.move(x, y)
    page.mouse.down()
    page.evaluate(WATCH)
    steps = int(seconds * 60)
    for step in range(steps):
        away = abs((step * 2) % 120 - 60) - 30
        page.mouse.move(x, y + away)
        page.wait_for_timeout(12)
        if step % 7 == 0:
            counts.add(column.get_attribute("data-count"))
    times: list[float] = page.evaluate("window.stopFrames()")
    return [b - a for a, b in pairwise(times)], len(counts)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, print, and return the exit code: 0; 1 with `--check` where a budget is missed; 2 without Chromium."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.drag", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seconds", type=float, default=4.0, help="how long the line is moved (4)")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a budget is missed")
    options = parser.parse_args(arguments)
    chromium = next(filter(None, map(shutil.which, BROWSERS)), None)
    if chromium is None:
        print(f"None of {', '.join(BROWSERS)} is on the PATH. Install one and run this again.", file=sys.stderr)
        return 2
    with served(ROOT / "app.py", ROOT) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1600, "height": 1000})
        page.set_default_timeout(WAIT_MS)
        said = opened(page, address)
        before = len(said)
        times, counts = dragged(page, options.seconds)
        messages = len(said) - before
        page.mouse.up()
        found = browser.version
        browser.close()
    middle, high = median(times), quantiles(times, n=20)[-1]
    kept = middle <= MEDIAN_MS and high <= P95_MS and messages == 0
    print(f"machine   {machine()}")
    print(f"browser   Chromium {found}, headless, no GPU; Streamlit {version('streamlit')}")
    print(f"text      {SENTENCES:,} sentences in three columns, dragged for {options.seconds:g} seconds")
    print()
    for name, value, most in (("median", middle, MEDIAN_MS), ("95th percentile", high, P95_MS)):
        verdict = "kept" if value <= most else "MISSED"
        print(f"between frames, {name:<18}{value:>9.1f} ms  budget ≤ {most:g}  {verdict}")
    print(f"messages to or from the server    {messages:>9}     budget = 0  {'MISSED' if messages else 'kept'}")
    print(f"frames, and chunk counts seen     {len(times):>9}     {counts}")
    return 1 if options.check and not kept else 0


if __name__ == "__main__":
    raise SystemExit(main())
