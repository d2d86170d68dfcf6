"""The tasks of fan-speed: 100,000 tests of each method of FAN sec. 3.3, 3.4, with random shapes.

In tables 3.2 and 3.3 FAN tests its sector in the sector's own frame and transforms nothing. Kernels of
ours transform. For these tables FAN's procedures are compiled a second time with a transform that does
nothing; beside them they stand as they are, next to our exact kernels.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from ougi._check import frozen
from ougi._native import Loops, device, loops
from ougi._typing import Floats
from ougi.impact import time_of_impact
from ougi.motion import Rotation3d
from ougi.query.dispatch import pair_loops
from ougi.shapes import (
    Aabb2d,
    Aabb3d,
    Box,
    Capsule2d,
    Capsule3d,
    Circle,
    Rectangle,
    Sector2d,
    Sector3d,
    Shape,
    Sphere,
)
from ougi.sweeps import Method, sweep
from ougi_lab.scenes.fan_motions import LEVER, SIZE, draw_fan_turns

SPREAD = 49.5  # centers lie within this of the pivot, on each axis
RADIUS = 12.5  # largest, of balls and capsules

Vec = TypeVar("Vec")
Task: TypeAlias = tuple[str, str, Callable[[], object]]  # table, method, what is timed


class ShapePair(NamedTuple):
    """Two kinds of shapes, how they are laid out, and loops by what is written behind the row's name."""

    a: str
    b: str
    layouts: tuple[str, str]
    loops: dict[str, Loops]


class Drawn(NamedTuple):
    """Random shapes of a row, as columns."""

    table: str
    name: str
    loops: dict[str, Loops]
    a: Floats
    b: Floats


def draw_pairs(tests: int, one_pair: bool, rng: np.random.Generator) -> list[Drawn]:
    """The shapes of tables 3.2 and 3.3."""
    found = []
    for table, pairs, flat in (("3.2", _build_pairs_2d(), True), ("3.3", _build_pairs_3d(), False)):
        drawn = _draw_shapes(1 if one_pair else tests, flat, rng)
        for name, pair in pairs.items():
            a, b = (
                repeat_columns(drawn[kind].columns(layout), tests)
                for kind, layout in zip((pair.a, pair.b), pair.layouts, strict=True)
            )
            found.append(Drawn(table, name, pair.loops, a, b))
    return found


def iterate_tasks(drawn: list[Drawn], shift: int, seldom: bool, rng: np.random.Generator) -> Iterator[Task]:
    """All that is timed once per datum.

    Shape i stands against shape i + `shift`, so that other pairs meet in each datum of a chunk.
    """
    tests = drawn[0].a.shape[1]
    out = np.empty(tests, np.bool_)
    index = frozen(np.repeat(np.arange(tests)[:, None], 2, axis=1))
    for row in drawn:
        other = frozen(np.roll(row.b, -shift, axis=1))
        for suffix, made in row.loops.items():
            task = functools.partial(made.listed, row.a, other, index, 0, out, 0, tests)
            yield row.table, f"{row.name}{suffix}", task
    yield from _iterate_motion_tasks(tests, seldom, rng)


def repeat_columns(columns: Floats, tests: int) -> Floats:
    """Columns of one shape, repeated: the compiler must not know that all are the same."""
    if columns.shape[1] == tests:
        return columns
    return frozen(np.ascontiguousarray(np.repeat(columns, tests, axis=1)))


