"""First contact of sectors, and of sectors and convex bodies, each of which moves by a screw or rests.

A sector is divided by angle into pieces of at most a right angle to each side. The convex hull of a piece
is the piece itself, but for what lies between the inner arc and its chord. Two hulls advance as two convex
bodies do. If they touch where a hull is no part of its sector, that piece is divided. A miss of all hulls is
a miss.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device, procedure
from ougi.kernels.constants import (
    APPROACH_SHARE,
    FREE,
    HIT,
    LIKELY_STEPS,
    MAX_CUTS,
    NEAR,
    NEVER,
    NO_PROGRESS,
    OVERLAPPING,
    RESOLUTION,
    WITH_A,
    WITH_B,
    WITH_EDGES,
)
from ougi.kernels.convex.constants import CONE, CURVED_SHARE, CYLINDER
from ougi.kernels.impact.convex.hull3d_hull3d import _cut_parabola
from ougi.kernels.impact.first_contact import Advance, Gap, LoopLimits, make_finder, make_limits
from ougi.kernels.impact.hulls import Hull, place_point
from ougi.kernels.impact.movers import ContactRecord, make_free, make_undecided, turn_until
from ougi.kernels.impact.two_movers import (
    HullPair,
    Line,
    Speeds,
    _bend_of_turning,
    _bend_with_body,
    _bound_speeds,
    _distance_from_axis,
    _motion_from,
    _rate_of_edges,
    _spin,
)
from ougi.kernels.pieces.constants import (
    BULGE_SHARE,
    CLOSED_SHARE,
    EARLIER,
    MAX_PIECES,
    MAX_STEPS_OF_PIECES,
    MIN_STEPS_OF_PIECES,
    OWN_AXIS,
    ROUGH,
    SECTOR,
    STUCK_SHARE,
)
from ougi.kernels.pieces.heights import MovingHeights, describe_heights, measure_line
from ougi.kernels.pieces.nearest import measure_gap
from ougi.kernels.pieces.records import (
    MovingBody,
    Piece,
    Slice,
    cut_piece,
    find_piece_support,
    measure_bulge,
    measure_sagitta,
)
from ougi.kernels.pieces.slices import (
    SlicePair,
    divide_slices,
    find_smallest_bound,
    pop_slices,
    push_first_slices,
)
from ougi.kernels.records import Frame, Impact3d, Screw3d, Vec3
from ougi.kernels.vec3 import NOWHERE, ZERO, add, along, cross, dot, length, neg, sub

_NONE = (ZERO,)


class MovingPieces(NamedTuple):
    """Two moving pieces and how near they may come; what the loop of first contacts queries."""

    a: Piece
    b: Piece
    speeds_a: Speeds
    speeds_b: Speeds
    motion_a: Screw3d
    motion_b: Screw3d
    origin: Vec3
    size: float
    margin: float
    reach: float
    end: float


class PiecePoses(NamedTuple):
    """The pieces at time t, relative to the origin."""

    t: float
    a: Piece
    b: Piece


@device
def place_piece(h: Piece, motion: Screw3d, t: float, o: Vec3) -> Piece:
    """The piece at time t, relative to the origin."""
    f = h.frame
    x, y, z = turn_until(motion, t, f.x), turn_until(motion, t, f.y), turn_until(motion, t, f.z)
    return Piece(
        h.numbers, Frame(place_point(motion, t, f.center, o), x, y, z), h.scale, h.radius, h.size, h.reach,
        h.rank, h.vertices, h.vertex_count, h.side, h.shift,
    )  # fmt: skip


@device
def _surround(h: Piece, edge: Vec3) -> Hull:
    """What bounds of speeds read of a body: the ball around it, and its nearest edge."""
    return Hull(_NONE, _NONE, (edge,), h.radius, along(h.frame.center, h.frame.x, h.shift), h.reach)


@procedure
def _find_lowest(h: Piece, x: MovingHeights, t: float) -> Line:
    """The height and its rate of the point whose height plus t times its rate is smallest."""
    return measure_line(x, find_piece_support(h, neg(along(x.n, x.change, t))))


@procedure
def _step_of_bound(state: PiecePoses, x: HullPair, bound: int, rest: float) -> float:
    """How long every point of a is more than the reach over every one of b, at most `rest`.

    The normal rests, or turns with a body or with two edges.
    """
    n, a, b = x.normal, x.speeds_a, x.speeds_b
    n_rate = ZERO
    if bound == WITH_B:
        n_rate = cross(_spin(b.motion), n)
        m = _bend_with_body(x.a, a, b, n, length(n_rate), rest)
    elif bound == WITH_A:
        n_rate = cross(_spin(a.motion), n)
        m = _bend_with_body(x.b, b, a, n, length(n_rate), rest)
    else:
        n_rate = _rate_of_edges(x) if bound == WITH_EDGES else ZERO
        m = _bend_of_turning(x, length(n_rate), rest)
    turn_a, turn_b = cross(n, _spin(a.motion)), cross(n, _spin(b.motion))
    of_a = describe_heights(state.a, n, add(n_rate, turn_a))
    of_b = describe_heights(state.b, neg(n), neg(add(n_rate, turn_b)))
    rate = dot(turn_b, b.motion.center) - dot(turn_a, a.motion.center)
    rate += a.motion.advance * dot(n, a.motion.axis) - b.motion.advance * dot(n, b.motion.axis)
    step = rest
    for _ in range(MAX_CUTS):
        low, high = _find_lowest(state.a, of_a, step), _find_lowest(state.b, of_b, step)
        cut = _cut_parabola(low.height + high.height - x.reach, rate + low.rate + high.rate, m, step)
        if not 0.0 < cut < step:
            return cut
        # Points of a curved body give way step by step, and would be followed without end.
        step = CURVED_SHARE * cut
    return 0.0


@procedure
def _find_longest_step(state: PiecePoses, x: HullPair, window: float, rest: float) -> float:
    """A safe step within the time `rest`; first within the window, where bounds are better."""
    step = 0.0
    for limit in (window, rest):
        for bound in range(4):
            step = max(step, _step_of_bound(state, x, bound, limit))
            if step >= limit or (x.is_early and step > APPROACH_SHARE * limit):
                break
        if not limit <= step < rest:
            return step
    return step


@device
def _measure(query: MovingPieces, state: PiecePoses, before: Vec3) -> Gap:
    g = measure_gap(state.a, state.b, neg(before), ROUGH, query.margin)
    return Gap(g.distance, neg(g.normal), g.point_a, g.point_b, g)


@device
def _confirm(query: MovingPieces, state: PiecePoses, gap: Gap) -> Gap:
    g = measure_gap(state.a, state.b, neg(gap.normal), 0.0, 0.0)
    return Gap(g.distance, neg(g.normal), g.point_a, g.point_b, g)


@device
def _advance(query: MovingPieces, state: PiecePoses, gap: Gap, k: int) -> Advance:
    rest, left = query.end - state.t, gap.distance - query.margin
    hull_a, hull_b = _surround(state.a, gap.detail.edge_a), _surround(state.b, gap.detail.edge_b)
    reach = query.reach + hull_a.radius + hull_b.radius
    speeds_a, speeds_b = query.speeds_a, query.speeds_b
    is_near = left < NEAR * query.size
    x = HullPair(hull_a, hull_b, speeds_a, speeds_b, gap.normal, reach, is_near, k < LIKELY_STEPS)
    speed = speeds_a.speed + speeds_b.speed
    window = left / (APPROACH_SHARE * speed) if left < rest * APPROACH_SHARE * speed else rest
    # No gap closes faster than by all of the speed.
    free = gap.detail.lower - query.reach
    step = free / speed if free < rest * speed else rest
    if step < rest:
        step = max(step, _find_longest_step(state, x, window, rest))
    if step >= rest:
        return Advance(True, False, state)
    if not step > NO_PROGRESS:
        return Advance(False, True, state)
    return Advance(False, False, _place_pieces(query, state.t + step))


@device
def _elapsed_time(query: MovingPieces, state: PiecePoses) -> float:
    return state.t


_find_first_contact = make_finder(_measure, _confirm, _advance, _elapsed_time)


@device
def _place_pieces(query: MovingPieces, t: float) -> PiecePoses:
    """The pieces at time t."""
    a, b, o = query.a, query.b, query.origin
    return PiecePoses(t, place_piece(a, query.motion_a, t, o), place_piece(b, query.motion_b, t, o))


@device
def _is_upper(h: Piece, other: Piece, p: Vec3) -> bool:
    """Does a piece touch in its half of greater angles? Without the point p the other's middle decides."""
    p = p if p.x == p.x else _surround(other, ZERO).center
    return dot(sub(p, h.frame.center), h.frame.y) > 0.0


