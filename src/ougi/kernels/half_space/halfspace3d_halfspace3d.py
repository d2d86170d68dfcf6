"""Two half-spaces: apart only if their normals are opposite.

All others overlap, and no translation separates them: the depth is infinite, and there are no deepest points.
"""

from __future__ import annotations

import math

from ougi._native import device
from ougi.kernels.half_space.constants import OPPOSITE
from ougi.kernels.half_space.records import HalfSpace3d
from ougi.kernels.records import Separation3d, Vec3
from ougi.kernels.vec3 import add, scale


@device
def _are_opposite(a: HalfSpace3d, b: HalfSpace3d) -> bool:
    both = add(a.normal, b.normal)
    return max(abs(both.x), abs(both.y), abs(both.z)) <= OPPOSITE


@device
def intersects_halfspace3d_halfspace3d(a: HalfSpace3d, b: HalfSpace3d) -> bool:
    return not _are_opposite(a, b) or a.offset + b.offset >= 0.0


@device
def separation_halfspace3d_halfspace3d(a: HalfSpace3d, b: HalfSpace3d) -> Separation3d:
    """The points are those nearest to the origin; all others of the surfaces are as near to each other."""
    if not _are_opposite(a, b):
        nowhere = Vec3(math.nan, math.nan, math.nan)
        return Separation3d(-math.inf, nowhere, nowhere, nowhere)
    return Separation3d(
        -(a.offset + b.offset), a.normal, scale(a.normal, a.offset), scale(a.normal, -b.offset)
    )
