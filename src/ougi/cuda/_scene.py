"""Bounding volumes on a GPU: balls as they are, axis-aligned boxes for everything else."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import cuda

from ougi._native import device
from ougi._typing import DeviceArray, Floats, Ints, Stream
from ougi.broad.frame import SceneExtent, axis_bounds
from ougi.broad.grid import Cells
from ougi.cuda.batches import DeviceBatch
from ougi.cuda.driver import SIMULATED, empty, kernel, launch
from ougi.cuda.driver import THREADS as _FULL
from ougi.kernels.records import Vec3
from ougi.shapes import Aabb2d, Aabb3d, Circle, Sphere

THREADS = 2 if SIMULATED else _FULL


# Beyond all numbers of volumes.
ONE_BATCH = 1 << 40


@dataclass(frozen=True)
class DeviceVolumes:
    """Volumes of one batch, or of two that are joined."""

    columns: DeviceArray  # (4, n) balls or (6, n) boxes
    balls: bool
    split: int  # where the second batch begins; ONE_BATCH if there is none

    @property
    def count(self) -> int:
        """Number of volumes."""
        return int(self.columns.shape[1])

    def is_same(self, other: DeviceVolumes) -> bool:
        """Is it the same memory with the same meaning? Its numbers may have changed."""
        same = self.columns is other.columns and self.balls == other.balls
        return same and self.split == other.split


def build_scene(a: DeviceBatch, b: DeviceBatch | None, stream: Stream) -> DeviceVolumes:
    """Build the volumes of one batch or of two; balls only if all are balls."""
    batches = [a] if b is None else [a, b]
    balls = all(issubclass(batch.kind, Sphere | Circle) for batch in batches)
    columns = [_volumes(batch, balls, stream) for batch in batches]
    if b is None:
        return DeviceVolumes(columns[0], balls, ONE_BATCH)
    joined = empty((columns[0].shape[0], a.count + b.count), np.float64, stream)
    for part, first in zip(columns, (0, a.count), strict=True):
        launch(_join, part.shape[1], part, joined, first, stream=stream)
    return DeviceVolumes(joined, balls, a.count)


def _volumes(batch: DeviceBatch, balls: bool, stream: Stream) -> DeviceArray:
    if balls:
        return batch.columns("sphere", stream)
    if issubclass(batch.kind, Aabb2d | Aabb3d):
        return batch.columns("aabb3d", stream)
    if issubclass(batch.kind, Sphere) and batch._host is None:
        out = empty((6, batch.count), np.float64, stream)
        launch(_box_balls, batch.count, batch.columns("sphere", stream), out, stream=stream)
        return out
    return batch.columns("bounds", stream)


@kernel
def _join(part: Floats, joined: Floats, first: int) -> None:
    for i in range(cuda.grid(1), part.shape[1], cuda.gridsize(1)):
        for row in range(part.shape[0]):
            joined[row, first + i] = part[row, i]


@kernel
def _box_balls(columns: Floats, out: Floats) -> None:
    """The bounds of balls."""
    for i in range(cuda.grid(1), out.shape[1], cuda.gridsize(1)):
        for axis in range(3):
            out[axis, i], out[axis + 3, i] = axis_bounds(columns, True, 0.0, axis, i)


# What the survey of a scene holds, as `build_frame` takes it: lowest and highest bounds, largest and summed
# extents (which no search on the GPU needs). Before a survey it must hold nothing.
NOTHING = np.array([np.inf] * 3 + [-np.inf] * 3 + [0.0] * 6)
NUMBERS = len(NOTHING)


@device
def reset_survey(numbers: Floats) -> None:
    """Make ready for the next survey."""
    for k in range(NUMBERS):
        numbers[k] = np.inf if k < 3 else (-np.inf if k < 6 else 0.0)


@kernel
def survey(columns: Floats, balls: bool, numbers: Floats, table: Ints, counter: Ints) -> None:
    """Lowest and highest bounds and largest extents of all volumes; begin to count from 0."""
    for c in range(cuda.grid(1), table.shape[0], cuda.gridsize(1)):
        table[c] = 0
    if cuda.grid(1) == 0:
        counter[0] = 0
    best = cuda.shared.array((9, THREADS), np.float64)
    me = cuda.threadIdx.x
    for axis in range(3):
        lowest, highest, largest = np.inf, -np.inf, 0.0
        for i in range(cuda.grid(1), columns.shape[1], cuda.gridsize(1)):
            low, high = axis_bounds(columns, balls, 0.0, axis, i)
            lowest, highest, largest = min(lowest, low), max(highest, high), max(largest, high - low)
        best[axis, me], best[axis + 3, me], best[axis + 6, me] = -lowest, highest, largest
    cuda.syncthreads()
    half = THREADS // 2
    while half > 0:
        if me < half:
            for k in range(9):
                best[k, me] = max(best[k, me], best[k, me + half])
        cuda.syncthreads()
        half //= 2
    for k in range(me, 9, THREADS):
        if k < 3:
            cuda.atomic.min(numbers, k, -best[k, 0])
        else:
            cuda.atomic.max(numbers, k, best[k, 0])


# A frame and a grid as arrays: what one thread of a block finds out and the others read.
FRAME, CELLS = 17, 8


@device
def write_frame(f: SceneExtent, out: Floats) -> None:
    for k in range(3):
        out[k], out[3 + k], out[6 + k], out[9 + k] = f.low[k], f.spread[k], f.largest[k], f.lift[k]
    out[12], out[13] = f.growth, f.scale


@device
def write_cells(c: Cells, frame: Floats, out: Ints) -> None:
    for k in range(3):
        frame[14 + k] = c.per[k]
        out[k] = c.last[k]
    out[3], out[4], out[5], out[6], out[7] = c.fine, c.fat, c.row, c.layer, c.total


@device
def frame_at(f: Floats) -> SceneExtent:
    low, spread, largest = Vec3(f[0], f[1], f[2]), Vec3(f[3], f[4], f[5]), Vec3(f[6], f[7], f[8])
    return SceneExtent(low, spread, largest, largest, f[12], f[13], Vec3(f[9], f[10], f[11]))


@device
def cells_at(f: Floats, c: Ints) -> Cells:
    return Cells(Vec3(f[14], f[15], f[16]), (c[0], c[1], c[2]), c[3], c[4], c[5], c[6], c[7])
