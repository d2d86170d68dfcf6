"""Whole scenes for `ougi bench cuda`: radars, characters in a frame and motions of a robot by the million."""

from __future__ import annotations

import functools
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ougi._native import one_thread
from ougi.cuda import DeviceRobot, detect, put
from ougi.cuda.driver import SIMULATED, to_device, to_numpy
from ougi.radar import Meshes, Volume
from ougi.radar import detect as detect_on_cpu
from ougi.radar.detection import draw_images, read_ignored
from ougi_lab.bench.corridor import RADIUS, build_corridor
from ougi_lab.bench.measurement import Measurement, require_max, require_min
from ougi_lab.bench.robots import draw_edges, write_arm
from ougi_lab.measure import time_interleaved
from ougi_lab.scenes.corridors import draw_circles
from ougi_lab.scenes.meshes import make_sphere, move_mesh

SEED = 23
# Target: radars and milliseconds.
RADARS, RADAR_TARGET = 50_000, 16.0
# Radars that the CPU draws, on one thread, and whose images are compared.
_COMPARED = 1_000
# Depths of the radars in a cube of side 1000: to the next sphere, and through everything.
_DEPTHS = (250.0, 1000.0)
# Frames in a row; bounces of a character in each, at most.
_FRAMES, _BOUNCES = 5, 1_000
# Target: motions of the arm of `ougi bench robots` per second. Motions that the CPU checks, too.
ROBOT_TARGET, _ROBOT_SAMPLE = 5e6, 20_000

Clock = Callable[[Callable[[], object], int, int], float]


def build_spheres() -> Meshes:
    """50 spheres of radius 40 in a cube of side 1000."""
    places = np.random.default_rng(SEED).uniform(-460, 460, (50, 3))
    return Meshes([move_mesh(make_sphere(8, 9, 40.0), np.eye(3), position) for position in places])


def measure_radars(count: int, repeats: int, clock: Clock) -> Iterator[list[Measurement]]:
    """Measure radars as wide as a sphere, with random origins and directions."""
    rng, scene = np.random.default_rng(SEED), build_spheres()
    n = min(count, RADARS)
    origin, direction = rng.uniform(-500, 500, (n, 3)), rng.normal(size=(n, 3))
    there = put(scene)
    for side, depth in [(16, depth) for depth in _DEPTHS] + [(50, _DEPTHS[0])]:
        volume = Volume(origin, direction, [80.0, 80.0, depth], pixels=2 if SIMULATED else side)
        put_there = put(volume)
        again = functools.partial(detect, put_there, there, out=detect(put_there, there))
        seconds = clock(again, repeats, 1)
        sample = Volume(
            origin[:_COMPARED], direction[:_COMPARED], [80.0, 80.0, depth], pixels=volume.pixels[0]
        )
        none = read_ignored((), len(sample))
        with one_thread():
            call = functools.partial(draw_images, sample.frames, sample.windows, scene, none)
            cpu = time_interleaved({"CPU": call}, 1)["CPU"].best * n / len(sample)
        seen = detect(put(sample), there, result="numpy")
        truth = detect_on_cpu(sample, scene)
        equal = all(
            np.array_equal(getattr(truth, name), getattr(seen, name))
            for name in ("depth_image", "body_image")
        )
        ms = 1e3 * seconds
        new = functools.partial(Measurement, "cuda/radars", {"radars": n, "pixels": side, "depth": depth})
        target = require_max(RADAR_TARGET, ms) if side == 16 and n == RADARS else None
        facts = {"seen": float(seen.count.mean()), "equal": equal}  # bodies that a radar sees, on average
        yield [new("GPU", ms, target=target, facts=facts), new("CPU", 1e3 * cpu)]


def measure_characters(
    scenes: Sequence[str], characters: int, repeats: int, clock: Clock
) -> Iterator[list[Measurement]]:
    """Measure frames, each from where the last one ended."""
    for scene in scenes:
        corridor = build_corridor(scene)
        wall = put(corridor.compile(RADIUS))
        for speed in (1.0, 20.0):
            position, velocity = draw_circles(
                corridor, characters, RADIUS, speed, np.random.default_rng(SEED)
            )
            options: dict[str, Any] = {"radius": RADIUS, "dt": 1.0, "max_bounces": _BOUNCES}
            moved, ours = (
                wall.step(to_device(position), to_device(velocity), **options),
                corridor.step(position, velocity, **options),
            )
            options["check"] = False
            for _ in range(_FRAMES):
                moved = wall.step(moved.position, moved.velocity, **options)
                ours = corridor.step(ours.position, ours.velocity, **options)
            equal = np.array_equal(to_numpy(moved.position), ours.position)
            begun = time.perf_counter()
            for _ in range(_FRAMES):
                ours = corridor.step(ours.position, ours.velocity, **options)
            cpu = (time.perf_counter() - begun) / _FRAMES
            again = functools.partial(wall.step, moved.position, moved.velocity, **options, out=moved)
            ms = 1e3 * clock(again, repeats, _FRAMES)
            case = {
                "scene": scene,
                "segments": len(corridor.segments),
                "characters": characters,
                "speed": speed,
            }
            new = functools.partial(Measurement, "cuda/characters", case)
            yield [new("GPU", ms, facts={"equal": equal}), new("CPU", 1e3 * cpu)]


def measure_robots(count: int, repeats: int, clock: Clock) -> Iterator[list[Measurement]]:
    """Measure motions of an arm of 59 spheres among seven boxes: all, and those that are free."""
    with tempfile.TemporaryDirectory() as folder:
        edges = draw_edges(write_arm(Path(folder)), min(count, 1_000_000))
    there = DeviceRobot(edges.robot, edges.obstacles)
    free = np.asarray(there.is_free(to_device(edges.q0), to_device(edges.q1), result="numpy"))
    for name, part in (("all", edges), ("free", edges.take(free))):
        q0, q1 = to_device(part.q0), to_device(part.q1)
        for query in ("is_free", "first_contact"):
            again = functools.partial(getattr(there, query), q0, q1)
            per_second = len(part.q0) / clock(again, repeats, 1)
            sample = part.take(slice(_ROBOT_SAMPLE))
            on_host = functools.partial(getattr(part.robot, query), sample.q0, sample.q1, part.obstacles)
            ours, theirs = on_host(), again(result="numpy")
            differs = (
                ours != theirs[: len(sample.q0)] if query == "is_free"
                else ours.status != theirs.status[: len(sample.q0)]
            )  # fmt: skip
            begun = time.perf_counter()
            on_host()
            cpu = len(sample.q0) / (time.perf_counter() - begun)
            case = {"edges": name, "query": query, "count": len(part.q0)}
            target = require_min(ROBOT_TARGET, per_second) if (name, query) == ("free", "is_free") else None
            new = functools.partial(Measurement, "cuda/robots", case, unit="edges/s")
            facts = {"differ": int(differs.sum())}
            yield [
                new(method="GPU", value=per_second, ratio=per_second / cpu, target=target, facts=facts),
                new(method="CPU", value=cpu),
            ]
