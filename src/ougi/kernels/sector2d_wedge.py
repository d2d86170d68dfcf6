"""The planar fan in its own frame: apex at the origin, middle along x, `side` = (cos, sin) of the half angle.

Everything about fans, in the plane and in space, comes down to two questions answered here. Which part of a
segment p + t v lies within the angle: at most two spans of t. And does it meet a ring there: rho^2 is convex
along a segment, so its largest value is at an end of a span. No crossing point is ever built and then tested
for lying on the border it was built from (FAN erratum 13).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device, procedure
from ougi.kernels.closest2d import foot, near_segment
from ougi.kernels.constants import ENDLESS
from ougi.kernels.records import Sector2d, Vec2
from ougi.kernels.vec2 import along, cross, dot, length, length_sq, scale, sub


class ParameterSpan(NamedTuple):
    """The parameters low..high; none if low > high."""

    low: float
    high: float


class Spans(NamedTuple):
    """Two spans, each may be empty."""

    first: ParameterSpan
    second: ParameterSpan


ALL = ParameterSpan(0.0, 1.0)
EMPTY = ParameterSpan(2.0, -2.0)


@device
def to_sector2d(a: Sector2d, p: Vec2) -> Vec2:
    """Into the fan's frame, FAN (2.3)."""
    d = sub(p, a.center)
    return Vec2(dot(d, a.x), cross(a.x, d))


@device
def turn_to_sector2d(a: Sector2d, v: Vec2) -> Vec2:
    """A direction in the fan's frame."""
    return Vec2(dot(v, a.x), cross(a.x, v))


@device
def from_sector2d(a: Sector2d, p: Vec2) -> Vec2:
    """Out of the fan's frame."""
    return Vec2(
        a.center.x + (a.x.x * p.x - a.x.y * p.y),
        a.center.y + (a.x.y * p.x + a.x.x * p.y),
    )


@device
def within_wedge(side: Vec2, p: Vec2) -> bool:
    """FAN (2.7) without its 0/0 at the apex (erratum 15), and without the opposite ray of a fan of zero
    angle (the fault of FAN2D erratum 21 is that of (2.20) too)."""
    return (abs(p.y) * side.x <= p.x * side.y) & ((p.x >= 0.0) | (side.x < 0.0))


@device
def common(a: ParameterSpan, b: ParameterSpan) -> ParameterSpan:
    return ParameterSpan(max(a.low, b.low), min(a.high, b.high))


@device
def where_positive(f: float, g: float) -> ParameterSpan:
    """Where a linear function that is f at 0 and g at 1 is not negative."""
    root = f / (f - g if f != g else 1.0)
    low = 0.0 if f >= 0.0 else (root if g >= 0.0 else 2.0)
    high = 1.0 if g >= 0.0 else (root if f >= 0.0 else -2.0)
    return ParameterSpan(low, high)


@device
def wedge_spans(side: Vec2, p: Vec2, e: Vec2) -> Spans:
    """Where the segment from p to e lies within the angle, FAN (2.18)-(2.20).

    Up to a right angle both half-planes must hold, and x >= 0 (else a fan of zero angle would have an
    opposite ray). Beyond it one is enough, and the two spans stay apart: one around both would fill the
    excluded wedge (FAN erratum 6). Nothing is divided by a product that vanishes (erratum 17). For no angle
    and for the full turn both sides give the same root, bit by bit: neither a crack nor a double line.
    """
    right = where_positive(p.x * side.y - p.y * side.x, e.x * side.y - e.y * side.x)
    left = where_positive(p.x * side.y + p.y * side.x, e.x * side.y + e.y * side.x)
    if side.x < 0.0:
        return Spans(right, left)
    narrow = common(common(right, left), where_positive(p.x, e.x))
    # Where a very narrow fan is crossed, rounding may put the two roots in the wrong order; but there the
    # segment crosses the middle ray, which belongs to the fan.
    middle = p.y / (p.y - e.y if p.y != e.y else 1.0)
    on_ray = (min(p.y, e.y) <= 0.0) & (max(p.y, e.y) >= 0.0) & (p.x + middle * (e.x - p.x) >= 0.0)
    if on_ray & (p.y != e.y):
        narrow = ParameterSpan(min(narrow.low, middle), max(narrow.high, middle))
    return Spans(narrow, EMPTY)


@device
def disc_span(p: Vec2, v: Vec2, radius: float) -> ParameterSpan:
    """Where p + t v lies in the disc about the origin, FAN (2.16).

    By the distance of the line from the origin: that keeps small discs precise far away, where the
    difference of squares would not. A segment that is a point: everywhere or nowhere.
    """
    v_sq = length_sq(v)
    if not v_sq > 0.0:
        return ParameterSpan(-ENDLESS, ENDLESS) if length_sq(p) <= radius * radius else EMPTY
    off = abs(cross(p, v)) / math.sqrt(v_sq)
    if not off <= radius:
        return EMPTY
    half = math.sqrt((radius - off) * (radius + off) / v_sq)
    middle = -dot(p, v) / v_sq
    return ParameterSpan(middle - half, middle + half)


@device
def reaches(inner: float, p: Vec2, v: Vec2, disc: ParameterSpan, span: ParameterSpan) -> bool:
    """Does a part of a segment, cut to a disc, leave the hole? rho^2 is largest at an end of what is left.

    An end that the disc has cut lies on its circle, whatever rounding says of it.
    """
    low, high = max(span.low, disc.low), min(span.high, disc.high)
    inner_sq = inner * inner
    cut = (disc.low > span.low) | (disc.high < span.high)
    ends = (length_sq(along(p, v, low)) >= inner_sq) | (length_sq(along(p, v, high)) >= inner_sq)
    return (low <= high) & (cut | ends)


