"""First contact of two convex bodies with radii, each of which moves by a screw or rests.

Steps are certified by planes that rest, that either body carries, or that turn with an edge of each. Heights
over a plane are measured by supports at both ends of a step, so any convex body will do.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from ougi._native import device, procedure
from ougi.kernels.constants import (
    APPROACH_SHARE,
    LIKELY_STEPS,
    MAX_STEPS_TWO_MOVERS,
    NEVER,
    NO_PROGRESS,
    PROOF_ROUNDING,
    STILL,
    WITH_A,
    WITH_B,
    WITH_EDGES,
)
from ougi.kernels.convex.constants import (
    CONE,
    CYLINDER,
    ELLIPSOID,
    ENOUGH_SHARE,
    MAX_TRIES,
    NEAR_HULLS,
    ROUND,
    SMALL_GAP,
    TRIED_SHARE,
)
from ougi.kernels.convex.gjk_solids import approach_solids, find_solid_support, gap_of_solids
from ougi.kernels.convex.gjk_solids import weigh as weigh_solids
from ougi.kernels.convex.nearest import (
    UNKNOWN,
    NearestVertices,
    count_distinct,
    find_nearest,
    gap_along,
    list_vertices,
    weigh,
)
from ougi.kernels.convex.polytope import from_axes, get_vertex, measure_size, relate, to_axes
from ougi.kernels.convex.records import Hull3d, load_hull3d
from ougi.kernels.convex.separation import Separated, separate
from ougi.kernels.convex.simplex import Simplex
from ougi.kernels.convex.solids import SolidSeparation, separate_solids
from ougi.kernels.impact.first_contact import Advance, Gap, make_finder, make_limits
from ougi.kernels.impact.hulls import Hull, place_point
from ougi.kernels.impact.movers import Mover, Moving, load_screw, turn_until
from ougi.kernels.impact.two_movers import (
    HullPair,
    Line,
    Speeds,
    TwoMovers,
    _bend_of_turning,
    _bend_with_body,
    _bound_speeds,
    _distance_from_axis,
    _elapsed_time,
    _make_impact,
    _motion_from,
    _rate_of_edges,
    _spin,
)
from ougi.kernels.records import Frame, Impact3d, Screw3d, Vec3
from ougi.kernels.vec3 import UNITS, ZERO, add, along, cross, dot, length, neg, scale, sub, unit_or

_NONE = (ZERO,)


class HullPoses(NamedTuple):
    """Where the bodies are at time t, relative to the origin, and the vertices that were nearest before.

    `is_near`: they were near then.
    """

    t: float
    a: Frame
    b: Frame
    known: NearestVertices
    is_near: bool


class Features(NamedTuple):
    """The nearest features: their vertices, how many each has (0: unknown), and an edge of each or zero.

    `gap` is a lower bound of how far the bodies without their radii are apart along the normal.
    """

    vertices: NearestVertices
    count_a: int
    count_b: int
    edge_a: Vec3
    edge_b: Vec3
    gap: float


@device
def load_moving_hull3d(m: Moving, i: int) -> Mover:
    return Mover(load_hull3d(m[0], m[2][i]), load_screw(m[1], m[3][i]), m[4], m[5], m[6])


@device
def _turn_frame(f: Frame, motion: Screw3d, t: float, o: Vec3) -> Frame:
    """The frame at time t, relative to the origin."""
    x, y, z = turn_until(motion, t, f.x), turn_until(motion, t, f.y), turn_until(motion, t, f.z)
    return Frame(place_point(motion, t, f.center, o), x, y, z)


@device
def _place(h: Hull3d, f: Frame) -> Hull3d:
    return Hull3d(
        h.numbers, f, h.scale, h.radius, h.size, h.reach, h.rank, h.vertices, h.vertex_count, h.faces,
        h.face_count, h.edges, h.edge_count,
    )  # fmt: skip


@device
def _surround(h: Hull3d, edge: Vec3) -> Hull:
    """What bounds of speeds read of a body: the ball around it, and its nearest edge."""
    return Hull(_NONE, _NONE, (edge,), h.radius, h.frame.center, h.reach)


@device
def _find_edge(h: Hull3d, i: int, j: int, k: int) -> Vec3:
    """From vertex i to another one of these, in the coordinates that the body is given in."""
    other = j if j != i else k
    return from_axes(sub(get_vertex(h, other), get_vertex(h, i)), h.frame)


@device
def _find_features(a: Hull3d, b: Hull3d, s: Simplex, gap: float) -> Features:
    if s.corner_count < 1 or s.corner_count > 3:
        return Features(UNKNOWN, 0, 0, ZERO, ZERO, gap)
    return Features(
        list_vertices(s),
        count_distinct(s.first.a, s.second.a, s.third.a),
        count_distinct(s.first.b, s.second.b, s.third.b),
        _find_edge(a, s.first.a, s.second.a, s.third.a),
        _find_edge(b, s.first.b, s.second.b, s.third.b),
        gap,
    )


@device
def _guess_bound(f: Features) -> int:
    """The plane that holds the nearest face or edge of a body, or the axis across two edges."""
    if f.count_a == 2 and f.count_b == 2:
        return WITH_EDGES
    if f.count_b > 1 and f.count_a < 2:
        return WITH_B
    if f.count_a > 1:
        return WITH_A
    return STILL


class TurnTerms(NamedTuple):
    """The rotation of a motion within some time: the sine of its angle, and 1 minus the cosine."""

    sin: float
    versine: float


@device
def _turn_within(motion: Screw3d, t: float) -> TurnTerms:
    if motion.angle == 0.0:
        return TurnTerms(0.0, 0.0)
    s, c = math.sin(motion.angle * t), math.cos(motion.angle * t)
    return TurnTerms(s, s * s / (1.0 + c) if c > 0.0 else 1.0 - c)


@device
def _displace(v: Vec3, u: Vec3, turn: TurnTerms) -> Vec3:
    """How far a turn about u moves v: as precise as it is small."""
    across = cross(u, v)
    return along(scale(across, turn.sin), cross(u, across), turn.versine)


@device
def _measure_velocity(motion: Screw3d, arm: Vec3) -> Vec3:
    return along(cross(_spin(motion), arm), motion.axis, motion.advance)


@device
def _find_lowest(h: Hull3d, motion: Screw3d, n: Vec3, n_rate: Vec3, t: float) -> Line:
    """The height n . x and its rate of the lowest point of a body, at the time t from now. So is n."""
    turn = _turn_within(motion, t)
    before = add(n, _displace(n, motion.axis, TurnTerms(-turn.sin, turn.versine)))
    p = add(from_axes(find_solid_support(h, neg(to_axes(before, h.frame))), h.frame), h.frame.center)
    arm = sub(p, motion.center)
    moved = _displace(arm, motion.axis, turn)
    x = along(add(p, moved), motion.axis, motion.advance * t)
    return Line(dot(n, x), dot(n_rate, x) + dot(n, _measure_velocity(motion, add(arm, moved))))


class PlaneStart(NamedTuple):
    """The gap beyond the reach along a normal now, which is at least `height`, and about its rate.

    If b rests, its own height is `height_b`. Steps end where the gap is at most
    `enough`; they aim at `aim`.
    """

    height: float
    rate: float
    height_b: float
    enough: float
    aim: float


@device
def _measure_gap(a: Hull3d, b: Hull3d, x: HullPair, plane: Screw3d, height_b: float, t: float) -> Line:
    """How far a lies over b, beyond the reach, along the normal of a plane at the time t from now."""
    n = add(x.normal, _displace(x.normal, plane.axis, _turn_within(plane, t)))
    n_rate = cross(_spin(plane), n)
    low, high = _find_lowest(a, x.speeds_a.motion, n, n_rate, t), Line(height_b, 0.0)
    if x.speeds_b.speed > 0.0 or plane.angle != 0.0:
        high = _find_lowest(b, x.speeds_b.motion, neg(n), neg(n_rate), t)
    return Line(low.height + high.height - x.reach, low.rate + high.rate)


@device
def _cut_parabola(g: float, slope: float, m: float, step: float) -> float:
    """How long g + slope t - m t^2 / 2 stays positive, at most `step`."""
    if not g > 0.0:
        return 0.0
    if g + (slope - 0.5 * m * step) * step >= 0.0:
        return step
    root = math.sqrt(slope * slope + 2.0 * m * g)
    return min(step, (slope + root) / m if slope > 0.0 else 2.0 * g / (root - slope))


@procedure
def _follow_plane(
    a: Hull3d, b: Hull3d, x: HullPair, plane: Screw3d, m: float, start: PlaneStart, rest: float
) -> float:
    """How long every point of a is more than the reach over every one of b, at most `rest`.

    The second derivative of heights is at most m. Heights g at one end of a step d and h at the other lie
    over a parabola, which is positive if sqrt(g) + sqrt(h) > d sqrt(m / 2).
    """
    t, root = 0.0, math.sqrt(0.5 * m)
    now = Line(start.height, start.rate)
    step = _cut_parabola(now.height - start.aim, now.rate, TRIED_SHARE * m, rest)
    for _ in range(MAX_TRIES):
        if not step > 0.0:
            break
        new = _measure_gap(a, b, x, plane, start.height_b, t + step)
        low = new.height - start.aim
        if new.height > 0.0:
            safe = math.sqrt(now.height) + math.sqrt(new.height)
            if step * root <= safe:
                t, now = t + step, new
                if t >= rest or now.height <= start.enough:
                    break
                step = _cut_parabola(low, now.rate, TRIED_SHARE * m, rest - t)
            else:
                step = min(0.5 * step, safe / root)
        else:
            chord = step * now.height / (now.height - low)
            tangent = step - low / new.rate if new.rate < 0.0 else chord
            step = min(chord, tangent) if tangent > 0.0 else 0.5 * chord
    return min(t, rest)


@device
def _bend_of_round(h: Hull3d, motion: Screw3d) -> float:
    """What `_bound_speeds_of` leaves out of the acceleration of a body of revolution, because it has another
    direction.
    """
    lean = _measure_lean(h, motion)
    return motion.angle * motion.angle * lean * (lean + 1.0) * h.reach if lean < ROUND else 0.0


@procedure
def _step_of_bound(a: Hull3d, b: Hull3d, x: HullPair, start: PlaneStart, bound: int, rest: float) -> float:
    """How long planes across n keep the bodies apart; n rests, or turns with a body or with two edges."""
    n, of_a, of_b = x.normal, x.speeds_a, x.speeds_b
    if bound == WITH_B:
        plane = of_b.motion
        m = _bend_with_body(x.a, of_a, of_b, n, length(cross(_spin(plane), n)), rest)
    elif bound == WITH_A:
        plane = of_a.motion
        m = _bend_with_body(x.b, of_b, of_a, n, length(cross(_spin(plane), n)), rest)
    else:
        spin = cross(n, _rate_of_edges(x)) if bound == WITH_EDGES else ZERO
        rate = length(spin)
        plane = Screw3d(ZERO, unit_or(spin, n), rate, 0.0)
        m = _bend_of_turning(x, rate, rest)
    m += _bend_of_round(a, of_a.motion) + _bend_of_round(b, of_b.motion)
    return _follow_plane(a, b, x, plane, m, start, rest)


@procedure
def _find_longest_step(
    a: Hull3d, b: Hull3d, x: HullPair, guess: int, start: PlaneStart, window: float, rest: float
) -> float:
    """A safe step within the time `rest`: first within the window, by the bounds that are usually best."""
    first, second = (guess, STILL) if x.is_near else (STILL, guess)
    step = 0.0
    for limit in (window, rest):
        for attempt in range(5):  # a tuple of bounds would be unrolled
            bound = first if attempt == 0 else (second if attempt == 1 else attempt - 1)
            step = max(step, _step_of_bound(a, b, x, start, bound, limit))
            if step >= limit or (x.is_early and step > APPROACH_SHARE * limit):
                break
        if not limit <= step < rest:
            return step
    return step


@device
def _measure_lean(h: Hull3d, motion: Screw3d) -> float:
    """The sine of the angle between the axes of a motion and of a body of revolution; 1 for other bodies."""
    is_round = h.rank == CYLINDER or h.rank == CONE or (h.rank == ELLIPSOID and h.scale.x == h.scale.y)
    return length(cross(h.frame.z, motion.axis)) if is_round else 1.0


@device
def _bound_speeds_of(h: Hull3d, motion: Screw3d) -> Speeds:
    """The speeds of points whose set is the body: those of a body of revolution need not turn about its axis.

    With w' = w sin(lean), its points then have the acceleration w^2 d of the center, and about it at most
    (w'^2 + |dw'/dt|) reach.
    """
    lean = _measure_lean(h, motion)
    hull = Hull(_NONE, _NONE, _NONE, h.radius, h.frame.center, h.reach * (lean if lean < ROUND else 1.0))
    return _bound_speeds(motion, hull)


@device
def _advance(query: TwoMovers, state: HullPoses, gap: Gap, k: int) -> Advance:
    n, rest, left = gap.normal, 1.0 - state.t, gap.distance - query.margin
    a, b, speeds_a, speeds_b = query.a, query.b, query.speeds_a, query.speeds_b
    placed_a, placed_b = _place(a.body, state.a), _place(b.body, state.b)
    hull_of_a, hull_of_b = _surround(placed_a, gap.detail.edge_a), _surround(placed_b, gap.detail.edge_b)
    reach, slack = query.reach + hull_of_a.radius + hull_of_b.radius, query.reach - query.margin
    guess, is_near = _guess_bound(gap.detail), left < NEAR_HULLS * query.size
    is_early = k < LIKELY_STEPS and not (is_near and gap.detail.count_a == 0)
    bodies = HullPair(hull_of_a, hull_of_b, speeds_a, speeds_b, n, reach, is_near, is_early)
    speed = APPROACH_SHARE * (speeds_a.speed + speeds_b.speed)
    window = left / speed if left < rest * speed else rest
    of_a = _measure_velocity(speeds_a.motion, sub(gap.point_a, speeds_a.motion.center))
    of_b = _measure_velocity(speeds_b.motion, sub(gap.point_b, speeds_b.motion.center))
    start = PlaneStart(
        gap.detail.gap - reach,
        dot(n, sub(of_a, of_b)),
        _find_lowest(placed_b, speeds_b.motion, neg(n), ZERO, 0.0).height if speeds_b.speed == 0.0 else 0.0,
        slack if is_near else max(slack, ENOUGH_SHARE * left),
        0.5 * slack,
    )
    step = _find_longest_step(placed_a, placed_b, bodies, guess, start, window, rest)
    if step >= rest:
        return Advance(True, False, state)
    if not step > NO_PROGRESS:
        return Advance(False, True, state)
    t, o = state.t + step, query.origin
    at_a = _turn_frame(a.body.frame, a.motion, t, o) if speeds_a.speed > 0.0 else state.a
    at_b = _turn_frame(b.body.frame, b.motion, t, o) if speeds_b.speed > 0.0 else state.b
    return Advance(False, False, HullPoses(t, at_a, at_b, gap.detail.vertices, is_near))


@device
def _place_gap(a: Hull3d, b: Hull3d, s: Separated | SolidSeparation, features: Features) -> Gap:
    n = from_axes(s.normal, a.frame)
    p = along(add(from_axes(s.point_a, a.frame), a.frame.center), n, a.radius)
    q = along(add(from_axes(s.point_b, a.frame), a.frame.center), n, -b.radius)
    return Gap(s.distance - (a.radius + b.radius), neg(n), p, q, features)


# separate_poses(a, b, state, before, limit, has_depth): bodies that are farther apart than `limit` without
# their radii may have the gap along a normal that is almost the best. `before` is the last pose's normal.
PoseSeparation: TypeAlias = Callable[[Hull3d, Hull3d, HullPoses, Vec3, float, bool], Gap]


def _make_separation(is_planar: bool) -> PoseSeparation:
    """Make the separation of hulls, or of polygons at z = 0."""

    @procedure
    def separate_poses(
        a: Hull3d, b: Hull3d, state: HullPoses, before: Vec3, limit: float, has_depth: bool
    ) -> Gap:
        to, known = relate(a.frame, b.frame), state.known
        if not state.is_near:
            near = find_nearest(a, b, to, limit, known)
            s = near.simplex
            if near.along_point > limit:
                p, q = weigh(a, b, to, s)
                n = scale(s.point, 1.0 / math.sqrt(s.distance_sq))
                rough = Separated(near.along_point, n, p, q, s)
                return _place_gap(a, b, rough, _find_features(a, b, s, near.along_point))
            known = list_vertices(s)
        found = separate(a, b, to, is_planar, has_depth, known)
        rounding = PROOF_ROUNDING * measure_size(a, b, to)
        gap = found.distance - rounding
        if found.simplex.corner_count == 0 or gap < SMALL_GAP * rounding:
            gap = gap_along(a, b, to, found.normal)
        return _place_gap(a, b, found, _find_features(a, b, found.simplex, gap))

    return separate_poses


@procedure
def _separate_solids(
    a: Hull3d, b: Hull3d, state: HullPoses, before: Vec3, limit: float, has_depth: bool
) -> Gap:
    to = relate(a.frame, b.frame)
    if not state.is_near:
        start = neg(to_axes(before, a.frame)) if before.x == before.x else unit_or(to.offset, UNITS[0])
        near = approach_solids(a, b, to, start, limit, 0.0)
        s = near.simplex
        if near.along_point > limit:
            p, q = weigh_solids(s)
            rough = SolidSeparation(near.along_point, scale(s.point, 1.0 / math.sqrt(s.distance_sq)), p, q)
            return _place_gap(a, b, rough, Features(UNKNOWN, 0, 0, ZERO, ZERO, near.along_point))
    found = separate_solids(a, b, to, has_depth)
    gap = gap_of_solids(a, b, to, found.normal)
    return _place_gap(a, b, found, Features(UNKNOWN, 0, 0, ZERO, ZERO, gap))


def _make_kernel(name: str, separate_poses: PoseSeparation) -> Callable[[Mover, Mover], Impact3d]:
    """Make the kernel of hulls, of polygons at z = 0, or of solids."""

    @device
    def measure(query: TwoMovers, state: HullPoses, before: Vec3) -> Gap:
        a, b = _place(query.a.body, state.a), _place(query.b.body, state.b)
        limit = NEAR_HULLS * query.size + query.margin + a.radius + b.radius
        return separate_poses(a, b, state, before, limit, False)

    @device
    def confirm(query: TwoMovers, state: HullPoses, gap: Gap) -> Gap:
        if gap.distance > 0.0:
            return gap
        a, b = _place(query.a.body, state.a), _place(query.b.body, state.b)
        return separate_poses(a, b, state, gap.normal, NEVER, True)

    find_first_contact = make_finder(measure, confirm, _advance, _elapsed_time)

    def find_contact_of_hulls(a: Mover, b: Mover) -> Impact3d:
        o = a.body.frame.center
        at_a = _turn_frame(a.body.frame, a.motion, 0.0, o)
        at_b = _turn_frame(b.body.frame, b.motion, 0.0, o)
        start = HullPoses(0.0, at_a, at_b, UNKNOWN, False)
        placed_a, placed_b = _place(a.body, at_a), _place(b.body, at_b)
        hull_of_a, hull_of_b = _surround(placed_a, ZERO), _surround(placed_b, ZERO)
        motion_a, motion_b = _motion_from(a.motion, o), _motion_from(b.motion, o)
        size = hull_of_a.radius + hull_of_b.radius + hull_of_a.reach + hull_of_b.reach
        size += _distance_from_axis(motion_a, hull_of_a.center) if motion_a.angle != 0.0 else 0.0
        size += _distance_from_axis(motion_b, hull_of_b.center) if motion_b.angle != 0.0 else 0.0
        speeds_a, speeds_b = _bound_speeds_of(placed_a, motion_a), _bound_speeds_of(placed_b, motion_b)
        distance = length(hull_of_b.center)
        path_length = 10.0 * (speeds_a.speed + speeds_b.speed)
        limits = make_limits(size, distance, path_length, a.tol, NEVER, a.margin, MAX_STEPS_TWO_MOVERS)
        reach = a.margin + limits.slack
        query = TwoMovers(a, b, speeds_a, speeds_b, o, size, a.margin, reach, limits.accepted)
        return _make_impact(find_first_contact(query, start, limits), query)

    find_contact_of_hulls.__name__ = f"moving_{name}"
    return procedure(find_contact_of_hulls)


SEPARATIONS: dict[str, PoseSeparation] = {
    "hull3d_hull3d": _make_separation(False),
    "polygon2d_polygon2d": _make_separation(True),
    "solid3d_solid3d": _separate_solids,
}
KERNELS = {name: _make_kernel(name, separate_poses) for name, separate_poses in SEPARATIONS.items()}
