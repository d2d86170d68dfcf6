"""Thick fan against capsule and segment, exactly: what FAN sec. 4.1 leaves open.

The squared distance of a point from the fan is (planar distance)^2 + max(|z| - h, 0)^2, and the planar
distance is radial within the angle, to a side outside it. So a segment is nearest to a flat face, to a round
wall or to a rim with its part within the angle, or it is nearest to one of the two side rectangles.
"""

from __future__ import annotations

import math

from ougi._native import device, procedure
from ougi.kernels.closest2d import foot as planar_foot
from ougi.kernels.closest3d import clamp_box, segment_in_box
from ougi.kernels.constants import RIM_STEPS
from ougi.kernels.records import Capsule3d, Sector3d, Vec2, Vec3
from ougi.kernels.scalar import clamp01
from ougi.kernels.sector2d_wedge import (
    ALL,
    EMPTY,
    ParameterSpan,
    Spans,
    common,
    disc_span,
    fan_point_distance,
    meets_ring,
    wedge_spans,
    where_positive,
)
from ougi.kernels.sector3d_sphere import to_frame
from ougi.kernels.vec3 import along, length_sq, sub


@device
def flat(p: Vec3) -> Vec2:
    """The projection into the fan's plane."""
    return Vec2(p.x, p.y)


@device
def height_span(p: Vec3, e: Vec3, low: float, high: float) -> ParameterSpan:
    """Where the segment from p to e has low <= z <= high."""
    return common(where_positive(p.z - low, e.z - low), where_positive(high - p.z, high - e.z))


@device
def _rim_slope(p: Vec3, v: Vec3, radius: float, level: float, t: float, kink: float) -> float:
    """Half the derivative of the squared distance of p + t v from a circle about the z axis.

    On the axis the distance has a kink; there it is the slope from the side that `kink` = -1, 1 names.
    """
    x = along(p, v, t)
    rho = math.sqrt(x.x * x.x + x.y * x.y)
    speed = math.sqrt(v.x * v.x + v.y * v.y)
    rise = (x.x * v.x + x.y * v.y) / rho if rho > 0.0 else kink * speed
    return (rho - radius) * rise + (x.z - level) * v.z


@device
def _rim_bend(p: Vec3, v: Vec3, radius: float, t: float, cross_sq: float, v_sq: float) -> float:
    """The derivative of `_rim_slope`: |V|^2 - k rho'' with rho'' = (p x v)^2 / rho^3 in the plane."""
    x = along(p, v, t)
    rho_sq = x.x * x.x + x.y * x.y
    rho_cube = rho_sq * math.sqrt(rho_sq)
    return v_sq - (radius * cross_sq / rho_cube if rho_cube > 0.0 else 0.0)


@procedure
def rim_nearest(p: Vec3, v: Vec3, radius: float, level: float, span: ParameterSpan) -> tuple[float, float]:
    """Where p + t v may be nearest to a circle about the z axis, within a span: two parameters.

    Half the derivative of the squared distance is |V|^2 t + B - k rho'(t), a line minus a sigmoid. Its own
    derivative |V|^2 - k (p x v)^2 / rho^3 vanishes where rho^3 = k (p x v)^2 / |V|^2: at most twice, at equal
    distances from the point nearest to the axis. Left of both the slope rises and is concave, right of both
    it rises and is convex; between them it falls, so that no minimum lies there. Newton's steps from the left
    end and from the right end can therefore not go past the zero. No quartic, no cubic. The slope at the
    turning points is not used: on a line through the axis its sign there is all rounding.
    """
    v_sq, speed_sq = length_sq(v), v.x * v.x + v.y * v.y
    low, high = span.low, span.high
    first, last = low, high
    if not v_sq > 0.0:
        return first, last
    left, right = low, low  # a segment along the axis: a parabola
    cross_sq = (p.x * v.y - p.y * v.x) ** 2
    if speed_sq > 0.0:
        middle = -(p.x * v.x + p.y * v.y) / speed_sq
        bend_sq = (radius * cross_sq / v_sq) ** (2.0 / 3.0)
        half = math.sqrt(max((bend_sq - cross_sq / speed_sq) / speed_sq, 0.0))
        left, right = middle - half, middle + half
    stop = min(left, high)
    if stop > low:
        for _ in range(RIM_STEPS):
            slope = _rim_slope(p, v, radius, level, first, -1.0)
            bend = _rim_bend(p, v, radius, first, cross_sq, v_sq)
            t = min(first - slope / bend, stop) if slope < 0.0 and bend > 0.0 else first
            if not t > first:
                break
            first = t
    stop = max(right, low)
    if stop < high:
        for _ in range(RIM_STEPS):
            slope = _rim_slope(p, v, radius, level, last, 1.0)
            bend = _rim_bend(p, v, radius, last, cross_sq, v_sq)
            t = max(last - slope / bend, stop) if slope > 0.0 and bend > 0.0 else last
            if not t < last:
                break
            last = t
    return first, last


