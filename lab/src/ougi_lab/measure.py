"""Timings that can be compared on a noisy machine: all tasks in turn, again and again, and their medians."""

from __future__ import annotations

import gc
import random
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np


class Clock(NamedTuple):
    """A clock and what it counts."""

    name: str
    now: Callable[[], float]


def _clock() -> Clock:
    """Seconds of work on one thread, without other programs if the system's clock is fine enough."""
    if time.get_clock_info("thread_time").resolution <= 1e-6:
        return Clock("CPU time of the thread", time.thread_time)
    return Clock("wall time", time.perf_counter)


CLOCK = _clock()


class Timing(NamedTuple):
    """Seconds per call."""

    median: float
    best: float
    worst: float


def interleaved(
    tasks: Mapping[str, Callable[[], object]],
    repeats: int,
    warm: int = 1,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, Timing]:
    """Time tasks in one run, each once per round, so that a slow moment of the machine falls on all of them.

    Parameters
    ----------
    tasks
        Name -> function without arguments.
    repeats
        Rounds that count.
    warm
        Rounds before, not timed: they compile and fill caches.
    clock
        Seconds; only differences matter.

    >>> timings = interleaved({"sum": lambda: sum(range(9))}, repeats=3)
    >>> timings["sum"].best <= timings["sum"].median <= timings["sum"].worst
    True
    """
    seconds = rounds(tasks, repeats, warm, clock)
    return {name: Timing(statistics.median(s), min(s), max(s)) for name, s in seconds.items()}


def median_ratio(seconds: Sequence[float], reference: Sequence[float]) -> float:
    """The median of the ratios within rounds, which a slow moment of the machine changes least.

    >>> median_ratio([2.0, 9.0, 6.0], [1.0, 3.0, 3.0])
    2.0
    """
    return statistics.median(mine / other for mine, other in zip(seconds, reference, strict=True))


def repeat(task: Callable[[], object], times: int) -> Callable[[], None]:
    """A task that runs several times in a row, so that a short one is not measured call by call."""

    def in_a_row() -> None:
        for _ in range(times):
            task()

    return in_a_row


def copy_task(arrays: Sequence[np.ndarray[Any, Any]]) -> Callable[[], None]:
    """A task that copies arrays into memory that is there: the machine's own unit of time."""
    buffers = [np.empty_like(array) for array in arrays]

    def copy() -> None:
        for buffer, array in zip(buffers, arrays, strict=True):
            np.copyto(buffer, array)

    return copy


def rounds(
    tasks: Mapping[str, Callable[[], object]],
    repeats: int,
    warm: int = 1,
    clock: Callable[[], float] = time.perf_counter,
    seed: int | None = None,
) -> dict[str, list[float]]:
    """The seconds of every round, for ratios of tasks within one.

    With a `seed` each round has another order: otherwise one task always comes behind that which leaves the
    caches cold. Other parameters as in `interleaved`.

    >>> [len(seconds) for seconds in rounds({"sum": lambda: sum(range(9))}, repeats=3).values()]
    [3]
    """
    if repeats < 1:
        raise ValueError(f"repeats must be positive, got {repeats}")
    seconds: dict[str, list[float]] = {name: [] for name in tasks}
    order, chance = list(tasks), None if seed is None else random.Random(seed)
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        for _ in range(warm):
            for task in tasks.values():
                task()
        for _ in range(repeats):
            if chance is not None:
                chance.shuffle(order)
            for name in order:
                task = tasks[name]
                start = clock()
                task()
                seconds[name].append(clock() - start)
    finally:
        if was_enabled:
            gc.enable()
    return seconds
