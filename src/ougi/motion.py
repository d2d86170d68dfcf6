"""Poses and motions. A motion leads from rest at t = 0 to its full displacement at t = 1, at constant rates.

Motions are given in world coordinates: `Rotation3d(center, axis, angle)` turns a body about the line through
`center`, wherever the body is. Angles are radians, right-handed, of any size and sign.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from ougi import _check
from ougi._batch import Batch
from ougi._typing import ArrayLike, Floats

__all__ = [
    "Motion",
    "Pose",
    "Rotation2d",
    "Rotation3d",
    "Screw3d",
    "Translation2d",
    "Translation3d",
    "between",
]


class Pose(Batch):
    """A position and an orientation in the plane or in space: x -> rotation @ x + position.

    Parameters
    ----------
    position
        (..., 2) or (..., 3); its last axis decides the dimension.
    rotation
        In space a quaternion (x, y, z, w), a 3 x 3 matrix or a scipy Rotation; in the plane an angle in
        radians or a 2 x 2 matrix. None means no rotation.

    >>> import ougi
    >>> quarter = ougi.Pose([1, 0], rotation=1.5707963267948966)
    >>> quarter.apply([1, 0]).round(12).tolist()
    [1.0, 1.0]
    >>> (quarter @ quarter.inverse()).apply([3, 4]).round(12).tolist()
    [3.0, 4.0]
    """

    position: Floats
    rotation: Floats

    layouts: ClassVar[tuple[str, ...]] = ()

    def __init__(self, position: ArrayLike, rotation: Any = None) -> None:
        where = _check.array("position", position)
        if where.ndim == 0 or where.shape[-1] not in (2, 3):
            raise ValueError(
                f"position must have 2 or 3 components on its last axis, got an array of shape {where.shape}"
            )
        dimension = where.shape[-1]
        if rotation is None:
            turn = np.eye(dimension)
        elif dimension == 3:
            turn = _check.rotations("rotation", rotation)
        else:
            turn = _rotation_2d(rotation, where.shape[:-1])
        self._set(position=where, rotation=turn)

    # The fields' component shapes depend on the dimension, hence per object.
    @property
    def dimension(self) -> int:
        """2 or 3."""
        return int(self.position.shape[-1])

    def _put(self, shape: tuple[int, ...], values: dict[str, Floats]) -> None:
        d = values["position"].shape[-1]
        self.__dict__["_fields"] = {"position": (d,), "rotation": (d, d)}
        super()._put(shape, values)

    _fields: ClassVar[dict[str, tuple[int, ...]]] = {"position": (-1,), "rotation": (-1, -1)}

    @classmethod
    def _of(cls, position: Floats, rotation: Floats) -> Self:
        shape = np.broadcast_shapes(position.shape[:-1], rotation.shape[:-2])
        return cls._from_fields(shape, {"position": position, "rotation": rotation})

    def apply(self, points: ArrayLike) -> Floats:
        """Points (..., d) moved by this pose; batch axes broadcast against the points' leading axes."""
        x = _check.vectors("points", points, self.dimension)
        _check.broadcast_shape(pose=self.shape, points=x.shape[:-1])
        return self._apply(x)

    def _apply(self, points: Floats) -> Floats:
        turned: Floats = (self.rotation @ points[..., None])[..., 0] + self.position
        return turned

    def inverse(self) -> Pose:
        """The pose that undoes this one."""
        back = np.swapaxes(self.rotation, -1, -2)
        return Pose._of(-(back @ self.position[..., None])[..., 0], back)

    def matrix(self) -> Floats:
        """Homogeneous (..., d+1, d+1) matrices."""
        d = self.dimension
        out = np.zeros((*self.shape, d + 1, d + 1))
        out[..., :d, :d] = self.rotation
        out[..., :d, d] = self.position
        out[..., d, d] = 1
        return out

    def __matmul__(self, other: Pose) -> Pose:
        """First `other`, then this pose."""
        if not isinstance(other, Pose):
            return NotImplemented
        if other.dimension != self.dimension:
            raise ValueError(f"cannot combine a {self.dimension}-D pose with a {other.dimension}-D pose")
        _check.broadcast_shape(left=self.shape, right=other.shape)
        return Pose._of(self._apply(other.position), self.rotation @ other.rotation)


def _rotation_2d(value: Any, batch: tuple[int, ...]) -> Floats:
    """A rotation in the plane as a matrix, from an angle or a 2 x 2 matrix.

    For a (2, 2) batch of positions four numbers are four angles.
    """
    r = _check.array("rotation", value)
    if r.ndim >= 2 and r.shape[-2:] == (2, 2) and r.shape != batch:
        return _check.rotation_matrices("rotation", r, 2)
    return _turn_2d(r)


