"""Nearest points of the cores (point, segment, triangle, box) in space.

Each function returns feasible points of both bodies and the square of their distance. Candidates are
compared by that distance, so rounding in one candidate can never produce a point outside its body.
"""

from __future__ import annotations

from typing import NamedTuple

from ougi._native import device, procedure
from ougi.kernels.constants import LARGEST, LINE_PARALLEL_SQ, OFFSET_ROUNDING_SQ, POINT_ROUNDING, ROUNDING_SQ
from ougi.kernels.records import Box, Capsule3d, Triangle3d, Vec3
from ougi.kernels.scalar import clamp01
from ougi.kernels.support3d import (
    box_corner,
    box_reach,
    box_support,
    triangle_normal,
)
from ougi.kernels.vec3 import add, along, cross, dot, length_sq, pick, scale, sub


class Nearest3d(NamedTuple):
    """A point of a, a point of b, and the square of their distance."""

    a: Vec3
    b: Vec3
    distance_sq: float


@device
def swap_nearest(n: Nearest3d) -> Nearest3d:
    return Nearest3d(n.b, n.a, n.distance_sq)


@device
def nearer(p: Nearest3d, q: Nearest3d) -> Nearest3d:
    """The nearer of two candidates."""
    first = p.distance_sq <= q.distance_sq
    return Nearest3d(
        pick(first, p.a, q.a),
        pick(first, p.b, q.b),
        p.distance_sq if first else q.distance_sq,
    )


@device
def foot(p: Vec3, start: Vec3, v: Vec3, v_sq: float) -> float:
    """Parameter of the point of start + t v nearest to p, FAN (2.43)-(2.44); 0 for zero length."""
    t = dot(sub(p, start), v)
    return clamp01(t / (v_sq if v_sq > 0.0 else 1.0))


@device
def point_segment(p: Vec3, start: Vec3, end: Vec3) -> Nearest3d:
    """FAN sec. 2.9.4."""
    v = sub(end, start)
    q = along(start, v, foot(p, start, v, dot(v, v)))
    return Nearest3d(p, q, length_sq(sub(p, q)))


@device
def segment_segment(p: Vec3, p_end: Vec3, q: Vec3, q_end: Vec3) -> Nearest3d:
    """FAN sec. 2.9.5, for all inputs: (2.53) is 0/0 for parallel segments (FAN erratum 16).

    Five candidates: each of the four ends against the other segment, and the common perpendicular of the
    two lines. For the last, s comes from the cross product and t from projecting the point at s, so that the
    error of s at nearly parallel segments (rounding / sin) is multiplied by that same sin. Where t is cut off
    at an end, that end has a nearer point, its foot: as near up to rounding if the segments are nearly at
    right angles, but in another direction.
    """
    u, v, r = sub(p_end, p), sub(q_end, q), sub(p, q)
    uu, vv = dot(u, u), dot(v, v)
    w = cross(u, v)
    ww = dot(w, w)
    s = clamp01(-dot(cross(r, v), w) / (ww if ww > 0.0 else 1.0))
    x = along(p, u, s)
    t = foot(x, q, v, vv)
    y = along(q, v, t)
    best = Nearest3d(x, y, length_sq(sub(x, y)) if 0.0 < t < 1.0 else LARGEST)
    y = along(q, v, foot(p, q, v, vv))
    best = nearer(best, Nearest3d(p, y, length_sq(sub(p, y))))
    y = along(q, v, foot(p_end, q, v, vv))
    best = nearer(best, Nearest3d(p_end, y, length_sq(sub(p_end, y))))
    x = along(p, u, foot(q, p, u, uu))
    best = nearer(best, Nearest3d(x, q, length_sq(sub(x, q))))
    x = along(p, u, foot(q_end, p, u, uu))
    return nearer(best, Nearest3d(x, q_end, length_sq(sub(x, q_end))))


