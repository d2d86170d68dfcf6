"""Shapes and motions of the plane as flat shapes at z = 0 and motions about z: distances stay the same."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from ougi._typing import Floats
from ougi.impact.tables import LAYOUTS
from ougi.motion import Displacement2d, Motion, Rotation2d, Rotation3d, Screw3d, Translation2d, Translation3d
from ougi.shapes import (
    Aabb2d,
    Aabb3d,
    Box,
    Capsule2d,
    Capsule3d,
    Circle,
    Point2d,
    Point3d,
    Rectangle,
    Segment2d,
    Segment3d,
    Shape,
    Sphere,
    Triangle2d,
    Triangle3d,
)

Spatial: TypeAlias = Rotation3d | Translation3d | Screw3d

# Classes whose points are carried over and whose other fields stay what they are.
_COUNTERPARTS: dict[type[Shape], tuple[type[Shape], tuple[str, ...]]] = {
    Point2d: (Point3d, ("position",)),
    Circle: (Sphere, ("center",)),
    Segment2d: (Segment3d, ("start", "end")),
    Capsule2d: (Capsule3d, ("start", "end")),
    Triangle2d: (Triangle3d, ("a", "b", "c")),
    Aabb2d: (Aabb3d, ("lower", "upper")),
}


def columns_in_space(shape: Shape) -> Floats:
    """The columns that kernels of first contacts read; computed once."""
    found = shape._columns.get("space")
    if found is None:
        found = shape._columns["space"] = in_space(shape).columns(LAYOUTS[type(shape)])
    return found


def screws_in_space(motion: Motion) -> Floats:
    """(8, n), motions as the screws that kernels read; computed once."""
    found = motion._columns.get("space")
    if found is None:
        found = motion._columns["space"] = motion_in_space(motion).columns()
    return found


def in_space(shape: Shape) -> Shape:
    """The shape itself, or the flat shape for one of the plane."""
    if shape.dimension == 3:
        return shape
    if isinstance(shape, Rectangle):
        turn = np.zeros((*shape.shape, 3, 3))
        x, y = shape._axes()
        turn[..., :2, 0], turn[..., :2, 1], turn[..., 2, 2] = x, y, 1.0
        fields = {"center": _append_zero(shape.center), "size": _append_zero(shape.size), "rotation": turn}
        return Box._from_fields(shape.shape, fields)
    cls, points = _COUNTERPARTS[type(shape)]
    fields = {name: getattr(shape, name) for name in shape._fields}
    fields.update({name: _append_zero(fields[name]) for name in points})
    return cls._from_fields(shape.shape, fields)


def motion_in_space(motion: Motion) -> Spatial:
    """The motion itself, or the one of space that moves flat shapes alike."""
    if isinstance(motion, Translation2d):
        return Translation3d(_append_zero(motion.offset))
    if isinstance(motion, Rotation2d):
        return Rotation3d(_append_zero(motion.center), [0.0, 0.0, 1.0], motion.angle)
    if isinstance(motion, Displacement2d):
        screws = motion._screws()
        center, axis = screws.center[..., 0, :], screws.axis[..., 0, :]
        return Screw3d(center, axis, screws.angle[..., 0], screws.advance[..., 0])
    assert isinstance(motion, Rotation3d | Translation3d | Screw3d)
    return motion


def _append_zero(xy: Floats) -> Floats:
    return np.concatenate([xy, np.zeros((*xy.shape[:-1], 1))], axis=-1)
