"""Obstacles of robots: shapes of all sources, as rows of one table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from ougi import _check
from ougi._typing import Ints
from ougi.errors import UnsupportedPairError
from ougi.robot.shape_table import Row, read_rows
from ougi.scene.model import Scene
from ougi.shapes import Mesh, Shape
from ougi.shapes.compound import Compound, split_parts
from ougi.world import World

Obstacles: TypeAlias = Shape | Sequence[Shape] | Scene | World | None


class ObstacleRows(NamedTuple):
    """Obstacles of a robot.

    Attributes
    ----------
    shapes
        As they were given.
    rows, numbers
        The rows of a table, and the number of the obstacle of each.
    solids
        Solid meshes, and their numbers.
    """

    shapes: list[Shape]
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


def read_obstacles(shapes: list[Shape]) -> ObstacleRows:
    """The rows of shapes. The parts of a compound have its number."""
    rows: list[Row] = []
    numbers: list[int] = []
    solids: list[tuple[Mesh, int]] = []
    first = 0
    for shape in shapes:
        if isinstance(shape, Mesh) and shape.solid:
            solids.append((shape, first))
        for part in split_parts(shape):
            own = read_rows(part.shape)
            rows += own
            numbers += (first + part.owner).tolist()
        first += shape.count
    return ObstacleRows(shapes, rows, np.array(numbers, np.int64), solids)


def require_plain(found: ObstacleRows) -> None:
    """Refuse what the loops on a GPU do not distinguish: compounds and solid meshes."""
    for shape in found.shapes:
        if isinstance(shape, Compound) or (isinstance(shape, Mesh) and shape.solid):
            kind = "solid Mesh" if isinstance(shape, Mesh) else type(shape).__name__
            raise UnsupportedPairError(f"a robot on the GPU cannot be checked against a {kind}")
