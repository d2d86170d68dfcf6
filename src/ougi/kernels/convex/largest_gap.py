"""The direction along which one convex solid lies furthest beyond another: minus the depth of an overlap.

A depth is the least reach of the difference a - b over all directions. Cells of directions are divided until
points of the difference prove that no direction in them is better.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device, procedure, reserve
from ougi._typing import Floats
from ougi.kernels.constants import LARGEST, ROUNDING
from ougi.kernels.convex.constants import (
    ABOVE,
    BESIDE,
    CELL_SIZE,
    CELLS_AROUND,
    COARSER,
    CYLINDER,
    DEPTH_TOLERANCE,
    ELLIPSOID,
    FINE,
    LIKELY_CELL_STEPS,
    LIKELY_RING_STEPS,
    MAX_CELL_NUMBERS,
    MAX_CELL_STEPS,
    MAX_CELLS,
    MAX_NEWTON_STEPS,
    MAX_PROXIMAL_STEPS,
    MAX_RING_STEPS,
    MAX_SEARCHES,
    NEXT_TO,
    PUSHED_OUT,
    ROUGH,
    SLOW,
    TILT,
)
from ougi.kernels.convex.gjk_solids import (
    approach_solids,
    find_solid_corner,
    find_solid_support,
    gap_of_solids,
    weigh,
)
from ougi.kernels.convex.polytope import RelativePose, from_axes, measure_size, to_axes
from ougi.kernels.convex.records import Hull3d
from ougi.kernels.convex.ring_search import (
    OWN_POSE,
    CellSearch,
    are_nearly_coaxial,
    find_round_solid,
    measure_bend,
    search_around,
)
from ougi.kernels.convex.simplex import Simplex
from ougi.kernels.records import Vec3
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


class Touch(NamedTuple):
    """The gap along a direction, and the points of a and b that touch after b was moved back by it."""

    gap: float
    normal: Vec3
    point_a: Vec3
    point_b: Vec3


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


@device
def _place_touch(s: Simplex, gap: float, n: Vec3, apart: float) -> Touch:
    """The points of bodies that were moved apart along n, the direction of the gap."""
    p, q = weigh(s)
    return Touch(gap, n, p, along(q, n, gap - apart))


@procedure
def improve_normal(a: Hull3d, b: Hull3d, to: RelativePose, n: Vec3) -> Touch:
    """A direction of locally largest gap, from n on.

    Newton's method is enough where both surfaces are smooth: then the points furthest along the direction lie
    above each other. Otherwise b is moved along n until it is just apart from a. The direction between their
    nearest points then is as good as n, or better (proximal point method). The nearer they are, the further
    one step leads. Of deep overlaps it leads a small share of the turn, so steps start further and further
    ahead.
    """
    size = measure_size(a, b, to)
    rounding = 0.25 * ROUNDING * size
    best = (gap_of_solids(a, b, to, n), n)
    for _ in range(MAX_NEWTON_STEPS):
        new = try_normal(best, a, b, to, _sharpen_normal(a, b, to, best[1]))
        if not new[0] > best[0] + rounding:
            break
        best = new
    c = find_solid_corner(a, b, to, best[1])
    if length(along(c.point, best[1], -best[0])) <= ABOVE * size:
        return Touch(best[0], best[1], c.a, c.b)
    apart, enough, ahead, turn = PUSHED_OUT * size, ROUGH * size, 0.0, _ZERO
    for _ in range(MAX_PROXIMAL_STEPS):
        gap, y = try_normal((-LARGEST, n), a, b, to, along(best[1], turn, ahead))
        out = RelativePose(along(to.offset, y, apart - gap), to.x, to.y, to.z)
        s = approach_solids(a, b, out, y, -1.0, enough).simplex
        new = try_normal((gap, y), a, b, to, s.point)
        new = try_normal(new, a, b, to, _sharpen_normal(a, b, to, new[1]))
        if new[0] > best[0] + rounding:
            before, turn = turn, sub(new[1], best[1])
            is_slow = length_sq(turn) > SLOW * SLOW * length_sq(before) > 0.0
            ahead = 2.0 * ahead + 1.0 if is_slow else 0.0
            best = new
        elif ahead > 0.0:
            ahead = 0.0
        elif apart <= NEXT_TO * size:
            return _place_touch(s, gap, y, apart)
        apart, enough = NEXT_TO * size, FINE * size
    gap, n = best
    out = RelativePose(along(to.offset, n, NEXT_TO * size - gap), to.x, to.y, to.z)
    return _place_touch(approach_solids(a, b, out, n, -1.0, FINE * size).simplex, gap, n, NEXT_TO * size)


# --- all directions -------------------------------------------------------------------------------------


class DirectionCell(NamedTuple):
    """All directions between three unit vectors, and the points of a - b that reach furthest along these."""

    n1: Vec3
    n2: Vec3
    n3: Vec3
    s1: Vec3
    s2: Vec3
    s3: Vec3


@device
def _reach_furthest(a: Hull3d, b: Hull3d, to: RelativePose, n: Vec3) -> Vec3:
    """The point of a - b that reaches furthest along n."""
    return neg(find_solid_corner(a, b, to, n).point)


@device
def _store_vector(cells: Floats, k: int, v: Vec3) -> None:
    cells[k], cells[k + 1], cells[k + 2] = v.x, v.y, v.z


@device
def _load_vector(cells: Floats, k: int) -> Vec3:
    return Vec3(cells[k], cells[k + 1], cells[k + 2])


@device
def _store_cell(cells: Floats, i: int, c: DirectionCell) -> None:
    k = CELL_SIZE * i
    _store_vector(cells, k, c.n1)
    _store_vector(cells, k + 3, c.n2)
    _store_vector(cells, k + 6, c.n3)
    _store_vector(cells, k + 9, c.s1)
    _store_vector(cells, k + 12, c.s2)
    _store_vector(cells, k + 15, c.s3)


@device
def _load_cell(cells: Floats, i: int) -> DirectionCell:
    k = CELL_SIZE * i
    return DirectionCell(
        _load_vector(cells, k), _load_vector(cells, k + 3), _load_vector(cells, k + 6),
        _load_vector(cells, k + 9), _load_vector(cells, k + 12), _load_vector(cells, k + 15),
    )  # fmt: skip


@device
def _measure_excess(c: DirectionCell, s: Vec3, depth: float) -> Vec3:
    """By how much a point reaches further than a depth along the three vectors of a cell."""
    return Vec3(dot(s, c.n1) - depth, dot(s, c.n2) - depth, dot(s, c.n3) - depth)


@device
def _is_far(x: Vec3) -> bool:
    return x.x >= 0.0 and x.y >= 0.0 and x.z >= 0.0


@device
def _is_far_between(x: Vec3, y: Vec3) -> bool:
    """Is there a point between two points whose excess is nowhere negative?"""
    low, high = 0.0, 1.0
    for p, q in ((x.x, y.x), (x.y, y.y), (x.z, y.z)):
        slope = q - p
        if slope > 0.0:
            low = max(low, -p / slope)
        elif slope < 0.0:
            high = min(high, -p / slope)
        elif p < 0.0:
            return False
    return low <= high


@device
def _reaches(c: DirectionCell, depth: float) -> bool:
    """Does a point on a side of the triangle of s1, s2 and s3 reach a depth along n1, n2 and n3?

    It then does so along all directions of the cell: these are sums of n1, n2 and n3 with weights whose sum
    is at least 1.
    """
    x, y = _measure_excess(c, c.s1, depth), _measure_excess(c, c.s2, depth)
    z = _measure_excess(c, c.s3, depth)
    if _is_far(x) or _is_far(y) or _is_far(z):
        return True
    return _is_far_between(x, y) or _is_far_between(y, z) or _is_far_between(z, x)


@device
def _turn_cell(c: DirectionCell) -> DirectionCell:
    """The same cell, with the two vectors first between which the furthest point changes most.

    What one of these points loses along the other vector is at most (s1 - s2) . (n1 - n2). So cells become
    narrow across edges and curves of a small radius, and stay long along them.
    """
    x = dot(sub(c.s1, c.s2), sub(c.n1, c.n2))
    y = dot(sub(c.s2, c.s3), sub(c.n2, c.n3))
    z = dot(sub(c.s3, c.s1), sub(c.n3, c.n1))
    if x >= y and x >= z:
        return c
    if y >= z:
        return DirectionCell(c.n2, c.n3, c.n1, c.s2, c.s3, c.s1)
    return DirectionCell(c.n3, c.n1, c.n2, c.s3, c.s1, c.s2)


class SymmetryPlane(NamedTuple):
    """A half-plane, bounded by an axis and with a vector across it, that contains a best direction."""

    exists: bool
    axis: Vec3
    across: Vec3


@device
def _move_into(plane: SymmetryPlane, n: Vec3) -> Vec3:
    """The direction of the half-plane at the same height along the axis, if there is a half-plane."""
    if not plane.exists:
        return n
    height = dot(n, plane.axis)
    across = length(along(n, plane.axis, -height))
    return unit_or(along(scale(plane.across, across), plane.axis, height), n)


@device
def _find_symmetry_axis(h: Hull3d, tolerance: float) -> Vec3:
    """The axis about which a curved solid is round, in its own frame, or zero."""
    r = h.scale
    if h.rank < CYLINDER:
        return _ZERO
    if h.rank < ELLIPSOID or abs(r.x - r.y) <= tolerance:
        return Vec3(0.0, 0.0, 1.0)
    if abs(r.y - r.z) <= tolerance:
        return Vec3(1.0, 0.0, 0.0)
    return Vec3(0.0, 1.0, 0.0) if abs(r.z - r.x) <= tolerance else _ZERO


@procedure
def _reach_beside(
    a: Hull3d, b: Hull3d, to: RelativePose, gap: float, n: Vec3, side: Vec3, tolerance: float
) -> Vec3:
    """The point of a - b that reaches furthest along n, of several the one that is furthest on one side."""
    angle = BESIDE * math.sqrt(min(-tolerance / gap, 1.0))
    s = _reach_furthest(a, b, to, unit_or(along(n, unit_or(side, n), angle), n))
    return s if dot(s, n) >= -gap - 0.25 * tolerance else _reach_furthest(a, b, to, n)


@procedure
def _divide_directions(
    a: Hull3d,
    b: Hull3d,
    to: RelativePose,
    gap: float,
    n: Vec3,
    plane: SymmetryPlane,
    tolerance: float,
    cells: Floats,
) -> int:
    """Store the first cells, of which n is a corner: cells of all directions, or three arcs of a half-plane.

    If the direction is the normal of a face of a - b, then its corner beside a cell proves most of that cell.
    """
    if plane.exists:
        w = plane.axis if dot(n, plane.axis) >= 0.0 else neg(plane.axis)
        u = plane.across
        at_w, at_u = _reach_furthest(a, b, to, w), _reach_furthest(a, b, to, u)
        s = _reach_beside(a, b, to, gap, n, sub(w, n), tolerance)
        _store_cell(cells, 0, DirectionCell(w, n, n, at_w, s, s))
        s = _reach_beside(a, b, to, gap, n, sub(u, n), tolerance)
        _store_cell(cells, 1, DirectionCell(u, n, n, at_u, s, s))
        _store_cell(cells, 2, DirectionCell(neg(w), u, u, _reach_furthest(a, b, to, neg(w)), at_u, at_u))
        return 3
    x = perpendicular(n)
    y, below = cross(n, x), _reach_furthest(a, b, to, neg(n))
    u, at_u = x, _reach_furthest(a, b, to, x)
    for k in range(CELLS_AROUND):
        angle = 2.0 * math.pi / CELLS_AROUND * (k + 1.0)
        v = along(scale(x, math.cos(angle)), y, math.sin(angle))
        at_v = _reach_furthest(a, b, to, v)
        s = _reach_beside(a, b, to, gap, n, add(u, v), tolerance)
        _store_cell(cells, k, DirectionCell(neg(n), u, v, below, at_u, at_v))
        _store_cell(cells, CELLS_AROUND + k, DirectionCell(n, u, v, s, at_u, at_v))
        u, at_u = v, at_v
    return 2 * CELLS_AROUND


@procedure
def _search_cells(
    a: Hull3d, b: Hull3d, to: RelativePose, touch: Touch, plane: SymmetryPlane, tolerance: float,
    max_steps: int, cells: Floats,
) -> CellSearch:  # fmt: skip
    """A direction that is better than n by half a tolerance, or the proof that none is by all of it."""
    gap, n = touch.gap, touch.normal
    depth = -gap - tolerance
    count = _divide_directions(a, b, to, gap, _move_into(plane, n), plane, tolerance, cells) - 1
    for k in range(count + 1):
        c = _load_cell(cells, k)
        for m, s in ((c.n1, c.s1), (c.n2, c.s2)):
            if dot(s, m) < depth + 0.5 * tolerance:
                return CellSearch(-dot(s, m), m, False)
    c = _load_cell(cells, count)
    for _ in range(max_steps):
        if _reaches(c, depth):
            if count == 0:
                return CellSearch(gap, n, True)
            count -= 1
            c = _load_cell(cells, count)
            continue
        c = _turn_cell(c)
        m = unit_or(add(c.n1, c.n2), c.n1)
        s = _reach_furthest(a, b, to, m)
        if dot(s, m) < depth + 0.5 * tolerance:
            return CellSearch(-dot(s, m), m, False)
        if count == MAX_CELLS:
            break
        _store_cell(cells, count, DirectionCell(m, c.n2, c.n3, s, c.s2, c.s3))
        count += 1
        c = DirectionCell(c.n1, m, c.n3, c.s1, s, c.s3)
    return CellSearch(gap, n, False)


# --- symmetry -------------------------------------------------------------------------------------------


@device
def _measure_width(h: Hull3d, u: Vec3) -> float:
    """The width of a body along a vector in its own frame."""
    return dot(u, sub(find_solid_support(h, u), find_solid_support(h, neg(u))))


@device
def _is_round_about(h: Hull3d, own: Vec3, axis: Vec3, tolerance: float) -> bool:
    """Is a body round about an axis, or a segment along it? `own` is its axis or zero; all in its frame."""
    if length(cross(own, axis)) * h.size <= tolerance and dot(own, own) > 0.5:
        return True
    u = perpendicular(axis)
    return _measure_width(h, u) <= tolerance and _measure_width(h, cross(axis, u)) <= tolerance


@device
def _get_axis_point(h: Hull3d) -> Vec3:
    """A point on the axis about which a body is round, in its own frame."""
    return _ZERO if h.rank >= CYLINDER else find_solid_support(h, Vec3(0.0, 0.0, 1.0))


@procedure
def _find_plane(a: Hull3d, b: Hull3d, to: RelativePose, tolerance: float) -> SymmetryPlane:
    """The half-plane that contains a best direction if both bodies are round about parallel axes.

    Of directions of one height along the axes, the best one points from the axis of a to that of b.
    """
    of_a, of_b = _find_symmetry_axis(a, tolerance), _find_symmetry_axis(b, tolerance)
    axis = of_a
    exists = dot(of_a, of_a) > 0.5 and _is_round_about(b, of_b, to_axes(of_a, to), tolerance)
    if not exists and dot(of_b, of_b) > 0.5:
        axis = from_axes(of_b, to)
        exists = _is_round_about(a, of_a, axis, tolerance)
    if not exists:
        return SymmetryPlane(False, _ZERO, _ZERO)
    between = sub(add(from_axes(_get_axis_point(b), to), to.offset), _get_axis_point(a))
    across = unit_or(along(between, axis, -dot(between, axis)), _ZERO)
    across = along(across, axis, -dot(across, axis))  # a short one is mostly rounding
    across = across if dot(across, across) > 0.5 else perpendicular(axis)
    return SymmetryPlane(True, axis, unit_or(across, axis))


@device
def _get_ball_radius(h: Hull3d, tolerance: float) -> float:
    """The radius of an ellipsoid that is a ball, or 0."""
    r = h.scale
    low, high = min(r.x, min(r.y, r.z)), max(r.x, max(r.y, r.z))
    return low if h.rank == ELLIPSOID and high - low <= tolerance else 0.0


@device
def _without_ball(h: Hull3d, radius: float) -> Hull3d:
    """An ellipsoid without a radius around all of it."""
    r = Vec3(h.scale.x - radius, h.scale.y - radius, h.scale.z - radius)
    return Hull3d(
        h.numbers, h.frame, r if radius > 0.0 else h.scale, h.radius, h.size, h.reach,
        h.rank, h.vertices, h.vertex_count, h.faces, h.face_count, h.edges, h.edge_count,
    )  # fmt: skip


@procedure
def _find_start(a: Hull3d, b: Hull3d, to: RelativePose, start: Vec3) -> tuple[float, Vec3]:
    """The best of a direction, of 26 around, and of the axes of b."""
    best = try_normal((-LARGEST, start), a, b, to, start)
    for k in range(33):
        axis = Vec3(k % 3 - 1.0, k // 3 % 3 - 1.0, k // 9 - 1.0)
        if k >= 27:
            axis = to.x if k < 29 else (to.y if k < 31 else to.z)
            axis = axis if k % 2 == 0 else neg(axis)
        best = try_normal(best, a, b, to, axis)
    return best


@procedure
def _search_directions(
    a: Hull3d, b: Hull3d, to: RelativePose, touch: Touch, plane: SymmetryPlane, tolerance: float,
    cells: Floats,
) -> CellSearch:  # fmt: skip
    """A direction that is better by half a tolerance, or the proof that none is by all of it.

    Cells around the axis of a round body come second, because they cost more; and first if both bodies are
    nearly coaxial, because then all directions around the axis may be almost equally good.
    """
    found = CellSearch(touch.gap, touch.normal, False)
    is_coaxial = not plane.exists and are_nearly_coaxial(a, b, to)
    if not is_coaxial:
        found = _search_cells(a, b, to, touch, plane, tolerance, LIKELY_CELL_STEPS, cells)
    first, second = find_round_solid(a, OWN_POSE, 0.0), find_round_solid(b, to, 0.0)
    if first.is_ball or (measure_bend(a) < measure_bend(b) and not second.is_ball):
        first, second = second, first
    for k in range(4):
        s = first if k % 2 == 0 else second
        steps = LIKELY_RING_STEPS if k < 2 else MAX_RING_STEPS
        if s.exists and not found.is_complete and not found.gap > touch.gap:
            found = search_around(a, b, to, touch.gap, touch.normal, s.axis, tolerance, steps, cells)
    if found.is_complete or found.gap > touch.gap:
        return found
    return _search_cells(a, b, to, touch, plane, tolerance, MAX_CELL_STEPS, cells)


@procedure
def find_largest_gap(a: Hull3d, b: Hull3d, to: RelativePose, start: Vec3) -> Touch:
    """The direction along which b lies furthest beyond a, and how far: minus the depth if they overlap.

    Better directions are searched for, and improved, until there is none that is better by more than a
    tolerance. Balls are points with a radius, because all directions may be equally good for them. For
    the same reason bodies that are round about parallel axes are searched in one half-plane only.
    """
    tolerance = DEPTH_TOLERANCE * measure_size(a, b, to)
    radius_a, radius_b = _get_ball_radius(a, 0.25 * tolerance), _get_ball_radius(b, 0.25 * tolerance)
    a, b = _without_ball(a, radius_a), _without_ball(b, radius_b)
    best = _find_start(a, b, to, start)
    if radius_a + radius_b > 0.0:  # without it they may be apart
        s = approach_solids(a, b, to, best[1], -1.0, 0.0).simplex
        best = try_normal(best, a, b, to, s.point) if s.corner_count < 4 else best
    plane = _find_plane(a, b, to, 0.25 * tolerance)
    touch = improve_normal(a, b, to, _move_into(plane, best[1]))
    cells = reserve(MAX_CELL_NUMBERS)
    for _ in range(MAX_SEARCHES):
        if touch.gap >= -tolerance:
            break
        found = _search_directions(a, b, to, touch, plane, tolerance, cells)
        is_better = found.gap > touch.gap
        if is_better:
            touch = improve_normal(a, b, to, found.normal)
        if found.is_complete:
            break
        if not is_better:
            tolerance *= COARSER
    n = touch.normal
    p, q = along(touch.point_a, n, radius_a), along(touch.point_b, n, -radius_b)
    return Touch(touch.gap - radius_a - radius_b, n, p, q)