@device
def over_triangle(p: Vec3, t: Triangle3d, n: Vec3, n_sq: float) -> tuple[bool, Nearest3d]:
    """Does p stand over the inside of the triangle with normal n, and its foot there."""
    pa, pb, pc = sub(t.a, p), sub(t.b, p), sub(t.c, p)
    inside = (
        n_sq > 0.0
        and dot(cross(pb, pc), n) >= 0.0
        and dot(cross(pc, pa), n) >= 0.0
        and dot(cross(pa, pb), n) >= 0.0
    )
    # The height is measured from the corner nearest to p, where rounding is smallest.
    aa, bb, cc = dot(pa, pa), dot(pb, pb), dot(pc, pc)
    low = pick(aa <= bb, pa, pb)
    low = pick(min(aa, bb) <= cc, low, pc)
    up = scale(n, dot(low, n) / (n_sq if n_sq > 0.0 else 1.0))
    # Far beside a thin triangle the three signs are rounding; its foot is not near a corner then.
    ab, bc, ca = sub(pb, pa), sub(pc, pb), sub(pa, pc)
    near = length_sq(sub(up, low)) <= max(dot(ab, ab), max(dot(bc, bc), dot(ca, ca)))
    return inside and near, Nearest3d(p, add(p, up), length_sq(up))


@device
def point_triangle(p: Vec3, t: Triangle3d) -> Nearest3d:
    """The foot on the plane if it is inside, else the nearest of the sides (also for flat triangles)."""
    n = triangle_normal(t)
    inside, over = over_triangle(p, t, n, dot(n, n))
    if inside:
        return over
    best = nearer(point_segment(p, t.a, t.b), point_segment(p, t.b, t.c))
    return nearer(best, point_segment(p, t.c, t.a))


@device
def pierces(start: Vec3, end: Vec3, t: Triangle3d, n: Vec3) -> bool:
    """Does a segment pass through a triangle with normal n?

    Its point on the triangle's plane must lie in the triangle, by distance. Signs of volumes would not do:
    for a segment in the plane, or nearly so, they are all rounding.
    """
    v = sub(end, start)
    r = Triangle3d(sub(t.a, start), sub(t.b, start), sub(t.c, start))
    h0, h1 = -dot(r.a, n), dot(sub(v, r.a), n)
    if h0 * h1 > 0.0 or h0 == h1:
        return False
    x = scale(v, h0 / (h0 - h1))
    size = abs(v.x) + abs(v.y) + abs(v.z) + abs(r.a.x) + abs(r.a.y) + abs(r.a.z)
    return point_triangle(x, r).distance_sq <= (POINT_ROUNDING * size) ** 2


@device
def to_box(b: Box, p: Vec3) -> Vec3:
    """p in the box's own coordinates."""
    d = sub(p, b.center)
    return Vec3(dot(d, b.x), dot(d, b.y), dot(d, b.z))


@device
def from_box(b: Box, q: Vec3) -> Vec3:
    p = along(b.center, b.x, q.x)
    p = along(p, b.y, q.y)
    return along(p, b.z, q.z)


@device
def turn_to_box(b: Box, v: Vec3) -> Vec3:
    """A direction of the world in the box's own coordinates."""
    return Vec3(dot(v, b.x), dot(v, b.y), dot(v, b.z))


@device
def turn_from_box(b: Box, n: Vec3) -> Vec3:
    """A direction of the box's own coordinates in the world's."""
    return Vec3(
        b.x.x * n.x + b.y.x * n.y + b.z.x * n.z,
        b.x.y * n.x + b.y.y * n.y + b.z.y * n.z,
        b.x.z * n.x + b.y.z * n.y + b.z.z * n.z,
    )


@device
def clamp_box(h: Vec3, p: Vec3) -> Vec3:
    """The point of the box |x| <= h nearest to p."""
    return Vec3(
        max(-h.x, min(p.x, h.x)),
        max(-h.y, min(p.y, h.y)),
        max(-h.z, min(p.z, h.z)),
    )


