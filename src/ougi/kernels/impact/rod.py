"""First contact of a capsule that moves by a screw with a resting core: plane-step advancement.

As for a ball (`ball.py`), with two ends instead of a center. Three minorants of the distance give safe
steps, and the longest is taken: the plane at rest, which touches the distance where an end is nearest; that
carried by the capsule, which does so where a corner of the core is; and the axis perpendicular to two edges,
where the insides of both are. Without the last, steps along two crossing edges shrink to nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ougi._native import device
from ougi.kernels.constants import HIT, MAX_STEPS, NEVER, OVERLAPPING, PARALLEL_SQ, ROUNDING
from ougi.kernels.impact.facing import Facing
from ougi.kernels.impact.movers import NOWHERE, Touch, free, undecided
from ougi.kernels.impact.screw_steps import (
    Course,
    Rest,
    above,
    after,
    begin,
    hop_of,
    is_beyond,
    is_last,
    is_stuck,
    longest,
    moved,
    over_edges,
    over_plane,
    reached,
    resolved,
    time_at,
    under_plane,
)
from ougi.kernels.records import Capsule3d, Vec3
from ougi.kernels.vec3 import along, cross, dot, length, length_sq, mid, neg, scale, sub


@device
def first_touch(
    facing: Callable[[Any, Vec3, Vec3], Facing],
    top: Callable[[Any, Vec3], float],
    corner: Callable[[Any, Any, float, float], float],
    core: Any,
    core_radius: float,
    size: float,
    start: Capsule3d,
    course: Course,
    tol: float,
    margin: float,
) -> Touch:
    """When the gap between the capsule at `start` and the core with its radius is first at most the margin.

    `size` is that of both bodies without their distance from the axis; see `cores.py` and
    `facing.py` for the functions.
    """
    p, q = start.start, start.end
    if course.turn > 0.0:
        w = sub(mid(p, q), course.center)
        size += length(along(w, course.axis, -dot(w, course.axis)))
    slack = 0.5 * tol * size + ROUNDING * length(p)  # points have no size
    radii = start.radius + core_radius
    reach = radii + margin
    rest = begin(course)
    n = NOWHERE
    for step in range(MAX_STEPS):
        near = facing(core, p, q)
        distance = length(near.offset)
        if distance - reach <= 2.0 * slack:
            status = OVERLAPPING if step == 0 and distance - radii <= ROUNDING * size else HIT
            return _touch(status, time_at(course, rest), near, n, start.radius, core_radius)
        n = scale(near.offset, 1.0 / distance)
        cot = _longest_step(top, corner, core, p, q, near, n, reach + slack, size, course, rest)
        if is_beyond(rest, cot):
            if is_last(course, rest):
                return free()
            cot = longest(rest)
        elif is_stuck(course, cot):
            if not distance - reach <= 2.0 * slack + resolved(course, size):
                break
            return _touch(HIT, time_at(course, rest), near, n, start.radius, core_radius)
        hop = hop_of(course, cot)
        rest = after(course, rest, hop)
        p, q = moved(course, hop, p), moved(course, hop, q)
    return undecided(time_at(course, rest))


@device
def _longest_step(
    top: Callable[[Any, Vec3], float],
    corner: Callable[[Any, Any, float, float], float],
    core: Any,
    p: Vec3,
    q: Vec3,
    near: Facing,
    n: Vec3,
    reach: float,
    size: float,
    course: Course,
    rest: Rest,
) -> float:
    """The cot of the longest of the three safe steps; any that reaches the end will do."""
    turn = course.turn
    plane = over_plane(course, rest, n, top(core, n) + reach)
    cot = reached(turn, reached(turn, -NEVER, plane, p), plane, q)
    if is_beyond(rest, cot):
        return cot
    e, f = sub(q, p), near.edge
    axis = cross(e, f)
    product_sq = length_sq(e) * length_sq(f)
    if length_sq(axis) > PARALLEL_SQ * product_sq:
        sign = 1.0 if dot(axis, n) >= 0.0 else -1.0
        edges = over_edges(course, rest, e, f, size * product_sq**0.5, sign, reach)
        cot = min(cot, corner(core, above(edges, p), turn, -NEVER))
        if is_beyond(rest, cot):
            return cot
    plane = under_plane(course, rest, n, min(dot(n, p), dot(n, q)) - reach)
    return min(cot, corner(core, plane, turn, -NEVER))


@device
def _touch(status: float, t: float, near: Facing, before: Vec3, radius: float, core_radius: float) -> Touch:
    """The contact. Where the cores meet the normal is the one before: at the start NaN."""
    distance = length(near.offset)
    n = scale(near.offset, 1.0 / distance) if distance > 0.0 else before
    point_b = along(sub(near.point, near.offset), n, core_radius)
    return Touch(status, t, along(near.point, n, -radius), point_b, neg(n))
