"""Triangle against rectangle."""

from __future__ import annotations

from ougi._native import device
from ougi.kernels.records import Rectangle, Separation2d, Triangle2d
from ougi.kernels.separation2d import separation_polygons
from ougi.kernels.support2d import (
    polygons_touch,
    rectangle_corners,
    rectangle_edges,
    triangle_corners,
    triangle_edges,
)


@device
def intersects_triangle2d_rectangle(a: Triangle2d, b: Rectangle) -> bool:
    edges = triangle_edges(a) + rectangle_edges(b)
    return polygons_touch(triangle_corners(a, b.center), rectangle_corners(b, b.center), edges)


@device
def separation_triangle2d_rectangle(a: Triangle2d, b: Rectangle) -> Separation2d:
    edges = triangle_edges(a) + rectangle_edges(b)
    return separation_polygons(a.a, triangle_corners(a, a.a), rectangle_corners(b, a.a), edges, 0.0, 0.0)
