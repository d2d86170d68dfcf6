"""A moving triangle in the search for separating axes, with a resting triangle or box.

A triangle is a flat prism: its normals are that of its plane and, in the plane, those of its sides.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from ougi._native import device
from ougi._typing import Record
from ougi.kernels.constants import CROSSED, MOVING, NEARLY_PARALLEL_SQ, NEVER, RESTING
from ougi.kernels.impact.axes import Axis
from ougi.kernels.impact.screw_steps import (
    Heights,
    Path,
    Remainder,
    Step,
    cot_of_point,
    depths_under_plane,
    heights_of_point,
    heights_over_edges,
    heights_over_plane,
    move_point,
    turn_vector,
)
from ougi.kernels.records import Capsule3d, Triangle3d, Vec3
from ougi.kernels.support3d import edge_axis, triangle_edges, triangle_normal
from ougi.kernels.vec3 import ZERO, cross, dot, length, length_sq, neg, scale, sub, unit_or

Normals4 = tuple[Vec3, Vec3, Vec3, Vec3]
Vectors3 = tuple[Vec3, Vec3, Vec3]


class Facets(NamedTuple):
    """A triangle with its unit normals."""

    corners: Triangle3d
    normals: Normals4


class Interval(NamedTuple):
    """How far a body reaches along a direction."""

    low: float
    high: float


@device
def make_facets(t: Triangle3d) -> Facets:
    n = unit_or(triangle_normal(t), ZERO)
    e = triangle_edges(t)
    sides = (unit_or(cross(n, e[0]), ZERO), unit_or(cross(n, e[1]), ZERO), unit_or(cross(n, e[2]), ZERO))
    return Facets(t, (n, sides[0], sides[1], sides[2]))


@device
def is_flat(t: Triangle3d) -> bool:
    """Are the corners collinear, up to rounding?"""
    return length_sq(triangle_normal(t)) == 0.0


@device
def longest_side(t: Triangle3d) -> Capsule3d:
    """All of a flat triangle, as a capsule of radius 0."""
    ab, bc, ca = length_sq(sub(t.b, t.a)), length_sq(sub(t.c, t.b)), length_sq(sub(t.a, t.c))
    if ab >= bc and ab >= ca:
        return Capsule3d(t.a, t.b, 0.0)
    if bc >= ca:
        return Capsule3d(t.b, t.c, 0.0)
    return Capsule3d(t.c, t.a, 0.0)


@device
def move_facets(path: Path, step: Step, b: Facets) -> Facets:
    t, n = b.corners, b.normals
    corners = Triangle3d(
        move_point(path, step, t.a), move_point(path, step, t.b), move_point(path, step, t.c)
    )
    normals = (
        turn_vector(path, step, n[0]),
        turn_vector(path, step, n[1]),
        turn_vector(path, step, n[2]),
        turn_vector(path, step, n[3]),
    )
    return Facets(corners, normals)


@device
def interval_triangle(t: Triangle3d, n: Vec3) -> Interval:
    a, b, c = dot(n, t.a), dot(n, t.b), dot(n, t.c)
    return Interval(min(a, min(b, c)), max(a, max(b, c)))


@device
def interval_facets(b: Facets, n: Vec3) -> Interval:
    return interval_triangle(b.corners, n)


@device
def interval_box(half: Vec3, n: Vec3) -> Interval:
    top = half.x * abs(n.x) + half.y * abs(n.y) + half.z * abs(n.z)
    return Interval(-top, top)


@device
def corner_facets(b: Facets, f: Heights, turn: float, cot: float) -> float:
    t = b.corners
    return cot_of_point(turn, cot_of_point(turn, cot_of_point(turn, cot, f, t.a), f, t.b), f, t.c)


@device
def _better_normal(best: Axis, a: Interval, b: Interval, n: Vec3, kind: int) -> Axis:
    """The better of the best axis so far and a unit normal.

    Not one of zero length, of a side without length; nor that of the plane in which both lie.
    """
    if not length_sq(n) > 0.5 or (a.low == b.high and a.high == b.low):
        return best
    if a.low - b.high > best.gap:
        best = Axis(a.low - b.high, kind, n, ZERO, ZERO, 1.0, 0, 0)
    if b.low - a.high > best.gap:
        best = Axis(b.low - a.high, kind, neg(n), ZERO, ZERO, 1.0, 0, 0)
    return best


@device
def _better_product(best: Axis, a: Interval, b: Interval, n: Vec3, e: Vec3, f: Vec3) -> Axis:
    """The same for the product n of two edges; the intervals make it true even where that is all rounding."""
    sign = 1.0 if a.low - b.high >= b.low - a.high else -1.0
    gap = max(a.low - b.high, b.low - a.high)
    if gap > 0.0:
        size_sq = dot(n, n)
        if best.gap <= 0.0 or gap * gap > best.gap * best.gap * size_sq:
            size = math.sqrt(size_sq)
            best = Axis(gap / size, CROSSED, scale(n, sign / size), e, f, sign, 0, 0)
    return best


@device
def find_axis_of_facets(
    interval: Callable[[Record, Vec3], Interval],
    body: Facets,
    core: Record,
    normals: Record,
    edges: Vectors3,
) -> Axis:
    """The best axis of a triangle and a core with these normals and edges."""
    t = body.corners
    best = Axis(-NEVER, RESTING, ZERO, ZERO, ZERO, 1.0, 0, 0)
    for n in normals:
        best = _better_normal(best, interval_triangle(t, n), interval(core, n), n, RESTING)
    for n in body.normals:
        best = _better_normal(best, interval_triangle(t, n), interval(core, n), n, MOVING)
    for e in triangle_edges(t):
        for f in edges:
            n = edge_axis(e, f)
            best = _better_product(best, interval_triangle(t, n), interval(core, n), n, e, f)
    return best


@device
def step_of_facets(
    interval: Callable[[Record, Vec3], Interval],
    corner: Callable[[Record, Heights, float, float], float],
    body: Facets,
    core: Record,
    axis: Axis,
    slack: float,
    size: float,
    path: Path,
    rest: Remainder,
) -> float:
    """The cot of the step up to which the axis separates them."""
    t, n, turn = body.corners, axis.normal, path.turn
    if axis.kind == MOVING:
        plane = depths_under_plane(path, rest, n, interval_triangle(t, n).low - slack)
        return corner(core, plane, turn, -NEVER)
    cot = NEVER
    if axis.kind == CROSSED:
        product = length(axis.e) * length(axis.f)
        edges = heights_over_edges(path, rest, axis.e, axis.f, size * product, axis.sign, slack)
        cot = corner(core, heights_of_point(edges, t.a), turn, -NEVER)
        cot = corner(core, heights_of_point(edges, t.b), turn, cot)
        cot = corner(core, heights_of_point(edges, t.c), turn, cot)
        if length_sq(cross(axis.e, axis.f)) > NEARLY_PARALLEL_SQ * product * product:
            return cot
    plane = heights_over_plane(path, rest, n, interval(core, n).high + slack)
    return min(cot, corner_facets(body, plane, turn, -NEVER))
