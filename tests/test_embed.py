"""Embedders: the bundled model is the model, others are loaded safely, and an endpoint may lie as it likes."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fake_embedders import Hashed
from hypothesis import given
from hypothesis import strategies as st

from chunkviz import embed as embed_package
from chunkviz.embed import DEFAULT, Embedder, Endpoint, TokenEmbedder, Vectors, VectorStore, available, embed, embedder
from chunkviz.embed.minilm import MiniLM, _head, folder, owned, window_starts
from chunkviz.embed.sentence_transformers import SentenceTransformerEmbedder
from chunkviz.embed.sentence_transformers import load as load_model
from chunkviz.encodings import word_piece_tokenizer
from chunkviz.errors import ChunkvizError, EmbedderError
from chunkviz.settings import settings
from chunkviz.text.sentences import sentences as sentence_spans

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Iterator[None]:
    """Several threads on a busy machine wait for each other most of the time; what they compute is the same."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


FLOAT32, BFLOAT16 = 1e-5, 6e-3
"""How far a cosine may be from that of sentence-transformers, by what is computed in."""


@cache
def model(precision: str) -> MiniLM:
    return MiniLM(precision)


@cache
def reference() -> Any:
    """The same weights in sentence-transformers, which chunkviz does not use for them."""
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(folder()), local_files_only=True)


@cache
def sentences() -> list[str]:
    text = next((ROOT / "sample_docs").rglob("*.md")).read_text(encoding="utf-8")
    return [*dict.fromkeys(text[span.start : span.end] for span in sentence_spans(text))][:24]


def consecutive(vectors: Vectors) -> Vectors:
    return np.einsum("ij,ij->i", vectors[:-1], vectors[1:])


# The bundled model


@pytest.mark.parametrize(("precision", "within"), [("float32", FLOAT32), ("bfloat16", BFLOAT16)])
def test_similarities_are_those_of_sentence_transformers(precision: str, within: float) -> None:
    texts = [*sentences(), "", "今天天气很好。猫在睡觉。", "word " * 300, "[SEP] in a text", "naïve ﬁancée"]
    expected = reference().encode(texts, normalize_embeddings=True)
    made = model(precision)(texts)
    assert np.abs(consecutive(made) - consecutive(expected)).max() <= within
    assert np.einsum("ij,ij->i", made, expected).min() >= 1 - within


def test_the_check_above_can_fail() -> None:
    """Another pooling of the very same layer is off by more than bfloat16 may be."""
    texts = sentences()[:20]
    wrong = np.array([t.vectors.mean(axis=0) for t in model("float32").tokens(texts)])  # without the model's marks
    wrong /= np.linalg.norm(wrong, axis=1, keepdims=True)
    expected = reference().encode(texts, normalize_embeddings=True)
    assert np.abs(consecutive(wrong) - consecutive(expected)).max() > BFLOAT16


@pytest.mark.parametrize(("precision", "within"), [("float32", FLOAT32), ("bfloat16", BFLOAT16)])
def test_a_vector_does_not_depend_on_what_stands_beside_it(precision: str, within: float) -> None:
    texts = [*sentences(), "word " * 60, ""]
    order = random.Random(3).sample(range(len(texts)), len(texts))
    made, shuffled = model(precision)(texts), model(precision)([texts[i] for i in order])
    alone = model(precision)(texts[:1])
    assert np.einsum("ij,ij->i", made[order], shuffled).min() >= 1 - within
    assert made[0] @ alone[0] >= 1 - within


@pytest.mark.parametrize("text", ["", " ", "\n\t\u3000", "\0", "\u200b", "\ud800", "\x1c", "a" * 100_000, "猫" * 3000])
def test_any_text_has_a_direction(text: str) -> None:
    (row,) = model("float32")([text])
    assert np.linalg.norm(row) == pytest.approx(1, abs=1e-5)


def test_a_text_without_tokens_is_what_the_model_makes_of_its_marks() -> None:
    made = model("float32")(["", " \n ", "\x1c"])
    expected = reference().encode([""], normalize_embeddings=True)
    np.testing.assert_allclose(made, np.repeat(expected, 3, axis=0), atol=FLOAT32)


def test_a_lone_surrogate_counts_as_the_replacement_character() -> None:
    made = model("float32")(["a \ud83d b", "a \ufffd b", "a b"])
    np.testing.assert_allclose(made[0], made[1], atol=FLOAT32)
    assert model("float32").tokens(["a \ud83d b"])[0].ends[-1] == 5


