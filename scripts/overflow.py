"""Finds text that is cut off: measures every element of every screen at three widths, in a running app.

python scripts/overflow.py http://127.0.0.1:8501

An element counts as cutting its text off if it hides what sticks out (overflow hidden or clip), something sticks out,
and neither it nor what is around it shows the whole text on hover (title). What scrolls is not cut off, nor is a select
box, which has one line, where its text stands whole beside it.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Page, sync_playwright

WIDTHS: Final = (1400, 1024, 800)
ROOT = Path(__file__).parent.parent
LOOK: Final = Path(__file__).with_suffix(".js")

ALLOWED: Final[dict[str, str]] = {
    '[data-testid="stFileUploaderDropzone"]': "Streamlit's list of file endings; the whole list is in its tooltip and "
    "in README.md",
}
"""CSS selectors of Streamlit's own parts that may cut off, each with the reason."""


def cut_off(page: Page) -> list[str]:
    """Elements of the page as it stands that cut their text off, one line each."""
    found: list[str] = page.evaluate(LOOK.read_text(encoding="utf-8").rstrip().rstrip(";"), list(ALLOWED))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("address")
    parser.add_argument("--screens", nargs="*", default=sorted(p.stem for p in (ROOT / "pages").glob("*.py")))
    args = parser.parse_args()
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    total = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        page: Any = browser.new_page()
        for screen in args.screens:
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 1000})
                page.goto(f"{args.address}/" if screen == "compare" else f"{args.address}/{screen}")
                page.locator("h1").first.wait_for()
                page.wait_for_timeout(4000)
                lines = cut_off(page)
                total += len(lines)
                print(f"{screen} at {width}: {len(lines) or 'nothing'} cut off")
                print("".join(f"    {line}\n" for line in lines), end="")
        browser.close()
    raise SystemExit(1 if total else 0)


if __name__ == "__main__":
    main()
