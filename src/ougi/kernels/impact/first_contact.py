"""The loop that finds every first contact: measure the gap, certify a step, take it, until the gap is closed.

A kernel supplies four functions. `measure(query, state, before)` returns the `Gap` at a pose, or a bound from
below; `before` is the normal of the last pose, for bodies that meet exactly. `confirm` completes a closed gap
with the nearest points. `advance` takes a step in which the bodies are guaranteed to stay apart, and
`elapsed_time` returns how much of the motion is over. So a miss is a proof, and no contact is passed over.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ougi._native import device
from ougi._typing import Record
from ougi.kernels.constants import HIT, RESOLUTION, ROUNDING
from ougi.kernels.impact.movers import ContactRecord, make_free, make_overlap, make_undecided
from ougi.kernels.records import Vec3
from ougi.kernels.vec3 import NOWHERE, neg


class Gap(NamedTuple):
    """The distance of the surfaces, and a unit normal from the resting body to the moving one.

    Before `confirm` the points may be anything. `detail` is what the step needs besides.
    """

    distance: float
    normal: Vec3
    point_a: Vec3
    point_b: Vec3
    detail: Record


class LoopLimits(NamedTuple):
    """When the loop ends.

    The gap is closed if it exceeds the margin by at most two slacks; the nearest points then may exceed it by
    `accepted`. At the start, bodies whose distance is `rounding` or less overlap. A loop that makes no
    progress has found a contact if the gap is at most `resolution` above closed, otherwise it is undecided:
    then its planes do not separate the bodies.
    """

    margin: float
    slack: float
    accepted: float
    rounding: float
    resolution: float
    max_steps: int


class Advance(NamedTuple):
    """The state after a step. `is_free`: no contact until the end. `is_stuck`: the step is too short."""

    is_free: bool
    is_stuck: bool
    state: Record


@device
def make_limits(
    size: float, distance: float, path_length: float, tol: float, stop: float, margin: float, max_steps: int
) -> LoopLimits:
    """The limits for bodies of a size (with the distance from the axis) and coordinates up to `distance`.

    `stop` bounds the tolerance at which the loop closes a gap; NEVER if that is `tol` itself.
    """
    slack = 0.5 * min(tol, stop) * size + ROUNDING * distance  # points have no size
    accepted = max(2.0 * slack, tol * size)
    return LoopLimits(
        margin, slack, accepted, ROUNDING * size, RESOLUTION * (size + 0.1 * path_length), max_steps
    )


def make_finder(
    measure: Callable[..., Gap],
    confirm: Callable[..., Gap],
    advance: Callable[..., Advance],
    elapsed_time: Callable[..., float],
) -> Callable[[Record, Record, LoopLimits], ContactRecord]:
    """Make the loop of a kernel: find_first_contact(query, state, limits)."""

    @device
    def find_first_contact(query: Record, state: Record, limits: LoopLimits) -> ContactRecord:
        before = NOWHERE
        closed = limits.margin + 2.0 * limits.slack
        for k in range(limits.max_steps):
            gap = measure(query, state, before)
            if gap.distance <= closed:
                if k == 0 and gap.distance <= 0.0:
                    return make_overlap()
                gap = confirm(query, state, gap)
                if gap.distance - limits.margin <= limits.accepted:
                    if k == 0 and gap.distance <= limits.rounding:
                        return make_overlap()
                    return _make_contact(gap, elapsed_time(query, state))
            ahead = advance(query, state, gap, k)
            if ahead.is_free:
                return make_free()
            if ahead.is_stuck:
                if not gap.distance <= closed + limits.resolution:
                    break
                return _make_contact(confirm(query, state, gap), elapsed_time(query, state))
            state, before = ahead.state, gap.normal
        return make_undecided(elapsed_time(query, state))

    return find_first_contact


@device
def _make_contact(gap: Gap, t: float) -> ContactRecord:
    return ContactRecord(HIT, t, gap.point_a, gap.point_b, neg(gap.normal))
