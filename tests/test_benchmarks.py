"""The benchmark runs, times what it says, and judges by the budgets. No absolute time is a test."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

import chunkviz
from benchmarks import __main__ as command
from benchmarks import budgets, contenders, corpus
from benchmarks.budgets import FIRST_CUT, GROWTH, OTHER_CUT, Budget, judged
from benchmarks.contenders import LANGCHAIN, MARKDOWN, REFERENCE
from benchmarks.timing import Contender, Growth, Run, Sample, Series, grown, interleaved
from chunkviz.spans import Span


def test_the_text_is_as_long_as_asked_for_and_the_same_each_time() -> None:
    text = corpus.mixed_text(200_000)
    assert 200_000 - 3 <= len(text.encode()) <= 200_000
    assert corpus.mixed_text(200_000) == text
    assert text.startswith(corpus.mixed_text(50_000)[:-1])


def test_the_text_is_a_third_code_in_fences_and_has_headings() -> None:
    document = chunkviz.Document.from_text(corpus.mixed_text(300_000), name="mixed.md")
    code = sum(b.end - b.start for b in document.blocks if b.kind == "code")
    assert 0.30 < code / len(document.text) < 0.37
    assert len(document.headings) > 50
    assert not document.text.isascii()


def test_no_part_of_the_text_is_repeated() -> None:
    text = corpus.mixed_text(300_000)
    windows = [text[at : at + 200] for at in range(0, len(text) - 200, 200)]
    repeated = [w for w in windows if text.count(w) > 1]
    assert len(repeated) < len(windows) / 100  # a licence at the head of two modules


def test_a_text_that_the_standard_library_cannot_fill_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus, "_code", lambda: iter(["x = 1\n"]))
    with pytest.raises(ValueError, match=r"holds 6 bytes of source .* a text of 9,000 bytes needs a third"):
        corpus.mixed_text(9_000)


def test_rounds_are_interleaved_and_what_is_prepared_is_not_timed() -> None:
    log: list[str] = []

    def contender(name: str) -> Contender:
        def prepare(size: int) -> Run:
            log.append(f"prepare {name} {size}")

            def run() -> int:
                log.append(f"run {name}")
                return size

            return run

        return Contender(name, prepare)

    series = interleaved([contender("a"), contender("b")], [5, 7])
    one_round = ["prepare a 5", "run a", "prepare b 5", "run b"]
    assert log == [*one_round, *(step.replace("5", "7") for step in one_round)]
    assert [[s.chunks for s in one.samples] for one in series] == [[5, 7], [5, 7]]
    assert [s.round for s in series[1].samples] == [0, 1]


def test_preparing_takes_none_of_the_time() -> None:
    def prepare(_size: int) -> Run:
        total = sum(range(3_000_000))
        return lambda: total & 0

    ((sample,),) = (one.samples for one in interleaved([Contender("slow to prepare", prepare)], [1]))
    assert sample.cpu_s < 0.01


def test_ratios_are_taken_within_each_round() -> None:
    """The second round fell into a busy minute: both took ten times as long, and the ratio shows nothing of it."""
    reference = _series("reference", 2.0, 20.0)
    assert _series("ours", 1.0, 10.0).times_as_fast_as(reference) == [2.0, 2.0]


def test_a_text_is_parted_between_its_blocks() -> None:
    text = corpus.mixed_text(300_000)
    parts = corpus.parted(text, 7)
    assert "".join(parts) == text
    assert [len(part) for part in parts] == pytest.approx([len(text) / 7] * 7, rel=0.2)
    code = sum(span.length for span in _code_blocks(text))
    assert sum(span.length for part in parts for span in _code_blocks(part)) == code


def _code_blocks(text: str) -> list[Span]:
    return [b.span for b in chunkviz.Document.from_text(text, name="a.md").blocks if b.kind == "code"]


def test_sources_of_two_texts_are_not_the_same() -> None:
    one, other = (corpus.as_python(part) for part in corpus.parted(corpus.mixed_text(100_000), 2))
    assert one != other
    assert min(len(one), len(other)) > 40_000


def test_growth_is_taken_beside_the_parts_of_the_same_round() -> None:
    """The second round fell into a busy minute; the parts differ among themselves."""
    log: list[str] = []

    def contender(name: str) -> Contender:
        def prepare(_size: int) -> Run:
            return lambda: log.append(name) or 1

        return Contender(name, prepare)

    (found,) = grown([contender("whole")], [[contender(f"part {i}")] for i in range(4)], 512, 2)
    assert log == 2 * ["part 0", "part 1", "whole", "part 2", "part 3"]
    assert [len(parts) for parts in found.parts] == [4, 4]
    made = Growth(found.contender, ((1.0, 3.0), (10.0, 30.0)), (20.0, 200.0))
    assert made.times == [10.0, 10.0]


def _series(name: str, *cpu_s: float) -> Series:
    samples = tuple(Sample(round_, 512, cpu, cpu, 1) for round_, cpu in enumerate(cpu_s))
    return Series(Contender(name, lambda _size: lambda: 1), samples)


@pytest.mark.parametrize(
    ("kind", "size_bytes", "strategy", "value", "kept"),
    [
        (FIRST_CUT, 1_000_000, "fixed", 0.6, True),
        (FIRST_CUT, 1_000_000, "recursive", 0.59, False),
        (FIRST_CUT, 1_000_000, "sentence", 0.1, None),
        (FIRST_CUT, 1_000_000, "", 0.1, None),
        (FIRST_CUT, 100_000, "fixed", 0.1, None),
        (OTHER_CUT, 10_000_000, "recursive", 20.0, True),
        (OTHER_CUT, 10_000_000, "fixed", 19.9, False),
        (GROWTH, 10_000_000, "sentence", 11.0, True),
        (GROWTH, 10_000_000, "page", 11.1, False),
        (GROWTH, 1_000_000, "page", 11.1, None),
    ],
)
def test_budgets_hold_for_what_they_are_promised_for(
    kind: str, size_bytes: int, strategy: str, value: float, kept: bool | None
) -> None:
    assert judged(kind, size_bytes, "someone", strategy, value).kept is kept


@pytest.fixture
def _no_peers(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine without the extra `bench`."""
    found = contenders.installed
    monkeypatch.setattr(contenders, "installed", lambda name: None if name in contenders._PEERS else found(name))


