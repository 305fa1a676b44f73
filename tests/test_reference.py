"""References: what is saved is what is read, what has moved is found again, and what is wrong is refused with a reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from awkward import awkward_text
from hypothesis import given
from hypothesis import strategies as st
from viewer_vectors import chunking_of

import chunkviz
from chunkviz import samples
from chunkviz.document import Document
from chunkviz.errors import LoadError
from chunkviz.graphemes import graphemes
from chunkviz.reference import (
    LONGEST_QUOTE,
    MOST_BOUNDARIES,
    Reference,
    from_chunking,
    from_positions,
    load,
    of_sample,
    read,
    sample_ids,
    save,
)
from chunkviz.text.sentences import document_sentences
from chunkviz.text.visible import Visible

TEXT = (
    "Good morning. The bill is wrong.\n\nAnd the parasol did not come. That is all, thank you very much for your help."
)
PARASOL = TEXT.index("And the parasol")
THAT = TEXT.index("That is all")


@pytest.fixture
def document() -> Document:
    return Document(TEXT, "call.txt")


@pytest.fixture
def saved(document: Document) -> dict[str, Any]:
    """A reference with two boundaries, as the JSON says it."""
    made = from_positions(document, [PARASOL, THAT], {PARASOL: "parasol"}).to_json()
    parsed: dict[str, Any] = json.loads(made)
    return parsed


def test_what_is_written(document: Document, saved: dict[str, Any]) -> None:
    assert saved == {
        "version": 1,
        "document": "call.txt",
        "fingerprint": document.fingerprint,
        "boundaries": [
            {"at": PARASOL, "begins": "And the parasol did not come. That is all, thank y", "why": "parasol"},
            {"at": THAT, "begins": "That is all, thank you very much for your help."},
        ],
    }


def test_a_file_round_trip(document: Document, tmp_path: Path) -> None:
    made = from_positions(document, [THAT, PARASOL])
    save(made, tmp_path / "reference.json")
    assert load(tmp_path / "reference.json", document) == made
    assert made.positions == (PARASOL, THAT)
    with pytest.raises(LoadError, match="cannot be read"):
        load(tmp_path / "none.json", document)


@given(awkward_text(20), st.data())
def test_what_is_saved_is_what_is_read(text: str, data: st.DataObject) -> None:
    document = Document(text, "Ünïcode “name”\n.txt")
    positions = data.draw(st.lists(st.integers(0, len(text)), max_size=8))
    made = from_positions(document, positions, dict.fromkeys(positions, 'a "reason"\n'))
    assert read(made.to_json(), document) == made
    assert read(made.to_json().encode(), document) == made
    clusters = graphemes(document)
    for at in made.positions:
        assert not text[at].isspace()
        assert clusters.is_border(at)
        assert text[:at].strip()
    assert list(made.positions) == sorted(set(made.positions))


@given(awkward_text(20), st.data())
def test_boundaries_move_with_the_text_or_are_refused(text: str, data: st.DataObject) -> None:
    """In another version of the document each boundary stands where it belongs, or nowhere at all."""
    document = Document(text)
    made = from_positions(document, data.draw(st.lists(st.integers(0, len(text)), max_size=5)))
    before = "Something that was not there. "
    later = Document(before + text.replace("\n", " \n"))
    try:
        found = read(made.to_json(), later)
    except LoadError as error:
        assert (
            "cannot be found again" in str(error)
            or "does not come after" in str(error)
            or "parts nothing" in str(error)
        )
        return
    assert found.found_again == len(made.boundaries)
    assert found.fingerprint == later.fingerprint
    seen = [len("".join(text[:at].split())) + len("".join(before.split())) for at in made.positions]
    assert [len("".join(later.text[:at].split())) for at in found.positions] == seen


def test_words_that_occur_twice_are_quoted_at_length() -> None:
    row = "| a cell of a table | another cell of the same table |\n"
    document = Document(row + row + "and then the end.")
    made = from_positions(document, [len(row)])
    assert made.boundaries[0].begins.endswith("then the end.")
    later = Document("New. " + document.text)
    assert read(made.to_json(), later).positions == (len(row) + 5,)
    endless = Document("ha " * 5000)
    quote = from_positions(endless, [300]).boundaries[0].begins
    assert len(quote) < 2 * LONGEST_QUOTE
    assert read(from_positions(endless, [300]).to_json(), endless).positions == (300,)
    with pytest.raises(LoadError, match="more than once"):
        read(from_positions(endless, [300]).to_json(), Document("ha " * 5001))


def test_positions_that_part_nothing_are_left_out_and_equal_ones_joined() -> None:
    document = Document("  Ab.  Cd.  ")
    assert from_positions(document, [0, 1, 2, 10, 12]).positions == ()
    both = from_positions(document, [5, 7], {7: "what is new"})
    assert both.positions == (7,)
    assert both.boundaries[0].why == "what is new"
    assert from_positions(Document(""), [0]).to_json().endswith('"boundaries": []\n}\n')
    with pytest.raises(ValueError, match="outside"):
        from_positions(document, [13])
    many = Document("a " * (MOST_BOUNDARIES + 2))
    with pytest.raises(ValueError, match="at most"):
        from_positions(many, range(0, len(many.text), 2))


def test_a_chunking_as_reference() -> None:
    document = Document(TEXT)
    made = from_chunking(chunking_of(document, [(0, PARASOL - 1), (PARASOL - 1, THAT), (THAT, len(TEXT))]))
    assert [(b.at, b.why) for b in made.boundaries] == [(PARASOL, "reason 0"), (THAT, "reason 1")]


@given(awkward_text(30), st.data())
def test_places_of_words_the_slow_way(text: str, data: st.DataObject) -> None:
    seen = Visible(text)
    assert seen.text == "".join(text.split())
    assert [text[i] for i in seen.at] == list(seen.text)
    spans = data.draw(st.lists(st.tuples(st.integers(0, len(seen.text)), st.integers(1, 9)), max_size=8))
    words = [seen.text[start : start + size] for start, size in spans] + ["nowhere", ""]
    for word, places in seen.places(words).items():
        assert places == ([i for i in range(len(seen.text)) if seen.text.startswith(word, i)][:2] if word else [])


def test_equal_hashes_are_not_equal_words() -> None:
    """The Thue-Morse word and its complement have the same polynomial hash modulo 2**64, whatever the base is."""
    word = "a"
    for _ in range(11):
        word += word.translate({97: 98, 98: 97})
    other = word.translate({97: 98, 98: 97})
    assert Visible(other + "." + other).places([word, other]) == {word: [], other: [0, len(other) + 1]}
    assert Visible(other).places([word]) == {word: []}


# --- what is refused ------------------------------------------------------------------------------------------------


def altered(saved: dict[str, Any], **changes: Any) -> str:
    return json.dumps(saved | changes)


def test_words_that_do_not_stand_there_are_refused(document: Document, saved: dict[str, Any]) -> None:
    saved["boundaries"][1]["at"] += 1
    with pytest.raises(LoadError, match=rf"Boundary 2 should begin with .* but at {THAT + 1} stands “hat is all"):
        read(json.dumps(saved), document)
    saved["boundaries"][1]["at"] = len(TEXT)
    with pytest.raises(LoadError, match="outside the"):
        read(json.dumps(saved), document)


def test_white_space_before_the_words_is_the_same_place(document: Document, saved: dict[str, Any]) -> None:
    saved["boundaries"][0]["at"] -= 2
    assert read(json.dumps(saved), document).positions == (PARASOL, THAT)


def test_words_that_are_gone_or_doubled_are_refused(saved: dict[str, Any]) -> None:
    data = json.dumps(saved)
    with pytest.raises(LoadError, match=r"another version of later\.txt, and boundary 1 .* nowhere"):
        read(data, Document(TEXT.replace("parasol", "umbrella"), "later.txt"))
    with pytest.raises(LoadError, match=r"boundary 1 .* more than once"):
        read(data, Document(TEXT + "\n" + TEXT, "later.txt"))


def test_an_order_that_has_changed_is_refused(saved: dict[str, Any]) -> None:
    saved["boundaries"][0]["begins"] = "And the parasol did not come."
    last, first = TEXT[THAT:], TEXT[PARASOL:THAT]
    with pytest.raises(LoadError, match=r"Boundary 2 .* does not come after"):
        read(json.dumps(saved), Document(f"Well. {last} {first}"))
    with pytest.raises(LoadError, match=r"Boundary 1 .* parts nothing"):
        read(json.dumps(saved), Document(f"{first} {last}"))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ("", "not JSON"),
        (b"\xff\xfe\x00", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "no list `boundaries`"),
        ("{}", "no list `boundaries`"),
        ('{"boundaries": {}}', "no list `boundaries`"),
        ('{"boundaries": [], "version": 2}', "version 2"),
        ('{"boundaries": []}', "no text `document`"),
        ('{"boundaries": [], "document": "a"}', "no text `fingerprint`"),
        ('{"boundaries": [], "document": "\\ud800", "fingerprint": ""}', "half a character"),
        (b" " * 10_000_001, "at most 10,000,000 bytes"),
        ('{"boundaries": [' + "0," * MOST_BOUNDARIES + "0]}", "at most 10,000 boundaries"),
    ],
)
def test_files_that_are_no_reference(document: Document, data: str | bytes, reason: str) -> None:
    with pytest.raises(LoadError, match=reason):
        read(data, document)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (5, "not an object"),
        ({}, "no whole number `at`"),
        ({"at": True, "begins": "Good"}, "no whole number `at`"),
        ({"at": 1.5, "begins": "Good"}, "no whole number `at`"),
        ({"at": -1, "begins": "Good"}, "outside"),
        ({"at": 10**30, "begins": "Good"}, "outside"),
        ({"at": 14}, "no text `begins`"),
        ({"at": 14, "begins": " "}, "empty `begins`"),
        ({"at": 14, "begins": "The bill" * 200}, "1,600 characters"),
        ({"at": 14, "begins": "The bill", "why": 3}, "no text `why`"),
        ({"at": 0, "begins": "Good"}, "parts nothing"),
    ],
)
def test_rows_that_are_no_boundary(document: Document, saved: dict[str, Any], row: Any, reason: str) -> None:
    with pytest.raises(LoadError, match=f"Boundary 1 .*{reason}"):
        read(altered(saved, boundaries=[row]), document)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.fixed_dictionaries(
        {
            "boundaries": st.lists(
                st.fixed_dictionaries({"at": JSON | st.just(14), "begins": JSON | st.just("The bill")})
            )
        },
        optional={"document": JSON | st.just("a"), "fingerprint": JSON | st.just("f"), "version": JSON | st.just(1)},
    )
)
def test_whatever_is_in_the_file_the_answer_is_a_reference_or_a_sentence(content: Any) -> None:
    try:
        found = read(json.dumps(content), Document(TEXT))
    except LoadError as error:
        assert str(error).encode().decode().endswith(".")
    else:
        assert isinstance(found, Reference)


# --- the samples ----------------------------------------------------------------------------------------------------


def check_sample(reference: Reference, document: Document) -> None:
    """Every boundary is the start of a sentence, says why, and would be found again in another version."""
    starts = {span.start for span in document_sentences(document)}
    assert set(reference.positions) <= starts
    assert all(b.why for b in reference.boundaries)
    before = "Another edition. "
    later = Document(before + document.text, document.name)
    assert read(reference.to_json(), later).positions == tuple(at + len(before) for at in reference.positions)


@pytest.mark.parametrize("sample_id", sample_ids())
def test_references_of_the_samples(sample_id: str) -> None:
    document = chunkviz.load(samples.FOLDER / samples.sample(sample_id).file)
    reference = of_sample(sample_id, document)
    assert reference is not None
    assert reference.document == document.name
    check_sample(reference, document)
    sentences = len(document_sentences(document))
    assert 4 <= sentences / (len(reference.boundaries) + 1) <= 30, "segments of a size that a topic has"


def test_the_sample_check_can_fail(document: Document) -> None:
    inside, silent = from_positions(document, [PARASOL + 4], {PARASOL + 4: "x"}), from_positions(document, [PARASOL])
    twice = Document("Ha ha. " * 200)
    for liar, of in ((inside, document), (silent, document), (from_positions(twice, [70], {70: "x"}), twice)):
        with pytest.raises((AssertionError, LoadError)):
            check_sample(liar, of)


def test_which_samples_have_one() -> None:
    assert sample_ids() == ("call_transcript", "policy_handbook")
    assert of_sample("help_page", Document("a")) is None
    assert of_sample("../reference/call_transcript", Document("a")) is None


def test_the_handbook_turns_at_every_heading_that_begins_text() -> None:
    """A heading under a heading begins with it, and entries of the front matter are none; all the others are boundaries."""
    document = chunkviz.load(samples.FOLDER / "policy_handbook.pdf")
    reference = of_sample("policy_handbook", document)
    assert reference is not None
    ends = {h.end for h in document.headings}
    chapters = [h for h in document.headings if h.level == 1 and h.start > 0]
    assert chapters
    assert {h.start for h in chapters} <= set(reference.positions)
    assert not any(end == at for end in ends for at in reference.positions), "never between a heading and its text"


def test_reading_the_handbook_twice_gives_the_same_document() -> None:
    path = samples.FOLDER / "policy_handbook.pdf"
    assert chunkviz.load(path).fingerprint == chunkviz.load(path).fingerprint
