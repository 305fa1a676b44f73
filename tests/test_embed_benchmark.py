"""The benchmark of the first embedding measures what it says, and judges by its budget."""

from __future__ import annotations

import pytest

from benchmarks import embedding
from benchmarks.timing import Contender, Sample, Series


def test_the_sentences_are_english_distinct_and_the_same_each_time() -> None:
    found = embedding.english(300)
    assert len(found) == len(set(found)) == 300
    assert found == embedding.english(300)
    assert all(20 <= len(sentence) <= 300 for sentence in found)


def test_both_embed_every_sentence_in_every_round() -> None:
    bare, ours = embedding.measured(12, 2)
    for series in (bare, ours):
        assert [sample.chunks for sample in series.samples] == [12, 12]
        assert all(sample.cpu_s > 0 for sample in series.samples)
    assert ours.contender.against == bare.contender.name


def _series(name: str, *cpu_s: float) -> Series:
    return Series(Contender(name, lambda _: lambda: 1), tuple(Sample(i, 9, s, s, 9) for i, s in enumerate(cpu_s)))


@pytest.mark.parametrize(("seconds", "verdict"), [(1.1, "kept"), (1.2, "MISSED")])
def test_the_budget_is_a_share_of_the_bare_models_speed(
    seconds: float, verdict: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    taken = [_series(embedding.BARE, 1.0, 1.0, 10.0), _series(embedding.OURS, seconds, seconds, 10.0)]
    monkeypatch.setattr(embedding, "measured", lambda *_: taken)
    assert embedding.main(["--check"]) == (0 if verdict == "kept" else 1)
    assert embedding.main([]) == 0
    assert f"of the bare model's speed: {verdict}" in capsys.readouterr().out
