"""What the Ask screen shows: verdicts, painted answers, the rank flow, and the session's question sets."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest
import streamlit as st
from hypothesis import given
from hypothesis import strategies as some
from viewer_vectors import chunking_of

import chunkviz
from chunkviz import holding, samples
from chunkviz.document import Document
from chunkviz.embed import VectorStore
from chunkviz.errors import ChunkvizError, LoadError
from chunkviz.passages import Passage
from chunkviz.question_files import read_rows, to_csv, to_jsonl
from chunkviz.questions import Gold, Question, resolve
from chunkviz.retrieval import RetrievalOptions, Searched, build, search
from chunkviz.segments import view_blob
from chunkviz.spans import Span
from chunkviz.ui import asking, flow, questions, searching
from chunkviz.ui.viewer import picked
from chunkviz.utf16 import code_points_of, utf16_offsets

TEXT = "Boats pay four euros. Crews eat for nothing. Gulls steal chips."
GOLD = Gold("harbour.txt", 10, 43)  # "four euros. Crews eat for nothing"
KEYWORD = RetrievalOptions(retriever="keyword")


@pytest.fixture(autouse=True)
def session(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A session without a browser."""
    state: dict[str, Any] = {}
    monkeypatch.setattr(st, "session_state", state)
    return state


def manual() -> Document:
    return chunkviz.load(samples.FOLDER / "api_manual.md")


def harbour() -> Document:
    return Document(TEXT, name="harbour.txt")


def asked(spans: list[tuple[int, int]], question: str = "crews euros", k: int = 5) -> asking.Asked:
    document = harbour()
    found = search(build({document.name: chunking_of(document, spans)}, KEYWORD), [question], KEYWORD)
    return asking.asked(document, found, Question(question, (GOLD,)), k)


# --- positions ----------------------------------------------------------------------------------------------------


@given(some.text(alphabet="aé€🙂👩\n", max_size=30))
def test_positions_of_the_browser_come_back(text: str) -> None:
    document = Document(text)
    units = utf16_offsets(text, range(len(text) + 1))
    assert code_points_of(document, units).tolist() == list(range(len(text) + 1))
    # Between the two units of one character: where it begins.
    for at, letter in enumerate(text):
        if ord(letter) > 0xFFFF:
            assert code_points_of(document, [units[at] + 1]).tolist() == [at]


@pytest.mark.parametrize(
    ("said", "want"),
    [
        ({"start": 3, "end": 8}, Span(2, 6)),  # the emoji takes two units, the blanks at the ends are not meant
        ({"start": 0, "end": 2}, Span(0, 1)),
        ({"start": 2, "end": 3}, None),  # only a blank
        ({"start": 5, "end": 5}, None),
        ({"start": -1, "end": 5}, None),
        ({"start": 0, "end": 99}, None),
        ({"start": 0, "end": 10**30}, None),
        ({"start": "0", "end": 5}, None),
        ({"start": False, "end": True}, None),
        ({"start": 0.0, "end": 5}, None),
        ({}, None),
    ],
)
def test_a_selection_is_checked_before_it_is_believed(
    session: dict[str, Any], said: dict[str, Any], want: Span | None
) -> None:
    document = Document("🙂 abcd ef", name="a.txt")
    session["v"] = {"picked": {"docId": document.fingerprint, **said}}
    assert picked("v", document) == want
    assert picked("v", Document("another one", name="a.txt")) is None


def test_only_a_page_that_asks_for_selections_gets_them() -> None:
    made = [chunking_of(harbour(), [(0, 63)])]
    assert b'"picking"' not in view_blob(made)
    assert b'"picking"' in view_blob(made, picking=True)


# --- what passages hold -------------------------------------------------------------------------------------------


