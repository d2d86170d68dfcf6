"""Capsule against triangle."""

from __future__ import annotations

from ougi._native import device
from ougi.kernels.closest2d import near_segment
from ougi.kernels.records import Capsule2d, Separation2d, Triangle2d
from ougi.kernels.separation2d import separation_polygons
from ougi.kernels.support2d import (
    polygons_touch,
    segment_corners,
    segment_edges,
    triangle_corners,
    triangle_edges,
)
from ougi.kernels.vec2 import length_sq, sub


@device
def intersects_capsule2d_triangle2d(a: Capsule2d, b: Triangle2d) -> bool:
    """The cores touch, or an end is near a side, or a corner near the segment."""
    p, q, reach_sq = a.start, a.end, a.radius * a.radius
    near = (
        polygons_touch(segment_corners(a, p), triangle_corners(b, p), segment_edges(a) + triangle_edges(b))
        | near_segment(p, b.a, b.b, reach_sq)
        | near_segment(p, b.b, b.c, reach_sq)
        | near_segment(p, b.c, b.a, reach_sq)
        | near_segment(q, b.a, b.b, reach_sq)
        | near_segment(q, b.b, b.c, reach_sq)
        | near_segment(q, b.c, b.a, reach_sq)
        | near_segment(b.a, p, q, reach_sq)
        | near_segment(b.b, p, q, reach_sq)
        | near_segment(b.c, p, q, reach_sq)
    )
    known_sq = length_sq(sub(q, p)) + length_sq(sub(b.b, b.a)) + length_sq(sub(b.c, b.a)) + reach_sq
    return near & (known_sq >= 0.0)  # NaN in, False out


@device
def separation_capsule2d_triangle2d(a: Capsule2d, b: Triangle2d) -> Separation2d:
    origin = a.start
    return separation_polygons(
        origin,
        segment_corners(a, origin),
        triangle_corners(b, origin),
        segment_edges(a) + triangle_edges(b),
        a.radius,
        0.0,
    )
