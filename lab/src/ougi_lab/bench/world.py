"""`ougi bench world`: one step of ten thousand bodies, stage by stage, beside physics engines.

A third each of balls, boxes and capsules (in the plane circles, rectangles and capsules), spread so that each
has about one candidate; all move, and one in ten turns by up to 30 degrees in a step. Our step finds every
first contact on the way, with point and normal, and reports what began, goes on and ended.

Engines take the same bodies as sensors, which nothing pushes, and test once per step: pymunk (C, in the
plane) at the poses at its end, rapier3d (Rust, in space) at those at its beginning. Their answers stay
inside; ours are arrays. All worlds step in turn, and their CPU time is measured, of all threads.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ougi.motion import Rotation2d, Screw3d, Translation2d, Translation3d
from ougi.shapes import Box, Capsule2d, Capsule3d, Circle, Rectangle, Sphere
from ougi.world import World
from ougi.world.bodies import Scene
from ougi.world.narrow import first_contacts
from ougi_lab.bench import world_peers
from ougi_lab.bench.choose import choose
from ougi_lab.measure import rounds

SEED = 60
NUMBER = 10_000
DT = 1 / 60
# Milliseconds of a frame at 60 Hz.
GOAL = 1000 / 60
# Degrees that a turning body turns in a step, at most.
DEGREES = 30.0
# The share of bodies that turn.
TURNING = 0.1
# Area or volume for each body at which there is about one candidate for each.
ROOM = {2: 1.4, 3: 2.5}

SCENES = ("plane", "space")


@dataclass(frozen=True)
class Herd:
    """Bodies of one class that move alike; motions are per second."""

    shape: Any
    motion: Any


def crowd(dimension: int, n: int, rng: np.random.Generator) -> list[Herd]:
    """n bodies about a unit large, a third of each class; straight ones and turning ones apart."""
    side = (ROOM[dimension] * n) ** (1 / dimension)
    herds = []
    for k in range(3):
        count = (n + k) // 3
        at = rng.uniform(0, side, (count, dimension))
        shape = _bodies(k, at, rng)
        turning = rng.random(count) < TURNING
        speed = 2.0 * rng.normal(size=at.shape)
        spin = rng.uniform(-1, 1, count) * math.radians(DEGREES) / DT
        if dimension == 2:
            ways: Any = Translation2d(speed), Rotation2d(at, spin)
        else:
            ways = Translation3d(speed), Screw3d(at, speed, spin, np.linalg.norm(speed, axis=-1))
        for which, way in ((~turning, ways[0]), (turning, ways[1])):
            if which.any():
                herds.append(Herd(shape[which], way[which]))
    return herds


def _bodies(k: int, at: Any, rng: np.random.Generator) -> Any:
    """Balls, boxes or capsules."""
    n, dimension = at.shape
    if k == 0:
        return (Circle if dimension == 2 else Sphere)(at, rng.uniform(0.3, 0.5, n))
    if k == 1:
        size = rng.uniform(0.4, 0.8, at.shape)
        if dimension == 2:
            return Rectangle(at, size, rng.uniform(-math.pi, math.pi, n))
        turn = rng.normal(size=(n, 4))
        return Box(at, size, turn / np.linalg.norm(turn, axis=-1, keepdims=True))
    along = rng.normal(size=at.shape)
    along *= 0.3 / np.linalg.norm(along, axis=-1, keepdims=True)
    return (Capsule2d if dimension == 2 else Capsule3d)(at - along, at + along, rng.uniform(0.2, 0.3, n))


def world_of(herds: Sequence[Herd]) -> World:
    """A world with these bodies."""
    world = World()
    for herd in herds:
        world.add(herd.shape, herd.motion)
    return world


# What a step does, in its order.
STAGES = ("poses", "candidates", "groups", "first contacts", "events")


def staged_step(world: World, dt: float, clock: Callable[[], float]) -> tuple[dict[str, float], Any, int]:
    """`World.step`, and the seconds of its stages; the events, and the number of candidates."""
    scene = world._scene()
    times = [clock()]
    end = Scene(scene.roster, world.time + dt)
    times.append(clock())
    near = world._near(scene, end)
    times.append(clock())
    pairs = world._meetable(scene.roster, near)
    times.append(clock())
    found = first_contacts(scene, pairs, dt, world._tol, world._dimension or 3)
    times.append(clock())
    events, world._touching = world._reported(scene, found, end)
    world._time, world._now = end.time, end
    times.append(clock())
    return dict(zip(STAGES, np.diff(times).tolist(), strict=True)), events, len(near)


@dataclass(frozen=True)
class Peer:
    """What an engine did, or why it did nothing."""

    missing: str | None = None
    ms: float | None = None
    ratio: float | None = None  # to our step, median of the rounds


@dataclass(frozen=True)
class Row:
    """One scene: CPU milliseconds of a step, medians of the rounds."""

    scene: str
    n: int
    candidates: float  # for each body
    events: int
    stages: dict[str, float]
    step_ms: float
    best_ms: float
    wall_ms: float  # of the fastest round: others may have been busy
    peers: dict[str, Peer]

    @property
    def met(self) -> bool:
        """Sixty times in a second?"""
        return self.step_ms <= GOAL


def chosen(names: Sequence[str]) -> list[str]:
    """All scenes, or those that are named."""
    known = f"known are {', '.join(SCENES)}"
    return choose(SCENES, names, lambda scene: (scene,), "scene of bench world", known)


def rows(scenes: Sequence[str], n: int, repeats: int) -> Iterator[Row]:
    """Measure scene after scene."""
    for scene in scenes:
        yield _measured(scene, n, repeats)


def _measured(scene: str, n: int, repeats: int) -> Row:
    dimension = 2 if scene == "plane" else 3
    herds = crowd(dimension, n, np.random.default_rng([SEED, n]))
    world = world_of(herds)
    stages: list[dict[str, float]] = []
    walls: list[float] = []
    last: list[Any] = []

    def step() -> None:
        start = time.perf_counter()
        seconds, events, near = staged_step(world, DT, time.process_time)
        walls.append(time.perf_counter() - start)
        stages.append(seconds)
        last[:] = [len(events), near]

    steps, missing = world_peers.steps(dimension, herds, DT)
    seconds = rounds({"ougi": step, **steps}, repeats, warm=2, clock=time.process_time, seed=SEED)
    ours = seconds["ougi"]
    peers = {name: Peer(missing=why) for name, why in missing.items()}
    for name in steps:
        ratio = statistics.median(t / o for t, o in zip(seconds[name], ours, strict=True))
        peers[name] = Peer(ms=statistics.median(seconds[name]) * 1e3, ratio=ratio)
    return Row(
        scene=scene,
        n=n,
        candidates=last[1] / n,
        events=last[0],
        stages={name: statistics.median(s[name] for s in stages[-repeats:]) * 1e3 for name in STAGES},
        step_ms=statistics.median(ours) * 1e3,
        best_ms=min(ours) * 1e3,
        wall_ms=min(walls[-repeats:]) * 1e3,
        peers=peers,
    )
