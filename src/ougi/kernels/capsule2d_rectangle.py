"""Capsule against rectangle."""

from __future__ import annotations

from ougi._native import device
from ougi.kernels.closest2d import beyond, near_segment, to_rectangle
from ougi.kernels.records import Capsule2d, Rectangle, Separation2d, Vec2
from ougi.kernels.separation2d import separation_polygons
from ougi.kernels.support2d import rectangle_corners, rectangle_edges, segment_corners, segment_edges
from ougi.kernels.vec2 import cross, length_sq, sub


@device
def _segment_touches(p: Vec2, q: Vec2, h: Vec2) -> bool:
    """Does the segment pq touch the rectangle |x| <= h? Three separating axes."""
    v = sub(q, p)
    return (
        (min(p.x, q.x) <= h.x)
        & (max(p.x, q.x) >= -h.x)
        & (min(p.y, q.y) <= h.y)
        & (max(p.y, q.y) >= -h.y)
        & (abs(cross(v, p)) <= h.x * abs(v.y) + h.y * abs(v.x))
    )


@device
def intersects_capsule2d_rectangle(a: Capsule2d, b: Rectangle) -> bool:
    """The cores touch, or an end is near the rectangle, or a corner near the segment."""
    p, q, h = to_rectangle(b, a.start), to_rectangle(b, a.end), b.half
    reach_sq = a.radius * a.radius
    near = (
        _segment_touches(p, q, h)
        | (length_sq(beyond(h, p)) <= reach_sq)
        | (length_sq(beyond(h, q)) <= reach_sq)
        | near_segment(Vec2(h.x, h.y), p, q, reach_sq)
        | near_segment(Vec2(-h.x, h.y), p, q, reach_sq)
        | near_segment(Vec2(-h.x, -h.y), p, q, reach_sq)
        | near_segment(Vec2(h.x, -h.y), p, q, reach_sq)
    )
    return near & (length_sq(sub(q, p)) + reach_sq >= 0.0)  # NaN in, False out


@device
def separation_capsule2d_rectangle(a: Capsule2d, b: Rectangle) -> Separation2d:
    origin = a.start
    return separation_polygons(
        origin,
        segment_corners(a, origin),
        rectangle_corners(b, origin),
        segment_edges(a) + rectangle_edges(b),
        a.radius,
        0.0,
    )
