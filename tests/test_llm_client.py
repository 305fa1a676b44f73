"""The client for language models: a scripted server does everything wrong, and each time one sentence says what."""

from __future__ import annotations

import asyncio
import json
import logging
import sqlite3
import stat
import threading
import time
import traceback
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import scripted_server as scripted
from hypothesis import given
from hypothesis import strategies as st
from scripted_server import ScriptedServer

from chunkviz import LLMError, llm
from chunkviz.errors import Stopped
from chunkviz.llm.answers import FILE, InMemory, OnDisk, key_of
from chunkviz.llm.endpoint import Endpoint, Limits
from chunkviz.llm.questions import Answer, Question, Usage, estimate
from chunkviz.llm.reading import Unusable, json_object, sentence_numbers, without_halves
from chunkviz.settings import Settings

KEY = "sk-test-7Q9xLmW2vR4tYz8B"
QUICK = Limits(seconds=5, tries=3, first_pause=0.01)
IMPATIENT = replace(QUICK, seconds=0.4)


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with scripted.scripted_server() as made:
        yield made


@pytest.fixture(autouse=True)
def _own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHUNKVIZ_CACHE_DIR", str(tmp_path / "store"))


def question(text: str = "[1] One.\n[2] Two.\n[3] Three.") -> Question:
    return Question('Answer {"cuts": [...]}.', text, "cuts", "1", 5)


def read(at: int, found: dict[str, Any]) -> list[int]:
    return sentence_numbers(found["cuts"], 3)


def asked(
    server: ScriptedServer, limits: Limits = QUICK, key: str = KEY, model: str = "m"
) -> tuple[Answer[list[int]], llm.Client]:
    with llm.using(Endpoint(server.base_url, key, model), limits=limits):
        client = llm.client()
    (answer,) = client.ask([question()], read)
    return answer, client


# --- answers that a model gets wrong: asked once more, then no value but a reason ---------------------------------

NONSENSE = {
    "bad JSON": (scripted.say('{"cuts": [1, 2'), "holds no JSON object"),
    "wrong numbers": (scripted.cuts(1, 99), "99 is not the number of a sentence, they go from 1 to 3"),
    "zero": (scripted.cuts(0), "0 is not the number"),
    "negative": (scripted.cuts(-1), "-1 is not the number"),
    "words": (scripted.cuts("two"), '"two" is not the number'),
    "true": (scripted.cuts(True), "true is not the number"),
    "a half": (scripted.cuts(1.5), "1.5 is not the number"),
    "no list": (scripted.say('{"cuts": 2}'), "not a list"),
    "repeated": (scripted.cuts(1, 2, 2), "2 is given twice"),
    "out of order": (scripted.cuts(2, 1), "1 comes after 2"),
    "empty": (scripted.say(""), "it is empty"),
    "prose only": (scripted.say("I would cut after the second sentence."), "no JSON object"),
    "two objects": (scripted.say('{"cuts": [1]} or {"cuts": [2]}'), "2 JSON objects"),
    "other key": (scripted.say('{"ends": [1]}'), "no JSON object with the key “cuts”"),
    "no text": (scripted.say(None), "holds no text"),
    "no choices": (scripted.raw(b'{"object": "error"}'), "not the form of a chat completion"),
    "deep": (scripted.say('{"cuts": ' + "[" * 100_000), "no JSON object"),
    "huge number": (scripted.say('{"cuts": [' + "9" * 5000 + "]}"), "no JSON object"),
}


@pytest.mark.parametrize("name", NONSENSE)
def test_nonsense_is_asked_once_more_and_then_has_a_reason(name: str, server: ScriptedServer) -> None:
    step, words = NONSENSE[name]
    server.script.extend([step, step])
    answer, client = asked(server)
    assert answer.value is None
    assert words in answer.problem
    assert len(server.requests) == 2
    assert client.usage.again == 1
    second = server.requests[1].body["messages"]
    assert [m["role"] for m in second] == ["system", "user", "assistant", "user"]
    assert words in second[3]["content"]
    assert second[:2] == server.requests[0].body["messages"]


