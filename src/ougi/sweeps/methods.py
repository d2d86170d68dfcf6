"""A shape and a motion make another shape: what the moving shape covers, exactly or approximately."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args, overload

from ougi import _check
from ougi.motion import Chain, Motion
from ougi.motion.steady import require_motion
from ougi.shapes import (
    Aabb2d,
    Aabb3d,
    Capsule2d,
    Capsule3d,
    HalfSpace,
    Mesh,
    Sector2d,
    Sector3d,
    Shape,
    ShapeLike,
    as_shape,
)
from ougi.sweeps._sectors import build_balanced_sector, build_enclosing_sector, build_published_sector
from ougi.sweeps.engines import build_speculative_box, build_substeps, build_swept_sphere, cast_motion
from ougi.sweeps.exact import Sweep
from ougi.sweeps.turn_frame import broadcast

# Poses of `substeps`; each is a body of the result.
_MAX_STEPS = 1_000_000

Method: TypeAlias = Literal[
    "exact",
    "sector",
    "sector-enclosing",
    "sector-balanced",
    "speculative-start-end",
    "speculative-inflated",
    "speculative-temporal",
    "speculative-ideal",
    "cast",
    "swept-sphere",
    "substeps",
]
SectorMethod: TypeAlias = Literal["sector", "sector-enclosing", "sector-balanced"]
BoxMethod: TypeAlias = Literal[
    "speculative-start-end", "speculative-inflated", "speculative-temporal", "speculative-ideal"
]


@overload
def sweep(shape: ShapeLike, motion: Motion, method: Literal["exact", "cast"] = "exact") -> Sweep: ...
@overload
def sweep(shape: ShapeLike, motion: Motion, method: SectorMethod) -> Sector2d | Sector3d: ...
@overload
def sweep(shape: ShapeLike, motion: Motion, method: BoxMethod) -> Aabb2d | Aabb3d: ...
@overload
def sweep(shape: ShapeLike, motion: Motion, method: Literal["swept-sphere"]) -> Capsule2d | Capsule3d: ...
@overload
def sweep(shape: ShapeLike, motion: Motion, method: Method | str, *, steps: int = 100) -> Shape: ...
def sweep(shape: ShapeLike, motion: Motion, method: Method | str = "exact", *, steps: int = 100) -> Shape:
    """Build the shape that a moving shape covers, for `intersects`, `contains` and other queries.

    Parameters
    ----------
    shape, motion
        A shape or points (..., d), and a motion, of one dimension; their batches broadcast. A mesh is swept
        by a single motion; a Chain by methods that need poses only.
    method
        `exact`: the sweep itself (`Sweep`), for all shapes but meshes and sectors; whole cylinders
        (`Cylinder`, or `Sector3d` with half_angle=pi, inner_radius=0) have one too.
        `sector`: the fan of FAN (2.1), (2.2), for a box or rectangle that turns about an axis parallel to one
        of its axes, with its middle line along another and the pivot not inside. A subset of the truth.
        `sector-enclosing`: the smallest sector about the motion's axis that holds the whole sweep; any shape,
        any pivot, any angle, screws too. Never misses. Around a moving sector, cylinder or cone it is too
        large by up to 0.06 % of that one's radius, because tangents replace arcs; around an ellipsoid 0.5 %.
        `sector-balanced`: FAN's fan widened by the box's width at a mean radius; errs both ways, by little.
        `speculative-start-end`, `-inflated`, `-temporal`, `-ideal`: an axis-aligned box as in game engines.
        `start-end` is around the two end poses; `inflated` around the start, grown by the speeds as PhysX
        does; `temporal` as Bullet does; `ideal` around the whole sweep (too large by
        as much as that sector).
        `cast`: the exact sweep of the shape moved straight, its rotation dropped, as engines cast shapes; for
        the shapes of `exact`.
        `swept-sphere`: the capsule of the bounding spheres at start and end.
        `substeps`: the shape itself at `steps` + 1 times, as a batch with one more leading axis; not for
        meshes, which do not come in batches.
    steps
        For `substeps`.

    Returns
    -------
    Sweep, Sector2d, Sector3d, Aabb2d, Aabb3d, Capsule2d, Capsule3d or the shape's own class, in the batch
    shape that shape and motion have together.

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
    require_motion("motion", motion)
    body = as_shape("shape", shape)
    if body.dimension != motion.dimension:
        raise ValueError(
            f"cannot sweep a {body.dimension}-D {type(body).__name__} "
            f"by a {motion.dimension}-D {type(motion).__name__}"
        )
    if isinstance(body, HalfSpace):
        raise ValueError(f"a {type(body).__name__} has no end, so it has no sweep; use time_of_impact")
    _check.require_choice("method", method, get_args(Method))
    steps = _check.whole_number("steps", steps, _MAX_STEPS)
    batch = _check.broadcast_shape(shape=body.shape, motion=motion.shape)
    if isinstance(motion, Chain):
        _refuse_for_chain(method)
    if isinstance(body, Mesh):
        _refuse_for_mesh(motion, method)
    elif not isinstance(body, Sweep):
        body = broadcast(body, batch)
    return _build_sweep(body, broadcast(motion, batch), method, steps)


def _refuse_for_chain(method: str) -> None:
    """A chain has poses, but no axis and no constant rates."""
    if method not in ("cast", "swept-sphere", "substeps", "speculative-start-end"):
        raise ValueError(
            f"a Chain has no sweep by the method {method!r}; use time_of_impact, or methods that need "
            "poses only: cast, swept-sphere, substeps, speculative-start-end"
        )


def _refuse_for_mesh(motion: Motion, method: str) -> None:
    """A mesh does not come in batches."""
    if motion.shape:
        raise ValueError(f"a Mesh is swept by a single motion, got a batch of shape {motion.shape}")
    if method == "substeps":
        raise ValueError(
            "substeps gives a batch of shapes and a Mesh does not come in batches; "
            "methods that can: sector-enclosing, speculative-ideal, swept-sphere"
        )


def _build_sweep(shape: Shape, motion: Motion, method: str, steps: int) -> Shape:
    """`sweep` of a shape and a motion of one batch shape."""
    if method == "exact":
        return Sweep(shape, motion)
    if method == "sector":
        return build_published_sector(shape, motion)
    if method == "sector-enclosing":
        return build_enclosing_sector(shape, motion)
    if method == "sector-balanced":
        return build_balanced_sector(shape, motion)
    if method in get_args(BoxMethod):
        return build_speculative_box(shape, motion, method)
    if method == "cast":
        return Sweep(shape, cast_motion(shape, motion))
    if method == "swept-sphere":
        return build_swept_sphere(shape, motion)
    return build_substeps(shape, motion, steps)
