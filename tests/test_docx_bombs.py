"""Word files that unpack to far more than they weigh: each is refused, by the limit that it meets first."""

from __future__ import annotations

import io
import subprocess
import sys
import tracemalloc
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from chunkviz import LoadError, load, settings

BEGIN = b'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
END = b"</w:body></w:document>"


def bomb(piece: bytes, megabytes: int) -> bytes:
    """A Word file whose text is `piece` again and again."""
    made = io.BytesIO()
    with (
        zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("word/document.xml", "w", force_zip64=True) as part,
    ):
        part.write(BEGIN)
        block = piece * (1_000_000 // len(piece))
        for _ in range(megabytes):
            part.write(block)
        part.write(END)
    return made.getvalue()


@pytest.fixture
def small_limit(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("CHUNKVIZ_MAX_INFLATED_MB", "40")
    settings.settings.cache_clear()
    yield
    monkeypatch.undo()
    settings.settings.cache_clear()


def test_the_limit_on_unpacking_is_met_before_that_on_memory(small_limit: None) -> None:
    """Nothing of a bomb is kept while it is counted, so no limit on memory can come first."""
    data = bomb(b" " * 100, 60)
    tracemalloc.start()
    try:
        with pytest.raises(LoadError, match=r"^x\.docx unpacks to more than 40 MB.*\(CHUNKVIZ_MAX_INFLATED_MB\)\.$"):
            load(data, name="x.docx")
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


# Below that limit, but a tree of so many elements takes many times their bytes.
LOADER = """
import resource, sys
from chunkviz import LoadError, load
from chunkviz.loaders import loaders
loaders()
import lxml.etree
with open("/proc/self/statm") as file:
    now = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (now + 250_000_000,) * 2)
try:
    load(open(sys.argv[1], "rb").read(), name="x.docx")
except LoadError as error:
    sys.stdout.write(str(error))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="no other system limits a process's memory this way")
def test_what_the_memory_has_no_room_for_is_not_called_damaged(tmp_path: Path) -> None:
    path = tmp_path / "x.docx"
    path.write_bytes(bomb(b"<w:p/>", 30))
    done = subprocess.run([sys.executable, "-c", LOADER, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("x.docx unpacks to 30 MB of text and markup, too much for the ")
    assert "(CHUNKVIZ_PARSE_MEMORY_MB)" in done.stdout
