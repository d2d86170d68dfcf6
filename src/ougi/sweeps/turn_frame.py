"""Shapes by their corners, and in coordinates about the axis of a turn: radii, angles and heights."""

from __future__ import annotations

import functools
import math
from typing import NamedTuple, TypeVar

import numpy as np

from ougi import _check
from ougi._batch import Batch
from ougi._typing import DynamicBatch, Floats, Ints
from ougi.motion import Displacement2d, Motion, Rotation2d, Rotation3d, Screw3d, Translation2d, Translation3d
from ougi.shapes import (
    Aabb2d,
    Aabb3d,
    Box,
    Capsule2d,
    Capsule3d,
    Circle,
    Compound,
    Cone,
    ConvexHull3d,
    ConvexPolygon2d,
    Ellipsoid,
    Mesh,
    Point2d,
    Point3d,
    Rectangle,
    Sector2d,
    Sector3d,
    Segment2d,
    Segment3d,
    Shape,
    Sphere,
    Triangle2d,
    Triangle3d,
)
from ougi.sweeps._loops import Arrays

B = TypeVar("B", bound=Batch)

# The number of tangents that replace the arc of a sector. For a whole turn their corners lie 0.06 % outside
# of the circle.
PIECES = 90

# The number of parallels and meridians of a polyhedron around an ellipsoid, which is 0.5 % larger.
_PARALLELS, _MERIDIANS = 24, 48


class CylinderCoordinates(NamedTuple):
    """Points about a motion's axis: components along `out` and `side`, heights along the axis."""

    x: Floats
    y: Floats
    z: Floats


def require_turn(motion: Motion, method: str) -> None:
    """Refuse a motion without an axis."""
    if not isinstance(motion, Rotation2d | Rotation3d | Screw3d):
        raise ValueError(
            f"{method} needs a turn, got a {type(motion).__name__}; "
            "methods that take it: exact, cast, speculative-ideal, swept-sphere, substeps"
        )


class TurnFrame:
    """The axis of a rotation or screw, and a direction `out` from it to where the shape is."""

    def __init__(self, shape: Shape, motion: DynamicBatch, method: str) -> None:
        require_turn(motion, method)
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


def broadcast(batch: B, shape: tuple[int, ...]) -> B:
    """A shape or motion repeated to a batch shape, without copies."""
    if batch.shape == shape:
        return batch
    values = {}
    for name, tail in batch._fields.items():
        value = getattr(batch, name)
        missing = len(shape) + len(tail) - value.ndim
        values[name] = np.broadcast_to(value.reshape((1,) * missing + value.shape), shape + tail)
    return type(batch)._from_fields(shape, values)


