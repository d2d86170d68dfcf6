"""First contacts of a body that moves by a screw with a resting core: what all pairs share.

Every pair works in a frame in which the core lies about the origin. The core is a point, segment, triangle,
box or cylinder; its radius and that of the moving body are added to it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from ougi._native import device
from ougi._typing import Loop, Record
from ougi.kernels.constants import (
    BAND,
    MAX_SCREW_STEPS,
    MAX_STEPS,
    NEVER,
    STEPS_PER_TURN,
)
from ougi.kernels.impact.first_contact import Advance, Gap, make_finder, make_limits
from ougi.kernels.impact.movers import ContactRecord, make_free
from ougi.kernels.impact.screw_steps import (
    Path,
    Remainder,
    elapsed_time,
    is_last_step,
    is_too_short,
    longest_cot,
    make_step,
    make_step_by_angle,
    reaches_end,
    remaining,
    subtract_step,
)
from ougi.kernels.records import Vec3
from ougi.kernels.vec3 import along, dot, length, scale, sub


class Query(NamedTuple):
    """The resting core, the radii, the path of the moving body, and the size of both bodies.

    `reach` is how near the cores may come: the radii, the margin and a slack.
    """

    core: Record
    core_radius: float
    radius: float
    path: Path
    size: float
    reach: float
    accepted: float


class State(NamedTuple):
    """The moving body at a pose, and what is left of its path."""

    body: Record
    rest: Remainder


class Window(NamedTuple):
    """The angles of a screw between which its body can reach the core at all."""

    start: float
    end: float


@device
def find_window(path: Path, middle: Vec3, extent: float) -> Window:
    """Where a body of many turns is at the height of the core; `extent` is that of both along the axis."""
    if not (path.pitch != 0.0 and path.end > 2.0 * math.pi):
        return Window(0.0, path.end)
    at = dot(path.axis, middle)
    wide = (extent + BAND * (abs(at) + extent)) / abs(path.pitch)
    return Window(max(0.0, -at / path.pitch - wide), min(path.end, -at / path.pitch + wide))


@device
def distance_from_axis(path: Path, x: Vec3) -> float:
    """0 for a path that is straight."""
    w = sub(x, path.center)
    return path.turn * length(along(w, path.axis, -dot(w, path.axis)))


@device
def gap_of_offset(query: Query, point: Vec3, offset: Vec3, before: Vec3, detail: Record) -> Gap:
    """The gap of a point of the moving core that is nearest, by its offset from the resting core."""
    distance = length(offset)
    n = scale(offset, 1.0 / distance) if distance > 0.0 else before
    return Gap(distance - (query.radius + query.core_radius), n, point, offset, detail)


@device
def confirm_offset(query: Query, state: State, gap: Gap) -> Gap:
    """The points on both surfaces."""
    x, offset, n = gap.point_a, gap.point_b, gap.normal
    point_b = along(sub(x, offset), n, query.core_radius)
    return Gap(gap.distance, n, along(x, n, -query.radius), point_b, gap.detail)


@device
def _elapsed_time(query: Query, state: State) -> float:
    return elapsed_time(query.path, state.rest)


def make_one_mover_finder(
    measure: Callable[..., Gap],
    confirm: Callable[..., Gap],
    longest_step: Callable[..., float],
    move: Loop,
    stop: float = NEVER,
) -> Callable[..., ContactRecord]:
    """Make find(core, core_radius, body, radius, middle, size, path, tol, margin).

    longest_step(query, state, gap, k) is the cot of the longest step that certainly keeps the bodies apart,
    at the k-th pose; move(path, step, body) takes it. `middle` is a point of the body, and `size` bounds the
    distance of the body's points from it plus that of the core's points from the origin.
    """

    @device
    def advance(query: Query, state: State, gap: Gap, k: int) -> Advance:
        path, rest = query.path, state.rest
        cot = longest_step(query, state, gap, k)
        if reaches_end(rest, cot):
            if is_last_step(path, rest):
                return Advance(True, False, state)
            cot = longest_cot(rest)
        elif is_too_short(path, cot):
            return Advance(False, True, state)
        step = make_step(path, cot)
        return Advance(False, False, State(move(path, step, state.body), subtract_step(path, rest, step)))

    find_first_contact = make_finder(measure, confirm, advance, _elapsed_time)

    @device
    def find(
        core: Record,
        core_radius: float,
        body: Record,
        radius: float,
        middle: Vec3,
        size: float,
        path: Path,
        tol: float,
        margin: float,
    ) -> ContactRecord:
        wide = size + distance_from_axis(path, middle)
        window = find_window(path, middle, size + margin + 2.0 * tol * wide)
        if not window.start <= window.end:
            return make_free()
        turns = (window.end - window.start) / (2.0 * math.pi)
        more = max(min(STEPS_PER_TURN * turns, MAX_SCREW_STEPS) - MAX_STEPS, 0.0)
        if window.start > 0.0:
            body = move(path, make_step_by_angle(path, window.start), body)
        path_length = length(path.velocity) + abs(path.pitch) * path.total
        # Every further step adds a rounding to the pose.
        limits = make_limits(
            wide, length(middle) + more * wide, path_length, tol, stop, margin, MAX_STEPS + int(more)
        )
        path = Path(path.center, path.axis, path.velocity, path.turn, path.pitch, path.total, window.end)
        reach = radius + core_radius + margin + limits.slack
        query = Query(core, core_radius, radius, path, wide, reach, limits.accepted)
        return find_first_contact(query, State(body, remaining(path, window.end - window.start)), limits)

    return find