def test_what_lies_beyond_the_limit_changes_nothing() -> None:
    assert model("float32").limit == 254
    exactly, beyond, short = model("float32")(["cat " * 254, "cat " * 254 + "quantum " * 9000, "cat " * 253])
    np.testing.assert_allclose(exactly, beyond, atol=FLOAT32)
    assert np.abs(exactly - short).max() > FLOAT32


PARTS = ["word", "猫", " ", "\n", "\x1c", "\u0301", "-", "\u00a0", "[SEP]", "İ", "\t", "xy" * 60]


@given(st.lists(st.sampled_from(PARTS)), st.integers(0, 9))
def test_the_beginning_of_a_long_text_has_its_first_tokens(parts: list[str], seed: int) -> None:
    text = "".join(random.Random(seed).choices([*parts, "the", " "], k=9000))
    first = word_piece_tokenizer().encode(text, add_special_tokens=False).ids[:254]
    assert word_piece_tokenizer().encode(_head(text), add_special_tokens=False).ids[:254] == first


def test_only_the_beginning_of_a_long_text_is_tokenized() -> None:
    assert len(_head("some words " * 100_000)) < 10_000


def test_precision_follows_the_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    assert model("float32").settings == "torch, float32"
    assert model("bfloat16").settings == "torch, bfloat16"
    flags = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").is_file() else ""
    if flags:
        fast = "avx512_bf16" in flags or "amx_bf16" in flags
        assert model("auto").settings == f"torch, {'bfloat16' if fast else 'float32'}"
    try:
        for value in ("float32", "bfloat16"):
            monkeypatch.setenv("CHUNKVIZ_EMBED_PRECISION", value)
            settings.cache_clear()
            assert MiniLM().settings == f"torch, {value}"
        monkeypatch.setenv("CHUNKVIZ_EMBED_PRECISION", "int8")
        settings.cache_clear()
        with pytest.raises(ChunkvizError, match="CHUNKVIZ_EMBED_PRECISION must be one of auto, float32, bfloat16"):
            settings()
    finally:
        monkeypatch.undo()
        settings.cache_clear()


def test_weights_that_are_not_the_published_ones_are_refused(tmp_path: Path) -> None:
    source = folder()
    assert source is not None
    shutil.copytree(source, tmp_path / "model", ignore=shutil.ignore_patterns("*.md"))
    weights = tmp_path / "model" / "model.safetensors"
    with weights.open("r+b") as file:
        file.seek(-1, os.SEEK_END)
        file.write(b"\x01")
    with pytest.raises(EmbedderError, match="damaged: their SHA-256 is not the published one"):
        MiniLM("float32", tmp_path / "model")


# Vectors of tokens


def test_tokens_are_the_last_layer_with_the_code_points_they_stand_for() -> None:
    texts = ["Größe: 猫 likes naïve 😀 cats.", "", "word " * 400]
    made = model("float32").tokens(texts)
    assert isinstance(model("float32"), TokenEmbedder)
    expected = reference().encode(texts, output_value="token_embeddings", normalize_embeddings=False)
    for text, tokens, layer in zip(texts, made, expected, strict=True):
        rows = layer.numpy()[1:-1]
        np.testing.assert_allclose(
            tokens.vectors, rows / np.linalg.norm(rows, axis=1, keepdims=True).clip(1e-9), atol=1e-4
        )
        assert len(tokens.starts) == len(tokens.ends) == len(tokens.vectors)
        assert (
            "".join(text[a:b] for a, b in zip(tokens.starts, tokens.ends, strict=True))
            == ("".join(text.split())[: 4 * 254])
        )


def test_a_text_of_one_window_is_read_as_a_whole() -> None:
    text = " ".join(sentences())[:600]
    whole, tokens = model("float32").contextual(text), model("float32").tokens([text])[0]
    assert 50 < len(tokens.starts) <= 254
    for one, other in zip(whole, tokens, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-4)
    assert model("float32").contextual("").vectors.shape == (0, 384)


