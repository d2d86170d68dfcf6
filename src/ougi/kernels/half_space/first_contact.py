"""First contact of a body with a half-space, each of which moves by a screw or rests.

The height of a point x of the body over the plane is n . (x - q). While the plane's normal rests, its second
derivative is that of x along n, at most w^2 r |n x axis|, where r is the distance of x from the axis: a turn
about the normal has none, so translations and such turns are solved in one step. If the plane turns,
Coriolis' and the centrifugal acceleration are added. A parabola bounds the height of every point from below.
All points are covered by the lowest ones along a few directions, because heights and rates are linear in x.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from ougi._native import device, procedure
from ougi.kernels.constants import HIT, MAX_CUTS, MAX_STEPS_TWO_MOVERS, NEVER, NO_PROGRESS
from ougi.kernels.convex.records import Hull3d, load_hull3d
from ougi.kernels.half_space.records import HalfSpace3d, load_halfspace3d
from ougi.kernels.half_space.supports import support_hull3d, support_sector3d
from ougi.kernels.impact.first_contact import Advance, Gap, LoopLimits, make_finder, make_limits
from ougi.kernels.impact.movers import Mover, Moving, load_screw, move_until, turn_until
from ougi.kernels.load import load_sector3d
from ougi.kernels.records import Impact3d, Screw3d, Sector3d, Vec3
from ougi.kernels.vec3 import along, cross, dot, length, neg, scale, sub


class Sinking(NamedTuple):
    """A body and a half-space in motion; `bend` bounds the second derivative of all heights.

    `reach` is the height of the body's core at which the gap is closed.
    """

    body: Any
    radius: float
    motion: Screw3d
    plane: HalfSpace3d
    plane_motion: Screw3d
    point: Vec3
    bend: float
    reach: float


class Moment(NamedTuple):
    """The plane at time t: its normal, and a point of it."""

    t: float
    normal: Vec3
    point: Vec3


@device
def load_moving_halfspace3d(m: Moving, i: int) -> Mover:
    return Mover(load_halfspace3d(m[0], m[2][i]), load_screw(m[1], m[3][i]), m[4], m[5], m[6])


@device
def _load_sinking_hull3d(m: Moving, i: int) -> Mover:
    return Mover(load_hull3d(m[0], m[2][i]), load_screw(m[1], m[3][i]), m[4], m[5], m[6])


@device
def _load_sinking_sector3d(m: Moving, i: int) -> Mover:
    return Mover(load_sector3d(m[0], m[2][i]), load_screw(m[1], m[3][i]), m[4], m[5], m[6])


@device
def _hypot(x: float, y: float) -> float:
    return math.sqrt(x * x + y * y)


@device
def _describe_hull3d(h: Hull3d) -> tuple[float, float]:
    """The radius, and the distance of the core's points from its center."""
    return h.radius, h.reach


@device
def _describe_sector3d(s: Sector3d) -> tuple[float, float]:
    return 0.0, _hypot(s.outer_radius, s.half_height)


@device
def _distance_from_axis(motion: Screw3d, x: Vec3) -> float:
    return length(cross(motion.axis, sub(x, motion.center)))


@device
def _bound_coordinates(motion: Screw3d) -> float:
    """What rounding of a pose is measured by, besides the body's own coordinates."""
    return abs(motion.advance) + (length(motion.center) if motion.angle != 0.0 else 0.0)


@device
def _bound_bend(motion: Screw3d, center: Vec3, reach: float, plane: Screw3d, n: Vec3) -> float:
    """A bound of the second derivative of all heights: n . x'' + 2 n' . x' + n'' . (x - c)."""
    rate = abs(motion.angle)
    arm = _distance_from_axis(motion, center) if rate > 0.0 else 0.0
    own = rate * rate * (arm + reach)
    turn = abs(plane.angle) * length(cross(plane.axis, n))
    if turn == 0.0:
        return own * length(cross(motion.axis, n))
    speed = _hypot(rate * (arm + reach), motion.advance)
    path = min(_hypot(rate * arm, motion.advance), 2.0 * arm + abs(motion.advance))
    far = _distance_from_axis(plane, center) + path + reach
    return own + turn * (2.0 * speed + abs(plane.angle) * far)


@device
def _place_plane(query: Sinking, t: float) -> Moment:
    return Moment(
        t,
        turn_until(query.plane_motion, t, query.plane.normal),
        move_until(query.plane_motion, t, query.point),
    )


@device
def _confirm(query: Sinking, state: Moment, gap: Gap) -> Gap:
    return gap


