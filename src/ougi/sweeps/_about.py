"""Shapes by their corners, and in coordinates about the axis of a turn: radii, angles and heights."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ougi._typing import Floats
from ougi.motion import Rotation2d, Rotation3d, Screw3d
from ougi.shapes import (
    Aabb2d,
    Aabb3d,
    Box,
    Capsule2d,
    Capsule3d,
    Circle,
    Mesh,
    Point2d,
    Point3d,
    Rectangle,
    Sector2d,
    Sector3d,
    Shape,
    Sphere,
)

# The number of tangents that replace the arc of a sector. For a whole turn their corners lie 0.06 % outside
# of the circle.
PIECES = 90


class CylinderCoordinates(NamedTuple):
    """Points about a motion's axis: components along `out` and `side`, heights along the axis."""

    x: Floats
    y: Floats
    z: Floats


class TurnFrame:
    """The axis of a rotation or screw, and a direction `out` from it to where the shape is."""

    def __init__(self, shape: Shape, motion: Any, method: str) -> None:
        if not isinstance(motion, Rotation2d | Rotation3d | Screw3d):
            raise ValueError(
                f"{method} needs a turn, got a {type(motion).__name__}; "
                "methods that take it: exact, cast, speculative-ideal, swept-sphere, substeps"
            )
        self.flat = shape.dimension == 2
        self.batch = np.broadcast_shapes(shape.shape, motion.shape)
        self.center = motion.center
        self.angle = np.broadcast_to(motion.angle, self.batch)
        self.advance = np.broadcast_to(motion.advance if isinstance(motion, Screw3d) else 0.0, self.batch)
        middle = get_middle(shape) - self.center
        self.axis = np.array([0.0, 0.0, 1.0]) if isinstance(motion, Rotation2d) else motion.axis
        if self.flat:
            self.height = np.zeros(self.batch)
        else:
            self.height = (middle * self.axis).sum(-1)
            middle = middle - self.height[..., None] * self.axis
            # Once more: of a short lever, rounding of the height is a large part.
            middle = middle - (middle * self.axis).sum(-1, keepdims=True) * self.axis
        self.lever = np.broadcast_to(np.linalg.norm(middle, axis=-1), self.batch)
        self.out = middle / np.where(self.lever > 0, self.lever, 1.0)[..., None]
        self.out = np.where((self.lever > 0)[..., None], self.out, self._choose_direction())
        self.side = rotate_left(self.out) if self.flat else np.cross(self.axis, self.out)

    def _choose_direction(self) -> Floats:
        """A direction across the axis, for shapes whose middle lies on it."""
        if self.flat:
            return np.array([1.0, 0.0])
        smallest = np.eye(3)[np.argmin(np.abs(self.axis), axis=-1)]
        across = np.cross(self.axis, smallest)
        unit: Floats = across / np.linalg.norm(across, axis=-1, keepdims=True)
        return unit

    def to_cylinder(self, points: Floats) -> CylinderCoordinates:
        """Points (k, ..., d) in these coordinates, each (k, ...)."""
        w = points - self.center
        z = np.zeros(w.shape[:-1]) if self.flat else (w * self.axis).sum(-1)
        return CylinderCoordinates((w * self.out).sum(-1), (w * self.side).sum(-1), z)

    def sector(
        self, low: Floats, high: Floats, inner: Floats, outer: Floats, z: tuple[Floats, Floats]
    ) -> Shape:
        """The sector between two angles from `out`, two radii and two heights."""
        middle, half = (low + high) / 2, np.minimum((high - low) / 2, np.pi)
        toward = np.cos(middle)[..., None] * self.out + np.sin(middle)[..., None] * self.side
        if self.flat:
            return Sector2d(self.center, toward, half, inner, outer)
        center = self.center + ((z[0] + z[1]) / 2)[..., None] * self.axis
        return Sector3d(center, self.axis, toward, half, inner, outer, (z[1] - z[0]) / 2)


def rotate_left(v: Floats) -> Floats:
    return np.stack([-v[..., 1], v[..., 0]], axis=-1)


def broadcast(batch: Any, shape: tuple[int, ...]) -> Any:
    """A shape or motion repeated to a batch shape, without copies."""
    if batch.shape == shape:
        return batch
    values = {}
    for name, tail in batch._fields.items():
        value = getattr(batch, name)
        missing = len(shape) + len(tail) - value.ndim
        values[name] = np.broadcast_to(value.reshape((1,) * missing + value.shape), shape + tail)
    return type(batch)._from_fields(shape, values)