def test_every_token_of_a_long_text_is_read_in_the_window_that_it_stands_in_the_middle_of() -> None:
    """Held to the obvious way: each token's window by trying them all."""
    who = model("float32")
    text = " ".join(sentences() * 3)[:3500]
    made = who.contextual(text)
    ids = word_piece_tokenizer().encode(text, add_special_tokens=False).ids
    assert len(made.starts) == len(ids) > 500
    starts = window_starts(len(ids))
    windows = [who._token_vectors([ids[s : s + 254]])[0] for s in starts]
    for i in range(len(ids)):
        best = min((k for k in range(len(starts)) if starts[k] <= i < starts[k] + 254), key=lambda k: off(starts[k], i))
        np.testing.assert_allclose(made.vectors[i], windows[best][i - starts[best]], atol=1e-4)
    assert (np.diff(made.starts) >= 0).all()
    assert "".join(text[a:b] for a, b in zip(made.starts, made.ends, strict=True)) == "".join(text.split())


def off(start: int, token: int) -> float:
    """Tokens between the middle of a token and that of the window that begins at `start`."""
    return abs(token + 0.5 - (start + 127))


@given(st.integers(0, 5000))
def test_windows_cover_a_text_and_every_token_is_as_central_as_can_be(tokens: int) -> None:
    starts = window_starts(tokens)
    borders = owned(starts, tokens)
    assert starts[0] == borders[0] == 0
    assert borders[-1] == tokens
    assert starts[-1] == max(tokens - 254, 0)
    for k, start in enumerate(starts):
        for i in (borders[k], borders[k + 1] - 1):
            if borders[k] < borders[k + 1]:
                assert start <= i < start + 254
                assert off(start, i) == min(off(s, i) for s in starts)
                if 127 <= i < tokens - 127:
                    assert i - start >= 63
                    assert start + 253 - i >= 63


# By name


def test_nothing_heavy_is_imported_before_it_is_needed() -> None:
    code = (
        "import sys, chunkviz.embed as e; e.Endpoint('http://localhost', 'k', 'm');"
        "print([m for m in ('torch', 'transformers', 'sentence_transformers', 'httpx', 'safetensors') if m in sys.modules]);"
        "e.embedder(); print([m for m in ('torch', 'transformers', 'sentence_transformers', 'httpx') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["[]", "['torch']"]


def test_an_embedder_is_loaded_once_for_all_threads() -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: embedder(), range(8)))
    assert all(one is found[0] for one in found)
    who: Embedder = found[0]
    assert (who.name, who.dimensions, who.limit) == (DEFAULT, 384, 254)
    assert available()[0] == DEFAULT


@pytest.mark.parametrize("name", ["no-such-model", "no/such-model", "../../etc", "", "a b", "/no/such/folder"])
def test_an_unknown_name_is_answered_at_once_with_what_there_is(name: str) -> None:
    before = dict(os.environ)
    began = time.monotonic()
    with pytest.raises(EmbedderError, match=rf"no embedding model '{name}' .*{DEFAULT}"):
        embedder(name)
    assert time.monotonic() - began < 5
    assert dict(os.environ) == before


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = folder()
    assert source is not None
    return shutil.copytree(source, tmp_path_factory.mktemp("models") / "copy", ignore=shutil.ignore_patterns("*.md"))


def test_a_model_from_a_folder(model_folder: Path) -> None:
    who = embedder(str(model_folder))
    assert isinstance(who, SentenceTransformerEmbedder)
    assert (who.dimensions, who.limit, who.settings) == (384, 254, "sentence-transformers, float32")
    texts = [*sentences()[:10], "", "\ud800"]
    np.testing.assert_allclose(who(texts), model("float32")(texts), atol=FLOAT32)
    assert who([]).shape == (0, 384)
    assert embedder(str(model_folder)) is who
    assert len(who.revision) == 64


def test_the_revision_is_that_of_the_files(model_folder: Path, tmp_path: Path) -> None:
    from chunkviz.embed.sentence_transformers import _hash

    other = shutil.copytree(model_folder, tmp_path / "elsewhere")
    assert _hash(other) == _hash(model_folder)
    (other / "config.json").write_text((other / "config.json").read_text() + " ")
    assert _hash(other) != _hash(model_folder)


def test_weights_that_are_a_pickle_are_refused(model_folder: Path, tmp_path: Path) -> None:
    other = shutil.copytree(model_folder, tmp_path / "m", ignore=shutil.ignore_patterns("*.safetensors"))
    (other / "pytorch_model.bin").write_bytes(b"\x80\x04.")
    with pytest.raises(EmbedderError, match="no safetensors weights"):
        load_model(str(other), download=False, instead=())


