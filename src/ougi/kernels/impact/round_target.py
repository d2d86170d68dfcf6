"""First contact of a body with corners, and perhaps a radius, with a cylinder: plane-step advancement.

As for a capsule (`rod.py`) there are three safe steps, and the longest is taken: the plane at rest;
the plane carried by the body; and the axis perpendicular to an edge and to the cylinder's axis, for edges
that face the wall. Under a carried plane the cylinder is replaced by a capsule that holds it and touches it
at the same point (`capsule_around`): that has corners, and its gap is the same up to second order. Together
the three touch the distance function to first order wherever corners, edges and faces meet a cap, the wall or
a rim in general position.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ougi._native import device
from ougi.kernels.constants import HIT, MAX_STEPS, NEVER, OVERLAPPING, PARALLEL_SQ, ROUNDING, STEEP
from ougi.kernels.cylinder import Can, Nearest, capsule_around, top_can
from ougi.kernels.impact.cores import corner_segment
from ougi.kernels.impact.movers import NOWHERE, Touch, free, undecided
from ougi.kernels.impact.screw_steps import (
    Course,
    Hop,
    Rest,
    above,
    after,
    begin,
    hop_of,
    is_beyond,
    is_last,
    is_stuck,
    longest,
    over_edges,
    over_plane,
    reached,
    resolved,
    time_at,
    under_plane,
)
from ougi.kernels.impact.two_movers import level_edge
from ougi.kernels.records import Capsule3d, Vec3
from ougi.kernels.vec3 import along, cross, dot, length, length_sq, neg, scale, sub

_AXIS = Vec3(0.0, 0.0, 1.0)


@device
def first_touch(
    nearest: Callable[[Can, Any], Nearest],
    corners: Callable[[Any], Any],
    edges: Callable[[Any], Any],
    carry: Callable[[Course, Hop, Any], Any],
    can: Can,
    start: Any,
    radius: float,
    size: float,
    middle: Vec3,
    course: Course,
    tol: float,
    margin: float,
) -> Touch:
    """When the gap between the body at `start` and the cylinder is first at most the margin.

    The body lies in the cylinder's frame; it has a middle and a `size`, that of both bodies without their
    distance from the axis. It does not overlap the cylinder, unless `nearest` tells so.
    """
    body = start
    if course.turn > 0.0:
        w = sub(middle, course.center)
        size += length(along(w, course.axis, -dot(w, course.axis)))
    slack = 0.5 * tol * size + ROUNDING * length(middle)  # points have no size
    reach = radius + margin
    rest = begin(course)
    n = NOWHERE
    for step in range(MAX_STEPS):
        near = nearest(can, body)
        distance = length(near.offset)
        if distance - reach <= 2.0 * slack:
            status = OVERLAPPING if step == 0 and distance - radius <= ROUNDING * size else HIT
            return _touch(status, time_at(course, rest), near, n, radius)
        n = scale(near.offset, 1.0 / distance)
        cot = _longest_step(can, corners(body), edges(body), n, reach + slack, size, course, rest)
        if is_beyond(rest, cot):
            if is_last(course, rest):
                return free()
            cot = longest(rest)
        elif is_stuck(course, cot):
            if not distance - reach <= 2.0 * slack + resolved(course, size):
                break
            return _touch(HIT, time_at(course, rest), near, n, radius)
        hop = hop_of(course, cot)
        rest = after(course, rest, hop)
        body = carry(course, hop, body)
    return undecided(time_at(course, rest))


@device
def _longest_step(
    can: Can, corners: Any, edges: Any, n: Vec3, reach: float, size: float, course: Course, rest: Rest
) -> float:
    """The cot of the longest of the three safe steps; any that reaches the end will do."""
    turn = course.turn
    plane = over_plane(course, rest, n, top_can(can, n) + reach)
    cot, low = -NEVER, NEVER
    for x in corners:
        cot = reached(turn, cot, plane, x)
        low = min(low, dot(n, x))
    if is_beyond(rest, cot):
        return cot
    if math.sqrt(n.x * n.x + n.y * n.y) > STEEP:
        around = capsule_around(can, n)
        plane = under_plane(course, rest, n, low - reach - around.radius)
        cot = min(cot, corner_segment(around, plane, turn, -NEVER))
        if is_beyond(rest, cot):
            return cot
    e = level_edge(edges, n)
    axis = cross(e, _AXIS)
    e_sq = length_sq(e)
    if length_sq(axis) > PARALLEL_SQ * e_sq:
        sign = 1.0 if dot(axis, n) >= 0.0 else -1.0
        across = over_edges(course, rest, e, _AXIS, size * math.sqrt(e_sq), sign, reach + can.radius)
        ends = Capsule3d(scale(_AXIS, -can.half_height), scale(_AXIS, can.half_height), 0.0)
        crossed = -NEVER
        for x in corners:
            crossed = corner_segment(ends, above(across, x), turn, crossed)
        cot = min(cot, crossed)
    return cot


@device
def _touch(status: float, t: float, near: Nearest, before: Vec3, radius: float) -> Touch:
    """The contact. Where the cores meet the normal is the one before: at the start NaN."""
    distance = length(near.offset)
    n = scale(near.offset, 1.0 / distance) if distance > 0.0 else before
    return Touch(status, t, along(near.point, n, -radius), sub(near.point, near.offset), neg(n))


@device
def overlapping() -> Touch:
    """Bodies that share a point from the start have no first contact."""
    return Touch(OVERLAPPING, 0.0, NOWHERE, NOWHERE, NOWHERE)
