"""Translations along z: exact gaps of two triangles. Images are across the motion, depths along it.

The gap of two triangles along the motion is linear over the overlap of their projections. So it is smallest
at a corner of that polygon: a corner of one triangle over the other, or a crossing of two edges.
"""

from __future__ import annotations

import math

from ougi._native import device, procedure
from ougi.kernels.records import Triangle3d, Vec3
from ougi.kernels.vec3 import cross, sub
from ougi.radar.triangles import (
    CORNER_FACE,
    EDGE_EDGE,
    FACE_CORNER,
    NOTHING,
    TriangleContact,
    between,
    corner,
    is_earlier,
    orient_normal,
)

_ALONG = Vec3(0.0, 0.0, 1.0)


@device
def side(p: Vec3, q: Vec3, x: Vec3) -> float:
    """Twice the area of the projected triangle p, q, x: positive if x lies left of p q.

    Seen from x, so that q p gives exactly the negative: both faces of an edge agree on its sides.
    """
    return (p.x - x.x) * (q.y - x.y) - (p.y - x.y) * (q.x - x.x)


@device
def projected_length(p: Vec3, q: Vec3) -> float:
    """The length of the projected segment."""
    x, y = q.x - p.x, q.y - p.y
    return math.sqrt(x * x + y * y)  # a third of the cost of hypot, and coordinates stay below 1e60


@device
def projected_area(t: Triangle3d) -> float:
    """Twice the signed area of the projection."""
    return side(t.a, t.b, t.c)


@device
def is_thin(t: Triangle3d, band: float) -> bool:
    """Is the projection no more than a line? Then its edges decide."""
    longest = max(projected_length(t.a, t.b), max(projected_length(t.b, t.c), projected_length(t.c, t.a)))
    return abs(projected_area(t)) <= band * longest


@device
def depth_at(t: Triangle3d, p: Vec3, band: float) -> float:
    """The depth of a triangle under p; inf if p is not over it, nor nearer to its border than the band."""
    area = projected_area(t)
    sense = -1.0 if area < 0.0 else 1.0
    a, b, c = sense * side(t.b, t.c, p), sense * side(t.c, t.a, p), sense * side(t.a, t.b, p)
    if (
        a < -band * projected_length(t.b, t.c)
        or b < -band * projected_length(t.c, t.a)
        or c < -band * projected_length(t.a, t.b)
    ):
        return math.inf
    # Weights within the triangle: beyond the border of a steep face a plane would leave it.
    a, b, c = max(a, 0.0), max(b, 0.0), max(c, 0.0)
    return (a * t.a.z + b * t.b.z + c * t.c.z) / (a + b + c)


@procedure
def find_straight_contact(a: Triangle3d, b: Triangle3d, limit: float, band: float) -> TriangleContact:
    """How far a can move along z before it touches b: the smallest gap in [-band, limit].

    Only for triangles that do not cross: crossing ones have gaps of both signs.
    """
    best = TriangleContact(math.inf, NOTHING, _ALONG, _ALONG, -1.0)
    if _are_separate(a, b, band):
        return best
    if not is_thin(b, band):
        normal = orient_normal(cross(sub(b.b, b.a), sub(b.c, b.a)), _ALONG)
        for i in range(3):
            p = corner(a, i)
            gap = depth_at(b, p, band) - p.z
            if -band <= gap <= limit and is_earlier(gap, normal.z, best, band):
                limit = min(limit, gap + band)
                best = TriangleContact(gap, CORNER_FACE, Vec3(p.x, p.y, p.z + gap), normal, normal.z)
    if not is_thin(a, band):
        normal = orient_normal(cross(sub(a.b, a.a), sub(a.c, a.a)), _ALONG)
        for i in range(3):
            p = corner(b, i)
            depth = depth_at(a, p, band)
            gap = p.z - depth if depth < math.inf else math.inf
            if -band <= gap <= limit and is_earlier(gap, normal.z, best, band):
                limit = min(limit, gap + band)
                best = TriangleContact(gap, FACE_CORNER, p, normal, normal.z)
    for i in range(3):
        p, q = corner(a, i), corner(a, i + 1)
        for j in range(3):
            r, s = corner(b, j), corner(b, j + 1)
            if min(r.z, s.z) - max(p.z, q.z) > limit:
                continue
            gap, at = _edge_gap(p, q, r, s, band)
            if -band <= gap <= limit:
                normal = orient_normal(cross(sub(q, p), sub(s, r)), _ALONG)
                if is_earlier(gap, normal.z, best, band):
                    limit = min(limit, gap + band)
                    best = TriangleContact(gap, EDGE_EDGE, at, normal, normal.z)
    return best


