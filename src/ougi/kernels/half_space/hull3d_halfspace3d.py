"""A convex polytope with a radius, or the corners of a mesh, against a half-space."""

from __future__ import annotations

from ougi._native import device
from ougi.kernels.convex.records import Hull3d
from ougi.kernels.half_space.records import HalfSpace3d
from ougi.kernels.half_space.supports import support_hull3d
from ougi.kernels.records import Separation3d, Vec3
from ougi.kernels.vec3 import along, dot, neg


@device
def intersects_hull3d_halfspace3d(h: Hull3d, s: HalfSpace3d) -> bool:
    return dot(s.normal, support_hull3d(h, neg(s.normal))) - s.offset <= h.radius


@device
def separation_hull3d_halfspace3d(h: Hull3d, s: HalfSpace3d) -> Separation3d:
    return separate_point(support_hull3d(h, neg(s.normal)), h.radius, s)


@device
def separate_point(p: Vec3, radius: float, s: HalfSpace3d) -> Separation3d:
    """The lowest ball of a body decides: the least translation that separates them is along the normal."""
    height = dot(s.normal, p) - s.offset
    return Separation3d(
        height - radius, neg(s.normal), along(p, s.normal, -radius), along(p, s.normal, -height)
    )
