"""Sectors (扇形): thick fans, what a turning box sweeps. FAN sec. 2.1."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ougi import _check
from ougi._typing import ArrayLike, Floats
from ougi.motion import Pose
from ougi.shapes._shape import Shape


class Sector3d(Shape):
    """Solid thick fans: a piece of cake, or with a hole a piece of Baumkuchen, up to the full ring.

    Parameters
    ----------
    center
        (..., 3), a point of the axis (FAN: O); the slab lies symmetrically about it.
    axis
        (..., 3), direction of the axis (U), any length but zero.
    direction
        (..., 3), middle of the fan (A); only its part perpendicular to the axis counts.
    half_angle
        (...), in [0, pi] (θ).
    inner_radius, outer_radius
        (...), 0 <= inner_radius <= outer_radius (r, R).
    half_height
        (...), not negative (h).

    >>> import math, ougi
    >>> fan = ougi.Sector3d([0, 0, 0], [0, 0, 1], [1, 0, 0], math.pi / 4, 1, 3, 0.5)
    >>> ougi.contains(fan, [[2, 0, 0], [0.5, 0, 0], [0, 2, 0]]).tolist()
    [True, False, False]
    """

    center: Floats
    axis: Floats
    direction: Floats
    half_angle: Floats
    inner_radius: Floats
    outer_radius: Floats
    half_height: Floats
    dimension = 3
    _fields: ClassVar = {
        "center": (3,),
        "axis": (3,),
        "direction": (3,),
        "half_angle": (),
        "inner_radius": (),
        "outer_radius": (),
        "half_height": (),
    }
    layouts: ClassVar = ("sector3d",)

    def __init__(
        self,
        center: ArrayLike,
        axis: ArrayLike,
        direction: ArrayLike,
        half_angle: ArrayLike,
        inner_radius: ArrayLike,
        outer_radius: ArrayLike,
        half_height: ArrayLike,
    ) -> None:
        u = _check.unit_vectors("axis", axis, 3)
        angle = _check.array("half_angle", half_angle)
        over = angle > np.pi + _check.UNIT_TOLERANCE  # pi in single precision lies above pi
        _check.refuse((angle < 0) | over, "half_angle", "lie in [0, pi]", angle)
        inner = _check.not_negative("inner_radius", inner_radius)
        outer = _check.not_negative("outer_radius", outer_radius)
        _check.broadcast_shape(inner_radius=inner.shape, outer_radius=outer.shape)
        over = inner > outer
        _check.refuse(over, "inner_radius", "not exceed outer_radius", np.broadcast_to(inner, over.shape))
        toward = _check.unit_vectors("direction", direction, 3)
        _check.broadcast_shape(axis=u.shape[:-1], direction=toward.shape[:-1])
        self._set(
            center=_check.vectors("center", center, 3),
            axis=u,
            direction=_across(u, toward, np.asarray(direction, np.float64)),
            half_angle=np.minimum(angle, np.pi),
            inner_radius=inner,
            outer_radius=outer,
            half_height=_check.not_negative("half_height", half_height),
        )

    def _rows(self, layout: str) -> list[Floats]:
        x, z = self.direction, self.axis
        side = np.stack([np.cos(self.half_angle), np.sin(self.half_angle)], axis=-1)
        # At half a turn both sides are the same ray; sin(pi) = 1e-16 would leave a crack.
        side = np.where((self.half_angle == np.pi)[..., None], np.array([-1.0, 0.0]), side)
        rows = [self.center, x, np.cross(z, x), z, side]
        return [*rows, self.inner_radius, self.outer_radius, self.half_height]

    def _bounds(self) -> tuple[Floats, Floats]:
        upper = self._support(np.eye(3))
        lower = -self._support(-np.eye(3))
        return self.center + lower, self.center + upper

    def _support(self, directions: Floats) -> Floats:
        """How far the fan reaches from its center in three directions: (..., 3)."""
        x, z = self.direction[..., None, :], self.axis[..., None, :]
        y = np.cross(z, x)
        a, b, c = ((v * directions).sum(-1) for v in (x, y, z))
        angle, half = np.arctan2(b, a), self.half_angle[..., None]
        # The best direction within the fan: the wanted one, or the nearer side.
        nearest = np.clip(angle, -half, half)
        reach = np.hypot(a, b) * np.cos(angle - nearest)
        radius = np.where(reach > 0, self.outer_radius[..., None], self.inner_radius[..., None])
        return reach * radius + np.abs(c) * self.half_height[..., None]  # type: ignore[no-any-return]

    def _bounding_sphere(self) -> tuple[Floats, Floats]:
        """On the chord of the outer corners, or through all four corners if the inner ones stick out."""
        outer, inner = self.outer_radius, self.inner_radius
        cos = np.cos(self.half_angle)
        narrow = self.half_angle < np.pi / 2
        shift = np.minimum(outer * cos, (outer + inner) / (2 * np.where(narrow, cos, 1.0)))
        shift = np.where(narrow, shift, 0.0)
        across = np.hypot(outer * np.sin(self.half_angle), outer * cos - shift)
        radius = np.hypot(np.where(narrow, across, outer), self.half_height)
        return self.center + shift[..., None] * self.direction, radius

    def _transformed(self, pose: Pose) -> Sector3d:
        turned = {
            name: (pose.rotation @ getattr(self, name)[..., None])[..., 0] for name in ("axis", "direction")
        }
        return self._moved(pose, "center", **turned)  # type: ignore[no-any-return]


def _across(axis: Floats, direction: Floats, given: Floats) -> Floats:
    """The unit part of `direction` perpendicular to `axis`; `given` is what the user wrote."""
    part = direction - (direction * axis).sum(-1, keepdims=True) * axis
    part = part - (part * axis).sum(-1, keepdims=True) * axis  # once more: rounding of the first time
    length = np.linalg.norm(part, axis=-1)
    parallel = length < _check.UNIT_TOLERANCE
    _check.refuse(parallel, "direction", "not be parallel to axis", np.broadcast_to(given, part.shape))
    unit: Floats = part / length[..., None]
    return unit
