"""The Ask screen in a real Chromium: a cut answer is red, a repaired one green, and a question is made by selecting."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect
from scripted_answers import scripted
from scripted_server import MODEL, scripted_server

from chunkviz.question_files import read_rows

pytestmark = pytest.mark.browser

# The first question of a process waits until the embedding model is loaded.
expect.set_options(timeout=30_000)

STRADDLING = "How do I rotate an API key?"


# The middle of the first and of the last letter of some words in a row, in the window.
EDGES = """(row, words) => {
  const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
  const nodes = [];
  while (walker.nextNode()) nodes.push(walker.currentNode);
  const start = row.textContent.indexOf(words);
  const at = (offset, back) => {
    let left = offset;
    for (const node of nodes) {
      if (left < node.length || (back && left === node.length)) {
        const range = document.createRange();
        range.setStart(node, back ? left - 1 : left);
        range.setEnd(node, back ? left : left + 1);
        const rect = range.getBoundingClientRect();
        return [back ? rect.right - 1 : rect.left + 1, rect.top + rect.height / 2];
      }
      left -= node.length;
    }
  };
  return [at(start, false), at(start + words.length, true)];
}"""


def opened(app: str, page: Page, *columns: str, **query: str) -> None:
    page.goto(f"{app}/ask?" + urlencode([*query.items(), *(("c", c) for c in columns)]))
    settled(page)


def settled(page: Page) -> None:
    """Wait until the script has run to its end and the viewer has painted."""
    # The first search of a process loads the embedding model; the viewer stands below what it brings back.
    page.wait_for_selector('[data-testid="viewer"] [data-chunk]', timeout=90_000)
    quiet = "document.querySelector('[data-testid=stApp]').dataset.testScriptState !== 'running'"
    calm = 0
    while calm < 5:
        page.wait_for_timeout(200)
        calm = calm + 1 if page.evaluate(quiet) else 0


def verdicts(page: Page) -> Locator:
    return page.locator(".cv-verdict")


def select(page: Page, words: str, column: int = 0) -> None:
    """Drag over words in the viewer, from the first letter to behind the last, as a hand does."""
    row = page.locator(f'[data-column="{column}"] .row', has_text=words).first
    row.scroll_into_view_if_needed()
    edges = row.evaluate(EDGES, words)
    for _ in range(20):  # until nothing moves any more
        page.wait_for_timeout(150)
        before, edges = edges, row.evaluate(EDGES, words)
        if edges == before:
            break
    page.mouse.move(*edges[0])
    page.mouse.down()
    page.mouse.move(*edges[1], steps=8)
    page.mouse.up()


def test_the_straddling_answer_is_red_and_repaired_in_one_click(app: str, page: Page) -> None:
    opened(app, page, doc="policy_handbook")
    page.get_by_role("button", name="Show the break").click()
    expect(verdicts(page)).to_have_count(1)
    expect(verdicts(page)).to_contain_text("Cut. The answer is spread over chunks 4 and 5; no chunk holds all of it.")
    settled(page)
    assert page.locator("mark.cv-cut").count() >= 1
    assert page.locator("mark.cv-whole").count() == 0
    expect(page.get_by_text("✂ cut here").first).to_be_visible()
    for name in ("Repair with overlap 50", "Repair with Recursive"):
        page.get_by_role("button", name=name).click()
        expect(verdicts(page)).to_have_count(2)
        expect(verdicts(page).nth(0)).to_contain_text("Cut.")
        expect(verdicts(page).nth(1)).to_contain_text("Whole in rank 1.")
        settled(page)
        whole = page.locator("mark.cv-whole").first.inner_text()
        assert whole.startswith("To rotate an API key")
        assert whole.endswith("for another 24 hours.")
    query = parse_qs(urlsplit(page.url).query)
    assert query["q"] == ["api_manual-01"]
    assert query["doc"] == ["api_manual"]
    assert query["c"] == ["fixed;size=512;overlap=0", query["c"][1]]
    page.reload()
    expect(verdicts(page).nth(1)).to_contain_text("Whole in rank 1.")
    expect(page.get_by_role("combobox", name="Question")).to_have_value(STRADDLING)


def test_a_question_is_made_by_selecting_its_answer(app: str, page: Page) -> None:
    opened(app, page, "fixed;size=128;overlap=0", doc="multilingual")
    question = "Qui fait la traversée avec le bateau ?"
    words = "La traversée avec le bateau"  # after emoji: browser and Python count differently here
    select(page, words)
    field = page.get_by_role("textbox", name="The words that answer it")
    expect(field).to_have_value(words)
    assert page.locator(".card.pinned").count() == 0, "who selects text does not ask about a chunk"
    page.get_by_role("form").or_(page.locator('[data-testid="stForm"]')).first.get_by_role(
        "textbox", name="Question"
    ).fill(question)
    page.get_by_role("button", name="Keep this question").click()
    expect(page.get_by_text("The question was kept, and is asked above.")).to_be_visible()
    expect(page.get_by_role("combobox", name="Question").first).to_have_value(question)
    expect(verdicts(page).first).to_contain_text(re.compile("Whole|Cut|Not among"))
    settled(page)
    painted = page.locator("mark.cv-whole, mark.cv-cut").first.inner_text()
    assert painted in words
    assert "q=" not in page.url, "a question of the reader's own is in no link"
    page.get_by_text("All questions about this document").click()
    with page.expect_download() as event:
        page.get_by_role("button", name="JSON Lines").click()
    rows = read_rows(Path(event.value.path()).read_bytes(), "questions.jsonl")
    assert rows[-1].text == question
    assert rows[-1].references[0].document == "multilingual.txt"


def test_files_are_loaded_and_doubtful_quotes_are_asked_about(app: str, page: Page) -> None:
    opened(app, page, "fixed;size=128;overlap=0", doc="api_manual")
    rows = (
        "question,document,quote\r\nWhat keeps the old one alive?,api_manual,old secret\r\nAnd?,other.md,words\r\n"
        "<img src=x onerror=window.hacked=1>?,api_manual.md,no such words here\r\n"
    )
    page.get_by_text("All questions about this document").click()
    page.locator('[data-testid="stExpander"] input[type="file"]').set_input_files(
        {"name": "mine.csv", "mimeType": "text/csv", "buffer": rows.encode()}
    )
    expect(page.get_by_text("2 questions of mine.csv were added. 1 more")).to_be_visible()
    expect(page.get_by_text(re.compile(r"The quote occurs \d+ times in api_manual.md"))).to_be_visible()
    expect(page.get_by_text("The quote does not occur in api_manual.md")).to_be_visible()
    assert page.evaluate("window.hacked") is None
    page.get_by_role("button", name="This one").click()
    expect(page.get_by_text(re.compile(r"The quote occurs \d+ times"))).to_have_count(0)
    combo = page.get_by_role("combobox", name="Question").first
    combo.click()
    combo.press_sequentially("What keeps")
    page.get_by_role("option", name="What keeps the old one alive?").click()
    expect(page.locator("mark.cv-whole, mark.cv-cut").first).to_be_visible()


def test_reranking_is_shown_as_a_flow_and_stays_in_the_link(app: str, page: Page) -> None:
    opened(app, page, "fixed;size=512;overlap=0", "fixed;size=512;overlap=50", doc="api_manual", q="api_manual-01")
    page.get_by_role("button", name="Rerank by late interaction").click()
    # The first time, every chunk is read token by token.
    expect(page.locator(".js-plotly-plot .scatterlayer .trace")).to_have_count(19, timeout=120_000)
    expect(page.get_by_text("late interaction (MaxSim) over the tokens of").first).to_be_visible()
    expect(page.locator('.cv-hit[data-rank="1"]').first).to_contain_text("was 1")
    settled(page)
    assert "late_interaction" in page.url


def test_free_questions_have_no_verdict_and_text_is_never_interpreted(app: str, page: Page) -> None:
    opened(app, page, "fixed;size=128;overlap=0", doc="api_manual")
    evil = (
        "$5 and $6 <script>window.hacked = 1</script> **b** <img src=x onerror='window.hacked = 2'>\n\n"
        + "<b>x</b> " * 20
    )
    page.locator('[data-testid="stSidebar"] input[type="file"]').set_input_files(
        {"name": "<img src=x onerror=window.hacked=3>.txt", "mimeType": "text/plain", "buffer": evil.encode()}
    )
    expect(page.get_by_text("No question yet.")).to_be_visible()
    combo = page.get_by_role("combobox", name="Question").first
    combo.fill("How much is <i>it</i>?")
    combo.press("Enter")
    expect(verdicts(page).first).to_contain_text("No answer marked.")
    settled(page)
    assert "<script>window.hacked = 1</script> **b**" in " ".join(page.locator(".cv-text").all_text_contents())
    assert page.locator(".cv-text b, .cv-text img, .cv-text script").count() == 0
    assert page.evaluate("window.hacked") is None
    assert "How" not in page.url


def test_a_search_is_stopped_and_started_again(app: str, page: Page, request: pytest.FixtureRequest) -> None:
    theme = request.node.callspec.params["page"]  # each finds its texts not embedded yet
    text = "".join(f"In the {theme} house {at} people of room {at * 7} wait for the boat.\n\n" for at in range(6000))
    opened(app, page, "fixed;size=32;overlap=0", doc="inventory")
    page.locator('[data-testid="stSidebar"] input[type="file"]').set_input_files(
        {"name": "long.txt", "mimeType": "text/plain", "buffer": text.encode()}
    )
    expect(page.get_by_text("No question yet.")).to_be_visible()
    combo = page.get_by_role("combobox", name="Question").first
    combo.fill("Who waits for the boat?")
    combo.press("Enter")
    main = page.get_by_test_id("stMain")
    expect(main.get_by_text("Searching …", exact=False)).to_be_visible()
    main.get_by_role("button", name="Stop", exact=True).click()
    expect(main.get_by_text("Searching was stopped.")).to_be_visible()
    settled(page)
    expect(main.get_by_text("Searching …", exact=False)).to_have_count(0)
    assert page.locator(".cv-hit").count() == 0
    main.get_by_role("button", name="Start again").click()
    expect(main.get_by_text("Searching …", exact=False)).to_be_visible()


def test_a_model_answers_from_each_columns_chunks(app: str, page: Page) -> None:
    columns = "fixed;size=512;overlap=0", "fixed;size=512;overlap=50"
    opened(app, page, *columns, doc="api_manual", q="api_manual-01")
    expect(page.get_by_text("This needs a language model", exact=False)).to_be_visible()
    with scripted_server() as server:
        server.default = scripted(
            answer="Make a <b>new</b> key. The moon is cheese.", verdict="correct", support=[[1, 2], []]
        )
        page.get_by_role("button", name="Language model").click()
        page.get_by_label("Address").fill(server.base_url)
        page.get_by_label("Address").press("Enter")
        settled(page)
        page.get_by_label("Model", exact=True).last.fill(MODEL)
        page.get_by_label("Model", exact=True).last.press("Enter")
        settled(page)
        page.get_by_role("button", name="Use it").click()
        expect(page.get_by_text("In use: ", exact=False)).to_be_visible()
        page.keyboard.press("Escape")
        settled(page)
        assert server.requests == []
        page.get_by_role("button", name="Let the model answer from each column's chunks").click()
        answers = page.get_by_test_id("answer")
        expect(answers).to_have_count(2)
        for at in range(2):
            backed = answers.nth(at).locator('[data-supported="yes"]')
            expect(backed).to_contain_text("Make a <b>new</b> key.")
            expect(backed.locator("small")).to_contain_text(re.compile(r"chunk \d+ \(rank 1\), chunk \d+ \(rank 2\)"))
            expect(answers.nth(at).locator('[data-supported="no"]')).to_contain_text("The moon is cheese.")
        assert len(server.requests) == 2 * 3


@pytest.mark.parametrize("width", [1024, 800])
def test_narrow_pages_do_not_scroll_sideways(app: str, page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    opened(app, page, *["fixed;size=128;overlap=0"] * 4, doc="inventory")
    assert page.locator('[data-testid="stMain"]').evaluate("e => e.scrollWidth - e.clientWidth") == 0
