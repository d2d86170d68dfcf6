"""Balls in space."""

from __future__ import annotations

from typing import ClassVar

from ougi import _check
from ougi._typing import ArrayLike, Floats
from ougi.motion import Pose
from ougi.shapes._shape import Shape


class Sphere(Shape):
    """Solid balls.

    Parameters
    ----------
    center
        (..., 3).
    radius
        (...), not negative; 0 is a point.

    >>> import ougi
    >>> balls = ougi.Sphere(center=[[0, 0, 0], [3, 0, 0]], radius=1)
    >>> balls.shape
    (2,)
    >>> balls[1]
    Sphere(center=[3.0, 0.0, 0.0], radius=1.0)
    """

    center: Floats
    radius: Floats
    dimension = 3
    _fields: ClassVar = {"center": (3,), "radius": ()}
    layouts: ClassVar = ("sphere",)

    def __init__(self, center: ArrayLike, radius: ArrayLike) -> None:
        self._set(center=_check.vectors("center", center, 3), radius=_check.not_negative("radius", radius))

    def _rows(self, layout: str) -> list[Floats]:
        return [self.center, self.radius]

    def _bounds(self) -> tuple[Floats, Floats]:
        reach = self.radius[..., None]
        return self.center - reach, self.center + reach

    def _bounding_sphere(self) -> tuple[Floats, Floats]:
        return self.center, self.radius

    def _transformed(self, pose: Pose) -> Sphere:
        return self._moved(pose, "center")  # type: ignore[no-any-return]
