"""Convex hull against convex hull in space, both with radii. All polytopes can be laid out as hulls."""

from __future__ import annotations

from ougi._native import procedure
from ougi.kernels.convex.nearest import UNKNOWN
from ougi.kernels.convex.polytope import from_axes, relate
from ougi.kernels.convex.records import Hull3d
from ougi.kernels.convex.separation import is_within, separate
from ougi.kernels.records import Separation3d
from ougi.kernels.separation3d import add_radii
from ougi.kernels.vec3 import add


@procedure
def intersects_hull3d_hull3d(a: Hull3d, b: Hull3d) -> bool:
    return is_within(a, b, False)


@procedure
def separation_hull3d_hull3d(a: Hull3d, b: Hull3d) -> Separation3d:
    return separation_of(a, b, False)


@procedure
def separation_of(a: Hull3d, b: Hull3d, is_planar: bool) -> Separation3d:
    """The separation of hulls, or of polygons at z = 0."""
    s = separate(a, b, relate(a.frame, b.frame), is_planar, True, UNKNOWN)
    p = add(from_axes(s.point_a, a.frame), a.frame.center)
    q = add(from_axes(s.point_b, a.frame), a.frame.center)
    return add_radii(p, q, s.distance, from_axes(s.normal, a.frame), a.radius, b.radius)
