"""Small kernels about arrays: index pairs of broadcasts, checks of indices, points as columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import cuda

from ougi._native import device
from ougi.cuda._driver import kernel


@kernel
def turn_points(points: Any, columns: Any) -> None:
    """Points (n, d) as columns; rows beyond d, the radii of circles, are 0."""
    for i in range(cuda.grid(1), points.shape[0], cuda.gridsize(1)):
        for row in range(columns.shape[0]):
            columns[row, i] = points[i, row] if row < points.shape[1] else 0.0


@kernel
def copy_rows(columns: Any, out: Any) -> None:
    """Rows beyond those of `columns` become 0."""
    for i in range(cuda.grid(1), out.shape[1], cuda.gridsize(1)):
        for row in range(out.shape[0]):
            out[row, i] = columns[row, i] if row < columns.shape[0] else 0.0


# Axes of a batch, at most, that questions on the GPU can broadcast.
AXES = 8


@device
def _entry(k: int, sizes: Any, steps: Any) -> int:
    """Which entry of a batch belongs to entry k of an answer of these sizes."""
    rest, index = k, 0
    for axis in range(AXES - 1, -1, -1):
        above = rest // sizes[axis]
        index += (rest - above * sizes[axis]) * steps[axis]
        rest = above
    return index


@kernel
def broadcast_index(out: Any, column: int, sizes: Any, steps: Any) -> None:
    """out[k, column] becomes the entry that belongs to entry k of the answer."""
    for k in range(cuda.grid(1), out.shape[0], cuda.gridsize(1)):
        out[k, column] = _entry(k, sizes, steps)


@kernel
def broadcast_listed(out: Any, column: int, pairs: Any, side: int, sizes: Any, steps: Any) -> None:
    """out[k, column] becomes the entry that belongs to entry pairs[k, side] of the answer."""
    for k in range(cuda.grid(1), out.shape[0], cuda.gridsize(1)):
        out[k, column] = _entry(pairs[k, side], sizes, steps)


def broadcasting(shape: tuple[int, ...], batch: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The sizes of an answer and the steps through a batch that broadcasts to it, both with AXES entries."""
    if len(batch) > AXES:
        raise ValueError(f"batches on the GPU have at most {AXES} axes, got {len(batch)}")
    own = (1,) * (AXES - len(shape)) + shape
    steps, step = [0] * AXES, 1
    for axis in range(AXES - 1, -1, -1):
        steps[axis] = step if own[axis] > 1 else 0
        step *= own[axis]
    return (1,) * (AXES - len(batch)) + batch, tuple(steps)


@kernel
def narrow_pairs(pairs: Any, out: Any, size_a: int, size_b: int, bad: Any) -> None:
    """Pairs as 32-bit integers; `bad` becomes the number of a row that points outside of a batch, plus 1."""
    for k in range(cuda.grid(1), pairs.shape[0], cuda.gridsize(1)):
        i, j = pairs[k, 0], pairs[k, 1]
        if i < 0 or j < 0 or i >= size_a or j >= size_b:
            cuda.atomic.max(bad, 0, np.int64(k + 1))
        out[k, 0], out[k, 1] = i, j


@kernel
def forget_bounds(lower: Any, upper: Any) -> None:
    """Boxes (n, 3) that hold nothing."""
    for k in range(cuda.grid(1), lower.shape[0], cuda.gridsize(1)):
        for axis in range(3):
            lower[k, axis], upper[k, axis] = np.inf, -np.inf


@kernel
def grow_bounds(points: Any, owners: Any, lower: Any, upper: Any) -> None:
    """Make the box of the owner of each point hold it; most are held already, and nobody waits for them."""
    for i in range(cuda.grid(1), points.shape[0], cuda.gridsize(1)):
        k = owners[i]
        for axis in range(3):
            x = points[i, axis]
            if x < lower[k, axis]:
                cuda.atomic.min(lower, (k, axis), x)
            if x > upper[k, axis]:
                cuda.atomic.max(upper, (k, axis), x)
