"""Threads that look for pairs: each block gathers its own, then makes room for all of them at once.

All that talks to other threads stands in this file, as numba-cuda's simulator wants it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import cuda

from ougi._jit import device
from ougi.broad.brute import touch
from ougi.broad.grid import _KIND, _SPAN, _cell, _runs
from ougi.cuda._driver import SIMULATED, kernel
from ougi.cuda._scan import TILE
from ougi.cuda._scene import ONE_BATCH, cells_at

# Pairs that a block gathers; those beyond are written one by one.
_HELD = 4 if SIMULATED else 768


@device
def _append(found: Any, held: Any, pairs: Any, counter: Any, i: int, j: int, split: int) -> None:
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
def _write_found(found: Any, held: Any, pairs: Any, counter: Any) -> None:
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
def start_of(table: Any, offsets: Any, cell: int) -> int:
    """Where the volumes of a cell begin."""
    return table[cell] + offsets[cell // TILE]


@kernel
def ask_cells(
    columns: Any,
    tags: Any,
    balls: bool,
    split: int,
    frame: Any,
    cells: Any,
    table: Any,
    offsets: Any,
    pairs: Any,
    counter: Any,
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
        grid = cells_at(frame, cells)
        spot = np.int64(tags[me, 1])
        begin = np.int64(_cell(spot))
        end = begin + 1 + ((spot >> _SPAN) & ((1 << (_KIND - _SPAN)) - 1))
        for r in range(-1, _runs(grid, spot >> _KIND, runs)):
            first, last = me + 1, start_of(table, offsets, end)
            if r >= 0:
                first = start_of(table, offsets, begin + runs[r] - grid.fine)
                last = start_of(table, offsets, end + runs[r])
            for other in range(first, last):
                if touch(columns, me, columns, other, balls):
                    _append(
                        found, held, pairs, counter, np.int64(tags[me, 0]), np.int64(tags[other, 0]), split
                    )
    _write_found(found, held, pairs, counter)