def _draw_shapes(n: int, flat: bool, rng: np.random.Generator) -> dict[str, Shape]:
    """Two random batches of each kind, named 'circle' and 'circle 2', and sectors in their own frame."""
    found: dict[str, Shape] = {}
    d = 2 if flat else 3
    for suffix in ("", " 2"):
        middle = rng.uniform(-SPREAD, SPREAD, (n, d))
        radius = rng.uniform(0, RADIUS, n)
        half = rng.uniform(0, SIZE / 2, (n, d))
        v = rng.normal(size=(n, d))
        v *= rng.uniform(0, SIZE / 2, (n, 1)) / np.linalg.norm(v, axis=1, keepdims=True)
        if flat:
            found["circle" + suffix] = Circle(middle, radius)
            found["capsule" + suffix] = Capsule2d(middle - v, middle + v, radius)
            found["AABB" + suffix] = Aabb2d(middle - half, middle + half)
            found["OBB" + suffix] = Rectangle(middle, 2 * half, rng.uniform(0, 2 * np.pi, n))
        else:
            q = rng.normal(size=(n, 4))
            found["sphere" + suffix] = Sphere(middle, radius)
            found["point" + suffix] = Sphere(middle, 0.0)
            found["capsule" + suffix] = Capsule3d(middle - v, middle + v, radius)
            found["AABB" + suffix] = Aabb3d(middle - half, middle + half)
            found["OBB" + suffix] = Box(middle, 2 * half, q / np.linalg.norm(q, axis=1, keepdims=True))
    lever, along = rng.uniform(*LEVER, n), rng.uniform(0, SIZE, n)
    angle, inner, outer = rng.uniform(0, np.pi, n), lever - along / 2, lever + along / 2
    if flat:
        found["sector"] = Sector2d([0, 0], [1, 0], angle, inner, outer)
    else:
        height = rng.uniform(0, SIZE / 2, n)
        found["sector"] = Sector3d([0, 0, 0], [0, 0, 1], [1, 0, 0], angle, inner, outer, height)
    return found


# --- FAN's procedures ------------------------------------------------------------------------------


@device
def _keep_point(_frame: object, p: Vec) -> Vec:
    """Takes the place of the transforms."""
    return p


_TRANSFORMS = ("to_frame", "to_sector2d", "turn_to_sector2d")


def _without_transform(kernel: Any) -> Any:
    """A procedure of FAN as it is written, but for coordinates in the sector's own frame."""
    source = getattr(kernel, "py_func", kernel)
    names = {**source.__globals__, **dict.fromkeys(_TRANSFORMS, _keep_point)}
    for name in source.__code__.co_names:  # what it calls may transform as well
        used = source.__globals__.get(name)
        inner = getattr(used, "py_func", used)
        if isinstance(inner, FunctionType) and set(_TRANSFORMS) & set(inner.__code__.co_names):
            names[name] = _without_transform(used)
    return device(FunctionType(source.__code__, names, source.__name__))


@functools.cache
def build_published_loops(kernel: str, question: str = "intersects", *, transform: bool = True) -> Loops:
    """Loops of a procedure of FAN chapter 2, such as `sector3d_sphere`."""
    from ougi.kernels import load
    from ougi.kernels.published import fan

    name = f"{question}_{kernel}"
    a, b = (getattr(load, f"load_{layout}") for layout in kernel.replace("_point", "_point3d").split("_"))
    found = getattr(fan, name)
    if transform:
        return loops(f"{name}_fan", found, a, b, load.store_value)
    # The name contains a digest of this file, because the cache of compiled code does not depend on it.
    mark = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:8]
    return loops(f"{name}_fan_own_frame_{mark}", _without_transform(found), a, b, load.store_value)


def _build_sector_pair(kind: str, kernel: str) -> ShapePair:
    a, b = kernel.split("_")
    made = {
        " (published)": build_published_loops(kernel, transform=False),
        " (published, any frame)": build_published_loops(kernel),
        " (ougi, any frame)": pair_loops("intersects", kernel),
    }
    return ShapePair("sector", kind, (a, b), made)


def _build_sector_point() -> ShapePair:
    """A point of ours is a ball of radius 0; FAN's test reads only its center."""
    made = {
        " (published)": build_published_loops("sector3d_point", "contains", transform=False),
        " (published, any frame)": build_published_loops("sector3d_point", "contains"),
        " (ougi, any frame)": pair_loops("intersects", "sector3d_sphere"),
    }
    return ShapePair("sector", "point", ("sector3d", "sphere"), made)


def _build_own_pair(kind: str, layout: str) -> ShapePair:
    kernel = f"{layout}_{layout}"
    return ShapePair(kind, f"{kind} 2", (layout, layout), {"": pair_loops("intersects", kernel)})


def _build_pairs_2d() -> dict[str, ShapePair]:
    return {
        "circle": _build_own_pair("circle", "circle"),
        "capsule": _build_own_pair("capsule", "capsule2d"),
        "AABB": _build_own_pair("AABB", "aabb2d"),
        "OBB": _build_own_pair("OBB", "rectangle"),
        "sector–circle": _build_sector_pair("circle", "sector2d_circle"),
        "sector–rectangle": _build_sector_pair("OBB", "sector2d_rectangle"),
        "sector–capsule": _build_sector_pair("capsule", "sector2d_capsule2d"),
    }


