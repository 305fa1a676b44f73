"""`apply`: one recipe over many documents; what is done stays done, and nothing half-written is ever there."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from pyarrow import dataset

import chunkviz
from chunkviz import cli, export, scale
from chunkviz.errors import ChunkvizError, LoadError
from chunkviz.recipe import Recipe
from chunkviz.scale import applying, journal

RECIPE = Recipe("recursive", {"size": 20, "overlap": 5}, "words", version=0)
TEXTS = {f"{n:02}/notes {n}.md": f"# Part {n}\n\n" + "Words and other words. " * (5 + n) for n in range(12)}


def sources(texts: dict[str, str] = TEXTS) -> list[scale.Source]:
    return [scale.Source(name, text.encode) for name, text in texts.items()]


def lines(out: Path) -> list[dict[str, Any]]:
    return list(journal.entries(out / scale.JOURNAL))


def wanted(name: str) -> chunkviz.Chunking:
    return chunkviz.chunk(chunkviz.load(TEXTS[name].encode(), name), recipe=RECIPE)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("format", list(scale.FORMATS))
def test_every_document_becomes_the_file_that_export_makes(tmp_path: Path, workers: int, format: str) -> None:
    found = list(scale.apply(sources(), RECIPE, tmp_path, format=format, workers=workers))
    assert sorted((o.name, o.chunks, o.error, o.before) for o in found) == sorted(
        (name, len(wanted(name).chunks), "", False) for name in TEXTS
    )
    for name in TEXTS:
        made = (tmp_path / f"{name}.{format}").read_bytes()
        assert made == scale.FORMATS[format](wanted(name), name)
    assert {e["document"]: e["chunks"] for e in lines(tmp_path)} == {n: len(wanted(n).chunks) for n in TEXTS}
    assert not list(tmp_path.rglob("*.new"))


def test_the_folder_is_one_data_set(tmp_path: Path) -> None:
    list(scale.apply(sources(), RECIPE, tmp_path, format="parquet"))
    files = sorted(map(str, tmp_path.rglob("*.parquet")))
    rows = dataset.dataset(files, format="parquet").to_table().to_pylist()
    assert {row["document"] for row in rows} == set(TEXTS)
    assert all(row["text"] == TEXTS[row["document"]][row["start"] : row["end"]] for row in rows)


def test_what_is_done_is_not_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = list(TEXTS)
    list(scale.apply(sources(), RECIPE, tmp_path))
    changed = {**TEXTS, names[0]: "Another text."}
    (tmp_path / f"{names[1]}.jsonl").unlink()
    done: list[str] = []
    real = applying._cut

    def counted(job: applying._Job, *rest: Any) -> tuple[int, str]:
        done.append(job.name)
        return real(job, *rest)

    monkeypatch.setattr(applying, "_cut", counted)
    found = list(scale.apply(sources(changed), RECIPE, tmp_path))
    assert done == names[:2]
    assert [o.name for o in found if o.before] == names[2:]
    assert all(o.chunks == len(wanted(o.name).chunks) for o in found if o.before)
    done.clear()
    list(scale.apply(sources(changed), Recipe("fixed", {"size": 9, "overlap": 0}, "words", version=0), tmp_path))
    assert done == names, "another recipe makes other chunks"
    assert len(lines(tmp_path)) == len(names) * 2, "the lines of this run, after one for each document"
    list(scale.apply([], RECIPE, tmp_path))
    assert len(lines(tmp_path)) == len(names)


def test_loader_options_are_part_of_what_was_done(tmp_path: Path) -> None:
    page = [scale.Source("a.html", b"<html><body><nav>Menu</nav><p>Words.</p></body></html>".__bytes__)]
    assert not next(iter(scale.apply(page, RECIPE, tmp_path))).before
    other = Recipe("recursive", RECIPE.params, "words", version=0, loader={"keep_boilerplate": True})
    assert not next(iter(scale.apply(page, other, tmp_path))).before
    assert next(iter(scale.apply(page, other, tmp_path))).before
    assert "Menu" in (tmp_path / "a.html.jsonl").read_text()


def test_a_journal_that_was_cut_off_says_nothing_false(tmp_path: Path) -> None:
    list(scale.apply(sources(), RECIPE, tmp_path))
    path = tmp_path / scale.JOURNAL
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) - 20] + b"\n[1]\nnull\n\xff\xfe\n")
    found = list(scale.apply(sources(), RECIPE, tmp_path))
    assert [o.before for o in found] == [True] * 11 + [False]
    assert len(lines(tmp_path)) == 12


def test_a_document_that_fails_is_an_outcome(tmp_path: Path) -> None:
    def missing() -> bytes:
        raise LoadError("gone.txt cannot be opened: it is gone.")

    bad = [scale.Source("bad.pdf", b"no pdf".__bytes__), scale.Source("gone.txt", missing)]
    found = list(scale.apply([*bad, *sources()], RECIPE, tmp_path))
    assert [bool(o.error) for o in found] == [True, True] + [False] * 12
    errors = {e["document"]: e["error"] for e in lines(tmp_path) if "error" in e}
    assert errors["gone.txt"] == "gone.txt cannot be opened: it is gone."
    assert errors["bad.pdf"].startswith("bad.pdf")


def _deadly(job: applying._Job, recipe: str, out: Path, format: str) -> tuple[int, str]:
    if job.data == b"die":
        os._exit(9)
    return applying._cut(job, Recipe.from_json(recipe), out, format)


def test_a_document_that_ends_its_process_ends_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Without pickling by name: the processes of this test get the function that dies.
    monkeypatch.setattr(applying, "multiprocessing", _Forked)
    monkeypatch.setattr(applying, "_cut_elsewhere", _deadly)
    texts = {**TEXTS, "05/deadly.txt": "die"}
    found = list(scale.apply(sources(texts), RECIPE, tmp_path, workers=2))
    assert {o.name for o in found if o.error} == {"05/deadly.txt"}
    assert "ended the process" in next(o.error for o in found if o.error)
    assert {o.name for o in found} == set(texts)
    assert len(found) == len(texts)


class _Forked:
    @staticmethod
    def get_context(_: str) -> Any:
        import multiprocessing

        return multiprocessing.get_context("fork")


def test_what_cannot_be_written_is_one_error(tmp_path: Path) -> None:
    blocked = tmp_path / "out"
    blocked.write_text("a file")
    with pytest.raises(ChunkvizError, match=r"out.* cannot be written"):
        list(scale.apply(sources(), RECIPE, blocked))


def test_how_many_processes() -> None:
    assert scale.processes(RECIPE, applying.FEW) == 1
    assert scale.processes(RECIPE, 1000) == os.cpu_count()
    assert scale.processes(Recipe("semantic", {}, "words"), 1000) == 1


def test_the_command_takes_patterns_and_writes_parquet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in TEXTS.items():
        path = tmp_path / "source" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.with_suffix(".txt").write_text("Not these.", encoding="utf-8")
    recipe, out = tmp_path / "recipe.json", tmp_path / "source" / "out"
    recipe.write_text(RECIPE.to_json(), encoding="utf-8")
    words = ["apply", str(recipe), str(tmp_path / "source" / "**" / "*.md"), "--out", str(out), "--format", "parquet"]
    for said in ("from 12 files in", "from 12 files, 12 of them done before in"):
        assert cli.main([*words, "--processes", "1"]) == 0
        assert said in capsys.readouterr().out
    found = sorted(path.relative_to(out).as_posix() for path in out.rglob("*.parquet"))
    assert found == [f"{name}.parquet" for name in TEXTS]
    assert (out / f"{found[0]}").read_bytes() == export.to_parquet(wanted("00/notes 0.md"), "00/notes 0.md")
    assert json.loads((out / scale.JOURNAL).read_text().splitlines()[0])["document"] == "00/notes 0.md"
