"""First contact of two bodies that both move, each by its own screw; or of one, up to any gap.

As in `rod.py`, planes carried by either body and axes perpendicular to two edges bound the distance
from below. Seen from one body the other runs on no circle: the height over a plane is bounded by a parabola,
g + g' t - m t^2 / 2, where m bounds the acceleration: its own, Coriolis' and the centrifugal one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from ougi._native import device
from ougi.kernels.constants import (
    APPROACH_SHARE,
    FREE,
    HIT,
    MAX_CUTS,
    MAX_STEPS_TWO_MOVERS,
    NEVER,
    NO_PROGRESS,
    OVERLAPPING,
    PARALLEL_SQ,
    RESOLUTION,
    ROUNDING,
    UNDECIDED,
)
from ougi.kernels.impact.movers import NOWHERE, Mover, carried
from ougi.kernels.records import Impact3d, Screw3d, Separation3d, Vec3
from ougi.kernels.separation3d import put_back
from ougi.kernels.vec3 import add, along, cross, dot, length, neg, scale, sub

_NONE = Vec3(0.0, 0.0, 0.0)


class Hull(NamedTuple):
    """The core of a body: the sum of the hull of its `corners` and of the segments -v..v, v in `spans`.

    A triangle has three corners, a ball, a capsule and a box one: the center. `edges` are directions; what
    a body has none of is one zero vector. `center` and `reach` are a ball around the core.
    """

    corners: Any
    spans: Any
    edges: Any
    radius: float
    center: Vec3
    reach: float


class Pace(NamedTuple):
    """How fast a body moves: its rate of turning, the largest speed and acceleration of its points."""

    motion: Screw3d
    rate: float
    speed: float
    acceleration: float


@device
def pose(motion: Screw3d, t: float, x: Vec3, origin: Vec3) -> Vec3:
    """The point x at time t, seen from `origin`: as precise as it is near, however far off the world's is."""
    w = carried(motion, t, sub(x, motion.center))
    return along(add(sub(motion.center, origin), w), motion.axis, motion.advance * t)


@device
def _seen_from(motion: Screw3d, origin: Vec3) -> Screw3d:
    return Screw3d(sub(motion.center, origin), motion.axis, motion.angle, motion.advance)


@device
def _from_axis(motion: Screw3d, x: Vec3) -> float:
    """The distance of x from the axis."""
    w = sub(x, motion.center)
    return length(along(w, motion.axis, -dot(w, motion.axis)))


@device
def _velocity(motion: Screw3d, x: Vec3) -> Vec3:
    turning = scale(cross(motion.axis, sub(x, motion.center)), motion.angle)
    return along(turning, motion.axis, motion.advance)


@device
def _pace(motion: Screw3d, hull: Hull) -> Pace:
    rate = abs(motion.angle)
    arm = _from_axis(motion, hull.center) + hull.reach
    return Pace(motion, rate, math.sqrt((rate * arm) ** 2 + motion.advance**2), rate * rate * arm)


