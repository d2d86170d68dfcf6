"""Planar fan against disc and point. FAN sec. 2.2, 2.4."""

from __future__ import annotations

from ougi._native import device
from ougi.kernels.records import Circle, Sector2d
from ougi.kernels.sector2d_wedge import fan_meets_disc, fan_point_distance, to_sector2d


@device
def intersects_sector2d_circle(a: Sector2d, b: Circle) -> bool:
    p = to_sector2d(a, b.center)
    return fan_meets_disc(a.side, a.inner_radius, a.outer_radius, p, b.radius * b.radius)


@device
def distance_sector2d_circle(a: Sector2d, b: Circle) -> float:
    """0 where they touch or overlap."""
    p = to_sector2d(a, b.center)
    return max(fan_point_distance(a.side, a.inner_radius, a.outer_radius, p) - b.radius, 0.0)
