"""Positions and orientations."""

from __future__ import annotations

from typing import ClassVar, Protocol, Self

import numpy as np

from ougi import _check
from ougi._batch import Batch
from ougi._typing import ArrayLike, Floats, RotationLike


class HasMatrix(Protocol):
    """A scipy Rotation or RigidTransform."""

    def as_matrix(self) -> Floats: ...


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
    _fields: ClassVar[dict[str, tuple[int, ...]]] = {"position": (-1,), "rotation": (-1, -1)}

    def __init__(self, position: ArrayLike, rotation: RotationLike = None) -> None:
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

    @classmethod
    def from_matrix(cls, matrix: ArrayLike) -> Pose:
        """Poses from homogeneous matrices (..., 3, 3) of the plane or (..., 4, 4) of space.

        >>> import ougi
        >>> ougi.Pose.from_matrix([[0, -1, 5], [1, 0, 6], [0, 0, 1]]).apply([1, 0]).tolist()
        [5.0, 7.0]
        """
        m = _check.array("matrix", matrix)
        if m.ndim < 2 or m.shape[-2:] not in ((3, 3), (4, 4)):
            raise ValueError(f"matrix must have shape (..., 3, 3) or (..., 4, 4), got {m.shape}")
        d = m.shape[-1] - 1
        last = np.eye(d + 1)[d]
        bad = (np.abs(m[..., d, :] - last) > _check.UNIT_TOLERANCE).any(axis=-1)
        _check.refuse(bad, "matrix", f"have {last.tolist()} as its last row", m[..., d, :])
        return cls._of(m[..., :d, d], _check.rotation_matrices("matrix", m[..., :d, :d], d))

    @classmethod
    def from_scipy(cls, transform: HasMatrix) -> Pose:
        """Poses from a scipy `Rotation`, which leaves the origin where it is, or a `RigidTransform`.

        >>> import ougi
        >>> from scipy.spatial.transform import Rotation
        >>> quarter = ougi.Pose.from_scipy(Rotation.from_euler("z", 90, degrees=True))
        >>> quarter.apply([1, 0, 0]).round(12).tolist()
        [0.0, 1.0, 0.0]
        """
        if not hasattr(transform, "as_matrix"):
            raise TypeError(f"transform must be a Rotation or RigidTransform, got {type(transform).__name__}")
        matrix = np.asarray(transform.as_matrix())
        return cls.from_matrix(matrix) if matrix.shape[-1] == 4 else cls(np.zeros(3), matrix)

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return int(self.position.shape[-1])

    def _put(self, shape: tuple[int, ...], values: dict[str, Floats]) -> None:
        # The fields' component shapes depend on the dimension, hence per object.
        d = values["position"].shape[-1]
        self.__dict__["_fields"] = {"position": (d,), "rotation": (d, d)}
        super()._put(shape, values)

    @classmethod
    def _of(cls, position: Floats, rotation: Floats) -> Self:
        shape = np.broadcast_shapes(position.shape[:-1], rotation.shape[:-2])
        return cls._from_fields(shape, {"position": position, "rotation": rotation})

    @classmethod
    def _shift(cls, offset: Floats) -> Self:
        """A pose without a turn, which `_apply` needs to know: it takes most of the time."""
        new = cls._of(offset, np.eye(offset.shape[-1]))
        new.__dict__["_is_shift"] = True
        return new

    def apply(self, points: ArrayLike) -> Floats:
        """Points (..., d) moved by this pose; batch axes broadcast against the points' leading axes."""
        x = _check.vectors("points", points, self.dimension, _check.MAX_COORDINATE)
        _check.broadcast_shape(pose=self.shape, points=x.shape[:-1])
        return self._apply(x)

    def _apply(self, points: Floats) -> Floats:
        if "_is_shift" in self.__dict__:
            return points + self.position
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


def _rotation_2d(value: ArrayLike, batch: tuple[int, ...]) -> Floats:
    """A rotation in the plane as a matrix, from an angle or a 2 x 2 matrix.

    For a (2, 2) batch of positions four numbers are four angles.
    """
    r = _check.angles("rotation", value)
    if r.ndim >= 2 and r.shape[-2:] == (2, 2) and r.shape != batch:
        return _check.rotation_matrices("rotation", r, 2)
    return _turn_2d(r)


def _turn_2d(angle: Floats) -> Floats:
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([np.stack([c, -s], axis=-1), np.stack([s, c], axis=-1)], axis=-2)
