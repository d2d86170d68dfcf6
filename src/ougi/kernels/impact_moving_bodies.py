"""Bodies of any layout on their way: where they are at a time, and their hulls (see `impact_moving.py`)."""

from __future__ import annotations

from ougi._jit import device
from ougi.kernels.impact_cores import span_segment, span_triangle
from ougi.kernels.impact_moving import Hull, pose
from ougi.kernels.moving import carried
from ougi.kernels.records import Box, Capsule3d, Screw3d, Sphere, Triangle3d, Vec3
from ougi.kernels.support3d import triangle_corners, triangle_edges
from ougi.kernels.vec3 import length, mid, scale, sub

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
def hull_sphere(b: Sphere) -> Hull:
    return Hull((b.center,), _NONE, _NONE, b.radius, b.center, 0.0)


@device
def hull_capsule3d(b: Capsule3d) -> Hull:
    middle, edge = mid(b.start, b.end), sub(b.end, b.start)
    return Hull((middle,), (scale(edge, 0.5),), (edge,), b.radius, middle, 0.5 * span_segment(b))


@device
def hull_triangle3d(b: Triangle3d) -> Hull:
    return Hull(triangle_corners(b), _NONE, triangle_edges(b), 0.0, b.a, span_triangle(b))


@device
def hull_box(b: Box) -> Hull:
    spans = (scale(b.x, b.half.x), scale(b.y, b.half.y), scale(b.z, b.half.z))
    return Hull((b.center,), spans, (b.x, b.y, b.z), 0.0, b.center, length(b.half))
