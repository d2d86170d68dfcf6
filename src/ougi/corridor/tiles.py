"""The outlines of the free cells of a tile map."""

from __future__ import annotations

import numpy as np

from ougi import _check
from ougi._typing import Array, ArrayLike, Bools, Floats, Ints

# Directions of outlines: 0 to the right, 1 up, 2 to the left, 3 down. Free cells lie on the left.
_STEPS = np.array([[1, 0], [0, 1], [-1, 0], [0, -1]])


def trace_outlines(solid: Bools) -> tuple[Ints, Ints]:
    """Straight pieces of the outlines of free cells: corners (n, 2) where they start, and which comes next.

    All that lies outside of the grid is solid. Where two free cells touch at a corner, the outline turns
    left, so that each stays on its own side.
    """
    cells = np.pad(solid, 1, constant_values=True)
    across = cells[:-1, 1:-1].astype(np.int8) - cells[1:, 1:-1]  # 1: solid below, free above
    along = cells[1:-1, 1:].astype(np.int8) - cells[1:-1, :-1]  # 1: free on the left, solid on the right
    row, first, last, sense = _find_runs(across)
    column, low, high, upward = _find_runs(along.T)
    start = np.concatenate(
        [
            np.stack([np.where(sense > 0, first, last), row], axis=1),
            np.stack([column, np.where(upward > 0, low, high)], axis=1),
        ]
    )
    length = np.concatenate([last - first, high - low])
    direction = np.concatenate([1 - sense, 2 - upward])
    end = start + _STEPS[direction] * length[:, None]
    width = solid.shape[1] + 1
    key = (start[:, 1] * width + start[:, 0]) * 4 + direction
    order = np.argsort(key)
    after = np.full(len(key), -1)
    for turn in (3, 1):  # to the right, and rather to the left
        wanted = (end[:, 1] * width + end[:, 0]) * 4 + (direction + turn) % 4
        place = np.minimum(np.searchsorted(key[order], wanted), len(key) - 1)
        after = np.where(key[order[place]] == wanted, order[place], after)
    return start, after


def _find_runs(sense: Array) -> tuple[Ints, Ints, Ints, Ints]:
    """Runs of equal numbers other than 0 in the rows: row, begin, end, number."""
    padded = np.pad(sense, ((0, 0), (1, 1)))
    row, edge = np.nonzero(np.diff(padded, axis=1))
    value = padded[row, edge + 1]
    is_start = np.flatnonzero(value)  # every other edge ends a run
    number = value[is_start].astype(np.int64)
    return row[is_start], edge[is_start], edge[is_start + 1], number


def check_grid(solid: ArrayLike) -> Bools:
    """A grid of booleans, or of the numbers 0 and 1."""
    given = np.asarray(solid)
    if given.ndim != 2 or not given.size:
        raise ValueError(
            f"solid must be a grid (rows, columns) of cells, got an array of shape {given.shape}"
        )
    if given.dtype != np.bool_ and not (
        np.issubdtype(given.dtype, np.integer) and np.isin(given, (0, 1)).all()
    ):
        raise TypeError(
            f"solid must hold booleans, or the numbers 0 and 1, got {given.dtype}; of tile numbers write "
            "tiles != 0"
        )
    free: Bools = given.astype(np.bool_)
    if free.all():
        raise ValueError("solid must have at least one free cell, got none")
    return free


def place_corners(corners: Ints, cell: ArrayLike, origin: ArrayLike) -> Floats:
    """Corners of cells in world coordinates."""
    given = _check.array("cell", cell)
    size = given if given.ndim else np.repeat(given, 2)
    if size.shape != (2,):
        raise ValueError(f"cell must be a number, or a width and a height, got {cell!r}")
    if not (size > 0).all():
        raise ValueError(f"cell must be positive, got {cell!r}")
    return np.asarray(_check.vectors("origin", origin, 2) + corners * size)