@device
def _are_separate(a: Triangle3d, b: Triangle3d, band: float) -> bool:
    """Do the bounds of two projections lie apart? Most pairs of a pixel do."""
    return (
        max(a.a.x, max(a.b.x, a.c.x)) + band < min(b.a.x, min(b.b.x, b.c.x))
        or max(b.a.x, max(b.b.x, b.c.x)) + band < min(a.a.x, min(a.b.x, a.c.x))
        or max(a.a.y, max(a.b.y, a.c.y)) + band < min(b.a.y, min(b.b.y, b.c.y))
        or max(b.a.y, max(b.b.y, b.c.y)) + band < min(a.a.y, min(a.b.y, a.c.y))
    )


# Of edges that deviate by less than this from parallel the ends are tested too: their crossing is inaccurate.
_PARALLEL = 1e-6


@device
def _edge_gap(p: Vec3, q: Vec3, r: Vec3, s: Vec3, band: float) -> tuple[float, Vec3]:
    """The gap of two edges where their projections cross, and the place on r s; inf if they do not."""
    if (
        min(p.x, q.x) > max(r.x, s.x) + band
        or min(r.x, s.x) > max(p.x, q.x) + band
        or min(p.y, q.y) > max(r.y, s.y) + band
        or min(r.y, s.y) > max(p.y, q.y) + band
    ):
        return math.inf, r
    one, two = projected_length(p, q), projected_length(r, s)
    turn = (q.x - p.x) * (s.y - r.y) - (q.y - p.y) * (s.x - r.x)
    gap, at = math.inf, r
    if abs(turn) > 1e-15 * one * two:
        t = ((r.x - p.x) * (s.y - r.y) - (r.y - p.y) * (s.x - r.x)) / turn
        w = ((r.x - p.x) * (q.y - p.y) - (r.y - p.y) * (q.x - p.x)) / turn
        if abs(t - 0.5) * one <= 0.5 * one + band and abs(w - 0.5) * two <= 0.5 * two + band:
            x = between(p, q, min(max(t, 0.0), 1.0))
            at = between(r, s, min(max(w, 0.0), 1.0))
            gap = at.z - x.z
    if abs(turn) <= _PARALLEL * one * two:
        for k in range(4):
            if k < 2:
                x = p if k == 0 else q
                y, near = _closest_under(r, s, x, two, band)
            else:
                y = r if k == 2 else s
                x, near = _closest_under(p, q, y, one, band)
            if near and y.z - x.z >= -band and not -band <= gap <= y.z - x.z:
                gap, at = y.z - x.z, y
    return gap, at


@device
def _closest_under(p: Vec3, q: Vec3, x: Vec3, length: float, band: float) -> tuple[Vec3, bool]:
    """The point of p q under x, and whether it lies there up to the band."""
    t = 0.0
    if length > 0.0:
        t = ((x.x - p.x) * (q.x - p.x) + (x.y - p.y) * (q.y - p.y)) / (length * length)
    at = between(p, q, min(max(t, 0.0), 1.0))
    return at, abs(at.x - x.x) <= band and abs(at.y - x.y) <= band
