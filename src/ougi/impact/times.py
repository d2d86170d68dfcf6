"""The first contact of any shape and motion: kernels where there are some, else certified advancement."""

from __future__ import annotations

from typing import Any

from ougi import impact
from ougi.impact import Impact
from ougi.impact.advance import advance, needs_advance
from ougi.motion import Motion

__all__ = ["time_of_impact"]


def time_of_impact(
    shape: Any,
    motion: Motion,
    target: Any,
    target_motion: Motion | None = None,
    *,
    tol: float = 1e-9,
    margin: float = 0.0,
    pairs: Any = None,
) -> Impact:
    """When does a moving shape first touch a target?

    Parameters
    ----------
    shape
        A shape or points (..., d), at its pose at t = 0: any but planar fans. A Sector3d must be a whole
        cylinder (half_angle pi, inner_radius 0), and one of the two only. A Mesh is its triangles: what is
        inside of a closed one touches nothing.
    motion
        How it moves, by any angle: Rotation3d, Translation3d or Screw3d; in the plane Rotation2d or
        Translation2d; or a Chain of them. Batches of shapes, motions and targets broadcast.
    target
        A shape or points (..., d).
    target_motion
        How the target moves at the same time; None if it rests.
    tol
        At the reported t the gap lies in [0, tol * scale], where scale is the size of the two bodies plus
        their distance from the axis of the motion. Of two moving bodies, rounding decides below 1e-14,
        and 1e-14 is taken. A reported miss is certified: no contact on all the way.
    margin
        Report the first time the gap is at most this: then it is the gap beyond the margin that lies in
        [0, tol * scale]. A smaller gap at the start is a hit at t = 0.
    pairs
        (m, 2) integers: ask only about shape i and target j for each row (i, j). Indices count in the
        flattened batches of shape and motion, and of target and target_motion.

    Returns
    -------
    Impact
        status, hit, t, point, normal. Chains and meshes are answered by `ougi.advance`, all else by kernels.

    >>> import math, ougi
    >>> bat = ougi.Box(center=[0.6, 0, 0], size=[0.8, 0.06, 0.06])
    >>> swing = ougi.Rotation3d(center=[0, 0, 0], axis=[0, 0, 1], angle=math.radians(170))
    >>> balls = ougi.Sphere([[0, 0.7, 0], [-0.7, 0.4, 0], [0, -0.7, 0]], 0.04)
    >>> ougi.time_of_impact(bat, swing, balls).t.round(6).tolist()
    [0.495652, 0.854554, nan]
    >>> step = ougi.Chain(ougi.Translation3d([0, 0.1, 0]), swing)  # the batter moves too
    >>> ougi.time_of_impact(bat, step, balls).t.round(6).tolist()
    [0.493084, 0.886951, nan]
    """
    ask = advance if needs_advance(shape, motion, target, target_motion) else impact.time_of_impact
    return ask(shape, motion, target, target_motion, tol=tol, margin=margin, pairs=pairs)