def _turn_2d(angle: Floats) -> Floats:
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([np.stack([c, -s], axis=-1), np.stack([s, c], axis=-1)], axis=-2)


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
        return self._at(time)

    def inverse(self) -> Self:
        """The motion that undoes this one."""
        return self.scaled(-1.0)

    def scaled(self, factor: ArrayLike) -> Self:
        """The same motion carried to `factor` times its displacement; factors broadcast against the batch.

        >>> import ougi
        >>> ougi.Rotation2d([1, 0], 0.5).scaled(3)
        Rotation2d(center=[1.0, 0.0], angle=1.5)
        """
        by = _check.array("factor", factor)
        batch = _check.broadcast_shape(motion=self.shape, factor=by.shape)
        values = {name: getattr(self, name) for name in self._fields}
        for name in {"offset", "angle", "advance"} & values.keys():
            values[name] = values[name] * (by[..., None] if name == "offset" else by)
        return self._from_fields(batch, values)

    def _at(self, t: Floats) -> Pose:
        raise NotImplementedError


class Translation2d(Motion):
    """A straight move in the plane.

    >>> import ougi
    >>> ougi.Translation2d([2, 0]).at(0.5).position.tolist()
    [1.0, 0.0]
    """

    offset: Floats
    dimension = 2
    _fields: ClassVar = {"offset": (2,)}

    def __init__(self, offset: ArrayLike) -> None:
        self._set(offset=_check.vectors("offset", offset, 2))

    def _at(self, t: Floats) -> Pose:
        return Pose._of(self.offset * t[..., None], np.eye(2))


class Translation3d(Motion):
    """A straight move in space.

    >>> import ougi
    >>> ougi.Translation3d([2, 6, 4]).inverse().at(0.5).position.tolist()
    [-1.0, -3.0, -2.0]
    """

    offset: Floats
    dimension = 3
    _fields: ClassVar = {"offset": (3,)}
    layouts: ClassVar = ("screw3d",)

    def __init__(self, offset: ArrayLike) -> None:
        self._set(offset=_check.vectors("offset", offset, 3))

    def _at(self, t: Floats) -> Pose:
        return Pose._of(self.offset * t[..., None], np.eye(3))

    def _rows(self, layout: str) -> list[Floats]:
        axis, length = _direction(self.offset)
        return [np.zeros((*self.shape, 3)), axis, np.zeros(self.shape), length]


class Rotation2d(Motion):
    """A turn by `angle` about `center`, counter-clockwise for a positive angle.

    >>> import math, ougi
    >>> ougi.Rotation2d([1, 0], math.pi).at(1).apply([3, 0]).round(12).tolist()
    [-1.0, 0.0]
    """

    center: Floats
    angle: Floats
    dimension = 2
    _fields: ClassVar = {"center": (2,), "angle": ()}

    def __init__(self, center: ArrayLike, angle: ArrayLike) -> None:
        self._set(center=_check.vectors("center", center, 2), angle=_check.array("angle", angle))

    def _at(self, t: Floats) -> Pose:
        angle = self.angle * t
        x, y = self.center[..., 0], self.center[..., 1]
        s, v = np.sin(angle), 2 * np.sin(angle / 2) ** 2  # v = 1 - cos, without cancellation
        return Pose._of(np.stack([v * x + s * y, v * y - s * x], axis=-1), _turn_2d(angle))


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
        angle = self.angle * t
        u, c = self.axis, self.center
        s, v = np.sin(angle)[..., None], 2 * np.sin(angle / 2)[..., None] ** 2
        radial = c - (c * u).sum(-1, keepdims=True) * u
        # c - R c, written so that a far center does not cancel.
        offset = v * radial - s * np.cross(u, c) + (self._along() * t)[..., None] * u
        return Pose._of(offset, _turn_3d(u, angle))

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
        (...), radians, any size and sign.

    >>> import math, ougi
    >>> half = ougi.Rotation3d(center=[1, 0, 0], axis=[0, 0, 2], angle=math.pi)
    >>> half.at([0, 0.5, 1]).apply([3, 0, 7]).round(12).tolist()
    [[3.0, 0.0, 7.0], [1.0, 2.0, 7.0], [-1.0, 0.0, 7.0]]
    """

    _fields: ClassVar = {"center": (3,), "axis": (3,), "angle": ()}

    def __init__(self, center: ArrayLike, axis: ArrayLike, angle: ArrayLike) -> None:
        self._set(
            center=_check.vectors("center", center, 3),
            axis=_check.unit_vectors("axis", axis, 3),
            angle=_check.array("angle", angle),
        )

    def _along(self) -> Floats:
        return np.zeros(self.shape)


class Screw3d(_Turn3d):
    """A turn by `angle` about an axis together with a move by `advance` along it.

    >>> import math, ougi
    >>> screw = ougi.Screw3d(center=[0, 0, 0], axis=[0, 0, 1], angle=math.pi / 2, advance=3)
    >>> screw.at(1).apply([1, 0, 0]).round(12).tolist()
    [0.0, 1.0, 3.0]
    """

    advance: Floats
    _fields: ClassVar = {"center": (3,), "axis": (3,), "angle": (), "advance": ()}

    def __init__(self, center: ArrayLike, axis: ArrayLike, angle: ArrayLike, advance: ArrayLike) -> None:
        self._set(
            center=_check.vectors("center", center, 3),
            axis=_check.unit_vectors("axis", axis, 3),
            angle=_check.array("angle", angle),
            advance=_check.array("advance", advance),
        )

    def _along(self) -> Floats:
        return self.advance


def _turn_3d(axis: Floats, angle: Floats) -> Floats:
    """Rodrigues' formula, FAN (2.2), as a matrix."""
    x, y, z = np.moveaxis(axis, -1, 0)
    zero = np.zeros_like(x)
    skew = np.stack(
        [np.stack([zero, -z, y], -1), np.stack([z, zero, -x], -1), np.stack([-y, x, zero], -1)], axis=-2
    )
    s, v = np.sin(angle)[..., None, None], 2 * np.sin(angle / 2)[..., None, None] ** 2
    turn: Floats = np.eye(3) + s * skew + v * (skew @ skew)
    return turn


