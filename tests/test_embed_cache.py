"""Stored vectors: right after a kill, a crash, a damaged file and a full disk; and nothing is embedded twice."""

from __future__ import annotations

import ast
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from fake_embedders import Hashed, hashed
from hypothesis import given
from hypothesis import strategies as st

from chunkviz import cli
from chunkviz.embed import Embedder, Vectors, VectorStore, cached, default_store, embed
from chunkviz.embed.store import default_folder, keys
from chunkviz.errors import EmbedderError

TESTS = Path(__file__).parent
WIDE = 384


@pytest.fixture
def store(tmp_path: Path) -> Iterator[VectorStore]:
    made = VectorStore(tmp_path / "vectors.sqlite")
    yield made
    made.close()


def texts_of(count: int, start: int = 0) -> list[str]:
    return [f"text {i}" for i in range(start, start + count)]


def expected(texts: Sequence[str], dimensions: int = 16) -> Vectors:
    return np.array([hashed(text, dimensions) for text in texts], dtype=np.float32)


def reopened(store: VectorStore) -> VectorStore:
    store.close()
    return VectorStore(store.path, store.limit_bytes)


# What `embed` promises


def test_a_second_look_embeds_nothing_also_after_a_restart(store: VectorStore) -> None:
    texts = texts_of(100)
    first = embed(texts, Hashed(), store=store)
    who = Hashed()
    second = embed(texts, who, store=reopened(store))
    assert (first.fresh, first.known, second.fresh, second.known) == (100, 0, 0, 100)
    assert who.asked == []
    np.testing.assert_array_equal(second.vectors, expected(texts))
    assert second.settings == "SHAKE-128"


@given(
    st.lists(st.sampled_from(["a", "a ", "A", "é", "e\u0301", "", " ", "\ud800", "\ufffd", "猫", "a\0"]), max_size=30)
)
def test_every_text_gets_its_own_vector_whatever_was_asked_before(tmp_path_factory, texts) -> None:
    """Equal texts are embedded once; texts that merely look equal are not taken for each other."""
    store = VectorStore(tmp_path_factory.mktemp("one") / "vectors.sqlite")
    half = len(texts) // 2
    for some in (texts[half:], texts):
        who = Hashed()
        made = embed(some, who, store=store)
        np.testing.assert_array_equal(made.vectors, expected(some).reshape(-1, 16))
        assert made.fresh == sum(map(len, who.asked))
        assert made.fresh + made.known == len(set(some))
    store.close()


def test_the_parts_of_a_key_cannot_run_into_each_other() -> None:
    def key(name: str, revision: str, settings: str, text: str) -> bytes:
        who = Hashed()
        who.name, who.revision, who.settings = name, revision, settings
        return keys(who, [text])[0]

    made = {
        key("ab", "c", "d", "e"),
        key("a", "bc", "d", "e"),
        key("a", "b", "cd", "e"),
        key("a", "b", "c", "de"),
        key("abc", "", "d", "e"),
        key("a", "b", "c", "1:de"),
    }
    assert len(made) == 6


def test_progress_sees_the_finished_part_in_order(store: VectorStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cached, "_SLAB", 2048)
    texts = [*texts_of(3000), *texts_of(10), *texts_of(2500, start=3000)]
    embed(texts_of(50, start=20), Hashed(), store=store)  # known, in the middle
    seen: list[int] = []

    def progress(done: int, total: int, vectors: Vectors) -> None:
        assert total == len(texts)
        assert vectors.shape == (done, 16)
        np.testing.assert_array_equal(vectors, expected(texts[:done]))
        with pytest.raises(ValueError, match="read-only"):
            vectors[0] = 0
        seen.append(done)

    made = embed(texts, Hashed(), store=store, progress=progress)
    # 2,048 new texts a slab, 50 known among the first; the ten that come again are there with the first ones.
    assert seen == [2098, 4156, 5510]
    assert (made.fresh, made.known) == (5450, 50)
    seen.clear()
    embed(texts, Hashed(), store=store, progress=progress)
    assert seen == [5510]


def test_stopping_keeps_what_was_embedded(store: VectorStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cached, "_SLAB", 2048)

    class Stop(Exception):
        pass

    def stop(done: int, total: int, vectors: Vectors) -> None:
        raise Stop

    with pytest.raises(Stop):
        embed(texts_of(5000), Hashed(), store=store, progress=stop)
    again = embed(texts_of(5000), Hashed(), store=store)
    assert (again.fresh, again.known) == (2952, 2048)


