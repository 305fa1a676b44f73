"""The command line: the same chunks as the library, one line for every error, and nothing loaded that is not needed."""

from __future__ import annotations

import csv
import io
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from altered import TEXT, altered

import chunkviz
from chunkviz import cli, doctor, registry
from chunkviz.loaders.options import LoadOptions
from chunkviz.metrics import METRICS
from chunkviz.settings import Settings
from chunkviz.spec import Unavailable
from chunkviz.terminal import clipped, plain, table, width

STRATEGIES = tuple(chunkviz.strategies().values())
each_strategy = pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda s: s.id)

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    path = tmp_path / "notes.md"
    path.write_bytes(TEXT.encode())
    return path


def options(strategy: Any, values: dict[str, Any]) -> list[str]:
    """Parameter values as a command line spells them."""
    rules = {param.name: param.rule for param in strategy.params}
    return [f"--{name}={rules[name].spell(value)}" for name, value in values.items()]


def refused(capsys: Capture, *words: str) -> str:
    """The one line that a command says when it cannot run."""
    assert cli.main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("chunkviz: ")
    assert err.endswith("\n")
    assert err.count("\n") == 1
    return err.removeprefix("chunkviz: ").rstrip("\n")


def fresh(*words: str, code: str = "from chunkviz.cli import main; sys.exit(main())", **env: str) -> Any:
    """A new process, with nothing imported."""
    command = [sys.executable, "-c", f"import sys; {code}", *words]
    return subprocess.run(command, capture_output=True, env={**os.environ, **env}, check=False)


# chunk


@each_strategy
def test_chunk_gives_the_chunks_of_the_library(strategy: Any, notes: Path, capsys: Capture) -> None:
    """P7, and parameters that a strategy declares are options without a line of code here."""
    values = altered(strategy)
    words = ["chunk", str(notes), "--strategy", strategy.id, "--unit", "o200k_base", *options(strategy, values)]
    assert cli.main(words) == 0
    out, err = capsys.readouterr()
    same = chunkviz.chunk(chunkviz.load(notes), strategy.id, unit="o200k_base", **values)
    assert [json.loads(line) for line in out.splitlines()] == [c.to_dict() for c in same.chunks]
    assert len(same.chunks) > 1
    # It says what it used, and that is what gives the same once more.
    begin = f"chunkviz: {notes}: {len(same.chunks)} chunks by {strategy.id} "
    assert err.startswith(begin)
    assert err.count("\n") == 1
    told = shlex.split(err.removeprefix(begin))
    if strategy.id == "manual":
        assert told[:2] == [f"({len(values['boundaries'])}", "boundaries)"]
        return
    assert cli.main(["chunk", str(notes), "--strategy", strategy.id, *told]) == 0
    assert capsys.readouterr() == (out, err)


