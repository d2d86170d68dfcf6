"""Thick fan against ball. FAN sec. 2.2, 2.4, 2.5."""

from __future__ import annotations

import math

from ougi._native import device
from ougi.kernels.records import Frame, Sector3d, Sphere, Vec2, Vec3
from ougi.kernels.vec3 import dot, sub


@device
def to_frame(f: Frame, p: Vec3) -> Vec3:
    """Into the sector's frame, FAN (2.3)."""
    d = sub(p, f.center)
    return Vec3(dot(d, f.x), dot(d, f.y), dot(d, f.z))


@device
def side_distance_sq(side: Vec2, inner: float, outer: float, x: float, y: float) -> float:
    """Squared distance from (x, y), y >= 0, to the side segment of the fan, FAN (2.9), (2.10), sec. 2.9.4."""
    t = max(inner, min(x * side.x + y * side.y, outer))
    dx, dy = x - t * side.x, y - t * side.y
    return dx * dx + dy * dy


@device
def intersects_sector3d_sphere(a: Sector3d, b: Sphere) -> bool:
    """The widest disc that the slab |z| <= h cuts from the ball decides for all of it, FAN (2.11), (2.12).

    The disc touches the fan if its center lies within the angle (2.7) and in the ring grown by the radius,
    or if it reaches a side. The fan is symmetric, so the side at y >= 0 serves for both; with y >= 0 and the
    half angle in [0, pi], (2.7) says that p does not lie to the left of that side. No 0/0 at the apex.
    """
    p = to_frame(a.frame, b.center)
    over = max(abs(p.z) - a.half_height, 0.0)
    radius_sq = b.radius * b.radius - over * over  # (2.12); negative: the ball misses the slab
    x, y = p.x, abs(p.y)
    # The second half keeps the ray opposite to a fan of zero angle out (FAN2D has this gap, erratum 21).
    within = (y * a.side.x <= x * a.side.y) & ((x >= 0.0) | (a.side.x < 0.0))
    # The distance to the ring. Not (r - rc)^2 <= rho^2 as printed in (2.8), which misses a ball wider than
    # the hole (FAN erratum 1).
    rho = math.sqrt(x * x + y * y)
    off = max(max(a.inner_radius - rho, rho - a.outer_radius), 0.0)
    ring = off * off <= radius_sq
    side = side_distance_sq(a.side, a.inner_radius, a.outer_radius, x, y) <= radius_sq
    return (within & ring) | side


@device
def distance_sector3d_sphere(a: Sector3d, b: Sphere) -> float:
    """0 where they touch or overlap."""
    p = to_frame(a.frame, b.center)
    x, y = p.x, abs(p.y)
    within = (y * a.side.x <= x * a.side.y) & ((x >= 0.0) | (a.side.x < 0.0))
    rho = math.sqrt(x * x + y * y)
    ring = max(max(a.inner_radius - rho, rho - a.outer_radius), 0.0)
    planar_sq = side_distance_sq(a.side, a.inner_radius, a.outer_radius, x, y)
    planar_sq = ring * ring if within else planar_sq
    over = max(abs(p.z) - a.half_height, 0.0)
    return max(math.sqrt(planar_sq + over * over) - b.radius, 0.0)
