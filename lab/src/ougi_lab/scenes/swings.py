"""Seeded swings for `ougi bench ccd`: bodies turning past targets; do they truly touch, and when?"""

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

# Swings whose least gap is nearer to 0 than this are left out: there single precision and tolerances decide.
NEAR = 1e-3  # metres

# How far targets lie off the path, in sums of radii: so that hits and misses are both frequent.
_OFF = 0.6
_LEVER = (0.0, 2.0)  # metres from FAN's pivot to the box


class Truth(NamedTuple):
    """What an independent walk along the way says."""

    hit: Bools
    t: Floats  # of the first contact; NaN where there is none
    clear: Bools  # neither overlapping at the start nor grazing


def draw_swings(
    a: type[Shape], b: type[Shape], degrees: Degrees, n: int, rng: Random, form: Form = "pairs"
) -> MovingPairs:
    """n swings about any pivot and axis, either way round; the targets lie about the path."""
    body: Any = draw_batch(a, n, rng)
    target: Any = draw_batch(b, n, rng)
    if form == "one body":
        body = body[0]
    elif form == "one target":
        target = target[0]
    motion = _turn(body, degrees, rng)
    shift = _onto_path(body, motion, target, rng)
    if form == "one target":
        away = Translation3d(-shift)
        centre = motion.center - shift
        return MovingPairs(body.transformed(away), Rotation3d(centre, motion.axis, motion.angle), target)
    target = target.transformed(Translation3d(shift))
    return MovingPairs(body, motion, target, _turn(target, degrees, rng) if form == "both move" else None)


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
    motion = Rotation3d(upright.center - lever * out, up, _angles(degrees, (n,), rng))
    target: Any = draw_batch(Sphere, n, rng)
    shift = _onto_path(body, motion, target, rng)
    shift[:, 2] += rng.uniform(-1, 1, n) * ORDINARY.half_height[1]
    return MovingPairs(body, motion, target.transformed(Translation3d(shift)))


def _angles(degrees: Degrees, shape: tuple[int, ...], rng: Random) -> Floats:
    return np.asarray(np.radians(rng.uniform(*degrees, shape)) * rng.choice([-1.0, 1.0], shape))


def _turn(body: Any, degrees: Degrees, rng: Random) -> Rotation3d:
    ball = body.bounding_sphere()
    pivot = ball.center + rng.normal(size=(*body.shape, 3)) * ball.radius[..., None]
    return Rotation3d(pivot, rng.normal(size=(*body.shape, 3)), _angles(degrees, body.shape, rng))


def _onto_path(body: Any, motion: Rotation3d, target: Any, rng: Random) -> Floats:
    """The shifts that bring targets to places beside the path."""
    mine, other = body.bounding_sphere(), target.bounding_sphere()
    n = max(body.count, target.count)
    passing = body.transformed(motion.at(rng.uniform(0, 1, n))).bounding_sphere().center
    off = rng.normal(size=(n, 3)) * (mine.radius + other.radius)[..., None] * _OFF
    shift: Floats = passing + off - other.center
    return shift


def draw_clear_swings(draw: Callable[[int], MovingPairs], n: int) -> tuple[MovingPairs, Truth]:
    """n clear swings, half of which hit, and the truth about them; `draw` makes so many candidates."""
    candidates = 4 * n
    while True:
        case = draw(candidates)
        truth = find_truth(case)
        index = _half(truth.hit & truth.clear, ~truth.hit & truth.clear, n)
        if index is not None:
            return case.take(index), Truth(truth.hit[index], truth.t[index], truth.clear[index])
        candidates *= 2


def draw_timed_swings(draw: Callable[[int], MovingPairs], n: int) -> MovingPairs:
    """n swings to time, half of which hit and none of which overlaps at the start, by our own answers.

    Undecided ones stay among those that do not hit: they take longest, and to drop them would flatter us.
    """
    from ougi import time_of_impact

    candidates = 3 * n
    while True:
        case = draw(candidates)
        status = time_of_impact(case.body, case.motion, case.target, case.target_motion).status
        index = _half(status == 1, (status == 0) | (status == 3), n)
        if index is not None:
            return case.take(index)
        candidates *= 2


def _half(hits: Bools, misses: Bools, n: int) -> Ints | None:
    """The first n // 2 of each, in their order (one more miss for an odd n); None if there are too few."""
    few, rest = np.flatnonzero(hits)[: n // 2], np.flatnonzero(misses)[: n - n // 2]
    return np.sort(np.concatenate([few, rest])) if len(few) + len(rest) == n else None


def find_truth(case: MovingPairs) -> Truth:
    """Walk along the way with `ougi.distance`, in steps that no contact can hide between.

    No point of the body moves faster than |angle| times the reach of its bounding ball from the axis, so that
    a step of the present gap over this speed leads over nothing. Nearer than NEAR the steps are a quarter of
    it. Once so near, a swing must come ever nearer until it is NEAR deep: then it is a hit, and its first
    contact is bisected. One that turns away before, or ends, has grazed and is not clear. Nothing here is
    shared with `time_of_impact`.
    """
    n = case.body.count
    speed = _speed(case)
    t, before, least = np.zeros(n), np.zeros(n), np.full(n, np.inf)
    free = np.zeros(n)  # the last time before contact
    over = np.ones(n)  # the first time in contact
    hit, clear = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
    start = gap_at(case, t)
    going = np.flatnonzero(start > NEAR)
    while len(going):
        here = gap_at(case.take(going), t[going])
        touching = here <= 0
        over[going] = np.where(touching & (before[going] > 0), t[going], over[going])
        free[going] = np.where(touching, free[going], t[going])
        deep = here <= -NEAR
        hit[going[deep]] = clear[going[deep]] = True
        turned = ~deep & (least[going] < NEAR) & (here > least[going])
        least[going] = np.minimum(least[going], here)
        ended = ~deep & ~turned & (t[going] >= 1)
        clear[going[ended]] = least[going[ended]] > NEAR
        before[going] = here
        step = np.where(here > NEAR, here, NEAR / 4) / speed[going]
        t[going] = np.minimum(t[going] + step, 1.0)
        going = going[~(deep | turned | ended)]
    return Truth(hit, _bisected(case, hit, free, over), clear)


def _speed(case: MovingPairs) -> Floats:
    ball, motion = case.body.bounding_sphere(), case.motion
    arm = np.linalg.norm(np.cross(motion.axis, ball.center - motion.center), axis=-1) + ball.radius
    return np.asarray(np.abs(motion.angle) * arm)


def _bisected(case: MovingPairs, hit: Bools, free: Floats, over: Floats) -> Floats:
    """When the gap becomes 0, for the hits; NaN elsewhere."""
    index = np.flatnonzero(hit)
    some, low, high = case.take(index), free[index], over[index]
    for _ in range(52):
        middle = (low + high) / 2
        apart = gap_at(some, middle) > 0
        low, high = np.where(apart, middle, low), np.where(apart, high, middle)
    t = np.full(len(hit), np.nan)
    t[index] = high
    return t
