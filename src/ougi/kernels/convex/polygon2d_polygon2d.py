"""Convex polygon against convex polygon in the plane, both with radii: flat polytopes at z = 0."""

from __future__ import annotations

from ougi._native import procedure
from ougi.kernels.convex.hull3d_hull3d import separation_of
from ougi.kernels.convex.records import Hull3d
from ougi.kernels.convex.separation import is_within
from ougi.kernels.records import Separation2d, Vec2


@procedure
def intersects_polygon2d_polygon2d(a: Hull3d, b: Hull3d) -> bool:
    return is_within(a, b, True)


@procedure
def separation_polygon2d_polygon2d(a: Hull3d, b: Hull3d) -> Separation2d:
    s = separation_of(a, b, True)
    n, p, q = s.normal, s.point_a, s.point_b
    return Separation2d(s.distance, Vec2(n.x, n.y), Vec2(p.x, p.y), Vec2(q.x, q.y))
