"""First contact of a ball that moves by a screw with a resting core: plane-step advancement.

At each pose the nearest point of the core gives a separating plane; the ball's center cannot cross that
plane, grown by the radius, before a closed-form angle (`screw_steps.py`). It touches the distance function,
so the steps converge like Newton's, from the safe side: never past the contact, and a miss is a proof.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ougi._native import device
from ougi.kernels.constants import BOTH_PLANES, HIT, MAX_STEPS, NEVER, OVERLAPPING, ROUNDING
from ougi.kernels.impact.movers import NOWHERE, Touch, free, undecided
from ougi.kernels.impact.screw_steps import (
    Course,
    after,
    begin,
    first_cot,
    hop_of,
    is_beyond,
    is_last,
    is_stuck,
    longest,
    moved,
    pitch_bend,
    resolved,
    time_at,
    under_plane,
)
from ougi.kernels.records import Vec3
from ougi.kernels.vec3 import along, cross, dot, length, neg, scale, sub


@device
def first_touch(
    offset: Callable[[Any, Vec3], Vec3],
    top: Callable[[Any, Vec3], float],
    corner: Callable[[Any, Any, float, float], float],
    core: Any,
    core_radius: float,
    size: float,
    start: Vec3,
    radius: float,
    course: Course,
    tol: float,
    margin: float,
) -> Touch:
    """When the gap between the ball at `start` and the core with its radius is first at most the margin.

    `size` is that of both bodies without their distance from the axis; the functions are in
    `cores.py`.
    """
    x = start
    w = sub(x, course.center)
    if course.turn > 0.0:
        size += length(along(w, course.axis, -dot(w, course.axis)))
    slack = 0.5 * tol * size + ROUNDING * length(x)  # points have no size
    radii = radius + core_radius
    reach = radii + margin
    rest = begin(course)
    n = NOWHERE
    for step in range(MAX_STEPS):
        d = offset(core, x)
        distance = length(d)
        if distance - reach <= 2.0 * slack:
            status = OVERLAPPING if step == 0 and distance - radii <= ROUNDING * size else HIT
            return _touch(status, time_at(course, rest), x, d, n, radius, core_radius)
        n = scale(d, 1.0 / distance)
        w = sub(x, course.center)
        k = course.pitch * dot(n, course.axis)
        a = dot(n, w) - dot(n, course.axis) * dot(w, course.axis)
        b = dot(n, cross(course.axis, w)) + dot(n, course.velocity)
        if k != 0.0:
            a, b = a + pitch_bend(rest, k), b + k
        cot = first_cot(course.turn, dot(n, x) - top(core, n) - reach - slack, a, b)
        if step >= BOTH_PLANES and not is_beyond(rest, cot):
            plane = under_plane(course, rest, n, dot(n, x) - reach - slack)
            cot = min(cot, corner(core, plane, course.turn, -NEVER))
        if is_beyond(rest, cot):
            if is_last(course, rest):
                return free()
            cot = longest(rest)
        elif is_stuck(course, cot):
            if not distance - reach <= 2.0 * slack + resolved(course, size):
                break
            return _touch(HIT, time_at(course, rest), x, d, n, radius, core_radius)
        hop = hop_of(course, cot)
        rest = after(course, rest, hop)
        x = moved(course, hop, x)
    return undecided(time_at(course, rest))


@device
def _touch(
    status: float, t: float, x: Vec3, d: Vec3, before: Vec3, radius: float, core_radius: float
) -> Touch:
    """The contact. Where the center lies in the core the normal is the one before: at the start NaN."""
    distance = length(d)
    n = scale(d, 1.0 / distance) if distance > 0.0 else before
    return Touch(status, t, along(x, n, -radius), along(sub(x, d), n, core_radius), neg(n))
