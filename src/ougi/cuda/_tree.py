"""A tree of boxes on a GPU: volumes sorted along a Morton curve, boxes around four, four of those, and so on.

The code of a volume is that of `ougi.broad.tree`. As there nothing but boxes is stored: where a node's
children lie follows from its number.
"""

from __future__ import annotations

import itertools

import numpy as np
from numba import cuda

from ougi._typing import DeviceArray, Floats, Ints, Stream, Words
from ougi.broad.frame import axis_bounds, build_frame
from ougi.broad.tree import CODE_BITS, NUMBER_BITS, morton_code
from ougi.cuda._scan import Digits
from ougi.cuda._scene import FRAME, NOTHING, DeviceVolumes, frame_at, reset_survey, survey, write_frame
from ougi.cuda._search import FAN, search_tree
from ougi.cuda._workspace import DeviceWorkspace, Launches, launch_per_volume
from ougi.cuda.driver import flip_axes, kernel, launch

__all__ = ["tree_search"]


def tree_search(scene: DeviceVolumes, workspace: DeviceWorkspace) -> Launches:
    """The launches that find all pairs of a scene."""
    n, rows = scene.count, scene.columns.shape[0]
    if n >= 1 << NUMBER_BITS:
        raise ValueError(f"there may be at most {(1 << NUMBER_BITS) - 1:,} bodies, got {n:,}")
    columns, balls, levels = scene.columns, scene.balls, _levels(n)
    numbers = workspace.fill_array("numbers", NOTHING)
    frame = workspace.array("frame", (FRAME,), np.float64)
    keys, other = (workspace.array(name, (n,), np.int64) for name in ("keys", "other keys"))
    digits = Digits(n, workspace)
    tags = workspace.array("tags", (n, 2), np.uint32)
    dealt = flip_axes(workspace.array("dealt", (n, rows), np.float64))
    nodes = flip_axes(workspace.array("nodes", (int(levels[-1, 0] + levels[-1, 1]), 6), np.float64))
    level_table = workspace.array("levels", levels.shape, np.int64)
    level_table.copy_to_device(levels)

    def launches(stream: Stream, pairs: DeviceArray) -> None:
        launch(survey, n, columns, balls, numbers, keys, workspace.counter, stream=stream)
        launch(write_codes, n, columns, balls, numbers, frame, keys, stream=stream)
        ordered = digits.sort(keys, other, (NUMBER_BITS, NUMBER_BITS + CODE_BITS), stream)
        launch(write_leaves, n * rows, columns, ordered, tags, dealt, numbers, stream=stream)
        launch(enclose_volumes, int(levels[0, 1]), dealt, balls, frame, nodes, stream=stream)
        for below, above in itertools.pairwise(levels.tolist()):
            launch(enclose_nodes, above[1], nodes, *below[:2], *above[:2], stream=stream)
        found = pairs, workspace.counter
        launch_per_volume(
            search_tree, n, dealt, tags, balls, scene.split, frame, nodes, level_table, *found, stream=stream
        )

    return launches


def _levels(n: int) -> Ints:
    """Where the nodes of each level begin, how many there are, and how many volumes one can hold."""
    rows: list[tuple[int, int, int]] = []
    at, size, holds = 0, n, 1
    while size > 1 or not rows:
        size, holds = -(-size // FAN), holds * FAN
        rows.append((at, size, holds))
        at += size
    return np.array(rows, np.int64)


@kernel
def write_codes(columns: Floats, balls: bool, numbers: Floats, frame: Floats, keys: Ints) -> None:
    """The number of each volume below its Morton code."""
    shared = cuda.shared.array(FRAME, np.float64)
    if cuda.threadIdx.x == 0:
        found = build_frame(numbers, balls, columns.shape[1])
        write_frame(found, shared)
        if cuda.blockIdx.x == 0:
            write_frame(found, frame)
    cuda.syncthreads()
    f = frame_at(shared)
    for i in range(cuda.grid(1), columns.shape[1], cuda.gridsize(1)):
        keys[i] = (morton_code(columns, balls, f, i) << NUMBER_BITS) | i


@kernel
def write_leaves(columns: Floats, keys: Ints, tags: Words, dealt: Floats, numbers: Floats) -> None:
    """Write the volumes in the order of the curve, with their numbers."""
    rows = columns.shape[0]
    for e in range(cuda.grid(1), columns.shape[1] * rows, cuda.gridsize(1)):
        at = e // rows
        row, i = e - at * rows, keys[at] & ((1 << NUMBER_BITS) - 1)
        dealt[row, at] = columns[row, i]
        if row == 0:
            tags[at, 0] = i
    if cuda.grid(1) == 0:
        reset_survey(numbers)


@kernel
def enclose_volumes(columns: Floats, balls: bool, frame: Floats, nodes: Floats) -> None:
    """The boxes of the leaves."""
    n, growth = columns.shape[1], frame[12]
    for leaf in range(cuda.grid(1), (n + FAN - 1) // FAN, cuda.gridsize(1)):
        for axis in range(3):
            low, high = axis_bounds(columns, balls, growth, axis, leaf * FAN)
            for k in range(leaf * FAN + 1, min((leaf + 1) * FAN, n)):
                one, two = axis_bounds(columns, balls, growth, axis, k)
                low, high = min(low, one), max(high, two)
            nodes[axis, leaf], nodes[axis + 3, leaf] = low, high


@kernel
def enclose_nodes(nodes: Floats, below: int, below_size: int, start: int, size: int) -> None:
    """The boxes of a level, from those of the level below."""
    for node in range(cuda.grid(1), size, cuda.gridsize(1)):
        first, last = node * FAN, min((node + 1) * FAN, below_size)
        for axis in range(3):
            low, high = nodes[axis, below + first], nodes[axis + 3, below + first]
            for k in range(below + first + 1, below + last):
                low, high = min(low, nodes[axis, k]), max(high, nodes[axis + 3, k])
            nodes[axis, start + node], nodes[axis + 3, start + node] = low, high
