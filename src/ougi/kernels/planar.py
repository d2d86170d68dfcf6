"""Crossings and containment in the plane: the basic operations of FAN sec. 2.9.1-2.9.3 and FAN2D sec. 2.4.1.

A circle here is the line, not the disc.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device
from ougi.kernels.closest2d import foot
from ougi.kernels.constants import EVERYWHERE
from ougi.kernels.records import Circle, Triangle2d, Vec2
from ougi.kernels.roots import quadratic_roots
from ougi.kernels.scalar import clamp01
from ougi.kernels.vec2 import along, cross, dot, length, scale, sub, turn_left

_NOWHERE = Vec2(math.nan, math.nan)


class Crossing(NamedTuple):
    """Where two segments meet: the point at s on the first, at t on the second; NaN if they do not."""

    hit: bool
    s: float
    t: float
    point: Vec2


class Crossings(NamedTuple):
    """`number` is 0, 1, 2, or EVERYWHERE for curves that coincide; points that do not exist are NaN."""

    number: int
    first: Vec2
    second: Vec2


@device
def segments_touch(e: Vec2, f: Vec2, g: Vec2, h: Vec2) -> bool:
    """Do the segments EF and GH have a common point?

    Each must have its ends on both sides of the other's line, or on it. For segments on one line, or reduced
    to points, that says nothing: there the bounding boxes decide. No division, no branch.
    """
    u, v, r = sub(f, e), sub(h, g), sub(g, e)
    g_side, h_side = cross(u, r), cross(u, sub(h, e))
    e_side, f_side = cross(r, v), cross(sub(g, f), v)
    return (
        (min(e.x, f.x) <= max(g.x, h.x))
        & (min(g.x, h.x) <= max(e.x, f.x))
        & (min(e.y, f.y) <= max(g.y, h.y))
        & (min(g.y, h.y) <= max(e.y, f.y))
        & (min(g_side, h_side) <= 0.0)
        & (max(g_side, h_side) >= 0.0)
        & (min(e_side, f_side) <= 0.0)
        & (max(e_side, f_side) >= 0.0)
    )


@device
def segment_crossing(e: Vec2, f: Vec2, g: Vec2, h: Vec2) -> Crossing:
    """The crossing point of the segments EF and GH, FAN (2.32)-(2.35).

    The denominator of s is (F - E) x (H - G), not as printed in (2.34) (FAN erratum 4). Segments outside
    (2.35) do not cross, their s and t are not clamped. On one line: the common point nearest to E.
    """
    if not segments_touch(e, f, g, h):
        return Crossing(False, math.nan, math.nan, _NOWHERE)
    u, v = sub(f, e), sub(h, g)
    den = cross(u, v)
    s = clamp01(cross(sub(g, e), v) / den) if den != 0.0 else 0.0
    # Parallel, or nearly so, s is 0 or mostly rounding: t comes from projecting its point, then s again.
    t = foot(along(e, u, s), g, v, dot(v, v))
    s = foot(along(g, v, t), e, u, dot(u, u))
    return Crossing(True, s, t, along(e, u, s))


@device
def segment_circle_crossings(e: Vec2, f: Vec2, circle: Circle) -> Crossings:
    """Where the segment EF crosses a circle, FAN (2.36)-(2.39), in the order from E to F.

    Roots outside [0, 1] are rejected: clamped, as the text says, they would not lie on the circle (FAN
    erratum 14). A segment that is a point crosses where it lies on the circle.
    """
    v, w = sub(f, e), sub(e, circle.center)
    roots = quadratic_roots(dot(v, v), dot(v, w), dot(w, w) - circle.radius * circle.radius)
    if roots.number == EVERYWHERE:
        return Crossings(1, e, _NOWHERE)
    low = 0.0 <= roots.low <= 1.0
    high = roots.number == 2 and 0.0 <= roots.high <= 1.0
    p, q = along(e, v, roots.low), along(e, v, roots.high)
    if low and high:
        return Crossings(2, p, q)
    if low:
        return Crossings(1, p, _NOWHERE)
    if high:
        return Crossings(1, q, _NOWHERE)
    return Crossings(0, _NOWHERE, _NOWHERE)


@device
def in_rectangle(p: Vec2, e: Vec2, f: Vec2, g: Vec2, h: Vec2) -> bool:
    """Does p lie in the rectangle EFGH, in either winding? FAN (2.40).

    Along the line of a rectangle without width all four products are 0: there the bounding box decides.
    """
    ce = cross(sub(f, e), sub(p, e))
    cf = cross(sub(g, f), sub(p, f))
    cg = cross(sub(h, g), sub(p, g))
    ch = cross(sub(e, h), sub(p, h))
    return (
        (
            ((ce >= 0.0) & (cf >= 0.0) & (cg >= 0.0) & (ch >= 0.0))
            | ((ce <= 0.0) & (cf <= 0.0) & (cg <= 0.0) & (ch <= 0.0))
        )
        & (min(min(e.x, f.x), min(g.x, h.x)) <= p.x)
        & (p.x <= max(max(e.x, f.x), max(g.x, h.x)))
        & (min(min(e.y, f.y), min(g.y, h.y)) <= p.y)
        & (p.y <= max(max(e.y, f.y), max(g.y, h.y)))
    )


@device
def in_triangle(p: Vec2, t: Triangle2d) -> bool:
    """Does p lie in a triangle, in either winding, also a flat one? As FAN (2.40)."""
    ca = cross(sub(t.b, t.a), sub(p, t.a))
    cb = cross(sub(t.c, t.b), sub(p, t.b))
    cc = cross(sub(t.a, t.c), sub(p, t.c))
    return (
        (((ca >= 0.0) & (cb >= 0.0) & (cc >= 0.0)) | ((ca <= 0.0) & (cb <= 0.0) & (cc <= 0.0)))
        & (min(min(t.a.x, t.b.x), t.c.x) <= p.x)
        & (p.x <= max(max(t.a.x, t.b.x), t.c.x))
        & (min(min(t.a.y, t.b.y), t.c.y) <= p.y)
        & (p.y <= max(max(t.a.y, t.b.y), t.c.y))
    )


@device
def circle_circle_crossings(a: Circle, b: Circle) -> Crossings:
    """Where two circles cross, FAN2D (2.11)-(2.13); the first point lies to the left of the line from a to b.

    Along the line of centers instead of (2.13): no special case for centers side by side, and the height of
    the crossings comes from Heron's product, which does not cancel near a tangent.
    """
    v = sub(b.center, a.center)
    d = length(v)
    total, less = a.radius + b.radius, a.radius - b.radius
    outside, inside = total - d, d - abs(less)
    if d == 0.0:
        if less != 0.0:
            return Crossings(0, _NOWHERE, _NOWHERE)
        if a.radius > 0.0:
            return Crossings(EVERYWHERE, _NOWHERE, _NOWHERE)
        return Crossings(1, a.center, _NOWHERE)
    if not (outside >= 0.0 and inside >= 0.0):
        return Crossings(0, _NOWHERE, _NOWHERE)
    n = scale(v, 1.0 / d)
    x = 0.5 * (d + less * (total / d))
    on_axis = along(a.center, n, x)
    height_sq = (total + d) * outside * inside * (d + abs(less))
    if not height_sq > 0.0:
        return Crossings(1, on_axis, _NOWHERE)
    y = 0.5 * math.sqrt(height_sq) / d
    return Crossings(2, along(on_axis, turn_left(n), y), along(on_axis, turn_left(n), -y))
