"""The exact sweep as a shape: a body and its motion, queried by their first contact."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from ougi import _check
from ougi._batch import concatenate
from ougi._native import Loops, Parts
from ougi._typing import ArrayLike, Bools, Floats, Index
from ougi.errors import UnsupportedPairError
from ougi.impact.embed import in_space, motion_in_space
from ougi.impact.engine import Engine, Plan, plan, run
from ougi.impact.pairing import resolve_pairs
from ougi.impact.tables import HULLS, LAYOUTS, is_cylinder
from ougi.motion import Motion, Pose, Rotation2d, Rotation3d, Translation2d, Translation3d
from ougi.query.dispatch import run_loops
from ougi.results import Status
from ougi.shapes import Aabb2d, Aabb3d, Box, Compound, Mesh, Point2d, Point3d, Rectangle, Sector3d, Shape
from ougi.sweeps.engines import sweep_bounds
from ougi.sweeps.turn_frame import broadcast, class_name

# Gap, as a share of the bodies' size and distance from the axis, below which a sweep counts as touching.
TOLERANCE = 1e-12

_BOXES = (Box, Rectangle, Aabb2d, Aabb3d)


class Sweep(Shape):
    """All points that a moving shape covers. Built by `ougi.sweep`; supports `intersects` and `contains`.

    Points in the sweep of a turning box or rectangle are found in closed form. Other results are those of
    `ougi.time_of_impact`: a miss is certified, and shapes that come nearer than 1e-12 of the bodies' size and
    distance from the axis count as touched. So do undecided cases within the bounds of the sweep, which occur
    after hundreds of turns of a screw. `time_of_impact` also returns when and where.

    Bounds are tight; around a moving cylinder or cone up to 0.06 % of its radius larger, around an ellipsoid
    0.5 %.

    Attributes
    ----------
    body, motion
        What moves, and how; batches of one shape.

    >>> import math, ougi
    >>> bat = ougi.Box(center=[0.6, 0, 0], size=[0.8, 0.06, 0.06])
    >>> swing = ougi.Rotation3d([0, 0, 0], [0, 0, 1], math.radians(170))
    >>> swept = ougi.sweep(bat, swing)
    >>> ougi.contains(swept, [[0, 0.7, 0], [0, -0.7, 0]]).tolist()
    [True, False]
    """

    body: Shape
    motion: Motion
    _fields: ClassVar = {}

    def __init__(self, body: Shape, motion: Motion) -> None:
        _require_mover(body, motion)
        batch = _check.broadcast_shape(shape=body.shape, motion=motion.shape)
        self._put(batch, {})
        self.__dict__.update(body=broadcast(body, batch), motion=broadcast(motion, batch))

    @property
    def dimension(self) -> int:  # type: ignore[override]
        """2 or 3, as the body's."""
        return self.body.dimension

    @property
    def layouts(self) -> tuple[str, ...]:  # type: ignore[override]
        """Only turning boxes and rectangles have a record; other sweeps are known by body and motion."""
        turning = isinstance(self.body, _BOXES) and isinstance(self.motion, Rotation2d | Rotation3d)
        return ("boxturn",) if turning else ()

    def __getitem__(self, index: Index) -> Sweep:
        return Sweep(self.body[index], self.motion[index])

    def reshape(self, shape: tuple[int, ...]) -> Sweep:
        """The same in another batch shape."""
        return Sweep(self.body.reshape(shape), self.motion.reshape(shape))

    @classmethod
    def _join(cls, batches: Sequence[Sweep]) -> Sweep:
        return Sweep(*(concatenate([getattr(b, part) for b in batches]) for part in ("body", "motion")))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sweep):
            return NotImplemented
        return self.body == other.body and self.motion == other.motion

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[object, ...]:
        return Sweep, (self.body, self.motion)

    def __repr__(self) -> str:
        return f"Sweep({self.body!r}, {self.motion!r})"

    def _bounds(self) -> tuple[Floats, Floats]:
        return sweep_bounds(self.body, self.motion)

    def _bounding_sphere(self) -> tuple[Floats, Floats]:
        """Around the middle of the bounds; not the smallest."""
        lower, upper = self._bounds()
        return (lower + upper) / 2, np.linalg.norm(upper - lower, axis=-1) / 2

    def _transformed(self, pose: Pose) -> Sweep:
        return Sweep(self.body.transformed(pose), self.motion.placed(pose))

    def _rows(self, layout: str) -> list[Floats]:
        """A turning box as the record BoxTurn, the turn in its own coordinates."""
        box, motion = in_space(self.body), motion_in_space(self.motion)
        rows = box._rows("box")
        middle, frame = rows[0], np.stack(rows[2:5], axis=-2)
        assert isinstance(motion, Rotation3d)
        center = frame @ (motion.center - middle)[..., None]
        axis = frame @ (motion.axis * np.where(motion.angle < 0, -1.0, 1.0)[..., None])[..., None]
        angle = np.abs(motion.angle)
        return [*rows, center[..., 0], axis[..., 0], np.cos(angle), np.sin(angle), angle / np.pi]

    def _intersects(self, other: Shape, pairs: ArrayLike | None) -> Bools:
        """The test of `ougi.intersects`, which leaves shapes of higher layers to themselves."""
        _require_pair(self.body, self.motion, other)
        if self.layouts and isinstance(other, Point2d | Point3d):
            result = run_loops(
                turning_loops(), ("boxturn", "point3d"), self, in_space(other), pairs, None, np.bool_
            )
            return result[()]
        if pairs is not None:
            index = _check.pairs(pairs, self.count, other.count)
            mine = self.reshape((self.count,))[index[:, 0]]
            return mine._intersects(other.reshape((other.count,))[index[:, 1]], None)
        batch, which = resolve_pairs(self.body, self.motion, other, None, None)
        chosen = plan(self.body, self.motion, other, None)
        found = run(chosen, self.body, self.motion, other, None, which, TOLERANCE, 0.0, complete=False)
        status = found.status.reshape(batch)[()]
        touched: Bools = status > 0
        undecided = status == Status.UNDECIDED
        if np.any(undecided):
            touched = touched & ~(undecided & self._is_apart(other))
        return touched

    def _is_apart(self, other: Shape) -> Bools:
        """Are the bounds of the sweep and of another shape apart, by more than rounding?"""
        lower, upper = self._bounds()
        other_lower, other_upper = other._bounds()
        corners = (lower, upper, other_lower, other_upper)
        largest = functools.reduce(np.maximum, [np.abs(corner).max(axis=-1) for corner in corners])
        gap = np.maximum(other_lower - upper, lower - other_upper).max(axis=-1)
        apart: Bools = gap > TOLERANCE * largest
        return apart


