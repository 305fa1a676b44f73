"""Time, taken in rounds: every contender once, then every contender again, so that a busy minute falls on all alike."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter, process_time

Run = Callable[[], int]
"""One run that is timed. Returns how many chunks it made, 0 for what makes none."""


@dataclass(frozen=True, slots=True)
class Contender:
    """Someone whose time is taken.

    name    : as the table shows it
    prepare : size in tokens to the run; what it does itself (loading, warming up) is not timed
    strategy: id of the chunkviz strategy, "" for other libraries
    against : name of the one it is compared with, "" for whoever is that itself
    """

    name: str
    prepare: Callable[[int], Run]
    strategy: str = ""
    against: str = ""


@dataclass(frozen=True, slots=True)
class Sample:
    """One timed run. CPU seconds are those of all threads of this process."""

    round: int
    size: int
    cpu_s: float
    wall_s: float
    chunks: int


@dataclass(frozen=True, slots=True)
class Series:
    """The samples of one contender, one for each round."""

    contender: Contender
    samples: tuple[Sample, ...]

    @property
    def cpu_s(self) -> float:
        """Median."""
        return median(s.cpu_s for s in self.samples)

    @property
    def wall_s(self) -> float:
        """Median."""
        return median(s.wall_s for s in self.samples)

    def times_as_fast_as(self, other: Series) -> list[float]:
        """Round by round, how many times the speed of `other` this one ran at, in CPU time."""
        return [theirs.cpu_s / ours.cpu_s for ours, theirs in zip(self.samples, other.samples, strict=True)]


def timed(run: Run, round_: int, size: int) -> Sample:
    """Run it once, after the garbage of whoever ran before is gone; collection stays on, as in real use."""
    gc.collect()
    wall, cpu = perf_counter(), process_time()
    chunks = run()
    return Sample(round_, size, process_time() - cpu, perf_counter() - wall, chunks)


def interleaved(
    contenders: Sequence[Contender], sizes: Iterable[int], progress: Callable[[str], None] = lambda _: None
) -> list[Series]:
    """A round for each size, every contender in each; one `Series` for each contender, in the order given."""
    taken: list[list[Sample]] = [[] for _ in contenders]
    # Modules and token tables stay: collecting would look through them before each run, which takes longer than many runs.
    gc.collect()
    gc.freeze()
    try:
        for number, size in enumerate(sizes):
            for contender, samples in zip(contenders, taken, strict=True):
                progress(f"round {number + 1}: {contender.name}")
                samples.append(timed(contender.prepare(size), number, size))
    finally:
        gc.unfreeze()
    return [Series(c, tuple(s)) for c, s in zip(contenders, taken, strict=True)]
