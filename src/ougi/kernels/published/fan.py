"""Fan against point, rectangle, circle, sphere and capsules as in FAN sec. 2.2-2.7.

Errata are repaired where the print is wrong or undefined, and named where that happens. What remains is the
paper's own procedure: crossings for rectangles, and a planar capsule around the pseudo-capsule in space. That
is approximate by design (erratum 10: it may report a hit where there is none, never the reverse).
"""

from __future__ import annotations

import math

from ougi._native import device, procedure
from ougi.kernels.planar import in_rectangle, segment_circle_crossings, segments_touch
from ougi.kernels.records import (
    Capsule2d,
    Capsule3d,
    Circle,
    Rectangle,
    Sector2d,
    Sector3d,
    Sphere,
    Vec2,
    Vec3,
)
from ougi.kernels.roots import quadratic_roots
from ougi.kernels.sector2d_wedge import (
    ParameterSpan,
    common,
    segment_near_side,
    to_sector2d,
    turn_to_sector2d,
    wedge_spans,
    within_wedge,
)
from ougi.kernels.sector3d_sphere import to_frame
from ougi.kernels.support2d import rectangle_corners
from ougi.kernels.vec2 import dot, length_sq, scale, sub


@device
def _in_ring(p: Vec2, inner: float, outer: float) -> bool:
    """(2.5)."""
    rho_sq = length_sq(p)
    return (inner * inner <= rho_sq) & (rho_sq <= outer * outer)


@device
def contains_sector2d_point(a: Sector2d, p: Vec2) -> bool:
    """Sec. 2.2 in the plane: (2.5) and (2.7); (2.6) is 0/0 at the apex, so both sides are multiplied by the
    root (erratum 15)."""
    q = to_sector2d(a, p)
    return _in_ring(q, a.inner_radius, a.outer_radius) & within_wedge(a.side, q)


@device
def contains_sector3d_point(a: Sector3d, p: Vec3) -> bool:
    """Sec. 2.2: (2.4), (2.5), (2.7)."""
    q = to_frame(a.frame, p)
    flat = Vec2(q.x, q.y)
    return (
        (abs(q.z) <= a.half_height)
        & _in_ring(flat, a.inner_radius, a.outer_radius)
        & within_wedge(a.side, flat)
    )


@device
def _edge_crosses(side: Vec2, inner: float, outer: float, p: Vec2, e: Vec2) -> bool:
    """Does an edge cross a side (sec. 2.9.1) or an arc (sec. 2.9.2) of the fan?

    A crossing with a side needs no further test, one with a circle only (2.7): tested for the ring as well,
    as sec. 2.3 says, rounding would reject it (erratum 13). Roots outside of the edge are rejected, not
    clamped (erratum 14); for the denominator of (2.34) see `planar.segment_crossing` (erratum 4).
    """
    other = Vec2(side.x, -side.y)
    if segments_touch(p, e, scale(side, inner), scale(side, outer)):
        return True
    if segments_touch(p, e, scale(other, inner), scale(other, outer)):
        return True
    for radius in (inner, outer):
        found = segment_circle_crossings(p, e, Circle(Vec2(0.0, 0.0), radius))
        if found.number > 0 and within_wedge(side, found.first):
            return True
        if found.number > 1 and within_wedge(side, found.second):
            return True
    return False


@procedure
def intersects_sector2d_rectangle(a: Sector2d, b: Rectangle) -> bool:
    """Sec. 2.3: crossings of the borders, else containment.

    Containment is tested whenever no *valid* crossing was found (erratum 12): a point of the fan in the
    rectangle by sec. 2.9.3, a point of the rectangle in the fan by sec. 2.2 (the references are swapped in
    print, erratum 11).
    """
    local = Rectangle(to_sector2d(a, b.center), b.half, turn_to_sector2d(a, b.x))
    corners = rectangle_corners(local, Vec2(0.0, 0.0))
    p = corners[3]
    for e in corners:
        if _edge_crosses(a.side, a.inner_radius, a.outer_radius, p, e):
            return True
        p = e
    return in_rectangle(
        scale(a.side, a.outer_radius), corners[0], corners[1], corners[2], corners[3]
    ) or contains_sector2d_point(a, b.center)


@device
def _disc_meets_fan(side: Vec2, inner: float, outer: float, p: Vec2, radius: float) -> bool:
    """Sec. 2.4. (2.8) with the hole clamped at 0 (erratum 1); the sides if (2.7) is false, not (2.5)
    (erratum 3)."""
    if within_wedge(side, p):
        return _in_ring(p, max(inner - radius, 0.0), outer + radius)
    return segment_near_side(side, inner, outer, p, p, radius * radius) or segment_near_side(
        Vec2(side.x, -side.y), inner, outer, p, p, radius * radius
    )


@device
def intersects_sector2d_circle(a: Sector2d, b: Circle) -> bool:
    """Sec. 2.4."""
    return _disc_meets_fan(a.side, a.inner_radius, a.outer_radius, to_sector2d(a, b.center), b.radius)


@device
def slab_radius(z: float, half_height: float, radius: float) -> float:
    """R_m, the radius of the largest disc that the slab cuts from a ball, (2.12); 0 where it misses the slab,
    not the root of a negative number (erratum 7)."""
    over = max(abs(z) - half_height, 0.0)
    return math.sqrt(max(radius * radius - over * over, 0.0))


