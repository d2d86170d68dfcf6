"""Ball against axis-aligned box."""

from __future__ import annotations

from ougi._native import device
from ougi.kernels.records import Aabb3d, Sphere, Vec3
from ougi.kernels.vec3 import length_sq


@device
def intersects_sphere_aabb3d(a: Sphere, b: Aabb3d) -> bool:
    c = a.center
    over = Vec3(
        max(max(b.lower.x - c.x, c.x - b.upper.x), 0.0),
        max(max(b.lower.y - c.y, c.y - b.upper.y), 0.0),
        max(max(b.lower.z - c.z, c.z - b.upper.z), 0.0),
    )
    return length_sq(over) <= a.radius * a.radius
