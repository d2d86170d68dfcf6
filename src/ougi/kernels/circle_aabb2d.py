"""Disc against axis-aligned rectangle."""

from __future__ import annotations

from ougi._native import device
from ougi.kernels.records import Aabb2d, Circle, Vec2
from ougi.kernels.vec2 import length_sq


@device
def intersects_circle_aabb2d(a: Circle, b: Aabb2d) -> bool:
    c = a.center
    # One summand of each is 0.
    over = Vec2(
        max(b.lower.x - c.x, 0.0) + max(c.x - b.upper.x, 0.0),
        max(b.lower.y - c.y, 0.0) + max(c.y - b.upper.y, 0.0),
    )
    return length_sq(over) <= a.radius * a.radius
