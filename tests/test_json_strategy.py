"""The strategy `json`: whole values, exact spans, true paths; held to the `json` module and to a slow walk over the text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from awkward import FIXED, awkward_text
from contract import CHECKS
from hypothesis import example, given
from hypothesis import strategies as st

from benchmarks.corpus import as_json, mixed_text
from chunkviz import Chunking, Document, engine, samples
from chunkviz.strategies.json_ import SPEC
from chunkviz.text.json_source import read_json
from chunkviz.units import unit as unit_of

UNITS = ["cl100k_base", "characters", "words", "all-MiniLM-L6-v2"]
FORMATS = [("a.json", "json"), ("a.jsonl", "json"), ("a.md", "markdown"), ("a.tex", "latex"), ("a.txt", "text")]


def made(text: str, name: str = "a.json", unit: str = "characters", **params: Any) -> Chunking:
    chunking = engine.run(Document.from_text(text, name=name), SPEC, params, unit)
    for check in CHECKS:
        check(chunking)
    return chunking


def texts(chunking: Chunking) -> list[str]:
    return [c.text for c in chunking.chunks]


# --- the slow, obvious version: a walk from value to value, scalars and ends by the `json` module ------------------

DECODER = json.JSONDecoder()
WHITE = re.compile(r"[ \t\r\n]*")


def blank(text: str, at: int) -> int:
    match = WHITE.match(text, at)
    assert match
    return match.end()


def walk(text: str, at: int, path: str = "$") -> Iterator[tuple[str, int, int, str]]:
    """(path, start, end, kind) of the value at `at`, of its keys and of everything in it; the value itself comes first."""
    at = blank(text, at)
    _, end = DECODER.raw_decode(text, at)
    if text[at] not in "{[":
        yield path, at, end, "scalar"
        return
    yield path, at, end, "container"
    is_object = text[at] == "{"
    at = blank(text, at + 1)
    place = 0
    while at < end - 1:
        step = f"[{place}]"
        if is_object:
            key, after = DECODER.raw_decode(text, at)
            step = f".{key}" if key.isidentifier() else f"[{text[at:after]}]"
            yield path + step, at, after, "key"
            at = blank(text, after) + 1
        inner = list(walk(text, at, path + step))
        yield from inner
        at = blank(text, inner[0][2])
        at = blank(text, at + 1) if text[at] == "," else at
        place += 1


def held(chunking: Chunking, start: int, end: int) -> bool:
    return any(c.start <= start and end <= c.end for c in chunking.chunks)


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**6), 10**6),
    st.floats(),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
    awkward_text(8),
    st.lists(st.sampled_from(["alpha", "beta", "gamma\n"]), max_size=30).map(" ".join),
)
KEYS = st.one_of(st.sampled_from(["a", "b", "name", "größe", "/keys", "with blank", ""]), st.text(max_size=4))
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=6), st.dictionaries(KEYS, inner, max_size=6)),
    max_leaves=30,
)
LAYOUTS = st.sampled_from([{}, {"indent": 2}, {"separators": (",", ":")}, {"indent": 1, "ensure_ascii": False}])


@st.composite
def json_texts(draw: st.DrawFn) -> str:
    text = json.dumps(draw(VALUES), **draw(LAYOUTS))
    return text.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate can be in no document


@given(text=json_texts(), unit=st.sampled_from(UNITS), size=st.integers(1, 80), merge=st.booleans())
@example('{"a":{},"b":1}', "characters", 4, True)
@example('[1,2,{"x":[]}]', "characters", 6, False)
@example('{"key":[1,2]}', "characters", 5, True)  # the list fits, but not with its key
def test_what_fits_stays_whole(text: str, unit: str, size: int, merge: bool) -> None:
    chunking = made(text, unit=unit, size=size, merge=merge)
    assert not chunking.notes
    count = unit_of(unit).count
    too_long = []
    for path, start, end, kind in walk(text, 0):
        if count(text[start:end]) > size:
            too_long += [(start, end)] if kind != "container" else []
        else:
            assert held(chunking, start, end), (path, kind, text[start:end])
    for c in chunking.chunks:
        if "forced" in c.flags:
            assert any(c.start < end and start < c.end for start, end in too_long), c


@pytest.mark.parametrize("size", [16, 60, 300])
def test_nothing_of_the_sample_that_fits_is_cut(size: int) -> None:
    text = samples.read("product_feed").decode("utf-8")
    chunking = made(text, unit="cl100k_base", size=size)
    count = unit_of("cl100k_base").count
    values = list(walk(text, 0))
    assert len(values) > 100
    assert [path for path, a, b, _ in values if count(text[a:b]) <= size and not held(chunking, a, b)] == []


def test_the_check_of_whole_values_fails_for_a_strategy_that_knows_no_json() -> None:
    """The liar of the test above."""
    text = json.dumps([{"name": "one two three", "list": [1, 2, 3]}] * 5)
    blind = engine.chunk(Document.from_text(text, name="a.json"), "recursive", unit="characters", size=60, overlap=0)
    objects = [(start, end) for path, start, end, _ in walk(text, 0) if re.fullmatch(r"\$\[\d\]", path)]
    assert len(objects) == 5
    assert not all(held(blind, start, end) for start, end in objects)
    assert all(held(made(text, size=60), start, end) for start, end in objects)


@given(text=json_texts(), size=st.integers(4, 60))
@example('{"a": [{"b": 1}, {"b c": 2}], "gr\\u00f6\\u00dfe": null}', 12)
def test_a_chunk_of_one_value_has_its_path(text: str, size: int) -> None:
    chunking = made(text, size=size, merge=False)
    spans = {start: (path, end) for path, start, end, kind in walk(text, 0) if kind != "key"}
    for c in chunking.chunks:
        bare = c.text.rstrip().removesuffix(",").rstrip()
        if c.start in spans and c.start + len(bare) == spans[c.start][1] and len(c.context) < 80:
            assert c.context == spans[c.start][0]


def test_a_path_that_is_off_by_one_would_be_seen() -> None:
    """The liar of the test above."""
    paths = [path for path, *_ in walk('{"a": [1, {"b c": 2}]}', 0)]
    assert paths == ["$", "$.a", "$.a", "$.a[0]", "$.a[1]", '$.a[1]["b c"]', '$.a[1]["b c"]']


@given(text=awkward_text(), data=st.data())
def test_promises_hold_on_awkward_text(text: str, data: st.DataObject) -> None:
    name, format_ = data.draw(st.sampled_from(FORMATS))
    unit = data.draw(st.sampled_from(UNITS))
    document = Document.from_text(text, name=name, format=format_)
    params = {"size": data.draw(st.integers(1, 60)), "merge": data.draw(st.booleans())}
    chunking = engine.run(document, SPEC, params, unit)
    for check in CHECKS:
        check(chunking)
    assert any("not JSON" in note for note in chunking.notes) or format_ == "json"


@pytest.mark.parametrize("text", FIXED, ids=lambda t: repr(t[:12]))
def test_the_smallest_texts(text: str) -> None:
    for name in ("a.json", "a.jsonl", "a.txt"):
        assert bool(made(text, name).chunks) == bool(text.strip())


@given(text=json_texts(), at=st.integers(0, 10**6), new=st.sampled_from([*'{}[],:"\\', "\n", "x", "\u0301", ""]))
def test_damaged_json_loses_nothing(text: str, at: int, new: str) -> None:
    at %= len(text)
    broken = text[:at] + new + text[at + 1 :]
    for name in ("a.json", "a.jsonl"):
        made(broken, name, size=12)


PLAIN = st.recursive(
    st.one_of(st.integers(1, 9), st.sampled_from(["a", "b c"]), st.booleans()),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.sampled_from("xyz"), inner, max_size=3)),
    max_leaves=12,
)


@given(value=PLAIN, at=st.integers(0, 10**6), new=st.sampled_from([*'{}[],:"', ""]))
def test_faults_are_found_exactly_where_python_finds_any(value: Any, at: int, new: str) -> None:
    text = json.dumps(value)
    at %= len(text)
    broken = text[:at] + new + text[at + 1 :]
    source = read_json(broken)
    understood = not source.faults and not source.tolerated and (source.containers < 0).sum() == 1
    try:
        json.loads(broken)
    except ValueError:
        # Only several values in a row are read where Python refuses them: JSON Lines.
        assert not understood or int((source.containers < 0).sum()) != 1
    else:
        assert understood


# --- B21 and what users reported elsewhere ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "parts"), [('{"a":{},"b":1}', ['"a":{}', '"b":1']), ('[1,2,{"x":[]}]', ["1", "2", '{"x":[]}'])]
)
@pytest.mark.parametrize("size", [1, 2, 5, 8, 100])
def test_empty_objects_and_lists_at_the_top_are_kept(text: str, parts: list[str], size: int) -> None:
    assert "".join(texts(made(text, size=size))) == text
    if size >= 8:
        assert all(any(part in t for t in texts(made(text, size=size))) for part in parts)


def test_duplicate_keys_are_all_kept() -> None:
    chunking = made('{"a": "first", "a": "second"}', size=16)
    assert texts(chunking) == ['{"a": "first",', '"a": "second"}']
    assert [c.context for c in chunking.chunks] == ["$.a", "$.a"]


def test_nan_and_infinity_are_values() -> None:
    chunking = made('{"a": NaN, "b": -Infinity, "c": 1e5}', size=16)
    assert texts(chunking) == ['{"a": NaN,', '"b": -Infinity,', '"c": 1e5}']
    assert not chunking.notes


@pytest.mark.parametrize(
    ("opening", "inner", "closing"), [("[", "", "]"), ('{"a":', "1", "}"), ('[{"k":', "null", "}]")]
)
def test_nesting_is_never_too_deep(opening: str, inner: str, closing: str) -> None:
    depth = 100_000
    document = Document(opening * depth + inner + closing * depth, "deep.json", "json")
    chunking = engine.run(document, SPEC, {"size": 512}, "characters")
    assert "".join(c.text for c in chunking.chunks) == document.text
    assert max(c.tokens for c in chunking.chunks) <= 512
    assert max(len(c.context) for c in chunking.chunks) < 100
    assert not chunking.notes


def test_json_lines_have_line_numbers_and_one_bad_line_costs_one_line() -> None:
    lines = ['{"id": 1}', '{"id": 2', "[3, 4]", 'broken "', '"\u2028"', "", '{"id": 7}']
    chunking = made("\n".join(lines), "log.jsonl", size=10)
    assert texts(chunking) == ['{"id": 1}', '{"id": 2', "[3, 4]", 'broken "', '"\u2028"', '{"id": 7}']
    assert [c.context for c in chunking.chunks] == ["line 1: $", "", "line 3: $", "", "line 5: $", "line 7: $"]
    assert chunking.notes == (
        "Lines that are not JSON were kept as text: 2, the first at line 2, column 1 (a bracket that nothing closes).",
    )
    joined = made("1\n2\n3\n", "log.jsonl", size=3)
    assert [c.context for c in joined.chunks] == ["lines 1 to 2: $", "line 3: $"]


def test_lines_are_found_in_a_file_that_is_only_called_json() -> None:
    chunking = made('{"a": 1}\n{"b": 2}', "log.json", size=8)
    assert [c.context for c in chunking.chunks] == ["line 1: $", "line 2: $"]


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ('{"a": 1,\n "b" 2}', "Not JSON from line 2, column 6 (a colon is missing) on"),
        ('{"a": 1,\n "b": }', "line 2, column 7 (a value is missing)"),
        ('{"a": 1 "b": 2}', "line 1, column 9 (a comma or a closing bracket is missing)"),
        ("{a: 1}", "line 1, column 2 (a key in double quotes is missing)"),
        ("[1]]", "line 1, column 4 (a closing bracket that closes nothing)"),
        ('["a, 1]', "line 1, column 2 (a string that nothing closes)"),
        ("Only words.", "line 1, column 1 (neither a list nor an object nor any other value)"),
        ('{"a": [1, 2', "ends too early, at line 1, column 12 (2 brackets that nothing closes)"),
        ("[1, 2,]", "Not in the JSON standard, but read: a comma before a closing bracket, or a word without quotes"),
    ],
)
def test_a_fault_is_named_with_line_and_column(text: str, note: str) -> None:
    (shown,) = made(text, size=6).notes
    assert note in shown


def test_what_comes_before_a_fault_is_cut_as_json() -> None:
    chunking = made('{"a": [1, 2], "b": [3, 4], "c" [5, 6], "d": 7}', size=14)
    assert [c.context for c in chunking.chunks][:2] == ["$.a", "$.b"]
    assert texts(chunking)[:2] == ['{"a": [1, 2],', '"b": [3, 4],']


# --- packing, paths and reasons, by hand -----------------------------------------------------------------------


def test_neighbours_share_a_chunk_and_the_context_says_which() -> None:
    text = '{"items": [10, 11, 12, 13, 14, 15], "more": {"x": 1, "y": 2}}'
    chunking = made(text, size=22)
    assert texts(chunking) == ['{"items": [10, 11, 12,', "13, 14, 15],", '"more":', '{"x": 1, "y": 2}}']
    assert [c.context for c in chunking.chunks][:2] == ["$.items[0:3]", "$.items[3:6]"]
    assert chunking.chunks[0].reason == "size reached; cut before $.items[3]"
    assert "before $.more" in chunking.chunks[1].reason
    assert chunking.chunks[-1].reason == "end of the document"


def test_the_path_of_an_operation_is_the_one_people_write() -> None:
    text = json.dumps({"paths": {"/keys": {"post": {"summary": "words " * 8}, "get": {"summary": "words " * 8}}}})
    chunking = made(text, size=100)
    assert [c.context for c in chunking.chunks] == ['$.paths["/keys"].post', '$.paths["/keys"].get']


def test_without_joining_every_item_is_alone() -> None:
    text = json.dumps(list(range(100, 120)))
    assert [t.strip("[], ") for t in texts(made(text, size=30, merge=False))] == [str(n) for n in range(100, 120)]


def test_a_long_string_is_cut_at_blanks_and_never_inside_an_escape() -> None:
    value = ("caf\u00e9 \u4eca\u65e5\U0001f600" * 9 + "\n\n") * 3 + '"\\' * 40
    text = json.dumps({"id": 1, "body": value, "end": 2})
    chunking = made(text, size=25)
    forced = [c for c in chunking.chunks if "forced" in c.flags]
    assert len(forced) > 10
    assert all("the value of $.body counts" in c.flags["forced"] for c in forced)
    assert {c.context for c in forced} == {"$.body"}
    assert forced[0].reason.startswith("inside the value of $.body: size reached; cut at ")
    escapes = {m.start(): m.end() for m in re.finditer(r"\\u[dD]8..\\u....|\\u....|\\.", text)}
    assert len(escapes) > 60
    for c in chunking.chunks:
        assert not any(start < border < end for start, end in escapes.items() for border in (c.start, c.end))
    assert chunking.chunks[-1].text == '"end": 2}'


def test_brackets_are_not_left_alone_where_there_is_room() -> None:
    records = [{"id": i, "text": "word " * 12, "tags": ["a", "b"]} for i in range(6)]
    chunking = made(json.dumps(records, indent=2), unit="cl100k_base", size=30)
    assert not any(re.fullmatch(r"[\[\]{},\s]*", t) for t in texts(chunking))


def test_another_format_is_cut_like_recursive_and_says_so() -> None:
    chunking = made("Some words.\n\nMore words.", "a.txt", size=12)
    assert texts(chunking) == ["Some words.", "More words."]
    assert "This document is text, not JSON; it was cut like “recursive”." in chunking.notes


def test_a_long_word_fills_its_chunks() -> None:
    """Characters counted one by one are more than the word they make: without joining, chunks were a quarter as long."""
    chunking = made(json.dumps({"data": "longtext" * 200}), unit="cl100k_base", size=60)
    assert min(c.tokens for c in chunking.chunks[1:-1]) > 40


def test_the_benchmark_measures_json_and_not_a_fallback() -> None:
    text = as_json(mixed_text(30_000))
    assert 25_000 < len(text.encode()) <= 30_000
    assert {*json.loads(text)[0]} == {"id", "kind", "tags", "words", "lines"}
    assert made(text, unit="cl100k_base", size=300).notes == ()
