"""Capsule against capsule."""

from __future__ import annotations

from ougi._native import device
from ougi.kernels.closest2d import near_segment
from ougi.kernels.planar import segments_touch
from ougi.kernels.records import Capsule2d, Separation2d
from ougi.kernels.separation2d import separation_polygons
from ougi.kernels.support2d import segment_corners, segment_edges
from ougi.kernels.vec2 import length_sq, sub


@device
def intersects_capsule2d_capsule2d(a: Capsule2d, b: Capsule2d) -> bool:
    """The segments cross, or an end of one is near the other."""
    reach = a.radius + b.radius
    reach_sq = reach * reach
    near = (
        segments_touch(a.start, a.end, b.start, b.end)
        | near_segment(a.start, b.start, b.end, reach_sq)
        | near_segment(a.end, b.start, b.end, reach_sq)
        | near_segment(b.start, a.start, a.end, reach_sq)
        | near_segment(b.end, a.start, a.end, reach_sq)
    )
    known_sq = length_sq(sub(a.end, a.start)) + length_sq(sub(b.end, b.start)) + reach_sq
    return near & (known_sq >= 0.0)  # NaN in, False out


@device
def separation_capsule2d_capsule2d(a: Capsule2d, b: Capsule2d) -> Separation2d:
    origin = a.start
    return separation_polygons(
        origin,
        segment_corners(a, origin),
        segment_corners(b, origin),
        segment_edges(a) + segment_edges(b),
        a.radius,
        b.radius,
    )
