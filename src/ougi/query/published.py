"""Tests of sectors as FAN and FAN2D publish them, with their errata repaired (docs/papers.md)."""

from __future__ import annotations

import functools
import importlib
import math

import numpy as np

from ougi import _check
from ougi._native import Loops, Parts, device
from ougi._typing import ArrayLike, Bools, Floats
from ougi.errors import UnsupportedPairError
from ougi.kernels.records import Vec2
from ougi.query.dispatch import run_loops
from ougi.shapes import (
    Capsule2d,
    Capsule3d,
    Circle,
    Point2d,
    Point3d,
    Rectangle,
    Sector2d,
    Sector3d,
    Shape,
    Sphere,
)

# Method -> the paper's module of kernels, and the widest half angle that it is written for.
PAPERS = {"published": ("fan", math.pi), "published-fan2d": ("fan2d", math.pi / 2)}

# Method -> pair of classes -> kernel and the records that it takes.
PAIRS: dict[str, dict[tuple[type[Shape], type[Shape]], tuple[str, str, str]]] = {
    "published": {
        (Sector2d, Point2d): ("contains_sector2d_point", "sector2d", "circle"),
        (Sector2d, Circle): ("intersects_sector2d_circle", "sector2d", "circle"),
        (Sector2d, Capsule2d): ("intersects_sector2d_capsule2d", "sector2d", "capsule2d"),
        (Sector2d, Rectangle): ("intersects_sector2d_rectangle", "sector2d", "rectangle"),
        (Sector3d, Point3d): ("contains_sector3d_point", "sector3d", "point3d"),
        (Sector3d, Sphere): ("intersects_sector3d_sphere", "sector3d", "sphere"),
        (Sector3d, Capsule3d): ("intersects_sector3d_capsule3d", "sector3d", "capsule3d"),
    },
    "published-fan2d": {
        (Sector2d, Point2d): ("contains_sector2d_point", "sector2d", "circle"),
        (Sector2d, Circle): ("intersects_sector2d_circle", "sector2d", "circle"),
        (Sector2d, Rectangle): ("intersects_sector2d_rectangle", "sector2d", "rectangle"),
    },
}


def intersects_as_published(method: str, a: Shape, b: Shape, pairs: ArrayLike | None) -> Bools:
    """`intersects` of a sector and another shape by a paper's own test."""
    known = PAIRS[method]
    swapped = (type(a), type(b)) not in known
    found = known.get((type(b), type(a)) if swapped else (type(a), type(b)))
    if found is None:
        names = ", ".join(f"{x.__name__} and {y.__name__}" for x, y in known).replace("Point", "points of ")
        raise UnsupportedPairError(
            f"intersects({type(a).__name__}, {type(b).__name__}, method={method!r}) is not published; "
            f"pairs that are: {names}"
        )
    kernel, *layouts = found
    paper, widest = PAPERS[method]
    half_angle = getattr(b if swapped else a, "half_angle")  # noqa: B009
    _check.refuse(half_angle > widest, "half_angle", f"be at most {widest:.6g} for {method}", half_angle)
    made = published_loops(paper, kernel)
    out = run_loops(made, (layouts[0], layouts[1]), a, b, pairs, None, np.bool_, swapped=swapped)
    return out[()]


@functools.cache
def published_loops(paper: str, kernel: str) -> Loops:
    """The loops of a paper's kernel."""
    return Loops(f"{paper}_{kernel}", lambda: _find_parts(paper, kernel))


def _find_parts(paper: str, kernel: str) -> Parts:
    module = importlib.import_module(f"ougi.kernels.published.{paper}")
    load = importlib.import_module("ougi.kernels.load")
    first, second = kernel.split("_")[1:]
    if second == "point":
        load_b = load_point2d if first == "sector2d" else load.load_point3d
    else:
        load_b = getattr(load, f"load_{second}")
    function, load_a = getattr(module, kernel), getattr(load, f"load_{first}")
    return Parts(function, load_a, load_b, load.store_value)


@device
def load_point2d(c: Floats, i: int) -> Vec2:
    """A point from the columns of a circle."""
    return Vec2(c[0, i], c[1, i])
