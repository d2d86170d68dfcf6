"""The timings of fan-speed in chunks of data that can be stored, so that a long run can be continued.

This file, `fan_speed_tasks` and `scenes.fan_motions` decide the numbers. After an edit stored chunks are
refused.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from ougi._native import one_thread
from ougi_lab.chunks import read_versions
from ougi_lab.machine import digest_sources
from ougi_lab.measure import CLOCK
from ougi_lab.reproduce.fan_speed_tasks import Task, draw_pairs, iterate_tasks
from ougi_lab.store import ChunkStore

NAME = "fan-speed"
TESTS = 100_000
# Data of a chunk. Methods that take much longer than the others are timed once in it.
CHUNK = 10

# Table -> method -> milliseconds of each datum, per TESTS tests.
Milliseconds: TypeAlias = dict[str, dict[str, list[float]]]


def measure(
    data: int,
    tests: int,
    one_pair: bool,
    seed: int,
    folder: Path | None = None,
    force: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Milliseconds:
    """Time all methods, each once per datum, in turn; milliseconds per TESTS tests."""
    header = {
        "experiment": NAME,
        "seed": seed,
        "tests": tests,
        "one pair": one_pair,
        "sources": digest_sources(
            "reproduce/fan_speed_measure.py", "reproduce/fan_speed_tasks.py", "scenes/fan_motions.py"
        ),
        "versions": read_versions(),
    }
    store = None if folder is None else ChunkStore(folder, NAME, header, force)
    measured: Milliseconds = {}
    is_warm, done = False, 0
    for chunk in range(-(-data // CHUNK)):
        size = min(CHUNK, data - chunk * CHUNK)
        key = f"{chunk} of {size}"
        found = None if store is None else store.chunks.get(key)
        if found is None:
            if not is_warm:  # this compiles, and is not counted
                _time_chunk(1, tests, one_pair, [seed, 2**32 - 1])
                is_warm = True
            found = _time_chunk(size, tests, one_pair, [seed, chunk])
            if store is not None:
                store.append(key, found)
        for table, rows in found.items():
            for name, times in rows.items():
                measured.setdefault(table, {}).setdefault(name, []).extend(times)
        done += size
        if progress is not None:
            progress(done, data)
    return measured


def _time_chunk(size: int, tests: int, one_pair: bool, seed: list[int]) -> dict[str, dict[str, list[float]]]:
    rng = np.random.default_rng(seed)
    found: dict[str, dict[str, list[float]]] = {}
    with one_thread():
        drawn = draw_pairs(tests, one_pair, rng)
        for datum in range(size):
            shift = datum * tests // CHUNK
            _time_tasks(iterate_tasks(drawn, shift, datum == 0, rng), TESTS / tests, found)
    return found


def _time_tasks(todo: Iterator[Task], scale: float, found: dict[str, Any]) -> None:
    """Run each task twice and note the milliseconds of the second time with its table."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        for table, name, task in todo:
            task()
            begun = CLOCK.now()
            task()
            took = CLOCK.now() - begun
            found.setdefault(table, {}).setdefault(name, []).append(round(1e3 * took * scale, 5))
    finally:
        if was_enabled:
            gc.enable()
