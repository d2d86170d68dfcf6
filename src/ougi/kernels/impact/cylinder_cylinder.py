"""First contact of a moving cylinder with another: plane-step advancement.

The steps are those of a body with corners (`round_target.py`). A cylinder has none: at every pose a body
takes its place that has some, holds it and touches it where it is nearest (`hull_cylinder`).
"""

from __future__ import annotations

from ougi._native import device, procedure
from ougi.kernels.closest3d import to_box, turn_to_box
from ougi.kernels.constants import HIT, MAX_STEPS, OVERLAPPING, ROUNDING
from ougi.kernels.cylinder import _IDENTITY, box_around, can_of
from ougi.kernels.cylinder_cylinder import separation_cylinder_cylinder
from ougi.kernels.impact.movers import (
    NOWHERE,
    Mover,
    Touch,
    answer,
    free,
    put_back_from_box,
    seen_from_box,
    undecided,
)
from ougi.kernels.impact.round_target import _longest_step
from ougi.kernels.impact.screw_steps import (
    Course,
    Hop,
    after,
    begin,
    course_of,
    hop_of,
    is_beyond,
    is_last,
    is_stuck,
    longest,
    moved,
    resolved,
    time_at,
    turned,
)
from ougi.kernels.impact.two_movers import Hull
from ougi.kernels.impact.two_movers_bodies import hull_cylinder
from ougi.kernels.records import Box, Cylinder, Frame, Impact3d, Separation3d, Vec3
from ougi.kernels.vec3 import add, along, dot, length, neg, sub


@device
def _corners(h: Hull) -> tuple[Vec3, Vec3, Vec3, Vec3, Vec3, Vec3, Vec3, Vec3]:
    x, y, z = h.spans
    low, high = sub(h.corners[0], z), add(h.corners[0], z)
    a, b = add(x, y), sub(x, y)
    return (
        add(low, a), add(low, b), sub(low, a), sub(low, b),
        add(high, a), add(high, b), sub(high, a), sub(high, b),
    )  # fmt: skip


@device
def _seen(c: Cylinder, b: Box) -> Cylinder:
    """A cylinder in the frame of a box."""
    f = c.frame
    x, y, z = turn_to_box(b, f.x), turn_to_box(b, f.y), turn_to_box(b, f.z)
    return Cylinder(Frame(to_box(b, f.center), x, y, z), c.radius, c.half_height)


@device
def _carried(course: Course, hop: Hop, c: Cylinder) -> Cylinder:
    f = c.frame
    x, y, z = turned(course, hop, f.x), turned(course, hop, f.y), turned(course, hop, f.z)
    return Cylinder(Frame(moved(course, hop, f.center), x, y, z), c.radius, c.half_height)


@procedure
def _first_touch(body: Cylinder, still: Cylinder, course: Course, tol: float, margin: float) -> Touch:
    """When the gap of a moving and a resting cylinder, in the frame of the latter, is at most the margin."""
    size = body.radius + body.half_height + still.radius + still.half_height
    if course.turn > 0.0:
        w = sub(body.frame.center, course.center)
        size += length(along(w, course.axis, -dot(w, course.axis)))
    slack = 0.5 * tol * size + ROUNDING * length(body.frame.center)
    can, rest, n = can_of(still), begin(course), NOWHERE
    for step in range(MAX_STEPS):
        near = separation_cylinder_cylinder(body, still)
        if near.distance - margin <= 2.0 * slack:
            status = OVERLAPPING if step == 0 and near.distance <= ROUNDING * size else HIT
            return _touch(status, time_at(course, rest), near, n)
        n = near.normal
        hull = hull_cylinder(body, n)
        reach = hull.radius + margin + slack
        cot = _longest_step(can, _corners(hull), hull.edges, neg(n), reach, size, course, rest)
        if is_beyond(rest, cot):
            if is_last(course, rest):
                return free()
            cot = longest(rest)
        elif is_stuck(course, cot):
            if not near.distance - margin <= 2.0 * slack + resolved(course, size):
                break
            return _touch(HIT, time_at(course, rest), near, n)
        hop = hop_of(course, cot)
        rest = after(course, rest, hop)
        body = _carried(course, hop, body)
    return undecided(time_at(course, rest))


@device
def _touch(status: float, t: float, near: Separation3d, before: Vec3) -> Touch:
    """The contact. Where they meet up to rounding the normal is the one before: at the start NaN."""
    if near.distance > 0.0:
        return Touch(status, t, near.point_a, near.point_b, near.normal)
    if status == OVERLAPPING:
        return Touch(status, t, NOWHERE, NOWHERE, NOWHERE)
    return Touch(status, t, near.point_a, near.point_b, before)


@procedure
def impact_cylinder_cylinder(mover: Mover, cylinder: Cylinder) -> Impact3d:
    frame = box_around(cylinder)
    touch = _first_touch(
        _seen(mover.body, frame),
        Cylinder(_IDENTITY, cylinder.radius, cylinder.half_height),
        seen_from_box(course_of(mover.motion, mover.sense), frame),
        mover.tol,
        mover.margin,
    )
    return answer(put_back_from_box(touch, frame), mover.motion, mover.sense)
