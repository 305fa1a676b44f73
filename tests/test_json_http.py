"""One way to ask endpoints, for embeddings and for language models: a scripted server does everything wrong."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
import scripted_server as scripted
from hypothesis import given
from hypothesis import strategies as st
from scripted_server import ScriptedServer

from chunkviz import embed, llm
from chunkviz.errors import ChunkvizError, EmbedderError, LLMError, Stopped
from chunkviz.http_terms import HIDDEN, Limits, is_local, key_headers, masked
from chunkviz.json_http import Failure, ask, asked_pause, new_client, run, side_by_side

KEY = "sk-test-7Q9xLmW2vR4tYz8B"
QUICK = Limits(seconds=5, tries=3, answer_bytes=1_000_000, first_pause=0.01)
BODY = {"input": "one two"}


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with scripted.scripted_server() as made:
        yield made


def asked(address: str, limits: Limits = QUICK, key: str = KEY, stop: threading.Event | None = None) -> dict[str, Any]:
    async def once() -> dict[str, Any]:
        async with new_client(address, key, limits) as http:
            return await ask(http, f"{address}/things", key, limits, BODY)

    return run(once(), stop=stop)


def failure(address: str, limits: Limits = QUICK, key: str = KEY) -> Failure:
    with pytest.raises(Failure) as caught:
        asked(address, limits, key)
    return caught.value


# What is sent, and what comes back


def test_the_object_that_came_back(server: ScriptedServer) -> None:
    server.script.append(scripted.raw(b'{"a": [1]}'))
    assert asked(server.base_url) == {"a": [1]}
    (request,) = server.requests
    assert (request.path, request.body) == ("/v1/things", BODY)
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.headers["accept-encoding"] == "identity"


def test_without_a_key_none_is_sent(server: ScriptedServer) -> None:
    server.script.append(scripted.raw(b"{}"))
    assert asked(server.base_url, key="") == {}
    assert "authorization" not in server.requests[0].headers


def test_azure_gets_its_own_header_and_nobody_else_does() -> None:
    assert key_headers("https://mine.openai.azure.com/v1", "k") == {"Authorization": "Bearer k", "api-key": "k"}
    assert key_headers("https://azure.com.example.org/v1", "k") == {"Authorization": "Bearer k"}
    assert key_headers("https://mine.openai.azure.com/v1", "") == {}


# What goes wrong

PASSING = {
    "408": scripted.status(408),
    "409": scripted.status(409),
    "429": scripted.status(429),
    "500": scripted.status(500),
    "503 with a pause": scripted.status(503, Retry_After="0"),
    "cut stream": scripted.cut_stream,
    "reset": scripted.reset,
    "no JSON": scripted.raw(b"<html>Welcome to the gateway</html>"),
    "half JSON": scripted.raw(b'{"choices": [{"mess'),
    "deep JSON": scripted.raw(b"[" * 100_000),
    "a list": scripted.raw(b"[]"),
}


@pytest.mark.parametrize("name", PASSING)
def test_what_passes_is_tried_again(name: str, server: ScriptedServer) -> None:
    server.script.extend([PASSING[name], PASSING[name], scripted.raw(b'{"at": "last"}')])
    assert asked(server.base_url) == {"at": "last"}
    assert len(server.requests) == 3


# name: what the server does; kind, status and tries of the failure; what the failure says
LASTING: dict[str, tuple[scripted.Step, str, int, int, str]] = {
    "429": (scripted.status(429, "slow down"), "busy", 429, 3, "slow down"),
    "500": (scripted.status(500), "busy", 500, 3, ""),
    "501": (scripted.status(501, "cannot"), "refused", 501, 1, "cannot"),
    "cut stream": (scripted.cut_stream, "broken", 0, 3, "peer closed connection"),
    "reset": (scripted.reset, "broken", 0, 3, ""),
    "no JSON": (scripted.raw(b"<html>"), "no JSON", 0, 3, ""),
    "a list": (scripted.raw(b"[1]"), "no object", 0, 3, ""),
    "204": (scripted.status(204), "refused", 204, 1, ""),
    "400": (scripted.status(400, "too long"), "refused", 400, 1, "too long"),
    "401": (scripted.echo_key, "refused", 401, 1, f"Incorrect key {HIDDEN}."),
    "404": (scripted.status(404, "no model"), "refused", 404, 1, "no model"),
    "redirect": (
        scripted.status(307, Location=f"http://127.0.0.1:9/v1?key={KEY}"),
        "redirect",
        307,
        1,
        "http://127.0.0.1",
    ),
    "redirect to a name that is the key": (scripted.status(302, Location=f"http://{KEY}/"), "redirect", 302, 1, ""),
    "redirect without a host": (scripted.status(302, Location="/elsewhere"), "redirect", 302, 1, ""),
    "zipped": (scripted.zipped, "compressed", 0, 1, ""),
    "large": (scripted.huge(100_000_000), "large", 0, 1, ""),
}


@pytest.mark.parametrize("name", LASTING)
def test_what_lasts_is_a_failure_of_its_kind(name: str, server: ScriptedServer) -> None:
    step, kind, status, tries, said = LASTING[name]
    server.default = step
    found = failure(server.base_url)
    assert (found.kind, found.status, found.tries) == (kind, status, tries)
    assert said in found.said
    assert len(server.requests) == tries
    assert server.sent_bytes < 50_000_000  # of a large answer, no more is read than has to be


def endpoint_for_texts(address: str) -> None:
    embed.Endpoint(address, KEY, "m", seconds=5, answer_bytes=1_000_000, first_wait=0.01)(["one"])


def endpoint_for_questions(address: str) -> None:
    limits = llm.Limits(seconds=5, tries=3, first_pause=0.01)
    with llm.using(llm.Endpoint(address, KEY, "m"), limits=limits):
        client = llm.client()
    client.ask([llm.Question("Answer.", "text", "cuts", "1", 5)], lambda at, found: found)


BOTH: dict[str, tuple[Callable[[str], None], type[ChunkvizError]]] = {
    "embeddings": (endpoint_for_texts, EmbedderError),
    "language model": (endpoint_for_questions, LLMError),
}


@pytest.mark.parametrize("name", [name for name in LASTING if name != "large"])
@pytest.mark.parametrize("who", BOTH)
def test_both_endpoints_say_it_in_one_sentence_of_their_own_class_without_the_key(
    who: str, name: str, server: ScriptedServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.default = LASTING[name][0]
    call, error = BOTH[who]
    with pytest.raises(error) as caught:
        call(server.base_url)
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"  # the check below would see it
    message = str(caught.value)
    assert "\n" not in message
    assert "127.0.0.1" in message
    assert caught.value.__cause__ is None
    shown = message + "".join(traceback.format_exception(caught.value))
    if "redirect" not in name:  # at its finest level httpcore logs the server's headers, and these hold the key
        shown += caplog.text
    assert not any(KEY[i : i + 6] in shown for i in range(len(KEY) - 5))


@pytest.mark.parametrize("who", BOTH)
def test_nobody_listening_is_said_at_once(who: str) -> None:
    with scripted.scripted_server() as gone:
        address = gone.base_url
    call, error = BOTH[who]
    began = time.monotonic()
    with pytest.raises(error, match="cannot be reached"):
        call(address)
    assert time.monotonic() - began < 3
    assert failure(address).kind == "unreachable"


# Time


@pytest.mark.parametrize("step", [scripted.silence, scripted.drip], ids=["silence", "a byte now and then"])
def test_one_deadline_over_everything(step: scripted.Step, server: ScriptedServer) -> None:
    server.default = step
    began = time.monotonic()
    found = failure(server.base_url, replace(QUICK, seconds=0.4))
    assert (found.kind, found.earlier) == ("slow", None)
    assert 0.3 < time.monotonic() - began < 2


def test_the_deadline_is_for_all_tries_together(server: ScriptedServer) -> None:
    server.script.append(scripted.status(500, "hiccup"))
    server.default = scripted.silence
    began = time.monotonic()
    found = failure(server.base_url, replace(QUICK, seconds=0.4))
    assert time.monotonic() - began < 2
    assert found.kind == "slow"
    assert found.earlier is not None
    assert (found.earlier.kind, found.earlier.said) == ("busy", "hiccup")


def test_a_pause_that_the_server_asks_for_is_kept(server: ScriptedServer) -> None:
    server.script.extend([scripted.status(429, Retry_After="0.3"), scripted.raw(b"{}")])
    began = time.monotonic()
    asked(server.base_url)
    assert time.monotonic() - began >= 0.3


def test_pauses_grow(server: ScriptedServer) -> None:
    server.default = scripted.status(500)
    began = time.monotonic()
    failure(server.base_url, replace(QUICK, first_pause=0.1))
    assert 0.3 <= time.monotonic() - began < 2


def test_a_pause_past_the_deadline_is_not_waited_for(server: ScriptedServer) -> None:
    server.default = scripted.status(429, Retry_After="600")
    began = time.monotonic()
    found = failure(server.base_url)
    assert time.monotonic() - began < 2
    assert (found.kind, found.pause, found.tries) == ("busy", 600, 1)


def test_a_pause_of_our_own_past_the_deadline_is_no_wish_of_the_server(server: ScriptedServer) -> None:
    server.default = scripted.status(500)
    found = failure(server.base_url, replace(QUICK, first_pause=60))
    assert (found.kind, found.pause, found.tries) == ("busy", None, 1)


def test_pauses_are_read_as_numbers_and_as_dates() -> None:
    assert asked_pause("7") == 7
    later = asked_pause(format_datetime(datetime.now(UTC) + timedelta(seconds=60), usegmt=True))
    assert later is not None
    assert 55 < later <= 60
    assert asked_pause(format_datetime(datetime.now(UTC) - timedelta(hours=1), usegmt=True)) == 0
    assert [asked_pause(x) for x in ("soon", "nan", "inf", "", None)] == [None] * 5
    assert asked_pause("-3") == 0


# Stopping, order, loops


def test_stop_ends_a_request_that_waits(server: ScriptedServer) -> None:
    server.default = scripted.silence
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    began = time.monotonic()
    with pytest.raises(Stopped, match=r"^Stopped\.$"):
        asked(server.base_url, stop=stop)
    assert time.monotonic() - began < 2


def test_stop_ends_a_pause(server: ScriptedServer) -> None:
    server.default = scripted.status(429, Retry_After="4")
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    began = time.monotonic()
    with pytest.raises(Stopped):
        asked(server.base_url, stop=stop)
    assert time.monotonic() - began < 2


def test_it_works_inside_a_running_loop(server: ScriptedServer) -> None:
    server.script.append(scripted.raw(b"{}"))

    async def notebook() -> dict[str, Any]:
        return asked(server.base_url)

    assert asyncio.run(notebook()) == {}


def test_results_keep_their_order_and_only_so_many_are_under_way() -> None:
    under_way, most, told = 0, 0, []

    async def work(at: int) -> int:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.01 * (at % 3))
        under_way -= 1
        return at

    assert run(side_by_side(work, 20, 4, told.append)) == list(range(20))
    assert most == 4
    assert told == list(range(1, 21))


def test_the_first_that_fails_ends_all() -> None:
    finished = []

    async def work(at: int) -> None:
        await asyncio.sleep(0.02 if at == 1 else 5)
        if at == 1:
            raise Failure("slow")
        finished.append(at)

    began = time.monotonic()
    with pytest.raises(Failure):
        run(side_by_side(work, 4, 4))
    assert time.monotonic() - began < 2
    assert finished == []


# Proxies and keys


@pytest.mark.parametrize(
    ("address", "local"),
    [
        ("http://127.0.0.1:1/v1", True),
        ("http://[::1]:1/v1", True),
        ("http://localhost/v1", True),
        ("http://a.localhost/v1", True),
        ("http://127.0.0.1.example.org/v1", False),
        ("https://api.example.org/v1", False),
        ("http://192.168.0.1/v1", False),
    ],
)
def test_what_counts_as_this_machine(address: str, local: bool) -> None:
    assert is_local(address) is local


@pytest.mark.parametrize("who", BOTH)
def test_a_proxy_of_the_environment_does_not_see_local_requests(
    who: str, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors = json.dumps({"data": [{"index": 0, "embedding": [1.0]}]}).encode()
    server.default = scripted.raw(vectors) if who == "embeddings" else scripted.cuts(1)
    with scripted.scripted_server() as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.base_url.removesuffix("/v1"))
        for name in ("NO_PROXY", "no_proxy"):
            monkeypatch.delenv(name, raising=False)
        BOTH[who][0](server.base_url)
        assert proxy.requests == []
    assert server.requests


@given(st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1, max_size=40), st.data())
def test_masking_leaves_no_part_of_a_key(key: str, data: st.DataObject) -> None:
    parts = st.one_of(st.text(max_size=8), st.just(key), st.just(key[: len(key) // 2 + 3]), st.just(key[-6:]))
    shown = masked("".join(data.draw(st.lists(parts, max_size=6))), key)
    width = min(len(key), 6)
    for left in shown.split(HIDDEN):
        assert not any(key[i : i + width] in left for i in range(len(key) - width + 1))
    assert len(shown) <= 200
    assert shown.isprintable()


def test_masking_only_the_whole_key_would_not_do() -> None:
    """The liar of the test above."""
    shown = f"begins with {KEY[:9]}".replace(KEY, HIDDEN)
    assert any(KEY[i : i + 6] in shown for i in range(len(KEY) - 5))


def test_masking_leaves_plain_words_and_hides_other_keys() -> None:
    assert masked("Model not found:\n gpt-9 \x00", KEY) == "Model not found: gpt-9"
    assert masked("you sent sk-other-12345678 and Bearer abcdefgh1", KEY) == "you sent ••• and •••"
    assert masked("Bearer authentication is needed", KEY) == "Bearer authentication is needed"
    assert masked("plain", "") == "plain"
    assert masked("cab", "ab") == "c•••"
