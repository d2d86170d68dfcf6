"""First contact of two moving bodies: the kernels of the pairs (see `impact_moving.py`)."""

from __future__ import annotations

import math

from ougi._jit import device, procedure
from ougi.kernels.box_box import separation_box_box
from ougi.kernels.capsule3d_box import separation_capsule3d_box
from ougi.kernels.capsule3d_capsule3d import separation_capsule3d_capsule3d
from ougi.kernels.capsule3d_triangle3d import separation_capsule3d_triangle3d
from ougi.kernels.cylinder import (
    Can,
    capsule_around,
    separation_box_cylinder,
    separation_capsule3d_cylinder,
    separation_sphere_cylinder,
    separation_triangle3d_cylinder,
)
from ougi.kernels.impact_cores import span_segment, span_triangle
from ougi.kernels.impact_cylinder import STEEP
from ougi.kernels.impact_moving import Hull, first_touch_of_two, pose
from ougi.kernels.moving import Mover, carried
from ougi.kernels.records import (
    Box,
    Capsule3d,
    Cylinder,
    Frame,
    Impact3d,
    Screw3d,
    Sphere,
    Triangle3d,
    Vec3,
)
from ougi.kernels.sphere_box import separation_sphere_box
from ougi.kernels.sphere_capsule3d import separation_sphere_capsule3d
from ougi.kernels.sphere_sphere import separation_sphere_sphere
from ougi.kernels.sphere_triangle3d import separation_sphere_triangle3d
from ougi.kernels.support3d import (
    box_corners,
    segment_corners,
    segment_edges,
    triangle_corners,
    triangle_edges,
)
from ougi.kernels.triangle3d_box import separation_triangle3d_box
from ougi.kernels.triangle3d_triangle3d import separation_triangle3d_triangle3d
from ougi.kernels.vec3 import along, cross, dot, length, mid, scale, unit_or

_NONE = Vec3(0.0, 0.0, 0.0)


@device
def _place_sphere(b: Sphere, motion: Screw3d, t: float) -> Sphere:
    return Sphere(pose(motion, t, b.center), b.radius)


@device
def _place_capsule3d(b: Capsule3d, motion: Screw3d, t: float) -> Capsule3d:
    return Capsule3d(pose(motion, t, b.start), pose(motion, t, b.end), b.radius)


@device
def _place_triangle3d(b: Triangle3d, motion: Screw3d, t: float) -> Triangle3d:
    return Triangle3d(pose(motion, t, b.a), pose(motion, t, b.b), pose(motion, t, b.c))


@device
def _place_box(b: Box, motion: Screw3d, t: float) -> Box:
    return Box(
        pose(motion, t, b.center),
        b.half,
        carried(motion, t, b.x),
        carried(motion, t, b.y),
        carried(motion, t, b.z),
    )


@device
def _hull_sphere(b: Sphere, n: Vec3) -> Hull:
    return Hull((b.center,), (_NONE,), b.radius, b.center, 0.0)


@device
def _hull_capsule3d(b: Capsule3d, n: Vec3) -> Hull:
    return Hull(segment_corners(b), segment_edges(b), b.radius, mid(b.start, b.end), 0.5 * span_segment(b))


@device
def _hull_triangle3d(b: Triangle3d, n: Vec3) -> Hull:
    return Hull(triangle_corners(b), triangle_edges(b), 0.0, b.a, span_triangle(b))


@device
def _hull_box(b: Box, n: Vec3) -> Hull:
    return Hull(box_corners(b), (b.x, b.y, b.z), 0.0, b.center, length(b.half))


@device
def _place_cylinder(b: Cylinder, motion: Screw3d, t: float) -> Cylinder:
    f = b.frame
    x, y, z = carried(motion, t, f.x), carried(motion, t, f.y), carried(motion, t, f.z)
    return Cylinder(Frame(pose(motion, t, f.center), x, y, z), b.radius, b.half_height)


