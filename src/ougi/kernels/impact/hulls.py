"""Bodies of every layout at a time of their motion, and their hulls (see `two_movers.py`)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from ougi._native import device
from ougi._typing import Loop, Record
from ougi.kernels.constants import STEEP
from ougi.kernels.cylinder import Can, capsule_around
from ougi.kernels.impact.cores import span_segment, span_triangle
from ougi.kernels.impact.movers import turn_until
from ougi.kernels.records import Box, Capsule3d, Cylinder, Frame, Screw3d, Sphere, Triangle3d, Vec3
from ougi.kernels.support3d import triangle_corners, triangle_edges
from ougi.kernels.vec3 import UNITS, ZERO, add, along, cross, dot, length, mid, scale, sub, unit_or

_NONE = (ZERO,)


class Hull(NamedTuple):
    """The core of a body: the sum of the hull of its `corners` and of the segments -v..v, v in `spans`.

    A triangle has three corners, a ball, a capsule and a box one: the center. `edges` are directions; what
    a body has none of is one zero vector. `center` and `reach` are a ball around the core.
    """

    corners: Record
    spans: Record
    edges: Record
    radius: float
    center: Vec3
    reach: float


@device
def place_point(motion: Screw3d, t: float, x: Vec3, origin: Vec3) -> Vec3:
    """The point x at time t relative to `origin`: as precise as it is near, however far both are."""
    w = turn_until(motion, t, sub(x, motion.center))
    return along(add(sub(motion.center, origin), w), motion.axis, motion.advance * t)


@device
def place_sphere(b: Sphere, motion: Screw3d, t: float, o: Vec3) -> Sphere:
    return Sphere(place_point(motion, t, b.center, o), b.radius)


@device
def place_capsule3d(b: Capsule3d, motion: Screw3d, t: float, o: Vec3) -> Capsule3d:
    return Capsule3d(place_point(motion, t, b.start, o), place_point(motion, t, b.end, o), b.radius)


@device
def place_triangle3d(b: Triangle3d, motion: Screw3d, t: float, o: Vec3) -> Triangle3d:
    p, q, r = place_point(motion, t, b.a, o), place_point(motion, t, b.b, o), place_point(motion, t, b.c, o)
    return Triangle3d(p, q, r)


@device
def place_box(b: Box, motion: Screw3d, t: float, o: Vec3) -> Box:
    x, y, z = turn_until(motion, t, b.x), turn_until(motion, t, b.y), turn_until(motion, t, b.z)
    return Box(place_point(motion, t, b.center, o), b.half, x, y, z)


@device
def place_cylinder(b: Cylinder, motion: Screw3d, t: float, o: Vec3) -> Cylinder:
    f = b.frame
    x, y, z = turn_until(motion, t, f.x), turn_until(motion, t, f.y), turn_until(motion, t, f.z)
    return Cylinder(Frame(place_point(motion, t, f.center, o), x, y, z), b.radius, b.half_height)


@device
def hull_sphere(b: Sphere, n: Vec3) -> Hull:
    return Hull((b.center,), _NONE, _NONE, b.radius, b.center, 0.0)


@device
def hull_capsule3d(b: Capsule3d, n: Vec3) -> Hull:
    middle, edge = mid(b.start, b.end), sub(b.end, b.start)
    return Hull((middle,), (scale(edge, 0.5),), (edge,), b.radius, middle, 0.5 * span_segment(b))


@device
def hull_triangle3d(b: Triangle3d, n: Vec3) -> Hull:
    return Hull(triangle_corners(b), _NONE, triangle_edges(b), 0.0, b.a, span_triangle(b))


@device
def hull_box(b: Box, n: Vec3) -> Hull:
    spans = (scale(b.x, b.half.x), scale(b.y, b.half.y), scale(b.z, b.half.z))
    return Hull((b.center,), spans, (b.x, b.y, b.z), 0.0, b.center, length(b.half))


@device
def hull_cylinder(b: Cylinder, n: Vec3) -> Hull:
    """A body that holds the cylinder and touches it where that is farthest along n.

    Beside the wall and at a rim a capsule; over a cap a prism with sides square to n.
    """
    f, r, h = b.frame, b.radius, b.half_height
    local = Vec3(dot(n, f.x), dot(n, f.y), dot(n, f.z))
    if math.sqrt(local.x * local.x + local.y * local.y) > STEEP:
        around = capsule_around(Can(r, h), local)
        middle = along(f.center, f.z, 0.5 * (around.start.z + around.end.z))
        half = 0.5 * (around.end.z - around.start.z)
        return Hull((middle,), (scale(f.z, half), ZERO, ZERO), (f.z,), around.radius, middle, half)
    out = unit_or(Vec3(local.x, local.y, 0.0), UNITS[0])
    x = along(scale(f.x, out.x), f.y, out.y)
    spans = (scale(x, r), scale(cross(f.z, x), r), scale(f.z, h))
    return Hull((f.center,), spans, (f.z,), 0.0, f.center, math.sqrt(2.0 * r * r + h * h))


PLACE: dict[str, Loop] = {
    "sphere": place_sphere,
    "capsule3d": place_capsule3d,
    "triangle3d": place_triangle3d,
    "box": place_box,
    "cylinder": place_cylinder,
}
HULL: dict[str, Callable[..., Hull]] = {
    "sphere": hull_sphere,
    "capsule3d": hull_capsule3d,
    "triangle3d": hull_triangle3d,
    "box": hull_box,
    "cylinder": hull_cylinder,
}
