"""Planar fan against triangle: as FAN sec. 2.3 for rectangles, by clipping the edges."""

from __future__ import annotations

from ougi._native import device
from ougi.kernels.planar import in_triangle
from ougi.kernels.records import Sector2d, Triangle2d, Vec2
from ougi.kernels.sector2d_wedge import fan_edges_distance, polygon_edges_meet_fan, to_sector2d


@device
def _in_frame(a: Sector2d, b: Triangle2d) -> Triangle2d:
    return Triangle2d(to_sector2d(a, b.a), to_sector2d(a, b.b), to_sector2d(a, b.c))


@device
def intersects_sector2d_triangle2d(a: Sector2d, b: Triangle2d) -> bool:
    """An edge touches the fan, or the triangle holds all of it."""
    t = _in_frame(a, b)
    return polygon_edges_meet_fan(a.side, a.inner_radius, a.outer_radius, (t.a, t.b, t.c)) or in_triangle(
        Vec2(a.outer_radius, 0.0), t
    )


@device
def distance_sector2d_triangle2d(a: Sector2d, b: Triangle2d) -> float:
    """0 where they touch or overlap."""
    t = _in_frame(a, b)
    if in_triangle(Vec2(a.outer_radius, 0.0), t):
        return 0.0
    return fan_edges_distance(a.side, a.inner_radius, a.outer_radius, (t.a, t.b, t.c))
