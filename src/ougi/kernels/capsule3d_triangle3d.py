"""Capsule against triangle."""

from __future__ import annotations

from ougi._native import device, procedure
from ougi.kernels.closest3d import pierces, segment_triangle
from ougi.kernels.constants import NEAR, ROUNDING
from ougi.kernels.records import Capsule3d, Separation3d, Triangle3d
from ougi.kernels.separation3d import apart, apart_along, overlapping, to_world
from ougi.kernels.support3d import (
    best_axis,
    segment_corners,
    segment_edges,
    segment_size,
    translate_segment,
    translate_triangle,
    triangle_corners,
    triangle_edges,
    triangle_normal,
    triangle_size,
)
from ougi.kernels.vec3 import neg, scale, sub


@device
def intersects_capsule3d_triangle3d(a: Capsule3d, b: Triangle3d) -> bool:
    return (
        pierces(a.start, a.end, b, triangle_normal(b))
        or segment_triangle(a, b).distance_sq <= a.radius * a.radius
    )


@procedure
def separation_capsule3d_triangle3d(a: Capsule3d, b: Triangle3d) -> Separation3d:
    o = a.start
    return to_world(separation(translate_segment(a, neg(o)), translate_triangle(b, neg(o))), o)


@procedure
def separation(a: Capsule3d, b: Triangle3d) -> Separation3d:
    normal = triangle_normal(b)
    near = segment_triangle(a, b)
    touching = near.distance_sq <= 0.0 or pierces(a.start, a.end, b, normal)
    size = segment_size(a) + triangle_size(b)
    if not touching and near.distance_sq > (NEAR * size) ** 2:
        return apart(near, a.radius, 0.0)
    u = segment_edges(a)
    corners, edges = triangle_corners(b), triangle_edges(b)
    favour = 0.0 if touching else ROUNDING * size
    gap, n = best_axis(segment_corners(a), u, u, corners, edges, (normal,), sub(near.b, near.a), favour)
    if not touching:
        return apart_along(near, n, a.radius, 0.0)
    at = segment_triangle(a, translate_triangle(b, scale(n, -min(gap, 0.0)))).a
    return overlapping(at, gap, n, a.radius, 0.0)
