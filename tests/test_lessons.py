"""What Learn and the demo say is true: failures fail, claims hold on the sample, diagrams escape, links open."""

from __future__ import annotations

import re
from dataclasses import replace
from types import MappingProxyType

import pytest

import chunkviz
from chunkviz import isolation, registry, samples
from chunkviz.document import Document, Page
from chunkviz.lessons import evidence, guide, terms
from chunkviz.lessons.examples import EXAMPLES, HAND_MADE, example, spans_of
from chunkviz.lessons.excerpt import LONGEST, excerpt, part, scaled
from chunkviz.lessons.failures import FAILURES, fails
from chunkviz.lessons.measured import (
    Asked,
    Ranks,
    Setting,
    asked_by_reader,
    asked_of_sample,
    holders,
    measure,
    touching,
)
from chunkviz.lessons.story import BLIND, LARGE, NATURAL, OVERLAPPING, RERANKED, SMALL, STEPS, TURNS, Scene, step_number
from chunkviz.spans import Span
from chunkviz.ui import diagrams, learning
from chunkviz.ui.state import Column

SAMPLE = "api_manual"


@pytest.fixture(scope="module")
def manual() -> Document:
    return isolation.load(samples.read(SAMPLE), samples.sample(SAMPLE).file)


@pytest.fixture(scope="module")
def asked(manual: Document) -> Asked:
    return asked_of_sample(SAMPLE, manual)


def cut(document: Document, one: Setting) -> chunkviz.Chunking:
    return chunkviz.chunk(document, one.strategy, **one.values)


def told(asked: Asked, step_id: str) -> list[str]:
    """The claims of a step, as the page works them out."""
    step = next(s for s in STEPS if s.id == step_id)
    evaluation, found = measure(asked, step.measures) if asked.questions and step.measures else (None, {})
    cuts = [(s, made, chunkviz.report(made)) for s in step.columns for made in [cut(asked.document, s)]]
    return step.claims(Scene(asked, cuts, found, evaluation))


# --- where strategies fail ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", FAILURES)
def test_a_failure_really_fails(strategy: str) -> None:
    failure = FAILURES[strategy]
    document = failure.document()
    for phrase in failure.phrases:
        assert document.text.count(phrase) == 1
    assert fails(failure, chunkviz.chunk(document, strategy, unit=failure.unit, **failure.params))


def test_fixed_cuts_a_sentence_in_its_example() -> None:
    failure = FAILURES["fixed"]
    report = chunkviz.report(chunkviz.chunk(failure.document(), "fixed", **failure.params))
    assert (report["cut.sentences"].value or 0) > 0


def test_a_failure_can_be_mended() -> None:
    """`fails` is no constant: a size that holds the whole text parts nothing, and one sentence each mixes nothing."""
    fixed = FAILURES["fixed"]
    assert not fails(fixed, chunkviz.chunk(fixed.document(), "fixed", size=400, overlap=0))
    mixed = FAILURES["recursive"]
    assert not fails(mixed, chunkviz.chunk(mixed.document(), "sentence", sentences=1, overlap=0))


def test_every_built_in_strategy_has_something_to_show() -> None:
    for strategy in registry.strategies().values():
        shown = HAND_MADE if strategy.tags.needs_model else FAILURES
        assert strategy.id in shown, f"{strategy.id}: no text that makes it fail"


@pytest.mark.parametrize("strategy", EXAMPLES)
def test_an_example_suits_its_strategy(strategy: str) -> None:
    document = example(strategy)
    assert document is not None
    spec = registry.strategy(strategy)
    made = chunkviz.chunk(document, strategy, **scaled(spec, document, pieces=2))
    assert not made.notes
    assert len(made.chunks) > 1


def test_what_was_made_by_hand_keeps_the_order_of_the_text() -> None:
    for made in HAND_MADE.values():
        spans = spans_of(made)
        assert spans == sorted(spans)
        assert all(a < b for a, b in spans)
    assert "240" in HAND_MADE["proposition"].wrong.rewrite
    assert "240" not in HAND_MADE["proposition"].text


# --- the excerpt ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sample", [s.id for s in samples.samples()])
def test_the_excerpt_is_a_part_of_the_document(sample: str) -> None:
    document = isolation.load(samples.read(sample), samples.sample(sample).file)
    small = excerpt(document)
    assert small.text in document.text
    assert 100 < len(small.text) <= LONGEST
    for block in small.blocks:
        assert 0 <= block.start < block.end <= len(small.text)
    for strategy in registry.strategies().values():
        if not strategy.tags.needs_model and not strategy.tags.needs_embedder:
            assert chunkviz.chunk(small, strategy.id, **scaled(strategy, small)).chunks


