"""Queries of a compiled wall: first contacts of moving circles, and whether circles fit."""

from __future__ import annotations

import math

import numpy as np

from ougi._native import device, loop
from ougi._typing import Floats, Index, Ints
from ougi.corridor.columns import PX, PY
from ougi.corridor.contact import LENGTH, Wall, corner_contact_time, edge_contact_time, is_earlier
from ougi.corridor.grid import BLOCKED, CELLS, FREE_TILE, RECORD_FEATURE, TILE, TILE_BITS, Grid, index_in_tile


@device
def _floor(x: float) -> int:
    """As math.floor, which on a GPU gives a float."""
    return int(math.floor(x))  # noqa: RUF046


@device
def _test_cell(
    grid: Grid,
    value: int,
    size: int,
    circle: tuple[float, float, float, float, float],
    best: float,
    first: int,
) -> tuple[float, int]:
    """The earlier of a known contact and those with the features of a cell's list."""
    px, py, dx, dy, r = circle
    for k in range(value + 1, value + 1 + size):
        record: Index = np.uint64(grid.lists[np.uint64(k)])
        if grid.records[record, LENGTH] >= 0.0:
            t = edge_contact_time(grid.records, record, px, py, dx, dy, r, best)
        else:
            t = corner_contact_time(grid.records, record, px, py, dx, dy, r)
        if t <= best:
            feature = int(grid.records[record, RECORD_FEATURE])
            if is_earlier(t, feature, best, first):
                best, first = t, feature
    return best, first


@device
def _leave_cells(cell: int, jump: int, position: float, motion: float, inverse: float) -> float:
    """When a center leaves the `jump` cells around its own along one axis; 2 if it never does."""
    if motion == 0.0:
        return 2.0
    return ((cell + jump if motion > 0.0 else cell - jump + 1) - position) * inverse


@device
def _follow(cell: int, jump: int, there: int, motion: float) -> int:
    """The cell on the other axis: never a step back, and never out of the empty cells."""
    return min(max(there, cell), cell + jump - 1) if motion > 0.0 else max(min(there, cell), cell - jump + 1)


@device
def search_grid(
    grid: Grid, wall: Wall, px: float, py: float, dx: float, dy: float, r: float, stack: Floats
) -> tuple[float, int, int]:
    """The first contact of a moving circle, whose center walks through the cells: time, feature, tests."""
    best, first, tests = 1.0, -1, 0
    x, y = (px - grid.low_x) * grid.scale, (py - grid.low_y) * grid.scale
    ex, ey = dx * grid.scale, dy * grid.scale
    slow_x = 1.0 / ex if ex != 0.0 else 0.0
    slow_y = 1.0 / ey if ey != 0.0 else 0.0
    cx, cy = _floor(x), _floor(y)
    height, width = grid.tiles.shape
    while cx >= 0 and cy >= 0:
        tx, ty = cx >> TILE_BITS, cy >> TILE_BITS
        if tx >= width or ty >= height:
            break
        tile = grid.tiles[np.uint64(ty), np.uint64(tx)]
        jump = TILE  # around a missing tile all is empty
        if tile >= 0:
            value = grid.cells[np.uint64(tile * CELLS + index_in_tile(cx, cy))]
            if value >= 0:
                jump = 1
                size = grid.lists[np.uint64(value)]
                tests += size
                best, first = _test_cell(grid, value, size, (px, py, dx, dy, r), best, first)
            else:
                jump = -value if value > BLOCKED else BLOCKED - value
        out_x = _leave_cells(cx, jump, x, ex, slow_x)
        out_y = _leave_cells(cy, jump, y, ey, slow_y)
        if min(out_x, out_y) >= best:
            break
        if out_x <= out_y:
            cx = cx + jump if ex > 0.0 else cx - jump
            cy = _follow(cy, jump, _floor(y + out_x * ey), ey)
        else:
            cy = cy + jump if ey > 0.0 else cy - jump
            cx = _follow(cx, jump, _floor(x + out_y * ex), ex)
    return best, first, tests


# What is known of a circle from the cell of its center.
IS_BLOCKED, IS_NEAR_WALL, IS_FREE = -1, 0, 1


@loop
def classify_circles(grid: Grid, circles: Floats, out: Ints, start: int, stop: int) -> None:
    """Circles start..stop: IS_FREE, IS_BLOCKED, or IS_NEAR_WALL where the cell does not decide."""
    for k in range(start, stop):
        cx = _floor((circles[k, PX] - grid.low_x) * grid.scale)
        cy = _floor((circles[k, PY] - grid.low_y) * grid.scale)
        out[k] = IS_BLOCKED
        if 0 <= cx < grid.tiles.shape[1] * TILE and 0 <= cy < grid.tiles.shape[0] * TILE:
            tile = grid.tiles[cy >> TILE_BITS, cx >> TILE_BITS]
            if tile >= 0:
                value = grid.cells[int(tile) * CELLS + index_in_tile(cx, cy)]
                out[k] = IS_NEAR_WALL if value >= 0 else (IS_FREE if value > BLOCKED else IS_BLOCKED)
            elif tile == FREE_TILE:
                out[k] = IS_FREE
