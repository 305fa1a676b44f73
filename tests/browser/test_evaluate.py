"""The Evaluate screen in a real Chromium: run a grid, open a cell, stop and resume, open a stored run."""

from __future__ import annotations

import re
from functools import cache
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Locator, Page, expect

import chunkviz
from chunkviz import advice, behind, isolation, samples, sweeps
from chunkviz.document import Document
from chunkviz.evaluation import Evaluation
from chunkviz.grid import Grid
from chunkviz.question_files import read_file
from chunkviz.questions import resolve

pytestmark = pytest.mark.browser
# A run keeps the processor busy, and a page that waits for it is slow, not wrong.
expect.set_options(timeout=30_000)

SMALL = ("help_page", "quarterly_report")
GRID = Grid(("recursive", "fixed"), (64, 100), (0,))


def link(app: str, documents: tuple[str, ...], grid: Grid, **more: str) -> str:
    query = [("docs", name) for name in documents]
    query += [("strategies", s) for s in grid.strategies]
    query += [("sizes", str(s)) for s in grid.sizes] + [("overlaps", str(o)) for o in grid.overlaps]
    return f"{app}/evaluate?{urlencode([*query, *more.items()])}"


@cache
def expected() -> Evaluation:
    """What the same grid finds in Python."""
    documents: dict[str, Document] = {}
    rows = []
    for name in SMALL:
        file = samples.sample(name).file
        documents[file] = isolation.load(samples.read(name), file)
        rows += read_file(samples.FOLDER / "questions" / f"{name}.csv")
    return chunkviz.evaluate(documents, resolve(rows, documents), GRID.recipes().recipes, 5)


def main(page: Page) -> Locator:
    return page.get_by_test_id("stMain")


def quiet(page: Page) -> None:
    page.wait_for_function("document.querySelector('[data-testid=stApp]').dataset.testScriptState !== 'running'")
    page.wait_for_timeout(400)


def ready(page: Page) -> None:
    page.get_by_test_id("estimate").wait_for(timeout=60_000)
    quiet(page)


def run(page: Page) -> None:
    main(page).get_by_role("button", name="Run", exact=True).click()


def done(page: Page, seconds: int = 120) -> None:
    """The run has ended: its button can be pressed again, and its results are on the page."""
    expect(main(page).get_by_role("button", name="Run", exact=True)).to_be_enabled(timeout=seconds * 1000)
    page.locator(".cv-advice").wait_for()
    quiet(page)


def test_a_grid_runs_and_its_cells_open_and_a_second_run_embeds_nothing(app: str, page: Page) -> None:
    page.goto(link(app, SMALL, GRID))
    ready(page)
    expect(page.get_by_test_id("estimate")).to_contain_text("2 documents × 11 questions × 4 recipes")
    run(page)
    done(page)
    made = expected()
    found = advice.after(made)
    assert found is not None
    expect(page.locator(".cv-advice p").first).to_have_text(found.reasons[0])
    # The text behind a square.
    order = sweeps.hardest_first(made.results, "token_recall")
    area = page.locator(".js-plotly-plot .nsewdrag").last
    area.scroll_into_view_if_needed()
    for row, column in ((3, 0), (1, 4)):
        box = area.bounding_box()
        assert box
        x = box["x"] + box["width"] * (column + 0.5) / len(order)
        y = box["y"] + box["height"] * (row + 0.5) / len(made.results)
        page.mouse.click(x, y)
        cell = made.results[row].cells[order[column]]
        expect(main(page).get_by_text(cell.question.text, exact=True).last).to_be_visible()
        documents = {name: c.document for name, c in made.results[row].chunkings.items()}
        first = "".join(p.text for p in behind.passages(cell, documents)[0].pieces)
        expect(page.get_by_test_id("retrieved").first).to_have_text(first)
        expect(page.get_by_test_id("retrieved")).to_have_count(len(cell.retrieved))
        answer = behind.answers(cell, documents, made.results[row].chunkings)[0]
        green = "".join(p.text for p in answer.pieces if p.kind == "found")
        assert "".join(page.get_by_test_id("gold").first.locator(".cv-found").all_text_contents()) == green
        area.scroll_into_view_if_needed()
        quiet(page)
    # The same again: every vector is stored.
    expect(page.get_by_test_id("estimate")).to_contain_text("nothing has to be embedded")
    run(page)
    done(page)
    expect(page.get_by_test_id("cost")).to_contain_text("0 texts embedded")


