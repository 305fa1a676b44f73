"""`python -m benchmarks.browser`: from a step of the size slider to painted text, in the app and in a naive page.

Both show the same text, cut by the same strategies, in three columns, in headless Chromium. The naive page is what one
would write first: a slider, and one `st.html` for each column with a `<span>` for each chunk, made anew on every run.
Time is taken by the clock of the page itself, from the key press to the second animation frame after the new text is
in the page: the first of the two comes before the browser lays it out and paints it, the second after. The app cuts in
the browser while the slider moves (`ui/component/resizing.js`), and the server cuts, too: when its answer is in the
page, which must show the same chunks, is printed beside. Only then follow reports, a histogram and the link.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import runpy
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import ThreadingHTTPServer
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any, Final
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import urlopen

from playwright.sync_api import Browser, FilePayload, Locator, Page, sync_playwright

import chunkviz
from benchmarks.corpus import mixed_text
from benchmarks.report import machine, megabytes
from chunkviz import registry
from chunkviz.params import Int
from chunkviz.segments import document_blob, view_blob
from chunkviz.ui.state import DEFAULT_COLUMNS

BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome")
ROOT: Final = Path(__file__).resolve().parent.parent
TEXT_BYTES: Final = 1_000_000
START_SECONDS: Final = 60
STEPPED: Final = DEFAULT_COLUMNS[:2]
WAIT_MS: Final = 120_000
STEP_BUDGET: Final = 5.0
REPAINT_BUDGET: Final = 30.0

# The slider changes the first column only, as in the app; Streamlit itself sees that the other two stay as they are and
# sends them once. The document is kept between runs and so are its token borders: the page is naive about what it sends
# to the browser, not about how it cuts.
NAIVE_PAGE: Final = """
import json
from html import escape
from pathlib import Path

import streamlit as st

import chunkviz

HERE = Path(__file__).parent
ASKED = json.loads((HERE / "asked.json").read_text())


@st.cache_resource
def document():
    return chunkviz.load(HERE / "text.md")


st.set_page_config(layout="wide")
columns = ASKED["columns"]
columns[0]["params"]["size"] = st.slider("Size", **ASKED["slider"])
for place, column in zip(st.columns(len(columns)), columns):
    chunks = chunkviz.chunk(document(), column["strategy"], **column["params"]).chunks
    spans = "".join(
        f'<span style="background:hsl({c.index * 67 % 360} 70% 88%)">{escape(c.text)}</span>' for c in chunks
    )
    size = column["params"]["size"]
    place.html(f'<div data-size="{size}" style="white-space:pre-wrap;overflow-wrap:anywhere">{spans}</div>')
"""

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


def rest(page: Page) -> None:
    """Wait until the server has finished its run and the page has settled."""
    page.wait_for_selector('[data-test-script-state="notRunning"]', state="attached", timeout=WAIT_MS)
    page.wait_for_timeout(500)


@contextmanager
def served(script: Path, folder: Path) -> Iterator[str]:
    """Run a Streamlit page on a free port of this machine; yields its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = {
        "server.address": "127.0.0.1",
        "server.port": port,
        "server.headless": "true",
        "server.fileWatcherType": "none",
        "browser.gatherUsageStats": "false",
    }
    flags = [f"--{name}={value}" for name, value in options.items()]
    address = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "streamlit", "run", str(script), *flags],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            if not answers(f"{address}/_stcore/health", process):
                log.seek(0)
                raise RuntimeError(f"{script.name} did not start within {START_SECONDS} s:\n{log.read()[-2000:]}")
            yield address
        finally:
            process.terminate()
            process.wait()


def answers(url: str, process: subprocess.Popen[Any]) -> bool:
    """Whether the server answers before its time is over or its process ends."""
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and process.poll() is None:
        try:
            with urlopen(url, timeout=5):
                return True
        except (URLError, TimeoutError, ConnectionError):
            time.sleep(0.2)
    return False


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


def write_naive_page(folder: Path, text: bytes) -> Path:
    """The page, its text, and the columns and slider of the app; returns the script."""
    rule = next(p.rule for p in registry.strategy(DEFAULT_COLUMNS[0].strategy).params if p.name == "size")
    if not isinstance(rule, Int):
        raise TypeError("the size of the first column is not a whole number")
    slider = {
        "min_value": rule.low,
        "max_value": rule.soft_high or rule.high,
        "value": DEFAULT_COLUMNS[0].params["size"],
        "step": rule.step,
    }
    columns = [{"strategy": c.strategy, "params": dict(c.params)} for c in DEFAULT_COLUMNS]
    (folder / "text.md").write_bytes(text)
    (folder / "asked.json").write_text(json.dumps({"columns": columns, "slider": slider}))
    script = folder / "naive.py"
    script.write_text(NAIVE_PAGE)
    return script