@pytest.mark.parametrize("name", NONSENSE)
def test_a_better_second_answer_counts(name: str, server: ScriptedServer) -> None:
    server.script.extend([NONSENSE[name][0], scripted.cuts(2)])
    answer, _ = asked(server)
    assert answer == Answer([2])


def test_an_answer_that_is_too_large_is_nonsense_and_is_not_read_to_the_end(server: ScriptedServer) -> None:
    server.script.extend([scripted.huge(100_000_000)] * 2)
    answer, _ = asked(server, replace(QUICK, answer_bytes=200_000))
    assert "larger than 200 kB (CHUNKVIZ_LLM_ANSWER_KB)" in answer.problem
    assert server.sent_bytes < 50_000_000


@pytest.mark.parametrize(
    "text",
    [
        'Sure! Here it is:\n```json\n{"cuts": [1, 3]}\n```\nAnything else?',
        '<think>maybe {"cuts": [2]}</think>{"cuts": [1, 3]}',
        'I use {braces} and {"a": 1}. {"cuts": [1, 3]}',
        [{"type": "text", "text": '{"cuts": '}, {"type": "text", "text": "[1, 3]}"}],
    ],
)
def test_prose_around_the_object_does_no_harm(text: Any, server: ScriptedServer) -> None:
    server.script.append(scripted.say(text))
    answer, client = asked(server)
    assert answer == Answer([1, 3])
    assert client.usage == Usage(sent=1, tokens_in=100, tokens_out=10)


# --- endpoints that fail: tried again where it may help, then one sentence ----------------------------------------

PASSING = {
    "429": scripted.status(429, "slow down"),
    "500": scripted.status(500),
    "503 with a pause": scripted.status(503, Retry_After="0"),
    "cut stream": scripted.cut_stream,
    "reset": scripted.reset,
    "not JSON": scripted.raw(b"<html>Welcome to the gateway</html>"),
    "half JSON": scripted.raw(b'{"choices": [{"mess'),
    "a list": scripted.raw(b"[]"),
}


@pytest.mark.parametrize("name", PASSING)
def test_what_passes_is_tried_again(name: str, server: ScriptedServer) -> None:
    server.script.extend([PASSING[name], PASSING[name], scripted.cuts(1)])
    answer, _ = asked(server)
    assert answer == Answer([1])
    assert len(server.requests) == 3


LASTING = {
    "429": (
        scripted.status(429, "slow down"),
        3,
        r"takes no more requests for now \(HTTP 429: slow down\), also when asked 3 times",
    ),
    "500": (scripted.status(500), 3, r"failed \(HTTP 500\), also when asked 3 times"),
    "cut stream": (scripted.cut_stream, 3, "broke the connection off in the middle, also when asked 3 times"),
    "reset": (scripted.reset, 3, "broke the connection off in the middle, also when asked 3 times"),
    "not JSON": (scripted.raw(b"<html>"), 3, "something that is not JSON, also when asked 3 times"),
    "long pause": (
        scripted.status(429, Retry_After="600"),
        1,
        r"pause of 600 seconds, which is past the limit of 5 \(",
    ),
    "401": (
        scripted.echo_key,
        1,
        r"refused the key \(HTTP 401\)\. Check OPENAI_API_KEY\. It says: Incorrect key •••\.",
    ),
    "403": (scripted.status(403), 1, r"refused the key \(HTTP 403\)"),
    "404": (scripted.status(404, "model m not found"), 1, r"HTTP 404.*OPENAI_BASE_URL.*It says: model m not found"),
    "400": (scripted.status(400, "context length"), 1, r"refused the request \(HTTP 400\)\. It says: context length"),
    "redirect": (scripted.status(307, Location="http://127.0.0.1:9/v1"), 1, r"send the document on .* \(HTTP 307\)"),
    "zipped": (scripted.zipped, 1, "answers compressed"),
    "204": (scripted.status(204), 1, r"refused the request \(HTTP 204\)"),
}


@pytest.mark.parametrize("name", LASTING)
def test_what_lasts_ends_in_one_sentence(name: str, server: ScriptedServer) -> None:
    step, tries, words = LASTING[name]
    server.default = step
    with pytest.raises(LLMError, match=words) as caught:
        asked(server)
    assert len(server.requests) == tries
    message = str(caught.value)
    assert message.startswith(("127.0.0.1", "The"))
    assert "\n" not in message


