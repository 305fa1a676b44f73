"""The Export screen in a real Chromium: what is downloaded, what is checked, and the page that opens anywhere."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Page, expect

import chunkviz
from chunkviz import export, export_html, isolation, samples
from chunkviz.ui.state import Column
from chunkviz.view_records import Live

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parent.parent.parent
FILES = {s.id: s.file for s in samples.samples()}
TWO = [Column("fixed", {"size": 128, "overlap": 16}), Column("recursive", {"size": 200, "overlap": 20})]
EVIL = "</script><script>window.hacked = 1</script> <img src=x onerror='window.hacked = 2'> $x$ **b** =1+1 👩‍👩‍👧‍👦\n\n"


def link(app: str, columns: list[Column], **query: str) -> str:
    return f"{app}/export?" + urlencode([*query.items(), *(("c", c.spell()) for c in columns)])


def settled(page: Page) -> None:
    page.get_by_role("heading", name="Take it with you").wait_for()
    page.get_by_text("The comparison as one page").wait_for()
    page.wait_for_function("document.querySelector('[data-testid=stApp]').dataset.testScriptState !== 'running'")


def downloaded(page: Page, label: str) -> bytes:
    with page.expect_download() as coming:
        page.get_by_role("button", name=label).click()
    return Path(coming.value.path()).read_bytes()


def cut(sample: str, column: Column) -> chunkviz.Chunking:
    document = isolation.load(samples.read(sample), FILES[sample])
    return chunkviz.chunk(document, column.strategy, **column.params)


def choose(page: Page, name: str) -> None:
    page.get_by_role("combobox", name=re.compile("Which cut")).click()
    page.get_by_role("option", name=name).click()
    settled(page)


def test_what_is_downloaded_is_what_python_makes(app: str, page: Page) -> None:
    page.goto(link(app, TWO, doc="api_manual"))
    settled(page)
    for number, column in enumerate(TWO, 1):
        title = chunkviz.strategies()[column.strategy].title
        if number > 1:
            choose(page, f"Compare, column {number}: {title}")
        made = cut("api_manual", column)
        expect(page.get_by_text(f"{len(made.chunks)} chunks of api_manual.md")).to_be_visible()
        assert downloaded(page, "JSON Lines") == export.to_jsonl(made).encode()
        assert downloaded(page, "Parquet") == export.to_parquet(made)
        assert downloaded(page, "CSV").decode("utf-8-sig") == export.to_csv(made)
        assert json.loads(downloaded(page, "Everything (JSON)")) == json.loads(export.to_json(made))
        assert downloaded(page, "recipe.json").decode() == made.recipe.to_json()
        shown = page.get_by_test_id("stCode").all_inner_texts()
        assert export.snippet(made.recipe, "api_manual.md").strip() in [text.strip() for text in shown]


def test_the_check_runs_and_says_identical(app: str, page: Page) -> None:
    page.goto(link(app, TWO, doc="call_transcript"))
    settled(page)
    expect(page.get_by_text("Not run yet with these settings.")).to_be_visible()
    n = len(cut("call_transcript", TWO[0]).chunks)
    page.get_by_role("button", name="Check it").click()
    answer = page.get_by_text(f"The Python code was run: identical, {n} of {n} chunks.")
    answer.wait_for(timeout=90_000)
    expect(answer).to_contain_text(f"The command was run: identical, {n} of {n} chunks.")
    choose(page, "Compare, column 2: Recursive")
    expect(page.get_by_text("Not run yet with these settings.")).to_be_visible()


def test_it_takes_over_what_compare_shows(app: str, page: Page) -> None:
    page.goto(f"{app}/?" + urlencode([("doc", "help_page"), *(("c", c.spell()) for c in TWO)]))
    page.wait_for_selector('[data-testid="viewer"] [data-chunk]')
    page.get_by_role("slider", name=re.compile("Size")).first.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile(r"size%3D129|size=129"))
    page.get_by_role("link", name="Export").click()
    settled(page)
    made = cut("help_page", Column("fixed", {"size": 129, "overlap": 16}))
    expect(page.get_by_text(re.compile(rf"^{len(made.chunks)} chunks? of "))).to_be_visible()
    assert downloaded(page, "recipe.json").decode() == made.recipe.to_json()


def test_an_upload_with_a_hostile_name_and_text_is_only_shown(app: str, page: Page) -> None:
    page.goto(link(app, TWO, doc="api_manual"))
    settled(page)
    name = "<img src=x onerror=window.hacked=3> `$x$` **b**'.md"
    page.locator('input[type="file"]').set_input_files(
        {"name": name, "mimeType": "text/markdown", "buffer": (EVIL * 20).encode()}
    )
    page.get_by_text("chunks of <img src=x").wait_for()
    settled(page)
    assert "doc=" not in page.url
    page.get_by_role("button", name="Check it").click()
    page.get_by_text(re.compile("The command was run: identical")).wait_for(timeout=90_000)
    settled(page)
    made = chunkviz.chunk(chunkviz.load((EVIL * 20).encode(), name), "fixed", **TWO[0].params)
    assert downloaded(page, "JSON Lines") == export.to_jsonl(made).encode()
    assert page.evaluate("window.hacked") is None


# The page that opens anywhere


@pytest.fixture(params=["light", "dark"])
def alone(request: pytest.FixtureRequest, chromium: Browser, tmp_path: Path) -> Iterator[Any]:
    """Opens a page from a file, in a browser without a network that counts what is asked for."""
    context = chromium.new_context(color_scheme=request.param, viewport={"width": 1400, "height": 900}, offline=True)
    asked: list[str] = []
    complaints: list[str] = []

    def opened(data: bytes) -> Page:
        (tmp_path / "page.html").write_bytes(data)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("request", lambda r: asked.append(r.url))
        page.on("console", lambda m: complaints.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda e: complaints.append(str(e)))
        page.goto((tmp_path / "page.html").as_uri())
        page.wait_for_selector('[data-testid="viewer"][data-painted="1"]')
        assert page.locator('[data-testid="viewer"]').get_attribute("data-theme") == request.param
        return page

    opened.expected = []  # type: ignore[attr-defined]  # complaints that a test provokes
    yield opened
    own = (tmp_path / "page.html").as_uri()
    assert [url for url in asked if url != own and not url.startswith("blob:")] == []
    assert [c for c in complaints if not c.startswith(tuple(opened.expected))] == []  # type: ignore[attr-defined]
    context.close()


def test_the_downloaded_page_shows_the_columns_without_a_request(app: str, page: Page, alone: Any) -> None:
    page.goto(link(app, TWO, doc="api_manual"))
    settled(page)
    file = alone(downloaded(page, "Web page (HTML)"))
    made = [cut("api_manual", column) for column in TWO]
    for at, chunking in enumerate(made):
        column = file.locator(f'[data-column="{at}"]')
        assert column.get_attribute("data-count") == str(len(chunking.chunks))
        assert "".join(column.locator(".group").all_text_contents()) == chunking.document.text
    file.locator('[data-column="0"] [data-chunk="0"]').first.hover()
    card = file.get_by_test_id("chunk-card")
    expect(card).to_contain_text("size reached: 128 tokens")
    scroller = file.locator(".scroller")
    for _ in range(3):
        scroller.press("n")
    scroller.press("Enter")
    expect(card).to_contain_text(f"Chunk 3 of {len(made[0].chunks)}")
    scroller.press("Escape")
    scroller.press("d")
    expect(file.locator(".where")).to_contain_text("Difference")
    sentences = chunkviz.report(made[0])["cut.sentences"]
    expect(file.get_by_role("button", name=f"Sentences cut: {sentences.value} of {sentences.of}")).to_be_visible()
    assert file.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_threshold_is_dragged_in_the_file(alone: Any) -> None:
    document = isolation.load(samples.read("call_transcript"), FILES["call_transcript"])
    semantic = chunkviz.chunk(document, "semantic", kind="percentile")
    pinned = chunkviz.chunk(document, "recursive", size=200, overlap=0)
    param = next(p for p in chunkviz.strategies()["semantic"].params if p.name == semantic.curve.turns.kind.param)  # type: ignore[union-attr]
    rule: Any = param.rule
    file = alone(
        export_html.to_html([semantic, pinned], live=Live(rule.low, rule.high, rule.step, param.label, param.unit()))
    )
    assert file.locator(".tuner").get_attribute("data-agrees") == "true"
    handle = file.get_by_role("slider", name="Similarity threshold")
    before = float(handle.get_attribute("aria-valuenow") or "nan")
    line = handle.bounding_box()
    assert line
    x, y = line["x"] + line["width"] * 0.4, line["y"] + line["height"] / 2
    file.mouse.move(x, y)
    file.mouse.down()
    file.mouse.move(x, y + 25, steps=8)
    file.mouse.up()
    expect(file.get_by_text("You moved the threshold")).to_be_visible()
    after = float(handle.get_attribute("aria-valuenow") or "nan")
    assert after != before
    expect(file.locator('[data-column="0"] .subtitle')).to_have_text(f"percentile {after:g}, set in this file")
    again = chunkviz.chunk(document, "semantic", **{**semantic.recipe.params, param.name: after})
    assert len(again.chunks) != len(semantic.chunks)
    expect(file.locator('[data-column="0"]')).to_have_attribute("data-count", str(len(again.chunks)))
    expect(file.locator('[data-column="1"]')).to_have_attribute("data-count", str(len(pinned.chunks)))
    handle.press("ArrowUp")
    file.wait_for_timeout(600)
    assert float(handle.get_attribute("aria-valuenow") or "nan") != after


def test_hostile_text_stays_text_in_the_file(alone: Any) -> None:
    document = chunkviz.Document.from_text(EVIL * 30, "</title><script>window.hacked = 9</script>.md")
    made = [chunkviz.chunk(document, s, unit="characters", size=60, overlap=20) for s in ("fixed", "recursive")]
    file = alone(export_html.to_html(made, titles=["<b>x</b>", "</script>"]))
    for at in range(2):
        shown = "".join(file.locator(f'[data-column="{at}"] .group').all_text_contents())
        assert shown == document.text
    assert file.evaluate("window.hacked") is None
    assert file.get_by_role("heading", level=1).inner_text().startswith(document.name)
    # The policy is in force: even a script that got in would not run.
    alone.expected.append("Executing inline script violates")
    refused = file.evaluate(
        "new Promise((done) => { document.addEventListener('securitypolicyviolation', (e) => done(e.effectiveDirective));"
        " const s = document.createElement('script'); s.textContent = 'window.hacked = 1'; document.body.append(s); })"
    )
    assert refused.startswith("script-src")
    assert file.evaluate("window.hacked") is None


def test_a_large_document_opens_and_prints(alone: Any) -> None:
    text = "".join(f"## Part {n}\n\n" + "A sentence of a longer text. " * 60 + "\n\n" for n in range(600))
    document = chunkviz.Document.from_text(text, "large.md")
    made = [chunkviz.chunk(document, s, size=300, overlap=0) for s in ("fixed", "recursive", "structure")]
    file = alone(export_html.to_html(made))
    for at, chunking in enumerate(made):
        assert file.locator(f'[data-column="{at}"]').get_attribute("data-count") == str(len(chunking.chunks))
    file.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    last = len(made[0].chunks) - 1
    pieces = file.locator(f'[data-column="0"] [data-chunk~="{last}"]').all_text_contents()
    assert "".join(pieces) == made[0].chunks[last].text
