"""Rectangle against rectangle."""

from __future__ import annotations

from ougi._native import device
from ougi.kernels.closest2d import to_rectangle
from ougi.kernels.records import Rectangle, Separation2d
from ougi.kernels.separation2d import separation_polygons
from ougi.kernels.support2d import rectangle_corners, rectangle_edges
from ougi.kernels.vec2 import cross, dot


@device
def intersects_rectangle_rectangle(a: Rectangle, b: Rectangle) -> bool:
    """Four separating axes, all of them: no branches, so the loop vectorises."""
    p, q = to_rectangle(a, b.center), to_rectangle(b, a.center)
    c, s = abs(dot(a.x, b.x)), abs(cross(a.x, b.x))
    return (
        (abs(p.x) <= a.half.x + b.half.x * c + b.half.y * s)
        & (abs(p.y) <= a.half.y + b.half.x * s + b.half.y * c)
        & (abs(q.x) <= b.half.x + a.half.x * c + a.half.y * s)
        & (abs(q.y) <= b.half.y + a.half.x * s + a.half.y * c)
    )


@device
def separation_rectangle_rectangle(a: Rectangle, b: Rectangle) -> Separation2d:
    origin = a.center
    return separation_polygons(
        origin,
        rectangle_corners(a, origin),
        rectangle_corners(b, origin),
        rectangle_edges(a) + rectangle_edges(b),
        0.0,
        0.0,
    )
