"""The measurements of SORT in chunks that can be stored: counts, times, distributions, constant density.

This file, `sort_readings` and `scenes.bouncing` decide the numbers. After an edit stored chunks are
refused.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import compress
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ougi._native import loop, one_thread
from ougi._typing import Floats, Ints
from ougi.broad import METHODS, candidate_pairs, count_tests
from ougi.broad.brute import touch
from ougi.broad.volumes import Volumes, build_volumes
from ougi.broad.workspace import Workspace
from ougi.shapes import Sphere
from ougi_lab.chunks import read_versions
from ougi_lab.machine import digest_sources
from ougi_lab.reproduce import sort_published as published
from ougi_lab.reproduce import sort_readings as readings
from ougi_lab.scenes.bouncing import DISTRIBUTIONS, EDGE, RADIUS, BouncingBalls, draw_balls
from ougi_lab.store import Arrays, ChunkStore, decode_arrays, encode_arrays

NAME = "sort"

COUNTED = ("origin", "axes", "xy", "x", "best-axis")  # brute force tests all pairs
TIMED = ("brute", *COUNTED, "auto", "vectorized")
_ALL_PAIRS = ("brute", "vectorized")  # not timed beyond `_MAX_BRUTE` balls
FRAMES = 10  # of a count
SMALL_NUMBERS = (10, 20, 30)  # SORT speaks of fewer than 50 without numbers

# Balls of the distributions, and of the worlds in which other readings are counted.
USUAL = 1_000

# Worlds of one chunk of counts.
GROUP = 10

# At constant density: that of 5,000 balls in the cube.
DENSE = (500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000)
_DENSE_WORLDS = 3
_MAX_BRUTE = 20_000

Table: TypeAlias = dict[Any, npt.NDArray[Any]]


class SortSizes(NamedTuple):
    """How much is measured."""

    worlds: int
    frames: int
    largest: int
    densest: int

    def list_counted_sizes(self) -> tuple[int, ...]:
        """The n of the tables, and a few below."""
        return tuple(n for n in (*SMALL_NUMBERS, *published.N) if n <= self.largest)

    def list_timed_sizes(self) -> tuple[int, ...]:
        """Those, and every 500 for the figures."""
        return tuple(sorted({*self.list_counted_sizes(), *range(500, self.largest + 1, 500)}))

    def list_dense_sizes(self) -> tuple[int, ...]:
        """The n of constant density."""
        return tuple(n for n in DENSE if n <= self.densest)


class SortMeasurements(NamedTuple):
    """All measurements.

    Attributes
    ----------
    tests
        n -> (worlds, methods), means of ten frames; methods as in `COUNTED`.
    contacts
        n -> (worlds,), means of ten frames.
    milliseconds
        n -> (methods,) for all frames; methods as in `TIMED`.
    readings
        Reading -> (worlds, 3): tests, contacts lost, contacts; at n = 1,000.
    spread
        Distribution -> (worlds, methods): tests at n = 1,000.
    dense_tests, dense_milliseconds
        n -> tests (worlds, methods) and milliseconds of a frame (methods,), at constant density.
    """

    tests: Table
    contacts: Table
    milliseconds: Table
    readings: Table
    spread: Table
    dense_tests: Table
    dense_milliseconds: Table


# A part of the work: its kind, what it is about, and its number among those.
Task: TypeAlias = tuple[str, Any, int]


def list_tasks(sizes: SortSizes) -> list[Task]:
    """All of them, in a fixed order."""
    groups = range(-(-sizes.worlds // GROUP))
    return [
        *(("counts", n, group) for n in sizes.list_counted_sizes() for group in groups),
        *(("readings", scene, 0) for scene in SCENES),
        *(("spread", name, 0) for name in DISTRIBUTIONS),
        *(("dense", n, 0) for n in sizes.list_dense_sizes()),
        *(("times", n, 0) for n in sizes.list_timed_sizes()),
    ]


def measure(
    sizes: SortSizes,
    seed: int,
    folder: Path | None = None,
    force: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> SortMeasurements:
    """Measure everything, one part after the other, because times need a quiet machine."""
    store = None if folder is None else ChunkStore(folder, NAME, build_header(sizes, seed), force)
    found = SortMeasurements(*({} for _ in SortMeasurements._fields))
    todo = list_tasks(sizes)
    for number, task in enumerate(todo):
        if store is not None and str(number) in store.chunks:
            arrays = decode_arrays(store.chunks[str(number)])
        else:
            with one_thread():
                arrays = run_task(task, sizes, seed)
            if store is not None:
                store.append(str(number), encode_arrays(arrays))
        for field, array in arrays.items():
            table = getattr(found, field)
            table[task[1]] = np.concatenate([table[task[1]], array]) if task[2] else array
        if progress is not None:
            progress(number + 1, len(todo))
    return found


def summarize(found: SortMeasurements, sizes: SortSizes, seed: int) -> dict[str, Any]:
    """The numbers of a run: means over worlds and their standard deviations, as plain numbers."""

    def means(tests: npt.NDArray[Any]) -> dict[str, float]:
        return {m: _round_digits(x) for m, x in zip(COUNTED, tests.mean(axis=0), strict=True)}

    def times(took: npt.NDArray[Any]) -> dict[str, float | None]:
        return {m: None if np.isnan(x) else _round_digits(x) for m, x in zip(TIMED, took, strict=True)}

    return {
        **sizes._asdict(),
        "seed": seed,
        "tests": {str(n): means(tests) for n, tests in found.tests.items()},
        "deviations": {
            str(n): {m: _round_digits(x) for m, x in zip(COUNTED, tests.std(axis=0, ddof=1), strict=True)}
            for n, tests in found.tests.items()
        },
        "first world": {str(n): tests[0].tolist() for n, tests in found.tests.items() if n <= USUAL},
        "contacts": {str(n): _round_digits(contacts.mean()) for n, contacts in found.contacts.items()},
        "ms": {str(n): times(took) for n, took in found.milliseconds.items()},
        "readings": {
            name: [_round_digits(x) for x in rows.mean(axis=0)] for name, rows in found.readings.items()
        },
        "distributions": {name: means(tests) for name, tests in found.spread.items()},
        "dense": {str(n): means(tests) for n, tests in found.dense_tests.items()},
        "dense ms": {str(n): times(took) for n, took in found.dense_milliseconds.items()},
    }


def _round_digits(x: Any) -> float:
    return float(f"{x:.7g}")


def build_header(sizes: SortSizes, seed: int) -> dict[str, Any]:
    """Return the values that must be equal for all chunks of a run."""
    own = (f"reproduce/sort_{part}.py" for part in ("measure", "readings", "published"))
    return {
        "experiment": NAME,
        "seed": seed,
        "sizes": list(sizes),
        "sources": digest_sources(*own, "scenes/bouncing.py"),
        "versions": read_versions(),
    }


def run_task(task: Task, sizes: SortSizes, seed: int) -> Arrays:
    """One part; the names of its arrays are fields of `SortMeasurements`."""
    kind, about, group = task
    if kind == "counts":
        first = group * GROUP
        return _count_worlds(about, range(first, min(first + GROUP, sizes.worlds)), seed)
    if kind == "readings":
        return {"readings": _measure_readings(about, sizes.worlds, seed)}
    if kind == "spread":
        worlds = [draw_balls(about, USUAL, _make_rng(seed, kind, k)) for k in range(sizes.worlds)]
        return {"spread": np.array([count_method_tests(balls) for balls in worlds])}
    if kind == "dense":
        return _measure_dense(about, seed)
    return {"milliseconds": _measure_times(about, sizes.frames, seed)}


def _make_rng(seed: int, kind: str, *numbers: int) -> np.random.Generator:
    return np.random.default_rng([seed, *kind.encode(), *numbers])


def count_method_tests(balls: Sphere) -> list[int]:
    """Tests of each method of `COUNTED`."""
    return [count_tests(balls, method=method).tests for method in COUNTED]


def _count_worlds(n: int, worlds: range, seed: int) -> Arrays:
    """Return means of ten frames of worlds: tests and contacts."""
    tests, contacts = np.zeros((len(worlds), len(COUNTED))), np.zeros(len(worlds))
    for k, number in enumerate(worlds):
        bouncing = BouncingBalls(n, [seed, n, number])
        for _ in range(FRAMES):
            bouncing.step()
            counts = [count_tests(bouncing.balls, method=method) for method in COUNTED]
            if len({each.touching for each in counts}) != 1:
                raise RuntimeError(f"methods differ in their contacts: {counts}")
            tests[k] += np.array([each.tests for each in counts]) / FRAMES
            contacts[k] += counts[0].touching / FRAMES
    return {"tests": tests, "contacts": contacts}


# --- other readings ------------------------------------------------------------------------------------


def _draw_equal(rng: np.random.Generator) -> Sphere:
    return draw_balls("even, as published", USUAL, rng)


def _draw_whole_cube(rng: np.random.Generator) -> Sphere:
    """Centers anywhere in the cube, so that balls stick out."""
    return Sphere(rng.uniform(-EDGE / 2, EDGE / 2, (USUAL, 3)), RADIUS)


def _draw_from_corner(rng: np.random.Generator) -> Sphere:
    """The cube's corner at the origin."""
    return Sphere(_draw_equal(rng).center + EDGE / 2, RADIUS)


