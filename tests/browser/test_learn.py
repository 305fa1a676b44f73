"""Learn and the demo in a real Chromium: by keyboard from the first step to the last, and nothing of a document runs."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from chunkviz import isolation, registry, samples
from chunkviz.document import Document
from chunkviz.lessons.guide import Answers, choose
from chunkviz.lessons.story import STEPS
from chunkviz.lessons.subject import asked_by_reader, asked_of_itself, asked_of_sample
from chunkviz.lessons.telling import scene
from chunkviz.lessons.ways import WRITTEN

pytestmark = pytest.mark.browser

# A machine that also does other things takes its time for a model.
expect.set_options(timeout=30_000)

SAMPLE = "api_manual"


@pytest.fixture(scope="module")
def claims() -> list[list[str]]:
    """What each step must claim, worked out here, with no page."""
    document = isolation.load(samples.read(SAMPLE), samples.sample(SAMPLE).file)
    asked = asked_of_sample(SAMPLE, document)
    return [step.claims(scene(asked, step)) for step in STEPS]


def quiet(page: Page) -> None:
    """Wait until the script has run."""
    page.wait_for_function(
        "document.querySelector('[data-testid=stApp]')?.dataset.testScriptState !== 'running'", timeout=120_000
    )


def test_the_demo_by_keyboard_alone(app: str, page: Page, claims: list[list[str]]) -> None:
    page.goto(f"{app}/demo")
    for number, (step, said) in enumerate(zip(STEPS, claims, strict=True), 1):
        page.wait_for_url(re.compile(rf"[?&]step={number}\b"), timeout=60_000)
        expect(page.get_by_role("heading", level=1)).to_have_text(step.title)
        told = page.get_by_test_id("claims")
        expect(told.locator("p").first).to_have_text(said[0], timeout=120_000)
        expect(told.locator("p")).to_have_text(said)
        if step.look in ("text", "sizes", "curve"):
            columns = page.locator("[data-column]")
            expect(columns).to_have_count(len(step.columns(WRITTEN)))
            for at, one in enumerate(step.columns(WRITTEN)):
                expect(columns.nth(at)).to_have_attribute("data-strategy", one.strategy)
            if step.focus == "answer":
                answer = page.locator(".row", has_text="To rotate an API key, request a replacement").first
                expect(answer).to_be_in_viewport()
        quiet(page)
        page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    page.wait_for_url(re.compile(r"[?&]step=7\b"))
    expect(page.get_by_test_id("claims").locator("p")).to_have_text(claims[6], timeout=60_000)


def test_a_step_is_a_link_and_the_notes_open_by_key(app: str, page: Page) -> None:
    page.goto(f"{app}/demo?step=4")
    expect(page.get_by_test_id("claims").locator("p").first).to_contain_text("holds the whole answer", timeout=60_000)
    expect(page.get_by_test_id("demo-step")).to_contain_text("Step 4 of 8")
    quiet(page)
    expect(page.get_by_text(STEPS[3].notes[:40])).to_have_count(0)
    page.keyboard.press("n")
    expect(page.get_by_text(STEPS[3].notes[:40])).to_be_visible()
    quiet(page)
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text(STEPS[4].notes[:40])).to_be_visible()
    quiet(page)
    page.keyboard.press("?")
    expect(page.get_by_text("Full screen, and back.")).to_be_visible()
    # Nothing of the app's settings stands beside a story.
    expect(page.get_by_text("Sizes count")).to_be_hidden()


def test_in_full_screen_the_notes_are_away_until_somebody_asks(app: str, page: Page) -> None:
    page.goto(f"{app}/demo?step=2")
    expect(page.get_by_test_id("claims")).to_be_visible(timeout=60_000)
    quiet(page)
    page.keyboard.press("n")
    notes = page.get_by_text(STEPS[1].notes[:40])
    expect(notes).to_be_visible()
    quiet(page)
    page.keyboard.press("f")
    page.wait_for_function("document.fullscreenElement !== null")
    expect(notes).to_be_hidden()
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    expect(page.get_by_test_id("stTopNav")).to_be_hidden()
    quiet(page)
    page.keyboard.press("n")
    expect(notes).to_be_visible()
    page.keyboard.press("f")
    page.wait_for_function("document.fullscreenElement === null")
    expect(page.get_by_test_id("stSidebar")).to_be_visible()


def test_the_window_with_the_notes_goes_along_and_leads(app: str, page: Page) -> None:
    page.goto(f"{app}/demo?step=2")
    expect(page.get_by_test_id("claims")).to_be_visible(timeout=60_000)
    notes = page.context.new_page()
    notes.goto(f"{app}/demo?step=2&notes=1")
    expect(notes.get_by_text(STEPS[1].notes[:40])).to_be_visible(timeout=60_000)
    expect(notes.get_by_test_id("claims")).to_have_count(0)
    expect(notes.get_by_role("button", name="Full screen")).to_have_count(0)
    quiet(page)
    quiet(notes)
    page.keyboard.press("ArrowRight")
    expect(notes.get_by_text(STEPS[2].notes[:40])).to_be_visible(timeout=60_000)
    assert "notes=1" in notes.url
    quiet(notes)
    notes.keyboard.press("ArrowRight")
    expect(page.get_by_test_id("demo-step")).to_contain_text("Step 4 of 8", timeout=60_000)
    notes.close()


MINE = "The pool opens at nine. <b>Towels</b> cost two euros. " * 9 + "The key hangs behind the blue door. Goodbye."


def test_the_demo_about_a_document_of_ones_own_by_keyboard_alone(app: str, page: Page) -> None:
    asked = asked_of_itself(Document.from_text(MINE, "mine.txt"))
    page.goto(f"{app}/demo")
    expect(page.get_by_test_id("claims")).to_be_visible(timeout=60_000)
    page.locator('input[type="file"]').set_input_files(
        {"name": "mine.txt", "mimeType": "text/plain", "buffer": MINE.encode()}
    )
    expect(page.get_by_text("A sentence that a cut goes through")).to_be_visible()
    for number, step in enumerate(STEPS, 1):
        page.wait_for_url(re.compile(rf"[?&]step={number}\b"), timeout=60_000)
        title, story = step.words(asked)
        expect(page.get_by_role("heading", level=1)).to_have_text(title)
        expect(page.get_by_text(story)).to_be_visible()
        expect(page.get_by_test_id("claims").locator("p")).to_have_text(step.claims(scene(asked, step)), timeout=60_000)
        if step.look in ("text", "sizes", "curve"):
            expect(page.locator("[data-column]")).to_have_count(len(step.columns(asked.ways)))
        quiet(page)
        page.keyboard.press("ArrowRight")
    assert "doc=" not in page.url


@pytest.mark.parametrize("text", ["Two words.", " \n"])
def test_a_document_with_nothing_to_tell_leads_back_to_the_sample(app: str, page: Page, text: str) -> None:
    page.goto(f"{app}/demo")
    expect(page.get_by_test_id("claims")).to_be_visible(timeout=60_000)
    page.locator('input[type="file"]').set_input_files(
        {"name": "mine.txt", "mimeType": "text/plain", "buffer": text.encode()}
    )
    page.get_by_role("button", name="Tell it with the API manual").click()
    expect(page.get_by_test_id("claims")).to_be_visible(timeout=60_000)


def test_a_question_of_ones_own(app: str, page: Page) -> None:
    words = "The key hangs behind the blue door."
    page.goto(f"{app}/demo?step=4")
    expect(page.get_by_test_id("claims")).to_be_visible(timeout=60_000)
    page.locator('input[type="file"]').set_input_files(
        {"name": "mine.txt", "mimeType": "text/plain", "buffer": MINE.encode()}
    )
    expect(page.get_by_text("A sentence that a cut goes through")).to_be_visible()
    page.get_by_text("Tell it with a document and a question of your own").click()
    page.get_by_label("Question", exact=True).fill("Where is the key?")
    page.get_by_label("Question", exact=True).press("Enter")
    expect(page.get_by_text("Which words of the document answer the question?")).to_be_visible()
    page.get_by_label("The words that answer it").fill(words)
    page.get_by_label("The words that answer it").press("Control+Enter")
    expect(page.get_by_text("“Where is the key?”")).to_be_visible(timeout=60_000)
    asked = asked_by_reader(Document.from_text(MINE, "mine.txt"), "Where is the key?", words)
    expect(page.get_by_test_id("claims").locator("p")).to_have_text(STEPS[3].claims(scene(asked, STEPS[3])))
    assert "doc=" not in page.url
    assert "key" not in page.url.split("unit=")[0]


def test_where_no_model_is_at_hand_compare_shows_what_a_person_made(app: str, page: Page) -> None:
    page.goto(f"{app}/?c=llm&c=fixed")
    page.get_by_text("made by hand, no model was asked").click(timeout=60_000)
    expect(page.get_by_text("a new topic begins after sentence 3")).to_be_visible()


def test_all_screens_are_in_sight_on_a_narrow_page(app: str, page: Page) -> None:
    page.set_viewport_size({"width": 800, "height": 900})
    page.goto(f"{app}/learn")
    page.locator("h1").first.wait_for()
    for screen in ("Compare", "Tune", "Ask", "Evaluate", "Export", "Learn", "Demo"):
        expect(page.get_by_test_id("stTopNav").get_by_role("link", name=screen)).to_be_in_viewport(ratio=1)


def test_every_strategy_has_its_card_and_fails_before_ones_eyes(app: str, page: Page) -> None:
    page.goto(f"{app}/learn")
    for strategy in registry.strategies().values():
        card = page.locator(f".st-key-learn-card-{strategy.id}")
        expect(card.locator(".lv-more").first).to_be_visible(timeout=60_000)
        expect(card.get_by_role("heading", name=strategy.title, exact=True)).to_be_visible()
    quiet(page)
    fixed = page.locator(".st-key-learn-card-fixed")
    fixed.get_by_text("Where it fails").click()
    expect(fixed.get_by_text("The underlined words belong together, and no chunk holds both.")).to_be_visible()
    assert fixed.locator(".lv-hit").count() >= 2
    fixed.get_by_role("button", name="Open it on the whole document").click()
    page.wait_for_url(re.compile(r"c=fixed"))
    page.wait_for_selector('[data-testid="viewer"] [data-chunk]')
    expect(page.locator("[data-column]")).to_have_count(1)


def test_a_word_opens_a_card_to_play_with(app: str, page: Page) -> None:
    page.goto(f"{app}/learn?show=guide")
    page.get_by_role("button", name="Token", exact=True).click()
    field = page.get_by_label("Type anything")
    field.fill("one two three")
    field.press("Control+Enter")
    expect(page.locator(".lv-tokens > span")).to_have_count(3)
    expect(page.get_by_text("3 tokens, 13 characters.")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Cosine similarity").click()
    expect(page.locator(".lv-bars .lv-val")).to_have_text("0.27", timeout=60_000)


def test_the_guide_leads_to_its_setting(app: str, page: Page) -> None:
    page.goto(f"{app}/learn?show=guide&kind=talk&structure=none&budget=embed&question=how")
    chosen = choose(Answers("talk", "none", "embed", "how"))
    box = page.locator(".st-key-guide-choice")
    expect(box).to_contain_text(registry.strategy(chosen.strategy).title, timeout=60_000)
    expect(page.locator(".st-key-guide-own")).to_contain_text("33 headings")
    expect(page.get_by_text("Their figure, published by", exact=False).first).to_be_visible()
    box.get_by_role("button", name="Open this on my document").click()
    page.wait_for_url(re.compile(r"c=semantic%3B|c=semantic;"))
    assert "size%3D400" in page.url or "size=400" in page.url
    page.wait_for_selector('[data-testid="viewer"] [data-chunk]', timeout=60_000)


@pytest.mark.parametrize("width", [1400, 1024, 800])
def test_nothing_is_cut_off(app: str, page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    for path in ("learn", "learn?show=guide", "demo?step=8"):
        page.goto(f"{app}/{path}")
        page.wait_for_selector(".cv-title")
        page.wait_for_selector(".st-key-learn-card-latex .lv-more, .st-key-guide-choice, .lv-table", timeout=60_000)
        quiet(page)
        wide = page.evaluate(
            "[...document.querySelectorAll('.stMainBlockContainer p, .stMainBlockContainer h1, .stMainBlockContainer h3,"
            " .stMainBlockContainer li')].filter(e => e.scrollWidth > e.clientWidth + 1 && e.clientWidth).map(e => e.innerText)"
        )
        assert wide == []


def test_text_of_a_document_is_never_interpreted(app: str, page: Page) -> None:
    evil = "<img src=x onerror='window.hacked = 1'> <script>window.hacked = 2</script> **b** " * 12
    page.goto(f"{app}/learn")
    page.locator('input[type="file"]').set_input_files(
        {"name": "<img src=x onerror=window.hacked=3>.md", "mimeType": "text/markdown", "buffer": evil.encode()}
    )
    expect(page.locator(".st-key-learn-card-recursive .lv-text").first).to_contain_text("**b**", timeout=60_000)
    quiet(page)
    assert page.evaluate("window.hacked") is None
