"""What broad phases compare: balls for balls, axis-aligned boxes for everything else, as columns.

Volumes of the plane are flat ones at z = 0, so that there is one set of loops for both dimensions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ougi import _check
from ougi._typing import Floats
from ougi.shapes import Circle, Shape, Sphere, as_shape


@dataclass(frozen=True, eq=False)
class Volumes:
    """Bounding volumes of n bodies, component-major and read-only."""

    columns: Floats  # balls: (4, n) centers and radii; boxes: (6, n) lower, then upper corners
    balls: bool
    flat: bool  # do all lie in the plane z = 0?

    @property
    def count(self) -> int:
        """How many there are."""
        return int(self.columns.shape[1])


def volumes(name: str, given: Any) -> Volumes:
    """The volumes of a batch: of balls itself, of other shapes the bounds. Points count as boxes."""
    shape = as_shape(name, given)
    balls = isinstance(shape, Sphere | Circle)
    columns = shape.columns() if balls else shape.bounds().columns()
    if shape.dimension == 3:
        return Volumes(columns, balls, flat=False)
    zero = np.zeros((1, shape.count))
    rows = [columns[:2], zero, columns[2:]] if balls else [columns[:2], zero, columns[2:], zero]
    return Volumes(_check.frozen(np.concatenate(rows)), balls, flat=True)


def alike(a: Any, b: Any) -> tuple[Volumes, Volumes]:
    """Volumes of one kind for two batches: balls only if both are."""
    first, second = as_shape("a", a), as_shape("b", b)
    if first.dimension != second.dimension:
        raise ValueError(
            f"a and b must be of one dimension, got a {first.dimension}-D {type(first).__name__} "
            f"and a {second.dimension}-D {type(second).__name__}"
        )
    if isinstance(first, Sphere | Circle) != isinstance(second, Sphere | Circle):
        first, second = _boxes(first), _boxes(second)
    return volumes("a", first), volumes("b", second)


def _boxes(shape: Shape) -> Shape:
    return shape.bounds()