@pytest.mark.parametrize("text", ["x", "word " * 5000, "\n\n# \n\n", "🧑‍🧑‍🧒‍🧒" * 900, "a\u0301" * 3000, "—\n" * 40])
def test_the_excerpt_of_awkward_text(text: str) -> None:
    for name in ("a.txt", "a.md"):
        document = Document.from_text(text, name)
        small = excerpt(document)
        assert small.text
        assert small.text in text
        assert not small.text[0].isspace()


def test_a_part_keeps_blocks_and_pages_in_place() -> None:
    text = "# One\n\nFirst page.\n\n## Two\n\nSecond page."
    plain = Document.from_text(text, "a.md")
    paged = replace(plain, pages=(Page(0, 20, 1, "i"), Page(20, len(text), 2, "ii")))
    found = part(paged, text.index("## Two") - 1, len(text))
    assert found.text == "## Two\n\nSecond page."
    assert [h.title for h in found.headings] == ["Two"]
    assert [(p.start, p.end, p.label) for p in found.pages] == [(0, len(found.text), "ii")]


# --- the story ------------------------------------------------------------------------------------------------------


def test_the_answer_is_cut_at_first_and_whole_after_each_remedy(asked: Asked) -> None:
    gold = asked.gold
    assert gold is not None
    blind = cut(asked.document, BLIND)
    assert holders(blind, gold) == []
    assert len(touching(blind, gold)) == 2
    for remedy in (OVERLAPPING, NATURAL, SMALL, LARGE, TURNS):
        assert len(holders(cut(asked.document, remedy), gold)) == 1


def test_half_of_the_answer_is_all_that_comes_back(asked: Asked) -> None:
    found = measure(asked, (BLIND,))[1][BLIND]
    assert found.held(1) == found.held(5) == pytest.approx(0.457, abs=0.001)
    assert told(asked, "question")[0].endswith("holds 45.7 % of the answer.")
    assert "lies across chunks 4 and 5" in told(asked, "cut")[0]
    assert "Cut like this: 5 of 16 answers" in told(asked, "cut")[1]


def test_overlap_mends_and_has_its_price(asked: Asked) -> None:
    first, second, price = told(asked, "overlap")
    assert first == "Chunk 5 of 10 holds the whole answer."
    assert "5 of 16 answers without the overlap, 0 of 16 answers with it" in second
    more = chunkviz.report(cut(asked.document, OVERLAPPING))["overhead"].value
    assert more == pytest.approx(0.079, abs=0.001)
    assert "7.9 %" in price


def test_natural_borders_cut_no_sentence(asked: Asked) -> None:
    reports = [chunkviz.report(cut(asked.document, s)) for s in (BLIND, NATURAL)]
    assert [r["cut.sentences"].value for r in reports] == [6, 0]
    assert reports[1]["twice"].value == 0
    assert told(asked, "recursive")[:2] == [
        "Chunk 6 of 12 holds the whole answer. Nothing is stored twice.",
        "Sentences cut: 6 before, 0 now.",
    ]


def test_small_pieces_are_found_and_large_ones_are_not_read(asked: Asked) -> None:
    found = measure(asked, (SMALL, NATURAL, LARGE))[1]
    assert [found[s].first for s in (SMALL, NATURAL, LARGE)] == [15, 9, 5]
    unread = [chunkviz.report(cut(asked.document, s))["unread"].value or 0 for s in (SMALL, NATURAL, LARGE)]
    assert unread[0] == 0 < unread[1] < unread[2]
    tables = [chunkviz.report(cut(asked.document, s))["cut.tables"].value for s in (SMALL, NATURAL)]
    assert tables == [4, 0]
    claims = told(asked, "size")
    assert "Of 16 questions, the first passage is a right one for 15 at 128, 9 at 512 and 5 at 1,024" in claims[0]
    assert "4 of 5 tables are cut at 128, 0 at 512" in claims[2]
    # The guide quotes the same figures.
    assert (
        "15 of 16 questions at 128 tokens, for 9 of 16 at 512 and for 5 of 16 at 1,024"
        in evidence.EVIDENCE["size"].text
    )


def test_topic_turns_are_no_magic(asked: Asked) -> None:
    claims = told(asked, "turns")
    assert claims[0] == "Chunk 11 of 28 holds the whole answer."
    assert "A chunk begins at 12 of 33 headings" in claims[2]
    assert "1 of 16 answers, and 0 of 16 answers with “recursive”" in claims[3]


