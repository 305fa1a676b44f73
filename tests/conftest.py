"""Shared by all tests: no network but loopback, one Hypothesis profile, and where the outside material lies."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from scripted_server import model_endpoint  # noqa: F401  # a language model for every test, on loopback

# Examples are deterministic, so that a red run is red for everyone; `make test-slow` looks for new ones.
settings.register_profile(
    "quick", max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("thorough", max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("CHUNKVIZ_TEST_PROFILE", "quick"))

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Vectors that tests store go to a folder of this run, also from child processes; never to the home directory."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHUNKVIZ_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def root() -> Path:
    """The project folder."""
    return ROOT


@pytest.fixture(scope="session")
def shared_corpora() -> list[str]:
    """The texts of the shared retrieval corpora, where the folder `shared` lies beside the project."""
    folder = ROOT.parent / "shared" / "data" / "retrieval" / "corpora"
    if not folder.is_dir():
        absent = pytest.fail if os.environ.get("CI") else pytest.skip  # in CI nothing is left out in silence
        absent("the folder `shared` with the evaluation corpora is not beside the project")
    return [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.md"))]


@pytest.fixture(autouse=True)
def _own_main() -> Iterator[None]:
    """`AppTest` leaves its script behind as `__main__`, and every process that is started anew would run it."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main
