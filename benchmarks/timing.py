"""Time, taken in rounds: every contender once, then every contender again, so that a busy minute falls on all alike."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import mean, median
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


@dataclass(frozen=True, slots=True)
class Growth:
    """How much longer one contender takes for a long text than for one of the parts that it is made of.

    parts, whole : in each round the CPU seconds of every part, and those of the whole
    """

    contender: Contender
    parts: tuple[tuple[float, ...], ...]
    whole: tuple[float, ...]

    @property
    def times(self) -> list[float]:
        """Round by round, the time for the whole divided by the mean of its parts'."""
        return [whole / mean(parts) for parts, whole in zip(self.parts, self.whole, strict=True)]


def timed(run: Run, round_: int, size: int) -> Sample:
    """Run it once, after the garbage of whoever ran before is gone; collection stays on, as in real use."""
    gc.collect()
    wall, cpu = perf_counter(), process_time()
    chunks = run()
    return Sample(round_, size, process_time() - cpu, perf_counter() - wall, chunks)


def grown(
    whole: Sequence[Contender],
    parts: Sequence[Sequence[Contender]],
    size: int,
    rounds: int,
    progress: Callable[[str], None] = lambda _: None,
) -> list[Growth]:
    """For each contender the time for a whole text beside that for its parts, half of them before it and half after.

    whole : contenders on the long text
    parts : for each part of it the same contenders, in the same order
    """
    taken: list[list[tuple[tuple[float, ...], float]]] = [[] for _ in whole]
    half = len(parts) // 2
    gc.collect()
    gc.freeze()
    try:
        for number in range(rounds):
            for contender, short, samples in zip(whole, zip(*parts, strict=True), taken, strict=True):
                progress(f"round {number + 1}: {contender.name}")
                runs = [*short[:half], contender, *short[half:]]
                seconds = [timed(who.prepare(size), number, size).cpu_s for who in runs]
                samples.append(((*seconds[:half], *seconds[half + 1 :]), seconds[half]))
    finally:
        gc.unfreeze()
    return [Growth(c, *map(tuple, zip(*s, strict=True))) for c, s in zip(whole, taken, strict=True)]


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