class Operands(NamedTuple):
    """A batch of bodies and of steady motions, as the loops of `_loops` take them."""

    solid: Arrays
    path: Arrays
    batch: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many there are."""
        return math.prod(self.batch)


def lay_out(shape: Shape, motion: Motion) -> Operands | None:
    """A shape and a motion of one batch shape for the loops; None if there are none for their classes."""
    solid, path = _split_solid(shape), lay_out_path(motion)
    if solid is None or path is None:
        return None
    tails = (1, 2, 1, 0)
    rows = [_take_rows(value, tail) for value, tail in zip(solid, tails, strict=True)]
    return Operands((rows[0], rows[1], rows[2], rows[3]), path, motion.shape)


def lay_out_path(motion: Motion) -> Arrays | None:
    """Pivots, axes, angles and offsets; None for a Chain."""
    zero, up = np.zeros(motion.dimension), np.array([0.0, 0.0, 1.0])
    match motion:
        case Translation2d() | Translation3d():
            parts = zero, up, np.zeros(()), motion.offset
        case Rotation2d():
            parts = motion.center, up, motion.angle, zero
        case Displacement2d():
            parts = motion.center, up, motion.angle, motion.offset
        case Rotation3d():
            parts = motion.center, motion.axis, motion.angle, zero
        case Screw3d():
            parts = motion.center, motion.axis, motion.angle, motion.advance[..., None] * motion.axis
        case _:
            return None
    pivot, axis, angle, offset = parts
    return _take_rows(pivot, 1), _take_rows(axis, 1), _take_rows(angle, 0), _take_rows(offset, 1)


def _split_solid(shape: Shape) -> Arrays | None:
    """Centers, unit axes, full lengths along them and radii; None if the class has no such form."""
    none, unit = np.zeros(()), np.eye(shape.dimension)
    match shape:
        case Sphere() | Circle():
            return shape.center, unit, np.zeros(shape.dimension), shape.radius
        case Point2d() | Point3d():
            return shape.position, unit, np.zeros(shape.dimension), none
        case Box():
            return shape.center, shape.rotation, shape.size, none
        case Rectangle():
            return shape.center, np.stack(shape._axes(), axis=-1), shape.size, none
        case Aabb2d() | Aabb3d():
            return shape.center, unit, shape.upper - shape.lower, none
        case Capsule2d() | Capsule3d() | Segment2d() | Segment3d():
            across = shape.end - shape.start
            far = np.linalg.norm(across, axis=-1, keepdims=True)
            along = across / np.where(far > 0, far, 1.0)
            radius = none if isinstance(shape, Segment2d | Segment3d) else shape.radius
            return (shape.start + shape.end) / 2, along[..., None], far, radius
    return None


def _take_rows(values: Floats, tail: int) -> Floats:
    """Values (..., tail) as rows; a single row if all are the same by their strides."""
    lead = values.ndim - tail
    steps = zip(values.strides[:lead], values.shape[:lead], strict=True)
    if values.size and all(step == 0 or n == 1 for step, n in steps):
        values = values[(0,) * lead][None]
    count = math.prod(values.shape[: values.ndim - tail])
    return _check.frozen(np.ascontiguousarray(values).reshape((count, *values.shape[values.ndim - tail :])))


def class_name(shape: Shape) -> str:
    return "points" if isinstance(shape, Point2d | Point3d) else type(shape).__name__


def get_middle(shape: Shape) -> Floats:
    if isinstance(shape, Sector2d | Sector3d | Mesh | Ellipsoid | Compound):
        center: Floats = shape.bounding_sphere().center
        return center
    solid = _split_solid(shape)
    middle: Floats = get_corners(shape).mean(axis=0) if solid is None else solid[0]
    return middle


def get_radius(shape: DynamicBatch) -> Floats:
    """The radius (...) around the corners of hulls and polygons; 0 of other shapes."""
    return shape.radius if isinstance(shape, ConvexPolygon2d | ConvexHull3d) else np.zeros(shape.shape)


def get_corners(shape: Shape) -> Floats:
    """Points (k, ..., d) whose hull holds a shape without a loop, but for its radius.

    That of a fan, a cone or an ellipsoid goes beyond what is round: see `PIECES`.
    """
    match shape:
        case Mesh():
            return shape._used()
        case Sector2d() | Sector3d():
            cuts = _compute_radial_cuts(shape)
            return cuts.reshape((-1, *cuts.shape[2:]))
        case Triangle2d() | Triangle3d():
            return np.stack([shape.a, shape.b, shape.c])
        case ConvexPolygon2d() | ConvexHull3d():
            return np.moveaxis(_list_corners(shape, triangles=False), -2, 0)
        case Cone():
            return _place_corners(shape, _make_pyramid()[0])
        case Ellipsoid():
            return _place_corners(shape, _make_polyhedron()[0])
    raise ValueError(
        f"a {type(shape).__name__} has no corners; methods that can: speculative-start-end, swept-sphere, "
        "substeps"
    )


def _place_corners(shape: DynamicBatch, unit: Floats) -> Floats:
    """Corners (k, ..., 3) of solids from those (k, 3) of the unit one."""
    center, axes, lengths, _ = shape._solid()
    local = unit.reshape((-1, *(1,) * shape.ndim, 3)) * lengths
    corners: Floats = center + (axes @ local[..., None])[..., 0]
    return corners


@functools.cache
def _make_pyramid() -> tuple[Floats, Ints]:
    """Corners and triangles around a cone of radius 1 from z = -1 to 1: its tip, tangents of its rim."""
    angle = 2 * np.pi * np.arange(PIECES) / PIECES
    outer = 1 / np.cos(np.pi / PIECES)
    rim = np.stack([outer * np.cos(angle), outer * np.sin(angle), np.full(PIECES, -1.0)], axis=1)
    p = np.arange(PIECES)
    q = (p + 1) % PIECES
    ends = [np.stack([p, q, np.full(PIECES, PIECES + k)], axis=1) for k in (0, 1)]
    return np.concatenate([rim, [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]]), np.concatenate(ends)


@functools.cache
def _make_polyhedron() -> tuple[Floats, Ints]:
    """Corners and triangles around the unit ball: parallels and meridians, and two poles."""
    polar = np.pi * np.arange(_PARALLELS + 1) / _PARALLELS
    angle = 2 * np.pi * np.arange(_MERIDIANS) / _MERIDIANS
    sines, cosines = np.sin(polar)[:, None], np.broadcast_to(np.cos(polar)[:, None], (len(polar), len(angle)))
    corners = np.stack([sines * np.cos(angle), sines * np.sin(angle), cosines], axis=-1).reshape((-1, 3))
    row, column = np.indices((_PARALLELS, _MERIDIANS)).reshape((2, -1))
    p, q = row * _MERIDIANS + column, row * _MERIDIANS + (column + 1) % _MERIDIANS
    below = np.stack([p + _MERIDIANS, q + _MERIDIANS, q], axis=1)
    triangles = np.concatenate([np.stack([p, p + _MERIDIANS, q], axis=1)[_MERIDIANS:], below[:-_MERIDIANS]])
    a, b, c = np.moveaxis(corners[triangles], 1, 0)
    normal = np.cross(b - a, c - a)
    inside = (normal * a).sum(axis=-1) / np.linalg.norm(normal, axis=-1)
    return corners / np.abs(inside).min(), triangles


def _list_corners(shape: DynamicBatch, *, triangles: bool) -> Floats:
    """Corners (..., k, d) of hulls, or those of the triangles of their surfaces; repeated up to a common k.

    A segment is a triangle without an area, and so is a point.
    """
    d = shape.dimension
    lists = []
    for template in shape.template.ravel().tolist():
        last = len(template.vertices) - 1
        own = template.triangles if len(template.triangles) else np.array([[0, last, last]])
        lists.append(own.ravel() if triangles else np.arange(last + 1))
    count = max((len(own) for own in lists), default=0)
    found = np.empty((shape.count, count, d))
    for i, (template, own) in enumerate(zip(shape.template.ravel().tolist(), lists, strict=True)):
        found[i] = template.vertices[own[np.arange(count) % len(own)], :d]
    turned: Floats = found.reshape((*shape.shape, count, d)) @ np.swapaxes(shape.rotation, -1, -2)
    placed: Floats = turned + shape.position[..., None, :]
    return placed


class Pieces(NamedTuple):
    """Convex polytopes that together hold a shape but for its radius, or at least its surface in space."""

    corners: Floats  # (k, m, ..., d): k corners of m pieces
    edges: tuple[tuple[int, int], ...]


def get_pieces(shape: DynamicBatch) -> Pieces:
    """The triangles of a mesh, a triangle itself; a fan as wedges between neighbouring radial cuts."""
    if isinstance(shape, Mesh):
        shape._used()  # refuses a mesh without faces
        return Pieces(np.moveaxis(shape.vertices[shape.faces], 1, 0), ((0, 1), (1, 2), (2, 0)))
    if isinstance(shape, Triangle2d | Triangle3d):
        return Pieces(get_corners(shape)[:, None], ((0, 1), (1, 2), (2, 0)))
    if isinstance(shape, Cone | Ellipsoid):
        _, faces = _make_pyramid() if isinstance(shape, Cone) else _make_polyhedron()
        return Pieces(np.moveaxis(get_corners(shape)[faces], 1, 0), ((0, 1), (1, 2), (2, 0)))
    if isinstance(shape, ConvexPolygon2d | ConvexHull3d):
        triangles = _list_corners(shape, triangles=True)
        pieces = triangles.reshape((*triangles.shape[:-2], -1, 3, shape.dimension))
        return Pieces(np.moveaxis(pieces, (-2, -3), (0, 1)), ((0, 1), (1, 2), (2, 0)))
    if not isinstance(shape, Sector2d | Sector3d):
        get_corners(shape)  # which refuses it
    cuts = _compute_radial_cuts(shape)
    k = len(cuts)
    edges = [(i, i + k) for i in range(k)]  # along the arc
    for i in range(k):
        edges += [(at + i, at + (i ^ bit)) for bit in (1, 2) if i < i ^ bit < k for at in (0, k)]
    return Pieces(np.concatenate([cuts[:, :-1], cuts[:, 1:]]), tuple(edges))


def _compute_radial_cuts(fan: Sector2d | Sector3d) -> Floats:
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
