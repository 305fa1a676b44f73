"""What Learn and the demo say is true: failures fail, claims hold on the sample, diagrams escape, links open."""

from __future__ import annotations

import re
from dataclasses import replace
from types import MappingProxyType

import pytest

import chunkviz
from chunkviz import isolation, registry, samples
from chunkviz.document import Document, Page
from chunkviz.lessons import claims, evidence, figures, guide, late, terms
from chunkviz.lessons.examples import EXAMPLES, HAND_MADE, example, spans_of
from chunkviz.lessons.excerpt import LONGEST, excerpt, part, scaled
from chunkviz.lessons.excerpt import SHORTEST as SHORTEST_EXCERPT
from chunkviz.lessons.failures import FAILURES, fails
from chunkviz.lessons.measured import Ranks, holders, measure, touching
from chunkviz.lessons.story import STEPS, step_number
from chunkviz.lessons.subject import LONGEST as STORY
from chunkviz.lessons.subject import (
    MOST_QUESTIONS,
    Asked,
    asked_at,
    asked_by_reader,
    asked_of,
    asked_of_itself,
    asked_of_sample,
    told_with,
)
from chunkviz.lessons.telling import scene
from chunkviz.lessons.ways import SHORTEST, WRITTEN, Setting, tokens, ways_for
from chunkviz.question_files import read_file
from chunkviz.questions import Gold, Question
from chunkviz.spans import Span
from chunkviz.ui import diagrams, learning, small_charts
from chunkviz.ui.state import Column

SAMPLE = "api_manual"
BLIND, OVERLAPPING, NATURAL = WRITTEN.blind, WRITTEN.overlapping, WRITTEN.natural
SMALL, LARGE, TURNS, RERANKED = WRITTEN.smaller, WRITTEN.larger, WRITTEN.turns, WRITTEN.reranked


@pytest.fixture(scope="module")
def manual() -> Document:
    return isolation.load(samples.read(SAMPLE), samples.sample(SAMPLE).file)


@pytest.fixture(scope="module")
def asked(manual: Document) -> Asked:
    return asked_of_sample(SAMPLE, manual)


def cut(document: Document, one: Setting) -> chunkviz.Chunking:
    return chunkviz.chunk(document, one.strategy, **one.values)


def told(asked: Asked, step_id: str) -> list[str]:
    """The claims of a step."""
    step = next(s for s in STEPS if s.id == step_id)
    return step.claims(scene(asked, step))


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


@pytest.mark.parametrize(
    "text",
    [
        "# T\n\n" + "word " * 5000,
        "# T\n\n" + "猫" * 5000,
        "# T\n\n|" + "a|" * 800 + "\n|" + "-|" * 800 + "\n|" + "1|" * 800 + "\n",
        "# A\n\nShort.\n\n# B\n\n" + "word " * 5000,
    ],
    ids=["one line", "one line without blanks", "wide table", "short sections before"],
)
def test_the_excerpt_is_long_enough_to_be_cut(text: str) -> None:
    small = excerpt(chunkviz.Document.from_text(text, name="a.md"))
    assert SHORTEST_EXCERPT <= len(small.text) <= LONGEST
    assert small.text in text


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
    assert "5 of 16 without the overlap, 0 of 16 with it" in second
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
    assert "4 of 5 tables are cut at 128 tokens, 0 at 512" in claims[2]
    # The guide quotes the same figures.
    assert (
        "15 of 16 questions at 128 tokens, for 9 of 16 at 512 and for 5 of 16 at 1,024"
        in evidence.EVIDENCE["size"].text
    )


def test_topic_turns_are_no_magic(asked: Asked) -> None:
    claims = told(asked, "turns")
    assert claims[0] == "Chunk 11 of 28 holds the whole answer."
    assert "A chunk begins at 12 of 33 headings" in claims[2]
    assert claims[3].rstrip(".") == "It is no magic. Answers cut: 1 of 16, and 0 of 16 with “recursive”"


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


AWKWARD = {
    "two sentences": "One sentence. Another one.\n\nA third.",
    "short": "The pool opens at nine. Towels cost two euros. " * 8 + "The key hangs behind the blue door.",
    "no blanks": "nospaces" * 900,
    "emoji": "🧑‍🧑‍🧒‍🧒" * 700,
    "right to left": "هذا نص عربي طويل يقرأ من اليمين إلى اليسار. " * 90,
    "headings only": "".join(f"# {'A very long heading ' * 15}{n}\n\n" for n in range(40)),
    "table": "| a | b |\n|---|---|\n" + "| one | two |\n" * 300,
}


