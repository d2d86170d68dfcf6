"""Convex solids given by support functions: polytopes, cylinders, cones and ellipsoids.

Nearest points are found by GJK, and proved: points of both bodies bound the distance from above, and the gap
along the normal bounds it from below. A depth is the least reach of the difference a - b over all directions.
Cells of directions are divided until no direction outside of them can be better: every point s of the
difference bounds its reach along n from below by s . n.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device, procedure
from ougi.kernels.constants import LARGEST, PROOF_ROUNDING, ROUNDING
from ougi.kernels.convex.constants import (
    ASIDE,
    COARSE_TOLERANCE,
    CONE,
    CYLINDER,
    DEPTH_TOLERANCE,
    ELLIPSOID,
    ELSEWHERE,
    LOOSE_TOLERANCE,
    MAX_ATTEMPTS,
    MAX_CELLS,
    MAX_PROXIMAL_STEPS,
    MAX_SOLID_STEPS,
    PUSHED_OUT,
    SOLID_TOLERANCE,
    TILT,
)
from ougi.kernels.convex.polytope import (
    RelativePose,
    Simplex,
    add_corner,
    find_support,
    from_axes,
    get_vertex,
    measure_size,
    on_corner,
    relate,
    to_axes,
)
from ougi.kernels.convex.records import Hull3d
from ougi.kernels.records import Separation3d, Vec3
from ougi.kernels.separation3d import add_radii
from ougi.kernels.vec3 import (
    add,
    along,
    cross,
    dot,
    length,
    length_sq,
    neg,
    perpendicular,
    scale,
    sub,
    unit_or,
)

_ZERO = Vec3(0.0, 0.0, 0.0)
_X = Vec3(1.0, 0.0, 0.0)


class SolidCorner(NamedTuple):
    """A point of b minus a point of a, and both, in the frame of a."""

    point: Vec3
    a: Vec3
    b: Vec3


class SolidSeparation(NamedTuple):
    """Signed distance, unit normal from a to b and points of both, in the frame of a and without radii."""

    distance: float
    normal: Vec3
    point_a: Vec3
    point_b: Vec3


@device
def find_solid_support(h: Hull3d, d: Vec3) -> Vec3:
    """The point that lies furthest along d; both in the own frame of the solid."""
    if h.rank < CYLINDER:
        return get_vertex(h, find_support(h, d))
    r, height = h.scale.x, h.scale.z
    if h.rank == ELLIPSOID:
        x, y, z = r * d.x, h.scale.y * d.y, height * d.z
        reach = math.sqrt(x * x + y * y + z * z)
        if not reach > 0.0:
            return _ZERO
        return Vec3(r * x / reach, h.scale.y * y / reach, height * z / reach)
    rho = math.sqrt(d.x * d.x + d.y * d.y)
    share = r / rho if rho > 0.0 else 0.0
    if h.rank == CONE:
        if 2.0 * height * d.z >= r * rho:
            return Vec3(0.0, 0.0, height)
        return Vec3(share * d.x, share * d.y, -height)
    level = height if d.z > 0.0 else (-height if d.z < 0.0 else 0.0)
    return Vec3(share * d.x, share * d.y, level)


@device
def find_solid_corner(a: Hull3d, b: Hull3d, to: RelativePose, d: Vec3) -> SolidCorner:
    """The corner of b - a that lies furthest against d."""
    p = find_solid_support(a, d)
    q = add(from_axes(find_solid_support(b, neg(to_axes(d, to))), to), to.offset)
    return SolidCorner(sub(q, p), p, q)


@device
def gap_of_solids(a: Hull3d, b: Hull3d, to: RelativePose, n: Vec3) -> float:
    """How far b lies beyond a along a unit vector n: a lower bound of the signed distance."""
    return dot(n, find_solid_corner(a, b, to, n).point)


@procedure
def approach(a: Hull3d, b: Hull3d, to: RelativePose, start: Vec3, limit: float) -> tuple[Simplex, float]:
    """The simplex of b - a nearest to the origin (GJK), and a lower bound of its distance.

    It stops as soon as the bound exceeds `limit`, if that is not negative.
    """
    rounding = PROOF_ROUNDING * measure_size(a, b, to)
    s = on_corner(find_solid_corner(a, b, to, start))
    lower = -LARGEST
    for _ in range(MAX_SOLID_STEPS):
        if s.corner_count == 4 or s.distance_sq <= rounding * rounding:
            break
        c = find_solid_corner(a, b, to, s.point)
        distance = math.sqrt(s.distance_sq)
        lower = max(lower, dot(s.point, c.point) / distance)
        if lower > limit >= 0.0 or distance - lower <= ROUNDING * distance:
            break
        new = add_corner(s, c)
        if new.corner_count == 4:
            if lower > 0.0 or new.distance_sq > 0.0:  # a sliver, of which rounding decides
                break
        elif new.distance_sq >= s.distance_sq:  # rounding
            break
        s = new
    return s, lower


@device
def weigh(s: Simplex) -> tuple[Vec3, Vec3]:
    """The points of a and b of which a simplex is the difference."""
    p = add(add(scale(s.first.a, s.weight_1), scale(s.second.a, s.weight_2)), scale(s.third.a, s.weight_3))
    q = add(add(scale(s.first.b, s.weight_1), scale(s.second.b, s.weight_2)), scale(s.third.b, s.weight_3))
    return p, q


@device
def _try_normal(
    best: tuple[float, Vec3], a: Hull3d, b: Hull3d, to: RelativePose, axis: Vec3
) -> tuple[float, Vec3]:
    n = unit_or(axis, _ZERO)
    if dot(n, n) > 0.5:
        gap = gap_of_solids(a, b, to, n)
        if gap > best[0]:
            best = (gap, n)
    return best


@device
def _find_face(s: Simplex) -> Vec3:
    """A vector square to a simplex of three corners, from a to b; zero for others."""
    if s.corner_count != 3:
        return _ZERO
    m = cross(sub(s.second.point, s.first.point), sub(s.third.point, s.first.point))
    return m if dot(m, s.first.point) >= 0.0 else neg(m)


@procedure
def _sharpen_normal(a: Hull3d, b: Hull3d, to: RelativePose, n: Vec3) -> Vec3:
    """One step of Newton's method for the direction of largest gap; right where both surfaces are smooth.

    The gap grows along the part of w, the nearest corner of b - a, that is square to n.
    """
    u = perpendicular(n)
    v = cross(n, u)
    w = find_solid_corner(a, b, to, n).point
    at_u = sub(find_solid_corner(a, b, to, along(n, u, TILT)).point, w)
    at_v = sub(find_solid_corner(a, b, to, along(n, v, TILT)).point, w)
    height = dot(w, n)
    uu, vv = dot(at_u, u) / TILT - height, dot(at_v, v) / TILT - height
    uv = 0.5 * (dot(at_u, v) + dot(at_v, u)) / TILT
    det = uu * vv - uv * uv
    if not det > 0.0:
        return n
    x, y = dot(w, u), dot(w, v)
    return along(along(n, u, (uv * y - vv * x) / det), v, (uv * x - uu * y) / det)


@procedure
def improve_normal(a: Hull3d, b: Hull3d, to: RelativePose, n: Vec3) -> tuple[float, Vec3]:
    """A direction of locally largest gap, from n on, and that gap.

    b is moved along n until it is apart from a. The direction between their nearest points then is as good as
    n, or better (proximal point method).
    """
    size = measure_size(a, b, to)
    best = (gap_of_solids(a, b, to, n), n)
    for _ in range(MAX_PROXIMAL_STEPS):
        gap, n = best
        out = RelativePose(along(to.offset, n, PUSHED_OUT * size - gap), to.x, to.y, to.z)
        s, _ = approach(a, b, out, n, -1.0)
        if s.corner_count == 4:
            break
        best = _try_normal(best, a, b, to, s.point)
        best = _try_normal(best, a, b, to, _find_face(s))
        best = _try_normal(best, a, b, to, _sharpen_normal(a, b, to, best[1]))
        if not best[0] > gap + 0.25 * ROUNDING * size:
            break
    return best


# --- all directions -------------------------------------------------------------------------------------


class DirectionCell(NamedTuple):
    """A square of directions on a face of a cube, of side 2 / 2**level."""

    face: int
    level: int
    i: int
    j: int


@device
def _point_at(cell: DirectionCell) -> tuple[Vec3, float]:
    """The unit vector through the middle of a cell, and the angle within which all its directions lie."""
    half = 1.0 / (1 << cell.level)
    u, v = (2 * cell.i + 1) * half - 1.0, (2 * cell.j + 1) * half - 1.0
    sign = 1.0 if cell.face < 3 else -1.0
    axis = cell.face % 3
    m = Vec3(sign, u, v) if axis == 0 else (Vec3(u, sign, v) if axis == 1 else Vec3(u, v, sign))
    far = math.sqrt(2.0) * half
    size = length(m)
    return scale(m, 1.0 / size), far / max(1.0, size - far)


@device
def _next_cell(cell: DirectionCell) -> DirectionCell:
    """The cell after this one and its parts; the cell of face 6 ends."""
    face, level, i, j = cell.face, cell.level, cell.i, cell.j
    while level > 0:
        if i % 2 == 0:
            return DirectionCell(face, level, i + 1, j)
        if j % 2 == 0:
            return DirectionCell(face, level, i - 1, j + 1)
        level, i, j = level - 1, i // 2, j // 2
    return DirectionCell(face + 1, 0, 0, 0)


@procedure
def _find_start(a: Hull3d, b: Hull3d, to: RelativePose, start: Vec3) -> Vec3:
    """The best of a direction, of 26 around, and of the axes of b."""
    best = _try_normal((-LARGEST, start), a, b, to, start)
    for k in range(27):
        best = _try_normal(best, a, b, to, Vec3(k % 3 - 1.0, k // 3 % 3 - 1.0, k // 9 - 1.0))
    for axis in (to.x, to.y, to.z):
        best = _try_normal(_try_normal(best, a, b, to, axis), a, b, to, neg(axis))
    return best[1]


@procedure
def find_largest_gap(a: Hull3d, b: Hull3d, to: RelativePose, start: Vec3) -> tuple[float, Vec3]:
    """The direction along which b lies furthest beyond a, and how far: minus the depth if they overlap.

    A point s of a - b reaches at least s . n along all n. Within an angle of a direction that is at least
    its reach there, less what it loses by turning. Cells that stay worse than the best direction are dropped.
    Directions of cells that may be better by less than a tolerance are improved, if they lie elsewhere.
    """
    size = measure_size(a, b, to)
    best = improve_normal(a, b, to, _find_start(a, b, to, start))
    best = _search_cells(a, b, to, best, COARSE_TOLERANCE * size)
    return _search_cells(a, b, to, best, DEPTH_TOLERANCE * size)


@procedure
def _search_cells(
    a: Hull3d, b: Hull3d, to: RelativePose, best: tuple[float, Vec3], tolerance: float
) -> tuple[float, Vec3]:
    """The best direction of all cells that may be better than the best so far by more than a tolerance."""
    cell = DirectionCell(0, 0, 0, 0)
    attempts = 0
    for _ in range(MAX_CELLS):
        if cell.face == 6:
            break
        n, angle = _point_at(cell)
        s = neg(find_solid_corner(a, b, to, n).point)
        reach = dot(s, n)
        if -reach > best[0]:
            best = improve_normal(a, b, to, n)
        beside = math.sqrt(max(length_sq(s) - reach * reach, 0.0))
        bound = reach - max(reach, 0.0) * 0.5 * angle * angle - beside * angle
        gain = -best[0] - bound
        if gain > tolerance:
            cell = DirectionCell(cell.face, cell.level + 1, 2 * cell.i, 2 * cell.j)
            continue
        if gain > 0.0 and attempts < MAX_ATTEMPTS and dot(n, best[1]) < ELSEWHERE:
            attempts += 1
            other = improve_normal(a, b, to, n)
            if other[0] > best[0]:
                best = other
        cell = _next_cell(cell)
    return best


# --- separation -----------------------------------------------------------------------------------------


@procedure
def _refine_points(a: Hull3d, b: Hull3d, to: RelativePose, n: Vec3) -> tuple[Vec3, Vec3]:
    """Nearest points of bodies that all but touch, by support points around the normal n."""
    u = perpendicular(n)
    v = cross(n, u)
    s = on_corner(find_solid_corner(a, b, to, n))
    tilt = ASIDE
    for _ in range(4):
        for axis in (u, v, neg(add(u, v)), sub(u, v), neg(u), neg(v)):
            new = add_corner(s, find_solid_corner(a, b, to, along(n, axis, tilt)))
            if new.corner_count < 4 and new.distance_sq < s.distance_sq:
                s = new
        tilt *= 10.0
    return weigh(s)


@procedure
def separate_solids(a: Hull3d, b: Hull3d, to: RelativePose, has_depth: bool) -> SolidSeparation:
    """The signed distance of two solids without their radii.

    Without `has_depth`, bodies that overlap may have the distance 0 and no points and normal.
    """
    size = measure_size(a, b, to)
    rounding = PROOF_ROUNDING * size
    start = unit_or(to.offset, _X)
    s, _ = approach(a, b, to, start, -1.0)
    if s.corner_count == 4 and s.distance_sq <= 0.0 and not has_depth:
        return SolidSeparation(0.0, _X, _ZERO, _ZERO)
    n = start
    if s.corner_count < 4:
        n = unit_or(s.point, start)
        p, q = weigh(s)
        distance = length(sub(q, p))
        # The direction between the points first: radii then move the points along the line through both.
        best = _try_normal((-LARGEST, n), a, b, to, s.point)
        if not distance - best[0] <= SOLID_TOLERANCE * size:
            best = _try_normal(best, a, b, to, _find_face(s))
        if distance > rounding and distance - best[0] <= SOLID_TOLERANCE * size:
            return SolidSeparation(distance, best[1], p, q)
        n = best[1]
    gap, n = improve_normal(a, b, to, n)
    if gap <= 0.0:
        gap, n = find_largest_gap(a, b, to, n)
    if gap > -rounding:
        p, q = _refine_points(a, b, to, n)
        again, _ = approach(a, b, to, n, -1.0)
        for near in (s, again):
            if near.corner_count < 4:
                u, v = weigh(near)
                if length_sq(sub(v, u)) < length_sq(sub(q, p)):
                    p, q = u, v
        if not gap > rounding:
            return SolidSeparation(min(gap, 0.0), n, p, q)
        n = _try_normal((gap - LOOSE_TOLERANCE * size, n), a, b, to, sub(q, p))[1]
        return SolidSeparation(length(sub(q, p)), n, p, q)
    out = RelativePose(along(to.offset, n, PUSHED_OUT * size - gap), to.x, to.y, to.z)
    s, _ = approach(a, b, out, n, -1.0)
    p, q = weigh(s)
    return SolidSeparation(gap, n, p, along(q, n, gap - PUSHED_OUT * size))


@procedure
def are_solids_within(a: Hull3d, b: Hull3d) -> bool:
    """Do two solids come as near as their radii?"""
    radius = a.radius + b.radius
    to = relate(a.frame, b.frame)
    s, lower = approach(a, b, to, unit_or(to.offset, _X), radius)
    if lower > radius:
        return False
    if s.distance_sq <= radius * radius:
        return True
    rounding = PROOF_ROUNDING * measure_size(a, b, to)
    if s.corner_count < 4 and math.sqrt(s.distance_sq) - lower <= rounding:
        return s.distance_sq <= (radius + rounding) ** 2
    return separate_solids(a, b, to, False).distance <= radius + rounding


@procedure
def place_separation(a: Hull3d, b: Hull3d) -> Separation3d:
    """The separation of two solids with their radii, in the world."""
    s = separate_solids(a, b, relate(a.frame, b.frame), True)
    p = add(from_axes(s.point_a, a.frame), a.frame.center)
    q = add(from_axes(s.point_b, a.frame), a.frame.center)
    return add_radii(p, q, s.distance, from_axes(s.normal, a.frame), a.radius, b.radius)
