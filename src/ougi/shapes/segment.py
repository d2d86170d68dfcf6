"""Line segments."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ougi import _check
from ougi._typing import ArrayLike, Floats
from ougi.motion import Pose
from ougi.shapes._shape import Planar, Shape, Spatial, corner_bounds


class _Segment(Shape):
    start: Floats
    end: Floats
    solid = False
    _lengths: ClassVar = ("start", "end")

    def __init__(self, start: ArrayLike, end: ArrayLike) -> None:
        self._set(
            start=_check.vectors("start", start, self.dimension),
            end=_check.vectors("end", end, self.dimension),
        )

    def _rows(self, layout: str) -> list[Floats]:
        return [self.start, self.end, np.zeros(self.shape)]  # a capsule of radius 0

    def _bounds(self) -> tuple[Floats, Floats]:
        return corner_bounds(self.start, self.end)

    def _bounding_sphere(self) -> tuple[Floats, Floats]:
        return (self.start + self.end) / 2, np.linalg.norm(self.end - self.start, axis=-1) / 2


class Segment2d(_Segment, Planar):
    """Line segments in the plane; of zero length they are points.

    Parameters
    ----------
    start, end
        (..., 2).

    >>> import ougi
    >>> ougi.Segment2d([0, 0], [[1, 0], [0, 2]]).bounds().upper.tolist()
    [[1.0, 0.0], [0.0, 2.0]]
    """

    _fields: ClassVar = {"start": (2,), "end": (2,)}
    layouts: ClassVar = ("capsule2d",)

    def _transformed(self, pose: Pose) -> Segment2d:
        return self._moved(pose, "start", "end")  # type: ignore[no-any-return]


class Segment3d(_Segment, Spatial):
    """Line segments in space; of zero length they are points.

    Parameters
    ----------
    start, end
        (..., 3).

    >>> import ougi
    >>> ougi.Segment3d([0, 0, 0], [0, 6, 8]).bounding_sphere()
    Sphere(center=[0.0, 3.0, 4.0], radius=5.0)
    """

    _fields: ClassVar = {"start": (3,), "end": (3,)}
    layouts: ClassVar = ("capsule3d",)

    def _transformed(self, pose: Pose) -> Segment3d:
        return self._moved(pose, "start", "end")  # type: ignore[no-any-return]