def _draw_sizes(rng: np.random.Generator) -> Sphere:
    return Sphere(_draw_equal(rng).center, rng.uniform(0.5, 5, USUAL))


def _draw_ten(rng: np.random.Generator) -> Sphere:
    """So few that bodies may meet no other."""
    return Sphere(rng.uniform(-20, 20, (10, 3)), rng.uniform(0.5, 5, 10))


def _draw_one_large(rng: np.random.Generator) -> Sphere:
    """One ball of radius 20 and ten of radius 1 about its middle."""
    return Sphere(np.concatenate([np.zeros((1, 3)), rng.uniform(-15, 15, (10, 3))]), [20.0, *[1.0] * 10])


def _build_repaired(method: str) -> Callable[[Sphere, Ints], readings.Reading]:
    def read(balls: Sphere, contacts: Ints) -> readings.Reading:
        counts = count_tests(balls, method=method)
        return readings.Reading(counts.tests, len(contacts) - counts.touching)

    return read


def _build_forward(chosen_by: str) -> Callable[[Sphere, Ints], readings.Reading]:
    return lambda balls, contacts: readings.count_forward(balls, contacts, chosen_by=chosen_by)


class ReadingScene(NamedTuple):
    """Balls, a reading of the text, and the published count that it might explain."""

    balls: Callable[[np.random.Generator], Sphere]
    read: Callable[[Sphere, Ints], readings.Reading]
    counterpart: str = ""


