"""From nearest points of cores to the separation of rounded bodies."""

from __future__ import annotations

import math

from ougi._native import device
from ougi.kernels.closest3d import Nearest3d
from ougi.kernels.records import Separation3d, Vec3
from ougi.kernels.vec3 import add, along, length, scale, sub


@device
def to_world(s: Separation3d, origin: Vec3) -> Separation3d:
    """The answer of a kernel that has worked relative to `origin`.

    Kernels take a point of a as origin: what they compute is then as precise as the bodies are small, however
    far from the world's origin they are.
    """
    return Separation3d(s.distance, s.normal, add(s.point_a, origin), add(s.point_b, origin))


@device
def apart(near: Nearest3d, radius_a: float, radius_b: float) -> Separation3d:
    """Cores at a positive distance."""
    d = sub(near.b, near.a)
    n = scale(d, 1.0 / length(d))  # of this very difference, so that n is a unit vector to the last digit
    return add_radii(near.a, near.b, math.sqrt(near.distance_sq), n, radius_a, radius_b)


@device
def apart_along(near: Nearest3d, n: Vec3, radius_a: float, radius_b: float) -> Separation3d:
    """Cores at a positive distance, with a better normal than the difference of the points."""
    return add_radii(near.a, near.b, math.sqrt(near.distance_sq), n, radius_a, radius_b)


@device
def overlapping(at: Vec3, gap: float, n: Vec3, radius_a: float, radius_b: float) -> Separation3d:
    """Cores that overlap by -gap along n; `at` is where they touch once b has been moved out of a."""
    depth = min(gap, 0.0)
    return add_radii(at, along(at, n, depth), depth, n, radius_a, radius_b)


@device
def add_radii(a: Vec3, b: Vec3, distance: float, n: Vec3, radius_a: float, radius_b: float) -> Separation3d:
    """Radii move the surfaces towards each other along the normal: exact, also for a depth."""
    return Separation3d(
        distance - (radius_a + radius_b), n, add(a, scale(n, radius_a)), sub(b, scale(n, radius_b))
    )
