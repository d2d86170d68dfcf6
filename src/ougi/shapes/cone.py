"""Cones in space."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ougi import _check
from ougi._typing import ArrayLike, Floats
from ougi.motion import Pose
from ougi.shapes._shape import Spatial
from ougi.shapes.cylinder import build_axes, span_axis
from ougi.shapes.mesh import Mesh


class Cone(Spatial):
    """Solid cones: from a disc at one end of the axis to the tip at the other end.

    Parameters
    ----------
    center
        (..., 3), the middle of the axis, half-way between the base and the tip.
    axis
        (..., 3), from the base to the tip, any length but zero.
    radius
        (...), of the base, not negative. With radius 0 it is a segment.
    half_height
        (...), half of the distance from the base to the tip, not negative. With half_height 0 it is a disc.

    >>> import ougi
    >>> cone = ougi.Cone(center=[0, 0, 1], axis=[0, 0, 1], radius=0.5, half_height=1)
    >>> ougi.contains(cone, [[0, 0, 1.9], [0.4, 0, 0], [0.4, 0, 1]]).tolist()
    [True, True, False]
    >>> float(ougi.distance(cone, ougi.Sphere([0, 0, 3], 0.25)))
    0.75
    """

    center: Floats
    axis: Floats
    radius: Floats
    half_height: Floats
    _fields: ClassVar = {"center": (3,), "axis": (3,), "radius": (), "half_height": ()}
    _lengths: ClassVar = ("center", "half_height", "radius")
    layouts: ClassVar = ("solid3d",)

    def __init__(self, center: ArrayLike, axis: ArrayLike, radius: ArrayLike, half_height: ArrayLike) -> None:
        self._set(
            center=_check.vectors("center", center, 3),
            axis=_check.unit_vectors("axis", axis, 3),
            radius=_check.not_negative("radius", radius),
            half_height=_check.not_negative("half_height", half_height),
        )

    @classmethod
    def from_ends(cls, start: ArrayLike, end: ArrayLike, radius: ArrayLike) -> Cone:
        """Cones from the centers of their bases to their tips, (..., 3) each.

        >>> import ougi
        >>> ougi.Cone.from_ends([0, 0, 0], [0, 0, 2], 0.5)
        Cone(center=[0.0, 0.0, 1.0], axis=[0.0, 0.0, 1.0], radius=0.5, half_height=1.0)
        """
        center, along = span_axis(start, end)
        return cls(center, along, radius, np.linalg.norm(along, axis=-1))

    def mesh(self, n: int = 64) -> Mesh:
        """A closed mesh of a single cone for drawing, wound outward, whose base has n corners.

        >>> import ougi
        >>> ougi.Cone([0, 0, 0], [0, 0, 1], 1, 1).mesh(8)
        <Mesh of 10 vertices and 16 faces>
        """
        if self.shape:
            raise ValueError(f"only a single Cone can be drawn, got a batch of shape {self.shape}")
        n = _check.whole_number("n", n, _check.MAX_PIECES)
        if n < 3:
            raise ValueError(f"n must be at least 3 here, got {n}")
        angle = 2 * np.pi * np.arange(n) / n
        x, y, z = np.moveaxis(build_axes(self.axis), -1, 0)
        base, tip = self.center - self.half_height * z, self.center + self.half_height * z
        rim = base + self.radius * (np.cos(angle)[:, None] * x + np.sin(angle)[:, None] * y)
        p = np.arange(n)
        q = (p + 1) % n
        sides = np.stack([p, q, np.full(n, n)], axis=1)
        bottom = np.stack([q, p, np.full(n, n + 1)], axis=1)
        return Mesh._from_arrays(np.concatenate([rim, [tip, base]]), np.concatenate([sides, bottom]))

    def _solid(self) -> tuple[Floats, Floats, Floats, str]:
        """Center, axes, scale along them, and the kind of solid."""
        scale = np.stack([self.radius, self.radius, self.half_height], axis=-1)
        return self.center, build_axes(self.axis), scale, "cone"

    def _bounds(self) -> tuple[Floats, Floats]:
        up = self.half_height[..., None] * self.axis
        across = self.radius[..., None] * np.sqrt(np.maximum(1.0 - self.axis**2, 0.0))
        return (
            self.center + np.minimum(up, -up - across),
            self.center + np.maximum(up, -up + across),
        )

    def _bounding_sphere(self) -> tuple[Floats, Floats]:
        """The ball on the base, or through the tip and the rim."""
        height = 2 * self.half_height
        wide = self.radius >= height
        radius = np.where(
            wide, self.radius, (self.radius**2 + height**2) / np.where(height > 0, 2 * height, 1.0)
        )
        shift = np.where(wide, -self.half_height, self.half_height - radius)
        return self.center + shift[..., None] * self.axis, radius

    def _transformed(self, pose: Pose) -> Any:
        return self._moved(pose, "center", axis=(pose.rotation @ self.axis[..., None])[..., 0])
