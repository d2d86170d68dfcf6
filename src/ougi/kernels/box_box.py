"""Box against box."""

from __future__ import annotations

import math

from ougi._native import device, procedure
from ougi.kernels.closest3d import box_box, boxes_touch_at
from ougi.kernels.constants import NEAR, ROUNDING
from ougi.kernels.records import Box, Separation3d, Vec3
from ougi.kernels.separation3d import apart, apart_along, overlapping, to_world
from ougi.kernels.support3d import box_reach, box_size, edge_axis, translate_box
from ougi.kernels.vec3 import along, cross, dot, neg, scale, sub, unit_or

_NONE = Vec3(0.0, 0.0, 0.0)


@device
def _gap(a: Box, b: Box, d: Vec3, n: Vec3) -> float:
    """The gap along n, times |n|. The reaches are those of n itself: whatever n is, this is true."""
    return abs(dot(d, n)) - box_reach(a, n) - box_reach(b, n)


@device
def _edge_gap(a: Box, b: Box, d: Vec3, e: Vec3, f: Vec3) -> float:
    """The same for two edges. Nearly parallel ones need `edge_axis`, and then no tolerance."""
    n = cross(e, f)
    return _gap(a, b, d, along(n, e, -dot(n, e)))


@device
def intersects_box_box(a: Box, b: Box) -> bool:
    """Fifteen separating axes, all of them: no branches, so the loop vectorises."""
    d = sub(b.center, a.center)
    g = max(_gap(a, b, d, a.x), max(_gap(a, b, d, a.y), _gap(a, b, d, a.z)))
    g = max(g, max(_gap(a, b, d, b.x), max(_gap(a, b, d, b.y), _gap(a, b, d, b.z))))
    g = max(g, max(_edge_gap(a, b, d, a.x, b.x), _edge_gap(a, b, d, a.x, b.y)))
    g = max(g, max(_edge_gap(a, b, d, a.x, b.z), _edge_gap(a, b, d, a.y, b.x)))
    g = max(g, max(_edge_gap(a, b, d, a.y, b.y), _edge_gap(a, b, d, a.y, b.z)))
    g = max(g, max(_edge_gap(a, b, d, a.z, b.x), _edge_gap(a, b, d, a.z, b.y)))
    return max(g, _edge_gap(a, b, d, a.z, b.z)) <= 0.0


@device
def _better(best: tuple[float, Vec3], a: Box, b: Box, d: Vec3, axis: Vec3) -> tuple[float, Vec3]:
    """The better of the best axis so far and a new one of any length."""
    n = unit_or(axis, _NONE)
    if dot(n, n) > 0.5:
        gap = _gap(a, b, d, n)
        if gap > best[0]:
            best = (gap, n if dot(d, n) >= 0.0 else neg(n))
    return best


@procedure
def best_box_axis(a: Box, b: Box, guess: Vec3, favour: float) -> tuple[float, Vec3]:
    """`support3d.best_axis` for boxes, whose reaches need no corners."""
    d = sub(b.center, a.center)
    n = unit_or(guess, Vec3(1.0, 0.0, 0.0))
    best = (dot(d, n) - box_reach(a, n) - box_reach(b, n) + favour, n)
    for e in (a.x, a.y, a.z):
        best = _better(best, a, b, d, e)
        best = _better(best, a, b, d, along(n, e, -dot(n, e)))
        for f in (b.x, b.y, b.z):
            best = _better(best, a, b, d, edge_axis(e, f))
    for f in (b.x, b.y, b.z):
        best = _better(best, a, b, d, f)
        best = _better(best, a, b, d, along(n, f, -dot(n, f)))
    return best


@procedure
def distance_box_box(a: Box, b: Box) -> float:
    """The distance of `separation_box_box` without its points."""
    if intersects_box_box(a, b):
        gap, _ = best_box_axis(a, b, sub(b.center, a.center), 0.0)
        return min(gap, 0.0)
    return math.sqrt(box_box(a, b).distance_sq)


@procedure
def separation_box_box(a: Box, b: Box) -> Separation3d:
    o = a.center
    return to_world(separation(translate_box(a, neg(o)), translate_box(b, neg(o))), o)


@procedure
def separation(a: Box, b: Box) -> Separation3d:
    if not intersects_box_box(a, b):
        near = box_box(a, b)
        size = box_size(a) + box_size(b)
        if near.distance_sq > (NEAR * size) ** 2:
            return apart(near, 0.0, 0.0)
        if near.distance_sq > 0.0:
            _, n = best_box_axis(a, b, sub(near.b, near.a), ROUNDING * size)
            return apart_along(near, n, 0.0, 0.0)
    gap, n = best_box_axis(a, b, sub(b.center, a.center), 0.0)
    return overlapping(boxes_touch_at(a, translate_box(b, scale(n, -min(gap, 0.0)))), gap, n, 0.0, 0.0)