def test_code_that_lies_beside_a_model_is_not_run(model_folder: Path, tmp_path: Path) -> None:
    other = shutil.copytree(model_folder, tmp_path / "m")
    (other / "mine.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\nclass Module: pass\n")
    modules = json.loads((other / "modules.json").read_text())
    modules.append({"idx": 3, "name": "3", "path": "", "type": "mine.Module"})
    (other / "modules.json").write_text(json.dumps(modules))
    with pytest.raises(EmbedderError, match=r"needs code of its own \(mine.Module\), which is never run"):
        load_model(str(other), download=False, instead=())
    assert not (tmp_path / "ran").exists()


def test_a_broken_model_is_one_sentence(model_folder: Path, tmp_path: Path) -> None:
    other = shutil.copytree(model_folder, tmp_path / "m")
    (other / "model.safetensors").write_bytes(b"not at all")
    with pytest.raises(EmbedderError, match="cannot be loaded: ") as caught:
        load_model(str(other), download=False, instead=())
    assert "\n" not in str(caught.value)


# An endpoint that does as it is told

KEY = "sk-test-1234567890abcdefghij"
Script = Callable[[list[str], int], tuple[int, dict[str, str], Any]]


class Scripted(BaseHTTPRequestHandler):
    """Answers each request with what `server.script(texts, number of the request)` says; bytes are sent as they are."""

    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.seen.append((self.path, dict(self.headers), body))
            number = len(self.server.seen)
        status, headers, content = self.server.script(body["input"], number)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if callable(content):
            self.end_headers()
            content(self)
            return
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Quietly."""


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), Scripted)
        self.script = script
        self.seen: list[tuple[str, dict[str, str], Any]] = []
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that hang up are what some tests are about."""


@contextmanager
def served(script: Script) -> Iterator[Server]:
    server = Server(script)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def endpoint(server: Server, **given: Any) -> Endpoint:
    return Endpoint(server.url, KEY, "m", **{"first_wait": 0.01, "seconds": 10, **given})


def direction(text: str) -> list[float]:
    return [float(len(text) + 1), 1.0, float(sum(text.encode()) % 97)]


def answer(texts: Sequence[str]) -> Any:
    return {"data": [{"index": i, "embedding": direction(t)} for i, t in enumerate(texts)], "model": "m"}


def unit(texts: Sequence[str]) -> Vectors:
    rows = np.array([direction(t) for t in texts], dtype=np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_an_endpoint_is_asked_in_batches_and_its_order_is_heeded() -> None:
    """Answers come in any order, also of the batches, of which several are under way at once."""

    def script(texts: list[str], number: int) -> tuple[int, dict[str, str], Any]:
        content = answer(texts)
        random.Random(number).shuffle(content["data"])
        time.sleep(0.1 if number == 1 else 0)
        return 200, {}, content

    texts = [f"text {i}" for i in range(200)]
    with served(script) as server:
        who = endpoint(server)
        np.testing.assert_allclose(who(texts), unit(texts), atol=1e-6)
        assert who.dimensions == 3
        assert sorted(len(body["input"]) for _, _, body in server.seen) == [8, 64, 64, 64]
        path, headers, body = server.seen[0]
    assert path == "/v1/embeddings"
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert (body["model"], body["encoding_format"]) == ("m", "float")


def test_what_is_stored_is_known_without_a_request(tmp_path: Path) -> None:
    store = VectorStore(tmp_path / "vectors.sqlite")
    with served(lambda texts, _: (200, {}, answer(texts))) as server:
        first = embed(["a", "b"], endpoint(server), store=store)
        again = embed(["b", "a"], endpoint(server), store=store)
        assert len(server.seen) == 1
    np.testing.assert_array_equal(again.vectors, first.vectors[::-1])
    store.close()
    assert KEY.encode() not in (tmp_path / "vectors.sqlite").read_bytes()


def test_dimensions_are_asked_for_when_nothing_else_was() -> None:
    with served(lambda texts, _: (200, {}, answer(texts))) as server:
        assert endpoint(server)([]).shape == (0, 3)


def test_lone_surrogates_can_be_sent() -> None:
    with served(lambda texts, _: (200, {}, answer(texts))) as server:
        endpoint(server)(["a \ud800"])
        assert server.seen[0][2]["input"] == ["a \ufffd"]


def _changed(change: Callable[[Any], None]) -> Script:
    def script(texts: list[str], _: int) -> tuple[int, dict[str, str], Any]:
        content = answer(texts)
        change(content)
        return 200, {}, content

    return script


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (_changed(lambda c: c["data"].pop()), "returned 2 vectors for 3 texts"),
        (_changed(lambda c: c["data"].append(c["data"][0])), "returned 4 vectors for 3 texts"),
        (_changed(lambda c: c["data"][1].update(index=0)), "indices are wrong"),
        (_changed(lambda c: c["data"][1].pop("index")), "indices are wrong"),
        (_changed(lambda c: c["data"][1].update(index=True)), "indices are wrong"),
        (_changed(lambda c: c["data"][1].update(embedding=[0.0, 0, 0])), "a zero vector for text 2 of 3"),
        (_changed(lambda c: c["data"][1].update(embedding=[float("nan"), 0, 0])), "not numbers for text 2 of 3"),
        (_changed(lambda c: c["data"][1].update(embedding=[1.0, 2])), "no equally long lists of numbers"),
        (_changed(lambda c: c["data"][1].update(embedding="AAAA")), "no equally long lists of numbers"),
        (_changed(lambda c: c["data"][1].update(embedding=None)), "no equally long lists of numbers"),
        (_changed(lambda c: c.update(data=None)), "no list of embeddings"),
        (lambda t, n: (200, {}, ["a"]), "no list of embeddings"),
        (lambda t, n: (200, {}, b"<html>Welcome</html>"), "something that is not JSON"),
        (lambda t, n: (200, {}, b"[" * 100_000), "something that is not JSON"),
        (lambda t, n: (200, {"Content-Encoding": "gzip"}, b"\x1f\x8b"), "in compressed form"),
        (lambda t, n: (404, {}, {"error": {"message": "no model m"}}), "answers with status 404: no model m"),
        (lambda t, n: (400, {}, {"error": "too long"}), "answers with status 400: too long"),
        (lambda t, n: (500, {}, b"<html>"), r"answers with status 500\."),
    ],
)
def test_an_answer_that_does_not_fit_is_an_error(script: Script, message: str) -> None:
    with served(script) as server, pytest.raises(EmbedderError, match=message):
        endpoint(server)(["a", "b", "c"])


