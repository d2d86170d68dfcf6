"""First contact of two bodies that both move, each by its own screw; or of one, up to any gap.

As in `rod.py`, planes carried by either body and axes perpendicular to two edges bound the distance from
below. In the frame of one body the other runs on no circle: the height over a plane is bounded by a parabola,
g + g' t - m t^2 / 2, where m bounds the acceleration: its own, Coriolis' and the centrifugal one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from ougi._native import device, procedure
from ougi._typing import Record
from ougi.kernels.constants import (
    APPROACH_SHARE,
    HIT,
    LEVEL_SQ,
    LIKELY_STEPS,
    MAX_CUTS,
    MAX_STEPS_TWO_MOVERS,
    NEAR,
    NO_PROGRESS,
    PARALLEL_SQ,
    STILL,
    WITH_A,
    WITH_B,
    WITH_EDGES,
)
from ougi.kernels.impact.cores import level_edge
from ougi.kernels.impact.first_contact import Advance, Gap, make_finder, make_limits
from ougi.kernels.impact.hulls import HULL, PLACE, Hull
from ougi.kernels.impact.movers import ContactRecord, Mover, to_world
from ougi.kernels.impact.start_normal import make_start_separator
from ougi.kernels.records import Impact3d, Screw3d, Vec3
from ougi.kernels.vec3 import ZERO, add, along, cross, dot, length, neg, scale, sub


class Speeds(NamedTuple):
    """How fast a body moves: its rate of turning, the largest speed and acceleration of its points."""

    motion: Screw3d
    rate: float
    speed: float
    acceleration: float


class TwoMovers(NamedTuple):
    """Two moving bodies, and how near their cores may come beyond their radii: margin and slack.

    The motions of `speeds_a` and `speeds_b` are in coordinates that begin at `origin`, a point of a.
    """

    a: Mover
    b: Mover
    speeds_a: Speeds
    speeds_b: Speeds
    origin: Vec3
    size: float
    margin: float
    reach: float
    accepted: float


class Poses(NamedTuple):
    """The bodies at time t, relative to the origin."""

    t: float
    a: Record
    b: Record


@device
def _motion_from(motion: Screw3d, origin: Vec3) -> Screw3d:
    return Screw3d(sub(motion.center, origin), motion.axis, motion.angle, motion.advance)


@device
def _distance_from_axis(motion: Screw3d, x: Vec3) -> float:
    w = sub(x, motion.center)
    return length(along(w, motion.axis, -dot(w, motion.axis)))


@device
def _bound_speeds(motion: Screw3d, hull: Hull) -> Speeds:
    rate = abs(motion.angle)
    arm = _distance_from_axis(motion, hull.center) + hull.reach
    return Speeds(motion, rate, math.sqrt((rate * arm) ** 2 + motion.advance**2), rate * rate * arm)


@device
def _elapsed_time(query: TwoMovers, state: Poses) -> float:
    return state.t


@device
def _make_impact(contact: ContactRecord, query: TwoMovers) -> Impact3d:
    """The contact in the world, on b; or on a if that is the target (sense -1)."""
    if contact.status != HIT:
        return Impact3d(contact.status, contact.t, contact.point_b, contact.normal)
    contact = to_world(contact, query.origin)
    if query.a.sense > 0.0:
        return Impact3d(HIT, contact.t, contact.point_b, contact.normal)
    return Impact3d(HIT, contact.t, contact.point_a, neg(contact.normal))


def make_two_movers_kernel(
    module: str, name: str, measure: Callable[..., Gap], confirm: Callable[..., Gap], stop: float
) -> Callable[[Mover, Mover], Impact3d]:
    """Make the kernel of a pair of layouts, such as sphere_box, for a module.

    measure(query, state, before) is the gap, or a bound from below that is positive as long as the bodies are
    apart. A bound is closed at `stop`. With a margin it must be the gap.
    """
    layout_a, layout_b = name.split("_")
    is_round = "cylinder" in name
    separate = make_start_separator(name)
    place_a, place_b, hull_a, hull_b = PLACE[layout_a], PLACE[layout_b], HULL[layout_a], HULL[layout_b]

    @device
    def advance(query: TwoMovers, state: Poses, gap: Gap, k: int) -> Advance:
        n, rest, left = gap.normal, 1.0 - state.t, gap.distance - query.margin
        hull_of_a, hull_of_b = hull_a(state.a, neg(n)), hull_b(state.b, n)
        speeds_a, speeds_b = query.speeds_a, query.speeds_b
        if is_round:  # the hull of a cylinder depends on n
            speeds_a = _bound_speeds(speeds_a.motion, hull_of_a)
            speeds_b = _bound_speeds(speeds_b.motion, hull_of_b)
        reach = query.reach + hull_of_a.radius + hull_of_b.radius
        is_near, is_early = left < NEAR * query.size, not is_round and k < LIKELY_STEPS
        bodies = HullPair(hull_of_a, hull_of_b, speeds_a, speeds_b, n, reach, is_near, is_early)
        speed = APPROACH_SHARE * (speeds_a.speed + speeds_b.speed)
        window = left / speed if left < rest * speed else rest
        step = _longest_step(bodies, window, rest)
        if step >= rest:
            return Advance(True, False, state)
        if not step > NO_PROGRESS:
            return Advance(False, True, state)
        t = state.t + step
        a, b, o = query.a, query.b, query.origin
        return Advance(
            False, False, Poses(t, place_a(a.body, a.motion, t, o), place_b(b.body, b.motion, t, o))
        )

    find_first_contact = make_finder(measure, confirm, advance, _elapsed_time)

    def find_contact_of_movers(a: Mover, b: Mover) -> Impact3d:
        o = hull_a(a.body, ZERO).center
        start = Poses(0.0, place_a(a.body, a.motion, 0.0, o), place_b(b.body, b.motion, 0.0, o))
        hull_of_a, hull_of_b = hull_a(start.a, ZERO), hull_b(start.b, ZERO)
        motion_a, motion_b = _motion_from(a.motion, o), _motion_from(b.motion, o)
        size = hull_of_a.radius + hull_of_b.radius + hull_of_a.reach + hull_of_b.reach
        size += _distance_from_axis(motion_a, hull_of_a.center) if motion_a.angle != 0.0 else 0.0
        size += _distance_from_axis(motion_b, hull_of_b.center) if motion_b.angle != 0.0 else 0.0
        speeds_a, speeds_b = _bound_speeds(motion_a, hull_of_a), _bound_speeds(motion_b, hull_of_b)
        closed = a.tol if a.margin > 0.0 else stop
        distance = length(hull_of_b.center)
        path_length = speeds_a.speed + speeds_b.speed
        limits = make_limits(size, distance, path_length, a.tol, closed, a.margin, MAX_STEPS_TWO_MOVERS)
        reach = a.margin + limits.slack
        query = TwoMovers(a, b, speeds_a, speeds_b, o, size, a.margin, reach, limits.accepted)
        impact = _make_impact(find_first_contact(query, start, limits), query)
        return impact if is_round else separate(impact, a, b.body)

    find_contact_of_movers.__name__ = f"moving_{name}"
    find_contact_of_movers.__module__ = module  # whose imports are all that the machine code depends on
    return procedure(find_contact_of_movers)


@device
def _spin(motion: Screw3d) -> Vec3:
    return scale(motion.axis, motion.angle)


class HullPair(NamedTuple):
    """Two hulls at a pose, how they move, the normal from b to a, and how near their cores may come.

    `is_near`: the gap is small. `is_early`: only a few steps have been taken.
    """

    a: Hull
    b: Hull
    speeds_a: Speeds
    speeds_b: Speeds
    normal: Vec3
    reach: float
    is_near: bool
    is_early: bool


@device
def _longest_step(x: HullPair, window: float, rest: float) -> float:
    """A safe step within the time `rest`.

    Bounds are better for a short step, so first they are sought for a window: how long the gap is likely to
    last. The bounds that are usually best come first. Far apart, that is the plane at rest; near contact, it
    is `_guess_bound`. If these are worse than the speeds alone, or after many steps, all are tried.
    """
    guess = _guess_bound(x)
    first = 0 if x.is_near or guess == STILL else 1
    step = 0.0
    for limit in (window, rest):
        for attempt in range(6):
            bound = attempt - 2
            if attempt < 2:
                bound = guess if attempt == first else STILL
            step = max(step, _step_of_bound(x, bound, limit))
            if step >= limit or (attempt >= first and x.is_early and step > APPROACH_SHARE * limit):
                break
        if not limit <= step < rest:
            return step
    return step


@device
def _guess_bound(x: HullPair) -> int:
    """The plane that holds the nearest face or edge of a body, or the axis across two edges."""
    level_a, level_b = _count_level(x.a.edges, x.normal), _count_level(x.b.edges, x.normal)
    if level_a == 1 and level_b == 1:
        return WITH_EDGES
    if level_b > 0 and level_a < 2:
        return WITH_B
    return WITH_A if level_a > 0 else STILL


@device
def _count_level(edges: Record, n: Vec3) -> int:
    """How many edges are perpendicular to n: 1 for an edge, 2 or more for a face."""
    count = 0
    for e in edges:
        if dot(e, n) ** 2 < LEVEL_SQ * dot(e, e):
            count += 1
    return count


class Line(NamedTuple):
    """A height that changes: now, and its rate."""

    height: float
    rate: float


@device
def _lowest(hull: Hull, n: Vec3, change: Vec3, t: float) -> Line:
    """n . p and change . p of the corner p for which n . p + t change . p is least."""
    height, rate = dot(n, hull.corners[0]), dot(change, hull.corners[0])
    for p in hull.corners:
        h, r = dot(n, p), dot(change, p)
        if h + t * r < height + t * rate:
            height, rate = h, r
    for v in hull.spans:
        h, r = dot(n, v), dot(change, v)
        sign = 1.0 if h + t * r >= 0.0 else -1.0
        height, rate = height - sign * h, rate - sign * r
    return Line(height, rate)


@device
def _step_of_bound(x: HullPair, bound: int, rest: float) -> float:
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
    return _cut_step(x, n_rate, m, rest)


@device
def _bend_with_body(x: Hull, speeds: Speeds, holder: Speeds, n: Vec3, turn: float, rest: float) -> float:
    """A bound of the second derivative of heights of x over a plane that another body carries.

    With w and u the holder's rate and axis, the second derivative of n . (x - o) is at most that of x itself
    along n, and w |n x u| (2 |x'| + w |x - o|): nothing for an axis along n, about which n rests.
    """
    arm = _distance_from_axis(holder.motion, x.center) + x.reach + speeds.speed * rest
    lean = min(1.0, length(cross(n, speeds.motion.axis)) + turn * rest)
    return speeds.acceleration * lean + turn * (2.0 * speeds.speed + holder.rate * arm)


@device
def _bend_of_turning(x: HullPair, w: float, rest: float) -> float:
    """The same for planes across an n that turns at the rate w about an axis perpendicular to it.

    The second derivative of n . (x - y) is at most w^2 |x - y| + 2 w |x' - y'| and the accelerations along n.
    """
    n, a, b = x.normal, x.speeds_a, x.speeds_b
    speed = a.speed + b.speed
    far = x.a.reach + x.b.reach + length(sub(x.a.center, x.b.center)) + speed * rest
    m = a.acceleration * min(1.0, length(cross(n, a.motion.axis)) + w * rest)
    m += b.acceleration * min(1.0, length(cross(n, b.motion.axis)) + w * rest)
    return m + w * (w * far + 2.0 * speed)


@device
def _rate_of_edges(x: HullPair) -> Vec3:
    """How n must turn to stay perpendicular to an edge of each body; zero if they are parallel.

    For edges e of a and f of b, (n . e)' = (n . f)' = 0 determines n' = (p f x n - q e x n) / (n . e x f)
    with p = e . (spin_a x n) and q = f . (spin_b x n).
    """
    n = x.normal
    e, f = level_edge(x.a.edges, n), level_edge(x.b.edges, n)
    volume = dot(n, cross(e, f))
    if not volume * volume > PARALLEL_SQ * dot(e, e) * dot(f, f):
        return ZERO
    p, q = dot(e, cross(_spin(x.speeds_a.motion), n)), dot(f, cross(_spin(x.speeds_b.motion), n))
    return sub(scale(cross(f, n), p / volume), scale(cross(e, n), q / volume))


@device
def _cut_step(x: HullPair, n_rate: Vec3, m: float, rest: float) -> float:
    """How long every corner of a is more than the reach over every one of b along n, at most `rest`.

    Heights change at rates that are linear in the corner, n' . p + n . (spin x p), and m bounds their second
    derivatives. The corners that are nearest at the end of a step decide how far it must be cut; the
    parabolas open downwards, so if none meets at the end, none has before.
    """
    n, a, b = x.normal, x.speeds_a.motion, x.speeds_b.motion
    turn_a, turn_b = cross(n, _spin(a)), cross(n, _spin(b))
    change_a, change_b = add(n_rate, turn_a), neg(add(n_rate, turn_b))
    rate = dot(turn_b, b.center) - dot(turn_a, a.center)
    rate += a.advance * dot(n, a.axis) - b.advance * dot(n, b.axis)
    step = rest
    for _ in range(MAX_CUTS):
        low, high = _lowest(x.a, n, change_a, step), _lowest(x.b, neg(n), change_b, step)
        g, slope = low.height + high.height - x.reach, rate + low.rate + high.rate
        if not g > 0.0:
            return 0.0
        if g + (slope - 0.5 * m * step) * step >= 0.0:
            return step
        root = math.sqrt(slope * slope + 2.0 * m * g)
        cut = (slope + root) / m if slope > 0.0 else 2.0 * g / (root - slope)
        if not cut < step:
            return step
        step = cut
    return 0.0
