"""A convex polygon with a radius against a half-plane: both at z = 0."""

from __future__ import annotations

from ougi._native import device
from ougi.kernels.convex.records import Hull3d
from ougi.kernels.half_space.hull3d_halfspace3d import (
    intersects_hull3d_halfspace3d,
    separation_hull3d_halfspace3d,
)
from ougi.kernels.half_space.records import HalfSpace3d
from ougi.kernels.records import Separation2d, Separation3d, Vec2


@device
def intersects_polygon2d_halfspace2d(h: Hull3d, s: HalfSpace3d) -> bool:
    return intersects_hull3d_halfspace3d(h, s)


@device
def separation_polygon2d_halfspace2d(h: Hull3d, s: HalfSpace3d) -> Separation2d:
    return flatten(separation_hull3d_halfspace3d(h, s))


@device
def flatten(s: Separation3d) -> Separation2d:
    """A separation at z = 0 as one of the plane."""
    n, p, q = s.normal, s.point_a, s.point_b
    return Separation2d(s.distance, Vec2(n.x, n.y), Vec2(p.x, p.y), Vec2(q.x, q.y))