def test_a_busy_server_is_asked_again() -> None:
    def script(texts: list[str], number: int) -> tuple[int, dict[str, str], Any]:
        return (429, {"Retry-After": "0.2"}, {}) if number < 3 else (200, {}, answer(texts))

    with served(script) as server:
        began = time.monotonic()
        np.testing.assert_allclose(endpoint(server)(["a"]), unit(["a"]), atol=1e-6)
        assert time.monotonic() - began >= 0.4  # as long as it asked for, both times
        assert len(server.seen) == 3


@pytest.mark.parametrize(("status", "tries"), [(429, 4), (503, 4), (401, 1), (400, 1), (501, 1)])
def test_tries_are_few_and_only_where_they_may_help(status: int, tries: int) -> None:
    with served(lambda t, n: (status, {}, {"error": {"message": "no"}})) as server:
        with pytest.raises(EmbedderError, match=f"status {status}: no"):
            endpoint(server)(["a"])
        assert len(server.seen) == tries


def test_a_wait_longer_than_the_deadline_ends_at_the_deadline() -> None:
    with served(lambda t, n: (429, {"Retry-After": "3600"}, {})) as server:
        began = time.monotonic()
        with pytest.raises(EmbedderError, match=r"has not answered within 0\.5 seconds"):
            endpoint(server, seconds=0.5)(["a"])
        assert time.monotonic() - began < 5


