"""A shape and a motion make another shape: what the moving shape covers, exactly or approximately."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from ougi import _check
from ougi.motion import Motion
from ougi.shapes import Shape
from ougi.sweeps._engines import cast_motion, speculative, substeps, swept_sphere
from ougi.sweeps._sectors import balanced, enclosing, published
from ougi.sweeps.exact import Sweep

__all__ = ["Sweep", "sweep"]

Method: TypeAlias = Literal[
    "exact",
    "sector",
    "sector-enclosing",
    "sector-balanced",
    "speculative",
    "cast",
    "swept-sphere",
    "substeps",
]
Reading: TypeAlias = Literal["start-end", "inflated", "temporal", "ideal"]


def sweep(
    shape: Shape,
    motion: Motion,
    method: Method = "exact",
    *,
    reading: Reading = "start-end",
    steps: int = 100,
) -> Shape:
    """What a moving shape covers, as an ordinary shape: ask it `intersects`, `contains` and so on.

    Parameters
    ----------
    shape, motion
        Batches of one dimension that broadcast.
    method
        `exact`: the sweep itself (`Sweep`), for all shapes but sectors and meshes.
        `sector`: the fan of FAN (2.1), (2.2), for a box or rectangle that turns about an axis parallel to one
        of its axes, with its middle line along another and the pivot not inside. A subset of the truth.
        `sector-enclosing`: the smallest sector about the motion's axis that holds the whole sweep; any shape,
        any pivot, any angle, screws too. Never misses.
        `sector-balanced`: FAN's fan with radius and angle chosen to cover as much as it leaves out.
        `speculative`: an axis-aligned box as in game engines; see `reading`.
        `cast`: the exact sweep of the shape moved straight, its rotation dropped, as engines cast shapes.
        `swept-sphere`: the capsule of the bounding spheres at start and end.
        `substeps`: the shape itself at `steps` + 1 times, as a batch with one more leading axis.
    reading
        Which speculative box: `start-end` around the two end poses; `inflated` around the start, grown by the
        speeds as PhysX does; `temporal` as Bullet does; `ideal` around the whole sweep.
    steps
        For `substeps`.

    Returns
    -------
    Sweep, Sector2d, Sector3d, Aabb2d, Aabb3d, Capsule2d, Capsule3d or the shape's own class.

    Raises
    ------
    ValueError
        If the method cannot express the motion; the message names methods that can.

    >>> import math, ougi
    >>> bat = ougi.Box(center=[0.6, 0, 0], size=[0.8, 0.06, 0.06])
    >>> swing = ougi.Rotation3d([0, 0, 0], [0, 0, 1], math.radians(170))
    >>> fan = ougi.sweep(bat, swing, "sector")
    >>> ball = ougi.Sphere([0, 0.7, 0], 0.04)
    >>> bool(ougi.intersects(fan, ball)), bool(ougi.intersects(ougi.sweep(bat, swing), ball))
    (True, True)
    """
    if not isinstance(shape, Shape):
        raise TypeError(f"shape must be a shape, got {type(shape).__name__}")
    if not isinstance(motion, Motion):
        raise TypeError(f"motion must be a motion, got {type(motion).__name__}")
    if shape.dimension != motion.dimension:
        raise ValueError(
            f"cannot sweep a {shape.dimension}-D {type(shape).__name__} "
            f"by a {motion.dimension}-D {type(motion).__name__}"
        )
    _check.broadcast_shape(shape=shape.shape, motion=motion.shape)
    if method == "exact":
        return Sweep(shape, motion)
    if method == "sector":
        return published(shape, motion)
    if method == "sector-enclosing":
        return enclosing(shape, motion)
    if method == "sector-balanced":
        return balanced(shape, motion)
    if method == "speculative":
        return speculative(shape, motion, reading)
    if method == "cast":
        return Sweep(shape, cast_motion(shape, motion))
    if method == "swept-sphere":
        return swept_sphere(shape, motion)
    if method == "substeps":
        return substeps(shape, motion, steps)
    raise ValueError(f"method must be one of {', '.join(get_args(Method))}; got {method!r}")