@procedure
def _follow_pieces(
    a: MovingBody, b: MovingBody, slices: SlicePair, end: float, size: float, limits: LoopLimits
) -> tuple[ContactRecord, PiecePoses]:
    """The first contact of the hulls of two pieces before a time, and where they are then."""
    o = a.body.frame.center
    first, second = cut_piece(a.body, slices.a), cut_piece(b.body, slices.b)
    motion_a, motion_b = _motion_from(a.motion, o), _motion_from(b.motion, o)
    speeds_a = _bound_speeds(motion_a, _surround(place_piece(first, a.motion, 0.0, o), ZERO))
    speeds_b = _bound_speeds(motion_b, _surround(place_piece(second, b.motion, 0.0, o), ZERO))
    reach = a.margin + limits.slack
    query = MovingPieces(first, second, speeds_a, speeds_b, a.motion, b.motion, o, size, a.margin, reach, end)
    t = EARLIER * slices.bound
    contact = _find_first_contact(query, _place_pieces(query, t), limits)
    if contact.status == OVERLAPPING and t > 0.0:  # by rounding
        contact = ContactRecord(HIT, t, NOWHERE, NOWHERE, NOWHERE)
    return contact, _place_pieces(query, t if contact.status == FREE else contact.t)


@device
def _limit_steps(limits: LoopLimits, resolution: float, steps: int) -> LoopLimits:
    x = limits
    return LoopLimits(x.margin, x.slack, x.accepted, x.rounding, max(x.resolution, resolution), steps)