SCENES: dict[str, ReadingScene] = {
    "origin, in the middle of the cube": ReadingScene(_draw_equal, _build_repaired("origin"), "origin"),
    "origin, in a corner": ReadingScene(_draw_from_corner, _build_repaired("origin"), "origin"),
    "x, y, z": ReadingScene(_draw_equal, _build_repaired("axes"), "axes"),
    "x, y, z, centers anywhere in the cube": ReadingScene(_draw_whole_cube, _build_repaired("axes"), "axes"),
    "x, y, z as printed": ReadingScene(_draw_equal, readings.count_as_published, "axes"),
    "best axis, both sides": ReadingScene(_draw_equal, _build_repaired("best-axis"), "best-axis"),
    "best axis by both sides, forward only": ReadingScene(_draw_equal, _build_forward("both"), "best-axis"),
    "best axis by those behind, forward only": ReadingScene(
        _draw_equal, _build_forward("behind"), "best-axis"
    ),
    "radii 0.5 to 5: best axis, forward only": ReadingScene(_draw_sizes, _build_forward("both")),
    "ten balls of 0.5 to 5 in a cube of 40: x, y, z as printed": ReadingScene(
        _draw_ten, readings.count_as_published
    ),
    "one ball of 20, ten of 1: x, y, z as printed": ReadingScene(
        _draw_one_large, readings.count_as_published
    ),
}