@pytest.mark.parametrize("step", [scripted.silence, scripted.drip], ids=["silence", "a byte now and then"])
def test_the_deadline_is_for_the_whole_answer(step: scripted.Step, server: ScriptedServer) -> None:
    server.default = step
    begin = time.monotonic()
    with pytest.raises(LLMError, match=r"no complete answer within 0.4 seconds \(CHUNKVIZ_LLM_SECONDS\)\."):
        asked(server, IMPATIENT)
    assert time.monotonic() - begin < 2


def test_the_deadline_is_for_all_tries_together(server: ScriptedServer) -> None:
    server.script.append(scripted.status(500))
    server.default = scripted.silence
    begin = time.monotonic()
    with pytest.raises(LLMError, match=r"within 0.4 seconds .* At an earlier try it failed \(HTTP 500\)"):
        asked(server, IMPATIENT)
    assert time.monotonic() - begin < 2


def test_nobody_listening_is_said_at_once() -> None:
    with scripted.scripted_server() as gone:
        base_url = gone.base_url
    with llm.using(Endpoint(base_url, model="m"), limits=QUICK), pytest.raises(LLMError, match="cannot be reached"):
        llm.client().ask([question()], read)


def test_a_pause_that_the_server_asks_for_is_kept(server: ScriptedServer) -> None:
    server.script.append(scripted.status(429, Retry_After="0.3"))
    server.script.append(scripted.cuts())
    begin = time.monotonic()
    asked(server)
    assert time.monotonic() - begin >= 0.3


# --- keys ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LASTING)
def test_no_part_of_the_key_is_in_error_log_or_traceback(
    name: str, server: ScriptedServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.default = LASTING[name][0]
    with pytest.raises(LLMError) as caught:
        asked(server)
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"  # the check below would see it
    assert caught.value.__cause__ is None
    shown = repr(caught.value) + "".join(traceback.format_exception(caught.value))
    for text in (shown, caplog.text):
        assert not any(KEY[i : i + 6] in text for i in range(len(KEY) - 5))


def test_a_key_is_in_no_repr_and_no_identity() -> None:
    endpoint = Endpoint("http://localhost/v1", KEY, "m")
    assert KEY not in repr(endpoint)
    assert endpoint.identity == Endpoint("http://localhost/v1", "another", "m").identity
    assert endpoint.identity != Endpoint("http://localhost/v1", KEY, "n").identity
    with llm.using(endpoint):
        assert KEY not in repr(llm.client())


@pytest.mark.parametrize(
    ("url", "key", "words"),
    [
        ("", "", "must begin with http"),
        ("localhost:11434", "", "must begin with http"),
        ("file:///etc/passwd", "", "must begin with http"),
        ("http://", "", "must begin with http"),
        ("http://host:port/v1", "", "must begin with http"),
        ("http://[::1/v1", "", "must begin with http"),
        ("http://a b/v1", "", "must begin with http"),
        (KEY, "", "must begin with http"),
        (f"https://user:{KEY}@host/v1", "", "no user name"),
        ("https://host/v1#x", "", "no user name"),
        ("https://host/v1", "two words", "one word of ASCII"),
        ("https://host/v1", f"{KEY}\r\nX-Evil: 1", "one word of ASCII"),
        ("https://host/v1", "schlüssel", "one word of ASCII"),
    ],
)
def test_addresses_and_keys_that_cannot_be_used_are_refused_unquoted(url: str, key: str, words: str) -> None:
    with pytest.raises(LLMError, match=words) as caught:
        Endpoint(url, key)
    assert KEY not in str(caught.value)


def test_addresses_keep_their_path_and_query() -> None:
    assert Endpoint("http://h/v1/").url("chat/completions") == "http://h/v1/chat/completions"
    azure = Endpoint("https://x.openai.azure.com/openai/deployments/d?api-version=1", "abcdefgh")
    assert azure.url("chat/completions") == (
        "https://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=1"
    )
    assert azure.headers["api-key"] == "abcdefgh"
    assert "api-key" not in Endpoint("https://azure.com.example.org/v1", "abcdefgh").headers


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("[::1]", True),
        ("localhost", True),
        ("localhost.example.org", False),
        ("10.0.0.1", False),
    ],
)
def test_a_proxy_is_never_asked_for_this_machine(host: str, local: bool) -> None:
    assert Endpoint(f"http://{host}/v1").is_local is local


