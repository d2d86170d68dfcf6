"""Thick fan against ball. FAN sec. 2.2, 2.4, 2.5."""

from __future__ import annotations

import math

from ougi._native import device
from ougi.kernels.records import Frame, Sector3d, Sphere, Vec2, Vec3
from ougi.kernels.sector2d_wedge import fan_meets_disc, fan_point_distance_sq
from ougi.kernels.vec3 import dot, sub


@device
def to_frame(f: Frame, p: Vec3) -> Vec3:
    """Into the sector's frame, FAN (2.3)."""
    d = sub(p, f.center)
    return Vec3(dot(d, f.x), dot(d, f.y), dot(d, f.z))


@device
def intersects_sector3d_sphere(a: Sector3d, b: Sphere) -> bool:
    """The widest disc that the slab |z| <= h cuts from the ball decides for all of it, FAN (2.11), (2.12)."""
    p = to_frame(a.frame, b.center)
    over = max(abs(p.z) - a.half_height, 0.0)
    radius_sq = b.radius * b.radius - over * over  # (2.12); negative: the ball misses the slab
    return fan_meets_disc(a.side, a.inner_radius, a.outer_radius, Vec2(p.x, p.y), radius_sq)


@device
def distance_sector3d_sphere(a: Sector3d, b: Sphere) -> float:
    """0 where they touch or overlap."""
    p = to_frame(a.frame, b.center)
    planar_sq = fan_point_distance_sq(a.side, a.inner_radius, a.outer_radius, Vec2(p.x, p.y))
    over = max(abs(p.z) - a.half_height, 0.0)
    return max(math.sqrt(planar_sq + over * over) - b.radius, 0.0)