def _measure_readings(name: str, worlds: int, seed: int) -> Floats:
    rows = []
    for k in range(worlds):
        balls = SCENES[name].balls(_make_rng(seed, "readings", k))
        contacts = candidate_pairs(balls, method="x")
        rows.append([*SCENES[name].read(balls, contacts), len(contacts)])
    return np.array(rows, np.float64)


# --- times ---------------------------------------------------------------------------------------------


@loop
def _fill_pairs_one_by_one(balls: Floats, are_balls: bool, pairs: Ints) -> int:
    """Brute force as SORT has it (sec. 2.3); the library's tests 64 balls at once."""
    count = 0
    for i in range(np.uint64(balls.shape[1])):
        for j in range(np.uint64(i + np.uint64(1)), np.uint64(balls.shape[1])):
            if touch(balls, i, balls, j, are_balls):
                if count < len(pairs):
                    pairs[count, 0], pairs[count, 1] = i, j
                count += 1
    return count


def _find_pairs_one_by_one(balls: Volumes, _: Volumes | None, workspace: Workspace) -> Ints:
    return workspace.fill_pairs(_fill_pairs_one_by_one, balls.columns, balls.balls)


_METHODS: dict[str, Callable[[Volumes, Volumes | None, Workspace], Ints]] = {
    **METHODS,
    "brute": _find_pairs_one_by_one,
    "vectorized": METHODS["brute"],
}


def _measure_times(n: int, frames: int, seed: int) -> Floats:
    """Return milliseconds for all frames: medians of passes through them."""
    bouncing = BouncingBalls(n, [seed, n, 0])
    scenes = []
    for _ in range(frames):
        bouncing.step()
        scenes.append(bouncing.balls)
    passes = 11 if n <= 500 else 3
    return np.median([time_methods(scenes, TIMED) for _ in range(passes)], axis=0)


def time_methods(scenes: list[Sphere], methods: tuple[str, ...]) -> Floats:
    """CPU time of each method for all scenes, one after the other; sorting and finding the contacts included.

    Methods take turns, so that a slow moment of the machine falls on all of them. The memory for the pairs is
    allocated before the clock runs.
    """
    workspaces = [Workspace() for _ in methods]
    took = np.zeros(len(methods))
    for scene in scenes:
        bodies = build_volumes("scene", scene)
        for k, method in enumerate(methods):
            if scene is scenes[0]:
                _METHODS[method](bodies, None, workspaces[k])
            begun = time.thread_time()
            _METHODS[method](bodies, None, workspaces[k])
            took[k] += time.thread_time() - begun
    return 1e3 * took


def compute_dense_edge(n: int) -> float:
    """The edge of a cube that n balls fill as densely as 5,000 fill that of SORT.

    >>> compute_dense_edge(5000), compute_dense_edge(40_000)
    (100.0, 200.0)
    """
    return float(round(EDGE * (n / 5000) ** (1 / 3), 9))


def _measure_dense(n: int, seed: int) -> Arrays:
    scenes = [
        BouncingBalls(n, [seed, n, number], edge=compute_dense_edge(n)).balls
        for number in range(_DENSE_WORLDS)
    ]
    timed = [n <= _MAX_BRUTE or method not in _ALL_PAIRS for method in TIMED]
    took = np.full(len(TIMED), np.nan)
    took[timed] = time_methods(scenes, tuple(compress(TIMED, timed))) / _DENSE_WORLDS
    return {
        "dense_tests": np.array([count_method_tests(balls) for balls in scenes]),
        "dense_milliseconds": took,
    }
