"""Rectangles that may be turned."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ougi import _check
from ougi._typing import ArrayLike, Floats
from ougi.motion import Pose
from ougi.shapes._shape import Planar


class Rectangle(Planar):
    """Solid rectangles in the plane, turned by an angle.

    Parameters
    ----------
    center
        (..., 2).
    size
        (..., 2), full edge lengths, not negative; a zero makes a segment or a point.
    angle
        (...), radians, counter-clockwise.

    >>> import math, ougi
    >>> ougi.Rectangle([0, 0], [2, 4], angle=math.pi / 2).bounds().upper.round(12).tolist()
    [2.0, 1.0]
    """

    center: Floats
    size: Floats
    angle: Floats
    _fields: ClassVar = {"center": (2,), "size": (2,), "angle": ()}
    _lengths: ClassVar = ("center", "size")
    layouts: ClassVar = ("rectangle",)

    def __init__(self, center: ArrayLike, size: ArrayLike, angle: ArrayLike = 0.0) -> None:
        extent = _check.vectors("size", size, 2)
        _check.refuse((extent < 0).any(-1), "size", "not be negative", extent)
        self._set(
            center=_check.vectors("center", center, 2), size=extent, angle=_check.angles("angle", angle)
        )

    def _axes(self) -> tuple[Floats, Floats]:
        c, s = np.cos(self.angle), np.sin(self.angle)
        return np.stack([c, s], axis=-1), np.stack([-s, c], axis=-1)

    def _rows(self, layout: str) -> list[Floats]:
        return [self.center, self.size / 2, self._axes()[0]]

    def _bounds(self) -> tuple[Floats, Floats]:
        x, y = self._axes()
        reach = (np.abs(x) * self.size[..., :1] + np.abs(y) * self.size[..., 1:]) / 2
        return self.center - reach, self.center + reach

    def _bounding_sphere(self) -> tuple[Floats, Floats]:
        return self.center, np.linalg.norm(self.size, axis=-1) / 2

    def _transformed(self, pose: Pose) -> Rectangle:
        turn = np.arctan2(pose.rotation[..., 1, 0], pose.rotation[..., 0, 0])
        return self._moved(pose, "center", angle=self.angle + turn)  # type: ignore[no-any-return]