@device
def intersects_sector3d_sphere(a: Sector3d, b: Sphere) -> bool:
    """Sec. 2.5: (2.11), then the disc of (2.12) by sec. 2.4."""
    p = to_frame(a.frame, b.center)
    if abs(p.z) > a.half_height + b.radius:
        return False
    radius = slab_radius(p.z, a.half_height, b.radius)
    return _disc_meets_fan(a.side, a.inner_radius, a.outer_radius, Vec2(p.x, p.y), radius)


@device
def _overlap(a: ParameterSpan, b: ParameterSpan) -> bool:
    both = common(a, b)
    return both.low <= both.high


@procedure
def _capsule_meets_fan(side: Vec2, inner: float, outer: float, p: Vec2, e: Vec2, radius: float) -> bool:
    """Sec. 2.6. A t that satisfies (2.14), (2.15) and (2.20), else the distances to the sides.

    The hole is clamped at 0 (erratum 2, harmless), the spans of (2.20) stay apart beyond a right angle
    (erratum 6), and a capsule without length or along a side has constant signs instead of 0/0 (erratum 17).
    """
    v = sub(e, p)
    wedge = wedge_spans(side, p, e)
    grown, hole = outer + radius, max(inner - radius, 0.0)
    v_sq, pv, p_sq = dot(v, v), dot(p, v), dot(p, p)
    if v_sq > 0.0:
        large = quadratic_roots(v_sq, pv, p_sq - grown * grown)  # (2.16)
        if large.number > 0:
            small = quadratic_roots(v_sq, pv, p_sq - hole * hole)  # (2.17)
            first, second = ParameterSpan(large.low, large.high), ParameterSpan(large.low, large.high)
            if hole > 0.0 and small.number > 0:
                first, second = ParameterSpan(large.low, small.low), ParameterSpan(small.high, large.high)
            if _overlap(first, wedge.first) or _overlap(first, wedge.second):
                return True
            if _overlap(second, wedge.first) or _overlap(second, wedge.second):
                return True
    elif within_wedge(side, p) and _in_ring(p, hole, grown):
        return True
    other = Vec2(side.x, -side.y)
    return segment_near_side(side, inner, outer, p, e, radius * radius) or segment_near_side(
        other, inner, outer, p, e, radius * radius
    )


@device
def intersects_sector2d_capsule2d(a: Sector2d, b: Capsule2d) -> bool:
    """Sec. 2.6."""
    p, e = to_sector2d(a, b.start), to_sector2d(a, b.end)
    return _capsule_meets_fan(a.side, a.inner_radius, a.outer_radius, p, e, b.radius)


@device
def enclosing_capsule(s: Vec3, e: Vec3, radius: float, half_height: float) -> Capsule2d:
    """The planar capsule around the pseudo-capsule, (2.22)-(2.31); for Sz > Ez and planar length > 0.

    The capsule must touch the slab. Ends inside the slab: exact. Only the end nearer the slab counts for
    (2.22) (erratum 7), and the points S'' and E'' of (2.30) do not leave the segment (erratum 9). (2.27),
    with r_c instead of r (erratum 5), is not needed: (2.28) solves it.
    """
    vx, vy, vz = e.x - s.x, e.y - s.y, e.z - s.z
    planar = math.sqrt(vx * vx + vy * vy)
    reached = s.z >= -half_height and e.z <= half_height
    near = s.z if s.z < -half_height else e.z
    grown = radius if reached else slab_radius(near, half_height, radius)  # (2.22)
    w = radius * planar / -vz  # (2.26)
    root = math.sqrt(w * w + radius * radius)
    sine = w / root if root > 0.0 else 0.0  # (2.28)
    top = half_height + sine * radius  # G_z of (2.29), with Q_z = h of (2.23); H_z = -G_z
    at_s = max(min(s.z, top), e.z)
    at_e = min(max(e.z, -top), s.z)
    t_s, t_e = (at_s - s.z) / vz, (at_e - s.z) / vz  # (2.30)
    # (2.31): both ends move inward by what their own discs are smaller than the capsule.
    t_s += (grown - slab_radius(at_s, half_height, radius)) / planar
    t_e -= (grown - slab_radius(at_e, half_height, radius)) / planar
    return Capsule2d(Vec2(s.x + t_s * vx, s.y + t_s * vy), Vec2(s.x + t_e * vx, s.y + t_e * vy), grown)


@procedure
def intersects_sector3d_capsule3d(a: Sector3d, b: Capsule3d) -> bool:
    """Sec. 2.7: approximate. Never misses, sometimes reports a hit too many (erratum 10).

    Special cases first: no contact with the slab (2.21); a capsule along the axis cuts a disc; one parallel
    to the slab, or inside it, a planar capsule, where (2.23) and (2.26) would divide by 0 (erratum 8).
    """
    s, e = to_frame(a.frame, b.start), to_frame(a.frame, b.end)
    if s.z < e.z:  # the text assumes Sz > Ez
        s, e = e, s
    h = a.half_height
    if s.z + b.radius < -h or e.z - b.radius > h:
        return False
    p, q = Vec2(s.x, s.y), Vec2(e.x, e.y)
    near = s.z if s.z < -h else e.z
    radius = b.radius if (s.z >= -h and e.z <= h) else slab_radius(near, h, b.radius)
    flat = abs(s.z) <= h and abs(e.z) <= h
    v = sub(q, p)
    if flat or s.z == e.z or not length_sq(v) > 0.0:
        return _capsule_meets_fan(a.side, a.inner_radius, a.outer_radius, p, q, radius)
    around = enclosing_capsule(s, e, b.radius, h)
    return _capsule_meets_fan(a.side, a.inner_radius, a.outer_radius, around.start, around.end, around.radius)