def test_stop_keeps_what_is_done_and_resume_goes_on(app: str, page: Page, request: pytest.FixtureRequest) -> None:
    # Sizes that no other test has embedded, another set for each theme.
    theme = request.node.callspec.params["page"]
    sizes = (71, 83, 97, 109) if theme == "light" else (73, 89, 101, 113)
    page.goto(link(app, ("policy_handbook", "api_manual"), Grid(("recursive",), sizes, (0, 16))))
    ready(page)
    expect(page.get_by_test_id("estimate")).to_contain_text(re.compile(r"\d texts? to embed .*tokens"))
    run(page)
    expect(main(page).get_by_text(re.compile(r"recipe [23] of 8"))).to_be_visible(timeout=120_000)
    # The page can be used meanwhile, and the run goes on.
    main(page).get_by_text("Where to begin, by what the documents look like").click()
    expect(main(page).get_by_text("api_manual.md: ", exact=False).first).to_be_visible()
    main(page).get_by_role("button", name="Stop", exact=True).click()
    resume = main(page).get_by_role("button", name=re.compile("Resume: [1-7] recipes? left"))
    expect(resume).to_be_enabled(timeout=90_000)
    expect(main(page).get_by_text("Stopped: ", exact=False)).to_be_visible()
    expect(page.locator(".cv-advice")).to_be_visible()
    quiet(page)  # until then the bar of the first part is still in sight
    resume.click()
    expect(main(page).get_by_role("button", name="Run", exact=True)).to_be_disabled()
    done(page)
    expect(resume).to_have_count(0)
    expect(main(page).get_by_text("Stopped: ", exact=False)).to_have_count(0)
    expect(main(page).get_by_role("button", name=re.compile(r"Stored runs \(\d+\)"))).to_be_visible()
    # The hand-over of the first part did not cost its work.
    quiet(page)
    expect(page.get_by_test_id("estimate")).to_contain_text("nothing has to be embedded")


def test_a_stored_run_is_there_in_a_new_session_and_beside_another(app: str, page: Page) -> None:
    page.goto(link(app, SMALL, GRID))
    ready(page)
    for _ in range(2):
        run(page)
        done(page)
    page.goto(link(app, SMALL, Grid(("fixed",), (64,), (0,))))
    ready(page)
    # Nothing was run in this session: the newest stored run about the same documents and questions is shown.
    found = advice.after(expected())
    assert found is not None
    expect(page.locator(".cv-advice p").first).to_have_text(found.reasons[0])
    other = page.get_by_role("combobox", name=re.compile("Run to compare with"))
    other.scroll_into_view_if_needed()
    quiet(page)
    other.press("ArrowDown")
    page.get_by_role("option", name=re.compile("4 recipes")).first.click()
    expect(main(page).get_by_text(re.compile("Other run: (?:Take|No winner)"))).to_be_visible()
    expect(page.get_by_test_id("gold").first).to_be_visible()


def test_own_documents_and_questions_are_shown_as_text(app: str, page: Page) -> None:
    evil = "<img src=x onerror='window.hacked = 1'> $x$ **b** the answer is [7](javascript:alert(1)). "
    text = (evil + "Filler words go on and on here. ") * 1 + "Nothing else matters to anyone. " * 60
    page.goto(link(app, (), GRID))
    ready(page)
    page.locator('[data-testid="stSidebar"] input[type="file"]').set_input_files(
        {"name": "<b>odd.txt", "mimeType": "text/plain", "buffer": text.encode()}
    )
    expect(main(page).get_by_text("There is no question about these documents yet", exact=False)).to_be_visible()
    rows = f'{{"question": "<b>What</b> is **it**?", "document": "<b>odd.txt", "start": 0, "end": {len(evil) - 1}}}\n'
    main(page).get_by_role("button", name="Bring questions").click()
    page.locator('[data-testid="stPopoverBody"] input[type="file"]').set_input_files(
        {"name": "mine.jsonl", "mimeType": "application/jsonl", "buffer": rows.encode()}
    )
    expect(page.get_by_test_id("estimate")).to_contain_text("1 document × 1 question")
    page.keyboard.press("Escape")
    quiet(page)
    run(page)
    done(page)
    assert evil.strip() in (page.get_by_test_id("gold").first.text_content() or "")
    assert "<b>odd.txt" in (main(page).text_content() or "")
    assert page.evaluate("window.hacked") is None
    assert "odd" not in page.url


def test_a_wrong_link_says_what_is_wrong(app: str, page: Page) -> None:
    page.goto(f"{app}/evaluate?sizes=many&docs=help_page&rerankers=cross_encoder&k=7")
    ready(page)
    expect(main(page).get_by_text("The link asks for “many” in sizes, which is not here.")).to_be_visible()
    expect(main(page).get_by_text("The link asks for “cross_encoder” in rerankers", exact=False)).to_be_visible()
    expect(page.get_by_test_id("estimate")).to_contain_text("1 document × 5 questions × 12 recipes")
    assert "k=7" in page.url


@pytest.mark.parametrize("width", [800, 1024])
def test_narrow_pages_do_not_scroll_sideways(app: str, page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(link(app, SMALL, GRID))
    ready(page)
    run(page)
    done(page)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.evaluate("(e => e.scrollWidth - e.clientWidth)(document.querySelector('[data-testid=stMain]'))") <= 0
