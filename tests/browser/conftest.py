"""One Chromium and one running app for all browser tests."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import ModuleType

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

expect.set_options(timeout=20_000)  # a machine that does other things as well takes its time

ROOT = Path(__file__).parent.parent.parent
# What Chromium itself says about a machine without a network, and Streamlit's search for its server: on a screen with a
# path of its own it first asks below that path. A download that the next run has replaced before it was looked at.
HARMLESS = re.compile(
    r"net::ERR_|favicon|fonts?\.|/\w+/_stcore/(?:health|host-config)|/media/\w+\.json|Download Button source error",
    re.IGNORECASE,
)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The Chromium of this machine, headless."""
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        absent = pytest.fail if os.environ.get("CI") else pytest.skip  # in CI nothing is left out in silence
        absent("no Chromium on this machine")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@contextmanager
def running(cache: Path) -> Iterator[str]:
    """The app as `make run` starts it, on a free port of this machine, with its stored vectors in a folder of its own."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    # No model endpoint: what a developer has set must not be asked.
    outside = {name: value for name, value in os.environ.items() if not name.startswith("OPENAI_")}
    process = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)],
        cwd=ROOT,
        env={**outside, "HF_HUB_OFFLINE": "1", "CHUNKVIZ_CACHE_DIR": str(cache)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        address = f"http://127.0.0.1:{port}"
        for _ in range(240):
            try:
                urllib.request.urlopen(f"{address}/_stcore/health", timeout=1).read()
                break
            except OSError:
                time.sleep(0.25)
        yield address
    finally:
        process.terminate()
        process.wait()


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """One app for all browser tests."""
    with running(tmp_path_factory.mktemp("cache")) as address:
        yield address


@pytest.fixture
def restarted(tmp_path: Path) -> Callable[[], AbstractContextManager[str]]:
    """Starts an app whenever it is called, each time with the same stored vectors."""
    return lambda: running(tmp_path)


@pytest.fixture(params=["light", "dark"])
def page(request: pytest.FixtureRequest, chromium: Browser) -> Iterator[Page]:
    """A page that must not complain."""
    context = chromium.new_context(color_scheme=request.param, viewport={"width": 1400, "height": 1000})
    opened = context.new_page()
    opened.set_default_timeout(30_000)
    complaints: list[str] = []
    opened.on("console", lambda m: complaints.append(said(m)) if m.type == "error" else None)
    opened.on("pageerror", lambda e: complaints.append(str(e)))
    yield opened
    context.close()
    assert [c for c in complaints if not HARMLESS.search(c)] == []


def said(message: ConsoleMessage) -> str:
    """What the console shows, with the address it is about."""
    return f"{message.text} {message.location.get('url', '')}"


@pytest.fixture(scope="session")
def overflow() -> ModuleType:
    """`scripts/overflow.py`."""
    spec = importlib.util.spec_from_file_location("overflow", ROOT / "scripts" / "overflow.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
