"""Ball against box."""

from __future__ import annotations

import math

from ougi._native import device
from ougi.kernels.closest3d import clamp_box, from_box, to_box, turn_from_box
from ougi.kernels.records import Box, Separation3d, Sphere, Vec3
from ougi.kernels.separation3d import add_radii
from ougi.kernels.vec3 import length_sq, neg, scale, sub


@device
def intersects_sphere_box(a: Sphere, b: Box) -> bool:
    p = to_box(b, a.center)
    over = Vec3(
        max(abs(p.x) - b.half.x, 0.0),
        max(abs(p.y) - b.half.y, 0.0),
        max(abs(p.z) - b.half.z, 0.0),
    )
    return length_sq(over) <= a.radius * a.radius


@device
def separation_sphere_box(a: Sphere, b: Box) -> Separation3d:
    """Outside: the clamped point. Inside: the nearest face."""
    p = to_box(b, a.center)
    q = clamp_box(b.half, p)
    d = sub(q, p)
    distance = math.sqrt(length_sq(d))
    if distance > 0.0:
        n = scale(d, 1.0 / distance)  # exactly perpendicular to the faces that p does not stand over
    else:
        n, distance = _nearest_face(b.half, p)
        q = Vec3(
            q.x if n.x == 0.0 else -n.x * b.half.x,
            q.y if n.y == 0.0 else -n.y * b.half.y,
            q.z if n.z == 0.0 else -n.z * b.half.z,
        )
    return add_radii(a.center, from_box(b, q), distance, turn_from_box(b, n), a.radius, 0.0)


@device
def _nearest_face(h: Vec3, p: Vec3) -> tuple[Vec3, float]:
    """Inward normal of the face nearest to a point inside, and minus its depth."""
    x, y, z = h.x - abs(p.x), h.y - abs(p.y), h.z - abs(p.z)
    if x <= y and x <= z:
        n, depth = Vec3(1.0 if p.x >= 0.0 else -1.0, 0.0, 0.0), x
    elif y <= z:
        n, depth = Vec3(0.0, 1.0 if p.y >= 0.0 else -1.0, 0.0), y
    else:
        n, depth = Vec3(0.0, 0.0, 1.0 if p.z >= 0.0 else -1.0), z
    return neg(n), -depth