@device
def _slope(p: Vec3, v: Vec3, h: Vec3, t: float, kink: int) -> float:
    """Half the derivative of the squared distance of p + t v from the box |x| <= h.

    At a kink of axis 0, 1 or 2 that axis adds nothing: the point enters or leaves its slab there. Computed,
    it would add rounding, which decides wrongly where a segment runs almost along a face.
    """
    x = along(p, v, t)
    over = sub(x, clamp_box(h, x))
    slope = 0.0 if kink == 0 else v.x * over.x
    slope += 0.0 if kink == 1 else v.y * over.y
    slope += 0.0 if kink == 2 else v.z * over.z
    return slope


class _Span(NamedTuple):
    """A bracket of the zero of the slope, and the slope at its ends."""

    lo: float
    hi: float
    slope_lo: float
    slope_hi: float


@device
def _shrink(p: Vec3, v: Vec3, h: Vec3, span: _Span, t: float, kink: int) -> _Span:
    """The part of the bracket on one side of a kink."""
    if span.lo < t < span.hi:
        slope = _slope(p, v, h, t, kink)
        if slope <= 0.0:
            span = _Span(t, span.hi, slope, span.slope_hi)
        else:
            span = _Span(span.lo, t, span.slope_lo, slope)
    return span


@device
def _slab(p: float, v: float, h: float) -> tuple[float, float]:
    """When does p + t v lie in [-h, h]? Everything (-inf..inf) or nothing (inf..-inf) for v = 0."""
    if v == 0.0:
        inside = abs(p) <= h
        return (-LARGEST if inside else LARGEST, LARGEST if inside else -LARGEST)
    s, t = (-h - p) / v, (h - p) / v
    return (min(s, t), max(s, t))


@procedure
def segment_in_box(p: Vec3, v: Vec3, h: Vec3) -> tuple[bool, float]:
    """Does p + t v enter the box |x| <= h, and the t in [0, 1] at which it is nearest.

    A segment that enters the box: the middle of its stay, so that rounding cannot put it outside. Else the
    slope of the squared distance rises along the segment and is linear between at most six kinks.
    """
    x, y, z = _slab(p.x, v.x, h.x), _slab(p.y, v.y, h.y), _slab(p.z, v.z, h.z)
    enter = max(max(0.0, x[0]), max(y[0], z[0]))
    leave = min(min(1.0, x[1]), min(y[1], z[1]))
    if enter <= leave:
        return True, 0.5 * (enter + leave)
    span = _Span(0.0, 1.0, _slope(p, v, h, 0.0, 3), _slope(p, v, h, 1.0, 3))
    if span.slope_lo >= 0.0:
        return False, 0.0
    if span.slope_hi <= 0.0:
        return False, 1.0
    span = _shrink(p, v, h, span, x[0], 0)
    span = _shrink(p, v, h, span, x[1], 0)
    span = _shrink(p, v, h, span, y[0], 1)
    span = _shrink(p, v, h, span, y[1], 1)
    span = _shrink(p, v, h, span, z[0], 2)
    span = _shrink(p, v, h, span, z[1], 2)
    rise = span.slope_hi - span.slope_lo
    t = span.lo + (span.hi - span.lo) * clamp01(-span.slope_lo / (rise if rise > 0.0 else 1.0))
    # A kink may hide behind the rounding of an end of the bracket: let the distances decide.
    best, best_sq = t, _box_distance_sq(h, along(p, v, t))
    lo_sq = _box_distance_sq(h, along(p, v, span.lo))
    if lo_sq < best_sq:
        best, best_sq = span.lo, lo_sq
    if _box_distance_sq(h, along(p, v, span.hi)) < best_sq:
        best = span.hi
    return False, best


@device
def _box_distance_sq(h: Vec3, x: Vec3) -> float:
    return length_sq(sub(x, clamp_box(h, x)))


@device
def segment_box(start: Vec3, end: Vec3, b: Box) -> Nearest3d:
    p = to_box(b, start)
    q = to_box(b, end)
    inside, t = segment_in_box(p, sub(q, p), b.half)
    x = along(p, sub(q, p), t)
    y = clamp_box(b.half, x)
    # Through a flat box x and y differ by rounding; the segment is inside all the same.
    distance_sq = 0.0 if inside else length_sq(sub(x, y))
    return Nearest3d(along(start, sub(end, start), t), from_box(b, y), distance_sq)


