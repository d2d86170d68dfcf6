"""Axis-aligned boxes."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ougi import _check
from ougi._typing import ArrayLike, Floats
from ougi.motion import Motion, Pose, Translation2d, Translation3d
from ougi.shapes._shape import Planar, Shape, Spatial
from ougi.shapes.box import Box
from ougi.shapes.rectangle import Rectangle


class _Aabb(Shape):
    lower: Floats
    upper: Floats
    _lengths: ClassVar = ()  # bounds of a body in range may be as small as they like

    def __init__(self, lower: ArrayLike, upper: ArrayLike) -> None:
        low = _check.vectors("lower", lower, self.dimension, _check.MAX_COORDINATE)
        high = _check.vectors("upper", upper, self.dimension, _check.MAX_COORDINATE)
        self._set(lower=low, upper=high)
        _check.refuse((self.lower > self.upper).any(-1), "upper", "not lie below lower", self.upper)

    @property
    def center(self) -> Floats:
        """The middle of the boxes."""
        middle: Floats = (self.lower + self.upper) / 2
        return middle

    def _bounds(self) -> tuple[Floats, Floats]:
        return self.lower, self.upper

    def _bounding_sphere(self) -> tuple[Floats, Floats]:
        return self.center, np.linalg.norm(self.upper - self.lower, axis=-1) / 2


class Aabb2d(_Aabb, Planar):
    """Solid axis-aligned rectangles, given by two corners.

    Parameters
    ----------
    lower, upper
        (..., 2), lower <= upper in each component.

    >>> import ougi
    >>> ougi.Aabb2d([0, 0], [2, 1]).transformed(ougi.Rotation2d([0, 0], 0.5))
    Rectangle(center=[0.637869..., 0.918216...], size=[2.0, 1.0], angle=0.5)
    """

    _fields: ClassVar = {"lower": (2,), "upper": (2,)}
    layouts: ClassVar = ("aabb2d", "rectangle")

    def _rows(self, layout: str) -> list[Floats]:
        if layout == "aabb2d":
            return [self.lower, self.upper]
        x = np.broadcast_to([1.0, 0.0], self.lower.shape)
        return [self.center, (self.upper - self.lower) / 2, x]

    def transformed(self, to: Pose | Motion) -> Aabb2d | Rectangle:  # type: ignore[override]
        """Transform the boxes: a translation gives an Aabb2d, any other pose or motion a Rectangle."""
        if isinstance(to, Translation2d):
            _check.broadcast_shape(shape=self.shape, motion=to.shape)
            moved: Aabb2d = self._moved(to.at(1.0), "lower", "upper")
            return moved
        return super().transformed(to)

    def _transformed(self, pose: Pose) -> Shape:
        return self._turnable()._transformed(pose)

    def _turnable(self) -> Rectangle:
        """The same as a shape that can be turned; its size may exceed what users may give."""
        fields = {"center": self.center, "size": self.upper - self.lower, "angle": np.zeros(())}
        return Rectangle._from_fields(self.shape, fields)


class Aabb3d(_Aabb, Spatial):
    """Solid axis-aligned boxes, given by two corners.

    Parameters
    ----------
    lower, upper
        (..., 3), lower <= upper in each component.

    >>> import ougi
    >>> ougi.Aabb3d([0, 0, 0], [2, 1, 1]).transformed(ougi.Translation3d([1, 0, 0]))
    Aabb3d(lower=[1.0, 0.0, 0.0], upper=[3.0, 1.0, 1.0])
    """

    _fields: ClassVar = {"lower": (3,), "upper": (3,)}
    layouts: ClassVar = ("aabb3d", "box")

    def _rows(self, layout: str) -> list[Floats]:
        if layout == "aabb3d":
            return [self.lower, self.upper]
        axes = (np.broadcast_to(axis, self.lower.shape) for axis in np.eye(3))
        return [self.center, (self.upper - self.lower) / 2, *axes]

    def transformed(self, to: Pose | Motion) -> Aabb3d | Box:  # type: ignore[override]
        """Transform the boxes: a translation gives an Aabb3d, any other pose or motion a Box."""
        if isinstance(to, Translation3d):
            _check.broadcast_shape(shape=self.shape, motion=to.shape)
            moved: Aabb3d = self._moved(to.at(1.0), "lower", "upper")
            return moved
        return super().transformed(to)

    def _transformed(self, pose: Pose) -> Shape:
        return self._turnable()._transformed(pose)

    def _turnable(self) -> Box:
        """The same as a shape that can be turned; its size may exceed what users may give."""
        fields = {"center": self.center, "size": self.upper - self.lower, "rotation": np.eye(3)}
        return Box._from_fields(self.shape, fields)
