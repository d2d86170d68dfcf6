"""Discs in the plane."""

from __future__ import annotations

from typing import ClassVar

from ougi import _check
from ougi._typing import ArrayLike, Floats
from ougi.motion import Pose
from ougi.shapes._shape import Shape


class Circle(Shape):
    """Solid discs.

    Parameters
    ----------
    center
        (..., 2).
    radius
        (...), not negative; 0 is a point.

    >>> import ougi
    >>> discs = ougi.Circle(center=[[0, 0], [3, 0]], radius=1)
    >>> discs.shape
    (2,)
    >>> discs[1]
    Circle(center=[3.0, 0.0], radius=1.0)
    """

    center: Floats
    radius: Floats
    dimension = 2
    _fields: ClassVar = {"center": (2,), "radius": ()}
    layouts: ClassVar = ("circle",)

    def __init__(self, center: ArrayLike, radius: ArrayLike) -> None:
        self._set(center=_check.vectors("center", center, 2), radius=_check.not_negative("radius", radius))

    def _rows(self, layout: str) -> list[Floats]:
        return [self.center, self.radius]

    def _bounds(self) -> tuple[Floats, Floats]:
        reach = self.radius[..., None]
        return self.center - reach, self.center + reach

    def _bounding_sphere(self) -> tuple[Floats, Floats]:
        return self.center, self.radius

    def _transformed(self, pose: Pose) -> Circle:
        return self._moved(pose, "center")  # type: ignore[no-any-return]
