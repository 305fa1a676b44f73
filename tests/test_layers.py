"""Imports go downwards only, and importing the package stays light."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

# From the bottom up. A module may import from its own layer and from those below.
LAYERS = [
    {
        "errors",
        "given",
        "settings",
        "spans",
        "code_points",
        "blob",
        "json_text",
        "json_http",
        "http_terms",
        "sqlite_file",
    },
    {"document", "graphemes", "utf16"},
    {"params", "measures", "encodings", "units", "recipe", "chunking", "spec", "isolation", "wire"},
    {
        "text",
        "embed",
        "similarity",
        "loaders",
        "llm",
        "samples",
        "reference",
        "questions",
        "question_files",
        "passages",
    },
    {"strategies", "metrics", "retrieval"},
    {"registry", "engine"},
    {
        "export",
        "export_html",
        "export_check",
        "report",
        "format",
        "segments",
        "view_records",
        "document_rows",
        "differences",
        "resizing",
        "checks",
        "scale",
        "evaluate",
        "evaluation",
        "scoring",
        "holding",
        "answering",
        "grid",
        "sweeps",
        "matching",
        "behind",
        "runs",
        "advice",
        "workload",
        "wait_words",
        "lessons",
    },
    {
        "cli",
        "cli_reading",
        "cli_writing",
        "__main__",
        "doctor",
        "terminal",
        "arguments",
        "declarations",
        "evaluate_cli",
    },
    {"ui"},
    {"pages", "app"},
]
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}

# Upward imports inside a function, each with its reason.
EXCEPTIONS = {
    ("document", "loaders"): "Document.from_text is the public door to the loaders, which are built on Document",
    ("isolation", "loaders"): "the child process imports the loaders, the parent never does",
    ("isolation", "text"): "and so it does with the parsers of source code",
}


def modules() -> list[Path]:
    return [*(ROOT / "chunkviz").rglob("*.py"), ROOT / "app.py", *(ROOT / "pages").glob("*.py")]


def unit_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return parts[1] if parts[0] == "chunkviz" and len(parts) > 1 else parts[0]


def imported(path: Path) -> set[str]:
    """Names below `chunkviz` that a file imports, also inside functions."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {a.name.removeprefix("chunkviz.") for a in node.names if a.name.startswith("chunkviz.")}
        elif isinstance(node, ast.ImportFrom) and node.module == "chunkviz":
            found |= {a.name for a in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("chunkviz."):
            found.add((node.module or "").removeprefix("chunkviz."))
    return found


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_go_downwards(path: Path) -> None:
    own = unit_of(path)
    if own == "__init__":
        return  # the package's front door imports what it hands out
    assert own in RANK, f"{own} has no layer: add it to LAYERS"
    for name in imported(path):
        other = name.split(".")[0]
        if other not in RANK or (own, other) in EXCEPTIONS:
            continue
        assert RANK[other] <= RANK[own], f"{path.name} ({own}) must not import {other}"


def test_strategies_do_not_know_each_other() -> None:
    for path in (ROOT / "chunkviz" / "strategies").glob("*.py"):
        assert not any(name.startswith("strategies.") for name in imported(path)), path


def test_only_the_ui_imports_streamlit_and_only_the_pdf_loader_pymupdf() -> None:
    for path in modules():
        top = {
            name.split(".")[0]
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            for name in (
                [a.name for a in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else []
            )
        }
        assert "streamlit" not in top or unit_of(path) in ("ui", "pages", "app"), path
        assert not top & {"pymupdf", "fitz"} or path.name == "pdf.py", path


def test_the_layer_test_can_fail(tmp_path: Path) -> None:
    liar = tmp_path / "spans.py"
    liar.write_text("def f():\n    from chunkviz.engine import chunk\n    from chunkviz import report\n")
    assert imported(liar) == {"engine", "report"}
    assert RANK["engine"] > RANK["spans"]


def test_importing_chunkviz_loads_neither_streamlit_nor_torch() -> None:
    code = (
        "import sys, chunkviz; chunkviz.strategies(); "
        "print([m for m in ('streamlit', 'torch', 'pymupdf', 'docx', 'sentence_transformers', 'transformers',"
        " 'plotly', 'langchain_text_splitters') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
