"""The measurements of SORT in chunks that can be stored: counts, times, distributions, constant density.

What stands in this file, in `sort_readings` and `scenes.bouncing` decides the numbers: after an edit,
stored chunks are refused.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ougi._native import one_thread
from ougi._typing import Floats, Ints
from ougi.broad import METHODS, candidate_pairs, count_tests
from ougi.broad.room import Room
from ougi.broad.volumes import volumes
from ougi.shapes import Sphere
from ougi_lab.chunks import read_versions
from ougi_lab.machine import digest_sources
from ougi_lab.reproduce import sort_published as published
from ougi_lab.reproduce import sort_readings as readings
from ougi_lab.scenes.bouncing import DISTRIBUTIONS, EDGE, RADIUS, BouncingBalls, draw_balls
from ougi_lab.store import Arrays, ChunkStore, decode_arrays, encode_arrays

NAME = "sort"

COUNTED = ("origin", "axes", "xy", "x", "best-axis")  # brute force tests all pairs
TIMED = ("brute", *COUNTED, "auto")
FRAMES = 10  # of a count
FEW = (10, 20, 30)  # the thesis speaks of fewer than 50 without numbers

# Balls of the distributions, and of the worlds in which other readings are counted.
USUAL = 1_000

# Worlds of one chunk of counts.
GROUP = 10

# At constant density: that of 5,000 balls in the cube. Brute force is not timed beyond `_PATIENCE` balls.
DENSE = (500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000)
_DENSE_WORLDS = 3
_PATIENCE = 20_000

Table: TypeAlias = dict[Any, npt.NDArray[Any]]


class Sizes(NamedTuple):
    """How much is measured."""

    worlds: int
    frames: int
    largest: int
    densest: int

    def counted(self) -> tuple[int, ...]:
        """The n of the tables, and a few below."""
        return tuple(n for n in (*FEW, *published.N) if n <= self.largest)

    def timed(self) -> tuple[int, ...]:
        """Those, and every 500 for the figures."""
        return tuple(sorted({*self.counted(), *range(500, self.largest + 1, 500)}))

    def dense(self) -> tuple[int, ...]:
        """The n of constant density."""
        return tuple(n for n in DENSE if n <= self.densest)


class Found(NamedTuple):
    """All that was measured.

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


