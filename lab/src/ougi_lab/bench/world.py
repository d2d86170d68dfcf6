"""`ougi bench world`: one step of ten thousand bodies, stage by stage, beside physics engines.

A third each of balls, boxes and capsules (in the plane circles, rectangles and capsules), spread so that each
has about one candidate; all move, and one in ten turns by up to 30 degrees in a step. Our step finds every
first contact on the way, with point and normal, and reports what began, goes on and ended.

Engines take the same bodies as sensors, which nothing pushes, and test once per step: pymunk (C, in the
plane) at the poses at its end, rapier3d (Rust, in space) at those at its beginning. Their answers stay
inside; ours are arrays. All worlds step in turn, and their CPU time is measured, of all threads.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ougi.world import World
from ougi.world.bodies import Scene
from ougi.world.narrow import first_contacts
from ougi_lab.bench import world_peers
from ougi_lab.bench.choose import choose
from ougi_lab.measure import rounds
from ougi_lab.scenes.groups import BodyGroup, draw_steady_groups

SEED = 60
NUMBER = 10_000
DT = 1 / 60
# Milliseconds of a frame at 60 Hz.
GOAL = 1000 / 60

SCENES = ("plane", "space")


def world_of(groups: Sequence[BodyGroup]) -> World:
    """A world with these bodies."""
    world = World()
    for group in groups:
        world.add(group.shape, group.motion)
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
    groups = draw_steady_groups(dimension, n, DT, np.random.default_rng([SEED, n]))
    world = world_of(groups)
    stages: list[dict[str, float]] = []
    walls: list[float] = []
    last: list[Any] = []

    def step() -> None:
        start = time.perf_counter()
        seconds, events, near = staged_step(world, DT, time.process_time)
        walls.append(time.perf_counter() - start)
        stages.append(seconds)
        last[:] = [len(events), near]

    steps, missing = world_peers.steps(dimension, groups, DT)
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
