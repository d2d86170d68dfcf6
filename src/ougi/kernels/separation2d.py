"""From cores to the separation of rounded bodies in the plane."""

from __future__ import annotations

from ougi._native import device, procedure
from ougi.kernels.closest2d import nearest_points
from ougi.kernels.constants import PLANAR_ROUNDING
from ougi.kernels.records import Separation2d, Vec2
from ougi.kernels.support2d import best_axis, gap_along
from ougi.kernels.vec2 import add, along, dot, length, neg, scale, turn_left, unit_or


@device
def add_radii(a: Vec2, distance: float, n: Vec2, radius_a: float, radius_b: float) -> Separation2d:
    """Radii move the surfaces of two cores towards each other along the normal: exact, also for a depth."""
    gap = distance - (radius_a + radius_b)
    point_a = along(a, n, radius_a)
    return Separation2d(gap, n, point_a, along(point_a, n, gap))


@procedure
def separation_polygons(
    origin: Vec2,
    corners_a: tuple[Vec2, ...],
    corners_b: tuple[Vec2, ...],
    edges: tuple[Vec2, ...],
    radius_a: float,
    radius_b: float,
) -> Separation2d:
    """Convex polygons, relative to `origin`, with radii; `edges` are those of both.

    Overlapping: the edge of the smallest overlap gives the normal. Apart: the edge that a corner is nearest
    to, or the line from corner to corner. At a small gap that line is mostly rounding, so the polygons
    must prove it, by reaching no further along it; else the best edge is as good. The contact lies where
    the polygons touch once b has been moved along the normal; in the middle, where sides touch.
    """
    size = 0.0
    for p in corners_a:
        size += abs(p.x) + abs(p.y)
    for p in corners_b:
        size += abs(p.x) + abs(p.y)
    if not size >= 0.0:  # NaN in, NaN out
        nowhere = Vec2(size, size)
        return Separation2d(size, nowhere, nowhere, nowhere)
    rounding = PLANAR_ROUNDING * size
    gap, n = best_axis(corners_a, corners_b, edges)
    if gap > 0.0:
        near = nearest_points(corners_a, corners_b, Vec2(0.0, 0.0), 0.0)
        distance, direct = length(near.offset), unit_or(near.offset, n)
        side = unit_or(turn_left(near.edge), direct)
        if dot(side, direct) < 0.0:
            side = neg(side)
        if gap_along(side, corners_a, corners_b) >= min(gap, distance - rounding):
            gap, n = distance, side
    at = nearest_points(corners_a, corners_b, scale(n, -gap), rounding).a
    return add_radii(add(origin, at), gap, n, radius_a, radius_b)
