"""From nearest points of cores to the separation of rounded bodies."""

from __future__ import annotations

import math

from ougi._jit import device
from ougi.kernels.closest3d import Nearest3d
from ougi.kernels.records import Separation3d, Vec3
from ougi.kernels.vec3 import add, along, scale, sub


@device
def apart(near: Nearest3d, radius_a: float, radius_b: float) -> Separation3d:
    """Cores at a positive distance."""
    distance = math.sqrt(near.distance_sq)
    n = scale(sub(near.b, near.a), 1.0 / distance)
    return rounded(near.a, near.b, distance, n, radius_a, radius_b)


@device
def apart_along(near: Nearest3d, n: Vec3, radius_a: float, radius_b: float) -> Separation3d:
    """Cores at a positive distance, with a better normal than the difference of the points."""
    return rounded(near.a, near.b, math.sqrt(near.distance_sq), n, radius_a, radius_b)


@device
def overlapping(at: Vec3, gap: float, n: Vec3, radius_a: float, radius_b: float) -> Separation3d:
    """Cores that overlap by -gap along n; `at` is where they touch once b has been moved out of a."""
    depth = min(gap, 0.0)
    return rounded(at, along(at, n, depth), depth, n, radius_a, radius_b)


@device
def rounded(a: Vec3, b: Vec3, distance: float, n: Vec3, radius_a: float, radius_b: float) -> Separation3d:
    """Radii move the surfaces towards each other along the normal: exact, also for a depth."""
    return Separation3d(
        distance - (radius_a + radius_b), n, add(a, scale(n, radius_a)), sub(b, scale(n, radius_b))
    )
