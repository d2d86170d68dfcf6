"""Sectors (扇形): fans in the plane and thick fans in space, what a turning box sweeps. FAN sec. 2.1."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ougi import _check
from ougi._typing import ArrayLike, Floats, Ints
from ougi.kernels.pieces.constants import SECTOR
from ougi.motion import Pose
from ougi.shapes._shape import Planar, Spatial
from ougi.shapes.mesh import Mesh


class Sector2d(Planar):
    """Solid fans in the plane: pieces of a disc, or with a hole of a ring, up to the full ring.

    Parameters
    ----------
    center
        (..., 2), the middle of the circles (FAN: O).
    direction
        (..., 2), middle of the fan (A), any length but zero.
    half_angle
        (...), in [0, pi] (θ).
    inner_radius, outer_radius
        (...), 0 <= inner_radius <= outer_radius (r, R).

    >>> import math, ougi
    >>> fan = ougi.Sector2d([0, 0], [1, 0], math.pi / 4, 1, 3)
    >>> ougi.contains(fan, [[2, 0], [0.5, 0], [0, 2]]).tolist()
    [True, False, False]
    >>> ougi.intersects(fan, ougi.Circle([[4, 0], [0, 0], [0, 2]], 1)).tolist()
    [True, True, False]
    """

    center: Floats
    direction: Floats
    half_angle: Floats
    inner_radius: Floats
    outer_radius: Floats
    _fields: ClassVar = {
        "center": (2,),
        "direction": (2,),
        "half_angle": (),
        "inner_radius": (),
        "outer_radius": (),
    }
    layouts: ClassVar = ("sector2d", "sector3d", "body3d")
    _lengths: ClassVar = ("center", "inner_radius", "outer_radius")

    def __init__(
        self,
        center: ArrayLike,
        direction: ArrayLike,
        half_angle: ArrayLike,
        inner_radius: ArrayLike,
        outer_radius: ArrayLike,
    ) -> None:
        middle = _check.vectors("center", center, 2)
        toward = _check.unit_vectors("direction", direction, 2)
        angle = _check_half_angles(half_angle)
        inner, outer = _check_radii(
            inner_radius,
            outer_radius,
            center=middle.shape[:-1],
            direction=toward.shape[:-1],
            half_angle=angle.shape,
        )
        self._set(
            center=middle,
            direction=toward,
            half_angle=angle,
            inner_radius=inner,
            outer_radius=outer,
        )

    def outline(self, n: int = 64) -> Floats:
        """The corners (k, 2) of a polygon for drawing a single fan, counter-clockwise; arcs have n pieces.

        The corners lie on the fan's border. A ring with a hole is cut open along the ray opposite to its
        direction: the polygon runs round the outside, crosses the cut and comes back round the hole.

        >>> import math, ougi
        >>> fan = ougi.Sector2d([0, 0], [1, 0], math.pi / 2, 0, 1)
        >>> (fan.outline(2).round(9) + 0.0).tolist()
        [[0.0, -1.0], [1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]
        """
        angle = _sample_angles(self, n)
        inner, outer, full = float(self.inner_radius), float(self.outer_radius), _is_full(self)
        x, y = self.direction, np.stack([-self.direction[..., 1], self.direction[..., 0]], axis=-1)
        around = np.cos(angle)[:, None] * x + np.sin(angle)[:, None] * y
        parts = [outer * (around[:-1] if full and inner == 0 else around)]
        if inner > 0:
            parts.append(inner * around[::-1])
        elif not full:
            parts.append(np.zeros((1, 2)))
        corners: Floats = self.center + np.concatenate(parts)
        return corners

    def _rows(self, layout: str) -> list[Floats]:
        side = _compute_side(self.half_angle)
        if layout == "sector2d":
            return [self.center, self.direction, side, self.inner_radius, self.outer_radius]
        zero = np.zeros((*self.shape, 1))
        x = np.concatenate([self.direction, zero], axis=-1)
        z = np.broadcast_to([0.0, 0.0, 1.0], x.shape)
        center = np.concatenate([self.center, zero], axis=-1)
        frame = [center, x, np.cross(z, x), z]
        if layout == "body3d":
            return [*frame, *_list_body(self, np.zeros(self.shape))]
        return [*frame, side, self.inner_radius, self.outer_radius, zero]

    def _bounds(self) -> tuple[Floats, Floats]:
        (x, y), directions = np.moveaxis(self.direction, -1, 0), np.array([[1, 0], [0, 1], [-1, 0], [0, -1]])
        a = np.stack([x, y], axis=-1) @ directions.T
        b = np.stack([-y, x], axis=-1) @ directions.T
        reach = _compute_reach(self, a, b)
        return self.center - reach[..., 2:], self.center + reach[..., :2]

    def _bounding_sphere(self) -> tuple[Floats, Floats]:
        shift, radius = _find_bounding_circle(self)
        return self.center + shift[..., None] * self.direction, radius

    def _transformed(self, pose: Pose) -> Sector2d:
        turned = (pose.rotation @ self.direction[..., None])[..., 0]
        return self._moved(pose, "center", direction=turned)  # type: ignore[no-any-return]


class Sector3d(Spatial):
    """Solid thick fans: a piece of cake, or with a hole a piece of Baumkuchen, up to the full ring.

    A `Cylinder` is a whole one without a hole.

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
    >>> ougi.distance(fan, [[0, 0, 0], [4, 0, 0]]).tolist()
    [1.0, 1.0]
    """

    center: Floats
    axis: Floats
    direction: Floats
    half_angle: Floats
    inner_radius: Floats
    outer_radius: Floats
    half_height: Floats
    _fields: ClassVar = {
        "center": (3,),
        "axis": (3,),
        "direction": (3,),
        "half_angle": (),
        "inner_radius": (),
        "outer_radius": (),
        "half_height": (),
    }
    _lengths: ClassVar[tuple[str, ...]] = ("center", "inner_radius", "half_height", "outer_radius")
    layouts: ClassVar = ("sector3d", "cylinder", "body3d")  # `cylinder` for a whole turn without a hole

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
        inner, outer = _check_radii(inner_radius, outer_radius)
        toward = _check.unit_vectors("direction", direction, 3)
        _check.broadcast_shape(axis=u.shape[:-1], direction=toward.shape[:-1])
        self._set(
            center=_check.vectors("center", center, 3),
            axis=u,
            direction=_require_across(u, toward, np.asarray(direction, np.float64).reshape(toward.shape)),
            half_angle=_check_half_angles(half_angle),
            inner_radius=inner,
            outer_radius=outer,
            half_height=_check.not_negative("half_height", half_height),
        )

    def _rows(self, layout: str) -> list[Floats]:
        x, z = self.direction, self.axis
        frame = [self.center, x, np.cross(z, x), z]
        if layout == "cylinder":
            return [*frame, self.outer_radius, self.half_height]
        if layout == "body3d":
            return [*frame, *_list_body(self, self.half_height)]
        return [
            *frame,
            _compute_side(self.half_angle),
            self.inner_radius,
            self.outer_radius,
            self.half_height,
        ]

    def _bounds(self) -> tuple[Floats, Floats]:
        upper = self._support(np.eye(3))
        lower = -self._support(-np.eye(3))
        return self.center + lower, self.center + upper

    def _support(self, directions: Floats) -> Floats:
        """How far the fan reaches from its center in three directions: (..., 3)."""
        x, z = self.direction[..., None, :], self.axis[..., None, :]
        y = np.cross(z, x)
        a, b, c = ((v * directions).sum(-1) for v in (x, y, z))
        reach: Floats = _compute_reach(self, a, b) + np.abs(c) * self.half_height[..., None]
        return reach

    def _bounding_sphere(self) -> tuple[Floats, Floats]:
        shift, radius = _find_bounding_circle(self)
        return self.center + shift[..., None] * self.direction, np.hypot(radius, self.half_height)

    def mesh(self, n: int = 64) -> Mesh:
        """A closed mesh of a single fan for drawing, wound outward; arcs have n pieces.

        The vertices lie on the fan's edges. A full ring has neither sides nor a seam.

        >>> import math, ougi
        >>> ougi.Sector3d([0, 0, 0], [0, 0, 1], [1, 0, 0], math.pi, 1, 2, 0.5).mesh(8)
        <Mesh of 32 vertices and 64 faces>
        """
        angle = _sample_angles(self, n)
        full = _is_full(self)
        if full:
            angle = angle[:-1]
        third = np.cross(self.axis, self.direction)
        around = np.cos(angle)[:, None] * self.direction + np.sin(angle)[:, None] * third
        up = self.half_height * self.axis
        inner = float(self.inner_radius) * (around if self.inner_radius > 0 else np.zeros((1, 3)))
        outer = float(self.outer_radius) * around
        vertices = self.center + np.concatenate([inner - up, inner + up, outer - up, outer + up])
        return Mesh._from_arrays(vertices, _build_faces(len(inner), len(outer), full))

    def _transformed(self, pose: Pose) -> Sector3d:
        turned = {
            name: (pose.rotation @ getattr(self, name)[..., None])[..., 0] for name in ("axis", "direction")
        }
        return self._moved(pose, "center", **turned)  # type: ignore[no-any-return]


def _require_across(axis: Floats, direction: Floats, given: Floats) -> Floats:
    """The unit part of `direction` perpendicular to `axis`; `given` is what the user wrote."""
    part = direction - (direction * axis).sum(-1, keepdims=True) * axis
    part = part - (part * axis).sum(-1, keepdims=True) * axis  # once more: rounding of the first time
    length = np.linalg.norm(part, axis=-1)
    parallel = length < _check.UNIT_TOLERANCE
    _check.refuse(parallel, "direction", "not be parallel to axis", np.broadcast_to(given, part.shape))
    unit: Floats = part / length[..., None]
    return unit


def _check_radii(
    inner_radius: ArrayLike, outer_radius: ArrayLike, **others: tuple[int, ...]
) -> tuple[Floats, Floats]:
    """Both radii checked; `others` are the batch shapes of the other fields."""
    inner = _check.not_negative("inner_radius", inner_radius)
    outer = _check.not_negative("outer_radius", outer_radius)
    _check.broadcast_shape(**others, inner_radius=inner.shape, outer_radius=outer.shape)
    over = inner > outer
    _check.refuse(over, "inner_radius", "not exceed outer_radius", np.broadcast_to(inner, over.shape))
    return inner, outer


def _check_half_angles(value: ArrayLike) -> Floats:
    angle = _check.array("half_angle", value)
    over = angle > np.pi + _check.UNIT_TOLERANCE  # pi in single precision lies above pi
    _check.refuse((angle < 0) | over, "half_angle", "lie in [0, pi]", angle)
    return np.minimum(angle, np.pi)


def _compute_side(half_angle: Floats) -> Floats:
    """(cos, sin) of the half angle, as kernels want it."""
    side = np.stack([np.cos(half_angle), np.sin(half_angle)], axis=-1)
    # At half a turn both sides are the same ray; sin(pi) = 1e-16 would leave a crack.
    return np.where((half_angle == np.pi)[..., None], np.array([-1.0, 0.0]), side)


def _list_body(fan: Sector2d | Sector3d, half_height: Floats) -> list[Floats]:
    """The rows of a record `Body` behind its frame; it has no radius and no vertices."""
    outer, none = fan.outer_radius, np.zeros(fan.shape)
    scale = np.stack([outer, fan.inner_radius, half_height], axis=-1)
    sizes = [outer + half_height, np.hypot(outer, half_height)]
    rank = np.full(fan.shape, float(SECTOR))
    return [scale, none, *sizes, rank, none, none, fan.half_angle, *[none] * 3]


def _compute_reach(fan: Sector2d | Sector3d, a: Floats, b: Floats) -> Floats:
    """How far the planar fan reaches from its center along (a, b) of its frame.

    The components have one axis more than the batch.
    """
    angle, half = np.arctan2(b, a), fan.half_angle[..., None]
    # The best direction within the fan: the wanted one, or the nearer side.
    nearest = np.clip(angle, -half, half)
    reach = np.hypot(a, b) * np.cos(angle - nearest)
    radius = np.where(reach > 0, fan.outer_radius[..., None], fan.inner_radius[..., None])
    heights: Floats = reach * radius
    return heights


def _find_bounding_circle(fan: Sector2d | Sector3d) -> tuple[Floats, Floats]:
    """The smallest circle: how far along the direction its center lies, and its radius.

    It stands on the chord of the outer corners, or goes through all four if the inner ones stick out.
    """
    outer, inner = fan.outer_radius, fan.inner_radius
    cos = np.cos(fan.half_angle)
    narrow = fan.half_angle < np.pi / 2
    shift = np.minimum(outer * cos, (outer + inner) / (2 * np.where(narrow, cos, 1.0)))
    shift = np.where(narrow, shift, 0.0)
    across = np.hypot(outer * np.sin(fan.half_angle), outer * cos - shift)
    return shift, np.where(narrow, across, outer)


def _is_full(fan: Sector2d | Sector3d) -> bool:
    return bool(fan.half_angle == np.pi)


def _sample_angles(fan: Sector2d | Sector3d, n: int) -> Floats:
    """The n + 1 angles between the pieces of an arc of a single fan."""
    name = type(fan).__name__
    if fan.shape:
        raise ValueError(f"only a single {name} can be drawn, got a batch of shape {fan.shape}")
    n = _check.whole_number("n", n, _check.MAX_PIECES)
    if n < 3 and _is_full(fan):
        raise ValueError(f"n must be at least 3 here, got {n}")
    return np.linspace(-1.0, 1.0, n + 1) * fan.half_angle


def _build_faces(inner: int, outer: int, full: bool) -> Ints:
    """The faces over vertices in four rows: inner bottom, inner top, outer bottom, outer top.

    A row of inner vertices may be a single one, on the axis.
    """
    p = np.arange(outer if full else outer - 1)
    q = (p + 1) % outer
    hub = inner == 1
    ib = np.zeros(outer, np.int64) if hub else np.arange(outer)
    it, ob = ib + inner, np.arange(outer) + 2 * inner
    ot = ob + outer
    triangles = [
        *((ob[p], ob[q], ot[q]), (ob[p], ot[q], ot[p])),  # outer wall
        *((it[p], ot[p], ot[q]), (ib[p], ob[q], ob[p])),  # top and bottom
    ]
    if not hub:
        triangles += [(it[p], ot[q], it[q]), (ib[p], ib[q], ob[q])]
        triangles += [(ib[p], it[q], ib[q]), (ib[p], it[p], it[q])]  # inner wall
    if not full:
        first, last = np.array([0]), np.array([outer - 1])
        triangles += [(ib[first], ob[first], ot[first]), (ib[first], ot[first], it[first])]
        triangles += [(ib[last], ot[last], ob[last]), (ib[last], it[last], ot[last])]
    return np.concatenate([np.stack(triangle, axis=1) for triangle in triangles])
