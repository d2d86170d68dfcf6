"""Ball against capsule."""

from __future__ import annotations

from ougi._native import device
from ougi.kernels.closest3d import point_segment
from ougi.kernels.constants import NEAR, ROUNDING
from ougi.kernels.records import Capsule3d, Separation3d, Sphere, Vec3
from ougi.kernels.separation3d import apart, apart_along, overlapping, to_world
from ougi.kernels.support3d import best_axis, segment_corners, segment_edges, segment_size, translate_segment
from ougi.kernels.vec3 import neg, sub


@device
def intersects_sphere_capsule3d(a: Sphere, b: Capsule3d) -> bool:
    reach = a.radius + b.radius
    return point_segment(a.center, b.start, b.end).distance_sq <= reach * reach


@device
def separation_sphere_capsule3d(a: Sphere, b: Capsule3d) -> Separation3d:
    o = a.center
    origin = Vec3(0.0, 0.0, 0.0)
    return to_world(separation(Sphere(origin, a.radius), translate_segment(b, neg(o))), o)


@device
def separation(a: Sphere, b: Capsule3d) -> Separation3d:
    near = point_segment(a.center, b.start, b.end)
    size, touching = segment_size(b), near.distance_sq <= 0.0
    if near.distance_sq > (NEAR * size) ** 2:
        return apart(near, a.radius, b.radius)
    v = segment_edges(b)
    favour = 0.0 if touching else ROUNDING * size
    gap, n = best_axis((a.center,), v, v, segment_corners(b), v, v, sub(near.b, near.a), favour)
    if not touching:
        return apart_along(near, n, a.radius, b.radius)
    return overlapping(a.center, gap, n, a.radius, b.radius)
