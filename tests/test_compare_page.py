"""The Compare screen without a browser: what one run of it works out, and how often."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from chunkviz import resizing
from chunkviz.chunking import Chunking
from chunkviz.ui import cache, columns

ROOT = Path(__file__).parent.parent


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The page with two columns that follow their sliders and one that does not."""
    monkeypatch.setenv("CHUNKVIZ_CACHE_DIR", str(tmp_path))
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    test.query_params["doc"] = "help_page"
    test.query_params["c"] = ["fixed", "recursive", "sentence"]
    return test.run()


def test_a_run_asks_each_column_once_whether_the_browser_can_follow_it(
    page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The key is a digest over the recipe, the page runs with every step of a slider, and nothing changes in between."""
    asked: Counter[str] = Counter()

    def key(chunking: Chunking) -> str:
        asked[chunking.recipe.strategy] += 1
        return resizing.resizing_key(chunking)

    for module in (columns, cache):
        monkeypatch.setattr(module, "resizing_key", key, raising=False)
    page.run()
    assert not page.exception
    assert asked == {"fixed": 1, "recursive": 1, "sentence": 1}
