"""Bounding volumes as columns: balls for balls, axis-aligned boxes for everything else.

Volumes of the plane are flat ones at z = 0, so that there is one set of loops for both dimensions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ougi import _check
from ougi._typing import Floats
from ougi.shapes import Aabb2d, Aabb3d, Circle, Shape, ShapeLike, Sphere, as_shape

# The bit that marks numbers of a second batch. Two batches are joined to one, and
# pairs within one of them are skipped.
SECOND = 1 << 31


@dataclass(frozen=True, eq=False)
class Volumes:
    """Bounding volumes of n bodies, component-major and read-only."""

    columns: Floats  # balls: (4, n) centers and radii; boxes: (6, n) lower, then upper corners
    balls: bool
    flat: bool  # do all lie in the plane z = 0?
    split: int = 0  # where the second of two joined batches begins
    groups: int = 0  # SECOND if there are two

    @property
    def count(self) -> int:
        """Number of volumes."""
        return int(self.columns.shape[1])


def build_volumes(name: str, given: ShapeLike) -> Volumes:
    """Build the volumes of a batch: balls themselves, the bounds of other shapes. Points count as boxes."""
    shape = as_shape(name, given)
    balls = isinstance(shape, Sphere | Circle)
    own = balls or isinstance(shape, Aabb2d | Aabb3d)  # as laid out, perhaps long ago
    columns = shape.columns() if own else shape.bounds().columns()
    if shape.dimension == 3:
        return Volumes(columns, balls, flat=False)
    zero = np.zeros((1, shape.count))
    rows = [columns[:2], zero, columns[2:]] if balls else [columns[:2], zero, columns[2:], zero]
    return Volumes(_check.frozen(np.concatenate(rows)), balls, flat=True)


def build_matching_volumes(a: ShapeLike, b: ShapeLike) -> tuple[Volumes, Volumes]:
    """Build volumes of one kind for two batches: balls only if both are."""
    first, second = as_shape("a", a), as_shape("b", b)
    if first.dimension != second.dimension:
        raise ValueError(
            f"a and b must be of one dimension, got a {first.dimension}-D {type(first).__name__} "
            f"and a {second.dimension}-D {type(second).__name__}"
        )
    if isinstance(first, Sphere | Circle) != isinstance(second, Sphere | Circle):
        first, second = _boxes(first), _boxes(second)
    return build_volumes("a", first), build_volumes("b", second)


def _boxes(shape: Shape) -> Shape:
    return shape.bounds()


def join_volumes(a: Volumes, b: Volumes | None) -> Volumes:
    """Join two batches to one."""
    if b is None:
        return a
    columns = _check.frozen(np.concatenate([a.columns, b.columns], axis=1))
    return Volumes(columns, a.balls, a.flat, a.count, SECOND)
