"""Disc against rectangle."""

from __future__ import annotations

from ougi._native import device
from ougi.kernels.closest2d import beyond, to_rectangle, turn_from_rectangle
from ougi.kernels.records import Circle, Rectangle, Separation2d, Vec2
from ougi.kernels.separation2d import add_radii
from ougi.kernels.vec2 import length, length_sq, unit_or


@device
def intersects_circle_rectangle(a: Circle, b: Rectangle) -> bool:
    return length_sq(beyond(b.half, to_rectangle(b, a.center))) <= a.radius * a.radius


@device
def separation_circle_rectangle(a: Circle, b: Rectangle) -> Separation2d:
    """Outside: towards the nearest point. Inside: through the nearest edge."""
    p = to_rectangle(b, a.center)
    sx, sy = -1.0 if p.x >= 0.0 else 1.0, -1.0 if p.y >= 0.0 else 1.0
    over = beyond(b.half, p)
    distance = length(over)
    n = unit_or(over, Vec2(0.0, 0.0))  # exactly across the edge that p stands over
    if distance == 0.0:
        x, y = abs(p.x) - b.half.x, abs(p.y) - b.half.y
        distance = max(x, y)
        n = Vec2(1.0, 0.0) if x >= y else Vec2(0.0, 1.0)
    return add_radii(a.center, distance, turn_from_rectangle(b, Vec2(sx * n.x, sy * n.y)), a.radius, 0.0)
