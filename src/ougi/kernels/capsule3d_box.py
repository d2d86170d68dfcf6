"""Capsule against box."""

from __future__ import annotations

from ougi._native import device, procedure
from ougi.kernels.closest3d import segment_box
from ougi.kernels.constants import NEAR, ROUNDING
from ougi.kernels.records import Box, Capsule3d, Separation3d
from ougi.kernels.separation3d import apart, apart_along, overlapping, to_world
from ougi.kernels.support3d import (
    best_axis,
    box_corners,
    box_size,
    segment_corners,
    segment_edges,
    segment_size,
    translate_box,
    translate_segment,
)
from ougi.kernels.vec3 import neg, scale, sub


@device
def intersects_capsule3d_box(a: Capsule3d, b: Box) -> bool:
    return segment_box(a.start, a.end, b).distance_sq <= a.radius * a.radius


@procedure
def separation_capsule3d_box(a: Capsule3d, b: Box) -> Separation3d:
    o = a.start
    return to_world(separation(translate_segment(a, neg(o)), translate_box(b, neg(o))), o)


@procedure
def separation(a: Capsule3d, b: Box) -> Separation3d:
    near = segment_box(a.start, a.end, b)
    size, touching = segment_size(a) + box_size(b), near.distance_sq <= 0.0
    if near.distance_sq > (NEAR * size) ** 2:
        return apart(near, a.radius, 0.0)
    u = segment_edges(a)
    axes = (b.x, b.y, b.z)
    guess = sub(b.center, near.a) if touching else sub(near.b, near.a)
    favour = 0.0 if touching else ROUNDING * size
    gap, n = best_axis(segment_corners(a), u, u, box_corners(b), axes, axes, guess, favour)
    if not touching:
        return apart_along(near, n, a.radius, 0.0)
    at = segment_box(a.start, a.end, translate_box(b, scale(n, -min(gap, 0.0)))).a
    return overlapping(at, gap, n, a.radius, 0.0)
