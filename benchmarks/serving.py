"""A Streamlit page served on this machine, for Chromium to open: what every measurement in a browser begins with."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.error import URLError
from urllib.request import urlopen

from playwright.sync_api import Page

BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome")
ROOT: Final = Path(__file__).resolve().parent.parent
START_SECONDS: Final = 60
WAIT_MS: Final = 120_000


@contextmanager
def served(script: Path, folder: Path) -> Iterator[str]:
    """Run a Streamlit page on a free port of this machine; yields its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = {
        "server.address": "127.0.0.1",
        "server.port": port,
        "server.headless": "true",
        "server.fileWatcherType": "none",
        "browser.gatherUsageStats": "false",
    }
    flags = [f"--{name}={value}" for name, value in options.items()]
    address = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "streamlit", "run", str(script), *flags],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            if not answers(f"{address}/_stcore/health", process):
                log.seek(0)
                raise RuntimeError(f"{script.name} did not start within {START_SECONDS} s:\n{log.read()[-2000:]}")
            yield address
        finally:
            process.terminate()
            process.wait()


def answers(url: str, process: subprocess.Popen[Any]) -> bool:
    """Whether the server answers before its time is over or its process ends."""
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and process.poll() is None:
        try:
            with urlopen(url, timeout=5):
                return True
        except (URLError, TimeoutError, ConnectionError):
            time.sleep(0.2)
    return False


def rest(page: Page) -> None:
    """Wait until the server has finished its run and the page has settled."""
    page.wait_for_selector('[data-test-script-state="notRunning"]', state="attached", timeout=WAIT_MS)
    page.wait_for_timeout(500)
