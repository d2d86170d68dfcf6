"""Disc against triangle."""

from __future__ import annotations

from ougi._native import device
from ougi.kernels.closest2d import near_segment
from ougi.kernels.planar import in_triangle
from ougi.kernels.records import Circle, Separation2d, Triangle2d, Vec2
from ougi.kernels.separation2d import separation_polygons
from ougi.kernels.support2d import triangle_corners, triangle_edges
from ougi.kernels.vec2 import length_sq, sub


@device
def intersects_circle_triangle2d(a: Circle, b: Triangle2d) -> bool:
    p, reach_sq = a.center, a.radius * a.radius
    near = (
        in_triangle(p, b)
        | near_segment(p, b.a, b.b, reach_sq)
        | near_segment(p, b.b, b.c, reach_sq)
        | near_segment(p, b.c, b.a, reach_sq)
    )
    known_sq = length_sq(sub(b.b, b.a)) + length_sq(sub(b.c, b.a)) + reach_sq
    return near & (known_sq >= 0.0)  # NaN in, False out


@device
def separation_circle_triangle2d(a: Circle, b: Triangle2d) -> Separation2d:
    corners = triangle_corners(b, a.center)
    return separation_polygons(a.center, (Vec2(0.0, 0.0),), corners, triangle_edges(b), a.radius, 0.0)