@device
def first_touch_of_two(
    glance: Callable[[Any, Any], Separation3d],
    contact: Callable[[Any, Any, Separation3d], Separation3d],
    separation: Callable[[Any, Any], Separation3d],
    place_a: Callable[[Any, Screw3d, float, Vec3], Any],
    hull_a: Callable[[Any, Vec3], Hull],
    place_b: Callable[[Any, Screw3d, float, Vec3], Any],
    hull_b: Callable[[Any, Vec3], Hull],
    finest: float,
    a: Mover,
    b: Mover,
) -> Impact3d:
    """place puts a body where it is at time t, seen from an origin near a; hull gives its core, or a body
    around it that is as far along a normal.

    glance is the distance, or a bound from below that is positive as long as they are apart and that is made
    smaller than `finest`; contact completes it with the nearest points and their distance. A margin needs the
    distance itself: separation. b is the target, or a where the sense of a is -1.
    """
    o = hull_a(a.body, _NONE).center
    first_a = hull_a(place_a(a.body, a.motion, 0.0, o), _NONE)
    first_b = hull_b(place_b(b.body, b.motion, 0.0, o), _NONE)
    pace_a, pace_b = _pace(_seen_from(a.motion, o), first_a), _pace(_seen_from(b.motion, o), first_b)
    radii = first_a.radius + first_b.radius
    size = radii + first_a.reach + first_b.reach
    size += _from_axis(pace_a.motion, first_a.center) if pace_a.rate > 0.0 else 0.0
    size += _from_axis(pace_b.motion, first_b.center) if pace_b.rate > 0.0 else 0.0
    tol = a.tol if a.margin > 0.0 else min(a.tol, finest)
    slack = 0.5 * tol * size + ROUNDING * length(first_b.center)
    room = max(2.0 * slack, a.tol * size)
    t = 0.0
    for k in range(MAX_STEPS_TWO_MOVERS):
        body_a, body_b = place_a(a.body, a.motion, t, o), place_b(b.body, b.motion, t, o)
        s = separation(body_a, body_b) if a.margin > 0.0 else glance(body_a, body_b)
        if s.distance - a.margin <= 2.0 * slack:
            if k == 0 and s.distance <= 0.0:
                return Impact3d(OVERLAPPING, 0.0, NOWHERE, NOWHERE)
            s = s if a.margin > 0.0 else contact(body_a, body_b, s)
            if s.distance - a.margin <= room:
                if k == 0 and s.distance <= ROUNDING * size:
                    return Impact3d(OVERLAPPING, 0.0, NOWHERE, NOWHERE)
                return _answer(t, put_back(s, o), a.sense)
            # Two needles, tip to tip: no face or product of edges sees the distance.
            s = Separation3d(s.distance, _toward(s), s.point_a, s.point_b)
        here_a, here_b = hull_a(body_a, s.normal), hull_b(body_b, neg(s.normal))
        pace_a, pace_b = _pace(pace_a.motion, here_a), _pace(pace_b.motion, here_b)
        reach, rest = here_a.radius + here_b.radius + a.margin + slack, 1.0 - t
        # The bounds are better on a short way, so that comes first: how far the gap lasts at a share of the
        # speed. If nothing happens there, the whole of it.
        gap, speed, window = s.distance - a.margin, APPROACH_SHARE * (pace_a.speed + pace_b.speed), rest
        if gap < rest * speed:
            window = gap / speed
        step = _longest_step(here_a, here_b, pace_a, pace_b, s.normal, reach, window)
        if step >= window and window < rest:
            step = max(step, _longest_step(here_a, here_b, pace_a, pace_b, s.normal, reach, rest))
        if step >= rest:
            return Impact3d(FREE, math.nan, NOWHERE, NOWHERE)
        if not step > NO_PROGRESS:
            way = size + pace_a.speed + pace_b.speed
            if not s.distance - a.margin <= 2.0 * slack + RESOLUTION * way:
                break
            return _answer(t, put_back(s if a.margin > 0.0 else contact(body_a, body_b, s), o), a.sense)
        t += step
    return Impact3d(UNDECIDED, t, NOWHERE, NOWHERE)


@device
def _toward(s: Separation3d) -> Vec3:
    """The direction from a's nearest point to b's."""
    return scale(sub(s.point_b, s.point_a), 1.0 / length(sub(s.point_b, s.point_a)))


@device
def _answer(t: float, s: Separation3d, sense: float) -> Impact3d:
    if sense > 0.0:
        return Impact3d(HIT, t, s.point_b, s.normal)
    return Impact3d(HIT, t, s.point_a, neg(s.normal))


@device
def _longest_step(a: Hull, b: Hull, pace_a: Pace, pace_b: Pace, n: Vec3, reach: float, rest: float) -> float:
    """The longest of three safe steps on the way `rest`; n points from a to b."""
    step = _plane_step(a, b, pace_a, pace_b, neg(n), reach, rest)
    if step < rest:
        step = max(step, _plane_step(b, a, pace_b, pace_a, n, reach, rest))
    e, f = level_edge(a.edges, n), level_edge(b.edges, n)
    axis = cross(e, f)
    if step < rest and dot(axis, axis) > PARALLEL_SQ * dot(e, e) * dot(f, f):
        sign = 1.0 if dot(axis, n) <= 0.0 else -1.0
        step = max(step, _edge_step(a, b, pace_a, pace_b, scale(e, sign), f, reach, rest))
    return step


@device
def _parabola(step: float, g: float, rate: float, m: float) -> float:
    """The smaller of `step` and the first zero of g + rate t - m t^2 / 2; 0 if there is no room."""
    if not g > 0.0:
        return 0.0
    if g + (rate - 0.5 * m * step) * step >= 0.0:
        return step
    root = math.sqrt(rate * rate + 2.0 * m * g)
    return min(step, (rate + root) / m if rate > 0.0 else 2.0 * g / (root - rate))


