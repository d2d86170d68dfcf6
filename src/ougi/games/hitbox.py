"""Hit boxes: shapes of all kinds as convex parts, made once."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import TypeAlias, Union

import numpy as np

from ougi import _check
from ougi._typing import ArrayLike, DynamicBatch, Floats, Ints
from ougi.corridor.tiles import check_grid, place_corners
from ougi.shapes import (
    Aabb2d,
    Capsule2d,
    Circle,
    Compound2d,
    ConvexPolygon2d,
    Rectangle,
    Sector2d,
    Segment2d,
    Shape,
    ShapeLike,
    Triangle2d,
)
from ougi.shapes.decompose import split_grid, split_polygon

# Arcs are replaced by chords that are this share of the outer radius outside of them at most.
_ARC_ERROR = 1e-3

# A finer error would take more than a thousand chords for half a turn.
_FINEST_ARC_ERROR = 1e-6

Part = tuple[Floats, float]  # corners (k, 2), counter-clockwise, and a radius
# What a hit box is made of; a list of shapes is their union.
HitboxLike: TypeAlias = Union["Hitbox", ShapeLike, Sequence[object]]
_ACCEPTED = "a shape of the plane, a list of shapes, or the corners (n, 2) of a polygon"


class Hitbox:
    """A shape of a body, in coordinates that begin at its center (or at the hand of a sword).

    It is made of convex parts once, when it is built. Share one among all bodies that look alike.

    Parameters
    ----------
    shape
        A Circle, Capsule2d, Segment2d, Rectangle, Aabb2d, Triangle2d, ConvexPolygon2d, Polygon2d, Sector2d or
        Compound2d, or a batch of them; a list of shapes, which is their union; the corners (n, 2) of a
        polygon, convex or not; or a point (2,).
    radius
        Added on all sides.
    arc_error
        How far the chords that replace the arcs of a Sector2d may lie outside of it; a thousandth of its
        outer radius by default. All other shapes are exact.

    >>> import ougi
    >>> from ougi.games import Hitbox
    >>> Hitbox(ougi.Circle([0, 0], 5))
    Hitbox(parts=1, reach=5)
    >>> Hitbox([[0, 0], [4, 0], [4, 4], [2, 1]])  # not convex
    Hitbox(parts=2, reach=5.65685)
    """

    reach: float  # the largest distance of its points from the center
    error: float  # how far it may lie outside of the shape that it was made of
    columns: Floats  # see `ougi.games.search.FrameBodies`
    corners: Ints
    radii: Floats

    def __init__(self, shape: HitboxLike, *, radius: float = 0.0, arc_error: float | None = None) -> None:
        grow = _check.number("radius", radius, positive=False)
        error = None if arc_error is None else _check.number("arc_error", arc_error, positive=True)
        self.error = 0.0
        parts = [(corners, r + grow) for corners, r in self._split(shape, error)]
        if not parts:
            raise ValueError("shape must have at least one part, got none")
        self._set_parts(parts)

    @classmethod
    def from_grid(cls, solid: ArrayLike, *, cell: ArrayLike = 1.0, origin: ArrayLike = (0.0, 0.0)) -> Hitbox:
        """The solid cells of a grid, exactly: the pixels of a mask, or the tiles of a map.

        Parameters
        ----------
        solid
            (rows, columns), True for solid cells.
        cell
            Width and height of a cell.
        origin
            The corner of the first cell.

        >>> from ougi.games import Hitbox
        >>> Hitbox.from_grid([[0, 1, 1], [1, 1, 1]], cell=8, origin=(-12, -8))
        Hitbox(parts=2, reach=14.4222)
        """
        given = np.asarray(solid)
        # A free row more, because a hit box may fill its grid.
        rectangles = split_grid(check_grid(np.pad(given, ((0, 1), (0, 0))) if given.ndim == 2 else given))
        if not len(rectangles):
            raise ValueError("solid must have at least one solid cell, got none")
        placed = place_corners(rectangles.reshape(-1, 2), cell, origin).reshape(-1, 4)
        made = cls.__new__(cls)
        made.error = 0.0
        made._set_parts([(corners, 0.0) for corners in placed[:, _BOX_ROWS]])
        return made

    def __repr__(self) -> str:
        return f"Hitbox(parts={self.corners.shape[1]}, reach={self.reach:g})"

    def _split(self, shape: DynamicBatch, error: float | None) -> list[Part]:
        if isinstance(shape, Hitbox):
            self.error = max(self.error, shape.error)
            return shape.parts
        if isinstance(shape, Shape):
            flat = shape.reshape((shape.count,))
            return [part for k in range(flat.count) for part in self._split_shape(flat[k], error)]
        if isinstance(shape, Sequence) and any(isinstance(each, Shape | Hitbox) for each in shape):
            return [part for each in shape for part in self._split(each, error)]
        if isinstance(shape, str | os.PathLike):
            raise TypeError(f"shape must be {_ACCEPTED}, got {type(shape).__name__}; load the picture first")
        corners = _check.array("shape", shape)
        if corners.shape == (2,):
            return [(corners[None], 0.0)]
        if corners.ndim != 2 or corners.shape[1] != 2:
            raise ValueError(f"shape must be {_ACCEPTED}, got an array of shape {corners.shape}")
        return [(piece, 0.0) for piece in split_polygon(corners)]

    def _split_shape(self, shape: DynamicBatch, error: float | None) -> list[Part]:
        if isinstance(shape, Circle):
            return [(shape.center[None], float(shape.radius))]
        if isinstance(shape, Capsule2d | Segment2d):
            ends, radius = np.stack([shape.start, shape.end]), getattr(shape, "radius", 0.0)
            return [(ends, float(radius))]
        if isinstance(shape, Aabb2d):
            return [(np.concatenate([shape.lower, shape.upper])[_BOX_ROWS], 0.0)]
        if isinstance(shape, Rectangle):
            cos, sin = math.cos(shape.angle), math.sin(shape.angle)
            local = np.concatenate([-shape.size / 2, shape.size / 2])[_BOX_ROWS]
            return [(shape.center + local @ np.array([[cos, sin], [-sin, cos]]), 0.0)]
        if isinstance(shape, Triangle2d):
            a, b, c = shape.a, shape.b, shape.c
            twice_area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
            return [(np.stack([a, b, c] if twice_area >= 0 else [a, c, b]), 0.0)]
        if isinstance(shape, ConvexPolygon2d):
            corners = shape.vertices
            pieces = split_polygon(corners) if len(corners) > 2 else [corners]
            return [(piece, float(shape.radius)) for piece in pieces]
        if isinstance(shape, Compound2d):
            return [part for each in shape.parts for part in self._split_shape(each, error)]
        if isinstance(shape, Sector2d):
            return self._split_sector(shape, error)
        raise TypeError(f"shape must be a shape of the plane, got {type(shape).__name__}")

    def _split_sector(self, shape: Sector2d, error: float | None) -> list[Part]:
        """Pieces between two rays each. Outer sides touch the arc from outside, inner ones are its chords."""
        inner, outer, half = float(shape.inner_radius), float(shape.outer_radius), float(shape.half_angle)
        if half >= math.pi and inner == 0.0:
            return [(shape.center[None], outer)]
        if half == 0.0 or outer == 0.0:
            return [(shape.center + np.outer([inner, outer], shape.direction), 0.0)]
        allowed = _ARC_ERROR * outer if error is None else error
        if allowed < _FINEST_ARC_ERROR * outer:
            raise ValueError(
                f"arc_error must be at least {_FINEST_ARC_ERROR:g} of the outer radius {outer:g}, "
                f"got {allowed:g}"
            )
        count = math.ceil(half / math.acos(outer / (outer + allowed)))
        step = half / count
        self.error = max(self.error, outer * (1.0 / math.cos(step) - 1.0))
        angles = math.atan2(shape.direction[1], shape.direction[0]) + np.linspace(-half, half, count + 1)
        rays = np.stack([np.cos(angles), np.sin(angles)], axis=1)
        near, far = shape.center + inner * rays, shape.center + outer / math.cos(step) * rays
        if inner == 0.0:
            return [(np.stack([shape.center, far[k], far[k + 1]]), 0.0) for k in range(count)]
        return [(np.stack([near[k], far[k], far[k + 1], near[k + 1]]), 0.0) for k in range(count)]

    @property
    def parts(self) -> list[Part]:
        """The convex parts: corners (k, 2), counter-clockwise, and a radius."""
        return [
            (self.columns[:2, first : first + count].T, float(radius))
            for (first, count), radius in zip(self.corners.T, self.radii[0], strict=True)
        ]

    def _set_parts(self, parts: list[Part]) -> None:
        columns, corners, radii, first = [], [], [], 0
        for points, radius in parts:
            middle = (points.min(axis=0) + points.max(axis=0)) / 2
            bounding = float(np.linalg.norm(points - middle, axis=1).max()) * (1 + 1e-12) + radius
            columns += [middle[None], points]
            corners.append((first + 1, len(points)))
            radii.append((radius, bounding))
            first += 1 + len(points)
        xy = np.concatenate(columns)
        self.columns = _check.frozen(np.concatenate([xy, np.linalg.norm(xy, axis=1)[:, None]], axis=1).T)
        self.corners = _check.frozen(np.array(corners, np.int64).T)
        self.radii = _check.frozen(np.array(radii).T)
        reaches = [self.columns[2, first : first + n].max() for first, n in corners]
        self.reach = float((np.array(reaches) + self.radii[0]).max())


# Corners of a box from its lower and upper corner.
_BOX_ROWS = np.array([[0, 1], [2, 1], [2, 3], [0, 3]])


def as_hitbox(name: str, value: HitboxLike) -> Hitbox:
    """A hit box, or one of a shape."""
    if isinstance(value, Hitbox):
        return value
    try:
        return Hitbox(value)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}: {error}") from None
