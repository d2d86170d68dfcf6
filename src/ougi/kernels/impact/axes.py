"""Two bodies without radius, one of which moves by a screw: kinetic separating axes.

Two polytopes are apart as long as one of their axes separates them: a normal of a face, or the product of two
edges. Along each the height of the corners is of first degree in cos d and sin d, so it separates up to an
angle in closed form. The best axis is followed up to there; where none is left, they touch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ougi._native import device
from ougi._typing import Loop, Record
from ougi.kernels.closest3d import Nearest3d
from ougi.kernels.constants import RESTING, STOP_GAP
from ougi.kernels.impact.first_contact import Gap
from ougi.kernels.impact.movers import ContactRecord
from ougi.kernels.impact.one_mover import Query, State, make_one_mover_finder
from ougi.kernels.impact.screw_steps import Path, Remainder
from ougi.kernels.records import Vec3
from ougi.kernels.vec3 import length, scale, sub


class Axis(NamedTuple):
    """A separating axis, its gap, and where it comes from (`kind`: RESTING, MOVING or CROSSED).

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
def gap_of_axis(axis: Axis) -> Gap:
    """What an axis knows: a bound of the gap from below, and a normal."""
    return Gap(axis.gap, axis.normal, axis.normal, axis.normal, axis)


@device
def gap_of_nearest(near: Nearest3d, axis: Axis, accepted: float) -> Gap:
    """The gap of the nearest points, with the normal of the axis: theirs is all rounding where they touch.

    Of two needles, tip to tip, no face or product of edges sees the distance. If it is not accepted, the
    axis from tip to tip leads on.
    """
    d = sub(near.a, near.b)
    distance = length(d)
    if not distance <= accepted:
        axis = Axis(distance, RESTING, scale(d, 1.0 / distance), d, d, 1.0, 0, 0)
    return Gap(distance, axis.normal, near.a, near.b, axis)


def make_axes_finder(
    find_axis: Callable[[Record, Record, float], Axis],
    step_along: Callable[[Record, Record, Axis, float, float, Path, Remainder], float],
    move: Loop,
    find_nearest: Callable[[Record, Record, Axis], Nearest3d],
) -> Callable[..., ContactRecord]:
    """Make the finder of two bodies without radius.

    find_axis(body, core, size) finds the best axis at a pose, step_along(body, core, axis, slack, size, path,
    rest) the cot of the step up to which it separates, find_nearest the nearest points.
    """

    @device
    def measure(query: Query, state: State, before: Vec3) -> Gap:
        return gap_of_axis(find_axis(state.body, query.core, query.size))

    @device
    def confirm(query: Query, state: State, gap: Gap) -> Gap:
        near = find_nearest(state.body, query.core, gap.detail)
        return gap_of_nearest(near, gap.detail, query.accepted)

    @device
    def longest_step(query: Query, state: State, gap: Gap, k: int) -> float:
        slack = query.reach
        return step_along(state.body, query.core, gap.detail, slack, query.size, query.path, state.rest)

    return make_one_mover_finder(measure, confirm, longest_step, move, STOP_GAP)