@device
def _hull_cylinder(b: Cylinder, n: Vec3) -> Hull:
    """A body with corners that holds the cylinder and touches it where that is farthest along n.

    Beside the wall and at a rim a capsule, each end four times; over a cap a prism with sides square to n.
    """
    f, r, h = b.frame, b.radius, b.half_height
    local = Vec3(dot(n, f.x), dot(n, f.y), dot(n, f.z))
    if math.sqrt(local.x * local.x + local.y * local.y) > STEEP:
        around = capsule_around(Can(r, h), local)
        low, high = along(f.center, f.z, around.start.z), along(f.center, f.z, around.end.z)
        far = max(abs(around.start.z), abs(around.end.z))
        return Hull((low, high, low, high, low, high, low, high), (f.z,), around.radius, f.center, far)
    out = unit_or(Vec3(local.x, local.y, 0.0), Vec3(1.0, 0.0, 0.0))
    x = along(scale(f.x, out.x), f.y, out.y)
    y = cross(f.z, x)
    corners = box_corners(Box(f.center, Vec3(r, r, h), x, y, f.z))
    return Hull(corners, (f.z,), 0.0, f.center, math.sqrt(2.0 * r * r + h * h))


@procedure
def moving_sphere_sphere(a: Mover, b: Mover) -> Impact3d:
    return first_touch_of_two(
        separation_sphere_sphere, _place_sphere, _hull_sphere, _place_sphere, _hull_sphere, a, b
    )


@procedure
def moving_sphere_capsule3d(a: Mover, b: Mover) -> Impact3d:
    return first_touch_of_two(
        separation_sphere_capsule3d, _place_sphere, _hull_sphere, _place_capsule3d, _hull_capsule3d, a, b
    )


@procedure
def moving_sphere_triangle3d(a: Mover, b: Mover) -> Impact3d:
    return first_touch_of_two(
        separation_sphere_triangle3d, _place_sphere, _hull_sphere, _place_triangle3d, _hull_triangle3d, a, b
    )


@procedure
def moving_sphere_box(a: Mover, b: Mover) -> Impact3d:
    return first_touch_of_two(separation_sphere_box, _place_sphere, _hull_sphere, _place_box, _hull_box, a, b)


@procedure
def moving_capsule3d_capsule3d(a: Mover, b: Mover) -> Impact3d:
    return first_touch_of_two(
        separation_capsule3d_capsule3d,
        _place_capsule3d,
        _hull_capsule3d,
        _place_capsule3d,
        _hull_capsule3d,
        a,
        b,
    )


@procedure
def moving_capsule3d_triangle3d(a: Mover, b: Mover) -> Impact3d:
    return first_touch_of_two(
        separation_capsule3d_triangle3d,
        _place_capsule3d,
        _hull_capsule3d,
        _place_triangle3d,
        _hull_triangle3d,
        a,
        b,
    )


@procedure
def moving_capsule3d_box(a: Mover, b: Mover) -> Impact3d:
    return first_touch_of_two(
        separation_capsule3d_box, _place_capsule3d, _hull_capsule3d, _place_box, _hull_box, a, b
    )


@procedure
def moving_triangle3d_triangle3d(a: Mover, b: Mover) -> Impact3d:
    return first_touch_of_two(
        separation_triangle3d_triangle3d,
        _place_triangle3d,
        _hull_triangle3d,
        _place_triangle3d,
        _hull_triangle3d,
        a,
        b,
    )


@procedure
def moving_triangle3d_box(a: Mover, b: Mover) -> Impact3d:
    return first_touch_of_two(
        separation_triangle3d_box, _place_triangle3d, _hull_triangle3d, _place_box, _hull_box, a, b
    )


@procedure
def moving_box_box(a: Mover, b: Mover) -> Impact3d:
    return first_touch_of_two(separation_box_box, _place_box, _hull_box, _place_box, _hull_box, a, b)


@procedure
def moving_sphere_cylinder(a: Mover, b: Mover) -> Impact3d:
    return first_touch_of_two(
        separation_sphere_cylinder, _place_sphere, _hull_sphere, _place_cylinder, _hull_cylinder, a, b
    )


@procedure
def moving_capsule3d_cylinder(a: Mover, b: Mover) -> Impact3d:
    return first_touch_of_two(
        separation_capsule3d_cylinder,
        _place_capsule3d,
        _hull_capsule3d,
        _place_cylinder,
        _hull_cylinder,
        a,
        b,
    )


@procedure
def moving_triangle3d_cylinder(a: Mover, b: Mover) -> Impact3d:
    return first_touch_of_two(
        separation_triangle3d_cylinder,
        _place_triangle3d,
        _hull_triangle3d,
        _place_cylinder,
        _hull_cylinder,
        a,
        b,
    )


@procedure
def moving_box_cylinder(a: Mover, b: Mover) -> Impact3d:
    return first_touch_of_two(
        separation_box_cylinder, _place_box, _hull_box, _place_cylinder, _hull_cylinder, a, b
    )