@pytest.mark.parametrize("name", AWKWARD)
@pytest.mark.parametrize("step", [s.id for s in STEPS])
def test_every_step_can_be_told_about_any_document(step: str, name: str) -> None:
    found = asked_of_itself(Document.from_text(AWKWARD[name], "mine.md"))
    told_ = told(found, step)
    assert told_
    assert all(told_)
    title, story = next(s for s in STEPS if s.id == step).words(found)
    assert "{" not in title + story
    # The words of the sample's story promise what another document need not keep.
    assert title not in ("A question that nobody could answer", "The cut goes through the answer")


def test_a_document_shows_what_a_cut_goes_through() -> None:
    found = asked_of_itself(Document.from_text(AWKWARD["short"], "mine.txt"))
    assert found.word == "sentence"
    assert found.gold is not None
    blind = cut(found.document, found.ways.blind)
    assert holders(blind, found.gold) == []
    first = next(p for p in chunkviz.report(blind)["cut.sentences"].findings)
    assert found.gold == (first.start, first.end)
    parts = touching(blind, found.gold)
    assert told(found, "cut")[0] == (
        f"This sentence lies across {claims.numbers(parts)}. None of the {len(blind.chunks)} chunks holds it whole."
    )


def test_where_nothing_is_cut_a_step_says_so_and_goes_on() -> None:
    document = Document.from_text("Go on.\n" * 256, "go.txt")  # three tokens a line, and 192 in a chunk
    found = asked_of_itself(document)
    assert chunkviz.report(cut(document, found.ways.blind))["cut.sentences"].value == 0
    assert found.gold is None
    assert "nothing to see here" in told(found, "cut")[0]
    assert told(found, "rerank") == [claims.NO_QUESTION]
    assert told(found, "measure")[0].startswith("Without questions nobody can say")


@pytest.mark.parametrize("sample", [s.id for s in samples.samples()])
def test_the_story_of_every_sample_is_true(sample: str) -> None:
    """What a step says of the answer is what the chunks hold."""
    asked = asked_of_sample(sample, isolation.load(samples.read(sample), samples.sample(sample).file))
    assert asked.written == (sample == SAMPLE)
    assert asked.gold is not None
    for step_id, at in (("cut", 0), ("overlap", 1), ("recursive", 1)):
        step = next(s for s in STEPS if s.id == step_id)
        made = cut(asked.document, step.columns(asked.ways)[at])
        first = told(asked, step_id)[0]
        assert ("whole answer" in first) == bool(holders(made, asked.gold)), first


def test_a_short_text_is_told_with_small_sizes() -> None:
    text = Document.from_text(AWKWARD["short"], "mine.txt")
    ways = ways_for(text)
    assert SHORTEST <= tokens(text) < 2 * WRITTEN.size
    assert ways.small < ways.size < ways.large < WRITTEN.size
    assert 0 < ways.overlap < ways.size
    assert len(cut(text, ways.blind).chunks) >= 4
    assert ways_for(Document.from_text("word " * 3000)) is WRITTEN
    assert f"after every {ways.size} tokens" in STEPS[0].words(asked_of_itself(text))[1]


@pytest.mark.parametrize("sample", ["headings", "lines", "blanks", "nothing"])
def test_a_long_document_is_told_by_a_part_that_holds_the_answer(sample: str) -> None:
    unit = {
        "headings": "## Part {}\n\n" + "Words and more words. " * 40 + "\n\n",
        "lines": "Line {} of many, each about a boat.\n",
        "blanks": "number {} and ",
        "nothing": "number{}and👩‍👩‍👧",
    }[sample]
    text = "".join(unit.replace("{}", str(n)) for n in range(30_000))[: 5 * STORY]
    middle = len(text) // 2 + 1
    words = "THE ANSWER IS FORTY-TWO."
    document = Document.from_text(f"{text[:middle]}\n{words}\n{text[middle:]}", "long.md")
    asked = asked_by_reader(document, "What?", words)
    assert asked.part
    assert len(asked.document.text) <= STORY
    assert asked.gold is not None
    assert asked.document.text[asked.gold.start : asked.gold.end] == words
    assert document.text[asked.start : asked.start + len(asked.document.text)] == asked.document.text
    small, start = told_with(document)
    assert start == 0
    assert STORY // 2 <= len(small.text) <= STORY
    assert document.text.startswith(small.text)
    assert told_with(Document.from_text("short"))[1] == 0


