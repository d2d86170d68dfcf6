"""First contact of two convex bodies with radii, each of which moves by a screw or rests.

Steps are certified as in `two_movers.py`: planes that rest, that either body carries, or that turn with an
edge of each. Vertices are found by supports, so any number of them will do.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from ougi._native import device, procedure
from ougi.kernels.constants import (
    APPROACH_SHARE,
    LIKELY_STEPS,
    MAX_CUTS,
    MAX_STEPS_TWO_MOVERS,
    NEAR,
    NEVER,
    NO_PROGRESS,
    STILL,
    WITH_A,
    WITH_B,
    WITH_EDGES,
)
from ougi.kernels.convex.constants import CURVED_SHARE, CYLINDER
from ougi.kernels.convex.gjk_solids import find_solid_support
from ougi.kernels.convex.nearest import UNKNOWN, NearestVertices, count_distinct, list_vertices
from ougi.kernels.convex.polytope import from_axes, get_vertex, relate, to_axes
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
from ougi.kernels.vec3 import ZERO, add, along, cross, dot, length, neg, sub

_NONE = (ZERO,)


class HullPoses(NamedTuple):
    """The bodies at time t, relative to the origin, and the vertices that were nearest before."""

    t: float
    a: Hull3d
    b: Hull3d
    known: NearestVertices


class Features(NamedTuple):
    """The nearest features: their vertices, how many each has (0: unknown), and an edge of each or zero."""

    vertices: NearestVertices
    count_a: int
    count_b: int
    edge_a: Vec3
    edge_b: Vec3


NO_FEATURES = Features(UNKNOWN, 0, 0, ZERO, ZERO)


@device
def load_moving_hull3d(m: Moving, i: int) -> Mover:
    return Mover(load_hull3d(m[0], m[2][i]), load_screw(m[1], m[3][i]), m[4], m[5], m[6])


@device
def _place(h: Hull3d, motion: Screw3d, t: float, o: Vec3) -> Hull3d:
    """The body at time t, relative to the origin."""
    f = h.frame
    x, y, z = turn_until(motion, t, f.x), turn_until(motion, t, f.y), turn_until(motion, t, f.z)
    return Hull3d(
        h.numbers, Frame(place_point(motion, t, f.center, o), x, y, z), h.scale, h.radius, h.size, h.reach,
        h.rank, h.vertices, h.vertex_count, h.faces, h.face_count, h.edges, h.edge_count,
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
def _find_features(a: Hull3d, b: Hull3d, s: Simplex) -> Features:
    if s.corner_count < 1 or s.corner_count > 3:
        return NO_FEATURES
    return Features(
        list_vertices(s),
        count_distinct(s.first.a, s.second.a, s.third.a),
        count_distinct(s.first.b, s.second.b, s.third.b),
        _find_edge(a, s.first.a, s.second.a, s.third.a),
        _find_edge(b, s.first.b, s.second.b, s.third.b),
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


class MovingHeights(NamedTuple):
    """Heights n . p of the points of a body and their rates, change . p: of its center, and of what is added
    to it in the own frame of the body.
    """

    height: float
    rate: float
    n: Vec3
    change: Vec3


@device
def _describe_heights(h: Hull3d, n: Vec3, change: Vec3) -> MovingHeights:
    o = h.frame.center
    return MovingHeights(dot(n, o), dot(change, o), to_axes(n, h.frame), to_axes(change, h.frame))


@device
def _measure_line(x: MovingHeights, p: Vec3) -> Line:
    return Line(x.height + dot(x.n, p), x.rate + dot(x.change, p))


@device
def _lowest(h: Hull3d, x: MovingHeights, t: float) -> Line:
    """The height and its rate of the point whose height plus t times its rate is smallest."""
    return _measure_line(x, find_solid_support(h, neg(along(x.n, x.change, t))))


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
def _cut_step(
    state: HullPoses, x: HullPair, near: NearestVertices, n_rate: Vec3, m: float, rest: float
) -> float:
    """How long every point of a is more than the reach over every one of b along n, at most `rest`.

    The vertices that are nearest now are tried first, because they need no search.
    """
    n, a, b = x.normal, x.speeds_a.motion, x.speeds_b.motion
    turn_a, turn_b = cross(n, _spin(a)), cross(n, _spin(b))
    of_a = _describe_heights(state.a, n, add(n_rate, turn_a))
    of_b = _describe_heights(state.b, neg(n), neg(add(n_rate, turn_b)))
    rate = dot(turn_b, b.center) - dot(turn_a, a.center)
    rate += a.advance * dot(n, a.axis) - b.advance * dot(n, b.axis)
    step = rest
    if near.corner_count > 0:
        low = _measure_line(of_a, get_vertex(state.a, near.a_1))
        high = _measure_line(of_b, get_vertex(state.b, near.b_1))
        a_2, b_2 = get_vertex(state.a, near.a_2), get_vertex(state.b, near.b_2)
        a_3, b_3 = get_vertex(state.a, near.a_3), get_vertex(state.b, near.b_3)
        fall_2 = of_a.rate + dot(of_a.change, a_2) + of_b.rate + dot(of_b.change, b_2)
        fall_3 = of_a.rate + dot(of_a.change, a_3) + of_b.rate + dot(of_b.change, b_3)
        slope = rate + min(low.rate + high.rate, min(fall_2, fall_3))
        step = _cut_parabola(low.height + high.height - x.reach, slope, m, step)
    is_curved = state.a.rank >= CYLINDER or state.b.rank >= CYLINDER
    for _ in range(MAX_CUTS):
        low, high = _lowest(state.a, of_a, step), _lowest(state.b, of_b, step)
        g, slope = low.height + high.height - x.reach, rate + low.rate + high.rate
        cut = _cut_parabola(g, slope, m, step)
        if not 0.0 < cut < step:
            return cut
        # Points of a curved body give way step by step, and would be followed without end.
        step = CURVED_SHARE * cut if is_curved else cut
    return 0.0


@procedure
def _step_of_bound(state: HullPoses, x: HullPair, near: NearestVertices, bound: int, rest: float) -> float:
    """How long planes across n keep the bodies apart; n rests, or turns with a body or with two edges."""
    n, a, b = x.normal, x.speeds_a, x.speeds_b
    if bound == WITH_B:
        n_rate = cross(_spin(b.motion), n)
        m = _bend_with_body(x.a, a, b, n, length(n_rate), rest)
    elif bound == WITH_A:
        n_rate = cross(_spin(a.motion), n)
        m = _bend_with_body(x.b, b, a, n, length(n_rate), rest)
    else:
        n_rate = _rate_of_edges(x) if bound == WITH_EDGES else ZERO
        m = _bend_of_turning(x, length(n_rate), rest)
    return _cut_step(state, x, near, n_rate, m, rest)


@procedure
def _find_longest_step(
    state: HullPoses, x: HullPair, features: Features, window: float, rest: float
) -> float:
    """A safe step within the time `rest`: first within the window, by the bounds that are usually best."""
    guess = _guess_bound(features)
    first = 0 if x.is_near or guess == STILL else 1
    step = 0.0
    for limit in (window, rest):
        for attempt in range(6):
            bound = attempt - 2
            if attempt < 2:
                bound = guess if attempt == first else STILL
            step = max(step, _step_of_bound(state, x, features.vertices, bound, limit))
            if step >= limit or (x.is_early and step > APPROACH_SHARE * limit):
                break
        if not limit <= step < rest:
            return step
    return step


@device
def _advance(query: TwoMovers, state: HullPoses, gap: Gap, k: int) -> Advance:
    n, rest, left = gap.normal, 1.0 - state.t, gap.distance - query.margin
    hull_of_a, hull_of_b = _surround(state.a, gap.detail.edge_a), _surround(state.b, gap.detail.edge_b)
    reach = query.reach + hull_of_a.radius + hull_of_b.radius
    is_near = left < NEAR * query.size
    bodies = HullPair(
        hull_of_a, hull_of_b, query.speeds_a, query.speeds_b, n, reach, is_near, k < LIKELY_STEPS
    )
    speed = APPROACH_SHARE * (query.speeds_a.speed + query.speeds_b.speed)
    window = left / speed if left < rest * speed else rest
    step = _find_longest_step(state, bodies, gap.detail, window, rest)
    if step >= rest:
        return Advance(True, False, state)
    if not step > NO_PROGRESS:
        return Advance(False, True, state)
    t = state.t + step
    a, b, o = query.a, query.b, query.origin
    placed_a = _place(a.body, a.motion, t, o) if query.speeds_a.speed > 0.0 else state.a
    placed_b = _place(b.body, b.motion, t, o) if query.speeds_b.speed > 0.0 else state.b
    return Advance(False, False, HullPoses(t, placed_a, placed_b, gap.detail.vertices))


@device
def _place_gap(a: Hull3d, b: Hull3d, s: Separated | SolidSeparation, features: Features) -> Gap:
    n = from_axes(s.normal, a.frame)
    p = along(add(from_axes(s.point_a, a.frame), a.frame.center), n, a.radius)
    q = along(add(from_axes(s.point_b, a.frame), a.frame.center), n, -b.radius)
    return Gap(s.distance - (a.radius + b.radius), neg(n), p, q, features)


def _make_separation(is_planar: bool) -> Callable[[HullPoses, bool], Gap]:
    """Make the separation of hulls, or of polygons at z = 0."""

    @procedure
    def separate_poses(state: HullPoses, has_depth: bool) -> Gap:
        a, b = state.a, state.b
        s = separate(a, b, relate(a.frame, b.frame), is_planar, has_depth, state.known)
        return _place_gap(a, b, s, _find_features(a, b, s.simplex))

    return separate_poses


@procedure
def _separate_solids(state: HullPoses, has_depth: bool) -> Gap:
    a, b = state.a, state.b
    s = separate_solids(a, b, relate(a.frame, b.frame), has_depth)
    return _place_gap(a, b, s, NO_FEATURES)


def _make_kernel(
    name: str, separate_poses: Callable[[HullPoses, bool], Gap]
) -> Callable[[Mover, Mover], Impact3d]:
    """Make the kernel of hulls, of polygons at z = 0, or of solids."""

    @device
    def measure(query: TwoMovers, state: HullPoses, before: Vec3) -> Gap:
        return separate_poses(state, False)

    @device
    def confirm(query: TwoMovers, state: HullPoses, gap: Gap) -> Gap:
        return gap if gap.distance > 0.0 else separate_poses(state, True)

    find_first_contact = make_finder(measure, confirm, _advance, _elapsed_time)

    def find_contact_of_hulls(a: Mover, b: Mover) -> Impact3d:
        o = a.body.frame.center
        start = HullPoses(0.0, _place(a.body, a.motion, 0.0, o), _place(b.body, b.motion, 0.0, o), UNKNOWN)
        hull_of_a, hull_of_b = _surround(start.a, ZERO), _surround(start.b, ZERO)
        motion_a, motion_b = _motion_from(a.motion, o), _motion_from(b.motion, o)
        size = hull_of_a.radius + hull_of_b.radius + hull_of_a.reach + hull_of_b.reach
        size += _distance_from_axis(motion_a, hull_of_a.center) if motion_a.angle != 0.0 else 0.0
        size += _distance_from_axis(motion_b, hull_of_b.center) if motion_b.angle != 0.0 else 0.0
        speeds_a, speeds_b = _bound_speeds(motion_a, hull_of_a), _bound_speeds(motion_b, hull_of_b)
        distance = length(hull_of_b.center)
        path_length = 10.0 * (speeds_a.speed + speeds_b.speed)
        limits = make_limits(size, distance, path_length, a.tol, NEVER, a.margin, MAX_STEPS_TWO_MOVERS)
        reach = a.margin + limits.slack
        query = TwoMovers(a, b, speeds_a, speeds_b, o, size, a.margin, reach, limits.accepted)
        return _make_impact(find_first_contact(query, start, limits), query)

    find_contact_of_hulls.__name__ = f"moving_{name}"
    return procedure(find_contact_of_hulls)


SEPARATIONS = {
    "hull3d_hull3d": _make_separation(False),
    "polygon2d_polygon2d": _make_separation(True),
    "solid3d_solid3d": _separate_solids,
}
KERNELS = {name: _make_kernel(name, separate_poses) for name, separate_poses in SEPARATIONS.items()}
