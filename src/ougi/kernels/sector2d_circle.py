"""Planar fan against disc and point. FAN sec. 2.2, 2.4."""

from __future__ import annotations

from ougi._native import device
from ougi.kernels.records import Circle, Sector2d
from ougi.kernels.sector2d_wedge import fan_point_distance, to_sector2d, within_wedge
from ougi.kernels.sector3d_sphere import side_distance_sq
from ougi.kernels.vec2 import length


@device
def intersects_sector2d_circle(a: Sector2d, b: Circle) -> bool:
    """Within the angle by the ring grown by the radius, else by the sides; the fan is symmetric.

    Not (r - rc)^2 <= rho^2 as printed in (2.8), which misses a disc wider than the hole (FAN erratum 1); the
    sides are asked if (2.7) is false, not (2.5) (erratum 3), and here always: that needs no branch.
    """
    p = to_sector2d(a, b.center)
    rho = length(p)
    off = max(a.inner_radius - rho, rho - a.outer_radius)
    side_sq = side_distance_sq(a.side, a.inner_radius, a.outer_radius, p.x, abs(p.y))
    return (within_wedge(a.side, p) & (off <= b.radius)) | (side_sq <= b.radius * b.radius)


@device
def distance_sector2d_circle(a: Sector2d, b: Circle) -> float:
    """0 where they touch or overlap."""
    p = to_sector2d(a, b.center)
    return max(fan_point_distance(a.side, a.inner_radius, a.outer_radius, p) - b.radius, 0.0)
