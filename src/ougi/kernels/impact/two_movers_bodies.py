"""Bodies of any layout on their way: where they are at a time, and their hulls (see `two_movers.py`)."""

from __future__ import annotations

import math

from ougi._native import device
from ougi.kernels.constants import STEEP
from ougi.kernels.cylinder import Can, capsule_around
from ougi.kernels.impact.cores import span_segment, span_triangle
from ougi.kernels.impact.movers import carried
from ougi.kernels.impact.two_movers import Hull, pose
from ougi.kernels.records import Box, Capsule3d, Cylinder, Frame, Screw3d, Sphere, Triangle3d, Vec3
from ougi.kernels.support3d import triangle_corners, triangle_edges
from ougi.kernels.vec3 import along, cross, dot, length, mid, scale, sub, unit_or

_NONE = (Vec3(0.0, 0.0, 0.0),)


@device
def place_sphere(b: Sphere, motion: Screw3d, t: float, o: Vec3) -> Sphere:
    return Sphere(pose(motion, t, b.center, o), b.radius)


@device
def place_capsule3d(b: Capsule3d, motion: Screw3d, t: float, o: Vec3) -> Capsule3d:
    return Capsule3d(pose(motion, t, b.start, o), pose(motion, t, b.end, o), b.radius)


@device
def place_triangle3d(b: Triangle3d, motion: Screw3d, t: float, o: Vec3) -> Triangle3d:
    return Triangle3d(pose(motion, t, b.a, o), pose(motion, t, b.b, o), pose(motion, t, b.c, o))


@device
def place_box(b: Box, motion: Screw3d, t: float, o: Vec3) -> Box:
    x, y, z = carried(motion, t, b.x), carried(motion, t, b.y), carried(motion, t, b.z)
    return Box(pose(motion, t, b.center, o), b.half, x, y, z)


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
def place_cylinder(b: Cylinder, motion: Screw3d, t: float, o: Vec3) -> Cylinder:
    f = b.frame
    x, y, z = carried(motion, t, f.x), carried(motion, t, f.y), carried(motion, t, f.z)
    return Cylinder(Frame(pose(motion, t, f.center, o), x, y, z), b.radius, b.half_height)


@device
def hull_cylinder(b: Cylinder, n: Vec3) -> Hull:
    """A body that holds the cylinder and touches it where that is farthest along n.

    Beside the wall and at a rim a capsule; over a cap a prism with sides square to n.
    """
    f, r, h = b.frame, b.radius, b.half_height
    local = Vec3(dot(n, f.x), dot(n, f.y), dot(n, f.z))
    none = Vec3(0.0, 0.0, 0.0)
    if math.sqrt(local.x * local.x + local.y * local.y) > STEEP:
        around = capsule_around(Can(r, h), local)
        middle = along(f.center, f.z, 0.5 * (around.start.z + around.end.z))
        half = 0.5 * (around.end.z - around.start.z)
        return Hull((middle,), (scale(f.z, half), none, none), (f.z,), around.radius, middle, half)
    out = unit_or(Vec3(local.x, local.y, 0.0), Vec3(1.0, 0.0, 0.0))
    x = along(scale(f.x, out.x), f.y, out.y)
    spans = (scale(x, r), scale(cross(f.z, x), r), scale(f.z, h))
    return Hull((f.center,), spans, (f.z,), 0.0, f.center, math.sqrt(2.0 * r * r + h * h))
