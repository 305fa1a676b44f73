"""Whether what is exported does what the page shows: the exported code and command are run, and their chunks compared.

Both run as a reader would run them, each in a process of its own, in an empty folder that holds the document and the
recipe and nothing else. Such a process knows neither keys nor proxies of the app, has a limit of time, and can be
stopped.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from chunkviz import export, isolation, registry
from chunkviz.chunking import Chunking
from chunkviz.errors import Stopped
from chunkviz.settings import settings

LOOK_SECONDS: Final = 0.1
_TOLD: Final = 300
"""Characters of a failed run's last line that are shown."""

# Where stored vectors and downloaded models lie: without it a run would embed all again, or find no model.
_PLACES: Final = ("HF_HOME", "HF_HUB_OFFLINE", "SENTENCE_TRANSFORMERS_HOME", "XDG_CACHE_HOME")
_ENDPOINT: Final = ("OPENAI_BASE_URL", "OPENAI_API_KEY")

# The snippet is run as it is, from its own file; only afterwards is looked at what it left in `chunking`.
_RUNNER: Final = """
import json, runpy, sys
made = runpy.run_path(sys.argv[1])["chunking"]
found = {"key": made.recipe.key, "fingerprint": made.document.fingerprint,
         "chunks": [[c.start, c.end, c.tokens] for c in made.chunks]}
with open(sys.argv[2], "w", encoding="utf-8") as file:
    json.dump(found, file)
"""


@dataclass(frozen=True, slots=True)
class Check:
    """What came of one run.

    what    : "The Python code" or "The command"
    ours    : number of chunks on the page
    theirs  : number of chunks the run made; None where it made none
    same    : how many are the same
    problem : why it did not run to its end, or in what it differs beside the chunks; "" for nothing
    """

    what: str
    ours: int
    theirs: int | None = None
    same: int = 0
    problem: str = ""

    @property
    def identical(self) -> bool:
        return not self.problem and self.same == self.ours == self.theirs

    def __str__(self) -> str:
        if self.identical:
            return f"{self.what} was run: identical, {self.same:,} of {self.ours:,} chunks."
        if self.theirs is None:
            return f"{self.what} could not be checked: {self.problem}"
        extra = f" {self.problem}" if self.problem else ""
        return (
            f"{self.what} was run and differs: it makes {self.theirs:,} chunks, of which {self.same:,} are among "
            f"the {self.ours:,} here.{extra}"
        )


def seconds() -> int:
    """The most that one run may take, wall clock."""
    return isolation.START_SECONDS + settings().parse_seconds


def check(chunking: Chunking, data: bytes, stop: threading.Event | None = None) -> tuple[Check, Check]:
    """Run the exported code and the exported command on the document and compare the chunks.

    data : of the document, as it was loaded
    stop : once it is set, what runs is ended and `Stopped` raised
    """
    code, command, ours = "The Python code", "The command", len(chunking.chunks)
    if registry.strategy(chunking.recipe.strategy).tags.needs_model:
        why = "it would ask the language model everything again, which costs and may be answered otherwise."
        return Check(code, ours, problem=why), Check(command, ours, problem=why)
    stop = stop or threading.Event()
    with tempfile.TemporaryDirectory(prefix="chunkviz-check-") as folder:
        # The code lies beside the folder it runs in: a document may be called as the code is.
        work, own = Path(folder, "work"), Path(folder, "own")
        work.mkdir()
        own.mkdir()
        try:
            (work / chunking.document.name).write_bytes(data)
        except OSError as error:
            why = f"the document cannot be written under its name ({error.strerror})."
            return Check(code, ours, problem=why), Check(command, ours, problem=why)
        return _code(chunking, work, own, stop), _command(chunking, work, own, stop)


def _code(chunking: Chunking, work: Path, own: Path, stop: threading.Event) -> Check:
    what, ours = "The Python code", len(chunking.chunks)
    (own / "snippet.py").write_text(export.snippet(chunking.recipe, chunking.document.name), encoding="utf-8")
    problem = _run(chunking, ["-c", _RUNNER, str(own / "snippet.py"), str(own / "found.json")], work, stop)
    if problem:
        return Check(what, ours, problem=problem)
    found = json.loads((own / "found.json").read_text(encoding="utf-8"))
    theirs = [tuple(chunk) for chunk in found["chunks"]]
    same = len(set(theirs) & {(c.start, c.end, c.tokens) for c in chunking.chunks})
    if found["fingerprint"] != chunking.document.fingerprint:
        return Check(what, ours, len(theirs), same, "The text it read is another one.")
    if found["key"] != chunking.recipe.key:
        return Check(what, ours, len(theirs), same, "Its recipe is another one.")
    return Check(what, ours, len(theirs), same)


def _command(chunking: Chunking, work: Path, own: Path, stop: threading.Event) -> Check:
    what, ours = "The command", len(chunking.chunks)
    (own / "recipe.json").write_text(chunking.recipe.to_json(), encoding="utf-8")
    out = own / "chunks.jsonl"
    words = export.command(chunking.document.name, str(own / "recipe.json"), str(out))
    problem = _run(chunking, ["-m", "chunkviz", *words], work, stop)
    if problem:
        return Check(what, ours, problem=problem)
    theirs = out.read_text(encoding="utf-8").split("\n")[:-1]
    same = len(set(theirs) & set(export.to_jsonl(chunking).split("\n")[:-1]))
    return Check(what, ours, len(theirs), same)


def _run(chunking: Chunking, words: Sequence[str], work: Path, stop: threading.Event) -> str:
    """Run Python with these words in the folder `work`; what went wrong, in words, or "". Raises `Stopped`."""
    with tempfile.TemporaryFile() as said:
        # `-P`: a document called `json.py` is no module.
        process = subprocess.Popen(  # noqa: S603  # our own interpreter, no shell
            [sys.executable, "-P", "-X", "utf8", *words],
            cwd=work,
            env=_environment(chunking),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
            start_new_session=True,
        )
        end = time.monotonic() + seconds()
        try:
            while process.poll() is None:
                if stop.wait(LOOK_SECONDS):
                    raise Stopped("Checking the export was stopped.")
                if time.monotonic() > end:
                    return f"it took longer than {seconds()} seconds and was ended."
        finally:
            _end(process)
        if process.returncode == 0:
            return ""
        said.seek(0)
        lines = said.read()[-20_000:].decode("utf-8", "replace").strip().splitlines()
        return lines[-1][:_TOLD] if lines else f"the process ended with code {process.returncode}."


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and what it has started."""
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()


def _environment(chunking: Chunking) -> dict[str, str]:
    """That of a process that reads files, and where the models are; a key only for a model that is behind one."""
    names: tuple[str, ...] = _PLACES
    model: Any = chunking.recipe.params.get("model", "")
    if isinstance(model, str) and model.startswith("endpoint:"):
        names += _ENDPOINT
    known = {name: os.environ[name] for name in names if name in os.environ}
    return {**isolation.environment(), **known}
