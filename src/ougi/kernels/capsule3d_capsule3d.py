"""Capsule against capsule."""

from __future__ import annotations

from ougi._native import device
from ougi.kernels.closest3d import Nearest3d, segment_segment
from ougi.kernels.constants import NEAR, ROUNDING
from ougi.kernels.records import Capsule3d, Separation3d
from ougi.kernels.separation3d import apart, apart_along, overlapping, to_world
from ougi.kernels.support3d import best_axis, segment_corners, segment_edges, segment_size, translate_segment
from ougi.kernels.vec3 import neg, sub


@device
def _nearest(a: Capsule3d, b: Capsule3d) -> Nearest3d:
    return segment_segment(a.start, a.end, b.start, b.end)


@device
def intersects_capsule3d_capsule3d(a: Capsule3d, b: Capsule3d) -> bool:
    reach = a.radius + b.radius
    return _nearest(a, b).distance_sq <= reach * reach


@device
def separation_capsule3d_capsule3d(a: Capsule3d, b: Capsule3d) -> Separation3d:
    o = a.start
    return to_world(separation(translate_segment(a, neg(o)), translate_segment(b, neg(o))), o)


@device
def separation(a: Capsule3d, b: Capsule3d) -> Separation3d:
    near = _nearest(a, b)
    size, touching = segment_size(a) + segment_size(b), near.distance_sq <= 0.0
    if near.distance_sq > (NEAR * size) ** 2:
        return apart(near, a.radius, b.radius)
    u, v = segment_edges(a), segment_edges(b)
    favour = 0.0 if touching else ROUNDING * size
    gap, n = best_axis(segment_corners(a), u, u, segment_corners(b), v, v, sub(near.b, near.a), favour)
    if not touching:
        return apart_along(near, n, a.radius, b.radius)
    return overlapping(near.a, gap, n, a.radius, b.radius)
