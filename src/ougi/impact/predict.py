"""Contacts of the coming frames (FAN sec. 4.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ougi import _check
from ougi._typing import Bools, Floats, Ints
from ougi.impact import Impact, time_of_impact
from ougi.motion import Motion
from ougi.query.answers import _Answer
from ougi.shapes import as_shape

__all__ = ["Prediction", "predict"]


@dataclass(frozen=True, eq=False)
class Prediction(_Answer):
    """First contacts within the coming frames.

    Attributes
    ----------
    status, hit
        (...), as in `Impact`.
    frame
        (...), the frame of the contact, counted from 0; -1 where there is none.
    t
        (...), when within that frame, in [0, 1]; NaN where there is none.
    point, normal
        (..., d), as in `Impact`.

    >>> import math, ougi
    >>> hand = ougi.Capsule2d([0, 0], [1, 0], 0.05)
    >>> told = ougi.predict(hand, ougi.Rotation2d([0, 0], 0.5), ougi.Circle([0, 0.8], 0.1), frames=10)
    >>> bool(told.hit), int(told.frame), round(float(told.t), 4)
    (True, 2, 0.7644)
    """

    status: Ints
    hit: Bools
    frame: Ints
    t: Floats
    point: Floats
    normal: Floats


def predict(
    shape: Any,
    motion: Motion | Sequence[Motion],
    targets: Any,
    *,
    frames: int | None = None,
    dt: float = 1.0,
    tol: float = 1e-9,
    margin: float = 0.0,
) -> Prediction:
    """When does a shape that keeps moving first touch its targets, within so many frames?

    Parameters
    ----------
    shape, targets
        Shapes or points, as in `time_of_impact`; the targets rest.
    motion
        The displacement per second, kept up through all frames; or a sequence of motions, one for each
        frame, each carried out where the last one ended.
    frames
        How many frames to look ahead; for a sequence of motions at most its length, which is the default.
    dt
        Seconds per frame.
    tol, margin
        As in `time_of_impact`.

    Returns
    -------
    Prediction
        status, hit, frame, t, point, normal. Exact as `time_of_impact` is: a miss is certified.

    >>> import ougi
    >>> ball, wall = ougi.Circle([0, 0], 1), ougi.Aabb2d([10, -5], [11, 5])
    >>> told = ougi.predict(ball, ougi.Translation2d([60, 0]), wall, frames=60, dt=1 / 60)
    >>> int(told.frame)
    8
    """
    how: Any = {"tol": tol, "margin": margin}
    dt = _check.number("dt", dt, positive=True)
    if isinstance(motion, Motion):
        frames = _check.whole("frames", frames)
        return _in_frames(time_of_impact(shape, motion.scaled(dt * frames), targets, **how), frames)
    if not isinstance(motion, Sequence):
        raise TypeError(f"motion must be a motion or a sequence of motions, got {type(motion).__name__}")
    frames = _check.whole("frames", len(motion) if frames is None else frames)
    if frames > len(motion):
        raise ValueError(f"frames must not exceed the {len(motion)} motions given, got {frames}")
    for given in motion[:frames]:
        if not isinstance(given, Motion):
            raise TypeError(f"motion must be a motion, got {_check.named(given)}")
    return _one_by_one(shape, [given.scaled(dt) for given in motion[:frames]], targets, how)


def _in_frames(impact: Impact, frames: int) -> Prediction:
    """A contact of the whole way, by frame."""
    time = np.asarray(impact.t) * frames
    whole = np.minimum(np.floor(np.nan_to_num(time)), frames - 1)
    frame = np.where(impact.hit, whole, -1).astype(np.int64)
    within = np.where(impact.hit, time - whole, np.nan)
    return Prediction(impact.status, impact.hit, frame[()], within[()], impact.point, impact.normal)


def _one_by_one(shape: Any, motions: list[Motion], targets: Any, how: Any) -> Prediction:
    """Frame after frame, the shape beginning each where the last one ended."""
    body: Any = as_shape("shape", shape)
    found: Prediction | None = None
    for k, motion in enumerate(motions):
        now = _in_frames(time_of_impact(body, motion, targets, **how), 1)
        frame = np.where(now.hit, k, -1)[()]
        now = Prediction(now.status, now.hit, frame, now.t, now.point, now.normal)
        found = now if found is None else _first(found, now)
        body = body.transformed(motion)
    assert found is not None
    return found


def _first(before: Prediction, now: Prediction) -> Prediction:
    """What was found before, or else now. Status 3 (undecided) stays too: nothing after it is certain."""
    settled = np.asarray(before.status) > 0
    values = {}
    for name in vars(before):
        old, new = getattr(before, name), getattr(now, name)
        keep = settled[..., None] if np.ndim(old) > settled.ndim else settled
        values[name] = np.where(keep, old, new)[()]
    return Prediction(**values)