def test_parts_of_an_answer_worked_by_hand() -> None:
    core = Passage("harbour.txt", 10, 43)
    assert holding.parts(Passage("harbour.txt", 0, 22), [core]) == [holding.Part(10, 22, begins=True, ends=False)]
    assert holding.parts(Passage("harbour.txt", 22, 63), [core]) == [holding.Part(22, 43, begins=False, ends=True)]
    assert holding.parts(Passage("harbour.txt", 10, 43), [core])[0].whole
    assert holding.parts(Passage("harbour.txt", 43, 63), [core]) == []
    assert holding.parts(Passage("other.txt", 0, 63), [core]) == []
    assert holding.holds(Passage("harbour.txt", 20, 30), [core]) == "part"
    assert holding.holds(Passage("harbour.txt", 43, 63), [core]) == "nothing"


@pytest.mark.parametrize(
    ("spans", "k", "level", "words"),
    [
        ([(0, 63)], 5, "good", "Whole in rank 1. Chunk 1 holds all of the answer."),
        (
            [(0, 22), (22, 45), (45, 63)],
            5,
            "bad",
            "Cut. The answer is spread over chunks 1 and 2; no chunk holds all of it. In ranks 1 and 2 there is a part of it.",
        ),
        (
            [(0, 22), (22, 45), (45, 63)],
            1,
            "bad",
            "Cut. The answer is spread over chunks 1 and 2; no chunk holds all of it. In rank 1 there is a part of it, "
            "the rest did not come back.",
        ),
        (
            [(0, 9), (43, 63)],
            5,
            "bad",
            "Left out. No chunk holds any of the answer: this strategy leaves its text out.",
        ),
        (
            [(0, 22), (43, 63)],
            5,
            "bad",
            "Cut. Only a part of the answer is in chunk 1; no chunk holds all of it. In rank 1 there is a part of it.",
        ),
    ],
)
def test_the_sentence_above_a_column(spans: list[tuple[int, int]], k: int, level: str, words: str) -> None:
    result = asked(spans, k=k)
    found, lead, text = asking.verdict(result, k)
    assert (found, f"{lead} {text}") == (level, words)


def test_whole_but_further_behind_or_never_found() -> None:
    spans = [(0, 43), (43, 63)]
    result = asked(spans, "gulls steal crews", k=1)
    assert asking.verdict(result, 1) == (
        "missed",
        "Not among the first 1.",
        "All of the answer is in one chunk, which comes in rank 2.",
    )
    assert asking.verdict(asked(spans, "chips"), 5)[2].endswith("this search does not find it at all.")


def test_several_places_are_told_apart_and_none_is_said() -> None:
    document = harbour()
    found = search(build({document.name: chunking_of(document, [(0, 22), (22, 63)])}, KEYWORD), ["boats"], KEYWORD)
    two = Question("?", (Gold("harbour.txt", 0, 9), Gold("harbour.txt", 10, 43)))
    level, lead, text = asking.verdict(asking.asked(document, found, two, 5), 5)
    assert (level, lead) == ("bad", "1 of 2 places whole.")
    assert text.startswith("Place 1: Whole in rank 1.")
    assert "Place 2: Cut." in text
    assert asking.verdict(asking.asked(document, found, None, 5), 5)[0] == "open"


def test_the_samples_answer_is_cut_and_repaired() -> None:
    document = manual()
    question = questions.current_set(document)[0]
    levels = []
    for strategy, overlap in (("fixed", 0), ("fixed", 50), ("recursive", 0)):
        made = chunkviz.chunk(document, strategy, size=512, overlap=overlap)
        found = search(build({document.name: made}, KEYWORD), [question.text], KEYWORD)
        levels.append(asking.verdict(asking.asked(document, found, question, 5), 5)[0])
    assert levels == ["bad", "good", "good"]