@device
def _lowest(hull: Hull, n: Vec3) -> Vec3:
    """The corner furthest against n."""
    best: Vec3 = hull.corners[0]
    for p in hull.corners:
        if dot(n, sub(p, best)) < 0.0:
            best = p
    for v in hull.spans:
        best = along(best, v, -1.0 if dot(n, v) >= 0.0 else 1.0)
    return best


@device
def _plane_step(x: Hull, y: Hull, pace: Pace, holder: Pace, n: Vec3, reach: float, rest: float) -> float:
    """How long x stays over the plane that y carries, n pointing to x.

    With w and u the holder's rate and axis, the second derivative of n . (x - o) is at most that of x itself
    along n, and w |n x u| (2 |x'| + w |x - o|): nothing for an axis along n, about which n rests. The corner
    that is lowest at the end of a step decides how far it must be cut; the parabolas open downwards, so if
    none is below the plane at the end, none was on the way.
    """
    top = _lowest(y, neg(n))
    if not dot(n, sub(_lowest(x, n), top)) > reach:
        return 0.0
    arm = _from_axis(holder.motion, x.center) + x.reach + pace.speed * rest
    turn = holder.rate * length(cross(n, holder.motion.axis))
    lean = min(1.0, length(cross(n, pace.motion.axis)) + turn * rest)
    m = pace.acceleration * lean + turn * (2.0 * pace.speed + holder.rate * arm)
    spin = sub(_spin(pace.motion), _spin(holder.motion))
    change = cross(n, spin)  # n . (spin x p) = p . (n x spin)
    step = rest
    for _ in range(MAX_CUTS):
        p = _lowest(x, along(n, change, step))
        rate = dot(n, sub(_velocity(pace.motion, p), _velocity(holder.motion, p)))
        cut = _parabola(step, dot(n, sub(p, top)) - reach, rate, m)
        if cut >= step:
            return step
        step = cut
    return 0.0


@device
def _spin(motion: Screw3d) -> Vec3:
    return scale(motion.axis, motion.angle)


@device
def level_edge(edges: Any, n: Vec3) -> Vec3:
    """The edge that is nearest to being perpendicular to n."""
    best, least = _NONE, NEVER
    for e in edges:
        e_sq = dot(e, e)
        tilt = dot(e, n) ** 2 / e_sq if e_sq > 0.0 else NEVER
        if tilt < least:
            best, least = e, tilt
    return best


@device
def _edge_step(
    a: Hull, b: Hull, pace_a: Pace, pace_b: Pace, e: Vec3, f: Vec3, reach: float, rest: float
) -> float:
    """How long the axis e x f, which points from b to a, keeps them apart.

    Of l = e x f, the height l . (x - y) and |l| <= |l_0| - (e . f)_0 / |l_0| ((e . f) - (e . f)_0) follow
    bounds of their second derivatives. Corners are found as in `_plane_step`.
    """
    spin_a, spin_b = _spin(pace_a.motion), _spin(pace_b.motion)
    e_rate, f_rate = cross(spin_a, e), cross(spin_b, f)
    axis = cross(e, f)
    axis_rate = add(cross(e_rate, f), cross(e, f_rate))
    size, product = length(axis), length(e) * length(f)
    spin, speed = pace_a.rate + pace_b.rate, pace_a.speed + pace_b.speed
    far = a.reach + b.reach + length(sub(a.center, b.center))
    floor = reach * size + ROUNDING * product * far
    if not dot(axis, sub(_lowest(a, axis), _lowest(b, neg(axis)))) > floor:
        return 0.0
    bow = reach * dot(e, f) / size
    m = spin * spin * (far + speed * rest) + 2.0 * spin * speed + pace_a.acceleration + pace_b.acceleration
    m = product * (m + abs(bow) * spin * spin)
    rise = bow * (dot(e_rate, f) + dot(e, f_rate))
    change_a = add(axis_rate, cross(axis, spin_a))
    change_b = add(axis_rate, cross(axis, spin_b))
    step = rest
    for _ in range(MAX_CUTS):
        x = _lowest(a, along(axis, change_a, step))
        y = _lowest(b, neg(along(axis, change_b, step)))
        w = sub(x, y)
        rate = dot(axis, sub(_velocity(pace_a.motion, x), _velocity(pace_b.motion, y)))
        cut = _parabola(step, dot(axis, w) - floor, rate + dot(axis_rate, w) + rise, m)
        if cut >= step:
            return step
        step = cut
    return 0.0
