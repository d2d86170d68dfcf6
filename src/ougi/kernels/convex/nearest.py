"""Nearest points of two polytopes (GJK).

GJK walks through simplices of the difference b - a towards the origin. Both bodies are described in the frame
of the first.
"""

from __future__ import annotations

from typing import NamedTuple

from ougi._native import device, procedure
from ougi.kernels.closest3d import Nearest3d, segment_segment, triangle_triangle
from ougi.kernels.convex.constants import MAX_GJK_STEPS
from ougi.kernels.convex.gjk import Approach, make_approach
from ougi.kernels.convex.polytope import (
    RelativePose,
    find_support,
    from_axes,
    get_vertex,
    to_axes,
)
from ougi.kernels.convex.records import Hull3d
from ougi.kernels.convex.simplex import Simplex, on_corner, on_segment, on_triangle
from ougi.kernels.records import Triangle3d, Vec3
from ougi.kernels.support3d import edge_axis
from ougi.kernels.vec3 import add, along, cross, dot, length_sq, neg, scale, sub, unit_or


class Corner(NamedTuple):
    """A vertex of b minus a vertex of a, and their indices."""

    point: Vec3
    a: int
    b: int


@device
def _place_corner(a: Hull3d, b: Hull3d, to: RelativePose, i: int, j: int) -> Corner:
    q = add(from_axes(get_vertex(b, j), to), to.offset)
    return Corner(sub(q, get_vertex(a, i)), i, j)


@device
def find_corner(a: Hull3d, b: Hull3d, to: RelativePose, d: Vec3) -> Corner:
    """The corner of b - a that lies furthest against d."""
    i = find_support(a, d)
    j = find_support(b, neg(to_axes(d, to)))
    return _place_corner(a, b, to, i, j)


@device
def gap_along(a: Hull3d, b: Hull3d, to: RelativePose, n: Vec3) -> float:
    """How far b lies beyond a along n, times |n|; a valid bound whatever n is."""
    return dot(n, find_corner(a, b, to, n).point)


_approach_polytopes = make_approach(find_corner, MAX_GJK_STEPS)


class NearestVertices(NamedTuple):
    """The vertices of a and b of up to three corners, of which two bodies were nearest in another pose."""

    corner_count: int
    a_1: int
    b_1: int
    a_2: int
    b_2: int
    a_3: int
    b_3: int


UNKNOWN = NearestVertices(0, 0, 0, 0, 0, 0, 0)


@device
def list_vertices(s: Simplex) -> NearestVertices:
    """The vertices of a simplex, unless it surrounds the origin."""
    count = s.corner_count if s.corner_count < 4 else 0
    return NearestVertices(count, s.first.a, s.first.b, s.second.a, s.second.b, s.third.a, s.third.b)


@device
def _start_from(a: Hull3d, b: Hull3d, to: RelativePose, v: NearestVertices) -> Simplex:
    """A near simplex of known vertices, or the corner that lies furthest against the offset."""
    if v.corner_count == 0:
        start = to.offset if length_sq(to.offset) > 0.0 else Vec3(1.0, 0.0, 0.0)
        return on_corner(find_corner(a, b, to, start))
    first = _place_corner(a, b, to, v.a_1, v.b_1)
    if v.corner_count == 1:
        return on_corner(first)
    second = _place_corner(a, b, to, v.a_2, v.b_2)
    if v.corner_count == 2:
        return on_segment(first, second)
    return on_triangle(first, second, _place_corner(a, b, to, v.a_3, v.b_3))


@device
def find_nearest(a: Hull3d, b: Hull3d, to: RelativePose, limit: float, known: NearestVertices) -> Approach:
    """The simplex of b - a nearest to the origin, and a lower bound of its distance."""
    return _approach_polytopes(a, b, to, _start_from(a, b, to, known), limit, 0.0)


@device
def count_distinct(i: int, j: int, k: int) -> int:
    if i == j:
        return 1 if k == i else 2
    return 2 if k in (i, j) else 3


@device
def weigh(a: Hull3d, b: Hull3d, to: RelativePose, s: Simplex) -> tuple[Vec3, Vec3]:
    """The points of a and b of which a simplex is the difference, in the frame of a."""
    p = scale(get_vertex(a, s.first.a), s.weight_1)
    q = scale(get_vertex(b, s.first.b), s.weight_1)
    if s.corner_count > 1:
        p = along(p, get_vertex(a, s.second.a), s.weight_2)
        q = along(q, get_vertex(b, s.second.b), s.weight_2)
    if s.corner_count > 2:
        p = along(p, get_vertex(a, s.third.a), s.weight_3)
        q = along(q, get_vertex(b, s.third.b), s.weight_3)
    return p, add(from_axes(q, to), to.offset)


@procedure
def find_points(a: Hull3d, b: Hull3d, to: RelativePose, s: Simplex) -> Nearest3d:
    """The nearest points of the vertices, edges or triangles of which a simplex is made, in the frame of a.

    They are what the weights of the simplex give, but for rounding: its corners may be almost on one line.
    """
    p, p1, p2 = get_vertex(a, s.first.a), get_vertex(a, s.second.a), get_vertex(a, s.third.a)
    q = add(from_axes(get_vertex(b, s.first.b), to), to.offset)
    q1 = add(from_axes(get_vertex(b, s.second.b), to), to.offset)
    q2 = add(from_axes(get_vertex(b, s.third.b), to), to.offset)
    na = count_distinct(s.first.a, s.second.a, s.third.a)
    nb = count_distinct(s.first.b, s.second.b, s.third.b)
    if na == 3 or nb == 3:
        return triangle_triangle(Triangle3d(p, p1, p2), Triangle3d(q, q1, q2))
    p1 = p1 if s.second.a != s.first.a else p2
    q1 = q1 if s.second.b != s.first.b else q2
    return segment_segment(p, p1, q, q1)


@device
def find_normal(a: Hull3d, b: Hull3d, to: RelativePose, s: Simplex, v: Vec3) -> Vec3:
    """The unit vector along v, from a to b, but exactly square to the faces and edges that are nearest.

    v has the error rounding / gap.
    """
    n = unit_or(v, Vec3(1.0, 0.0, 0.0))
    if s.corner_count == 1:
        return n
    if s.corner_count == 2:
        d = sub(s.second.point, s.first.point)
        return unit_or(along(v, d, -dot(v, d) / dot(d, d)), n)
    if count_distinct(s.first.a, s.second.a, s.third.a) == 3:
        o = get_vertex(a, s.first.a)
        m = cross(sub(get_vertex(a, s.second.a), o), sub(get_vertex(a, s.third.a), o))
    elif count_distinct(s.first.b, s.second.b, s.third.b) == 3:
        o = get_vertex(b, s.first.b)
        m = from_axes(cross(sub(get_vertex(b, s.second.b), o), sub(get_vertex(b, s.third.b), o)), to)
    else:
        i = s.second.a if s.second.a != s.first.a else s.third.a
        j = s.second.b if s.second.b != s.first.b else s.third.b
        f = from_axes(sub(get_vertex(b, j), get_vertex(b, s.first.b)), to)
        m = edge_axis(sub(get_vertex(a, i), get_vertex(a, s.first.a)), f)
    m = unit_or(m, n)
    return m if dot(m, n) >= 0.0 else neg(m)