class Lying(Hashed):
    """Answers with what it is told to."""

    def __init__(self, answer: object) -> None:
        super().__init__()
        self.answer = answer

    def __call__(self, texts: Sequence[str]) -> Vectors:
        return np.asarray(self.answer, dtype=np.float32)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (np.eye(16)[:2], "returned 2 vectors for 3 texts"),
        (np.eye(16)[:4], "returned 4 vectors for 3 texts"),
        (np.eye(16)[[0, 1, 1]] * [[1], [0], [1]], "a zero vector for text 2 of 3, 'text 1'"),
        (np.eye(16)[:3] * [[1], [1], [np.nan]], "not numbers for text 3 of 3"),
        (np.eye(16)[:3] + np.inf, "not numbers for text 1 of 3"),
        (np.ones(3), r"shape \(3,\)"),
        (np.ones((3, 0)), r"shape \(3, 0\)"),
    ],
)
def test_an_answer_that_does_not_fit_is_refused_and_not_stored(
    answer: object, message: str, store: VectorStore
) -> None:
    with pytest.raises(EmbedderError, match=message):
        embed(texts_of(3), Lying(answer), store=store)
    assert store.size()[0] == 0


def test_rows_that_are_not_of_length_one_are_made_so(store: VectorStore) -> None:
    made = embed(texts_of(3), Lying(1e30 * np.eye(16)[:3]), store=store)
    np.testing.assert_array_equal(made.vectors, np.eye(16, dtype=np.float32)[:3])


def test_another_length_under_the_same_name_is_refused(store: VectorStore) -> None:
    embed(texts_of(3), Hashed(16), store=store)
    with pytest.raises(EmbedderError, match="now gives 8 numbers for a text where it gave 16"):
        embed(texts_of(4), Hashed(8), store=store)


def test_no_texts(store: VectorStore) -> None:
    made = embed([], Hashed(), store=store)
    assert made.vectors.shape == (0, 16)
    assert (made.fresh, made.known) == (0, 0)


def test_threads_share_a_store(store: VectorStore) -> None:
    def one(start: int) -> Vectors:
        return embed(texts_of(300, start), Hashed(), store=store).vectors

    starts = [0, 100, 200, 300] * 4
    with ThreadPoolExecutor(8) as pool:
        for start, vectors in zip(starts, pool.map(one, starts), strict=True):
            np.testing.assert_array_equal(vectors, expected(texts_of(300, start)))
    assert store.size()[0] == 600
    assert store.notices == []


# Several processes, and what happens when one is killed

# Stores slabs of so many texts that begin with the given word, and says so after each.
WRITER = f"""
import sys
from itertools import count
from pathlib import Path
import numpy as np
from fake_embedders import Hashed
from chunkviz.embed.store import VectorStore, keys
path, word, slabs, each = sys.argv[1:]
each = int(each)
store, who = VectorStore(Path(path)), Hashed({WIDE})
for slab in (range(int(slabs)) if slabs != "-" else count()):
    texts = [f"{{word}} {{each * slab + i}}" for i in range(each)]
    if not store.put(keys(who, texts), who(texts)):
        sys.exit(f"not stored: {{store.notices}}")
    print(slab, flush=True)
sys.exit(str(store.notices) if store.notices else 0)
"""


def writer(path: Path, word: str, slabs: str, each: int = 100) -> subprocess.Popen[str]:
    paths = os.pathsep.join([str(TESTS), str(TESTS.parent)])
    command = [sys.executable, "-c", WRITER, str(path), word, slabs, str(each)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": paths}
    )


