"""Every screen under axe-core, in both themes: what it finds in our own pages is a fault, and so is text cut off.

axe-core is a development tool from npm and no part of the package; `make` does not install it. In the project folder:

    npm install --no-save --no-package-lock axe-core@4
"""

from __future__ import annotations

import os
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NamedTuple

import pytest
from playwright.sync_api import Browser, Page

from chunkviz import chunk, export_html, load

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parent.parent.parent
SCREENS = sorted(path.stem for path in (ROOT / "pages").glob("*.py"))
INSTALL = "npm install --no-save --no-package-lock axe-core@4"


class Known(NamedTuple):
    """What axe-core finds in Streamlit's own widgets, where we cannot mend it.

    rule   : of axe-core
    inside : CSS selector; every node it is found on must be in such an element
    reason : why it is there and what it does to a reader
    """

    rule: str
    inside: str
    reason: str


ALLOWED: Final[tuple[Known, ...]] = (
    Known(
        "presentation-role-conflict",
        '[data-testid="stFileUploaderDropzone"]',
        "Streamlit's file uploader: its drop area is a `presentation` that has a label. Readers hear the button in it.",
    ),
)


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core."""
    folder = Path(os.environ.get("CHUNKVIZ_AXE", ROOT / "node_modules" / "axe-core"))
    source = folder / "axe.min.js"
    if not source.is_file():
        absent = pytest.fail if os.environ.get("CI") else pytest.skip  # in CI nothing is left out in silence
        absent(f"axe-core is not installed: {INSTALL}")
    return source.read_text(encoding="utf-8")


@pytest.fixture
def still(page: Page) -> Page:
    """A page on which nothing moves: colours in the middle of a transition would be measured as they are."""
    page.emulate_media(reduced_motion="reduce")
    return page


def opened(page: Page, app: str, screen: str) -> None:
    page.goto(f"{app}/" if screen == "compare" else f"{app}/{screen}")
    page.locator("h1").first.wait_for()
    page.wait_for_timeout(1500)
    page.wait_for_function(
        "document.querySelector('[data-testid=stApp]').dataset.testScriptState !== 'running'", timeout=90_000
    )
    page.wait_for_timeout(1500)


def found(page: Page, axe: str) -> list[str]:
    """What axe-core finds, one line for each node, without what is allowed."""
    page.evaluate(axe)
    violations: list[dict[str, Any]] = page.evaluate(
        "axe.run(document, {resultTypes: ['violations'], elementRef: true}).then((r) => r.violations.map((v) => ({"
        "rule: v.id, help: v.help, nodes: v.nodes.map((n) => ({target: n.target.flat().join(' '), html: n.html, "
        "why: n.failureSummary, inside: %s.filter((s) => n.element && n.element.closest(s))}))})))"
        % [known.inside for known in ALLOWED]
    )
    lines = []
    for violation in violations:
        allowed = {known.inside for known in ALLOWED if known.rule == violation["rule"]}
        for node in violation["nodes"]:
            if not allowed & set(node["inside"]):
                why = " ".join(node["why"].split())
                lines.append(f"{violation['rule']}: {node['target']}\n    {node['html'][:200]}\n    {why[:300]}")
    return lines


@pytest.mark.parametrize("screen", SCREENS)
def test_axe_finds_nothing(app: str, still: Page, axe: str, screen: str) -> None:
    opened(still, app, screen)
    lines = found(still, axe)
    assert not lines, "\n".join(lines)


def test_axe_finds_nothing_in_the_exported_page(chromium: Browser, axe: str, tmp_path: Path) -> None:
    document = load(ROOT / "sample_docs" / "api_manual.md")
    made = [chunk(document, s, size=200, overlap=20) for s in ("fixed", "recursive")]
    (tmp_path / "page.html").write_bytes(export_html.to_html(made))
    for theme in ("light", "dark"):
        page = chromium.new_page(color_scheme=theme, reduced_motion="reduce")  # type: ignore[arg-type]
        page.goto((tmp_path / "page.html").as_uri())
        page.wait_for_selector('[data-testid="viewer"][data-painted="1"]')
        lines = found(page, axe)
        page.close()
        assert not lines, "\n".join(lines)


def test_axe_is_really_asked(chromium: Browser, axe: str) -> None:
    page = chromium.new_page()
    page.set_content(
        "<html lang='en'><title>t</title><main><h1>x</h1><img src='data:,'><button></button></main></html>"
    )
    rules = {line.split(":")[0] for line in found(page, axe)}
    page.close()
    assert {"image-alt", "button-name"} <= rules


@pytest.mark.parametrize("screen", SCREENS)
def test_no_text_is_cut_off(app: str, page: Page, overflow: ModuleType, screen: str) -> None:
    for width in overflow.WIDTHS:
        page.set_viewport_size({"width": width, "height": 1000})
        opened(page, app, screen)
        lines = overflow.cut_off(page)
        assert not lines, f"at {width} pixels:\n" + "\n".join(lines)


def test_cut_off_text_is_found(chromium: Browser, overflow: ModuleType) -> None:
    page = chromium.new_page()
    style = "style='width:60px;overflow:hidden;white-space:nowrap'"
    page.set_content(
        f"<div id=bad {style}>A text that is far too long</div><div {style} title='A text that is far too long'>A text "
        f"that is far too long</div><div {style}>short</div><div style='overflow:auto;width:60px'>Unbreakableeeeeee</div>"
    )
    lines = overflow.cut_off(page)
    page.close()
    assert len(lines) == 1
    assert "#bad" in lines[0]
