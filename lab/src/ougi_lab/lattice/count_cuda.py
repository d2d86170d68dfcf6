"""Count on a GPU: a block of threads for each motion, a thread for each row of the lattice.

What is counted, and every formula, is that of `count_points.py`; here are the loops. A row's bitmaps stay in
registers and its counts beside them, so that nothing but the motions and the sums goes through memory.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numba import cuda

from ougi._native import device, each
from ougi.cuda.driver import SIMULATED, empty, kernel, to_device, to_numpy
from ougi.kernels.records import Vec3
from ougi_lab.lattice.count import (
    BELOW,
    BITMAPS,
    CELLS,
    METHODS,
    STEPS,
    Counts,
    RowPose,
    clip_row_to_cylinder,
    clip_row_to_pose,
    coordinate_at,
    count_ones,
    find_reach,
    lay_out_motions,
    load_pose,
    load_swept,
    mark_word,
    write_groups,
)
from ougi_lab.scenes.fan_motions import FanMotions

# Threads of a block. The simulator's are threads of Python, with a barrier for each of ours.
_THREADS = 4 if SIMULATED else 128
_SETS, _BOXES = len(BITMAPS), len(METHODS) - len(BITMAPS)
# Sums of a motion: three of each bitmap, two of each box, and what the text's box shares with the sector.
_SUMS = 3 * _SETS + 2 * _BOXES + 2
_SHARED = 3 * _SETS + 2 * _BOXES
# Numbers of a pose in shared memory: axes a and b, 1 over components along x, and the slabs' widths.
_POSE, _STEPS = 11, STEPS


@kernel
def count_motions(
    columns: Any,
    turns: Any,
    fans: Any,
    ranges: Any,
    below: Any,
    sets: Any,
    groups: Any,
    cells: int,
    steps: int,
) -> None:
    """Motion i is the work of block i."""
    poses = cuda.shared.array((_STEPS, _POSE), np.float64)
    sums = cuda.shared.array(_SUMS, np.int32)
    reach = cuda.shared.array((2, 3), np.int64)
    mine = cuda.local.array(_SUMS, np.int32)
    for i in range(cuda.blockIdx.x, columns.shape[1], cuda.gridDim.x):
        for k in range(cuda.threadIdx.x, steps, cuda.blockDim.x):
            p = load_pose(columns, i, k + 1, steps)
            poses[k, 0], poses[k, 1], poses[k, 2] = p.a.y, p.a.z, p.over.x
            poses[k, 3], poses[k, 4], poses[k, 5] = p.b.y, p.b.z, p.over.y
            poses[k, 6], poses[k, 7], poses[k, 8] = p.wide.x, p.wide.y, p.wide.z
            poses[k, 9], poses[k, 10] = p.over.z, p.lever
        for q in range(cuda.threadIdx.x, _SUMS, cuda.blockDim.x):
            sums[q] = 0
        if cuda.threadIdx.x == 0:
            find_reach(columns, fans, i, cells, reach)
        cuda.syncthreads()
        for q in range(_SUMS):
            mine[q] = 0
        axis = Vec3(columns[0, i], columns[1, i], columns[2, i])
        swept = load_swept(columns, turns, fans, i)
        depth = max(reach[1, 2] - reach[0, 2] + 1, 0)
        rows = depth * max(reach[1, 1] - reach[0, 1] + 1, 0)
        for r in range(cuda.threadIdx.x, rows, cuda.blockDim.x):
            j, k = reach[0, 1] + r // depth, reach[0, 2] + r % depth
            y, z = coordinate_at(j, cells), coordinate_at(k, cells)
            first, last = clip_row_to_cylinder(swept, y, z, cells)
            if first > last:
                continue
            posed = _mark_posed_row(poses, axis, y, z, below, cells, steps)
            for word in range(first >> 6, (last >> 6) + 1):
                found = mark_word(swept, y, z, word, first, last, cells)
                _add_word(mine, ranges, i, j, k, word, posed[word], found, below)
        for q in range(_SUMS):
            if mine[q] != 0:
                cuda.atomic.add(sums, q, mine[q])
        cuda.syncthreads()
        if cuda.threadIdx.x == 0:
            _write_sums(sums, ranges, i, sets, groups)
        cuda.syncthreads()


@device
def _mark_posed_row(
    poses: Any, c: Vec3, y: float, z: float, below: Any, cells: int, steps: int
) -> tuple[Any, Any]:
    """The points of a row in any pose, as two words."""
    low, high = np.uint64(0), np.uint64(0)
    for k in range(steps):
        p = RowPose(
            Vec3(0.0, poses[k, 0], poses[k, 1]),
            Vec3(0.0, poses[k, 3], poses[k, 4]),
            c,
            poses[k, 10],
            Vec3(poses[k, 2], poses[k, 5], poses[k, 9]),
            Vec3(poses[k, 6], poses[k, 7], poses[k, 8]),
        )
        first, last = clip_row_to_pose(p, y, z, cells)
        if first <= last:
            low |= below[last + 1, 0] ^ below[first, 0]
            high |= below[last + 1, 1] ^ below[first, 1]
    return low, high


@device
def _add_word(
    mine: Any, ranges: Any, i: int, j: int, k: int, word: int, posed: Any, found: Any, below: Any
) -> None:
    """Count a word of a row: the bitmaps, and what the boxes share with two of them."""
    exact, fan = found[0], found[1]
    bitmaps = (posed, exact, fan, found[2], found[3])
    for m in range(_SETS):
        own = bitmaps[m]
        if own:
            mine[3 * m] += count_ones(own)
            mine[3 * m + 1] += count_ones(own & posed)
            mine[3 * m + 2] += count_ones(own & exact)
    if posed | exact | fan:
        for m in range(_BOXES):
            inside_y = ranges[i, m, 0, 1] <= j and j <= ranges[i, m, 1, 1]
            inside_z = ranges[i, m, 0, 2] <= k and k <= ranges[i, m, 1, 2]
            if inside_y and inside_z and ranges[i, m, 0, 0] <= ranges[i, m, 1, 0]:
                own = below[ranges[i, m, 1, 0] + 1, word] ^ below[ranges[i, m, 0, 0], word]
                mine[3 * _SETS + 2 * m] += count_ones(own & posed)
                mine[3 * _SETS + 2 * m + 1] += count_ones(own & exact)
                if m == 0:
                    mine[_SHARED] += count_ones(own & fan)
                    mine[_SHARED + 1] += count_ones(own & fan & posed)


@device
def _write_sums(sums: Any, ranges: Any, i: int, sets: Any, groups: Any) -> None:
    """The sums of a motion, in the order of `METHODS`; sizes of boxes are products."""
    for m in range(_SETS):
        sets[i, m, 0], sets[i, m, 1], sets[i, m, 2] = sums[3 * m], sums[3 * m + 1], sums[3 * m + 2]
    for m in range(_BOXES):
        size = 1
        for axis in range(3):
            size *= max(0, ranges[i, m, 1, axis] - ranges[i, m, 0, axis] + 1)
        sets[i, _SETS + m, 0] = size
        sets[i, _SETS + m, 1] = sums[3 * _SETS + 2 * m]
        sets[i, _SETS + m, 2] = sums[3 * _SETS + 2 * m + 1]
    write_groups(sets[i], _SETS, sums[_SHARED], sums[_SHARED + 1], groups[i])


def count_points(motions: FanMotions, cells: int = CELLS, steps: int = STEPS) -> Counts:
    """As `lattice.count.count_points`, on the GPU."""
    if steps > _STEPS:
        raise ValueError(f"steps must not exceed {_STEPS} on the GPU, got {steps}")
    n = len(motions)
    ready = [to_device(part) for part in _lay_out_in_parts(motions, cells)]
    sets, groups = empty((n, len(METHODS), 3), np.int64), empty((n, 7), np.int64)
    begun = time.perf_counter()
    blocks = min(n, 2) if SIMULATED else min(max(n, 128), 1 << 16)
    count_motions[blocks, _THREADS](*ready, to_device(BELOW), sets, groups, cells, steps)
    counts = Counts(to_numpy(sets), to_numpy(groups))
    seconds.append(time.perf_counter() - begun)
    return counts


def _lay_out_in_parts(motions: FanMotions, cells: int, part_size: int = 2_000) -> list[Any]:
    """As `lay_out_motions`, in parts on many threads."""
    parts = each(
        lambda first: lay_out_motions(motions[first : first + part_size], cells),
        range(0, len(motions), part_size),
    )
    along = {"columns": 1, "turns": 1, "fans": 2, "ranges": 0}
    return [
        np.ascontiguousarray(np.concatenate([getattr(part, name) for part in parts], axis=axis))
        for name, axis in along.items()
    ]


# How long the GPU took for each call of `count_points`, until the sums were back.
seconds: list[float] = []
