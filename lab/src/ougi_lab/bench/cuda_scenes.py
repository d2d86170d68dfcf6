"""Whole scenes for `ougi bench cuda`: thousands of radars in one launch, a million characters in a frame."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ougi._jit import get_threads, one_thread
from ougi.cli.tables import Table
from ougi.cuda import detect, put
from ougi.cuda._driver import SIMULATED, copied, to_numpy
from ougi.radar import Meshes, Volume
from ougi.radar import detect as detect_on_cpu
from ougi.radar.scopes import drawn, ignored
from ougi_lab.bench.corridor import RADIUS, room_of
from ougi_lab.scenes.corridors import draw_circles
from ougi_lab.scenes.meshes import make_sphere, move_mesh

SEED = 23
# Radars and milliseconds that are asked for.
RADARS, RADAR_TARGET = 50_000, 16.0
# Radars that the CPU draws, on one thread, and whose images are compared.
_COMPARED = 1_000
# How far radars look in a cube of side 1000: to the next sphere, and through everything.
_DEPTHS = (250.0, 1000.0)
# Frames in a row; bounces of a character in each, at most.
_FRAMES, _BOUNCES = 5, 1_000

Clock = Callable[[Callable[[], object], int, int], float]


@dataclass(frozen=True)
class Radars:
    """So many radars among RADAR's 50 spheres of 128 faces (sec. 4.3, figure 8), one launch for all."""

    radars: int
    pixels: int  # along each side
    depth: float
    ms: float
    cpu_ms: float  # as many on one thread
    seen: float  # bodies that a radar sees, on average
    equal: bool  # images to those of the CPU
    target_ms: float | None
    met: bool | None


def spheres() -> Meshes:
    """50 spheres of radius 40 in a cube of side 1000."""
    places = np.random.default_rng(SEED).uniform(-460, 460, (50, 3))
    return Meshes([move_mesh(make_sphere(8, 9, 40.0), np.eye(3), place) for place in places])


def radars(count: int, repeats: int, clock: Clock) -> Iterator[Radars]:
    """Measure radars as wide as a sphere, at random places, looking anywhere."""
    rng, scene = np.random.default_rng(SEED), spheres()
    n = min(count, RADARS)
    origin, look = rng.uniform(-500, 500, (n, 3)), rng.normal(size=(n, 3))
    there = put(scene)
    for side, depth in [(16, depth) for depth in _DEPTHS] + [(50, _DEPTHS[0])]:
        volume = Volume(origin, look, [80.0, 80.0, depth], pixels=2 if SIMULATED else side)
        put_there = put(volume)
        again = functools.partial(detect, put_there, there, out=detect(put_there, there))
        seconds = clock(again, repeats, 1)
        few = Volume(origin[:_COMPARED], look[:_COMPARED], [80.0, 80.0, depth], pixels=volume.pixels[0])
        none = ignored((), len(few))
        with one_thread():
            drawn(few.ways, few.windows, scene, none)  # compiles
            begun = time.perf_counter()
            drawn(few.ways, few.windows, scene, none)
            cpu = (time.perf_counter() - begun) * n / len(few)
        seen = detect(put(few), there, result="numpy")
        truth = detect_on_cpu(few, scene)
        equal = all(
            np.array_equal(told.range, seen.range[k]) and np.array_equal(told.ids, seen.ids[k])
            for k, told in enumerate(truth)
        )
        asked = side == 16 and n == RADARS
        yield Radars(
            radars=n,
            pixels=side,
            depth=depth,
            ms=1e3 * seconds,
            cpu_ms=1e3 * cpu,
            seen=float(seen.count.mean()),
            equal=equal,
            target_ms=RADAR_TARGET if asked else None,
            met=1e3 * seconds <= RADAR_TARGET if asked else None,
        )


@dataclass(frozen=True)
class Crowd:
    """Frames of a crowd in a corridor; characters move by `speed` radii in each."""

    scene: str
    segments: int
    characters: int
    speed: float
    ms: float
    cpu_ms: float  # on all threads
    equal: bool  # places after some frames to those of the CPU


def crowds(scenes: Sequence[str], characters: int, repeats: int, clock: Clock) -> Iterator[Crowd]:
    """Measure frames, each from where the last one ended."""
    for scene in scenes:
        room = room_of(scene)
        wall = put(room.compile(RADIUS))
        for speed in (1.0, 20.0):
            place, way = draw_circles(room, characters, RADIUS, speed, np.random.default_rng(SEED))
            how: dict[str, Any] = {"radius": RADIUS, "dt": 1.0, "max_bounces": _BOUNCES}
            moved, ours = wall.step(copied(place), copied(way), **how), room.step(place, way, **how)
            how["check"] = False
            for _ in range(_FRAMES):
                moved = wall.step(moved.position, moved.velocity, **how)
                ours = room.step(ours.position, ours.velocity, **how)
            equal = np.array_equal(to_numpy(moved.position), ours.position)
            begun = time.perf_counter()
            for _ in range(_FRAMES):
                ours = room.step(ours.position, ours.velocity, **how)
            cpu = (time.perf_counter() - begun) / _FRAMES
            again = functools.partial(wall.step, moved.position, moved.velocity, **how, out=moved)
            ms, segments = 1e3 * clock(again, repeats, _FRAMES), len(room.segments)
            yield Crowd(scene, segments, characters, speed, ms, 1e3 * cpu, equal)


def radar_table(rows: Sequence[Radars]) -> Table:
    """For people."""
    return Table(
        "Radars among 50 spheres of 128 faces on the GPU, milliseconds",
        (">radars", ">pixels", ">depth", ">bodies seen", ">GPU", ">CPU, one thread", "equal", "target"),
        [
            (
                f"{row.radars:,}",
                f"{row.pixels} x {row.pixels}",
                f"{row.depth:g}",
                f"{row.seen:.2f}",
                f"{row.ms:.3g}",
                f"{row.cpu_ms:.3g}",
                "yes" if row.equal else "NO",
                "" if row.met is None else f"{row.target_ms} ms: {'met' if row.met else 'MISSED'}",
            )
            for row in rows
        ],
    )


def crowd_table(rows: Sequence[Crowd]) -> Table:
    """For people."""
    return Table(
        "Frames of crowds in corridors on the GPU, milliseconds",
        ("scene", ">segments", ">characters", ">radii a frame", ">GPU", ">CPU", "equal"),
        [
            (
                row.scene,
                f"{row.segments:,}",
                f"{row.characters:,}",
                f"{row.speed:g}",
                f"{row.ms:.3g}",
                f"{row.cpu_ms:.3g}",
                "yes" if row.equal else "NO",
            )
            for row in rows
        ],
        (f"CPU: {get_threads()} threads.",),
    )