@device
def _rim_distance_sq(p: Vec3, v: Vec3, radius: float, level: float, t: float) -> float:
    x = along(p, v, t)
    off = math.sqrt(x.x * x.x + x.y * x.y) - radius
    return off * off + (x.z - level) * (x.z - level)


@procedure
def _near_rim(p: Vec3, v: Vec3, radius: float, level: float, span: ParameterSpan, reach_sq: float) -> bool:
    if not span.low <= span.high:
        return False
    if _rim_distance_sq(p, v, radius, level, span.low) <= reach_sq:
        return True
    if _rim_distance_sq(p, v, radius, level, span.high) <= reach_sq:
        return True
    s, t = rim_nearest(p, v, radius, level, span)
    return (
        _rim_distance_sq(p, v, radius, level, s) <= reach_sq
        or _rim_distance_sq(p, v, radius, level, t) <= reach_sq
    )


@procedure
def _near_rims_at(
    a: Sector3d, p: Vec3, v: Vec3, level: float, spans: Spans, zone: ParameterSpan, reach: float
) -> bool:
    """Does the part of the segment within the angle and at the heights `zone` come near the rim of the outer
    or of the inner wall at a level? Only what lies beside the wall: the rest is near a flat face."""
    first, second = common(spans.first, zone), common(spans.second, zone)
    reach_sq = reach * reach
    if meets_ring(spans, flat(p), flat(v), a.outer_radius, a.outer_radius + reach, zone):
        disc = disc_span(flat(p), flat(v), a.outer_radius + reach)
        if _near_rim(p, v, a.outer_radius, level, common(first, disc), reach_sq):
            return True
        if _near_rim(p, v, a.outer_radius, level, common(second, disc), reach_sq):
            return True
    hole = max(a.inner_radius - reach, 0.0)
    if a.inner_radius > 0.0 and meets_ring(spans, flat(p), flat(v), hole, a.inner_radius, zone):
        disc = disc_span(flat(p), flat(v), a.inner_radius)
        if _near_rim(p, v, a.inner_radius, level, common(first, disc), reach_sq):
            return True
        if _near_rim(p, v, a.inner_radius, level, common(second, disc), reach_sq):
            return True
    return False


@device
def _to_side(a: Sector3d, p: Vec3, sign: float) -> Vec3:
    """Coordinates in which the left (1) or right (-1) side is a flat box about the origin."""
    y = sign * p.y
    middle = 0.5 * (a.inner_radius + a.outer_radius)
    return Vec3(p.x * a.side.x + y * a.side.y - middle, y * a.side.x - p.x * a.side.y, p.z)


@device
def _side_half(a: Sector3d) -> Vec3:
    return Vec3(0.5 * (a.outer_radius - a.inner_radius), 0.0, a.half_height)


@procedure
def side_distance(a: Sector3d, p: Vec3, e: Vec3, sign: float) -> float:
    """How far the segment from p to e is from a side rectangle."""
    q = _to_side(a, p, sign)
    v = sub(_to_side(a, e, sign), q)
    half = _side_half(a)
    inside, t = segment_in_box(q, v, half)
    if inside:
        return 0.0
    x = along(q, v, t)
    return math.sqrt(length_sq(sub(x, clamp_box(half, x))))


@device
def _near_side(a: Sector3d, p: Vec3, e: Vec3, sign: float, reach: float) -> bool:
    """Is the segment within reach of a side? First by the bounding boxes."""
    q, f, half = _to_side(a, p, sign), _to_side(a, e, sign), _side_half(a)
    apart = (
        (min(q.x, f.x) > half.x + reach)
        | (max(q.x, f.x) < -half.x - reach)
        | (min(q.y, f.y) > reach)
        | (max(q.y, f.y) < -reach)
    )
    return (not apart) and side_distance(a, p, e, sign) <= reach


