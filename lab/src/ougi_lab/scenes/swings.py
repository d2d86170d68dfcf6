"""Seeded swings for `ougi bench ccd`: bodies turning past targets, with true contacts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from ougi._typing import Bools, Floats, Ints
from ougi.motion import Rotation3d, Translation3d
from ougi.shapes import Box, Shape, Sphere
from ougi_lab.scenes.batches import ORDINARY, Random, draw_batch
from ougi_lab.scenes.motions import MovingPairs, gap_at

Degrees: TypeAlias = tuple[float, float]
Form: TypeAlias = Literal["pairs", "one body", "one target", "both move"]

# Swings whose smallest gap is nearer to 0 than this are excluded, because tolerances decide there.
NEAR = 1e-3  # metres

# How far targets lie off the path, in sums of radii: so that hits and misses are both frequent.
_OFF = 0.6
_LEVER = (0.0, 2.0)  # metres from FAN's pivot to the box


class SwingTruth(NamedTuple):
    """Results of an independent walk along the path."""

    hit: Bools
    t: Floats  # of the first contact; NaN where there is none
    clear: Bools  # neither overlapping at the start nor grazing


def draw_swings(
    a: type[Shape], b: type[Shape], degrees: Degrees, n: int, rng: Random, form: Form = "pairs"
) -> MovingPairs:
    """Draw n swings about any pivot and axis, in either sense. The targets lie about the path."""
    body: Any = draw_batch(a, n, rng)
    target: Any = draw_batch(b, n, rng)
    if form == "one body":
        body = body[0]
    elif form == "one target":
        target = target[0]
    motion = _draw_turn(body, degrees, rng)
    shift = _shift_to_path(body, motion, target, rng)
    if form == "one target":
        away = Translation3d(-shift)
        centre = motion.center - shift
        return MovingPairs(body.transformed(away), Rotation3d(centre, motion.axis, motion.angle), target)
    target = target.transformed(Translation3d(shift))
    return MovingPairs(
        body, motion, target, _draw_turn(target, degrees, rng) if form == "both move" else None
    )


def draw_fan_swings(degrees: Degrees, n: int, rng: Random) -> MovingPairs:
    """n swings as FAN sec. 2.1 assumes them: an upright box turns about a vertical axis outside of it.

    The line from the pivot to its middle lies along one of its axes. Targets are balls.
    """
    upright: Any = draw_batch(Box, n, rng)
    yaw = rng.uniform(-np.pi, np.pi, n)
    out = np.stack([np.cos(yaw), np.sin(yaw), np.zeros(n)], axis=-1)
    across, up = np.stack([-out[:, 1], out[:, 0], out[:, 2]], axis=-1), np.tile([0.0, 0.0, 1.0], (n, 1))
    body = Box(upright.center, upright.size, np.stack([out, across, up], axis=-1))
    lever = upright.size[:, :1] / 2 + rng.uniform(*_LEVER, (n, 1))
    motion = Rotation3d(upright.center - lever * out, up, _draw_angles(degrees, (n,), rng))
    target: Any = draw_batch(Sphere, n, rng)
    shift = _shift_to_path(body, motion, target, rng)
    shift[:, 2] += rng.uniform(-1, 1, n) * ORDINARY.half_height[1]
    return MovingPairs(body, motion, target.transformed(Translation3d(shift)))


def _draw_angles(degrees: Degrees, shape: tuple[int, ...], rng: Random) -> Floats:
    return np.asarray(np.radians(rng.uniform(*degrees, shape)) * rng.choice([-1.0, 1.0], shape))


def _draw_turn(body: Any, degrees: Degrees, rng: Random) -> Rotation3d:
    ball = body.bounding_sphere()
    pivot = ball.center + rng.normal(size=(*body.shape, 3)) * ball.radius[..., None]
    return Rotation3d(pivot, rng.normal(size=(*body.shape, 3)), _draw_angles(degrees, body.shape, rng))


def _shift_to_path(body: Any, motion: Rotation3d, target: Any, rng: Random) -> Floats:
    """Return shifts that bring targets near the path."""
    own, other = body.bounding_sphere(), target.bounding_sphere()
    n = max(body.count, target.count)
    passing = body.transformed(motion.at(rng.uniform(0, 1, n))).bounding_sphere().center
    off = rng.normal(size=(n, 3)) * (own.radius + other.radius)[..., None] * _OFF
    shift: Floats = passing + off - other.center
    return shift


def draw_clear_swings(draw: Callable[[int], MovingPairs], n: int) -> tuple[MovingPairs, SwingTruth]:
    """Return n clear swings, half of which hit, and their true contacts; `draw` makes n candidates."""
    candidates = 4 * n
    while True:
        case = draw(candidates)
        truth = find_true_contacts(case)
        index = _select_half(truth.hit & truth.clear, ~truth.hit & truth.clear, n)
        if index is not None:
            return case.take(index), SwingTruth(truth.hit[index], truth.t[index], truth.clear[index])
        candidates *= 2


def draw_timed_swings(draw: Callable[[int], MovingPairs], n: int) -> MovingPairs:
    """Return n swings to time, half of which hit and none of which overlaps at the start, by our own results.

    Undecided ones count as misses. They take longest, so dropping them would favour us.
    """
    from ougi import time_of_impact

    candidates = 3 * n
    while True:
        case = draw(candidates)
        status = time_of_impact(case.body, case.motion, case.target, case.target_motion).status
        index = _select_half(status == 1, (status == 0) | (status == 3), n)
        if index is not None:
            return case.take(index)
        candidates *= 2


def _select_half(hits: Bools, misses: Bools, n: int) -> Ints | None:
    """Select the first n // 2 of each (one more miss for an odd n); None if there are not enough."""
    first_hits, first_misses = np.flatnonzero(hits)[: n // 2], np.flatnonzero(misses)[: n - n // 2]
    return (
        np.sort(np.concatenate([first_hits, first_misses]))
        if len(first_hits) + len(first_misses) == n
        else None
    )


def find_true_contacts(case: MovingPairs) -> SwingTruth:
    """Walk along the path with `ougi.distance`, in steps that skip no contact.

    No point of the body moves faster than |angle| times the reach of its bounding ball from the axis, so that
    a step of the present gap over this speed skips no contact. Nearer than NEAR the steps are a quarter of
    it. Once so near, a swing must come ever nearer until it is NEAR deep: then it is a hit, and its first
    contact is bisected. One that turns away before, or ends, has grazed and is not clear. Nothing here is
    shared with `time_of_impact`.
    """
    n = case.body.count
    speed = _bound_speed(case)
    t, before, smallest = np.zeros(n), np.zeros(n), np.full(n, np.inf)
    free = np.zeros(n)  # the last time before contact
    over = np.ones(n)  # the first time in contact
    hit, clear = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
    start = gap_at(case, t)
    active = np.flatnonzero(start > NEAR)
    while len(active):
        here = gap_at(case.take(active), t[active])
        touching = here <= 0
        over[active] = np.where(touching & (before[active] > 0), t[active], over[active])
        free[active] = np.where(touching, free[active], t[active])
        deep = here <= -NEAR
        hit[active[deep]] = clear[active[deep]] = True
        turned = ~deep & (smallest[active] < NEAR) & (here > smallest[active])
        smallest[active] = np.minimum(smallest[active], here)
        ended = ~deep & ~turned & (t[active] >= 1)
        clear[active[ended]] = smallest[active[ended]] > NEAR
        before[active] = here
        step = np.where(here > NEAR, here, NEAR / 4) / speed[active]
        t[active] = np.minimum(t[active] + step, 1.0)
        active = active[~(deep | turned | ended)]
    return SwingTruth(hit, _bisect_contacts(case, hit, free, over), clear)


def _bound_speed(case: MovingPairs) -> Floats:
    ball, motion = case.body.bounding_sphere(), case.motion
    arm = np.linalg.norm(np.cross(motion.axis, ball.center - motion.center), axis=-1) + ball.radius
    return np.asarray(np.abs(motion.angle) * arm)


def _bisect_contacts(case: MovingPairs, hit: Bools, free: Floats, over: Floats) -> Floats:
    """Return when the gap becomes 0 for the hits, and NaN for the others."""
    index = np.flatnonzero(hit)
    selected, low, high = case.take(index), free[index], over[index]
    for _ in range(52):
        middle = (low + high) / 2
        apart = gap_at(selected, middle) > 0
        low, high = np.where(apart, middle, low), np.where(apart, high, middle)
    t = np.full(len(hit), np.nan)
    t[index] = high
    return t
