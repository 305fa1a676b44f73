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
import runpy
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from functools import partial
from http.server import ThreadingHTTPServer
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Final

from playwright.sync_api import sync_playwright

import chunkviz
from benchmarks.corpus import mixed_text
from benchmarks.naive_page import write_naive_page
from benchmarks.report import machine, megabytes
from benchmarks.serving import BROWSERS, ROOT, served
from benchmarks.stepping import Times, open_app, open_naive
from chunkviz.segments import document_blob, view_blob
from chunkviz.ui.state import DEFAULT_COLUMNS

TEXT_BYTES: Final = 1_000_000
STEPPED: Final = DEFAULT_COLUMNS[:2]
STEP_BUDGET: Final = 5.0
REPAINT_BUDGET: Final = 30.0


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
    rows: list[tuple[str, Sequence[float]]] = [("naive: key press to painted text", naive.step)]
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
