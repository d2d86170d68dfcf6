"""A cylinder in its own frame: nearest points of bodies with corners, and how far it reaches.

Wherever the inside of an edge or a face is nearest, the offset is made exactly perpendicular to it: a
direction that is the difference of two near points would be all rounding.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device, procedure
from ougi.kernels.closest2d import foot as planar_foot
from ougi.kernels.closest3d import from_box, is_level, over_triangle, to_box, turn_from_box, turn_to_box
from ougi.kernels.constants import FAR
from ougi.kernels.records import (
    Box,
    Capsule3d,
    Cylinder,
    Frame,
    Sector3d,
    Separation3d,
    Sphere,
    Triangle3d,
    Vec2,
    Vec3,
)
from ougi.kernels.scalar import clamp01
from ougi.kernels.sector2d_wedge import ALL, common, disc_span
from ougi.kernels.sector3d_box import intersects_sector3d_box
from ougi.kernels.sector3d_capsule3d import flat, height_span, rim_nearest
from ougi.kernels.sector3d_triangle3d import intersects_sector3d_triangle3d
from ougi.kernels.support3d import box_corners, triangle_normal
from ougi.kernels.vec3 import add, along, dot, length, length_sq, mid, neg, scale, sub, unit_or

_NONE = Vec3(0.0, 0.0, 0.0)
_ENDLESS = Vec3(FAR, 0.0, 0.0)
IDENTITY = Frame(_NONE, Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0))


class Can(NamedTuple):
    """A cylinder about the z axis, its center at the origin."""

    radius: float
    half_height: float


class Nearest(NamedTuple):
    """The point of a body nearest to the cylinder, and its offset from it; zero if they meet."""

    point: Vec3
    offset: Vec3


@device
def can_of(c: Cylinder) -> Can:
    return Can(c.radius, c.half_height)


@device
def box_around(c: Cylinder) -> Box:
    """The cylinder's frame, as those functions want it that turn points into the frame of a box."""
    f = c.frame
    return Box(f.center, Vec3(c.radius, c.radius, c.half_height), f.x, f.y, f.z)


@device
def offset_can(c: Can, x: Vec3) -> Vec3:
    """x minus the nearest point; along the axis over a cap, radial beside the wall."""
    rho = math.sqrt(x.x * x.x + x.y * x.y)
    out = (rho - c.radius) / rho if rho > c.radius else 0.0
    return Vec3(x.x * out, x.y * out, x.z - max(-c.half_height, min(x.z, c.half_height)))


@device
def top_can(c: Can, n: Vec3) -> float:
    """The largest n . y over its points."""
    return c.radius * math.sqrt(n.x * n.x + n.y * n.y) + c.half_height * abs(n.z)


@device
def capsule_around(c: Can, n: Vec3) -> Capsule3d:
    """A capsule that holds the cylinder and touches its surface where that is farthest along a unit vector n.

    The planes through a rim that lean like n touch a ball through the rim, whose center is on the axis; both
    rims together make a capsule. n must not point along the axis: there the ball becomes a half-space.
    """
    sine = math.sqrt(n.x * n.x + n.y * n.y)
    shift = -c.radius * n.z / sine
    return Capsule3d(
        Vec3(0.0, 0.0, shift - c.half_height), Vec3(0.0, 0.0, shift + c.half_height), c.radius / sine
    )


@device
def nearer(a: Nearest, b: Nearest) -> Nearest:
    return a if length_sq(a.offset) <= length_sq(b.offset) else b


@device
def nearest_point(c: Can, x: Vec3) -> Nearest:
    return Nearest(x, offset_can(c, x))


@device
def _better(c: Can, p: Vec3, v: Vec3, best: tuple[float, float], t: float) -> tuple[float, float]:
    """The better of the best (squared distance, parameter) so far and another parameter."""
    t = clamp01(t)
    distance_sq = length_sq(offset_can(c, along(p, v, t)))
    return (distance_sq, t) if distance_sq < best[0] else best


