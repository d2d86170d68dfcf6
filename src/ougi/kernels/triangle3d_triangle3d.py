"""Triangle against triangle."""

from __future__ import annotations

from ougi._native import procedure
from ougi.kernels.closest3d import triangle_triangle, triangles_pierce
from ougi.kernels.constants import NEAR, ROUNDING
from ougi.kernels.records import Separation3d, Triangle3d
from ougi.kernels.separation3d import apart, apart_along, overlapping, to_world
from ougi.kernels.support3d import (
    best_axis,
    translate_triangle,
    triangle_corners,
    triangle_edges,
    triangle_normal,
    triangle_size,
)
from ougi.kernels.vec3 import dot, neg, scale, sub


@procedure
def intersects_triangle3d_triangle3d(a: Triangle3d, b: Triangle3d) -> bool:
    n = triangle_normal(a)
    p, q, r = dot(n, sub(b.a, a.a)), dot(n, sub(b.b, a.a)), dot(n, sub(b.c, a.a))
    if min(p, min(q, r)) > 0.0 or max(p, max(q, r)) < 0.0:
        return False  # b lies on one side of a's plane
    return triangles_pierce(a, b) or triangle_triangle(a, b).distance_sq <= 0.0


@procedure
def separation_triangle3d_triangle3d(a: Triangle3d, b: Triangle3d) -> Separation3d:
    o = a.a
    return to_world(separation(translate_triangle(a, neg(o)), translate_triangle(b, neg(o))), o)


@procedure
def separation(a: Triangle3d, b: Triangle3d) -> Separation3d:
    near = triangle_triangle(a, b)
    touching = near.distance_sq <= 0.0 or triangles_pierce(a, b)
    size = triangle_size(a) + triangle_size(b)
    if not touching and near.distance_sq > (NEAR * size) ** 2:
        return apart(near, 0.0, 0.0)
    gap, n = best_axis(
        triangle_corners(a),
        triangle_edges(a),
        (triangle_normal(a),),
        triangle_corners(b),
        triangle_edges(b),
        (triangle_normal(b),),
        sub(near.b, near.a),
        0.0 if touching else ROUNDING * size,
    )
    if not touching:
        return apart_along(near, n, 0.0, 0.0)
    at = triangle_triangle(a, translate_triangle(b, scale(n, -min(gap, 0.0)))).a
    return overlapping(at, gap, n, 0.0, 0.0)
