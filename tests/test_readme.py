"""README.md does what it says: its Python runs, its commands run, its generated parts are up to date."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import chunkviz

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def run(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONWARNINGS": "error::DeprecationWarning:chunkviz", **environment},
        check=False,
    )


def test_the_example_in_python_runs() -> None:
    done = run("-c", blocks("python")[0])
    assert done.returncode == 0, done.stderr
    assert "sentences are whole in no chunk" in done.stdout


@pytest.mark.parametrize("line", [x.split("#")[0].strip() for x in blocks("sh")[1].splitlines() if x.strip()])
def test_the_commands_run(line: str) -> None:
    words = shlex.split(line)
    assert words[0] == "chunkviz"
    done = run("-m", *words)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_generated_parts_are_up_to_date() -> None:
    assert run("scripts/render_readme.py", "--check").returncode == 0


@pytest.fixture
def sixth(tmp_path: Path) -> str:
    """A package with the strategy of the README, installed by nothing but its folder: an entry point and a module."""
    (tmp_path / "sixth_strategy.py").write_text(blocks("python")[1], encoding="utf-8")
    info = tmp_path / "sixth_strategy-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: sixth-strategy\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[chunkviz.strategies]\nlines = sixth_strategy:SPEC\n", encoding="utf-8")
    return str(tmp_path)


def test_a_sixth_strategy_appears_everywhere(sixth: str) -> None:
    listed = run("-m", "chunkviz", "strategies", PYTHONPATH=sixth)
    assert "A cut every few lines" in listed.stdout
    card = run("-m", "chunkviz", "strategies", "lines", PYTHONPATH=sixth)
    assert "More: longer chunks." in card.stdout
    words = ("chunk", "sample_docs/call_transcript.txt", "--strategy", "lines", "--lines", "3", "--format", "jsonl")
    cut = run("-m", "chunkviz", *words, PYTHONPATH=sixth)
    assert cut.returncode == 0, cut.stderr
    assert '"reason": "3 lines"' in cut.stdout
    table = run("-c", "from scripts.render_readme import strategy_table; print(strategy_table())", PYTHONPATH=sixth)
    assert "| `lines` | A cut every few lines |" in table.stdout
    page = (
        "from streamlit.testing.v1 import AppTest; at = AppTest.from_file('app.py', default_timeout=120).run();"
        "assert not at.exception, at.exception; print([o for s in at.selectbox for o in s.options])"
    )
    shown = run("-c", page, PYTHONPATH=sixth)
    assert "'Lines'" in shown.stdout, shown.stderr[-800:]
    contract = run(
        *("-m", "pytest", "tests/test_contract.py", "tests/test_params.py", "-k", "lines", "-p", "no:cacheprovider"),
        PYTHONPATH=sixth,
    )
    assert contract.returncode == 0, contract.stdout[-2000:]
    assert int(re.findall(r"(\d+) passed", contract.stdout)[0]) >= 15


def architecture(number: int) -> dict[str, object]:
    """What a Python example of the architecture page defines."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    names: dict[str, object] = {}
    exec(re.findall(r"```python\n(.*?)```", page, re.DOTALL)[number], names)
    return names


def test_a_metric_added_as_described_is_in_the_report(monkeypatch: pytest.MonkeyPatch) -> None:
    reports = import_module("chunkviz.report")  # `chunkviz.report` is the function
    metric = architecture(0)["METRIC"]
    monkeypatch.setattr(reports, "METRICS", (*reports.METRICS, metric))
    chunking = chunkviz.chunk(
        chunkviz.Document.from_text("Why? Because. And so on."), "sentence", sentences=1, overlap=0
    )
    figure = reports.report(chunking)["questions"]
    assert (figure.value, figure.of) == (1, 3)


def test_a_format_added_as_described_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    from chunkviz import loaders

    loader = architecture(1)["LOADER"]
    known = loaders.loaders()
    monkeypatch.setattr(loaders, "loaders", lambda: (*known, loader))
    loaded = chunkviz.load(b"INT. HARBOUR\n\nA boat.", name="scene.fountain")
    assert [b.kind for b in loaded.blocks] == ["paragraph", "paragraph"]
