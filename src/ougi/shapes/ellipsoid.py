"""Ellipsoids in space."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ougi import _check
from ougi._typing import ArrayLike, Floats, RotationLike
from ougi.motion import Pose
from ougi.shapes._shape import Spatial


class Ellipsoid(Spatial):
    """Solid ellipsoids in space, turned by a rotation.

    Parameters
    ----------
    center
        (..., 3).
    radii
        (..., 3), the semi-axes, not negative; zeros make elliptic discs and segments.
    rotation
        Quaternion (..., 4) in the order x, y, z, w, or matrix (..., 3, 3), or a scipy Rotation; None for no
        rotation. Kept as matrices, whose columns are the axes of the ellipsoid.

    >>> import ougi
    >>> egg = ougi.Ellipsoid([0, 0, 0], [1, 1, 2])
    >>> ougi.contains(egg, [[0, 0, 1.9], [1.1, 0, 0]]).tolist()
    [True, False]
    >>> float(ougi.distance(egg, [0, 0, 3]))
    1.0
    """

    center: Floats
    radii: Floats
    rotation: Floats
    _fields: ClassVar = {"center": (3,), "radii": (3,), "rotation": (3, 3)}
    _lengths: ClassVar = ("center", "radii")
    layouts: ClassVar = ("solid3d",)

    def __init__(self, center: ArrayLike, radii: ArrayLike, rotation: RotationLike = None) -> None:
        extent = _check.vectors("radii", radii, 3)
        _check.refuse((extent < 0).any(-1), "radii", "not be negative", extent)
        self._set(
            center=_check.vectors("center", center, 3),
            radii=extent,
            rotation=np.eye(3) if rotation is None else _check.rotations("rotation", rotation),
        )

    def _solid(self) -> tuple[Floats, Floats, Floats, str]:
        """Center, axes, scale along them, and the kind of solid."""
        return self.center, self.rotation, self.radii, "ellipsoid"

    def _bounds(self) -> tuple[Floats, Floats]:
        reach = np.linalg.norm(self.rotation * self.radii[..., None, :], axis=-1)
        return self.center - reach, self.center + reach

    def _bounding_sphere(self) -> tuple[Floats, Floats]:
        return self.center, self.radii.max(axis=-1)

    def _transformed(self, pose: Pose) -> Any:
        return self._moved(pose, "center", rotation=pose.rotation @ self.rotation)
