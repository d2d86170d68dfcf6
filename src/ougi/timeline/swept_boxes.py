"""Boxes around all that bodies sweep over, as a compiled loop over bodies of all classes."""

from __future__ import annotations

import math

import numpy as np

from ougi import _check
from ougi._native import device, loop, procedure
from ougi._typing import Floats, Ints
from ougi.impact.table import (
    BOX,
    CAPSULE,
    CYLINDER,
    HEIGHT,
    SPHERE,
    BodyTable,
    load_vector,
    move_body,
    put_vector,
    turn_at,
)
from ougi.kernels.records import Vec3
from ougi.kernels.vec3 import add, cross, length, scale, sub

# Rounding of a pose, in units of the distance travelled.
_ROUNDING = 4e-16

# Boxes around first contacts grow by this multiple of their tolerance, more than its error.
TOLERANCE_GROWTH = 8.0

# Radians: a turn up to the first is bounded as one arc, a wider one in arcs of the second.
_NARROW, _ARC = math.pi / 4, math.pi / 16


def sweep_boxes(now: BodyTable, end: BodyTable, age: Floats, tol: float, dimension: int) -> Floats:
    """(6, n), lower and upper corners of boxes around all that bodies sweep over from now to the end.

    They hold first contacts up to `tol`, and the rounding of poses after `age` (n,) motions.
    """
    boxes, scratch = np.empty((6, len(now.layout))), np.empty((HEIGHT, 1))
    _bound_paths(*now[:3], end.columns, _check.frozen(age), tol, dimension, scratch, boxes)
    return boxes


@procedure
def _bound(layout: int, c: Floats, i: int) -> tuple[Vec3, Vec3]:
    """The middle of body i's bounding box, and half of its size."""
    p = load_vector(c, 0, i)
    if layout == SPHERE:
        return p, Vec3(c[3, i], c[3, i], c[3, i])
    if layout == BOX:
        x, y, z = load_vector(c, 6, i), load_vector(c, 9, i), load_vector(c, 12, i)
        a, b, h = c[3, i], c[4, i], c[5, i]
        return p, Vec3(
            abs(x.x) * a + abs(y.x) * b + abs(z.x) * h,
            abs(x.y) * a + abs(y.y) * b + abs(z.y) * h,
            abs(x.z) * a + abs(y.z) * b + abs(z.z) * h,
        )
    if layout == CYLINDER:
        u, radius, half = load_vector(c, 9, i), c[12, i], c[13, i]
        return p, Vec3(
            abs(u.x) * half + radius * math.sqrt(u.y * u.y + u.z * u.z),
            abs(u.y) * half + radius * math.sqrt(u.z * u.z + u.x * u.x),
            abs(u.z) * half + radius * math.sqrt(u.x * u.x + u.y * u.y),
        )
    q = load_vector(c, 3, i)
    low = Vec3(min(p.x, q.x), min(p.y, q.y), min(p.z, q.z))
    high = Vec3(max(p.x, q.x), max(p.y, q.y), max(p.z, q.z))
    radius = 0.0
    if layout == CAPSULE:
        radius = c[6, i]
    else:
        q = load_vector(c, 6, i)
        low = Vec3(min(low.x, q.x), min(low.y, q.y), min(low.z, q.z))
        high = Vec3(max(high.x, q.x), max(high.y, q.y), max(high.z, q.z))
    half_size = scale(sub(high, low), 0.5)
    return scale(add(low, high), 0.5), Vec3(half_size.x + radius, half_size.y + radius, half_size.z + radius)


@device
def _axis_distance(center: Vec3, axis: Vec3, p: Vec3) -> float:
    return length(cross(axis, sub(p, center)))


@procedure
def _reach(layout: int, c: Floats, i: int, center: Vec3, axis: Vec3) -> float:
    """The largest distance of body i's points from an axis, or a little more."""
    far = _axis_distance(center, axis, load_vector(c, 0, i))
    if layout == SPHERE:
        return float(far + c[3, i])
    if layout == BOX:
        return far + length(load_vector(c, 3, i))
    if layout == CYLINDER:
        return far + math.hypot(c[12, i], c[13, i])
    far = max(far, _axis_distance(center, axis, load_vector(c, 3, i)))
    if layout == CAPSULE:
        return float(far + c[6, i])
    return max(far, _axis_distance(center, axis, load_vector(c, 6, i)))


@device
def _widen(boxes: Floats, i: int, body: tuple[Vec3, Vec3], grow: Vec3) -> None:
    """Widen box i so that it holds a body's bounds, grown."""
    low, high = sub(sub(body[0], body[1]), grow), add(add(body[0], body[1]), grow)
    p, q = load_vector(boxes, 0, i), load_vector(boxes, 3, i)
    put_vector(boxes, 0, i, Vec3(min(p.x, low.x), min(p.y, low.y), min(p.z, low.z)))
    put_vector(boxes, 3, i, Vec3(max(q.x, high.x), max(q.y, high.y), max(q.z, high.z)))


@loop
def _bound_paths(
    layout: Ints,
    start: Floats,
    screws: Floats,
    end: Floats,
    age: Floats,
    tol: float,
    dimension: int,
    scratch: Floats,
    boxes: Floats,
) -> None:
    """Boxes around all that bodies sweep over, and around rounding.

    On an arc of an angle up to a half turn a point leaves the chord by r (1 - cos angle / 2) at most, across
    the axis. A screw moves it along the axis besides, evenly.
    """
    for i in range(len(layout)):
        kind, angle = layout[i], abs(screws[6, i])
        for k in range(3):
            boxes[k, i], boxes[k + 3, i] = math.inf, -math.inf
        grow, reach, center_distance, coordinate = Vec3(0.0, 0.0, 0.0), 0.0, 0.0, 0.0
        if angle > 0.0:
            center, u = load_vector(screws, 0, i), load_vector(screws, 3, i)
            reach = _reach(kind, start, i, center, u)
            center_distance = max(abs(center.x), abs(center.y), abs(center.z))
            # Turns after the first one repeat it, shifted along the axis.
            turn = min(angle, 2.0 * math.pi)
            arcs = 1 if angle <= _NARROW else math.ceil(turn / _ARC)
            bulge = reach * (1.0 - math.cos(0.5 * turn / arcs))
            rise = abs(screws[7, i]) * (1.0 if angle > turn else 1.0 / arcs)
            grow = Vec3(
                bulge * math.sqrt(max(1.0 - u.x * u.x, 0.0)) + abs(u.x) * rise,
                bulge * math.sqrt(max(1.0 - u.y * u.y, 0.0)) + abs(u.y) * rise,
                bulge * math.sqrt(max(1.0 - u.z * u.z, 0.0)) + abs(u.z) * rise,
            )
            for arc in range(1, arcs):
                t = arc / arcs * (turn / angle)
                move_body(kind, start, i, turn_at(screws, i, t), scratch, 0)
                _widen(boxes, i, _bound(kind, scratch, 0), grow)
        _widen(boxes, i, _bound(kind, start, i), grow)
        _widen(boxes, i, _bound(kind, end, i), grow)
        for k in range(dimension):
            coordinate = max(coordinate, abs(boxes[k, i]), abs(boxes[k + 3, i]))
        travelled = (angle * reach + abs(screws[7, i])) * abs(age[i])
        margin = TOLERANCE_GROWTH * tol * (center_distance + coordinate) + _ROUNDING * travelled
        for k in range(dimension):
            boxes[k, i] -= margin
            boxes[k + 3, i] += margin