@device
def segment_triangle(s: Capsule3d, t: Triangle3d) -> Nearest3d:
    """Boundary against boundary; a segment that passes through the inside is `pierces`' case."""
    n = triangle_normal(t)
    n_sq = dot(n, n)
    best = segment_segment(s.start, s.end, t.a, t.b)
    best = nearer(best, segment_segment(s.start, s.end, t.b, t.c))
    best = nearer(best, segment_segment(s.start, s.end, t.c, t.a))
    inside, over = over_triangle(s.start, t, n, n_sq)
    if inside:
        best = nearer(best, over)
    inside, over = over_triangle(s.end, t, n, n_sq)
    if inside:
        best = nearer(best, over)
    return best


@procedure
def triangle_triangle(a: Triangle3d, b: Triangle3d) -> Nearest3d:
    """Nine pairs of sides and six corners over the other's inside."""
    corners_a, corners_b = (a.a, a.b, a.c), (b.a, b.b, b.c)
    n_a, n_b = triangle_normal(a), triangle_normal(b)
    n_a_sq, n_b_sq = dot(n_a, n_a), dot(n_b, n_b)
    best = Nearest3d(a.a, b.a, length_sq(sub(a.a, b.a)))
    for i in range(3):
        p, p_end = corners_a[i], corners_a[(i + 1) % 3]
        for j in range(3):
            best = nearer(best, segment_segment(p, p_end, corners_b[j], corners_b[(j + 1) % 3]))
        inside, over = over_triangle(p, b, n_b, n_b_sq)
        if inside:
            best = nearer(best, over)
        inside, over = over_triangle(corners_b[i], a, n_a, n_a_sq)
        if inside:
            best = nearer(best, swap_nearest(over))
    return best


@procedure
def triangles_pierce(a: Triangle3d, b: Triangle3d) -> bool:
    """Does a side of one pass through the inside of the other?"""
    corners_a, corners_b = (a.a, a.b, a.c), (b.a, b.b, b.c)
    n_a, n_b = triangle_normal(a), triangle_normal(b)
    for i in range(3):
        j = (i + 1) % 3
        if pierces(corners_a[i], corners_a[j], b, n_b) or pierces(corners_b[i], corners_b[j], a, n_a):
            return True
    return False


@procedure
def triangle_box(t: Triangle3d, b: Box) -> Nearest3d:
    """Each side against the box, and the corners of the box that face the triangle's plane."""
    n = triangle_normal(t)
    n_sq = dot(n, n)
    best = segment_box(t.a, t.b, b)
    best = nearer(best, segment_box(t.b, t.c, b))
    best = nearer(best, segment_box(t.c, t.a, b))
    inside, over = over_triangle(box_support(b, n), t, n, n_sq)
    if inside:
        best = nearer(best, swap_nearest(over))
    inside, over = over_triangle(box_support(b, scale(n, -1.0)), t, n, n_sq)
    if inside:
        best = nearer(best, swap_nearest(over))
    return best


@device
def triangle_cuts_box(t: Triangle3d, b: Box) -> bool:
    """Given that no side of the triangle meets the box: does its inside?

    Then either nothing of the plane's cut through the box lies in the triangle or all of it: one point of
    the cut decides, on the diagonal between the lowest and the highest corner.
    """
    n = triangle_normal(t)
    top, bottom = box_support(b, n), box_support(b, scale(n, -1.0))
    return pierces(bottom, top, t, n)


@device
def _edges_at(b: Box, n: Vec3, other: Box) -> Nearest3d:
    """The three edges at the corner of b furthest along n, against another box."""
    sx = 1.0 if dot(b.x, n) >= 0.0 else -1.0
    sy = 1.0 if dot(b.y, n) >= 0.0 else -1.0
    sz = 1.0 if dot(b.z, n) >= 0.0 else -1.0
    p = box_corner(b, sx, sy, sz)
    best = segment_box(p, box_corner(b, -sx, sy, sz), other)
    best = nearer(best, segment_box(p, box_corner(b, sx, -sy, sz), other))
    return nearer(best, segment_box(p, box_corner(b, sx, sy, -sz), other))


