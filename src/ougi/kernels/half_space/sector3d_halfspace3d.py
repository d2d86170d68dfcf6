"""A thick sector against a half-space. It has a depth, although it is not convex: its hull decides."""

from __future__ import annotations

from ougi._native import device
from ougi.kernels.half_space.hull3d_halfspace3d import separate_point
from ougi.kernels.half_space.records import HalfSpace3d
from ougi.kernels.half_space.supports import support_sector3d
from ougi.kernels.records import Sector3d, Separation3d
from ougi.kernels.vec3 import neg


@device
def intersects_sector3d_halfspace3d(f: Sector3d, s: HalfSpace3d) -> bool:
    return separation_sector3d_halfspace3d(f, s).distance <= 0.0


@device
def separation_sector3d_halfspace3d(f: Sector3d, s: HalfSpace3d) -> Separation3d:
    return separate_point(support_sector3d(f, neg(s.normal)), 0.0, s)
