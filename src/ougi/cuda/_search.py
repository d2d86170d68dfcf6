"""Threads that search for pairs: each block gathers its own, then reserves memory for all of them at once.

All communication between threads is in this file, because numba-cuda's simulator requires it.
"""

from __future__ import annotations

import numpy as np
from numba import cuda

from ougi._native import device
from ougi._typing import Floats, Index, Ints, Words
from ougi.broad.frame import axis_bounds
from ougi.broad.grid import KIND_SHIFT, SPAN_SHIFT, Cells, cell_number, list_runs
from ougi.cuda._scan import TILE
from ougi.cuda._scene import ONE_BATCH
from ougi.cuda.driver import SIMULATED, kernel
from ougi.kernels.aabb3d_aabb3d import intersects_aabb3d_aabb3d
from ougi.kernels.load import load_aabb3d, load_sphere
from ougi.kernels.records import Aabb3d, Sphere, Vec3
from ougi.kernels.sphere_sphere import intersects_sphere_sphere

# Children of a node of the tree, and volumes of a leaf.
FAN = 4
# Pairs that a block gathers; those beyond are written one by one.
_HELD = 4 if SIMULATED else 768


@device
def _append(found: Ints, held: Ints, pairs: Ints, counter: Ints, i: Index, j: Index, split: int) -> None:
    """Note a pair; of two batches only one of each, the second counted from its own start."""
    low, high = min(i, j), max(i, j)
    if split != ONE_BATCH:
        if low >= split or high < split:
            return
        high -= split
    k = cuda.atomic.add(held, 0, 1)
    if k < _HELD:
        found[k, 0], found[k, 1] = low, high
    else:
        at = cuda.atomic.add(counter, 0, 1)
        if at < pairs.shape[0]:
            pairs[at, 0], pairs[at, 1] = low, high


@device
def _write_found(found: Ints, held: Ints, pairs: Ints, counter: Ints) -> None:
    """Write the pairs of a block, side by side."""
    cuda.syncthreads()
    count = min(held[0], _HELD)
    if cuda.threadIdx.x == 0:
        held[1] = cuda.atomic.add(counter, 0, count)
    cuda.syncthreads()
    for k in range(cuda.threadIdx.x, count, cuda.blockDim.x):
        at = held[1] + k
        if at < pairs.shape[0]:
            pairs[at, 0], pairs[at, 1] = found[k, 0], found[k, 1]


@device
def cell_start(table: Ints, offsets: Ints, cell: Index) -> Index:
    """Where the volumes of a cell begin."""
    return table[cell] + offsets[cell // TILE]


@device
def _own(columns: Floats, me: int, balls: bool) -> tuple[Sphere, Aabb3d]:
    """A volume in registers; only one of the two is it."""
    one = load_sphere(columns, me)
    if balls:
        return one, Aabb3d(one.center, one.center)
    return one, load_aabb3d(columns, me)


@device
def _touches(ball: Sphere, box: Aabb3d, columns: Floats, other: int, balls: bool) -> bool:
    """As `touch` of the CPU, the first volume being loaded."""
    if balls:
        return intersects_sphere_sphere(ball, load_sphere(columns, other))
    return intersects_aabb3d_aabb3d(box, load_aabb3d(columns, other))


@kernel
def search_cells(
    columns: Floats,
    tags: Words,
    balls: bool,
    split: int,
    cells: Ints,
    table: Ints,
    offsets: Ints,
    pairs: Ints,
    counter: Ints,
) -> None:
    """A thread for each volume: those behind it in its own row of cells, and those of other rows."""
    found = cuda.shared.array((_HELD, 2), np.int32)
    held = cuda.shared.array(2, np.int64)
    runs = cuda.local.array(4, np.int64)
    if cuda.threadIdx.x == 0:
        held[0] = 0
    cuda.syncthreads()
    me = cuda.grid(1)
    if me < columns.shape[1]:
        last = cells[0], cells[1], cells[2]
        grid = Cells(Vec3(0.0, 0.0, 0.0), last, cells[3], cells[4], cells[5], cells[6], cells[7])
        ball, box = _own(columns, me, balls)
        mine, spot = np.int64(tags[me, 0]), np.int64(tags[me, 1])
        begin = np.int64(cell_number(spot))
        end = begin + 1 + ((spot >> SPAN_SHIFT) & ((1 << (KIND_SHIFT - SPAN_SHIFT)) - 1))
        for r in range(-1, list_runs(grid, int(spot >> KIND_SHIFT), runs)):
            first, stop = me + 1, cell_start(table, offsets, end)
            if r >= 0:
                first = cell_start(table, offsets, begin + runs[r] - grid.fine)
                stop = cell_start(table, offsets, end + runs[r])
            for other in range(first, stop):
                if _touches(ball, box, columns, other, balls):
                    _append(found, held, pairs, counter, mine, np.int64(tags[other, 0]), split)
    _write_found(found, held, pairs, counter)


@kernel
def search_tree(
    columns: Floats,
    tags: Words,
    balls: bool,
    split: int,
    frame: Floats,
    nodes: Floats,
    levels: Ints,
    pairs: Ints,
    counter: Ints,
) -> None:
    """A thread for each volume, from the top of the tree down: what its box overlaps behind it.

    Node k of a level has the nodes FAN k ... FAN k + FAN - 1 below it, so the traversal needs no stack:
    after the last child comes the parent's neighbour.
    """
    found = cuda.shared.array((_HELD, 2), np.int32)
    held = cuda.shared.array(2, np.int64)
    if cuda.threadIdx.x == 0:
        held[0] = 0
    cuda.syncthreads()
    me, n, top = cuda.grid(1), columns.shape[1], levels.shape[0] - 1
    if me < n:
        ball, box = _own(columns, me, balls)
        growth, mine = frame[12], np.int64(tags[me, 0])
        low_x, high_x = axis_bounds(columns, balls, growth, 0, me)
        low_y, high_y = axis_bounds(columns, balls, growth, 1, me)
        low_z, high_z = axis_bounds(columns, balls, growth, 2, me)
        level, k = top, 0
        while True:
            if k >= levels[level, 1]:
                if level == top:
                    break
                level, k = level + 1, (k - 1) // FAN + 1
                continue
            overlaps = (k + 1) * levels[level, 2] > me + 1  # else all of it lies before
            if overlaps:
                at = levels[level, 0] + k
                overlaps = (nodes[0, at] <= high_x) & (low_x <= nodes[3, at])
                overlaps &= (nodes[1, at] <= high_y) & (low_y <= nodes[4, at])
                overlaps &= (nodes[2, at] <= high_z) & (low_z <= nodes[5, at])
            if overlaps:
                if level > 0:
                    level, k = level - 1, k * FAN
                    continue
                for other in range(max(me + 1, k * FAN), min((k + 1) * FAN, n)):
                    if _touches(ball, box, columns, other, balls):
                        _append(found, held, pairs, counter, mine, np.int64(tags[other, 0]), split)
            k += 1
            while level < top and k % FAN == 0:
                level, k = level + 1, k // FAN
    _write_found(found, held, pairs, counter)
