"""The Evaluate screen in a real Chromium: run a grid, open a cell, stop and resume, open a stored run."""

from __future__ import annotations

import json
import re
from functools import cache
from urllib.parse import urlencode

import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect
from scripted_answers import scripted
from scripted_server import MODEL, scripted_server, silence

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


MADE = "document.querySelector('[data-testid=run]')?.dataset.made"


def run(page: Page) -> None:
    page.evaluate(f"window.before = {MADE}")  # a stored run may be on the page already
    main(page).get_by_role("button", name="Run", exact=True).click()


def done(page: Page, seconds: int = 120) -> None:
    """The run has ended: its button can be pressed again, and its results are on the page."""
    expect(main(page).get_by_role("button", name="Run", exact=True)).to_be_enabled(timeout=seconds * 1000)
    page.wait_for_function(f"{MADE} !== window.before", timeout=seconds * 1000)
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
    for row, column in ((3, 0), (1, 4)):
        box = at_rest(page, area)
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
    # The same again: every vector is stored.
    expect(page.get_by_test_id("estimate")).to_contain_text("nothing has to be embedded")
    run(page)
    done(page)
    expect(page.get_by_test_id("cost")).to_contain_text("0 texts embedded")


def at_rest(page: Page, element: Locator) -> FloatRect:
    """Where an element is when nothing moves any more: the counting after a run may still be in sight."""
    before: FloatRect | None = None
    while True:
        quiet(page)  # a chart that is being drawn anew cannot be scrolled to
        element.scroll_into_view_if_needed()
        box = element.bounding_box()
        if box is not None and box == before:
            return box
        before = box


def cell(page: Page, column: int, row: int = 0, table: int = 0) -> None:
    """Click a cell of a table, by where it is: the table is a canvas. Column 0 is the pinned one."""
    box = at_rest(page, main(page).get_by_test_id("stDataFrame").nth(table))
    x, y = box["x"] + 40 + 190 * column, box["y"] + 35 * (row + 1) + 17
    # The canvas learns where the mouse is from its moves, as from a hand's.
    page.mouse.move(x - 9, y - 4)
    page.mouse.move(x, y, steps=4)
    page.wait_for_timeout(300)
    page.mouse.click(x, y, delay=60)
    quiet(page)


def test_every_cell_of_the_table_opens_what_it_is_made_of(app: str, page: Page) -> None:
    page.goto(link(app, SMALL, GRID))
    ready(page)
    run(page)
    done(page)
    result = expected().results[1]
    opened = page.locator(".st-key-results-behind")
    expect(opened).to_have_count(0)
    cell(page, 1, row=1)  # the figure of the second recipe
    worst = behind.questions(result, "token_recall")[0]
    expect(opened.get_by_text("Answer found, question by question: ", exact=False)).to_be_visible()
    expect(opened.get_by_text("is the mean of 11 questions", exact=False)).to_be_visible()
    expect(opened.get_by_test_id("stText").first).to_have_text(result.cells[worst.question].question.text)
    # Another question of the list, and its text.
    grid = opened.get_by_test_id("stDataFrame")
    box = grid.bounding_box()
    assert box
    page.mouse.click(box["x"] + 60, box["y"] + 35 * 3 + 17)
    third = behind.questions(result, "token_recall")[2]
    expect(opened.get_by_test_id("stText").first).to_have_text(result.cells[third.question].question.text)
    expect(opened.get_by_test_id("retrieved")).to_have_count(len(result.cells[third.question].retrieved))
    # By keyboard: from the figure to the interval, then to the difference from the baseline.
    cell(page, 1, row=2)
    for _ in range(2):
        page.keyboard.press("ArrowRight")
        quiet(page)
    expect(opened.get_by_text("Those on which this recipe is worse come first", exact=False)).to_be_visible()
    # To the end of the row: what is stored, document by document.
    for _ in range(30):
        page.keyboard.press("ArrowRight")
    quiet(page)
    expect(opened.get_by_text("Chunks, document by document: ", exact=False)).to_be_visible()
    expect(opened.get_by_text(re.compile(r"help_page\.html: \d+ chunks?\. A double click"))).to_be_visible()


