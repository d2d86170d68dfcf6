"""A body with corners, and perhaps a radius, that moves past a resting cylinder: plane steps.

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

from ougi._native import device
from ougi._typing import Loop, Record
from ougi.kernels.constants import NEVER, PARALLEL_SQ, STEEP
from ougi.kernels.cylinder import Can, Nearest, capsule_around, top_can
from ougi.kernels.impact.cores import corner_segment, level_edge
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
    Path,
    Remainder,
    cot_of_point,
    depths_under_plane,
    heights_of_point,
    heights_over_edges,
    heights_over_plane,
    reaches_end,
)
from ougi.kernels.records import Capsule3d, Vec3
from ougi.kernels.vec3 import cross, dot, length_sq, scale

_AXIS = Vec3(0.0, 0.0, 1.0)


def make_round_finder(
    nearest: Callable[[Can, Record], Nearest],
    corners: Callable[[Record], Record],
    edges: Callable[[Record], Record],
    move: Loop,
) -> Callable[..., ContactRecord]:
    """Make the finder of a body and a cylinder, which must not overlap unless `nearest` detects it."""

    @device
    def measure(query: Query, state: State, before: Vec3) -> Gap:
        near = nearest(query.core, state.body)
        return gap_of_offset(query, near.point, near.offset, before, 0.0)

    @device
    def longest_step(query: Query, state: State, gap: Gap, k: int) -> float:
        points, sides = corners(state.body), edges(state.body)
        return step_past_cylinder(
            query.core, points, sides, gap.normal, query.reach, query.size, query.path, state.rest
        )

    return make_one_mover_finder(measure, confirm_offset, longest_step, move)


@device
def step_past_cylinder(
    can: Can, corners: Record, edges: Record, n: Vec3, reach: float, size: float, path: Path, rest: Remainder
) -> float:
    """The cot of the longest of the three safe steps; any that reaches the end will do."""
    turn = path.turn
    plane = heights_over_plane(path, rest, n, top_can(can, n) + reach)
    cot, low = -NEVER, NEVER
    for x in corners:
        cot = cot_of_point(turn, cot, plane, x)
        low = min(low, dot(n, x))
    if reaches_end(rest, cot):
        return cot
    if math.sqrt(n.x * n.x + n.y * n.y) > STEEP:
        around = capsule_around(can, n)
        plane = depths_under_plane(path, rest, n, low - reach - around.radius)
        cot = min(cot, corner_segment(around, plane, turn, -NEVER))
        if reaches_end(rest, cot):
            return cot
    e = level_edge(edges, n)
    axis = cross(e, _AXIS)
    e_sq = length_sq(e)
    if length_sq(axis) > PARALLEL_SQ * e_sq:
        sign = 1.0 if dot(axis, n) >= 0.0 else -1.0
        across = heights_over_edges(path, rest, e, _AXIS, size * math.sqrt(e_sq), sign, reach + can.radius)
        ends = Capsule3d(scale(_AXIS, -can.half_height), scale(_AXIS, can.half_height), 0.0)
        crossed = -NEVER
        for x in corners:
            crossed = corner_segment(ends, heights_of_point(across, x), turn, crossed)
        cot = min(cot, crossed)
    return cot