def test_the_key_is_nowhere_to_be_read(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    said = f"Incorrect API key: {KEY}, that is {KEY[:12]}… or {KEY[-9:]}"
    with served(lambda t, n: (401, {}, {"error": {"message": said}})) as server:
        who = endpoint(server)
        with pytest.raises(EmbedderError, match="status 401: Incorrect API key: •••, that is •••") as caught:
            who(["a"])
    shown = f"{caught.value!r} {who!r} {who.name} {who.revision} {who.settings} {caplog.text}"
    assert not any(KEY[i : i + 8] in shown for i in range(len(KEY) - 7))
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_redirects_are_not_followed() -> None:
    with served(lambda texts, _: (200, {}, answer(texts))) as thief:
        headers = {"Location": f"{thief.url}/embeddings?key={KEY}"}
        with (
            served(lambda t, n: (307, headers, {})) as server,
            pytest.raises(EmbedderError, match=r"sends on to http://127\.0\.0\.1, which is not followed") as caught,
        ):
            endpoint(server)(["a"])
        assert thief.seen == []
    assert KEY not in str(caught.value)


def test_a_huge_answer_is_not_read() -> None:
    sent = []

    def flood(handler: Scripted) -> None:
        for _ in range(500):
            handler.wfile.write(b" " * 1_000_000)
            sent.append(1)

    with served(lambda t, n: (200, {}, flood)) as server:
        with pytest.raises(EmbedderError, match="more than 2 MB, the limit CHUNKVIZ_ENDPOINT_ANSWER_MB"):
            endpoint(server, answer_bytes=2_000_000)(["a"])
        assert len(sent) < 100


@pytest.mark.parametrize("where", ["headers", "body", "nothing"])
def test_one_deadline_over_everything(where: str) -> None:
    """A byte now and then would satisfy a time limit on each read for good."""
    stop = threading.Event()

    def drip(handler: Scripted) -> None:
        until = time.monotonic() + 5  # so that a client without a deadline fails instead of hanging
        while where != "nothing" and not stop.is_set() and time.monotonic() < until:
            handler.wfile.write(b" ")
            handler.wfile.flush()
            stop.wait(0.05)
        stop.wait(5)

    def script(texts: list[str], number: int) -> tuple[int, dict[str, str], Any]:
        return 200, {}, drip

    class InHeaders(Scripted):
        def do_POST(self) -> None:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
            drip(self)

    with served(script) as server:
        if where == "headers":
            server.RequestHandlerClass = InHeaders
        began = time.monotonic()
        with pytest.raises(EmbedderError, match=r"has not answered within 0\.5 seconds"):
            endpoint(server, seconds=0.5)(["a"])
        assert 0.4 < time.monotonic() - began < 5
        stop.set()


def test_nobody_there() -> None:
    with served(lambda t, n: (200, {}, {})) as server:
        url = server.url
    with pytest.raises(EmbedderError, match="cannot be reached"):
        Endpoint(url, KEY, "m", first_wait=0.01)(["a"])


def test_an_endpoint_can_be_asked_inside_an_event_loop() -> None:
    import asyncio

    async def notebook() -> Vectors:
        return endpoint(server)(["a"])

    with served(lambda texts, _: (200, {}, answer(texts))) as server:
        assert asyncio.run(notebook()).shape == (1, 3)


def test_a_text_over_the_models_limit_is_named_before_anything_is_sent() -> None:
    with served(lambda texts, _: (200, {}, answer(texts))) as server:
        who = Endpoint(server.url, KEY, "text-embedding-3-small")
        assert who.limit == 8191
        with pytest.raises(EmbedderError, match=r"Text 2 of 2 has 9,00\d tokens; text-embedding-3-small reads 8,191"):
            who(["a", "word " * 9000])
        assert server.seen == []
        assert who(["word " * 8000]).shape == (1, 3)


def test_long_texts_share_a_request_with_few_others() -> None:
    with served(lambda texts, _: (200, {}, answer(texts))) as server:
        endpoint(server)(["x" * 60_000] * 3)
        assert [len(body["input"]) for _, _, body in server.seen] == [1, 1, 1]


@pytest.mark.parametrize(
    "url", ["", "ftp://a/v1", "localhost:8000", "http://", "http://a:b/v1", "http://a/v1?key=x", "file:///etc/passwd"]
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(EmbedderError, match="base URL of an endpoint must be an address"):
        Endpoint(url, KEY, "m")


def test_a_password_in_the_address_is_dropped() -> None:
    who = Endpoint(f"http://me:{KEY}@localhost:1/v1/", None, "m")
    assert who.revision == "http://localhost:1/v1"


def test_the_environment_names_endpoint_and_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(EmbedderError, match="needs OPENAI_API_KEY"):
        embedder("endpoint:m")
    with served(lambda texts, _: (200, {}, answer(texts))) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        who = embedder("endpoint:some/model")
        assert who(["a"]).shape == (1, 3)
        assert server.seen[0][1]["Authorization"] == f"Bearer {KEY}"
        assert who.name == "endpoint:some/model"


def test_a_sessions_own_embedder_is_nobody_elses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    own = Hashed()
    seen: list[Embedder] = []
    with embed_package.using({"endpoint:mine": own}):
        assert embedder("endpoint:mine") is own
        other = threading.Thread(target=lambda: seen.append(embedder("endpoint:mine")))
        other.start()
        other.join()
    assert seen[0] is not own
    assert embedder("endpoint:mine") is seen[0]
