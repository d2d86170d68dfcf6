"""Triangles."""

from __future__ import annotations

from typing import ClassVar

from ougi import _check
from ougi._typing import ArrayLike, Floats
from ougi.motion import Pose
from ougi.shapes._shape import Planar, Shape, Spatial, corner_bounds, triangle_sphere


class _Triangle(Shape):
    a: Floats
    b: Floats
    c: Floats
    _lengths: ClassVar = ("a", "b", "c")

    def __init__(self, a: ArrayLike, b: ArrayLike, c: ArrayLike) -> None:
        d = self.dimension
        self._set(a=_check.vectors("a", a, d), b=_check.vectors("b", b, d), c=_check.vectors("c", c, d))

    def _rows(self, layout: str) -> list[Floats]:
        return [self.a, self.b, self.c]

    def _bounds(self) -> tuple[Floats, Floats]:
        return corner_bounds(self.a, self.b, self.c)

    def _bounding_sphere(self) -> tuple[Floats, Floats]:
        return triangle_sphere(self.a, self.b, self.c)


class Triangle2d(_Triangle, Planar):
    """Solid triangles in the plane, in either winding; collinear corners make a segment.

    Parameters
    ----------
    a, b, c
        (..., 2), the corners.

    >>> import ougi
    >>> ougi.Triangle2d([0, 0], [4, 0], [0, 3]).bounding_sphere()
    Circle(center=[2.0, 1.5], radius=2.5)
    """

    _fields: ClassVar = {"a": (2,), "b": (2,), "c": (2,)}
    layouts: ClassVar = ("triangle2d",)

    def _transformed(self, pose: Pose) -> Triangle2d:
        return self._moved(pose, "a", "b", "c")  # type: ignore[no-any-return]


class Triangle3d(_Triangle, Spatial):
    """Flat triangles in space (no interior to penetrate); collinear corners make a segment.

    Parameters
    ----------
    a, b, c
        (..., 3), the corners.

    >>> import ougi
    >>> ougi.Triangle3d([0, 0, 0], [4, 0, 0], [0, 3, 1]).bounds()
    Aabb3d(lower=[0.0, 0.0, 0.0], upper=[4.0, 3.0, 1.0])
    """

    solid = False
    _fields: ClassVar = {"a": (3,), "b": (3,), "c": (3,)}
    layouts: ClassVar = ("triangle3d",)

    def _transformed(self, pose: Pose) -> Triangle3d:
        return self._moved(pose, "a", "b", "c")  # type: ignore[no-any-return]