@functools.cache
def turning_loops() -> Loops:
    """The loops of turning boxes and points."""

    def find_parts() -> Parts:
        from ougi.kernels import load
        from ougi.kernels.boxturn_point3d import intersects_boxturn_point3d

        return Parts(intersects_boxturn_point3d, load.load_boxturn, load.load_point3d, load.store_value)

    return Loops("intersects_boxturn_point3d", find_parts)


def _require_mover(body: Shape, motion: Motion) -> None:
    """Only what `time_of_impact` can move has an exact sweep."""
    turns = not isinstance(body, Sweep) and not isinstance(motion, Translation2d | Translation3d)
    names = ["sector-enclosing"] * turns + ["speculative-start-end", "swept-sphere"]
    others = "; methods that can: " + ", ".join(names + ["substeps"] * (not isinstance(body, Mesh)))
    if type(body) not in (*LAYOUTS, *HULLS) and not isinstance(body, Compound):
        raise ValueError(f"a {class_name(body)} has no exact sweep{others}")
    if isinstance(body, Sector3d) and not is_cylinder(body):
        raise ValueError(
            f"a {class_name(body)} has no exact sweep unless it is a whole cylinder, "
            f"half_angle=pi and inner_radius=0{others}"
        )


def _require_pair(body: Shape, motion: Motion, other: Shape) -> None:
    """Refuse, in the words of `intersects`, what the kernels of `time_of_impact` do not support."""
    name = class_name(other)
    start = f"intersects(Sweep, {name}) is not supported"
    if other.dimension != body.dimension:
        raise UnsupportedPairError(f"{start}: Sweep is {body.dimension}-D and {name} is {other.dimension}-D")
    if isinstance(other, Sweep):
        raise UnsupportedPairError(
            f"{start}; whether two moving shapes meet is time_of_impact(a, motion_a, b, motion_b)"
        )
    try:
        is_known = _has_kernels(plan(body, motion, other, None))
    except UnsupportedPairError:
        is_known = False
    if not is_known:
        raise UnsupportedPairError(
            f"{start} where a {class_name(body)} moves; approximate sweeps may be tested against a {name}, "
            "such as sweep(..., method='sector-enclosing') or 'swept-sphere'"
        )


def _has_kernels(chosen: Plan) -> bool:
    """Do kernels answer, also for all parts of a compound?"""
    if chosen.engine == Engine.PARTS:
        return all(_has_kernels(part) for part in chosen.parts)
    return chosen.engine.label == "kernel"
