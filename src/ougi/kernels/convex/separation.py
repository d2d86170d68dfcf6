"""The signed distance of two polytopes, with a proof.

The result of GJK is used if it is proved: no vertex of the difference lies nearer along the normal than the
nearest points. Otherwise all faces and all pairs of edges are tried.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device, procedure
from ougi.kernels.closest3d import Nearest3d, segment_segment
from ougi.kernels.constants import LARGEST, PROOF_ROUNDING
from ougi.kernels.convex.best_axis import find_best_axis, find_best_axis_2d, try_axis, try_both_senses
from ougi.kernels.convex.constants import MAX_MOVES_OUT, MOVED_OUT
from ougi.kernels.convex.nearest import (
    UNKNOWN,
    NearestVertices,
    find_corner,
    find_nearest,
    find_normal,
    find_points,
    gap_along,
    weigh,
)
from ougi.kernels.convex.polytope import (
    RelativePose,
    from_axes,
    get_normal,
    get_vertex,
    measure_size,
    relate,
    to_axes,
)
from ougi.kernels.convex.records import Hull3d
from ougi.kernels.convex.simplex import Simplex
from ougi.kernels.records import Vec3
from ougi.kernels.support3d import edge_axis
from ougi.kernels.vec3 import add, along, cross, dot, length, length_sq, neg, sub, unit_or

_ZERO = Vec3(0.0, 0.0, 0.0)
_UP = Vec3(0.0, 0.0, 1.0)


class Separated(NamedTuple):
    """Signed distance, unit normal from a to b and points of both, in the frame of a and without radii.

    `simplex` has the vertices that are nearest, where they are known: then it has one to three corners.
    """

    distance: float
    normal: Vec3
    point_a: Vec3
    point_b: Vec3
    simplex: Simplex


@device
def _get_edge(h: Hull3d, i: int) -> tuple[Vec3, Vec3]:
    """The ends of edge i; a point is an edge without length."""
    if h.edge_count == 0:
        return get_vertex(h, 0), get_vertex(h, 0)
    k = h.edges + 4 * i
    return get_vertex(h, int(h.numbers[k])), get_vertex(h, int(h.numbers[k + 1]))


class NearestEdges(NamedTuple):
    """The nearest points of two edges, and the directions of these."""

    near: Nearest3d
    e: Vec3
    f: Vec3


@procedure
def _find_nearest_edges(a: Hull3d, b: Hull3d, to: RelativePose) -> NearestEdges:
    """The nearest of all pairs of edges."""
    p, _ = _get_edge(a, 0)
    best = NearestEdges(Nearest3d(p, p, LARGEST), _ZERO, _ZERO)
    for j in range(max(b.edge_count, 1)):
        u, v = _get_edge(b, j)
        u, v = add(from_axes(u, to), to.offset), add(from_axes(v, to), to.offset)
        for i in range(max(a.edge_count, 1)):
            p, q = _get_edge(a, i)
            new = segment_segment(p, q, u, v)
            if new.distance_sq < best.near.distance_sq:
                best = NearestEdges(new, sub(q, p), sub(v, u))
    return best


@device
def _make_square(v: Vec3, e: Vec3) -> Vec3:
    """v without its component along e."""
    e_sq = dot(e, e)
    return along(v, e, -dot(v, e) / e_sq) if e_sq > 0.0 else v


@procedure
def _measure_outside(h: Hull3d, n: Vec3, p: Vec3) -> float:
    """How far a point lies outside of the face with the normal n, within its plane; LARGEST without one.

    The edge between two faces runs along the product of their normals.
    """
    if h.face_count == 0:
        return LARGEST
    face = 0
    for i in range(1, h.face_count):
        if dot(get_normal(h, i), n) > dot(get_normal(h, face), n):
            face = i
    if length_sq(sub(get_normal(h, face), n)) > PROOF_ROUNDING * PROOF_ROUNDING:
        return LARGEST
    over = -LARGEST
    for i in range(h.edge_count):
        k = h.edges + 4 * i
        if int(h.numbers[k + 2]) == face or int(h.numbers[k + 3]) == face:
            u, v = _get_edge(h, i)
            out = unit_or(cross(sub(v, u), get_normal(h, face)), _ZERO)
            height = dot(out, sub(p, u))
            over = max(over, height if int(h.numbers[k + 2]) == face else -height)
    return over


class AtFace(NamedTuple):
    """A separation, and how far its point on a face lies outside of the body of that face."""

    separated: Separated
    outside: float


@procedure
def _separate_at_face(a: Hull3d, b: Hull3d, to: RelativePose, gap: float, n: Vec3, s: Simplex) -> AtFace:
    """The separation of a vertex and the inside of a face; n is the normal of that face."""
    c = find_corner(a, b, to, n)
    p = get_vertex(a, c.a)
    q = add(p, c.point)
    on_a, on_b = along(q, n, -gap), along(p, n, gap)
    outside_a = _measure_outside(a, n, on_a)
    outside_b = _measure_outside(b, neg(to_axes(n, to)), to_axes(sub(on_b, to.offset), to))
    if outside_a <= outside_b:
        return AtFace(Separated(gap, n, on_a, q, s), outside_a)
    return AtFace(Separated(gap, n, p, on_b, s), outside_b)


@procedure
def _separate_slowly(a: Hull3d, b: Hull3d, to: RelativePose, is_planar: bool) -> Separated:
    """The separation by all faces and all pairs of edges."""
    size = measure_size(a, b, to)
    rounding = PROOF_ROUNDING * size
    gap, n = find_best_axis_2d(a, b, to) if is_planar else find_best_axis(a, b, to)
    c = find_corner(a, b, to, n)
    unknown = Simplex(0, c, c, c, 0.0, 0.0, 0.0, _ZERO, 0.0)
    if gap > -rounding:
        edges = _find_nearest_edges(a, b, to)
        near = edges.near
        distance = math.sqrt(near.distance_sq)
        if distance - gap > rounding:
            at_face = _separate_at_face(a, b, to, gap, n, unknown)
            if gap > rounding and at_face.outside <= rounding:
                return at_face.separated
            v = sub(near.b, near.a)
            best = try_axis((gap, n), a, b, to, v)
            best = try_axis(best, a, b, to, _make_square(v, edges.e))
            best = try_axis(best, a, b, to, _make_square(v, edges.f))
            gap, n = try_both_senses(best, a, b, to, edge_axis(edges.e, edges.f))
        if gap > rounding:
            return Separated(distance, n, near.a, near.b, unknown)
    depth = min(gap, 0.0)
    # Moved out along n by any distance beyond the depth, b is nearest to a at the point where they touch
    # after the depth alone: along n the gap is that distance, so no other pair of points is nearer.
    near = Nearest3d(n, n, LARGEST)
    for _ in range(MAX_MOVES_OUT):
        out = RelativePose(along(to.offset, n, MOVED_OUT * size - depth), to.x, to.y, to.z)
        s = find_nearest(a, b, out, -1.0, UNKNOWN).simplex
        near = find_points(a, b, out, s)
        if near.distance_sq <= (MOVED_OUT * size + rounding) ** 2:
            break
        # They are farther apart than they were moved. So a direction between n and that of the nearest points
        # is better than n: normals of faces that are thin all over lean by more than rounding.
        better = try_axis((gap, n), a, b, to, find_normal(a, b, out, s, sub(near.b, near.a)))
        if not better[0] > gap:
            at_face = _separate_at_face(a, b, to, depth, n, unknown)
            if at_face.outside <= rounding:
                return at_face.separated
            nearest = _find_nearest_edges(a, b, out).near
            near = nearest if nearest.distance_sq < near.distance_sq else near
            break
        gap, n = better
        depth = min(gap, 0.0)
    return Separated(depth, n, near.a, along(near.a, n, depth), unknown)


@procedure
def separate(
    a: Hull3d, b: Hull3d, to: RelativePose, is_planar: bool, has_depth: bool, known: NearestVertices
) -> Separated:
    """The signed distance of two polytopes without their radii; `is_planar`: both lie at z = 0.

    Without `has_depth`, bodies that overlap may have the distance 0 and no points and normal. `known` are
    vertices that are likely to be nearest.
    """
    size = measure_size(a, b, to)
    rounding = PROOF_ROUNDING * size
    s, _, along_point = find_nearest(a, b, to, -1.0, known)
    if not has_depth and s.corner_count == 4 and s.distance_sq <= 0.0:
        return Separated(0.0, _UP, _ZERO, _ZERO, s)
    if s.corner_count < (3 if is_planar else 4):
        p, q = weigh(a, b, to, s)
        between = sub(q, p)
        distance = length(between)
        if distance > rounding:
            n = find_normal(a, b, to, s, between)
            # Turning a direction changes the gap along it by at most the angle times the farthest corner.
            turn = length(along(n, s.point, -1.0 / math.sqrt(s.distance_sq))) if along_point > 0.0 else 1.0
            is_proved = distance - along_point + turn * size <= rounding
            if is_proved or distance - gap_along(a, b, to, n) <= rounding:
                return Separated(distance, n, p, q, s)
        near = find_points(a, b, to, s)
        if near.distance_sq > rounding * rounding:
            n = find_normal(a, b, to, s, sub(near.b, near.a))
            distance = math.sqrt(near.distance_sq)
            if distance - gap_along(a, b, to, n) <= rounding:
                return Separated(distance, n, near.a, near.b, s)
    return _separate_slowly(a, b, to, is_planar)


@procedure
def is_within(a: Hull3d, b: Hull3d, is_planar: bool) -> bool:
    """Do two polytopes come as near as their radii?"""
    radius = a.radius + b.radius
    to = relate(a.frame, b.frame)
    s, lower, _ = find_nearest(a, b, to, radius, UNKNOWN)
    if lower > radius:
        return False
    rounding = PROOF_ROUNDING * measure_size(a, b, to)
    is_inside = s.corner_count == (3 if is_planar else 4)
    if s.distance_sq <= radius * radius and not (is_planar and is_inside):
        return True
    if not is_inside and math.sqrt(s.distance_sq) - lower <= rounding:
        return s.distance_sq <= (radius + rounding) ** 2
    return separate(a, b, to, is_planar, False, UNKNOWN).distance <= radius + rounding
