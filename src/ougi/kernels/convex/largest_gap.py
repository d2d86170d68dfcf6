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
    MAX_CELLS,
    MAX_PROXIMAL_STEPS,
    NEXT_TO,
    PUSHED_OUT,
    SLOW,
    TILT,
)
from ougi.kernels.convex.gjk_solids import approach_solids, find_solid_corner, gap_of_solids
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
def approach_beyond(a: Hull3d, b: Hull3d, to: RelativePose, gap: float, n: Vec3, apart: float) -> Simplex:
    """The nearest simplex after b was moved along n until the gap is `apart`, a share of the size."""
    size = measure_size(a, b, to)
    out = RelativePose(along(to.offset, n, apart * size - gap), to.x, to.y, to.z)
    return approach_solids(a, b, out, n, -1.0, 0.25 * ROUNDING * size).simplex


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

    b is moved along n until it is just apart from a. The direction between their nearest points then is as
    good as n, or better (proximal point method). The nearer they are, the further one step leads. Of deep
    overlaps it leads a small share of the turn, so steps start further and further ahead.
    """
    rounding = 0.25 * ROUNDING * measure_size(a, b, to)
    best = (gap_of_solids(a, b, to, n), n)
    apart, ahead, turn = PUSHED_OUT, 0.0, _ZERO
    for _ in range(MAX_PROXIMAL_STEPS):
        gap, y = try_normal((-LARGEST, n), a, b, to, along(best[1], turn, ahead))
        new = try_normal((gap, y), a, b, to, approach_beyond(a, b, to, gap, y, apart).point)
        new = try_normal(new, a, b, to, _sharpen_normal(a, b, to, new[1]))
        if new[0] > best[0] + rounding:
            before, turn = turn, sub(new[1], best[1])
            is_slow = length_sq(turn) > SLOW * SLOW * length_sq(before) > 0.0
            ahead = 2.0 * ahead + 1.0 if is_slow else 0.0
            best = new
        elif ahead > 0.0:
            ahead = 0.0
        elif apart <= NEXT_TO:
            break
        apart = NEXT_TO
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
    Of those that may be better by less than a tolerance, the best are improved if they lie elsewhere.
    """
    size = measure_size(a, b, to)
    best = improve_normal(a, b, to, _find_start(a, b, to, start))
    best = _search_cells(a, b, to, best, COARSE_TOLERANCE * size)
    return _search_cells(a, b, to, best, DEPTH_TOLERANCE * size)


class OtherDirections(NamedTuple):
    """Up to three directions that lie apart from each other, with their gaps."""

    first: tuple[float, Vec3]
    second: tuple[float, Vec3]
    third: tuple[float, Vec3]


@device
def _choose(old: tuple[float, Vec3], new: tuple[float, Vec3]) -> tuple[float, Vec3]:
    return new if new[0] > old[0] else old


@procedure
def _add_direction(c: OtherDirections, new: tuple[float, Vec3]) -> OtherDirections:
    """A new direction takes the place of one beside it, or of the worst one, if it is better."""
    by_first, by_second = dot(c.first[1], new[1]) > ELSEWHERE, dot(c.second[1], new[1]) > ELSEWHERE
    by_third = dot(c.third[1], new[1]) > ELSEWHERE
    if not (by_first or by_second or by_third):
        by_first = c.first[0] <= c.second[0] and c.first[0] <= c.third[0]
        by_second = c.second[0] <= c.third[0]
    if by_first:
        return OtherDirections(_choose(c.first, new), c.second, c.third)
    if by_second:
        return OtherDirections(c.first, _choose(c.second, new), c.third)
    return OtherDirections(c.first, c.second, _choose(c.third, new))


@procedure
def _search_cells(
    a: Hull3d, b: Hull3d, to: RelativePose, best: tuple[float, Vec3], tolerance: float
) -> tuple[float, Vec3]:
    """The best direction of all cells that may be better than the best so far by more than a tolerance."""
    cell = DirectionCell(0, 0, 0, 0)
    unknown = (-LARGEST, _ZERO)
    others = OtherDirections(unknown, unknown, unknown)
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
        if gain > 0.0 and dot(n, best[1]) < ELSEWHERE:
            others = _add_direction(others, (-reach, n))
        cell = _next_cell(cell)
    for other in (others.first, others.second, others.third):
        if other[0] > -LARGEST and dot(other[1], best[1]) < ELSEWHERE:
            best = _choose(best, improve_normal(a, b, to, other[1]))
    return best
