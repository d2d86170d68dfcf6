"""The queries for first contacts: `time_of_impact`, and `predict` for the coming frames (FAN sec. 4.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np

from ougi import _check
from ougi._typing import ArrayLike, DynamicBatch, Ints, JsonObject
from ougi.impact.pairing import resolve_pairs
from ougi.impact.single import find_single_contact
from ougi.impact.tables import Method
from ougi.motion import Motion
from ougi.motion.steady import require_motion
from ougi.results import FirstContacts
from ougi.shapes import ShapeLike, as_shape

# Whole numbers up to this are exact as floats.
_MAX_FRAMES = 2**53


def time_of_impact(
    shape: ShapeLike,
    motion: Motion,
    target: ShapeLike,
    target_motion: Motion | None = None,
    *,
    tol: float = 1e-9,
    margin: float = 0.0,
    pairs: ArrayLike | None = None,
    method: Method = "auto",
) -> FirstContacts:
    """Find when a moving shape first touches a target.

    Parameters
    ----------
    shape
        A shape or points (..., d), at its pose at t = 0. A Mesh is its triangles: what is inside of a closed
        one touches nothing.
    motion
        How it moves, by any angle: Rotation3d, Translation3d or Screw3d; in the plane Rotation2d,
        Translation2d or Displacement2d; or a Chain of them. Batches of shapes, motions and targets broadcast.
        Of a screw, only the turns at the height of the target are followed: tens of thousands of them. A
        contact that could come later is undecided (status 3).
    target
        A shape or points (..., d).
    target_motion
        How the target moves at the same time; None if it rests.
    tol
        At the reported t the gap lies in [0, tol * scale], where scale is the size of the two bodies plus
        their distance from the axis of the motion. Of two moving bodies, rounding decides below 1e-14,
        and 1e-14 is taken. A reported miss is certified: no contact during the whole motion.
    margin
        Report the first time the gap is at most this: then it is the gap beyond the margin that lies in
        [0, tol * scale]. A smaller gap at the start is a hit at t = 0; if the bodies touch there, the
        status is OVERLAPPING.
    pairs
        (m, 2) integers: query only shape i and target j for each row (i, j). Indices count in the
        flattened batches of shape and motion, and of target and target_motion.
    method
        `auto`, or `advancement`: certified advancement, also where the radar could be used.

    Returns
    -------
    FirstContacts
        status, hit, t, point, normal. Convex shapes, hulls and sectors that move by one screw are computed by
        kernels. Meshes against meshes, boxes and triangles are computed by the exact radar (`ougi.radar`)
        where one body moves by one screw in the frame of the other, and without a margin. Everything else is
        computed by certified advancement: chains and other meshes. Sectors have no points and normals if they
        overlap the target at the start, or if a body moves on a chain.

    Raises
    ------
    UnsupportedPairError
        If no engine knows the pair: `ougi.distance` must, or its kernels.

    >>> import math, ougi
    >>> bat = ougi.Box(center=[0.6, 0, 0], size=[0.8, 0.06, 0.06])
    >>> swing = ougi.Rotation3d(center=[0, 0, 0], axis=[0, 0, 1], angle=math.radians(170))
    >>> balls = ougi.Sphere([[0, 0.7, 0], [-0.7, 0.4, 0], [0, -0.7, 0]], 0.04)
    >>> found = ougi.time_of_impact(bat, swing, balls)
    >>> found.hit.tolist(), found.t.round(6).tolist()
    ([True, True, False], [0.495652, 0.854554, nan])
    >>> ougi.time_of_impact(bat, swing, balls, pairs=[[0, 2], [0, 1]]).hit.tolist()
    [False, True]
    >>> step = ougi.Chain(ougi.Translation3d([0, 0.1, 0]), swing)  # the batter moves too
    >>> ougi.time_of_impact(bat, step, balls).t.round(6).tolist()
    [0.493084, 0.886951, nan]
    """
    if target_motion is None and pairs is None and type(margin) is float and margin == 0 and method == "auto":
        single = find_single_contact(shape, motion, target, tol)
        if single is not None:
            return single
    from ougi.impact.engine import plan, run  # not before it is needed, because it loads all engines

    tol = _check.number("tol", tol, positive=True)
    margin = _check.number("margin", margin, positive=False)
    body, other = as_shape("shape", shape, target), as_shape("target", target, shape)
    _require_motion("motion", motion, body.dimension)
    if target_motion is not None:
        _require_motion("target_motion", target_motion, body.dimension)
    _check.require_choice("method", method, get_args(Method))
    chosen = plan(body, motion, other, target_motion, margin, method)
    batch, index = resolve_pairs(body, motion, other, target_motion, pairs)
    return run(chosen, body, motion, other, target_motion, index, tol, margin).reshape(batch)


def _require_motion(name: str, motion: Motion, dimension: int) -> None:
    """Refuse what is no motion, or a motion of another dimension."""
    require_motion(name, motion)
    if motion.dimension != dimension:
        raise ValueError(f"{name} must be {dimension}-D like the shapes, got a {type(motion).__name__}")


@dataclass(frozen=True, eq=False, repr=False)
class Prediction(FirstContacts):
    """First contacts within the coming frames: `FirstContacts` with the frame of each.

    Attributes
    ----------
    frame
        (...), the frame of the contact, counted from 0; -1 where there is none. A contact at the border of
        two frames may be at the end of the first (t = 1 up to rounding) or at the start of the second.
    t
        (...), when within that frame, in [0, 1]; NaN where there is none.

    >>> import math, ougi
    >>> hand = ougi.Capsule2d([0, 0], [1, 0], 0.05)
    >>> found = ougi.predict(hand, ougi.Rotation2d([0, 0], 0.5), ougi.Circle([0, 0.8], 0.1), frames=10)
    >>> bool(found.hit), int(found.frame), round(float(found.t), 4)
    (True, 2, 0.7644)
    """

    frame: Ints


def predict(
    shape: ShapeLike,
    motion: Motion | Sequence[Motion],
    target: ShapeLike,
    *,
    frames: int | None = None,
    dt: float = 1.0,
    tol: float = 1e-9,
    margin: float = 0.0,
) -> Prediction:
    """When does a shape that keeps moving first touch its target, within a number of frames?

    Parameters
    ----------
    shape, target
        Shapes or points, as in `time_of_impact`; the target rests.
    motion
        The displacement per second, continued through all frames; or a sequence of motions, one for each
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
    >>> found = ougi.predict(ball, ougi.Translation2d([60, 0]), wall, frames=60, dt=1 / 60)
    >>> int(found.frame)
    8
    """
    how: JsonObject = {"tol": tol, "margin": margin}
    dt = _check.number("dt", dt, positive=True)
    if isinstance(motion, Motion):
        frames = _check.whole_number("frames", frames)
        if frames > _MAX_FRAMES:
            raise ValueError(f"frames must be 2**53 or less, got a number of {frames.bit_length()} bits")
        return _in_frames(time_of_impact(shape, motion.scaled(dt * frames), target, **how), frames)
    if not isinstance(motion, Sequence):
        raise TypeError(f"motion must be a motion or a sequence of motions, got {type(motion).__name__}")
    frames = _check.whole_number("frames", len(motion) if frames is None else frames)
    if frames > len(motion):
        raise ValueError(f"frames must not exceed the {len(motion)} motions given, got {frames}")
    for given in motion[:frames]:
        require_motion("motion", given)
    return _one_by_one(shape, [given.scaled(dt) for given in motion[:frames]], target, how)


def _in_frames(impact: FirstContacts, frames: int) -> Prediction:
    """A contact of the whole motion, by frame."""
    time = np.asarray(impact.t) * frames
    whole = np.minimum(np.floor(np.nan_to_num(time)), frames - 1)
    frame = np.where(impact.hit, whole, -1).astype(np.int64)
    within = np.where(impact.hit, time - whole, np.nan)
    return Prediction(impact.status, impact.hit, within[()], impact.point, impact.normal, frame[()])


def _one_by_one(shape: ShapeLike, motions: list[Motion], target: ShapeLike, how: JsonObject) -> Prediction:
    """Frame after frame, the shape beginning each where the last one ended."""
    body: DynamicBatch = as_shape("shape", shape)
    found: Prediction | None = None
    for k, motion in enumerate(motions):
        now = _in_frames(time_of_impact(body, motion, target, **how), 1)
        now = replace(now, frame=np.where(now.hit, k, -1)[()])
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