def _build_pairs_3d() -> dict[str, ShapePair]:
    return {
        "sphere": _build_own_pair("sphere", "sphere"),
        "capsule": _build_own_pair("capsule", "capsule3d"),
        "AABB": _build_own_pair("AABB", "aabb3d"),
        "OBB": _build_own_pair("OBB", "box"),
        "sector–point": _build_sector_point(),
        "sector–sphere": _build_sector_pair("sphere", "sector3d_sphere"),
        "sector–capsule": _build_sector_pair("capsule", "sector3d_capsule3d"),
    }


# --- tables 3.4 to 3.6 ------------------------------------------------------------------------------------


def lay_out_turns(box: Box, turn: Rotation3d) -> Floats:
    """Motions as columns of the record `Turn`."""
    arm = box.center - turn.center
    lever = np.linalg.norm(arm, axis=1)
    rows = (turn.center, turn.axis, arm / lever[:, None], lever[:, None], box.size, turn.angle[:, None])
    return frozen(np.ascontiguousarray(np.concatenate(rows, axis=1).T))


@functools.cache
def build_loops() -> dict[str, Loops]:
    from ougi.kernels import load
    from ougi.kernels.published import build

    names = ("sector_sum", "speculative_sum", "sector_built", "speculative_built")
    return {
        name: loops(f"{name}_fan", getattr(build, name), build.load_turn, load.load_sphere, load.store_value)
        for name in names
    }


def _iterate_motion_tasks(tests: int, seldom: bool, rng: np.random.Generator) -> Iterator[Task]:
    """One motion among `tests` balls."""
    box, turn = draw_fan_turns(1, 0.0, rng)
    balls = Sphere(rng.uniform(-SPREAD, SPREAD, (tests, 3)), rng.uniform(0, RADIUS, tests))
    sphere, columns = balls.columns(), lay_out_turns(box, turn)
    hit, number = np.empty(tests, np.bool_), np.empty(tests)
    # Always motion 0, but by an index: the compiler cannot build the volume once for all.
    index = frozen(np.stack([np.zeros(tests, np.int64), np.arange(tests)], axis=1))

    def test_box() -> None:
        around = sweep(box, turn, "speculative-start-end")
        pair_loops("intersects", "sphere_aabb3d").cross(sphere, around.columns(), hit, 0, tests)

    def test_sector(method: Method, made: Loops) -> None:
        made.cross(sweep(box, turn, method).columns(), sphere, hit, 0, tests)

    around, fan = sweep(box, turn, "speculative-start-end").columns(), sweep(box, turn, "sector").columns()
    aabb, theirs = pair_loops("intersects", "sphere_aabb3d"), build_published_loops("sector3d_sphere")
    ours = pair_loops("intersects", "sector3d_sphere")
    build = build_loops()
    yield "3.4", "S-CCD", functools.partial(aabb.cross, sphere, around, hit, 0, tests)
    yield "3.4", "sector (published)", functools.partial(theirs.cross, fan, sphere, hit, 0, tests)
    yield "3.4", "sector (ougi)", functools.partial(ours.cross, fan, sphere, hit, 0, tests)
    for table, kind, out in (("3.5", "sum", number), ("3.6", "built", hit)):
        for name, volume in (("S-CCD", "speculative"), ("sector (published)", "sector")):
            made = build[f"{volume}_{kind}"].listed
            yield table, name, functools.partial(made, columns, sphere, index, 0, out, 0, tests)
    yield "3.6", "S-CCD, built once", test_box
    yield "3.6", "sector, built once (published)", functools.partial(test_sector, "sector", theirs)
    yield "3.6", "sector, built once (ougi)", functools.partial(test_sector, "sector", ours)
    enclosing = functools.partial(test_sector, "sector-enclosing", ours)
    yield "3.6", "enclosing sector, built once (ougi)", enclosing
    if seldom:
        yield "3.6", "first contact (ougi, exact)", functools.partial(time_of_impact, box, turn, balls)
        boxes, motions = draw_fan_turns(tests, 0.0, rng)
        methods: dict[str, Method] = {
            "S-CCD": "speculative-start-end",
            "sector": "sector",
            "balanced sector": "sector-balanced",
            "enclosing sector": "sector-enclosing",
        }
        for name, method in methods.items():
            yield "3.5", f"{name}, as arrays (ougi)", functools.partial(sweep, boxes, motions, method)
