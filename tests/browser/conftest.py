"""One Chromium and one running app for all browser tests."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright

ROOT = Path(__file__).parent.parent.parent
# What Chromium itself says about a machine without a network, and Streamlit's search for its server: on a screen with a
# path of its own it first asks below that path.
HARMLESS = re.compile(r"net::ERR_|favicon|fonts?\.|/\w+/_stcore/(?:health|host-config)", re.IGNORECASE)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The Chromium of this machine, headless."""
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("no Chromium on this machine")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def app() -> Iterator[str]:
    """The app as `make run` starts it, on a free port of this machine."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)],
        cwd=ROOT,
        env={**os.environ, "HF_HUB_OFFLINE": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    for _ in range(240):
        try:
            urllib.request.urlopen(f"{address}/_stcore/health", timeout=1).read()
            break
        except OSError:
            time.sleep(0.25)
    yield address
    process.terminate()
    process.wait()


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
