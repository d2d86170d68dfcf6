"""The direction along which one convex solid lies furthest beyond another: minus the depth of an overlap.

A depth is the least reach of the difference a - b over all directions. Cells of directions are divided until
no direction outside of them can be better: every point s of the difference bounds its reach along n from
below by s . n.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device, procedure
from ougi.kernels.constants import LARGEST, ROUNDING
from ougi.kernels.convex.constants import (
    COARSE_TOLERANCE,
    DEPTH_TOLERANCE,
    ELSEWHERE,
    MAX_ATTEMPTS,
    MAX_CELLS,
    MAX_PROXIMAL_STEPS,
    PUSHED_OUT,
    TILT,
)
from ougi.kernels.convex.gjk_solids import approach, find_solid_corner, gap_of_solids
from ougi.kernels.convex.polytope import RelativePose, measure_size
from ougi.kernels.convex.records import Hull3d
from ougi.kernels.convex.simplex import Simplex
from ougi.kernels.records import Vec3
from ougi.kernels.vec3 import along, cross, dot, length, length_sq, neg, perpendicular, scale, sub, unit_or

_ZERO = Vec3(0.0, 0.0, 0.0)


@device
def try_normal(
    best: tuple[float, Vec3], a: Hull3d, b: Hull3d, to: RelativePose, axis: Vec3
) -> tuple[float, Vec3]:
    n = unit_or(axis, _ZERO)
    if dot(n, n) > 0.5:
        gap = gap_of_solids(a, b, to, n)
        if gap > best[0]:
            best = (gap, n)
    return best


@device
def find_face(s: Simplex) -> Vec3:
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
        best = try_normal(best, a, b, to, s.point)
        best = try_normal(best, a, b, to, find_face(s))
        best = try_normal(best, a, b, to, _sharpen_normal(a, b, to, best[1]))
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
    best = try_normal((-LARGEST, start), a, b, to, start)
    for k in range(27):
        best = try_normal(best, a, b, to, Vec3(k % 3 - 1.0, k // 3 % 3 - 1.0, k // 9 - 1.0))
    for axis in (to.x, to.y, to.z):
        best = try_normal(try_normal(best, a, b, to, axis), a, b, to, neg(axis))
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
