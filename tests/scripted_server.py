"""A language model endpoint on loopback that answers as it is told: sensibly by default, or with one of many failures."""

from __future__ import annotations

import gzip
import json
import os
import re
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

import pytest

MODEL = "scripted-1"
LINE = re.compile(r"^\[(\d+)\] (.*)$", re.MULTILINE)


class Request(NamedTuple):
    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def lines(self) -> dict[int, str]:
        """The numbered sentences of the question."""
        return {int(number): line for number, line in LINE.findall(self.body["messages"][1]["content"])}

    @property
    def wants(self) -> str:
        """The key of the answer that the instructions ask for."""
        return "cuts" if '{"cuts"' in self.body["messages"][0]["content"] else "facts"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Any

    def do_GET(self) -> None:
        self.server.scripted.gets.append(self.path)
        if self.path.endswith("/models"):
            self.reply(200, json.dumps({"data": [{"id": name} for name in self.server.scripted.models]}).encode())
        else:
            self.reply(404, b'{"error": {"message": "no such path"}}')

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        scripted: ScriptedServer = self.server.scripted
        request = Request(self.path, {k.lower(): v for k, v in self.headers.items()}, body)
        with scripted.lock:
            scripted.requests.append(request)
            step = scripted.script.popleft() if scripted.script else scripted.default
            scripted.under_way += 1
            scripted.most_under_way = max(scripted.most_under_way, scripted.under_way)
        try:
            step(self, request)
        finally:
            with scripted.lock:
                scripted.under_way -= 1

    def reply(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


Step = Callable[[Handler, Request], None]


def completion(content: Any, **more: Any) -> bytes:
    usage = {"prompt_tokens": 100, "completion_tokens": 10}
    return json.dumps({"choices": [{"message": {"content": content}}], "usage": usage, **more}).encode()


def say(content: Any, **more: Any) -> Step:
    """Answer with this text."""
    return lambda handler, request: handler.reply(200, completion(content, **more))


def cuts(*numbers: Any) -> Step:
    return say(json.dumps({"cuts": numbers}))


def facts(*rows: tuple[Any, Any]) -> Step:
    return say(json.dumps({"facts": [{"fact": fact, "sources": sources} for fact, sources in rows]}))


def status(code: int, message: str = "", **headers: str) -> Step:
    body = json.dumps({"error": {"message": message}}).encode()
    return lambda handler, request: handler.reply(code, body, **headers)


def raw(body: bytes, **headers: str) -> Step:
    return lambda handler, request: handler.reply(200, body, **headers)


def echo_key(handler: Handler, request: Request) -> None:
    """401 with the key in the text, whole and in parts, as some servers do."""
    key = request.headers["authorization"].removeprefix("Bearer ")
    status(401, f"Incorrect key {key}. You sent Bearer {key}; it begins with {key[:9]} and ends with {key[-9:]}")(
        handler, request
    )


def cut_stream(handler: Handler, request: Request) -> None:
    """Half of what was announced, then the end."""
    body = completion('{"cuts": []}')
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body[: len(body) // 2])
    handler.close_connection = True


def reset(handler: Handler, request: Request) -> None:
    """The connection is thrown away without a word."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.close_connection = True
    handler.wfile.close()
    handler.rfile.close()
    handler.connection.close()


def silence(handler: Handler, request: Request) -> None:
    """Nothing, until the server is closed."""
    handler.server.scripted.closing.wait(600)


def drip(handler: Handler, request: Request) -> None:
    """A byte now and then, for ever: no single read takes long."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000000")
    handler.end_headers()
    while not handler.server.scripted.closing.wait(0.02):
        try:
            handler.wfile.write(b" ")
            handler.wfile.flush()
        except OSError:
            break
    handler.close_connection = True


def huge(size: int) -> Step:
    """Sends until the other side has had enough."""

    def send(handler: Handler, request: Request) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(size))
        handler.end_headers()
        for _ in range(size // 100_000):
            try:
                handler.wfile.write(b"x" * 100_000)
            except OSError:
                break
            handler.server.scripted.sent_bytes += 100_000
        handler.close_connection = True

    return send


def zipped(handler: Handler, request: Request) -> None:
    """Compressed, though nobody asked for it."""
    handler.reply(200, gzip.compress(completion('{"cuts": []}')), Content_Encoding="gzip")


def slowly(step: Step, seconds: float) -> Step:
    def wait(handler: Handler, request: Request) -> None:
        time.sleep(seconds)
        step(handler, request)

    return wait


def sensible(handler: Handler, request: Request) -> None:
    """A cut after every third sentence; a fact for two sentences of three."""
    lines = request.lines
    if request.wants == "cuts":
        cuts(*[number for number in lines if number % 3 == 0])(handler, request)
    else:
        rows: list[tuple[Any, Any]] = [(f"It says: {line[:300]}", [n]) for n, line in lines.items() if n % 3]
        facts(*rows)(handler, request)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    scripted: ScriptedServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are part of the script."""


class ScriptedServer:
    """`script` holds the next answers, one per request; after them comes `default`."""

    def __init__(self) -> None:
        self.script: deque[Step] = deque()
        self.default: Step = sensible
        self.models = [MODEL]
        self.requests: list[Request] = []
        self.gets: list[str] = []
        self.lock = threading.Lock()
        self.under_way = self.most_under_way = self.sent_bytes = 0
        self.closing = threading.Event()
        self._server = _Server(("127.0.0.1", 0), Handler)
        self._server.scripted = self
        self.base_url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@contextmanager
def scripted_server() -> Iterator[ScriptedServer]:
    server = ScriptedServer()
    try:
        yield server
    finally:
        server.close()


@pytest.fixture(scope="session", autouse=True)
def model_endpoint() -> Iterator[str]:
    """One sensible endpoint in the environment of the session: strategies with a model are tested as all others."""
    names = ("OPENAI_BASE_URL", "OPENAI_API_KEY", "OPENAI_MODEL")
    before = {name: os.environ.pop(name, None) for name in names}
    with scripted_server() as made:
        os.environ.update({"OPENAI_BASE_URL": made.base_url, "OPENAI_MODEL": MODEL})
        try:
            yield made.base_url
        finally:
            for name, value in before.items():
                os.environ.pop(name, None)
                if value is not None:
                    os.environ[name] = value