def test_stop_while_counting_starts_no_run(app: str, page: Page) -> None:
    text = "".join(f"Section {at}. Boats pay {at} euros a night, and the pier is long.\n\n" for at in range(12_000))
    question = {"question": "What do boats pay in the second one?", "document": "big.txt", "start": 0, "end": 30}
    page.goto(link(app, (), Grid(("recursive", "fixed"), tuple(range(50, 70)), (0,)), searches="keyword"))
    ready(page)
    page.locator('[data-testid="stSidebar"] input[type="file"]').set_input_files(
        {"name": "big.txt", "mimeType": "text/plain", "buffer": text.encode()}
    )
    expect(main(page).get_by_text("There is no question about these documents yet", exact=False)).to_be_visible()
    main(page).get_by_role("button", name="Bring questions").click()
    page.locator('[data-testid="stPopoverBody"] input[type="file"]').set_input_files(
        {"name": "mine.jsonl", "mimeType": "application/jsonl", "buffer": json.dumps(question).encode()}
    )
    expect(main(page).get_by_text("Counting what it takes", exact=False)).to_be_visible()
    page.keyboard.press("Escape")
    main(page).get_by_role("button", name="Stop", exact=True).click()
    expect(main(page).get_by_text("Counting what it takes was stopped.")).to_be_visible()
    expect(main(page).get_by_role("button", name="Run", exact=True)).to_be_disabled()
    quiet(page)
    page.wait_for_timeout(1000)
    expect(main(page).get_by_text("Evaluating", exact=False)).to_have_count(0)
    expect(main(page).get_by_text("What was found")).to_have_count(0)
    expect(main(page).get_by_role("button", name="Start again")).to_be_visible()


def test_stop_right_after_run_stops_the_run(app: str, page: Page, request: pytest.FixtureRequest) -> None:
    theme = request.node.callspec.params["page"]
    sizes = (67, 79, 91, 103) if theme == "light" else (69, 81, 93, 107)
    page.goto(link(app, ("policy_handbook", "api_manual"), Grid(("recursive", "fixed"), sizes, (0,))))
    ready(page)
    run(page)
    main(page).get_by_role("button", name="Stop", exact=True).click()
    expect(main(page).get_by_role("button", name="Run", exact=True)).to_be_enabled(timeout=90_000)
    quiet(page)
    expect(main(page).get_by_text("Evaluating", exact=False)).to_have_count(0)
    expect(main(page).get_by_role("button", name=re.compile("Resume: [1-8] recipes? left"))).to_be_visible()


def use_model(page: Page, address: str) -> None:
    """Set the language model of the session in the sidebar."""
    page.get_by_role("button", name="Language model").click()
    page.get_by_label("Address").fill(address)
    page.get_by_label("Address").press("Enter")
    quiet(page)
    page.get_by_label("Model", exact=True).last.fill(MODEL)
    page.get_by_label("Model", exact=True).last.press("Enter")
    quiet(page)
    page.get_by_role("button", name="Use it").click()
    expect(page.get_by_text("In use: ", exact=False)).to_be_visible()
    page.keyboard.press("Escape")
    quiet(page)


def test_a_model_answers_and_every_sentence_shows_its_support(app: str, page: Page) -> None:
    page.goto(link(app, SMALL, GRID))
    ready(page)
    run(page)
    done(page)
    expect(main(page).get_by_text("This needs a language model", exact=False)).to_be_visible()
    with scripted_server() as server:
        server.default = scripted(answer="<b>Thirty</b> days. The moon is cheese.", verdict="partly", support=[[1], []])
        use_model(page, server.base_url)
        expect(page.get_by_test_id("answers-estimate")).to_contain_text("11 questions: at most")
        assert server.requests == []  # nothing is sent before it is agreed
        main(page).get_by_role("button", name=re.compile("^Ask 127")).click()
        answer = page.get_by_test_id("answer")
        answer.wait_for(timeout=90_000)
        expect(answer.locator('[data-supported="yes"]')).to_contain_text("<b>Thirty</b> days.")
        expect(answer.locator('[data-supported="yes"] small')).to_contain_text("Supported by passage 1 (")
        expect(answer.locator('[data-supported="no"]')).to_contain_text("The moon is cheese.")
        main(page).get_by_text("What was asked about this answer, word for word").click()
        prompt = page.locator(".st-key-answers-one").get_by_test_id("prompt").first
        sent = [
            m["messages"][0]["content"] + "\n\n" + m["messages"][1]["content"]
            for m in (r.body for r in server.requests)
        ]
        assert prompt.text_content() in sent
        assert server.base_url.rsplit(":", 1)[1] not in page.url


def test_asking_a_model_can_be_stopped(app: str, page: Page) -> None:
    page.goto(link(app, SMALL, GRID))
    ready(page)
    run(page)
    done(page)
    with scripted_server() as server:
        server.default = silence
        use_model(page, server.base_url)
        main(page).get_by_role("button", name=re.compile("^Ask 127")).click()
        expect(main(page).get_by_text(re.compile("Asking 127.*recipe 1 of"))).to_be_visible()
        main(page).get_by_role("button", name="Stop", exact=True).click()
        expect(main(page).get_by_text("Stopped with ", exact=False)).to_be_visible()
        expect(main(page).get_by_role("button", name=re.compile("^Ask 127"))).to_be_enabled()


