"""Running sums on a GPU, and sorting by digits with them.

Sums are kept in tiles: entries hold the sum in their tile, `offsets` that of the tiles before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import cuda

from ougi._native import device
from ougi._typing import DeviceArray, Index, Ints, Stream
from ougi.cuda.driver import SIMULATED, THREADS, kernel

if TYPE_CHECKING:
    from ougi.cuda._workspace import DeviceWorkspace

_THREADS = 2 if SIMULATED else THREADS
# Entries that one thread adds up by itself.
_EACH = 8
TILE = _THREADS * _EACH


# How many blocks of `scan` are done, at first; the last one leaves it so.
NONE_DONE = np.zeros(1, np.int32)


def scan(table: Ints, offsets: Ints, done: Ints, stream: Stream) -> None:
    """Every entry becomes the sum of those before it in its tile, and offsets[t] of all before tile t."""
    tiles = -(-table.shape[0] // TILE)
    _scan_tiles[tiles if SIMULATED else max(tiles, 128), _THREADS, stream](table, offsets, tiles, done)


@device
def _sum_before(sums: Ints, mine: Index) -> Index:
    """The sum of what the threads before this one bring; sums[-1] becomes that of all."""
    me = cuda.threadIdx.x
    sums[me] = mine
    cuda.syncthreads()
    step = 1
    while step < _THREADS:
        before = sums[me - step] if me >= step else 0
        cuda.syncthreads()
        sums[me] += before
        cuda.syncthreads()
        step *= 2
    return sums[me] - mine


@kernel
def _scan_tiles(table: Ints, offsets: Ints, tiles: int, done: Ints) -> None:
    """A block for each tile; the last one that is done adds up the tiles."""
    sums = cuda.shared.array(_THREADS, np.int32)
    last = cuda.shared.array(1, np.int32)
    me, first = cuda.threadIdx.x, cuda.blockIdx.x * TILE + cuda.threadIdx.x * _EACH
    total = 0
    for k in range(first, min(first + _EACH, table.shape[0])):
        value = table[k]
        table[k] = total
        total += value
    before = _sum_before(sums, total)
    for k in range(first, min(first + _EACH, table.shape[0])):
        table[k] += before
    if me == _THREADS - 1:
        if cuda.blockIdx.x < tiles:
            offsets[cuda.blockIdx.x] = sums[me]
        cuda.threadfence()
        last[0] = cuda.atomic.add(done, 0, 1) == cuda.gridDim.x - 1
    cuda.syncthreads()
    if last[0]:
        _scan_offsets(offsets, tiles, sums)
        if me == 0:
            done[0] = 0


@device
def _scan_offsets(offsets: Ints, tiles: int, sums: Ints) -> None:
    me, so_far = cuda.threadIdx.x, 0
    for base in range(0, tiles, TILE):
        first = base + me * _EACH
        total = 0
        for k in range(first, min(first + _EACH, tiles)):
            total += offsets[k]
        running = so_far + _sum_before(sums, total)
        for k in range(first, min(first + _EACH, tiles)):
            value = offsets[k]
            offsets[k] = running
            running += value
        so_far += sums[_THREADS - 1]
        cuda.syncthreads()


# Values of a digit that keys are sorted by at a time.
_DIGITS, _BITS = 16, 4
_RANKS = _DIGITS * _THREADS


class Digits:
    """What it takes to sort n keys by their digits."""

    def __init__(self, n: int, workspace: DeviceWorkspace) -> None:
        self._tiles = -(-n // TILE)
        self._counts = workspace.array("counts", (_DIGITS * self._tiles,), np.int32)
        self._offsets = workspace.array("count offsets", (-(-_DIGITS * self._tiles // TILE) + 1,), np.int32)
        self._done = workspace.fill_array("done", NONE_DONE)

    def sort(self, keys: Ints, other: Ints, bits: tuple[int, int], stream: Stream) -> DeviceArray:
        """Sort keys by some of their bits, from the lowest digit on; which of the two arrays holds them."""
        counts, offsets, tiles = self._counts, self._offsets, self._tiles
        blocks = tiles if SIMULATED else max(tiles, 128)
        for shift in range(*bits, _BITS):
            _count_digits[blocks, _THREADS, stream](keys, shift, counts, tiles)
            scan(counts, offsets, self._done, stream)
            _move[blocks, _THREADS, stream](keys, other, shift, counts, offsets, tiles)
            keys, other = other, keys
        return keys


@device
def _digit(key: int, shift: int) -> int:
    return (key >> shift) & (_DIGITS - 1)


@kernel
def _count_digits(keys: Ints, shift: int, counts: Ints, tiles: int) -> None:
    """How often each digit occurs in each tile, digit by digit."""
    sums = cuda.shared.array(_DIGITS, np.int32)
    for d in range(cuda.threadIdx.x, _DIGITS, _THREADS):
        sums[d] = 0
    cuda.syncthreads()
    first = cuda.blockIdx.x * TILE + cuda.threadIdx.x * _EACH
    for k in range(first, min(first + _EACH, keys.shape[0])):
        cuda.atomic.add(sums, _digit(keys[k], shift), 1)
    cuda.syncthreads()
    for d in range(cuda.threadIdx.x, _DIGITS, _THREADS):
        if cuda.blockIdx.x < tiles:
            counts[d * tiles + cuda.blockIdx.x] = sums[d]


@kernel
def _move(keys: Ints, other: Ints, shift: int, counts: Ints, offsets: Ints, tiles: int) -> None:
    """Write each key where its digit belongs; keys of one digit keep their order."""
    # ranks[d * threads + t]: keys of the tile that come before those of thread t with digit d.
    ranks = cuda.shared.array(_RANKS, np.int32)
    starts = cuda.shared.array(_DIGITS, np.int32)
    sums = cuda.shared.array(_THREADS, np.int32)
    me, first = cuda.threadIdx.x, cuda.blockIdx.x * TILE + cuda.threadIdx.x * _EACH
    for d in range(_DIGITS):
        ranks[d * _THREADS + me] = 0
    for k in range(first, min(first + _EACH, keys.shape[0])):
        ranks[_digit(keys[k], shift) * _THREADS + me] += 1
    cuda.syncthreads()
    total = 0
    for e in range(me * _DIGITS, (me + 1) * _DIGITS):
        value = ranks[e]
        ranks[e] = total
        total += value
    before = _sum_before(sums, total)
    for e in range(me * _DIGITS, (me + 1) * _DIGITS):
        ranks[e] += before
    cuda.syncthreads()
    for d in range(me, _DIGITS, _THREADS):
        starts[d] = ranks[d * _THREADS]
    cuda.syncthreads()
    for k in range(first, min(first + _EACH, keys.shape[0])):
        d = _digit(keys[k], shift)
        entry = d * tiles + cuda.blockIdx.x
        at = ranks[d * _THREADS + me] - starts[d] + counts[entry] + offsets[entry // TILE]
        ranks[d * _THREADS + me] += 1
        other[at] = keys[k]
