"""Planar fan against capsule and segment. FAN sec. 2.6."""

from __future__ import annotations

from ougi._native import device
from ougi.kernels.records import Capsule2d, Sector2d, Vec2
from ougi.kernels.sector2d_wedge import (
    fan_segment_distance,
    segment_meets_fan,
    segment_near_side,
    to_sector2d,
)


@device
def intersects_sector2d_capsule2d(a: Sector2d, b: Capsule2d) -> bool:
    """Some point of the segment lies within the angle and in the ring grown by the radius, (2.13)-(2.20), or
    the segment comes near a side. The hole shrinks to no less than 0 (FAN erratum 2)."""
    p, e = to_sector2d(a, b.start), to_sector2d(a, b.end)
    hole = max(a.inner_radius - b.radius, 0.0)
    if segment_meets_fan(a.side, hole, a.outer_radius + b.radius, p, e):
        return True
    reach_sq = b.radius * b.radius
    other = Vec2(a.side.x, -a.side.y)
    return segment_near_side(a.side, a.inner_radius, a.outer_radius, p, e, reach_sq) or segment_near_side(
        other, a.inner_radius, a.outer_radius, p, e, reach_sq
    )


@device
def distance_sector2d_capsule2d(a: Sector2d, b: Capsule2d) -> float:
    """0 where they touch or overlap."""
    p, e = to_sector2d(a, b.start), to_sector2d(a, b.end)
    return max(fan_segment_distance(a.side, a.inner_radius, a.outer_radius, p, e) - b.radius, 0.0)
