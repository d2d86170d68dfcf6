"""Corners of polygons, and the axis along which two convex polygons are furthest apart.

A polygon is a tuple of corners in cyclic order: one is a point, two a segment. Corners are taken relative to
a point near by, so that far from the origin nothing is lost but what the input has lost.
"""

from __future__ import annotations

import math

from ougi._native import device
from ougi.kernels.records import Capsule2d, Rectangle, Triangle2d, Vec2
from ougi.kernels.vec2 import along, dot, neg, sub, turn_left, unit_or

_NONE = Vec2(0.0, 0.0)

# Polygons on one line, or reduced to points, have no normal that could separate them; x and y can. Elsewhere
# a superfluous axis costs time, never truth.
_ALWAYS = (Vec2(1.0, 0.0), Vec2(0.0, 1.0))


@device
def segment_corners(s: Capsule2d, origin: Vec2) -> tuple[Vec2, Vec2]:
    return (sub(s.start, origin), sub(s.end, origin))


@device
def segment_edges(s: Capsule2d) -> tuple[Vec2]:
    return (sub(s.end, s.start),)


@device
def triangle_corners(t: Triangle2d, origin: Vec2) -> tuple[Vec2, Vec2, Vec2]:
    return (sub(t.a, origin), sub(t.b, origin), sub(t.c, origin))


@device
def triangle_edges(t: Triangle2d) -> tuple[Vec2, Vec2, Vec2]:
    return (sub(t.b, t.a), sub(t.c, t.b), sub(t.a, t.c))


@device
def rectangle_corners(r: Rectangle, origin: Vec2) -> tuple[Vec2, Vec2, Vec2, Vec2]:
    c, y = sub(r.center, origin), turn_left(r.x)
    right_side, left_side = along(c, r.x, r.half.x), along(c, r.x, -r.half.x)
    return (
        along(left_side, y, -r.half.y),
        along(right_side, y, -r.half.y),
        along(right_side, y, r.half.y),
        along(left_side, y, r.half.y),
    )


@device
def rectangle_edges(r: Rectangle) -> tuple[Vec2, Vec2]:
    """The directions of the edges; they do not depend on the sizes, which may be 0."""
    return (r.x, turn_left(r.x))


@device
def span(n: Vec2, corners: tuple[Vec2, ...]) -> tuple[float, float]:
    """The least and the largest coordinate of a polygon along n."""
    low = dot(n, corners[0])
    high = low
    for p in corners:
        x = dot(n, p)
        low, high = min(low, x), max(high, x)
    return low, high


@device
def gap_along(n: Vec2, corners_a: tuple[Vec2, ...], corners_b: tuple[Vec2, ...]) -> float:
    """How far b lies beyond a along the unit vector n; negative where they overlap."""
    return span(n, corners_b)[0] - span(n, corners_a)[1]


@device
def polygons_touch(corners_a: tuple[Vec2, ...], corners_b: tuple[Vec2, ...], edges: tuple[Vec2, ...]) -> bool:
    """Does no axis separate the polygons? `edges` are those of both. No branches: the loop can vectorise."""
    touching = True
    for e in edges + _ALWAYS:
        n = turn_left(e)
        a, b = span(n, corners_a), span(n, corners_b)
        touching = touching & (b[0] <= a[1]) & (a[0] <= b[1])
    return touching


@device
def _better(
    best: tuple[float, Vec2], axis: Vec2, corners_a: tuple[Vec2, ...], corners_b: tuple[Vec2, ...]
) -> tuple[float, Vec2]:
    """The better of the best axis so far and a new one, of any length, in either sense."""
    n = unit_or(axis, _NONE)
    if dot(n, n) > 0.5:
        a, b = span(n, corners_a), span(n, corners_b)
        if b[0] - a[1] > best[0]:
            best = (b[0] - a[1], n)
        if a[0] - b[1] > best[0]:
            best = (a[0] - b[1], neg(n))
    return best


@device
def best_axis(
    corners_a: tuple[Vec2, ...], corners_b: tuple[Vec2, ...], edges: tuple[Vec2, ...]
) -> tuple[float, Vec2]:
    """The unit normal of an edge with the largest gap from a to b: minus the depth, where they overlap."""
    best = (-math.inf, _NONE)
    for e in edges + _ALWAYS:
        best = _better(best, turn_left(e), corners_a, corners_b)
    return best