def assert_whole(path: Path, word: str, at_least: int, each: int = 100) -> None:
    """The file is sound, and it holds whole slabs of right vectors, as many as were reported or one more."""
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()
    store = VectorStore(path)
    texts = [f"{word} {i}" for i in range(each * (at_least + 2))]
    names = keys(Hashed(WIDE), texts)
    found = store.get(names)
    assert store.notices == []
    slabs = {i // each for i, name in enumerate(names) if name in found}
    assert len(found) == each * len(slabs)
    assert len(slabs) in (at_least, at_least + 1)
    for text, name in zip(texts, names, strict=True):
        if name in found:
            np.testing.assert_array_equal(found[name], hashed(text, WIDE))
    store.close()


LARGE = 1_500
"""Vectors of a slab that does not fit into SQLite's memory: a part of it is in the log before the transaction ends."""


def kill_inside_a_write(process: subprocess.Popen[str], path: Path, chance: random.Random) -> None:
    """SIGKILL while the process holds the right to write: it is frozen, asked after, and killed without going on."""
    probe = sqlite3.connect(path, timeout=0, isolation_level=None)
    try:
        for _ in range(5_000):
            time.sleep(chance.uniform(0, 0.02))
            process.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)  # it stands still from here on
            try:
                probe.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as busy:
                assert busy.sqlite_errorcode == sqlite3.SQLITE_BUSY
                process.send_signal(signal.SIGKILL)
                return
            probe.execute("ROLLBACK")
            process.send_signal(signal.SIGCONT)
        pytest.fail("the writer was never met inside a write")
    finally:
        process.kill()
        probe.close()


@pytest.mark.skipif(not hasattr(os, "waitid"), reason="this system cannot freeze a process")
def test_killed_inside_a_write_ten_times(tmp_path: Path) -> None:
    """Always the same file, so that each writer begins with what the one before it left."""
    path = tmp_path / "vectors.sqlite"
    chance = random.Random(7)
    reported = []
    for run in range(10):
        with writer(path, f"run {run}", "-", LARGE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            kill_inside_a_write(process, path, chance)
            reported.append(1 + len(process.stdout.read().split()))
        assert process.returncode == -signal.SIGKILL
        assert_whole(path, f"run {run}", reported[-1], LARGE)
    for run in range(10):
        assert_whole(path, f"run {run}", reported[run], LARGE)
    assert not list(tmp_path.glob("*broken*"))


def test_two_processes_write_at_once(tmp_path: Path) -> None:
    """Into a file that neither has made yet; two words are the same, so some keys are written by both."""
    path = tmp_path / "vectors.sqlite"
    processes = [writer(path, word, "30") for word in ("this", "that", "this")]
    for process in processes:
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        assert len(out.split()) == 30
    for word in ("this", "that"):
        assert_whole(path, word, 30)


# Damage


def filled(path: Path, count: int = 500) -> None:
    store = VectorStore(path)
    embed(texts_of(count), Hashed(WIDE), store=store)
    store.close()  # the last to close writes the log back into the file


def assert_goes_on(store: VectorStore, count: int = 500) -> int:
    """Embeds all the same, and right; returns how many had to be embedded."""
    made = embed(texts_of(count), Hashed(WIDE), store=store)
    np.testing.assert_array_equal(made.vectors, expected(texts_of(count), WIDE))
    return made.fresh


@pytest.mark.parametrize("size", [600, 50_000])
def test_a_file_that_is_no_store_is_set_aside(tmp_path: Path, size: int) -> None:
    path = tmp_path / "vectors.sqlite"
    path.write_bytes(b"?" * size)
    store = VectorStore(path)
    assert assert_goes_on(store) == 500
    (aside,) = tmp_path.glob("vectors.broken-*.sqlite")
    assert aside.read_bytes() == b"?" * size
    assert store.notices == [f"{path} was damaged; it is now {aside.name}, and vectors are made anew."]
    assert assert_goes_on(reopened(store)) == 0


def test_a_second_damaged_file_does_not_overwrite_the_first(tmp_path: Path) -> None:
    path = tmp_path / "vectors.sqlite"
    for content in (b"first" * 100, b"second" * 100):
        path.unlink(missing_ok=True)
        path.write_bytes(content)
        store = VectorStore(path)
        assert_goes_on(store, 3)
        store.close()
    assert len(list(tmp_path.glob("vectors.broken-*.sqlite"))) == 2


@pytest.mark.parametrize("seed", range(6))
def test_garbage_in_the_middle_of_the_file_never_gives_a_wrong_vector(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "vectors.sqlite"
    filled(path)
    data = bytearray(path.read_bytes())
    chance = random.Random(seed)
    for _ in range(20):
        at = chance.randrange(100, len(data) - 600)
        data[at : at + 500] = chance.randbytes(500)
    path.write_bytes(data)
    store = VectorStore(path)
    assert assert_goes_on(store) > 0
    assert store.notices
    assert assert_goes_on(reopened(store)) >= 0


def test_a_file_damaged_while_it_is_open(tmp_path: Path) -> None:
    path = tmp_path / "vectors.sqlite"
    filled(path)
    store = VectorStore(path)
    assert store.size()[0] == 500
    path.write_bytes(b"\0" * path.stat().st_size)
    assert_goes_on(store)
    assert_goes_on(reopened(store))


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE vectors SET vector = CAST(x'00' || substr(vector, 2) AS BLOB)",
        "UPDATE vectors SET vector = substr(vector, 5)",
        "UPDATE vectors SET dims = dims + 1",
        "UPDATE vectors SET vector = 'text', dims = 1",
        "UPDATE vectors SET checksum = x'0000000000000000'",
        "UPDATE vectors SET (vector, checksum) = (SELECT vector, checksum FROM vectors ORDER BY key LIMIT 1)",
    ],
)
def test_a_row_that_fails_its_checksum_is_a_miss_and_goes(store: VectorStore, damage: str) -> None:
    """The last one is the worst: a vector with its right checksum, but under the key of another text."""
    embed(texts_of(10), Hashed(), store=store)
    names = keys(Hashed(), texts_of(10))
    store.close()
    with sqlite3.connect(store.path) as connection:
        connection.execute(damage)
    connection.close()
    whole = store.get(names)
    assert len(whole) <= 1  # the last damage leaves one as it was, the first may
    for text, name in zip(texts_of(10), names, strict=True):
        if name in whole:
            np.testing.assert_array_equal(whole[name], hashed(text))
    assert store.size()[0] == len(whole)
    assert len(store.notices) == 1
    made = embed(texts_of(10), Hashed(), store=store)
    np.testing.assert_array_equal(made.vectors, expected(texts_of(10)))


