"""Two half-planes: half-spaces whose normals lie at z = 0."""

from __future__ import annotations

from ougi._native import device
from ougi.kernels.half_space.halfspace3d_halfspace3d import (
    intersects_halfspace3d_halfspace3d,
    separation_halfspace3d_halfspace3d,
)
from ougi.kernels.half_space.polygon2d_halfspace2d import flatten
from ougi.kernels.half_space.records import HalfSpace3d
from ougi.kernels.records import Separation2d


@device
def intersects_halfspace2d_halfspace2d(a: HalfSpace3d, b: HalfSpace3d) -> bool:
    return intersects_halfspace3d_halfspace3d(a, b)


@device
def separation_halfspace2d_halfspace2d(a: HalfSpace3d, b: HalfSpace3d) -> Separation2d:
    return flatten(separation_halfspace3d_halfspace3d(a, b))