@procedure
def _segment_touches(a: Sector3d, p: Vec3, e: Vec3, reach: float) -> bool:
    """The steps of the test; p and e in the fan's frame."""
    h = a.half_height
    tall = height_span(p, e, -h - reach, h + reach)
    if not tall.low <= tall.high:
        return False
    v = sub(e, p)
    spans = wedge_spans(a.side, flat(p), flat(e))
    hole, outer = max(a.inner_radius - reach, 0.0), a.outer_radius + reach
    if meets_ring(spans, flat(p), flat(v), hole, outer, tall):
        if meets_ring(spans, flat(p), flat(v), a.inner_radius, a.outer_radius, tall):
            return True  # over a flat face
        if meets_ring(spans, flat(p), flat(v), hole, outer, height_span(p, e, -h, h)):
            return True  # beside a wall
        if reach > 0.0:
            zone = height_span(p, e, h, h + reach)
            if zone.low <= zone.high and _near_rims_at(a, p, v, h, spans, zone, reach):
                return True
            zone = height_span(p, e, -h - reach, -h)
            if zone.low <= zone.high and _near_rims_at(a, p, v, -h, spans, zone, reach):
                return True
    return reach > 0.0 and (_near_side(a, p, e, 1.0, reach) or _near_side(a, p, e, -1.0, reach))


@device
def intersects_sector3d_capsule3d(a: Sector3d, b: Capsule3d) -> bool:
    """Flat faces, round walls, rims and sides in turn; each is part of the fan, so there is no false hit, and
    together they are its surface, so none is missed. The published test is approximate (erratum 10)."""
    return _segment_touches(a, to_frame(a.frame, b.start), to_frame(a.frame, b.end), b.radius)


@device
def fan3d_point_distance(a: Sector3d, p: Vec3) -> float:
    """How far a point, in the fan's frame, is from the fan."""
    planar = fan_point_distance(a.side, a.inner_radius, a.outer_radius, flat(p))
    over = max(abs(p.z) - a.half_height, 0.0)
    return math.sqrt(planar * planar + over * over)


@device
def _at(a: Sector3d, p: Vec3, v: Vec3, t: float) -> float:
    return fan3d_point_distance(a, along(p, v, clamp01(t)))


@device
def _at_ends(a: Sector3d, p: Vec3, v: Vec3, span: ParameterSpan) -> float:
    return min(_at(a, p, v, span.low), _at(a, p, v, span.high))


@device
def _at_rim(a: Sector3d, p: Vec3, v: Vec3, radius: float, level: float) -> float:
    s, t = rim_nearest(p, v, radius, level, ALL)
    return min(_at(a, p, v, s), _at(a, p, v, t))


@procedure
def fan3d_segment_distance(a: Sector3d, p: Vec3, e: Vec3) -> float:
    """How far the segment from p to e, in the fan's frame, is from the fan.

    Between the parameters where it enters or leaves the angle, the slab and the two cylinders one formula
    holds: over a flat face |z| - h is linear; beside the outer wall rho - R is least nearest to the axis; in
    the hole r - rho is concave; near a rim `rim_nearest` knows. So the least of all these candidates is the
    distance, and every candidate is a point of the segment.
    """
    if _segment_touches(a, p, e, 0.0):
        return 0.0
    v = sub(e, p)
    best = min(side_distance(a, p, e, 1.0), side_distance(a, p, e, -1.0))
    best = min(best, _at_ends(a, p, v, ALL))
    spans = wedge_spans(a.side, flat(p), flat(e))
    best = min(best, min(_at_ends(a, p, v, spans.first), _at_ends(a, p, v, spans.second)))
    best = min(best, _at_ends(a, p, v, height_span(p, e, -a.half_height, a.half_height)))
    disc = disc_span(flat(p), flat(v), a.outer_radius)
    if disc.low <= disc.high:
        best = min(best, _at_ends(a, p, v, disc))
    disc = disc_span(flat(p), flat(v), a.inner_radius) if a.inner_radius > 0.0 else EMPTY
    if disc.low <= disc.high:
        best = min(best, _at_ends(a, p, v, disc))
    speed_sq = v.x * v.x + v.y * v.y
    best = min(best, _at(a, p, v, planar_foot(Vec2(0.0, 0.0), flat(p), flat(v), speed_sq)))
    h = a.half_height
    best = min(best, min(_at_rim(a, p, v, a.outer_radius, h), _at_rim(a, p, v, a.outer_radius, -h)))
    if a.inner_radius > 0.0:
        best = min(best, min(_at_rim(a, p, v, a.inner_radius, h), _at_rim(a, p, v, a.inner_radius, -h)))
    return best


@device
def distance_sector3d_capsule3d(a: Sector3d, b: Capsule3d) -> float:
    """0 where they touch or overlap."""
    p, e = to_frame(a.frame, b.start), to_frame(a.frame, b.end)
    return max(fan3d_segment_distance(a, p, e) - b.radius, 0.0)
