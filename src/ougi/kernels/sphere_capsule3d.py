"""Ball against capsule."""

from __future__ import annotations

from ougi._jit import device
from ougi.kernels.closest3d import point_segment
from ougi.kernels.records import Capsule3d, Separation3d, Sphere
from ougi.kernels.separation3d import apart, apart_along, overlapping
from ougi.kernels.support3d import NEAR, segment_size
from ougi.kernels.vec3 import along, dot, perpendicular, sub, unit_or


@device
def intersects_sphere_capsule3d(a: Sphere, b: Capsule3d) -> bool:
    reach = a.radius + b.radius
    return point_segment(a.center, b.start, b.end).distance_sq <= reach * reach


@device
def separation_sphere_capsule3d(a: Sphere, b: Capsule3d) -> Separation3d:
    near = point_segment(a.center, b.start, b.end)
    if near.distance_sq > (NEAR * segment_size(b)) ** 2:
        return apart(near, a.radius, b.radius)
    v = sub(b.end, b.start)
    if near.distance_sq > 0.0:
        n = unit_or(sub(near.b, near.a), v)
        e = unit_or(v, n)
        if 0.0 < dot(sub(a.center, b.start), v) < dot(v, v):  # beside the segment: exactly perpendicular
            n = unit_or(along(n, e, -dot(n, e)), n)
        return apart_along(near, n, a.radius, b.radius)
    return overlapping(a.center, 0.0, perpendicular(v), a.radius, b.radius)
