"""Nearest points by GJK: a walk through simplices of the difference b - a towards the origin."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from ougi._native import device, procedure
from ougi.kernels.constants import LARGEST, PROOF_ROUNDING, ROUNDING
from ougi.kernels.convex.polytope import RelativePose, measure_size
from ougi.kernels.convex.records import Hull3d
from ougi.kernels.convex.simplex import Simplex, add_corner
from ougi.kernels.records import Vec3
from ougi.kernels.vec3 import dot


class Approach(NamedTuple):
    """The simplex of b - a nearest to the origin, and bounds of its distance from below.

    `lower` is the largest bound, and `along_point` the gap along the simplex's own point. They are -LARGEST
    if none was measured.
    """

    simplex: Simplex
    lower: float
    along_point: float


@device
def _is_corner(c: Any, d: Any) -> bool:
    return bool(c.a == d.a and c.b == d.b)


def make_approach(
    find_corner: Callable[[Hull3d, Hull3d, RelativePose, Vec3], Any], max_steps: int
) -> Callable[[Hull3d, Hull3d, RelativePose, Simplex, float, float], Approach]:
    """Make GJK from the corner of b - a that lies furthest against a direction."""

    @procedure
    def approach(
        a: Hull3d, b: Hull3d, to: RelativePose, start: Simplex, limit: float, enough: float
    ) -> Approach:
        """The nearest simplex, from any one on. It is proved if the gap along its direction is its distance.

        It stops as soon as the bound exceeds `limit`, if that is not negative, or differs from the distance
        by at most `enough`. A step may leave the distance as it is but for rounding, and still turn the
        direction: of that, a distance shows only the square.
        """
        size = measure_size(a, b, to)
        s = start
        lower = bound = -LARGEST
        for _ in range(max_steps):
            distance = math.sqrt(s.distance_sq)
            if s.corner_count == 4 or distance <= PROOF_ROUNDING * size:
                break
            c = find_corner(a, b, to, s.point)
            bound = dot(s.point, c.point) / distance
            lower = max(lower, bound)
            if lower > limit >= 0.0 or distance - bound <= max(ROUNDING * distance, enough):
                break
            if _is_corner(c, s.first) or _is_corner(c, s.second) or _is_corner(c, s.third):
                break
            new = add_corner(s, c)
            if new.corner_count == 4:
                if lower > 0.0:  # a sliver, of which rounding decides
                    break
            elif new.distance_sq > (distance + ROUNDING * size) ** 2 or new.point == s.point:  # rounding
                break
            s, bound = new, -LARGEST
        return Approach(s, lower, bound)

    return approach
