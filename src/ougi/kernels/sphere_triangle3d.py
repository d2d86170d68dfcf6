"""Ball against triangle."""

from __future__ import annotations

from ougi._native import device
from ougi.kernels.closest3d import point_triangle
from ougi.kernels.constants import NEAR, ROUNDING
from ougi.kernels.records import Separation3d, Sphere, Triangle3d, Vec3
from ougi.kernels.separation3d import apart, apart_along, overlapping, to_world
from ougi.kernels.support3d import (
    best_axis,
    translate_triangle,
    triangle_corners,
    triangle_edges,
    triangle_normal,
    triangle_size,
)
from ougi.kernels.vec3 import neg, sub


@device
def intersects_sphere_triangle3d(a: Sphere, b: Triangle3d) -> bool:
    return point_triangle(a.center, b).distance_sq <= a.radius * a.radius


@device
def separation_sphere_triangle3d(a: Sphere, b: Triangle3d) -> Separation3d:
    o = a.center
    origin = Vec3(0.0, 0.0, 0.0)
    return to_world(separation(Sphere(origin, a.radius), translate_triangle(b, neg(o))), o)


@device
def separation(a: Sphere, b: Triangle3d) -> Separation3d:
    near = point_triangle(a.center, b)
    size, touching = triangle_size(b), near.distance_sq <= 0.0
    if near.distance_sq > (NEAR * size) ** 2:
        return apart(near, a.radius, 0.0)
    n = triangle_normal(b)
    edges = triangle_edges(b)
    corner = (a.center,)
    favour = 0.0 if touching else ROUNDING * size
    gap, axis = best_axis(corner, edges, (n,), triangle_corners(b), edges, (n,), sub(near.b, near.a), favour)
    if not touching:
        return apart_along(near, axis, a.radius, 0.0)
    return overlapping(a.center, gap, axis, a.radius, 0.0)
