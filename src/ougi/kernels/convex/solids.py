"""The signed distance of two convex solids: polytopes, cylinders, cones and ellipsoids.

Nearest points are found by GJK, and proved: points of both bodies bound the distance from above, and the gap
along the normal bounds it from below.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import procedure
from ougi.kernels.constants import LARGEST, PROOF_ROUNDING
from ougi.kernels.convex.constants import (
    LOOSE_TOLERANCE,
    MAX_PLACEMENTS,
    MIN_APART,
    PUSHED_OUT,
    SOLID_TOLERANCE,
)
from ougi.kernels.convex.gjk_solids import approach, find_solid_corner, weigh
from ougi.kernels.convex.largest_gap import find_face, find_largest_gap, improve_normal, try_normal
from ougi.kernels.convex.polytope import RelativePose, from_axes, measure_size, relate
from ougi.kernels.convex.projections import find_fixed_point
from ougi.kernels.convex.records import Hull3d
from ougi.kernels.records import Separation3d, Vec3
from ougi.kernels.separation3d import add_radii
from ougi.kernels.vec3 import add, along, length, sub, unit_or

_ZERO = Vec3(0.0, 0.0, 0.0)
_X = Vec3(1.0, 0.0, 0.0)


class SolidSeparation(NamedTuple):
    """Signed distance, unit normal from a to b and points of both, in the frame of a and without radii."""

    distance: float
    normal: Vec3
    point_a: Vec3
    point_b: Vec3


@procedure
def _place_points(a: Hull3d, b: Hull3d, to: RelativePose, gap: float, n: Vec3) -> SolidSeparation:
    """The separation along n, the direction of the largest gap: the points where b, moved along n, touches a.

    If b is moved until it is clearly apart, the fixed point and the direction between the points are precise.
    """
    size = measure_size(a, b, to)
    tolerance = LOOSE_TOLERANCE * size
    apart = max(PUSHED_OUT * min(a.size, b.size), MIN_APART * size)
    p = find_solid_corner(a, b, to, n).a
    q = p
    for attempt in range(MAX_PLACEMENTS):
        moved = max(apart - gap, 0.0)
        out = RelativePose(along(to.offset, n, moved), to.x, to.y, to.z)
        if attempt == 0:
            s, _ = approach(a, b, out, n, -1.0)
            p = weigh(s)[0] if s.corner_count < 4 else p
        p, q = find_fixed_point(a, b, out, p)
        new = try_normal((gap - tolerance, n), a, b, to, sub(q, p))
        q = along(q, n, -moved)
        # The last points belong to n: of a deep overlap the next direction may still differ by too much.
        if not new[0] > gap - tolerance or attempt == MAX_PLACEMENTS - 1:
            break
        turned = length(sub(new[1], n))
        gap, n = new
        if turned <= PROOF_ROUNDING:
            break
    return SolidSeparation(gap, n, p, q)


@procedure
def separate_solids(a: Hull3d, b: Hull3d, to: RelativePose, has_depth: bool) -> SolidSeparation:
    """The signed distance of two solids without their radii.

    Without `has_depth`, bodies that overlap may have the distance 0 and no points and normal.
    """
    size = measure_size(a, b, to)
    rounding = PROOF_ROUNDING * size
    start = unit_or(to.offset, _X)
    s, _ = approach(a, b, to, start, -1.0)
    if s.corner_count == 4 and s.distance_sq <= 0.0 and not has_depth:
        return SolidSeparation(0.0, _X, _ZERO, _ZERO)
    n = start
    if s.corner_count < 4:
        p, q = weigh(s)
        distance = length(sub(q, p))
        # The direction between the points first: radii then move the points along the line through both.
        best = try_normal((-LARGEST, unit_or(s.point, start)), a, b, to, s.point)
        if not distance - best[0] <= SOLID_TOLERANCE * size:
            best = try_normal(best, a, b, to, find_face(s))
        if distance > rounding and distance - best[0] <= SOLID_TOLERANCE * size:
            return SolidSeparation(distance, best[1], p, q)
        n = best[1]
    gap, n = improve_normal(a, b, to, n)
    if gap <= 0.0:
        gap, n = find_largest_gap(a, b, to, n)
    placed = _place_points(a, b, to, gap, n)
    gap, n, p, q = placed.distance, placed.normal, placed.point_a, placed.point_b
    if not gap > rounding:
        return SolidSeparation(min(gap, 0.0), n, p, q)
    n = try_normal((gap - LOOSE_TOLERANCE * size, n), a, b, to, sub(q, p))[1]
    return SolidSeparation(length(sub(q, p)), n, p, q)


@procedure
def are_solids_within(a: Hull3d, b: Hull3d) -> bool:
    """Do two solids come as near as their radii?"""
    radius = a.radius + b.radius
    to = relate(a.frame, b.frame)
    s, lower = approach(a, b, to, unit_or(to.offset, _X), radius)
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