def test_moves_are_those_of_the_reranker(tmp_path: Any) -> None:
    document = harbour()
    made = build({document.name: chunking_of(document, [(0, 22), (22, 45), (45, 63)])}, KEYWORD)
    plain = search(made, ["gulls euros"], KEYWORD, store=VectorStore(tmp_path / "v.sqlite"))
    order, before = plain.orders[0][::-1].copy(), plain.before[0][::-1].copy()
    turned = Searched(made, KEYWORD, [order], plain.scores, [plain.entries[0][::-1]], [before], plain.cost, "reversed")
    moves = holding.moves(turned, [Passage("harbour.txt", 10, 22)], most=1)
    assert [(m.before, m.after) for m in moves] == [(2, 1), (1, 2)]
    assert {m.passage: m.holds for m in moves}[0] == "whole"
    figure = flow.figure([moves], ["One"], [{0: "chunk 1", 2: "chunk 3"}], "by words", "dark")
    assert [tuple(t.y) for t in figure.data] == [
        (m.before, m.after) for m in sorted(moves, key=lambda m: m.passage == 0)
    ]


def test_ranks_beyond_those_shown_end_at_a_line_of_their_own() -> None:
    figure = flow.figure([[holding.Move(0, 40, 1, "part")]], ["One"], [{0: "chunk 1"}], "by meaning", None)
    assert tuple(figure.data[0].y) == (flow.MOST + 1, 1)
    assert "rank 40 → 1" in figure.data[0].hovertemplate


def test_passages_are_called_what_they_are() -> None:
    document = manual()
    made = chunkviz.chunk(document, "fixed", size=128, overlap=0)
    options = RetrievalOptions(retriever="keyword", mode="small_to_big")
    names = asking.names(search(build({document.name: made}, options), ["key"], options))
    assert any(name.startswith("passage around chunks") for name in names.values())
    plain = asking.names(search(build({document.name: made}, KEYWORD), ["key"], KEYWORD))
    assert list(plain.values()) == [f"chunk {i + 1}" for i in range(len(made.chunks))]


# --- painting -----------------------------------------------------------------------------------------------------


