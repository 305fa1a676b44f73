"""The Compare screen in a real Chromium, as a reader uses it: upload, move, look, follow, reload."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import chunkviz
from chunkviz import isolation, samples
from chunkviz.ui.state import Column

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parent.parent.parent
FILES = {s.id: s.file for s in samples.samples()}


def settled(page: Page) -> None:
    """Wait until the script has run and the viewer has painted."""
    page.wait_for_selector('[data-testid="viewer"] [data-chunk]')
    page.wait_for_function("document.querySelector('[data-testid=stApp]').dataset.testScriptState !== 'running'")
    page.wait_for_timeout(400)


def counts(page: Page) -> list[tuple[str, int]]:
    columns = page.locator("[data-column]")
    found = []
    for at in range(columns.count()):
        column = columns.nth(at)
        found.append((column.get_attribute("data-strategy") or "", int(column.get_attribute("data-count") or -1)))
    return found


def expected(document: chunkviz.Document, columns: list[Column], unit: str = "cl100k_base") -> list[tuple[str, int]]:
    made = [chunkviz.chunk(document, c.strategy, unit=unit, **c.params) for c in columns]
    return [(c.strategy, len(m.chunks)) for c, m in zip(columns, made, strict=True)]


def link(app: str, columns: list[Column], **query: str) -> str:
    from urllib.parse import urlencode

    return f"{app}/?" + urlencode([*query.items(), *(("c", c.spell()) for c in columns)])


FOUR = [
    Column("fixed", {"size": 128, "overlap": 16}),
    Column("recursive", {"size": 200, "overlap": 20}),
    Column("sentence", {"sentences": 5, "overlap": 1, "size": 256}),
    Column("structure", {"size": 300, "overlap": 0}),
]


def test_first_screen_is_alive(app: str, page: Page) -> None:
    page.goto(app)
    settled(page)
    assert len(counts(page)) == 3
    assert all(count > 1 for _, count in counts(page))
    expect(page.get_by_text("What was read from the file")).to_be_visible()


@pytest.mark.parametrize("sample", ["policy_handbook", "quarterly_report", "toolkit_readme"])
def test_an_uploaded_file_is_cut_as_python_cuts_it(app: str, page: Page, sample: str) -> None:
    page.goto(link(app, FOUR, doc="call_transcript"))
    settled(page)
    page.locator('input[type="file"]').set_input_files(str(ROOT / "sample_docs" / FILES[sample]))
    document = isolation.load(samples.read(sample), FILES[sample])
    want = expected(document, FOUR)
    page.wait_for_function(
        "n => [...document.querySelectorAll('[data-testid=stApp] *')].some(e => e.shadowRoot && "
        "e.shadowRoot.querySelector('[data-column=\"0\"]')?.dataset.count == n)",
        arg=want[0][1],
    )
    settled(page)
    assert counts(page) == want
    assert "doc=" not in page.url  # a reader's own document is in no link
    first = page.locator('[data-column="1"] [data-chunk="0"]').first
    made = chunkviz.chunk(document, "recursive", **FOUR[1].params).chunks[0]
    assert " ".join((first.text_content() or "").split()) in " ".join(made.text.split())


def test_sliders_recut_by_mouse_and_keyboard_and_the_link_brings_it_back(app: str, page: Page) -> None:
    page.goto(link(app, FOUR, doc="api_manual"))
    settled(page)
    document = isolation.load(samples.read("api_manual"), FILES["api_manual"])
    assert counts(page) == expected(document, FOUR)
    slider = page.get_by_role("slider", name=re.compile("Size")).first
    slider.focus()
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile(r"size%3D138|size=138"))
    settled(page)
    moved = [Column("fixed", {"size": 138, "overlap": 16}), *FOUR[1:]]
    assert counts(page) == expected(document, moved)
    overlap = page.get_by_role("slider", name=re.compile("Overlap")).first
    box = overlap.bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 40, box["y"] + box["height"] / 2, steps=6)
    page.mouse.up()
    page.wait_for_timeout(1500)
    settled(page)
    after = counts(page)
    assert after[0][1] > expected(document, moved)[0][1]
    page.reload()
    settled(page)
    assert counts(page) == after


def test_hover_shows_why_and_keys_walk(app: str, page: Page) -> None:
    page.goto(link(app, FOUR[:2], doc="api_manual"))
    settled(page)
    page.locator('[data-column="0"] [data-chunk="0"]').first.hover()
    card = page.get_by_test_id("chunk-card")
    expect(card).to_contain_text("size reached: 128 tokens")
    expect(card).to_contain_text("1 of")
    page.get_by_test_id("viewer").press("n")
    page.get_by_test_id("viewer").press("d")


def test_a_figure_of_the_audit_leads_to_its_places(app: str, page: Page) -> None:
    page.goto(link(app, FOUR[:2], doc="api_manual"))
    settled(page)
    document = isolation.load(samples.read("api_manual"), FILES["api_manual"])
    report = chunkviz.report(chunkviz.chunk(document, "fixed", **FOUR[0].params))
    cut = report["cut.sentences"]
    figure = page.get_by_role("button", name=f"Sentences cut: {cut.value} of {cut.of}")
    where = page.locator(".where")
    for at in range(3):
        figure.first.click()
        expect(where).to_have_text(f"Sentences cut: {at + 1} of {cut.value}")
        # The place itself is in sight: the paragraph that holds its beginning.
        words = cut.findings[at].text[:24]
        expect(page.locator('[data-column="0"] .row', has_text=words).first).to_be_in_viewport()
    for _ in range(cut.value - 2):
        figure.first.press("Enter")
    expect(where).to_have_text(f"Sentences cut: 1 of {cut.value}")  # after the last one comes the first


def test_a_bar_of_the_histogram_marks_its_chunks(app: str, page: Page) -> None:
    page.goto(link(app, FOUR[:1], doc="api_manual"))
    settled(page)
    bar = page.locator(".js-plotly-plot .bars .point").last
    bar.scroll_into_view_if_needed()
    box = bar.bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    chip = page.locator(".toolbar .chip")
    expect(chip).to_be_visible()
    low, high = (int(n) for n in re.findall(r"\d+", (chip.text_content() or "").split("of", 1)[1])[:2])
    document = isolation.load(samples.read("api_manual"), FILES["api_manual"])
    made = chunkviz.chunk(document, "fixed", **FOUR[0].params)
    expect(chip).to_contain_text(f"{sum(low <= c.tokens < high for c in made.chunks)} chunks")


def test_langchain_agrees_when_asked(app: str, page: Page) -> None:
    page.goto(link(app, FOUR[:2], doc="api_manual"))
    settled(page)
    page.get_by_text("Is “Recursive” really what LangChain does?").click()
    page.get_by_role("button", name="Verify against LangChain").click()
    expect(page.get_by_text(re.compile(r"Identical, \d+ of \d+ chunks"))).to_be_visible()


def test_document_text_is_never_interpreted(app: str, page: Page) -> None:
    page.goto(link(app, FOUR[:1], doc="api_manual"))
    settled(page)
    evil = "$119.6 and $5 <script>window.hacked = 1</script> **b** `c` <img src=x onerror='window.hacked = 2'>"
    page.locator('input[type="file"]').set_input_files(
        {"name": "<img src=x onerror=window.hacked=3>.txt", "mimeType": "text/plain", "buffer": evil.encode()}
    )
    page.get_by_text("**b** `c`", exact=False).first.wait_for()
    settled(page)
    shown = "".join(page.locator('[data-column="0"] [data-chunk]').all_text_contents())
    assert shown == evil
    assert page.evaluate("window.hacked") is None


def test_an_unreadable_file_is_a_sentence(app: str, page: Page) -> None:
    page.goto(app)
    settled(page)
    page.locator('input[type="file"]').set_input_files(
        {"name": "broken.pdf", "mimeType": "application/pdf", "buffer": b"this is no pdf"}
    )
    expect(page.get_by_role("alert")).to_contain_text("broken.pdf")


@pytest.mark.parametrize("size", [1, 2])
def test_the_smallest_size_leaves_no_overlap_and_no_exception(app: str, page: Page, size: int) -> None:
    """Shared case B43."""
    page.goto(link(app, [Column("fixed", {"size": size, "overlap": 0})], doc="help_page"))
    settled(page)
    assert counts(page)[0][1] > 50
    assert page.get_by_test_id("stException").count() == 0


def test_a_wrong_link_says_what_is_wrong(app: str, page: Page) -> None:
    page.goto(f"{app}/?doc=nothing&c=fixed;size=0")
    settled(page)
    expect(page.get_by_text("The link asks for a sample “nothing” that is not here.")).to_be_visible()
    expect(page.get_by_text("must be a whole number of tokens from 1")).to_be_visible()


def test_a_column_that_cannot_be_cut_leaves_the_others_on_the_page(app: str, page: Page) -> None:
    page.goto(link(app, [FOUR[0], Column("llm"), FOUR[1]], doc="api_manual"))
    settled(page)
    document = isolation.load(samples.read("api_manual"), FILES["api_manual"])
    assert counts(page) == expected(document, FOUR[:2])
    expect(page.get_by_text("No language model is set.")).to_be_visible()


def test_settings_survive_a_look_at_another_screen(app: str, page: Page) -> None:
    page.goto(link(app, FOUR[:3], doc="api_manual"))
    settled(page)
    before = counts(page)
    for screen in ("Ask", "Compare", "Tune", "Ask", "Compare"):
        page.get_by_role("link", name=screen, exact=True).click()
        page.wait_for_timeout(2500)
        page.wait_for_function("document.querySelector('[data-testid=stApp]').dataset.testScriptState !== 'running'")
    settled(page)
    assert counts(page) == before
    assert page.url.count("&c=") == 3


@pytest.mark.parametrize(
    "query",
    [
        "c=manual;boundaries=" + "%5B" * 3000,
        "c=recursive;separators=%255B%2522%255Cud800%2522%255D",
        "c=manual;boundaries=%5B99999999999999999999999%5D",
    ],
)
def test_a_hostile_link_is_a_sentence(app: str, page: Page, query: str) -> None:
    page.goto(f"{app}/?doc=help_page&{query}")
    expect(page.get_by_text("The link has a column that cannot be shown")).to_be_visible()