@device
def meets_ring(spans: Spans, p: Vec2, v: Vec2, inner: float, outer: float, within: ParameterSpan) -> bool:
    """Is there a t in the spans, and in `within`, with inner <= |p + t v| <= outer?"""
    disc = disc_span(p, v, outer)
    return reaches(inner, p, v, disc, common(spans.first, within)) or reaches(
        inner, p, v, disc, common(spans.second, within)
    )


@device
def segment_meets_fan(side: Vec2, inner: float, outer: float, p: Vec2, e: Vec2) -> bool:
    """Does the segment from p to e touch the fan?"""
    return meets_ring(wedge_spans(side, p, e), p, sub(e, p), inner, outer, ALL)


@procedure
def polygon_edges_meet_fan(side: Vec2, inner: float, outer: float, corners: tuple[Vec2, ...]) -> bool:
    """Does an edge of a polygon, in the fan's frame, touch the fan?

    If none does, only "fan inside polygon" is left; a polygon inside the fan has edges there. No other
    reading of "if there is no crossing" is needed (FAN errata 11, 12).
    """
    start = corners[-1]
    for end in corners:
        if segment_meets_fan(side, inner, outer, start, end):
            return True
        start = end
    return False


@device
def side_distance_sq(side: Vec2, inner: float, outer: float, x: float, y: float) -> float:
    """Squared distance from (x, y), y >= 0, to the side segment of the fan, FAN (2.9), (2.10), sec. 2.9.4."""
    t = max(inner, min(x * side.x + y * side.y, outer))
    dx, dy = x - t * side.x, y - t * side.y
    return dx * dx + dy * dy


@device
def ring_distance(inner: float, outer: float, p: Vec2) -> float:
    """How far a point is from the ring inner <= rho <= outer."""
    rho = length(p)
    return max(max(inner - rho, rho - outer), 0.0)


@device
def fan_meets_disc(side: Vec2, inner: float, outer: float, p: Vec2, radius_sq: float) -> bool:
    """Does the disc about p touch the fan? FAN sec. 2.4; a negative `radius_sq` is no disc at all.

    Within the angle (2.7) by the distance from the ring. Not (r - rc)^2 <= rho^2 as printed in (2.8), which
    misses a disc wider than the hole (FAN erratum 1). Or by the sides: they are tested if (2.7) is false, not
    (2.5) (erratum 3), and here always, because that needs no branch. The fan is symmetric, so the side at
    y >= 0 serves for both.
    """
    off = ring_distance(inner, outer, p)
    beside = side_distance_sq(side, inner, outer, p.x, abs(p.y)) <= radius_sq
    return (within_wedge(side, p) & (off * off <= radius_sq)) | beside


@device
def fan_point_distance_sq(side: Vec2, inner: float, outer: float, p: Vec2) -> float:
    """The squared distance of a point from the fan: radially within the angle, else from the nearer side."""
    off = ring_distance(inner, outer, p)
    beside_sq = side_distance_sq(side, inner, outer, p.x, abs(p.y))
    return off * off if within_wedge(side, p) else beside_sq


@device
def fan_point_distance(side: Vec2, inner: float, outer: float, p: Vec2) -> float:
    return math.sqrt(fan_point_distance_sq(side, inner, outer, p))


@device
def _point_segment(q: Vec2, p: Vec2, v: Vec2, v_sq: float) -> float:
    return length(sub(q, along(p, v, foot(q, p, v, v_sq))))


@procedure
def fan_segment_distance(side: Vec2, inner: float, outer: float, p: Vec2, e: Vec2) -> float:
    """How far a segment is from the fan.

    If they do not touch, the nearest point of the segment is an end, or is nearest to a corner of the fan,
    or lies where the segment comes nearest to the center (opposite to the outer arc). From within the hole
    the distance to the inner arc is largest there, so that the ends and the corners serve.
    """
    v = sub(e, p)
    v_sq = length_sq(v)
    if segment_meets_fan(side, inner, outer, p, e):
        return 0.0
    best = min(fan_point_distance(side, inner, outer, p), fan_point_distance(side, inner, outer, e))
    middle = along(p, v, foot(Vec2(0.0, 0.0), p, v, v_sq))
    best = min(best, fan_point_distance(side, inner, outer, middle))
    other = Vec2(side.x, -side.y)
    best = min(best, _point_segment(scale(side, inner), p, v, v_sq))
    best = min(best, _point_segment(scale(side, outer), p, v, v_sq))
    best = min(best, _point_segment(scale(other, inner), p, v, v_sq))
    return min(best, _point_segment(scale(other, outer), p, v, v_sq))


@procedure
def fan_edges_distance(side: Vec2, inner: float, outer: float, corners: tuple[Vec2, ...]) -> float:
    """How far the edges of a polygon are from the fan."""
    start = corners[-1]
    best = ENDLESS
    for end in corners:
        best = min(best, fan_segment_distance(side, inner, outer, start, end))
        start = end
    return best


@device
def segment_near_side(g: Vec2, inner: float, outer: float, p: Vec2, e: Vec2, reach_sq: float) -> bool:
    """Does a segment that does not cross the side along g come near it? FAN sec. 2.9.5 without its division:
    in the plane segments that do not cross are nearest at an end, so erratum 16 does not arise."""
    near, far = scale(g, inner), scale(g, outer)
    return (
        near_segment(p, near, far, reach_sq)
        | near_segment(e, near, far, reach_sq)
        | near_segment(near, p, e, reach_sq)
        | near_segment(far, p, e, reach_sq)
    )