@procedure
def _stop_own_turn(x: MovingBody) -> MovingBody:
    """Without the turn of a body that is round about the axis of its motion."""
    b, m = x.body, x.motion
    is_round = b.rank == CYLINDER or b.rank == CONE or (b.rank == SECTOR and b.half_angle == math.pi)
    from_axis = _distance_from_axis(m, b.frame.center)
    if is_round and length(cross(m.axis, b.frame.z)) <= OWN_AXIS and from_axis <= OWN_AXIS * b.size:
        m = Screw3d(m.center, m.axis, 0.0, m.advance)
    return MovingBody(b, m, x.tol, x.margin, x.stack, x.row)


@procedure
def _measure_extent(x: MovingBody, o: Vec3) -> tuple[float, float]:
    """The size of a body with its distance from the axis of its motion, and the length of its path."""
    hull = _surround(place_piece(cut_piece(x.body, Slice(0.0, x.body.half_angle)), x.motion, 0.0, o), ZERO)
    motion = _motion_from(x.motion, o)
    from_axis = _distance_from_axis(motion, hull.center) if motion.angle != 0.0 else 0.0
    return hull.radius + hull.reach + from_axis, _bound_speeds(motion, hull).speed


@procedure
def find_contact_of_bodies(a: MovingBody, b: MovingBody) -> Impact3d:
    """The first contact of two bodies, one of which is a sector; its normal leads from a to b."""
    a, b = _stop_own_turn(a), _stop_own_turn(b)
    o = a.body.frame.center
    size_a, path_a = _measure_extent(a, o)
    size_b, path_b = _measure_extent(b, o)
    tol, size = CLOSED_SHARE * a.tol, size_a + size_b
    distance, path = length(sub(b.body.frame.center, o)), 10.0 * (path_a + path_b)
    limits = make_limits(size, distance, path, tol, NEVER, a.margin, MAX_STEPS_OF_PIECES)
    best = make_free()
    depth = push_first_slices(a.stack, a.row, a.body, b.body, 0.0)
    for count in range(MAX_PIECES):
        steps = max(MAX_STEPS_OF_PIECES // (count + 1), MIN_STEPS_OF_PIECES)
        limits = _limit_steps(limits, STUCK_SHARE * a.tol * size, steps)
        end = 2.0 if best.status == FREE else best.t
        depth, slices = pop_slices(a.stack, a.row, depth, end)
        if depth < 0:
            break
        contact, poses = _follow_pieces(a, b, slices, min(end, 1.0), size, limits)
        if contact.status == FREE:
            continue
        # Where they overlap from the start, no point shows whether the sectors do.
        allowed = RESOLUTION * size if contact.status == OVERLAPPING else BULGE_SHARE * a.tol * size
        bulge_a, bulge_b = measure_sagitta(a.body, slices.a), measure_sagitta(b.body, slices.b)
        if contact.status == HIT and contact.point_a.x == contact.point_a.x:
            bulge_a = min(bulge_a, measure_bulge(poses.a, contact.point_a))
            bulge_b = min(bulge_b, measure_bulge(poses.b, contact.point_b))
        if max(bulge_a, bulge_b) <= allowed:
            best = contact
            if contact.status == OVERLAPPING:
                break
            continue
        is_a = bulge_a >= bulge_b
        is_upper = _is_upper(poses.b, poses.a, contact.point_b)
        if is_a:
            is_upper = _is_upper(poses.a, poses.b, contact.point_a)
        depth = divide_slices(a.stack, a.row, depth, slices, contact.t, is_a, is_upper)
    else:
        best = make_undecided(find_smallest_bound(a.stack, a.row, depth, end))
    if best.status != HIT:
        return Impact3d(best.status, best.t, NOWHERE, NOWHERE)
    return Impact3d(HIT, best.t, add(best.point_b, o), best.normal)