@procedure
def nearest_segment(c: Can, p: Vec3, e: Vec3) -> Nearest:
    """The segment from p to e; candidates as in `fan3d_segment_distance`."""
    v = sub(e, p)
    disc, tall = disc_span(flat(p), flat(v), c.radius), height_span(p, e, -c.half_height, c.half_height)
    inside = common(common(disc, tall), ALL)
    if inside.low <= inside.high:
        return Nearest(along(p, v, 0.5 * (inside.low + inside.high)), _NONE)
    best = _better(c, p, v, (length_sq(offset_can(c, p)), 0.0), 1.0)
    best = _better(c, p, v, best, planar_foot(Vec2(0.0, 0.0), flat(p), flat(v), v.x * v.x + v.y * v.y))
    if disc.low <= disc.high:
        best = _better(c, p, v, _better(c, p, v, best, disc.low), disc.high)
    if tall.low <= tall.high:
        best = _better(c, p, v, _better(c, p, v, best, tall.low), tall.high)
    for level in (c.half_height, -c.half_height):
        for t in rim_nearest(p, v, c.radius, level, ALL):
            # On its own side only: of a thin disc the other rim is as near, but not the right t.
            if level * (p.z + t * v.z) >= 0.0:
                best = _better(c, p, v, best, t)
    x = along(p, v, best[1])
    d = offset_can(c, x)
    if not 0.0 < best[1] < 1.0:
        return Nearest(x, d)
    across = Vec3(v.y, -v.x, 0.0)  # to the segment and to the axis
    # Beside a wall that is all but a rim the offset may still lean.
    if d.z == 0.0 and is_level(d, x, v, across):
        return Nearest(x, scale(across, dot(d, across) / length_sq(across)))
    return Nearest(x, along(d, v, -dot(d, v) / length_sq(v)))


@device
def _edge(c: Can, best: Nearest, p: Vec3, e: Vec3) -> Nearest:
    """The better of the best so far and an edge, unless a ball around it shows that it is too far."""
    far = length(offset_can(c, mid(p, e))) - 0.5 * length(sub(e, p))
    if far > 0.0 and far * far >= length_sq(best.offset):
        return best
    return nearer(best, nearest_segment(c, p, e))


@device
def _lowest(c: Can, m: Vec3, level: float) -> Vec3:
    """The point of a rim that is farthest against m."""
    out = unit_or(Vec3(-m.x, -m.y, 0.0), Vec3(1.0, 0.0, 0.0))
    return Vec3(c.radius * out.x, c.radius * out.y, level)


@device
def _face_triangle(c: Can, t: Triangle3d, best: Nearest) -> Nearest:
    """The better of the best so far and a rim over the inside of the triangle."""
    n = triangle_normal(t)
    n_sq = dot(n, n)
    for sign in (1.0, -1.0):
        m = scale(n, sign / math.sqrt(n_sq)) if n_sq > 0.0 else _NONE
        for level in (c.half_height, -c.half_height):
            y = _lowest(c, m, level)
            inside, _ = over_triangle(y, t, n, n_sq)
            height = dot(m, sub(y, t.a))
            if inside and height > 0.0:
                best = nearer(best, Nearest(along(y, m, -height), scale(m, -height)))
    return best


@procedure
def nearest_triangle(c: Can, t: Triangle3d) -> Nearest:
    """A triangle that does not meet the cylinder: three sides, and its inside."""
    best = nearer(nearest_segment(c, t.a, t.b), nearest_segment(c, t.b, t.c))
    return _face_triangle(c, t, nearer(best, nearest_segment(c, t.c, t.a)))


