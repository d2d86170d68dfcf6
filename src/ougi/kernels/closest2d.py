"""Nearest points and distances in the plane."""

from __future__ import annotations

from typing import NamedTuple

from ougi._native import device, procedure
from ougi.kernels.records import Rectangle, Vec2
from ougi.kernels.scalar import clamp01
from ougi.kernels.vec2 import add, along, cross, dot, length_sq, scale, sub


@device
def foot(p: Vec2, start: Vec2, v: Vec2, v_sq: float) -> float:
    """Parameter of the point of start + t v, t in [0, 1], nearest to p, FAN (2.43)-(2.44); 0 for v = 0."""
    return clamp01(dot(sub(p, start), v) / (v_sq if v_sq > 0.0 else 1.0))


@device
def near_segment(p: Vec2, start: Vec2, end: Vec2, reach_sq: float) -> bool:
    """Does p lie within a distance of a segment? FAN sec. 2.9.4, without its division.

    Near an end, or beside the segment and near its line. A segment that is a point has only ends.
    """
    v, w = sub(end, start), sub(p, start)
    v_sq, along_v, across = dot(v, v), dot(v, w), cross(v, w)
    beside = (along_v > 0.0) & (along_v < v_sq) & (across * across <= reach_sq * v_sq)
    near = (length_sq(w) <= reach_sq) | (length_sq(sub(p, end)) <= reach_sq) | beside
    return near & (v_sq >= 0.0)  # NaN in, False out


@device
def to_rectangle(r: Rectangle, p: Vec2) -> Vec2:
    """p in the rectangle's own coordinates."""
    d = sub(p, r.center)
    return Vec2(dot(r.x, d), cross(r.x, d))


@device
def turn_from_rectangle(r: Rectangle, n: Vec2) -> Vec2:
    """A direction of the rectangle's own coordinates in the world's."""
    return Vec2(r.x.x * n.x - r.x.y * n.y, r.x.y * n.x + r.x.x * n.y)


@device
def beyond(h: Vec2, p: Vec2) -> Vec2:
    """How far p lies outside the rectangle |x| <= h, in each direction."""
    return Vec2(max(abs(p.x) - h.x, 0.0), max(abs(p.y) - h.y, 0.0))


class Nearest2d(NamedTuple):
    """A point of a, the offset from it to b, and the edge it meets inside; (0, 0) for two corners."""

    a: Vec2
    offset: Vec2
    edge: Vec2


@device
def _inside_of(edge: Vec2, t: float) -> Vec2:
    return edge if 0.0 < t < 1.0 else Vec2(0.0, 0.0)


@device
def _nearer(p: Nearest2d, q: Nearest2d) -> Nearest2d:
    return p if length_sq(p.offset) <= length_sq(q.offset) else q


@procedure
def nearest_points(
    corners_a: tuple[Vec2, ...], corners_b: tuple[Vec2, ...], shift: Vec2, level: float
) -> Nearest2d:
    """Nearest points of a and of b + shift, two convex polygons that do not overlap.

    Where several lie within `level` of the other polygon, the point is the middle of all.

    In the plane such polygons are always nearest at a corner of one of them, so FAN sec. 2.9.5 comes down to
    sec. 2.9.4, and its 0/0 for parallel segments (FAN erratum 16) does not arise.
    """
    start = add(corners_b[-1], shift)
    best = Nearest2d(corners_a[0], sub(start, corners_a[0]), Vec2(0.0, 0.0))
    total, count = Vec2(0.0, 0.0), 0.0
    for p in corners_a:
        for corner in corners_b:
            end = add(corner, shift)
            v = sub(end, start)
            t = foot(p, start, v, dot(v, v))
            near = Nearest2d(p, sub(along(start, v, t), p), _inside_of(v, t))
            if length_sq(near.offset) <= level * level:
                total, count = add(total, p), count + 1.0
            best = _nearer(near, best)
            start = end
    for corner in corners_b:
        q = add(corner, shift)
        start = corners_a[-1]
        for end in corners_a:
            v = sub(end, start)
            t = foot(q, start, v, dot(v, v))
            x = along(start, v, t)
            near = Nearest2d(x, sub(q, x), _inside_of(v, t))
            if length_sq(near.offset) <= level * level:
                total, count = add(total, x), count + 1.0
            best = _nearer(near, best)
            start = end
    if count > 0.0:
        return Nearest2d(scale(total, 1.0 / count), best.offset, best.edge)
    return best
