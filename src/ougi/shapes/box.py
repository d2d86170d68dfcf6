"""Boxes that may be turned."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ougi import _check
from ougi._typing import ArrayLike, Floats, RotationLike
from ougi.motion import Pose
from ougi.shapes._shape import Spatial

_NO_ROTATION = np.eye(3)


class Box(Spatial):
    """Solid boxes in space, turned by a rotation.

    Parameters
    ----------
    center
        (..., 3).
    size
        (..., 3), full edge lengths, not negative; zeros make flat boxes.
    rotation
        Quaternion (..., 4) in the order x, y, z, w, or matrix (..., 3, 3), or a scipy Rotation; None for no
        rotation. Kept as matrices, whose columns are the box's axes.

    >>> import ougi
    >>> box = ougi.Box([0, 0, 0], [2, 4, 6], rotation=[0, 0, 0.5**0.5, 0.5**0.5])
    >>> box.bounds().upper.round(12).tolist()
    [2.0, 1.0, 3.0]
    """

    center: Floats
    size: Floats
    rotation: Floats
    _fields: ClassVar = {"center": (3,), "size": (3,), "rotation": (3, 3)}
    _lengths: ClassVar = ("center", "size")
    layouts: ClassVar = ("box",)

    def __init__(self, center: ArrayLike, size: ArrayLike, rotation: RotationLike = None) -> None:
        if rotation is None and self._put_single(
            center=_check.read_point(center, 3), size=_check.read_size(size, 3), rotation=_NO_ROTATION
        ):
            return
        extent = _check.vectors("size", size, 3)
        _check.refuse((extent < 0).any(-1), "size", "not be negative", extent)
        self._set(
            center=_check.vectors("center", center, 3),
            size=extent,
            rotation=np.eye(3) if rotation is None else _check.rotations("rotation", rotation),
        )

    def _rows(self, layout: str) -> list[Floats]:
        return [self.center, self.size / 2, *(self.rotation[..., k] for k in range(3))]

    def _bounds(self) -> tuple[Floats, Floats]:
        reach = (np.abs(self.rotation) @ self.size[..., None])[..., 0] / 2
        return self.center - reach, self.center + reach

    def _bounding_sphere(self) -> tuple[Floats, Floats]:
        return self.center, np.linalg.norm(self.size, axis=-1) / 2

    def _transformed(self, pose: Pose) -> Box:
        return self._moved(pose, "center", rotation=pose.rotation @ self.rotation)  # type: ignore[no-any-return]
