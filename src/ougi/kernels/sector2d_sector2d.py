"""Planar fan against planar fan: sides against fans, and arcs against arcs."""

from __future__ import annotations

from ougi._native import device, procedure
from ougi.kernels.constants import ENDLESS
from ougi.kernels.planar import circle_circle_crossings
from ougi.kernels.records import Circle, Sector2d, Vec2
from ougi.kernels.sector2d_wedge import (
    fan_segment_distance,
    from_sector2d,
    segment_meets_fan,
    to_sector2d,
    turn_to_sector2d,
    within_wedge,
)
from ougi.kernels.vec2 import length, neg, scale, sub, unit_or


@device
def _mirror(g: Vec2, sign: float) -> Vec2:
    return Vec2(g.x, sign * g.y)


@device
def _side_in(a: Sector2d, b: Sector2d, sign: float) -> tuple[Vec2, Vec2]:
    """The left (1) or right (-1) side of b in the frame of a."""
    g = _mirror(b.side, sign)
    p = to_sector2d(a, from_sector2d(b, scale(g, b.inner_radius)))
    return p, to_sector2d(a, from_sector2d(b, scale(g, b.outer_radius)))


@device
def _side_meets(a: Sector2d, b: Sector2d, sign: float) -> bool:
    p, e = _side_in(a, b, sign)
    return segment_meets_fan(a.side, a.inner_radius, a.outer_radius, p, e)


@device
def _in_both(a: Sector2d, b: Sector2d, p: Vec2) -> bool:
    """Is a point of two circles within both angles? Only the other coordinate is tested: on its own circle
    it lies by construction (FAN erratum 13). NaN is nowhere."""
    return within_wedge(a.side, to_sector2d(a, p)) & within_wedge(b.side, to_sector2d(b, p))


@device
def _arcs_cross(a: Sector2d, radius_a: float, b: Sector2d, radius_b: float) -> bool:
    found = circle_circle_crossings(Circle(a.center, radius_a), Circle(b.center, radius_b))
    return (found.number > 0) and (_in_both(a, b, found.first) or _in_both(a, b, found.second))


@procedure
def intersects_sector2d_sector2d(a: Sector2d, b: Sector2d) -> bool:
    """A side of one touches the other fan, or an arc crosses an arc.

    That is all: a fan inside the other has its sides there; and where neither's sides touch the other, the
    border of what they share consists of arcs without their ends, which lie on sides. The full ring has a
    side as well, as good as any other segment of it, and circles that coincide share the end of an arc.
    """
    return (
        _side_meets(a, b, 1.0)
        or _side_meets(a, b, -1.0)
        or _side_meets(b, a, 1.0)
        or _side_meets(b, a, -1.0)
        or _arcs_cross(a, a.outer_radius, b, b.outer_radius)
        or _arcs_cross(a, a.outer_radius, b, b.inner_radius)
        or _arcs_cross(a, a.inner_radius, b, b.outer_radius)
        or _arcs_cross(a, a.inner_radius, b, b.inner_radius)
    )


@device
def _side_distance(a: Sector2d, b: Sector2d, sign: float) -> float:
    p, e = _side_in(a, b, sign)
    return fan_segment_distance(a.side, a.inner_radius, a.outer_radius, p, e)


@device
def _arcs_distance(a: Sector2d, b: Sector2d) -> float:
    """Between arcs, away from their ends: the nearest points lie on the line through both centers."""
    v = sub(b.center, a.center)
    d = length(v)
    n = unit_or(v, a.x)  # one center: an end of an arc is as near as any other point
    at_a, at_b = turn_to_sector2d(a, n), turn_to_sector2d(b, n)
    best = ENDLESS
    for sign_a in (1.0, -1.0):
        if within_wedge(a.side, at_a if sign_a > 0.0 else neg(at_a)):
            for sign_b in (1.0, -1.0):
                if within_wedge(b.side, at_b if sign_b > 0.0 else neg(at_b)):
                    for radius_a in (a.inner_radius, a.outer_radius):
                        for radius_b in (b.inner_radius, b.outer_radius):
                            best = min(best, abs(d + sign_b * radius_b - sign_a * radius_a))
    return best


@procedure
def distance_sector2d_sector2d(a: Sector2d, b: Sector2d) -> float:
    """0 where they touch or overlap; else from side to fan, or from arc to arc."""
    if intersects_sector2d_sector2d(a, b):
        return 0.0
    best = min(_side_distance(a, b, 1.0), _side_distance(a, b, -1.0))
    best = min(best, min(_side_distance(b, a, 1.0), _side_distance(b, a, -1.0)))
    return min(best, _arcs_distance(a, b))