def test_questions_outside_the_part_are_not_asked() -> None:
    document = Document.from_text("Every sentence has a number of its own. " * 10_000, "long.txt")

    def question(n: int, at: int) -> Question:
        return Question(f"Question {n}?", (Gold("long.txt", at, at + 38),))

    near = [question(n, 40 * n) for n in range(100)]
    asked = asked_of(document, [near[0], question(999, 399_000), *near[1:]])
    assert asked.questions[0].text == "Question 0?"
    assert len(asked.questions) == MOST_QUESTIONS
    assert all(q.text != "Question 999?" for q in asked.questions)
    assert all(g.end <= len(asked.document.text) for q in asked.questions for g in q.gold)


def test_a_marked_passage_is_what_the_story_is_about(manual: Document) -> None:
    words = "Bookings made there are deleted every Sunday"
    start = manual.text.index(words)
    marked = asked_at(manual, " ", Span(start, start + len(words)))
    assert marked.it == "this passage"
    assert marked.gold == (start, start + len(words))
    assert told(marked, "recursive")[0].endswith("holds this passage whole. Nothing is stored twice.")
    assert asked_by_reader(manual, "", "deleted every Sunday").word == "passage"
    asked = asked_at(manual, "When?", Span(start, start + len(words)))
    assert asked.questions[0].text == "When?"


def test_a_question_of_ones_own(manual: Document) -> None:
    words = "Bookings made there are deleted every Sunday\n at 03:00 UTC."
    mine = asked_by_reader(manual, " When? ", words)
    assert mine.questions[0].text == "When?"
    assert mine.gold is not None
    assert manual.text[mine.gold.start : mine.gold.end].startswith("Bookings made there")
    assert "holds the whole answer" in told(mine, "recursive")[0]
    assert "do not occur" in asked_by_reader(manual, "When?", "never written").problem
    assert re.search(r"occur \d+ times", asked_by_reader(manual, "When?", "the").problem)
    assert asked_by_reader(manual, "When?", " ").questions == ()


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
        assert found.reproduce == (evidence.AGAIN if found.whose == "ours" else "")
        assert found.whose == "ours" or "https://" in found.source


def test_every_figure_of_ours_comes_out_of_its_command() -> None:
    """What `python -m chunkviz.lessons evidence` prints is what the guide says."""
    quoted = {name: found.text for name, found in evidence.EVIDENCE.items() if found.whose == "ours"}
    assert figures.sentences() == quoted
    assert f"their {sum(len(asked_of_sample_rows(s.id)) for s in samples.samples())} questions" in (
        evidence.EVIDENCE["recursive"].source
    )


def asked_of_sample_rows(sample: str) -> list[object]:
    return list(read_file(samples.FOLDER / "questions" / f"{sample}.csv"))


def test_late_chunking_fails_on_its_example() -> None:
    right, wrong = late.EXAMPLE.scores()
    assert right.cosine > wrong.cosine
    assert right.second < wrong.second


def test_what_reading_in_context_changes() -> None:
    made = chunkviz.chunk(
        Document.from_text("The old lighthouse is open. Its stairs have 204 steps."), "sentence", sentences=1
    )
    changed = late.moved(made)
    assert len(changed.values) == len(made.chunks) == 2
    assert all(-1 <= v < 0.999 for v in changed.values)
    assert changed.values[changed.least] == min(changed.values) <= changed.mean
    alone = late.moved(chunkviz.chunk(Document.from_text("Its stairs have 204 steps."), "sentence", sentences=1))
    assert alone.values[0] > max(changed.values)  # with nothing around it, there is no context to read


def test_the_card_of_late_chunking_has_all_parts(manual: Document) -> None:
    drawn = learning.late_card(excerpt(manual), "cl100k_base", "tokens")
    for words in (
        late.TITLE,
        late.WATCH_OUT,
        late.GOOD_FOR,
        late.COSTS,
        late.SOURCE,
        late.EXAMPLE.question,
        "on average",
    ):
        assert words.replace("&", "&amp;") in drawn


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
        small_charts.tokens([EVIL]),
        small_charts.bars([(EVIL, 0.5, EVIL)], 1.0),
        small_charts.table([(EVIL, EVIL)], [[EVIL]]),
        small_charts.ranks([Ranks(EVIL, 3, 1)], EVIL, EVIL, None),
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
