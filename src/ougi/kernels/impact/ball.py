"""A ball that moves past a resting core: plane steps.

At each pose the nearest point of the core gives a separating plane; the ball's center cannot cross that
plane, grown by the radius, before a closed-form angle (`screw_steps.py`). It touches the distance function,
so the steps converge like Newton's, from the safe side: never past the contact, and a miss is a proof.
"""

from __future__ import annotations

from collections.abc import Callable

from ougi._native import device
from ougi._typing import Record
from ougi.kernels.constants import BOTH_PLANES, NEVER
from ougi.kernels.impact.first_contact import Gap
from ougi.kernels.impact.movers import ContactRecord
from ougi.kernels.impact.one_mover import (
    Query,
    State,
    confirm_offset,
    gap_of_offset,
    make_one_mover_finder,
)
from ougi.kernels.impact.screw_steps import (
    Heights,
    depths_under_plane,
    first_cot,
    move_point,
    pitch_bend,
    reaches_end,
)
from ougi.kernels.records import Vec3
from ougi.kernels.vec3 import cross, dot, sub


def make_ball_finder(
    offset: Callable[[Record, Vec3], Vec3],
    top: Callable[[Record, Vec3], float],
    corner: Callable[[Record, Heights, float, float], float],
) -> Callable[..., ContactRecord]:
    """Make the finder of a ball and a core; the functions of the core are in `cores.py`."""

    @device
    def measure(query: Query, state: State, before: Vec3) -> Gap:
        return gap_of_offset(query, state.body, offset(query.core, state.body), before, 0.0)

    @device
    def longest_step(query: Query, state: State, gap: Gap, k: int) -> float:
        path, x, n = query.path, state.body, gap.normal
        w = sub(x, path.center)
        lift = path.pitch * dot(n, path.axis)
        a = dot(n, w) - dot(n, path.axis) * dot(w, path.axis)
        b = dot(n, cross(path.axis, w)) + dot(n, path.velocity)
        if lift != 0.0:
            a, b = a + pitch_bend(state.rest, lift), b + lift
        cot = first_cot(path.turn, dot(n, x) - top(query.core, n) - query.reach, a, b)
        if k >= BOTH_PLANES and not reaches_end(state.rest, cot):
            plane = depths_under_plane(path, state.rest, n, dot(n, x) - query.reach)
            cot = min(cot, corner(query.core, plane, path.turn, -NEVER))
        return cot

    return make_one_mover_finder(measure, confirm_offset, longest_step, move_point)
