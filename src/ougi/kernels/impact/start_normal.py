"""The normal of a contact that exists at the start, up to the tolerance.

Nearest points at a gap g have a direction with the error (rounding / g). At the start g may be anything. With
the lever of a whole side such a direction separates nothing. If the bodies overlap along it, a direction of
their features replaces it: a normal of a face, a product of two edges, or a perpendicular of one edge.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ougi._native import device, procedure
from ougi._typing import Record
from ougi.kernels.constants import HIT, POINT_ROUNDING
from ougi.kernels.impact.facets import Interval
from ougi.kernels.impact.hulls import HULL, Hull
from ougi.kernels.impact.movers import Mover
from ougi.kernels.records import Impact3d, Vec3
from ougi.kernels.support3d import edge_axis
from ougi.kernels.vec3 import (
    ZERO,
    along,
    cross,
    dot,
    length,
    length_sq,
    neg,
    perpendicular,
    scale,
    sub,
    unit_or,
)


class SeparatingPlane(NamedTuple):
    """A unit normal from b to a, and how far a lies beyond b along it; negative where they overlap."""

    gap: float
    normal: Vec3


@device
def _interval(h: Hull, n: Vec3, origin: Vec3) -> Interval:
    """How far a body reaches along a direction. Differences come first, because they are exact."""
    low = high = dot(n, sub(h.corners[0], origin))
    for p in h.corners:
        x = dot(n, sub(p, origin))
        low, high = min(low, x), max(high, x)
    for v in h.spans:
        x = abs(dot(n, v))
        low, high = low - x, high + x
    return Interval(low - h.radius, high + h.radius)


@procedure
def _wider(best: SeparatingPlane, axis: Vec3, a: Hull, b: Hull) -> SeparatingPlane:
    """The better of the best plane so far and those across an axis; not the plane in which both lie."""
    n = unit_or(axis, ZERO)
    if not length_sq(n) > 0.5:
        return best
    x, y = _interval(a, n, a.center), _interval(b, n, a.center)
    if x.low == y.high and x.high == y.low:
        return best
    if x.low - y.high > best.gap:
        best = SeparatingPlane(x.low - y.high, n)
    if y.low - x.high > best.gap:
        best = SeparatingPlane(y.low - x.high, neg(n))
    return best


@device
def _across(n: Vec3, e: Vec3) -> Vec3:
    """The unit vector of n without its part along e; twice, because that part may be almost all of n."""
    e = unit_or(e, ZERO)
    n = unit_or(along(n, e, -dot(n, e)), ZERO)
    return along(n, e, -dot(n, e))


@procedure
def find_separating_normal(a: Hull, b: Hull, n: Vec3) -> Vec3:
    """The unit vector n from b to a, or a better one if the bodies overlap along n by more than rounding.

    Disjoint polytopes are separated by a normal of a face or by a product of two edges, also of one body.
    Polygons of one plane are separated by a perpendicular of an edge in it. Where a point or a parallel
    edge lies beside an edge, any direction does, and n without its part along the edge has the widest gap.
    """
    x, y = _interval(a, n, a.center), _interval(b, n, a.center)
    size = a.reach + b.reach + a.radius + b.radius + length(sub(a.center, b.center))
    best = SeparatingPlane(x.low - y.high, n)
    if best.gap >= -POINT_ROUNDING * size:
        return n
    edges = a.edges + b.edges
    for i in range(len(edges)):
        e = edges[i]
        side = perpendicular(e)
        best = _wider(best, _across(n, e), a, b)
        best = _wider(best, side, a, b)
        best = _wider(best, cross(side, e), a, b)
        for j in range(i):
            axis = edge_axis(e, edges[j])
            best = _wider(best, axis, a, b)
            best = _wider(best, cross(axis, e), a, b)
            best = _wider(best, cross(axis, edges[j]), a, b)
    return best.normal


def make_start_separator(kernel: str) -> Callable[[Impact3d, Mover, Record], Impact3d]:
    """Make separate_at_start(impact, mover, target) of a kernel, such as sphere_box."""
    hull_a, hull_b = (HULL[layout] for layout in kernel.split("_"))

    @device
    def separate_at_start(impact: Impact3d, mover: Mover, target: Record) -> Impact3d:
        """The contact with a normal that separates the bodies at the start."""
        if not (impact.status == HIT and impact.t == 0.0):
            return impact
        n = scale(impact.normal, -mover.sense)
        n = find_separating_normal(hull_a(mover.body, ZERO), hull_b(target, ZERO), n)
        return Impact3d(HIT, 0.0, impact.point, scale(n, -mover.sense))

    return separate_at_start
