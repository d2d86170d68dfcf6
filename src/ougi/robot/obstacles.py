"""Obstacles of robots: shapes of all sources, as rows of one table."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from ougi import _check
from ougi._typing import DynamicBatch, Ints
from ougi.errors import UnsupportedPairError
from ougi.robot.shape_table import Row, read_rows
from ougi.scene.model import Scene
from ougi.shapes import Box, HalfSpace3d, Mesh, Shape
from ougi.shapes.compound import Compound, split_parts
from ougi.world import World

Obstacles: TypeAlias = Shape | Sequence[Shape] | Scene | World | None


class ObstacleRows(NamedTuple):
    """Obstacles of a robot.

    Attributes
    ----------
    shapes
        As they were given.
    size
        How far half-spaces reach, see `read_obstacles`; 0 without them.
    rows, numbers
        The rows of a table, and the number of the obstacle of each.
    solids
        Solid meshes, and their numbers.
    """

    shapes: list[Shape]
    size: float
    rows: list[Row]
    numbers: Ints
    solids: list[tuple[Mesh, int]]


def list_obstacles(obstacles: Obstacles) -> list[Shape]:
    """The shapes of obstacles; bodies of a scene at its start, those of a world where they are now."""
    if obstacles is None:
        return []
    if isinstance(obstacles, Shape):
        return [obstacles]
    if isinstance(obstacles, Scene):
        return [body.shape for body in obstacles.bodies]
    if isinstance(obstacles, World):
        return [obstacles.shape(body) for body in obstacles]
    if not isinstance(obstacles, Sequence):
        raise TypeError(
            f"obstacles must be shapes, a scene or a world, got {_check.describe_class(obstacles)}"
        )
    for k, shape in enumerate(obstacles):
        if not isinstance(shape, Shape):
            raise TypeError(f"obstacles must be shapes, got {_check.describe_class(shape)} at index {k}")
    return list(obstacles)


def choose_size(shapes: Sequence[Shape], bound_reach: Callable[[], float]) -> float:
    """How far half-spaces must reach for a robot that stays within this distance of the origin.

    The distance is computed only if there is a half-space: it takes as long as the test of a configuration.
    """
    offsets = [float(np.abs(shape.offset).max()) for shape in shapes if isinstance(shape, HalfSpace3d)]
    return 2.0 ** math.ceil(math.log2(2.0 * (bound_reach() + max(offsets)) + 1e-300)) if offsets else 0.0


def read_obstacles(shapes: list[Shape], size: float) -> ObstacleRows:
    """The rows of shapes. The parts of a compound have its number.

    A half-space is a box with the same surface, `size` deep and as wide to all sides. No shape within half of
    that of the origin comes near its other faces.
    """
    rows: list[Row] = []
    numbers: list[int] = []
    solids: list[tuple[Mesh, int]] = []
    first = 0
    for shape in shapes:
        if isinstance(shape, Mesh) and shape.solid:
            solids.append((shape, first))
        for part in split_parts(_replace_half_spaces(shape, size)):
            own = read_rows(part.shape)
            rows += own
            numbers += (first + part.owner).tolist()
        first += shape.count
    return ObstacleRows(shapes, size, rows, np.array(numbers, np.int64), solids)


def require_plain(found: ObstacleRows) -> None:
    """Refuse what the loops on a GPU do not distinguish: half-spaces, compounds and solid meshes."""
    for shape in found.shapes:
        if isinstance(shape, HalfSpace3d | Compound) or (isinstance(shape, Mesh) and shape.solid):
            kind = "solid Mesh" if isinstance(shape, Mesh) else type(shape).__name__
            raise UnsupportedPairError(f"a robot on the GPU cannot be checked against a {kind}")


def _replace_half_spaces(shape: DynamicBatch, size: float) -> DynamicBatch:
    if not isinstance(shape, HalfSpace3d):
        return shape
    up = shape.normal.reshape((-1, 3))
    edge = np.eye(3)[np.abs(up).argmin(axis=1)]
    side = np.cross(up, edge)
    side /= np.linalg.norm(side, axis=1)[:, None]
    center = up * (shape.offset.reshape(-1, 1) - size)
    frames = np.stack([side, np.cross(up, side), up], axis=2)
    return Box(center, np.full(3, 2.0 * size), frames)
