"""Triangle against triangle."""

from __future__ import annotations

from ougi._native import device
from ougi.kernels.records import Separation2d, Triangle2d
from ougi.kernels.separation2d import separation_polygons
from ougi.kernels.support2d import polygons_touch, triangle_corners, triangle_edges


@device
def intersects_triangle2d_triangle2d(a: Triangle2d, b: Triangle2d) -> bool:
    edges = triangle_edges(a) + triangle_edges(b)
    return polygons_touch(triangle_corners(a, a.a), triangle_corners(b, a.a), edges)


@device
def separation_triangle2d_triangle2d(a: Triangle2d, b: Triangle2d) -> Separation2d:
    edges = triangle_edges(a) + triangle_edges(b)
    return separation_polygons(a.a, triangle_corners(a, a.a), triangle_corners(b, a.a), edges, 0.0, 0.0)