def tasks(sizes: Sizes) -> list[Task]:
    """All of them, in a fixed order."""
    groups = range(-(-sizes.worlds // GROUP))
    return [
        *(("counts", n, group) for n in sizes.counted() for group in groups),
        *(("readings", scene, 0) for scene in SCENES),
        *(("spread", name, 0) for name in DISTRIBUTIONS),
        *(("dense", n, 0) for n in sizes.dense()),
        *(("times", n, 0) for n in sizes.timed()),
    ]


def measure(
    sizes: Sizes,
    seed: int,
    folder: Path | None = None,
    force: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Found:
    """Measure everything, one part after the other: side by side, times would mean nothing."""
    store = None if folder is None else ChunkStore(folder, NAME, header(sizes, seed), force)
    found = Found(*({} for _ in Found._fields))
    todo = tasks(sizes)
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


def numbers_of(found: Found, sizes: Sizes, seed: int) -> dict[str, Any]:
    """The numbers of a run: means over worlds and their standard deviations, as plain numbers."""

    def means(tests: npt.NDArray[Any]) -> dict[str, float]:
        return {m: _short(x) for m, x in zip(COUNTED, tests.mean(axis=0), strict=True)}

    def times(took: npt.NDArray[Any]) -> dict[str, float | None]:
        return {m: None if np.isnan(x) else _short(x) for m, x in zip(TIMED, took, strict=True)}

    return {
        **sizes._asdict(),
        "seed": seed,
        "tests": {str(n): means(tests) for n, tests in found.tests.items()},
        "deviations": {
            str(n): {m: _short(x) for m, x in zip(COUNTED, tests.std(axis=0, ddof=1), strict=True)}
            for n, tests in found.tests.items()
        },
        "first world": {str(n): tests[0].tolist() for n, tests in found.tests.items() if n <= USUAL},
        "contacts": {str(n): _short(contacts.mean()) for n, contacts in found.contacts.items()},
        "ms": {str(n): times(took) for n, took in found.milliseconds.items()},
        "readings": {name: [_short(x) for x in rows.mean(axis=0)] for name, rows in found.readings.items()},
        "distributions": {name: means(tests) for name, tests in found.spread.items()},
        "dense": {str(n): means(tests) for n, tests in found.dense_tests.items()},
        "dense ms": {str(n): times(took) for n, took in found.dense_milliseconds.items()},
    }


def _short(x: Any) -> float:
    return float(f"{x:.7g}")


def header(sizes: Sizes, seed: int) -> dict[str, Any]:
    """What must be the same for chunks to be of one run."""
    own = (f"reproduce/sort_{part}.py" for part in ("measure", "readings", "published"))
    return {
        "experiment": NAME,
        "seed": seed,
        "sizes": list(sizes),
        "sources": digest_sources(*own, "scenes/bouncing.py"),
        "versions": read_versions(),
    }


def run_task(task: Task, sizes: Sizes, seed: int) -> Arrays:
    """One part; the names of its arrays are fields of `Found`."""
    kind, about, group = task
    if kind == "counts":
        first = group * GROUP
        return _counts(about, range(first, min(first + GROUP, sizes.worlds)), seed)
    if kind == "readings":
        return {"readings": _readings(about, sizes.worlds, seed)}
    if kind == "spread":
        worlds = [draw_balls(about, USUAL, _rng(seed, kind, k)) for k in range(sizes.worlds)]
        return {"spread": np.array([tests_of(balls) for balls in worlds])}
    if kind == "dense":
        return _dense(about, seed)
    return {"milliseconds": _times(about, sizes.frames, seed)}


def _rng(seed: int, kind: str, *numbers: int) -> np.random.Generator:
    return np.random.default_rng([seed, *kind.encode(), *numbers])


def tests_of(balls: Sphere) -> list[int]:
    """Tests of each method of `COUNTED`."""
    return [count_tests(balls, method=method).tests for method in COUNTED]


def _counts(n: int, worlds: range, seed: int) -> Arrays:
    """Means of ten frames in some worlds, tests and contacts."""
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


def _equal(rng: np.random.Generator) -> Sphere:
    return draw_balls("even, as published", USUAL, rng)


def _whole_cube(rng: np.random.Generator) -> Sphere:
    """Centers anywhere in the cube, so that balls stick out."""
    return Sphere(rng.uniform(-EDGE / 2, EDGE / 2, (USUAL, 3)), RADIUS)


def _from_corner(rng: np.random.Generator) -> Sphere:
    """The cube's corner at the origin."""
    return Sphere(_equal(rng).center + EDGE / 2, RADIUS)


def _sizes(rng: np.random.Generator) -> Sphere:
    return Sphere(_equal(rng).center, rng.uniform(0.5, 5, USUAL))


def _ten(rng: np.random.Generator) -> Sphere:
    """So few that bodies may meet no other."""
    return Sphere(rng.uniform(-20, 20, (10, 3)), rng.uniform(0.5, 5, 10))


def _one_large(rng: np.random.Generator) -> Sphere:
    """One ball of radius 20 and ten of radius 1 about its middle."""
    return Sphere(np.concatenate([np.zeros((1, 3)), rng.uniform(-15, 15, (10, 3))]), [20.0, *[1.0] * 10])


def _repaired(method: str) -> Callable[[Sphere, Ints], readings.Reading]:
    def read(balls: Sphere, contacts: Ints) -> readings.Reading:
        counts = count_tests(balls, method=method)
        return readings.Reading(counts.tests, len(contacts) - counts.touching)

    return read


def _forward(chosen_by: str) -> Callable[[Sphere, Ints], readings.Reading]:
    return lambda balls, contacts: readings.forward(balls, contacts, chosen_by=chosen_by)


class Scene(NamedTuple):
    """Balls, a reading of the text, and the published count that it might explain."""

    balls: Callable[[np.random.Generator], Sphere]
    read: Callable[[Sphere, Ints], readings.Reading]
    counterpart: str = ""


SCENES: dict[str, Scene] = {
    "origin, in the middle of the cube": Scene(_equal, _repaired("origin"), "origin"),
    "origin, in a corner": Scene(_from_corner, _repaired("origin"), "origin"),
    "x, y, z": Scene(_equal, _repaired("axes"), "axes"),
    "x, y, z, centers anywhere in the cube": Scene(_whole_cube, _repaired("axes"), "axes"),
    "x, y, z as printed": Scene(_equal, readings.as_printed, "axes"),
    "best axis, both sides": Scene(_equal, _repaired("best-axis"), "best-axis"),
    "best axis by both sides, forward only": Scene(_equal, _forward("both"), "best-axis"),
    "best axis by those behind, forward only": Scene(_equal, _forward("behind"), "best-axis"),
    "radii 0.5 to 5: best axis, forward only": Scene(_sizes, _forward("both")),
    "ten balls of 0.5 to 5 in a cube of 40: x, y, z as printed": Scene(_ten, readings.as_printed),
    "one ball of 20, ten of 1: x, y, z as printed": Scene(_one_large, readings.as_printed),
}


def _readings(name: str, worlds: int, seed: int) -> Floats:
    rows = []
    for k in range(worlds):
        balls = SCENES[name].balls(_rng(seed, "readings", k))
        contacts = candidate_pairs(balls, method="x")
        rows.append([*SCENES[name].read(balls, contacts), len(contacts)])
    return np.array(rows, np.float64)


# --- times ---------------------------------------------------------------------------------------------


def _times(n: int, frames: int, seed: int) -> Floats:
    """Milliseconds for all frames: medians of some passes through them."""
    bouncing = BouncingBalls(n, [seed, n, 0])
    scenes = []
    for _ in range(frames):
        bouncing.step()
        scenes.append(bouncing.balls)
    passes = 11 if n <= 500 else 3
    return np.median([milliseconds(scenes, TIMED) for _ in range(passes)], axis=0)


def milliseconds(scenes: list[Sphere], methods: tuple[str, ...]) -> Floats:
    """CPU time of each method for all scenes, one after the other; sorting and finding the contacts included.

    Methods take turns, so that a slow moment of the machine falls on all of them. The memory for the pairs is
    kept, and has its size before the clock runs.
    """
    rooms = [Room() for _ in methods]
    took = np.zeros(len(methods))
    for scene in scenes:
        bodies = volumes("scene", scene)
        for k, method in enumerate(methods):
            if scene is scenes[0]:
                METHODS[method](bodies, None, rooms[k])
            begun = time.thread_time()
            METHODS[method](bodies, None, rooms[k])
            took[k] += time.thread_time() - begun
    return 1e3 * took


def dense_edge(n: int) -> float:
    """The edge of a cube that n balls fill as densely as 5,000 fill that of the thesis.

    >>> dense_edge(5000), dense_edge(40_000)
    (100.0, 200.0)
    """
    return float(round(EDGE * (n / 5000) ** (1 / 3), 9))


def _dense(n: int, seed: int) -> Arrays:
    scenes = [
        BouncingBalls(n, [seed, n, number], edge=dense_edge(n)).balls for number in range(_DENSE_WORLDS)
    ]
    patient = TIMED if n <= _PATIENCE else TIMED[1:]
    took = milliseconds(scenes, patient) / _DENSE_WORLDS
    return {
        "dense_tests": np.array([tests_of(balls) for balls in scenes]),
        "dense_milliseconds": np.concatenate([np.full(len(TIMED) - len(patient), np.nan), took]),
    }