def class_name(shape: Shape) -> str:
    return "points" if isinstance(shape, Point2d | Point3d) else type(shape).__name__


def get_middle(shape: Any) -> Floats:
    if isinstance(shape, Sector2d | Sector3d | Mesh):
        center: Floats = shape.bounding_sphere().center
        return center
    middle: Floats = get_corners(shape)[0].mean(axis=0)
    return middle


def get_corners(shape: Any) -> tuple[Floats, Floats]:
    """Balls whose hull holds the shape: centers (k, ..., d) and their radius (...).

    It is the hull of the shape itself; only that of a fan goes beyond its arc, see `PIECES`.
    """
    none = np.zeros(shape.shape)
    match shape:
        case Sphere() | Circle():
            return shape.center[None], shape.radius
        case Capsule2d() | Capsule3d():
            return np.stack([shape.start, shape.end]), shape.radius
        case Box():
            signs = np.stack(np.meshgrid(*[[-0.5, 0.5]] * 3), axis=-1).reshape((8, *(1,) * shape.ndim, 3))
            arms = (shape.rotation @ (signs * shape.size)[..., None])[..., 0]
            return shape.center + arms, none
        case Rectangle():
            x, y = shape._axes()
            half_x, half_y = x * shape.size[..., :1] / 2, y * shape.size[..., 1:] / 2
            arms = np.stack([half_x + half_y, half_x - half_y, -half_x - half_y, half_y - half_x])
            return shape.center + arms, none
        case Aabb2d() | Aabb3d():
            return get_corners(shape._turnable())
        case Point2d() | Point3d():
            return shape.position[None], none
        case Mesh():
            return shape._used(), none
        case Sector2d() | Sector3d():
            posts = _compute_posts(shape)
            return posts.reshape((-1, *posts.shape[2:])), none
    if hasattr(shape, "start"):
        return np.stack([shape.start, shape.end]), none
    if hasattr(shape, "a"):
        return np.stack([shape.a, shape.b, shape.c]), none
    raise ValueError(
        f"a {type(shape).__name__} has no corners; methods that can: speculative-start-end, "
        "swept-sphere, substeps"
    )


class Pieces(NamedTuple):
    """Convex polytopes that together hold a shape, or at least its surface in space."""

    corners: Floats  # (k, m, ..., d): k corners of m pieces
    edges: tuple[tuple[int, int], ...]


def get_pieces(shape: Sector2d | Sector3d | Mesh) -> Pieces:
    """The triangles of a mesh; a fan as wedges between neighbouring posts."""
    if isinstance(shape, Mesh):
        shape._used()  # refuses a mesh without faces
        return Pieces(np.moveaxis(shape.vertices[shape.faces], 1, 0), ((0, 1), (1, 2), (2, 0)))
    posts = _compute_posts(shape)
    k = len(posts)
    edges = [(i, i + k) for i in range(k)]  # along the arc
    for i in range(k):
        edges += [(at + i, at + (i ^ bit)) for bit in (1, 2) if i < i ^ bit < k for at in (0, k)]
    return Pieces(np.concatenate([posts[:, :-1], posts[:, 1:]]), tuple(edges))


def _compute_posts(fan: Sector2d | Sector3d) -> Floats:
    """Radial cuts (k, PIECES + 1, ..., d) through a fan: inner and outer corners, in space below and above.

    What lies between neighbours holds the fan: the outer corners are those of tangents to its arc, and the
    chords of the inner ones lie in its hole.
    """
    share = np.linspace(-1.0, 1.0, PIECES + 1).reshape((-1, *(1,) * fan.ndim))
    angle = share * fan.half_angle
    x = fan.direction
    y = rotate_left(x) if isinstance(fan, Sector2d) else np.cross(fan.axis, x)
    around = np.cos(angle)[..., None] * x + np.sin(angle)[..., None] * y
    outer = fan.outer_radius / np.cos(fan.half_angle / PIECES)
    walls = [fan.center + radius[..., None] * around for radius in (fan.inner_radius, outer)]
    if isinstance(fan, Sector2d):
        return np.stack(walls)
    up = fan.half_height[..., None] * fan.axis
    return np.stack([wall + shift for shift in (-up, up) for wall in walls])
