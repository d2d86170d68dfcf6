"""Small kernels about arrays: index pairs of broadcasts, checks of indices, points as columns."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numba import cuda

from ougi._native import device
from ougi._typing import Bools, Floats, Ints
from ougi.cuda.driver import kernel
from ougi.kernels.constants import HIT, OVERLAPPING


@kernel
def transpose_points(points: Floats, columns: Floats) -> None:
    """Points (n, d) as columns; rows beyond d, the radii of circles, are 0."""
    for i in range(cuda.grid(1), points.shape[0], cuda.gridsize(1)):
        for row in range(columns.shape[0]):
            columns[row, i] = points[i, row] if row < points.shape[1] else 0.0


@kernel
def copy_rows(columns: Floats, out: Floats) -> None:
    """Rows beyond those of `columns` become 0."""
    for i in range(cuda.grid(1), out.shape[1], cuda.gridsize(1)):
        for row in range(out.shape[0]):
            out[row, i] = columns[row, i] if row < columns.shape[0] else 0.0


# Rows of the record `Hull3d` before its vertices; a test compares it with `shapes`.
HULL_ROWS = 25


@kernel
def write_balls(columns: Floats, dimension: int, out: Floats) -> None:
    """Points, circles or spheres as records `Hull3d`, which share one block with a vertex in the middle."""
    n = out.shape[1]
    for i in range(cuda.grid(1), n, cuda.gridsize(1)):
        for row in range(out.shape[0]):
            out[row, i] = 0.0
        for k in range(dimension):
            out[k, i] = columns[k, i]
        for k in range(3):
            out[3 + 4 * k, i], out[12 + k, i] = 1.0, 1.0  # axes and scale
        if columns.shape[0] > dimension:
            out[15, i] = columns[dimension, i]
        out[19, i], out[20, i] = HULL_ROWS * n, 1.0
        out[21, i], out[23, i] = HULL_ROWS * n + 24, HULL_ROWS * n + 24


Sizes: TypeAlias = tuple[int, ...]
# Axes of a batch, at most, that queries on the GPU can broadcast.
AXES = 8


@device
def find_entry(k: int, sizes: Sizes, steps: Sizes) -> int:
    """Find the entry of a batch that belongs to entry k of a result of these sizes."""
    rest, index = k, 0
    for axis in range(AXES - 1, -1, -1):
        above = rest // sizes[axis]
        index += (rest - above * sizes[axis]) * steps[axis]
        rest = above
    return index


@kernel
def broadcast_index(out: Ints, column: int, sizes: Sizes, steps: Sizes) -> None:
    """out[k, column] becomes the entry that belongs to entry k of the result."""
    for k in range(cuda.grid(1), out.shape[0], cuda.gridsize(1)):
        out[k, column] = find_entry(k, sizes, steps)


@kernel
def broadcast_listed(out: Ints, column: int, pairs: Ints, side: int, sizes: Sizes, steps: Sizes) -> None:
    """out[k, column] becomes the entry that belongs to entry pairs[k, side] of the result."""
    for k in range(cuda.grid(1), out.shape[0], cuda.gridsize(1)):
        out[k, column] = find_entry(pairs[k, side], sizes, steps)


def broadcast_steps(
    shape: tuple[int, ...], batch: tuple[int, ...]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Compute the sizes of a result and the steps through a batch that broadcasts to it, AXES of each."""
    if len(batch) > AXES:
        raise ValueError(f"batches on the GPU have at most {AXES} axes, got {len(batch)}")
    own = (1,) * (AXES - len(shape)) + shape
    steps, step = [0] * AXES, 1
    for axis in range(AXES - 1, -1, -1):
        steps[axis] = step if own[axis] > 1 else 0
        step *= own[axis]
    return (1,) * (AXES - len(batch)) + batch, tuple(steps)


@kernel
def narrow_pairs(pairs: Ints, out: Ints, size_a: int, size_b: int, bad: Ints) -> None:
    """Pairs as 32-bit integers; `bad` becomes the number of a row that points outside of a batch, plus 1."""
    for k in range(cuda.grid(1), pairs.shape[0], cuda.gridsize(1)):
        i, j = pairs[k, 0], pairs[k, 1]
        if i < 0 or j < 0 or i >= size_a or j >= size_b:
            cuda.atomic.max(bad, 0, np.int64(k + 1))
        out[k, 0], out[k, 1] = i, j


@kernel
def reset_bounds(lower: Floats, upper: Floats) -> None:
    """Make boxes (n, 3) empty."""
    for k in range(cuda.grid(1), lower.shape[0], cuda.gridsize(1)):
        for axis in range(3):
            lower[k, axis], upper[k, axis] = np.inf, -np.inf


@kernel
def grow_bounds(points: Floats, owners: Ints, lower: Floats, upper: Floats) -> None:
    """Grow the box of the owner of each point until it holds the point; atomics run only if it must grow."""
    for i in range(cuda.grid(1), points.shape[0], cuda.gridsize(1)):
        k = owners[i]
        for axis in range(3):
            x = points[i, axis]
            if x < lower[k, axis]:
                cuda.atomic.min(lower, (k, axis), x)
            if x > upper[k, axis]:
                cuda.atomic.max(upper, (k, axis), x)


@kernel
def split_closest(rows: Floats, swapped: bool, distance: Floats, point_a: Floats, point_b: Floats) -> None:
    """Separations, (1 + 3 d, n), become the arrays of `Closest`; `swapped` if the points of b come first."""
    d = point_a.shape[1]
    for k in range(cuda.grid(1), rows.shape[1], cuda.gridsize(1)):
        distance[k] = rows[0, k]
        for axis in range(d):
            p, q = rows[1 + d + axis, k], rows[1 + 2 * d + axis, k]
            point_a[k, axis], point_b[k, axis] = (q, p) if swapped else (p, q)


@kernel
def split_contacts(rows: Floats, status: Ints, hit: Bools, t: Floats, point: Floats, normal: Floats) -> None:
    """First contacts as kernels write them, (8, n), become the arrays of `FirstContacts`."""
    for k in range(cuda.grid(1), rows.shape[1], cuda.gridsize(1)):
        code = rows[0, k]
        status[k], hit[k], t[k] = np.int64(code), code in (HIT, OVERLAPPING), rows[1, k]
        for axis in range(point.shape[1]):
            point[k, axis], normal[k, axis] = rows[2 + axis, k], rows[5 + axis, k] + 0.0  # no -0.0
