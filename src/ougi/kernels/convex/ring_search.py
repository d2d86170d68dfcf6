"""The direction of the least overlap where all directions around an axis may be almost equally good.

Directions are divided by their angle from the axis and their azimuth around it. A point of a body of
revolution stands for its circle. So a cell of directions is long around the axis, as far as the bodies are
round about it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device, procedure
from ougi._typing import Floats
from ougi.kernels.convex.constants import (
    BETTER,
    COAXIAL,
    CONE,
    CYLINDER,
    ELLIPSOID,
    MAX_ASPECT,
    MAX_BALL_ASPECT,
    MAX_RING_CELLS,
    MAX_TILT,
    POLAR_TILTS,
    RING_CELL_SIZE,
)
from ougi.kernels.convex.gjk_solids import find_solid_support, gap_of_solids
from ougi.kernels.convex.polytope import RelativePose, from_axes, measure_size, to_axes
from ougi.kernels.convex.records import Hull3d
from ougi.kernels.records import Vec2, Vec3
from ougi.kernels.vec3 import along, cross, dot, length, neg, perpendicular, scale, sub

_ZERO = Vec3(0.0, 0.0, 0.0)
_X, _Y, _Z = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)
OWN_POSE = RelativePose(_ZERO, _X, _Y, _Z)


@device
def measure_bend(h: Hull3d) -> float:
    """How far the furthest point moves where it moves most, as a direction turns away from the axis."""
    if h.rank == CONE:
        return math.sqrt(h.scale.x * h.scale.x + 4.0 * h.scale.z * h.scale.z)
    return 2.0 * h.scale.z if h.rank == CYLINDER else 0.0


class CellSearch(NamedTuple):
    """A better direction and its gap if there is one, and whether all other directions are excluded."""

    gap: float
    normal: Vec3
    is_complete: bool


class RoundSolid(NamedTuple):
    """A cylinder, a cone, or an ellipsoid that is nearly one of revolution, in the frame of a.

    Its sections across the axis are ellipses along x and y. The largest one has radii `narrow` <= `wide`. An
    ellipsoid that is nearly a ball has one section: all of it.
    """

    exists: bool
    is_ball: bool
    axis: Vec3
    x: Vec3
    y: Vec3
    narrow: float
    wide: float
    height: float


@device
def _make_round_solid(exists: bool, pose: RelativePose, radii: Vec3) -> RoundSolid:
    """The axis is that of z."""
    x, y, height = radii
    low, high = min(x, min(y, height)), max(x, max(y, height))
    is_ball = high <= MAX_BALL_ASPECT * low
    if x > y:
        return RoundSolid(exists, is_ball, pose.z, pose.y, pose.x, y, x, height)
    return RoundSolid(exists, is_ball, pose.z, pose.x, pose.y, x, y, height)


@device
def find_round_solid(h: Hull3d, pose: RelativePose, tolerance: float) -> RoundSolid:
    """The round solid of a record, of which the axes are given; radii that differ by a tolerance are equal.

    The axis of an ellipsoid is that one across which its radii differ least.
    """
    r = h.scale
    if h.rank < ELLIPSOID:
        return RoundSolid(h.rank >= CYLINDER, False, pose.z, pose.x, pose.y, r.x, r.x, r.z)
    xy, yz, zx = abs(r.x - r.y), abs(r.y - r.z), abs(r.z - r.x)
    if xy <= yz and xy <= zx:
        s = _make_round_solid(True, pose, r)
    elif yz <= zx:
        s = _make_round_solid(True, RelativePose(_ZERO, pose.y, pose.z, pose.x), Vec3(r.y, r.z, r.x))
    else:
        s = _make_round_solid(True, RelativePose(_ZERO, pose.z, pose.x, pose.y), Vec3(r.z, r.x, r.y))
    wide = s.narrow if s.wide - s.narrow <= tolerance and not s.is_ball else s.wide
    exists = s.is_ball or wide <= MAX_ASPECT * s.narrow
    return RoundSolid(exists, s.is_ball, s.axis, s.x, s.y, s.narrow, wide, s.height)


@device
def are_nearly_coaxial(a: Hull3d, b: Hull3d, to: RelativePose) -> bool:
    of_a, of_b = find_round_solid(a, OWN_POSE, 0.0), find_round_solid(b, to, 0.0)
    if not (of_a.exists and of_b.exists):
        return False
    side = length(cross(to.offset, of_a.axis))
    return length(cross(of_a.axis, of_b.axis)) <= COAXIAL and side <= COAXIAL * measure_size(a, b, to)


@device
def _measure_section(s: RoundSolid, n: Vec3) -> float:
    """How far the largest section reaches along a vector, from the axis on."""
    x, y = s.narrow * dot(n, s.x), s.wide * dot(n, s.y)
    z = s.height * dot(n, s.axis) if s.is_ball else 0.0
    return math.sqrt(x * x + y * y + z * z)


@device
def _find_section(s: RoundSolid, rank: int, n: Vec3) -> Vec2:
    """The section that reaches furthest along a vector: its share of the largest one, and its level."""
    if s.is_ball:
        return Vec2(1.0, 0.0)
    level, across = s.height * dot(n, s.axis), _measure_section(s, n)
    if rank == ELLIPSOID:
        reach = math.sqrt(across * across + level * level)
        return Vec2(across / reach, s.height * level / reach) if reach > 0.0 else Vec2(0.0, 0.0)
    if rank == CONE:
        return Vec2(0.0, s.height) if 2.0 * level >= across else Vec2(1.0, -s.height)
    return Vec2(1.0, s.height if level > 0.0 else (-s.height if level < 0.0 else 0.0))


class RingBound(NamedTuple):
    """Bounds of second derivatives of the reach of the largest section, by angles around and from an axis.

    Around the axis it is at most across * sine + along * cosine of the angle from the axis. From the axis, of
    what is not linear, it is at most slope / sine**3, or `bulge` for a ball. `radius` is its least radius.
    """

    across: float
    along: float
    slope: float
    bulge: float
    radius: float


@device
def _bound_ball(s: RoundSolid, u: Vec3) -> RingBound:
    """Bounds for nearly a ball, as below: Q is low^2 and the excess of the squares along its axes."""
    low = min(s.narrow, s.height)
    high = max(s.wide, s.height)
    x, y = (s.narrow - low) * (s.narrow + low), (s.wide - low) * (s.wide + low)
    z = (s.height - low) * (s.height + low)
    at_x, at_y, at_z = dot(u, s.x), dot(u, s.y), dot(u, s.axis)
    e = perpendicular(u)
    f = cross(u, e)
    ex, ey, ez = dot(e, s.x), dot(e, s.y), dot(e, s.axis)
    fx, fy, fz = dot(f, s.x), dot(f, s.y), dot(f, s.axis)
    difference = x * (fx * fx - ex * ex) + y * (fy * fy - ey * ey) + z * (fz * fz - ez * ez)
    mixed = 2.0 * (x * ex * fx + y * ey * fy + z * ez * fz)
    ue, uf = x * at_x * ex + y * at_y * ey + z * at_z * ez, x * at_x * fx + y * at_y * fy + z * at_z * fz
    bulge = (high - low) * (high + low) / low + high - low
    across = math.sqrt(difference * difference + mixed * mixed) / low
    return RingBound(across, math.sqrt(ue * ue + uf * uf) / low, 0.0, bulge, low)


@device
def _bound_ring(s: RoundSolid, u: Vec3, tilt: float) -> RingBound:
    """Bounds for directions farther from the axis u than POLAR_TILTS times the sine of the tilt of the solid.

    The square of the reach is n . Q n, where Q = narrow^2 (1 - v v) + (wide^2 - narrow^2) y y. With n = sine
    e + cosine u and f = u x e, the second derivative around the axis u is at most sine (sine (f . Q f - e . Q
    e) - cosine u . Q e) / reach. From it, reach + reach'' = (e . Q e) (u . Q u) - (e . Q u)^2 over reach^3.
    The reach is at least narrow (sine cos(tilt) - sin(tilt)).
    """
    if not s.exists or not s.narrow > 0.0:
        return RingBound(0.0, 0.0, 0.0, 0.0, 0.0)
    if s.is_ball:
        return _bound_ball(s, u)
    share = 1.0 / (math.sqrt(max(1.0 - tilt * tilt, 0.0)) - 1.0 / POLAR_TILTS) if tilt > 0.0 else 1.0
    low, high = s.narrow * s.narrow, s.wide * s.wide
    return RingBound(
        share * (low * tilt * tilt + high - low) / s.narrow,
        share * tilt * high / s.narrow,
        (high * tilt) ** 2 * (share / s.narrow) ** 3,
        0.0,
        0.0,
    )


class Rings(NamedTuple):
    """Two bodies as seen from an axis u with x and y across it. Bodies that are not round count by points."""

    u: Vec3
    x: Vec3
    y: Vec3
    of_a: RoundSolid
    of_b: RoundSolid
    bound_a: RingBound
    bound_b: RingBound


class RingPoint(NamedTuple):
    """A section of a less one of b: the difference of their centers, and shares of the largest sections."""

    center: Vec3
    share_a: float
    share_b: float


@device
def _find_ring_point(a: Hull3d, b: Hull3d, to: RelativePose, rings: Rings, n: Vec3) -> RingPoint:
    """The sections of a and b that reach furthest along n and against it."""
    share_a, share_b = 0.0, 0.0
    if rings.of_a.exists:
        s = _find_section(rings.of_a, a.rank, n)
        share_a, p = s.x, scale(rings.of_a.axis, s.y)
    else:
        p = find_solid_support(a, n)
    if rings.of_b.exists:
        s = _find_section(rings.of_b, b.rank, neg(n))
        share_b, q = s.x, scale(rings.of_b.axis, s.y)
    else:
        q = from_axes(find_solid_support(b, neg(to_axes(n, to))), to)
    return RingPoint(sub(sub(p, q), to.offset), share_a, share_b)


class Angle(NamedTuple):
    value: float
    cosine: float
    sine: float


@device
def _make_angle(value: float) -> Angle:
    return Angle(value, math.cos(value), math.sin(value))


@device
def _make_direction(rings: Rings, polar: Angle, around: Angle) -> Vec3:
    across = along(scale(rings.x, around.cosine), rings.y, around.sine)
    return along(scale(rings.u, polar.cosine), across, polar.sine)


class RingCell(NamedTuple):
    """All directions between two angles from an axis and two azimuths, and the points of its corners.

    p and q are those of the first azimuth at both angles, r and s those of the second one.
    """

    low: Angle
    high: Angle
    first: Angle
    second: Angle
    p: RingPoint
    q: RingPoint
    r: RingPoint
    s: RingPoint


@device
def _store_angle(cells: Floats, k: int, t: Angle) -> None:
    cells[k], cells[k + 1], cells[k + 2] = t.value, t.cosine, t.sine


@device
def _load_angle(cells: Floats, k: int) -> Angle:
    return Angle(cells[k], cells[k + 1], cells[k + 2])


@device
def _store_point(cells: Floats, k: int, p: RingPoint) -> None:
    cells[k], cells[k + 1], cells[k + 2] = p.center.x, p.center.y, p.center.z
    cells[k + 3], cells[k + 4] = p.share_a, p.share_b


@device
def _load_point(cells: Floats, k: int) -> RingPoint:
    return RingPoint(Vec3(cells[k], cells[k + 1], cells[k + 2]), cells[k + 3], cells[k + 4])


@device
def _store_cell(cells: Floats, i: int, c: RingCell) -> None:
    k = RING_CELL_SIZE * i
    _store_angle(cells, k, c.low)
    _store_angle(cells, k + 3, c.high)
    _store_angle(cells, k + 6, c.first)
    _store_angle(cells, k + 9, c.second)
    _store_point(cells, k + 12, c.p)
    _store_point(cells, k + 17, c.q)
    _store_point(cells, k + 22, c.r)
    _store_point(cells, k + 27, c.s)


@device
def _load_cell(cells: Floats, i: int) -> RingCell:
    k = RING_CELL_SIZE * i
    return RingCell(
        _load_angle(cells, k), _load_angle(cells, k + 3), _load_angle(cells, k + 6),
        _load_angle(cells, k + 9), _load_point(cells, k + 12), _load_point(cells, k + 17),
        _load_point(cells, k + 22), _load_point(cells, k + 27),
    )  # fmt: skip


class Reaches(NamedTuple):
    """What a point reaches beyond a depth along the four corners of a cell."""

    p: float
    q: float
    r: float
    s: float


class CornerDirection(NamedTuple):
    """A direction, and how far the largest sections reach along it."""

    n: Vec3
    reach_a: float
    reach_b: float


@device
def _measure_corner(rings: Rings, polar: Angle, around: Angle) -> CornerDirection:
    n = _make_direction(rings, polar, around)
    reach_a = _measure_section(rings.of_a, n) if rings.of_a.exists else 0.0
    return CornerDirection(n, reach_a, _measure_section(rings.of_b, n) if rings.of_b.exists else 0.0)


@device
def _measure_reach(p: RingPoint, d: CornerDirection) -> float:
    return dot(p.center, d.n) + p.share_a * d.reach_a + p.share_b * d.reach_b


class Loss(NamedTuple):
    """How far the reach of a point of a cell may lie below that between corners.

    Between two azimuths it is a share of the sine and one of the cosine of the angle from the axis, and
    between two angles it is `bent`.
    """

    of_sine: float
    of_cosine: float
    bent: float


class LossFactors(NamedTuple):
    """Factors of a cell for second derivatives around the axis and from it, and what depends on no point."""

    around: float
    slope: float
    bulge: float
    lack: float


@device
def _measure_loss(rings: Rings, f: LossFactors, p: RingPoint) -> Loss:
    m, a, b = p.center, rings.bound_a, rings.bound_b
    side = length(along(m, rings.u, -dot(m, rings.u)))
    bent = f.slope * (p.share_a * a.slope + p.share_b * b.slope)
    return Loss(
        f.around * (side + p.share_a * a.across + p.share_b * b.across),
        f.around * (p.share_a * a.along + p.share_b * b.along),
        bent + f.bulge * (p.share_a * a.bulge + p.share_b * b.bulge) + f.lack,
    )


class CellCorners(NamedTuple):
    """The directions of a cell: of the first azimuth at both angles, and of the second one."""

    p: CornerDirection
    q: CornerDirection
    r: CornerDirection
    s: CornerDirection


@device
def _measure_excess(c: RingCell, at: CellCorners, x: RingPoint, loss: Loss, depth: float) -> Reaches:
    """What a point reaches beyond a depth along the corners of a cell, less its losses."""
    low = depth + loss.bent + c.low.sine * loss.of_sine + abs(c.low.cosine) * loss.of_cosine
    high = depth + loss.bent + c.high.sine * loss.of_sine + abs(c.high.cosine) * loss.of_cosine
    return Reaches(
        _measure_reach(x, at.p) - low, _measure_reach(x, at.q) - high,
        _measure_reach(x, at.r) - low, _measure_reach(x, at.s) - high,
    )  # fmt: skip


@device
def _is_far(x: Reaches) -> bool:
    return x.p >= 0.0 and x.q >= 0.0 and x.r >= 0.0 and x.s >= 0.0


@device
def _is_far_between(x: Reaches, y: Reaches) -> bool:
    """Is there a point between two points whose excess is nowhere negative?"""
    low, high = 0.0, 1.0
    for p, q in ((x.p, y.p), (x.q, y.q), (x.r, y.r), (x.s, y.s)):
        slope = q - p
        if slope > 0.0:
            low = max(low, -p / slope)
        elif slope < 0.0:
            high = min(high, -p / slope)
        elif p < 0.0:
            return False
    return low <= high


class CellState(NamedTuple):
    """Is a cell excluded, and if not, is it divided between its azimuths or between its angles?"""

    is_far: bool
    is_split_around: bool


@procedure
def _judge_cell(rings: Rings, c: RingCell, depth: float) -> CellState:
    """Does a point between two of a cell reach a depth along all directions of it?

    Along a meridian the reach of a point is at least that of a sum of both ends with weights whose sum is at
    least 1, less a loss. Between two meridians it is at least linear, less another loss.
    """
    wide, tall = c.second.value - c.first.value, c.high.value - c.low.value
    if tall > 0.5 * math.pi:
        return CellState(False, False)
    at = CellCorners(
        _measure_corner(rings, c.low, c.first), _measure_corner(rings, c.high, c.first),
        _measure_corner(rings, c.low, c.second), _measure_corner(rings, c.high, c.second),
    )  # fmt: skip
    min_sine = min(c.low.sine, c.high.sine)
    bend = 0.17 * tall * tall  # at least 1 / cos(tall / 2) - 1
    lack = bend * max(rings.bound_a.radius + rings.bound_b.radius - depth, 0.0)
    factors = LossFactors(0.125 * wide * wide, bend / min_sine**3 if min_sine > 0.0 else 0.0, bend, lack)
    loss_p, loss_q = _measure_loss(rings, factors, c.p), _measure_loss(rings, factors, c.q)
    loss_r, loss_s = _measure_loss(rings, factors, c.r), _measure_loss(rings, factors, c.s)
    p, q = _measure_excess(c, at, c.p, loss_p, depth), _measure_excess(c, at, c.q, loss_q, depth)
    r, s = _measure_excess(c, at, c.r, loss_r, depth), _measure_excess(c, at, c.s, loss_s, depth)
    if _is_far(p) or _is_far(q) or _is_far(r) or _is_far(s):
        return CellState(True, False)
    if _is_far_between(p, q) or _is_far_between(r, s) or _is_far_between(p, r) or _is_far_between(q, s):
        return CellState(True, False)
    if _is_far_between(p, s) or _is_far_between(q, r):
        return CellState(True, False)
    # What the points of two corners lose along each other's.
    sine, cosine = max(c.low.sine, c.high.sine), max(abs(c.low.cosine), abs(c.high.cosine))
    turned = max(p.p + r.r - p.r - r.p, q.q + s.s - q.s - s.q)
    turned += 2.0 * sine * max(max(loss_p.of_sine, loss_q.of_sine), max(loss_r.of_sine, loss_s.of_sine))
    turned += (
        2.0 * cosine * max(max(loss_p.of_cosine, loss_q.of_cosine), max(loss_r.of_cosine, loss_s.of_cosine))
    )
    bent = max(p.p + q.q - p.q - q.p, r.r + s.s - r.s - s.r)
    bent += 2.0 * max(max(loss_p.bent, loss_q.bent), max(loss_r.bent, loss_s.bent))
    return CellState(False, turned > bent if turned != bent else wide > tall)


class RingState(NamedTuple):
    """The best direction so far, its gap, and the cells that may still be tried."""

    gap: float
    normal: Vec3
    steps_left: int


@device
def _try_point(
    a: Hull3d, b: Hull3d, to: RelativePose, rings: Rings, best: RingState, p: RingPoint, polar: Angle,
    around: Angle, tolerance: float,
) -> RingState:  # fmt: skip
    """The direction of a corner of a cell, if it is better by half a tolerance."""
    at = _measure_corner(rings, polar, around)
    if _measure_reach(p, at) < -best.gap - 0.5 * tolerance:
        gap = gap_of_solids(a, b, to, at.n)
        if gap > best.gap:
            return RingState(gap, at.n, best.steps_left)
    return best


@procedure
def _search_band(
    a: Hull3d, b: Hull3d, to: RelativePose, rings: Rings, low: float, high: float, start: Vec2,
    best: RingState, tolerance: float, cells: Floats,
) -> RingState:  # fmt: skip
    """The best direction between two angles from the axis; with no steps left if that is not proved."""
    count = 0
    for k in range(4):
        bottom, top = (low, min(max(start.x, low), high)) if k < 2 else (min(max(start.x, low), high), high)
        if top > bottom:
            left = start.y + math.pi * (k % 2)
            t, u = _make_angle(bottom), _make_angle(top)
            v, w = _make_angle(left), _make_angle(left + math.pi)
            p = _find_ring_point(a, b, to, rings, _make_direction(rings, t, v))
            q = _find_ring_point(a, b, to, rings, _make_direction(rings, u, v))
            r = _find_ring_point(a, b, to, rings, _make_direction(rings, t, w))
            s = _find_ring_point(a, b, to, rings, _make_direction(rings, u, w))
            best = _try_point(a, b, to, rings, best, p, t, v, tolerance)
            best = _try_point(a, b, to, rings, best, q, u, v, tolerance)
            best = _try_point(a, b, to, rings, best, r, t, w, tolerance)
            best = _try_point(a, b, to, rings, best, s, u, w, tolerance)
            _store_cell(cells, count, RingCell(t, u, v, w, p, q, r, s))
            count += 1
    worth = best.gap + BETTER * tolerance
    while count > 0 and best.steps_left > 0 and best.gap < worth:
        best = RingState(best.gap, best.normal, best.steps_left - 1)
        c = _load_cell(cells, count - 1)
        state = _judge_cell(rings, c, -best.gap - tolerance)
        if state.is_far:
            count -= 1
            continue
        if count == MAX_RING_CELLS:
            return RingState(best.gap, best.normal, 0)
        if state.is_split_around:
            t = _make_angle(0.5 * (c.first.value + c.second.value))
            p = _find_ring_point(a, b, to, rings, _make_direction(rings, c.low, t))
            q = _find_ring_point(a, b, to, rings, _make_direction(rings, c.high, t))
            best = _try_point(a, b, to, rings, best, p, c.low, t, tolerance)
            best = _try_point(a, b, to, rings, best, q, c.high, t, tolerance)
            _store_cell(cells, count - 1, RingCell(c.low, c.high, c.first, t, c.p, c.q, p, q))
            _store_cell(cells, count, RingCell(c.low, c.high, t, c.second, p, q, c.r, c.s))
        else:
            t = _make_angle(0.5 * (c.low.value + c.high.value))
            p = _find_ring_point(a, b, to, rings, _make_direction(rings, t, c.first))
            r = _find_ring_point(a, b, to, rings, _make_direction(rings, t, c.second))
            best = _try_point(a, b, to, rings, best, p, t, c.first, tolerance)
            best = _try_point(a, b, to, rings, best, r, t, c.second, tolerance)
            _store_cell(cells, count - 1, RingCell(c.low, t, c.first, c.second, c.p, p, c.r, r))
            _store_cell(cells, count, RingCell(t, c.high, c.first, c.second, p, c.q, r, c.s))
        count += 1
    return best if count == 0 else RingState(best.gap, best.normal, 0)


@device
def _hide(s: RoundSolid) -> RoundSolid:
    return RoundSolid(False, s.is_ball, s.axis, s.x, s.y, s.narrow, s.wide, s.height)


@procedure
def search_around(
    a: Hull3d, b: Hull3d, to: RelativePose, gap: float, n: Vec3, u: Vec3, tolerance: float, max_steps: int,
    cells: Floats,
) -> CellSearch:  # fmt: skip
    """A direction that is better than n, or the proof that none is by a tolerance, by cells around an axis.

    A body whose axis is tilted by more than a limit counts by points, and so does any tilted one near the
    axis.
    """
    of_a = find_round_solid(a, OWN_POSE, 0.125 * tolerance)
    of_b = find_round_solid(b, to, 0.125 * tolerance)
    tilt_a, tilt_b = length(cross(of_a.axis, u)), length(cross(of_b.axis, u))
    tilt_a, tilt_b = 0.0 if of_a.is_ball else tilt_a, 0.0 if of_b.is_ball else tilt_b
    of_a = of_a if tilt_a <= MAX_TILT else _hide(of_a)
    of_b = of_b if tilt_b <= MAX_TILT else _hide(of_b)
    x = perpendicular(u)
    y = cross(u, x)
    tilt = max(tilt_a if of_a.exists else 0.0, tilt_b if of_b.exists else 0.0)
    cap = math.asin(min(POLAR_TILTS * tilt, 1.0))
    height = dot(n, u)
    start = Vec2(math.atan2(length(along(n, u, -height)), height), math.atan2(dot(n, y), dot(n, x)))
    best = RingState(gap, n, max_steps)
    rings = Rings(u, x, y, of_a, of_b, _bound_ring(of_a, u, tilt_a), _bound_ring(of_b, u, tilt_b))
    best = _search_band(a, b, to, rings, cap, math.pi - cap, start, best, tolerance, cells)
    if cap > 0.0:
        of_a = of_a if tilt_a == 0.0 else _hide(of_a)
        of_b = of_b if tilt_b == 0.0 else _hide(of_b)
        rings = Rings(u, x, y, of_a, of_b, _bound_ring(of_a, u, 0.0), _bound_ring(of_b, u, 0.0))
        best = _search_band(a, b, to, rings, 0.0, cap, start, best, tolerance, cells)
        best = _search_band(a, b, to, rings, math.pi - cap, math.pi, start, best, tolerance, cells)
    return CellSearch(best.gap, best.normal, best.steps_left > 0)