def test_a_file_of_another_version_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "vectors.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    before = path.read_bytes()
    store = VectorStore(path)
    assert assert_goes_on(store) == 500
    assert "made by another version of chunkviz (format 99)" in store.notices[0]
    assert path.read_bytes() == before


def test_where_nothing_can_be_written_embedding_goes_on_with_one_notice(tmp_path: Path) -> None:
    """A file stands where the folder would have to be made: so for root, too."""
    (tmp_path / "file").touch()
    store = VectorStore(tmp_path / "file" / "cache" / "vectors.sqlite")
    assert assert_goes_on(store, 2500) == 2500
    assert len([n for n in store.notices if "read" in n]) == 1
    assert len([n for n in store.notices if "written" in n]) == 1
    assert store.size() == (0, 0)
    assert store.clear() == 0


@pytest.mark.skipif(sys.platform == "win32", reason="limits a file's size by setrlimit, which Windows has not")
def test_a_full_disk_costs_time_only(tmp_path: Path) -> None:
    code = f"""
import resource
from pathlib import Path
from chunkviz.embed import VectorStore, embed
from fake_embedders import Hashed
resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, 500_000))
store = VectorStore(Path({str(tmp_path / "vectors.sqlite")!r}))
texts = [f"text {{i}}" for i in range(5000)]
made = embed(texts, Hashed({WIDE}), store=store)
assert made.vectors.shape == (5000, {WIDE})
assert len(store.notices) == 1, store.notices
assert "cannot be written" in store.notices[0]
"""
    paths = os.pathsep.join([str(TESTS), str(TESTS.parent)])
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    # And what lies there afterwards is no ruin.
    assert_goes_on(VectorStore(tmp_path / "vectors.sqlite"))