@procedure
def box_edges(a: Box, b: Box) -> Nearest3d:
    """All twelve edges of a against b."""
    best = Nearest3d(a.center, b.center, LARGEST)
    for k in range(12):
        best = nearer(best, box_edge(a, k, b))
    return best


@device
def box_edge(a: Box, k: int, b: Box) -> Nearest3d:
    """Edge k = 0..11 of a against b."""
    i, j = 2.0 * (k & 1) - 1.0, 1.0 * (k & 2) - 1.0
    if k < 4:
        p, q = box_corner(a, -1.0, i, j), box_corner(a, 1.0, i, j)
    elif k < 8:
        p, q = box_corner(a, i, -1.0, j), box_corner(a, i, 1.0, j)
    else:
        p, q = box_corner(a, i, j, -1.0), box_corner(a, i, j, 1.0)
    return segment_box(p, q, b)


@procedure
def boxes_touch_at(a: Box, b: Box) -> Vec3:
    """The contact point of two boxes that just touch: the middle over all edges that touch the other."""
    best = nearer(box_edges(a, b), swap_nearest(box_edges(b, a)))
    reach = a.half.x + a.half.y + a.half.z + b.half.x + b.half.y + b.half.z
    limit_sq = best.distance_sq + (POINT_ROUNDING * reach) ** 2
    total, count = Vec3(0.0, 0.0, 0.0), 0.0
    for k in range(12):
        near = box_edge(a, k, b)
        if near.distance_sq <= limit_sq:
            total, count = add(total, near.a), count + 1.0
        near = box_edge(b, k, a)
        if near.distance_sq <= limit_sq:
            total, count = add(total, near.b), count + 1.0
    return scale(total, 1.0 / max(count, 1.0))


@procedure
def box_box(a: Box, b: Box) -> Nearest3d:
    """Nearest points of two separated boxes.

    Guess a direction, take the edges at the corners it points to, improve the direction; stop when the
    boxes' supports prove the distance. If the guesses stop improving without a proof (two nearly parallel
    faces, a gap near rounding), all edges are tried.
    """
    n = sub(b.center, a.center)
    best = Nearest3d(a.center, b.center, LARGEST)
    for _ in range(8):
        near = nearer(_edges_at(a, n, b), swap_nearest(_edges_at(b, scale(n, -1.0), a)))
        if not near.distance_sq < best.distance_sq:
            break
        best = near
        n = sub(best.b, best.a)
        # n is not a unit vector: distance_sq - n . (supports) <= rounding * size * |n|, both squared.
        c = sub(b.center, a.center)
        slack = best.distance_sq - (dot(n, c) - box_reach(a, n) - box_reach(b, n))
        reach = a.half.x + a.half.y + a.half.z + b.half.x + b.half.y + b.half.z
        bound = POINT_ROUNDING * (reach + abs(c.x) + abs(c.y) + abs(c.z))
        if slack <= 0.0 or slack * slack <= bound * bound * best.distance_sq:
            return best
    best = nearer(best, box_edges(a, b))
    return nearer(best, swap_nearest(box_edges(b, a)))


@device
def is_level(d: Vec3, x: Vec3, u: Vec3, w: Vec3) -> bool:
    """Does d point along w, the product of u and an edge, but for rounding?

    Not where u and the edge are parallel and w is rounding; nor where x has just left another edge's slab.
    """
    w_sq, d_sq = dot(w, w), dot(d, d)
    aside = d_sq * w_sq - dot(d, w) ** 2
    allowed_sq = 100.0 * ROUNDING_SQ * (dot(x, x) + dot(u, u)) + OFFSET_ROUNDING_SQ * d_sq
    return w_sq > LINE_PARALLEL_SQ * dot(u, u) and aside <= allowed_sq * w_sq
