"""Cylinders in space."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ougi import _check
from ougi._typing import ArrayLike, Floats
from ougi.motion import Pose
from ougi.shapes.sector import Sector3d


class Cylinder(Sector3d):
    """Solid cylinders. A `Cylinder` is a `Sector3d` of a whole turn without a hole.

    Parameters
    ----------
    center
        (..., 3), the middle of the axis.
    axis
        (..., 3), the direction of the axis, any length but zero.
    radius
        (...), not negative. With radius 0 it is a segment.
    half_height
        (...), not negative. With half_height 0 it is a disc.

    >>> import ougi
    >>> pillar = ougi.Cylinder(center=[0, 0, 1], axis=[0, 0, 1], radius=0.3, half_height=1)
    >>> ougi.contains(pillar, [[0.2, 0, 1.9], [0.2, 0, 2.1]]).tolist()
    [True, False]
    >>> ougi.intersects(pillar, ougi.Sphere([[0.5, 0, 1], [0, 0, 3]], 0.25)).tolist()
    [True, False]
    """

    center: Floats
    axis: Floats
    radius: Floats
    half_height: Floats
    _fields: ClassVar = {"center": (3,), "axis": (3,), "radius": (), "half_height": ()}
    _lengths: ClassVar[tuple[str, ...]] = ("center", "half_height", "radius")

    def __init__(self, center: ArrayLike, axis: ArrayLike, radius: ArrayLike, half_height: ArrayLike) -> None:
        self._set(
            center=_check.vectors("center", center, 3),
            axis=_check.unit_vectors("axis", axis, 3),
            radius=_check.not_negative("radius", radius),
            half_height=_check.not_negative("half_height", half_height),
        )

    @classmethod
    def from_ends(cls, start: ArrayLike, end: ArrayLike, radius: ArrayLike) -> Cylinder:
        """Cylinders between the centers of their two caps, (..., 3) each.

        >>> import ougi
        >>> ougi.Cylinder.from_ends([0, 0, 0], [0, 0, 2], 0.3)
        Cylinder(center=[0.0, 0.0, 1.0], axis=[0.0, 0.0, 1.0], radius=0.3, half_height=1.0)
        """
        center, along = span_axis(start, end)
        return cls(center, along, radius, np.linalg.norm(along, axis=-1))

    @property
    def direction(self) -> Floats:  # type: ignore[override]
        """(..., 3), a unit vector square to the axis; which one makes no difference."""
        return build_axes(self.axis)[..., 0]

    @property
    def half_angle(self) -> Floats:  # type: ignore[override]
        """(...), pi: a cylinder is a whole turn."""
        return np.broadcast_to(np.pi, self.shape)

    @property
    def inner_radius(self) -> Floats:  # type: ignore[override]
        """(...), 0: a cylinder has no hole."""
        return np.broadcast_to(0.0, self.shape)

    @property
    def outer_radius(self) -> Floats:  # type: ignore[override]
        """(...), the radius."""
        return self.radius

    def _solid(self) -> tuple[Floats, Floats, Floats, str]:
        """Center, axes, scale along them, and the kind of solid."""
        scale = np.stack([self.radius, self.radius, self.half_height], axis=-1)
        return self.center, build_axes(self.axis), scale, "cylinder"

    def _transformed(self, pose: Pose) -> Any:
        return self._moved(pose, "center", axis=(pose.rotation @ self.axis[..., None])[..., 0])


def span_axis(start: ArrayLike, end: ArrayLike) -> tuple[Floats, Floats]:
    """The middle of an axis from start to end, and half of the vector between them."""
    first, last = _check.vectors("start", start, 3), _check.vectors("end", end, 3)
    _check.broadcast_shape(start=first.shape[:-1], end=last.shape[:-1])
    along = (last - first) / 2
    equal = np.asarray((along == 0).all(axis=-1))
    _check.refuse(
        equal, "end", "differ from start: the axis needs a direction", np.broadcast_to(last, along.shape)
    )
    return (first + last) / 2, along


def build_axes(z: Floats) -> Floats:
    """Orthonormal axes (..., 3, 3), as columns, whose third is z."""
    x = np.cross(z, np.eye(3)[np.argmin(np.abs(z), axis=-1)])
    x = x / np.linalg.norm(x, axis=-1)[..., None]
    return np.stack([x, np.cross(z, x), z], axis=-1)
