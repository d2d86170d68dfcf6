"""The signed distance of two convex solids: polytopes, cylinders, cones and ellipsoids.

Nearest points are found by GJK, and proved: points of both bodies bound the distance from above, and the gap
along the normal bounds it from below.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import procedure
from ougi.kernels.constants import LARGEST, PROOF_ROUNDING
from ougi.kernels.convex.constants import SOLID_TOLERANCE
from ougi.kernels.convex.gjk_solids import approach_solids, weigh
from ougi.kernels.convex.largest_gap import find_largest_gap, improve_normal, try_normal
from ougi.kernels.convex.polytope import RelativePose, from_axes, measure_size, relate
from ougi.kernels.convex.records import Hull3d
from ougi.kernels.records import Separation3d, Vec3
from ougi.kernels.separation3d import add_radii
from ougi.kernels.vec3 import add, length, sub, unit_or

_ZERO = Vec3(0.0, 0.0, 0.0)
_X = Vec3(1.0, 0.0, 0.0)


class SolidSeparation(NamedTuple):
    """Signed distance, unit normal from a to b and points of both, in the frame of a and without radii."""

    distance: float
    normal: Vec3
    point_a: Vec3
    point_b: Vec3


@procedure
def separate_solids(a: Hull3d, b: Hull3d, to: RelativePose, has_depth: bool) -> SolidSeparation:
    """The signed distance of two solids without their radii.

    Without `has_depth`, bodies that overlap may have the distance 0 and no points and normal.
    """
    size = measure_size(a, b, to)
    rounding = PROOF_ROUNDING * size
    start = unit_or(to.offset, _X)
    s = approach_solids(a, b, to, start, -1.0, 0.0).simplex
    if s.corner_count == 4 and s.distance_sq <= 0.0 and not has_depth:
        return SolidSeparation(0.0, _X, _ZERO, _ZERO)
    n, p, q, distance = start, _ZERO, _ZERO, LARGEST
    if s.corner_count < 4:
        p, q = weigh(s)
        between = sub(q, p)
        distance = length(between)
        # The direction between the points first: radii then move the points along the line through both.
        best = try_normal((-LARGEST, start), a, b, to, between)
        if not distance - best[0] <= SOLID_TOLERANCE * size:
            best = try_normal(best, a, b, to, s.point)
        if distance > rounding and distance - best[0] <= SOLID_TOLERANCE * size:
            return SolidSeparation(distance, best[1], p, q)
        n = best[1]
    if s.corner_count == 4 and s.distance_sq <= 0.0:
        touch = find_largest_gap(a, b, to, n)
    else:
        touch = improve_normal(a, b, to, n)
        if touch.gap <= 0.0:
            touch = find_largest_gap(a, b, to, touch.normal)
    gap, n, at_a, at_b = touch
    if not gap > rounding:
        return SolidSeparation(min(gap, 0.0), n, at_a, at_b)
    placed = length(sub(at_b, at_a))
    return (
        SolidSeparation(placed, n, at_a, at_b) if placed <= distance else SolidSeparation(distance, n, p, q)
    )


@procedure
def are_solids_within(a: Hull3d, b: Hull3d) -> bool:
    """Do two solids come as near as their radii?"""
    radius = a.radius + b.radius
    to = relate(a.frame, b.frame)
    near = approach_solids(a, b, to, unit_or(to.offset, _X), radius, 0.0)
    s, lower = near.simplex, near.lower
    if lower > radius:
        return False
    if s.distance_sq <= radius * radius:
        return True
    rounding = PROOF_ROUNDING * measure_size(a, b, to)
    if s.corner_count < 4 and math.sqrt(s.distance_sq) - lower <= rounding:
        return s.distance_sq <= (radius + rounding) ** 2
    return separate_solids(a, b, to, False).distance <= radius + rounding


@procedure
def place_separation(a: Hull3d, b: Hull3d) -> Separation3d:
    """The separation of two solids with their radii, in the world."""
    s = separate_solids(a, b, relate(a.frame, b.frame), True)
    p = add(from_axes(s.point_a, a.frame), a.frame.center)
    q = add(from_axes(s.point_b, a.frame), a.frame.center)
    return add_radii(p, q, s.distance, from_axes(s.normal, a.frame), a.radius, b.radius)