def _direction(vector: Floats) -> tuple[Floats, Floats]:
    """Unit vectors and lengths; a zero vector gets the x direction."""
    length = np.linalg.norm(vector, axis=-1)
    zero = length == 0
    unit = vector / np.where(zero, 1.0, length)[..., None]
    return np.where(zero[..., None], np.eye(vector.shape[-1])[0], unit), length


def between(start: Pose, end: Pose) -> Screw3d | Rotation2d | Translation2d:
    """The motion from one pose to another by the smaller turn: in space every displacement is a screw.

    Parameters
    ----------
    start, end
        Poses of one dimension, broadcasting against each other.

    Returns
    -------
    In space a Screw3d (angle in [0, pi]; a pure translation has angle 0 and its direction as axis). In the
    plane a Rotation2d (angle in [-pi, pi]), or a Translation2d where no pose of the batch turns.

    Raises
    ------
    ValueError
        In the plane, for a batch that mixes turns with pure translations: no one class holds both.

    >>> import ougi
    >>> motion = ougi.between(ougi.Pose([0, 0, 0]), ougi.Pose([2, 0, 5], [0, 0, 0.6, 0.8]))
    >>> motion.at(1).position.round(12).tolist()
    [2.0, 0.0, 5.0]
    >>> round(float(motion.advance), 12)
    5.0
    """
    for name, pose in (("start", start), ("end", end)):
        if not isinstance(pose, Pose):
            raise TypeError(f"{name} must be a Pose, got {type(pose).__name__}")
    change = end @ start.inverse()
    return _between_3d(change) if change.dimension == 3 else _between_2d(change)


# Two equal orientations multiplied leave a turn of rounding, about a center as far away as it pleases.
_NO_TURN = 8e-16


def _between_3d(change: Pose) -> Screw3d:
    r, d = change.rotation, change.position
    # sin(angle) * axis, exact for small angles; the symmetric part gives the axis near half a turn.
    twist = (
        np.stack([r[..., 2, 1] - r[..., 1, 2], r[..., 0, 2] - r[..., 2, 0], r[..., 1, 0] - r[..., 0, 1]], -1)
        / 2
    )
    sine = np.linalg.norm(twist, axis=-1)
    cosine = (np.trace(r, axis1=-2, axis2=-1) - 1) / 2
    angle = np.arctan2(sine, cosine)
    symmetric = (r + np.swapaxes(r, -1, -2)) / 2 - cosine[..., None, None] * np.eye(3)  # (1 - cos) u u^T
    best = np.argmax(np.abs(np.diagonal(symmetric, axis1=-2, axis2=-1)), axis=-1)
    column = np.take_along_axis(symmetric, best[..., None, None], axis=-1)[..., 0]
    column = column * np.where((column * twist).sum(-1) < 0, -1.0, 1.0)[..., None]
    wide = cosine < 0
    straight, length = _direction(d)
    axis, _ = _direction(np.where(wide[..., None], column, twist))
    turns = angle > _NO_TURN
    angle = np.where(turns, angle, 0.0)
    axis = np.where(turns[..., None], axis, straight)
    advance = np.where(turns, (axis * d).sum(-1), length)
    across = d - (axis * d).sum(-1, keepdims=True) * axis
    cot = 1 / np.tan(np.where(turns, angle, 1.0) / 2)
    center = np.where(turns[..., None], (across + cot[..., None] * np.cross(axis, across)) / 2, 0.0)
    return Screw3d(center, axis, angle, advance)


def _between_2d(change: Pose) -> Rotation2d | Translation2d:
    r, d = change.rotation, change.position
    angle = np.arctan2(r[..., 1, 0], r[..., 0, 0])
    angle = np.where(np.abs(angle) > _NO_TURN, angle, 0.0)
    if not angle.any():
        return Translation2d(d)
    _check.refuse(angle == 0, "start and end", "all turn or all keep their direction; angle", angle)
    cot = 1 / np.tan(angle / 2)[..., None]
    left = np.stack([-d[..., 1], d[..., 0]], axis=-1)
    return Rotation2d((d + cot * left) / 2, angle)
