"""Certified advancement: how far two bodies may move before they can touch.

Only poses and bounds of speed and acceleration are used, so any motion will do. While the gap is g, two
bodies that approach each other no faster than v stay apart for g / v (Mirtich 1996). If both are convex, a
plane between them, with normal n, does better: the gap along n shrinks at the rate at which the balls around
the bodies approach each other along n, and that rate changes no faster than the accelerations allow.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ougi._typing import Floats, Ints
from ougi.kernels.constants import RATE_ROUNDING
from ougi.motion import Motion, Pose
from ougi.motion.screws import PointStates, Screws, compute_bounds, compute_reach, compute_state, embed_points

# How many spans are tried for a step. Bounds of all but chains are the same for all spans.
_TRIALS = 4

# Bodies that need more than 1 / _MIN_RATE motions to cross the gap will not; divisions stay finite.
_MIN_RATE = 1e-3


class MovingBalls(NamedTuple):
    """Balls around bodies, one for each case, and their motions; `screws` is None for bodies at rest."""

    screws: Screws | None
    center: Floats
    radius: Floats

    def take(self, index: Ints) -> MovingBalls:
        """The balls of these cases."""
        screws = None if self.screws is None else self.screws.take(index)
        return MovingBalls(screws, self.center[index], self.radius[index])

    def at(self, t: Floats) -> PointStates:
        """The balls' centers at the times t."""
        if self.screws is None:
            nothing = np.zeros(self.center.shape)
            return PointStates(self.center, nothing, np.broadcast_to(np.eye(3), (*t.shape, 3, 3)), nothing)
        return compute_state(self.screws, t, self.center)

    def pose(self, now: PointStates, dimension: int) -> Pose:
        """The pose that leads the bodies from t = 0 to where they are."""
        position = now.position - (now.rotation @ self.center[..., None])[..., 0]
        return Pose._of(position[..., :dimension], now.rotation[..., :dimension, :dimension])

    def scale(self) -> Floats:
        """The size of the bodies and their distance from the axes about which they turn."""
        return self.radius if self.screws is None else self.radius + compute_reach(self.screws, self.center)

    def coordinates(self) -> Floats:
        """What rounding is measured by: the largest coordinate of any pose, for each factor."""
        largest: Floats = np.abs(self.center).max(axis=-1) + self.radius
        if self.screws is None:
            return largest
        turning = self.screws.angle[..., None] != 0
        centers = np.abs(np.where(turning, self.screws.center, 0.0)).max(axis=-1)
        shifts = np.abs(self.screws.advance)
        total: Floats = largest + (centers + shifts).sum(axis=-1)
        return total


def make_moving_balls(motion: Motion | None, index: Ints, center: Floats, radius: Floats) -> MovingBalls:
    """Balls of any dimension and their motions; `index` says which motion of a batch each case has."""
    spot = center if center.shape[-1] == 3 else embed_points(center)
    if motion is None:
        return MovingBalls(None, spot, radius)
    whole = motion._screws()
    flat = Screws(*(x.reshape((motion.count, *x.shape[motion.ndim :])) for x in whole))
    return MovingBalls(flat.take(index), spot, radius)


def safe_step(
    a: MovingBalls,
    b: MovingBalls,
    now: tuple[PointStates, PointStates],
    t: Floats,
    gap: Floats,
    normal: Floats,
) -> Floats:
    """How far time may go on, at most to the end, while the gap cannot vanish.

    `normal` is (..., 3), from a to b, where a plane separates the bodies; NaN if they are not convex. A bound
    for a shorter span is smaller and lets the bodies go further: the best span is searched.
    """
    closing = _closing(a, b, *now, normal)
    safe, span = np.zeros(t.shape), 1.0 - t
    far = span
    for _ in range(_TRIALS):
        speed, acceleration = _bounds(a, b, t, t + far)
        step = np.fmax(
            gap / np.maximum(speed, _MIN_RATE * gap),
            _until(gap, closing, np.maximum(acceleration, _MIN_RATE * gap)),
        )
        safe = np.maximum(safe, np.minimum(step, far))
        span = np.where(step < far, far, span)
        if (2 * safe >= span).all():
            break
        far = np.sqrt(safe * span)
    return safe


def _bounds(a: MovingBalls, b: MovingBalls, start: Floats, stop: Floats) -> tuple[Floats, Floats]:
    speed, acceleration = np.zeros(start.shape), np.zeros(start.shape)
    for body in (a, b):
        if body.screws is not None:
            own = compute_bounds(body.screws, body.center, body.radius, start, stop)
            speed, acceleration = speed + own.speed, acceleration + own.acceleration
    return speed, acceleration


def _closing(
    a: MovingBalls, b: MovingBalls, now_a: PointStates, now_b: PointStates, normal: Floats
) -> Floats:
    """How fast the bodies may approach each other along the normal, at this moment; negative if they part."""
    approach: Floats = (normal * (now_a.velocity - now_b.velocity)).sum(-1)
    for body, now in ((a, now_a), (b, now_b)):
        approach = approach + body.radius * np.linalg.norm(np.cross(normal, now.spin), axis=-1)
        approach = approach + RATE_ROUNDING * np.linalg.norm(now.velocity, axis=-1)
    return approach


def _until(gap: Floats, closing: Floats, acceleration: Floats) -> Floats:
    """The positive root of acceleration s^2 / 2 + closing s = gap."""
    root = np.sqrt(closing**2 + 2 * acceleration * gap)
    return np.where(closing > 0, 2 * gap / (root + np.abs(closing)), (root - closing) / acceleration)
