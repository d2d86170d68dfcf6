"""Simplices of GJK: the part of up to four corners of a difference b - a that is nearest to the origin."""

from __future__ import annotations

from typing import Any, NamedTuple

from ougi._native import device, procedure
from ougi.kernels.constants import LARGEST
from ougi.kernels.convex.constants import INSIDE
from ougi.kernels.records import Vec3
from ougi.kernels.vec3 import along, cross, dot, length_sq, scale, sub

_ZERO = Vec3(0.0, 0.0, 0.0)


class Simplex(NamedTuple):
    """One to three corners, their weights, and the weighted point: the nearest one to the origin.

    Four corners surround the origin, in the plane three. Then `distance_sq` is 0, or LARGEST if rounding may
    decide. Corners are those of polytopes (`Corner`) or of curved solids.
    """

    corner_count: int
    first: Any
    second: Any
    third: Any
    weight_1: float
    weight_2: float
    weight_3: float
    point: Vec3
    distance_sq: float


@device
def on_corner(c: Any) -> Simplex:
    return Simplex(1, c, c, c, 1.0, 0.0, 0.0, c.point, length_sq(c.point))


@device
def on_segment(c: Any, d: Any) -> Simplex:
    """The point is measured from the end that is nearer to it, and made square to the segment: what rounding
    leaves along it would turn the direction of a small distance.
    """
    v = sub(d.point, c.point)
    v_sq, from_c, from_d = dot(v, v), -dot(c.point, v), dot(d.point, v)
    if not from_c > 0.0:
        return on_corner(c)
    if not from_d > 0.0:
        return on_corner(d)
    inverse = 1.0 / v_sq
    if from_c < from_d:
        t = from_c * inverse
        q = along(c.point, v, t)
    else:
        t = 1.0 - from_d * inverse
        q = along(d.point, v, -from_d * inverse)
    q = along(q, v, -dot(q, v) * inverse)
    return Simplex(2, c, d, d, 1.0 - t, t, 0.0, q, length_sq(q))


@device
def _nearer(s: Simplex, t: Simplex) -> Simplex:
    return t if t.distance_sq < s.distance_sq else s


@device
def on_triangle(c: Any, d: Any, e: Any) -> Simplex:
    """Of a triangle with the newest corner e: the nearest point always has a share of that corner.

    The weights come from two vectors at right angles to each other: from c to e, and what c to d has across
    it. Products of corners would lose the weights of small triangles, because their corners are far longer
    than their sides.
    """
    v = sub(e.point, c.point)
    v_sq = dot(v, v)
    if v_sq > 0.0:
        inverse = 1.0 / v_sq
        to_d = sub(d.point, c.point)
        share = dot(to_d, v) * inverse
        u = along(to_d, v, -share)
        more = dot(u, v) * inverse  # what rounding has left, of slivers
        share += more
        u = along(u, v, -more)
        u_sq = dot(u, u)
        if u_sq > 0.0:
            at_d = -dot(c.point, u) / u_sq
            at_e = -dot(c.point, v) * inverse - at_d * share
            rest = 1.0 - at_d - at_e
            if at_d > 0.0 and at_e > 0.0 and rest > 0.0:
                n = cross(u, v)
                q = scale(n, dot(c.point, n) / dot(n, n))
                return Simplex(3, c, d, e, rest, at_d, at_e, q, length_sq(q))
    return _nearer(on_segment(d, e), on_segment(e, c))


@device
def _is_within(a: Vec3, b: Vec3, c: Vec3, top: Vec3) -> bool:
    """Do the origin and `top` lie beyond rounding on one side of the plane a b c?"""
    u, v = sub(b, a), sub(c, a)
    n = cross(u, v)
    height, own = dot(n, sub(top, a)), -dot(n, a)
    rounding_sq = INSIDE * INSIDE * dot(u, u) * dot(v, v) * max(dot(a, a), dot(top, top))
    return height * own > 0.0 and min(height * height, own * own) > rounding_sq


@procedure
def _on_tetrahedron(c: Any, d: Any, e: Any, f: Any) -> Simplex:
    """The nearest of the faces that do not, beyond rounding, have the origin inside; f is newest."""
    best = Simplex(4, c, d, e, 0.0, 0.0, 0.0, _ZERO, LARGEST)
    inside = True
    if not _is_within(c.point, d.point, f.point, e.point):
        best, inside = _nearer(best, on_triangle(c, d, f)), False
    if not _is_within(d.point, e.point, f.point, c.point):
        best, inside = _nearer(best, on_triangle(d, e, f)), False
    if not _is_within(e.point, c.point, f.point, d.point):
        best, inside = _nearer(best, on_triangle(e, c, f)), False
    if inside and _is_within(c.point, d.point, e.point, f.point):
        return Simplex(4, c, d, e, 0.0, 0.0, 0.0, _ZERO, 0.0)
    return best


@device
def add_corner(s: Simplex, c: Any) -> Simplex:
    """The part of a simplex and one more corner that is nearest to the origin."""
    if s.corner_count == 1:
        return on_segment(s.first, c)
    if s.corner_count == 2:
        return on_triangle(s.first, s.second, c)
    return _on_tetrahedron(s.first, s.second, s.third, c)
