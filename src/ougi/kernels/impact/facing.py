"""How a segment lies to a core: their offset, and the edge of the core that crosses it.

The offset is perpendicular to the segment and to the core's edge or face, up to rounding, wherever the inside
of either is nearest.
"""

from __future__ import annotations

from typing import NamedTuple

from ougi._native import device
from ougi.kernels.closest3d import clamp_box, foot, is_level, over_triangle, segment_in_box
from ougi.kernels.constants import AS_NEAR, FAR, LINE_PARALLEL_SQ, ROUNDING_SQ
from ougi.kernels.impact.cores import TriangleCore
from ougi.kernels.records import Capsule3d, Vec3
from ougi.kernels.scalar import clamp01
from ougi.kernels.support3d import edge_axis
from ougi.kernels.vec3 import ZERO, along, cross, dot, length_sq, scale, sub

_FAR = Vec3(FAR, 0.0, 0.0)


class Facing(NamedTuple):
    """The nearest point of the segment and its offset from the core; zero if they meet.

    `edge` is the core's edge if the insides of both are nearest, else zero.
    """

    point: Vec3
    offset: Vec3
    edge: Vec3


@device
def nearer(a: Facing, b: Facing) -> Facing:
    return a if length_sq(a.offset) <= length_sq(b.offset) else b


@device
def _level(d: Vec3, x: Vec3, v: Vec3, v_sq: float, t: float) -> Vec3:
    """The offset d at x without its part along v, where t lies inside or the part may be rounding.

    Two ends at a tiny gap: the direction of their difference is all rounding, and with the lever of a whole
    edge it would separate nothing.
    """
    part = dot(d, v)
    if 0.0 < t < 1.0 or part * part <= ROUNDING_SQ * v_sq * (dot(x, x) + v_sq):
        return along(d, v, -part / (v_sq if v_sq > 0.0 else 1.0))
    return d


@device
def _end_to_line(x: Vec3, start: Vec3, v: Vec3, v_sq: float) -> Facing:
    """An end x of the segment and a line of the core."""
    t = foot(x, start, v, v_sq)
    return Facing(x, _level(sub(x, along(start, v, t)), x, v, v_sq, t), ZERO)


@device
def _line_to_end(p: Vec3, u: Vec3, u_sq: float, y: Vec3) -> Facing:
    """The inside of the segment and an end y of the core's line; two ends are in `_end_to_line`."""
    t = foot(y, p, u, u_sq)
    x = along(p, u, t)
    return Facing(x, _level(sub(x, y), x, u, u_sq, t) if 0.0 < t < 1.0 else _FAR, ZERO)


@device
def facing_line(p: Vec3, q: Vec3, start: Vec3, end: Vec3) -> Facing:
    """Two segments: the common perpendicular of their insides, or the nearest of four ends."""
    u, v, r = sub(q, p), sub(end, start), sub(p, start)
    u_sq, v_sq = dot(u, u), dot(v, v)
    w = edge_axis(u, v)
    w_sq = dot(w, w)
    if w_sq > LINE_PARALLEL_SQ * u_sq * v_sq:
        s, t = -dot(cross(r, v), w) / w_sq, -dot(cross(r, u), w) / w_sq
        if 0.0 < s < 1.0 and 0.0 < t < 1.0:
            return Facing(along(p, u, s), scale(w, dot(r, w) / w_sq), v)
    best = nearer(_end_to_line(p, start, v, v_sq), _end_to_line(q, start, v, v_sq))
    inside = nearer(_line_to_end(p, u, u_sq, start), _line_to_end(p, u, u_sq, end))
    if length_sq(inside.offset) <= AS_NEAR * length_sq(best.offset):
        best = inside  # of two that are as near, the one that is perpendicular to something
    if 0.0 < w_sq <= LINE_PARALLEL_SQ * u_sq * v_sq:  # nearly parallel, but they may cross
        x = along(p, u, clamp01(-dot(cross(r, v), w) / w_sq))
        best = nearer(best, _end_to_line(x, start, v, v_sq))
    return best


@device
def facing_segment(s: Capsule3d, p: Vec3, q: Vec3) -> Facing:
    return facing_line(p, q, s.start, s.end)


@device
def _end_over(t: TriangleCore, x: Vec3, best: Facing) -> Facing:
    """The better of the best so far and an end that stands over the inside of the triangle."""
    n, n_sq = t.normal, dot(t.normal, t.normal)
    inside, _ = over_triangle(x, t.corners, n, n_sq)
    if inside:
        best = nearer(Facing(x, scale(n, dot(sub(x, t.corners.a), n) / n_sq), ZERO), best)
    return best


@device
def facing_triangle(t: TriangleCore, p: Vec3, q: Vec3) -> Facing:
    """Boundary against boundary: for a segment that does not pass through the inside."""
    best = facing_line(p, q, t.corners.a, t.corners.b)
    best = nearer(best, facing_line(p, q, t.corners.b, t.corners.c))
    best = nearer(best, facing_line(p, q, t.corners.c, t.corners.a))
    return _end_over(t, q, _end_over(t, p, best))


@device
def facing_box(half: Vec3, p: Vec3, q: Vec3) -> Facing:
    u = sub(q, p)
    inside, t = segment_in_box(p, u, half)
    x = along(p, u, t)
    if inside:
        return Facing(x, ZERO, ZERO)
    d = sub(x, clamp_box(half, x))
    if not 0.0 < t < 1.0:
        return Facing(x, d, ZERO)
    # The edge runs along an axis in whose slab x lies; the deeper, if there are two: then x has just left the
    # slab of the other, or the segment is parallel to a face.
    w_x, w_y, w_z = Vec3(0.0, u.z, -u.y), Vec3(-u.z, 0.0, u.x), Vec3(u.y, -u.x, 0.0)
    in_x = half.x - abs(x.x) if d.x == 0.0 and is_level(d, x, u, w_x) else -1.0
    in_y = half.y - abs(x.y) if d.y == 0.0 and is_level(d, x, u, w_y) else -1.0
    in_z = half.z - abs(x.z) if d.z == 0.0 and is_level(d, x, u, w_z) else -1.0
    if max(in_x, max(in_y, in_z)) < 0.0:
        return Facing(x, along(d, u, -dot(d, u) / dot(u, u)), ZERO)
    if in_x >= in_y and in_x >= in_z:
        return Facing(x, scale(w_x, dot(d, w_x) / dot(w_x, w_x)), Vec3(2.0 * half.x, 0.0, 0.0))
    if in_y >= in_z:
        return Facing(x, scale(w_y, dot(d, w_y) / dot(w_y, w_y)), Vec3(0.0, 2.0 * half.y, 0.0))
    return Facing(x, scale(w_z, dot(d, w_z) / dot(w_z, w_z)), Vec3(0.0, 0.0, 2.0 * half.z))
