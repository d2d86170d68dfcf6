"""Motions at constant rates: turns, straight moves and screws."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol, Self

import numpy as np

from ougi import _check
from ougi._batch import Batch
from ougi._typing import ArrayLike, Floats
from ougi.motion.pose import Pose, _turn_2d
from ougi.motion.screws import (
    Screws,
    compute_bounds,
    compute_poses,
    embed_points,
    normalize,
    path_bounds,
    stack_screws,
)

if TYPE_CHECKING:
    from ougi.motion.chain import Chain

# Radians.
_NO_TURN = 1e-60


class Motion(Batch):
    """What all motions share: they lead from rest at t = 0 to their full displacement at t = 1.

    >>> import ougi
    >>> isinstance(ougi.Translation3d([1, 0, 0]), ougi.Motion)
    True
    """

    dimension: ClassVar[int]

    def at(self, t: ArrayLike) -> Pose:
        """The pose at time t (0 = start, 1 = end); t broadcasts against the batch."""
        time = _check.array("t", t)
        _check.broadcast_shape(motion=self.shape, t=time.shape)
        pose = self._at(time)
        _check.in_range("position", pose.position, _check.MAX_COORDINATE)
        return pose

    def inverse(self) -> Self:
        """The motion that undoes this one."""
        return self.scaled(-1.0)

    def scaled(self, factor: ArrayLike) -> Self:
        """The same motion continued to `factor` times its displacement; factors broadcast against the batch.

        >>> import ougi
        >>> ougi.Rotation2d([1, 0], 0.5).scaled(3)
        Rotation2d(center=[1.0, 0.0], angle=1.5)
        """
        by = _check.array("factor", factor)
        batch = _check.broadcast_shape(motion=self.shape, factor=by.shape)
        values = {name: getattr(self, name) for name in self._fields}
        for name in {"offset", "angle", "advance"} & values.keys():
            values[name] = _scale_rate(name, values[name], by[..., None] if name == "offset" else by)
        return self._from_fields(batch, values)

    def part(self, start: ArrayLike, stop: ArrayLike) -> Self:
        """The part of the motion between two times, for a body in its place at `start`.

        >>> import math, ougi
        >>> arm = ougi.Chain(ougi.Rotation2d([0, 0], 1.0), ougi.Rotation2d([1, 0], 1.0))
        >>> rest = arm.part(0.25, 1.0)
        >>> (rest.at(1) @ arm.at(0.25)).apply([2, 0]).round(9) == arm.at(1).apply([2, 0]).round(9)
        array([ True,  True])
        """
        return self.scaled(_check.array("stop", stop) - _check.array("start", start))

    def placed(self, pose: Pose) -> Self:
        """The same motion in the frame of `pose`.

        >>> import ougi
        >>> ougi.Rotation2d([1, 0], 0.5).placed(ougi.Pose([0, 3]))
        Rotation2d(center=[1.0, 3.0], angle=0.5)
        """
        if not isinstance(pose, Pose):
            raise TypeError(f"pose must be a Pose, got {type(pose).__name__}")
        if pose.dimension != self.dimension:
            raise ValueError(f"cannot place a {self.dimension}-D motion by a {pose.dimension}-D pose")
        _check.broadcast_shape(motion=self.shape, pose=pose.shape)
        return self._placed(pose)

    def _placed(self, pose: Pose) -> Self:
        values = {name: getattr(self, name) for name in self._fields}
        if "center" in values:
            values["center"] = pose._apply(values["center"])
        for name in {"axis", "offset"} & values.keys():
            values[name] = (pose.rotation @ values[name][..., None])[..., 0]
        return self._from_fields(np.broadcast_shapes(self.shape, pose.shape), values)

    def __matmul__(self, other: Motion) -> Chain:
        """Both motions at once, `other` on a body that this one moves: `Chain(self, other)`.

        >>> import math, ougi
        >>> arm = ougi.Rotation2d([0, 0], math.pi / 2) @ ougi.Rotation2d([1, 0], math.pi / 2)
        >>> arm.at(1).apply([2, 0]).round(12).tolist()
        [-1.0, 1.0]
        """
        from ougi.motion.chain import Chain  # which is a Motion itself

        return Chain(self, other) if isinstance(other, Motion) else NotImplemented

    def speed_bound(
        self, center: ArrayLike, radius: ArrayLike = 0.0, *, start: ArrayLike = 0.0, stop: ArrayLike = 1.0
    ) -> Floats:
        """A speed that no point of a ball exceeds while start <= t <= stop, in lengths per motion.

        For a turn, a straight move or a screw it is the speed of the fastest point; for a `Chain` the sum of
        the speeds that its motions may give, and shorter spans have smaller bounds.

        Parameters
        ----------
        center, radius
            (..., d) and (...), a ball around the body as it is at t = 0; points are balls of radius 0.
        start, stop
            (...), the span of time.

        >>> import math, ougi
        >>> float(ougi.Rotation2d([0, 0], math.pi).speed_bound([3, 0], 1.0).round(6))
        12.566371
        """
        return compute_bounds(self._screws(), *self._check_ball(center, radius, start, stop)).speed[()]

    def path_bounds(
        self, center: ArrayLike, radius: ArrayLike = 0.0, *, start: ArrayLike = 0.0, stop: ArrayLike = 1.0
    ) -> tuple[Floats, Floats]:
        """The corners, lower and upper, of an axis-aligned box that a ball does not leave while it moves.

        Made of poses and speed bounds on short spans: a little larger than the tight box.

        Parameters
        ----------
        center, radius, start, stop
            As in `speed_bound`.

        >>> import math, ougi
        >>> lower, upper = ougi.Rotation2d([0, 0], math.pi / 2).path_bounds([1, 0], 0.5)
        >>> lower.round(1).tolist(), upper.round(1).tolist()
        ([-0.5, -0.5], [1.5, 1.5])
        """
        spot, size, first, last = self._check_ball(center, radius, start, stop)
        lower, upper = path_bounds(self._screws(), spot, size, first, last)
        return lower[..., : self.dimension], upper[..., : self.dimension]

    def _check_ball(
        self, center: ArrayLike, radius: ArrayLike, start: ArrayLike, stop: ArrayLike
    ) -> list[Floats]:
        """A ball in space and a span of time, checked."""
        where = _check.vectors("center", center, self.dimension)
        size = _check.not_negative("radius", radius)
        first, last = _check.array("start", start), _check.array("stop", stop)
        _check.broadcast_shape(
            motion=self.shape, center=where.shape[:-1], radius=size.shape, start=first.shape, stop=last.shape
        )
        _check.refuse(first > last, "start", "not lie behind stop", np.broadcast_arrays(first, last)[0])
        return [where if self.dimension == 3 else embed_points(where), size, first, last]

    def _at(self, t: Floats) -> Pose:
        raise NotImplementedError

    def _screws(self) -> Screws:
        """The motion as screws in space, one upon the other."""
        raise NotImplementedError


def _scale_rate(name: str, rate: Floats, by: Floats) -> Floats:
    """An offset, angle or advance times a factor, if that is in range."""
    if name == "angle":
        return _check.turns_in_range(name, rate * by)
    return _check.in_range(name, rate * by)


def require_motion(name: str, value: object, *, optional: bool = False) -> None:
    """Refuse what is no motion, with a hint at the one that a vector or a pose may stand for."""
    if isinstance(value, Motion) or (optional and value is None):
        return
    hint = ""
    if isinstance(value, Pose):
        hint = "; between(before, after) leads from one pose to another"
    elif (
        isinstance(value, list | tuple | np.ndarray)
        and len(value) in (2, 3)
        and all(isinstance(each, int | float | np.number) for each in value)
    ):
        hint = f"; a displacement is a Translation{len(value)}d"
    raise TypeError(
        f"{name} must be a motion{' or None' if optional else ''}, got {_check.describe_class(value)}{hint}"
    )


class Translation2d(Motion):
    """A straight move in the plane.

    Parameters
    ----------
    offset
        (..., 2), the whole displacement.

    >>> import ougi
    >>> ougi.Translation2d([2, 0]).at(0.5).position.tolist()
    [1.0, 0.0]
    """

    offset: Floats
    dimension = 2
    _fields: ClassVar = {"offset": (2,)}

    def __init__(self, offset: ArrayLike) -> None:
        if not self._put_single(offset=_check.read_point(offset, 2)):
            self._set(offset=_check.vectors("offset", offset, 2))

    def _at(self, t: Floats) -> Pose:
        return Pose._shift(self.offset * t[..., None])

    def _screws(self) -> Screws:
        return _build_straight_screws(embed_points(self.offset))


class Translation3d(Motion):
    """A straight move in space.

    Parameters
    ----------
    offset
        (..., 3), the whole displacement.

    >>> import ougi
    >>> ougi.Translation3d([2, 6, 4]).inverse().at(0.5).position.tolist()
    [-1.0, -3.0, -2.0]
    """

    offset: Floats
    dimension = 3
    _fields: ClassVar = {"offset": (3,)}
    layouts: ClassVar = ("screw3d",)

    def __init__(self, offset: ArrayLike) -> None:
        if not self._put_single(offset=_check.read_point(offset, 3)):
            self._set(offset=_check.vectors("offset", offset, 3))

    def _at(self, t: Floats) -> Pose:
        return Pose._shift(self.offset * t[..., None])

    def _screws(self) -> Screws:
        return _build_straight_screws(self.offset)

    def _rows(self, layout: str) -> list[Floats]:
        axis, length = normalize(self.offset)
        return [np.zeros((*self.shape, 3)), axis, np.zeros(self.shape), length]


class Rotation2d(Motion):
    """A turn by `angle` about `center`, counter-clockwise for a positive angle.

    Parameters
    ----------
    center
        (..., 2).
    angle
        (...), radians, any sign, up to a million turns.
    degrees
        True if the angle is in degrees.

    >>> import math, ougi
    >>> ougi.Rotation2d([1, 0], math.pi).at(1).apply([3, 0]).round(12).tolist()
    [-1.0, 0.0]
    """

    center: Floats
    angle: Floats
    dimension = 2
    _fields: ClassVar = {"center": (2,), "angle": ()}

    def __init__(self, center: ArrayLike, angle: ArrayLike, *, degrees: bool = False) -> None:
        if degrees is False and self._put_single(
            center=_check.read_point(center, 2),
            angle=_check.read_number(angle, -_check.MAX_ANGLE, _check.MAX_ANGLE),
        ):
            return
        self._set(center=_check.vectors("center", center, 2), angle=_check.angles("angle", angle, degrees))

    def _at(self, t: Floats) -> Pose:
        angle = self.angle * t
        x, y = self.center[..., 0], self.center[..., 1]
        s, v = np.sin(angle), 2 * np.sin(angle / 2) ** 2  # v = 1 - cos, without cancellation
        return Pose._of(np.stack([v * x + s * y, v * y - s * x], axis=-1), _turn_2d(angle))

    def _screws(self) -> Screws:
        center = embed_points(self.center)
        return stack_screws(
            center, np.broadcast_to([0.0, 0.0, 1.0], center.shape), self.angle, np.zeros(self.shape)
        )


class Displacement2d(Motion):
    """A turn or a straight move in the plane: one class for batches that hold both.

    Every displacement in the plane is one or the other, so this is to the plane what Screw3d is to space.
    `ougi.between` returns it where some poses of a batch turn and others do not.

    Parameters
    ----------
    center
        (..., 2), the point about which a body turns; of no effect where it does not.
    angle
        (...), radians, any sign, up to a million turns; 0 for a straight move.
    offset
        (..., 2), the whole straight move; 0 for a turn.
    degrees
        True if the angle is in degrees.

    >>> import math, ougi
    >>> motion = ougi.Displacement2d([[1, 0], [0, 0]], [math.pi, 0], [[0, 0], [5, 6]])
    >>> motion.at(1).apply([3, 0]).round(12).tolist()
    [[-1.0, 0.0], [8.0, 6.0]]
    """

    center: Floats
    angle: Floats
    offset: Floats
    dimension = 2
    _fields: ClassVar = {"center": (2,), "angle": (), "offset": (2,)}

    def __init__(
        self, center: ArrayLike, angle: ArrayLike, offset: ArrayLike, *, degrees: bool = False
    ) -> None:
        self._set(
            center=_check.vectors("center", center, 2),
            angle=_check.angles("angle", angle, degrees),
            offset=_check.vectors("offset", offset, 2),
        )
        both = (self.angle != 0) & self.offset.any(axis=-1)
        _check.refuse(both, "offset", "be 0 where angle is not", self.offset)

    def _at(self, t: Floats) -> Pose:
        turn = Rotation2d._from_fields(self.shape, {"center": self.center, "angle": self.angle})._at(t)
        return Pose._of(turn.position + self.offset * t[..., None], turn.rotation)

    def _screws(self) -> Screws:
        axis, length = normalize(embed_points(self.offset))
        turns = (self.angle != 0)[..., None]
        axis = np.where(turns, [0.0, 0.0, 1.0], axis)
        return stack_screws(embed_points(self.center), axis, self.angle, length)


class HasRotationVector(Protocol):
    """A scipy Rotation."""

    def as_rotvec(self) -> Floats: ...


class _Turn3d(Motion):
    """What Rotation3d and Screw3d share: an axis through a center."""

    center: Floats
    axis: Floats
    angle: Floats
    dimension = 3
    layouts: ClassVar = ("screw3d",)

    def _along(self) -> Floats:
        """How far the motion moves along its axis."""
        raise NotImplementedError

    def _at(self, t: Floats) -> Pose:
        return Pose._of(*compute_poses(Screws(self.center, self.axis, self.angle, self._along()), t))

    def _screws(self) -> Screws:
        return stack_screws(self.center, self.axis, self.angle, self._along())

    def _rows(self, layout: str) -> list[Floats]:
        return [self.center, self.axis, self.angle, self._along()]


class Rotation3d(_Turn3d):
    """A turn by `angle` about the line through `center` with direction `axis` (right-handed).

    Parameters
    ----------
    center
        (..., 3), any point of the axis.
    axis
        (..., 3), any length but zero; kept as a unit vector.
    angle
        (...), radians, any sign, up to a million turns.
    degrees
        True if the angle is in degrees.

    >>> import math, ougi
    >>> half = ougi.Rotation3d(center=[1, 0, 0], axis=[0, 0, 2], angle=math.pi)
    >>> half.at([0, 0.5, 1]).apply([3, 0, 7]).round(12).tolist()
    [[3.0, 0.0, 7.0], [1.0, 2.0, 7.0], [-1.0, 0.0, 7.0]]
    >>> ougi.Rotation3d([1, 0, 0], [0, 0, 2], 180, degrees=True) == half
    True
    """

    _fields: ClassVar = {"center": (3,), "axis": (3,), "angle": ()}

    def __init__(
        self, center: ArrayLike, axis: ArrayLike, angle: ArrayLike, *, degrees: bool = False
    ) -> None:
        if not degrees and self._put_single(
            center=_check.read_point(center, 3),
            axis=_check.read_direction(axis),
            angle=_check.read_number(angle, -_check.MAX_ANGLE, _check.MAX_ANGLE),
        ):
            return
        self._set(
            center=_check.vectors("center", center, 3),
            axis=_check.unit_vectors("axis", axis, 3),
            angle=_check.angles("angle", angle, degrees),
        )

    @classmethod
    def from_scipy(cls, rotation: HasRotationVector, center: ArrayLike = (0.0, 0.0, 0.0)) -> Rotation3d:
        """The turn of a scipy `Rotation`, by at most half a turn, about an axis through `center`.

        >>> import ougi
        >>> from scipy.spatial.transform import Rotation
        >>> ougi.Rotation3d.from_scipy(Rotation.from_rotvec([0, 0, 0.5]))
        Rotation3d(center=[0.0, 0.0, 0.0], axis=[0.0, 0.0, 1.0], angle=0.5)
        """
        if not hasattr(rotation, "as_rotvec"):
            raise TypeError(f"rotation must be a scipy Rotation, got {type(rotation).__name__}")
        axis, angle = normalize(np.asarray(rotation.as_rotvec(), np.float64))
        return cls(center, axis, angle)

    def _along(self) -> Floats:
        return np.zeros(self.shape)


class Screw3d(_Turn3d):
    """A turn by `angle` about an axis together with a move by `advance` along it.

    Parameters
    ----------
    center, axis, angle, degrees
        As in `Rotation3d`.
    advance
        (...), lengths along the axis, any sign; with an angle of 0 a straight move.

    >>> import math, ougi
    >>> screw = ougi.Screw3d(center=[0, 0, 0], axis=[0, 0, 1], angle=math.pi / 2, advance=3)
    >>> screw.at(1).apply([1, 0, 0]).round(12).tolist()
    [0.0, 1.0, 3.0]
    """

    advance: Floats
    _fields: ClassVar = {"center": (3,), "axis": (3,), "angle": (), "advance": ()}

    def __init__(
        self,
        center: ArrayLike,
        axis: ArrayLike,
        angle: ArrayLike,
        advance: ArrayLike,
        *,
        degrees: bool = False,
    ) -> None:
        turn, rise = _check.angles("angle", angle, degrees), _check.array("advance", advance)
        if (np.abs(turn) < _NO_TURN).any() and rise.any():
            # Beside an advance such a turn is none, and squares of its pitch would overflow.
            turn = np.where(np.abs(turn) < _NO_TURN, 0.0, turn)
        self._set(
            center=_check.vectors("center", center, 3),
            axis=_check.unit_vectors("axis", axis, 3),
            angle=turn,
            advance=rise,
        )

    def _along(self) -> Floats:
        return self.advance


def _build_straight_screws(offset: Floats) -> Screws:
    """Straight moves as screws that do not turn."""
    axis, length = normalize(offset)
    return stack_screws(np.zeros_like(offset), axis, np.zeros_like(length), length)