def test_a_writer_that_never_ends_holds_nobody_up_for_long(store: VectorStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chunkviz.sqlite_file.BUSY_SECONDS", 0.2)
    store.size()
    store = reopened(store)
    other = sqlite3.connect(store.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        assert assert_goes_on(store, 10) == 10
        assert store.notices == [f"Stored vectors cannot be written in {store.path}: database is locked."]
    finally:
        other.close()
    assert assert_goes_on(store, 10) == 10
    assert assert_goes_on(store, 10) == 0


# Size


def test_the_limit_is_kept_and_the_oldest_go_first(tmp_path: Path) -> None:
    limit = 1_000_000
    store = VectorStore(tmp_path / "vectors.sqlite", limit)
    who = Hashed(WIDE)
    names = keys(who, texts_of(3000))
    for begin in range(0, 3000, 300):
        texts = texts_of(300, begin)
        assert store.put(keys(who, texts), who(texts))
        assert 0 < store.size()[1] <= limit
    kept = [i for i, name in enumerate(names) if name in store.get([name])]
    assert kept == list(range(3000 - len(kept), 3000))
    assert len(kept) > 300
    store.close()
    assert store.path.stat().st_size <= limit  # the space goes back to the disk
    assert store.notices == []


def test_what_was_used_lately_stays(tmp_path: Path) -> None:
    store = VectorStore(tmp_path / "vectors.sqlite", 1_000_000)
    who = Hashed(WIDE)
    names = keys(who, texts_of(400))
    store.put(names, who(texts_of(400)))
    store.close()
    with sqlite3.connect(store.path) as connection:  # all were used a month ago
        connection.execute("UPDATE vectors SET used = used - 2592000")
    connection.close()
    store.get(names[:100])
    for begin in range(400, 700, 50):
        store.put(keys(who, texts_of(50, begin)), who(texts_of(50, begin)))
    found = store.get(names)
    assert all(name in found for name in names[:100])
    assert not all(name in found for name in names[100:])


def test_a_slab_larger_than_the_limit_is_still_embedded(tmp_path: Path) -> None:
    store = VectorStore(tmp_path / "vectors.sqlite", 100_000)
    assert assert_goes_on(store) == 500
    assert store.size()[1] <= 100_000


def test_clearing_returns_how_many_and_gives_the_space_back(store: VectorStore) -> None:
    embed(texts_of(2000), Hashed(WIDE), store=store)
    rows, taken = store.size()
    assert rows == 2000
    assert taken > 2000 * WIDE * 4
    assert store.clear() == 2000
    assert store.size()[0] == 0
    store.close()
    assert store.path.stat().st_size < 100_000


# Where it lies, and what it never does


def test_the_folder_is_the_one_that_was_asked_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CHUNKVIZ_CACHE_DIR", str(tmp_path / "own"))
    assert default_store().path == tmp_path / "own" / "vectors.sqlite"
    assert default_store() is default_store()
    monkeypatch.delenv("CHUNKVIZ_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert default_folder() == tmp_path / "xdg" / "chunkviz"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert default_folder() == tmp_path / "home" / ".cache" / "chunkviz"


def test_nothing_is_unpickled_and_no_text_is_stored(store: VectorStore) -> None:
    for file in (TESTS.parent / "chunkviz" / "embed").glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not {n.split(".")[0] for n in names} & {"pickle", "joblib", "shelve", "diskcache", "dill"}, file
            assert not (isinstance(node, ast.Attribute) and ast.unparse(node) in ("torch.load", "np.load")), file
    embed(["a secret that nobody may find in the file"], Hashed(), store=store)
    store.close()
    assert b"secret" not in store.path.read_bytes()


def test_locks_are_not_held_while_embedding(store: VectorStore) -> None:
    """A slow embedder in one thread, and another thread that reads and writes meanwhile."""
    inside, go_on = threading.Event(), threading.Event()

    class Slow(Hashed):
        def __call__(self, texts: Sequence[str]) -> Vectors:
            inside.set()
            assert go_on.wait(20)
            return super().__call__(texts)

    slow: Embedder = Slow()
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(embed, texts_of(5), slow, store=store)
        assert inside.wait(20)
        assert embed(texts_of(5, 100), Hashed(), store=store).fresh == 5
        go_on.set()
        assert running.result().fresh == 5


def test_the_command_shows_and_clears(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CHUNKVIZ_CACHE_DIR", str(tmp_path))
    embed(texts_of(30), Hashed(), store=default_store())
    assert cli.main(["cache"]) == 0
    shown = capsys.readouterr().out
    assert str(tmp_path / "vectors.sqlite") in shown
    assert "30 vectors" in shown
    assert cli.main(["cache", "--clear"]) == 0
    assert "30 vectors deleted" in capsys.readouterr().out
    assert default_store().size()[0] == 0
    assert cli.main(["cache", "--clear"]) == 0
    assert "0 vectors deleted" in capsys.readouterr().out
