"""Triangle against box."""

from __future__ import annotations

from ougi._native import procedure
from ougi.kernels.closest3d import triangle_box, triangle_cuts_box
from ougi.kernels.constants import NEAR, ROUNDING
from ougi.kernels.records import Box, Separation3d, Triangle3d
from ougi.kernels.separation3d import apart, apart_along, overlapping, to_world
from ougi.kernels.support3d import (
    best_axis,
    box_corners,
    box_reach,
    box_size,
    translate_box,
    translate_triangle,
    triangle_corners,
    triangle_edges,
    triangle_normal,
    triangle_size,
)
from ougi.kernels.vec3 import dot, neg, scale, sub


@procedure
def intersects_triangle3d_box(a: Triangle3d, b: Box) -> bool:
    n = triangle_normal(a)
    if abs(dot(n, sub(b.center, a.a))) > box_reach(b, n):
        return False  # the box lies on one side of the triangle's plane
    return triangle_box(a, b).distance_sq <= 0.0 or triangle_cuts_box(a, b)


@procedure
def separation_triangle3d_box(a: Triangle3d, b: Box) -> Separation3d:
    o = a.a
    return to_world(separation(translate_triangle(a, neg(o)), translate_box(b, neg(o))), o)


@procedure
def separation(a: Triangle3d, b: Box) -> Separation3d:
    near = triangle_box(a, b)
    touching = near.distance_sq <= 0.0 or triangle_cuts_box(a, b)
    size = triangle_size(a) + box_size(b)
    if not touching and near.distance_sq > (NEAR * size) ** 2:
        return apart(near, 0.0, 0.0)
    axes = (b.x, b.y, b.z)
    gap, n = best_axis(
        triangle_corners(a),
        triangle_edges(a),
        (triangle_normal(a),),
        box_corners(b),
        axes,
        axes,
        sub(near.b, near.a),
        0.0 if touching else ROUNDING * size,
    )
    if not touching:
        return apart_along(near, n, 0.0, 0.0)
    at = triangle_box(a, translate_box(b, scale(n, -min(gap, 0.0)))).a
    return overlapping(at, gap, n, 0.0, 0.0)