class Reader(HTMLParser):
    """The text of some HTML without what the page adds, and its tags."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text, self.tags, self.marked = "", set[str](), ""
        self._open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        self._open.pop()

    def handle_data(self, data: str) -> None:
        if not {"summary", "span"} & set(self._open):
            self.text += data
        if "mark" in self._open:
            self.marked += data


@given(some.text(alphabet="ab<&>'\" \n🙂", min_size=3, max_size=1500), some.data())
def test_painting_shows_all_of_the_text_and_nothing_of_it_as_markup(text: str, data: some.DataObject) -> None:
    ends = sorted(data.draw(some.lists(some.integers(0, len(text)), min_size=4, max_size=4)))
    cores = [Passage("d", a, b) for a, b in (ends[:2], ends[1:3], ends[2:]) if a < b]
    cut = data.draw(some.integers(0, len(text) - 1))
    read = Reader(asking.painted(text[cut:], Passage("d", cut, len(text)), cores))
    # A scissors' blank beside the mark is the page's own.
    assert read.text.replace(" ", "") == text[cut:].replace(" ", "")
    assert read.tags <= {"mark", "details", "summary", "span"}
    painted = "".join(text[max(c.start, cut) : max(c.end, cut)] for c in cores)
    assert read.marked == painted


def test_whole_answers_are_green_and_cut_ones_have_scissors_where_they_are_cut() -> None:
    core = Passage("harbour.txt", 10, 43)
    whole = asking.painted(TEXT, Passage("harbour.txt", 0, 63), [core])
    assert whole.count('class="cv-whole"') == 1
    assert "✂" not in whole
    first = asking.painted(TEXT[:22], Passage("harbour.txt", 0, 22), [core])
    assert 'class="cv-cut"' in first
    assert first.endswith("✂ cut here</span>")
    second = asking.painted(TEXT[22:], Passage("harbour.txt", 22, 63), [core])
    assert second.startswith('<span class="cv-scissors"')


def test_a_card_escapes_whatever_the_document_says() -> None:
    text = '# <img src=x onerror=alert(1)>\n\n<script>crews</script> & "euros"'
    document = Document.from_text(text, name="evil.md")
    made = chunkviz.chunk(document, "structure", size=100, overlap=0)
    found = search(build({document.name: made}, KEYWORD), ["crews"], KEYWORD)
    result = asking.asked(document, found, None, 5)
    read = Reader(asking.card(result.hits[0], result))
    assert not read.tags & {"img", "script"}
    assert "<script>crews</script>" in read.text


# --- the search's options -----------------------------------------------------------------------------------------


def test_a_link_says_how_is_searched_but_names_no_model_and_no_heading() -> None:
    options = RetrievalOptions(
        retriever="hybrid", reranker="late_interaction", candidates=7, merge=0.5, filter=("heading=Secrets",)
    )
    spelled = searching.spell(options)
    assert "Secrets" not in spelled
    assert searching.parse(spelled) == {
        "retriever": "hybrid",
        "reranker": "late_interaction",
        "candidates": 7,
        "merge": 0.5,
    }
    assert searching.spell(RetrievalOptions()) == ""
    assert searching.parse("") == {}


@pytest.mark.parametrize("text", ["model=evil", "filter=page%3D1", "cross_encoder=/etc", "k=v", "retriever=magic", "x"])
def test_a_link_cannot_ask_for_just_anything(text: str) -> None:
    with pytest.raises(ChunkvizError):
        searching.parse(text)


def test_a_model_that_nobody_named_is_not_loaded() -> None:
    document = harbour()
    made = chunking_of(document, [(0, 63)])
    for options in (RetrievalOptions(model="/somewhere"), RetrievalOptions(code_model="/somewhere")):
        with pytest.raises(ChunkvizError, match="named"):
            searching.searched(document, made, "?", options, "t")


def test_the_same_search_is_done_once(monkeypatch: pytest.MonkeyPatch) -> None:
    document = harbour()
    made = chunking_of(document, [(0, 22), (22, 63)])
    done: list[str] = []

    def counted(index: Any, texts: list[str], *args: Any, **more: Any) -> Searched:
        done.extend(texts)
        return search(index, texts, *args, **more)

    monkeypatch.setattr(searching, "search", counted)

    def again() -> None:
        for question in ("crews", "crews", "gulls"):
            searching.searched(document, made, question, KEYWORD, "t.0")
        searching.searched(document, chunking_of(document, [(0, 63)]), "gulls", KEYWORD, "t.0")

    again()
    assert done == ["crews", "gulls", "gulls"]


# --- question sets ------------------------------------------------------------------------------------------------


def test_a_sample_comes_with_its_questions() -> None:
    for sample in samples.SAMPLES:
        document = chunkviz.load(samples.FOLDER / sample.file)
        made = questions.placed(document)
        assert len(made) >= 5
        assert all(p.question is not None and not p.problems for p in made)
        assert made[0].entry.id == f"{sample.id}-01"
        assert questions.own_id(document, made[0].entry) == f"{sample.id}-01"
    rows = questions.question_rows()
    assert {r.references[0].document for r in rows} == {s.file for s in samples.SAMPLES}


def test_another_file_with_the_name_of_a_sample_has_none() -> None:
    assert questions.current_set(Document("Nothing of the kind.", name="api_manual.md")) == []


def test_a_question_is_added_changed_and_removed() -> None:
    document = harbour()
    made = questions.add(document, " Who eats? ", Span(22, 43), "Crews")
    assert made.question == Question("Who eats?", (Gold("harbour.txt", 22, 43),), "Crews")
    questions.change(document, made.entry.id, text="Who eats for free?", span=Span(22, 31))
    assert questions.current_set(document) == [Question("Who eats for free?", (Gold("harbour.txt", 22, 31),), "Crews")]
    assert questions.question_rows()[0].references[0].quote == "Crews eat"
    questions.remove(document, made.entry.id)
    assert questions.current_set(document) == []


def test_words_that_occur_more_than_once_are_resolved_by_choosing() -> None:
    document = Document("old secret, new secret, old secret", name="keys.txt")
    made = questions.add(document, "Which?", "old  secret")
    assert made.question is None
    (problem,) = made.problems
    assert problem.places == (Span(0, 10), Span(24, 34))
    questions.choose_place(document, made.entry.id, problem, problem.places[1])
    assert questions.current_set(document) == [Question("Which?", (Gold("keys.txt", 24, 34),))]
    assert questions.add(document, "And?", "no such words").problems[0].places == ()


def test_samples_are_restored_and_own_questions_stay() -> None:
    document = manual()
    before = questions.current_set(document)
    assert not questions.changed_sample(document)
    questions.remove(document, "api_manual-01")
    questions.change(document, "api_manual-02", text="Edited?")
    questions.add(document, "Mine?", Span(0, 20))
    assert questions.changed_sample(document)
    assert questions.own_id(document, questions.entries(document)[0]) == ""
    questions.restore(document)
    assert questions.current_set(document)[:-1] == before
    assert questions.current_set(document)[-1].text == "Mine?"


def test_files_come_back_as_they_were_saved_and_others_wait() -> None:
    document = harbour()
    questions.add(document, "=Who eats?", Span(22, 43), "Crews")
    questions.add(document, "Who pays?", Span(0, 9))
    kept = questions.current_set(document)
    for data, name in ((to_csv(kept), "q.csv"), (to_jsonl(kept), "q.jsonl")):
        for entry in questions.entries(document):
            questions.remove(document, entry.id)
        assert questions.load(document, data.encode(), name) == (2, 0)
        assert questions.current_set(document) == kept
    other = b'{"question": "Where?", "document": "pier", "quote": "at the end"}\n'
    assert questions.load(document, other, "more.jsonl") == (0, 1)
    assert "Where?" in [r.text for r in questions.question_rows()]
    pier = Document("It stands at the end.", name="pier.md")
    assert questions.current_set(pier) == [Question("Where?", (Gold("pier.md", 10, 20),))]
    assert [r.text for r in questions.question_rows()].count("Where?") == 1


def test_rows_that_cannot_be_read_are_reported_and_too_many_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    document = harbour()
    data = b'{"question": "Who?", "document": "harbour.txt", "quote": "Crews"}\nno json\n'
    assert questions.load(document, data, "folder/q.jsonl") == (2, 0)
    good, bad = questions.placed(document)
    assert good.question is not None
    assert bad.question is None
    assert "not JSON" in bad.problems[0].text
    assert (bad.entry.origin, bad.entry.row.number) == ("q.jsonl", 2)
    monkeypatch.setattr(questions, "MOST_QUESTIONS", 3)
    with pytest.raises(LoadError, match="a set may hold 3"):
        questions.load(document, data, "q.jsonl")
    assert len(questions.entries(document)) == 2


def test_the_same_file_read_otherwise_keeps_the_questions_whose_words_are_there() -> None:
    document = Document("Left at the pier. Gone by noon.", name="log.html")
    questions.add(document, "Where?", Span(8, 16))
    questions.add(document, "When?", Span(18, 30))
    other = Document("Menu\n\nLeft at the pier.", name="log.html")
    assert questions.current_set(other) == [Question("Where?", (Gold("log.html", 14, 22),))]
    assert len(questions.current_set(document)) == 2
    # Once more: of each file the text that was shown last.
    assert [r.text for r in questions.question_rows() if r.references[0].document == "log.html"] == ["Where?", "When?"]


def test_the_rows_can_be_placed_in_all_documents_at_once() -> None:
    document, other = manual(), harbour()
    questions.add(other, "Who eats?", Span(22, 43))
    rows = [r for r in questions.question_rows() if r.references[0].document in (document.name, other.name)]
    found = resolve(rows, {document.name: document, other.name: other})
    assert found.problems == ()
    assert len(found.questions) == 1 + len(questions.current_set(document))
    assert read_rows(to_csv(found.questions), "a.csv")
