"""Simplices of GJK: the part of up to four corners of a difference b - a that is nearest to the origin."""

from __future__ import annotations

import math
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
def _on_segment(c: Any, d: Any) -> Simplex:
    v = sub(d.point, c.point)
    v_sq = dot(v, v)
    t = -dot(c.point, v)
    if not t > 0.0:
        return on_corner(c)
    if t >= v_sq:
        return on_corner(d)
    t = t / v_sq
    q = along(c.point, v, t)
    return Simplex(2, c, d, d, 1.0 - t, t, 0.0, q, length_sq(q))


@device
def _nearer(s: Simplex, t: Simplex) -> Simplex:
    return t if t.distance_sq < s.distance_sq else s


@device
def _on_triangle(c: Any, d: Any, e: Any) -> Simplex:
    n = cross(sub(d.point, c.point), sub(e.point, c.point))
    n_sq = dot(n, n)
    u = dot(cross(d.point, e.point), n)
    v = dot(cross(e.point, c.point), n)
    w = dot(cross(c.point, d.point), n)
    if u > 0.0 and v > 0.0 and w > 0.0 and n_sq > 0.0:
        q = scale(n, dot(c.point, n) / n_sq)
        total = u + v + w
        return Simplex(3, c, d, e, u / total, v / total, w / total, q, length_sq(q))
    s = _nearer(_on_segment(c, d), _on_segment(d, e))
    return _nearer(s, _on_segment(e, c))


@device
def _is_beyond(a: Vec3, b: Vec3, c: Vec3, top: Vec3) -> bool:
    """Is the origin in the plane a b c, or on the other side of it than `top`?"""
    n = cross(sub(b, a), sub(c, a))
    return dot(n, sub(top, a)) * -dot(n, a) <= 0.0


@device
def _is_within(a: Vec3, b: Vec3, c: Vec3, top: Vec3) -> bool:
    """Do the origin and `top` lie beyond rounding on one side of the plane a b c?"""
    u, v = sub(b, a), sub(c, a)
    n = cross(u, v)
    rounding = INSIDE * math.sqrt(dot(u, u) * dot(v, v) * max(dot(a, a), dot(top, top)))
    height, own = dot(n, sub(top, a)), -dot(n, a)
    return (height > rounding and own > rounding) or (height < -rounding and own < -rounding)


@procedure
def _on_tetrahedron(c: Any, d: Any, e: Any, f: Any) -> Simplex:
    inside = True
    best = Simplex(4, c, d, e, 0.0, 0.0, 0.0, _ZERO, LARGEST)
    if _is_beyond(c.point, d.point, f.point, e.point):
        best = _nearer(best, _on_triangle(c, d, f))
        inside = False
    if _is_beyond(d.point, e.point, f.point, c.point):
        best = _nearer(best, _on_triangle(d, e, f))
        inside = False
    if _is_beyond(e.point, c.point, f.point, d.point):
        best = _nearer(best, _on_triangle(e, c, f))
        inside = False
    if _is_beyond(c.point, d.point, e.point, f.point):
        best = _nearer(best, _on_triangle(c, d, e))
        inside = False
    if not inside:
        return best
    is_proved = (
        _is_within(c.point, d.point, f.point, e.point)
        and _is_within(d.point, e.point, f.point, c.point)
        and _is_within(e.point, c.point, f.point, d.point)
        and _is_within(c.point, d.point, e.point, f.point)
    )
    return Simplex(4, c, d, e, 0.0, 0.0, 0.0, _ZERO, 0.0 if is_proved else LARGEST)


@device
def add_corner(s: Simplex, c: Any) -> Simplex:
    """The part of a simplex and one more corner that is nearest to the origin."""
    if s.corner_count == 1:
        return _on_segment(s.first, c)
    if s.corner_count == 2:
        return _on_triangle(s.first, s.second, c)
    return _on_tetrahedron(s.first, s.second, s.third, c)
