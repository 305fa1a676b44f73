"""The viewer in a real Chromium, without Streamlit: what is in the page is the document, painted as Python cut it."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page
from viewer_vectors import chunking_of, documents

from chunkviz import chunk
from chunkviz.chunking import Chunking
from chunkviz.document import Block, Document
from chunkviz.segments import document_blob, view_blob
from chunkviz.view_records import Focus, Highlight

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def demo(root: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("viewer_demo", root / "scripts" / "viewer_demo.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@dataclass
class Stage:
    """A page with the viewer, what it complained about, and the blobs it can be given."""

    page: Page
    made: dict[str, bytes]
    errors: list[str] = field(default_factory=list)
    paints: int = 1

    @property
    def root(self) -> Locator:
        return self.page.locator('[data-testid="viewer"]')

    def column(self, at: int) -> Locator:
        return self.page.locator(f'[data-column="{at}"]')

    def text(self, at: int) -> str:
        """What stands in a column, its head left out."""
        return "".join(self.column(at).locator(".group").all_text_contents())

    def painted(self) -> None:
        """Wait until the last view is in the page."""
        self.page.wait_for_selector(f'[data-testid="viewer"][data-painted="{self.paints}"]')

    def show(self, blob: bytes) -> None:
        self.made["/next.bin"] = blob
        self.page.evaluate("window.mountView('/next.bin')")
        self.paints += 1
        self.painted()

    def sent(self) -> list[Any]:
        """What the viewer told Python."""
        found: list[Any] = self.page.evaluate("window.sent ?? []")
        return found


@pytest.fixture
def stage(demo: ModuleType, chromium: Browser) -> Iterator[Any]:
    """Opens the viewer on chunkings; afterwards nothing must have gone wrong in the page."""
    stages: list[tuple[Stage, ThreadingHTTPServer]] = []

    def opened(
        chunkings: list[Chunking],
        *,
        width: int = 1400,
        theme: str = "light",
        order: str = "view,document",
        before: str = "",
        **view: Any,
    ) -> Stage:
        made = {
            "/": demo.page(theme),
            "/document.bin": document_blob(chunkings[0].document),
            "/view.bin": view_blob(chunkings, **view),
            "/favicon.ico": b"",
        }
        server = ThreadingHTTPServer(("127.0.0.1", 0), partial(demo.Handler, made=made))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page = chromium.new_page(viewport={"width": width, "height": 800})
        current = Stage(page, made)
        page.add_init_script(before)
        page.on("pageerror", lambda error: current.errors.append(str(error)))
        page.on("console", lambda said: current.errors.append(said.text) if said.type in ("error", "warning") else None)
        stages.append((current, server))
        page.goto(f"http://127.0.0.1:{server.server_address[1]}/?order={order}")
        if "document" in order:
            current.painted()
        return current

    yield opened
    for current, server in stages:
        current.page.close()
        server.shutdown()
        server.server_close()
        assert current.errors == []


PROSE = (
    "The office opens at nine, e.g. on Mondays. Figures: 3.14 and 2,000 \U0001f98b. \u0645\u0631\u062d\u0628\u0627 "
    "\u0628\u0627\u0644\u0639\u0627\u0644\u0645 and \u4eca\u5929\u5929\u6c14\u5f88\u597d. AVA fi ffl To.\r\n"
)


def long_document() -> Document:
    """About 100 kB in 120 sections, with headings, code and scripts of both directions."""
    parts: list[str] = []
    blocks: list[Block] = []
    at = 0
    for number in range(120):
        for kind, text in (
            ("heading", f"## Section {number}\n\n"),
            ("paragraph", f"{number}: " + PROSE * (2 + number % 5) + "\n"),
            ("code", f"    x = {number}\n\tcall(x)\n\n"),
        ):
            span = (at, at + len(text.rstrip()))
            if kind == "heading":
                blocks.append(Block("heading", *span, level=2, title=f"Section {number}"))
            elif kind == "code":
                blocks.append(Block("code", *span))
            parts.append(text)
            at += len(text)
    return Document("".join(parts), name="long.md", format="markdown", blocks=tuple(blocks))


def cut(document: Document, size: int = 300, overlap: int = 40) -> list[Chunking]:
    """Three columns that have little in common."""
    return [
        chunk(document, "fixed", unit="characters", size=size, overlap=overlap),
        chunk(document, "recursive", unit="characters", size=size + 200, overlap=0),
        chunk(document, "sentence", unit="characters"),
    ]


@pytest.mark.parametrize("at", range(len(documents())))
def test_the_page_shows_the_document_and_its_pieces(stage: Any, at: int) -> None:
    document, chunkings = documents()[at]
    current = stage(chunkings)
    assert current.page.locator("[data-column]").count() == len(chunkings)
    for number, chunking in enumerate(chunkings):
        assert current.text(number) == document.text
        column = current.column(number)
        assert column.get_attribute("data-strategy") == chunking.recipe.strategy
        assert column.get_attribute("data-count") == str(len(chunking.chunks))
        for one in chunking.chunks:
            pieces = column.locator(f'[data-chunk~="{one.index}"]').all_text_contents()
            assert "".join(pieces) == one.text
    names = current.root.locator(".group *").evaluate_all("all => [...new Set(all.map(e => e.localName))]")
    assert set(names) <= {"div", "span", "s"}, "text of the document was taken for markup"


@pytest.mark.parametrize("width", [1400, 900, 611])
def test_painting_moves_no_letter(stage: Any, width: int) -> None:
    current = stage(cut(long_document(), size=57, overlap=9), width=width)
    for _ in range(6):
        current.root.locator(".scroller").evaluate("e => { e.scrollTop += 600; }")
        current.page.wait_for_timeout(80)
    heights = [
        current.column(at).locator(".row").evaluate_all("all => all.map(e => e.getBoundingClientRect().height)")
        for at in range(3)
    ]
    assert heights[0] == heights[1] == heights[2]
    # Beside the other columns, also beside the same text without any chunk.
    moved = (
        current.column(0)
        .locator(".row:has([data-chunk])")
        .evaluate_all(
            """all => all.map((row) => {
          const before = row.getBoundingClientRect().height;
          const painted = Array.from(row.childNodes);
          row.textContent = row.textContent;
          const plain = row.getBoundingClientRect().height;
          row.replaceChildren(...painted);
          return Math.abs(before - plain);
        })"""
        )
    )
    assert len(moved) > 20
    assert max(moved) == 0


def test_the_view_waits_for_its_document(stage: Any) -> None:
    document = long_document()
    late = stage(cut(document), order="view")
    assert "Loading" in late.root.locator(".message").inner_text()
    assert late.page.locator("[data-column]").count() == 0
    late.page.evaluate("window.mountDocument('/document.bin')")
    late.painted()
    early = stage(cut(document), order="document,view")
    assert late.text(1) == early.text(1) == document.text


def test_documents_follow_each_other_and_come_back(stage: Any) -> None:
    first, second = long_document(), Document("Another one. And more.", name="other.txt")
    current = stage(cut(first))
    current.made["/other.bin"] = document_blob(second)
    current.page.evaluate("window.mountDocument('/other.bin')")
    current.show(view_blob(cut(second)))
    assert current.text(2) == second.text
    current.show(view_blob(cut(first)[:1]))
    assert current.text(0) == first.text
    assert current.page.locator("[data-column]").count() == 1


def test_a_new_cut_keeps_the_place_and_touches_only_what_changed(stage: Any) -> None:
    document = long_document()
    half = len(document.text) // 2
    spans = [(i, min(i + 400, len(document.text))) for i in range(0, len(document.text), 400)]
    later = [*(s for s in spans if s[1] <= half), (next(s[0] for s in spans if s[1] > half), len(document.text))]
    current = stage([chunking_of(document, spans)])
    scroller = current.root.locator(".scroller")
    scroller.evaluate("e => { e.scrollTop = 900; }")
    current.page.wait_for_timeout(150)
    current.column(0).evaluate("e => { for (const p of e.querySelectorAll('[data-chunk]')) p.old = true; }")
    current.show(view_blob([chunking_of(document, later)]))
    assert current.column(0).get_attribute("data-count") == str(len(later))
    assert scroller.evaluate("e => e.scrollTop") == 900
    assert current.column(0).locator("[data-chunk]").evaluate_all("all => all.length > 5 && all.every((p) => p.old)")
    current.show(view_blob([chunking_of(document, [(0, len(document.text))])]))
    assert current.column(0).locator("[data-chunk]").evaluate_all("all => all.every((p) => p.dataset.chunk === '0')")
    assert current.text(0) == document.text


def test_the_same_view_again_changes_nothing(stage: Any) -> None:
    current = stage(cut(long_document()))
    current.column(0).evaluate(
        "e => { window.changes = 0; new MutationObserver((l) => (window.changes += l.length))"
        ".observe(e, { childList: true, subtree: true, attributes: true }); }"
    )
    current.page.evaluate("window.mountView('/view.bin')")
    current.page.wait_for_timeout(150)
    assert current.page.evaluate("window.changes") == 0
    assert current.root.get_attribute("data-painted") == "1"


def test_hovering_explains_and_says_nothing_to_python(stage: Any) -> None:
    current = stage(cut(long_document()))
    piece = current.column(1).locator('[data-chunk="1"]').first
    box = piece.evaluate("e => { const r = e.getClientRects()[0]; return [r.left, r.top, r.width, r.height]; }")
    card = current.page.get_by_test_id("chunk-card")
    current.page.mouse.move(box[0] + box[2] / 2, box[1] + box[3] / 2)
    card.get_by_text("Chunk 2 of").wait_for()
    assert "Ends" in card.inner_text()
    lit = current.page.evaluate("Array.from(CSS.highlights.get('chunkviz-lit'), (r) => r.toString()).join('')")
    own = cut(long_document())[1].chunks[1].text
    assert lit == own * 3, "the chunk is lit in every column"
    current.page.mouse.move(box[0] + 1, box[1] + box[3] / 2)
    card.get_by_text("Cut before chunk 2").wait_for()
    current.page.mouse.move(5, 5)
    card.wait_for(state="hidden")
    assert current.sent() == []


def test_without_the_highlight_api_pieces_are_lit_instead(stage: Any) -> None:
    made = cut(long_document())
    current = stage(made, before="delete window.Highlight;")
    current.root.locator(".scroller").press("n")
    for at in range(3):
        lit = current.column(at).locator(".is-lit").all_text_contents()
        assert "".join(lit).startswith(made[0].chunks[0].text[:20])
    current.root.locator(".scroller").press("Escape")
    assert current.root.locator(".is-lit").count() == 0


def test_a_click_pins_the_card_and_tells_python_once(stage: Any) -> None:
    current = stage(cut(long_document()))
    current.column(1).locator('[data-chunk="1"]').first.click()
    card = current.page.get_by_test_id("chunk-card")
    card.get_by_text("Chunk 2 of").wait_for()
    current.page.mouse.move(5, 5)
    current.page.wait_for_timeout(400)
    assert card.is_visible()
    assert current.sent() == [["selected", {"column": 1, "chunk": 1}]]
    current.root.locator(".scroller").press("Escape")
    card.wait_for(state="hidden")


def test_everything_is_reached_by_keys(stage: Any) -> None:
    document = long_document()
    made = cut(document)
    big = chunking_of(document, [(0, 900), (900, 2000), (2000, len(document.text))], flags={1: {"oversize": "by hand"}})
    current = stage([*made[:2], big])
    live, scroller = current.root.locator(".visually-hidden"), current.root.locator(".scroller")

    def press(key: str) -> str:
        scroller.press(key)
        return live.inner_text()

    assert press("n").startswith(f"Chunk 1 of {len(made[0].chunks)}, {made[0].chunks[0].tokens} characters. Ends: ")
    assert press("ArrowDown").startswith("Chunk 2 of")
    assert press("p").startswith("Chunk 1 of")
    assert press("ArrowUp") == "This is the first chunk."
    assert press("ArrowRight").startswith(f"Chunk 1 of {len(made[1].chunks)}")
    assert press("ArrowRight").startswith("Chunk 1 of 3")
    assert "oversize: by hand" in press("o")
    assert press("d").startswith("Difference ")
    press("Escape")
    press("n")
    press("Enter")
    assert current.page.get_by_test_id("chunk-card").is_visible()
    assert len(current.sent()) == 1
    box = scroller.bounding_box()
    for _ in range(40):
        press("ArrowLeft" if current.root.locator(".active").get_attribute("data-column") != "0" else "n")
    last = current.root.locator(".where").inner_text().split()[1]
    piece = current.column(0).locator(f'[data-chunk~="{int(last) - 1}"]').first.bounding_box()
    assert box
    assert piece
    assert box["y"] <= piece["y"] <= box["y"] + box["height"], "the current chunk is in sight"


def test_python_can_point_at_a_place_and_at_chunks(stage: Any) -> None:
    document = long_document()
    at = document.text.index("## Section 90")
    current = stage(cut(document), focus=Focus(1, "a", start=at, end=at + 13))
    current.page.wait_for_timeout(300)
    marked = current.page.evaluate("Array.from(CSS.highlights.get('chunkviz-mark'), (r) => r.toString())")
    assert marked == ["## Section 90"] * 3
    tops = current.page.evaluate(
        "Array.from(CSS.highlights.get('chunkviz-mark'), (r) => r.getBoundingClientRect().top)"
    )
    assert all(0 < top < 800 for top in tops)
    assert len(set(tops)) == 1, "the same text is on the same line in every column"
    current.show(view_blob(cut(document), focus=Focus(0, "start")))
    current.page.wait_for_timeout(300)
    assert current.page.evaluate("CSS.highlights.get('chunkviz-mark').size") == 0
    assert current.root.locator(".scroller").evaluate("e => e.scrollTop") == 0
    assert current.root.get_by_text("Found").count() == 0
    picked = Highlight(1, (2, 3), "b", "2 chunks of 500")
    current.show(view_blob(cut(document), highlight=picked))
    current.page.wait_for_timeout(300)
    shown = current.page.evaluate("Array.from(CSS.highlights.get('chunkviz-picked'), (r) => r.toString()).join('')")
    assert shown == "".join(cut(document)[1].chunks[i].text for i in (2, 3))
    assert current.root.get_by_text("2 chunks of 500").is_visible()
    current.root.get_by_role("button", name="Stop marking these chunks").click()
    assert current.page.evaluate("CSS.highlights.get('chunkviz-picked').size") == 0


def test_a_button_that_can_do_nothing_says_why(stage: Any) -> None:
    current = stage(cut(long_document())[:1])
    button = current.root.get_by_role("button", name="Next difference")
    assert button.get_attribute("aria-disabled") == "true"
    assert "Add a second strategy" in (button.get_attribute("title") or "")
    button.press("Enter")
    assert "Add a second strategy" in current.root.locator(".visually-hidden").inner_text()


def test_narrow_pages_scroll_inside_the_viewer(stage: Any) -> None:
    document = long_document()
    current = stage([*cut(document), cut(document)[0]], width=800)
    scrolls = "e => e.scrollWidth > e.clientWidth"
    assert current.page.evaluate("document.documentElement.scrollWidth") == 800
    assert not current.root.locator(".scroller").evaluate(scrolls), "four columns are seen at once on a small screen"
    current.page.set_viewport_size({"width": 600, "height": 800})
    assert current.page.evaluate("document.documentElement.scrollWidth") == 600
    assert current.root.locator(".scroller").evaluate(scrolls)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_theme_is_that_of_the_page(stage: Any, theme: str) -> None:
    current = stage(cut(long_document()), theme=theme)
    assert current.root.get_attribute("data-theme") == theme


def test_printing_paints_everything(stage: Any) -> None:
    document = long_document()
    made = cut(document)
    current = stage(made)
    current.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    for number in (0, len(made[0].chunks) - 1):
        pieces = current.column(0).locator(f'[data-chunk~="{number}"]').all_text_contents()
        assert "".join(pieces) == made[0].chunks[number].text


def test_a_line_without_end_is_shown_whole_and_runs_on(stage: Any) -> None:
    document = Document("word and another " * 3000, name="line.txt")
    current = stage([chunk(document, "fixed", unit="characters", size=500, overlap=50)])
    assert current.text(0) == document.text
    displays = current.column(0).locator(".row").evaluate_all("all => all.map((e) => getComputedStyle(e).display)")
    assert set(displays) == {"inline"}
