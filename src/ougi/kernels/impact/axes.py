"""First contact of two bodies without radius, one of which moves by a screw: kinetic separating axes.

Two polytopes are apart as long as one of their axes separates them: a normal of a face, or the product of two
edges. Along each the height of the corners is of first degree in cos d and sin d, so it separates up to an
angle in closed form. The best axis is followed up to there; where none is left, they touch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ougi._native import device
from ougi.kernels.closest3d import Nearest3d
from ougi.kernels.constants import HIT, MAX_STEPS, OVERLAPPING, RESTING, ROUNDING, STOP_GAP
from ougi.kernels.impact.movers import NOWHERE, Touch, free, undecided
from ougi.kernels.impact.screw_steps import (
    Course,
    Hop,
    Rest,
    after,
    begin,
    hop_of,
    is_beyond,
    is_last,
    is_stuck,
    longest,
    resolved,
    time_at,
)
from ougi.kernels.records import Vec3
from ougi.kernels.vec3 import along, dot, length, neg, scale, sub


class Axis(NamedTuple):
    """A separating axis, its gap, and where it comes from.

    `normal` is a unit vector from the resting body to the moving one. For CROSSED it is `sign` times the
    product of `e`, edge `i` of the moving body, and `f`, edge `j` of the resting one.
    """

    gap: float
    kind: int
    normal: Vec3
    e: Vec3
    f: Vec3
    sign: float
    i: int
    j: int


@device
def first_touch(
    best_axis: Callable[[Any, Any, float], Axis],
    step: Callable[[Any, Any, Axis, float, float, Course, Rest], float],
    move: Callable[[Course, Hop, Any], Any],
    nearest: Callable[[Any, Any, Axis], Nearest3d],
    middle: Vec3,
    body: Any,
    core: Any,
    size: float,
    course: Course,
    tol: float,
) -> Touch:
    """When the moving body first touches the core; `size` is that of both, `middle` a point of the body.

    best_axis(body, core, size) finds the best axis at a pose, step(body, core, axis, slack, size, course,
    rest) the cot of the step up to which it separates.
    """
    if course.turn > 0.0:
        w = sub(middle, course.center)
        size += length(along(w, course.axis, -dot(w, course.axis)))
    slack = 0.5 * min(tol, STOP_GAP) * size
    rest = begin(course)
    for k in range(MAX_STEPS):
        axis = best_axis(body, core, size)
        if axis.gap <= 2.0 * slack:
            if k == 0 and axis.gap <= 0.0:
                return Touch(OVERLAPPING, 0.0, NOWHERE, NOWHERE, NOWHERE)
            near = nearest(body, core, axis)
            d = sub(near.a, near.b)
            distance = length(d)
            if distance <= tol * size:
                if k == 0 and distance <= ROUNDING * size:
                    return Touch(OVERLAPPING, 0.0, NOWHERE, NOWHERE, NOWHERE)
                return _touch(near, axis, time_at(course, rest))
            # Two needles, tip to tip: no face or product of edges sees the distance.
            axis = Axis(distance, RESTING, scale(d, 1.0 / distance), d, d, 1.0, 0, 0)
        cot = step(body, core, axis, slack, size, course, rest)
        if is_beyond(rest, cot):
            if is_last(course, rest):
                return free()
            cot = longest(rest)
        elif is_stuck(course, cot):
            if not axis.gap <= 2.0 * slack + resolved(course, size):
                break
            return _touch(nearest(body, core, axis), axis, time_at(course, rest))
        hop = hop_of(course, cot)
        rest = after(course, rest, hop)
        body = move(course, hop, body)
    return undecided(time_at(course, rest))


@device
def _touch(near: Nearest3d, axis: Axis, t: float) -> Touch:
    return Touch(HIT, t, near.a, near.b, neg(axis.normal))