def test_the_second_look_helps(asked: Asked) -> None:
    found = measure(asked, (NATURAL, RERANKED))[1]
    assert (found[NATURAL].first, found[RERANKED].first) == (9, 11)
    assert (found[NATURAL].among_five, found[RERANKED].among_five) == (14, 16)
    assert Ranks("When are test bookings deleted?", 6, 1) in found[RERANKED].ranks()
    assert "rose from place 6 to place 1" in told(asked, "rerank")[2]


def test_the_last_step_advises_by_what_was_measured(asked: Asked) -> None:
    assert told(asked, "measure")[0].startswith("No winner: ")
    assert "Yours will differ" in told(asked, "measure")[-1]


def test_a_figure_is_measured_once(asked: Asked) -> None:
    assert measure(asked, (BLIND,))[1] is measure(asked, (BLIND,))[1]
    with pytest.raises(chunkviz.ParameterError, match="no question"):
        measure(Asked(asked.document), (BLIND,))


@pytest.mark.parametrize("step", [s.id for s in STEPS])
def test_every_step_can_be_told_without_a_question(step: str) -> None:
    document = Document.from_text("One sentence. Another one.\n\nA third.", "mine.txt")
    claims = told(Asked(document), step)
    assert claims
    assert all(claims)


def test_a_question_of_ones_own(manual: Document) -> None:
    words = "Bookings made there are deleted every Sunday\n at 03:00 UTC."
    mine = asked_by_reader(manual, " When? ", words)
    assert mine.questions[0].text == "When?"
    assert mine.gold is not None
    assert manual.text[mine.gold.start : mine.gold.end].startswith("Bookings made there")
    assert "holds the whole answer" in told(mine, "recursive")[0]
    assert "do not occur" in asked_by_reader(manual, "When?", "never written").problem
    assert re.search(r"occur \d+ times", asked_by_reader(manual, "When?", "the").problem)
    assert asked_by_reader(manual, "", words) == Asked(manual)


def test_links_to_steps() -> None:
    assert len({s.id for s in STEPS}) == len(STEPS) == 8
    assert [step_number(g) for g in ("0", "-1", "9999999999", "²", "")] == [1, 1, 1, 1, 1]


# --- terms, guide, evidence -----------------------------------------------------------------------------------------


def test_terms_show_what_they_say() -> None:
    texts = {t.id: t.texts for t in terms.TERMS}
    pieces, count = terms.tokens_of(texts["token"][0])
    assert "".join(pieces) == texts["token"][0]
    assert len(pieces) == count
    assert len(terms.numbers_of(texts["embedding"][0])) == 384
    assert terms.cosine("the same", "the same") == pytest.approx(1.0, abs=1e-3)
    assert 0.2 < terms.cosine(*texts["cosine"]) < terms.cosine("cancel a booking", "cancelling bookings")
    assert terms.recall(*texts["recall"], []) == 0
    assert 0 < terms.recall(*texts["recall"], [1]) < terms.recall(*texts["recall"], [1, 2, 3]) <= 1
    question, passages = texts["reranker"]
    placed = terms.reranked(question, passages.splitlines())
    assert placed[0].text.startswith("New projects")
    assert placed[0].cosine < max(p.cosine for p in placed)  # the first search had another one in front
    late = terms.late(*texts["late"])
    assert all(p.second > p.cosine for p in late)


def test_tokens_that_end_inside_a_character_are_shown_together() -> None:
    pieces, count = terms.tokens_of("🧑‍🧒 ok")
    assert "".join(pieces) == "🧑‍🧒 ok"
    assert count >= len(pieces)


@pytest.mark.parametrize("kind", guide.KINDS)
@pytest.mark.parametrize("structure", guide.STRUCTURES)
def test_every_answer_leads_to_a_setting_that_can_be_opened(kind: str, structure: str) -> None:
    for budget in guide.BUDGETS:
        for question in guide.QUESTIONS:
            chosen = guide.choose(guide.Answers(kind, structure, budget, question))
            assert Column.parse(Column(chosen.strategy, chosen.params).spell()).strategy == chosen.strategy
            assert chosen.reasons
            assert set(chosen.evidence) <= set(evidence.EVIDENCE)
            tags = registry.strategy(chosen.strategy).tags
            assert budget == "model" or not tags.needs_model
            assert budget != "none" or not tags.needs_embedder
    with pytest.raises(KeyError):
        guide.choose(guide.Answers(kind, structure, "gold", "fact"))


