"""A capsule that moves past a resting core: plane steps.

As for a ball (`ball.py`), with two ends instead of a center. Three minorants of the distance give safe
steps, and the longest is taken: the plane at rest, which touches the distance where an end is nearest; that
carried by the capsule, which does so where a corner of the core is; and the axis perpendicular to two edges,
where the insides of both are. Without the last, steps along two crossing edges shrink to nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from ougi._native import device
from ougi._typing import Record
from ougi.kernels.constants import NEVER, PARALLEL_SQ
from ougi.kernels.impact.facing import Facing
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
    Path,
    Step,
    cot_of_point,
    depths_under_plane,
    heights_of_point,
    heights_over_edges,
    heights_over_plane,
    move_point,
    reaches_end,
)
from ougi.kernels.records import Capsule3d, Vec3
from ougi.kernels.vec3 import cross, dot, length_sq, sub


@device
def move_segment(path: Path, step: Step, s: Capsule3d) -> Capsule3d:
    """A capsule of the moving body after a step."""
    return Capsule3d(move_point(path, step, s.start), move_point(path, step, s.end), s.radius)


def make_rod_finder(
    facing: Callable[[Record, Vec3, Vec3], Facing],
    top: Callable[[Record, Vec3], float],
    corner: Callable[[Record, Heights, float, float], float],
) -> Callable[..., ContactRecord]:
    """Make the finder of a capsule and a core; the functions are in `cores.py` and `facing.py`."""

    @device
    def measure(query: Query, state: State, before: Vec3) -> Gap:
        near = facing(query.core, state.body.start, state.body.end)
        return gap_of_offset(query, near.point, near.offset, before, near.edge)

    @device
    def longest_step(query: Query, state: State, gap: Gap, k: int) -> float:
        """The cot of the longest of the three safe steps; any that reaches the end will do."""
        core, path, rest, n, reach = query.core, query.path, state.rest, gap.normal, query.reach
        p, q, turn = state.body.start, state.body.end, query.path.turn
        plane = heights_over_plane(path, rest, n, top(core, n) + reach)
        cot = cot_of_point(turn, cot_of_point(turn, -NEVER, plane, p), plane, q)
        if reaches_end(rest, cot):
            return cot
        e, f = sub(q, p), gap.detail
        axis = cross(e, f)
        product_sq = length_sq(e) * length_sq(f)
        if length_sq(axis) > PARALLEL_SQ * product_sq:
            sign = 1.0 if dot(axis, n) >= 0.0 else -1.0
            edges = heights_over_edges(path, rest, e, f, query.size * product_sq**0.5, sign, reach)
            cot = min(cot, corner(core, heights_of_point(edges, p), turn, -NEVER))
            if reaches_end(rest, cot):
                return cot
        plane = depths_under_plane(path, rest, n, min(dot(n, p), dot(n, q)) - reach)
        return min(cot, corner(core, plane, turn, -NEVER))

    return make_one_mover_finder(measure, confirm_offset, longest_step, move_segment)
