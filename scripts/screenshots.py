"""`python scripts/screenshots.py`: make the pictures of README.md anew, from the running app.

Each screen in the light theme, and the threshold of the Tune screen being dragged as a short animation. Needs Chromium.
"""

from __future__ import annotations

import io
import shutil
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.serving import BROWSERS, rest, served  # noqa: E402  # the folder above is not installed

IMAGES = ROOT / "docs" / "images"
SIZE = {"width": 1400, "height": 1000}
SCREENS = {
    "compare": "?doc=api_manual",
    "tune": "tune?doc=call_transcript",
    "ask": "ask?doc=api_manual",
    "learn": "learn?doc=api_manual",
}
FRAMES = 28
WIDTH = 900
COLORS = 128


def opened(page: Page, address: str) -> None:
    page.goto(address)
    page.locator("[data-testid=stApp] h1").first.wait_for(timeout=60_000)
    rest(page)
    page.wait_for_timeout(1500)


def picture(data: bytes, file: Path, width: int = 1400) -> None:
    """A screenshot with few colours: a screen has no more, and the file is a third as large."""
    image = Image.open(io.BytesIO(data)).convert("RGB")
    image = image.resize((width, round(image.height * width / image.width)), Image.Resampling.LANCZOS)
    image.quantize(COLORS, dither=Image.Dither.NONE).save(file, optimize=True)


def animation(page: Page, file: Path) -> None:
    """The line goes down and up again, and the text with it."""
    line = page.get_by_role("slider", name="Similarity threshold")
    box = line.bounding_box()
    if box is None:
        raise RuntimeError("the line is not on screen")
    x, y = box["x"] + 160, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    frames = []
    top = page.get_by_test_id("viewer").bounding_box()
    clip = {"x": top["x"] - 10, "y": top["y"] - 10, "width": top["width"] + 20, "height": 620} if top else None
    for step in range(FRAMES):
        away = step if step < FRAMES / 2 else FRAMES - step
        page.mouse.move(x, y - 4 * away)
        page.wait_for_timeout(60)
        shot = Image.open(io.BytesIO(page.screenshot(clip=clip))).convert("RGB")  # type: ignore[arg-type]
        frames.append(shot.resize((WIDTH, round(shot.height * WIDTH / shot.width)), Image.Resampling.LANCZOS))
    page.mouse.up()
    frames[0].save(file, save_all=True, append_images=frames[1:], duration=90, loop=0, quality=70, method=6)


def main() -> int:
    chromium = next(filter(None, map(shutil.which, BROWSERS)), None)
    if chromium is None:
        print(f"None of {', '.join(BROWSERS)} is on the PATH.", file=sys.stderr)
        return 2
    IMAGES.mkdir(parents=True, exist_ok=True)
    with served(ROOT / "app.py", ROOT) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport=SIZE, color_scheme="light")
        for name, path in SCREENS.items():
            opened(page, f"{address}/{path}")
            picture(page.screenshot(), IMAGES / f"{name}.png")
            if name == "tune":
                animation(page, IMAGES / "drag.webp")
        browser.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
