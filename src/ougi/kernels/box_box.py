"""Box against box."""

from __future__ import annotations

from ougi._jit import device, procedure
from ougi.kernels.closest3d import box_box, boxes_touch_at
from ougi.kernels.records import Box, Separation3d, Vec3
from ougi.kernels.separation3d import apart, apart_along, overlapping
from ougi.kernels.support3d import NEAR, best_axis, box_corners, box_reach, box_size, moved_box
from ougi.kernels.vec3 import cross, dot, scale, sub


@device
def _gap(a: Box, b: Box, d: Vec3, n: Vec3) -> float:
    """The gap along n, times |n|. The supports are those of n itself, so nearly parallel edges, whose cross
    product is short and inexact, cannot separate boxes that touch: no tolerance is needed."""
    return abs(dot(d, n)) - box_reach(a, n) - box_reach(b, n)


@device
def intersects_box_box(a: Box, b: Box) -> bool:
    """Fifteen separating axes, all of them: no branches, so the loop vectorises."""
    d = sub(b.center, a.center)
    g = max(_gap(a, b, d, a.x), max(_gap(a, b, d, a.y), _gap(a, b, d, a.z)))
    g = max(g, max(_gap(a, b, d, b.x), max(_gap(a, b, d, b.y), _gap(a, b, d, b.z))))
    g = max(g, max(_gap(a, b, d, cross(a.x, b.x)), _gap(a, b, d, cross(a.x, b.y))))
    g = max(g, max(_gap(a, b, d, cross(a.x, b.z)), _gap(a, b, d, cross(a.y, b.x))))
    g = max(g, max(_gap(a, b, d, cross(a.y, b.y)), _gap(a, b, d, cross(a.y, b.z))))
    g = max(g, max(_gap(a, b, d, cross(a.z, b.x)), _gap(a, b, d, cross(a.z, b.y))))
    return max(g, _gap(a, b, d, cross(a.z, b.z))) <= 0.0


@procedure
def separation_box_box(a: Box, b: Box) -> Separation3d:
    touching = intersects_box_box(a, b)
    near = box_box(a, b)
    if not touching and near.distance_sq > (NEAR * (box_size(a) + box_size(b))) ** 2:
        return apart(near, 0.0, 0.0)
    axes_a, axes_b = (a.x, a.y, a.z), (b.x, b.y, b.z)
    guess = sub(b.center, a.center) if touching else sub(near.b, near.a)
    gap, n = best_axis(box_corners(a), axes_a, axes_a, box_corners(b), axes_b, axes_b, guess)
    if not touching and near.distance_sq > 0.0:
        return apart_along(near, n, 0.0, 0.0)
    return overlapping(boxes_touch_at(a, moved_box(b, scale(n, -min(gap, 0.0)))), gap, n, 0.0, 0.0)