@device
def _face_box(c: Can, b: Box, best: Nearest, m: Vec3, half: float) -> Nearest:
    """The better of the best so far and a rim over the face of the box with the outer normal m."""
    for level in (c.half_height, -c.half_height):
        y = _lowest(c, m, level)
        q = to_box(b, y)
        height = dot(m, sub(y, b.center)) - half
        beyond = int(abs(q.x) > b.half.x) + int(abs(q.y) > b.half.y) + int(abs(q.z) > b.half.z)
        if height > 0.0 and beyond <= 1:
            best = nearer(best, Nearest(along(y, m, -height), scale(m, -height)))
    return best


@procedure
def nearest_box(c: Can, b: Box) -> Nearest:
    """A box that does not meet the cylinder: corners, edges that may be nearer, faces."""
    best = Nearest(b.center, _ENDLESS)
    for x in box_corners(b):
        best = nearer(best, nearest_point(c, x))
    axes = (scale(b.x, b.half.x), scale(b.y, b.half.y), scale(b.z, b.half.z))
    for k in range(3):
        u, v, w = axes[k], axes[(k + 1) % 3], axes[(k + 2) % 3]
        for i in (-1.0, 1.0):
            middle = along(b.center, v, i)
            for j in (-1.0, 1.0):
                at = along(middle, w, j)
                best = _edge(c, best, sub(at, u), add(at, u))
    for m, half in ((b.x, b.half.x), (b.y, b.half.y), (b.z, b.half.z)):
        best = _face_box(c, b, _face_box(c, b, best, m, half), neg(m), half)
    return best


@device
def nearest_rod(c: Can, s: Capsule3d) -> Nearest:
    """The core of a capsule."""
    return nearest_segment(c, s.start, s.end)


@device
def fan_of(c: Can) -> Sector3d:
    """The cylinder as a thick fan: for tests of overlap."""
    return Sector3d(IDENTITY, Vec2(-1.0, 0.0), 0.0, c.radius, c.half_height)


# --- in the world ---------------------------------------------------------------------------------------


@device
def separation(near: Nearest, frame: Box, radius: float) -> Separation3d:
    """The distance of a body with a radius from a cylinder; 0 and no normal where their cores meet."""
    distance = length(near.offset)
    if not distance > 0.0:
        return Separation3d(-radius, _NONE, _NONE, _NONE)
    n = scale(near.offset, 1.0 / distance)
    point_a = from_box(frame, along(near.point, n, -radius))
    point_b = from_box(frame, sub(near.point, near.offset))
    return Separation3d(distance - radius, neg(turn_from_box(frame, n)), point_a, point_b)


@procedure
def separation_sphere_cylinder(a: Sphere, b: Cylinder) -> Separation3d:
    frame = box_around(b)
    return separation(nearest_point(can_of(b), to_box(frame, a.center)), frame, a.radius)


@procedure
def separation_capsule3d_cylinder(a: Capsule3d, b: Cylinder) -> Separation3d:
    frame = box_around(b)
    near = nearest_segment(can_of(b), to_box(frame, a.start), to_box(frame, a.end))
    return separation(near, frame, a.radius)


@procedure
def separation_triangle3d_cylinder(a: Triangle3d, b: Cylinder) -> Separation3d:
    frame, can = box_around(b), can_of(b)
    t = Triangle3d(to_box(frame, a.a), to_box(frame, a.b), to_box(frame, a.c))
    if intersects_sector3d_triangle3d(fan_of(can), t):
        return separation(Nearest(_NONE, _NONE), frame, 0.0)
    return separation(nearest_triangle(can, t), frame, 0.0)


@procedure
def separation_box_cylinder(a: Box, b: Cylinder) -> Separation3d:
    frame, can = box_around(b), can_of(b)
    x, y, z = turn_to_box(frame, a.x), turn_to_box(frame, a.y), turn_to_box(frame, a.z)
    box = Box(to_box(frame, a.center), a.half, x, y, z)
    if intersects_sector3d_box(fan_of(can), box):
        return separation(Nearest(_NONE, _NONE), frame, 0.0)
    return separation(nearest_box(can, box), frame, 0.0)
