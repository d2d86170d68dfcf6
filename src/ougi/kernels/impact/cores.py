"""The resting body's core (point, segment, triangle, box) of a first contact.

For each core: the offset of a point from it, perpendicular to the edge or face it comes from up to rounding
(the plane through the nearest point then leaves the whole core on one side, however small the gap is); how
high it reaches along a direction; and which of its corners is first to reach a plane.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device
from ougi._typing import Record
from ougi.kernels.closest3d import clamp_box, foot, over_triangle
from ougi.kernels.constants import NEVER
from ougi.kernels.impact.screw_steps import Heights, cot_of_point, earlier_cot
from ougi.kernels.records import Box, Capsule3d, Triangle3d, Vec3
from ougi.kernels.support3d import triangle_normal
from ougi.kernels.vec3 import ZERO, along, dot, length_sq, pick, scale, sub


class TriangleCore(NamedTuple):
    """A triangle with its normal; the normal is zero where the triangle is a segment."""

    corners: Triangle3d
    normal: Vec3


@device
def triangle_core(t: Triangle3d) -> TriangleCore:
    return TriangleCore(t, triangle_normal(t))


# --- offsets ----------------------------------------------------------------------------------------------


@device
def offset_point(p: Vec3, x: Vec3) -> Vec3:
    """x minus the point of the core nearest to it."""
    return sub(x, p)


@device
def offset_line(start: Vec3, end: Vec3, x: Vec3) -> Vec3:
    """x minus the nearest point of a segment; without a part along it, unless an end is nearest."""
    v = sub(end, start)
    v_sq = dot(v, v)
    t = foot(x, start, v, v_sq)
    d = sub(x, along(start, v, t))
    return along(d, v, -dot(d, v) / v_sq) if 0.0 < t < 1.0 else d


@device
def offset_segment(s: Capsule3d, x: Vec3) -> Vec3:
    return offset_line(s.start, s.end, x)


@device
def offset_triangle(t: TriangleCore, x: Vec3) -> Vec3:
    n, n_sq = t.normal, dot(t.normal, t.normal)
    inside, _ = over_triangle(x, t.corners, n, n_sq)
    if inside:
        return scale(n, dot(sub(x, t.corners.a), n) / n_sq)
    d = shorter(
        offset_line(t.corners.a, t.corners.b, x),
        offset_line(t.corners.b, t.corners.c, x),
    )
    return shorter(d, offset_line(t.corners.c, t.corners.a, x))


@device
def shorter(d: Vec3, e: Vec3) -> Vec3:
    return pick(length_sq(d) <= length_sq(e), d, e)


@device
def offset_box(half: Vec3, x: Vec3) -> Vec3:
    return sub(x, clamp_box(half, x))


# --- reach ------------------------------------------------------------------------------------------------


@device
def top_point(p: Vec3, n: Vec3) -> float:
    """The largest n . y over the points y of the core."""
    return dot(n, p)


@device
def top_segment(s: Capsule3d, n: Vec3) -> float:
    return max(dot(n, s.start), dot(n, s.end))


@device
def top_triangle(t: TriangleCore, n: Vec3) -> float:
    return max(dot(n, t.corners.a), max(dot(n, t.corners.b), dot(n, t.corners.c)))


@device
def top_box(half: Vec3, n: Vec3) -> float:
    return half.x * abs(n.x) + half.y * abs(n.y) + half.z * abs(n.z)


# --- corners ----------------------------------------------------------------------------------------------


@device
def corner_point(p: Vec3, f: Heights, turn: float, cot: float) -> float:
    """The larger of `cot` and that of the step in which a corner is first to reach height 0."""
    return cot_of_point(turn, cot, f, p)


@device
def corner_segment(s: Capsule3d, f: Heights, turn: float, cot: float) -> float:
    return cot_of_point(turn, cot_of_point(turn, cot, f, s.start), f, s.end)


@device
def corner_triangle(t: TriangleCore, f: Heights, turn: float, cot: float) -> float:
    cot = cot_of_point(turn, cot_of_point(turn, cot, f, t.corners.a), f, t.corners.b)
    return cot_of_point(turn, cot, f, t.corners.c)


@device
def corner_box(half: Vec3, f: Heights, turn: float, cot: float) -> float:
    return corner_of(
        Vec3(f.g_0, f.a_0, f.b_0),
        Vec3(f.g.x * half.x, f.a.x * half.x, f.b.x * half.x),
        Vec3(f.g.y * half.y, f.a.y * half.y, f.b.y * half.y),
        Vec3(f.g.z * half.z, f.a.z * half.z, f.b.z * half.z),
        turn,
        cot,
    )


@device
def corner_turned_box(b: Box, f: Heights, turn: float, cot: float) -> float:
    """The same for a box with axes of its own."""
    middle = Vec3(f.g_0 + dot(f.g, b.center), f.a_0 + dot(f.a, b.center), f.b_0 + dot(f.b, b.center))
    return corner_of(
        middle,
        along_edge(f, b.x, b.half.x),
        along_edge(f, b.y, b.half.y),
        along_edge(f, b.z, b.half.z),
        turn,
        cot,
    )


@device
def along_edge(f: Heights, e: Vec3, half: float) -> Vec3:
    """What g, a and b change by from the middle of a box to a face."""
    return Vec3(half * dot(f.g, e), half * dot(f.a, e), half * dot(f.b, e))


@device
def corner_of(middle: Vec3, x: Vec3, y: Vec3, z: Vec3, turn: float, cot: float) -> float:
    """Eight corners, given by (g, a, b) of the middle and of the displacements to three faces.

    The lowest comes first: it rules most of the others out.
    """
    x = scale(x, -1.0 if x.x >= 0.0 else 1.0)
    y = scale(y, -1.0 if y.x >= 0.0 else 1.0)
    z = scale(z, -1.0 if z.x >= 0.0 else 1.0)
    for i in (1.0, -1.0):
        for j in (1.0, -1.0):
            g = middle.x + i * x.x + j * y.x
            a = middle.y + i * x.y + j * y.y
            b = middle.z + i * x.z + j * y.z
            cot = earlier_cot(turn, cot, g + z.x, a + z.y, b + z.z)
            cot = earlier_cot(turn, cot, g - z.x, a - z.y, b - z.z)
    return cot


# --- edges ------------------------------------------------------------------------------------------------


@device
def level_edge(edges: Record, n: Vec3) -> Vec3:
    """The edge that is nearest to being perpendicular to n."""
    best, smallest = ZERO, NEVER
    for e in edges:
        e_sq = dot(e, e)
        tilt = dot(e, n) ** 2 / e_sq if e_sq > 0.0 else NEVER
        if tilt < smallest:
            best, smallest = e, tilt
    return best


# --- size -------------------------------------------------------------------------------------------------


@device
def span_segment(s: Capsule3d) -> float:
    """The core's length."""
    return math.sqrt(length_sq(sub(s.end, s.start)))


@device
def span_triangle(t: Triangle3d) -> float:
    ab, ac = length_sq(sub(t.b, t.a)), length_sq(sub(t.c, t.a))
    return math.sqrt(max(ab, max(ac, length_sq(sub(t.c, t.b)))))