def test_a_proxy_of_the_environment_does_not_see_local_requests(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    assert asked(server)[0].value is not None


# --- which endpoint, which model ----------------------------------------------------------------------------------


@pytest.fixture
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "OPENAI_MODEL"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


def test_without_an_endpoint_it_says_what_is_needed(nothing_set: pytest.MonkeyPatch) -> None:
    assert llm.available() is None
    with pytest.raises(LLMError, match=r"Set OPENAI_BASE_URL.*OPENAI_API_KEY and OPENAI_MODEL"):
        llm.client()
    nothing_set.setenv("OPENAI_API_KEY", KEY)
    with pytest.raises(LLMError, match="Set OPENAI_BASE_URL"):  # a key alone sends no document anywhere
        llm.client()


def test_the_session_goes_before_the_environment_and_only_inside_the_with(nothing_set: pytest.MonkeyPatch) -> None:
    nothing_set.setenv("OPENAI_BASE_URL", "http://environment/v1")
    nothing_set.setenv("OPENAI_API_KEY", KEY)
    seen: list[str] = []
    with llm.using(Endpoint("http://session/v1")):
        assert llm.client().endpoint == Endpoint("http://session/v1")  # and not with the key of the environment
        other = threading.Thread(target=lambda: seen.append(llm.client().endpoint.host))
        other.start()
        other.join()
    assert seen == ["environment"]
    assert llm.client().endpoint == Endpoint("http://environment/v1", KEY)


def test_prices_of_the_environment(nothing_set: pytest.MonkeyPatch) -> None:
    nothing_set.setenv("OPENAI_BASE_URL", "http://h/v1")
    assert llm.available() == Endpoint("http://h/v1")
    nothing_set.setenv("CHUNKVIZ_LLM_PRICES", "0.15 0.60")
    assert llm.available() == Endpoint("http://h/v1", price_in=0.15, price_out=0.6)
    for wrong in ("1", "1 2 3", "a b", "-1 2", "nan 1", "1 inf"):
        nothing_set.setenv("CHUNKVIZ_LLM_PRICES", wrong)
        with pytest.raises(LLMError, match="CHUNKVIZ_LLM_PRICES must be two numbers"):
            llm.available()


def test_the_only_model_of_an_endpoint_need_not_be_named(server: ScriptedServer) -> None:
    _, client = asked(server, model="")
    assert client.model == scripted.MODEL
    assert server.requests[0].body["model"] == scripted.MODEL


@pytest.mark.parametrize(
    ("models", "words"),
    [(["a", "b"], "It has 2: a, b."), ([], "It lists none."), ([f"m{i}" for i in range(9)], "m7, ….")],
)
def test_several_models_have_to_be_chosen_from(models: list[str], words: str, server: ScriptedServer) -> None:
    server.models = models
    with pytest.raises(LLMError, match="as `model` or OPENAI_MODEL") as caught:
        asked(server, model="")
    assert str(caught.value).endswith(words)


def test_requests_are_cold_and_whole(server: ScriptedServer) -> None:
    asked(server)
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.body["temperature"] == 0
    assert request.body["stream"] is False
    assert request.headers["accept-encoding"] == "identity"


def test_a_model_that_takes_no_temperature_is_asked_without_and_it_is_said(server: ScriptedServer) -> None:
    server.script.append(scripted.status(400, "Unsupported value: 'temperature' does not support 0"))
    server.script.append(scripted.cuts(1))
    answer, client = asked(server)
    assert answer == Answer([1])
    assert "temperature" not in server.requests[1].body
    assert client.notes == ["m does not take temperature 0; another run may cut elsewhere."]


# --- many questions, stopping, running loops ----------------------------------------------------------------------


def test_answers_come_in_the_order_of_the_questions_and_side_by_side(server: ScriptedServer) -> None:
    def echo(handler: scripted.Handler, request: scripted.Request) -> None:
        n = int(request.body["messages"][1]["content"])
        time.sleep(0.05 * (3 - n % 3))
        scripted.say(json.dumps({"cuts": n}))(handler, request)

    server.default = echo
    told: list[tuple[int, int]] = []
    with llm.using(
        Endpoint(server.base_url, model="m"), limits=QUICK, progress=lambda done, of: told.append((done, of))
    ):
        client = llm.client()
    answers = client.ask([question(str(n)) for n in range(12)], lambda at, found: (at, found["cuts"]))
    assert [a.value for a in answers] == [(n, n) for n in range(12)]
    assert told == [(n, 12) for n in range(1, 13)]
    assert 1 < server.most_under_way <= QUICK.parallel


def test_one_refusal_ends_the_run_and_what_had_come_is_kept(server: ScriptedServer) -> None:
    server.script.extend([scripted.cuts(1), scripted.status(401)])
    one_by_one = replace(QUICK, parallel=1)
    questions = [question(str(n)) for n in range(5)]
    with llm.using(Endpoint(server.base_url, model="m"), limits=one_by_one):
        with pytest.raises(LLMError, match="HTTP 401"):
            llm.client().ask(questions, read)
        assert len(server.requests) == 2
        client = llm.client()
        server.default = scripted.cuts(2)
        assert [a.value for a in client.ask(questions, read)] == [[1], [2], [2], [2], [2]]
    assert (client.usage.stored, client.usage.sent) == (1, 4)


def test_stop_ends_a_run_that_waits(server: ScriptedServer) -> None:
    server.default = scripted.silence
    stop = threading.Event()
    timer = threading.Timer(0.2, stop.set)
    timer.start()
    begin = time.monotonic()
    with (
        llm.using(Endpoint(server.base_url, model="m"), limits=replace(QUICK, seconds=60), stop=stop),
        pytest.raises(Stopped, match="the next run goes on from there"),
    ):
        llm.client().ask([question()], read)
    assert 0.1 < time.monotonic() - begin < 3
    timer.join()


def test_it_works_inside_a_running_loop(server: ScriptedServer) -> None:
    async def cell() -> Answer[list[int]]:
        return asked(server)[0]

    server.default = scripted.cuts(2)
    assert asyncio.run(cell()) == Answer([2])


def test_too_many_questions_are_refused_before_the_first(server: ScriptedServer) -> None:
    with (
        llm.using(Endpoint(server.base_url, model="m"), limits=replace(QUICK, questions=2)),
        pytest.raises(LLMError, match=r"would take 3 questions .* the limit is 2 \(CHUNKVIZ_LLM_QUESTIONS\)"),
    ):
        llm.client().ask([question(str(n)) for n in range(3)], read)
    assert not server.requests


def test_limits_come_from_the_settings() -> None:
    assert Limits.of_process() == Limits()
    defaults = Settings()
    assert Limits().answer_bytes == defaults.llm_answer_kb * 1000


# --- the store ----------------------------------------------------------------------------------------------------


def test_an_answer_is_asked_once_and_the_store_holds_no_key(server: ScriptedServer, tmp_path: Path) -> None:
    server.default = scripted.cuts(1)
    first, _ = asked(server)
    again, client = asked(server, key="another-key-altogether")
    assert first == again
    assert len(server.requests) == 1
    assert client.usage == Usage(stored=1)
    assert "nothing was sent" in client.usage.note("m", client.endpoint)
    file = tmp_path / "store" / FILE
    data = file.read_bytes()
    assert b'{"cuts": [1]}' in data
    assert KEY.encode() not in data
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_what_decides_an_answer_decides_its_place(server: ScriptedServer) -> None:
    base = question()
    others = [base, replace(base, text="x"), replace(base, instructions="x"), replace(base, version="2")]
    with llm.using(Endpoint(server.base_url, model="m"), limits=QUICK):
        server.default = scripted.cuts(1)
        for made in others:
            llm.client().ask([made], read)
        llm.client().ask([base], read, model="n")
    assert len(server.requests) == 5
    assert key_of("ab", "c") != key_of("a", "bc")


def test_nonsense_is_not_kept(server: ScriptedServer) -> None:
    server.script.extend([scripted.cuts(99)] * 2)
    asked(server)
    server.default = scripted.cuts(1)
    assert asked(server)[0] == Answer([1])


@pytest.mark.parametrize("kept", ["", "no JSON", '{"cuts": [99]}', "[" * 100_000])
def test_a_spoilt_entry_is_a_miss(kept: str, server: ScriptedServer, tmp_path: Path) -> None:
    server.default = scripted.cuts(1)
    asked(server)
    with sqlite3.connect(tmp_path / "store" / FILE) as connection:
        connection.execute("UPDATE answers SET value = ?", (kept,))
    connection.close()
    assert asked(server)[0] == Answer([1])
    assert len(server.requests) == 2


def test_a_spoilt_store_costs_one_notice_and_no_answer(server: ScriptedServer, tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / FILE).write_bytes(b"not a database" * 100)
    with llm.using(Endpoint(server.base_url, model="m"), limits=QUICK):
        client = llm.client()
    server.default = scripted.cuts(1)
    answers = client.ask([question("a"), question("b")], read)
    assert [a.value for a in answers] == [[1], [1]]
    assert len(client.notes) == 1
    assert "could not be kept" in client.notes[0]


@pytest.mark.parametrize("kind", ["memory", "disk"])
def test_a_store_forgets_the_oldest(kind: str, tmp_path: Path) -> None:
    store = InMemory(3) if kind == "memory" else OnDisk(tmp_path, 3)
    for n in range(5):
        assert store.put(f"k{n}", str(n)) == ""
    assert [store.get(f"k{n}") for n in range(5)] == [None, None, "2", "3", "4"]


def test_without_a_folder_answers_stay_in_memory(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("CHUNKVIZ_CACHE_DIR")
    asked(server)
    asked(server)
    assert len(server.requests) == 1
    assert not (tmp_path / "store").exists()


# --- figures ------------------------------------------------------------------------------------------------------


def test_estimates_count_tokens_and_money() -> None:
    asked_about = [Question("one two", "three four", "cuts", "1", 7)] * 3
    assert estimate(asked_about) == llm.Estimate(3, 12, 21, None)
    priced = Endpoint("http://h/v1", price_in=2.0, price_out=10.0)
    assert estimate(asked_about, priced).cost == pytest.approx((12 * 2 + 21 * 10) / 1_000_000)


def test_notes_say_what_a_run_took() -> None:
    endpoint = Endpoint("http://h/v1")
    priced = Endpoint("http://h/v1", price_in=2.0, price_out=10.0)
    usage = Usage(stored=2, sent=3, tokens_in=1_500, tokens_out=90)
    assert (
        usage.note("m", endpoint)
        == "m at h was asked 3 times; 1,500 tokens read and 90 written; 2 more from the store."
    )
    assert "cost 0.0039 by the prices given" in usage.note("m", priced)
    assert Usage(sent=1, uncounted=1).note("m", priced) == "m at h was asked once; once without a count of tokens."


# --- reading ------------------------------------------------------------------------------------------------------


@given(
    st.one_of(st.text(), st.text(alphabet='{}[]":,cuts012 \\'), st.recursive(st.integers(), st.lists).map(json.dumps))
)
def test_reading_gives_an_object_or_a_reason(text: str) -> None:
    try:
        found = json_object(text, "cuts")
    except Unusable as why:
        assert str(why)
    else:
        assert "cuts" in found


def test_reading_takes_no_quadratic_time() -> None:
    begin = time.monotonic()
    for text in ('{"a":' * 50_000, "{" * 300_000, '{"a": 1} ' * 40_000):
        with pytest.raises(Unusable):
            json_object(text, "cuts")
    assert time.monotonic() - begin < 2


def test_halves_of_pairs_are_replaced() -> None:
    assert without_halves("a\ud800b😀") == "a\ufffdb😀"