@device
def _elapsed_time(query: Sinking, state: Moment) -> float:
    return state.t


def _make_kernel(name: str, support: Any, describe: Any) -> Callable[[Mover, Mover], Impact3d]:
    """Make the kernel of a layout, from its support and its size."""

    @device
    def find_lowest(query: Sinking, t: float, d: Vec3) -> Vec3:
        """The point of the body at time t that lies furthest against d."""
        return move_until(query.motion, t, support(query.body, turn_until(query.motion, -t, neg(d))))

    @procedure
    def measure(query: Sinking, state: Moment, before: Vec3) -> Gap:
        n = state.normal
        p = find_lowest(query, state.t, n)
        height = dot(n, sub(p, state.point))
        return Gap(height - query.radius, n, along(p, n, -query.radius), along(p, n, -height), 0.0)

    @procedure
    def find_step(query: Sinking, state: Moment, rest: float) -> float:
        """How long every point of the body stays above the plane, at most `rest`."""
        n, a, b = state.normal, query.motion, query.plane_motion
        turn_a, turn_b = cross(n, scale(a.axis, a.angle)), cross(n, scale(b.axis, b.angle))
        change = sub(turn_a, turn_b)
        rate = dot(turn_b, sub(b.center, state.point)) - dot(turn_a, sub(a.center, state.point))
        rate += a.advance * dot(n, a.axis) - b.advance * dot(n, b.axis)
        step = rest
        for _ in range(MAX_CUTS):
            x = sub(find_lowest(query, state.t, along(n, change, step)), state.point)
            g, slope = dot(n, x) - query.reach, rate + dot(change, x)
            if not g > 0.0:
                return 0.0
            if g + (slope - 0.5 * query.bend * step) * step >= 0.0:
                return step
            root = math.sqrt(slope * slope + 2.0 * query.bend * g)
            cut = (slope + root) / query.bend if slope > 0.0 else 2.0 * g / (root - slope)
            if not cut < step:
                return step
            step = cut
        return 0.0

    @device
    def advance(query: Sinking, state: Moment, gap: Gap, k: int) -> Advance:
        rest = 1.0 - state.t
        step = find_step(query, state, rest)
        if step >= rest:
            return Advance(True, False, state)
        if not step > NO_PROGRESS:
            return Advance(False, True, state)
        return Advance(False, False, _place_plane(query, state.t + step))

    find_first_contact = make_finder(measure, _confirm, advance, _elapsed_time)

    def find_contact_with_plane(a: Mover, b: Mover) -> Impact3d:
        radius, reach = describe(a.body)
        center, plane = a.body.frame.center, b.body
        height = dot(plane.normal, center) - plane.offset
        point = along(center, plane.normal, -height)
        size = radius + reach
        size += _distance_from_axis(a.motion, center) if a.motion.angle != 0.0 else 0.0
        size += _distance_from_axis(b.motion, center) if b.motion.angle != 0.0 else 0.0
        far = length(center) + abs(height) + _bound_coordinates(a.motion) + _bound_coordinates(b.motion)
        limits = _limit(size, far, a)
        bend = _bound_bend(a.motion, center, reach, b.motion, plane.normal)
        closed = radius + limits.margin + limits.slack
        query = Sinking(a.body, radius, a.motion, plane, b.motion, point, bend, closed)
        contact = find_first_contact(query, _place_plane(query, 0.0), limits)
        if contact.status != HIT:
            return Impact3d(contact.status, contact.t, contact.point_b, contact.normal)
        if a.sense > 0.0:
            return Impact3d(HIT, contact.t, contact.point_b, contact.normal)
        return Impact3d(HIT, contact.t, contact.point_a, neg(contact.normal))

    find_contact_with_plane.__name__ = f"moving_{name}"
    return procedure(find_contact_with_plane)


@device
def _limit(size: float, distance: float, a: Mover) -> LoopLimits:
    path_length = abs(a.motion.angle) * size + abs(a.motion.advance)
    return make_limits(size, distance, 10.0 * path_length, a.tol, NEVER, a.margin, MAX_STEPS_TWO_MOVERS)


KERNELS = {
    "hull3d_halfspace3d": _make_kernel("hull3d_halfspace3d", support_hull3d, _describe_hull3d),
    "sector3d_halfspace3d": _make_kernel("sector3d_halfspace3d", support_sector3d, _describe_sector3d),
}

LOADERS = {"hull3d": _load_sinking_hull3d, "sector3d": _load_sinking_sector3d}