def measured(chromium: str, text: bytes, steps: int) -> tuple[str, list[Times], Times]:
    """The browser's version and the times of the app, by column, and of the naive page, stepped in turn, after one step
    untimed.

    Raises `RuntimeError` where a page does not show what `chunkviz.chunk` returns for the size it stands at.
    """
    document = chunkviz.load(text, name="text.md")

    def chunks_at(column: int, size: int) -> int:
        strategy, params = STEPPED[column].strategy, dict(STEPPED[column].params)
        return len(chunkviz.chunk(document, strategy, **{**params, "size": size}).chunks)

    with (
        tempfile.TemporaryDirectory() as name,
        served(ROOT / "app.py", ROOT) as app_address,
        served(write_naive_page(Path(name), text), Path(name)) as naive_address,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        first = [chunks_at(at, column.params["size"]) for at, column in enumerate(STEPPED)]
        app = open_app(browser, app_address, text, first)
        naive = open_naive(browser, naive_address, first[0])
        for _ in range(1 + steps):
            for at, shown in ((0, app[0]), (1, app[1]), (0, naive)):
                shown.step()
                expected = chunks_at(at, shown.size)
                if shown.chunks() != expected:
                    raise RuntimeError(f"{shown.chunks()} chunks are shown at size {shown.size}, not {expected}")
        if app[0].size != naive.size:
            raise RuntimeError(f"the sliders went apart: {app[0].size} and {naive.size}")
        all_times = [shown.times for shown in (*app, naive)]
        for times in all_times:
            for taken in (times.step, times.browser, times.repaint, times.answer):
                del taken[:1]
        found = browser.version
        browser.close()
    return found, all_times[:-1], all_times[-1]


def alone(chromium: str, text: bytes, steps: int) -> list[float]:
    """Milliseconds that the viewer takes for each step of the first column, on a page that holds nothing else: from the
    message to the painted frame, the wait for that frame included."""
    demo = runpy.run_path(str(ROOT / "scripts" / "viewer_demo.py"))
    document = chunkviz.load(text, name="text.md")
    made: dict[str, bytes] = {"/": demo["page"]("light"), "/document.bin": document_blob(document), "/favicon.ico": b""}

    def view(size: int) -> bytes:
        columns = [
            (c.strategy, {**c.params, **({"size": size} if at == 0 else {})}) for at, c in enumerate(DEFAULT_COLUMNS)
        ]
        return view_blob([chunkviz.chunk(document, strategy, **params) for strategy, params in columns])

    first = DEFAULT_COLUMNS[0].params["size"]
    made["/view.bin"] = view(first)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(demo["Handler"], made=made))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    taken: list[float] = []
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
            page = browser.new_page(viewport={"width": 1600, "height": 1000})
            page.goto(f"http://127.0.0.1:{server.server_address[1]}/")
            viewer = page.get_by_test_id("viewer")
            for step in range(2 + steps):
                page.locator(f'[data-testid="viewer"][data-painted="{step + 1}"]').wait_for(state="attached")
                taken.append(float(viewer.get_attribute("data-repaint-ms") or "nan"))
                page.wait_for_timeout(300)
                made["/next.bin"] = view(first + 1 + step)
                page.evaluate("window.mountView('/next.bin')")
            browser.close()
    finally:
        server.shutdown()
        server.server_close()
    return taken[2:]


def table(app: Sequence[Times], naive: Times, by_itself: Sequence[float]) -> Iterator[str]:
    """The times, as lines to print."""
    rows = [("naive: key press to painted text", naive.step)]
    rows += [("  until the message (server)", naive.server), ("  after the message (browser)", naive.browser)]
    for column, times in zip(STEPPED, app, strict=True):
        rows += [(f"app, {column.strategy}: key press to painted text", times.step)]
        rows += [("  the viewer's own repaint", times.repaint), ("  until the server's answer is shown", times.answer)]
    rows += [("the viewer alone, fixed: repaint", by_itself)]
    yield f"{'':<46}{'median':>9}{'least':>9}{'most':>9}  ms"
    for name, taken in rows:
        yield f"{name:<46}{median(taken):>9.1f}{min(taken):>9.1f}{max(taken):>9.1f}"


def ratios(app: Sequence[Times], naive: Times, by_itself: Sequence[float]) -> Iterator[tuple[str, float, float | None]]:
    """Medians compared, each with the least it has to be, None where nothing is promised."""
    for column, times in zip(STEPPED, app, strict=True):
        yield f"{column.strategy}: step, naive / app", median(naive.step) / median(times.step), STEP_BUDGET
        yield f"{column.strategy}: naive step / repaint in the app", median(naive.step) / median(times.repaint), None
        yield f"{column.strategy}: naive step / answer", median(naive.step) / median(times.answer), None
    yield "naive step / repaint of the viewer alone", median(naive.step) / median(by_itself), REPAINT_BUDGET


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, print, and return the exit code: 0; 1 with `--check` where a budget is missed; 2 without Chromium."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.browser", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--steps", type=int, default=7, help="timed steps of each page (7)")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a budget is missed")
    options = parser.parse_args(arguments)
    if options.steps < 1:
        parser.error("--steps must be at least 1")
    chromium = next(filter(None, map(shutil.which, BROWSERS)), None)
    if chromium is None:
        print(f"None of {', '.join(BROWSERS)} is on the PATH. Install one and run this again.", file=sys.stderr)
        return 2

    text = mixed_text(TEXT_BYTES).encode()
    browser, app, naive = measured(chromium, text, options.steps)
    by_itself = alone(chromium, text, options.steps)
    print(f"machine   {machine()}")
    print(f"browser   Chromium {browser}, headless, no GPU; Streamlit {version('streamlit')}")
    print(f"text      {megabytes(len(text))} of Markdown, SHA-256 {hashlib.sha256(text).hexdigest()[:16]}…")
    print(f"columns   {'  '.join(c.spell() for c in DEFAULT_COLUMNS)}")
    print(f"steps     {options.steps} of each in turn, after one untimed: → on the size slider of the column")
    print()
    for line in table(app, naive, by_itself):
        print(line)
    print()
    missed = False
    for name, value, least in ratios(app, naive, by_itself):
        kept = least is None or value >= least
        missed = missed or not kept
        verdict = "" if least is None else f"budget ≥ {least:g}  {'kept' if kept else 'MISSED'}"
        print(f"{name:<46}{value:>9.1f}  {verdict}".rstrip())
    return 1 if options.check and missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
