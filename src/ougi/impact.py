"""Continuous detection: a moving shape against targets."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from ougi import _check
from ougi._jit import Loops, loops, run
from ougi._typing import Bools, Floats, Ints
from ougi.errors import UnsupportedPairError
from ougi.motion import Motion, Rotation3d, Screw3d, Translation3d
from ougi.query.answers import _Answer
from ougi.shapes import Box, Shape, as_shape

__all__ = ["Impact", "time_of_impact"]


@dataclass(frozen=True, eq=False)
class Impact(_Answer):
    """First contacts of moving shapes with targets.

    Attributes
    ----------
    status
        (...), 0 free (a certified miss), 1 hit, 2 overlapping at the start (t = 0), 3 undecided after the
        iteration limit (t is the last certified free time).
    hit
        (...), status 1 or 2.
    t
        (...), time of the first contact in [0, 1]; NaN where there is none.
    point
        (..., d), where they touch, on the target.
    normal
        (..., d), unit vector from the moving shape to the target. Point and normal are NaN where there is no
        contact, and where the target's center lies inside the shape at the start.

    >>> import math, ougi
    >>> door = ougi.Box([0.5, 0, 0], [1, 0.05, 2])
    >>> impact = ougi.time_of_impact(
    ...     door, ougi.Rotation3d([0, 0, 0], [0, 0, 1], math.pi / 2), ougi.Sphere([0, 0.8, 0], 0.1)
    ... )
    >>> bool(impact.hit), round(float(impact.t), 4)
    (True, 0.9001)
    """

    status: Ints
    hit: Bools
    t: Floats
    point: Floats
    normal: Floats


def time_of_impact(
    shape: Shape, motion: Motion, target: Any, *, tol: float = 1e-9, margin: float = 0.0
) -> Impact:
    """When does a moving shape first touch a resting target?

    Parameters
    ----------
    shape
        A Box (more shapes are to come), at its pose at t = 0.
    motion
        Rotation3d, Translation3d or Screw3d, of any angle; broadcasts against the shape.
    target
        A Sphere, or points (..., 3); broadcasts against shape and motion.
    tol
        At the reported t the gap lies in [0, tol * scale], where scale is the size of the two bodies plus the
        distance of the target from the axis. A reported miss is certified: no contact anywhere on the way.
    margin
        Report the first time the gap is at most this.

    Returns
    -------
    Impact
        status, hit, t, point, normal.

    >>> import math, ougi
    >>> bat = ougi.Box(center=[0.6, 0, 0], size=[0.8, 0.06, 0.06])
    >>> swing = ougi.Rotation3d(center=[0, 0, 0], axis=[0, 0, 1], angle=math.radians(170))
    >>> balls = ougi.Sphere([[0, 0.7, 0], [-0.7, 0.4, 0], [0, -0.7, 0]], 0.04)
    >>> impact = ougi.time_of_impact(bat, swing, balls)
    >>> impact.hit.tolist(), impact.t.round(6).tolist()
    ([True, True, False], [0.495652, 0.854554, nan])
    """
    if not isinstance(shape, Shape):
        raise TypeError(f"shape must be a shape, got {type(shape).__name__}")
    aim = as_shape("target", target)
    if not isinstance(motion, Rotation3d | Translation3d | Screw3d):
        raise TypeError(f"motion must be a Rotation3d, Translation3d or Screw3d, got {type(motion).__name__}")
    if not isinstance(shape, Box) or "sphere" not in aim.layouts:
        raise UnsupportedPairError(
            f"time_of_impact({type(shape).__name__}, {type(aim).__name__}) is not supported; "
            "a moving Box can be tested against: Sphere, points"
        )
    if not (np.isfinite(tol) and tol > 0):
        raise ValueError(f"tol must be positive, got {tol!r}")
    if not (np.isfinite(margin) and margin >= 0):
        raise ValueError(f"margin must not be negative, got {margin!r}")
    return _box_sphere(shape, motion, aim, tol, margin)


def _box_sphere(shape: Box, motion: Motion, aim: Shape, tol: float, margin: float) -> Impact:
    batch = _check.broadcast_shape(shape=shape.shape, motion=motion.shape, target=aim.shape)
    moving = _moving(shape, motion, tol, margin)
    out = np.empty((8, int(np.prod(batch))))
    if out.size:
        index = np.empty((*batch, 2), np.int64)
        index[..., 0] = np.arange(moving.shape[1]).reshape(np.broadcast_shapes(shape.shape, motion.shape))
        index[..., 1] = np.arange(aim.count).reshape(aim.shape)
        pairs = _check.frozen(index.reshape((-1, 2)))
        run(_loops().listed, moving, aim.columns("sphere"), pairs, 0, out, size=len(pairs))
    out = out.reshape((8, *batch))
    status = out[0].astype(np.int64)
    hit = (status == 1) | (status == 2)
    return Impact(status[()], hit[()], out[1][()], np.moveaxis(out[2:5], 0, -1), np.moveaxis(out[5:8], 0, -1))


def _moving(shape: Box, motion: Motion, tol: float, margin: float) -> Floats:
    """Columns of a body with its motion and the two tolerances."""
    batch = np.broadcast_shapes(shape.shape, motion.shape)
    n = int(np.prod(batch))
    body = np.broadcast_to(np.arange(shape.count).reshape(shape.shape), batch).ravel()
    way = np.broadcast_to(np.arange(motion.count).reshape(motion.shape), batch).ravel()
    rows = [shape.columns()[:, body], motion.columns()[:, way], np.full((1, n), tol), np.full((1, n), margin)]
    return _check.frozen(np.ascontiguousarray(np.concatenate(rows)))


@functools.cache
def _loops() -> Loops:
    from ougi.kernels import impact_box_sphere as kernel
    from ougi.kernels import load

    return loops(
        "impact_box_sphere",
        kernel.impact_box_sphere,
        load.load_moving_box,
        load.load_sphere,
        load.store_impact3d,
    )
