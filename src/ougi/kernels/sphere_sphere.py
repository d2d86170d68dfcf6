"""Ball against ball."""

from __future__ import annotations

from ougi._native import device
from ougi.kernels.closest3d import Nearest3d
from ougi.kernels.records import Separation3d, Sphere, Vec3
from ougi.kernels.separation3d import apart, overlapping
from ougi.kernels.vec3 import length_sq, sub


@device
def intersects_sphere_sphere(a: Sphere, b: Sphere) -> bool:
    reach = a.radius + b.radius
    return length_sq(sub(a.center, b.center)) <= reach * reach


@device
def separation_sphere_sphere(a: Sphere, b: Sphere) -> Separation3d:
    near = Nearest3d(a.center, b.center, length_sq(sub(b.center, a.center)))
    if near.distance_sq > 0.0:
        return apart(near, a.radius, b.radius)
    return overlapping(a.center, 0.0, Vec3(1.0, 0.0, 0.0), a.radius, b.radius)