def test_stop_keeps_what_is_done_and_resume_goes_on(app: str, page: Page, request: pytest.FixtureRequest) -> None:
    # Windows that no other test has embedded: those of each size are others, so that there is time to stop.
    theme = request.node.callspec.params["page"]
    sizes = (71, 83, 97, 109) if theme == "light" else (73, 89, 101, 113)
    page.goto(link(app, ("policy_handbook", "api_manual"), Grid(("fixed",), sizes, (0, 16))))
    ready(page)
    expect(page.get_by_test_id("estimate")).to_contain_text(re.compile(r"\d texts? to embed .*tokens"))
    run(page)
    expect(main(page).get_by_text(re.compile(r"recipe [2-6] of 8"))).to_be_visible(timeout=120_000)
    # The page can be used meanwhile, and the run goes on.
    main(page).get_by_text("Where to begin, by what the documents look like").click()
    expect(main(page).get_by_text("api_manual.md: ", exact=False).first).to_be_visible()
    main(page).get_by_role("button", name="Stop", exact=True).click()
    resume = main(page).get_by_role("button", name=re.compile("Resume: [1-7] recipes? left"))
    expect(resume).to_be_enabled(timeout=90_000)
    once = re.compile(r"^Stopped: \d+ results? so far\. What is said below is about those alone\.$")
    expect(main(page).get_by_text("Stopped: ", exact=False)).to_have_text(once)
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


def test_a_table_wider_than_the_page_says_so_and_its_last_column_is_reached_by_keyboard(app: str, page: Page) -> None:
    page.set_viewport_size({"width": 800, "height": 1000})
    page.goto(link(app, SMALL, GRID))
    ready(page)
    run(page)
    done(page)
    expect(main(page).get_by_text(re.compile(r"^\d\d columns: where they do not all fit"))).to_be_visible()
    grid = main(page).get_by_test_id("stDataFrame").first
    scroller = grid.locator(".dvn-scroller")
    shaded = "e => Number(getComputedStyle(e, '::after').opacity)"
    left = "e => e.scrollWidth - e.clientWidth - e.scrollLeft"
    assert scroller.evaluate(left) > 0
    assert grid.evaluate(shaded) == 1
    cell(page, 1, row=1)
    for _ in range(30):
        page.keyboard.press("ArrowRight")
    quiet(page)
    assert scroller.evaluate(left) <= 1
    assert grid.evaluate(shaded) == 0
    scroller.evaluate("e => e.scrollTo(40, 0)")
    page.wait_for_timeout(300)
    assert grid.evaluate(shaded) == 1
    # Where all of it fits, nothing is shaded.
    page.set_viewport_size({"width": 5000, "height": 1000})
    page.wait_for_timeout(1000)
    wide = scroller.evaluate(left)
    assert grid.evaluate(shaded) == (1 if wide > 1 else 0)


def test_stopped_measuring_leaves_a_sentence_and_a_way_back(
    app: str, page: Page, request: pytest.FixtureRequest
) -> None:
    # Windows that no other test has embedded, and long ones, so that there is time to stop.
    theme = request.node.callspec.params["page"]
    sizes = (143, 151) if theme == "light" else (145, 153)
    page.goto(link(app, ("policy_handbook", "api_manual", "call_transcript"), Grid(("fixed",), sizes, (0,))))
    main(page).get_by_text("Measuring how fast this machine embeds", exact=False).wait_for(timeout=60_000)
    main(page).get_by_role("button", name="Stop", exact=True).click()
    told = main(page).get_by_text("The vectors made until then are stored, and are not made again.", exact=False)
    expect(told).to_be_visible()
    quiet(page)
    again = main(page).get_by_role("button", name="Start again")
    expect(again).to_have_count(1)
    estimate, words, button = (e.bounding_box() for e in (page.get_by_test_id("estimate"), told, again))
    assert estimate
    assert words
    assert button
    assert estimate["y"] + estimate["height"] <= words["y"]  # below what lacks the time
    assert words["y"] <= button["y"] + button["height"] / 2 <= words["y"] + words["height"] + 60
    expect(main(page).get_by_role("button", name="Run", exact=True)).to_be_enabled()
    again.click()
    expect(told).to_have_count(0)
    expect(page.get_by_test_id("estimate")).to_contain_text("measured on", timeout=60_000)
