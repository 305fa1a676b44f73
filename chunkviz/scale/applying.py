"""Many documents, one recipe: each document becomes a file of chunks of its own.

A file of chunks appears under its name only when it is whole, and is then written into the journal. Whoever starts
again, after a crash or with more documents, has only the rest to do: what was made of the same bytes by the same recipe
is left as it is.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from chunkviz import engine, export, isolation, registry
from chunkviz.chunking import Chunking
from chunkviz.document import Document
from chunkviz.errors import ChunkvizError
from chunkviz.recipe import Recipe
from chunkviz.scale.journal import Journal

FORMATS: Final[dict[str, Callable[[Chunking, str], bytes]]] = {
    "jsonl": lambda chunking, _: export.to_jsonl(chunking).encode(),
    "parquet": lambda chunking, document: export.to_parquet(chunking, document),
}

FEW: Final = 8
"""So many documents are cut before other processes would have started."""
AHEAD: Final = 4
"""Documents in memory for each process: those under way, and a few so that none waits."""


@dataclass(frozen=True, slots=True)
class Source:
    """A document to cut.

    name : as the rows and the journal call it, with / between folders; its ending decides the format
    read : gives its bytes; raises `ChunkvizError`
    """

    name: str
    read: Callable[[], bytes]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one document: `chunks` where it was cut, `error` where not. before: by an earlier run."""

    name: str
    chunks: int = 0
    error: str = ""
    before: bool = False


@dataclass(frozen=True, slots=True)
class _Job:
    name: str
    sha256: str
    data: bytes
    file: str


def processes(recipe: Recipe, documents: int) -> int:
    """How many processes are worth it: one a core; one in all for few documents, and where a model takes all cores."""
    tags = registry.strategy(recipe.strategy).tags
    alone = documents <= FEW or tags.needs_embedder or tags.needs_model
    return 1 if alone else max(1, min(os.cpu_count() or 1, documents))


def apply(
    sources: Iterable[Source], recipe: Recipe, out: Path, *, format: str = "jsonl", workers: int = 1
) -> Iterator[Outcome]:
    """Cut every document and write `out/<name>.<format>`; yields what became of each, in the order they are done.

    workers : processes; 1 cuts in this one. Files are parsed in processes of their own, with limits, either way
    Raises `ParameterError` or `StrategyError` for a recipe that cannot run, and `ChunkvizError` where nothing can be
    written. A document that cannot be read or cut is an outcome, not an error.
    """
    # Cut nothing: a recipe that cannot run is one error, not one for each file. It comes back with its versions.
    key = engine.chunk(Document.from_text(""), recipe=recipe).recipe.key + str(sorted(recipe.loader.items()))
    key = hashlib.sha256(key.encode()).hexdigest()
    try:
        with Journal(out) as journal:
            yield from _run(sources, recipe, key, out, journal, format, workers)
    except OSError as error:
        raise ChunkvizError(f"{error.filename or out} cannot be written: {error.strerror or error}.") from error


def _run(
    sources: Iterable[Source], recipe: Recipe, key: str, out: Path, journal: Journal, format: str, workers: int
) -> Iterator[Outcome]:
    def told(job: _Job, chunks: int, error: str) -> Outcome:
        what = {"error": error} if error else {"file": job.file, "chunks": chunks}
        journal.write({"document": job.name, "sha256": job.sha256, "recipe": key, **what})
        return Outcome(job.name, chunks, error)

    def jobs() -> Iterator[_Job | Outcome]:
        for source in sources:
            try:
                data = source.read()
            except ChunkvizError as error:
                journal.write({"document": source.name, "error": str(error)})
                yield Outcome(source.name, error=str(error))
                continue
            job = _Job(source.name, hashlib.sha256(data).hexdigest(), data, f"{source.name}.{format}")
            before = journal.done(job.name, job.sha256, key, job.file)
            yield job if before is None else Outcome(job.name, before, before=True)

    if workers == 1:
        for job in jobs():
            yield job if isinstance(job, Outcome) else told(job, *_cut(job, recipe, out, format))
    else:
        with _Crew(workers, recipe, out, format) as crew:
            for job in jobs():
                if isinstance(job, Outcome):
                    yield job
                    continue
                for done, chunks, error in crew.take(job):
                    yield told(done, chunks, error)
            for done, chunks, error in crew.rest():
                yield told(done, chunks, error)


def _cut(job: _Job, recipe: Recipe, out: Path, format: str) -> tuple[int, str]:
    """Parse, cut and write one document; the number of its chunks, and why it could not be done or ""."""
    try:
        document = isolation.load(job.data, job.name, options=recipe.loader)
        chunking = engine.chunk(document, recipe=recipe)
    except ChunkvizError as error:
        return 0, str(error)
    path = out / job.file
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f"{path.name}.new")
    fresh.write_bytes(FORMATS[format](chunking, job.name))
    fresh.replace(path)
    return len(chunking.chunks), ""


class _Crew:
    """Processes that cut. One that dies takes those beside it along; their documents are tried again, each alone."""

    def __init__(self, workers: int, recipe: Recipe, out: Path, format: str) -> None:
        self._workers = workers
        self._rest = (recipe.to_json(), out, format)
        self._pool = self._fresh(workers)
        self._running: dict[Future[tuple[int, str]], _Job] = {}

    def __enter__(self) -> _Crew:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)

    def take(self, job: _Job) -> Iterator[tuple[_Job, int, str]]:
        """Begin a document; yields those that are done in the meantime."""
        try:
            self._running[self._pool.submit(_cut_elsewhere, job, *self._rest)] = job
        except BrokenProcessPool:
            yield from self._mend()
            self._running[self._pool.submit(_cut_elsewhere, job, *self._rest)] = job
        while len(self._running) >= self._workers * AHEAD:
            yield from self._finished()

    def rest(self) -> Iterator[tuple[_Job, int, str]]:
        """Wait for all that were begun."""
        while self._running:
            yield from self._finished()

    def _finished(self) -> Iterator[tuple[_Job, int, str]]:
        done, _ = wait(self._running, return_when=FIRST_COMPLETED)
        for future in done:
            if isinstance(future.exception(), BrokenProcessPool):
                yield from self._mend()
                return
            yield (self._running.pop(future), *future.result())

    def _mend(self) -> Iterator[tuple[_Job, int, str]]:
        suspects = list(self._running.values())
        self._running.clear()
        self._pool.shutdown(wait=True, cancel_futures=True)
        for job in suspects:
            with self._fresh(1) as alone:
                try:
                    yield (job, *alone.submit(_cut_elsewhere, job, *self._rest).result())
                except BrokenProcessPool:
                    yield job, 0, f"Cutting {job.name} ended the process that did it, perhaps for want of memory."
        self._pool = self._fresh(self._workers)

    @staticmethod
    def _fresh(workers: int) -> ProcessPoolExecutor:
        # Started anew, not forked: a fork would share locks and threads of this process.
        return ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))


def _cut_elsewhere(job: _Job, recipe: str, out: Path, format: str) -> tuple[int, str]:
    return _cut(job, Recipe.from_json(recipe), out, format)
