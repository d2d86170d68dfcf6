"""A fan of the plane against a half-plane."""

from __future__ import annotations

from ougi._native import device
from ougi.kernels.half_space.hull3d_halfspace3d import separate_point
from ougi.kernels.half_space.polygon2d_halfspace2d import flatten
from ougi.kernels.half_space.records import HalfSpace3d
from ougi.kernels.half_space.supports import support_sector2d
from ougi.kernels.records import Sector2d, Separation2d, Vec2, Vec3


@device
def intersects_sector2d_halfspace2d(f: Sector2d, s: HalfSpace3d) -> bool:
    return separation_sector2d_halfspace2d(f, s).distance <= 0.0


@device
def separation_sector2d_halfspace2d(f: Sector2d, s: HalfSpace3d) -> Separation2d:
    p = support_sector2d(f, Vec2(-s.normal.x, -s.normal.y))
    return flatten(separate_point(Vec3(p.x, p.y, 0.0), 0.0, s))