def test_a_document_without_text_says_so(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "empty.txt"
    path.write_text(" \n", encoding="utf-8")
    assert cli.main(["chunk", str(path)]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert "empty.txt: 0 chunks by recursive --size 512" in err
    assert err.endswith(", since it has no text\n")


@each_strategy
def test_a_recipe_gives_the_same_chunks(strategy: Any, notes: Path, tmp_path: Path, capsys: Capture) -> None:
    same = chunkviz.chunk(chunkviz.load(notes), strategy.id, **altered(strategy))
    recipe = tmp_path / "recipe.json"
    recipe.write_text(same.recipe.to_json(), encoding="utf-8")
    assert cli.main(["chunk", str(notes), "--recipe", str(recipe)]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["start"], row["end"]) for row in rows] == same.spans


def test_several_files_say_which_document_a_row_is_from(notes: Path, tmp_path: Path, capsys: Capture) -> None:
    other = tmp_path / "other.txt"
    other.write_text("Short.", encoding="utf-8")
    assert cli.main(["chunk", str(other), str(notes), "--size", "60"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert all(next(iter(row)) == "document" for row in rows)
    assert list(dict.fromkeys(row["document"] for row in rows)) == [str(other), str(notes)]


def test_csv_is_read_back_and_safe(notes: Path, tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "new" / "chunks.csv"
    words = ["chunk", str(notes), "--strategy", "sentence", "--sentences", "1", "--format", "csv", "--out", str(out)]
    assert cli.main(words) == 0
    assert capsys.readouterr().out == ""
    rows = list(csv.DictReader(io.StringIO(out.read_bytes().decode("utf-8"), newline="")))
    assert any(row["text"].startswith("'=SUM(A1)") for row in rows)
    assert not any(row["text"].startswith("=") for row in rows)


def test_the_table_fits_and_obeys_nothing(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    path = tmp_path / "a.txt"
    path.write_text("\x1b[2J 猫😀 " + "Many words. 猫😀 " * 40 + "\u202eevil", encoding="utf-8")
    assert cli.main(["chunk", str(path), "--format", "table", "--size", "30", "--overlap", "0"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["index", "tokens", "reason", "text"]
    assert len(lines) > 2
    assert all(width(line) <= 60 for line in lines)
    assert all(line.isprintable() for line in lines)


def test_verbose_tells_what_reading_found(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"\xef\xbb\xbfNo headings here.")
    assert cli.main(["chunk", str(path), "--strategy", "structure"]) == 0
    quiet = capsys.readouterr()
    assert quiet.err.count("\n") == 1
    assert cli.main(["chunk", str(path), "--strategy", "structure", "--verbose"]) == 0
    told = capsys.readouterr()
    assert told.out == quiet.out
    document = chunkviz.load(path)
    said = [note.text for note in document.notes] + list(chunkviz.chunk(document, "structure").notes)
    assert len(said) >= 2
    assert all(text in told.err for text in said)


def test_load_options_reach_the_loader(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("Größe".encode("mac-roman"))
    assert cli.main(["chunk", str(path), "--load-option", "encoding=mac-roman"]) == 0
    assert json.loads(capsys.readouterr().out)["text"] == "Größe"
    assert "`load` has no parameter `colour`" in refused(capsys, "chunk", str(path), "--load-option", "colour=red")
    assert "must be True or False" in refused(capsys, "chunk", str(path), "--load-option", "join_hyphens=perhaps")
    assert "NAME=VALUE" in refused(capsys, "chunk", str(path), "--load-option", "encoding")


@each_strategy
def test_help_shows_the_declared_parameters(strategy: Any, capsys: Capture) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["chunk", "--strategy", strategy.id, "--help"])
    assert ended.value.code == 0
    shown = "".join(capsys.readouterr().out.split())
    for param in strategy.params:
        assert f"--{param.name.replace('_', '-')}" in shown
        assert "".join(param.help.split()) in shown
    for option in LoadOptions.declared():
        assert option.name in shown


def test_underscores_and_hyphens_are_one(notes: Path, capsys: Capture) -> None:
    found = []
    for option in ("--separator_set", "--separator-set"):
        assert cli.main(["chunk", str(notes), option, "html", "--size", "40"]) == 0
        found.append(capsys.readouterr().out)
    assert found[0] == found[1]


# Errors


def test_every_error_is_one_line(notes: Path, tmp_path: Path, capsys: Capture) -> None:
    file = str(notes)
    pdf = tmp_path / "page.pdf"
    pdf.write_text("<html><p>no PDF</p></html>", encoding="utf-8")
    recipe = tmp_path / "recipe.json"
    recipe.write_text('{"strategy": "recursive"}', encoding="utf-8")
    broken = tmp_path / "broken.json"
    broken.write_bytes(b"\xff{")
    assert "There is no strategy 'nope'. There are: fixed, " in refused(capsys, "chunk", file, "--strategy", "nope")
    said = refused(capsys, "chunk", file, "--strategy", "sentence", "--separators", "[]")
    assert "no option --separators" in said
    assert "--sentences, --overlap, --size" in said
    said = refused(capsys, "chunk", file, "--size", "many")
    assert said == '`recursive.size` must be a whole number of tokens from 1 to 1000000. Got "many".'
    said = refused(capsys, "chunk", file, "--size", "10", "--overlap", "10", "--unit", "words")
    assert said == "`recursive.overlap` must be a whole number of words from 0 to 9 (below size=10). Got 10."
    assert "`recursive.separators` must be a list" in refused(capsys, "chunk", file, "--separators", "{}")
    assert "`unit` must be one of" in refused(capsys, "chunk", file, "--unit", "pounds")
    assert "No such file" in refused(capsys, "chunk", str(tmp_path / "two\nlines.md"))
    assert "is a folder" in refused(capsys, "chunk", str(tmp_path))
    assert "page.pdf" in refused(capsys, "chunk", str(pdf))
    assert "is no recipe" in refused(capsys, "chunk", file, "--recipe", str(broken))
    assert "--size cannot be given" in refused(capsys, "chunk", file, "--recipe", str(recipe), "--size", "9")
    assert "--unit cannot be given" in refused(capsys, "chunk", file, "--recipe", str(recipe), "--unit", "words")
    assert "before the options" in refused(capsys, "chunk", file, "--size", "9", "another.md")
    assert "`strategies` has no option --size" in refused(capsys, "strategies", "--size=9")
    assert "twice" in refused(capsys, "compare", file, "--strategies", "fixed,fixed")
    assert "names none" in refused(capsys, "compare", file, "--strategies", "")
    assert "no option --fixed.overlap" in refused(
        capsys, "compare", file, "--strategies", "sentence", "--fixed.overlap", "1"
    )


@pytest.mark.parametrize(
    ("ids", "where"),
    [
        ("fixed,", "after 'fixed'"),
        ("fixed, ", "after 'fixed'"),
        (",fixed", "at its beginning"),
        ("fixed,,sentence", "after 'fixed'"),
        (",", "at its beginning"),
    ],
)
def test_a_list_with_an_empty_place_is_refused(notes: Path, capsys: Capture, ids: str, where: str) -> None:
    """Something was left out, and nobody can know what: comparing the rest would answer another question."""
    said = refused(capsys, "compare", str(notes), "--strategies", ids)
    assert said == f"--strategies has an empty place {where}; it takes a list such as fixed,recursive. Got {ids!r}."
    # Before any file is opened.
    absent = str(notes.parent / "absent")
    said = refused(capsys, "evaluate", "--docs", absent, "--questions", absent, "--recipes", absent, "--k", "5,,min")
    assert said == "--k has an empty place after '5'; it takes a list such as 5,10,min. Got '5,,min'."


def test_an_evaluation_searches_what_is_named_and_not_the_questions_themselves(tmp_path: Path, capsys: Capture) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.md").write_text("Gulls shout. Herons wait.", encoding="utf-8")
    (docs / "b.md").write_text("Boats leave at noon.", encoding="utf-8")
    questions = docs / "questions.csv"
    questions.write_text("question,document,quote\nWho shouts?,a.md,Gulls shout\n", encoding="utf-8")
    recipes = tmp_path / "recipes.json"
    recipes.write_text('{"strategy": "fixed"}', encoding="utf-8")
    words = ["--questions", str(questions), "--recipes", str(recipes), "--no-embedding", "--json"]
    assert cli.main(["evaluate", "--docs", str(docs), *words]) == 0
    assert json.loads(capsys.readouterr().out)["results"][0]["chunks"] == 2
    assert cli.main(["evaluate", "--docs", str(docs / "a.md"), *words]) == 0
    assert json.loads(capsys.readouterr().out)["results"][0]["chunks"] == 1
    said = refused(capsys, "evaluate", "--docs", str(docs), str(docs / "a.md"), *words)
    assert said == "Two documents are called a.md. Questions name theirs: rename one."
    assert "is not there" in refused(capsys, "evaluate", "--docs", str(tmp_path / "gone"), *words)


def test_output_never_overwrites_a_document(notes: Path, capsys: Capture) -> None:
    assert "would overwrite" in refused(capsys, "chunk", str(notes), "--out", f"{notes.parent}/./notes.md")
    assert notes.read_bytes() == TEXT.encode()
    assert "cannot be written" in refused(capsys, "chunk", str(notes), "--out", str(notes / "below.jsonl"))


def test_a_file_too_large_is_refused_before_it_is_read(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "big.txt"
    with path.open("wb") as file:
        file.truncate(21_000_000)
    assert refused(capsys, "chunk", str(path)).endswith(
        "at most 20 MB are opened. Split it, or set CHUNKVIZ_MAX_FILE_MB."
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "Name a command. There are: app, strategies, chunk, "),
        (["cut"], "There is no command 'cut'. There are: app, strategies, chunk, "),
        (["chunk"], "`chunk` needs FILE. `chunkviz chunk --help` shows "),
        (["compare", "x"], "`compare` needs --strategies. "),
        (["apply", "x"], "`apply` needs SOURCE and --out. "),
        (["app", "--port", "0"], "--port: a port is a whole number from 1 to 65535, not '0'. "),
        (["chunk", "x", "--size"], "--size: expected one argument. "),
        (["chunk", "x", "--format", "xml"], "--format must be one of 'jsonl', 'csv', 'table'. Got 'xml'."),
    ],
)
def test_wrong_usage_is_one_line_too(words: list[str], said: str, capsys: Capture) -> None:
    assert refused(capsys, *words).startswith(said)


# The process around it


def test_nothing_heavy_is_imported() -> None:
    code = (
        "from chunkviz.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit as ended: assert ended.code == 0\n"
        "main(['strategies', 'fixed']); main(['strategies'])\n"
        "heavy = {'streamlit', 'torch', 'pymupdf', 'transformers', 'sentence_transformers', 'plotly', 'pandas'}\n"
        "sys.exit(', '.join(heavy & set(sys.modules)) or 0)"
    )
    done = fresh(code=code)
    assert done.returncode == 0, done.stderr.decode()
    assert b"Fixed size" in done.stdout


def test_output_is_utf8_in_every_locale(notes: Path) -> None:
    done = fresh("chunk", str(notes), LC_ALL="C", PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert done.stderr.decode("utf-8").startswith(f"chunkviz: {notes}: ")
    rows = [json.loads(line) for line in done.stdout.decode("utf-8").splitlines()]
    assert any("👩‍👩‍👧‍👦" in row["text"] for row in rows)


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text("Many words stand here. " * 20_000, encoding="utf-8")
    command = [sys.executable, "-m", "chunkviz", "chunk", str(path), "--size", "50", "--overlap", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.read(10) == b'{"index": '
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 141


# strategies


@each_strategy
def test_the_card_says_what_the_strategy_declares(strategy: Any, capsys: Capture) -> None:
    assert cli.main(["strategies", strategy.id]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    for text in (
        strategy.title,
        strategy.one_line,
        strategy.how,
        strategy.good_for,
        strategy.watch_out,
        strategy.source,
    ):
        assert " ".join(text.split()) in shown
    for param in strategy.params:
        assert param.label in shown
        assert param.help in shown
        assert f"default {param.rule.spell(param.default)}." in shown


def test_strategies_as_json(capsys: Capture) -> None:
    assert cli.main(["strategies", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [item["id"] for item in found] == [s.id for s in STRATEGIES]
    assert cli.main(["strategies", "recursive", "--json"]) == 0
    one = json.loads(capsys.readouterr().out)
    assert one == next(item for item in found if item["id"] == "recursive")
    size = next(param for param in one["params"] if param["name"] == "size")
    assert size["default"] == 512
    assert size["range"] == "a whole number of tokens from 1 to 1000000"
    assert (size["rule"]["kind"], size["rule"]["low"], size["rule"]["high"]) == ("Int", 1, 1_000_000)


def test_a_strategy_that_cannot_run_is_listed(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "unavailable", lambda: (Unavailable("other", "It lacks a leg.", "pip install leg"),))
    assert cli.main(["strategies"]) == 0
    assert "It lacks a leg. pip install leg" in capsys.readouterr().out
    assert cli.main(["strategies", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[-1]["fix"] == "pip install leg"
    found = [finding for finding in doctor.examine(Path(__file__)) if not finding.good]
    assert [finding.text for finding in found] == ["It lacks a leg. pip install leg"]


# compare


def test_compare_shows_the_report_of_each(notes: Path, capsys: Capture) -> None:
    words = ["compare", str(notes), "--strategies", "fixed,sentence", "--size", "40", "--overlap", "2"]
    words += ["--fixed.overlap", "8"]
    assert cli.main(words) == 0
    used, figures = capsys.readouterr().out.split("\n\n")
    # Also what nobody asked for: a default is no secret.
    assert [line.split() for line in used.splitlines()] == [
        ["strategy", "settings"],
        ["fixed", *"--size 40 --overlap 8 --unit cl100k_base".split()],
        ["sentence", *"--sentences 8 --overlap 2 --size 40 --unit cl100k_base".split()],
    ]
    assert figures.splitlines()[0].split() == ["fixed", "sentence"]
    for line, metric in zip(figures.splitlines()[1:], METRICS, strict=True):
        assert line.startswith(metric.title)
    assert cli.main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    document = chunkviz.load(notes)
    expected = [
        chunkviz.chunk(document, "fixed", size=40, overlap=8),
        chunkviz.chunk(document, "sentence", size=40, overlap=2),
    ]
    for item, chunking in zip(found, expected, strict=True):
        assert item["recipe"] == json.loads(chunking.recipe.to_json())
        report = chunkviz.report(chunking)
        assert {id: figure["value"] for id, figure in item["report"].items()} == {
            f.id: f.value for f in report.values()
        }


# apply


def test_apply_cuts_what_it_can_and_reports_the_rest(notes: Path, tmp_path: Path, capsys: Capture) -> None:
    source = tmp_path / "source"
    (source / "sub").mkdir(parents=True)
    (source / "sub" / "notes.md").write_bytes(TEXT.encode())
    (source / "A.TXT").write_text("Short.", encoding="utf-8")
    (source / "bad.pdf").write_text("<html>no PDF</html>", encoding="utf-8")
    (source / "picture.png").write_bytes(b"\x89PNG")
    recipe = tmp_path / "recipe.json"
    chunking = chunkviz.chunk(chunkviz.load(notes), "recursive", size=40, overlap=5)
    recipe.write_text(chunking.recipe.to_json(), encoding="utf-8")
    out = source / "chunks"
    for _ in range(2):  # the second time, what the first one wrote is not read
        assert cli.main(["apply", str(recipe), str(source), "--out", str(out)]) == 1
        said = capsys.readouterr()
        assert said.err.startswith("chunkviz: bad.pdf: ")
        assert said.err.count("\n") == 1
        assert f"{len(chunking.chunks) + 1} chunks from 2 files" in said.out
        assert "\nCut by recursive --size 40 --overlap 5 --separator-set auto --unit cl100k_base\n" in said.out
        assert "1 file could not be cut" in said.out
        written = sorted(str(path.relative_to(out)) for path in out.rglob("*") if path.is_file())
        assert written == ["A.TXT.jsonl", "chunkviz-apply.jsonl", str(Path("sub", "notes.md.jsonl"))]
    assert cli.main(["chunk", str(notes), "--recipe", str(recipe)]) == 0
    assert (out / "sub" / "notes.md.jsonl").read_text(encoding="utf-8") == capsys.readouterr().out


def test_apply_tells_of_a_folder_it_cannot_open(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = tmp_path / "recipe.json"
    recipe.write_text('{"strategy": "fixed"}', encoding="utf-8")
    (tmp_path / "source" / "secret").mkdir(parents=True)
    (tmp_path / "source" / "a.txt").write_text("Words.", encoding="utf-8")
    look = os.scandir

    def guarded(path: Any) -> Any:  # permissions do not stop the administrator, as whom tests may run
        if Path(path).name == "secret":
            raise PermissionError(13, "Permission denied", str(path))
        return look(path)

    monkeypatch.setattr(os, "scandir", guarded)
    assert cli.main(["apply", str(recipe), str(tmp_path / "source"), "--out", str(tmp_path / "out")]) == 1
    said = capsys.readouterr()
    assert "secret cannot be opened: Permission denied." in said.err
    assert "1 chunk from 1 file" in said.out


def test_apply_refuses_a_recipe_once(notes: Path, tmp_path: Path, capsys: Capture) -> None:
    recipe = tmp_path / "recipe.json"
    for content, message in [
        ('{"strategy": "fixed", "params": {"size": 0}}', "`fixed.size` must be"),
        ('{"strategy": "fixed", "version": 99}', "version 99"),
        ('{"strategy": "fixed", "loader": {"colour": 1}}', "no parameter `colour`"),
        ("[]", "A recipe is a JSON object"),
    ]:
        recipe.write_text(content, encoding="utf-8")
        assert message in refused(capsys, "apply", str(recipe), str(notes.parent), "--out", str(tmp_path / "out"))
    recipe.write_text('{"strategy": "fixed"}', encoding="utf-8")
    (tmp_path / "empty").mkdir()
    said = refused(capsys, "apply", str(recipe), str(tmp_path / "empty"), "--out", str(tmp_path / "out"))
    assert ".md" in said
    there, nowhere = str(tmp_path / "empty"), str(tmp_path / "nowhere")
    assert "must not be SOURCE" in refused(capsys, "apply", str(recipe), there, "--out", there)
    assert "does not exist" in refused(capsys, "apply", str(recipe), nowhere, "--out", there)
    assert cli.main(["apply", str(recipe), str(notes), "--out", str(tmp_path / "out")]) == 0
    assert (tmp_path / "out" / "notes.md.jsonl").is_file()


# doctor and app


def test_doctor_finds_this_installation_well(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "_app_file", lambda: Path(__file__))
    assert cli.main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert "PROBLEM" not in out
    assert "quicktok gives the ids of tiktoken" in out
    for name in Settings.__dataclass_fields__:
        assert f"CHUNKVIZ_{name.upper()}=" in out


def test_doctor_tells_what_is_missing(capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(cli, "_app_file", lambda: tmp_path / "app.py")
    monkeypatch.setattr(doctor, "requires", lambda _: ["no-such-package-here>=2", 'unused; extra == "bench"'])
    monkeypatch.setattr(doctor, "find_spec", lambda _: None)
    assert cli.main(["doctor"]) == 1
    problems = [line for line in capsys.readouterr().out.splitlines() if line.startswith("PROBLEM")]
    assert [line.split()[1] for line in problems] == ["no-such-package-here:", "model", "app:"]
    assert 'pip install "no-such-package-here>=2"' in problems[0]


def test_app_starts_streamlit_on_this_computer_only(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunkviz, "__file__", str(tmp_path / "chunkviz" / "__init__.py"))
    assert "app.py is missing" in refused(capsys, "app")
    app = tmp_path / "app.py"
    app.write_text("", encoding="utf-8")
    called: list[tuple[str, list[str], dict[str, str]]] = []
    monkeypatch.setattr(os, "execve", lambda *words: called.append(words))
    monkeypatch.setenv("MALLOC_ARENA_MAX", "4")
    cli.main(["app", "--port", "9000"])
    ((program, words, env),) = called
    assert program == sys.executable
    assert words[1:4] == ["-m", "streamlit", "run"]
    assert Path(words[4]) == app.resolve()
    assert words[5:] == ["--server.address", "127.0.0.1", "--server.port", "9000"]
    assert env["MALLOC_TRIM_THRESHOLD_"] == env["MALLOC_MMAP_THRESHOLD_"] == "1048576"
    assert env["MALLOC_ARENA_MAX"] == "4", "what the environment says goes first"


# The terminal


def test_nothing_in_a_text_moves_the_cursor() -> None:
    assert plain("a\r\n\tb\x1b[1m \x00 \u202e\u2066 \ud800") == "a b\ufffd[1m \ufffd \ufffd\ufffd \ufffd"
    assert plain("👩‍👩‍👧‍👦 e\u0301 한국어") == "👩‍👩‍👧‍👦 e\u0301 한국어"


def test_width_counts_columns() -> None:
    assert width("👩‍👩‍👧‍👦") == 2
    assert width("한국어 e\u0301") == 8
    assert clipped("猫猫猫", 5) == "猫猫…"
    assert clipped("猫猫猫", 4) == "猫…"
    assert clipped("猫猫猫", 6) == "猫猫猫"


def test_a_table_lines_up() -> None:
    shown = table(("a", "b"), [("猫", "long text"), ("x", "")], right=(0,), columns=12)
    assert shown == " a  b\n猫  long text\n x\n"
