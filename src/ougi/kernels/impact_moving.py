"""First contact of two bodies that both move, each by its own screw; or of one, up to any gap.

As in `impact_rod.py`, planes carried by either body and axes perpendicular to two edges bound the distance
from below. Seen from one body the other runs on no circle: the height over a plane is bounded by a parabola,
g + g' t - m t^2 / 2, where m bounds the acceleration: its own, Coriolis' and the centrifugal one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from ougi._jit import device
from ougi.kernels.advance import EDGE_ROUNDING, MAX_STEPS, NEVER, ROUNDING
from ougi.kernels.moving import (
    FREE,
    HIT,
    NOWHERE,
    OVERLAPPING,
    UNDECIDED,
    Mover,
    carried,
)
from ougi.kernels.records import Impact3d, Screw3d, Separation3d, Vec3
from ougi.kernels.vec3 import add, along, cross, dot, length, neg, scale, sub

# Edges at a smaller angle than this (squared sine) have no axis worth trying.
_PARALLEL_SQ = 1e-12

# A step shorter than this does not change the time any more.
_NO_PROGRESS = 5e-16

# A gap that rounding cannot resolve, in units of the sizes and ways of the bodies.
_FINEST = 1e-13

_NONE = Vec3(0.0, 0.0, 0.0)


class Hull(NamedTuple):
    """The core of a body: its corners, the directions of its edges and its radius.

    `center` and `reach` are a ball around the core. A ball has no edges: its one is zero.
    """

    corners: Any
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
def pose(motion: Screw3d, t: float, x: Vec3) -> Vec3:
    """The point x at time t."""
    w = carried(motion, t, sub(x, motion.center))
    return along(add(motion.center, w), motion.axis, motion.advance * t)


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
    separation: Callable[[Any, Any], Separation3d],
    place_a: Callable[[Any, Screw3d, float], Any],
    hull_a: Callable[[Any, Vec3], Hull],
    place_b: Callable[[Any, Screw3d, float], Any],
    hull_b: Callable[[Any, Vec3], Hull],
    a: Mover,
    b: Mover,
) -> Impact3d:
    """place puts a body where it is at time t; hull gives its core, seen from the other body along a normal.

    b is the target, or a where the sense of a is -1.
    """
    hulls = (hull_a(a.body, _NONE), hull_b(b.body, _NONE))
    pace_a, pace_b = _pace(a.motion, hulls[0]), _pace(b.motion, hulls[1])
    radii = hulls[0].radius + hulls[1].radius
    size = radii + hulls[0].reach + hulls[1].reach
    size += _from_axis(a.motion, hulls[0].center) if pace_a.rate > 0.0 else 0.0
    size += _from_axis(b.motion, hulls[1].center) if pace_b.rate > 0.0 else 0.0
    slack = 0.5 * a.tol * size + ROUNDING * length(sub(hulls[0].center, hulls[1].center))
    t = 0.0
    for k in range(MAX_STEPS):
        body_a, body_b = place_a(a.body, a.motion, t), place_b(b.body, b.motion, t)
        s = separation(body_a, body_b)
        if s.distance - a.margin <= 2.0 * slack:
            status = OVERLAPPING if k == 0 and s.distance <= ROUNDING * size else HIT
            return _answer(status, t, s, a.sense)
        here_a, here_b = hull_a(body_a, s.normal), hull_b(body_b, neg(s.normal))
        pace_a, pace_b = _pace(a.motion, here_a), _pace(b.motion, here_b)
        reach, rest = here_a.radius + here_b.radius + a.margin + slack, 1.0 - t
        step = _longest_step(here_a, here_b, pace_a, pace_b, s, reach, rest)
        if step < rest:  # once more: the bounds are better on a shorter way
            window = min(rest, 2.0 * step)
            again = _longest_step(here_a, here_b, pace_a, pace_b, s, reach, window)
            step = max(step, min(again, window) if window < rest else again)
        if step >= rest:
            return Impact3d(FREE, math.nan, NOWHERE, NOWHERE)
        if not step > _NO_PROGRESS:
            way = size + pace_a.speed + pace_b.speed
            if not s.distance - a.margin <= 2.0 * slack + _FINEST * way:
                break
            return _answer(HIT, t, s, a.sense)
        t += step
    return Impact3d(UNDECIDED, t, NOWHERE, NOWHERE)


@device
def _answer(status: float, t: float, s: Separation3d, sense: float) -> Impact3d:
    """Bodies that overlap at the start have no first contact: NaN, like wherever cores do."""
    if status == OVERLAPPING:
        return Impact3d(status, t, NOWHERE, NOWHERE)
    if sense > 0.0:
        return Impact3d(status, t, s.point_b, s.normal)
    return Impact3d(status, t, s.point_a, neg(s.normal))


@device
def _longest_step(
    a: Hull, b: Hull, pace_a: Pace, pace_b: Pace, s: Separation3d, reach: float, rest: float
) -> float:
    """The longest of three safe steps on the way `rest`."""
    n = s.normal
    step = max(
        _plane_step(a, b, pace_a, pace_b, neg(n), reach, rest),
        _plane_step(b, a, pace_b, pace_a, n, reach, rest),
    )
    e, f = level_edge(a.edges, n), level_edge(b.edges, n)
    axis = cross(e, f)
    if step < rest and dot(axis, axis) > _PARALLEL_SQ * dot(e, e) * dot(f, f):
        sign = 1.0 if dot(axis, n) <= 0.0 else -1.0
        step = max(step, _edge_step(a, b, pace_a, pace_b, scale(e, sign), f, s, reach, rest))
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
def _plane_step(x: Hull, y: Hull, pace: Pace, holder: Pace, n: Vec3, reach: float, rest: float) -> float:
    """How long x stays over the plane that y carries, n pointing to x."""
    top = -NEVER
    for q in y.corners:
        top = max(top, dot(n, q))
    arm = _from_axis(holder.motion, x.center) + x.reach + pace.speed * rest
    m = pace.acceleration + 2.0 * holder.rate * pace.speed + holder.rate * holder.rate * arm
    step = rest
    for p in x.corners:
        rate = dot(n, sub(_velocity(pace.motion, p), _velocity(holder.motion, p)))
        step = _parabola(step, dot(n, p) - top - reach, rate, m)
    return step


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
    a: Hull, b: Hull, pace_a: Pace, pace_b: Pace, e: Vec3, f: Vec3, s: Separation3d, reach: float, rest: float
) -> float:
    """How long the axis e x f, which points from b to a, keeps them apart.

    Of l = e x f, the height l . (x - y) and |l| <= |l_0| - (e . f)_0 / |l_0| ((e . f) - (e . f)_0) follow
    bounds of their second derivatives.
    """
    rate_a, rate_b = pace_a.motion.angle, pace_b.motion.angle
    e_rate = scale(cross(pace_a.motion.axis, e), rate_a)
    f_rate = scale(cross(pace_b.motion.axis, f), rate_b)
    axis = cross(e, f)
    axis_rate = add(cross(e_rate, f), cross(e, f_rate))
    size = length(axis)
    bow = reach * dot(e, f) / size
    spin, speed = pace_a.rate + pace_b.rate, pace_a.speed + pace_b.speed
    far = a.reach + b.reach + length(sub(a.center, b.center))
    m = spin * spin * (far + speed * rest) + 2.0 * spin * speed + pace_a.acceleration + pace_b.acceleration
    product = length(e) * length(f)
    m = product * (m + abs(bow) * spin * spin)
    rise = bow * (dot(e_rate, f) + dot(e, f_rate))
    step = rest
    for x in a.corners:
        g_x = dot(axis, sub(x, s.point_b)) - reach * size - EDGE_ROUNDING * product * far
        rate_x = dot(axis_rate, sub(x, s.point_b)) + dot(axis, _velocity(pace_a.motion, x)) + rise
        for y in b.corners:
            g = g_x - dot(axis, sub(y, s.point_b))
            rate = rate_x - dot(axis_rate, sub(y, s.point_b)) - dot(axis, _velocity(pace_b.motion, y))
            step = _parabola(step, g, rate, m)
    return step