@pytest.mark.usefixtures("_no_peers")
def test_one_run_shows_every_strategy_and_names_who_is_missing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "raw.json"
    assert command.main(["--bytes", "8000", "--rounds", "2", "--json", str(file)]) == 0
    shown = capsys.readouterr().out
    raw = json.loads(file.read_text(encoding="utf-8"))

    tags = {s.id: s.tags for s in chunkviz.strategies().values()}
    for strategy in (id for id, t in tags.items() if not (t.needs_model or t.needs_embedder or t.by_hand)):
        assert shown.count(f"\nchunkviz {strategy}") >= 5  # two tables for each text, and the growth
    for name in contenders._PEERS:
        assert f"{name} is not installed: not measured" in shown
    assert raw["not_installed"] == list(contenders._PEERS)
    assert [text["bytes"] for text in raw["texts"]] == pytest.approx([8_000, 80_000], abs=3)
    for text, first_rounds in zip(raw["texts"], (2, 1), strict=True):
        assert {len(who["samples"]) for who in text[FIRST_CUT]} == {first_rounds}
        assert {len(who["samples"]) for who in text[OTHER_CUT]} == {2}
    assert all(figure["value"] > 0 for figure in raw["figures"])

    # Those who should do the same work do: as many chunks as LangChain, in every round.
    for text in raw["texts"]:
        for kind in (FIRST_CUT, OTHER_CUT):
            chunks = {who["name"]: [s["chunks"] for s in who["samples"]] for who in text[kind]}
            for suffix in ("", MARKDOWN):
                assert chunks[f"chunkviz recursive{suffix}"] == chunks[LANGCHAIN + suffix]
            assert min(min(counts) for name, counts in chunks.items() if not name.startswith(REFERENCE)) > 1


@pytest.mark.usefixtures("_no_peers")
@pytest.mark.parametrize(("limit", "code", "mark"), [(0.0, 0, "kept"), (1e9, 1, "MISSED")])
def test_check_fails_where_a_budget_is_missed(
    limit: float, code: int, mark: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    promise = Budget(FIRST_CUT, limit, at_least=True, words="of anything", from_bytes=0, strategies=("fixed",))
    monkeypatch.setattr(budgets, "BUDGETS", (promise,))
    arguments = ["--bytes", "2000", "--rounds", "1"]
    assert command.main([*arguments, "--check"]) == code
    shown = capsys.readouterr().out
    rows = [line for line in shown.splitlines() if line.startswith("chunkviz fixed") and line.endswith(f" {mark}")]
    assert len(rows) == 4
    assert f"{4 if mark == 'kept' else 0} of 4 kept" in shown


@pytest.mark.usefixtures("_no_peers")
def test_without_check_a_missed_budget_is_only_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(budgets, "BUDGETS", (Budget(GROWTH, 0.0, False, "at all", 0),))
    assert command.main(["--bytes", "2000", "--rounds", "1"]) == 0
    assert "MISSED" in capsys.readouterr().out


@pytest.mark.parametrize("wrong", [["--rounds", "0"], ["--bytes", "-1"]])
def test_wrong_arguments_are_refused(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        command.main(wrong)
    assert stopped.value.code == 2
    assert "must be at least 1" in capsys.readouterr().err


def test_a_first_cut_is_a_first_cut_every_time() -> None:
    """Documents are made anew for each run: had one kept its token borders, the second run would be a slider step."""
    material = contenders.Material(corpus.mixed_text(20_000))
    for contender in contenders.first_cuts(material):
        contender.prepare(512)()
    assert material.plain._derived == {}
    assert material.structured._derived == {}


def test_pages_cover_the_text() -> None:
    pages = contenders.Material(corpus.mixed_text(20_000)).structured.pages
    assert len(pages) > 3
    assert all(a.end == b.start for a, b in pairwise(pages))
