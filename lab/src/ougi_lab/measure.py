"""Timings that can be compared on a noisy machine: run all tasks in turn, repeatedly, and take medians."""

from __future__ import annotations

import gc
import random
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np


class Clock(NamedTuple):
    """A clock and what it measures."""

    name: str
    now: Callable[[], float]


def _choose_clock() -> Clock:
    """Choose the CPU time of the thread if that clock is fine enough, otherwise wall time."""
    if time.get_clock_info("thread_time").resolution <= 1e-6:
        return Clock("CPU time of the thread", time.thread_time)
    return Clock("wall time", time.perf_counter)


CLOCK = _choose_clock()


class Timing(NamedTuple):
    """Seconds per call."""

    median: float
    best: float
    worst: float


def time_interleaved(
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
        Rounds before those, without timing. They compile and fill caches.
    clock
        Seconds; only differences matter.

    >>> timings = time_interleaved({"sum": lambda: sum(range(9))}, repeats=3)
    >>> timings["sum"].best <= timings["sum"].median <= timings["sum"].worst
    True
    """
    seconds = time_rounds(tasks, repeats, warm, clock)
    return {name: Timing(statistics.median(s), min(s), max(s)) for name, s in seconds.items()}


def compute_median_ratio(seconds: Sequence[float], reference: Sequence[float]) -> float:
    """Return the median of the ratios within rounds. A slow moment of the machine hardly changes it.

    >>> compute_median_ratio([2.0, 9.0, 6.0], [1.0, 3.0, 3.0])
    2.0
    """
    return statistics.median(mine / other for mine, other in zip(seconds, reference, strict=True))


def repeat_task(task: Callable[[], object], times: int) -> Callable[[], None]:
    """Return a task that runs another several times, because a single short call cannot be timed."""

    def run_repeatedly() -> None:
        for _ in range(times):
            task()

    return run_repeatedly


def build_copy_task(arrays: Sequence[np.ndarray[Any, Any]]) -> Callable[[], None]:
    """Return a task that copies arrays into allocated memory, as a unit of time of this machine."""
    buffers = [np.empty_like(array) for array in arrays]

    def copy() -> None:
        for buffer, array in zip(buffers, arrays, strict=True):
            np.copyto(buffer, array)

    return copy


def time_rounds(
    tasks: Mapping[str, Callable[[], object]],
    repeats: int,
    warm: int = 1,
    clock: Callable[[], float] = time.perf_counter,
    seed: int | None = None,
) -> dict[str, list[float]]:
    """Return the seconds of every round, for ratios of tasks within a round.

    With a `seed` each round has another order. Otherwise a task may always follow one that leaves the
    caches cold. Other parameters as in `time_interleaved`.

    >>> [len(seconds) for seconds in time_rounds({"sum": lambda: sum(range(9))}, repeats=3).values()]
    [3]
    """
    if repeats < 1:
        raise ValueError(f"repeats must be positive, got {repeats}")
    seconds: dict[str, list[float]] = {name: [] for name in tasks}
    order, rng = list(tasks), None if seed is None else random.Random(seed)
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        for _ in range(warm):
            for task in tasks.values():
                task()
        for _ in range(repeats):
            if rng is not None:
                rng.shuffle(order)
            for name in order:
                task = tasks[name]
                start = clock()
                task()
                seconds[name].append(clock() - start)
    finally:
        if was_enabled:
            gc.enable()
    return seconds