def test_the_guide_looks_at_the_document(manual: Document) -> None:
    assert guide.guess(manual) == guide.Answers("manual", "headings")
    for sample, kind in (
        ("inventory", "code"),
        ("product_feed", "data"),
        ("paper", "paper"),
        ("call_transcript", "talk"),
    ):
        document = isolation.load(samples.read(sample), samples.sample(sample).file)
        assert guide.guess(document).kind == kind


def test_every_figure_says_whose_it_is() -> None:
    for found in evidence.EVIDENCE.values():
        assert found.source
        assert bool(found.reproduce) == (found.whose == "ours")


# --- diagrams -------------------------------------------------------------------------------------------------------

EVIL = "<script>window.hacked = 1</script> & \"quoted\" 'text' <img src=x onerror=alert(1)>. Another. A third one."


def test_diagrams_escape_what_they_show() -> None:
    document = Document.from_text(f"# {EVIL}\n\n{EVIL}\n\n## {EVIL}\n\n{EVIL}", "evil.md")
    for strategy in ("fixed", "recursive", "structure", "semantic"):
        made = chunkviz.chunk(document, strategy, size=16)
        shown = diagrams.Shown.of(made, "tokens")
        drawn = diagrams.painted(shown, [Span(0, 9)], prose=True) + diagrams.pictures(shown, made, "dark")
        assert "<script" not in drawn
        assert "<img src=x" not in drawn
        text = re.sub(r"<[^>]*>", "", diagrams.painted(shown))
        assert text == document.text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace(
            '"', "&quot;"
        ).replace("'", "&#x27;")
    for drawn in (
        diagrams.tokens([EVIL]),
        diagrams.bars([(EVIL, 0.5, EVIL)], 1.0),
        diagrams.table([(EVIL, EVIL)], [[EVIL]]),
        diagrams.ranks([Ranks(EVIL, 3, 1)], EVIL, EVIL, None),
    ):
        assert "<script" not in drawn
        assert "onerror=alert(1)>" not in drawn


def test_the_drawing_fits_what_a_chunking_says_of_itself(manual: Document) -> None:
    small = excerpt(manual)

    def drawn(strategy: str) -> str:
        made = chunkviz.chunk(small, strategy, **scaled(registry.strategy(strategy), small))
        return diagrams.pictures(diagrams.Shown.of(made, "tokens"), made, "light")

    assert "hatched: in two chunks" in drawn("fixed")
    assert "lv-over" in drawn("fixed")
    assert drawn("recursive").count('class="lv-level"') >= 2
    assert "Chunks under their headings" in drawn("structure")
    assert "How alike neighbouring sentences are" in drawn("semantic")


def test_the_colours_are_those_of_the_viewer() -> None:
    light, dark = diagrams.palette()["light"], diagrams.palette()["dark"]
    assert len(set(light)) == len(set(dark)) == diagrams.COLORS
    assert light[0] in diagrams.style("light")
    assert dark[0] in diagrams.style("dark")


def test_a_strategy_that_is_registered_tomorrow_gets_its_card(
    manual: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = replace(registry.strategy("fixed"), id="tomorrow", title="A way <of> tomorrow")
    known = MappingProxyType({**registry.strategies(), "tomorrow": new})
    monkeypatch.setattr(registry, "_found", lambda: (known, ()))
    drawn = learning.card(new, manual, excerpt(manual), "cl100k_base", "tokens")
    assert "A way &lt;of&gt; tomorrow" in drawn
    assert new.watch_out in drawn
    assert "Your whole document becomes" in drawn
    report = chunkviz.report(chunkviz.chunk(manual, "tomorrow"))
    assert f">{report['chunks'].value} chunks<" in drawn


def test_a_strategy_that_needs_a_model_is_shown_by_hand_and_says_so(
    manual: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    for strategy in registry.strategies().values():
        if strategy.tags.needs_model:
            drawn = learning.card(strategy, manual, excerpt(manual), "cl100k_base", "tokens")
            assert "Made by hand" in drawn
            assert "no model was asked" in drawn


def test_a_long_document_is_not_embedded_unasked() -> None:
    long = Document.from_text("One more thing. " * (learning.MOST_SENTENCES + 1), "long.txt")
    said = learning.own_figures(registry.strategy("semantic"), long, "cl100k_base", "tokens")
    assert "1,501 sentences" in said
    assert "waits until you open it" in said
