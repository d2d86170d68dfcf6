"""Capsules: all points within a radius of a segment."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ougi import _check
from ougi._typing import ArrayLike, Floats
from ougi.motion import Pose
from ougi.shapes._shape import Planar, Shape, Spatial, corner_bounds


class _Capsule(Shape):
    start: Floats
    end: Floats
    radius: Floats
    _lengths: ClassVar = ("start", "end", "radius")

    def __init__(self, start: ArrayLike, end: ArrayLike, radius: ArrayLike) -> None:
        self._set(
            start=_check.vectors("start", start, self.dimension),
            end=_check.vectors("end", end, self.dimension),
            radius=_check.not_negative("radius", radius),
        )

    def _rows(self, layout: str) -> list[Floats]:
        return [self.start, self.end, self.radius]

    def _bounds(self) -> tuple[Floats, Floats]:
        lower, upper = corner_bounds(self.start, self.end)
        reach = self.radius[..., None]
        return lower - reach, upper + reach

    def _bounding_sphere(self) -> tuple[Floats, Floats]:
        half = np.linalg.norm(self.end - self.start, axis=-1) / 2
        return (self.start + self.end) / 2, half + self.radius


class Capsule2d(_Capsule, Planar):
    """Solid stadiums in the plane: all points within `radius` of the segment from `start` to `end`.

    Parameters
    ----------
    start, end
        (..., 2); equal ends make a disc.
    radius
        (...), not negative.

    >>> import ougi
    >>> ougi.Capsule2d([0, 0], [4, 0], 1).bounds()
    Aabb2d(lower=[-1.0, -1.0], upper=[5.0, 1.0])
    """

    _fields: ClassVar = {"start": (2,), "end": (2,), "radius": ()}
    layouts: ClassVar = ("capsule2d",)

    def _transformed(self, pose: Pose) -> Capsule2d:
        return self._moved(pose, "start", "end")  # type: ignore[no-any-return]


class Capsule3d(_Capsule, Spatial):
    """Solid capsules: all points within `radius` of the segment from `start` to `end`.

    Parameters
    ----------
    start, end
        (..., 3); equal ends make a ball.
    radius
        (...), not negative.

    >>> import ougi
    >>> ougi.Capsule3d([0, 0, 0], [0, 0, 6], 1).bounding_sphere()
    Sphere(center=[0.0, 0.0, 3.0], radius=4.0)
    """

    _fields: ClassVar = {"start": (3,), "end": (3,), "radius": ()}
    layouts: ClassVar = ("capsule3d",)

    def _transformed(self, pose: Pose) -> Capsule3d:
        return self._moved(pose, "start", "end")  # type: ignore[no-any-return]
