"""Running sums on a GPU, in tiles: entries hold the sum in their tile, `offsets` that of the tiles before."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import cuda

from ougi.cuda._driver import SIMULATED, THREADS, kernel

_THREADS = 2 if SIMULATED else THREADS
# Entries that one thread adds up by itself.
_EACH = 8
TILE = _THREADS * _EACH


def add_up(table: Any, offsets: Any, stream: Any) -> None:
    """Every entry becomes the sum of those before it in its tile, and offsets[t] of all before tile t."""
    tiles = -(-table.shape[0] // TILE)
    blocks = tiles if SIMULATED else max(tiles, 128)
    _within[blocks, _THREADS, stream](table, offsets)
    _among[1 if SIMULATED else 128, _THREADS, stream](offsets, tiles)


@kernel
def _within(table: Any, offsets: Any) -> None:
    """A block for each tile."""
    sums = cuda.shared.array(_THREADS, np.int32)
    me, first = cuda.threadIdx.x, cuda.blockIdx.x * TILE + cuda.threadIdx.x * _EACH
    total = 0
    for k in range(first, min(first + _EACH, table.shape[0])):
        value = table[k]
        table[k] = total
        total += value
    sums[me] = total
    cuda.syncthreads()
    step = 1
    while step < _THREADS:
        before = sums[me - step] if me >= step else 0
        cuda.syncthreads()
        sums[me] += before
        cuda.syncthreads()
        step *= 2
    before = sums[me] - total
    for k in range(first, min(first + _EACH, table.shape[0])):
        table[k] += before
    if me == _THREADS - 1 and cuda.blockIdx.x < offsets.shape[0]:
        offsets[cuda.blockIdx.x] = sums[me]


@kernel
def _among(offsets: Any, tiles: int) -> None:
    """One block adds up the tiles."""
    sums = cuda.shared.array(_THREADS, np.int32)
    if cuda.blockIdx.x > 0:
        return
    me, done = cuda.threadIdx.x, 0
    for base in range(0, tiles, TILE):
        first = base + me * _EACH
        total = 0
        for k in range(first, min(first + _EACH, tiles)):
            total += offsets[k]
        sums[me] = total
        cuda.syncthreads()
        step = 1
        while step < _THREADS:
            before = sums[me - step] if me >= step else 0
            cuda.syncthreads()
            sums[me] += before
            cuda.syncthreads()
            step *= 2
        running = done + sums[me] - total
        for k in range(first, min(first + _EACH, tiles)):
            value = offsets[k]
            offsets[k] = running
            running += value
        done += sums[_THREADS - 1]
        cuda.syncthreads()
