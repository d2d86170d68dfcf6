"""Points as operands of queries. Users write plain arrays; `as_shape` wraps them."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

import numpy as np

from ougi import _check
from ougi._batch import Batch
from ougi._typing import ArrayLike, Floats
from ougi.motion import Pose
from ougi.shapes._shape import Planar, Shape, Spatial


class _Point(Shape):
    position: Floats
    solid = False
    _lengths: ClassVar = ()  # tiny points are harmless beside ordinary bodies, and alone as exact as others

    def __init__(self, position: Floats) -> None:
        self._set(position=position)

    def _rows(self, layout: str) -> list[Floats]:
        if layout in ("circle", "sphere"):
            return [self.position, np.zeros(self.shape)]
        return [self.position]

    def _bounds(self) -> tuple[Floats, Floats]:
        return self.position, self.position

    def _bounding_sphere(self) -> tuple[Floats, Floats]:
        return self.position, np.zeros(self.shape)

    def _transformed(self, pose: Pose) -> Shape:
        return self._moved(pose, "position")  # type: ignore[no-any-return]


class Point2d(_Point, Planar):
    """Points in the plane."""

    _fields: ClassVar = {"position": (2,)}
    layouts: ClassVar = ("circle",)


class Point3d(_Point, Spatial):
    """Points in space."""

    _fields: ClassVar = {"position": (3,)}
    layouts: ClassVar = ("point3d", "sphere")


# What queries accept: a shape, or points (..., 2) or (..., 3).
ShapeLike: TypeAlias = Shape | ArrayLike


def as_shape(name: str, value: ShapeLike, like: ShapeLike | None = None) -> Shape:
    """A shape as it is; an array (..., 2) or (..., 3) as points. An empty list holds points as in `like`."""
    if isinstance(value, Shape):
        return value
    if isinstance(value, Batch):
        raise TypeError(f"{name} must be a shape or points, got a {type(value).__name__}")
    if isinstance(value, list | tuple) and _check.describe_class(value) != type(value).__name__:
        raise TypeError(f"{name} must be a shape or points, got {_check.describe_class(value)}")
    points = _check.array(name, value, _check.MAX_COORDINATE)
    if points.shape == (0,) and isinstance(like, Shape):
        points = points.reshape((0, like.dimension))
    if points.ndim and points.shape[-1] == 2:
        return Point2d(points)
    if points.ndim and points.shape[-1] == 3:
        return Point3d(points)
    raise ValueError(
        f"{name} must be a shape or points (..., 2) or (..., 3), got an array of shape {points.shape}"
    )
