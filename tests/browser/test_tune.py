"""The Tune screen in a real Chromium: drag, release, keys, reload, restart."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

import chunkviz
from chunkviz import isolation, samples
from chunkviz.ui.state import Column

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parent.parent.parent


def settled(page: Page) -> None:
    page.wait_for_selector('[data-testid="viewer"] [data-chunk]')
    page.wait_for_function("document.querySelector('[data-testid=stApp]').dataset.testScriptState !== 'running'")
    page.wait_for_timeout(600)


def handle(page: Page) -> Locator:
    return page.get_by_role("slider", name="Similarity threshold")


def recipe_in(page: Page) -> Column:
    """The first column as the link spells it."""
    from urllib.parse import parse_qs, urlsplit

    return Column.parse(parse_qs(urlsplit(page.url).query)["c"][0])


def messages(page: Page) -> Callable[[], int]:
    """How many messages went over the websocket since the page was opened, in both directions."""
    seen = [0]

    def count(_: object) -> None:
        seen[0] += 1

    def listen(socket: object) -> None:
        socket.on("framesent", count)  # type: ignore[attr-defined]
        socket.on("framereceived", count)  # type: ignore[attr-defined]

    page.on("websocket", listen)
    return lambda: seen[0]


def quiet(page: Page, count: Callable[[], int]) -> int:
    """Wait until what was asked for before is answered to the end; returns how many messages that makes."""
    for _ in range(60):
        before = count()
        page.wait_for_timeout(2000)
        if count() == before:
            return before
    raise AssertionError("the server never falls silent")


def drag(page: Page, steps: int = 40, reach: int = 50) -> list[int]:
    """Move the line up and down and keep hold of it; returns the chunk counts on the way."""
    line = handle(page)
    line.scroll_into_view_if_needed()
    box = line.bounding_box()
    assert box
    x, y = box["x"] + 150, box["y"] + box["height"] / 2
    column = page.locator('[data-column="0"]')
    counts = []
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(steps):
        away = step if step < steps // 2 else steps - step
        page.mouse.move(x, y - reach * 2 * away / steps)
        page.wait_for_timeout(25)
        counts.append(int(column.get_attribute("data-count") or -1))
    return counts


def exported_recipe(page: Page) -> chunkviz.Recipe:
    """The file that the Export screen gives for the cut that was tuned."""
    page.get_by_role("link", name="Export", exact=True).click()
    page.get_by_role("heading", name="Take it with you").wait_for()
    button = page.get_by_role("button", name="recipe.json")
    button.wait_for(timeout=60_000)
    page.wait_for_function("document.querySelector('[data-testid=stApp]').dataset.testScriptState !== 'running'")
    with page.expect_download() as coming:
        button.click()
    return chunkviz.Recipe.from_json(Path(coming.value.path()).read_text(encoding="utf-8"))


LONG_SENTENCES = 5000


@pytest.fixture(scope="module")
def long_text() -> bytes:
    """5,000 sentences that change their subject now and then."""
    subjects = [
        ("boat", "harbour", "berth", "tide", "anchor"),
        ("invoice", "payment", "refund", "account", "charge"),
        ("oven", "bread", "flour", "yeast", "crust"),
        ("key", "password", "token", "login", "secret"),
    ]
    lines = []
    for i in range(LONG_SENTENCES):
        words = subjects[(i // 7) % 4]
        lines.append(
            f"The {words[i % 5]} of case {i} needs a {words[(i * 3 + 1) % 5]} and one more {words[(i + 2) % 5]}."
        )
    return "\n".join(lines).encode()


def test_dragging_5000_sentences_in_three_columns_says_nothing_to_the_server(
    app: str, page: Page, long_text: bytes
) -> None:
    count = messages(page)
    page.goto(f"{app}/tune?doc=call_transcript")
    settled(page)
    page.locator('input[type="file"]').set_input_files(
        {"name": "long.txt", "mimeType": "text/plain", "buffer": long_text}
    )
    expect(page.get_by_text(re.compile(r"sharpest of 4,999 turns"))).to_be_visible(timeout=180_000)
    settled(page)
    for columns in (2, 3):
        page.get_by_role("button", name=re.compile("Recursive.*same mean size")).click()
        expect(page.locator("[data-column]")).to_have_count(columns, timeout=60_000)
        settled(page)
    before = quiet(page, count)
    counts = drag(page)
    page.wait_for_timeout(300)  # the last move is drawn with the next frame
    assert count() == before, "the server was told of something while the line moved"
    changes = sum(a != b for a, b in pairwise(counts))
    assert changes >= 10
    held = int(page.locator('[data-column="0"]').get_attribute("data-count") or -1)
    page.mouse.up()
    page.wait_for_timeout(1500)
    assert quiet(page, count) > before
    settled(page)
    shown = int(page.locator('[data-column="0"]').get_attribute("data-count") or -1)
    assert shown == held, "what the server made is not what was seen last"
    chosen = recipe_in(page)
    assert handle(page).get_attribute("aria-valuenow") == f"{chosen.params['percentile']:g}"
    document = chunkviz.Document.from_text(long_text.decode(), name="long.txt")
    made = chunkviz.chunk(document, chosen.strategy, **chosen.params)
    assert page.locator(".tuner").get_attribute("data-agrees") == "true"
    recipe = exported_recipe(page)
    again = chunkviz.chunk(document, recipe=recipe)
    assert recipe == made.recipe
    assert shown == len(made.chunks) == len(again.chunks)


def test_what_is_dragged_is_what_python_cuts_and_what_the_link_brings_back(app: str, page: Page) -> None:
    page.goto(f"{app}/tune?doc=call_transcript")
    settled(page)
    drag(page, steps=14)
    page.mouse.up()
    page.wait_for_timeout(1200)
    settled(page)
    document = isolation.load(samples.read("call_transcript"), "call_transcript.txt")
    chosen = recipe_in(page)
    made = chunkviz.chunk(document, chosen.strategy, **chosen.params)
    column = page.locator('[data-column="0"]')
    expect(column).to_have_attribute("data-count", str(len(made.chunks)))
    assert page.locator(".tuner").get_attribute("data-agrees") == "true"
    # The last chunk in sight begins where Python's begins.
    first = " ".join(made.chunks[1].text.split())[:40]
    shown = " ".join((column.locator('[data-chunk="1"]').first.text_content() or "").split())
    assert shown[:20] == first[:20]
    page.reload()
    settled(page)
    expect(column).to_have_attribute("data-count", str(len(made.chunks)))
    assert recipe_in(page) == chosen
    expect(page.get_by_text("0 sentences were embedded")).to_be_visible()


def test_the_handle_is_moved_by_keys(app: str, page: Page) -> None:
    page.goto(f"{app}/tune?doc=call_transcript&c=semantic;kind=absolute;threshold=0.2")
    settled(page)
    line = handle(page)
    assert line.get_attribute("aria-valuenow") == "0.2"
    column = page.locator('[data-column="0"]')
    few = int(column.get_attribute("data-count") or -1)
    line.focus()
    for _ in range(10):
        page.keyboard.press("ArrowUp")
    expect(line).to_have_attribute("aria-valuenow", "0.3")
    page.wait_for_url(re.compile(r"threshold(=|%3D)0\.3"))
    settled(page)
    assert int(column.get_attribute("data-count") or -1) > few
    assert page.evaluate("document.activeElement !== document.body")
    page.keyboard.press("End")
    expect(line).to_have_attribute("aria-valuenow", "1")


def test_a_dip_shows_its_two_sentences_and_the_place(app: str, page: Page) -> None:
    page.goto(f"{app}/tune?doc=call_transcript")
    settled(page)
    box = page.locator(".curve-main").bounding_box()
    assert box
    page.mouse.click(box["x"] + 300, box["y"] + 30)
    dip = page.locator(".tuner-dip")
    expect(dip).to_be_visible()
    value = re.search(r"similarity (-?\d\.\d\d)", dip.text_content() or "")
    assert value
    after = (dip.locator(".dip-after").text_content() or "")[:25]
    expect(page.locator('[data-column="0"] .row', has_text=after).first).to_be_in_viewport()


def test_another_kind_of_threshold_keeps_the_place_the_zoom_and_the_dip(app: str, page: Page) -> None:
    page.goto(f"{app}/tune?doc=policy_handbook")
    settled(page)
    scroller = page.locator(".scroller")
    place = "s => s.scrollTop"
    brush = "b => [b.style.left, b.style.width]"
    # The detail follows the text to its end.
    scroller.evaluate("s => { s.scrollTop = 0.95 * s.scrollHeight; }")
    page.wait_for_timeout(400)
    followed = page.locator(".curve-brush").evaluate(brush)
    for kind in ("fixed similarity", "deepest dips"):
        before = scroller.evaluate(place)
        choose_kind(page, kind)
        assert scroller.evaluate(place) == before
        assert page.locator(".curve-brush").evaluate(brush) == followed
    # A part that was chosen by hand, and a dip in it.
    grip = page.locator(".curve-brush .grip.start").bounding_box()
    assert grip
    page.mouse.move(grip["x"] + 4, grip["y"] + 8)
    page.mouse.down()
    page.mouse.move(grip["x"] + 80, grip["y"] + 8, steps=4)
    page.mouse.up()
    chosen = page.locator(".curve-brush").evaluate(brush)
    assert chosen != followed
    box = page.locator(".curve-main").bounding_box()
    assert box
    page.mouse.click(box["x"] + 300, box["y"] + 30)
    dip = page.locator(".tuner-dip")
    expect(dip).to_be_visible()
    page.wait_for_timeout(600)
    said, before = dip.text_content(), scroller.evaluate(place)
    choose_kind(page, "sharpest turns")
    assert page.locator(".curve-brush").evaluate(brush) == chosen
    assert scroller.evaluate(place) == before
    expect(dip).to_have_text(said or "")
    # Another document begins at its own beginning.
    page.goto(f"{app}/tune?doc=call_transcript")
    settled(page)
    assert page.locator(".curve-brush").evaluate(brush) != chosen
    expect(dip).to_be_hidden()


def choose_kind(page: Page, words: str) -> None:
    page.get_by_role("combobox", name=re.compile("Cut at")).click()
    page.get_by_role("option", name=re.compile(words)).click()
    page.wait_for_timeout(800)
    settled(page)


def test_a_pinned_column_says_that_it_is_pinned_and_how_it_differs(app: str, page: Page) -> None:
    page.goto(f"{app}/tune?doc=call_transcript&c=semantic;kind=absolute;threshold=0.2")
    settled(page)
    page.get_by_role("button", name="Pin this cut beside it").click()
    pinned = page.locator('[data-column="1"]')
    expect(pinned).to_contain_text("Pinned: the same as column 1")
    settled(page)
    handle(page).focus()
    for _ in range(10):
        page.keyboard.press("ArrowUp")
    expect(pinned).to_contain_text("Pinned: Topic turns")
    expect(pinned).to_contain_text("Similarity below: 0.2 (column 1: 0.3)")
    expect(page.get_by_role("row", name=re.compile("2: Pinned: Topic turns"))).to_be_visible()
    settled(page)
    page.get_by_role("button", name="Remove pinned column 2").click()
    expect(page.locator("[data-column]")).to_have_count(1)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("One sentence stands here alone.", "One sentence, so there is nothing to compare: 1 chunk."),
        ("--- *** !!!\n\n=====\n\n%%% ???", "No two neighbouring sentences with letters or digits"),
    ],
)
def test_without_two_sentences_there_is_no_line_to_drag(app: str, page: Page, text: str, words: str) -> None:
    page.goto(f"{app}/tune?doc=call_transcript")
    settled(page)
    page.locator('input[type="file"]').set_input_files(
        {"name": "short.txt", "mimeType": "text/plain", "buffer": text.encode()}
    )
    expect(page.get_by_text(words)).to_be_visible(timeout=60_000)
    expect(handle(page)).to_have_count(0)
    assert page.locator(".tuner").get_attribute("data-agrees") == "true"


@pytest.mark.parametrize("kind", ["deviations", "interquartile", "gradient", "minimum"])
def test_every_kind_agrees_with_python_after_a_drag(app: str, page: Page, kind: str) -> None:
    page.goto(f"{app}/tune?doc=policy_handbook&c=semantic_structure;kind={kind}")
    settled(page)
    drag(page, steps=8, reach=30)
    page.mouse.up()
    page.wait_for_timeout(1500)
    settled(page)
    document = isolation.load(samples.read("policy_handbook"), "policy_handbook.pdf")
    chosen = recipe_in(page)
    assert chosen.params["kind"] == kind
    made = chunkviz.chunk(document, chosen.strategy, **chosen.params)
    expect(page.locator('[data-column="0"]')).to_have_attribute("data-count", str(len(made.chunks)))
    assert page.locator(".tuner").get_attribute("data-agrees") == "true"
    expect(page.get_by_text("Does it find the topics?")).to_be_visible()


def test_a_link_names_no_model_that_nobody_asked_for(app: str, page: Page) -> None:
    page.goto(f"{app}/tune?doc=call_transcript&c=semantic;model=/etc")
    expect(page.get_by_text("The link asks for the embedding model “/etc”.")).to_be_visible(timeout=30_000)


def test_nothing_is_embedded_again_after_a_restart(
    restarted: Callable[[], AbstractContextManager[str]], page: Page
) -> None:
    for expected in (
        r"[1-9]\d* sentences were embedded and 0 were known",
        r"\b0 sentences were embedded and [1-9]\d* were",
    ):
        with restarted() as address:
            page.goto(f"{address}/tune?doc=call_transcript")
            settled(page)
            expect(page.get_by_text(re.compile(expected))).to_be_visible(timeout=60_000)
            page.goto("about:blank")


def test_embedding_can_be_stopped_and_goes_on_where_it_was(
    restarted: Callable[[], AbstractContextManager[str]], page: Page
) -> None:
    lines = [
        f"Sentence {i} speaks of subject {i % 97} and of case {i * i % 991} in some detail." for i in range(12_000)
    ]
    with restarted() as address:
        page.goto(f"{address}/tune?doc=call_transcript")
        settled(page)
        page.locator('input[type="file"]').set_input_files(
            {"name": "long.txt", "mimeType": "text/plain", "buffer": "\n".join(lines).encode()}
        )
        expect(page.get_by_text(re.compile(r"of 12,000, [\d,]+ a second, about"))).to_be_visible(timeout=60_000)
        page.get_by_test_id("stMainBlockContainer").get_by_role("button", name="Stop", exact=True).click()
        expect(page.get_by_text("Comparing the sentences was stopped.")).to_be_visible(timeout=30_000)
        page.get_by_role("button", name="Start again").click()
        done = page.get_by_text(re.compile(r"([\d,]+) sentences were embedded and [1-9][\d,]* were known"))
        expect(done).to_be_visible(timeout=300_000)
        page.goto("about:blank")  # a page that stays would miss its server


def test_the_curve_is_drawn_after_another_screen(app: str, page: Page) -> None:
    """The style sheet of a component that comes later is there later, and the colours of the curve with it."""
    page.goto(f"{app}/?doc=call_transcript")
    settled(page)
    page.get_by_role("link", name="Tune", exact=True).click()
    expect(handle(page)).to_be_visible()
    settled(page)
    box = page.locator(".curve-main").bounding_box()
    assert box
    assert 150 < box["height"] < 250
    painted = page.locator(".curve-main").evaluate(
        "c => new Set(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.filter((v, i) => i % 4 < 3)).size"
    )
    assert painted > 10  # several colours, not black alone
